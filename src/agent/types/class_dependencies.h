// Which classes become invalid when a collectible module is unloaded: those of the module, and all others that have one of
// its types as an item or type argument. Another class may be loaded at the same address afterwards.
#ifndef CLEW_AGENT_CLASS_DEPENDENCIES_H
#define CLEW_AGENT_CLASS_DEPENDENCIES_H

#include <pthread.h>
#include <stdint.h>

#include "agent/loaded/modules.h"

// LOCK_CLASSES. Held while a class is examined: the unload callback of its module waits for this lock, and the class stays valid until
// then. Guards the functions here and the state of classes.c and value_classes.c. Taken before type_table_lock().
extern pthread_mutex_t class_lock;

// Notes that the class with this method table depends on the module, if that is collectible. Without memory the class is
// forgotten too late. Needs class_lock.
void class_depends_on(const void *table, const struct module *module);
// Removes the slots and masks that probes have of each class that depends on the module. Needs class_lock.
void class_dependencies_drop(const struct module *module);

#endif
