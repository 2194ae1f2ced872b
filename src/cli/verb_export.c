// `clew export`: writes a recording in the format of another viewer. The formats are those of view/export/; this file
// parses the options, chooses the format and the output, and says what a recording lacks for a format.
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/clock.h"
#include "cli/selection.h"
#include "cli/show.h"
#include "trace/instrument.h"
#include "view/export/exports.h"

#define FORMATS "speedscope, folded, pprof, callgrind, trace, perfetto, firefox, csv, jsonl, parquet, cobertura or lcov"
#define SILENT_NS UINT64_C(1000000000) // short work needs no line
#define REDRAW_NS UINT64_C(100000000)

// The parsed options, and the state of the line that shows progress.
struct request {
    const char *output;
    const struct export_format *format;
    struct export_options options;
    struct cli_selection selection;
    bool has_table;
    uint64_t started_ns, drawn_ns; // CLOCK_MONOTONIC
};

static const struct export_format *format_named(const char *name)
{
    for (size_t i = 0; export_formats[i]; i++) {
        if (strcmp(export_formats[i]->name, name) == 0) {
            return export_formats[i];
        }
    }
    return NULL;
}

static bool take_weight(struct request *request, const char *name)
{
    bool calls = strcmp(name, "calls") == 0;
    request->options.weight = calls ? EXPORT_WEIGHT_CALLS : EXPORT_WEIGHT_TIME;
    if (!calls && strcmp(name, "time") != 0) {
        cli_say("--weight %s: choose time or calls", name);
        return false;
    }
    return true;
}

static bool take_option(void *context, const struct cli_option *option, const char *argument)
{
    struct request *request = context;
    const char *name = option->name;
    bool good;
    if (cli_selection_take(&request->selection, option, argument, &good)) {
        return good;
    }
    if (strcmp(name, "format") == 0) {
        request->format = format_named(argument);
        if (!request->format) {
            cli_say("--format %s: choose " FORMATS, argument);
        }
        return request->format != NULL;
    }
    if (strcmp(name, "weight") == 0) {
        return take_weight(request, argument);
    }
    if (strcmp(name, "by") == 0) {
        request->has_table = true;
        return cli_take_report(argument, REPORT_IN_FILES, &request->options.report);
    }
    if (strcmp(name, "physical") == 0) {
        request->options.physical = true;
        return true;
    }
    CLEW_ASSERT(strcmp(name, "output") == 0 && "each option of the table is taken");
    request->output = argument;
    return true;
}

// The format whose suffix the name ends in. The longest wins: .speedscope.json
static const struct export_format *format_of(struct text path)
{
    const struct export_format *best = NULL;
    for (size_t i = 0; export_formats[i]; i++) {
        const struct export_format *format = export_formats[i];
        if (text_ends(path, format->suffix) && (!best || strlen(format->suffix) > strlen(best->suffix))) {
            best = format;
        }
    }
    return best;
}

