// Static types of operands and results, as far as the signatures of the module itself give them; other modules are not
// read. Signatures have no modifiers and no `pinned`, and refer to the type parameters of the method and its type.
#ifndef CLEW_IL_TYPE_H
#define CLEW_IL_TYPE_H

#include "base/arena.h"
#include "base/error.h"
#include "metadata/tables/metadata.h"
#include "metadata/tables/signature.h"

enum il_kind { // of a value on the evaluation stack (ECMA-335 III.1.1)
    IL_UNKNOWN = 0,
    IL_INT32,
    IL_INT64,
    IL_NATIVE, // integers and pointers
    IL_FLOAT32,
    IL_FLOAT64,
    IL_OBJECT,
    IL_REFERENCE, // managed pointer
    IL_VALUE,     // value type or type parameter
};

struct il_type {
    enum il_kind kind;
    // Empty: unknown. REFERENCE: the type of its target. INT32 and INT64: the declared integer type, which may be
    // `bool`. An enum has kind VALUE, since a TypeRef does not show that its type is an enum.
    struct bytes signature;
};

// The types of the variables of a method, and the metadata by which its tokens are read.
struct il_scope {
    struct arena *arena; // for signatures that are in no module
    const struct metadata *metadata;
    const uint8_t *type_refs;  // enum type_ref_kind by row; NULL: unknown
    struct il_type *arguments; // `this` first where there is one
    struct il_type *locals;
    uint32_t argument_count, local_count;
    bool has_this;
    // Returns the signature of a StandAloneSig or TypeSpec token that the agent has defined since the module was
    // loaded; NULL: there are none.
    struct bytes (*extra)(const void *context, uint32_t token);
    const void *context;
    struct il_type result; // of a method of runtime async, what its task hands over; UNKNOWN: nothing
};

// MALFORMED: a signature is broken.
enum clew_error il_scope_open(const struct metadata *metadata, uint32_t method_token, uint32_t locals_token,
                              const uint8_t *type_refs, struct arena *arena, struct il_scope *out);

// Replaces the locals by those of a LocalVarSig; empty: none.
enum clew_error il_scope_locals(struct il_scope *scope, struct bytes signature);

// The type of a signature, which may begin with modifiers.
struct il_type il_type_of(struct bytes signature);

// These return UNKNOWN where the type is unknown, which is not an error.

// Of a TypeDef, TypeRef or TypeSpec as the operand of an instruction.
struct il_type il_type_of_token(const struct il_scope *scope, uint32_t token);
// Of a field, by FieldDef or MemberRef.
struct il_type il_type_of_field(const struct il_scope *scope, uint32_t token);
// The array of such items; a reference to such a value.
struct il_type il_array_of(const struct il_scope *scope, struct il_type item);
struct il_type il_reference_to(struct il_type value);
// The type of the items of an array with one dimension from 0.
struct il_type il_item_of(struct il_type array);
// The pointer that `conv.u` makes of a reference to this type.
struct il_type il_pointer_of(const struct il_scope *scope, struct bytes pointee);
// The signature of `ref T`, from that of T; empty: out of memory.
struct bytes il_reference_signature(const struct il_scope *scope, struct bytes pointee);

// A method that an instruction names.
struct il_method {
    struct signature_method signature;
    struct signature_arguments arguments; // type arguments of the owner, and of the method
    struct il_type owner;                 // UNKNOWN: not known, or `calli`
    struct text name;                     // empty for `calli`
    bool is_constructor;
};

// For a MethodDef, MemberRef, MethodSpec or StandAloneSig. MALFORMED: its signature is broken.
enum clew_error il_method_of(const struct il_scope *scope, uint32_t token, struct il_method *out);
struct il_type il_method_result(const struct il_scope *scope, const struct il_method *method);
// The type of the next parameter in `rest`, which starts as method->signature.parameters and moves on.
struct il_type il_method_parameter(const struct il_scope *scope, const struct il_method *method, struct bytes *rest);

#endif
