// `clew replay`: prints the events of a stream in order. Only definitions are loaded into the model; the events are
// read while they are printed, so memory does not grow with their number.
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "cli/pager.h"
#include "cli/selection.h"
#include "cli/show.h"
#include "cli/source_maps.h"
#include "model/pattern.h"
#include "trace/instrument.h"
#include "view/replay/replay.h"
#include "view/story/question.h"
#include "view/text/format_header.h"
#include "view/text/format_number.h"

// The parsed options.
struct request {
    struct view_replay replay;
    struct view view;
    uint64_t found;    // number of events that --var and its like showed
    const char *asks;  // which of --var, --value, --where and --object was given; NULL: none
    const char *asked; // its argument
    struct question question;
    bool has_format, no_pager;
    uint32_t given; // of `limited`, a bit for each
    struct source_maps source_maps;
    struct cli_selection selection;
};

#define FORMAT(name) (1u << VIEW_REPLAY_##name)

// Options that only some formats take.
static const struct {
    const char *name;
    uint32_t formats;
    const char *takers;
} limited[] = {
    {"min-time", FORMAT(STORY) | FORMAT(JSON), "story and json do"},
    {"depth", FORMAT(STORY) | FORMAT(LOG) | FORMAT(JSON) | FORMAT(LINES), "story, lines, log and json do"},
    {"source-map", FORMAT(STORY) | FORMAT(LINES) | FORMAT(VARIABLE), "story, lines and --var do"},
    {"call", FORMAT(STORY) | FORMAT(JSON), "story and json do"},
    {"under", FORMAT(STORY) | FORMAT(JSON) | FORMAT(LOG) | FORMAT(LINES), "story, lines, log and json do"},
    {"hide", FORMAT(STORY) | FORMAT(JSON) | FORMAT(LOG) | FORMAT(LINES), "story, lines, log and json do"},
    {"verbose", FORMAT(STORY), "story does, and json has the numbers"},
};

static const char *const names[] = {"story", "log", "json", "lines"};
static_assert(sizeof names / sizeof *names == VIEW_REPLAY_VARIABLE, "a name for each format that --format chooses");

// --json is the same as --format json.
static bool take_format(struct request *request, const char *name)
{
    request->has_format = true;
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i], name) == 0) {
            request->replay.format = (enum view_replay_format)i;
            return true;
        }
    }
    cli_say("--format %s: choose story, lines, log or json", name);
    return false;
}

// P:N, as a line at a beginning has it with -v.
static bool take_call(struct request *request, const char *argument)
{
    char *end = NULL;
    errno = 0;
    uint64_t process = strtoull(argument, &end, 10), call = *end == ':' ? strtoull(end + 1, &end, 10) : 0;
    bool digits = strspn(argument, "0123456789:") == strlen(argument);
    if (!digits || errno || *end || process == 0 || process > UINT32_MAX || call == 0) {
        cli_say("--call %s: give PROCESS:NUMBER, as in 1:42; replay -v shows it where a call begins", argument);
        return false;
    }
    request->replay.process = (uint32_t)process;
    request->replay.call = call;
    return true;
}

// `P:#N`, or `#N` of the first process.
static bool take_object(struct request *request, const char *argument)
{
    const char *hash = strchr(argument, '#'), *text = argument;
    uint64_t process = 1, object = 0;
    char *end = NULL;
    errno = 0;
    if (hash && hash > argument && hash[-1] == ':' && strspn(argument, "0123456789") + 1 == (size_t)(hash - argument)) {
        process = strtoull(argument, NULL, 10);
        text = hash;
    }
    if (text[0] == '#' && text[1] >= '0' && text[1] <= '9') {
        object = strtoull(text + 1, &end, 10);
    }
    if (!end || *end || errno || object == 0 || object >= VALUE_OBJECT_INVALID || process == 0 ||
        process > UINT32_MAX) {
        cli_say("--object %s: give PROCESS:#NUMBER, as in 1:#42, or #42 of the first process, as stories show it",
                argument);
        return false;
    }
    request->question = (struct question){.process = (uint32_t)process, .object = (uint32_t)object};
    return true;
}

