// The events of sites: cells stored inline where IL can do it, calls of native functions where not.
#include "base/assert.h"
#include "weave/weaver.h"

enum { CELL = 4, EVENT_KIND_SITE = 2, CELL_ROUND = CELL - 1 };

static const struct site *site_of(const struct weaver *weaver, const struct weave_tap *tap)
{
    CLEW_ASSERT(tap->site < weaver->plan->count);
    return &weaver->plan->sites[tap->site];
}

static uint32_t number_of(const struct weaver *weaver, const struct weave_tap *tap)
{
    return weaver->what->first_site + tap->site;
}

static uint32_t value_local(const struct weaver *weaver, const struct weave_tap *tap)
{
    return weaver_local(weaver, tap->value);
}

static uint32_t owner_local(const struct weaver *weaver, const struct weave_tap *tap)
{
    return weaver_local(weaver, tap->owner);
}

static void load_context(struct weaver *weaver)
{
    CLEW_ASSERT(weaver->streams);
    emit_ldloc(&weaver->emitter, weaver_local(weaver, weaver->details->fixed.context));
}

// -- What is on the stack ---------------------------------------------------------------------------------------------

static bool has_index(enum weave_keep keep)
{
    return keep == KEEP_OWNER_INDEX || keep == KEEP_OWNER_INDEX_VALUE;
}

static bool has_value_above(enum weave_keep keep)
{
    return keep == KEEP_OWNER_VALUE || keep == KEEP_OWNER_INDEX_VALUE || keep == KEEP_OWNER_ITEMS_VALUE;
}

static void clear_local(struct emitter *at, uint32_t local, enum il_kind kind, uint32_t type_token)
{
    switch (kind) {
    case IL_OBJECT:
        emit(at, IL_LDNULL, 0);
        emit_stloc(at, local);
        break;
    case IL_REFERENCE:
        emit_number(at, 0);
        emit(at, IL_CONV_U, 0);
        emit_stloc(at, local);
        break;
    case IL_VALUE:
        emit_ldloca(at, local);
        emit(at, IL_INITOBJ, type_token);
        break;
    default:
        break;
    }
}

// Unoptimised code gives each `dup` a stack slot of its own, which holds what is in it to the method's end. So what is
// on top goes into a local that all sites share, and comes back from there.
static void copy_top(struct emitter *at, uint32_t local)
{
    emit_stloc(at, local);
    emit_ldloc(at, local);
}

// The slot `down` below the top in front of the tap's instruction.
static const struct il_slot *slot_before(const struct weaver *weaver, const struct weave_tap *tap, uint32_t down)
{
    const struct il_instruction *place = weaver->emitter.body->originals + tap->at;
    return il_slot_at(il_stack_before(&weaver->details->stacks, place), down);
}

// Whether the JIT duplicates a slot without a stack slot more: a variable.
static bool is_variable(const struct il_slot *slot)
{
    uint32_t number;
    enum il_opcode family = slot && slot->producer ? il_family(slot->producer, &number) : IL_END;
    return family == IL_LDLOC || family == IL_LDARG;
}

// A variable stays what it is, since the JIT knows its class and what an array of that class may hold.
static void copy_owner(struct weaver *weaver, const struct weave_tap *tap)
{
    uint32_t above = has_index(tap->keep) + tap->rank + has_value_above(tap->keep);
    if (is_variable(slot_before(weaver, tap, above))) {
        emit(&weaver->emitter, IL_DUP, 0);
        emit_stloc(&weaver->emitter, owner_local(weaver, tap));
    } else {
        copy_top(&weaver->emitter, owner_local(weaver, tap));
    }
}

// Locals of events that are not written yet stay as they are.
static void flush_what_uses_locals(struct weaver *weaver)
{
    for (uint32_t i = 0; i < weaver->group_count; i++) {
        const struct weave_tap *tap = weaver->group[i];
        if (tap->source == FROM_KEPT || tap->source == FROM_DEFAULT || tap->owner_kind != IL_UNKNOWN) {
            events_flush(weaver);
            return;
        }
    }
}

