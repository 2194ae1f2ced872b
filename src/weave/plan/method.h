// The input of planning: a method, its instruments, and callbacks for facts outside of its body.
#ifndef CLEW_WEAVE_METHOD_H
#define CLEW_WEAVE_METHOD_H

#include "metadata/tables/metadata.h"
#include "trace/instrument.h"
#include "trace/site.h"
#include "weave/operations/runs.h"

// A sequence point of the method, by rising il_offset.
struct weave_point {
    uint32_t il_offset;
    uint32_t document; // clew's number
    bool hidden;       // not a statement, but the end of the one before
    uint32_t start_line, start_column, end_line, end_column;
};

// A type, as far as it is known while the method is woven.
struct weave_type {
    uint32_t number; // in the recording; 0: unknown
    // In: as the signature says, a primitive, POINTER, OBJECT, or TYPED for value types and type parameters. Out: TYPED may
    // have become the integer of an enum; STRUCT with `size`, if the layout is the same for every instantiation that runs
    // this body; or NONE with a reason.
    enum site_encoding encoding;
    enum site_reason reason;
    uint32_t size;       // STRUCT: bytes
    bool has_references; // STRUCT: to objects, so that the event needs site_at
    // TYPED: the agent finds the class by the number of the type, so that no TypedReference is needed.
    bool by_number;
    bool wide; // STRUCT, TYPED: the JIT keeps a variable of this type in memory in any case
};

// The name of a variable or field, and what that is in the source.
struct weave_name {
    struct text text; // empty: unknown
    enum variable_role role;
};

// Callbacks that planning asks for facts outside of the body. A signature is one type (ECMA-335 II.23.2.12) in the scope of
// the module, without modifiers and `pinned`; VAR and MVAR are those of the method. Texts must live as long as the plan.
// Each but type_token may be NULL.
struct weave_queries {
    void *context;
    // The source's name of a LOCAL, PARAMETER, FIELD or STATIC_FIELD, by number or token, at an instruction. next_offset is
    // where the following instruction starts: the scope of a local opens behind its first store.
    struct weave_name (*name)(void *context, enum site_place place, uint32_t index, uint32_t il_offset,
                              uint32_t next_offset);
    // The source's names for the items of tuples (trace/tuple_names.h) in the type of such a place, or of the method's
    // RESULT. `signature` is that type, empty for fields. Empty: no names.
    struct text (*tuple_names)(void *context, enum site_place place, uint32_t index, uint32_t il_offset,
                               uint32_t next_offset, struct bytes signature);
    // Whether the user wants the value of a place left out, by its own name (empty: unknown) or by a name that the method
    // gives it. `signature` is its type; empty: unknown.
    bool (*redacted)(void *context, enum site_place place, uint32_t index, struct text name, struct bytes signature);
    void (*type)(void *context, struct bytes signature, struct weave_type *type);
    // A token for a type that has none of its own: an instantiation or a type parameter. False: there is none.
    bool (*type_token)(void *context, struct bytes signature, uint32_t *token);
};

struct weave_method {
    const struct metadata *metadata;
    uint32_t token; // MethodDef
    // enum instrument, or-ed: those of INSTRUMENT_AT_SITES, and USES with VALUES. 0: the plan only spills results while
    // exits are recorded.
    uint32_t instruments;
    bool line_times; // LINES: own time too
    // NULL: no symbols. Statements then begin where the evaluation stack is empty, and have no document and lines.
    const struct weave_point *points;
    uint32_t point_count;
    const struct weave_queries *queries;
    uint32_t struct_limit; // bytes; larger structs are REASON_TOO_LARGE
    uint32_t room;         // bytes of inline events for which a check leaves room, at least 256
    // Whether a reference that came into the method from outside may be read after a call that it was passed to:
    // weave_trusts_references() of the module.
    bool trusts_references;
    // enum type_ref_kind by row (metadata_type_ref_kinds()). NULL: unknown; `newobj` of a type of another module then has
    // no event.
    const uint8_t *type_refs;
    // Of the body of an async method: where it awaits, and where it completes its task. VALUES: its result is the value that it
    // hands over there. NULL: the method is none.
    const struct weave_runs *runs;
    bool orders;   // events behind a call get the time of now where it has moved on by a tick
    bool suspends; // the runtime suspends methods of runtime async, which leave their thread without an exit
};

#endif
