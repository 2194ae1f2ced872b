// The settings of the session besides its scope: redaction, lengths of strings, folders of symbols.
#ifndef CLEW_AGENT_SETTINGS_H
#define CLEW_AGENT_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct settings {
    struct text *redacted; // globs over names of places, in lower case and without underscores
    uint32_t redacted_count;
    bool redacts_usual;   // by the usual patterns, which spare some types
    bool redact_all;      // there was no memory for a glob, so every value is redacted
    uint32_t string_max;  // how many UTF-16 units of a string are recorded
    struct text *folders; // searched for symbols that are neither in nor beside their module
    uint32_t folder_count;
};

// Reads the configuration lines "redact GLOB" (replaces the default; an empty GLOB redacts nothing), "string-max N" and
// "symbols FOLDER". Both texts must stay in memory. program_folder, for single-file programs, is searched last.
void settings_parse(struct settings *settings, struct text lines, struct text program_folder);
// Whether the value of a place with this name is redacted. A place without a name is not.
bool settings_redact(const struct settings *settings, struct text name);

#endif
