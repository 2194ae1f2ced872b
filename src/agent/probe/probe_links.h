// The links between the runs of async activations: logical paths, and a record for each activation that waits. All threads
// share both. Everything is lock-free and in the segment, like nodes; a broken program may overwrite it, so each number is
// bounded where it is used, and each walk counts its steps.
//
// What is known without these tables costs nothing: a first run lies below its kick-off, which lies below its caller. Only an
// activation that waits gets a record, and so do the runs around it, which are its callers.
#ifndef CLEW_AGENT_PROBE_LINKS_H
#define CLEW_AGENT_PROBE_LINKS_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/probe/probe_thread.h"

#pragma GCC visibility push(hidden)

// Makes the private tables. Called once, before any probe runs. False: no memory; then no activation is linked.
bool links_setup(void);

// Notes the kick-off of an async body, by their numbers without marks; before the body is compiled. Kick-off 0: a first run
// lies below its caller, since the kick-off has no probes, or it is that of an async iterator. False: there is no room for it,
// and its runs cannot be linked.
bool links_define(uint32_t body, uint32_t kickoff);

// Notes a method of runtime async, which is its own body, by the number with the marks of its nodes; before it is compiled. False
// as above.
bool links_define_suspended(uint32_t marked);
bool links_suspends(uint32_t method);

// The number of the method, without marks, of a node of any variant.
uint32_t links_method(uint32_t node_method);

// The activation that runs in `node` begins to wait in `state`. Returns its slot, which is below
// `slots`; 0 if there is no room to link the wait: the activation is then forgotten.
uint32_t links_wait(uint32_t node, uint32_t state, uint64_t now, uint32_t slots);

// A wait that is over.
struct links_wait {
    uint32_t slot;      // of the activation; 0: it is not known
    uint64_t ticks;     // since it began to wait
    uint64_t own_ticks; // those of them in which nothing that it has called was pending or ran
};

// A run of `body`, with its marks, continues the activation in wait->slot. Returns the number of the run's node, and measures the
// wait. A slot in which nothing waits is replaced by 0, as an activation whose caller is not known.
uint32_t links_resume(uint32_t body, uint64_t now, struct links_wait *wait);

// The serial of the activation in a slot that it still has (RING_SERIAL); 0 for slot 0.
uint64_t links_serial(uint32_t slot);
// The same with the number of its newest wait, while it cannot begin another one.
uint64_t links_serial_of_wait(uint32_t slot);
// The serial of the activation that runs in `node`; 0: the node is no run, or its activation has no record.
uint64_t links_serial_of_run(uint32_t node);

// The activation is complete. Returns the clock at which it began; 0: not known.
uint64_t links_complete(uint32_t slot, uint64_t now);

// When the activation whose first run is `node` began: at its kick-off.
uint64_t links_started(uint32_t node);

// -- Activations of runtime async: the thread on which one goes on knows its slot alone, so it has that from its entry on, and the
// await is in its record before it is known whether the method will be suspended there.

// The slow part of links_take(), and of links_await() (probe_link_parts.h). False: the activation that runs in `node` cannot be
// linked.
uint32_t links_take_first(void);
bool links_link(uint32_t node);
// When the method of an await that is current on its thread was suspended, if it was: at the last event there.
uint64_t links_left_at(const struct ring_thread *thread, const struct ring_await *await);
// The method was suspended at this clock, in the await of this serial.
void links_suspended(uint64_t serial, uint64_t at);
// As links_resume(), of a method that was suspended.
uint32_t links_go_on(uint32_t method, uint64_t now, struct links_wait *wait);
// Whether the activation is in an await, begun on whatever thread.
bool links_awaits(uint32_t slot);

// An activation as others remember it.
struct links_activation {
    uint32_t slot; // 0: none
    uint32_t generation;
};
struct links_activation links_activation(uint32_t slot);
// The slot of the one that the activation awaits by the call of its method, and that is in an await itself; 0: none, or not known.
uint32_t links_awaited_by(uint32_t slot);
// The activation that awaits what runs in the slot, by a call of the method itself.
struct links_activation links_awaiter(uint32_t slot);
// Whether the activation still is in an await; *tried: within a try.
bool links_still_awaits(struct links_activation activation, bool *tried);
// The number of its method, with the marks of its nodes.
uint32_t links_marked(struct links_activation activation);

#pragma GCC visibility pop

#endif
