// Exits by exception. The callbacks come on the thread that unwinds, between the frames, one frame at a time.
//
// What pairs with what was measured on 8, 9 and 10: an activation ends at UnwindFunctionLeave, not Enter (a finally of
// its runs between them), and with it everything above it, since inlined callees get no callbacks. A frame whose finally
// throws is entered a second time and left once, without UnwindFinallyLeave; one whose finally catches what it has
// called is entered a second time too, and its finally goes on. A filter that throws brings a stray Leave on 9 and 10, and
// unwinds up to its owner, who runs on: with a Leave on 8, without on 9 and 10. So each pending frame is known by its
// activation, a Leave without a pending frame is ignored, and what a filter leaves pending goes with it.
//
// Frames whose method has called itself last have no activation any more (ring_node.ended_frames): they are unwound right after
// the one that has, since nothing runs between them, and nothing in them can catch. A `tail.` call that needs more room for
// arguments than its caller has is made by a method of the runtime's, above the caller's frame: the one below has none.
#include "agent/unwind/exceptions.h"

#include "agent/loaded/methods.h"
#include "agent/probe/probe.h"
#include "agent/probe/probe_thread.h"
#include "agent/session/agent.h"

static struct pending_unwind *top(struct thread_private *own)
{
    CLEW_ASSERT(own->pending_count <= THREAD_PENDING_MAX);
    return own->pending_count ? &own->pending[own->pending_count - 1] : NULL;
}

static bool has_ended(const struct thread_private *own, const struct pending_unwind *pending)
{
    return (pending->node && probe_nodes[pending->node].started == 0) || pending->overflow > own->overflow_depth;
}

// Frames that went away without a word: their activations no longer run.
static void drop_ended(struct thread_private *own)
{
    struct pending_unwind *pending = top(own);
    while (pending && has_ended(own, pending)) {
        own->pending_count--;
        pending = top(own);
    }
}

// The newest activation of a method: over the cap, or a node, or not recorded at all.
static struct pending_unwind newest(uint32_t method)
{
    uint32_t over = probe_newest_overflow(method);
    return (struct pending_unwind){.node = over ? 0 : probe_newest(method), .overflow = over};
}

static bool is_bare(struct thread_private *own, clr_id function, uint32_t method)
{
    bool counted = own->ended_frames && own->ended_method == method, bare = counted || own->made_call;
    own->ended_frames = counted ? own->ended_frames - 1 : 0;
    // Hooks leave no frame without its activation.
    own->made_call = !agent.all_code && method_makes_tail_calls(function);
    return bare;
}

static void expect_bare(struct thread_private *own, uint32_t node, uint32_t frames)
{
    CLEW_ASSERT(node != 0 && node < probe_ring->nodes_max);
    own->ended_method = probe_nodes[node].method;
    own->ended_frames = agent.all_code ? 0 : frames;
}

void exception_unwind_enter(clr_id function)
{
    struct thread_private *own = thread_self_private;
    if (!own) {
        return;
    }
    uint32_t method = method_number(function);
    own->departure.method = 0;
    CLEW_ASSERT(own->shared == thread_self);
    struct pending_unwind fresh = is_bare(own, function, method) ? (struct pending_unwind){0} : newest(method);
    drop_ended(own);
    struct pending_unwind *pending = top(own);
    if (pending && (fresh.node || fresh.overflow) && pending->node == fresh.node &&
        pending->overflow == fresh.overflow && pending->in_finally) {
        pending->in_finally = false; // its finally threw: the same frame again
        pending->again = true;
        return;
    }
    if (own->pending_count == THREAD_PENDING_MAX) {
        return; // the catcher will set things right
    }
    own->pending[own->pending_count++] = fresh;
}

void exception_unwind_leave(void)
{
    struct thread_private *own = thread_self_private;
    struct pending_unwind *pending = own ? top(own) : NULL;
    if (!pending || pending->in_finally) {
        return;
    }
    own->pending_count--;
    if (pending->overflow && pending->overflow <= own->overflow_depth) {
        const struct overflow_activation *over = &own->overflow[pending->overflow - 1];
        expect_bare(own, over->node, over->ended_frames);
        agent.probes->unwind_overflow(pending->overflow);
    } else if (pending->node && probe_nodes[pending->node].started != 0) {
        expect_bare(own, pending->node, probe_nodes[pending->node].ended_frames);
        agent.probes->unwind(pending->node);
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
    own->ended_frames = 0;
    own->made_call = false;
    // The catching frame had an UnwindFunctionEnter too, and gets no Leave.
    struct pending_unwind *pending = top(own);
    struct pending_unwind catcher = {0};
    if (pending && !pending->in_finally) {
        catcher = *pending;
        // Where its finally ran, and the catch is in there, it goes on. Where the catch is around, the frame stays
        // pending for nothing, until it has ended.
        pending->in_finally = pending->again;
        own->pending_count -= !pending->again;
        pending->again = false;
    }
    catcher = catcher.node || catcher.overflow ? catcher : newest(method_number(function));
    if (catcher.overflow) {
        agent.probes->unwind_overflow(catcher.overflow + 1);
    } else if (catcher.node) {
        agent.probes->catcher(catcher.node);
    }
    drop_ended(own);
}

void exception_filter_enter(clr_id function)
{
    if (thread_self_private) {
        agent.probes->filter(newest(method_number(function)).node);
    }
}

void exception_filter_leave(void)
{
    if (thread_self_private) {
        agent.probes->filter_end();
    }
}
