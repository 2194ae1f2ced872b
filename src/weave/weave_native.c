// Native events: calls of the site functions of the agent (struct weave_targets), for values that IL cannot store as cells:
// object numbers, structs with references, values of a type parameter, and fields or items of an object.
#include "base/assert.h"
#include "weave/weaver.h"

// Loads a local that may hold a reference as a native int. It is read through its address: in unoptimised code each
// conversion of a reference takes a stack slot.
static void load_as_number(struct weaver *weaver, uint32_t local)
{
    emit_ldloca(&weaver->emitter, weaver_local(weaver, local));
    emit(&weaver->emitter, IL_LDIND_I, 0);
}

// Object: the address of a local, which the site function reads; nothing converts the reference itself, since a collection
// could move the object in between. Address: its bits.
static void load_owner(struct weaver *weaver, const struct weave_event *event)
{
    struct emitter *at = &weaver->emitter;
    switch (weaver_site(weaver, event)->owner) {
    case OWNER_OBJECT:
        emit_ldloca(at, weaver_local(weaver, event->owner.number));
        break;
    case OWNER_ADDRESS:
        load_as_number(weaver, event->owner.number);
        return;
    default:
        emit_number(at, 0);
        break;
    }
    emit(at, IL_CONV_U, 0);
}

// Sets the index local to the position of an item, from its indices, dimension by dimension.
static void fold_indices(struct weaver *weaver, const struct weave_event *event)
{
    CLEW_ASSERT(event->rank <= WEAVE_RANK_MAX);
    struct emitter *at = &weaver->emitter;
    for (uint32_t i = 0; i < event->rank; i++) {
        emit_ldloca(at, weaver_local(weaver, event->owner.number));
        emit(at, IL_CONV_U, 0);
        emit_ldloca(at, weaver_local(weaver, event->index.number));
        emit(at, IL_CONV_U, 0);
        emit_number(at, i);
        emit_ldloc(at, weaver_local(weaver, event->items[i]));
        emit_call(at, weaver->what->calls.targets->item_index, weaver->what->calls.signatures->item);
    }
}

static void load_index(struct weaver *weaver, const struct weave_event *event)
{
    struct emitter *at = &weaver->emitter;
    if (weaver_site(weaver, event)->place != PLACE_ITEM) {
        emit_number(at, 0);
        return;
    }
    emit_ldloc(at, weaver_local(weaver, event->index.number));
    if (event->index.kind == IL_NATIVE) {
        emit(at, IL_CONV_I4, 0);
    }
}

// Any integer is passed as a native int; site_bits() stores as many cells as the encoding of the site has.
static void load_bits(struct weaver *weaver, const struct weave_event *event)
{
    struct emitter *at = &weaver->emitter;
    if (event->source.kind == FROM_SPILL && event->value.kind == IL_REFERENCE) {
        load_as_number(weaver, event->value.number);
        return;
    }
    if (event->source.kind == FROM_NONE) {
        emit_number(at, 0);
    } else {
        value_load(weaver, event);
    }
    emit(at, IL_CONV_I, 0);
}

// Whether a struct that is read in place is outside of the variables of the method, so that a local holds its address.
static bool is_behind(const struct weave_event *event)
{
    return event->strategy == EMIT_IN_PLACE &&
           (event->source.kind == FROM_ADDRESS || event->source.kind == FROM_THIS_FIELD ||
            event->source.kind == FROM_STATIC_FIELD);
}

static void load_location(struct weaver *weaver, const struct weave_event *event)
{
    struct emitter *at = &weaver->emitter;
    if (is_behind(event)) {
        emit_ldloca(at, event->source.kind == FROM_ADDRESS ? weaver_local(weaver, event->owner.number)
                                                           : weaver_local(weaver, event->value.number));
        return;
    }
    bool of_local = event->source.kind == FROM_LOCAL || event->source.kind == FROM_LOCAL_FIELD;
    (of_local ? emit_ldloca : emit_ldarga)(at, event->source.number);
    if (event->source.kind == FROM_LOCAL_FIELD || event->source.kind == FROM_PARAMETER_FIELD) {
        emit(at, IL_LDFLDA, event->source.field);
    }
}

// The address of the value: of a local that holds a copy, or where the value is. It is converted to an unmanaged address, so
// the site function must have read the value before it returns; nothing may move meanwhile, since the call has no GC
// transition.
static void load_value_address(struct weaver *weaver, const struct weave_event *event)
{
    if (event->strategy == EMIT_IN_PLACE) {
        load_location(weaver, event);
    } else {
        emit_ldloca(&weaver->emitter,
                    weaver_local(weaver, event->strategy == EMIT_TYPED ? event->typed : event->value.number));
    }
    emit(&weaver->emitter, IL_CONV_U, 0);
}

static void prepare_address(struct weaver *weaver, const struct weave_event *event)
{
    struct emitter *at = &weaver->emitter;
    if (event->source.kind == FROM_THIS_FIELD) {
        emit_ldarg(at, 0);
        emit(at, IL_LDFLDA, event->source.field);
    } else if (event->source.kind == FROM_STATIC_FIELD) {
        emit(at, IL_LDSFLDA, event->source.field);
    } else {
        return;
    }
    emit_stloc(at, weaver_local(weaver, event->value.number));
}

static void prepare_value(struct weaver *weaver, const struct weave_event *event)
{
    struct emitter *at = &weaver->emitter;
    if (event->strategy == EMIT_IN_PLACE) {
        prepare_address(weaver, event);
    } else if (event->strategy != EMIT_BITS && event->source.kind != FROM_SPILL && event->source.kind != FROM_DEFAULT) {
        value_load(weaver, event);
        emit_stloc(at, weaver_local(weaver, event->value.number));
    }
}

// `sizeof` passes the size of the value, which for a type parameter depends on the instantiation.
static void call_site(struct weaver *weaver, const struct weave_event *event)
{
    struct emitter *at = &weaver->emitter;
    const struct weave_targets *targets = weaver->what->calls.targets;
    bool behind = is_behind(event), typed = weaver_site(weaver, event)->encoding == VALUE_TYPED;
    if (behind || typed) {
        emit(at, IL_SIZEOF, event->type_token);
        emit_call(at,
                  behind                          ? targets->site_behind
                  : event->strategy == EMIT_TYPED ? targets->site_typed
                                                  : targets->site_sized,
                  weaver->what->calls.signatures->typed);
    } else {
        emit_call(at, event->strategy == EMIT_BITS ? targets->site_bits : targets->site_at,
                  weaver->what->calls.signatures->site);
    }
}

void native_write(struct weaver *weaver, const struct weave_event *event)
{
    CLEW_ASSERT(event->strategy != EMIT_INLINE);
    struct emitter *at = &weaver->emitter;
    prepare_value(weaver, event);
    fold_indices(weaver, event);
    weaver_load_context(weaver);
    emit(at, IL_LDC_I4, weaver_site_number(weaver, event));
    load_owner(weaver, event);
    load_index(weaver, event);
    if (event->strategy == EMIT_BITS) {
        load_bits(weaver, event);
    } else {
        load_value_address(weaver, event);
    }
    call_site(weaver, event);
    weaver->used = 0;
}
