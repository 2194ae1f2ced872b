// Pieces of the closing lines, which the usual case and that of nothing recorded share.
#ifndef CLEW_CLI_CLOSING_PARTS_H
#define CLEW_CLI_CLOSING_PARTS_H

#include "cli/closing.h"
#include "view/text/view.h"

#define CLOSING_NO_ROOM \
    "limit of address space (ulimit -v) is below four times what clew reserves there, 22 GiB; raise it to record"

// Stderr as what views write to.
const struct view *closing_view(void);
// The notes of the recording, a line each.
void closing_notes(const struct model *model);
// How many processes are in that state.
uint32_t closing_processes(const struct model *model, enum process_state state);
// What to do where the program was a verb of the SDK, which starts others.
void closing_sdk_verb(const struct recording_options *options);

// Why methods are missing (closing_missing.c).

struct closing_reason {
    struct text text; // borrowed from the model
    uint32_t count;   // methods
};

struct closing_reasons {
    struct closing_reason *of; // the commonest first
    uint32_t count;
    size_t room;
};

// The caller frees .of. Where memory runs out some are missing.
struct closing_reasons closing_reasons_of(const struct model *model);
void closing_missing(const struct recording_options *options, const struct model *model);

// Patterns that match nothing (closing_patterns.c).

// An --exclude that takes nothing away is mostly a slip of the pen.
void closing_excludes(const struct recording_options *options, const struct model *model);
// What the program has that is named like what was asked for; each line of the scope but those of --exclude.
void closing_nearest(const struct recording_options *options, const struct model *model);

// The closing lines as JSON (closing_json.c).
void closing_json(const struct session *session, const struct model *model, int exit_status);

#endif
