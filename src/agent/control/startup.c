// Initialize and Shutdown of the agent. Initialize finds the collector, maps the segment, reads the configuration, asks
// the runtime for the callbacks that the session needs, and measures the cost of its probes. If any of this fails, the
// agent stays dormant and the program runs as if it had not been loaded. Both run on one thread each, in preemptive
// mode.
#include "agent/control/startup.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "agent/control/calibration.h"
#include "agent/control/forked.h"
#include "agent/control/own_session.h"
#include "agent/heap/heap_objects.h"
#include "agent/hooks/hooking.h"
#include "agent/loaded/listening.h"
#include "agent/probe/probe.h"
#include "agent/probe/probe_awaits.h"
#include "agent/probe/probe_frames.h"
#include "agent/probe/probe_links.h"
#include "agent/probe/probe_thread.h"
#include "agent/probe/probe_throws.h"
#include "agent/rewrite/native_code.h"
#include "agent/rewrite/site_definitions.h"
#include "agent/session/agent.h"
#include "agent/session/report.h"
#include "agent/session/settings.h"
#include "agent/types/classes.h"
#include "agent/unwind/pins.h"
#include "agent/unwind/throws.h"
#include "base/clock.h"
#include "base/limit.h"
#include "ring/handshake.h"
#include "ring/segment.h"
#include "trace/instrument.h"
#include "trace/scope.h"

// Whether the address space has room for the segment. A limit of the address space (ulimit -v) counts the whole
// segment, even though its pages take no memory before they are used. The runtime reserves half of such a limit for its
// heap; the rest must also hold the program's libraries, code and stacks.
static bool leaves_room(int segment)
{
    enum { SHARE = 4 };
    struct rlimit limit;
    struct stat status;
    return getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || fstat(segment, &status) != 0 ||
           (uint64_t)status.st_size <= limit.rlim_cur / SHARE;
}

// How long the program's end waits for the collector at most.
CLEW_LIMIT(SAVED_LIMIT_MS, 2000);
// How long of that it waits for another collector after the death of one: the supervisor takes over, if it still lives.
CLEW_LIMIT(SUCCESSOR_LIMIT_MS, 300);

static enum clew_error map_segment(int segment)
{
    struct ring_header *ring;
    CLEW_TRY(segment_map(segment, &ring));
    enum clew_error error = segment_protect(segment, ring);
    if (error != CLEW_OK) {
        segment_unmap(ring);
        return error;
    }
    ring->base = (uintptr_t)ring;
    agent.ring = ring;
    return CLEW_OK;
}

// Gets the segment from the collector and maps it. Errors as handshake_connect(); NO_MEMORY: no room for the segment.
static enum clew_error join_session(const char *path, uint64_t deadline_ns)
{
    int segment;
    CLEW_TRY(handshake_connect(path, CLEW_VERSION, deadline_ns, &segment));
    enum clew_error error = leaves_room(segment) ? map_segment(segment) : CLEW_NO_MEMORY;
    if (error == CLEW_NO_MEMORY) {
        segment_decline(segment);
    }
    (void)close(segment);
    return error;
}

// CLEW_SESSION names no session, so the agent starts one.
static enum clew_error join_own_session(uint64_t deadline_ns)
{
    struct ring_started started;
    CLEW_TRY(own_session_start(deadline_ns, &started));
    return join_session(started.socket_path, deadline_ns); // on failure the session says why
}

static enum clew_error join(void)
{
    const char *path = getenv(CLEW_SESSION_VARIABLE);
    uint64_t deadline_ns = handshake_deadline();
    if (getauxval(AT_SECURE)) { // a program with more rights than its user (setuid)
        return CLEW_NOT_FOUND;
    }
    return path ? join_session(path, deadline_ns) : join_own_session(deadline_ns);
}

static void find_folder(void)
{
    ssize_t size = readlink("/proc/self/exe", agent.folder, sizeof agent.folder - 1);
    agent.folder[size > 0 ? size : 0] = 0;
    char *slash = strrchr(agent.folder, '/');
    if (slash) {
        *slash = 0;
    }
}

