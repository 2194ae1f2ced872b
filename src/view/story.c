// Events as a story: a line when an activation begins and one when it ends, with its duration; one that calls nothing that
// is shown takes a single line. Lines are in the order of time over all threads, except where --min-time or --depth make a
// line wait until it is known whether it is shown.
#include <stdlib.h>

#include "base/foreign.h"
#include "view/columns.h"
#include "view/format.h"
#include "view/replay.h"

// What a story has printed last, and what it has yet to.
struct story {
    const struct timeline_thread *open; // whose line still lacks its break, so that values may follow; NULL: none
    const struct timeline_thread *last; // whose line was the last
    size_t column;                      // of the open line: characters so far
    size_t values_from;                 // where its first value goes
    bool values;                        // it has some already
    bool takes_values;
    const struct recording_document **first_documents; // by method of the catalog: where it begins, or NULL
    uint32_t method_count;
    bool *has_symbols;                     // by module of the catalog
    bool *plumbing;                        // by method of the catalog: left out, with all that is in it
    struct buffer result;                  // `return x` of an activation that ends next; empty: none
    const struct timeline_thread *returns; // whose
    uint32_t returns_frame, returns_level;
    const struct site *told; // the statement of the last line, NULL: that was none
    struct buffer early;     // a value that belongs to the statement that comes next; empty: none
    struct timeline_thread *early_thread;
    uint32_t early_level;
};

// Of a frame: not printed (yet), begun, told on one line, left out as plumbing.
enum mark { MARK_HIDDEN = 0, MARK_SHOWN = 1, MARK_DONE = 2, MARK_LEFT_OUT = 3 };

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

// -- The open line ----------------------------------------------------------------------------------------------------

static void end_line(struct replay_context *context)
{
    if (context->story->open) {
        (void)fputc('\n', context->view->out);
    }
    context->story->open = NULL;
}

static void leave_open(struct replay_context *context, const struct timeline_thread *thread, size_t column)
{
    struct story *story = context->story;
    story->open = story->last = thread;
    story->column = column;
    story->values_from = column + 2;
    story->values = false;
    story->takes_values = true;
    story->told = NULL;
}

// A terminal's line is cut at its end. A tab in a source or a text is a blank here. The text is clew's own or has been
// through foreign_append().
static void put(struct replay_context *context, struct text text, enum format_style style)
{
    struct story *story = context->story;
    (void)fputs(style == FORMAT_PLAIN ? "" : format_style(context->view, style), context->view->out);
    for (bool more = text.size > 0; more;) {
        const char *tab = text.size ? memchr(text.at, '\t', text.size) : NULL;
        struct text part = {text.at, tab ? (size_t)(tab - text.at) : text.size};
        format_written(context->view, part, story->column);
        (void)fputs(tab ? " " : "", context->view->out);
        story->column += columns_of(part) + (tab != NULL);
        more = tab != NULL;
        text = (struct text){part.at + part.size + more, text.size - part.size - more};
    }
    (void)fputs(style == FORMAT_PLAIN ? "" : format_style(context->view, FORMAT_PLAIN), context->view->out);
}

static void put_foreign(struct replay_context *context, struct text text, enum format_style style)
{
    struct buffer written = {0};
    foreign_append(&written, text, FOREIGN_TEXT);
    put(context, text_in(&written), style);
    buffer_free(&written);
}

static void put_spaces(struct replay_context *context, size_t count)
{
    (void)fprintf(context->view->out, "%*s", (int)count, "");
    context->story->column += count;
}

// -- Calls ------------------------------------------------------------------------------------------------------------

struct line {
    uint64_t clock;
    uint64_t duration;
    bool has_duration;
    uint32_t level;
    const char *before, *after;
};

enum {
    PREFIX_WIDTH = 42,
    GUTTER = 6,                         // a line number and two blanks
    VALUES_COLUMN = PREFIX_WIDTH + 48,  // on level 0; further right behind longer statements
    WIDTH_DEFAULT = PREFIX_WIDTH + 120, // of lines with values, where there is no terminal
};

// Without the line break, which is the next line's business.
static void print_line(struct replay_context *context, const struct timeline_step *step, const struct line *line)
{
    end_line(context);
    story_moment(context, line->clock);
    story_thread(context, step->thread);
    print_duration(context, line->duration, line->has_duration);
    uint32_t level = format_indent(context->view, line->level);
    (void)fputs(line->before, context->view->out);
    if (step->frame) {
        struct text name = replay_name(context, step);
        size_t used = PREFIX_WIDTH + 2 * (size_t)level + strlen(line->before) + strlen(line->after);
        leave_open(context, step->thread, used + format_method(context->view, name, used));
    } else {
        leave_open(context, step->thread, PREFIX_WIDTH);
    }
    (void)fputs(line->after, context->view->out);
}

