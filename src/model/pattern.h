// Names that people type to choose methods: globs over `Namespace.Type.Method`, or a name as reports print it, whole or in
// part: with parameters, shortened, a method or a type alone. An assembly may stand before it: `[Shop]Shop.Cart.*`.
#ifndef CLEW_MODEL_PATTERN_H
#define CLEW_MODEL_PATTERN_H

#include "model/catalog.h"

// Appends, each with a line break behind it, globs over source names without parameters that together match what `asked`
// means beside what it matches as a glob itself. `asked` has no assembly.
void pattern_globs(struct buffer *into, struct text asked);

// The name that is meant, without what a report prints besides: dots for what it left out, parameters, a lambda's number.
struct text pattern_name(struct text asked);
// Whether these globs or `asked` itself match a source name without parameters. That is how recording chooses.
bool pattern_chooses(struct text asked, struct text name);

// Takes `[Assembly]` off the front and returns what is between the brackets; `*` where there is none.
struct text pattern_take_assembly(struct text *asked);

// Whether `asked`, which may have an assembly, means the method of that printed name.
bool pattern_matches(struct text asked, struct text assembly, struct text name);

// The same of a method of the catalog.
bool pattern_means(struct text asked, const struct catalog *catalog, uint32_t method);

// Appends the lines of a scope ("include GLOB\n", "calls GLOB\n", ...) that were asked for, without those that
// pattern_scope() has added.
void pattern_scope_asked(struct buffer *into, struct text lines);
// Appends the lines with those that each of them means beside what it matches itself.
void pattern_scope(struct buffer *into, struct text lines);

#endif
