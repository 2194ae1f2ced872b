// Methods of loaded modules. The agent decides once about each method whether it is recorded; a recorded method gets a number
// and is defined to the collector before its first event. Any thread that compiles may call these.
#ifndef CLEW_AGENT_METHODS_H
#define CLEW_AGENT_METHODS_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/loaded/modules.h"

// The state of a method: an entry of module.methods. It only ever grows.
enum method_state {
    METHOD_NEW = 0,
    METHOD_BUSY = 1,    // a thread is deciding; others wait, or they would compile a body that is about to be replaced
    METHOD_LEFT = 2,    // out of scope, or left unchanged for a reason that was reported
    METHOD_TINY = 3,    // its calls are counted, and it has no activations
    METHOD_NUMBERS = 16 // from here on: recorded, and the state is clew's number (METHOD_FIRST_REAL) with its marks
};

// The number by which probes know a method of any module: clew's number with its marks; 0 if none of its activations are
// recorded.
uint32_t method_number(clr_id function);
// Whether the method is one of runtime async (METHOD_ASYNC).
bool method_is_async(const struct module *module, uint32_t token);
// Whether this is the core library's method that makes a `tail.` call on behalf of a method whose own frame has no room for
// the arguments.
bool method_makes_tail_calls(clr_id function);
// Claims the decision about a method. True: this thread decides and must call method_decided(). False: the decision has been
// made; if another thread was making it, this call waited for it, for as long as weaving a method takes.
bool method_take(struct module *module, uint32_t token);
void method_decided(struct module *module, uint32_t token, uint32_t state);

// Of a method: which one hands it over to be run elsewhere, as to Task.Run, and does nothing else with it.
struct method_start {
    uint32_t by;     // enum method_start_by, or clew's number
    uint32_t number; // of the method itself, once it is defined
};

enum method_start_by {
    METHOD_START_UNKNOWN = 0, // no recorded method has taken its address
    METHOD_START_SEVERAL = 1, // several hand it over (RECORDING_STARTED_BY_SEVERAL)
    METHOD_START_NONE = 2     // something may be done with it that is not known
};

// The entry of a method, which lives as long as the module. NULL: memory ran out. Needs the module's lock.
struct method_start *method_start(struct module *module, uint32_t token);
// Defines a method once more if it has been defined, since its start has changed. Needs the module's lock.
void method_define_again(struct module *module, uint32_t token);
// Gives the method a number and defines it to the collector. 0 when memory runs out. Needs the module's lock.
uint32_t method_define(struct module *module, uint32_t token);
// The number with its enum ring_method_mark, for a method that is in the scope of these instruments.
uint32_t method_marked(uint32_t number, uint32_t instruments);
// Whether the collector knows a method's name: of one that is recorded from its definition, of another one from its first
// compilation (RING_DEFINE_COMPILED). Both take the module's lock.
bool method_is_named(struct module *module, uint32_t token);
void method_set_named(struct module *module, uint32_t token);
// Appends the name of any method; nothing if it cannot be composed. Takes the module's lock.
enum method_kind method_name(struct module *module, uint32_t token, struct buffer *name);
// Reports why a method is recorded in part or not at all. Takes the module's lock.
void method_not_woven(struct module *module, uint32_t token, const char *reason);

#endif
