// The exception that ended a process, since nothing handled it.
#ifndef CLEW_VIEW_FORMAT_END_H
#define CLEW_VIEW_FORMAT_END_H

#include "model/sites.h"
#include "view/text/view.h"

struct unhandled {
    struct text type; // full name; empty: not known
    struct text message;
    bool known;          // such an exception ended it
    bool has_message;    // of its own, and it was recorded
    struct sites *sites; // which the texts are borrowed from
};
// The caller calls unhandled_free().
struct unhandled unhandled_of(const struct model *model, const struct recording_process *process);
void unhandled_free(struct unhandled *unhandled);
// Appends ", by an unhandled System.Exception: message", or nothing.
void format_unhandled(struct buffer *into, const struct model *model, const struct recording_process *process);

#endif
