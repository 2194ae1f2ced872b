// Inline events: the woven code stores their cells itself. Neighbouring events form a group, which takes the address of
// its cells once and moves the end of the stream once. A group must not reach across an instruction of the program or a
// label, so that the order of events is that of the program.
#include "base/assert.h"
#include "trace/payload.h"
#include "weave/weaver.h"

enum { CELL = 4, EVENT_KIND_SITE = 2 };

static uint32_t event_bytes(const struct weaver *weaver, const struct weave_event *event)
{
    return CELL * (1 + payload_cells(weaver_site(weaver, event)));
}

// Counts the stores to the cells of a group. Their address is on the stack, loaded from a local, and all stores but the
// last one duplicate it: the JIT copies a local for `dup` without a stack slot, even in unoptimised code.
struct stores {
    struct weaver *weaver;
    uint32_t left;
};

static uint32_t stores_of(const struct weaver *weaver, const struct weave_event *event)
{
    const struct site *site = weaver_site(weaver, event);
    bool padded = site->encoding == VALUE_STRUCT && site->size % CELL != 0;
    return 1u + (site->owner == OWNER_ADDRESS) + (site->encoding != VALUE_NONE) + padded;
}

static void begin_store(struct stores *stores, uint32_t offset)
{
    if (--stores->left) {
        emit(&stores->weaver->emitter, IL_DUP, 0);
    }
    emit_offset(&stores->weaver->emitter, offset);
}

// A reference is stored without conversion to an integer: in unoptimised code each conversion takes a stack slot.
static void store_value(struct stores *stores, const struct weave_event *event, uint32_t offset)
{
    struct weaver *weaver = stores->weaver;
    struct emitter *at = &weaver->emitter;
    const struct site *site = weaver_site(weaver, event);
    if (site->encoding == VALUE_STRUCT && site->size % CELL != 0) {
        begin_store(stores, offset + site->size / CELL * CELL);
        emit_number(at, 0);
        emit(at, IL_STIND_I4, 0);
    }
    begin_store(stores, offset);
    value_load(weaver, event);
    switch (site->encoding) {
    case VALUE_STRUCT:
        emit(at, IL_STOBJ, event->type_token);
        break;
    case VALUE_R4:
        emit(at, IL_STIND_R4, 0);
        break;
    case VALUE_R8:
        emit(at, IL_STIND_R8, 0);
        break;
    case VALUE_I8:
    case VALUE_U8:
        emit(at, IL_STIND_I8, 0);
        break;
    case VALUE_NATIVE_I:
    case VALUE_NATIVE_U:
    case VALUE_POINTER:
        emit(at, IL_STIND_I, 0);
        break;
    default:
        emit(at, IL_STIND_I4, 0);
        break;
    }
}

static void store_event(struct stores *stores, const struct weave_event *event, uint32_t offset)
{
    struct weaver *weaver = stores->weaver;
    struct emitter *at = &weaver->emitter;
    const struct site *site = weaver_site(weaver, event);
    begin_store(stores, offset);
    emit(at, IL_LDC_I4, (int32_t)(weaver_site_number(weaver, event) << 2 | EVENT_KIND_SITE));
    emit(at, IL_STIND_I4, 0);
    offset += CELL;
    if (site->owner == OWNER_ADDRESS) {
        begin_store(stores, offset);
        emit_ldloc(at, weaver_local(weaver, event->owner.number));
        emit(at, IL_STIND_I, 0);
        offset += 2 * CELL;
    }
    if (site->encoding != VALUE_NONE) {
        store_value(stores, event, offset);
    }
}

static void load_at(struct weaver *weaver)
{
    weaver_load_context(weaver);
    emit_offset(&weaver->emitter, weaver->what->calls.targets->at);
}

