// What the probes have seen of classes (probe_classes.h) is told here, outside of managed code: by a thread of the agent
// that is woken at first sight of a class.
#ifndef CLEW_AGENT_CLASSES_H
#define CLEW_AGENT_CLASSES_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/loaded/modules.h"
#include "agent/probe/probe_classes.h"

// Once, before the first probe that calls class_number(). False: no memory or no thread, and classes have no numbers.
bool classes_start(void);

// Tells what all classes are that have been seen. On any thread, in preemptive mode or none of the runtime's.
void classes_resolve(void);

// A class has been loaded. Value types are remembered: what other structs are made of is told with their layout, too; and
// ref structs, which cannot say what they are where they are seen, get their method table into class_tables before the
// code that uses them runs. In preemptive mode.
void classes_loaded(clr_id class);

// From now on the struct with this number, which is known_type.exact, has its method table in class_tables before code that
// uses it runs. False: classes have no numbers. Not under type_table_lock().
bool classes_expect(uint32_t number);

// The module is about to go away: what has been seen is told while it can be, and then everything that is of the module,
// or has an item or type argument of it, gets a new number should its address come again.
void classes_forget(const struct module *module);

#endif
