// Layouts of structs that follow from metadata alone, so that woven code can store values of them by itself before the
// runtime has loaded their classes.
#ifndef CLEW_AGENT_COMPUTED_LAYOUTS_H
#define CLEW_AGENT_COMPUTED_LAYOUTS_H

#include <stdint.h>

// Computes the layout of a struct, and of the structs in it, and reports it. Returns the size of a value if it is known
// and the value contains neither references nor redacted fields, else 0: then woven code cannot store it by itself. Needs
// type_table_lock().
uint32_t layout_compute(uint32_t number);

#endif
