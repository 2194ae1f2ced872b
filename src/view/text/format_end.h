// What ended a process: an exception, since nothing handled it, or Environment.FailFast.
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
// The method that called Environment.FailFast, or below which it was called, and the process ended. Empty: none that is known.
struct text failed_fast_in(const struct model *model, const struct recording_process *process);
// Appends ", by an unhandled System.Exception: message", or ", by Environment.FailFast, called in M or below it", or nothing.
void format_cause(struct buffer *into, const struct model *model, const struct recording_process *process);

#endif
