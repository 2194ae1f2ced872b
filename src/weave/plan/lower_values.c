// The value of an event: loads it from where the event says that it is, and clears the locals that it went through.
#include "base/assert.h"
#include "weave/plan/lowering.h"

// The encoding of the site gives the width of the access.
static void load_from_address(struct lowering *lowering, const struct event *event)
{
    static const uint16_t loads[] = {
        [VALUE_BOOLEAN] = IL_LDIND_U1, [VALUE_CHAR] = IL_LDIND_U2,    [VALUE_I1] = IL_LDIND_I1,
        [VALUE_U1] = IL_LDIND_U1,      [VALUE_I2] = IL_LDIND_I2,      [VALUE_U2] = IL_LDIND_U2,
        [VALUE_I4] = IL_LDIND_I4,      [VALUE_U4] = IL_LDIND_U4,      [VALUE_R4] = IL_LDIND_R4,
        [VALUE_I8] = IL_LDIND_I8,      [VALUE_U8] = IL_LDIND_I8,      [VALUE_R8] = IL_LDIND_R8,
        [VALUE_NATIVE_I] = IL_LDIND_I, [VALUE_NATIVE_U] = IL_LDIND_I, [VALUE_POINTER] = IL_LDIND_I,
        [VALUE_OBJECT] = IL_LDIND_REF, [VALUE_STRUCT] = IL_LDOBJ,     [VALUE_TYPED] = IL_LDOBJ};
    enum site_encoding encoding = site_of(lowering, event)->encoding;
    CLEW_ASSERT(encoding < sizeof loads / sizeof *loads && loads[encoding]);
    enum il_opcode load = (enum il_opcode)loads[encoding];
    PUT(lowering, op_local(IL_LDLOC, event->owner.number), op_token(load, load == IL_LDOBJ ? event->type_token : 0));
}

void value_load(struct lowering *lowering, const struct event *event)
{
    const struct source *source = &event->source;
    switch (source->kind) {
    case FROM_NONE:
        break;
    case FROM_DEFAULT:
    case FROM_SPILL:
        PUT(lowering, op_local(IL_LDLOC, event->value.number));
        break;
    case FROM_LOCAL:
        PUT(lowering, op_variable(IL_LDLOC, source->number));
        break;
    case FROM_PARAMETER:
        PUT(lowering, op_variable(IL_LDARG, source->number));
        break;
    case FROM_LOCAL_FIELD:
        PUT(lowering, op_variable(IL_LDLOCA, source->number), op_token(IL_LDFLD, source->field));
        break;
    case FROM_PARAMETER_FIELD:
        PUT(lowering, op_variable(IL_LDARGA, source->number), op_token(IL_LDFLD, source->field));
        break;
    case FROM_THIS_FIELD:
        PUT(lowering, op_variable(IL_LDARG, 0), op_token(IL_LDFLD, source->field));
        break;
    case FROM_STATIC_FIELD:
        PUT(lowering, op_token(IL_LDSFLD, source->field));
        break;
    case FROM_ADDRESS:
        load_from_address(lowering, event);
        break;
    }
}

void value_make_default(struct lowering *lowering, const struct event *event)
{
    if (event->source.kind == FROM_DEFAULT) {
        PUT(lowering, op_local(IL_LDLOCA, event->value.number), op_token(IL_INITOBJ, event->type_token));
    }
}

void value_clear_local(struct lowering *lowering, struct appended local, uint32_t type_token)
{
    struct weave_op ops[INSERTION_OPS_MAX];
    put(lowering, ops, insertion_clear(local, type_token, ops));
}

void value_clear_locals(struct lowering *lowering, const struct event *event)
{
    bool on_its_way = event->result == RESULT_UNTIL_STORED || event->result == RESULT_TESTED;
    if (event->clears_value && !event->until_exit && !on_its_way) {
        value_clear_local(lowering, event->value, event->type_token);
    }
    if (!event->owner_stays && (event->owner.kind == IL_OBJECT || event->owner.kind == IL_REFERENCE)) {
        value_clear_local(lowering, event->owner, 0);
    }
    if (event->index_from == INDEX_OF_KEY) {
        value_clear_local(lowering, (struct appended){event->items[0], IL_OBJECT}, 0);
    }
    if (event->key_token) {
        value_clear_local(lowering, (struct appended){event->items[0], IL_VALUE}, event->key_token);
    }
    if (event->index.kind == IL_REFERENCE) {
        value_clear_local(lowering, event->index, 0);
    }
}
