// Which names belong to what is left out of recordings: values of places (agent/session/settings.c) and arguments of command lines
// (collector/session/command_line.c), by the same rule.
#ifndef CLEW_BASE_REDACT_H
#define CLEW_BASE_REDACT_H

#include "base/text.h"

// The patterns where the session has none of its own, as redact_plain() writes them; ends with NULL.
extern const char *const redact_usual[];

// Names and patterns are compared without case and without what only parts words (_ and -). Returns the size written, at most
// `size`.
size_t redact_plain(struct text name, char *into, size_t size);

// Whether the name is one of those, by the session's configuration: its lines `redact PATTERN`, or the usual patterns where it
// has no such line. Without memory everything is.
bool redact_matches(struct text configuration, struct text name);

#endif
