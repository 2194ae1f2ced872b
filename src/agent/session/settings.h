// What the configuration says beside the scope.
#ifndef CLEW_AGENT_SETTINGS_H
#define CLEW_AGENT_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct settings {
    struct text *redacted; // globs without case and underscores, of names of places
    uint32_t redacted_count;
    bool redact_all;      // there was no memory for a glob
    uint32_t string_max;  // UTF-16 units of a string that are recorded
    struct text *folders; // where symbols are looked for that are not with their module
    uint32_t folder_count;
};

// Of the configuration lines "redact GLOB" (in place of the default; an empty one for nothing at all), "string-max N" and
// "symbols FOLDER". Both texts stay in use; the last folder is the one of the program's executable (single-file programs).
void settings_parse(struct settings *settings, struct text lines, struct text program_folder);
// Whether the value of a place of this name is left out; one without a name is not.
bool settings_redact(const struct settings *settings, struct text name);

#endif
