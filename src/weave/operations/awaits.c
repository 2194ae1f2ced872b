// The awaits of a method of runtime async. The JIT calls what is awaited directly if nothing stands between that call and
// Await (dotnet/runtime, jit/importercalls.cpp): the probe in front of an await goes in front of the call, whose arguments are
// on the stack.
#include "base/assert.h"
#include "il/stack.h"
#include "trace/await.h"
#include "weave/operations/awaited.h"
#include "weave/operations/original.h"
#include "weave/operations/runs.h"

// What an instruction does with AsyncHelpers, whose methods are the only ones that suspend their caller.
enum helper {
    HELPER_NONE,
    HELPER_AWAIT,   // of a task
    HELPER_AWAITER, // the same of an awaiter, if that has to wait
    HELPER_STRANGE, // it may suspend the method, but not as compilers do it
};

struct search {
    struct il_body *body;
    const struct metadata *metadata;
};

static bool is_of_helpers(const struct metadata *metadata, uint32_t type)
{
    enum metadata_table table = (enum metadata_table)TOKEN_TABLE(type);
    uint32_t row = TOKEN_ROW(type);
    if (table != TABLE_TYPE_REF && table != TABLE_TYPE_DEF) {
        return false;
    }
    struct text name = metadata_string(metadata, metadata_column(metadata, table, row, TYPE_NAME));
    struct text space = metadata_string(metadata, metadata_column(metadata, table, row, TYPE_NAMESPACE));
    return text_equal(name, text_of("AsyncHelpers")) && text_equal(space, text_of("System.Runtime.CompilerServices"));
}

static bool may_call(const struct il_instruction *at)
{
    return il_opcodes[at->opcode].flow == IL_FLOW_CALL ? at->opcode != IL_CALLI
                                                       : at->opcode == IL_LDFTN || at->opcode == IL_LDVIRTFTN ||
                                                             at->opcode == IL_JMP || at->opcode == IL_LDTOKEN;
}

// HandleAsyncEntryPoint blocks its thread.
static enum helper helper_of(const struct metadata *metadata, const struct il_instruction *at)
{
    struct method_reference method;
    if (!may_call(at) || !names_method_reference(metadata, (uint32_t)at->operand.integer, &method) ||
        !is_of_helpers(metadata, method.type) || text_equal(method.name, text_of("HandleAsyncEntryPoint"))) {
        return HELPER_NONE;
    }
    if (at->opcode != IL_CALL) {
        return HELPER_STRANGE;
    }
    bool awaiter =
        text_equal(method.name, text_of("AwaitAwaiter")) || text_equal(method.name, text_of("UnsafeAwaitAwaiter"));
    return awaiter ? HELPER_AWAITER : text_equal(method.name, text_of("Await")) ? HELPER_AWAIT : HELPER_STRANGE;
}

static bool is_call(const struct il_instruction *at)
{
    return at && (at->opcode == IL_CALL || at->opcode == IL_CALLVIRT);
}

// The instruction in front of the call of ConfigureAwait that pushes its task or the address of the local which has it.
static const struct il_instruction *configured(const struct il_body *body, const struct il_instruction *call)
{
    uint32_t loaded, kept;
    const struct il_instruction *option = awaited_previous(body, call);
    const struct il_instruction *task = option ? awaited_previous(body, option) : NULL;
    if (task && il_family(task, &loaded) == IL_LDLOCA) {
        const struct il_instruction *store = awaited_previous(body, task);
        bool stores = store && il_family(store, &kept) == IL_STLOC && kept == loaded;
        task = stores ? awaited_previous(body, store) : NULL;
    }
    return task;
}

// The call whose task the Await takes, with or without ConfigureAwait in between. NULL: it takes something else.
static struct il_instruction *call_in_front(const struct search *search, const struct il_instruction *await)
{
    const struct il_body *body = search->body;
    const struct il_instruction *at = awaited_previous(body, await);
    if (is_call(at) && text_equal(awaited_called_by(search->metadata, at).name, text_of("ConfigureAwait"))) {
        at = configured(body, at);
    }
    bool calls = is_call(at) && helper_of(search->metadata, at) == HELPER_NONE;
    return calls ? &body->originals[il_index(body, at)] : NULL;
}

// The GetAwaiter whose result AwaitAwaiter takes; NULL: none is known.
static const struct il_instruction *awaiter_of(const struct search *search, const struct il_instruction *await)
{
    for (const struct il_instruction *at = await; at > search->body->originals;) {
        at--;
        if (helper_of(search->metadata, at) != HELPER_NONE) {
            return NULL;
        }
        if (text_equal(awaited_called_by(search->metadata, at).name, text_of("GetAwaiter"))) {
            return at;
        }
    }
    return NULL;
}

