// The probes of `statements`, `values` and `lines`: which sites a method has, and its body with them and the probes of
// calls woven in. Two steps, since the sites get their numbers in between, and their definition must stand in the
// recording before the body is given to the runtime:
//
//     weave_plan()    the body is looked at: an array of sites in the order of their code, and the locals they need
//     weave_number()  with the number of the first one
//     weave_sites()   the body is changed, in one go with what weave_calls() does
//
// An event whose value lies in cells that IL can store (integers, floats, addresses, structs without references, in
// variables, fields of `this`, static fields, or through an address) is written inline:
//
//     place = context->at;  store cells;  context->at = place + their bytes
//
// Events that stand together reserve once. Everything else is a call of a native site function. Inline events find their
// room by checks (`context->at >= context->limit`) at loop heads, at the start of filters, behind a leave that runs a
// finally, and where more than `room` bytes could come together since the last; entry, handlers and exits check
// natively.
#ifndef CLEW_WEAVE_WEAVE_SITES_H
#define CLEW_WEAVE_WEAVE_SITES_H

#include "metadata/tables/metadata.h"
#include "trace/instrument.h"
#include "trace/site.h"
#include "weave/calls.h"

// A sequence point of the method, by rising il_offset.
struct weave_point {
    uint32_t il_offset;
    uint32_t document; // clew's number
    bool hidden;       // no statement; it ends the one before
    uint32_t start_line, start_column, end_line, end_column;
};

// What is known of a type where the method is woven.
struct weave_type {
    uint32_t number; // clew's; 0 unknown
    // Comes filled in by the signature: a primitive, POINTER, OBJECT, or TYPED for value types and type parameters. The
    // answer may turn TYPED into an enum's integer, into STRUCT with `size` where the layout is the same for every
    // instantiation that runs this body, or into NONE with a reason.
    enum site_encoding encoding;
    enum site_reason reason;
    uint32_t size;       // STRUCT: bytes
    bool has_references; // STRUCT: to objects, so that it goes through site_at
    // TYPED: the agent finds the class by the type's number, so that no TypedReference is needed. Of a ref struct none
    // may be made.
    bool by_number;
    bool wide; // STRUCT, TYPED: the JIT keeps a variable of it in memory, whatever is done with it
};

// What the plan asks. Signatures are one type (ECMA-335 II.23.2.12) in the module's scope, without modifiers and
// `pinned`; VAR and MVAR are the method's own. Texts must live as long as the plan. Any but type_token may be NULL.
struct weave_questions {
    void *context;
    // The source's name of a LOCAL, PARAMETER, FIELD or STATIC_FIELD, by number or token, at an instruction; next_offset
    // is where the one after it starts, for scopes that open behind the first store. Empty: none known.
    struct text (*name)(void *context, enum site_place place, uint32_t index, uint32_t il_offset, uint32_t next_offset);
    // What it calls the items of tuples (trace/tuple_names.h) in the type of such a place, which is `signature`, empty for
    // fields, or in that of the method's RESULT. Empty: nothing.
    struct text (*tuple_names)(void *context, enum site_place place, uint32_t index, uint32_t il_offset,
                               uint32_t next_offset, struct bytes signature);
    // Whether the value of a place is left out by its name: the place's own, empty where none is known, or one that it has
    // from its method.
    bool (*redacted)(void *context, enum site_place place, uint32_t index, struct text name);
    void (*type)(void *context, struct bytes signature, struct weave_type *type);
    // A token that stands for a type which has none of its own: an instantiation, a type parameter. False: none to be had.
    bool (*type_token)(void *context, struct bytes signature, uint32_t *token);
};

struct weave_method {
    const struct metadata *metadata;
    uint32_t token; // MethodDef
    // enum instrument, or-ed: those of INSTRUMENT_AT_SITES, and USES with VALUES. 0: the plan only spills results while
    // exits are recorded.
    uint32_t instruments;
    bool line_times; // LINES: own time too
    // NULL: no symbols; statements are then where the evaluation stack is empty, without document and lines.
    const struct weave_point *points;
    uint32_t point_count;
    const struct weave_questions *questions;
    uint32_t struct_limit; // bytes; larger structs are REASON_TOO_LARGE
    uint32_t room;         // bytes of inline events that any check leaves free, at least 256
    // Whether references that the method has got from elsewhere may be read after a call that they were handed to:
    // weave_trusts_references() of the module.
    bool trusts_references;
    // enum type_ref_kind by row (metadata_type_ref_kinds()). NULL: not known; what `newobj` makes of other modules' types
    // is then not told.
    const uint8_t *type_refs;
};

struct weave_details; // how each site's event is made

struct weave_plan {
    struct site *sites; // in the body's arena
    uint32_t count;
    uint32_t statements;  // STATEMENT sites; the counters of `lines` count them from 0 in their order
    uint32_t instruments; // what is left of those asked for
    uint32_t dropped;     // what had to go: so that the JIT still optimises the woven body, or since there is too much
    struct bytes locals;  // signatures of the locals to append, one after the other
    uint32_t local_count;
    const struct weave_details *details;
};

// Looks at a decoded body that nothing was inserted into, and changes nothing. A method may have no sites; weave_calls()
// does for it. UNSUPPORTED when its evaluation stack cannot be understood, or NO_MEMORY: leave the sites out.
enum clew_error weave_plan(struct il_body *body, const struct weave_method *method, struct weave_plan *out);

// False for a module that uses what makes references to nowhere: Unsafe, MemoryMarshal, CollectionsMarshal, or pointers.
bool weave_trusts_references(const struct metadata *metadata);

// Turns site.statement from a position in the plan (1 + index) into a number. `first` is the number of the first site.
void weave_number(struct weave_plan *plan, uint32_t first);

// A thread's part of `lines`, in memory that the agent chooses. Times are in the unit of the tick word.
struct weave_line {
    uint64_t count; // statements run
    uint64_t own;   // time from there to the thread's next statement, or the end of its activation
};
struct weave_lines {
    struct weave_line *current; // what runs now; never NULL: outside of all methods some line that nobody reads
    uint64_t last;              // when time was last taken
};

struct weave_sites {
    struct weave_calls calls; // .local: the first of the appended locals
    uint32_t first_site;      // number
};

// Adds the probes of calls and sites. On an error the body is no longer usable.
enum clew_error weave_sites(struct il_body *body, const struct weave_plan *plan, const struct weave_sites *what);

#endif
