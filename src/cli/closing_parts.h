// Pieces of the closing lines that closing.c and closing_nothing.c share.
#ifndef CLEW_CLI_CLOSING_PARTS_H
#define CLEW_CLI_CLOSING_PARTS_H

#include "cli/closing.h"
#include "view/text/view.h"

#define CLOSING_NO_ROOM \
    "limit of address space (ulimit -v) is below four times what clew reserves there, 22 GiB; raise it to record"

// A view that prints to stderr without width or colours.
const struct view *closing_view(void);
// Prints the recording's notes, one per line. Notes are messages that the collector left in the file.
void closing_notes(const struct model *model);
// The number of processes in that state.
uint32_t closing_processes(const struct model *model, enum process_state state);
// Whether the process (clew's number) ran a program of the SDK.
bool closing_is_tool(const struct model *model, uint32_t process);
// Explains what to do if the program was a verb of the SDK, which starts other programs.
void closing_sdk_verb(const struct recording_options *options);

// Why methods are missing (closing_missing.c).

// One reason, in the words of the agent.
struct closing_reason {
    struct text text; // borrowed from the model
    uint32_t count;   // number of methods
};

// Reasons with their numbers of methods.
struct closing_reasons {
    struct closing_reason *of; // the most frequent first
    uint32_t count;
    size_t room;
};

// Counts methods by the reason why they are missing. The caller frees .of. If memory runs out, some reasons are
// missing.
struct closing_reasons closing_reasons_of(const struct model *model);
// Prints how many methods are missing, and why.
void closing_missing(const struct recording_options *options, const struct model *model);

// Patterns that match nothing (closing_patterns.c).

// Reports each --exclude that excludes nothing: it is usually mistyped.
void closing_excludes(const struct recording_options *options, const struct model *model);
// For each pattern of the scope except --exclude: lists similar names in the program's modules.
void closing_nearest(const struct recording_options *options, const struct model *model);
// Whether each pattern means methods of loaded modules, and one of them is an --exclude.
bool closing_all_excluded(const struct recording_options *options, const struct model *model);

// The closing lines as JSON (closing_json.c).
void closing_json(const struct session *session, const struct model *model, int exit_status);

#endif
