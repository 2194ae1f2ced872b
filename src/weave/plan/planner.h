// State and functions that the files of planning share. Planning goes through the original instructions in order, once
// for each set of instruments that is tried:
//
//     plan_body.c          the loop, and statements
//     planner_moves.c      instructions that define or use a value
//     planner_calls.c      addresses that calls get
//     planner_items.c      items that calls set in collections
//     planner_results.c    objects that are created, values that are returned
//     planner_places.c     the storage location that an address leads to
//     planner_aliases.c    local references that are other names of a variable
//     planner_requests.c   from the request of any of these to a site and an insertion
//     planner_values.c       how a value is recorded, and its locals
//     planner_tuples.c       what the source calls it
//     planner_paths.c        and the part of it that is assigned
//     planner_redaction.c    whether a name withholds it
//     planner_copies.c       places without a name that hold copies of what a name withholds
//     planner_holds.c      objects on the stack that probes must not keep alive
//     lower.c              from insertions to micro-operations (lowering.h)
//
// Memory comes from the arena of the body. Without memory `failed` is set, and planner_decide() and planner_lower()
// return NO_MEMORY at the end.
#ifndef CLEW_WEAVE_PLANNER_H
#define CLEW_WEAVE_PLANNER_H

#include "il/stack.h"
#include "weave/plan/insertion.h"
#include "weave/plan/method.h"

enum { WEAVE_NONE = UINT32_MAX };

struct planner_local;

// Numbers among the appended locals of those that a method needs at most once; WEAVE_NONE where it does not.
struct fixed {
    uint32_t activation;
    uint32_t mark;    // of an await: null if the method was suspended in it
    uint32_t context; // of the thread's stream
    uint32_t current; // the activation that runs on the thread
    uint32_t cells;   // the address of the first cell of a group of inline events
    uint32_t lines, lines_state, lines_outer, lines_now;
    uint32_t lines_current; // the line that ran until now
    uint32_t lines_paused;  // by bytes in the method's counters, the line that ran until an await
    uint32_t lines_waits;   // whether the method is in an await, where handlers have to know
};

enum planner_await {
    AWAIT_SEALED = 1, // nothing may go in front of the instruction: the JIT looks for the call that is awaited there
    AWAIT_BEGINS = 2, // in front of the instruction
    AWAIT_ENDS = 4,   // behind it
};

struct planner_copy { // a place without a name
    enum site_place place;
    uint32_t index;
};

struct planner {
    struct il_body *body;
    const struct weave_method *method;
    uint32_t instruments;  // still wanted
    struct il_scope scope; // its result is that of the source's method
    struct il_stacks stacks;
    // By position: enum planner_await, or-ed. NULL: the method awaits nothing, or is not of runtime async.
    const uint8_t *awaits;
    const bool *addressed; // by variable, arguments first: an instruction takes its address
    bool this_changes;     // by `starg 0`, or through its address
    bool this_is_value;    // the argument `this` is recorded as the struct that it is the address of
    bool failed;           // no memory
    // Growing, in the body's arena.
    struct site *sites;
    struct insertion *insertions;
    struct planner_local *locals;
    struct typed *typed;
    uint32_t site_count, site_room, insertion_count, insertion_room, local_count, local_room, typed_count, typed_room;
    struct fixed fixed;
    // By position. saves: how many calls need a copy of the address that this instruction pushes, 2 for more than one.
    // used: which part of the variable whose address it pushes a call uses (planner_handed_use()).
    uint8_t *saves;
    uint32_t *used;
    bool *indexed;                  // by position: makes the address of an item, of which a store needs the index
    const struct il_slot **aliases; // planner_alias(), by local; NULL: there are none
    struct planner_copy *copies;    // planner_is_copy()
    uint32_t copy_count, copy_room;
    uint32_t statements;             // so far
    uint32_t statement;              // the current one: 1 + position in the plan, 0: none
    const struct weave_point *point; // the next one
    uint32_t run_point;              // the next one of method->runs
    struct il_instruction *at;       // the current instruction; NULL at entry
};

// -- plan_body.c

