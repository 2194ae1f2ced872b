// Which methods the program hands over to be run elsewhere, and which method does (weave/operations/starts.h).
#ifndef CLEW_AGENT_STARTED_H
#define CLEW_AGENT_STARTED_H

#include "agent/loaded/modules.h"
#include "il/body.h"

// Notes what a body hands over, before anything is inserted into it. `number`: clew's number of its method. Methods that are
// defined already are defined again if that changes what is known of them. Needs the module's lock.
void started_note(struct module *module, struct il_body *body, uint32_t token, uint32_t number);

#endif
