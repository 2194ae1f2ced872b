// `clew info`: the session, its processes and threads, and what is missing from the recording, with the reasons.
#include "view/report/report_info.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "base/assert.h"
#include "model/pattern.h"
#include "trace/instrument.h"
#include "view/report/reports.h"
#include "view/text/columns.h"
#include "view/text/format_caveats.h"
#include "view/text/format_end.h"
#include "view/text/format_method.h"
#include "view/text/format_number.h"
#include "view/text/format_text.h"

const char *info_state(enum process_state state)
{
    static const char *const names[] = {"running", "ended", "killed", "dormant", "cut"};
    static_assert(sizeof names / sizeof *names == PROCESS_CUT + 1, "a name for each state");
    return (size_t)state < sizeof names / sizeof *names ? names[state] : "unknown";
}

const char *info_instrument(const struct model *model, unsigned i)
{
    static const struct {
        uint32_t bit;
        const char *name;
    } instruments[INFO_INSTRUMENTS] = {
        {INSTRUMENT_TREE, "tree"},     {INSTRUMENT_STREAMS, "calls"},
        {INSTRUMENT_LINES, "lines"},   {INSTRUMENT_STATEMENTS, "statements"},
        {INSTRUMENT_VALUES, "values"}, {INSTRUMENT_USES, "uses"},
    };
    CLEW_ASSERT(i < INFO_INSTRUMENTS && instruments[i].name);
    return model->session.instruments & instruments[i].bit ? instruments[i].name : NULL;
}

double info_overhead_ns(const struct model *model)
{
    uint64_t worst = 0;
    for (uint32_t i = 0; i < model->catalog.process_count; i++) {
        uint64_t cost = model->catalog.processes[i].probe_ps;
        worst = cost > worst ? cost : worst;
    }
    return (double)worst / 1000;
}

// The highest of all processes, in ns.
static double worst_site_ns(const struct model *model, enum probe_kind kind)
{
    uint64_t worst = 0;
    for (uint32_t i = 0; i < model->catalog.process_count; i++) {
        uint64_t cost = model->catalog.processes[i].site_ps[kind];
        worst = cost > worst ? cost : worst;
    }
    return (double)worst / 1000;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

void info_costs(const struct model *model, struct info_cost out[INFO_COSTS])
{
    const struct counts *counts = &model->counts;
    uint32_t on = model->session.instruments;
    bool in_order = on & INSTRUMENT_STATEMENTS; // otherwise values alone write no statements
    uint64_t others = counts->statements + counts->values + model_lines_alone(model);
    uint64_t calls = (model->events > others ? model->events - others : 0) / 2;
    const struct info_cost costs[INFO_COSTS] = {
        {"call", "a call", on & (INSTRUMENT_TREE | INSTRUMENT_STREAMS) ? info_overhead_ns(model) : 0, calls},
        {"statement", "a statement", in_order ? worst_site_ns(model, PROBE_STATEMENT) : 0, counts->statements},
        {"value", "a value", larger(worst_site_ns(model, PROBE_SCALAR), worst_site_ns(model, PROBE_REFERENCE)),
         counts->values},
        {"object", "an object", larger(worst_site_ns(model, PROBE_OBJECT), worst_site_ns(model, PROBE_STRING)),
         counts->objects},
        {"line", "a line", worst_site_ns(model, PROBE_LINE), counts->lines},
    };
    memcpy(out, costs, sizeof costs);
}

enum { LABEL_WIDTH = 12 };

static void print_label(const struct view *view, const char *name)
{
    (void)fprintf(view->out, "%s%-*s%s", format_style(view, FORMAT_DIM), LABEL_WIDTH, name,
                  format_style(view, FORMAT_PLAIN));
}

// Prints a label and a value; nothing if the value is empty.
static void row(const struct view *view, const char *name, struct text value)
{
    if (value.size) {
        print_label(view, name);
        format_name(view, value, LABEL_WIDTH);
        (void)fputc('\n', view->out);
    }
}

// The same for the command line, which can be very long.
static void print_command(const struct view *view, struct text command)
{
    if (command.size) {
        print_label(view, "command");
        format_command(view, command, LABEL_WIDTH);
        (void)fputc('\n', view->out);
    }
}

// In UTC, since the recording may come from a machine in another time zone.
static void print_started(const struct view *view, const struct model *model)
{
    time_t seconds = (time_t)(model->session.started_realtime_ns / 1000000000u);
    struct tm parts;
    char text[64];
    if (seconds && gmtime_r(&seconds, &parts) && strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts)) {
        row(view, "started", text_of(text));
    }
}

