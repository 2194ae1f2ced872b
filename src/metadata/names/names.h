// Display names of methods, as in the source: `Shop.Cart.AddAsync(int) (async)` instead of `<AddAsync>d__3.MoveNext`.
// All languages use one form: `Ns.Outer.Inner<T>.Name(int, string)`, `.ctor`, `.cctor`, `Prop.get`, `M.Local(...)`,
// `M.lambda#1(...)`, `Helper@File` for a type that is local to its file, with ` (async)` or ` (iterator)` appended. The
// agent names methods when it defines them; the reading side only shows these names.
//
// Kick-off methods of state machines are found by their AsyncStateMachine, IteratorStateMachine and
// AsyncIteratorStateMachine attributes; lambdas, local functions and closures by the names that Roslyn, the VB and the
// F# compiler give them (Roslyn: GeneratedNameKind).
#ifndef CLEW_METADATA_NAMES_H
#define CLEW_METADATA_NAMES_H

#include "metadata/tables/image.h"
#include "metadata/tables/metadata.h"
#include "trace/kinds.h"

struct names; // of one module; not thread-safe

// Borrows metadata. NULL when memory runs out.
struct names *names_new(const struct metadata *metadata);
void names_free(struct names *names);
// Allows method bodies to be read, for names that need more than metadata: VB and F# closures do not state in their
// names which method creates them. All bodies are read once, at first need, in some milliseconds. Borrows image, which
// has to be the one that the metadata belongs to.
void names_use_bodies(struct names *names, const struct image *image);

struct method_name {
    enum method_kind kind;
    uint32_t origin; // MethodDef of the source's method that this one was made from (itself if none): scope follows it;
                     // of overloads any, which makes no difference to scope
    uint32_t flags;  // enum method_flag
};

// Appends the full display name of a MethodDef to `out`. NO_MEMORY: the appended text is not the name; a later call may
// succeed.
enum clew_error names_method(struct names *names, uint32_t method_token, struct buffer *out, struct method_name *about);

// Appends the full name of the class that has a method in the source, with `/` between nested classes: `Shop.Cart<T>/Line`. `origin`
// is that of the method.
void names_source_class(const struct names *names, uint32_t origin, struct buffer *out);

// The method that the operand of an instruction names: a MethodDef, a MemberRef, or a MethodSpec of either.
struct method_reference {
    uint32_t token;   // MethodDef; 0: it was named by a MemberRef
    uint32_t type;    // TypeDef or TypeRef that holds it, without type arguments; 0: arrays and the like
    struct text name; // as in metadata
};
// False for other tokens. Does not look whether a MemberRef is of a field. Allocates nothing.
bool names_method_reference(const struct metadata *metadata, uint32_t token, struct method_reference *out);

// Appends what a call calls, as short as in the source: `Repo.LoadAsync`, `Channel.Completion` for a property, `Main.Local`
// for a local function. Type parameters and parameters are left out. `token` is the operand of the call; of a token that is no
// method nothing is appended. NO_MEMORY: as above.
enum clew_error names_call(struct names *names, uint32_t token, struct buffer *out);

// MethodDef that creates the F# closure which this method belongs to; 0: it belongs to none, or that is not known. Needs
// bodies (names_use_bodies()).
uint32_t names_creator(struct names *names, uint32_t method_token);

// The kick-off method of state machine class `type_token`, a MethodDef, and its kind; 0 when the type is not a state
// machine.
uint32_t names_kickoff(struct names *names, uint32_t type_token, enum method_kind *kind);
// The body of a kick-off method (MoveNext of its state machine), found by its attribute; 0: it is none, or has no attribute.
uint32_t names_body(struct names *names, uint32_t method_token);

// Row of MethodSemantics for an accessor of a property or event; 0 for other methods.
uint32_t names_accessor(struct names *names, uint32_t method_token);

// The TypeDef or TypeRef that a signature begins with, also when that gives it type arguments; 0 for all other types.
uint32_t names_class_of(struct bytes signature);
// A type token without type arguments: TypeDef or TypeRef; 0 for arrays and the like.
uint32_t names_definition(const struct metadata *metadata, uint32_t token);

// enum type_flag of a TypeDef or TypeRef, for TYPE definitions; 0 for other tokens. Any thread may call it: nothing is
// allocated or cached.
uint32_t names_type_flags(const struct metadata *metadata, uint32_t type_token);

// Whether a signature is of this class or struct: `System.DateTime`, as in metadata. Allocates nothing.
bool names_is_class(const struct metadata *metadata, struct bytes signature, struct text full_name);

// Appends the name that scope patterns are matched against: `[Assembly]Namespace.Type.Method` of the origin, no parameters,
// nested types with dots, generic parameters as in the display name. NO_MEMORY: as above.
enum clew_error names_scope(struct names *names, uint32_t method_token, struct buffer *out);

#endif
