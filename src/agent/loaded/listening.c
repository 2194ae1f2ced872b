// Sets the runtime's event mask: at first all events that the session needs except exceptions, and exceptions later.
//
// Runtimes 9 and 10 crash when a profiler listens to exceptions and one is thrown that has no managed frame below it: they
// announce the search for a handler with a frame that they never found. Such an exception ends the program, whose message
// explains why: it has no entry point, or one of the wrong kind, or the class of Main cannot be loaded. Therefore the agent
// does not ask for exceptions before the first recorded method is ready to run. A recorded start-up hook can come before
// such an exception all the same, so the agent gives up exceptions when it sees one thrown: ExceptionThrown precedes the
// search, on the same thread, and the runtime reads the mask again for each announcement.
//
// For an exception that is in flight when the agent begins to listen there was no ExceptionThrown. It still has to leave
// frames, but none of a recorded method, as no recorded method has run: exceptions.c finds no activation for these frames,
// and pins.c no pin.
#include "agent/loaded/listening.h"

#include "agent/loaded/methods.h"
#include "agent/loaded/modules.h"
#include "agent/probe/probe_classes.h"
#include "agent/probe/probe_thread.h"
#include "agent/session/agent.h"
#include "agent/session/report.h"
#include "trace/instrument.h"

enum { FIRST_THAT_CRASHES = 9 };

enum listening { NOT_YET, LISTENING, NO_MORE };

static _Atomic enum listening listening;
static bool may_crash;

// Replaces the whole mask; `further` are events besides those that every session of this kind needs.
static clr_result set_mask(uint32_t further)
{
    uint32_t mask = CLR_MONITOR_MODULE_LOADS | CLR_MONITOR_THREADS | CLR_MONITOR_JIT_COMPILATION | further;
    mask |= class_slots && agent.instruments & INSTRUMENT_VALUES ? CLR_MONITOR_CLASS_LOADS : 0;
    mask |= agent.hooks ? CLR_MONITOR_ENTERLEAVE | CLR_DISABLE_INLINING : CLR_MONITOR_CACHE_SEARCHES;
    mask |= agent.instruments & INSTRUMENT_VALUES ? CLR_MONITOR_SUSPENDS : 0;
    uint32_t high = agent.instruments & INSTRUMENT_VALUES ? CLR_HIGH_BASIC_GC | CLR_HIGH_EVENT_PIPE : 0;
    return info_set_event_mask2(agent.info, mask, high);
}

clr_result listening_start(void)
{
    uint16_t major = 0, minor, build;
    clr_result result = set_mask(0);
    may_crash = clr_failed(info_get_runtime(agent.info, &major, &minor, &build)) || major >= FIRST_THAT_CRASHES;
    return result;
}

// Two threads may get here at once. Each sets the mask before it runs on, so that neither misses an exception; setting it
// twice does no harm.
static void listen(void)
{
    enum listening before = NOT_YET;
    bool refused = clr_failed(set_mask(CLR_MONITOR_EXCEPTIONS | (may_crash ? CLR_ENABLE_STACK_SNAPSHOT : 0)));
    if (!atomic_compare_exchange_strong_explicit(&listening, &before, LISTENING, memory_order_relaxed,
                                                 memory_order_relaxed)) {
        if (before == NO_MORE) {
            (void)set_mask(0); // listening_thrown() came between: its decision stands
        }
    } else if (refused) {
        report_note("the runtime does not announce exceptions: calls that end by an exception are not counted as such");
    }
}

// With hooks every method is recorded, those included that the runtime runs before it has found the program. Those are of
// the framework, so the first method of another module marks the moment.
static bool is_first_of_program(clr_id function)
{
    uint32_t token;
    const struct module *module = module_of_function(function, &token);
    return module && !(module->flags & MODULE_FRAMEWORK);
}

void listening_compiled(clr_id function)
{
    if (atomic_load_explicit(&listening, memory_order_relaxed) == NOT_YET &&
        (agent.hooks ? is_first_of_program(function) : method_number(function) != 0)) {
        listen();
    }
}

static clr_result see_frame(clr_id function, uintptr_t ip, uintptr_t info, uint32_t context_size, uint8_t *context,
                            void *data)
{
    (void)ip;
    (void)info;
    (void)context_size;
    (void)context;
    bool *managed = data;
    *managed = function != 0; // 0: a run of native frames. The runtime skips its own managed frames that throw.
    return *managed ? CLR_FALSE : CLR_OK;
}

// A stack walk takes about a microsecond, so first look at the thread's call tree: a running activation has a managed frame.
// With hooks that proves nothing: they also record the runtime's own methods that throw, which are on top of every stack.
static bool has_managed_frame(void)
{
    const struct ring_thread *thread = agent.hooks ? NULL : thread_self;
    bool managed = false;
    if (thread && thread->current != thread->root) {
        return true;
    }
    return info_walk_stack(agent.info, see_frame, &managed) != CLR_OK || managed;
}

void listening_thrown(void)
{
    if (may_crash && !has_managed_frame()) {
        atomic_store_explicit(&listening, NO_MORE, memory_order_relaxed);
        (void)set_mask(0); // if this fails, the runtime crashes as it would without it
    }
}
