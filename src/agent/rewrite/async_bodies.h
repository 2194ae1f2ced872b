// Bodies of async methods and async iterators: which of them have their runs linked (agent/probe/probe_links.h), and their
// definition for the collector.
#ifndef CLEW_AGENT_ASYNC_BODIES_H
#define CLEW_AGENT_ASYNC_BODIES_H

#include "agent/loaded/modules.h"
#include "weave/operations/runs.h"

struct async_body {
    uint32_t kickoff; // clew's number of its kick-off; 0: it is the body of an iterator
    bool starts;      // the kick-off has no probes
    struct weave_runs runs;
};

// The async method, no iterator, whose body this is, as MethodDef; 0: it is none. Needs the module's lock.
uint32_t async_method_of(struct module *module, uint32_t token);

// Whether the method only starts its async body, so that the body's probes record it too. It then runs as it is. The
// instruments are those of both. Takes the module's lock.
bool async_kickoff_stays(struct module *module, uint32_t token, uint32_t instruments);

// Whether the method is an async body whose runs can be linked. One whose kick-off is not recorded, or that is built
// differently from what compilers make, is woven like any other method. Defines a kick-off that stays. Needs the module's
// lock.
bool async_body_find(struct module *module, uint32_t token, uint32_t instruments, const struct il_body *body,
                     struct async_body *out);

// Makes the body's number, with the marks of its nodes, known to the probes and the collector. False: there is no room for it.
// Needs the module's lock.
bool async_body_define(struct module *module, const struct async_body *body, uint32_t marked);

#endif
