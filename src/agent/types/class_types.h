// The type number of a class that the runtime has loaded: asks the runtime where the class is defined, what its type
// arguments or array items are, and at which offsets its fields lie.
//
// These calls of the runtime take no lock, never block and may be made from a thread that the runtime does not know
// (proftoeeinterfaceimpl.cpp), so they are made with locks of the agent held: class_lock keeps the class from being unloaded
// meanwhile.
#ifndef CLEW_AGENT_CLASS_TYPES_H
#define CLEW_AGENT_CLASS_TYPES_H

#include "agent/types/instance_fields.h"

enum { CLASS_FIELDS_MAX = 512 }; // of a struct whose layout is reported

// One examination of a class. Large: from the heap.
struct class_query {
    const void *table; // the class examined; it depends on the modules of all its parts
    struct clr_field fields[CLASS_FIELDS_MAX];
};

// Allocates a query about the class; the caller frees it by free(). NULL when memory runs out.
struct class_query *class_query_new(clr_id class);

// The number of the query's class or of a part of it. With a report the type is reported with its layout, and the structs
// in it likewise. 0 when memory or numbers run out. Needs class_lock and type_table_lock().
uint32_t class_type(struct class_query *query, clr_id class, const struct type_report *report);

// Asks for the fields of a class and the size of its instances; they stay valid until the query is used again. False: the
// class has more than CLASS_FIELDS_MAX fields, or the runtime does not know.
bool class_fields(struct class_query *query, clr_id class, struct layout_source *out);

#endif