static bool take_where(struct request *request, const char *argument)
{
    static const char *const faults[] = {
        [QUESTION_NO_PLACE] = "there is no name",
        [QUESTION_NO_OPERATOR] = "there is no ==, !=, <, <=, >, >= or ~ after a name",
        [QUESTION_NO_AND] = "only && joins conditions, and nothing is computed",
        [QUESTION_NO_LITERAL] = "there is no number, word or quoted text, or its second quotation mark is missing",
        [QUESTION_BRACKET] = "names have no round brackets, and nothing is computed",
        [QUESTION_NO_NUMBER] = "only numbers and quoted texts are compared by size",
        [QUESTION_TOO_LONG] = "there are more than 16 conditions"};
    struct text at;
    enum question_fault fault = question_parse(text_of(argument), &request->question, &at);
    at = text_trimmed(at);
    if (fault != QUESTION_FINE) {
        cli_say("--where %s: %s%s%.*s; write it as in 'order.Id == 52 && name ~ \"Ann\"'", argument, faults[fault],
                at.size ? ", at " : ", at the end", (int)at.size, at.size ? at.at : "");
        return false;
    }
    return true;
}

// Whether the option is a question about values. If so, takes it; *good is false after printing what is wrong.
static bool take_question(struct request *request, const char *name, const char *argument, bool *good)
{
    static const char *const questions[] = {"var", "value", "where", "object"};
    uint32_t is = 0, count = sizeof questions / sizeof *questions;
    while (is < count && strcmp(questions[is], name) != 0) {
        is++;
    }
    if (is == count) {
        return false;
    }
    *good = !request->asks;
    if (request->asks) {
        cli_say("--%s and --%s: ask one question at a time; --where joins conditions by &&", request->asks, name);
        return true;
    }
    request->asks = questions[is];
    request->asked = argument;
    if (!*argument) {
        cli_say("--%s '': it is empty; clew replay --help says what to ask for", name);
        *good = false;
        return true;
    }
    request->replay.question = &request->question;
    if (is < 2) {
        struct text text = text_of(argument);
        request->question = is == 0 ? question_of_variable(text) : question_of_value(text);
    } else {
        *good = is == 2 ? take_where(request, argument) : take_object(request, argument);
    }
    return true;
}

static bool take_option(void *context, const struct cli_option *option, const char *argument)
{
    struct request *request = context;
    const char *name = option->name;
    for (uint32_t i = 0; i < sizeof limited / sizeof *limited; i++) {
        request->given |= strcmp(limited[i].name, name) == 0 ? 1u << i : 0u;
    }
    bool good;
    if (cli_selection_take(&request->selection, option, argument, &good)) {
        return good;
    }
    if (strcmp(name, "format") == 0) {
        return take_format(request, argument);
    }
    if (strcmp(name, "json") == 0) {
        return take_format(request, "json");
    }
    if (strcmp(name, "call") == 0) {
        return take_call(request, argument);
    }
    if (strcmp(name, "min-time") == 0) {
        request->view.has_min_time = cli_take_duration(option, argument, &request->view.min_time_ns);
        return request->view.has_min_time;
    }
    if (take_question(request, name, argument, &good)) {
        return good;
    }
    if (strcmp(name, "verbose") == 0) {
        request->view.verbose = true;
        return true;
    }
    if (strcmp(name, "no-pager") == 0) {
        request->no_pager = true;
        return true;
    }
    if (strcmp(name, "color") == 0) {
        return cli_take_colour(argument, &request->view);
    }
    if (strcmp(name, "names") == 0) {
        return cli_take_names(argument, &request->view);
    }
    if (strcmp(name, "source-map") == 0) {
        return source_maps_take(&request->source_maps, argument);
    }
    return cli_take_number(option, argument, &request->view.depth);
}

