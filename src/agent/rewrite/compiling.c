// Times for the header are CLOCK_MONOTONIC, whatever the session's clock; rows have the session's.
#include "agent/rewrite/compiling.h"

#include "agent/loaded/methods.h"
#include "agent/probe/probe.h"
#include "agent/session/agent.h"
#include "agent/session/monotonic.h"
#include "agent/session/report.h"
#include "trace/kinds.h"

enum { NESTED_MAX = 4 }; // deeper ones count for the last of these; static TLS is small

// A method that is about to be compiled.
struct subject {
    struct module *module; // NULL: a dynamic method, or it is not known
    uint32_t token;
    enum method_kind kind;
    struct buffer name; // empty: the collector has it, or it is not known
};

struct work {
    clr_id function;
    uintptr_t frame; // its position in the stack, which grows down
    uint64_t began;
    uint64_t inside; // ns of what is nested in it
    uint32_t node;   // of its row; 0: none
    bool refused;
    struct subject subject;
};

static __thread struct {
    struct work works[NESTED_MAX];
    uint32_t count;
    clr_id refused;
    clr_id next;
    struct subject subject; // of `next`, until its compilation begins
} own __attribute__((tls_model("initial-exec")));

static void add(_Atomic uint64_t *sum, uint64_t amount)
{
    atomic_fetch_add_explicit(sum, amount, memory_order_relaxed);
}

// Notes the time of what has ended for what it is nested in. Returns the part that is its own.
static uint64_t end_work(const struct work *work)
{
    uint64_t all = monotonic_ns() - work->began;
    if (own.count) {
        own.works[own.count - 1].inside += all;
    }
    agent.probes->compiled(work->node);
    return all > work->inside ? all - work->inside : 0;
}

// The runtime may abandon a compilation: it is over when another begins no deeper in the stack.
static void drop_abandoned(uintptr_t frame)
{
    while (own.count && frame >= own.works[own.count - 1].frame) {
        own.count--;
        (void)end_work(&own.works[own.count]);
        buffer_free(&own.works[own.count].subject.name);
    }
}

static void push(clr_id function, uintptr_t frame, uint32_t what, bool refused)
{
    CLEW_ASSERT(own.count < NESTED_MAX);
    own.works[own.count++] = (struct work){.function = function,
                                           .frame = frame,
                                           .began = monotonic_ns(),
                                           .node = agent.probes->compiles(what),
                                           .refused = refused};
}

void compiling_refused(clr_id function)
{
    own.refused = function;
}

static void forget_subject(void)
{
    buffer_free(&own.subject.name);
    own.subject = (struct subject){0};
    own.next = 0;
}

// Before the compilation, so that the time of the name counts as clew's.
static void note_subject(clr_id function)
{
    uint32_t token;
    struct module *module = module_of_function(function, &token);
    forget_subject();
    if (!module) {
        return;
    }
    own.next = function;
    own.subject = (struct subject){.module = module, .token = token};
    if (!method_is_named(module, token)) {
        own.subject.kind = method_name(module, token, &own.subject.name);
    }
}

// Tells the collector what was compiled. Of dynamic methods the segment's header has the number and the time. The module is there:
// the runtime does not unload it while it compiles a method of it.
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

void compiling_weave(clr_id function, void (*weave)(clr_id function))
{
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    drop_abandoned(frame);
    bool timed = own.count < NESTED_MAX;
    if (timed) {
        push(function, frame, METHOD_CLEW, false);
    }
    weave(function);
    note_subject(function);
    if (timed) {
        struct work work = own.works[--own.count];
        add(&agent.ring->woven_ns, end_work(&work));
    }
}

void compiling_begins(clr_id function)
{
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    bool refused = own.refused == function;
    own.refused = 0;
    drop_abandoned(frame);
    if (own.count < NESTED_MAX) {
        push(function, frame, refused ? METHOD_JIT_PRECOMPILED : METHOD_JIT, refused);
        if (own.next == function) {
            own.works[own.count - 1].subject = own.subject;
            own.subject = (struct subject){0};
        }
    }
    forget_subject();
}

void compiling_ends(clr_id function)
{
    if (own.count == 0 || own.works[own.count - 1].function != function) {
        return;
    }
    struct work work = own.works[--own.count];
    uint64_t ns = end_work(&work);
    add(&agent.ring->compiled, 1);
    add(&agent.ring->compiled_ns, ns);
    if (work.refused) {
        add(&agent.ring->refused, 1);
        add(&agent.ring->refused_ns, ns);
    }
    report_compiled(&work, ns);
    buffer_free(&work.subject.name);
}