// What does not depend on the instruments. Errors as of weave_plan().
enum clew_error planner_open(struct il_body *body, const struct weave_method *method, struct planner *out);
// The sites and insertions for these instruments, from an opened planner.
enum clew_error planner_decide(const struct planner *opened, uint32_t instruments, struct planner *out);

// -- planner.c

// The array `items`, or a larger copy of it, with room for one more; NULL without memory.
void *planner_grow(struct planner *planner, void *items, uint32_t count, uint32_t *room, size_t size);

// As weave_may_insert_before() and weave_may_insert_behind(), and not between a call and its await.
bool planner_may_insert_before(const struct planner *planner, const struct il_instruction *at);
bool planner_may_insert_behind(const struct planner *planner, const struct il_instruction *at);

// Whether the instruction loads a variable whose address no instruction takes. The JIT duplicates such a load, and lets it
// wait on the stack while probes run, without a further stack slot.
bool planner_is_mere_variable(const struct planner *planner, const struct il_instruction *producer);
// Whether the instruction is a `newobj` whose object the JIT keeps in a variable of its own anyway.
bool planner_is_kept_new(const struct planner *planner, const struct il_instruction *at);

// -- planner_values.c: values and the locals that they pass through

// A value, as far as it is known where it is recorded.
struct value {
    enum site_encoding encoding;
    enum site_reason reason;
    uint32_t type, size;
    bool has_references, by_number, wide;
    struct bytes signature; // of a local that takes it; empty: no local can
    enum il_kind kind;      // that this local holds
    uint32_t token;         // of its type: STRUCT, TYPED
};

struct value planner_value(struct planner *planner, struct il_type type);
// For an instruction whose opcode says what it moves (stind.i1, ldelem.u2, stelem.ref ...). `place` is the type of the
// storage location, as far as it is known.
struct value planner_value_as(struct planner *planner, enum il_opcode opcode, struct il_type place);
void planner_leave_out(struct value *value, enum site_reason reason);

enum planner_role { // locals of different roles are used at the same time
    ROLE_FIXED,
    ROLE_VALUE,
    ROLE_OWNER,
    ROLE_INDEX,
    ROLE_ITEM,                         // + which
    ROLE_SAVED = ROLE_ITEM + RANK_MAX, // + depth * 3
    ROLE_RESULT,                       // + depth * 3
    ROLE_HELD,                         // + depth * 3
    ROLE_SPAN_INDEX = 1 << 27,         // + depth
    ROLE_TYPED = 1 << 28,              // + the value local
};

// The number among the appended locals of one with this role and type, made where there is none yet.
uint32_t planner_local(struct planner *planner, uint32_t role, struct bytes signature);
uint32_t planner_local_of_kind(struct planner *planner, uint32_t role, enum il_kind kind);
// The signatures of all appended locals, one after the other.
enum clew_error planner_local_types(const struct planner *planner, struct bytes *out);

// -- planner_requests.c: from a request to a site and the insertion that makes its event

// The storage location, in the words of its site (trace/site.h).
struct location {
    enum site_place place;
    uint32_t index;
    enum site_owner owner;
    uint32_t owner_index;
};

// Where the source's name of a value is found.
struct name_source {
    enum site_place place; // the variable or field whose name it has; NONE: none
    uint32_t index;
    uint32_t alias; // 1 + the local reference that the code goes through; 0: none
    // What the field, item or address belongs to. Names of tuple items may come from there, and of the locations that
    // it is within.
    const struct il_slot *holder;
};

struct operands {    // in front of the instruction
    uint32_t spills; // enum spill, or-ed
    uint32_t rank;   // indices, or the key, under the value; 0: as `spills` says
    enum il_kind owner, index, value;
    enum item_index index_from;
    struct bytes key;   // signature of a local for the key, if it is no index
    uint32_t key_token; // of its type, if the local may hold references: a struct or type parameter
    uint32_t count_at;  // INDEX_NEWEST
    uint32_t saved;     // INDEX_SAVED: the local
};

// The owner is an address that an instruction further up has copied to a local, for a call that gets it.
struct saved_address {
    uint32_t local; // 1 + its number; 0: none
    bool guarded;   // it may be null
    bool shared;    // another event reads it too
};

