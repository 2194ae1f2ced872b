// Inline events: the woven code stores their cells itself. Neighbouring events form a group, which takes the address of
// its cells once and moves the end of the stream once. A group must not reach across an instruction of the program or a
// label, so that the order of events is that of the program.
#include "base/assert.h"
#include "trace/payload.h"
#include "weave/plan/lowering.h"

enum { CELL = 4 };

static uint32_t event_bytes(const struct site *site)
{
    return CELL * (1 + payload_cells(site));
}

// The address of the cells is on the stack, loaded from a local, and all stores but the last one of the group duplicate it:
// the JIT copies a local for `dup` without a stack slot, even in unoptimised code.
static void begin_store(struct lowering *lowering, uint32_t offset)
{
    lowering->group.last_store = lowering->group.stores.size;
    PUT(lowering, op_plain(IL_DUP), op_offset(lowering->group.bytes + offset));
}

static enum il_opcode store_of(enum site_encoding encoding)
{
    switch (encoding) {
    case VALUE_STRUCT:
        return IL_STOBJ;
    case VALUE_R4:
        return IL_STIND_R4;
    case VALUE_R8:
        return IL_STIND_R8;
    case VALUE_I8:
    case VALUE_U8:
        return IL_STIND_I8;
    case VALUE_NATIVE_I:
    case VALUE_NATIVE_U:
    case VALUE_POINTER:
        return IL_STIND_I;
    default:
        return IL_STIND_I4;
    }
}

// A reference is stored without conversion to an integer: in unoptimised code each conversion takes a stack slot.
static void store_value(struct lowering *lowering, const struct event *event, uint32_t offset)
{
    const struct site *site = site_of(lowering, event);
    enum il_opcode store = store_of(site->encoding);
    if (site->encoding == VALUE_STRUCT && site->size % CELL != 0) {
        begin_store(lowering, offset + site->size / CELL * CELL);
        PUT(lowering, op_number(0), op_plain(IL_STIND_I4));
    }
    begin_store(lowering, offset);
    value_load(lowering, event);
    PUT(lowering, op_token(store, store == IL_STOBJ ? event->type_token : 0));
}

static void store_event(struct lowering *lowering, const struct event *event)
{
    const struct site *site = site_of(lowering, event);
    bool address = site->owner == OWNER_ADDRESS;
    uint32_t at = address ? 3 * CELL : CELL;
    begin_store(lowering, 0);
    PUT(lowering, op_of(IL_LDC_I4, OPERAND_EVENT, event->site), op_plain(IL_STIND_I4));
    if (address) {
        begin_store(lowering, CELL);
        PUT(lowering, op_local(IL_LDLOC, event->owner.number), op_plain(IL_STIND_I));
    }
    if (payload_has_index(site)) {
        begin_store(lowering, at);
        PUT(lowering, op_local(IL_LDLOC, event->index.number), op_plain(IL_STIND_I4));
        at += CELL;
    }
    if (site->encoding != VALUE_NONE) {
        store_value(lowering, event, at);
    }
}

// The cells are stored before `at` moves behind them. That is a volatile store, hence a release; the collector reads
// `at` with acquire (collector/drain/stream_chunks.c), so that it never sees `at` behind cells that are not there.
static void write_group(struct lowering *lowering)
{
    const struct group *group = &lowering->group;
    const struct weave_op cells = op_local(IL_LDLOC, lowering->planner->fixed.cells);
    const struct weave_op context = op_context(lowering), at = op_of(IL_ADD, OPERAND_CONTEXT, CONTEXT_AT);
    size_t behind_dup = group->last_store + sizeof(struct weave_op);
    put(lowering, (const struct weave_op *)(const void *)group->prepare.data,
        group->prepare.size / sizeof(struct weave_op));
    PUT(lowering, context, at, op_plain(IL_LDIND_I), op_local(IL_STLOC, cells.number), cells);
    buffer_append(&lowering->ops, group->stores.data, group->last_store);
    buffer_append(&lowering->ops, group->stores.data + behind_dup, group->stores.size - behind_dup);
    PUT(lowering, context, at, cells, op_offset(group->bytes), op_plain(IL_VOLATILE), op_plain(IL_STIND_I));
    buffer_append(&lowering->ops, group->clear.data, group->clear.size);
}

void inline_flush(struct lowering *lowering)
{
    struct group *group = &lowering->group;
    bool failed = group->prepare.failed || group->stores.failed || group->clear.failed;
    lowering->planner->failed |= failed;
    if (group->count == 0 || failed) {
        return;
    }
    if (lowering->used + group->bytes > lowering->planner->method->room) {
        room_check(lowering);
    }
    room_settle(lowering);
    room_moment(lowering);
    write_group(lowering);
    lowering->used += group->bytes;
    group->count = group->bytes = 0;
    buffer_clear(&group->prepare);
    buffer_clear(&group->stores);
    buffer_clear(&group->clear);
    group->reads_locals = false;
}

// Locals that an event of the group has yet to read keep their values until then.
void inline_flush_locals(struct lowering *lowering)
{
    if (lowering->group.reads_locals) {
        inline_flush(lowering);
    }
}

void inline_write(struct lowering *lowering, const struct event *event)
{
    struct group *group = &lowering->group;
    uint32_t bytes = event_bytes(site_of(lowering, event));
    bool defaults = event->source.kind == FROM_DEFAULT;
    if (group->count == GROUP_MAX || group->bytes + bytes > lowering->planner->method->room) {
        inline_flush(lowering);
    }
    if (defaults || event->source.kind == FROM_ADDRESS) {
        inline_flush_locals(lowering);
    }
    lowering->to = &group->prepare;
    value_make_default(lowering, event);
    lowering->to = &group->stores;
    store_event(lowering, event);
    lowering->to = &group->clear;
    value_clear_locals(lowering, event);
    lowering->to = &lowering->ops;
    group->count++;
    group->bytes += bytes;
    group->reads_locals |= defaults || event->source.kind == FROM_SPILL || event->owner.kind != IL_UNKNOWN;
}
