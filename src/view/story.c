// Events as a story: a line when an activation begins and one when it ends, with its duration; one that calls nothing that
// is shown takes a single line. Lines are in the order of time over all threads, except where --min-time or --depth make a
// line wait until it is known whether it is shown.
#include "view/format.h"
#include "view/replay.h"

enum mark { MARK_HIDDEN = 0, MARK_SHOWN = 1, MARK_DONE = 2 }; // of a frame: not printed (yet), begun, told on one line

void story_moment(const struct replay_context *context, uint64_t clock)
{
    char room[FORMAT_CELL];
    const char *dim = format_style(context->view, FORMAT_DIM), *plain = format_style(context->view, FORMAT_PLAIN);
    uint64_t ns = model_since_start_ns(context->model, clock);
    (void)snprintf(room, sizeof room, "%llu.%09llu s", (unsigned long long)(ns / 1000000000u),
                   (unsigned long long)(ns % 1000000000u));
    (void)fprintf(context->view->out, "%s%16s%s ", dim, model_has_times(context->model) ? room : "-", plain);
}

void story_thread(const struct replay_context *context, const struct timeline_thread *thread)
{
    char room[FORMAT_CELL];
    if (context->model->catalog.process_count > 1) {
        (void)snprintf(room, sizeof room, "[%u:%u]", thread->process, thread->thread);
    } else {
        (void)snprintf(room, sizeof room, "[%u]", thread->thread);
    }
    if (context->view->colour) {
        (void)fprintf(context->view->out, "\033[%um%8s\033[0m ", 31 + (thread->thread - 1) % 6, room);
    } else {
        (void)fprintf(context->view->out, "%8s ", room);
    }
}

static void print_duration(const struct replay_context *context, uint64_t ticks, bool known)
{
    char room[FORMAT_CELL];
    const char *text = known ? format_ticks(room, context->model, ticks) : "";
    bool slow = known && context->view->colour && model_ns(context->model, ticks) >= 1000000;
    (void)fprintf(context->view->out, "%s%12s%s | ", slow ? format_style(context->view, FORMAT_WARNING) : "", text,
                  slow ? format_style(context->view, FORMAT_PLAIN) : "");
}

struct line {
    uint64_t clock;
    uint64_t duration;
    bool has_duration;
    uint32_t level;
    const char *before, *after;
};

enum { PREFIX_WIDTH = 42, LEVELS_MAX = 64 };

// A story 100,000 levels deep is to stay readable, and smaller than its levels squared. Returns the levels shown.
static uint32_t indent(const struct replay_context *context, uint32_t level)
{
    uint32_t shown = level < LEVELS_MAX ? level : LEVELS_MAX;
    (void)fprintf(context->view->out, "%*s", (int)(2 * shown), "");
    if (level > shown) {
        (void)fprintf(context->view->out, "(+%u) ", level - shown);
    }
    return shown;
}

static void print_line(const struct replay_context *context, const struct timeline_step *step, const struct line *line)
{
    story_moment(context, line->clock);
    story_thread(context, step->thread);
    print_duration(context, line->duration, line->has_duration);
    uint32_t level = indent(context, line->level);
    (void)fputs(line->before, context->view->out);
    if (step->frame) {
        size_t used = PREFIX_WIDTH + 2 * (size_t)level + strlen(line->before) + strlen(line->after);
        format_name(context->view, replay_name(context, step), used);
    }
    (void)fprintf(context->view->out, "%s\n", line->after);
}

static const char *ending(enum stream_end how, bool leaf)
{
    static const char *const texts[2][3] = {{"", "  by exception", "  unseen"}, {";", ";  by exception", ";  unseen"}};
    return texts[leaf][how];
}

static void print_begin(const struct replay_context *context, const struct timeline_step *step)
{
    struct line line = {.clock = step->frame->started, .level = step->level, .before = "", .after = " {"};
    step->frame->number = MARK_SHOWN;
    print_line(context, step, &line);
}

static void print_leaf(const struct replay_context *context, const struct timeline_step *step, uint64_t end,
                       enum stream_end how)
{
    struct line line = {.clock = step->frame->started,
                        .duration = stream_time(step->frame, end),
                        .has_duration = true,
                        .level = step->level,
                        .before = "",
                        .after = ending(how, true)};
    step->frame->number = MARK_DONE;
    print_line(context, step, &line);
}

// An end, or that it still runs where the stream stops.
static void print_end(const struct replay_context *context, const struct timeline_step *step)
{
    bool open = step->kind == TIMELINE_OPEN;
    struct line line = {.clock = step->clock,
                        .duration = stream_time(step->frame, step->clock),
                        .has_duration = true,
                        .level = step->level,
                        .before = open ? "" : "} ",
                        .after = open ? "  still running" : ending(step->how, false)};
    print_line(context, step, &line);
}

static void print_lost(const struct replay_context *context, const struct timeline_step *step)
{
    char count[FORMAT_CELL], text[FORMAT_CELL + 32];
    (void)snprintf(text, sizeof text, "... %s events lost", format_count(count, step->lost));
    struct line line = {.clock = step->clock, .before = text, .after = ""};
    print_line(context, step, &line);
}

