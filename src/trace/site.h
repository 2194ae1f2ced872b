// Sites: the woven places of `statements`, `values` and `lines`, what their events look like, and the types of their
// values. Everybody on the way of the data speaks of them: weaver, agent, collector, file and model.
//
// A site is one (method, IL offset, what it records). The agent numbers sites while weaving, 1, 2, 3 within the process,
// a method's in one run, and defines them all (a SITES definition) before the woven body is given to the runtime. An event
// of a site is a head cell that names the site, and the payload that the definition describes (trace/payload.h).
#ifndef CLEW_TRACE_SITE_H
#define CLEW_TRACE_SITE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/text.h"

enum site_kind {
    SITE_STATEMENT = 0,  // a sequence point is reached: no payload
    SITE_DEFINITION = 1, // a place has got a value
    SITE_USE = 2,        // a place's value was loaded
    SITE_ARGUMENT = 3,   // a parameter's value (or `this`) at entry
    SITE_RESULT = 4,     // what the method is about to return
    SITE_ALLOCATION = 5, // newobj, newarr or box made the object that is the value
};

enum site_place {
    PLACE_NONE = 0,
    PLACE_LOCAL = 1,        // index: slot
    PLACE_PARAMETER = 2,    // index: number as in IL, `this` is 0
    PLACE_FIELD = 3,        // index: the token as the body names it, FieldDef or MemberRef
    PLACE_STATIC_FIELD = 4, // the same
    PLACE_ITEM = 5,         // of an array; the index is in the event
    PLACE_INDIRECT = 6,     // through a reference or pointer
    PLACE_RESULT = 7,
};

// Whose the place is.
enum site_owner {
    OWNER_NONE = 0,    // the activation's, or static
    OWNER_THIS = 1,    // a field of the activation's own `this`: no cells, its ARGUMENT event names the object
    OWNER_OBJECT = 2,  // 1 cell: object number
    OWNER_ADDRESS = 3, // 2 cells: the address of the struct that the field is in, or of the place itself. Raw: it tells
                       // places apart until the next collection, no longer
    // A field of the struct in one of the activation's variables, whose number is owner_index: no cells.
    OWNER_LOCAL = 4,
    OWNER_PARAMETER = 5,
};

// How the value stands in the event.
enum site_encoding {
    VALUE_NONE = 0,    // no cells: a statement, or `reason` says why the value is not there
    VALUE_BOOLEAN = 1, // 1 cell each
    VALUE_CHAR = 2,
    VALUE_I1 = 3,
    VALUE_U1 = 4,
    VALUE_I2 = 5,
    VALUE_U2 = 6,
    VALUE_I4 = 7,
    VALUE_U4 = 8,
    VALUE_R4 = 9,
    VALUE_I8 = 10, // 2 cells each
    VALUE_U8 = 11,
    VALUE_R8 = 12,
    VALUE_NATIVE_I = 13,
    VALUE_NATIVE_U = 14,
    VALUE_POINTER = 15, // an unmanaged pointer, a function pointer or a managed reference: the address
    VALUE_OBJECT = 16,  // 1 cell: object number, 0 null, VALUE_OBJECT_INVALID
    VALUE_STRUCT =
        17,           // size bytes as they lie in memory, padded with zeros to whole cells. Where the type's layout has
                      // a reference, its 8 bytes hold an object number instead
    VALUE_TYPED = 18, // 1 cell: the number of the type that a type parameter stands for here; 1 cell: n; then n bytes
                      // as under STRUCT, padded. Of a reference type: n is 4, the object number
};

// In place of an object's number: the bits of the variable referred to none. No object has it.
#define VALUE_OBJECT_INVALID UINT32_C(0x3FFFFFFE)

enum { STRUCT_SIZE_MAX = 256 }; // bytes; of larger structs no value is recorded

// What is in a box is told anew before each event that refers to it, and so is what is in boxes that lie in that one, so
// many boxes around each other.
enum { BOX_NESTING_MAX = 2 };

