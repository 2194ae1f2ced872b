#include "weave/operations/operations.h"

#include "base/assert.h"

struct effect {
    int pops, pushes;
    int meanwhile; // pushed on top of what is popped, before that is popped
};

static struct effect effect_of_probe(uint32_t probe)
{
    static const struct effect effects[] = {
#define X(constant, target, signature, arguments, results) [PROBE_##constant] = {arguments, results, 1},
        WEAVE_PROBES(X)
#undef X
    };
    CLEW_ASSERT(probe < sizeof effects / sizeof *effects);
    return effects[probe];
}

static struct effect effect_of(const struct weave_op *op)
{
    struct effect effect;
    switch ((enum weave_operand)op->operand) {
    case OPERAND_OFFSET:
    case OPERAND_CONTEXT:
        return (struct effect){1, 1, 1};
    case OPERAND_PROBE:
        return effect_of_probe(op->number);
    case OPERAND_WAIT: // the bool of `wait`, and its address
        effect = effect_of_probe(op->number);
        return (struct effect){effect.pops, 0, effect.pops < 2 ? 2 - effect.pops : 1};
    case OPERAND_TICK:
        return (struct effect){0, 1, 1};
    case OPERAND_TIME:
        return (struct effect){0, 0, 2};
    case OPERAND_HERE:
    case OPERAND_PLACE:
        return (struct effect){0, 0, 0};
    default:
        CLEW_ASSERT(il_opcodes[op->opcode].pops != IL_VARIES && il_opcodes[op->opcode].pushes != IL_VARIES);
        return (struct effect){il_opcodes[op->opcode].pops, il_opcodes[op->opcode].pushes, 0};
    }
}

int weave_stack_effect(const struct weave_op *ops, size_t count, int *deepest)
{
    int depth = 0;
    *deepest = 0;
    for (size_t i = 0; i < count; i++) {
        struct effect effect = effect_of(&ops[i]);
        int most = depth + effect.meanwhile;
        depth += effect.pushes - effect.pops;
        most = depth > most ? depth : most;
        *deepest = most > *deepest ? most : *deepest;
    }
    return depth;
}

bool weave_are_balanced(const struct buffer *ops, size_t from, int slots)
{
    if (ops->failed || ops->size == from) {
        return true;
    }
    const struct weave_op *first = (const struct weave_op *)(const void *)(ops->data + from);
    int deepest, effect = weave_stack_effect(first, (ops->size - from) / sizeof *first, &deepest);
    return effect == 0 && deepest <= slots;
}
