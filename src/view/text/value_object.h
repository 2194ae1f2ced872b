// Objects that values refer to, for the files of values; what others may ask is in value.h.
#ifndef CLEW_VIEW_VALUE_OBJECT_H
#define CLEW_VIEW_VALUE_OBJECT_H

#include "view/text/value.h"

// NULL: the number is 0, or no such object is known.
const struct recording_object *value_object_record(const struct values *values, uint32_t number);
// NULL: `object` is NULL, or of no known type.
const struct type *value_object_type(const struct values *values, const struct recording_object *object);

#endif