// A site, and how its event gets the value. Fields that are not set are zero: none.
struct request {
    enum site_kind kind;
    enum weave_moment moment;
    struct location location;
    struct name_source name;
    struct value value;
    struct source source;
    struct operands operands;
    bool takes_result; // the value is the instruction's result
    bool passed;       // the address of the location went to a call
    bool checked;      // the probe asks whether the struct at the address can be read
    struct saved_address address;
    // DEFINITION: the address that the instruction stores through, or to whose field `field`, or that a call gets. NULL: no part of
    // a value is assigned.
    const struct il_slot *through;
    uint32_t through_field; // 0: none
};

// Adds the site and its insertion. Uses the request up.
void planner_request(struct planner *planner, struct request *request);
void planner_add_insertion(struct planner *planner, const struct insertion *insertion);
void planner_insert(struct planner *planner, uint32_t at, enum weave_moment moment, struct weave_op op);

// -- planner_redaction.c: values that are left out by a name

struct planner_names;

// Whether a name withholds the value: of its location, of the variable, fields or array that this is within, or of an item
// of a tuple in it.
bool planner_is_redacted(const struct planner *planner, const struct request *request,
                         const struct planner_names *names, struct text owner_name);
// Whether the value of a variable or field is withheld by its name, or because it is a copy without a name.
bool planner_is_redacted_place(const struct planner *planner, enum site_place place, uint32_t index);
// The same for a name that is not in the method, of something of this type.
bool planner_is_redacted_name(const struct planner *planner, struct text name, struct bytes signature);
// Whether the variable or field, where it has no name, holds a copy of a redacted value somewhere in the method.
bool planner_is_copy(const struct planner *planner, enum site_place place, uint32_t index);

// -- planner_copies.c: places without a name that hold copies

// Runs once, before any request.
void planner_find_copies(struct planner *planner);
// Whether the request is for a copy that no variable or field gives a name to: in an item of a new array, or at an address.
bool planner_stores_copy(const struct planner *planner, const struct request *request);
// Whether the slot, on the stack in front of `at`, holds the value of a redacted place, or its address. False for what is
// computed from such a value.
bool planner_is_secret(const struct planner *planner, const struct il_instruction *at, const struct il_slot *slot);

// -- planner_places.c: the storage location that an address leads to

enum { CHAIN_MAX = 16 }; // fields within fields: further ones are not followed

enum root { ROOT_ELSEWHERE, ROOT_LOCAL, ROOT_PARAMETER, ROOT_THIS, ROOT_STATIC_FIELD };

// The storage location that an address leads to.
struct target {
    enum root root;
    uint32_t number; // of the variable; the static field's token
    uint32_t field;  // the field of the variable or of `this` that the address is of, or within
    uint32_t levels; // of fields within fields; 0: the variable itself
    // The innermost field, with its owner as the holder; or the variable that holds the address, which is the holder.
    struct name_source name;
};

// The variable or field that an instruction loads, stores or takes the address of, with its number or token; NONE: it
// does something else.
enum site_place planner_place_of(const struct il_instruction *at, uint32_t *index);
// Whether an instruction stores in a variable or field.
bool planner_is_store(const struct il_instruction *at);
// LOCAL or PARAMETER for an owner that is a variable, NONE for any other.
enum site_place planner_owner_place(enum site_owner owner);
bool planner_is_this(const struct planner *planner, const struct il_slot *slot);
struct target planner_target(const struct planner *planner, const struct il_slot *address);
// Whether an address that leads elsewhere is certainly valid: of an item of an array, a field of an object, a boxed
// value.
bool planner_is_sound(const struct planner *planner, const struct il_slot *address);
// Whether the JIT may have the address as a native int, which it does with the address of a variable or static field as
// soon as something is made of it (impBashVarAddrsToI). It passes a native int for parameters for which it refuses a
// reference, so such an address must not go through a local. It keeps no object alive either: what it was made of is
// in a variable.
bool planner_may_be_number(const struct planner *planner, const struct il_slot *address);
bool planner_is_variable(const struct target *target);

