// Where a method's statements and values are, and what the collector learns of them.
#ifndef CLEW_AGENT_SITE_DEFINITIONS_H
#define CLEW_AGENT_SITE_DEFINITIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/loaded/modules.h"
#include "il/body.h"
#include "weave/plan.h"

// The caller of all but start holds the module's lock, or is alone with the module.
bool sites_start(void); // false: no memory, and so no sites
void sites_prepare(struct module *module, const char *path);
void sites_forget(struct module *module);
// The sites of a method for these instruments. False: it has none, or they cannot be told.
bool sites_plan(struct module *module, uint32_t token, uint32_t instruments, struct il_body *body,
                struct weave_plan *out);
// Numbers and defines them: the first one's number, or 0 when there are no more.
uint32_t sites_define(const struct module *module, uint32_t method, struct weave_plan *plan);

#endif