static const char *ending(enum stream_end how, bool leaf)
{
    static const char *const texts[2][3] = {{"", "  by exception", "  unseen"}, {";", ";  by exception", ";  unseen"}};
    return texts[leaf][how];
}

// Where the activation's method begins; NULL where that is not known.
static const struct recording_document *first_document(const struct replay_context *context,
                                                       const struct timeline_step *step)
{
    uint32_t method = step->frame
                          ? catalog_find_method(&context->model->catalog, step->thread->process, step->frame->method)
                          : CATALOG_NONE;
    return method < context->story->method_count ? context->story->first_documents[method] : NULL;
}

static void print_begin(struct replay_context *context, const struct timeline_step *step)
{
    struct line line = {.clock = step->frame->started, .level = step->level, .before = "", .after = " {"};
    step->frame->number = MARK_SHOWN;
    print_line(context, step, &line);
    const struct recording_document *document = first_document(context, step);
    if (document) {
        put(context, text_of("  "), FORMAT_PLAIN);
        put_foreign(context, format_file_name(document->path), FORMAT_DIM);
    }
    context->story->values_from = context->story->column + 2;
}

static void print_leaf(struct replay_context *context, const struct timeline_step *step, uint64_t end,
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
    context->story->takes_values = false;
}

static uint32_t frame_index(const struct timeline_step *step)
{
    return (uint32_t)(step->frame - step->thread->stream.frames);
}

// Whether this is the end that the kept result belongs to.
static bool returns(const struct replay_context *context, const struct timeline_step *step)
{
    const struct story *story = context->story;
    return story->result.size && story->returns == step->thread && step->kind == TIMELINE_END &&
           story->returns_frame == frame_index(step);
}

// An end, or that it still runs where the stream stops.
static void print_end(struct replay_context *context, const struct timeline_step *step)
{
    bool open = step->kind == TIMELINE_OPEN;
    struct line line = {.clock = step->clock,
                        .duration = stream_time(step->frame, step->clock),
                        .has_duration = true,
                        .level = step->level,
                        .before = open ? "" : "} ",
                        .after = open ? "  still running" : ending(step->how, false)};
    print_line(context, step, &line);
    if (!open && returns(context, step)) {
        put(context, text_of(" returned "), FORMAT_PLAIN);
        put(context, text_in(&context->story->result), FORMAT_PLAIN);
        buffer_clear(&context->story->result);
    }
    context->story->takes_values = false; // those that follow are its caller's
}

static void print_lost(struct replay_context *context, const struct timeline_step *step)
{
    char count[FORMAT_CELL], text[FORMAT_CELL + 32];
    (void)snprintf(text, sizeof text, "... %s events lost", format_count(count, step->lost));
    struct line line = {.clock = step->clock, .before = text, .after = ""};
    print_line(context, step, &line);
}

// -- Statements and values --------------------------------------------------------------------------------------------

// A line of a statement, or of values alone, left open for the values that follow. They have no moment of their own; the
// thread is named where it is not that of the line before.
static void begin_site_line(struct replay_context *context, const struct timeline_step *step)
{
    end_line(context);
    (void)fprintf(context->view->out, "%16s ", "");
    if (context->story->last != step->thread) {
        story_thread(context, step->thread);
    } else {
        (void)fprintf(context->view->out, "%8s ", "");
    }
    print_duration(context, 0, false);
    uint32_t level = format_indent(context->view, step->level + 1);
    leave_open(context, step->thread, PREFIX_WIDTH + 2 * (size_t)level);
}

// Compilers cut some statements into several points: Visual Basic an `On Error`, and what a structure's constructor begins
// with.
static bool is_told(const struct story *story, const struct timeline_step *step, const struct site *site)
{
    const struct site *told = story->told;
    return told && told != site && story->last == step->thread && site->start_line &&
           told->document == site->document && told->start_line == site->start_line &&
           told->start_column == site->start_column;
}

// `  57  int sum = 0;`, and the file where it is not that of the activation's first statement.
static void print_statement(struct replay_context *context, const struct timeline_step *step, const struct site *site)
{
    struct story *story = context->story;
    const struct recording_document *document = replay_document(context, step, site);
    begin_site_line(context, step);
    if (document && document != first_document(context, step)) {
        put_foreign(context, format_file_name(document->path), FORMAT_DIM);
        put(context, text_of(":"), FORMAT_DIM);
    }
    char number[FORMAT_CELL];
    (void)snprintf(number, sizeof number, "%4u  ", site->start_line);
    put(context, text_of(site->start_line ? number : "      "), FORMAT_DIM);
    buffer_clear(&context->text);
    story_source(context, step, site, &context->text);
    put_foreign(context, text_in(&context->text), FORMAT_PLAIN);
    story->values_from = story->column + 2 > VALUES_COLUMN + 2 * (size_t)step->level
                             ? story->column + 2
                             : VALUES_COLUMN + 2 * (size_t)step->level;
    story->told = site;
}

