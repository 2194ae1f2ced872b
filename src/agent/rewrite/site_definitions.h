// Sites: the places in a method where events for statements and values arise. They are planned with symbols and metadata,
// numbered, and defined to the collector.
#ifndef CLEW_AGENT_SITE_DEFINITIONS_H
#define CLEW_AGENT_SITE_DEFINITIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/loaded/modules.h"
#include "il/body.h"
#include "metadata/pdb/symbols.h"
#include "weave/weave.h"

// At start: the tables that probes read. False: no memory, and the session has no sites.
bool sites_start(void);

// The functions below need the module's lock, or a module that no other thread has seen yet or sees any more.

// At module load: opens the symbols of the module at `path`, and says whether they match.
enum symbols_state sites_prepare(struct module *module, const char *path);
// At unload: closes them and returns the memory of site numbers.
void sites_forget(struct module *module);
// Plans the sites of a method for these instruments. `runs`: of the body of an async method or iterator; NULL or without points:
// it is none. False: it has none, or it is too large for them (out->dropped).
bool sites_plan(struct module *module, uint32_t token, uint32_t instruments, struct il_body *body,
                const struct weave_runs *runs, struct weave_plan *out);
// Numbers the sites of a plan and defines them to the collector. Returns the number of the first; 0: no numbers are left, or
// the collector did not get the definitions.
uint32_t sites_define(const struct module *module, uint32_t method, struct weave_plan *plan);

#endif