// Chooses the format of --var, and prints which option it or another format does not take.
static bool settle(struct request *request)
{
    request->replay.answers_json = request->asks && request->replay.format == VIEW_REPLAY_JSON;
    if (request->asks && request->has_format && !request->replay.answers_json) {
        cli_say("--%s prints a history, as a table or with --json: leave --format out", request->asks);
        return false;
    }
    request->replay.format = request->asks ? VIEW_REPLAY_VARIABLE : request->replay.format;
    struct cli_selection *selection = &request->selection;
    if (!cli_selection_settle(selection)) {
        return false;
    }
    if (request->replay.call &&
        (selection->thread_count || selection->choice_count || cli_selection_has_range(selection))) {
        cli_say(
            "--call shows one call from its beginning to its end, on all threads: leave --thread, --process, --from, "
            "--to, --last, --method, --under and --hide out");
        return false;
    }
    for (uint32_t i = 0; i < sizeof limited / sizeof *limited; i++) {
        if (request->given & 1u << i && !(limited[i].formats & 1u << request->replay.format)) {
            cli_say("--%s: --%s%s does not take it; %s", limited[i].name, request->asks ? "" : "format ",
                    request->asks ? request->asks : names[request->replay.format], limited[i].takers);
            return false;
        }
    }
    return true;
}

// Prints why no event could be shown. Returns the exit status.
static int no_stream(const struct request *request, const char *path, const struct model *model)
{
    if (model_damaged(model)) { // it may have had a stream
        return cli_check_whole(path, model);
    }
    if (model->session.instruments & INSTRUMENT_STREAMS) {
        if (request->selection.thread_count) {
            return cli_selection_say_no_thread(&request->selection, path);
        }
        cli_say("%s: %s", path, clew_error_sentence(CLEW_NOTHING_RECORDED));
        return CLI_NOTHING_RECORDED;
    }
    cli_say("%s: this recording has no stream of events; record it again with clew record -i calls -- %.*s", path,
            (int)model->session.command.size, model->session.command.at);
    return CLI_NOTHING_RECORDED;
}

// There is no such call. Returns the exit status.
static int no_call(const struct request *request, const char *path, const struct model *model)
{
    cli_say("%s: there is no call %" PRIu32 ":%" PRIu64 "; clew replay -v %s shows the numbers of calls", path,
            request->replay.process, request->replay.call, path);
    return model_damaged(model) ? cli_check_whole(path, model) : CLI_USAGE;
}

// The instruments that a format needs, if the recording has none of them; NULL: it has.
static const char *missing(const struct request *request, const struct model *model)
{
    uint32_t on = model->session.instruments;
    if (request->replay.format == VIEW_REPLAY_VARIABLE) {
        return on & INSTRUMENT_VALUES ? NULL : "values";
    }
    bool lines = request->replay.format == VIEW_REPLAY_LINES;
    return lines && !(on & (INSTRUMENT_STATEMENTS | INSTRUMENT_VALUES)) ? "statements,values" : NULL;
}

// Searches the names of all recorded places for similar ones.
static void find_near(const struct model *model, const struct sites *sites, struct text asked, struct nearest *nearest)
{
    nearest_init(nearest, asked);
    for (uint32_t i = 0; i < model->catalog.process_count; i++) {
        uint32_t process = model->catalog.processes[i].process;
        for (uint32_t place = 0; place < sites_count(sites, process); place++) {
            const struct site *site = sites_site(sites, process, sites_number(sites, process, place));
            if (site && site->name.size) {
                nearest_add_name(nearest, site->name);
            }
        }
    }
}

// Whether a recorded place has the name or, if it has dots, its beginning.
static bool is_named(const struct model *model, const struct sites *sites, const struct question_term *term)
{
    struct text path;
    bool named = term->anywhere;
    for (uint32_t i = 0; i < model->catalog.process_count && !named; i++) {
        uint32_t process = model->catalog.processes[i].process;
        for (uint32_t place = 0; place < sites_count(sites, process) && !named; place++) {
            const struct site *site = sites_site(sites, process, sites_number(sites, process, place));
            named = site && question_names(term, site, &path);
        }
    }
    return named;
}

