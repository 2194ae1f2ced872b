// See format_caveats.h. Each function prints the caveats of one kind, each as one line of the form "PREFIX sentence".
#include "view/text/format_caveats.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/foreign.h"
#include "trace/instrument.h"
#include "view/text/format_end.h"
#include "view/text/format_number.h"
#include "view/text/format_text.h"

struct caveats {
    const struct view *view;
    const struct model *model;
    const char *prefix;
};

// Prints one line, wrapped at the terminal's width. What the sentence quotes from the recording is escaped.
__attribute__((format(printf, 2, 3))) static void say(const struct caveats *to, const char *format, ...)
{
    va_list arguments;
    char *sentence = NULL;
    struct buffer line = {0};
    va_start(arguments, format);
    int size = vasprintf(&sentence, format, arguments);
    va_end(arguments);
    if (size >= 0) {
        buffer_text(&line, to->prefix);
        foreign_append(&line, (struct text){sentence, (size_t)size}, FOREIGN_TEXT);
        free(sentence);
    }
    (void)fputs(format_style(to->view, FORMAT_WARNING), to->view->out);
    format_words(to->view, size < 0 ? text_of("?") : text_in(&line), strlen(to->prefix));
    (void)fprintf(to->view->out, "%s\n", format_style(to->view, FORMAT_PLAIN));
    buffer_free(&line);
}

// Caveats about the file: damage, a missing end, other parts.
static void say_file(const struct caveats *to, const struct model *model)
{
    char count[FORMAT_CELL], size[FORMAT_CELL];
    if (model->health.damaged) {
        say(to, "the file is damaged: %s stretch%s (%s) skipped", format_count(count, model->health.damaged),
            model->health.damaged == 1 ? "" : "es", format_size(size, model->health.damaged_bytes));
    }
    if (!model->has_end) {
        say(to, "the session was not closed in order; what had been written is shown");
    }
    if (model->session.part > 1) {
        say(to, "this is part %u of a recording; what came before is in earlier parts", model->session.part);
    }
    if (model->health.unknown) {
        say(to, "%s block%s of a newer clew not shown", format_count(count, model->health.unknown),
            format_plural(model->health.unknown));
    }
}

// The number comes from waitpid(). A crash is a signal that the program sent to itself.
static void say_killed(const struct caveats *to, const struct recording_process *process)
{
    int number = WIFSIGNALED(process->exit_status) ? WTERMSIG(process->exit_status) : 0;
    const char *name = sigabbrev_np(number);
    if (number == 0) {
        say(to, "process %u was killed", process->process);
        return;
    }
    struct buffer why = {0};
    format_cause(&why, to->model, process);
    say(to, "process %u: ended by signal %d%s%s%.*s", process->process, number, name ? ", SIG" : "", name ? name : "",
        (int)why.size, why.size ? (const char *)why.data : "");
    buffer_free(&why);
}

// How a process ended, if it did not end by itself.
static void say_end(const struct caveats *to, const struct recording_process *process)
{
    if (process->state == PROCESS_DORMANT) {
        say(to, "process %u was not recorded: its agent stayed dormant", process->process);
    } else if (process->state == PROCESS_KILLED) {
        say_killed(to, process);
    } else if (process->state == PROCESS_CUT) {
        say(to, "process %u was still running when its recording ended", process->process);
    }
}

// Caveats of one process. Its number is named only if there are several.
static void say_process(const struct caveats *to, const struct recording_process *process, bool one_of_several)
{
    char whose[FORMAT_CELL] = "", count[FORMAT_CELL], time[FORMAT_CELL];
    if (one_of_several) {
        (void)snprintf(whose, sizeof whose, "process %u: ", process->process);
    }
    say_end(to, process);
    if (process->threads_refused) {
        say(to, "%s%s thread%s found no room and %s not recorded", whose, format_count(count, process->threads_refused),
            format_plural(process->threads_refused), process->threads_refused == 1 ? "was" : "were");
    }
    if (process->unlinked) {
        say(to, "%s%s run%s of async methods %s an unknown caller", whose, format_count(count, process->unlinked),
            format_plural(process->unlinked), process->unlinked == 1 ? "has" : "have");
    }
    if (process->pauses) {
        say(to, "%sthreads waited %s time%s for the recording, %s in all", whose, format_count(count, process->pauses),
            format_plural(process->pauses), format_ns(time, process->paused_ns));
    }
}

// What was subtracted from times, and what was not although it is known.
static void say_adjusted(const struct caveats *to, const struct model *model)
{
    static const char *const kinds[] = {"calls", "statements", "values", "lines", "compiling for clew"};
    uint32_t all = model->adjusted;
    struct buffer list = {0};
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (all >> i & 1) {
            uint32_t before = all & ((1u << i) - 1), after = all >> (i + 1);
            buffer_printf(&list, "%s%s", !before ? "" : after ? ", " : " and ", kinds[i]);
        }
    }
    if (all) {
        say(to, "times of methods are adjusted: the cost of %.*s is subtracted", (int)text_in(&list).size,
            text_in(&list).at);
    } else if (model->tree_count == 0) {
        say(to, "times are not adjusted: that is done to times of calls, and the recording has none");
    } else {
        say(to, "times are not adjusted: the recording has no calibrated cost of its probes");
    }
    if (model->session.instruments & INSTRUMENT_LINES && model_is_cut(model)) {
        say(to, "times include the cost of lines: their counters are of the whole session, not of this part");
    }
    buffer_free(&list);
}

