// Which events the runtime announces: from the start all that the session needs but exceptions, those later.
//
// Runtimes 9 and 10 crash when they announce the search for a handler of an exception that has no managed frame below it:
// they pass on a frame that they never found. Such an exception ends the program, which says why: it has no entry point,
// or one of the wrong kind, or the class of Main does not load. So nobody listens to exceptions before the first recorded
// method is ready to run, and nobody does any more once such an exception is thrown, which a start-up hook that is
// recorded may bring about. ExceptionThrown comes right before the search, on the same thread, and the runtime reads the
// mask anew for each announcement.
//
// An exception that is under way when the listening begins had no ExceptionThrown. The frames that it still has to leave
// are not recorded, since none that is recorded has run yet: exceptions.c finds no activation for them, pins.c no pin.
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

static clr_result ask(uint32_t further)
{
    uint32_t mask = CLR_MONITOR_MODULE_LOADS | CLR_MONITOR_THREADS | CLR_MONITOR_JIT_COMPILATION | further;
    mask |= class_slots ? CLR_MONITOR_CLASS_LOADS : 0;
    mask |= agent.all_code ? CLR_MONITOR_ENTERLEAVE | CLR_DISABLE_INLINING : CLR_MONITOR_CACHE_SEARCHES;
    mask |= agent.instruments & INSTRUMENT_VALUES ? CLR_MONITOR_SUSPENDS : 0;
    uint32_t high = agent.instruments & INSTRUMENT_VALUES ? CLR_HIGH_BASIC_GC | CLR_HIGH_EVENT_PIPE : 0;
    return info_set_event_mask2(agent.info, mask, high);
}

clr_result listening_start(void)
{
    uint16_t major = 0, minor, build;
    clr_result result = ask(0);
    may_crash = clr_failed(info_get_runtime(agent.info, &major, &minor, &build)) || major >= FIRST_THAT_CRASHES;
    return result;
}

// Two threads may be here at once. Each asks before it goes on, since twice does no harm.
static void listen(void)
{
    enum listening before = NOT_YET;
    bool refused = clr_failed(ask(CLR_MONITOR_EXCEPTIONS | (may_crash ? CLR_ENABLE_STACK_SNAPSHOT : 0)));
    if (!atomic_compare_exchange_strong_explicit(&listening, &before, LISTENING, memory_order_relaxed,
                                                 memory_order_relaxed)) {
        if (before == NO_MORE) {
            (void)ask(0); // it was taken a moment ago
        }
    } else if (refused) {
        report_note("the runtime does not announce exceptions: calls that they end are not counted as such");
    }
}

static bool waits(void)
{
    return atomic_load_explicit(&listening, memory_order_relaxed) == NOT_YET;
}

// Hooks see methods that the runtime runs before it has found the program: those are the framework's.
static bool begins_the_program(clr_id function)
{
    uint32_t token;
    const struct module *module = module_of_function(function, &token);
    return module && !(module->flags & MODULE_FRAMEWORK);
}

void listening_compiled(clr_id function)
{
    if (waits() && (agent.all_code ? begins_the_program(function) : method_number(function) != 0)) {
        listen();
    }
}

void listening_inlined(void)
{
    if (waits()) {
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
    *managed = function != 0; // 0: native frames. The runtime leaves out its own managed ones that throw.
    return *managed ? CLR_FALSE : CLR_OK;
}

// A walk takes about a microsecond, so the thread's own record is asked first: recorded methods that run have frames.
// Hooks record those too that throw for the runtime, which are above every exception.
static bool has_managed_frame(void)
{
    const struct ring_thread *thread = agent.all_code ? NULL : thread_self;
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
        (void)ask(0); // refused, it crashes, as it would have
    }
}