// Prints which name no place has, and similar ones. False: all names exist.
static bool say_unnamed(const char *path, const struct model *model, const struct question_term *term)
{
    struct nearest nearest;
    struct sites *sites;
    if (sites_load(model->recording, &sites) != CLEW_OK) {
        return false;
    }
    bool named = is_named(model, sites, term);
    if (!named) {
        size_t last = term->place.size;
        while (last > 0 && term->place.at[last - 1] != '.') {
            last--;
        }
        cli_say("%s: nothing named %.*s got a value; %s", path, (int)term->place.size, term->place.at,
                last ? "properties have the values of their fields, so ask for the last name alone"
                     : "use the name in the source, without its type");
        find_near(model, sites, text_from(term->place, last), &nearest);
        cli_near(&nearest, "near it");
        nearest_free(&nearest);
    }
    sites_free(sites);
    return !named;
}

// Nothing answers the question: says so, and suggests names.
static void say_no_value(const struct request *request, const char *path, const struct model *model)
{
    const char *where = request->replay.choices.count ? " in such a method" : "";
    if (strcmp(request->asks, "object") == 0) {
        cli_say("%s: nothing was written to %s or called on it%s; stories show the numbers of objects", path,
                request->asked, where);
        return;
    }
    for (uint32_t i = 0; i < request->question.count; i++) {
        if (say_unnamed(path, model, &request->question.terms[i])) {
            return;
        }
    }
    if (strcmp(request->asks, "var") != 0) {
        cli_say("%s: no value fulfils --%s %s%s", path, request->asks, request->asked, where);
    } else {
        cli_say("%s: nothing named %s got a value%s%s", path, request->asked, where,
                *where ? "; without --method, clew shows where it did" : "");
    }
}

// Nothing of the events is in what was chosen: says why. Returns the exit status.
static int say_nothing_left(const struct request *request, const char *path, const struct model *model)
{
    char elapsed[FORMAT_CELL];
    if (cli_selection_has_range(&request->selection)) {
        cli_say("%s: nothing%s happens there; the session lasts %s", path,
                request->selection.choice_count ? " of the methods chosen" : "",
                format_ns(elapsed, format_elapsed_ns(model)));
    } else if (request->view.has_min_time) {
        cli_say("%s: no call took that long; give --min-time less", path);
    } else if (request->selection.choice_count) {
        cli_say("%s: --method, --under and --hide leave nothing; clew report %s --by methods lists the methods", path,
                path);
    } else {
        cli_say("%s: %s", path, clew_error_sentence(CLEW_NOTHING_RECORDED));
    }
    return CLI_NOTHING_RECORDED;
}

// Prints the events, or why there are none. Returns the exit status.
static int show(struct request *request, const char *path, struct model *model)
{
    enum clew_error error = CLEW_NOTHING_RECORDED;
    const char *instruments = missing(request, model);
    if (instruments) {
        bool lines = request->replay.format == VIEW_REPLAY_LINES;
        return cli_say_lacks(path, model, lines ? "statements or values" : "values", instruments);
    }
    if (request->view.has_min_time && request->view.min_time_ns > 0 && !model_has_times(model)) {
        return cli_say_no_times(path, "min-time");
    }
    int status = cli_selection_check(&request->selection, path, model);
    if (status != CLI_OK) {
        return status;
    }
    cli_selection_moments(&request->selection, model, &request->replay.from, &request->replay.to);
    request->replay.threads = cli_selection_threads(&request->selection);
    request->replay.choices = cli_selection_choices(&request->selection);
    cli_view_to(&request->view, stdout);
    bool json = request->replay.format == VIEW_REPLAY_JSON || request->replay.answers_json;
    pager_begin(!json && !request->no_pager);
    request->view.health = &model->health;
    if (model->session.instruments & INSTRUMENT_STREAMS) {
        error = view_replay(&request->view, model, &request->replay);
    }
    if (error == CLEW_NOT_FOUND) {
        return no_call(request, path, model);
    }
    if (error == CLEW_NOTHING_RECORDED) {
        return no_stream(request, path, model);
    }
    status = cli_printed(path, error);
    if (status != CLI_OK) {
        return status;
    }
    if (request->replay.format == VIEW_REPLAY_LOG) {
        cli_caveats(model);
    }
    if (request->found == 0 && !request->asks && !model_damaged(model)) {
        return say_nothing_left(request, path, model);
    }
    if (request->found == 0 && request->asks) {
        if (model_damaged(model)) { // the damaged part may have had one
            cli_say("%s: nothing in what could be read answers --%s %s", path, request->asks, request->asked);
            return cli_check_whole(path, model);
        }
        say_no_value(request, path, model);
        return CLI_NOTHING_RECORDED;
    }
    return cli_check_whole(path, model);
}