// Requests for the value of a variable of the method; of a field, whose owner and source the caller adds; and of a
// field of the struct in a variable, from its target.
struct request planner_variable_request(struct planner *planner, enum site_kind kind, enum site_place place,
                                        uint32_t number);
struct request planner_field_request(struct planner *planner, enum site_kind kind, enum site_place place,
                                     uint32_t token);
struct request planner_variable_field_request(struct planner *planner, enum site_kind kind,
                                              const struct target *target);
// A request for the value behind an address. If that is a variable, a field of `this` or a static field, the value has
// the type declared there; otherwise it is `value`. *elsewhere: true if none of these locations is known, or if its
// declared type is not the type of the access.
struct request planner_target_request(struct planner *planner, enum site_kind kind, const struct target *target,
                                      const struct value *value, bool *elsewhere);

// -- planner_aliases.c: local references that are other names of variables

void planner_find_aliases(struct planner *planner);
// The one address that a local reference ever holds: of a variable that may hold objects, or of a field of one. NULL:
// it holds several, or another one, or is used for more than loads and stores.
const struct il_slot *planner_alias(const struct planner *planner, uint32_t local);

// -- planner_tuples.c: names

struct planner_names {
    struct weave_name name;
    struct text tuple_names; // of the items in the declared type (trace/tuple_names.h)
};

// The declared type of a variable, a field or the result; empty: unknown.
struct bytes planner_type_of(const struct planner *planner, enum site_place place, uint32_t index);
// The source's name of a variable or field at the current instruction.
struct weave_name planner_name(const struct planner *planner, enum site_place place, uint32_t index);
struct planner_names planner_names(const struct planner *planner, const struct request *request);
// The name of a field of what is in the slot, or behind the address in it.
struct text planner_field_name(const struct planner *planner, uint32_t token, const struct il_slot *holder);

// -- planner_paths.c

// Names the part of a value that a request assigns, as of struct site. Without memory the planner fails.
void planner_path(struct planner *planner, const struct request *request, struct site *site);

// -- planner_holds.c: objects that wait on the stack while probes run

// Runs once, when all other insertions are there.
void planner_hold(struct planner *planner);

// -- lower.c

// Makes the plan of what has been decided.
enum clew_error planner_lower(struct planner *planner, struct weave_plan *out);

// -- planner_moves.c: the current instruction as a definition or a use

void planner_define(struct planner *planner, const struct il_instruction *at);
void planner_use(struct planner *planner, const struct il_instruction *at);
// The use of the variable that an instruction loads. The event goes in front of the load where possible: behind it the
// JIT would copy the variable if its address is taken anywhere.
void planner_use_variable(struct planner *planner, const struct il_instruction *at, enum weave_moment moment);

// -- planner_calls.c

void planner_call(struct planner *planner, const struct il_instruction *at);
// Finds the addresses that calls get, before the loop. planner_save_address() then copies to a local the address that
// the current instruction has pushed.
void planner_find_saved(struct planner *planner);
void planner_save_address(struct planner *planner);
// The use, by a call, of the variable or field whose address an instruction pushes.
void planner_handed_use(struct planner *planner, const struct il_instruction *at);

// -- planner_items.c

// The item that a call sets in a collection of the core library, if it does.
void planner_collection(struct planner *planner, const struct il_method *method);

// The index of the item of a span or array that the place at an address is, or is in. Notes that an event will need it: of one
// address, of all that the method stores through.
void planner_mark_indexed(struct planner *planner, const struct il_slot *address);
void planner_find_indexed(struct planner *planner);
// Saves the index before the current instruction makes the address of the item.
void planner_save_index(struct planner *planner);
// Adds the saved index to a request for a place at the address, or for a field of what is there, if there is one.
void planner_use_index(struct planner *planner, const struct il_slot *address, struct request *request);

// -- planner_results.c

// The current instruction pushes a new object of this type.
void planner_allocation(struct planner *planner, struct il_type type);
void planner_create(struct planner *planner, const struct il_instruction *at); // newarr, box
void planner_return(struct planner *planner, const struct il_instruction *at);
// The current instruction is the call by which the body of an async method completes its task. No result is recorded if it
// hands none over.
void planner_complete(struct planner *planner, const struct il_instruction *at);

#endif