// Caveats that affect how times are to be read.
static void say_times(const struct caveats *to, const struct model *model)
{
    char count[FORMAT_CELL];
    if (model->open) {
        say(to, "%s call%s still ran at the end; time counts up to the last known moment",
            format_count(count, model->open), format_plural(model->open));
    }
    if (model->options.adjust) {
        say_adjusted(to, model);
    }
    uint64_t total = 0;
    for (uint32_t i = 0; i < model->tree_count; i++) {
        total += model->trees[i].tree.nodes[TREE_ROOT].total;
    }
    if (model_has_times(model) && model_ns(model, total) > format_elapsed_ns(model)) {
        say(to, "times of threads that ran at once add up: totals exceed the elapsed time");
    }
}

static bool has_async_methods(const struct model *model)
{
    bool any = false;
    for (uint32_t i = 0; i < model->catalog.method_count && !any; i++) {
        any = model->catalog.methods[i].record.kind == METHOD_KIND_ASYNC;
    }
    return any;
}

// Why async methods are not below their callers, unless the user wanted that.
static void say_view(const struct caveats *to, const struct model *model)
{
    static const char *const reasons[] = {
        [MODEL_UNLINKED] = "the recording does not say who called them",
        [MODEL_PARTIAL] =
            "their callers are known only for the whole session, without --threads, --thread, --from and --to",
        [MODEL_SHALLOW] = "with --depth, the stream of calls lacks those that would say who called them",
    };
    bool forced = model->view != MODEL_LOGICAL && model->view != MODEL_PHYSICAL;
    if (forced && model->tree_count > 0 && has_async_methods(model)) {
        say(to, "async methods are shown below what resumed them (physical): %s", reasons[model->view]);
    }
}

// What `--tiny` has left out, or counted without times.
static void say_tiny(const struct caveats *to, const struct model *model)
{
    uint64_t skipped = 0, calls = 0;
    char count[FORMAT_CELL], methods[FORMAT_CELL];
    for (uint32_t i = 0; i < model->catalog.process_count; i++) {
        skipped += model->catalog.processes[i].left_out;
    }
    for (uint32_t i = 0; i < model->counted_count; i++) {
        calls += model->counted[i].calls;
    }
    if (skipped) {
        say(to, "--tiny skip has left out %s method%s; their time is their callers' own",
            format_count(methods, skipped), format_plural(skipped));
    }
    if (calls) {
        say(to,
            "%s call%s of %s method%s are only counted (--tiny count): in tables of methods, not in the tree; their "
            "time is their callers' own",
            format_count(count, calls), format_plural(calls), format_count(methods, model->counted_count),
            format_plural(model->counted_count));
    }
}

void format_caveats(const struct view *view, const struct model *model, const char *prefix)
{
    struct caveats to = {view, model, prefix};
    char count[FORMAT_CELL];
    say_file(&to, model);
    if (model->lost) {
        say(&to, "%s event%s lost: counts and times are too low", format_count(count, model->lost),
            model->lost == 1 ? " is" : "s are");
    }
    if (model->gaps) {
        say(&to, "streams have %s gap%s", format_count(count, model->gaps), format_plural(model->gaps));
    }
    if (model->over_cap) {
        say(&to, "there were more call paths than room: the rest is in (over the cap)");
    }
    if (model->folded) {
        say(&to,
            "there are more call paths than a report has room for: the rest is in (over the cap) here; clew replay "
            "has them all");
    }
    for (uint32_t i = 0; i < model->catalog.process_count; i++) {
        say_process(&to, &model->catalog.processes[i], model->catalog.process_count > 1);
    }
    if (model->catalog.not_woven_count) {
        say(&to, "%s method%s or module%s in scope not recorded; clew info lists which and why",
            format_count(count, model->catalog.not_woven_count), format_plural(model->catalog.not_woven_count),
            format_plural(model->catalog.not_woven_count));
    }
    say_tiny(&to, model);
    say_view(&to, model);
    say_times(&to, model);
    for (uint32_t i = 0; i < model->catalog.note_count; i++) {
        say(&to, "%.*s", (int)model->catalog.notes[i].text.size, model->catalog.notes[i].text.at);
    }
}

void view_caveats(const struct view *view, const struct model *model)
{
    bool known = model->has_end || model->lost > 0;
    (void)fprintf(view->out, "clew: clock %s, ", clock_name(model->session.clock));
    (void)(known ? fprintf(view->out, "%llu events lost\n", (unsigned long long)model->lost)
                 : fputs("losses not known\n", view->out)); // errors show in ferror()
    format_caveats(view, model, "clew: ");
}
