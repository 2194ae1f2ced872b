// The settings of the session besides its scope: redaction, lengths of strings, folders of symbols.
#ifndef CLEW_AGENT_SETTINGS_H
#define CLEW_AGENT_SETTINGS_H

#include <stdint.h>

#include "base/redact.h"
#include "trace/kinds.h"

struct settings {
    struct redaction redaction;
    uint32_t string_max; // how many UTF-16 units of a string are recorded
    enum tiny_methods tiny;
    struct text program;  // name of the assembly that the command line names; empty: it names none
    struct text *folders; // searched for symbols that are neither in nor beside their module
    uint32_t folder_count;
};

// Reads the configuration lines "redact GLOB" (replaces the default; an empty GLOB redacts nothing), "string-max N",
// "tiny skip", "tiny count", "program NAME" and "symbols FOLDER". Both texts must stay in memory. program_folder, for single-file
// programs, is searched last.
void settings_parse(struct settings *settings, struct text lines, struct text program_folder);

#endif