void events_keep(struct weaver *weaver, const struct weave_tap *tap)
{
    struct emitter *at = &weaver->emitter;
    if (tap->keep == KEEP_NOTHING) {
        return;
    }
    flush_what_uses_locals(weaver);
    if (tap->until_exit) {
        emit_stloc(at, value_local(weaver, tap));
        CLEW_ASSERT(!weaver->result);
        weaver->result = tap;
        return;
    }
    if (tap->keep == KEEP_VALUE) {
        copy_top(at, value_local(weaver, tap));
        return;
    }
    if (has_value_above(tap->keep)) {
        emit_stloc(at, value_local(weaver, tap));
    }
    if (has_index(tap->keep)) {
        emit_stloc(at, weaver_local(weaver, tap->index));
    }
    for (uint32_t i = tap->rank; i-- > 0;) {
        emit_stloc(at, weaver_local(weaver, tap->items[i]));
    }
    copy_owner(weaver, tap);
    for (uint32_t i = 0; i < tap->rank; i++) {
        emit_ldloc(at, weaver_local(weaver, tap->items[i]));
    }
    if (has_index(tap->keep)) {
        emit_ldloc(at, weaver_local(weaver, tap->index));
    }
    if (has_value_above(tap->keep)) {
        emit_ldloc(at, value_local(weaver, tap));
    }
}

void events_take_result(struct weaver *weaver, const struct weave_tap *tap)
{
    struct emitter *at = &weaver->emitter;
    if (!tap->without_event && !tap->takes_result) {
        return;
    }
    flush_what_uses_locals(weaver);
    if (tap->releases) {
        clear_local(at, owner_local(weaver, tap), tap->owner_kind, 0);
        return;
    }
    if (tap->without_event) {
        copy_top(at, owner_local(weaver, tap));
        return;
    }
    if (tap->result == RESULT_DUPLICATED) {
        emit(at, IL_DUP, 0);
    }
    emit_stloc(at, value_local(weaver, tap));
    if (tap->result == RESULT_COPIED) {
        emit_ldloc(at, value_local(weaver, tap));
    }
}

void events_empty_stack(struct weaver *weaver, const struct weave_tap *tap)
{
    struct emitter *at = &weaver->emitter;
    events_flush(weaver);
    if (tap->emptying == EMPTYING_POP) {
        emit(at, IL_POP, 0);
    } else if (tap->emptying == EMPTYING_STORE) {
        emit_stloc(at, owner_local(weaver, tap));
    } else {
        emit_ldloc(at, owner_local(weaver, tap));
    }
}

void events_give_result(struct weaver *weaver, const struct weave_tap *tap)
{
    struct emitter *at = &weaver->emitter;
    if (!tap->takes_result || tap->without_event) {
        return;
    }
    if (tap->result == RESULT_UNTIL_STORED) {
        emit_ldloc(at, value_local(weaver, tap));
        CLEW_ASSERT(!weaver->stored);
        weaver->stored = tap;
    } else if (tap->result == RESULT_TESTED) {
        emit_ldloc(at, value_local(weaver, tap));
        emit(at, IL_LDNULL, 0);
        emit(at, IL_CGT_UN, 0);
        emit_stloc(at, weaver_local(weaver, tap->index));
        clear_local(at, value_local(weaver, tap), tap->value_kind, 0);
        emit_ldloc(at, weaver_local(weaver, tap->index));
    }
}

void events_result_stored(struct weaver *weaver)
{
    const struct weave_tap *tap = weaver->stored;
    if (tap) {
        weaver->stored = NULL;
        clear_local(&weaver->emitter, value_local(weaver, tap), tap->value_kind, tap->type_token);
    }
}

void events_load_result(struct weaver *weaver)
{
    if (weaver->result) {
        emit_ldloc(&weaver->emitter, value_local(weaver, weaver->result));
        weaver->result = NULL;
    }
}

// -- Values -----------------------------------------------------------------------------------------------------------