// Statements and values have no moment of their own.
static void print_site(struct replay_context *context, const struct timeline_step *step)
{
    (void)fprintf(context->view->out, "%16s ", "");
    story_thread(context, step->thread);
    print_duration(context, 0, false);
    const struct site *site = sites_site(context->sites, step->thread->process, step->site);
    bool value = site && site->kind != SITE_STATEMENT; // values stand under their statement
    (void)indent(context, step->level + (value ? 3 : 1));
    story_site(context, step);
    (void)fputc('\n', context->view->out);
}

// The frame that waits, found again: the stack may have moved.
static void flush_pending(struct replay_context *context)
{
    if (context->waiting) {
        struct stream_frame *frame = &context->waiting->stream.frames[context->waiting_frame];
        struct timeline_step step = {.thread = context->waiting, .frame = frame, .level = context->waiting_level};
        context->waiting = NULL;
        print_begin(context, &step);
    }
}

static uint32_t frame_index(const struct timeline_step *step)
{
    return (uint32_t)(step->frame - step->thread->stream.frames);
}

static void begin_in_order(struct replay_context *context, const struct timeline_step *step)
{
    if (step->leaf && !step->frame->joined) {
        print_leaf(context, step, step->leaf_clock, step->leaf_how);
    } else if (step->next_known || step->frame->joined) {
        print_begin(context, step);
    } else {
        context->waiting = step->thread;
        context->waiting_frame = frame_index(step);
        context->waiting_level = step->level;
    }
}

// Everything is shown, in the order of time. Only where a block ends right behind a beginning the line waits for the
// next step.
static void step_in_order(struct replay_context *context, const struct timeline_step *step)
{
    if (step->kind == TIMELINE_END && step->thread == context->waiting) {
        context->waiting = NULL;
        print_leaf(context, step, step->clock, step->how);
        return;
    }
    flush_pending(context);
    if (step->kind == TIMELINE_BEGIN) {
        begin_in_order(context, step);
    } else if (step->kind == TIMELINE_END && step->frame->number != MARK_DONE) {
        print_end(context, step);
    } else if (step->kind == TIMELINE_OPEN) {
        print_end(context, step);
    } else if (step->kind == TIMELINE_SITE) {
        print_site(context, step);
    }
}

static bool lasts(const struct replay_context *context, const struct stream_frame *frame, uint64_t clock)
{
    return stream_time(frame, clock) >= context->min_time;
}

// Prints the beginnings below `end` on this thread's stack that are known by now to be shown: all that have lasted the
// minimum, but for the last level shown, which always takes a single line. thread->user counts the frames done: beginnings
// are shown from the outermost on.
static void show_begun(struct replay_context *context, const struct timeline_step *step, uint32_t end)
{
    struct stream *stream = &step->thread->stream;
    uint32_t level = (uint32_t)step->thread->user;
    for (uint32_t i = 0; stream->filters && i < (uint32_t)step->thread->user; i++) {
        level -= stream->frames[i].filter;
    }
    for (; step->thread->user < end; step->thread->user++) {
        struct stream_frame *frame = &stream->frames[step->thread->user];
        if (frame->filter) {
            continue;
        }
        bool last = context->view->depth && level + 1 >= context->view->depth;
        if (last || !lasts(context, frame, step->clock)) {
            return;
        }
        struct timeline_step shown = {.thread = step->thread, .frame = frame, .level = level++};
        print_begin(context, &shown);
    }
}

static void end_when_known(struct replay_context *context, const struct timeline_step *step)
{
    uint32_t index = frame_index(step);
    bool begun = index < step->thread->user;
    step->thread->user = begun ? index : step->thread->user;
    if (begun && step->frame->number == MARK_SHOWN) {
        print_end(context, step);
    } else if (lasts(context, step->frame, step->clock)) {
        show_begun(context, step, index);
        print_leaf(context, step, step->clock, step->how);
    }
}

static void step_when_known(struct replay_context *context, const struct timeline_step *step)
{
    if (step->frame && replay_too_deep(context, step)) {
        return;
    }
    if (step->kind == TIMELINE_BEGIN) {
        show_begun(context, step, frame_index(step));
    } else if (step->kind == TIMELINE_END) {
        end_when_known(context, step);
    } else if (step->kind == TIMELINE_OPEN && lasts(context, step->frame, step->clock)) {
        show_begun(context, step, frame_index(step));
        print_end(context, step);
    } else if (step->kind == TIMELINE_SITE && !context->min_time) {
        if (step->frame) {
            show_begun(context, step, frame_index(step) + 1);
        }
        print_site(context, step);
    }
}

enum clew_error story_step(struct replay_context *story, const struct timeline_step *step)
{
    if (step->kind == TIMELINE_LOST) {
        flush_pending(story);
        print_lost(story, step);
    } else if (story->min_time || story->view->depth) {
        step_when_known(story, step);
    } else {
        step_in_order(story, step);
    }
    return ferror(story->view->out) ? CLEW_IO : CLEW_OK;
}

void story_head(struct replay_context *context)
{
    format_header(context->view, context->model);
    (void)fprintf(context->view->out, "\n%s%16s %8s %12s | Call%s\n", format_style(context->view, FORMAT_BOLD), "Time",
                  "Thread", "Duration", format_style(context->view, FORMAT_PLAIN));
}

void story_finish(struct replay_context *context)
{
    flush_pending(context);
}
