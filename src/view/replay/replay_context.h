// What the formats of events in order share: where a step's method, site and value are looked up.
#ifndef CLEW_VIEW_REPLAY_CONTEXT_H
#define CLEW_VIEW_REPLAY_CONTEXT_H

#include "model/objects.h"
#include "model/sites.h"
#include "model/sources.h"
#include "model/timeline.h"
#include "view/replay/replay.h"
#include "view/text/value.h"

struct replay_context {
    const struct view *view;
    struct model *model;
    const struct view_replay *options;
    const char *path;        // of the recording
    uint64_t min_time;       // ticks
    struct sites *sites;     // NULL where the recording has no statements and values
    struct objects *objects; // the same
    struct sources *sources; // the same
    struct map settled;      // objects of which it is known who they are (value.h)
    struct buffer text;      // room for one value or statement
    void *own;               // of the format
};

// The name of a step's method. The step has a frame.
struct text replay_name(const struct replay_context *context, const struct timeline_step *step);
// The index in the catalog of the method of a step's frame; CATALOG_NONE: it has no frame, or the method is not known.
uint32_t replay_frame_method(const struct replay_context *context, const struct timeline_step *step);
// Whether --depth hides the step.
bool replay_too_deep(const struct replay_context *context, const struct timeline_step *step);

// Of a SITE step:
// Its site; NULL: not defined.
const struct site *replay_site(const struct replay_context *context, const struct timeline_step *step);
// The index in the catalog of the method that the site is in; CATALOG_NONE: not known.
uint32_t replay_site_method(const struct replay_context *context, const struct timeline_step *step);
// The document that a statement of the site's method is in; NULL: not known.
const struct recording_document *replay_document(const struct replay_context *context, const struct timeline_step *step,
                                                 const struct site *statement);
// The payload of the step's event, taken apart. False: it is damaged.
bool replay_take(const struct replay_context *context, const struct timeline_step *step, const struct site *site,
                 struct site_value *out);
// Where the step's values are looked up.
struct values replay_values(struct replay_context *context, const struct timeline_step *step);

// What a step has to answer after it has printed: NO_MEMORY where the text did not fit, IO where writing failed.
enum clew_error replay_written(const struct replay_context *context);

#endif
