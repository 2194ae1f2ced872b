// Exits by exception. The runtime calls back on the thread that unwinds, frame by frame, between running the frames'
// handlers.
//
// The sequences of callbacks were measured on CoreCLR 8, 9 and 10:
// - An activation ends at UnwindFunctionLeave, not at UnwindFunctionEnter, since its finally blocks run in between.
//   With it end all activations above it, since inlined callees get no callbacks.
// - If a finally throws, its frame is entered twice and left once, and UnwindFinallyLeave is missing.
// - If a finally catches an exception of a method that it called, its frame is entered twice, too, and the finally
//   continues.
// - If a filter throws, 9 and 10 send a stray UnwindFunctionLeave. The filter's frames are unwound up to its owner,
//   which continues to run; the owner is entered as well, and left on 8 but not on 9 and 10. Therefore each pending
//   frame is identified by its activation, a Leave without a pending frame is ignored, and frames that a filter leaves
//   pending are dropped with the filter.
// - If no managed frame up to the next native one catches, 9 and 10 unwind up to there. They enter the last managed frame
//   without leaving it; if the exception comes from a catch handler of that frame, they do not even enter it. The native
//   code (reflection, the caller of a static constructor) then throws again, in the managed code that called it. So at a
//   throw, a pending frame is gone if no handler of it runs. A frame whose catch handler ran is gone if that throw is
//   above the one that left the handler, since the stack grows down. 8 enters and leaves these frames as any other.
//
// Some frames have no activation: if a `tail.` call needs more room for arguments than the caller has, a method of the
// runtime makes it, in a frame above the caller's, and the frame below that method has none.
#include "agent/unwind/exceptions.h"

#include "agent/loaded/methods.h"
#include "agent/loaded/suspending.h"
#include "agent/probe/probe.h"
#include "agent/probe/probe_awaits.h"
#include "agent/probe/probe_links.h"
#include "agent/probe/probe_suspending.h"
#include "agent/probe/probe_thread.h"
#include "agent/session/agent.h"
#include "agent/unwind/cancellations.h"

// What a thread has thrown before any probe ran on it. A method of runtime async that goes on there behind an await that has
// failed begins its run in its handler: then the thread has a record, and this frame is the one that it leaves.
static __thread struct {
    clr_id function; // of the newest frame that was entered; 0: none, or the thread is known since
    bool cancelled;
} first __attribute__((tls_model("initial-exec")));

// The innermost pending frame; NULL: none.
static struct pending_unwind *top(struct thread_private *own)
{
    CLEW_ASSERT(own->pending_count <= THREAD_PENDING_MAX);
    return own->pending_count ? &own->pending[own->pending_count - 1] : NULL;
}

static bool has_ended(const struct thread_private *own, const struct pending_unwind *pending)
{
    return (pending->node && node_at(pending->node)->started == 0) || pending->overflow > own->overflow_depth;
}

// Drops the innermost pending frames whose activations do not run any more. The runtime did not announce their ends.
static void drop_ended(struct thread_private *own)
{
    struct pending_unwind *pending = top(own);
    while (pending && has_ended(own, pending)) {
        own->pending_count--;
        pending = top(own);
    }
}

uint32_t exception_method(clr_id function)
{
    uint32_t method = method_number(function);
    return method && agent.suspends && suspending_runs_task_entry(function) ? 0 : method;
}

// A pending frame for the newest activation of a method: on the overflow stack, or a node, or neither if it is not
// recorded.
static struct pending_unwind pending_of(clr_id function, uint32_t method)
{
    uint32_t over = probe_newest_overflow(method);
    uint32_t resumed = !over && thread_self_private->failing.slot ? awaits_resume_failed(method) : 0;
    uint32_t node = over ? 0 : resumed ? resumed : probe_newest(method);
    return (struct pending_unwind){.function = function, .node = node, .overflow = over, .state = UNWIND_LEAVING};
}

static void push(struct thread_private *own, struct pending_unwind pending)
{
    if (own->pending_count < THREAD_PENDING_MAX) {
        own->pending[own->pending_count++] = pending;
    } // otherwise the probe of the catching frame ends this activation, too
}

static bool is_same_frame(const struct pending_unwind *a, const struct pending_unwind *b)
{
    return a->function == b->function && a->node == b->node && a->overflow == b->overflow;
}

// Whether the frame that is entered has no activation. Notes whether this frame is the runtime's method that makes `tail.`
// calls.
static bool lacks_activation(struct thread_private *own, clr_id function)
{
    bool lacks = own->made_call;
    // With hooks every frame has its activation.
    own->made_call = !agent.hooks && method_makes_tail_calls(function);
    return lacks;
}

// Ends the activation of a frame that is pending no more, unless it has ended.
static void end_pending(struct thread_private *own, const struct pending_unwind *pending)
{
    if (pending->overflow && pending->overflow <= own->overflow_depth) {
        agent.probes->unwind_overflow(pending->overflow);
    } else if (pending->node && node_at(pending->node)->started != 0) {
        agent.probes->unwind(pending->node);
    }
}

// Whether a pending frame has been left for native code when an exception is thrown at a stack address.
static bool is_gone(const struct pending_unwind *pending, uintptr_t address)
{
    return pending->state == UNWIND_LEAVING ||
           (pending->state == UNWIND_CATCH && pending->thrown_at && pending->thrown_at < address);
}

