// Objects that wait on the stack while probes run. Where a probe stores or calls something, the JIT first evaluates what
// waits on the stack, into temporaries. Those of unoptimised code live as long as the method, so that a probe would keep
// objects alive, and each takes a stack slot. Therefore such an object goes into a local right behind the instruction
// that makes it, and comes back from there: the JIT leaves a local on the stack alone. Behind the instruction that
// consumes the object the local is cleared.
#include "base/assert.h"
#include "weave/planner.h"

enum { NOBODY = UINT32_MAX };

struct holds {
    struct planner *planner;
    uint32_t count;    // original instructions
    uint32_t *before;  // taps in front of instructions up to and including this position, and...
    uint32_t *after;   // ...behind them, but for those that take what the instruction pushes
    uint32_t *local;   // by position: 1 + the local that what it pushes goes into; 0: it stays where it is
    uint8_t *kind;     // enum il_kind of that
    uint8_t *forced;   // what it pushes has to be evaluated before a local is cleared
    uint32_t *release; // by position of a consumer: the first of the producers whose locals are cleared behind it
    uint32_t *next;    // the next one of the same consumer
};

static bool set_up(struct holds *holds, struct planner *planner)
{
    struct arena *arena = planner->body->arena;
    uint32_t count = (uint32_t)(planner->body->end - planner->body->originals);
    size_t words = ((size_t)count + 1) * sizeof(uint32_t);
    *holds = (struct holds){.planner = planner, .count = count};
    holds->before = arena_alloc(arena, words);
    holds->after = arena_alloc(arena, words);
    holds->local = arena_alloc(arena, words);
    holds->release = arena_alloc(arena, words);
    holds->next = arena_alloc(arena, words);
    holds->kind = arena_alloc(arena, (size_t)count + 1);
    holds->forced = arena_alloc(arena, (size_t)count + 1);
    if (!holds->before || !holds->after || !holds->local || !holds->release || !holds->next || !holds->kind ||
        !holds->forced) {
        return false;
    }
    for (uint32_t i = 0; i <= count; i++) {
        holds->release[i] = NOBODY;
    }
    return true;
}

// -- Where probes run -------------------------------------------------------------------------------------------------

static void count_probes(struct holds *holds)
{
    const struct planner *planner = holds->planner;
    for (uint32_t i = 0; i < planner->insertion_count; i++) {
        const struct insertion *insertion = &planner->insertions[i];
        if (!insertion_is_event(insertion)) {
            continue;
        }
        const struct weave_event *event = &insertion->event;
        holds->before[insertion->at] += insertion->moment == MOMENT_BEFORE && !event->until_exit;
        holds->after[insertion->at] += insertion->moment == MOMENT_AFTER && event->result == RESULT_UNUSED;
    }
    for (uint32_t i = 1; i <= holds->count; i++) {
        holds->before[i] += holds->before[i - 1];
        holds->after[i] += holds->after[i - 1];
    }
}

// Whether probes run between two instructions, behind the first or in front of the second.
static bool run_between(const struct holds *holds, uint32_t producer, uint32_t consumer)
{
    CLEW_ASSERT(producer < consumer && consumer <= holds->count);
    uint32_t behind = holds->after[consumer - 1] - (producer ? holds->after[producer - 1] : 0);
    return behind > 0 || holds->before[consumer] > holds->before[producer];
}

static bool records_result(const struct insertion *insertion)
{
    return insertion_is_event(insertion) && insertion->event.result != RESULT_UNUSED;
}

// The event that records what the instruction pushes; NULL: none does.
static const struct weave_event *event_of_result(const struct holds *holds, uint32_t position)
{
    const struct planner *planner = holds->planner;
    uint32_t low = 0, high = planner->insertion_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        bool before = planner->insertions[middle].at < position;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    for (; low < planner->insertion_count && planner->insertions[low].at == position; low++) {
        if (records_result(&planner->insertions[low])) {
            return &planner->insertions[low].event;
        }
    }
    return NULL;
}

static bool spills(const struct insertion *insertion)
{
    return insertion_is_event(insertion) ? insertion->event.spills != SPILL_NOTHING : insertion->kind == INSERT_RESULT;
}

// Whether operands of the instruction are spilled in front of it.
static bool spills_operands(const struct holds *holds, uint32_t position, uint32_t *first)
{
    const struct planner *planner = holds->planner;
    while (*first < planner->insertion_count && planner->insertions[*first].at < position) {
        ++*first;
    }
    for (uint32_t i = *first; i < planner->insertion_count && planner->insertions[i].at == position; i++) {
        if (spills(&planner->insertions[i])) {
            return true;
        }
    }
    return false;
}

// -- From producer to consumer ----------------------------------------------------------------------------------------

static const struct il_instruction *at(const struct holds *holds, uint32_t position)
{
    CLEW_ASSERT(position <= holds->count);
    return holds->planner->body->originals + position;
}