static void load_from_address(struct weaver *weaver, const struct weave_tap *tap, enum site_encoding encoding)
{
    static const uint16_t loads[] = {
        [VALUE_BOOLEAN] = IL_LDIND_U1, [VALUE_CHAR] = IL_LDIND_U2,    [VALUE_I1] = IL_LDIND_I1,
        [VALUE_U1] = IL_LDIND_U1,      [VALUE_I2] = IL_LDIND_I2,      [VALUE_U2] = IL_LDIND_U2,
        [VALUE_I4] = IL_LDIND_I4,      [VALUE_U4] = IL_LDIND_U4,      [VALUE_R4] = IL_LDIND_R4,
        [VALUE_I8] = IL_LDIND_I8,      [VALUE_U8] = IL_LDIND_I8,      [VALUE_R8] = IL_LDIND_R8,
        [VALUE_NATIVE_I] = IL_LDIND_I, [VALUE_NATIVE_U] = IL_LDIND_I, [VALUE_POINTER] = IL_LDIND_I,
        [VALUE_OBJECT] = IL_LDIND_REF, [VALUE_STRUCT] = IL_LDOBJ,     [VALUE_TYPED] = IL_LDOBJ};
    CLEW_ASSERT(encoding < sizeof loads / sizeof *loads && loads[encoding]);
    emit_ldloc(&weaver->emitter, owner_local(weaver, tap));
    emit(&weaver->emitter, (enum il_opcode)loads[encoding], loads[encoding] == IL_LDOBJ ? tap->type_token : 0);
}

static void load_value(struct weaver *weaver, const struct weave_tap *tap)
{
    struct emitter *at = &weaver->emitter;
    switch (tap->source) {
    case FROM_NOWHERE:
        break;
    case FROM_DEFAULT:
    case FROM_KEPT:
        emit_ldloc(at, value_local(weaver, tap));
        break;
    case FROM_LOCAL:
        emit_ldloc(at, tap->number);
        break;
    case FROM_PARAMETER:
        emit_ldarg(at, tap->number);
        break;
    case FROM_LOCAL_FIELD:
        emit_ldloca(at, tap->number);
        emit(at, IL_LDFLD, tap->field);
        break;
    case FROM_PARAMETER_FIELD:
        emit_ldarga(at, tap->number);
        emit(at, IL_LDFLD, tap->field);
        break;
    case FROM_THIS_FIELD:
        emit_ldarg(at, 0);
        emit(at, IL_LDFLD, tap->field);
        break;
    case FROM_STATIC_FIELD:
        emit(at, IL_LDSFLD, tap->field);
        break;
    case FROM_ADDRESS:
        load_from_address(weaver, tap, site_of(weaver, tap)->encoding);
        break;
    }
}

static void make_default(struct weaver *weaver, const struct weave_tap *tap)
{
    if (tap->source == FROM_DEFAULT) {
        emit_ldloca(&weaver->emitter, value_local(weaver, tap));
        emit(&weaver->emitter, IL_INITOBJ, tap->type_token);
    }
}

// What would keep objects alive is gone once the event is written.
static void clear_locals(struct weaver *weaver, const struct weave_tap *tap)
{
    struct emitter *at = &weaver->emitter;
    if (tap->clears_value && !tap->until_exit && tap->result != RESULT_UNTIL_STORED && tap->result != RESULT_TESTED) {
        clear_local(at, value_local(weaver, tap), tap->value_kind, tap->type_token);
    }
    if (!tap->owner_stays && (tap->owner_kind == IL_OBJECT || tap->owner_kind == IL_REFERENCE)) {
        clear_local(at, owner_local(weaver, tap), tap->owner_kind, 0);
    }
    if (tap->index_kind == IL_REFERENCE) {
        clear_local(at, weaver_local(weaver, tap->index), IL_REFERENCE, 0);
    }
}

// -- Native events ----------------------------------------------------------------------------------------------------

// What a local that may have a reference has, as a native int. For each reference that is converted unoptimised code takes
// a stack slot.
static void load_as_number(struct weaver *weaver, uint32_t local)
{
    emit_ldloca(&weaver->emitter, weaver_local(weaver, local));
    emit(&weaver->emitter, IL_LDIND_I, 0);
}

static void load_owner(struct weaver *weaver, const struct weave_tap *tap)
{
    struct emitter *at = &weaver->emitter;
    switch (site_of(weaver, tap)->owner) {
    case OWNER_OBJECT:
        emit_ldloca(at, owner_local(weaver, tap));
        break;
    case OWNER_ADDRESS:
        load_as_number(weaver, tap->owner);
        return;
    default:
        emit_number(at, 0);
        break;
    }
    emit(at, IL_CONV_U, 0);
}