void exception_thrown(clr_id exception)
{
    struct thread_private *own = thread_self_private;
    uintptr_t address = (uintptr_t)__builtin_frame_address(0);
    struct pending_unwind *pending = own ? top(own) : NULL;
    if (agent.suspends) {
        *(own ? &own->cancelled : &first.cancelled) = cancellation_is(exception);
    }
    while (pending && is_gone(pending, address)) {
        own->pending_count--;
        end_pending(own, pending);
        own->made_call = false; // its frame is gone, too
        pending = top(own);
    }
    if (pending && pending->state == UNWIND_CATCH && !pending->thrown_at) {
        pending->thrown_at = address;
    }
}

void exception_unwind_enter(clr_id function)
{
    struct thread_private *own = thread_self_private;
    if (!own) {
        first.function = function;
        return;
    }
    own->departure.method = 0;
    CLEW_ASSERT(own->shared == thread_self);
    struct pending_unwind fresh = {.function = function, .state = UNWIND_LEAVING};
    if (!lacks_activation(own, function)) {
        fresh = pending_of(function, exception_method(function));
    }
    drop_ended(own);
    struct pending_unwind *pending = top(own);
    if (pending && pending->state != UNWIND_LEAVING && is_same_frame(pending, &fresh)) {
        pending->again = pending->state == UNWIND_FINALLY; // its handler threw: the same frame is entered again
        pending->state = UNWIND_LEAVING;
        return;
    }
    push(own, fresh);
}

// The run of a method of runtime async that was not on the thread when the exception came to its frame: one that goes on behind an
// await that has failed begins in its first handler. Until then the newest activation of the method may be another one, within
// whose call this one goes on. 0: none has begun.
static uint32_t resumed_run(clr_id function)
{
    uint32_t method = method_number(function), node = thread_self->current;
    uint32_t of = node_at(node)->method;
    return method & of & RING_METHOD_RUNS && links_method(of) == (method & RING_METHOD_NUMBER) && of & METHOD_RESUMED
               ? node
               : 0;
}

// The frame that is left was entered before the thread had a record.
static void leave_first(struct thread_private *own)
{
    uint32_t node = first.function && agent.suspends ? resumed_run(first.function) : 0;
    first.function = 0;
    if (node) {
        own->cancelled = first.cancelled;
        agent.probes->unwind(node);
    }
}

void exception_unwind_leave(void)
{
    struct thread_private *own = thread_self_private;
    struct pending_unwind *pending = own ? top(own) : NULL;
    if (own && !pending) {
        leave_first(own);
    }
    if (!pending || pending->state != UNWIND_LEAVING) {
        return;
    }
    own->pending_count--;
    uint32_t resumed = !pending->overflow && agent.suspends ? resumed_run(pending->function) : 0;
    pending->node = resumed ? resumed : pending->node;
    end_pending(own, pending);
}

void exception_finally_enter(void)
{
    struct pending_unwind *pending = thread_self_private ? top(thread_self_private) : NULL;
    if (pending && pending->state == UNWIND_LEAVING) {
        pending->state = UNWIND_FINALLY;
    }
}

void exception_finally_leave(void)
{
    struct pending_unwind *pending = thread_self_private ? top(thread_self_private) : NULL;
    if (pending && pending->state == UNWIND_FINALLY) {
        pending->state = UNWIND_LEAVING;
    }
}

void exception_catcher_enter(clr_id function)
{
    struct thread_private *own = thread_self_private;
    if (!own || !own->pending_count) {
        first.function = 0;
    }
    if (!own) {
        return;
    }
    own->made_call = false;
    // The catching frame had an UnwindFunctionEnter and gets no UnwindFunctionLeave.
    struct pending_unwind *pending = top(own);
    struct pending_unwind catcher = {0};
    if (pending && pending->state == UNWIND_LEAVING) {
        catcher = *pending;
        // If the catch is in its finally, the finally continues. If the catch is around the finally, the frame stays
        // pending to no effect, until drop_ended() drops it.
        pending->state = UNWIND_FINALLY;
        own->pending_count -= !pending->again;
        pending->again = false;
    }
    catcher = catcher.node || catcher.overflow ? catcher : pending_of(function, exception_method(function));
    if (catcher.overflow) {
        agent.probes->unwind_overflow(catcher.overflow + 1);
    } else if (catcher.node) {
        agent.probes->catcher(catcher.node);
    }
    drop_ended(own);
    catcher.state = UNWIND_CATCH;
    catcher.thrown_at = 0;
    push(own, catcher);
}

void exception_catcher_leave(void)
{
    struct thread_private *own = thread_self_private;
    if (!own) {
        return;
    }
    drop_ended(own);
    struct pending_unwind *pending = top(own);
    own->pending_count -= pending && pending->state == UNWIND_CATCH;
    pending = top(own);
    if (pending) {
        pending->thrown_at = 0; // what was thrown in its handler has been caught there
    }
}

void exception_filter_enter(clr_id function)
{
    if (thread_self_private) {
        agent.probes->filter(pending_of(function, exception_method(function)).node);
    }
}

void exception_filter_leave(void)
{
    if (thread_self_private) {
        agent.probes->filter_end();
    }
}
