// Signatures of methods, fields and locals (ECMA-335 II.23.2): splits them into types, and skips, copies or
// instantiates types. Nesting is bounded, so that a hostile blob cannot exhaust the stack; every read makes progress or
// fails. All results are borrowed from the blob.
#ifndef CLEW_METADATA_SIGNATURE_H
#define CLEW_METADATA_SIGNATURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/error.h"

// II.23.1.16. Classes and value types are followed by a coded index, variables by their number.
enum element {
    ELEMENT_VOID = 0x01,
    ELEMENT_BOOLEAN = 0x02,
    ELEMENT_CHAR = 0x03,
    ELEMENT_I1 = 0x04,
    ELEMENT_U1 = 0x05,
    ELEMENT_I2 = 0x06,
    ELEMENT_U2 = 0x07,
    ELEMENT_I4 = 0x08,
    ELEMENT_U4 = 0x09,
    ELEMENT_I8 = 0x0A,
    ELEMENT_U8 = 0x0B,
    ELEMENT_R4 = 0x0C,
    ELEMENT_R8 = 0x0D,
    ELEMENT_STRING = 0x0E,
    ELEMENT_POINTER = 0x0F,
    ELEMENT_BY_REFERENCE = 0x10,
    ELEMENT_VALUE_TYPE = 0x11,
    ELEMENT_CLASS = 0x12,
    ELEMENT_VAR = 0x13,
    ELEMENT_ARRAY = 0x14,
    ELEMENT_GENERIC_INSTANCE = 0x15,
    ELEMENT_TYPED_REFERENCE = 0x16,
    ELEMENT_I = 0x18,
    ELEMENT_U = 0x19,
    ELEMENT_FUNCTION_POINTER = 0x1B,
    ELEMENT_OBJECT = 0x1C,
    ELEMENT_SZARRAY = 0x1D,
    ELEMENT_MVAR = 0x1E,
    ELEMENT_MODIFIER_REQUIRED = 0x1F,
    ELEMENT_MODIFIER_OPTIONAL = 0x20,
    ELEMENT_SENTINEL = 0x41,
    ELEMENT_PINNED = 0x45,
};

enum { SIGNATURE_DEPTH_MAX = 64, SIGNATURE_SIZE_MAX = 1 << 16 };

// Calling conventions: the low four bits of a signature's first byte (II.23.2.3).
enum signature_convention {
    SIGNATURE_DEFAULT = 0,
    SIGNATURE_VARARG = 5,
    SIGNATURE_FIELD = 6,
    SIGNATURE_LOCALS = 7,
    SIGNATURE_PROPERTY = 8,
    SIGNATURE_UNMANAGED = 9,
    SIGNATURE_METHOD_SPEC = 10
};

struct signature_method {
    uint8_t convention;       // the low four bits
    bool has_this;            // a `this` that is not among the parameters
    bool explicit_this;       // a `this` that is
    bool returns_value;       // anything but void
    uint32_t generic_count;   // type parameters of the method itself
    uint32_t parameter_count; // without `this`
    struct bytes return_type; // starts at its modifiers
    struct bytes parameters;  // starts at the first one's modifiers; at a call a sentinel may stand between
};

// MethodDefSig, MethodRefSig, StandAloneMethodSig, and PropertySig (whose type is the return type). MALFORMED unless
// every parameter can be skipped.
enum clew_error signature_method(struct bytes blob, struct signature_method *out);

// LocalVarSig: how many, and their types one after the other.
enum clew_error signature_locals(struct bytes blob, uint32_t *count, struct bytes *types);

// The instantiation of a MethodSpec: how many type arguments, and they one after the other.
enum clew_error signature_method_spec(struct bytes blob, uint32_t *count, struct bytes *types);

// FieldSig: its type, from its modifiers on.
enum clew_error signature_field(struct bytes blob, struct bytes *type);

// Appends a compressed unsigned integer (II.23.2) below 2^29.
void buffer_compressed(struct buffer *out, uint32_t value);

// Skips one type with its modifiers, `pinned`, by-reference mark and leading sentinel; false leaves `at` unchanged.
bool signature_skip_type(struct bytes *at);
// Skips everything that may precede a type: modifiers, `pinned`, a sentinel. False when no type follows.
bool signature_skip_modifiers(struct bytes *at);

// Type arguments for VAR and MVAR parameters, one type after the other. With none, parameters are copied unchanged.
struct signature_arguments {
    struct bytes of_type, of_method; // replace VAR and MVAR 0, 1, 2
    uint32_t of_type_count, of_method_count;
};

// Appends `type` with its type parameters replaced. MALFORMED for a parameter beyond the arguments, or when it would
// become larger than SIGNATURE_SIZE_MAX; nothing is appended then.
enum clew_error signature_instantiate(struct bytes type, const struct signature_arguments *arguments,
                                      struct buffer *out);

// Whether a type mentions type parameters.
bool signature_is_open(struct bytes type);

// A walk over a type that copies it, replaces its parameters, or reports the types it names. All members but `open` may be
// zero.
struct signature_walk {
    struct buffer *out; // gets a copy; when the walk fails, of the part before the failure
    const struct signature_arguments *arguments;
    void (*named)(void *context, uint8_t element, uint32_t token); // of each CLASS and VALUE_TYPE
    void *context;
    bool open; // set when a type parameter is met
};
// As signature_skip_type().
bool signature_walk_type(struct signature_walk *walk, struct bytes *at);

#endif