// The position of an item from its indices, dimension by dimension.
static void fold_indices(struct weaver *weaver, const struct weave_tap *tap)
{
    CLEW_ASSERT(tap->rank <= WEAVE_RANK_MAX);
    struct emitter *at = &weaver->emitter;
    for (uint32_t i = 0; i < tap->rank; i++) {
        emit_ldloca(at, owner_local(weaver, tap));
        emit(at, IL_CONV_U, 0);
        if (i == 0) {
            emit_number(at, 0);
        } else {
            emit_ldloc(at, weaver_local(weaver, tap->index));
        }
        emit_number(at, i);
        emit_ldloc(at, weaver_local(weaver, tap->items[i]));
        emit_call(at, weaver->what->calls.targets->item_index, weaver->what->calls.signatures->item);
        emit_stloc(at, weaver_local(weaver, tap->index));
    }
}

static void load_index(struct weaver *weaver, const struct weave_tap *tap)
{
    struct emitter *at = &weaver->emitter;
    if (site_of(weaver, tap)->place != PLACE_ITEM) {
        emit_number(at, 0);
        return;
    }
    emit_ldloc(at, weaver_local(weaver, tap->index));
    if (tap->index_kind == IL_NATIVE) {
        emit(at, IL_CONV_I4, 0);
    }
}

static void load_bits(struct weaver *weaver, const struct weave_tap *tap)
{
    struct emitter *at = &weaver->emitter;
    if (tap->source == FROM_KEPT && tap->value_kind == IL_REFERENCE) {
        load_as_number(weaver, tap->value);
        return;
    }
    if (tap->source == FROM_NOWHERE) {
        emit_number(at, 0);
    } else {
        load_value(weaver, tap);
    }
    emit(at, IL_CONV_I, 0);
}

// Whether a struct that is read in place is in no variable of the method: a local has its address.
static bool is_behind(const struct weave_tap *tap)
{
    return tap->way == WAY_IN_PLACE &&
           (tap->source == FROM_ADDRESS || tap->source == FROM_THIS_FIELD || tap->source == FROM_STATIC_FIELD);
}

static void load_place(struct weaver *weaver, const struct weave_tap *tap)
{
    struct emitter *at = &weaver->emitter;
    if (is_behind(tap)) {
        emit_ldloca(at, tap->source == FROM_ADDRESS ? owner_local(weaver, tap) : value_local(weaver, tap));
        return;
    }
    bool of_local = tap->source == FROM_LOCAL || tap->source == FROM_LOCAL_FIELD;
    (of_local ? emit_ldloca : emit_ldarga)(at, tap->number);
    if (tap->source == FROM_LOCAL_FIELD || tap->source == FROM_PARAMETER_FIELD) {
        emit(at, IL_LDFLDA, tap->field);
    }
}

static void load_value_address(struct weaver *weaver, const struct weave_tap *tap)
{
    if (tap->way == WAY_IN_PLACE) {
        load_place(weaver, tap);
    } else {
        emit_ldloca(&weaver->emitter, weaver_local(weaver, tap->way == WAY_TYPED ? tap->typed : tap->value));
    }
    emit(&weaver->emitter, IL_CONV_U, 0);
}

static void prepare_place(struct weaver *weaver, const struct weave_tap *tap)
{
    struct emitter *at = &weaver->emitter;
    if (tap->source == FROM_THIS_FIELD) {
        emit_ldarg(at, 0);
        emit(at, IL_LDFLDA, tap->field);
    } else if (tap->source == FROM_STATIC_FIELD) {
        emit(at, IL_LDSFLDA, tap->field);
    } else {
        return;
    }
    emit_stloc(at, value_local(weaver, tap));
}

static void prepare_value(struct weaver *weaver, const struct weave_tap *tap)
{
    struct emitter *at = &weaver->emitter;
    if (tap->way == WAY_IN_PLACE) {
        prepare_place(weaver, tap);
    } else if (tap->way != WAY_BITS && tap->source != FROM_KEPT && tap->source != FROM_DEFAULT) {
        load_value(weaver, tap);
        emit_stloc(at, value_local(weaver, tap));
    }
}

