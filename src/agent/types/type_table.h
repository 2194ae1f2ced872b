// The registry of type numbers. Two descriptions of one type have equal keys, and so the same number, whether they come
// from a signature (type_signatures.c) or from a class that the runtime has loaded (class_types.c). type_numbers.c builds
// the keys and the definitions; this file stores them, and reports each type to the collector before a site or an object
// refers to it.
//
// A key is an enum element in one byte, then 32-bit words:
//
//     ELEMENT_CLASS              a TypeDef: module number, token, numbers of the type arguments
//     ELEMENT_MODIFIER_OPTIONAL  a TypeRef whose module is not loaded: the same
//     ELEMENT_VAR                a type parameter: module number, row of GenericParam
//     an array, pointer, byref   number of the inner type, then the suffix of the name as text
//     any other                  nothing more: there is one such type
//
// Everything here but type_table_lock() needs that lock. Readers of another module's metadata hold it as well, because
// type_table_forget() takes it before a collectible module goes away.
#ifndef CLEW_AGENT_TYPE_TABLE_H
#define CLEW_AGENT_TYPE_TABLE_H

#include "agent/loaded/modules.h"
#include "trace/site.h"

enum { TYPE_ARGUMENTS_MAX = 64 }; // of a generic type

// Type numbers of the arguments of a generic type; those of its enclosing types come first. 0: the argument is not known.
struct type_arguments {
    uint32_t numbers[TYPE_ARGUMENTS_MAX];
    uint32_t count;
};

// The fields of a value type with their offsets.
struct type_layout {
    uint32_t size; // bytes of a value
    const struct type_field *fields;
    uint32_t field_count;
    void *texts; // memory of the fields' tuple names, freed by layout_free(); NULL: none
};

// How to report a type. NULL in place of one: under the number that the table assigns, without a layout.
struct type_report {
    // A number that a probe has given out for the type: the type takes it, or is reported under it as well as under the
    // number that it has. 0: none.
    uint32_t number;
    const struct type_layout *layout; // NULL: not known
};

// Whether a value of the type contains a redacted field (redacted_fields.h).
enum redacted_fields { REDACTION_UNKNOWN, REDACTS_NOTHING, REDACTS_FIELDS };

struct type_entry {
    const uint8_t *key;
    size_t key_size;
    struct text name;
    bool collectible; // depends on a module that can be unloaded
    enum type_kind kind;
    enum site_encoding encoding;
    uint32_t size;         // bytes of a value; 0: not known
    bool has_layout;       // its reported definition has one
    bool not_computed;     // layout_compute() has failed
    uint32_t plain_size;   // result of layout_compute()
    uint8_t redaction;     // enum redacted_fields, cached by redacted_fields.c
    struct module *module; // that defines it; NULL: none
    uint32_t token;        // its TypeDef there
};

void type_table_lock(void);
void type_table_unlock(void);

// The entry of a number that was returned since the lock was taken. Valid until the lock is released.
const struct type_entry *type_entry_of(uint32_t number);
// The name of such a type; "?" for 0.
struct text type_name_of(uint32_t number);

// Records the result of layout_compute(), so that it is computed once.
void type_set_plain_size(uint32_t number, uint32_t plain_size);
void type_set_redaction(uint32_t number, enum redacted_fields redaction);

// Takes the lock. Marks a module as unloaded and drops the types that it defines or names, with all types that contain
// one of them. Their numbers are never used again. Called when a module is about to be unloaded and no lookup finds it any
// more; after this no code reads its metadata through a type.
void type_table_forget(struct module *module);

// A type whose key, name and definition are being put together. type_candidate_finish() or type_candidate_drop() ends it.
struct type_candidate {
    const struct type_report *report; // never NULL
    struct buffer key, name;
    struct type type;      // the definition, except for its number and name
    struct module *module; // that defines it; NULL: none
    uint32_t token;
    bool collectible;
    uint32_t flags;              // enum type_flag; the report adds STATED
    struct type_member *members; // of an enum; owned
};

void type_candidate_begin(struct type_candidate *candidate, uint8_t element, const struct type_report *report);
// Appends to the name, which is cut after 4 KiB.
void type_candidate_append_name(struct type_candidate *candidate, struct text name);
// The number of a type with this key that needs no further report; 0: the candidate has to be finished.
uint32_t type_candidate_reported(const struct type_candidate *candidate);
// Returns the number of the type with this key and reports the type if the collector does not know all of it. 0 when
// memory or numbers run out. Ends the candidate.
uint32_t type_candidate_finish(struct type_candidate *candidate);
void type_candidate_drop(struct type_candidate *candidate);

#endif
