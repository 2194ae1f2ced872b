// Events in order, as text and JSON. Each format is a receiver of the timeline's steps.
#ifndef CLEW_VIEW_REPLAY_H
#define CLEW_VIEW_REPLAY_H

#include "model/endings.h"
#include "model/objects.h"
#include "model/sites.h"
#include "model/sources.h"
#include "model/timeline.h"
#include "view/value.h"
#include "view/view.h"

enum view_replay_format {
    VIEW_REPLAY_STORY,
    VIEW_REPLAY_LOG,
    VIEW_REPLAY_JSON,
    VIEW_REPLAY_LINES,
    VIEW_REPLAY_VARIABLE
};

struct view_replay {
    enum view_replay_format format;
    uint32_t thread;      // 0: all
    uint64_t from, to;    // ns since the session's start; to UINT64_MAX: to the end
    struct text variable; // VARIABLE: its source name
    struct text method;   // VARIABLE: which methods (model/pattern.h); empty: all
    uint64_t *found;      // VARIABLE: how many values were shown; may be NULL
};

// view->depth and view->min_time_ns limit what is shown. Errors: those of timeline_run().
enum clew_error view_replay(const struct view *view, struct model *model, const char *path,
                            const struct view_replay *replay);

// What the receivers share.
struct replay_context {
    const struct view *view;
    struct model *model;
    enum view_replay_format format;
    const struct view_replay *options;
    bool headed;
    uint64_t min_time; // ticks
    uint64_t *counts;  // by method of the catalog: entries so far (log)
    uint32_t count_capacity;
    bool *chosen; // by method of the catalog: whether --method means it; NULL: all
    uint32_t chosen_count;
    struct timeline_thread *waiting; // story: has a beginning that is not printed yet, or NULL
    uint32_t waiting_frame, waiting_level;
    struct story *story;
    struct sites *sites;     // where statements and values are shown
    struct objects *objects; // the same
    struct sources *sources; // the same
    struct map settled;      // of them (value.h)
    struct buffer text;      // of one value
    uint32_t fields;         // JSON: written of one value
    uint64_t statements;     // lines: statements so far; variable: values shown
    struct endings *endings; // lines: which statements are the last of their activations
};
enum clew_error story_step(struct replay_context *context, const struct timeline_step *step);
enum clew_error story_start(struct replay_context *context);
void story_head(struct replay_context *context);
void story_end(struct replay_context *context); // what is still to be printed
void story_free(struct replay_context *context);
// The columns of the moment and the thread.
void story_moment(const struct replay_context *context, uint64_t clock);
void story_thread(const struct replay_context *context, const struct timeline_thread *thread);

// Whether the module that a SITE step is in has symbols. Of stories alone.
bool story_has_symbols(const struct replay_context *context, const struct timeline_step *step);

// What stories leave out (story_noise.c).

// Whether a statement or value is left out: braces, what the compiler needed a variable or an object for that the source
// has not (but conditions are told), that `this` was read, and what the call has told already.
bool story_is_noise(struct replay_context *context, const struct timeline_step *step, const struct site *site);
// The site that many numbers after the step's (before it, where negative) in the same method; NULL: there is none so near.
const struct site *story_neighbour(const struct replay_context *context, const struct timeline_step *step,
                                   int32_t distance);
// Whether a method that has no statement of the source is one of a closure, a state machine or the like, by its name.
bool story_is_plumbing(struct text name);
// Whether the object is of a class that a compiler made: what holds captured variables, or a state machine.
bool story_is_made(struct replay_context *context, uint32_t process, uint32_t object);

// Statements and values in words (story_site.c).

// Appends the statement's source as it is, on one line: `...` stands for the lines for which there is no room.
void story_source(struct replay_context *context, const struct timeline_step *step, const struct site *site,
                  struct buffer *into);
// Whether a value is an exception that the handler or filter behind it names: compilers store it before that begins.
bool story_is_early(struct replay_context *context, const struct timeline_step *step, const struct site *site);
// Appends `name = value`, of results and nameless conditions the value alone; nothing where the event is damaged. Names and
// texts are written as base/foreign.h does.
void story_value(struct replay_context *context, const struct timeline_step *step, const struct site *site,
                 struct buffer *into);
// The same of the part of the value that a path of field names leads to: `name.Field = value`. False, and nothing: there is
// no such part.
bool story_part(struct replay_context *context, const struct timeline_step *step, const struct site *site,
                struct text path, struct buffer *into);
enum clew_error replay_log_step(struct replay_context *context, const struct timeline_step *step);
enum clew_error replay_json_step(struct replay_context *context, const struct timeline_step *step);
void replay_json_head(struct replay_context *context);
enum clew_error replay_json_site(struct replay_context *context, const struct timeline_step *step);
void replay_variable_head(struct replay_context *context);
enum clew_error replay_variable_step(struct replay_context *context, const struct timeline_step *step);
enum clew_error replay_lines_step(struct replay_context *context, const struct timeline_step *step);

// The name of a step's method.
struct text replay_name(const struct replay_context *context, const struct timeline_step *step);
// The document that a statement is in, or NULL; the step is a SITE.
const struct recording_document *replay_document(const struct replay_context *context, const struct timeline_step *step,
                                                 const struct site *site);
// Where a SITE step's values are looked up.
struct values replay_values(struct replay_context *context, const struct timeline_step *step);
// Whether --depth hides the step.
bool replay_too_deep(const struct replay_context *context, const struct timeline_step *step);

#endif