void events_enter(struct weaver *weaver)
{
    struct emitter *at = &weaver->emitter;
    for (uint32_t i = 0; i < weaver->details->typed_count; i++) {
        const struct weave_typed *typed = &weaver->details->typed[i];
        emit_ldloca(at, weaver_local(weaver, typed->value));
        emit(at, IL_MKREFANY, typed->type_token);
        emit_stloc(at, weaver_local(weaver, typed->typed));
    }
}

static void call_site(struct weaver *weaver, const struct weave_tap *tap)
{
    struct emitter *at = &weaver->emitter;
    const struct weave_targets *targets = weaver->what->calls.targets;
    bool behind = is_behind(tap), typed = site_of(weaver, tap)->encoding == VALUE_TYPED;
    if (behind || typed) {
        emit(at, IL_SIZEOF, tap->type_token);
        emit_call(at,
                  behind                  ? targets->site_behind
                  : tap->way == WAY_TYPED ? targets->site_typed
                                          : targets->site_sized,
                  weaver->what->calls.signatures->typed);
    } else {
        emit_call(at, tap->way == WAY_BITS ? targets->site_bits : targets->site_at,
                  weaver->what->calls.signatures->site);
    }
}

static void write_natively(struct weaver *weaver, const struct weave_tap *tap)
{
    struct emitter *at = &weaver->emitter;
    prepare_value(weaver, tap);
    fold_indices(weaver, tap);
    load_context(weaver);
    emit(at, IL_LDC_I4, number_of(weaver, tap));
    load_owner(weaver, tap);
    load_index(weaver, tap);
    if (tap->way == WAY_BITS) {
        load_bits(weaver, tap);
    } else {
        load_value_address(weaver, tap);
    }
    call_site(weaver, tap);
    weaver->used = 0;
}

// -- Inline events ----------------------------------------------------------------------------------------------------

static uint32_t bytes_of_event(const struct weaver *weaver, const struct weave_tap *tap)
{
    return CELL * (1 + site_cells(site_of(weaver, tap)));
}

// Stores that are still to come to the cells of a group, whose address lies on the stack: the local `place`, which the JIT
// copies for each `dup` without a stack slot of its own, in unoptimised code as well.
struct stores {
    struct weaver *weaver;
    uint32_t left;
};

