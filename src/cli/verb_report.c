// `clew report`: prints the content of a recording as text or JSON. view/report_registry.c has the table of reports; this
// file parses the options, chooses the output, and turns errors into messages and exit statuses.
#include "cli/verb_report.h"

#include "cli/pager.h"
#include "cli/selection.h"
#include "cli/show.h"
#include "cli/source_maps.h"
#include "serve/single_file.h"
#include "view/text/format_number.h"

#define HTML_MAX (UINT64_C(10) << 20) // bytes of the page as one file, unless --html-max says so

// The parsed options. `model` holds those for loading, `view` those for printing.
struct request {
    const struct report *report;
    const char *output;
    bool json, html, has_format, has_report, no_pager;
    bool slowest;      // the slowest requests, with --by requests or without
    uint32_t given;    // enum report_option
    uint64_t html_max; // bytes of the page as one file
    struct model_options model;
    struct view view; // options only; the stream is set later
    struct cli_selection selection;
    struct source_maps source_maps;
    struct source_places sources; // of those maps
};

static bool take_format(struct request *request, const char *name)
{
    request->json = strcmp(name, "json") == 0;
    request->has_format = true;
    if (!request->json && strcmp(name, "text") != 0) {
        cli_say("--format %s: choose text or json", name);
        return false;
    }
    return true;
}

static const struct {
    const char *name;
    uint32_t option;
} limited[] = {{"top", REPORT_TOP},
               {"sort", REPORT_SORT},
               {"min-time", REPORT_MIN_TIME},
               {"depth", REPORT_DEPTH},
               {"threads", REPORT_THREADS},
               {"source-map", REPORT_SOURCES},
               {"physical", REPORT_PHYSICAL},
               {"root", REPORT_ROOT},
               {"method", REPORT_METHODS},
               {"under", REPORT_METHODS},
               {"hide", REPORT_METHODS},
               {"of", REPORT_OF},
               {"each-method", REPORT_COVERAGE}};

// Some keys have a second name that users of other profilers expect.
static bool take_sort(struct request *request, const char *name)
{
    static const struct {
        const char *name;
        enum table_key key;
    } keys[] = {{"own", TABLE_OWN},   {"self", TABLE_OWN},    {"cpu", TABLE_CPU}, {"total", TABLE_TOTAL},
                {"inc", TABLE_TOTAL}, {"calls", TABLE_CALLS}, {"min", TABLE_MIN}, {"mean", TABLE_MEAN},
                {"max", TABLE_MAX},   {"name", TABLE_NAME}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strcmp(keys[i].name, name) == 0) {
            request->view.sort = keys[i].key;
            request->view.has_sort = true;
            bool of_methods = keys[i].key >= TABLE_MIN;
            request->given |= of_methods ? REPORT_SORT_METHODS : 0u;
            return true;
        }
    }
    cli_say("--sort %s: choose own, cpu, total, calls, min, mean, max or name", name);
    return false;
}

static bool take_html_max(struct request *request, const char *text)
{
    if (!cli_size(text, &request->html_max)) {
        cli_say("--html-max %s: give a size, as in 500k or 10M", text);
        return false;
    }
    return true;
}

