// The value of an event: loads it from where the plan says that it is, and clears the locals that it went through.
#include "base/assert.h"
#include "weave/weaver.h"

// The encoding of the site gives the width of the access.
static void load_from_address(struct weaver *weaver, const struct weave_event *event)
{
    static const uint16_t loads[] = {
        [VALUE_BOOLEAN] = IL_LDIND_U1, [VALUE_CHAR] = IL_LDIND_U2,    [VALUE_I1] = IL_LDIND_I1,
        [VALUE_U1] = IL_LDIND_U1,      [VALUE_I2] = IL_LDIND_I2,      [VALUE_U2] = IL_LDIND_U2,
        [VALUE_I4] = IL_LDIND_I4,      [VALUE_U4] = IL_LDIND_U4,      [VALUE_R4] = IL_LDIND_R4,
        [VALUE_I8] = IL_LDIND_I8,      [VALUE_U8] = IL_LDIND_I8,      [VALUE_R8] = IL_LDIND_R8,
        [VALUE_NATIVE_I] = IL_LDIND_I, [VALUE_NATIVE_U] = IL_LDIND_I, [VALUE_POINTER] = IL_LDIND_I,
        [VALUE_OBJECT] = IL_LDIND_REF, [VALUE_STRUCT] = IL_LDOBJ,     [VALUE_TYPED] = IL_LDOBJ};
    enum site_encoding encoding = weaver_site(weaver, event)->encoding;
    CLEW_ASSERT(encoding < sizeof loads / sizeof *loads && loads[encoding]);
    emit_ldloc(&weaver->emitter, weaver_local(weaver, event->owner.number));
    emit(&weaver->emitter, (enum il_opcode)loads[encoding], loads[encoding] == IL_LDOBJ ? event->type_token : 0);
}

void value_load(struct weaver *weaver, const struct weave_event *event)
{
    struct emitter *at = &weaver->emitter;
    const struct weave_source *source = &event->source;
    switch (source->kind) {
    case FROM_NONE:
        break;
    case FROM_DEFAULT:
    case FROM_SPILL:
        emit_ldloc(at, weaver_local(weaver, event->value.number));
        break;
    case FROM_LOCAL:
        emit_ldloc(at, source->number);
        break;
    case FROM_PARAMETER:
        emit_ldarg(at, source->number);
        break;
    case FROM_LOCAL_FIELD:
        emit_ldloca(at, source->number);
        emit(at, IL_LDFLD, source->field);
        break;
    case FROM_PARAMETER_FIELD:
        emit_ldarga(at, source->number);
        emit(at, IL_LDFLD, source->field);
        break;
    case FROM_THIS_FIELD:
        emit_ldarg(at, 0);
        emit(at, IL_LDFLD, source->field);
        break;
    case FROM_STATIC_FIELD:
        emit(at, IL_LDSFLD, source->field);
        break;
    case FROM_ADDRESS:
        load_from_address(weaver, event);
        break;
    }
}

void value_make_default(struct weaver *weaver, const struct weave_event *event)
{
    if (event->source.kind == FROM_DEFAULT) {
        emit_ldloca(&weaver->emitter, weaver_local(weaver, event->value.number));
        emit(&weaver->emitter, IL_INITOBJ, event->type_token);
    }
}

void value_clear_local(struct weaver *weaver, struct weave_local local, uint32_t type_token)
{
    struct emitter *at = &weaver->emitter;
    switch (local.kind) {
    case IL_OBJECT:
        emit(at, IL_LDNULL, 0);
        emit_stloc(at, weaver_local(weaver, local.number));
        break;
    case IL_REFERENCE:
        emit_number(at, 0);
        emit(at, IL_CONV_U, 0);
        emit_stloc(at, weaver_local(weaver, local.number));
        break;
    case IL_VALUE:
        CLEW_ASSERT(type_token);
        emit_ldloca(at, weaver_local(weaver, local.number));
        emit(at, IL_INITOBJ, type_token);
        break;
    default:
        break;
    }
}

void value_clear_locals(struct weaver *weaver, const struct weave_event *event)
{
    bool on_its_way = event->result == RESULT_UNTIL_STORED || event->result == RESULT_TESTED;
    if (event->clears_value && !event->until_exit && !on_its_way) {
        value_clear_local(weaver, event->value, event->type_token);
    }
    if (!event->owner_stays && (event->owner.kind == IL_OBJECT || event->owner.kind == IL_REFERENCE)) {
        value_clear_local(weaver, event->owner, 0);
    }
    if (event->index.kind == IL_REFERENCE) {
        value_clear_local(weaver, event->index, 0);
    }
}