static bool same_file(const char *path, const char *other)
{
    struct stat a, b;
    return stat(path, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

// Whether the format has what was chosen; prints why not.
static bool settle_content(const struct request *request)
{
    if (request->has_table && !request->format->table) {
        cli_say("--by: a table can be exported as csv, jsonl or parquet, not as %s", request->format->name);
        return false;
    }
    const struct cli_selection *selection = &request->selection;
    bool any = selection->thread_count > 0 || selection->choice_count > 0 || cli_selection_has_range(selection);
    if (request->format->coverage && (any || request->options.physical)) {
        cli_say(
            "--format %s: which lines ran is known for the whole recording only; leave --thread, --process, --from, "
            "--to, --last, --method, --under, --hide and --physical out",
            request->format->name);
        return false;
    }
    if (request->options.physical && !export_takes_physical(request->format, &request->options)) {
        cli_say("--physical: %s has the calls of each thread, which are as the stacks were",
                request->format->table ? request->options.report->name : request->format->name);
        return false;
    }
    if (request->format->table && request->options.report->base == REPORT_OF_FILE && any) {
        cli_say("--by %s: this is known for the whole recording only; leave --thread, --process, --from, --to, --last, "
                "--method, "
                "--under and --hide out",
                request->options.report->name);
        return false;
    }
    return true;
}

// Chooses the format, and refuses combinations that make no sense.
static bool settle(struct request *request, const char *path)
{
    struct text output = text_of(request->output);
    bool standard = text_equal(output, text_of("-"));
    if (!request->output) {
        cli_say("export: name a file with -o; its suffix chooses the format, as in -o app.speedscope.json");
        return false;
    }
    if (cli_say_output_folder(request->output)) {
        return false;
    }
    request->format = request->format ? request->format : format_of(output);
    if (!request->format) {
        cli_say("-o %s: the suffix chooses the format; use one that clew export --help lists, or add --format",
                request->output);
        return false;
    }
    if (standard && request->format->binary) {
        cli_say("-o -: %s is not text; name a file", request->format->name);
        return false;
    }
    if (!settle_content(request)) {
        return false;
    }
    if (!standard && same_file(path, request->output)) {
        cli_say("-o %s: this is the recording itself; give the export another name", request->output);
        return false;
    }
    return cli_selection_settle(&request->selection);
}

// -- What a recording lacks -------------------------------------------------------------------------------------------

// Says why nothing could be exported. Returns the exit status.
static int say_nothing(const struct request *request, const char *path, const struct model *model)
{
    const struct export_options *options = &request->options;
    bool streams = model->session.instruments & INSTRUMENT_STREAMS;
    if (model_damaged(model)) { // the damaged part may have had it
        return cli_check_whole(path, model);
    }
    bool events = request->format->needs_calls || options->ranged ||
                  (request->format->table && options->report->base == REPORT_OF_EVENTS);
    if (request->format->coverage) {
        return cli_say_lacks(path, model, report_named(text_of("coverage"))->lacks, "lines");
    }
    if (request->format->table && options->report->instrument) {
        return cli_say_lacks(path, model, options->report->instrument, options->report->instrument);
    }
    if (events && !streams) {
        return cli_say_lacks(path, model,
                             options->ranged && !request->format->needs_calls
                                 ? "stream of events, so no part of its time can be chosen"
                                 : "stream of events",
                             "calls");
    }
    if (request->format->needs_times && !model_has_times(model)) {
        cli_say("%s: this recording has no times, and %s shows nothing else; record it again without --clock none",
                path, request->format->name);
        return CLI_NOTHING_RECORDED;
    }
    if (options->threads.count) {
        return cli_selection_say_no_thread(&request->selection, path);
    }
    return cli_check_recorded(path, model);
}

// -- Progress ---------------------------------------------------------------------------------------------------------

// Draws a line on the terminal when work takes long.
static void show_progress(void *context, double share)
{
    struct request *request = context;
    uint64_t now = clock_monotonic_ns();
    if (now - request->started_ns < SILENT_NS || now - request->drawn_ns < REDRAW_NS) {
        return;
    }
    request->drawn_ns = now;
    (void)fprintf(stderr, "\r\033[Kclew: %s: %.0f %%", request->format->name, share * 100);
}

static void end_progress(const struct request *request)
{
    if (request->drawn_ns) {
        (void)fputs("\r\033[K", stderr); // if stderr fails there is nowhere to report it
    }
}

// -- Run --------------------------------------------------------------------------------------------------------------

// Writes the export to the chosen output. Returns the exit status.
static int show(struct request *request, const char *path, struct model *model)
{
    struct cli_output output;
    uint64_t from, to;
    int status = cli_selection_check(&request->selection, path, model);
    if (status != CLI_OK) {
        return status;
    }
    int opened = cli_output_open(&output, request->output);
    if (opened != CLI_OK) {
        return opened;
    }
    cli_selection_moments(&request->selection, model, &from, &to);
    request->options.from = from ? model_clock_at(model, from) : 0;
    request->options.to = to == UINT64_MAX ? UINT64_MAX : model_clock_at(model, to);
    enum clew_error error = export_write(output.file, model, request->format, &request->options);
    end_progress(request);
    int closed = cli_output_close(&output, error == CLEW_OK);
    if (error == CLEW_NOTHING_RECORDED) {
        return say_nothing(request, path, model);
    }
    if (error == CLEW_IO && closed != CLI_OK) {
        return closed; // the output's error was said
    }
    if (error != CLEW_OK) {
        cli_say("%s: %s", path, cli_sentence(error));
        return cli_status(error);
    }
    if (closed != CLI_OK) {
        return closed;
    }
    return request->options.ranged ? cli_check_whole(path, model) : cli_check_recorded(path, model);
}

static const struct report *standard_table(void)
{
    return report_named(text_of("methods"));
}

static int run(int argc, char **argv)
{
    struct request request = {.options.report = standard_table()};
    const char *path = cli_recording(&cli_export, argc, argv, take_option, &request);
    if (!path || !settle(&request, path)) {
        return CLI_USAGE;
    }
    bool trees = export_wants_trees(request.format, &request.options);
    request.options.ranged = cli_selection_has_range(&request.selection);
    request.options.threads = cli_selection_threads(&request.selection);
    request.options.choices = cli_selection_choices(&request.selection);
    request.options.progress = isatty(STDERR_FILENO) ? show_progress : NULL;
    request.options.context = &request;
    request.started_ns = clock_monotonic_ns();
    struct model_options options = {
        .names_only = !trees,
        .unchecked = !trees && request.options.ranged,
        .progress = request.options.progress,
        .context = &request,
    };
    struct model *model;
    if (trees) {
        cli_selection_apply(&request.selection, &options);
    }
    export_choose_trees(request.format, &request.options, &options);
    int status = cli_load(path, &options, &model);
    if (status == CLI_OK) {
        status = show(&request, path, model);
        model_free(model);
    }
    end_progress(&request);
    return status;
}

static const struct cli_option options[] = {
    {"output", 'o', "FILE",
     "write there; the suffix chooses the format; - is standard output, for formats that are text"},
    {"format", 0, "FORMAT", FORMATS},
    {"by", 0, "TABLE", "for csv, jsonl and parquet: "},
    {"weight", 0, "WHAT", "of collapsed stacks: time (own time in nanoseconds, default) or calls"},
    {"physical", 0, NULL, "async methods below what resumed them, as the stacks were, not below their callers"},
    CLI_SELECTION_OPTIONS,
    {0},
};

static const struct cli_example examples[] = {
    {"clew export app.clew -o app.speedscope.json",
     "for speedscope.app: every thread's calls, and all threads together"},
    {"clew export app.clew -o app.pprof", "for go tool pprof, Pyroscope and others"},
    {"clew export app.clew --format folded -o - | flamegraph.pl", "collapsed stacks, to a program that draws them"},
    {"clew export app.clew -o app.folded --physical",
     "call paths as the threads' stacks had them, async methods included"},
    {"clew export app.clew -o events.parquet --by events", "every call's beginning and end, for DuckDB or pandas"},
    {"clew export app.clew -o coverage.xml", "which lines ran, for ReportGenerator, GitLab, Jenkins and others"},
    {"clew export app.clew --from 1.5s --to 1.6s -o part.callgrind", "a tenth of a second for KCachegrind"},
    {0},
};

static void list_tables(struct buffer *into)
{
    report_list(into, REPORT_IN_FILES, standard_table());
}

const struct cli_command cli_export = {
    .name = "export",
    .usage = "FILE -o FILE [--format FORMAT] [--thread LIST] [--from TIME] [--to TIME] [--method GLOB]",
    .summary = "write a recording in the format of another viewer",
    .text =
        "The suffix of the output chooses the format: .speedscope.json (speedscope), .folded (collapsed stacks), "
        ".pprof "
        "(profile.proto, compressed), .callgrind (KCachegrind, callgrind_annotate), .trace.json (Chrome's trace "
        "events), "
        ".perfetto-trace (Perfetto), .firefox.json (Firefox Profiler), and .csv, .jsonl (JSON Lines) and .parquet for "
        "the table that --by chooses, with "
        "the "
        "columns that doc/json.md names; .xml (Cobertura) and .info (lcov) have which lines ran, from a recording made "
        "with -i lines or -i statements.\n\n"
        "Async methods are below the methods that called them in collapsed stacks, callgrind, pprof, the first profile "
        "of "
        "speedscope, and the tables of methods and modules; speedscope, pprof and callgrind name the view. --physical "
        "shows the stacks as they were, as do --thread, --from and --to, and recordings that do not say who called. "
        "Calls in order, and trees of each thread, are always as the stacks were.\n\n"
        "The option --method exports the calls of such methods with all below them, and their callers; --under the "
        "same without "
        "the "
        "callers; with --hide, what such calls did by themselves counts as their callers'. In calls in order, a caller "
        "begins with the first of these calls.\n\n"
        "With --from, --to or --last, calls are counted from the events of that part, which needs a recording made "
        "with -i "
        "calls, statements or values. Calls that run at its borders begin and end there; they count for times and not "
        "for calls. Calls whose events were lost end where the loss is.\n\n"
        "Nothing is sent anywhere. An output file appears whole or not at all, and replaces one of the same name.\n\n"
        "Exit status: 0; 2 usage; 4 the recording lacks what the format needs; 5 it is damaged, and what could be read "
        "was exported, or it asks for more than 1 GiB of memory.",
    .options = options,
    .examples = examples,
    .run = run,
    .by = list_tables,
};
