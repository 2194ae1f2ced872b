// Exceptions that must not move. CoreCLR 9 and 10 keep a bare reference to the exception in C++ while they announce a
// filter (dotnet/runtime#132462): the thread stands in preemptive mode then, a compacting collection moves the object,
// and the filter is given what is no object any more. Any profiler that listens to exceptions opens that hole, so the
// agent closes it: a pinned handle from ExceptionThrown to the end of the handler, which is as long as the runtime itself
// keeps the exception alive. Runtime 8 dispatches another way and has no such hole.
//
// Handles are made and destroyed in ExceptionThrown and ExceptionCatcherLeave, which were measured on 8, 9 and 10 to come
// in cooperative mode; those of filters come in preemptive mode, where a handle is not destroyed for fear of a collection
// that is at it. What is over shows by the stack, as it does to the runtime: a dispatch runs below what has thrown, so at
// the end of a handler all dispatches below the frame that caught are over, and at a throw all that are not above it.
// That leaves an exception that a filter threw and the runtime swallowed: it is held until the next of these.
#include "agent/agent.h"

#include <sys/mman.h>

// Dispatches under way at once on one thread: each takes some 4 KB of its stack. Beyond that, exceptions are not pinned.
enum { PINS_MAX = 254, FIRST_WITH_HOLE = 9 };

struct pin {
    uintptr_t at; // stack address of its ExceptionThrown
    void *handle;
};

// Of one thread: from the shallowest dispatch to the deepest. A page, given back when the thread ends and never unmapped.
struct pin_stack {
    struct pin_stack *next;
    _Atomic clr_id thread; // 0: nobody's
    uint32_t count;
    struct pin pins[PINS_MAX];
};

static void *pinning; // ICorProfilerInfo13; NULL: nothing is pinned
static struct pin_stack *_Atomic stacks;
static _Atomic uint32_t unpinned;
static __thread struct pin_stack *mine __attribute__((tls_model("initial-exec")));

void pins_start(void)
{
    uint16_t major = 0, minor, build;
    if (clr_failed(info_get_runtime(agent.info, &major, &minor, &build)) || major >= FIRST_WITH_HOLE) {
        if (clr_failed(clr_query(agent.info, &clr_iid_info13, &pinning))) {
            pinning = NULL;
            report_note(
                "this runtime pins no exceptions: one that throws through a filter while it collects may crash");
        }
    }
}

static struct pin_stack *make_stack(void)
{
    struct pin_stack *stack =
        mmap(NULL, sizeof *stack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return stack == MAP_FAILED ? NULL : stack;
}

static struct pin_stack *add_stack(clr_id thread)
{
    struct pin_stack *stack = make_stack();
    if (stack) {
        stack->thread = thread;
        stack->next = atomic_load_explicit(&stacks, memory_order_relaxed);
        // The stack is whole before it can be found.
        while (!atomic_compare_exchange_weak_explicit(&stacks, &stack->next, stack, memory_order_release,
                                                      memory_order_relaxed)) {
        }
    }
    return stack;
}

// The calling thread's, in cooperative mode: no locks, at most one system call. NULL when there is no memory.
static struct pin_stack *own_stack(void)
{
    clr_id thread;
    if (clr_failed(info_get_current_thread(agent.info, &thread)) || !thread) {
        return NULL;
    }
    if (mine && atomic_load_explicit(&mine->thread, memory_order_relaxed) == thread) {
        return mine;
    }
    struct pin_stack *stack = atomic_load_explicit(&stacks, memory_order_acquire);
    for (clr_id nobody = 0; stack; stack = stack->next, nobody = 0) {
        // Acquires what the former owner, or who cleaned up after it, released in pins_thread_destroyed().
        if (atomic_compare_exchange_strong_explicit(&stack->thread, &nobody, thread, memory_order_acquire,
                                                    memory_order_relaxed)) {
            break;
        }
    }
    mine = stack ? stack : add_stack(thread);
    return mine;
}

// The stack grows down: what began below an address that is in use again is over.
static void free_below(struct pin_stack *stack, uintptr_t address)
{
    while (stack->count && stack->pins[stack->count - 1].at < address) {
        stack->count--;
        (void)info_destroy_handle(pinning, stack->pins[stack->count].handle);
    }
}

void pins_thrown(clr_id exception)
{
    if (!pinning) {
        return;
    }
    struct pin pin = {.at = (uintptr_t)__builtin_frame_address(0)};
    struct pin_stack *stack = own_stack();
    if (stack) {
        free_below(stack, pin.at + 1);
    }
    if (!stack || stack->count == PINS_MAX || clr_failed(info_create_pin(pinning, exception, &pin.handle))) {
        atomic_fetch_add_explicit(&unpinned, 1, memory_order_relaxed);
        return;
    }
    stack->pins[stack->count++] = pin;
}

void pins_handled(void)
{
    struct clr_clause clause;
    if (mine && mine->count && !clr_failed(info_get_clause(agent.info, &clause))) {
        free_below(mine, clause.frame);
    }
}

void pins_thread_destroyed(clr_id thread)
{
    struct pin_stack *stack = atomic_load_explicit(&stacks, memory_order_acquire);
    while (stack && atomic_load_explicit(&stack->thread, memory_order_acquire) != thread) {
        stack = stack->next;
    }
    if (stack) {
        free_below(stack, UINTPTR_MAX);
        atomic_store_explicit(&stack->thread, 0, memory_order_release);
    }
}

void pins_report(void)
{
    uint32_t count = atomic_load_explicit(&unpinned, memory_order_relaxed);
    if (count) {
        report_note("%u exceptions could not be pinned while they were thrown", count);
    }
}
