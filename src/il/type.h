// Static types of what instructions handle, as far as signatures in the module's own scope tell them; no other module is
// looked at. Signatures are without modifiers and `pinned`, in terms of the method's own type parameters.
#ifndef CLEW_IL_TYPE_H
#define CLEW_IL_TYPE_H

#include "base/arena.h"
#include "base/error.h"
#include "metadata/tables/metadata.h"
#include "metadata/tables/signature.h"

enum il_kind { // of a value on the evaluation stack
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
    // Empty: not known. Of a REFERENCE: the type of what it points to. Of INT32 and INT64 the integer's own, be it `bool`;
    // of an enum's kind VALUE, since a module does not say of another's type that it is an enum.
    struct bytes signature;
};

// What a method's body is read with.
struct il_scope {
    struct arena *arena; // of made-up signatures
    const struct metadata *metadata;
    const uint8_t *type_refs;  // enum type_ref_kind by row; NULL: not known
    struct il_type *arguments; // `this` first where there is one
    struct il_type *locals;
    uint32_t argument_count, local_count;
    bool has_this;
    // Answers the signature of a StandAloneSig or TypeSpec token that was made after loading; NULL: there are none.
    struct bytes (*extra)(const void *context, uint32_t token);
    const void *context;
    struct il_type result; // UNKNOWN where the method returns nothing, or something other than its signature says
};

// MALFORMED when the signatures cannot be read.
enum clew_error il_scope_open(const struct metadata *metadata, uint32_t method_token, uint32_t locals_token,
                              const uint8_t *type_refs, struct arena *arena, struct il_scope *out);

// The same with other locals: a LocalVarSig, empty for none.
enum clew_error il_scope_locals(struct il_scope *scope, struct bytes signature);

// The type that a signature states, which may begin with modifiers.
struct il_type il_type_of(struct bytes signature);

// These give UNKNOWN for what cannot be told (nothing here is an error).

// Of a TypeDef, TypeRef or TypeSpec as the operand of an instruction.
struct il_type il_type_of_token(const struct il_scope *scope, uint32_t token);
// Of a field, by FieldDef or MemberRef.
struct il_type il_type_of_field(const struct il_scope *scope, uint32_t token);
// The array of such items, a reference to such a value.
struct il_type il_array_of(const struct il_scope *scope, struct il_type item);
struct il_type il_reference_to(struct il_type value);
// What an array of known type holds (one dimension, from 0).
struct il_type il_item_of(struct il_type array);
// The pointer that a reference to such a thing becomes.
struct il_type il_pointer_of(const struct il_scope *scope, struct bytes pointee);
// The signature of a reference, `ref T`, from what it points to; empty without memory.
struct bytes il_reference_signature(const struct il_scope *scope, struct bytes pointee);

// A method that an instruction names.
struct il_method {
    struct signature_method signature;
    struct signature_arguments arguments; // of the type that it is looked up in, and its own
    struct il_type owner;                 // UNKNOWN: not known
    struct text name;                     // empty for `calli`
    bool is_constructor;
};

// Of MethodDef, MemberRef, MethodSpec or StandAloneSig. MALFORMED when it cannot be read.
enum clew_error il_method_of(const struct il_scope *scope, uint32_t token, struct il_method *out);
struct il_type il_method_result(const struct il_scope *scope, const struct il_method *method);
// Takes the next one off `rest`, which begins as method->signature.parameters.
struct il_type il_method_parameter(const struct il_scope *scope, const struct il_method *method, struct bytes *rest);

#endif
