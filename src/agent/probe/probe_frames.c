#include "agent/probe/probe_frames.h"

#include <stdatomic.h>
#include <stddef.h>

#include "agent/probe/probe_thread.h"
#include "agent/session/pages.h"

enum {
    RANGES_MAX = 1 << 20,
    NEAR = 2,            // frames from that of a probe's caller to the method's: a stub may lie between
    WALK_MAX = 1 << 16,  // frames that a walk looks at
    STACK_MAX = 1 << 30, // bytes of the largest stack: what is further away is no frame
    ALIGNED = sizeof(uintptr_t) - 1,
};

// Native code of a method, which has several of the kind: one for each tier and each instantiation over value types.
struct range {
    uintptr_t start, end;
    uint32_t next; // of the same method; 0: none
};

static struct range *ranges; // from 1 on
static _Atomic uint32_t ranges_used = 1;
static _Atomic uint32_t *newest; // range by method; 0: none
static struct frame_code runtime;

bool frames_setup(void)
{
    ranges = pages_new(RANGES_MAX * sizeof *ranges);
    newest = pages_new(THREAD_METHODS_MAX * sizeof *newest);
    return ranges && newest;
}

void frames_set_runtime(struct frame_code code)
{
    runtime = code;
}

static bool has_code(uint32_t method)
{
    return method < THREAD_METHODS_MAX && newest && atomic_load_explicit(&newest[method], memory_order_relaxed);
}

// The method's native code with this address; 0: it has none.
static uint32_t range_of(uint32_t method, uintptr_t address)
{
    uint32_t range = method < THREAD_METHODS_MAX && newest
                         ? atomic_load_explicit(&newest[method], memory_order_acquire) // pairs with frames_add_code()
                         : 0;
    while (range && (address < ranges[range].start || address >= ranges[range].end)) {
        range = ranges[range].next;
    }
    return range;
}

static bool is_code_of(uint32_t method, uintptr_t address)
{
    return range_of(method, address);
}

struct frame_code frames_code_of(uint32_t method, uintptr_t address)
{
    uint32_t range = range_of(method, address);
    return range ? (struct frame_code){ranges[range].start, ranges[range].end - ranges[range].start}
                 : (struct frame_code){0};
}

void frames_add_code(uint32_t method, uintptr_t start, uintptr_t size)
{
    if (!ranges || !newest || method >= THREAD_METHODS_MAX || is_code_of(method, start)) {
        return;
    }
    uint32_t range = atomic_fetch_add_explicit(&ranges_used, 1, memory_order_relaxed);
    if (range >= RANGES_MAX) {
        atomic_store_explicit(&ranges_used, RANGES_MAX, memory_order_relaxed);
        return;
    }
    ranges[range] = (struct range){.start = start, .end = start + size};
    ranges[range].next = atomic_load_explicit(&newest[method], memory_order_relaxed);
    // Release: whoever finds the range finds it whole.
    while (!atomic_compare_exchange_weak_explicit(&newest[method], &ranges[range].next, range, memory_order_release,
                                                  memory_order_relaxed)) {
    }
}

// Code may use the register for something else, and then the chain ends: a frame lies above those that it has called.
static bool follows(uintptr_t frame, uintptr_t caller)
{
    return caller > frame && caller - frame < STACK_MAX && (caller & ALIGNED) == 0;
}

struct frame frames_caller(struct frame frame)
{
    uintptr_t caller = frame.at ? frames_word_at(frame.at) : 0;
    return follows(frame.at, caller) ? (struct frame){caller, frames_return_of(frame.at)} : (struct frame){0};
}

struct frame frames_of(uint32_t method, struct frame from)
{
    if (!has_code(method)) {
        return (struct frame){0};
    }
    if (is_code_of(method, from.code)) {
        return from;
    }
    struct frame caller = frames_caller(from); // of a stub
    bool found = is_code_of(method, caller.code) || frames_is_in(runtime, caller.code);
    return found ? caller : (struct frame){0};
}

bool frames_has(uint32_t method, const struct ring_await *await, struct frame from)
{
    // What lies below a known frame is the thread's stack, so each frame up to there can be read.
    for (int left = WALK_MAX; left > 0 && from.at && from.at < await->frame; left--) {
        from = frames_caller(from);
    }
    if (!await->frame || from.at != await->frame) {
        return false;
    }
    return is_code_of(method, from.code) ||
           (frames_is_in(runtime, from.code) && (uint32_t)frames_return_of(from.at) == await->returns_to);
}
