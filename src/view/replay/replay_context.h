// The state that all formats of `replay` share, and lookups for a step's method, site and values.
#ifndef CLEW_VIEW_REPLAY_CONTEXT_H
#define CLEW_VIEW_REPLAY_CONTEXT_H

#include "model/events/timeline.h"
#include "model/objects.h"
#include "model/sites.h"
#include "model/sources.h"
#include "model/waits.h"
#include "view/replay/replay.h"
#include "view/replay/replay_async.h"
#include "view/replay/replay_call.h"
#include "view/replay/replay_chosen.h"
#include "view/text/value.h"

// One run of `replay`. replay_formats.c fills it in and releases it.
struct replay_context {
    const struct view *view;
    struct model *model;
    const struct view_replay *options;
    uint64_t min_time;       // in ticks
    struct sites *sites;     // NULL: the recording has no statements or values
    struct objects *objects; // likewise
    struct sources *sources; // likewise
    struct sites *names;     // of exceptions, where `sites` is NULL; NULL: not asked for yet
    struct replay_async async;
    struct replay_call call; // whose steps are shown
    struct replay_chosen chosen;
    bool hidden;        // the step does not belong to it, or its call is left out
    bool caller;        // its call is there as a caller of chosen ones
    struct map settled; // objects whose identity is no longer uncertain (value.h)
    struct buffer text; // scratch space for one value or statement
    void *own;          // the format's own state
};

// The name of a step's method. The step must have a frame.
struct text replay_name(const struct replay_context *context, const struct event_step *step);
// The catalog index of the method of a step's frame; CATALOG_NONE: no frame, or an unknown method.
uint32_t replay_frame_method(const struct replay_context *context, const struct event_step *step);
// Whether --depth excludes the step.
bool replay_too_deep(const struct replay_context *context, const struct event_step *step);

// Whether an event of the site may create an object: an allocation, or `this` at the beginning of a constructor.
static inline bool replay_may_make(const struct site *site)
{
    return site->kind == SITE_ALLOCATION || (site->kind == SITE_ARGUMENT && site->index == 0);
}

// The following take SITE steps. replay_site(): the step's site; NULL: not defined.
const struct site *replay_site(const struct replay_context *context, const struct event_step *step);
// The catalog index of the method that contains the site; CATALOG_NONE: unknown.
uint32_t replay_site_method(const struct replay_context *context, const struct event_step *step);
// The document of a statement in the site's method; NULL: unknown.
const struct recording_document *replay_document(const struct replay_context *context, const struct event_step *step,
                                                 const struct site *statement);
// Parses the payload of the step's event. False: it is damaged.
bool replay_take(const struct replay_context *context, const struct event_step *step, const struct site *site,
                 struct site_value *out);
// The tables in which the step's values are looked up.
struct values replay_values(struct replay_context *context, const struct event_step *step);

// What a THROWN or CAUGHT step is about.
struct replay_exception {
    struct text type; // empty: not known
    struct text message;
    uint32_t length; // of the message, in UTF-16 units; there may be more than it has
    bool has_message;
    bool below; // it was thrown, or caught, by code that is not recorded
};
enum clew_error replay_exception(struct replay_context *context, const struct event_step *step,
                                 struct replay_exception *out);

// The result of a step that has printed, which it counts: NO_MEMORY if context->text is incomplete, IO if writing failed.
enum clew_error replay_written(const struct replay_context *context);

#endif