static bool take_option(void *context, const struct cli_option *option, const char *argument)
{
    struct request *request = context;
    const char *name = option->name;
    for (size_t i = 0; i < sizeof limited / sizeof *limited; i++) {
        request->given |= strcmp(limited[i].name, name) == 0 ? limited[i].option : 0u;
    }
    bool good;
    if (cli_selection_take(&request->selection, option, argument, &good)) {
        return good;
    }
    if (strcmp(name, "by") == 0) {
        request->has_report = true;
        return cli_take_report(argument, REPORT_PRINTED, &request->report);
    }
    if (strcmp(name, "format") == 0) {
        return take_format(request, argument);
    }
    if (strcmp(name, "sort") == 0) {
        return take_sort(request, argument);
    }
    if (strcmp(name, "min-time") == 0) {
        request->view.has_min_time = cli_take_duration(option, argument, &request->view.min_time_ns);
        return request->view.has_min_time;
    }
    if (strcmp(name, "color") == 0) {
        return cli_take_colour(argument, &request->view);
    }
    if (strcmp(name, "names") == 0) {
        return cli_take_names(argument, &request->view);
    }
    if (strcmp(name, "depth") == 0) {
        return cli_take_number(option, argument, &request->view.depth);
    }
    if (strcmp(name, "top") == 0) {
        return cli_take_number(option, argument, &request->view.top);
    }
    if (strcmp(name, "slowest") == 0) {
        request->slowest = true;
        return cli_take_number(option, argument, &request->view.top);
    }
    if (strcmp(name, "source-map") == 0) {
        return source_maps_take(&request->source_maps, argument);
    }
    if (strcmp(name, "html-max") == 0) {
        return take_html_max(request, argument);
    }
    if (strcmp(name, "root") == 0) {
        request->view.root = argument;
        return cli_check_pattern(option, argument);
    }
    if (strcmp(name, "output") == 0) {
        request->output = argument;
    } else if (strcmp(name, "json") == 0) {
        request->json = request->has_format = true;
    } else if (strcmp(name, "each-method") == 0) {
        request->view.methods = true;
    } else if (strcmp(name, "threads") == 0) {
        request->model.threads_apart = request->view.threads = true;
    } else if (strcmp(name, "physical") == 0) {
        request->model.physical = true;
    } else if (strcmp(name, "no-pager") == 0) {
        request->no_pager = true;
    } else if (strcmp(name, "adjust") == 0) {
        request->model.adjust = true;
    }
    return true;
}

// Chooses the format by the output's suffix, unless an option did.
static bool settle_format(struct request *request)
{
    if (!request->output || request->has_format) {
        return true;
    }
    struct text path = text_of(request->output);
    if (cli_say_output_folder(request->output)) {
        return false;
    }
    request->json = text_ends(path, ".json");
    request->html = text_ends(path, ".html");
    bool device = text_starts(path, "/dev/") || text_equal(path, text_of("-"));
    if (!request->json && !request->html && !text_ends(path, ".txt") && !device) {
        cli_say("-o %s: the suffix chooses the format: use .html, .txt or .json, or add --format", request->output);
        return false;
    }
    return true;
}

// Says that the report does not take an option that was given, and which do.
static void say_refused(const struct request *request, const char *option, uint32_t bit)
{
    struct buffer takers = {0};
    uint32_t count = report_list_takers(&takers, bit);
    cli_say("--%s: --by %s does not take it; %.*s %s", option, request->report->name, (int)text_in(&takers).size,
            takers.failed ? "" : text_in(&takers).at, count == 1 ? "does" : "do");
    buffer_free(&takers);
}

// --slowest asks for a report of its own; prints what it does not go with.
static bool settle_report(struct request *request)
{
    const struct report *slowest = report_named(text_of("slowest"));
    bool fits =
        !request->has_report || request->report == slowest || request->report == report_named(text_of("requests"));
    if (request->slowest && (!fits || request->html)) {
        cli_say("--slowest: it shows requests; leave --by out, or use --by requests");
        return false;
    }
    request->report = request->slowest ? slowest : request->report;
    if (request->report->takes & REPORT_OF && !(request->given & REPORT_OF)) {
        cli_say("--by %s: of which methods? Add --of GLOB, with a name as reports print it", request->report->name);
        return false;
    }
    return true;
}

// What --of chooses for the report of callees: these methods and what they called.
static void settle_callees(struct request *request)
{
    struct cli_selection *selection = &request->selection;
    bool callees = request->report == report_named(text_of("callees"));
    for (uint32_t i = 0; callees && i < selection->choice_count; i++) {
        struct choice *choice = &selection->choices[i];
        choice->kind = choice->kind == CHOICE_CALLERS ? CHOICE_UNDER : choice->kind;
    }
}

