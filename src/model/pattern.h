// The patterns that users type to choose methods: globs over `Namespace.Type.Method`, or names as reports print them,
// whole, shortened, with or without parameters, or only a method or a type. An assembly may precede them:
// `[Shop]Shop.Cart.*`. The agent understands only globs, so the CLI translates names into globs before recording
// (pattern_scope()).
#ifndef CLEW_MODEL_PATTERN_H
#define CLEW_MODEL_PATTERN_H

#include "model/catalog.h"

// Appends globs, one per line, that together match the source names that `asked` means in addition to those that it
// matches as a glob itself. Source names have no parameters. `asked` has no assembly.
void pattern_globs(struct buffer *into, struct text asked);

// The name in `asked`, without the parts that only reports print: leading dots, parameters, a lambda's number.
struct text pattern_name(struct text asked);
// Whether `asked` as a glob, or one of the globs of pattern_globs(), matches a source name without parameters. The
// agent chooses methods by the same rule.
bool pattern_chooses(struct text asked, struct text name);

// What is wrong with a pattern as a user typed it; NULL: nothing.
const char *pattern_fault(const char *asked);

// Removes `[Assembly]` from the front of `asked` and returns the text between the brackets; `*` if there is none.
struct text pattern_take_assembly(struct text *asked);

// Whether `asked`, with or without an assembly, means the method that reports print as `name`.
bool pattern_matches(struct text asked, struct text assembly, struct text name);

// The same for a method of the catalog, by its index.
bool pattern_means(struct text asked, const struct catalog *catalog, uint32_t method);
// The same for each method that the catalog has now, by its index; the caller frees it. NULL: memory ran out.
bool *pattern_choose(struct text asked, const struct catalog *catalog);

// Appends the lines of a scope ("include GLOB\n", "calls GLOB\n", ...) as the user typed them, without those that pattern_scope()
// added, and without the program's name, which is no part of a scope.
void pattern_scope_asked(struct buffer *into, struct text lines);
// Appends the lines of a scope, each followed by the globs that its name implies, for the agent.
void pattern_scope(struct buffer *into, struct text lines);

#endif
