// Structs of the framework that read like primitives: numbers, moments and spans of time, identifiers.
#ifndef CLEW_VIEW_VALUE_WELL_KNOWN_H
#define CLEW_VIEW_VALUE_WELL_KNOWN_H

#include "base/bytes.h"
#include "view/text/value_content.h"

// Whether the value is of such a struct and has all of its bytes. The content's type is known.
bool value_is_well_known(const struct value_content *content);
// What invariant-culture ToString() prints. False, and nothing written: it is none, or has fields that are not known here.
bool value_well_known(struct buffer *into, const struct value_content *content);

#endif
