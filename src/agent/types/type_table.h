// The types that have a number, by what they are made of: where a class is defined, what an array has as items, what a
// generic type was given. Whoever meets a type puts its parts together here, from a signature (type_signatures.c) or from what the
// runtime says of a class (classes.c), and gets the same number for the same parts.
//
// All of this under type_table_lock(), which is also held while another module's metadata is looked at, so that it cannot
// go away.
#ifndef CLEW_AGENT_TYPE_TABLE_H
#define CLEW_AGENT_TYPE_TABLE_H

#include "agent/loaded/modules.h"
#include "trace/site.h"

enum { TYPE_ARGUMENTS_MAX = 64 }; // of a generic type

// Numbers of type arguments: those of outer types come first.
struct type_arguments {
    uint32_t numbers[TYPE_ARGUMENTS_MAX];
    uint32_t count;
};

// Where its fields lie, once that is known.
struct type_layout {
    uint32_t size; // of a value
    const struct type_field *fields;
    uint32_t field_count;
    void *texts; // that the fields have, where they were made for them; NULL: none were
};

// How a type is to be told of. NULL: by a number that the table gives, without layout.
struct type_telling {
    // A number that was given to the type already: it becomes the type's, or is told of as well where that has another.
    uint32_t wanted;
    const struct type_layout *layout; // NULL: not known
};

// Whether a value of the type has a field that its name leaves out.
enum hiding { HIDING_UNKNOWN, HIDES_NOTHING, HIDES_FIELDS };

struct type_entry {
    const uint8_t *key;
    size_t key_size;
    struct text name;
    bool passing; // goes away with a collectible module
    enum type_kind kind;
    enum site_encoding encoding;
    uint32_t size;         // of a value; 0: not known
    bool has_layout;       // its definition has
    bool not_computed;     // layout_compute() has tried
    uint32_t plain_size;   // what it returned
    uint8_t hiding;        // enum hiding: what layout_hides() has found
    struct module *module; // where it is defined; NULL: nowhere
    uint32_t token;
};

void type_table_lock(void);
void type_table_unlock(void);

// Of a number that one of these has returned since the lock was taken.
const struct type_entry *type_entry_of(uint32_t number);

// Drops the types that a module defines or names, and those that are made of them. Their numbers are never used again.
void type_table_forget(const struct module *module);

// These return the type's number; 0 when there is none: memory ran out, or the parts are no type's.
uint32_t type_primitive(uint8_t element, const struct type_telling *telling);
// An array, pointer or reference. The suffix tells arrays of different ranks apart.
uint32_t type_around(uint8_t element, uint32_t inner, const char *suffix, const struct type_telling *telling);
// A TypeDef with what its type parameters are given; without any it stands for all its instances.
uint32_t type_defined(struct module *module, uint32_t token, const struct type_arguments *arguments,
                      const struct type_telling *telling);
// What a number from there stands for. False: it is none of those.
bool type_definition_of(uint32_t number, struct module **module, uint32_t *token, struct type_arguments *arguments);
// The number's layout, of a type that was told of before.
void type_tell_layout(uint32_t number, const struct type_layout *layout);
void type_computed(uint32_t number, uint32_t plain_size);
void type_set_hiding(uint32_t number, enum hiding hiding);
// A class by the name of a TypeRef whose module is not loaded.
uint32_t type_absent(const struct module *module, uint32_t token, const struct type_arguments *arguments);
// The type parameter in a row of GenericParam.
uint32_t type_parameter(const struct module *module, uint32_t row);
uint32_t type_function_pointer(void);
// What stands for the type of a field that is left out.
uint32_t type_redacted(void);
// A class of which nothing can be read.
uint32_t type_unreadable(const struct type_telling *telling);

#endif