// Whether the report has something that each option can choose; prints what has not.
static bool settle_options(const struct request *request)
{
    if (request->html && ((request->given & ~(uint32_t)REPORT_SOURCES) || request->has_report)) {
        cli_say("-o %s: the page holds all reports, and sorts and folds them itself; leave --by, --top, --sort, "
                "--min-time, --depth, --threads, --physical and --root out",
                request->output);
        return false;
    }
    uint32_t refused = request->given & ~request->report->takes;
    for (size_t i = 0; i < sizeof limited / sizeof *limited; i++) {
        if (refused & limited[i].option) {
            say_refused(request, limited[i].name, limited[i].option);
            return false;
        }
    }
    if (refused) {
        say_refused(request, "sort by min, mean, max or name", REPORT_SORT_METHODS);
    }
    return refused == 0;
}

// Whether the selection can be applied to the report; prints why not.
static bool settle_selection(struct request *request)
{
    struct cli_selection *selection = &request->selection;
    settle_callees(request);
    if (!cli_selection_settle(selection)) {
        return false;
    }
    cli_selection_apply(selection, &request->model);
    bool any = cli_selection_has_range(selection) || selection->thread_count > 0;
    if (request->report->base == REPORT_OF_FILE && any) {
        cli_say("--from, --to, --last, --thread and --process choose among calls: --by %s has no such choice",
                request->report->name);
        return false;
    }
    if (request->html && (any || selection->choice_count > 0)) {
        cli_say("--from, --to, --last, --thread, --process, --method, --under and --hide: the page holds the whole "
                "recording, "
                "and chooses on it");
        return false;
    }
    return true;
}

// Prints which option has no effect on this recording, if one has none. Returns the exit status.
static int check_options(const struct request *request, const char *path, const struct model *model)
{
    const struct view *view = &request->view;
    bool by_time = view->has_sort && view->sort != TABLE_CPU && view->sort != TABLE_CALLS && view->sort != TABLE_NAME;
    const char *option = view->has_min_time && view->min_time_ns > 0 ? "min-time" : by_time ? "sort by times" : NULL;
    if (option && !model_has_times(model)) {
        return cli_say_no_times(path, option);
    }
    const struct choice root = {
        .kind = CHOICE_CALLERS, .pattern = text_of(view->root ? view->root : ""), .option = "root"};
    return view->root && !model_damaged(model) ? cli_choice_check(&root, path, model) : CLI_OK;
}

// Prints the chosen report to `out`.
static enum clew_error print(const struct request *request, struct model *model, FILE *out)
{
    struct view view = request->view;
    cli_view_to(&view, out);
    pager_begin(!request->json && !request->output && !request->no_pager);
    view.health = &model->health;
    return (request->json ? report_json : report_text)(request->report, &view, model);
}

// Prints why the selection has nothing, if so. Returns the exit status.
static int check_selection(const struct request *request, const char *path, const struct model *model)
{
    int status = cli_selection_check(&request->selection, path, model);
    if (status != CLI_OK) {
        return status;
    }
    bool known = model->options.threads.count == 0;
    for (uint32_t i = 0; i < model->catalog.thread_count; i++) {
        const struct recording_thread *thread = &model->catalog.threads[i].record;
        known = known || model_takes_thread(model, thread->process, thread->thread);
    }
    if (!known) {
        return cli_selection_say_no_thread(&request->selection, path);
    }
    if (model_has_range(model) && !model->has_stream && !model_damaged(model)) {
        cli_say("%s: this recording has call trees and no stream of events, so it cannot be cut; record it again with "
                "clew record -i calls -- %.*s",
                path, (int)model->session.command.size, model->session.command.at);
        return CLI_NOTHING_RECORDED;
    }
    bool any = !model_is_selection(model) || model_damaged(model) || model->counted_count > 0;
    for (uint32_t i = 0; i < model->tree_count; i++) {
        any = any || model->trees[i].tree.count > 1;
    }
    if (!any) {
        char elapsed[FORMAT_CELL];
        const char *among = cli_selection_choices(&request->selection).count ? " of the methods chosen" : "";
        if (model_has_range(model)) {
            cli_say("%s: no recorded call%s runs there; the session lasts %s", path, among,
                    format_ns(elapsed, format_elapsed_ns(model)));
        } else {
            cli_say("%s: no call%s is in the recording; clew report %s --by methods lists those that are", path,
                    *among ? among : " of these threads", path);
        }
        return CLI_NOTHING_RECORDED;
    }
    return CLI_OK;
}