// names_only: the events are read from the file while they are printed. A part of the time is read without the rest of the
// file, so it costs the same however long the recording is.
static int run(int argc, char **argv)
{
    struct request request = {0};
    request.replay.found = &request.found;
    struct model *model;
    const char *path = cli_recording(&cli_replay, argc, argv, take_option, &request);
    bool window = cli_selection_has_range(&request.selection);
    const struct source_places sources = source_maps_places(&request.source_maps);
    const struct choices none = {0}; // the history of a variable is chosen by its methods alone
    const struct model_options options = {.names_only = true,
                                          .unchecked = window,
                                          .sources = &sources,
                                          .choices = request.asks ? none : cli_selection_choices(&request.selection)};
    int status = path && settle(&request) ? cli_load(path, &options, &model) : CLI_USAGE;
    if (status == CLI_OK) {
        status = show(&request, path, model);
        model_free(model);
    }
    return status;
}

static const struct cli_option options[] = {
    {"format", 0, "FORMAT", "story (default), lines, log or json"},
    {"json", 0, NULL, "the same as --format json; also answers --var and the other questions"},
    {"var", 0, "NAME", "the history of a variable: each value, when, where and by which statement"},
    {"where", 0, "CONDITION",
     "what gave places such values: PLACE OP LITERAL joined by &&, as in 'order.Id == 52 && total > 100'; OP is ==, "
     "!=, <, "
     "<=, >, >= or ~ (contains)"},
    {"value", 0, "TEXT", "what has this number, or a value whose text contains it, anywhere"},
    {"object", 0, "P:#N", "what was written to an object, and the calls on it"},
    {"call", 0, "P:N", "one call with all below it, an async method in all its pieces (story and json)"},
    {"color", 0, "WHEN", "always, auto (default: on a terminal, unless NO_COLOR is set) or never"},
    {"names", 0, "short|full", "type and method alone, or whole names; else whole where they fit the terminal"},
    {"no-pager", 0, NULL, "print at once what is longer than the screen, without $PAGER"},
    {"verbose", 'v', NULL, "story with the number of each call, where it begins, and with the statements of accessors"},
    {"min-time", 0, "TIME", "leave out what took less, as in 10us (story and json)"},
    {"depth", 0, "N", "at most N levels"},
    CLI_SELECTION_OPTIONS,
    {"source-map", 0, "FROM=TO",
     "take sources that the recording lacks, of the folder FROM, from the folder TO; repeats"},
    {0},
};

static const struct cli_example examples[] = {
    {"clew replay app.clew", "every call in order, indented, with durations"},
    {"clew replay app.clew --min-time 1ms --thread 1", "what took a millisecond or more on the first thread"},
    {"clew replay app.clew --var total", "every value that variables named total got"},
    {"clew replay app.clew --where 'order.Id == 52 && total > 100'", "where both were so in one call"},
    {"clew replay app.clew --call 1:42", "call 42 of process 1, from its beginning to its end"},
    {"clew replay app.clew --from 1.5s --to 1.6s", "a tenth of a second of all threads"},
    {"clew replay app.clew --method Cart.Add --hide 'Log.*'", "calls of a method with all below, but for logging"},
    {0},
};

