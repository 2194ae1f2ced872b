// Objects that wait on the stack while probes run. Where a probe stores or calls something, the JIT first evaluates the
// pending stack entries to temporaries. In unoptimised code each temporary takes a stack slot and lives as long as the
// method, so that a probe would keep objects alive. Therefore such an object is copied to a local right behind the
// instruction that pushes it, and reloaded: the JIT needs no temporary for a local. Behind the instruction that
// consumes the object the local is cleared.
#include "base/assert.h"
#include "weave/operations/original.h"
#include "weave/plan/planner.h"

enum { NOBODY = UINT32_MAX };

struct holds {
    struct planner *planner;
    uint32_t count;    // original instructions
    uint32_t *before;  // events in front of instructions up to and including this position, and...
    uint32_t *after;   // ...behind them, without those that record the result of the instruction
    uint32_t *local;   // by position: 1 + the local that holds what the instruction pushes; 0: none does
    uint8_t *kind;     // enum il_kind of that local
    uint8_t *forced;   // a local is cleared behind it, so the JIT evaluates what it pushes: that needs a local too
    uint32_t *release; // by position: the first producer whose local is cleared behind the instruction
    uint32_t *next;    // by position of a producer: the next one whose local is cleared there
    uint32_t *await;   // by position: as `release`, in front of the instruction, with which an await begins
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
    holds->await = arena_alloc(arena, words);
    holds->kind = arena_alloc(arena, (size_t)count + 1);
    holds->forced = arena_alloc(arena, (size_t)count + 1);
    if (!holds->before || !holds->after || !holds->local || !holds->release || !holds->next || !holds->await ||
        !holds->kind || !holds->forced) {
        return false;
    }
    for (uint32_t i = 0; i <= count; i++) {
        holds->release[i] = holds->await[i] = NOBODY;
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
        const struct event *event = &insertion->event;
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
static const struct event *event_of_result(const struct holds *holds, uint32_t position)
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
    int deepest;
    return insertion_is_event(insertion) ? insertion->event.spills != SPILL_NOTHING
                                         : weave_stack_effect(insertion->ops, insertion->op_count, &deepest) < 0;
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

// The slot that the instruction pushes; NULL: none, or a copy (`dup`), whose producer is an earlier instruction.
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

// The last instruction, of those that follow each other, that finds the slot on the stack: it consumes the slot.
static uint32_t consumer_of(const struct holds *holds, uint32_t producer, const struct il_slot *slot)
{
    uint32_t position = producer + 1;
    while (lies_before(holds, position + 1, slot)) {
        position++;
    }
    return position;
}

// -- Which objects wait -----------------------------------------------------------------------------------------------

// For variables and constants, and new objects that the JIT keeps in a variable anyway.
static bool needs_no_local(const struct planner *planner, const struct il_instruction *producer)
{
    uint32_t number;
    switch (il_family(producer, &number)) {
    case IL_LDLOCA:
    case IL_LDARGA:
    case IL_LDSFLDA:
    case IL_LDNULL:
    case IL_LDSTR:
        return true;
    default:
        return planner_is_mere_variable(planner, producer) || planner_is_kept_new(planner, producer);
    }
}

static bool refers(enum il_kind kind)
{
    return kind == IL_OBJECT || kind == IL_REFERENCE;
}

// Whether code may go behind the instruction to clear a local, and control gets there.
static bool may_release(const struct holds *holds, uint32_t position)
{
    const struct planner *planner = holds->planner;
    const struct il_instruction *instruction = at(holds, position), *behind = instruction + 1;
    enum il_flow flow = il_opcodes[instruction->opcode].flow;
    bool passes = flow == IL_FLOW_NEXT || flow == IL_FLOW_CALL;
    return passes && behind != planner->body->end && il_reached(&planner->stacks, behind) &&
           !weave_ends_activation(instruction, planner->method->token) && planner_may_insert_before(planner, behind);
}

// Whether the JIT evaluates what the producer has pushed to a temporary anyway: a probe, a call or a branch comes first.
static bool is_interrupted(const struct holds *holds, uint32_t producer, uint32_t consumer)
{
    for (uint32_t i = producer + 1; i < consumer; i++) {
        uint8_t flow = il_opcodes[at(holds, i)->opcode].flow;
        if (flow != IL_FLOW_NEXT && flow != IL_FLOW_PREFIX) {
            return true;
        }
    }
    return run_between(holds, producer, consumer);
}

// The instruction behind which the local of a consumed object is cleared: the consumer. That makes the JIT evaluate what
// the consumer pushes. Structs that it would not evaluate otherwise would take a temporary each, so there the local is
// cleared where the struct is consumed.
static uint32_t release_of(const struct holds *holds, uint32_t consumer)
{
    const struct il_slot *pushed = pushed_by(holds, consumer);
    while (pushed && (pushed->type.kind == IL_VALUE || pushed->type.kind == IL_UNKNOWN) &&
           !event_of_result(holds, consumer)) {
        uint32_t next = consumer_of(holds, consumer, pushed);
        if (is_interrupted(holds, consumer, next) || !may_release(holds, next)) {
            break;
        }
        consumer = next;
        pushed = pushed_by(holds, consumer);
    }
    return consumer;
}

// Whether a local must not hold it. The JIT compiles arithmetic on addresses differently if they come from a local.
static bool stays_on_stack(const struct holds *holds, const struct il_slot *slot, uint32_t consumer)
{
    const struct il_slot *pushed = pushed_by(holds, consumer);
    bool computes = slot->type.kind == IL_REFERENCE && pushed && pushed->type.kind == IL_UNKNOWN;
    return slot->type.kind == IL_VALUE || slot->type.kind == IL_UNKNOWN || computes ||
           planner_may_be_number(holds->planner, slot);
}

// Where the await begins whose call, or Await, consumes an object. NOBODY: it is no such call.
static uint32_t await_of(const struct holds *holds, uint32_t consumer)
{
    const uint8_t *awaits = holds->planner->awaits;
    while (awaits && awaits[consumer] & AWAIT_SEALED) {
        consumer--;
    }
    return awaits && awaits[consumer] & AWAIT_BEGINS ? consumer : NOBODY;
}

static void add_to(uint32_t *list, struct holds *holds, uint32_t producer)
{
    holds->next[producer] = *list;
    *list = producer;
}

// While the method is suspended, the continuation keeps the locals of unoptimised code alive, but no temporaries of the JIT:
// what an awaited call gets waits for it in one of these.
static void release(struct holds *holds, uint32_t producer, uint32_t consumer)
{
    uint32_t await = await_of(holds, consumer), behind = release_of(holds, consumer);
    if (await != NOBODY) {
        add_to(&holds->await[await], holds, producer);
    } else if (may_release(holds, behind)) {
        add_to(&holds->release[behind], holds, producer);
        holds->forced[behind] = true;
    }
}

static void hold(struct holds *holds, uint32_t producer, const struct il_slot *slot, uint32_t consumer)
{
    enum il_kind kind = slot->type.kind;
    if (stays_on_stack(holds, slot, consumer)) {
        return;
    }
    CLEW_ASSERT(holds->local[producer] == 0);
    holds->local[producer] = 1 + planner_local_of_kind(holds->planner, ROLE_HELD + 3 * slot->depth, kind);
    holds->kind[producer] = (uint8_t)kind;
    if (refers(kind)) {
        release(holds, producer, consumer);
    }
}

static void find_holds(struct holds *holds)
{
    struct planner *planner = holds->planner;
    uint32_t first = 0;
    for (uint32_t i = 0; i + 1 < holds->count; i++) {
        const struct il_slot *slot = pushed_by(holds, i);
        const struct event *own = event_of_result(holds, i);
        bool forced = holds->forced[i] || (own && own->result == RESULT_HELD);
        if (!slot || (!forced && (!refers(slot->type.kind) || needs_no_local(planner, at(holds, i)))) ||
            planner->saves[i] || !planner_may_insert_before(planner, at(holds, i) + 1)) {
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

// -- Merging ----------------------------------------------------------------------------------------------------------

static struct appended local_of(const struct holds *holds, uint32_t producer)
{
    CLEW_ASSERT(holds->local[producer] > 0);
    return (struct appended){holds->local[producer] - 1, (enum il_kind)holds->kind[producer]};
}

static void add_hold(struct holds *holds, uint32_t position)
{
    if (holds->local[position]) {
        uint32_t local = local_of(holds, position).number;
        struct insertion copy = {.at = position,
                                 .moment = MOMENT_AFTER,
                                 .op_count = 2,
                                 .ops = {op_local(IL_STLOC, local), op_local(IL_LDLOC, local)}};
        planner_add_insertion(holds->planner, &copy);
    }
}

static void add_awaits(struct holds *holds, uint32_t position)
{
    for (uint32_t i = holds->await[position]; i != NOBODY; i = holds->next[i]) {
        struct insertion clear = {.at = position, .moment = MOMENT_BEFORE};
        clear.op_count = insertion_clear(local_of(holds, i), 0, clear.ops);
        planner_add_insertion(holds->planner, &clear);
    }
}

static void add_releases(struct holds *holds, uint32_t position)
{
    for (uint32_t i = holds->release[position]; i != NOBODY; i = holds->next[i]) {
        struct insertion clear = {.at = position, .moment = MOMENT_AFTER};
        clear.op_count = insertion_clear(local_of(holds, i), 0, clear.ops);
        if (holds->local[i] != holds->local[position]) { // else the same local now holds what the consumer has pushed
            planner_add_insertion(holds->planner, &clear);
        }
    }
}

// An object that waits in a local may be duplicated: the JIT has a variable for it.
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
// Compilers leave values on the stack from one statement to the next. While the stack is not empty the JIT counts the
// bytes of IL, and after 200 of them evaluates all entries to temporaries (MAX_TREE_SIZE in importer.cpp). Probes add
// bytes, so that this would happen inside of statements where it does not happen in plain code. Therefore each
// statement begins by removing the entries from the stack and reloading them behind its probe, which starts the count
// again. Structs too: the JIT would copy a struct to another temporary for each probe.

// The operation that removes a slot from the stack, and the local that it waits in. False: it has no local, which for an
// object means that nothing would clear one.
static bool remove_slot(const struct holds *holds, const struct il_slot *slot, struct weave_op *remove, uint32_t *local)
{
    uint32_t position = slot->producer ? il_index(holds->planner->body, slot->producer) : holds->count;
    if (holds->local[position]) {
        *local = local_of(holds, position).number;
        *remove = op_plain(IL_POP);
        return true;
    }
    bool is_struct = slot->type.kind == IL_VALUE && bytes_left(&slot->type.signature) > 0;
    if (refers(slot->type.kind) || slot->type.kind == IL_UNKNOWN || (slot->type.kind == IL_VALUE && !is_struct)) {
        return false;
    }
    uint32_t role = ROLE_HELD + 3 * slot->depth;
    *local = is_struct ? planner_local(holds->planner, role, slot->type.signature)
                       : planner_local_of_kind(holds->planner, role, slot->type.kind);
    *remove = op_local(IL_STLOC, *local);
    return true;
}

static bool can_empty(const struct holds *holds, const struct il_slot *top)
{
    struct weave_op remove;
    uint32_t local;
    while (top && remove_slot(holds, top, &remove, &local)) {
        top = top->below;
    }
    return !top;
}

static void add_apart(struct holds *holds, uint32_t position, struct weave_op op)
{
    struct insertion insertion = {.at = position, .moment = MOMENT_BEFORE, .op_count = 1, .apart = true, .ops = {op}};
    planner_add_insertion(holds->planner, &insertion);
}

// The probe of a statement, while the stack is empty.
static void add_statement(struct holds *holds, const struct insertion *probe)
{
    enum { DEEPEST = 16 };
    const struct il_slot *top = il_stack_before(&holds->planner->stacks, at(holds, probe->at));
    uint32_t locals[DEEPEST], count = 0;
    bool empties = top && top->depth < DEEPEST && can_empty(holds, top);
    for (const struct il_slot *slot = empties ? top : NULL; slot; slot = slot->below) {
        struct weave_op remove = {0};
        (void)remove_slot(holds, slot, &remove, &locals[count++]);
        add_apart(holds, probe->at, remove);
    }
    add_old(holds, probe);
    while (count > 0) {
        add_apart(holds, probe->at, op_local(IL_LDLOC, locals[--count]));
    }
}

static bool is_statement(const struct holds *holds, const struct insertion *insertion)
{
    const struct planner *planner = holds->planner;
    return planner->instruments & (INSTRUMENT_STATEMENTS | INSTRUMENT_LINES) && insertion->moment == MOMENT_BEFORE &&
           insertion_is_event(insertion) && planner->sites[insertion->event.site].kind == SITE_STATEMENT;
}

// -- All of them ------------------------------------------------------------------------------------------------------

// Whether the instruction pushes a struct. The event that records a struct evaluates it, so locals are cleared behind
// that event.
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
            (is_statement(holds, &old[done]) ? add_statement : add_old)(holds, &old[done]);
        }
        add_awaits(holds, i);
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
    planner->insertion_count = 0;
    planner->insertion_room = count + count / 2 + 8; // almost always enough
    planner->insertions = arena_alloc(planner->body->arena, planner->insertion_room * sizeof *planner->insertions);
    if (!planner->insertions) {
        planner->failed = true;
        return;
    }
    merge(&holds, old, count);
}