// Prints the report to the chosen output. Returns the exit status.
static int show(const struct request *request, const char *path, struct model *model)
{
    struct cli_output output;
    if (!report_has(request->report, model)) {
        const char *lacks = request->report->lacks;
        return cli_say_lacks(path, model, lacks ? lacks : request->report->name, request->report->instrument);
    }
    int checked = check_options(request, path, model);
    checked = checked == CLI_OK ? check_selection(request, path, model) : checked;
    if (checked != CLI_OK) {
        return checked;
    }
    int opened = cli_output_open(&output, request->output);
    if (opened != CLI_OK) {
        return opened;
    }
    enum clew_error error = print(request, model, output.file);
    pager_end();
    if (error == CLEW_NOTHING_RECORDED && model_damaged(model)) {
        error = CLEW_DAMAGED; // the damaged part may have had it
    }
    int closed = cli_output_close(&output, error == CLEW_OK);
    if (error == CLEW_IO && closed != CLI_OK) {
        return closed; // the output's error was said
    }
    if (error != CLEW_OK) {
        cli_say("%s: %s", path, cli_sentence(error));
    }
    if (error != CLEW_OK || closed != CLI_OK) {
        return error != CLEW_OK ? cli_status(error) : closed;
    }
    if (request->report->bare && !request->json) {
        cli_caveats(model);
    }
    return model_is_selection(model) ? cli_check_whole(path, model) : cli_check_recorded(path, model);
}

// Writes the page of a recording as one file, and says what is not in it.
static int write_page(const struct request *request, const char *path, struct page *page)
{
    struct cli_output output;
    struct buffer cut = {0};
    int opened = cli_output_open(&output, request->output);
    if (opened != CLI_OK) {
        return opened;
    }
    enum clew_error error = model_check(page_model(page)); // the file holds documents that read any block
    error = error == CLEW_OK ? single_file_write(page, request->html_max, output.file, &cut) : error;
    int closed = cli_output_close(&output, error == CLEW_OK);
    struct text rest = text_in(&cut), line;
    while (error == CLEW_OK && text_take_line(&rest, &line)) {
        cli_say("%s: %.*s", request->output, (int)line.size, line.at);
    }
    buffer_free(&cut);
    if (error != CLEW_OK) {
        cli_say("%s: %s", path, cli_sentence(error));
        return cli_status(error);
    }
    return closed != CLI_OK ? closed : cli_check_recorded(path, page_model(page));
}

static int show_page(const struct request *request, const char *path)
{
    struct page *page;
    cli_limit_memory();
    enum clew_error error = page_open(path, &request->sources, &page);
    if (error != CLEW_OK) {
        return cli_unreadable(path, error);
    }
    int status = write_page(request, path, page);
    page_close(page);
    return status;
}

static int run(int argc, char **argv)
{
    struct request request = {.report = reports, .html_max = HTML_MAX};
    struct model *model;
    const char *path = cli_recording(&cli_report, argc, argv, take_option, &request);
    if (!path || !settle_format(&request) || !settle_report(&request) || !settle_options(&request) ||
        !settle_selection(&request)) {
        return CLI_USAGE;
    }
    request.sources = source_maps_places(&request.source_maps);
    request.model.sources = &request.sources;
    if (request.html) {
        return show_page(&request, path);
    }
    int status = cli_load(path, &request.model, &model);
    if (status == CLI_OK) {
        status = show(&request, path, model);
        model_free(model);
    }
    return status;
}

int cli_report_recording(const char *path, struct recording *recording)
{
    const struct model_options options = {0};
    struct model *model;
    int status = cli_load_opened(path, recording, &options, &model);
    if (status != CLI_OK) {
        return status;
    }
    struct view view = {.health = &model->health};
    cli_view_to(&view, stderr);
    enum clew_error error = report_text(reports, &view, model);
    status = error == CLEW_OK ? cli_check_whole(path, model) : cli_status(error);
    status = status == CLI_OK && model->events == 0 ? CLI_NOTHING_RECORDED : status;
    model_free(model);
    return status;
}