// Why a site has no value.
enum site_reason {
    REASON_NONE = 0,
    REASON_REDACTED = 1,  // --redact names the place
    REASON_TOO_LARGE = 2, // a struct above STRUCT_SIZE_MAX
    REASON_UNKNOWN = 3,   // its type could not be told from the IL
    REASON_UNSAFE = 4,    // reading it could change what the program does
};

struct site {
    enum site_kind kind;
    enum site_place place;
    enum site_owner owner;
    enum site_encoding encoding;
    enum site_reason reason;
    uint32_t il_offset;   // of the original instruction; for ARGUMENT 0
    uint32_t index;       // by place
    uint32_t owner_index; // OWNER_LOCAL, OWNER_PARAMETER: number of the variable
    uint32_t size;        // VALUE_STRUCT: bytes
    uint32_t type;        // number of the value's static type; 0 unknown
    uint32_t statement;   // number of the STATEMENT site that it belongs to; 0 none
    uint32_t document;    // STATEMENT: number of the document; 0: no symbols
    // STATEMENT; 0: no symbols. Once decoded, start_line of other sites is that of the STATEMENT before them.
    uint32_t start_line, start_column, end_line, end_column;
    struct text name;        // the place's source name; empty: none known. Borrowed
    struct text owner_name;  // OWNER_LOCAL, OWNER_PARAMETER: the variable's, likewise
    struct text tuple_names; // of the place's type as it is declared (trace/tuple_names.h), likewise
};

// Whether the place is a field of the struct in one of the activation's variables.
static inline bool site_is_in_variable(const struct site *site)
{
    return site->owner == OWNER_LOCAL || site->owner == OWNER_PARAMETER;
}

// A method's sites, as SITES definitions carry them.
void sites_encode(struct buffer *into, const struct site *sites, uint32_t count);
// Reads the next of them; *previous is zero before the first. Borrows from bytes. False when malformed.
bool site_decode(struct bytes *bytes, const struct site *previous, struct site *out);

// Types of values and objects, numbered within the process as they are met: 1, 2, 3.
enum type_kind {
    TYPE_PRIMITIVE = 1, // bool to double, native integers
    TYPE_ENUM = 2,
    TYPE_STRUCT = 3,
    TYPE_NULLABLE = 4, // its fields are hasValue and value
    TYPE_REF_STRUCT = 5,
    TYPE_CLASS = 6,
    TYPE_STRING = 7,
    TYPE_ARRAY = 8,
    TYPE_DELEGATE = 9,
    TYPE_POINTER = 10,
    TYPE_REFERENCE = 11, // managed: ref, in, out
    TYPE_PARAMETER = 12, // a type parameter; events say what it stands for
    TYPE_REDACTED = 13,  // of a struct's field that is left out by its name: its bytes are zero
};

struct type_field {
    uint32_t offset;         // bytes from the value's start
    uint32_t type;           // number; 0 unknown
    struct text name;        // as in the source where that is known
    struct text tuple_names; // of its type as it is declared (trace/tuple_names.h); empty: none
};

struct type_member {
    int64_t value; // of an enum
    struct text name;
};

struct type {
    uint32_t number;
    enum type_kind kind;
    enum site_encoding encoding;     // of a value of it; an enum: of its underlying type
    bool flags;                      // an enum with [Flags]
    uint32_t size;                   // bytes of a value; 0: not known (yet)
    uint32_t element;                // type number: of an array's items, of what a pointer, reference or nullable holds
    struct text name;                // `System.Int32`, `Ns.Outer.Inner<System.String>`, `System.Int32[]`
    const struct type_field *fields; // of a struct whose layout is known, as declared; without static ones
    uint32_t field_count;
    const struct type_member *members; // of an enum
    uint32_t member_count;
};

// As TYPE definitions carry it. A later definition of a number replaces the earlier: names come first, layouts later.
void type_encode(struct buffer *into, const struct type *type);
struct arena;
// Fields and members are made in the arena, texts borrowed from bytes. MALFORMED or NO_MEMORY.
enum clew_error type_decode(struct bytes bytes, struct arena *arena, struct type *out);

#endif
