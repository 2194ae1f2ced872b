// The pass over a body that lowers its insertions: between two instructions first those behind the first one, then those in
// front of the second. What goes behind is on the path from the first instruction alone, and what goes in front on every
// path, so events of both are one group only where no label is in between.
#include <string.h>

#include "base/assert.h"
#include "weave/operations/original.h"
#include "weave/plan/lowering.h"

enum {
    STACK_SLOTS = 7,   // the six arguments of site_typed and the address for `calli`
    OPS_EXPECTED = 24, // operations of an insertion
};

static bool has_insertion(const struct lowering *lowering, const struct il_instruction *at, enum weave_moment moment)
{
    const struct planner *planner = lowering->planner;
    return lowering->next < planner->insertions + planner->insertion_count && lowering->next->moment == moment &&
           lowering->next->at <= il_index(planner->body, at);
}

static void place(struct lowering *lowering, const struct il_instruction *at, enum weave_moment moment)
{
    lowering->place = op_of(IL_NOP, OPERAND_PLACE, il_index(lowering->planner->body, at));
    lowering->place.moment = (uint8_t)moment;
    lowering->is_new_place = true;
}

static void lower_statement(struct lowering *lowering, const struct event *event)
{
    const struct planner *planner = lowering->planner;
    if (planner->fixed.lines != WEAVE_NONE) {
        inline_flush(lowering);
        lines_statement(lowering);
    }
    if (planner->instruments & INSTRUMENT_STATEMENTS) {
        event_write(lowering, event);
    }
}

static void lower_ops(struct lowering *lowering, const struct insertion *insertion)
{
    (insertion->apart ? inline_flush : inline_flush_locals)(lowering);
    put(lowering, insertion->ops, insertion->op_count);
}

static void lower_before(struct lowering *lowering, const struct insertion *insertion)
{
    if (!insertion_is_event(insertion)) {
        lower_ops(lowering, insertion);
    } else if (site_of(lowering, &insertion->event)->kind == SITE_STATEMENT) {
        lower_statement(lowering, &insertion->event);
    } else {
        event_spill(lowering, &insertion->event);
        event_write(lowering, &insertion->event);
    }
}

static void lower_after(struct lowering *lowering, const struct insertion *insertion)
{
    if (insertion_is_event(insertion)) {
        event_write_result(lowering, &insertion->event);
    } else {
        lower_ops(lowering, insertion);
    }
}

// Events behind an instruction need its operands, which are on the stack only in front of it.
static void spill_for_after(struct lowering *lowering, const struct il_instruction *actual)
{
    const struct planner *planner = lowering->planner;
    const struct insertion *end = planner->insertions + planner->insertion_count;
    for (const struct insertion *i = lowering->next; i < end && i->at == il_index(planner->body, actual); i++) {
        if (i->moment == MOMENT_AFTER && insertion_is_event(i)) {
            event_spill(lowering, &i->event);
        }
    }
}

// Everything in front of an instruction with its prefixes (`unit`: the first of these). The insertions behind the
// instruction before are there already.
static void lower_front(struct lowering *lowering, const struct il_instruction *unit,
                        const struct il_instruction *actual)
{
    lowering->here = unit;
    if (unit->target) {
        inline_flush(lowering);
    }
    place(lowering, unit, MOMENT_BEFORE);
    size_t from = lowering->ops.size;
    awaits_handle(lowering, unit);
    if (room_arrive(lowering, unit)) {
        inline_flush(lowering);
        room_check(lowering);
    }
    for (; has_insertion(lowering, actual, MOMENT_BEFORE); lowering->next++) {
        lower_before(lowering, lowering->next);
    }
    inline_flush(lowering);
    spill_for_after(lowering, actual);
    bool between = lowering->ops.size > lowering->behind;
    if (lines_have_times(lowering) &&
        weave_is_exit(lowering->planner->body, actual, lowering->planner->method->token, between)) {
        lines_leave(lowering);
    }
    awaits_begin(lowering, actual);
    place(lowering, unit, MOMENT_LAST);
    for (; has_insertion(lowering, actual, MOMENT_LAST); lowering->next++) {
        lower_ops(lowering, lowering->next);
    }
    CLEW_ASSERT(weave_are_balanced(&lowering->ops, from, STACK_SLOTS));
}

static void lower_back(struct lowering *lowering, const struct il_instruction *actual)
{
    lowering->here = actual + 1;
    place(lowering, actual, MOMENT_AFTER);
    lowering->behind = lowering->ops.size;
    event_stored(lowering);
    awaits_end(lowering, actual);
    for (; has_insertion(lowering, actual, MOMENT_AFTER); lowering->next++) {
        lower_after(lowering, lowering->next);
    }
    CLEW_ASSERT(weave_are_balanced(&lowering->ops, lowering->behind, STACK_SLOTS));
}

static void lower_entry(struct lowering *lowering)
{
    const struct planner *planner = lowering->planner;
    lowering->here = planner->body->originals;
    place(lowering, lowering->here, MOMENT_ENTRY);
    if (planner->fixed.lines != WEAVE_NONE) {
        lines_enter(lowering);
    }
    awaits_enter(lowering);
    for (; has_insertion(lowering, lowering->here, MOMENT_ENTRY); lowering->next++) {
        lower_after(lowering, lowering->next);
    }
    inline_flush(lowering);
}

static void lower_body(struct lowering *lowering)
{
    const struct il_body *body = lowering->planner->body;
    lower_entry(lowering);
    for (const struct il_instruction *unit = body->originals; unit != body->end;) {
        const struct il_instruction *actual = unit;
        while (il_is_prefix(actual->opcode)) {
            actual++;
        }
        lower_front(lowering, unit, actual);
        room_follow(lowering, actual);
        lower_back(lowering, actual);
        unit = actual + 1;
    }
}

// Most lists need no more, so that they do not grow in small steps.
static void reserve(struct buffer *list, size_t size)
{
    (void)buffer_extend(list, size);
    buffer_clear(list);
}

enum clew_error planner_lower(struct planner *planner, struct weave_plan *out)
{
    struct lowering lowering = {.planner = planner, .next = planner->insertions};
    struct group *group = &lowering.group;
    lowering.to = &lowering.ops;
    reserve(&lowering.ops, OPS_EXPECTED * (planner->insertion_count + 1) * sizeof(struct weave_op));
    reserve(&group->stores, OPS_EXPECTED * sizeof(struct weave_op));
    bool failed = !room_begin(&lowering);
    if (!failed) {
        lower_body(&lowering);
    }
    struct weave_op *ops = arena_alloc(planner->body->arena, lowering.ops.size);
    failed |= planner->failed || !ops || lowering.ops.failed;
    if (!failed && lowering.ops.size) {
        memcpy(ops, lowering.ops.data, lowering.ops.size);
    }
    *out = (struct weave_plan){.sites = planner->sites,
                               .count = planner->site_count,
                               .statements = planner->statements,
                               .instruments = planner->instruments,
                               .local_count = planner->local_count,
                               .ops = ops,
                               .op_count = (uint32_t)(lowering.ops.size / sizeof *ops),
                               .context = planner->fixed.context == WEAVE_NONE ? 0 : 1 + planner->fixed.context,
                               .current = planner->fixed.current == WEAVE_NONE ? 0 : 1 + planner->fixed.current,
                               .stack_slots = STACK_SLOTS};
    buffer_free(&lowering.ops);
    buffer_free(&group->prepare);
    buffer_free(&group->stores);
    buffer_free(&group->clear);
    return failed ? CLEW_NO_MEMORY : planner_local_types(planner, &out->locals);
}
