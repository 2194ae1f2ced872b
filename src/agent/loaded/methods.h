// Methods: decided about once, numbered, and defined to the collector before their first event.
#ifndef CLEW_AGENT_METHODS_H
#define CLEW_AGENT_METHODS_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/loaded/modules.h"

// What became of a method: an entry of module.methods.
enum method_state {
    METHOD_NEW = 0,
    METHOD_BUSY = 1,    // a thread is deciding; others wait, or the JIT would compile what is about to change
    METHOD_LEFT = 2,    // out of scope, or not woven for a reason that was told
    METHOD_NUMBERS = 16 // this and above: recorded, and this is clew's number (METHOD_FIRST_REAL) with its marks
};

// What probes know a method of any module as: clew's number with its marks; 0 if it is not recorded.
uint32_t method_number(clr_id function);
// Whether it is the runtime's own that makes `tail.` calls for methods whose frames have no room for the arguments.
bool method_makes_tail_calls(clr_id function);
// Takes a method for deciding: true if this thread is to decide and then call method_decided(); false when it is decided
// already (waits while another thread is at it).
bool method_take(struct module *module, uint32_t token);
void method_decided(struct module *module, uint32_t token, uint32_t state);
// Gives the method its number and defines it; the caller holds the module's lock. 0 when memory runs out.
uint32_t method_define(struct module *module, uint32_t token);
// The number with its enum ring_method_mark, for a method that is in scope of these instruments.
uint32_t method_marked(uint32_t number, uint32_t instruments);
void method_not_woven(struct module *module, uint32_t token, const char *reason);

#endif
