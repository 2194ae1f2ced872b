// Decides by names which values are redacted, that is, left out of recordings: values of variables and fields
// (agent/session/settings.c) and arguments of command lines (collector/session/command_line.c).
#ifndef CLEW_BASE_REDACT_H
#define CLEW_BASE_REDACT_H

#include "base/text.h"

// The patterns of a session without patterns of its own, in the form of redact_plain(); ends with NULL.
extern const char *const redact_usual[];
// Types whose values are no secrets, whatever their place is called: full names as in metadata; ends with NULL. With `bool`
// and enums they are spared from the usual patterns, not from those of the user.
extern const char *const redact_spared[];

// Writes a name in the form in which names and patterns are compared: in lower case, and without the characters that only
// separate words (_ and -). Returns the number of bytes written, at most `size`.
size_t redact_plain(struct text name, char *into, size_t size);

// Whether the name matches a pattern of the session's configuration: its lines `redact PATTERN`, or the usual patterns if it
// has no such line. True when memory runs out: rather too much is redacted than too little.
bool redact_matches(struct text configuration, struct text name);

#endif