// The cells are stored before `at` moves behind them. That is a volatile store, hence a release; the collector reads
// `at` with acquire (collector/drain/stream_chunks.c), so that it never sees `at` behind cells that are not there.
static void write_group(struct weaver *weaver)
{
    struct emitter *at = &weaver->emitter;
    struct stores stores = {.weaver = weaver};
    uint32_t offset = 0;
    uint32_t cells = weaver_local(weaver, weaver->details->fixed.cells);
    for (uint32_t i = 0; i < weaver->group_count; i++) {
        stores.left += stores_of(weaver, weaver->group[i]);
        value_make_default(weaver, weaver->group[i]);
    }
    load_at(weaver);
    emit(at, IL_LDIND_I, 0);
    emit_stloc(at, cells);
    emit_ldloc(at, cells);
    for (uint32_t i = 0; i < weaver->group_count; i++) {
        store_event(&stores, weaver->group[i], offset);
        offset += event_bytes(weaver, weaver->group[i]);
    }
    load_at(weaver);
    emit_ldloc(at, cells);
    emit_offset(at, offset);
    emit(at, IL_VOLATILE, 0);
    emit(at, IL_STIND_I, 0);
}

static bool stack_is_empty(const struct weaver *weaver)
{
    const struct il_instruction *here = weaver->emitter.before;
    return here != weaver->emitter.body->end && il_reached(&weaver->details->stacks, here) &&
           !il_stack_before(&weaver->details->stacks, here);
}

// A branch makes the JIT evaluate the values on the stack to stack slots, in unoptimised code to other ones at each
// branch. So where the program has values on the stack, a native call does the whole check. It cannot make the thread
// wait; the next check does.
void inline_check_room(struct weaver *weaver)
{
    struct emitter *at = &weaver->emitter;
    const struct weave_targets *targets = weaver->what->calls.targets;
    weaver->used = 0;
    if (!stack_is_empty(weaver)) {
        weaver_load_context(weaver);
        emit_call(at, targets->check, weaver->what->calls.signatures->activation);
        return;
    }
    load_at(weaver);
    emit(at, IL_LDIND_I, 0);
    weaver_load_context(weaver);
    emit_offset(at, targets->limit);
    emit(at, IL_LDIND_I, 0);
    struct emitter_skip enough = emit_branch(at, IL_BLT_UN_S);
    weaver_load_context(weaver);
    emit_call(at, targets->room, weaver->what->calls.signatures->room);
    if (targets->wait) {
        weave_wait(weaver);
    } else {
        emit(at, IL_POP, 0);
    }
    emit_skip_end(at, enough);
}

void inline_flush(struct weaver *weaver)
{
    if (weaver->group_count == 0) {
        return;
    }
    if (weaver->used + weaver->group_bytes > weaver->details->room) {
        inline_check_room(weaver);
    }
    write_group(weaver);
    weaver->used += weaver->group_bytes;
    for (uint32_t i = 0; i < weaver->group_count; i++) {
        value_clear_locals(weaver, weaver->group[i]);
    }
    weaver->group_count = 0;
    weaver->group_bytes = 0;
}

// Locals that an event of the group has yet to read keep their values until then.
void inline_flush_locals(struct weaver *weaver)
{
    for (uint32_t i = 0; i < weaver->group_count; i++) {
        const struct weave_event *event = weaver->group[i];
        if (event->source.kind == FROM_SPILL || event->source.kind == FROM_DEFAULT || event->owner.kind != IL_UNKNOWN) {
            inline_flush(weaver);
            return;
        }
    }
}

void inline_write(struct weaver *weaver, const struct weave_event *event)
{
    uint32_t bytes = event_bytes(weaver, event);
    if (weaver->group_count == GROUP_MAX || weaver->group_bytes + bytes > weaver->details->room) {
        inline_flush(weaver);
    }
    if (event->source.kind == FROM_DEFAULT || event->source.kind == FROM_ADDRESS) {
        inline_flush_locals(weaver);
    }
    weaver->group[weaver->group_count++] = event;
    weaver->group_bytes += bytes;
}