static const struct cli_option options[] = {
    {"by", 0, "WHAT", ""},
    {"json", 0, NULL, "JSON instead of text"},
    {"format", 0, "FORMAT", "text or json"},
    {"output", 'o', "FILE", "write there; .html, .txt and .json choose the format"},
    {"html-max", 0, "SIZE", "limit the page as one file, as in 500k (10M); it says what was left out"},
    CLI_SELECTION_OPTIONS,
    {"threads", 0, NULL, "a call tree for each thread instead of one for all"},
    {"each-method", 0, NULL, "with --by coverage: of each method, too"},
    {"physical", 0, NULL, "async methods below what resumed them, as the stacks were, not below their callers"},
    {"of", 0, "GLOB", "whose callers or callees --by callers and --by callees show; repeats"},
    {"root", 0, "GLOB", "requests begin with these methods, not with those that no recorded method has called"},
    {"slowest", 0, "N", "the N requests that took longest, each with its call tree (needs a recording of calls)"},
    {"sort", 0, "KEY",
     "cpu (sampled; default), own (or self), total (or inc), calls; of methods also min, mean, max, name"},
    {"top", 0, "N", "at most N rows"},
    {"min-time", 0, "TIME", "fold what took less in total, as in 10us"},
    {"depth", 0, "N", "at most N levels of the tree"},
    {"color", 0, "WHEN", "always, auto (default: on a terminal, unless NO_COLOR is set) or never"},
    {"names", 0, "short|full", "type and method alone, or whole names; else whole where they fit the terminal"},
    {"no-pager", 0, NULL, "print at once what is longer than the screen, without $PAGER"},
    {"source-map", 0, "FROM=TO",
     "take sources that the recording lacks, of the folder FROM, from the folder TO; repeats"},
    {"adjust", 0, NULL, "subtract what recording calls, statements, values and lines cost from the times of methods"},
    {0},
};

static const struct cli_example examples[] = {
    {"clew report app.clew", "the session, its call tree and its hottest methods"},
    {"clew report app.clew --by methods --sort calls", "every method, most called first"},
    {"clew report app.clew --by tree --threads --min-time 1ms", "a tree a thread, without what took less than 1 ms"},
    {"clew report app.clew --from 1.5s --to 1.6s", "what ran in a tenth of a second"},
    {"clew report app.clew --by tree --method Cart.Add", "what calls of a method called, and what called them"},
    {"clew report app.clew --by callers --of Cart.Add", "what called a method, and with how much of its time"},
    {"clew report app.clew --by requests", "what a server was asked to do: how often, how long, waiting for what"},
    {"clew report app.clew --slowest 3", "the three requests that took longest: what each called and waited for"},
    {"clew report app.clew --by lines", "the source, with count and time beside each line"},
    {"clew report app.clew --by coverage --each-method", "which lines of each file and method ran"},
    {"clew report app.clew --by jit --top 10", "the methods that took longest to compile"},
    {"clew report app.clew --by allocations --top 10", "the types and lines that made most bytes of objects"},
    {"clew report app.clew --by exceptions", "what was thrown, where, and where it was caught"},
    {"clew report app.clew -o app.json", "everything, for programs"},
    {"clew report app.clew -o app.html", "the page as one file: to mail, or for the artefacts of a build"},
    {0},
};

static void list_reports(struct buffer *into)
{
    report_list(into, REPORT_PRINTED, reports);
}

