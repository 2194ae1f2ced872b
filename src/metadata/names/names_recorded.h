// Flags for recordings whose agents stated none. The names in such a recording are all that is known, so the flags are found
// in them by the rules that views of that time had: the recording is shown as it was then. This is the only place of the
// reading side that looks into names; everything else uses the flags.
#ifndef CLEW_METADATA_NAMES_RECORDED_H
#define CLEW_METADATA_NAMES_RECORDED_H

#include "trace/site.h"

// enum method_flag, by a display name (names.h). Never STATED.
uint32_t recorded_method_flags(struct text name);
// enum type_flag, by a type's full name. Never STATED.
uint32_t recorded_type_flags(const struct type *type);
// The role of the variable that a site names. UNKNOWN: the name does not say.
enum variable_role recorded_role(const struct site *site);

#endif