// Where the probe in front of an await goes. Nothing may go between the addresses of variables and the call that gets them: it
// goes in front of them all. NULL: nowhere.
static const struct il_instruction *front_of(const struct search *search, struct il_instruction *await,
                                             enum helper helper)
{
    const struct il_body *body = search->body;
    struct il_instruction *call = helper == HELPER_AWAIT ? call_in_front(search, await) : NULL;
    struct il_instruction *front = call ? call : await, *unit = il_unit_start(front);
    while (!weave_may_insert_before(body, unit)) {
        bool alone = unit > body->originals && !unit->target && il_opcodes[unit[-1].opcode].pops == 0 &&
                     il_opcodes[unit[-1].opcode].flow == IL_FLOW_NEXT;
        if (!alone) {
            return NULL;
        }
        unit = il_unit_start(unit - 1);
        front = unit;
    }
    return front;
}

static bool has_effect(const struct il_instruction *at)
{
    uint32_t local;
    switch (at->opcode) {
    case IL_CALL:
        return at[1].opcode != IL_POP; // of a pure function that is inlined nothing stays
    case IL_NOP:
    case IL_POP:
    case IL_ENDFINALLY:
        return false;
    default:
        return il_opcodes[at->opcode].flow != IL_FLOW_NEXT ||
               (il_opcodes[at->opcode].pushes == 0 && il_family(at, &local) != IL_STLOC);
    }
}

// A branch by a static field, which the JIT takes for a constant if it is read-only, may leave out all that is behind it.
bool weave_may_vanish(const struct il_region *region)
{
    const struct il_instruction *at = region->kind == IL_FINALLY ? region->handler_start : NULL;
    for (; at && at != region->handler_end; at++) {
        bool branches = il_opcodes[at->opcode].flow == IL_FLOW_CONDITION;
        if (branches && at > region->handler_start && at[-1].opcode == IL_LDSFLD) {
            return true;
        }
        if (has_effect(at)) {
            return false;
        }
    }
    return at != NULL;
}

static bool is_tried(const struct il_body *body, const struct il_instruction *at, bool surely)
{
    for (uint32_t i = 0; i < body->region_count; i++) {
        const struct il_region *region = &body->regions[i];
        bool within = at->offset >= region->try_start->offset && at->offset < region->try_end->offset;
        if (within && !(surely && weave_may_vanish(region))) {
            return true;
        }
    }
    return false;
}

// Whether the source awaits a variable: what a call has returned is awaited without one, but for a struct whose method is called.
static bool takes_variable(const struct search *search, const struct il_instruction *await)
{
    uint32_t number;
    const struct il_instruction *at = awaited_previous(search->body, await);
    if (is_call(at) && text_equal(awaited_called_by(search->metadata, at).name, text_of("ConfigureAwait"))) {
        const struct il_instruction *option = awaited_previous(search->body, at);
        at = option ? awaited_previous(search->body, option) : NULL;
    }
    return at && il_family(at, &number) == IL_LDLOC;
}

static bool add_await(const struct search *search, struct il_instruction *await, uint32_t number,
                      struct weave_run_point points[2])
{
    enum helper helper = helper_of(search->metadata, await);
    const struct il_instruction *front = front_of(search, await, helper);
    const struct il_instruction *taken = helper == HELPER_AWAITER ? awaiter_of(search, await) : await;
    if (helper == HELPER_STRANGE || !front || !weave_may_insert_behind(search->body, await)) {
        return false;
    }
    points[0] =
        (struct weave_run_point){.at = il_index(search->body, front),
                                 .kind = RUN_POINT_AWAIT,
                                 .state = number,
                                 .tried = is_tried(search->body, await, false),
                                 .surely_tried = is_tried(search->body, await, true),
                                 .offset = await->offset,
                                 .awaited = taken && (helper == HELPER_AWAITER || !takes_variable(search, await))
                                                ? awaited_call(search->body, search->metadata, taken)
                                                : 0};
    points[1] =
        (struct weave_run_point){.at = il_index(search->body, await), .kind = RUN_POINT_AWAITED, .state = number};
    return true;
}

bool weave_find_awaits(struct il_body *body, const struct metadata *metadata, struct weave_runs *out)
{
    const struct search search = {body, metadata};
    uint32_t awaits = 0, found = 0;
    *out = (struct weave_runs){0};
    for (const struct il_instruction *at = body->originals; at != body->end; at++) {
        awaits += helper_of(metadata, at) != HELPER_NONE;
    }
    struct weave_run_point *points = arena_alloc(body->arena, ((size_t)awaits * 2 + 1) * sizeof *points);
    if (!points || awaits >= AWAIT_STATES_MAX) {
        return false;
    }
    for (struct il_instruction *at = body->originals; found < awaits; at++) {
        bool is_await = helper_of(metadata, at) != HELPER_NONE;
        if (is_await && !add_await(&search, at, found, &points[(size_t)found * 2])) {
            return false;
        }
        found += is_await;
    }
    *out = (struct weave_runs){.points = points, .count = awaits * 2, .shape = RUN_SHAPE_SUSPENDED};
    return true;
}