// What the instruction itself pushes; NULL: nothing, or what it pushes lies there already.
static const struct il_slot *pushed_by(const struct holds *holds, uint32_t position)
{
    const struct planner *planner = holds->planner;
    const struct il_instruction *behind = at(holds, position) + 1;
    if (behind == planner->body->end || !il_reached(&planner->stacks, behind)) {
        return NULL;
    }
    const struct il_slot *top = il_stack_before(&planner->stacks, behind);
    return top && top->producer == at(holds, position) ? top : NULL;
}

static bool lies_before(const struct holds *holds, uint32_t position, const struct il_slot *wanted)
{
    const struct planner *planner = holds->planner;
    if (position >= holds->count || !il_reached(&planner->stacks, at(holds, position))) {
        return false;
    }
    const struct il_slot *top = il_stack_before(&planner->stacks, at(holds, position));
    if (!top || top->depth < wanted->depth) {
        return false;
    }
    return il_slot_at(top, top->depth - wanted->depth)->producer == wanted->producer;
}

// The last instruction in a row in front of which the slot lies.
static uint32_t consumer_of(const struct holds *holds, uint32_t producer, const struct il_slot *slot)
{
    uint32_t position = producer + 1;
    while (lies_before(holds, position + 1, slot)) {
        position++;
    }
    return position;
}

// -- What is held -----------------------------------------------------------------------------------------------------

// What the JIT has in a variable anyway, and constants.
static bool needs_no_local(const struct il_instruction *producer)
{
    uint32_t number;
    switch (il_family(producer, &number)) {
    case IL_LDLOC:
    case IL_LDARG:
    case IL_LDLOCA:
    case IL_LDARGA:
    case IL_LDSFLDA:
    case IL_LDNULL:
    case IL_LDSTR:
    case IL_NEWOBJ:
        return true;
    default:
        return false;
    }
}

static bool refers(enum il_kind kind)
{
    return kind == IL_OBJECT || kind == IL_REFERENCE;
}

// Whether a local can be cleared behind the instruction.
static bool may_release(const struct holds *holds, uint32_t consumer)
{
    const struct planner *planner = holds->planner;
    const struct il_instruction *instruction = at(holds, consumer), *behind = instruction + 1;
    enum il_flow flow = il_opcodes[instruction->opcode].flow;
    const struct il_slot *pushed = pushed_by(holds, consumer);
    bool passes = flow == IL_FLOW_NEXT || flow == IL_FLOW_CALL;
    return passes && behind != planner->body->end && il_reached(&planner->stacks, behind) &&
           !weave_ends_activation(instruction, planner->method->token) &&
           weave_may_insert_before(planner->body, behind) &&
           (!pushed ||
            (pushed->type.kind != IL_UNKNOWN && (pushed->type.kind != IL_VALUE || event_of_result(holds, consumer))));
}

static void hold(struct holds *holds, uint32_t producer, const struct il_slot *slot, uint32_t consumer)
{
    enum il_kind kind = slot->type.kind;
    if (kind == IL_VALUE || kind == IL_UNKNOWN) {
        return;
    }
    CLEW_ASSERT(holds->local[producer] == 0);
    holds->local[producer] = 1 + planner_local_of_kind(holds->planner, ROLE_HELD + 3 * slot->depth, kind);
    holds->kind[producer] = (uint8_t)kind;
    if (refers(kind) && may_release(holds, consumer)) {
        holds->next[producer] = holds->release[consumer];
        holds->release[consumer] = producer;
        holds->forced[consumer] = true;
    }
}

static void find_holds(struct holds *holds)
{
    struct planner *planner = holds->planner;
    uint32_t first = 0;
    for (uint32_t i = 0; i + 1 < holds->count; i++) {
        const struct il_slot *slot = pushed_by(holds, i);
        const struct weave_event *own = event_of_result(holds, i);
        bool forced = holds->forced[i] || (own && own->result == RESULT_HELD);
        if (!slot || (!forced && (!refers(slot->type.kind) || needs_no_local(at(holds, i)))) || planner->saves[i] ||
            !weave_may_insert_before(planner->body, at(holds, i) + 1)) {
            continue;
        }
        uint32_t consumer = consumer_of(holds, i, slot), next = first;
        bool on_top = il_stack_before(&planner->stacks, at(holds, consumer))->depth == slot->depth;
        if (forced || run_between(holds, i, consumer) || (!on_top && spills_operands(holds, consumer, &next))) {
            hold(holds, i, slot, consumer);
        }
        (void)spills_operands(holds, i, &first);
    }
}

// -- Taps -------------------------------------------------------------------------------------------------------------

static struct weave_local local_of(const struct holds *holds, uint32_t producer)
{
    CLEW_ASSERT(holds->local[producer] > 0);
    return (struct weave_local){holds->local[producer] - 1, (enum il_kind)holds->kind[producer]};
}

static void add_hold(struct holds *holds, uint32_t position)
{
    if (holds->local[position]) {
        struct insertion copy = {
            .at = position, .kind = INSERT_COPY, .moment = MOMENT_AFTER, .local = local_of(holds, position)};
        planner_add_insertion(holds->planner, &copy);
    }
}