// Prints one row per line of the scope, as the user typed it. Only the first has a label.
static void print_scope(const struct view *view, struct text scope)
{
    struct text line, lines;
    struct buffer asked = {0};
    pattern_scope_asked(&asked, scope);
    lines = text_in(&asked);
    for (const char *name = "scope"; text_take_line(&lines, &line); name = "") {
        row(view, name, line);
    }
    buffer_free(&asked);
}

// "recorded by": whether probes were inserted into methods, or the runtime's hooks were used.
static void print_instruments(const struct view *view, const struct model *model)
{
    struct buffer names = {0};
    for (unsigned i = 0; i < INFO_INSTRUMENTS; i++) {
        const char *name = info_instrument(model, i);
        if (name) {
            buffer_printf(&names, "%s%s", names.size ? ", " : "", name);
        }
    }
    buffer_u8(&names, 0);
    const char *known = names.failed || names.size == 1 ? "none" : (const char *)names.data;
    row(view, "instruments", text_of(known));
    buffer_free(&names);
    row(view, "recorded by",
        text_of(model->session.flags & SESSION_ALL_CODE     ? "hooks in all code"
                : model->session.flags & SESSION_EXACT_ENDS ? "instrumenting the code in scope, with --exact-ends"
                                                            : "instrumenting the code in scope"));
    print_scope(view, model->session.scope);
}

// Lines can be timed by the tick word while the session has another clock.
static void print_clock(const struct view *view, const struct model *model)
{
    uint32_t flags = model->session.flags, on = model->session.instruments;
    bool other = on & INSTRUMENT_LINES && !(flags & SESSION_LINES_BY_CLOCK) && model_has_times(model) &&
                 model->session.clock != CLOCK_KIND_TICK;
    char line[64];
    (void)snprintf(line, sizeof line, "%s%s", clock_name(model->session.clock), other ? "; of lines tick" : "");
    row(view, "clock", text_of(line));
}

// Prints only the counts that are not 0: most recordings have only calls.
static void print_counts(const struct view *view, const struct counts *counts)
{
    const struct {
        const char *name;
        uint64_t count;
    } rows[] = {
        {"statements", counts->statements}, {"values", counts->values},   {"sites", counts->sites},
        {"objects", counts->objects},       {"sources", counts->sources},
    };
    char cell[FORMAT_CELL];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].count) {
            row(view, rows[i].name, text_of(format_count(cell, rows[i].count)));
        }
    }
}

// Prints an upper limit of the memory for events between the program and the file.
static void print_memory(const struct view *view, const struct model *model)
{
    if (model->session.instruments & INSTRUMENT_STREAMS) {
        bool keeps = model->session.flags & SESSION_KEEP_LAST;
        row(view, "memory",
            text_of(keeps ? "at most --keep-last, 16 MiB, and 16 KiB for each live thread"
                          : "at most 64 MiB for events that wait, and 16 KiB for each live thread"));
    }
}

// Programs compile methods at run time to serialize, to inject or to call by reflection. Their time is not measured.
static void print_dynamic_methods(const struct view *view, const struct model *model)
{
    uint64_t count = 0;
    char line[128], cell[FORMAT_CELL];
    for (uint32_t i = 0; i < model->catalog.process_count; i++) {
        count += model->catalog.processes[i].dynamic_methods;
    }
    (void)snprintf(line, sizeof line, "%s dynamic, not recorded; their time counts as their callers' own",
                   format_count(cell, count));
    row(view, "methods", text_of(count ? line : ""));
}

// One row for each kind of event, with the sum.
static void print_costs(const struct view *view, const struct model *model)
{
    struct info_cost costs[INFO_COSTS];
    char line[128], count[FORMAT_CELL], sum[FORMAT_CELL];
    const char *label = "overhead";
    info_costs(model, costs);
    for (unsigned i = 0; i < INFO_COSTS; i++) {
        if (costs[i].each_ns > 0) {
            double ns = costs[i].each_ns * (double)costs[i].count;
            ns = ns < 1e19 ? ns : 1e19; // damaged counts
            (void)snprintf(line, sizeof line, "%.1f ns %s, calibrated; %s of them took %s", costs[i].each_ns,
                           costs[i].one, format_count(count, costs[i].count), format_ns(sum, (uint64_t)ns));
            row(view, label, text_of(line));
            label = "";
        }
    }
    if (*label) {
        row(view, label, text_of("not calibrated"));
    }
}

// Sizes, counts, completeness and the calibrated cost of the recording.
static void print_totals(const struct view *view, const struct model *model)
{
    char line[128], a[FORMAT_CELL], b[FORMAT_LOST];
    print_clock(view, model);
    if (model_has_times(model)) {
        row(view, "duration", text_of(format_ns(a, format_elapsed_ns(model))));
    }
    (void)snprintf(line, sizeof line, "%s kept, %s", format_count(a, model->events), format_lost(b, model));
    row(view, "events", text_of(line));
    print_counts(view, &model->counts);
    print_memory(view, model);
    row(view, "size", text_of(format_size(a, model->file_size)));
    row(view, "complete", text_of(model->complete ? "yes" : "no"));
    print_costs(view, model);
}

