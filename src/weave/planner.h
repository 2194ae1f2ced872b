// What the parts of planning share.
#ifndef CLEW_WEAVE_PLANNER_H
#define CLEW_WEAVE_PLANNER_H

#include "weave/plan.h"

struct planner_local;

struct planner {
    struct il_body *body;
    const struct weave_method *method;
    uint32_t instruments; // still wanted
    struct il_scope scope;
    struct il_stacks stacks;
    bool this_changes; // by `starg 0`, or through its address
    bool failed;       // no memory
    // Growing, in the body's arena.
    struct site *sites;
    struct weave_tap *taps;
    struct planner_local *locals;
    struct weave_typed *typed;
    uint32_t site_count, site_room, tap_count, tap_room, local_count, local_room, typed_count, typed_room;
    struct weave_fixed fixed;
    // By position: how often what this instruction pushes is needed as an address put aside, 2 for more than once; and
    // what of the address that it takes is used by a call.
    uint8_t *kept;
    uint32_t *used;
    const struct il_slot **aliases;  // planner_alias(); NULL: none
    uint32_t statements;             // so far
    uint32_t statement;              // the one that holds now: 1 + position in the plan, 0 none
    const struct weave_point *point; // the next one
    struct il_instruction *at;       // the instruction that is looked at
};

// A growing array with room for one item more; NULL without memory.
void *planner_grow(struct planner *planner, void *items, uint32_t count, uint32_t *room, size_t size);

// -- planner_values.c: values and the locals that they pass through

// What is known of a value where it is recorded.
struct value {
    enum site_encoding encoding;
    enum site_reason reason;
    uint32_t type, size;
    bool has_references, by_number, wide;
    struct bytes signature; // of a local that takes it; empty: none can be told
    enum il_kind kind;      // of what that local holds
    uint32_t token;         // stands for its type: STRUCT, TYPED
};

struct value planner_value(struct planner *planner, struct il_type type);
// Of what an instruction moves that says itself how wide it is (stind.i1, ldelem.u2, stelem.ref ...), where `place` is the
// type of the place as far as known.
struct value planner_value_as(struct planner *planner, enum il_opcode opcode, struct il_type place);
void planner_leave_out(struct value *value, enum site_reason reason);

enum planner_role { // locals of different roles are used at the same time
    ROLE_FIXED,
    ROLE_VALUE,
    ROLE_OWNER,
    ROLE_INDEX,
    ROLE_ITEM,                              // + which
    ROLE_KEPT = ROLE_ITEM + WEAVE_RANK_MAX, // + depth * 3
    ROLE_RESULT,                            // + depth * 3
    ROLE_HELD,                              // + depth * 3
    ROLE_TYPED = 1 << 28,                   // + the value local
};

// The number among the appended locals of one with this role and type, made where there is none yet.
uint32_t planner_local(struct planner *planner, uint32_t role, struct bytes signature);
uint32_t planner_local_of_kind(struct planner *planner, uint32_t role, enum il_kind kind);
// All of them, one after the other.
enum clew_error planner_local_types(const struct planner *planner, struct bytes *out);

// -- planner_wishes.c: sites and taps

// A site and how it is made, as one would say it. What is not said is zero.
struct wish {
    enum site_kind kind;
    enum weave_moment moment;
    enum site_place place;
    enum site_owner owner;
    uint32_t index, owner_index;
    enum site_place called; // a place that gives the name; NONE: none
    uint32_t called_index;
    uint32_t alias; // 1 + the local reference that the code goes through; 0: none
    // What a field is of, an array, an address: names of tuple items may come from there, and of places that it is within.
    const struct il_slot *holder;
    struct value value;
    enum weave_source source;
    uint32_t number, field;
    enum weave_keep keep;
    enum il_kind owner_kind, index_kind; // of what is kept
    enum il_kind kept_kind;              // the value's on the stack, where it is kept
    uint32_t rank;
    uint32_t kept_local; // 1 + the local that the owner is in already
    bool takes_result, guarded, owner_stays;
    bool handed; // the address of the place went to a call
};

