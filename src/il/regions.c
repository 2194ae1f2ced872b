// The JIT's rules for exception tables. The JIT keeps tries, handlers and filters in one tree and refuses tables that
// do not fit into it; it also checks every transfer of control, even in unreachable code. Each check here has its
// counterpart there, so that a body passes both or neither.
#include "il/regions.h"

#include <stddef.h>

#include "base/assert.h"

enum block_kind { BLOCK_TRY, BLOCK_HANDLER, BLOCK_FILTER, BLOCK_KINDS };

// From the order of one instruction to that of another, exclusive.
struct range {
    uint32_t start, end;
};

static struct range range_of(const struct il_instruction *start, const struct il_instruction *end)
{
    return (struct range){start->order, end->order};
}

static struct range block_of(const struct il_region *region, enum block_kind kind)
{
    CLEW_ASSERT(kind != BLOCK_FILTER || region->kind == IL_FILTER);
    switch (kind) {
    case BLOCK_TRY:
        return range_of(region->try_start, region->try_end);
    case BLOCK_HANDLER:
        return range_of(region->handler_start, region->handler_end);
    default:
        return range_of(region->filter_start, region->handler_start);
    }
}

static unsigned block_count(const struct il_region *region)
{
    return region->kind == IL_FILTER ? BLOCK_KINDS : BLOCK_FILTER;
}

static bool inside(struct range range, uint32_t order)
{
    return order >= range.start && order < range.end;
}

static bool equal(struct range a, struct range b)
{
    return a.start == b.start && a.end == b.end;
}

static bool overlap(struct range a, struct range b)
{
    return a.start < b.end && b.start < a.end;
}

// False for equal ranges.
static bool contains(struct range outer, struct range inner)
{
    return outer.start <= inner.start && inner.end <= outer.end && !equal(outer, inner);
}

static bool catches(const struct il_region *region)
{
    return region->kind == IL_CATCH || region->kind == IL_FILTER;
}

// Checks the blocks of one region: a try and its handler may not overlap, and a filter ends in front of its handler.
static const char *check_region(const struct il_region *region)
{
    for (unsigned i = 0; i < block_count(region); i++) {
        struct range block = block_of(region, i);
        if (block.start >= block.end) {
            return "an empty region";
        }
        for (unsigned k = 0; k < i; k++) {
            if (overlap(block, block_of(region, k))) {
                return "a region overlaps its own handler";
            }
        }
    }
    if (region->kind == IL_FILTER && region->handler_start->previous->opcode != IL_ENDFILTER) {
        return "a filter that does not end with endfilter";
    }
    return NULL;
}

// Checks one block of a region against one of a region that comes later in the table.
static const char *check_blocks(const struct il_region *earlier, enum block_kind earlier_kind,
                                const struct il_region *later, enum block_kind later_kind)
{
    struct range a = block_of(earlier, earlier_kind);
    struct range b = block_of(later, later_kind);
    if (!overlap(a, b)) {
        return NULL;
    }
    bool both_try = earlier_kind == BLOCK_TRY && later_kind == BLOCK_TRY;
    if (equal(a, b)) {
        if (!both_try) {
            return "a handler is shared";
        }
        return catches(earlier) && catches(later) ? NULL : "a try with a finally or fault has other handlers";
    }
    if (!contains(a, b) && !contains(b, a)) {
        return "regions overlap";
    }
    if (a.start == b.start && earlier_kind != BLOCK_TRY && later_kind != BLOCK_TRY) {
        return "handlers start at the same place";
    }
    if ((contains(a, b) ? earlier_kind : later_kind) == BLOCK_FILTER) {
        return "a region inside a filter";
    }
    // Also in a handler: the JIT sorts such a table, and then miscompiles some of them.
    return contains(a, b) ? "an inner region comes after its outer one" : NULL;
}

