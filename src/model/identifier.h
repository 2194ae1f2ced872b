// Identifiers of types in recordings are those of metadata. This turns compiler-generated ones into what the source has in
// their place.
#ifndef CLEW_MODEL_IDENTIFIER_H
#define CLEW_MODEL_IDENTIFIER_H

#include "base/text.h"

// Appends a type's identifier without namespace, outer types and type arguments: `AnonymousType0` for
// `<>f__AnonymousType0`. A state machine is named after its method, as in names of methods: `Run.Count` for
// `<<Run>g__Count|2>d__1`. A type that is local to its file is named with it: `Helper@Cart`. Returns the text that belongs
// behind the type arguments: "()" or "".
const char *identifier_append(struct buffer *into, struct text name);

// The position of the bracket that closes the one at the start of `text`; 0: there is none.
size_t identifier_close(struct text text);

#endif