static uint32_t stores_of(const struct weaver *weaver, const struct weave_tap *tap)
{
    const struct site *site = site_of(weaver, tap);
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

// A reference is stored as it is: for each that is converted unoptimised code takes a stack slot.
static void store_value(struct stores *stores, const struct weave_tap *tap, uint32_t offset)
{
    struct weaver *weaver = stores->weaver;
    struct emitter *at = &weaver->emitter;
    const struct site *site = site_of(weaver, tap);
    if (site->encoding == VALUE_STRUCT && site->size % CELL != 0) {
        begin_store(stores, offset + site->size / CELL * CELL);
        emit_number(at, 0);
        emit(at, IL_STIND_I4, 0);
    }
    begin_store(stores, offset);
    load_value(weaver, tap);
    switch (site->encoding) {
    case VALUE_STRUCT:
        emit(at, IL_STOBJ, tap->type_token);
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

static void store_event(struct stores *stores, const struct weave_tap *tap, uint32_t offset)
{
    struct weaver *weaver = stores->weaver;
    struct emitter *at = &weaver->emitter;
    const struct site *site = site_of(weaver, tap);
    begin_store(stores, offset);
    emit(at, IL_LDC_I4, (int32_t)(number_of(weaver, tap) << 2 | EVENT_KIND_SITE));
    emit(at, IL_STIND_I4, 0);
    offset += CELL;
    if (site->owner == OWNER_ADDRESS) {
        begin_store(stores, offset);
        emit_ldloc(at, owner_local(weaver, tap));
        emit(at, IL_STIND_I, 0);
        offset += 2 * CELL;
    }
    if (site->encoding != VALUE_NONE) {
        store_value(stores, tap, offset);
    }
}

static void load_at(struct weaver *weaver)
{
    load_context(weaver);
    emit_offset(&weaver->emitter, weaver->what->calls.targets->at);
}

// The cells are stored before `at` moves behind them: whoever sees it moved sees them.
static void write_group(struct weaver *weaver)
{
    struct emitter *at = &weaver->emitter;
    struct stores stores = {.weaver = weaver};
    uint32_t offset = 0;
    uint32_t place = weaver_local(weaver, weaver->details->fixed.place);
    for (uint32_t i = 0; i < weaver->group_count; i++) {
        stores.left += stores_of(weaver, weaver->group[i]);
        make_default(weaver, weaver->group[i]);
    }
    load_at(weaver);
    emit(at, IL_LDIND_I, 0);
    emit_stloc(at, place);
    emit_ldloc(at, place);
    for (uint32_t i = 0; i < weaver->group_count; i++) {
        store_event(&stores, weaver->group[i], offset);
        offset += bytes_of_event(weaver, weaver->group[i]);
    }
    load_at(weaver);
    emit_ldloc(at, place);
    emit_offset(at, offset);
    emit(at, IL_VOLATILE, 0);
    emit(at, IL_STIND_I, 0);
}

static bool stack_is_empty(const struct weaver *weaver)
{
    const struct il_instruction *place = weaver->emitter.before;
    return place != weaver->emitter.body->end && il_reached(&weaver->details->stacks, place) &&
           !il_stack_before(&weaver->details->stacks, place);
}

// Where the program has values on the stack, a branch would make the JIT put each of them into a stack slot, others at
// each branch in unoptimised code. A call does not; it cannot ask to wait either, which the next check does.
void events_check_room(struct weaver *weaver)
{
    struct emitter *at = &weaver->emitter;
    const struct weave_targets *targets = weaver->what->calls.targets;
    weaver->used = 0;
    if (!stack_is_empty(weaver)) {
        load_context(weaver);
        emit_call(at, targets->check, weaver->what->calls.signatures->activation);
        return;
    }
    load_at(weaver);
    emit(at, IL_LDIND_I, 0);
    load_context(weaver);
    emit_offset(at, targets->limit);
    emit(at, IL_LDIND_I, 0);
    struct emitter_skip enough = emit_branch(at, IL_BLT_UN_S);
    load_context(weaver);
    emit_call(at, targets->room, weaver->what->calls.signatures->room);
    if (targets->wait) {
        weave_wait(weaver);
    } else {
        emit(at, IL_POP, 0);
    }
    emit_skip_end(at, enough);
}

void events_flush(struct weaver *weaver)
{
    if (weaver->group_count == 0) {
        return;
    }
    if (weaver->used + weaver->group_bytes > weaver->details->room) {
        events_check_room(weaver);
    }
    write_group(weaver);
    weaver->used += weaver->group_bytes;
    for (uint32_t i = 0; i < weaver->group_count; i++) {
        clear_locals(weaver, weaver->group[i]);
    }
    weaver->group_count = 0;
    weaver->group_bytes = 0;
}

static void write_inline(struct weaver *weaver, const struct weave_tap *tap)
{
    uint32_t bytes = bytes_of_event(weaver, tap);
    if (weaver->group_count == GROUP_MAX || weaver->group_bytes + bytes > weaver->details->room) {
        events_flush(weaver);
    }
    if (tap->source == FROM_DEFAULT || tap->source == FROM_ADDRESS) {
        flush_what_uses_locals(weaver);
    }
    weaver->group[weaver->group_count++] = tap;
    weaver->group_bytes += bytes;
}

// -- Any event --------------------------------------------------------------------------------------------------------

void events_write(struct weaver *weaver, const struct weave_tap *tap)
{
    struct emitter_skip null = {NULL};
    if (tap->without_event) {
        return;
    }
    if (tap->way == WAY_INLINE && !tap->guarded) {
        write_inline(weaver, tap);
        return;
    }
    events_flush(weaver);
    uint32_t before = weaver->used;
    if (tap->guarded) {
        emit_ldloc(&weaver->emitter, owner_local(weaver, tap));
        null = emit_branch(&weaver->emitter, IL_BRFALSE_S);
    }
    if (tap->way == WAY_INLINE) {
        write_inline(weaver, tap);
        events_flush(weaver);
    } else {
        make_default(weaver, tap);
        write_natively(weaver, tap);
        clear_locals(weaver, tap);
    }
    if (tap->guarded) {
        emit_skip_end(&weaver->emitter, null);
        weaver->used = weaver->used > before ? weaver->used : before;
    }
}