// A block contains another region as a whole or not at all.
static const char *check_whole(const struct il_region *outer, const struct il_region *inner)
{
    for (unsigned i = 0; i < block_count(outer); i++) {
        unsigned contained = 0;
        for (unsigned k = 0; k < block_count(inner); k++) {
            contained += contains(block_of(outer, i), block_of(inner, k));
        }
        if (contained != 0 && contained != block_count(inner)) {
            return "a region lies partly inside another";
        }
    }
    return NULL;
}

// Checks two regions, of which `earlier` comes first in the table.
static const char *check_pair(const struct il_region *earlier, const struct il_region *later)
{
    for (unsigned i = 0; i < block_count(earlier); i++) {
        for (unsigned k = 0; k < block_count(later); k++) {
            const char *wrong = check_blocks(earlier, i, later, k);
            if (wrong) {
                return wrong;
            }
        }
    }
    const char *wrong = check_whole(earlier, later);
    return wrong ? wrong : check_whole(later, earlier);
}

const char *il_check_regions(const struct il_body *body)
{
    for (uint32_t i = 0; i < body->region_count; i++) {
        const char *wrong = check_region(&body->regions[i]);
        for (uint32_t k = 0; k < i && !wrong; k++) {
            wrong = check_pair(&body->regions[k], &body->regions[i]);
        }
        if (wrong) {
            return wrong;
        }
    }
    return NULL;
}

// The handler of a region, with its filter.
static struct range handling(const struct il_region *region)
{
    return range_of(region->kind == IL_FILTER ? region->filter_start : region->handler_start, region->handler_end);
}

// Inner regions come first in the table, so the first region found around an instruction is the innermost one.
void il_find_nesting(const struct il_body *body, struct il_nesting *nesting)
{
    for (uint32_t i = 0; i < body->region_count; i++) {
        const struct il_region *region = &body->regions[i];
        CLEW_ASSERT(region->try_end->order <= body->end->order && region->handler_end->order <= body->end->order);
        struct range block = block_of(region, BLOCK_TRY);
        for (uint32_t order = block.start; order < block.end; order++) {
            if (!nesting[order].try_region) {
                nesting[order].try_region = i + 1;
            }
        }
        block = handling(region);
        for (uint32_t order = block.start; order < block.end; order++) {
            if (!nesting[order].handler_region) {
                nesting[order].handler_region = i + 1;
                nesting[order].in_filter = order < region->handler_start->order;
            }
        }
    }
}

// A try that encloses the handler starts and ends outside of it; only one inside counts.
bool il_handler_is_innermost(const struct il_body *body, const struct il_nesting *nesting)
{
    if (!nesting->handler_region) {
        return false;
    }
    if (!nesting->try_region) {
        return true;
    }
    struct range inner = block_of(&body->regions[nesting->try_region - 1], BLOCK_TRY);
    struct range handler = handling(&body->regions[nesting->handler_region - 1]);
    return !contains(handler, inner) && !equal(handler, inner);
}

// Whether a try starts at `to`, and no other try contains `to`, of those that start earlier and come before number
// `limit` (1 + index) in the table.
static bool enters_first(const struct il_body *body, uint32_t limit, const struct il_instruction *to,
                         uint32_t try_region)
{
    CLEW_ASSERT(try_region > 0 && try_region <= body->region_count);
    if (body->regions[try_region - 1].try_start != to) {
        return false;
    }
    for (uint32_t i = try_region; i + 1 < limit; i++) {
        struct range block = block_of(&body->regions[i], BLOCK_TRY);
        if (block.start < to->order && inside(block, to->order)) {
            return false;
        }
    }
    return true;
}

// Control enters a handler only by an exception, and leaves it by `leave`, `endfinally`, `endfilter` or an exception.
static const char *check_handler_transfer(const struct il_body *body, const struct il_nesting *from,
                                          const struct il_nesting *to, const struct il_instruction *source, bool leave)
{
    if (!from->handler_region) {
        return to->handler_region ? "control enters a handler" : NULL;
    }
    if (from->handler_region == to->handler_region) {
        return from->in_filter == to->in_filter ? NULL : "control goes between a filter and its handler";
    }
    if (!leave) {
        return "control leaves a handler other than by leave";
    }
    if (to->handler_region && !inside(handling(&body->regions[to->handler_region - 1]), source->order)) {
        return "a leave into a handler";
    }
    const struct il_region *region = &body->regions[from->handler_region - 1];
    if (from->in_filter || to->in_filter) {
        return "a leave out of a filter";
    }
    return catches(region) ? NULL : "a leave out of a finally or fault";
}

