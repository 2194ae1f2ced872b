// Times for the header are CLOCK_MONOTONIC, whatever the session's clock; rows have the session's.
#include "agent/rewrite/compiling.h"

#include <stdlib.h>

#include "agent/loaded/methods.h"
#include "agent/probe/probe.h"
#include "agent/session/agent.h"
#include "agent/session/monotonic.h"
#include "agent/session/report.h"
#include "trace/kinds.h"

// A method that is about to be compiled.
struct subject {
    struct module *module; // NULL: a dynamic method, or it is not known
    uint32_t token;
    enum method_kind kind;
    struct buffer name; // empty: the collector has it, or it is not known
};

struct work {
    struct work *outer; // in which it is nested
    clr_id function;
    uintptr_t frame; // its position in the stack, which grows down
    uint64_t began;
    uint64_t inside; // ns of what is nested in it
    uint32_t node;   // of its row; 0: none
    bool refused;
    struct subject subject;
};

// Allocated, since static TLS is small, and libraries that the program loads need some of it, too.
static __thread struct {
    struct work *newest;
    clr_id refused;
} own __attribute__((tls_model("initial-exec")));

static void add(_Atomic uint64_t *sum, uint64_t amount)
{
    atomic_fetch_add_explicit(sum, amount, memory_order_relaxed);
}

// Ends the newest one, and notes its time for what it is nested in. Returns the part that is its own. The caller frees it.
static uint64_t end_work(struct work *work)
{
    CLEW_ASSERT(own.newest == work);
    uint64_t all = monotonic_ns() - work->began;
    own.newest = work->outer;
    if (work->outer) {
        work->outer->inside += all;
    }
    agent.probes->compiled(work->node);
    return all > work->inside ? all - work->inside : 0;
}

static void work_free(struct work *work)
{
    buffer_free(&work->subject.name);
    free(work);
}

// The runtime may abandon a compilation: it is over when another begins no deeper in the stack.
static void drop_abandoned(uintptr_t frame)
{
    while (own.newest && frame >= own.newest->frame) {
        struct work *work = own.newest;
        (void)end_work(work);
        work_free(work);
    }
}

// NULL: no memory; it has no time then.
static struct work *push(clr_id function, uintptr_t frame, uint32_t what, bool refused)
{
    struct work *work = malloc(sizeof *work);
    if (work) {
        *work = (struct work){.outer = own.newest,
                              .function = function,
                              .frame = frame,
                              .began = monotonic_ns(),
                              .node = agent.probes->compiles(what),
                              .refused = refused};
        own.newest = work;
    }
    return work;
}

void compiling_refused(clr_id function)
{
    own.refused = function;
}

// Before the compilation, so that the time of the name counts as clew's.
static struct subject subject_of(clr_id function)
{
    struct subject subject = {0};
    subject.module = module_of_function(function, &subject.token);
    if (subject.module && !method_is_named(subject.module, subject.token)) {
        subject.kind = method_name(subject.module, subject.token, &subject.name);
    }
    return subject;
}

// Tells the collector what was compiled. Dynamic methods are only added up, in the segment's header. The module still exists:
// the runtime does not unload it while it compiles one of its methods.
static void report_compiled(const struct work *work, uint64_t ns)
{
    const struct subject *subject = &work->subject;
    struct text name = {(const char *)subject->name.data, subject->name.size};
    if (!subject->module) {
        return;
    }
    bool reported = report_definition(&(struct ring_definition){
        .type = RING_DEFINE_COMPILED,
        .module = subject->module->number,
        .token = subject->token,
        .flags = work->refused ? COMPILED_REFUSED : 0,
        .ns = ns,
        .kind = (uint32_t)subject->kind,
        .name = name,
    });
    if (reported && name.size) {
        method_set_named(subject->module, subject->token);
    }
}

// Lets clew change the body before the JIT compiles it, and adds the time to a row `(clew)`.
static struct subject change(clr_id function, uintptr_t frame, void (*weave)(clr_id function))
{
    struct work *work = push(function, frame, METHOD_CLEW, false);
    weave(function);
    struct subject subject = subject_of(function);
    if (work) {
        add(&agent.ring->woven_ns, end_work(work));
        work_free(work);
    }
    return subject;
}

void compiling_begins(clr_id function, void (*weave)(clr_id function))
{
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    bool refused = own.refused == function;
    own.refused = 0;
    drop_abandoned(frame);
    struct subject subject = weave ? change(function, frame, weave) : (struct subject){0};
    struct work *work = push(function, frame, refused ? METHOD_JIT_PRECOMPILED : METHOD_JIT, refused);
    if (work) {
        work->subject = subject;
    } else {
        buffer_free(&subject.name);
    }
}

void compiling_ends(clr_id function)
{
    struct work *work = own.newest;
    if (!work || work->function != function) {
        return;
    }
    uint64_t ns = end_work(work);
    add(&agent.ring->compiled, 1);
    add(&agent.ring->compiled_ns, ns);
    if (work->refused) {
        add(&agent.ring->refused, 1);
        add(&agent.ring->refused_ns, ns);
    }
    report_compiled(work, ns);
    work_free(work);
}
