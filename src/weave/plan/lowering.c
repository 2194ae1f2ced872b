#include "weave/plan/lowering.h"

#include <string.h>

void put(struct lowering *lowering, struct weave_op op)
{
    struct buffer *to = lowering->to;
    if (to->capacity - to->size < sizeof op) {
        buffer_append(to, &op, sizeof op);
    } else if (!to->failed) { // almost always: inline
        memcpy(to->data + to->size, &op, sizeof op);
        to->size += sizeof op;
    }
}

void put_all(struct lowering *lowering, const struct weave_op *ops, uint32_t count)
{
    buffer_append(lowering->to, ops, count * sizeof *ops);
}

void put_offset(struct lowering *lowering, size_t offset)
{
    CLEW_ASSERT(offset <= INT32_MAX);
    if (offset) {
        put_number(lowering, (uint32_t)offset);
        put_plain(lowering, IL_ADD);
    }
}

void put_site(struct lowering *lowering, enum weave_operand operand, const struct event *event)
{
    CLEW_ASSERT(operand == OPERAND_SITE || operand == OPERAND_EVENT);
    put(lowering, op_of(IL_LDC_I4, operand, event->site));
}

void put_context(struct lowering *lowering)
{
    put_local(lowering, IL_LDLOC, lowering->planner->fixed.context);
}

void put_word(struct lowering *lowering, enum weave_context word)
{
    put_context(lowering);
    put(lowering, op_of(IL_ADD, OPERAND_CONTEXT, word));
}