enum catch_exit { EXIT_USUAL, EXIT_BACK, EXIT_CLOSED };

// A `leave` may go from a catch back into its try (Resume of Visual Basic), but not out of a finally, fault or filter
// around it.
static enum catch_exit exit_of_catch(const struct il_body *body, const struct il_instruction *from,
                                     const struct il_instruction *to, uint32_t to_try)
{
    enum catch_exit leaving = EXIT_USUAL;
    for (uint32_t i = 0; i < body->region_count; i++) {
        const struct il_region *region = &body->regions[i];
        struct range handler = handling(region);
        if (!inside(handler, from->order)) {
            continue;
        }
        if (!catches(region)) {
            if (!inside(handler, to->order)) {
                return EXIT_CLOSED;
            }
            continue;
        }
        struct range try_block = block_of(region, BLOCK_TRY);
        if (inside(try_block, to->order) && (equal(try_block, block_of(&body->regions[to_try - 1], BLOCK_TRY)) ||
                                             enters_first(body, i + 1, to, to_try))) {
            leaving = EXIT_BACK;
        }
    }
    return leaving;
}

// The number of the innermost try behind `from_try` in the table that contains both instructions.
static uint32_t common_try(const struct il_body *body, uint32_t from_try, const struct il_instruction *to)
{
    uint32_t number = from_try + 1;
    while (number <= body->region_count && !inside(block_of(&body->regions[number - 1], BLOCK_TRY), to->order)) {
        number++;
    }
    return number;
}

// Control enters a try at its first instruction, and leaves it by `leave` or an exception.
static const char *check_try_transfer(const struct il_body *body, uint32_t from_try, uint32_t to_try,
                                      const struct il_instruction *to, bool leave)
{
    CLEW_ASSERT(from_try <= body->region_count && to_try <= body->region_count);
    if (from_try == to_try) {
        return NULL;
    }
    struct range everywhere = {0, body->end->order};
    struct range source = from_try ? block_of(&body->regions[from_try - 1], BLOCK_TRY) : everywhere;
    struct range target = to_try ? block_of(&body->regions[to_try - 1], BLOCK_TRY) : everywhere;
    if (contains(target, source) || equal(target, source)) {
        return leave ? NULL : "control leaves a try other than by leave";
    }
    if (inside(source, target.start)) {
        uint32_t limit = from_try ? from_try : body->region_count + 1;
        return enters_first(body, limit, to, to_try) ? NULL : "control enters the middle of a try";
    }
    if (!leave) {
        return "control goes from one try into another";
    }
    return enters_first(body, common_try(body, from_try, to), to, to_try) ? NULL : "a leave into the middle of a try";
}

const char *il_check_transfer(const struct il_body *body, const struct il_nesting *nesting,
                              const struct il_instruction *from, const struct il_instruction *to, bool leave)
{
    const struct il_nesting *source = &nesting[from->order];
    const struct il_nesting *target = &nesting[to->order];
    const char *wrong = check_handler_transfer(body, source, target, from, leave);
    if (wrong) {
        return wrong;
    }
    bool in_catch = source->handler_region && !source->in_filter && catches(&body->regions[source->handler_region - 1]);
    if (leave && in_catch) {
        enum catch_exit leaving = exit_of_catch(body, from, to, target->try_region);
        if (leaving != EXIT_USUAL) {
            return leaving == EXIT_BACK ? NULL : "a leave out of a finally or fault";
        }
    }
    return check_try_transfer(body, source->try_region, target->try_region, to, leave);
}