const struct cli_command cli_replay = {
    .name = "replay",
    .usage = "FILE [--format story|lines|log|json] [--thread LIST] [--from TIME] [--to TIME] [--method GLOB]",
    .summary = "show the events of a stream in order",
    .text =
        "Needs a recording made with -i calls, statements or values. The story has a line where a call begins and one "
        "where it ends, with its duration; a call that calls nothing shown takes one line, and so does an accessor of "
        "no more than a statement: Customer.Points → 407, or Customer.Points = 407 (-v shows it whole). Threads are "
        "merged by time; "
        "the number in brackets is the thread's. With --min-time or --depth a line appears once it is known that it is "
        "shown, so lines of different threads may be slightly out of order; each has its time.\n\n"
        "Statements stand between the calls with their line numbers (the file is named where a call begins) and the "
        "source; beside them what variables got while they ran, and after a call's beginning its arguments, after "
        "its end what it returned. A condition's value stands alone. Dates are as in ISO 8601, there and in "
        "conditions. Statements of several lines stand on one while "
        "there is room. Left out are braces, words that a compiler makes statements of (in, foreach), what the "
        "compiler made (variables, and the methods of closures and state "
        "machines that have no statement), and values that the call has told: json has them.\n\n"
        "An async method runs in pieces, on any thread. Where one begins to wait, the story has awaits and what, and "
        "the line that awaits it where lines, statements or values know it; where it goes on, resumes with the time "
        "that it waited, the number of its first piece (-v shows them) and where that was; at its end completes and, "
        "with values, what it returned. What of it is not in the recording is said to be not known. A call that "
        "completes at once has none of these lines: what it returned is behind the end of its only piece.\n\n"
        "The option --call shows one call, by its number, with all below it. Of an async method these are all its "
        "pieces "
        "up to its completion, from whichever of them the number is, and the pieces of async methods that it called. "
        "What "
        "the runtime runs in a piece after that has begun to wait, or has completed, is not part of it.\n\n"
        "The option --var prints the history of everything of one name, and of fields of structs in variables of it: "
        "when, on which thread, the value, and the statement that gave it. NAME.FIELD is one field of a struct, or "
        "one item of a tuple.\n\n"
        "The option --where prints in the same way which arguments and assignments made its conditions true. PLACE is "
        "a name "
        "as for --var. LITERAL is a number, a text in quotation marks, or a word: true, null, a member of an enum. "
        "Several "
        "conditions hold in one call with the values that their places got there last. Values are tested as they were "
        "recorded; nothing is computed. --value asks for any place, results too; --object for what was written to an "
        "object "
        "(by the number that stories have for it) and the calls on it.\n\n"
        "lines prints one line for each statement and value of a recording made with -i statements,values: see "
        "doc/lines.md. log prints a line for each entry, \"Namespace.Type.Method, id=N, call count = K\", two spaces a "
        "level up to 64, then (+N). json prints an object a line.\n\n"
        "The option --method shows the calls of such methods with all below them, and their callers with what they "
        "were given, "
        "from "
        "the first such call on; --under shows the same without the callers; --hide leaves calls out. What an async "
        "method does after it has waited is chosen by the method alone, as the stacks were. With --var, --method "
        "chooses "
        "the methods that gave the variable its values.\n\n"
        "With --from, --to or --last only that part of the file is read, however large it is: damage elsewhere is not "
        "noticed "
        "then. clew info checks the whole file.\n\n"
        "A recording that is still being written is shown up to what is in the file by then.\n\n"
        "Exit status: 0; 2 usage; 4 the recording has no stream, or nothing in it is what was asked for; 5 it is "
        "damaged, and what could be read was "
        "shown, or it asks for more than 1 GiB of memory.",
    .options = options,
    .examples = examples,
    .run = run,
};