// Goes on with the thread's open line while there is room, else on one of its own.
static void print_value(struct replay_context *context, const struct timeline_step *step)
{
    struct story *story = context->story;
    struct text words = text_in(&context->text);
    size_t from = story->values ? story->column + 2 : story->values_from;
    size_t most = context->view->width ? context->view->width : WIDTH_DEFAULT;
    bool joins = story->open == step->thread && story->takes_values && from + columns_of(words) <= most;
    if (!joins) {
        begin_site_line(context, step);
        put_spaces(context, GUTTER);
        story->values_from = story->column;
    } else if (story->values) {
        put(context, text_of(", "), FORMAT_PLAIN);
    } else {
        put_spaces(context, from - story->column);
    }
    put(context, words, FORMAT_PLAIN);
    story->values = true;
}

static void keep_early(struct replay_context *context, const struct timeline_step *step)
{
    struct story *story = context->story;
    struct text words = text_in(&context->text);
    buffer_append(&story->early, words.at, words.size);
    story->early_thread = step->thread;
    story->early_level = step->level;
}

static void print_early(struct replay_context *context)
{
    struct story *story = context->story;
    struct timeline_step step = {.thread = story->early_thread, .level = story->early_level};
    struct text words = text_in(&story->early);
    buffer_clear(&context->text);
    buffer_append(&context->text, words.at, words.size);
    buffer_clear(&story->early);
    print_value(context, &step);
}

// What an activation returns is told where it ends, which is next.
static void keep_result(struct replay_context *context, const struct timeline_step *step)
{
    struct story *story = context->story;
    struct text words = text_in(&context->text);
    buffer_clear(&story->result);
    buffer_append(&story->result, words.at, words.size);
    story->returns = step->thread;
    story->returns_frame = frame_index(step);
    story->returns_level = step->level;
}

// Something else has come in between.
static void flush_result(struct replay_context *context)
{
    struct story *story = context->story;
    struct timeline_step step = {.thread = (struct timeline_thread *)(uintptr_t)story->returns,
                                 .level = story->returns_level};
    begin_site_line(context, &step);
    put_spaces(context, GUTTER);
    put(context, text_of("return "), FORMAT_PLAIN);
    put(context, text_in(&story->result), FORMAT_PLAIN);
    buffer_clear(&story->result);
}

