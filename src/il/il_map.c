// Two passes over the body: the first counts the candidates by rank, that is by how much a stack trace needs them; the
// second writes as many as the limit allows. A rank that does not fit is thinned evenly.
#include "il/il_map.h"

#include "base/assert.h"

static const enum il_opcode plain_last = IL_POP; // opcodes up to this one: constants, variables, `dup`, `pop`

// By need, the greatest first. A statement reaches from one instruction with an empty stack to the next.
enum rank {
    RANK_CALLS,  // the start of a statement that calls or throws: callers appear in stack traces
    RANK_FAULTS, // the start of a statement that may throw in another way
    RANK_INSIDE, // calls and blocks inside of a statement: with optimisation one statement may cover several lines
    RANK_QUIET,  // the start of a statement that cannot throw: only debuggers need it
    RANK_COUNT,
    RANK_NONE = RANK_COUNT,
};

static bool is_arithmetic(enum il_opcode opcode)
{
    bool divides = opcode >= IL_DIV && opcode <= IL_REM_UN;
    return (opcode >= IL_ADD && opcode <= IL_CONV_U8 && !divides) || (opcode >= IL_CEQ && opcode <= IL_CLT_UN);
}

static bool cannot_throw(enum il_opcode opcode)
{
    enum il_flow flow = il_opcodes[opcode].flow;
    bool moves = opcode >= IL_LDARG && opcode <= IL_STLOC;
    return opcode <= plain_last || is_arithmetic(opcode) || moves || flow == IL_FLOW_BRANCH ||
           flow == IL_FLOW_CONDITION || flow == IL_FLOW_RETURN;
}

static bool calls_or_throws(enum il_opcode opcode)
{
    enum il_flow flow = il_opcodes[opcode].flow;
    return flow == IL_FLOW_CALL || flow == IL_FLOW_THROW || opcode == IL_JMP;
}

static bool is_call(const struct il_instruction *at)
{
    return il_opcodes[at->opcode].flow == IL_FLOW_CALL;
}

// An original instruction with those inserted in front of it.
struct unit {
    const struct il_instruction *original;
    uint32_t start; // new offset
    bool bound;     // any of them is: labels may have moved to an inserted instruction
    bool begins;    // it starts a block, or a stretch at or behind a call
};

// Reads the unit that begins at *at, and moves *at behind it. False: the code ends.
static bool next_unit(const struct il_body *body, const struct il_instruction **at, struct unit *out)
{
    *out = (struct unit){.start = (*at)->position, .begins = (*at)->previous && is_call((*at)->previous)};
    while (*at != body->end) {
        out->original = *at;
        out->bound |= (*at)->bound;
        out->begins |= (*at)->target || is_call(*at) || (*at)->opcode == IL_NOP;
        *at = (*at)->next;
        if (out->original->offset != IL_NO_OFFSET) {
            return true;
        }
    }
    return false;
}

static enum rank rank_of_statement(const struct il_body *body, const struct il_instruction *start)
{
    enum rank rank = RANK_QUIET;
    for (const struct il_instruction *at = start; at != body->end && (at == start || !at->bound); at = at->next) {
        bool original = at->offset != IL_NO_OFFSET;
        if (original && calls_or_throws(at->opcode)) {
            return RANK_CALLS;
        }
        rank = original && !cannot_throw(at->opcode) ? RANK_FAULTS : rank;
    }
    return rank;
}

static enum rank rank_of(const struct il_body *body, const struct unit *unit)
{
    if (!body->first->bound) { // not verified: `bound` is not set anywhere
        return RANK_CALLS;
    }
    if (unit->bound) {
        return rank_of_statement(body, unit->original);
    }
    return unit->begins ? RANK_INSIDE : RANK_NONE;
}

// One of `every` units of a rank gets an entry; 0: none does.
struct choice {
    uint32_t every[RANK_COUNT], seen[RANK_COUNT];
};

static struct choice choose(const struct il_body *body, uint32_t limit)
{
    struct choice choice = {0};
    uint32_t count[RANK_COUNT + 1] = {0};
    const struct il_instruction *at = body->first;
    struct unit unit;
    while (next_unit(body, &at, &unit)) {
        count[rank_of(body, &unit)]++;
    }
    for (unsigned rank = 0; rank < RANK_COUNT && limit; rank++) {
        choice.every[rank] = count[rank] ? (count[rank] + limit - 1) / limit : 1;
        limit = count[rank] < limit ? limit - count[rank] : 0;
    }
    return choice;
}

static bool is_chosen(struct choice *choice, enum rank rank)
{
    return rank != RANK_NONE && choice->every[rank] && choice->seen[rank]++ % choice->every[rank] == 0;
}

uint32_t il_map(const struct il_body *body, uint32_t limit, struct il_map_entry *out, bool *lines)
{
    CLEW_ASSERT(limit > 0);
    struct choice choice = choose(body, limit - 1); // the first instruction always has an entry
    const struct il_instruction *at = body->first;
    struct unit unit;
    uint32_t count = 0;
    while (next_unit(body, &at, &unit)) {
        bool chosen = is_chosen(&choice, rank_of(body, &unit));
        if (chosen || count == 0) {
            CLEW_ASSERT(count < limit);
            out[count++] = (struct il_map_entry){unit.original->offset, unit.start};
        }
    }
    *lines = choice.every[RANK_CALLS] == 1 && choice.every[RANK_FAULTS] == 1 && choice.every[RANK_INSIDE] == 1;
    return count;
}
