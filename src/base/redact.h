// Decides by names which values are redacted, that is, left out of recordings: values of variables and fields
// (agent/types/redacted_fields.c, agent/rewrite/site_definitions.c) and arguments of command lines
// (collector/session/command_line.c). When memory runs out, everything is redacted: rather too much than a secret.
#ifndef CLEW_BASE_REDACT_H
#define CLEW_BASE_REDACT_H

#include <stdbool.h>

#include "base/text.h"

// Types whose values are no secrets, whatever their place is called: full names as in metadata; ends with NULL. With `bool`
// and enums they are spared from the usual patterns, not from those of the user.
extern const char *const redact_spared[];

// The patterns of a session.
struct redaction {
    struct buffer globs; // lines in the form in which names are compared; failed: there was no memory for one
    bool usual;          // the session has none of its own
};

// Takes the lines `redact PATTERN` of the session's configuration, or the usual patterns if it has no such line. One without a
// pattern redacts nothing. The caller calls redaction_free().
void redaction_parse(struct redaction *redaction, struct text configuration);
void redaction_free(struct redaction *redaction);

// Whether what has this name is redacted. What has no name is not.
bool redaction_matches(const struct redaction *redaction, struct text name);
// Whether anything is.
static inline bool redaction_is_any(const struct redaction *redaction)
{
    return redaction->globs.size > 0 || redaction->globs.failed;
}

#endif