// Whether edits may replace methods while the program runs (hot reload), as `dotnet watch` makes the runtime allow. The rows of an
// edit's metadata follow those of the module's file, so they collide with signatures that the agent adds for woven code.
static bool edits_may_come(void)
{
    const char *modifiable = getenv("DOTNET_MODIFIABLE_ASSEMBLIES"), *older = getenv("COMPlus_MODIFIABLE_ASSEMBLIES");
    const char *forced = getenv("DOTNET_ForceEnc");
    return (modifiable && strcasestr(modifiable, "debug")) || (older && strcasestr(older, "debug")) ||
           (forced && strtoul(forced, NULL, 16) != 0);
}

// Hooks are one switch of the runtime for the whole process.
static void choose_hooks(struct ring_header *ring)
{
    bool edits = edits_may_come();
    agent.all_code = ring->flags & SESSION_ALL_CODE;
    agent.exact_ends = ring->flags & SESSION_EXACT_ENDS;
    agent.hooks = agent.all_code || edits;
    atomic_store_explicit(&ring->hooks, agent.hooks, memory_order_relaxed);
    agent.asked = ring->instruments;
    agent.instruments = ring_instruments(ring);
    if (edits) {
        report_note("edits may replace methods while the program runs (hot reload), so hooks record its calls%s",
                    agent.asked & INSTRUMENT_AT_SITES ? ", without statements, values and lines" : "");
    }
}

// Records without these instruments, for want of memory.
static void do_without(uint32_t instruments, const char *reason)
{
    agent.asked &= ~instruments;
    agent.instruments &= ~instruments;
    report_note("%s", reason);
}

static void read_configuration(void)
{
    struct ring_header *ring = agent.ring;
    const char *lines = (const char *)ring + ring->text_offset;
    thread_use_segment(ring);
    (void)links_setup();
    (void)frames_setup();
    choose_hooks(ring);
    probe_setup(ring->depth_max, ring->flags & SESSION_LOSSY, agent.hooks);
    agent.probes = probe_set_for((enum clock_kind)ring->clock, agent.instruments & INSTRUMENT_STREAMS);
    const struct probe_way way = {(enum clock_kind)ring->clock, agent.instruments & INSTRUMENT_STREAMS};
    awaits_setup(way);
    throws_setup(way);
    agent.targets = (struct weave_targets){
        .enter = (uintptr_t)agent.probes->enter,
        .enter_keep = (uintptr_t)agent.probes->enter_keep,
        .leave = (uintptr_t)agent.probes->leave,
        .restate = (uintptr_t)agent.probes->restate,
        .arrive = (uintptr_t)agent.probes->arrive,
        .depart = (uintptr_t)agent.probes->depart,
        .finish = (uintptr_t)agent.probes->finish,
        .count = (uintptr_t)agent.probes->count,
        .wait = (uintptr_t)agent.probes->wait,
        .run_begin = (uintptr_t)agent.probes->run_begin,
        .run_end = (uintptr_t)agent.probes->run_end,
        .run_wait = (uintptr_t)agent.probes->run_wait,
        .run_complete = (uintptr_t)agent.probes->run_complete,
        .await_enter = (uintptr_t)agent.probes->await_enter,
        .await_begin = (uintptr_t)agent.probes->await_begin,
        .await_end = (uintptr_t)agent.probes->await_end,
        .await_handler = (uintptr_t)agent.probes->await_handler,
        .await_leave = (uintptr_t)agent.probes->await_leave,
        .settle = (uintptr_t)agent.probes->settle,
    };
    agent.next_method = METHOD_FIRST_REAL;
    scope_parse(&agent.scope, (struct text){lines, ring->text_size});
    find_folder();
    settings_parse(&agent.settings, (struct text){lines, ring->text_size}, text_of(agent.folder));
    if (agent.hooks && agent.settings.tiny != TINY_FULL) {
        report_note("hooks record all calls alike, so --tiny had no effect");
        agent.settings.tiny = TINY_FULL;
    }
    bool classes = throws_start();
    if (agent.instruments & INSTRUMENT_VALUES && !(classes && classes_start())) {
        report_note("there is no memory to record the types of objects");
    }
    if (agent.instruments & INSTRUMENT_VALUES && !objects_start()) {
        do_without(INSTRUMENT_VALUES | INSTRUMENT_USES, "there is no memory to record values");
    }
    if (agent.instruments & INSTRUMENT_AT_SITES && !sites_start()) {
        do_without(INSTRUMENT_AT_SITES, "there is no memory to record statements, values and lines");
    }
}