void planner_grant(struct planner *planner, struct wish *wish);
// Leaves the value out where a place that it is in, too, is to be.
void planner_hide(const struct planner *planner, struct wish *wish, enum site_place place, uint32_t index);
void planner_add_tap(struct planner *planner, const struct weave_tap *tap);

// -- planner_places.c: what an address is the address of

enum { CHAIN_MAX = 16 }; // fields within fields: further ones are not followed

enum root { ROOT_ELSEWHERE, ROOT_LOCAL, ROOT_PARAMETER, ROOT_THIS, ROOT_STATIC_FIELD };

struct target {
    enum root root;
    uint32_t number; // of the variable; the static field's token
    uint32_t field;  // of the variable or `this`, that the address is of or within
    uint32_t alias;  // 1 + the local reference that stands for the variable; 0: none
    uint32_t levels; // of fields: 0 the variable itself
    // What it is called by: the innermost field, or a variable that holds the address.
    enum site_place called;
    uint32_t called_index;
    const struct il_slot *holder; // of that field, or the address
};

// The place that an instruction loads from, stores into or takes the address of, and the variable's number or the field's
// token; NONE: it does something else.
enum site_place planner_place_of(const struct il_instruction *at, uint32_t *index);
// The variable that an owner is; NONE: it is none.
enum site_place planner_owner_place(enum site_owner owner);
bool planner_is_this(const struct planner *planner, const struct il_slot *slot);
struct target planner_target(const struct planner *planner, const struct il_slot *address);
// Whether an address from elsewhere is certainly one of a place: of an array's item, an object's field, a boxed value.
bool planner_is_sound(const struct planner *planner, const struct il_slot *address);
bool planner_is_variable(const struct target *target);

// A wish for the value that a variable of the method has, by its number; for a field's, without saying whose and where
// its value is; for that of a field of the struct in a variable, as the target says.
struct wish planner_variable_wish(struct planner *planner, enum site_kind kind, enum site_place place, uint32_t number);
struct wish planner_field_wish(struct planner *planner, enum site_kind kind, enum site_place place, uint32_t token);
struct wish planner_variable_field_wish(struct planner *planner, enum site_kind kind, const struct target *target);
// A wish for what is at an address: in a variable, a field of `this`, a static field, or elsewhere; in all but the last
// case with the value as it is there. *elsewhere tells that it is the last, or that the place is of another type.
struct wish planner_target_wish(struct planner *planner, enum site_kind kind, const struct target *target,
                                const struct value *value, bool *elsewhere);

// -- planner_aliases.c: local references that stand for variables

void planner_find_aliases(struct planner *planner);
// The address that such a local reference holds: of a variable that may hold objects, or a field of one. NULL: it does not
// always hold the same, or goes elsewhere.
const struct il_slot *planner_alias(const struct planner *planner, uint32_t local);

// -- planner_tuples.c: names

struct planner_called {
    struct text name;
    struct text tuple_names; // of its declared type (trace/tuple_names.h)
};

// The source's name of a place, at the instruction that is looked at; empty: none known.
struct text planner_name(const struct planner *planner, enum site_place place, uint32_t index);
struct planner_called planner_called(const struct planner *planner, const struct wish *wish);

// -- planner_holds.c: objects that wait on the stack while probes run

// Once all other taps are there.
void planner_hold(struct planner *planner);

// -- planner_moves.c

void planner_define(struct planner *planner, const struct il_instruction *at);
void planner_use(struct planner *planner, const struct il_instruction *at);
// Of the variable that an instruction loads. In front of it where that may be: behind it the JIT would copy a variable on
// the stack whose address is taken elsewhere.
void planner_use_variable(struct planner *planner, const struct il_instruction *at, enum weave_moment moment);

// -- planner_calls.c

void planner_call(struct planner *planner, const struct il_instruction *at);
void planner_create(struct planner *planner, const struct il_instruction *at); // newarr, box
void planner_return(struct planner *planner, const struct il_instruction *at);
// Finds the addresses that calls get; planner_keep() puts what an instruction has pushed aside for them.
void planner_find_kept(struct planner *planner);
void planner_keep(struct planner *planner);
// The use of what an instruction takes the address of, for a call.
void planner_handed_use(struct planner *planner, const struct il_instruction *at);

#endif