bool info_ended(const struct recording_process *process)
{
    return process->state == PROCESS_ENDED || process->state == PROCESS_KILLED;
}

// How a process ended: exit status or signal, as far as known.
static void print_end(const struct view *view, const struct model *model, const struct recording_process *process)
{
    int status = process->exit_status;
    if (process->exit_known != RECORDING_EXIT_KNOWN) {
        (void)fputs("ended, status not known", view->out);
    } else if (!WIFSIGNALED(status)) {
        (void)fprintf(view->out, "ended with %d", WEXITSTATUS(status));
    } else {
        const char *name = sigabbrev_np(WTERMSIG(status));
        struct buffer why = {0};
        format_cause(&why, model, process);
        (void)fprintf(view->out, "ended by signal %d%s%s", WTERMSIG(status), name ? ", SIG" : "", name ? name : "");
        format_foreign(view, text_in(&why));
        buffer_free(&why);
    }
}

enum {
    PROCESS_INDENT = 5,
    PROCESS_USED = 40, // columns that count as taken before the command where there is no terminal
    COMMAND_MIN = 40   // a command on the same line needs so many
};

// One process: its numbers, its state or end, the runtime.
static void print_facts(const struct view *view, const struct model *model, const struct recording_process *process)
{
    (void)fprintf(view->out, "  %u  os id %u, ", process->process, process->os_id);
    if (info_ended(process)) {
        print_end(view, model, process);
    } else {
        (void)fputs(info_state(process->state), view->out);
    }
    (void)fputs(process->runtime.size ? ", " : "", view->out);
    format_name(view, process->runtime, 40);
    (void)fputc(':', view->out);
}

// With the command line, on a line of its own where the terminal has too little room for it after the rest.
static void print_process(const struct view *view, const struct model *model, const struct recording_process *process)
{
    char *facts = NULL;
    size_t size = 0;
    struct view apart = *view;
    apart.out = open_memstream(&facts, &size);
    if (!apart.out) {
        print_facts(view, model, process);
    } else {
        print_facts(&apart, model, process);
        (void)fclose(apart.out);
    }
    struct text written = {facts, size};
    size_t used = columns_of(written);
    format_words(view, written, PROCESS_INDENT);
    bool fits = !view->width || used + 1 + COMMAND_MIN <= view->width;
    (void)fprintf(view->out, "%s%*s", fits ? "" : "\n", fits ? 1 : PROCESS_INDENT, "");
    format_command(view, process->command, !view->width ? PROCESS_USED : fits ? used + 1 : PROCESS_INDENT);
    (void)fputc('\n', view->out);
    free(facts);
}

// The methods in scope that were not instrumented, with the agent's reason for each.
static void print_left_out(const struct view *view, const struct model *model)
{
    const struct catalog *catalog = &model->catalog;
    if (catalog->not_woven_count) {
        (void)fprintf(view->out, "%snot instrumented%s %u\n", format_style(view, FORMAT_DIM),
                      format_style(view, FORMAT_PLAIN), catalog->not_woven_count);
    }
    uint32_t top = view->top ? view->top : 20;
    for (uint32_t i = 0; i < catalog->not_woven_count && i < top; i++) {
        (void)fputs("  ", view->out);
        (void)format_method(view, catalog->not_woven[i].name, 2);
        (void)fputs(": ", view->out);
        format_name(view, catalog->not_woven[i].reason, 0);
        (void)fputc('\n', view->out);
    }
    if (catalog->not_woven_count > top) {
        (void)fprintf(view->out, "  ... %u more, see --top or --json\n", catalog->not_woven_count - top);
    }
}

enum clew_error view_info(const struct view *view, struct model *model)
{
    const struct catalog *catalog = &model->catalog;
    print_command(view, model->session.command);
    row(view, "folder", model->session.folder);
    row(view, "host", model->session.host);
    print_started(view, model);
    row(view, "version", model->session.version);
    print_instruments(view, model);
    print_totals(view, model);
    print_label(view, "processes");
    (void)fprintf(view->out, "%u\n", catalog->process_count);
    for (uint32_t i = 0; i < catalog->process_count; i++) {
        print_process(view, model, &catalog->processes[i]);
    }
    print_label(view, "threads");
    (void)fprintf(view->out, "%u\n", catalog->thread_count);
    print_dynamic_methods(view, model);
    print_left_out(view, model);
    format_caveats(view, model, "note: ");
    return CLEW_OK;
}
