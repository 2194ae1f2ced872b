// Looks up the objects that values refer to. Only value_*.c use this; value.h has the functions for others.
#ifndef CLEW_VIEW_VALUE_OBJECT_H
#define CLEW_VIEW_VALUE_OBJECT_H

#include "view/text/value.h"

// The record of an object; NULL: the number is 0, or the object is unknown. Valid until the next lookup.
const struct recording_object *value_object_record(const struct values *values, uint32_t number);
// The type of an object; NULL: `object` is NULL, or its type is unknown.
const struct type *value_object_type(const struct values *values, const struct recording_object *object);

#endif