const struct cli_command cli_report = {
    .name = "report",
    .usage = "FILE [--by WHAT] [--json] [-o FILE]",
    .summary = "show what a recording holds",
    .text =
        "Own time is a method's time without the recorded methods it called; total time is with them, and counts "
        "outermost activations only (an activation is one run of a method, from entry to exit), so that recursion is "
        "not counted twice. Min, mean and max are times of single activations, callees included. Times are wall times "
        "of the session's clock, which every report names.\n\n"
        "An async method is one row, below the method that called it, whatever resumed it and on whichever threads it "
        "ran: "
        "its call and its body together. Its latency is the mean time from the call to the completion, and awaiting is "
        "the time for which it and what it called waited; the lines below it are the places of await, with how often "
        "and "
        "how long. What was not seen to be called is below (caller unknown). --physical shows the stacks as they were, "
        "as "
        "do --threads, --thread, --from and --to, and reports of recordings that do not say who called.\n\n"
        "Requests begin with the methods that no recorded method has called, except for Main, the entry methods of "
        "threads and static constructors; --root chooses others. Half, 90 and 99 percent of the latencies are at most "
        "p50, p90 and p99, which are within 6 % of the exact ones; the longest is exact. Latencies of methods that are "
        "not async are known only where no recorded method called them. --slowest shows the ones that took longest, "
        "each with its own tree; it needs a recording of calls. At the end of a row is what they, or what they "
        "called, waited for longest.\n\n"
        "Shares are of sampled CPU time, where the recording has a second of it and --sort does not ask for another "
        "order: wall "
        "time "
        "includes waiting. What a thread ran that used less than a thousandth of its time on a processor only waited; "
        "the overview counts such paths in its last row.\n\n"
        "Threads are merged by path; --threads shows them apart. The tree folds levels of the same recursion, levels "
        "that do next to nothing but call one other, paths below a thousandth of all time (one in a hundred in the "
        "overview), and levels beyond 64 (16 in the overview); --min-time 0 and --depth show them. While fewer than 15 "
        "rows are shown, nothing is folded for its time.\n\n"
        "The options --from, --to, --last, --thread and --process choose a part. Activations count with their time "
        "within the range, and "
        "as calls if "
        "they "
        "begin in it; the range needs a recording of calls, of which only the part in question is read. Without --from "
        "and --to, threads may be chosen in recordings of trees, too.\n\n"
        "The options --method, --under and --hide choose calls. --method shows the calls of such methods with all "
        "below "
        "them, and their callers, which have - for calls and own time; --under shows the same without the callers. "
        "With --hide, what such calls did by themselves is in their callers; that wins over the other two.\n\n"
        "callers has the methods that --of chooses, and below each row what called it, up to 64 levels: all figures "
        "are those of the calls of the first row that came from there, so the rows below a row add up to it. In a "
        "recursion, a call within another one of the same method counts with its own time. callees has what the "
        "methods called, from the first of them on each path.\n\n"
        "Where a method's name does not fit the terminal, (...) stands for its parameters, then ... for the first of "
        "its "
        "namespaces and types; the method itself is never cut. Options that choose methods take names in this form, "
        "too. Below 120 columns methods go without Min and Max; JSON and files always have them.\n\n"
        "log prints the calls in order of first sight, two spaces a level up to 64, then (+N), as "
        "\"Namespace.Type.Method, id=N, call "
        "count = K\"; summary prints a line \"Namespace.Type.Method : call count = N\" for each method. lines "
        "prints the source with count, own time and share beside each line; a line's count is that of the statement on "
        "it that ran most often, its own time runs from there to the thread's next statement, and the report says by "
        "which clock. It needs a recording made with -i lines or -i statements (without times); where there is one, "
        "methods has a column of statements too. allocations adds up the objects that the recorded code made (newobj, "
        "newarr, box), by type and by line, and needs a recording made with -i values. "
        "exceptions counts what was thrown on threads that ran recorded code: by type, then by type, the recorded "
        "method that threw, and the one that caught; 'below' a method is code that it called and that is not "
        "recorded. An async method catches what it throws and hands it to its task, and an await throws it again. "
        "jit lists what the JIT compiled on all threads, of any code, and for how long. "
        "coverage has, by source file, how many lines with code there are and how many of them ran, those of methods "
        "that "
        "never ran included; what bears ExcludeFromCodeCoverage is left out. It needs a recording made with -i lines "
        "or "
        "-i statements.\n\n"
        "A recording that is still being written is shown up to what is in the file by then.\n\n"
        "Exit status: 0; 2 usage; 4 the recording holds no call; 5 the recording is damaged, and what could be read "
        "was shown, or it asks for more than 1 GiB of memory.",
    .options = options,
    .examples = examples,
    .run = run,
    .by = list_reports,
};
