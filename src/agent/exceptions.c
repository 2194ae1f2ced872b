// Exits by exception. The callbacks come on the thread that unwinds, between the frames, one frame at a time.
//
// What pairs with what was measured on 8, 9 and 10: an activation ends at UnwindFunctionLeave, not Enter (a finally of
// its runs between them), and with it everything above it, since inlined callees get no callbacks. A frame whose finally
// throws is entered a second time and left once, without UnwindFinallyLeave; a filter that throws brings a stray Leave.
// So each pending frame is known by its activation, and a Leave without a pending frame is ignored.
#include "agent/agent.h"
#include "agent/thread.h"

static struct pending_unwind *top(struct thread_private *own)
{
    return own->pending_count ? &own->pending[own->pending_count - 1] : NULL;
}

// Frames that went away without a word: their activations no longer run.
static void drop_ended(struct thread_private *own)
{
    struct pending_unwind *pending = top(own);
    while (pending && pending->node && probe_nodes[pending->node].started == 0) {
        own->pending_count--;
        pending = top(own);
    }
}

void exception_unwind_enter(clr_id function)
{
    struct thread_private *own = thread_self_private;
    if (!own) {
        return;
    }
    uint32_t node = probe_newest(method_number(function));
    drop_ended(own);
    struct pending_unwind *pending = top(own);
    if (pending && node && pending->node == node && pending->in_finally) {
        pending->in_finally = false; // its finally threw: the same frame again
        return;
    }
    if (own->pending_count == THREAD_PENDING_MAX) {
        return; // the catcher will set things right
    }
    own->pending[own->pending_count++] = (struct pending_unwind){.node = node};
}

void exception_unwind_leave(void)
{
    struct thread_private *own = thread_self_private;
    struct pending_unwind *pending = own ? top(own) : NULL;
    if (!pending || pending->in_finally) {
        return;
    }
    uint32_t node = pending->node;
    own->pending_count--;
    if (node && probe_nodes[node].started != 0) {
        agent.probes->unwind(node);
    }
}

void exception_finally_enter(void)
{
    struct pending_unwind *pending = thread_self_private ? top(thread_self_private) : NULL;
    if (pending) {
        pending->in_finally = true;
    }
}

void exception_finally_leave(void)
{
    struct pending_unwind *pending = thread_self_private ? top(thread_self_private) : NULL;
    if (pending) {
        pending->in_finally = false;
    }
}

void exception_catcher_enter(clr_id function)
{
    struct thread_private *own = thread_self_private;
    if (!own) {
        return;
    }
    // The catching frame had an UnwindFunctionEnter too, and gets no Leave.
    struct pending_unwind *pending = top(own);
    uint32_t node = pending && !pending->in_finally ? pending->node : 0;
    if (pending && !pending->in_finally) {
        own->pending_count--;
    }
    node = node ? node : probe_newest(method_number(function));
    if (node) {
        agent.probes->catcher(node);
    }
    drop_ended(own);
}

void exception_filter_enter(clr_id function)
{
    if (thread_self_private) {
        agent.probes->filter(probe_newest(method_number(function)));
    }
}

void exception_filter_leave(void)
{
    if (thread_self_private) {
        agent.probes->filter_end();
    }
}
