// Blocks of counters for `lines`. Runs in the middle of managed code, like all probes. When the segment has no more
// room for counters, activations count in a dummy block, which is never read, and ring_header.lines_missed counts these
// activations.
#include "agent/probe/probe_lines.h"

#include "agent/probe/bounded.h"
#include "agent/session/monotonic.h"
#include "agent/session/pages.h"
#include "base/clock.h"

static_assert(sizeof(struct weave_line) == sizeof(struct ring_line) &&
                  offsetof(struct weave_line, count) == offsetof(struct ring_line, count) &&
                  offsetof(struct weave_line, own) == offsetof(struct ring_line, own),
              "woven code counts in the segment");

static_assert(RING_LINES_SIZE % 64 == 0, "the last block is whole, too");

struct line_layout *line_layouts;

// The dummy block.
static struct weave_line unread[LINES_OF_A_METHOD];
static struct weave_lines unread_state = {.current = unread};

static struct weave_line **blocks_of(struct thread_private *own)
{
    if (!own->lines) {
        own->lines = pages_new(THREAD_METHODS_MAX * sizeof *own->lines);
    }
    return own->lines;
}

// A new block, in cache lines of its own. NULL: there is no more room.
static struct weave_line *take_block(const struct line_layout *form)
{
    CLEW_ASSERT(form->site_count > 0 && form->statements <= form->site_count && "0 says that a block is not complete");
    static_assert(RING_SITES_MAX <= (UINT32_MAX - 63) / sizeof(struct ring_line), "the size does not wrap");
    uint32_t size = (form->statements * (uint32_t)sizeof(struct ring_line) + 63) & ~63u;
    uint32_t at, number;
    if (!bounded_take(&probe_ring->lines_used, size, RING_LINES_SIZE, &at) ||
        !bounded_take(&probe_ring->lines_blocks, 1, RING_LINES_BLOCKS, &number)) {
        return NULL;
    }
    CLEW_ASSERT(at % 64 == 0 && "threads share no cache line");
    struct ring_lines_block *block = &ring_lines_blocks(probe_ring)[number];
    uint64_t offset = probe_ring->lines_offset + at;
    block->at = offset;
    block->first_site = form->first_site;
    // Pairs with the acquire load in block_at() of ring_lines.c: the other fields are stored before the block counts.
    atomic_store_explicit(&block->site_count, form->site_count, memory_order_release);
    return (struct weave_line *)((char *)probe_ring + offset);
}

// For a method's first activation on this thread, and for each one without room for counters.
static __attribute__((noinline, cold)) struct weave_line *enter_slow(uint32_t method)
{
    struct thread_private *own = thread_self_private;
    struct weave_line **blocks = own && method < THREAD_METHODS_MAX ? blocks_of(own) : NULL;
    struct weave_line *fresh = blocks ? take_block(&line_layouts[method]) : NULL;
    if (!fresh) {
        atomic_fetch_add_explicit(&probe_ring->lines_missed, 1, memory_order_relaxed);
        return unread;
    }
    CLEW_ASSERT(!blocks[method] && "a thread counts a method in one block");
    blocks[method] = fresh;
    return fresh;
}

static void now_by_tsc(uint64_t *now)
{
    *now = clock_tsc();
}

static void now_by_monotonic(uint64_t *now)
{
    *now = monotonic_ns();
}

lines_clock *lines_clock_of(const struct ring_header *ring)
{
    if (!(ring->flags & SESSION_LINES_BY_CLOCK)) {
        return NULL;
    }
    return ring->clock == CLOCK_KIND_TSC ? now_by_tsc : ring->clock == CLOCK_KIND_MONOTONIC ? now_by_monotonic : NULL;
}

static uint64_t now(void)
{
    lines_clock *clock = lines_clock_of(probe_ring);
    uint64_t time = atomic_load_explicit(&probe_ring->tick_ns, memory_order_relaxed);
    if (clock) {
        clock(&time);
    }
    return time;
}

static struct weave_lines *state_of(struct thread_private *own)
{
    if (own && !own->line_state.current) {
        own->line_state.current = unread;
        own->line_state.last = now();
    }
    return own ? &own->line_state : &unread_state;
}

struct weave_line *lines_enter_method(uint32_t marked, struct weave_lines **state)
{
    struct thread_private *own = thread_self_private;
    uint32_t method = marked & RING_METHOD_NUMBER;
    if (state) {
        *state = state_of(own);
    }
    bool known = own && own->lines && method < THREAD_METHODS_MAX && own->lines[method];
    return __builtin_expect(known, 1) ? own->lines[method] : enter_slow(method);
}
