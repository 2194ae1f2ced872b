// Native events: calls of the site functions of the agent (struct weave_targets), for values that IL cannot store as cells:
// object numbers, structs with references, values of a type parameter, and fields or items of an object.
#include "base/assert.h"
#include "trace/payload.h"
#include "weave/plan/lowering.h"

// Loads a local that may hold a reference as a native int. It is read through its address: in unoptimised code each
// conversion of a reference takes a stack slot.
static void load_as_number(struct lowering *lowering, uint32_t local)
{
    PUT(lowering, op_local(IL_LDLOCA, local), op_plain(IL_LDIND_I));
}

// Object: the address of a local, which the site function reads; nothing converts the reference itself, since a collection
// could move the object in between. Address: its bits.
static void load_owner(struct lowering *lowering, const struct event *event)
{
    enum site_owner owner = site_of(lowering, event)->owner;
    if (owner == OWNER_ADDRESS) {
        load_as_number(lowering, event->owner.number);
    } else {
        PUT(lowering, owner == OWNER_OBJECT ? op_local(IL_LDLOCA, event->owner.number) : op_number(0),
            op_plain(IL_CONV_U));
    }
}

// Sets the index local to the position of an item, from its indices, dimension by dimension.
static void fold_indices(struct lowering *lowering, const struct event *event)
{
    CLEW_ASSERT(event->rank <= RANK_MAX);
    for (uint32_t i = 0; i < event->rank; i++) {
        PUT(lowering, op_local(IL_LDLOCA, event->owner.number), op_plain(IL_CONV_U),
            op_local(IL_LDLOCA, event->index.number), op_plain(IL_CONV_U), op_number(i),
            op_local(IL_LDLOC, event->items[i]), op_probe(PROBE_ITEM_INDEX));
    }
}

// Sets the index local, where it is not spilled.
static void find_index(struct lowering *lowering, const struct event *event)
{
    switch (event->index_from) {
    case INDEX_ON_STACK:
    case INDEX_SAVED:
        break;
    case INDEX_OF_RANK:
        fold_indices(lowering, event);
        break;
    case INDEX_OF_KEY:
        PUT(lowering, op_context(lowering), op_number(0), op_local(IL_LDLOCA, event->items[0]), op_plain(IL_CONV_U),
            op_number(0), op_local(IL_LDLOCA, event->index.number), op_plain(IL_CONV_U), op_probe(PROBE_SITE_KEY));
        break;
    case INDEX_NEWEST:
        PUT(lowering, op_local(IL_LDLOCA, event->owner.number), op_plain(IL_CONV_U),
            op_local(IL_LDLOCA, event->index.number), op_plain(IL_CONV_U), op_number(event->count_at), op_number(0),
            op_probe(PROBE_NEWEST_INDEX));
        break;
    case INDEX_UNKNOWN:
        PUT(lowering, op_number((uint32_t)ITEM_UNKNOWN), op_local(IL_STLOC, event->index.number));
        break;
    }
}

static void load_index(struct lowering *lowering, const struct event *event)
{
    bool item = payload_has_index(site_of(lowering, event));
    PUT(lowering, item ? op_local(IL_LDLOC, event->index.number) : op_number(0));
    if (item && event->index.kind == IL_NATIVE) {
        PUT(lowering, op_plain(IL_CONV_I4));
    }
}

// Any integer is passed as a native int; site_bits() stores as many cells as the encoding of the site has.
static void load_bits(struct lowering *lowering, const struct event *event)
{
    if (event->source.kind == FROM_SPILL && event->value.kind == IL_REFERENCE) {
        load_as_number(lowering, event->value.number);
        return;
    }
    value_load(lowering, event);
    if (event->source.kind == FROM_NONE) {
        PUT(lowering, op_number(0));
    }
    PUT(lowering, op_plain(IL_CONV_I));
}

// Whether a struct that is read in place is outside of the variables of the method, so that a local holds its address.
static bool is_behind(const struct event *event)
{
    return event->strategy == EMIT_IN_PLACE &&
           (event->source.kind == FROM_ADDRESS || event->source.kind == FROM_THIS_FIELD ||
            event->source.kind == FROM_STATIC_FIELD);
}

static void load_location(struct lowering *lowering, const struct event *event)
{
    const struct source *source = &event->source;
    if (is_behind(event)) {
        PUT(lowering, op_local(IL_LDLOCA, source->kind == FROM_ADDRESS ? event->owner.number : event->value.number));
        return;
    }
    bool of_local = source->kind == FROM_LOCAL || source->kind == FROM_LOCAL_FIELD;
    PUT(lowering, op_variable(of_local ? IL_LDLOCA : IL_LDARGA, source->number));
    if (source->kind == FROM_LOCAL_FIELD || source->kind == FROM_PARAMETER_FIELD) {
        PUT(lowering, op_token(IL_LDFLDA, source->field));
    }
}

// The address of the value: of a local that holds a copy, or where the value is. It is converted to an unmanaged address, so
// the site function must have read the value before it returns; nothing may move meanwhile, since the call has no GC
// transition.
static void load_value_address(struct lowering *lowering, const struct event *event)
{
    if (event->strategy == EMIT_IN_PLACE) {
        load_location(lowering, event);
    } else {
        PUT(lowering, op_local(IL_LDLOCA, event->strategy == EMIT_TYPED ? event->typed : event->value.number));
    }
    PUT(lowering, op_plain(IL_CONV_U));
}

// What load_location() and load_value_address() expect in the value local.
static void prepare_value(struct lowering *lowering, const struct event *event)
{
    const struct source *source = &event->source;
    bool in_place = event->strategy == EMIT_IN_PLACE;
    value_make_default(lowering, event);
    if (in_place && source->kind == FROM_THIS_FIELD) {
        PUT(lowering, op_variable(IL_LDARG, 0), op_token(IL_LDFLDA, source->field));
    } else if (in_place && source->kind == FROM_STATIC_FIELD) {
        PUT(lowering, op_token(IL_LDSFLDA, source->field));
    } else if (in_place || event->strategy == EMIT_BITS || source->kind == FROM_SPILL || source->kind == FROM_DEFAULT) {
        return;
    } else {
        value_load(lowering, event);
    }
    PUT(lowering, op_local(IL_STLOC, event->value.number));
}

// `sizeof` passes the size of the value, which for a type parameter depends on the instantiation.
static void call_site(struct lowering *lowering, const struct event *event)
{
    bool behind = is_behind(event), typed = site_of(lowering, event)->encoding == VALUE_TYPED;
    if (behind || typed) {
        PUT(lowering, op_token(IL_SIZEOF, event->type_token),
            op_probe(behind                          ? PROBE_SITE_BEHIND
                     : event->strategy == EMIT_TYPED ? PROBE_SITE_TYPED
                                                     : PROBE_SITE_SIZED));
    } else {
        PUT(lowering, op_probe(event->strategy == EMIT_BITS ? PROBE_SITE_BITS : PROBE_SITE_AT));
    }
}

void native_write(struct lowering *lowering, const struct event *event)
{
    CLEW_ASSERT(event->strategy != EMIT_INLINE);
    room_moment(lowering);
    prepare_value(lowering, event);
    find_index(lowering, event);
    PUT(lowering, op_context(lowering), op_of(IL_LDC_I4, OPERAND_SITE, event->site));
    load_owner(lowering, event);
    load_index(lowering, event);
    (event->strategy == EMIT_BITS ? load_bits : load_value_address)(lowering, event);
    call_site(lowering, event);
    value_clear_locals(lowering, event);
    lowering->used = 0;
    lowering->passed = false; // site functions settle it, too
}
