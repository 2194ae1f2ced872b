// The state of the agent, which is global: the runtime calls back with nothing but an object that several threads may
// share.
//
// Everything outside probe/ runs in callbacks of the runtime or on the agent's own thread. Most callbacks come in
// preemptive mode, some in cooperative mode (unwind/pins.c names them). Only the code in probe/ runs inside managed
// code.
#ifndef CLEW_AGENT_AGENT_H
#define CLEW_AGENT_AGENT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/session/settings.h"
#include "clr/profiling.h"
#include "ring/ring.h"
#include "trace/scope.h"
#include "weave/operations/probes.h"

struct probe_set;

// Fields without _Atomic or lock are stored by agent_start(), before any other callback comes, and are constant
// afterwards; `forked` is stored once more, in a forked child.
struct agent {
    void *info; // ICorProfilerInfo5
    struct ring_header *ring;
    const struct probe_set *probes;
    struct weave_targets targets;
    struct scope scope;
    struct settings settings;
    uint32_t asked;               // the instruments that the user asked for: enum instrument, or-ed
    uint32_t instruments;         // that record this process: `asked`, or what hooks record in its place
    bool all_code;                // the scope is all code
    bool exact_ends;              // methods of runtime async are changed so that each of their ends is seen
    bool suspends;                // the runtime suspends methods of runtime async
    bool hooks;                   // the runtime's hooks instead of woven probes
    _Atomic uint32_t next_method; // the next method's number
    _Atomic uint32_t next_module; // the newest module's number
    _Atomic bool entry_seen;      // the program's entry assembly was loaded
    _Atomic bool stopped;         // after Shutdown, or in a forked child: no more methods are woven
    bool forked;                  // this process is a forked child of the program, and has only one of its threads
    pthread_mutex_t definitions;  // LOCK_DEFINITIONS: the writer of the definition ring
    char folder[4096];            // of the executable
};

extern struct agent agent;

#endif
