// Native events: calls of the site functions of the agent (struct weave_targets), for values that IL cannot store as cells:
// object numbers, structs with references, values of a type parameter, and fields or items of an object.
#include "base/assert.h"
#include "weave/plan/lowering.h"

// Loads a local that may hold a reference as a native int. It is read through its address: in unoptimised code each
// conversion of a reference takes a stack slot.
static void load_as_number(struct lowering *lowering, uint32_t local)
{
    put_local(lowering, IL_LDLOCA, local);
    put_plain(lowering, IL_LDIND_I);
}

// Object: the address of a local, which the site function reads; nothing converts the reference itself, since a collection
// could move the object in between. Address: its bits.
static void load_owner(struct lowering *lowering, const struct event *event)
{
    switch (site_of(lowering, event)->owner) {
    case OWNER_OBJECT:
        put_local(lowering, IL_LDLOCA, event->owner.number);
        break;
    case OWNER_ADDRESS:
        load_as_number(lowering, event->owner.number);
        return;
    default:
        put_number(lowering, 0);
        break;
    }
    put_plain(lowering, IL_CONV_U);
}

// Sets the index local to the position of an item, from its indices, dimension by dimension.
static void fold_indices(struct lowering *lowering, const struct event *event)
{
    CLEW_ASSERT(event->rank <= RANK_MAX);
    for (uint32_t i = 0; i < event->rank; i++) {
        put_local(lowering, IL_LDLOCA, event->owner.number);
        put_plain(lowering, IL_CONV_U);
        put_local(lowering, IL_LDLOCA, event->index.number);
        put_plain(lowering, IL_CONV_U);
        put_number(lowering, i);
        put_local(lowering, IL_LDLOC, event->items[i]);
        put_probe(lowering, PROBE_ITEM_INDEX);
    }
}

static void load_index(struct lowering *lowering, const struct event *event)
{
    if (site_of(lowering, event)->place != PLACE_ITEM) {
        put_number(lowering, 0);
        return;
    }
    put_local(lowering, IL_LDLOC, event->index.number);
    if (event->index.kind == IL_NATIVE) {
        put_plain(lowering, IL_CONV_I4);
    }
}

// Any integer is passed as a native int; site_bits() stores as many cells as the encoding of the site has.
static void load_bits(struct lowering *lowering, const struct event *event)
{
    if (event->source.kind == FROM_SPILL && event->value.kind == IL_REFERENCE) {
        load_as_number(lowering, event->value.number);
        return;
    }
    if (event->source.kind == FROM_NONE) {
        put_number(lowering, 0);
    } else {
        value_load(lowering, event);
    }
    put_plain(lowering, IL_CONV_I);
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
        put_local(lowering, IL_LDLOCA, source->kind == FROM_ADDRESS ? event->owner.number : event->value.number);
        return;
    }
    bool of_local = source->kind == FROM_LOCAL || source->kind == FROM_LOCAL_FIELD;
    put_variable(lowering, of_local ? IL_LDLOCA : IL_LDARGA, source->number);
    if (source->kind == FROM_LOCAL_FIELD || source->kind == FROM_PARAMETER_FIELD) {
        put_token(lowering, IL_LDFLDA, source->field);
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
        put_local(lowering, IL_LDLOCA, event->strategy == EMIT_TYPED ? event->typed : event->value.number);
    }
    put_plain(lowering, IL_CONV_U);
}

static void prepare_address(struct lowering *lowering, const struct event *event)
{
    if (event->source.kind == FROM_THIS_FIELD) {
        put_variable(lowering, IL_LDARG, 0);
        put_token(lowering, IL_LDFLDA, event->source.field);
    } else if (event->source.kind == FROM_STATIC_FIELD) {
        put_token(lowering, IL_LDSFLDA, event->source.field);
    } else {
        return;
    }
    put_local(lowering, IL_STLOC, event->value.number);
}

static void prepare_value(struct lowering *lowering, const struct event *event)
{
    if (event->strategy == EMIT_IN_PLACE) {
        prepare_address(lowering, event);
    } else if (event->strategy != EMIT_BITS && event->source.kind != FROM_SPILL && event->source.kind != FROM_DEFAULT) {
        value_load(lowering, event);
        put_local(lowering, IL_STLOC, event->value.number);
    }
}

// `sizeof` passes the size of the value, which for a type parameter depends on the instantiation.
static void call_site(struct lowering *lowering, const struct event *event)
{
    bool behind = is_behind(event), typed = site_of(lowering, event)->encoding == VALUE_TYPED;
    if (behind || typed) {
        put_token(lowering, IL_SIZEOF, event->type_token);
        put_probe(lowering, behind                          ? PROBE_SITE_BEHIND
                            : event->strategy == EMIT_TYPED ? PROBE_SITE_TYPED
                                                            : PROBE_SITE_SIZED);
    } else {
        put_probe(lowering, event->strategy == EMIT_BITS ? PROBE_SITE_BITS : PROBE_SITE_AT);
    }
}

void native_write(struct lowering *lowering, const struct event *event)
{
    CLEW_ASSERT(event->strategy != EMIT_INLINE);
    value_make_default(lowering, event);
    prepare_value(lowering, event);
    fold_indices(lowering, event);
    put_context(lowering);
    put_site(lowering, OPERAND_SITE, event);
    load_owner(lowering, event);
    load_index(lowering, event);
    if (event->strategy == EMIT_BITS) {
        load_bits(lowering, event);
    } else {
        load_value_address(lowering, event);
    }
    call_site(lowering, event);
    value_clear_locals(lowering, event);
    lowering->used = 0;
}
