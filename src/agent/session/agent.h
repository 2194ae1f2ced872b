// The agent's one state. Everything outside of probe/ runs in callbacks of the runtime, most of them in preemptive mode
// (unwind/pins.c says which are not); only the code in probe/ runs inside managed code.
#ifndef CLEW_AGENT_AGENT_H
#define CLEW_AGENT_AGENT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/session/scope.h"
#include "agent/session/settings.h"
#include "clr/profiling.h"
#include "ring/ring.h"
#include "weave/calls.h"

struct probe_set;

struct agent {
    void *info;
    struct ring_header *ring;
    const struct probe_set *probes;
    struct weave_targets targets;
    struct scope scope;
    struct settings settings;
    uint32_t instruments; // enum instrument, or-ed: of the session
    bool all_code;
    _Atomic uint32_t next_method;
    _Atomic uint32_t next_module;
    _Atomic bool entry_seen;
    _Atomic bool stopped;        // after Shutdown: nothing new is woven
    bool forked;                 // this process is a child of the program, without its other threads
    pthread_mutex_t definitions; // the writers of the definition ring
    char folder[4096];           // of the executable
};

// The runtime calls back with nothing but an object that it may share between threads, so the state is global.
extern struct agent agent;

#endif
