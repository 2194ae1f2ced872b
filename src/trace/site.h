// Sites and the types of their values. A site is an instrumented point of a method: one (method, IL offset, kind and storage
// location). The weaver plans sites, the agent numbers and defines them, the collector passes definitions and events on, and
// the model shows the events by their definitions.
//
// The agent numbers sites 1, 2, 3 within the process, those of one method consecutively, and defines them (a SITES
// definition) before it gives the woven body to the runtime. So a reader always has the definition before the first
// event. An event of a site is a head cell that names the site, and the payload that the definition describes
// (trace/payload.h).
#ifndef CLEW_TRACE_SITE_H
#define CLEW_TRACE_SITE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/text.h"
#include "trace/kinds.h"

enum site_kind {
    SITE_STATEMENT = 0,  // a sequence point is reached: no payload
    SITE_DEFINITION = 1, // a storage location was assigned a value
    SITE_USE = 2,        // the value of a storage location was loaded
    SITE_ARGUMENT = 3,   // a parameter's value (or `this`) at entry
    SITE_RESULT = 4,     // the value that the method returns
    SITE_ALLOCATION = 5, // newobj, newarr or box made the object that is the value
};

// The storage location that the value belongs to.
enum site_place {
    PLACE_NONE = 0,
    PLACE_LOCAL = 1,        // index: slot
    PLACE_PARAMETER = 2,    // index: number as in IL, `this` is 0
    PLACE_FIELD = 3,        // index: the token as the body names it, FieldDef or MemberRef
    PLACE_STATIC_FIELD = 4, // the same
    PLACE_ITEM = 5,         // of an array or list; the index is in the event. Of a list it may be ITEM_UNKNOWN
    PLACE_INDIRECT = 6,     // through a reference or pointer
    PLACE_RESULT = 7,
    PLACE_KEY = 8, // of a dictionary; the key is in the event, in place of an index: a number of the type `index`
    PLACE_KEY_OBJECT = 9, // the same; the key is a reference: the number of its object
    PLACE_SPAN_ITEM =
        10, // INDIRECT, in an item of a span or array: the item or a field of it. The index is in the event
    PLACE_ITEM_FIELD = 11, // FIELD of the struct that such an item is, or of one within it: likewise
};

#define ITEM_UNKNOWN (-1) // no item of a list or array has this index

// Whether the event has an index, or the key that takes its place.
static inline bool place_is_item(enum site_place place)
{
    return place == PLACE_ITEM || place == PLACE_KEY || place == PLACE_KEY_OBJECT;
}

// Whether the event has the index of the item of a span or array that the storage location is, or is in.
static inline bool place_is_in_item(enum site_place place)
{
    return place == PLACE_SPAN_ITEM || place == PLACE_ITEM_FIELD;
}

// Whether the storage location is behind a reference or pointer.
static inline bool place_is_indirect(enum site_place place)
{
    return place == PLACE_INDIRECT || place == PLACE_SPAN_ITEM;
}

// The object or variable that contains the storage location.
enum site_owner {
    OWNER_NONE = 0,    // the activation's, or static
    OWNER_THIS = 1,    // a field of the activation's own `this`: no cells, its ARGUMENT event names the object
    OWNER_OBJECT = 2,  // 1 cell: object number
    OWNER_ADDRESS = 3, // 2 cells: the address of the struct that contains the field, or of the location itself. It
                       // identifies the location only until the next garbage collection
    // A field of the struct in one of the activation's variables, whose number is owner_index: no cells.
    OWNER_LOCAL = 4,
    OWNER_PARAMETER = 5,
};

// How the event holds the value; trace/payload.h says how many cells each takes.
enum site_encoding {
    VALUE_NONE = 0,    // no cells: a statement, or a value that is not recorded, see `reason`
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

// Stands in for an object number when the reference did not point to an object. No object has this number.
#define VALUE_OBJECT_INVALID UINT32_C(0x3FFFFFFE)

enum { STRUCT_SIZE_MAX = 256 }; // bytes; of larger structs no value is recorded

// A box can be written to, so its content is recorded again before each event that refers to it; likewise the content of
// boxes inside it, up to this depth.
enum { BOX_NESTING_MAX = 2 };

// Why a site has no value.
enum site_reason {
    REASON_NONE = 0,
    REASON_REDACTED = 1,  // --redact names the place
    REASON_TOO_LARGE = 2, // a struct above STRUCT_SIZE_MAX
    REASON_UNKNOWN = 3,   // its type cannot be determined from the IL
    REASON_UNSAFE = 4,    // reading it could change the behaviour of the program
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
    enum variable_role role; // of the variable that `name` is for, also where it has no name
    struct text name;        // the place's source name; empty: none known. Borrowed
    struct text owner_name;  // OWNER_LOCAL, OWNER_PARAMETER: the variable's, likewise
    struct text tuple_names; // of the place's type as it is declared (trace/tuple_names.h), likewise
    // What the source calls the part that was assigned, if that is a field within fields: `v.In.A`; empty: unknown, or `name`
    // says it all. Its last path_part bytes lead from the value of the event to the part, `A` if the event has `v.In`; 0: the
    // event has the value of the part itself. Likewise.
    struct text path;
    uint32_t path_part;
};

// Whether the storage location is a field of a struct that is one of the activation's variables.
static inline bool site_is_in_variable(const struct site *site)
{
    return site->owner == OWNER_LOCAL || site->owner == OWNER_PARAMETER;
}

// Encodes the sites of a method for a SITES definition (doc/recording.md, SITES), without roles and paths. `into` fails when
// memory runs out.
void sites_encode(struct buffer *into, const struct site *sites, uint32_t count);
// Encodes their roles and paths, which stand apart since readers of earlier versions do not know them: one byte for the role
// of each site, then the sites that have a path; nothing if all roles are UNKNOWN and no site has a path.
void sites_encode_roles(struct buffer *into, const struct site *sites, uint32_t count);
// Reads them into decoded sites. What is not there, or of another version, is UNKNOWN or empty. Texts are borrowed.
void sites_decode_roles(struct bytes roles, struct site *sites, uint32_t count);
// Decodes the next site. *previous is the one before it, zero for the first: offsets and lines are stored as differences.
// The role is UNKNOWN. Texts are borrowed from bytes. False when malformed.
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
    TYPE_PARAMETER = 12, // a type parameter; each event states the actual type
    TYPE_REDACTED = 13,  // of a field that is redacted by its name: its bytes are zero
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
    bool is_flags;                   // an enum with [Flags]
    uint32_t flags;                  // enum type_flag; not in the encoded type, but beside it
    uint32_t size;                   // bytes of a value; 0: not known (yet)
    uint32_t element;                // type number: of an array's items, of the target of a pointer or reference
    struct text name;                // `System.Int32`, `Ns.Outer.Inner<System.String>`, `System.Int32[]`
    const struct type_field *fields; // of a struct whose layout is known, as declared; without static ones
    uint32_t field_count;
    const struct type_member *members; // of an enum
    uint32_t member_count;
};

// Encodes a type for a TYPE definition. A later definition of a number replaces the earlier one: the agent knows the name of
// a type before its layout.
void type_encode(struct buffer *into, const struct type *type);
struct arena;
// Allocates fields and members in the arena; texts are borrowed from bytes. MALFORMED or NO_MEMORY.
enum clew_error type_decode(struct bytes bytes, struct arena *arena, struct type *out);

#endif