static clr_result ask_runtime(void)
{
    clr_result result = listening_start();
    if (!clr_failed(result) && agent.hooks && !hooking_start()) {
        result = CLR_CANCEL_ACTIVATION;
    }
    return result;
}

// Runtime 10 suspends methods of runtime async only where it is asked to; an unknown version may.
static bool runtime_suspends(bool known, uint16_t major)
{
    enum { FIRST_THAT_SUSPENDS = 11, FIRST_THAT_MAY = 10 };
    const char *asked = getenv("DOTNET_RuntimeAsync"), *older = getenv("COMPlus_RuntimeAsync");
    bool asks = (asked && strtoul(asked, NULL, 16) != 0) || (older && strtoul(older, NULL, 16) != 0);
    return !known || major >= FIRST_THAT_SUSPENDS || (major == FIRST_THAT_MAY && asks);
}

static void report_runtime(void)
{
    uint16_t major = 0, minor = 0, build = 0;
    struct buffer name = {0};
    bool known = !clr_failed(info_get_runtime(agent.info, &major, &minor, &build)); // else the version is 0.0.0
    agent.suspends = runtime_suspends(known, major);
    native_code_find_runtime();
    buffer_printf(&name, "CoreCLR %u.%u.%u", major, minor, build);
    (void)report_definition(&(struct ring_definition){
        .type = RING_DEFINE_RUNTIME,
        .name = {(const char *)name.data, name.failed ? 0 : name.size},
    });
    buffer_free(&name);
}

clr_result agent_start(void *unknown, void (*quiet)(void))
{
    if (clr_failed(clr_query(unknown, &clr_iid_info5, &agent.info)) || join() != CLEW_OK) {
        return CLR_CANCEL_ACTIVATION;
    }
    atomic_store_explicit(&agent.ring->agent_state, RING_AGENT_READY, memory_order_release);
    forked_prepare(quiet);
    read_configuration();
    if (clr_failed(ask_runtime())) {
        report_note("the runtime refused the events that recording needs");
        atomic_store_explicit(&agent.ring->agent_state, RING_AGENT_REFUSED, memory_order_release);
        return CLR_CANCEL_ACTIVATION;
    }
    report_runtime();
    pins_start();
    if (agent.instruments & INSTRUMENT_VALUES) {
        objects_listen();
    }
    calibrate();
    atomic_store_explicit(&agent.ring->agent_state, RING_AGENT_RECORDING, memory_order_release);
    return CLR_OK;
}

// Where the program is process 1 of a container, or a service manager kills all processes of a service, the collector
// may end right after the program.
static void wait_until_saved(const struct ring_header *ring)
{
    uint64_t now_ns = clock_monotonic_ns(), until_ns = now_ns + SAVED_LIMIT_MS * 1000000, alive_ns = now_ns;
    struct timespec pause = {.tv_nsec = 1000000};
    while (!atomic_load_explicit(&ring->saved, memory_order_acquire) &&
           !atomic_load_explicit(&ring->collector_gone, memory_order_relaxed) && now_ns < until_ns &&
           now_ns - alive_ns < SUCCESSOR_LIMIT_MS * 1000000) {
        (void)nanosleep(&pause, NULL); // an early wake-up only makes the next look earlier
        now_ns = clock_monotonic_ns();
        bool gone = kill((pid_t)ring->collector_pid, 0) != 0 && errno == ESRCH;
        alive_ns = gone ? alive_ns : now_ns;
    }
}

void agent_shutdown(void)
{
    pins_report();
    classes_resolve();
    // Threads continue to run and to record until the process ends, so nothing is freed here.
    atomic_store_explicit(&agent.stopped, true, memory_order_relaxed);
    atomic_store_explicit(&agent.ring->agent_state, RING_AGENT_SHUTDOWN, memory_order_release);
    if (agent.ring->flags & SESSION_SELF_STARTED && !agent.forked) {
        wait_until_saved(agent.ring);
    }
}