static void print_site(struct replay_context *context, const struct timeline_step *step)
{
    const struct site *site = sites_site(context->sites, step->thread->process, step->site);
    if (!site || story_is_noise(context, step, site)) {
        return;
    }
    if (site->kind == SITE_STATEMENT) {
        if (!is_told(context->story, step, site)) {
            print_statement(context, step, site);
        }
        if (context->story->early.size) {
            print_early(context);
        }
        return;
    }
    bool early = story_is_early(context, step, site);
    buffer_clear(&context->text);
    story_value(context, step, site, &context->text);
    if (early && context->text.size) {
        keep_early(context, step);
    } else if (site->kind == SITE_RESULT && step->frame) {
        keep_result(context, step);
    } else if (context->text.size) {
        print_value(context, step);
    }
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

static bool has_no_level(const struct stream_frame *frame)
{
    return frame->filter || frame->number == MARK_LEFT_OUT;
}

// Prints the beginnings below `end` on this thread's stack that are known by now to be shown: all that have lasted the
// minimum, but for the last level shown, which always takes a single line. thread->user counts the frames done: beginnings
// are shown from the outermost on.
static void show_begun(struct replay_context *context, const struct timeline_step *step, uint32_t end)
{
    struct stream *stream = &step->thread->stream;
    bool any_hidden = stream->filters || step->thread->left_out;
    uint32_t level = step->thread->user;
    for (uint32_t i = 0; any_hidden && i < step->thread->user; i++) {
        level -= has_no_level(&stream->frames[i]);
    }
    for (; step->thread->user < end; step->thread->user++) {
        struct stream_frame *frame = &stream->frames[step->thread->user];
        if (has_no_level(frame)) {
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
    } else if (step->kind == TIMELINE_SITE && !context->min_time &&
               !(context->view->depth && step->level + 1 >= context->view->depth)) { // a level below its activation
        if (step->frame) {
            show_begun(context, step, frame_index(step) + 1);
        }
        print_site(context, step);
    }
}

static bool is_plumbing(const struct replay_context *context, const struct timeline_step *step)
{
    const struct story *story = context->story;
    uint32_t method = step->frame
                          ? catalog_find_method(&context->model->catalog, step->thread->process, step->frame->method)
                          : CATALOG_NONE;
    return method < story->method_count && story->plumbing[method];
}

// Whether the step is in a frame of the compiler's own. The level of others becomes that among those that are shown.
static bool leaves_out(const struct replay_context *context, struct timeline_step *step)
{
    struct timeline_thread *thread = step->thread;
    bool left_out = is_plumbing(context, step);
    if (left_out && step->kind == TIMELINE_BEGIN) {
        step->frame->number = MARK_LEFT_OUT;
        thread->left_out++;
    } else if (left_out && step->kind != TIMELINE_SITE && step->frame->number == MARK_LEFT_OUT) { // its end
        thread->left_out--;
        thread->user = thread->user < frame_index(step) ? thread->user : frame_index(step);
    }
    step->level -= thread->left_out < step->level ? thread->left_out : step->level;
    return left_out;
}

enum clew_error story_step(struct replay_context *story, const struct timeline_step *any)
{
    struct timeline_step shown = *any, *step = &shown;
    if (step->frame && leaves_out(story, step)) {
        return CLEW_OK;
    }
    if (story->story->result.size && !(step->kind == TIMELINE_END && returns(story, step))) {
        flush_result(story);
    }
    if (story->story->early.size && (step->kind != TIMELINE_SITE || step->thread != story->story->early_thread)) {
        print_early(story);
    }
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

static void note_statement(struct replay_context *context, uint32_t process, uint32_t number)
{
    struct story *story = context->story;
    const struct catalog *catalog = &context->model->catalog;
    const struct site *site = sites_site(context->sites, process, number);
    uint32_t method = catalog_find_method(catalog, process, sites_method(context->sites, process, number));
    if (!site || site->kind != SITE_STATEMENT || !site->start_line || method >= story->method_count) {
        return;
    }
    const struct catalog_method *in = &catalog->methods[method];
    if (in->module_index != CATALOG_NONE) {
        story->has_symbols[in->module_index] = true;
    }
    if (!story->first_documents[method]) {
        story->first_documents[method] = sites_document(context->sites, process, in->record.module, site->document);
    }
}

// Where each method begins, by its first statement, and which modules have symbols.
static void find_documents(struct replay_context *context)
{
    const struct catalog *catalog = &context->model->catalog;
    for (uint32_t i = 0; i < catalog->process_count; i++) {
        uint32_t process = catalog->processes[i].process, count = sites_count(context->sites, process);
        for (uint32_t place = 0; place < count; place++) {
            note_statement(context, process, sites_number(context->sites, process, place));
        }
    }
}

// Methods without a statement where others of their module have some.
static void find_plumbing(struct replay_context *context)
{
    struct story *story = context->story;
    for (uint32_t i = 0; i < story->method_count; i++) {
        const struct catalog_method *method = &context->model->catalog.methods[i];
        bool symbols = method->module_index != CATALOG_NONE && story->has_symbols[method->module_index];
        story->plumbing[i] = symbols && !story->first_documents[i] && story_is_plumbing(method->record.name);
    }
}

bool story_has_symbols(const struct replay_context *context, const struct timeline_step *step)
{
    const struct catalog *catalog = &context->model->catalog;
    uint32_t process = step->thread->process;
    uint32_t method = catalog_find_method(catalog, process, sites_method(context->sites, process, step->site));
    uint32_t module = method == CATALOG_NONE ? CATALOG_NONE : catalog->methods[method].module_index;
    return module != CATALOG_NONE && context->story->has_symbols[module];
}

enum clew_error story_start(struct replay_context *context)
{
    context->story = calloc(1, sizeof *context->story);
    if (!context->story || !context->sites) {
        return context->story ? CLEW_OK : CLEW_NO_MEMORY;
    }
    struct story *story = context->story;
    uint32_t count = context->model->catalog.method_count, modules = context->model->catalog.module_count;
    story->first_documents = calloc((size_t)count + 1, sizeof *story->first_documents);
    story->has_symbols = calloc((size_t)modules + 1, sizeof *story->has_symbols);
    story->plumbing = calloc((size_t)count + 1, sizeof *story->plumbing);
    if (!story->first_documents || !story->has_symbols || !story->plumbing) {
        return CLEW_NO_MEMORY;
    }
    story->method_count = count;
    find_documents(context);
    find_plumbing(context);
    return CLEW_OK;
}

void story_end(struct replay_context *context)
{
    flush_pending(context);
    if (context->story->early.size) {
        print_early(context);
    }
    if (context->story->result.size) {
        flush_result(context);
    }
    end_line(context);
}

void story_free(struct replay_context *context)
{
    if (context->story) {
        free(context->story->first_documents);
        free(context->story->has_symbols);
        free(context->story->plumbing);
        buffer_free(&context->story->result);
        buffer_free(&context->story->early);
        free(context->story);
    }
}
