// A bit for each method. Pages of it that no number reaches take no memory.
#include "agent/probe/probe_suspending.h"

#include <stdatomic.h>

#include "agent/probe/probe_thread.h"

static _Atomic uint64_t suspending[THREAD_METHODS_MAX / 64];

void probe_note_suspending(uint32_t method)
{
    uint32_t number = method & RING_METHOD_NUMBER;
    if (number < THREAD_METHODS_MAX) {
        atomic_fetch_or_explicit(&suspending[number / 64], UINT64_C(1) << number % 64, memory_order_relaxed);
    }
}

bool probe_suspends(uint32_t method)
{
    uint32_t number = method & RING_METHOD_NUMBER;
    return number < THREAD_METHODS_MAX &&
           atomic_load_explicit(&suspending[number / 64], memory_order_relaxed) >> number % 64 & 1;
}
