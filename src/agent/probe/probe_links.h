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

// The number of the method, without marks, of a node of any variant.
uint32_t links_method(uint32_t node_method);

// The activation that runs in `node` begins to wait in `state`. Returns its slot, which is below
// `slots`; 0 if there is no room to link the wait: the activation is then forgotten.
uint32_t links_wait(uint32_t node, uint32_t state, uint64_t now, uint32_t slots);

// A run of `body`, with its marks, continues the activation in `slot`. Returns the number of the run's node, and in *waited
// and *own_waited the ticks since the wait began, and those of it that are the activation's own. A slot in which nothing waits
// is replaced by 0, as an activation whose caller is not known.
uint32_t links_resume(uint32_t body, uint32_t *slot, uint64_t now, uint64_t *waited, uint64_t *own_waited);

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

// The calling thread, if this is its id, ends, and gives the free slots that it keeps to the others. Before thread_end().
void links_thread_ends(uint32_t os_id);

#pragma GCC visibility pop

#endif