static void add_releases(struct holds *holds, uint32_t position)
{
    for (uint32_t i = holds->release[position]; i != NOBODY; i = holds->next[i]) {
        struct insertion clear = {
            .at = position, .kind = INSERT_CLEAR, .moment = MOMENT_AFTER, .local = local_of(holds, i)};
        if (holds->local[i] != holds->local[position]) { // else it holds what the consumer has pushed
            planner_add_insertion(holds->planner, &clear);
        }
    }
}

// An object that is held has a variable of the JIT's own: it may be duplicated.
static void add_old(struct holds *holds, const struct insertion *old)
{
    struct insertion insertion = *old;
    if (records_result(old) &&
        (old->event.result == RESULT_HELD || (old->event.result != RESULT_COPIED && holds->local[old->at]))) {
        insertion.event.result = RESULT_DUPLICATED;
    }
    planner_add_insertion(holds->planner, &insertion);
}

// -- Statements within expressions ------------------------------------------------------------------------------------
// Compilers leave values on the stack from one statement to the next. While it is not empty the JIT counts the bytes of IL,
// and after 200 of them evaluates whatever is there to temporaries (MAX_TREE_SIZE in importer.cpp): in woven code that
// happens in the midst of statements where it did not. So the stack is emptied at each statement, and filled again.

// How a slot is removed from the stack, and the local that it waits in. False: there is none; of an object, because it
// would not be let go.
static bool remove_slot(const struct holds *holds, const struct il_slot *slot, struct insertion *out)
{
    uint32_t position = slot->producer ? il_index(holds->planner->body, slot->producer) : holds->count;
    if (holds->local[position]) {
        out->kind = INSERT_POP;
        out->local = local_of(holds, position);
        return true;
    }
    if (refers(slot->type.kind) || slot->type.kind == IL_VALUE || slot->type.kind == IL_UNKNOWN) {
        return false;
    }
    out->kind = INSERT_STORE;
    out->local.number = planner_local_of_kind(holds->planner, ROLE_HELD + 3 * slot->depth, slot->type.kind);
    out->local.kind = slot->type.kind;
    return true;
}

static bool can_empty(const struct holds *holds, const struct il_slot *top)
{
    struct insertion unused;
    while (top && remove_slot(holds, top, &unused)) {
        top = top->below;
    }
    return !top;
}

static void add_emptying(struct holds *holds, uint32_t position)
{
    enum { DEEPEST = 16 };
    const struct il_slot *top = il_stack_before(&holds->planner->stacks, at(holds, position));
    struct insertion removals[DEEPEST];
    uint32_t count = 0;
    if (!top || top->depth >= DEEPEST || !can_empty(holds, top)) {
        return;
    }
    for (const struct il_slot *slot = top; slot; slot = slot->below) {
        removals[count] = (struct insertion){.at = position, .moment = MOMENT_BEFORE};
        (void)remove_slot(holds, slot, &removals[count]);
        planner_add_insertion(holds->planner, &removals[count++]);
    }
    while (count > 0) {
        removals[--count].kind = INSERT_LOAD;
        planner_add_insertion(holds->planner, &removals[count]);
    }
}

static bool is_statement(const struct holds *holds, const struct insertion *insertion)
{
    const struct planner *planner = holds->planner;
    return planner->instruments & (INSTRUMENT_STATEMENTS | INSTRUMENT_LINES) && insertion->moment == MOMENT_BEFORE &&
           insertion_is_event(insertion) && planner->sites[insertion->event.site].kind == SITE_STATEMENT;
}

// -- All of them ------------------------------------------------------------------------------------------------------

// A struct is evaluated by the tap that takes it.
static bool takes_struct(const struct holds *holds, uint32_t position)
{
    const struct il_slot *pushed = pushed_by(holds, position);
    return pushed && pushed->type.kind == IL_VALUE;
}

static void merge(struct holds *holds, const struct insertion *old, uint32_t count)
{
    uint32_t done = 0;
    for (uint32_t i = 0; i < holds->count; i++) {
        for (; done < count && old[done].at == i && old[done].moment != MOMENT_AFTER; done++) {
            add_old(holds, &old[done]);
            if (is_statement(holds, &old[done])) {
                add_emptying(holds, i);
            }
        }
        add_hold(holds, i);
        if (!takes_struct(holds, i)) {
            add_releases(holds, i);
        }
        for (; done < count && old[done].at == i; done++) {
            add_old(holds, &old[done]);
        }
        if (takes_struct(holds, i)) {
            add_releases(holds, i);
        }
    }
    CLEW_ASSERT(done == count && "no insertion is lost");
}

void planner_hold(struct planner *planner)
{
    struct holds holds;
    if (planner->insertion_count == 0 || planner->failed) {
        return;
    }
    if (!set_up(&holds, planner)) {
        planner->failed = true;
        return;
    }
    count_probes(&holds);
    find_holds(&holds);
    const struct insertion *old = planner->insertions;
    uint32_t count = planner->insertion_count;
    planner->insertions = NULL;
    planner->insertion_count = 0;
    planner->insertion_room = 0;
    merge(&holds, old, count);
}
