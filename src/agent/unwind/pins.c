// Pinned exceptions.
//
// While CoreCLR 9 and 10 announce a filter, their C++ code keeps an unprotected reference to the exception
// (dotnet/runtime#132462). The thread is in preemptive mode at that time, so a compacting collection may move the
// object, and the filter then gets an address where no object begins. The fault occurs only with a profiler that
// listens to exceptions, so the agent prevents it: it holds a pinned handle from ExceptionThrown to the end of the
// handler, which is as long as the runtime itself keeps the exception alive. Runtime 8 dispatches exceptions in another
// way and is not affected.
//
// Handles are created and destroyed in ExceptionThrown and ExceptionCatcherLeave only. These were measured on 8, 9 and
// 10 to come in cooperative mode. The callbacks of filters come in preemptive mode, where destroying a handle could
// race with a collection that uses it. Which dispatches are over follows from the stack, as it does for the runtime: a
// dispatch runs below the frame that threw. At the end of a handler all dispatches below the catching frame are over;
// at a throw, all that are not above it. One case remains: an exception that a filter threw and the runtime swallowed
// stays pinned until the next of these callbacks.
//
// An object that is not an exception is thrown inside a RuntimeWrappedException. Code of an assembly that does not ask
// for the wrapping gets the object itself, which the runtime protects no better, so the wrapped object is pinned, too.
#include "agent/unwind/pins.h"

#include "agent/loaded/modules.h"
#include "agent/session/agent.h"
#include "agent/session/pages.h"
#include "agent/session/report.h"

// The most exceptions that are in flight at once on one thread; further ones are not pinned. Each dispatch takes some 4
// KB of the thread's stack. FIRST_WITH_HOLE: the first major version of the runtime that needs pins.
enum { PINS_MAX = 253, FIRST_WITH_HOLE = 9 };

struct pin {
    uintptr_t at; // stack address of its ExceptionThrown
    void *handle;
};

// The pins of one thread, from the shallowest dispatch to the deepest. A page; when the thread ends another one may use
// it, and it is never unmapped.
struct pin_stack {
    struct pin_stack *next;
    _Atomic clr_id thread; // 0: free
    uint32_t count;
    clr_id other_class; // the newest class that was found not to be RuntimeWrappedException
    struct pin pins[PINS_MAX];
};

static_assert(sizeof(struct pin_stack) <= 4096, "a stack of pins fits a page");

static void *pinning; // ICorProfilerInfo13; NULL: exceptions are not pinned
static struct pin_stack *_Atomic stacks;
static _Atomic uint32_t unpinned;
static _Atomic clr_id wrapping_class;  // RuntimeWrappedException; 0: none was thrown yet
static _Atomic uint32_t wrapped_field; // offset of the wrapped object in it; stored before wrapping_class
static __thread struct pin_stack *mine __attribute__((tls_model("initial-exec")));

void pins_start(void)
{
    uint16_t major = 0, minor, build;
    if (clr_failed(info_get_runtime(agent.info, &major, &minor, &build)) || major >= FIRST_WITH_HOLE) {
        if (clr_failed(clr_query(agent.info, &clr_iid_info13, &pinning))) {
            pinning = NULL;
            report_note(
                "the runtime cannot pin exceptions: a throw through a filter during a garbage collection may crash");
        }
    }
}

static struct pin_stack *add_stack(clr_id thread)
{
    struct pin_stack *stack = pages_new(sizeof(struct pin_stack));
    if (stack) {
        stack->thread = thread;
        stack->next = atomic_load_explicit(&stacks, memory_order_relaxed);
        // Release: its fields are stored before others can find it.
        while (!atomic_compare_exchange_weak_explicit(&stacks, &stack->next, stack, memory_order_release,
                                                      memory_order_relaxed)) {
        }
    }
    return stack;
}

// The pins of the calling thread. It is in cooperative mode, so this takes no lock and makes at most one system call.
// NULL: no memory.
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
    for (clr_id free_owner = 0; stack; stack = stack->next, free_owner = 0) {
        // Pairs with the release store in pins_thread_destroyed(): the former owner's changes are visible.
        if (atomic_compare_exchange_strong_explicit(&stack->thread, &free_owner, thread, memory_order_acquire,
                                                    memory_order_relaxed)) {
            break;
        }
    }
    mine = stack ? stack : add_stack(thread);
    return mine;
}

// Unpins the exceptions of all dispatches that began below `address`. They are over, since the stack grows down and the
// memory below that address is in use again.
static void free_below(struct pin_stack *stack, uintptr_t address)
{
    CLEW_ASSERT(stack->count <= PINS_MAX);
    while (stack->count && stack->pins[stack->count - 1].at < address) {
        stack->count--;
        (void)info_destroy_handle(pinning, stack->pins[stack->count].handle);
    }
}

// The object that an exception wraps; 0: none.
static clr_id wrapped_by(struct pin_stack *stack, clr_id exception)
{
    // An object begins with its method table, which is its ClassID; the garbage collector uses the lowest bits.
    clr_id class = *(const clr_id *)exception & ~(clr_id)7;
    clr_id wrapping = atomic_load_explicit(&wrapping_class, memory_order_acquire);
    if (!wrapping && class != stack->other_class) {
        struct clr_field fields[2];
        uint32_t count = 0;
        if (module_is_core_class(class, "RuntimeWrappedException") &&
            !clr_failed(info_get_fields(agent.info, class, 2, fields, &count)) && count == 1) {
            atomic_store_explicit(&wrapped_field, fields[0].offset, memory_order_relaxed);
            atomic_store_explicit(&wrapping_class, class, memory_order_release);
            wrapping = class;
        }
        stack->other_class = class;
    }
    uint32_t offset = atomic_load_explicit(&wrapped_field, memory_order_relaxed);
    return class == wrapping ? *(const clr_id *)(exception + offset) : 0;
}

static void pin(struct pin_stack *stack, uintptr_t at, clr_id object)
{
    struct pin pin = {.at = at};
    if (stack->count == PINS_MAX || clr_failed(info_create_pin(pinning, object, &pin.handle))) {
        atomic_fetch_add_explicit(&unpinned, 1, memory_order_relaxed);
        return;
    }
    CLEW_ASSERT(stack->count == 0 || stack->pins[stack->count - 1].at >= at);
    stack->pins[stack->count++] = pin;
}

void pins_thrown(clr_id exception)
{
    if (!pinning || !exception) {
        return;
    }
    struct pin_stack *stack = own_stack();
    if (!stack) {
        atomic_fetch_add_explicit(&unpinned, 1, memory_order_relaxed);
        return;
    }
    uintptr_t at = (uintptr_t)__builtin_frame_address(0);
    free_below(stack, at + 1);
    pin(stack, at, exception);
    clr_id wrapped = wrapped_by(stack, exception);
    if (wrapped) {
        pin(stack, at, wrapped);
    }
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
