// Converts the names of tuple items from the compilers' form into that of trace/tuple_names.h. Compilers list all names
// within the type of a field, parameter, result or local, in depth-first order; the tuple names assign each to its
// item.
#ifndef CLEW_METADATA_NAMES_TUPLE_H
#define CLEW_METADATA_NAMES_TUPLE_H

#include "metadata/tables/metadata.h"
#include "trace/tuple_names.h"

// Removes the next name from a compiler's list: names_tuple_next() for attributes, pdb_tuple_names_next() for PDBs.
typedef bool names_tuple_take(struct bytes *names, struct text *name);

// These append nothing when there are no names, or when their number is not that of the type's items.

// Of a type, as its signature and a compiler's list of names have it.
void names_tuple_append(const struct metadata *metadata, struct bytes signature, struct bytes names,
                        names_tuple_take *take, struct buffer *out);
// Of the type of a parameter, counted from 1 without `this`, or of the result as number 0.
void names_tuple_of_parameter(const struct metadata *metadata, uint32_t method_token, uint32_t number,
                              struct bytes signature, struct buffer *out);
// Of the type of a field, as IL names it. Of another module's field only that its type is a type parameter is known.
void names_tuple_of_field(const struct metadata *metadata, uint32_t token, struct buffer *out);

// Whether a type may have tuples in it: without generic types it has none.
bool names_tuple_possible(struct bytes signature);

// Which item of a tuple a field is, counted from 1, 8 for the rest; 0: of no tuple.
uint32_t names_tuple_item(const struct metadata *metadata, uint32_t token);

#endif
