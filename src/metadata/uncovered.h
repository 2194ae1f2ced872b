// Which code coverage leaves out: what bears ExcludeFromCodeCoverageAttribute, an attribute of that name in any namespace, or
// coverlet's ExcludeFromCoverageAttribute; and what belongs to it. Coverlet leaves out the same code.
#ifndef CLEW_METADATA_UNCOVERED_H
#define CLEW_METADATA_UNCOVERED_H

#include "metadata/names/names.h"
#include "metadata/pdb/pdb.h"

// The sources of excluded methods of a module, constructors apart: field initialisers are a part of them. A lambda or local function there is compiled into a method of its own, which bears
// no attribute.
struct uncovered_section {
    uint32_t document, first_line, last_line;
};

enum { UNCOVERED_TYPES_MAX = 8 };

struct uncovered {
    const struct metadata *metadata;
    const struct pdb *pdb;
    struct names *names;
    bool all;                            // the assembly bears the attribute
    uint32_t types[UNCOVERED_TYPES_MAX]; // the classes of the attributes, as the module defines or refers to them
    unsigned type_count;
    struct uncovered_section *sections;
    size_t count, room;
};

// Looks through all methods of the module. Borrows what it is given. NO_MEMORY is the only error; then uncovered_free() has to be
// called as well.
enum clew_error uncovered_find(const struct metadata *metadata, const struct pdb *pdb, struct names *names,
                               struct uncovered *out);
void uncovered_free(struct uncovered *uncovered);

// Whether a method is left out: by an attribute of its own, of its property, of a class around it, or of the method that the
// compiler made it from; constructors also if the compiler made them.
bool uncovered_method(const struct uncovered *uncovered, uint32_t method_token);
// Whether a sequence point is in the source of a method that is left out.
bool uncovered_point(const struct uncovered *uncovered, const struct pdb_point *point);

#endif
