// `clew record` and `clew run`: start a program, record it, and report the result; `run` also prints the report. The
// order is: parse options, check everything that can fail, create the file, start collector and program
// (collector/start/supervise.h), then read the file back for the closing lines.
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/assert.h"
#include "cli/closing.h"
#include "cli/program.h"
#include "cli/progress.h"
#include "cli/recording_options.h"
#include "cli/show.h"
#include "cli/verb_report.h"
#include "cli/verb_view.h"
#include "collector/session/command_line.h"
#include "collector/start/environment.h"
#include "collector/start/launch.h"
#include "collector/start/supervise.h"
#include "collector/start/target.h"
#include "recording/output.h"
#include "recording/parts.h"

enum { CALIBRATION_NS = 5 * 1000 * 1000 };

// -- The file ---------------------------------------------------------------------------------------------------------

// The part of a path after the last slash.
static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// Whether a text has more than the suffix and ends with it, in any case of letters.
static bool ends_with(const char *text, const char *suffix)
{
    size_t size = strlen(text), tail = strlen(suffix);
    return size > tail && strcasecmp(text + size - tail, suffix) == 0;
}

// "dotnet app.dll" is named after app.dll.
static const char *named_after(char *const *command)
{
    if (strcmp(base_name(command[0]), "dotnet") == 0) {
        for (char *const *word = command + 1; *word; word++) {
            if (ends_with(*word, ".dll") || ends_with(*word, ".exe")) {
                return *word;
            }
        }
    }
    return command[0];
}

// The program's name, without .dll or .exe.
static struct text name_of(char *const *command)
{
    const char *name = base_name(named_after(command));
    size_t size = strlen(name);
    return (struct text){name, size - (ends_with(name, ".dll") || ends_with(name, ".exe") ? 4 : 0)};
}

// NAME.clew in the current folder.
static char *default_file(char *const *command)
{
    struct text name = name_of(command);
    char *path = NULL;
    return asprintf(&path, "%.*s.clew", (int)name.size, name.at) < 0 ? NULL : path;
}

// What the agents have to know of the command line: which program it names. The SDK is one only where it runs no other.
static void settle_program(struct recording_options *options)
{
    struct text name = name_of(options->command);
    options->children = options->children || target_runs_in_child(options->command);
    if (!text_equal(name, text_of("dotnet")) && !memchr(name.at, '\n', name.size)) {
        buffer_printf(&options->configuration, "program %.*s\n", (int)name.size, name.at);
    }
}

// Returns 0, or the exit status after printing why the output cannot be written there.
static int judge_output(const char *path, enum recording_output *output)
{
    *output = recording_output_of(path);
    switch (*output) {
    case OUTPUT_NEW:
    case OUTPUT_RECORDING:
    case OUTPUT_DEVICE:
        return 0;
    case OUTPUT_SPECIAL:
        cli_say("cannot write %s: it is not a regular file; choose another name with -o", path);
        break;
    case OUTPUT_FOREIGN:
        cli_say("%s exists and is not a recording, so it stays as it is; choose another name with -o", path);
        break;
    case OUTPUT_OLD_IN_THE_WAY:
        cli_say(
            "%s would become %s.old, but that exists and is not a recording, so both stay as they are; choose another "
            "name with -o",
            path, path);
        break;
    }
    return CLI_USAGE;
}

// The same for all files of a recording in parts (--rotate), none of which becomes FILE.old.
static int judge_parts(const char *path, uint32_t parts_max, enum recording_output *output)
{
    CLEW_ASSERT(parts_max > 0);
    for (uint32_t age = 0; age <= parts_max; age++) {
        bool last = age == parts_max; // the name that the next part has until it is complete
        char *name = last ? recording_next_name(path) : age ? recording_part_name(path, age) : strdup(path);
        enum recording_output there = name ? recording_output_of(name) : OUTPUT_FOREIGN;
        there = there == OUTPUT_OLD_IN_THE_WAY ? OUTPUT_RECORDING : there;
        bool free_of_others = there == OUTPUT_NEW || there == OUTPUT_RECORDING;
        if (!free_of_others) {
            cli_say("%s exists and is not a recording, so it stays as it is; choose another name with -o",
                    name ? name : path);
        }
        free(name);
        if (!free_of_others) {
            return CLI_USAGE;
        }
        *output = age ? *output : there;
    }
    return 0;
}

// Renames an existing recording as if it were the previous part.
static bool age_parts(const char *path, uint32_t parts_max, enum recording_output output)
{
    return output != OUTPUT_RECORDING ||
           (recording_age_parts(path, parts_max) == CLEW_OK && (unlink(path) == 0 || errno == ENOENT));
}

// Removes an empty recording, and restores the one that it replaced.
static void take_back(const char *path, enum recording_output output, uint32_t parts_max)
{
    if (output != OUTPUT_DEVICE) {
        (void)unlink(path);
    }
    if (output != OUTPUT_RECORDING) {
        return;
    }
    char *old = parts_max ? recording_part_name(path, 1) : recording_old_name(path);
    if (old) {
        (void)rename(old, path); // if it fails, the file keeps that name
    }
    free(old);
}

// -- The session ------------------------------------------------------------------------------------------------------

// Everything about one recording, from the options to the end of the program.
struct recorded {
    struct recording_options options;
    struct session session;
    struct supervised supervised;
    char *program; // path of the program's file
    char *agent;
    char *file;
    enum recording_output output; // what was under that name before
    char *command;
    char folder[PATH_MAX], host[256];
    struct text symbols[RECORDING_SYMBOLS_MAX + 1]; // --symbols and the current folder
    bool untouched;                                 // the environment keeps the agent out
};

// Measures the clock's rate for the file's header. The rate measured over the whole session replaces it at the end.
static void calibrate(const struct session *session)
{
    uint64_t passed = clock_monotonic_ns() - session->calibration.ns;
    if (session->record.clock == CLOCK_KIND_TSC && passed < CALIBRATION_NS) {
        struct timespec rest = {.tv_nsec = (long)(CALIBRATION_NS - passed)};
        (void)nanosleep(&rest, NULL); // a shorter wait only makes it less exact
    }
}

// Fills in the session and its first record in the file. Must come right before the file is created, because it takes
// the time of the start.
static void describe(struct recorded *recorded)
{
    const struct recording_options *options = &recorded->options;
    struct session *session = &recorded->session;
    (void)gethostname(recorded->host, sizeof recorded->host - 1);
    if (!getcwd(recorded->folder, sizeof recorded->folder)) {
        recorded->folder[0] = '\0';
    }
    CLEW_ASSERT(options->symbol_count < sizeof recorded->symbols / sizeof *recorded->symbols);
    for (unsigned i = 0; i < options->symbol_count; i++) {
        recorded->symbols[i] = text_of(options->symbols[i]);
    }
    recorded->symbols[options->symbol_count] = text_of(recorded->folder);
    session->symbols = recorded->symbols;
    session->symbol_count = options->symbol_count + 1;
    session->sources = source_maps_places(&options->source_maps);
    session->path = recorded->file;
    session->children = options->children;
    session->keep_bytes = options->keep_bytes;
    session->keep_ns = options->keep_ns;
    session->max_bytes = options->max_bytes;
    session->max_text = options->max_text;
    session->parts_max = options->parts_max;
    session->record.clock = options->clock;
    calibrate(session);
    session->record = (struct recording_session){
        .version = text_of(CLEW_VERSION),
        .command = text_of(recorded->command),
        .folder = text_of(recorded->folder),
        .host = text_of(recorded->host),
        .scope = {(const char *)options->configuration.data, options->configuration.size},
        .clock = options->clock,
        .clock_hz = session_clock_hz(session),
        .started_realtime_ns = clock_realtime_ns(),
        .instruments = options->instruments,
        .flags = options->flags,
        .depth_max = options->depth,
    };
    session->record.started_clock = session_clock(session);
    if (options->parts_max) {
        session->record.part = 1;
        atomic_store(&session->shared->part, 1);
    }
}

// Checks everything that can be checked before the program starts. Returns 0, or the exit status after printing what is
// wrong.
static int prepare(struct recorded *recorded)
{
    struct recording_options *options = &recorded->options;
    if (options->output && strcmp(options->output, "-") == 0) {
        cli_say("-o -: standard output belongs to the program; give the name of a file");
        return CLI_USAGE;
    }
    int status = program_settle(&options->command);
    if (status) {
        return status;
    }
    status = launch_find(options->command[0], &recorded->program);
    if (status) {
        program_say_unusable(options->command[0], status == CLI_NOT_FOUND);
        return status;
    }
    settle_program(options);
    recorded->command = command_line(
        options->command, (struct text){(const char *)options->configuration.data, options->configuration.size});
    recorded->file = options->output ? strdup(options->output) : default_file(options->command);
    recorded->session.shared = session_shared_new();
    if (!recorded->command || !recorded->file || !recorded->session.shared) {
        cli_say("%s", clew_error_sentence(CLEW_NO_MEMORY));
        return CLI_FAILED;
    }
    return options->parts_max ? judge_parts(recorded->file, options->parts_max, &recorded->output)
                              : judge_output(recorded->file, &recorded->output);
}

// errno is set only if a system call failed.
static int create(struct recorded *recorded, struct recording_writer **writer)
{
    CLEW_ASSERT(recorded->agent && !recorded->untouched && "without an agent no file is made");
    describe(recorded);
    uint32_t parts_max = recorded->options.parts_max;
    errno = 0;
    enum clew_error error = parts_max && !age_parts(recorded->file, parts_max, recorded->output) ? CLEW_IO : CLEW_OK;
    errno = error == CLEW_OK ? 0 : errno;
    error = error == CLEW_OK ? recording_create(recorded->file, &recorded->session.record, writer) : error;
    if (error != CLEW_OK) {
        cli_say("cannot write %s: %s; choose another place with -o", recorded->file,
                errno ? strerror(errno) : clew_error_sentence(error));
        return CLI_FAILED;
    }
    return 0;
}

// Without an agent nothing can be recorded. If the environment is the obstacle, the program still runs, unrecorded.
static int find_agent(struct recorded *recorded)
{
    struct buffer why = {0};
    if (environment_obstacle(&why)) {
        recorded->untouched = true;
    } else {
        recorded->agent = environment_agent(&why);
        if (!recorded->agent) {
            cli_say("%.*s", (int)why.size, (const char *)why.data);
        }
    }
    buffer_free(&why);
    return recorded->agent || recorded->untouched ? 0 : CLI_FAILED;
}

// As shells report it: 128 + the number of the signal.
static int exit_status(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// -- After ------------------------------------------------------------------------------------------------------------

// Nothing was recorded. A failing program keeps its own exit status.
static int nothing(const struct recorded *recorded, const struct model *model, int status)
{
    struct buffer why = {0};
    if (recorded->untouched && environment_obstacle(&why)) {
        cli_say("nothing was recorded: %.*s", (int)why.size, (const char *)why.data);
    } else {
        closing_nothing(&recorded->options, &recorded->session, model, recorded->program);
    }
    buffer_free(&why);
    return status == 0 ? CLI_NOTHING_RECORDED : status;
}

// stdout belongs to the program, even after its end, so the report goes to stderr.
static void report_in_json(const struct recorded *recorded)
{
    char *words[] = {(char[]){"report"}, (char[]){"--json"}, recorded->file, NULL};
    (void)fflush(stdout); // the buffer is empty
    if (dup2(STDERR_FILENO, STDOUT_FILENO) >= 0) {
        (void)cli_report.run(3, words); // it prints its own errors; the exit status is the program's
        (void)fflush(stdout);
    }
}

// After the program's end: reads the recording back, and prints the report and the closing lines.
static int conclude(struct recorded *recorded, int status, bool report)
{
    const struct session *session = &recorded->session;
    const struct model_options just_written = {.names_only = true, .unchecked = true};
    struct model *model;
    if (recorded->supervised.took_over) {
        cli_say("the collector ended early; the recording was finished in its place");
    }
    bool stopped = atomic_load(&session->shared->error) != CLEW_OK;
    if (recorded->output == OUTPUT_DEVICE) {
        if (stopped) {
            closing_stopped(session);
        }
        bool any = stopped || atomic_load(&session->shared->processes) > 0;
        return any ? status : nothing(recorded, NULL, status); // a device cannot be read back
    }
    enum clew_error error = model_open(recorded->file, &just_written, &model);
    if (error != CLEW_OK) {
        cli_say("%s: %s", recorded->file, clew_error_sentence(error));
        return status ? status : CLI_FAILED;
    }
    if (stopped) {
        closing_stopped(session);
    }
    if (model->events == 0 && !stopped && atomic_load(&session->shared->part) < 2) {
        status = nothing(recorded, model, status);
        model_free(model);
        take_back(recorded->file, recorded->output, recorded->options.parts_max);
        return status;
    }
    if (report && recorded->options.json) {
        report_in_json(recorded);
    } else {
        if (report) {
            (void)cli_report_recording(recorded->file,
                                       model->recording); // prints its own errors; the status is the program's
        }
        closing_lines(&recorded->options, session, model, status);
    }
    model_free(model);
    if (recorded->options.view) {
        (void)cli_view_recording(recorded->file); // prints its own errors; the status is the program's
    }
    return status;
}

// execve() failed in the child. The exit status is that of a shell.
static int say_exec_error(const struct recorded *recorded)
{
    int number = recorded->supervised.exec_error;
    cli_say("%s: %s%s", recorded->program, strerror(number),
            target_kind_of(recorded->program) == TARGET_ASSEMBLY ? "; start it with dotnet" : "");
    return number == ENOENT ? CLI_NOT_FOUND : CLI_CANNOT_EXECUTE;
}

// Starts the collector and the program, and waits for both. `writer` NULL: without recording.
static int start(struct recorded *recorded, struct recording_writer *writer, bool report)
{
    struct supervision supervision = {
        .session = &recorded->session,
        .writer = writer,
        .command = recorded->options.command,
        .path = recorded->program,
        .agent = recorded->agent,
    };
    struct progress progress = {.session = &recorded->session};
    if (writer && !recorded->options.quiet && progress_wanted()) {
        supervision.progress = progress_show;
        supervision.context = &progress;
    }
    enum clew_error error = supervise(&supervision, &recorded->supervised);
    progress_end(&progress);
    if (error != CLEW_OK) {
        cli_say("the session cannot be started: %s%s",
                error == CLEW_IO
                    ? "no folder for its socket in XDG_RUNTIME_DIR, TMPDIR or /tmp (set TMPDIR to one that "
                      "can be written): "
                    : "",
                strerror(errno));
        if (writer) {
            take_back(recorded->file, recorded->output, recorded->options.parts_max);
        }
        return CLI_FAILED;
    }
    if (recorded->supervised.exec_error) {
        if (writer) {
            take_back(recorded->file, recorded->output, recorded->options.parts_max);
        }
        return say_exec_error(recorded);
    }
    int status = exit_status(recorded->supervised.status);
    if (!writer) {
        return nothing(recorded, NULL, status);
    }
    return conclude(recorded, status, report);
}

// Both verbs. Each step runs only if those before it succeeded.
static int record(const struct cli_command *command, int argc, char **argv, bool report)
{
    static struct recorded recorded; // large, and used once
    struct recording_writer *writer = NULL;
    recorded.session.calibration = clock_pair_now();
    int status = recording_options_parse(command, argc, argv, &recorded.options);
    status = status ? status : prepare(&recorded);
    status = status ? status : find_agent(&recorded);
    if (!status && !recorded.untouched) {
        status = create(&recorded, &writer);
    }
    if (!status) {
        status = start(&recorded, writer, report);
    }
    recording_options_free(&recorded.options);
    free(recorded.program);
    free(recorded.agent);
    free(recorded.file);
    free(recorded.command);
    return status;
}

// -- The verbs --------------------------------------------------------------------------------------------------------

// The two verbs differ only in the report after the program's end.
static int run_record(int argc, char **argv)
{
    return record(&cli_record, argc, argv, false);
}

static int run_run(int argc, char **argv)
{
    return record(&cli_run, argc, argv, true);
}

// The man page of both verbs.
static const char about[] =
    "The program runs as it would alone: its streams, its signals and its exit status are its own. What clew has to "
    "say comes on stderr after its end; a line tells the progress where stderr is a terminal and stdout is not.\n\n"
    "Instruments: tree adds up calls by path; calls keeps every call in order; lines counts and times every statement "
    "of the source; statements keeps them in order, and values keeps what locals and parameters got. The latter two "
    "bring calls with them.\n\n"
    "Values of variables, fields, properties and results called password, passwd, passphrase, secret, token, "
    "credential and the like are left out inside the program; --redact names others instead. A copy under another "
    "name is not left out. Arguments of such names read REDACTED in the recorded command line. A module whose symbols "
    "are found in a folder of --symbols counts as my code unless it comes from a package.\n\n"
    "Sources are taken from the PDB or from where it says that they are, also within the current folder and the "
    "folders "
    "above the module. Where a build replaced their folder (PathMap, containers, CI), --source-map /_/src=src names "
    "it; "
    "report, view and replay take the option, too, for a recording that lacks the sources. A source whose checksum is "
    "not the one in the PDB is never shown.\n\n"
    "Tiny methods have no calls, loops and handlers, and less than 16 bytes of IL: most getters and setters. With "
    "--tiny "
    "count their calls are counted by method and thread, without times, and are in `report --by methods` and `hot` "
    "alone; --tiny skip leaves them out. Their time is then their callers' own, as is what happens below them (a "
    "static "
    "constructor, compilation), and where they throw an exception, code that is not recorded has thrown it below the "
    "caller. --tiny count needs -i tree alone, --tiny skip tree or calls.\n\n"
    "Methods of runtime async (.NET 11, and projects compiled with runtime-async=on) whose await fails in no try end "
    "without running again, so that calls may be pending or failed. With --exact-ends each of them has a fault "
    "handler, "
    "and each end is seen. The program then sees FirstChanceException once more for each of them that the exception "
    "leaves, and the JIT inlines none of them.\n\n"
    "With --max-size recording stops in order once the file has that size (what is at hand then comes on top of it): "
    "the "
    "file is whole and says that it is not complete, and the program runs on without being recorded. With --rotate N "
    "it goes on in another file each time, and the last N "
    "stay: app.clew is the newest, app.1.clew the one before, app.2.clew before that; the oldest goes. Each opens "
    "alone, its "
    "counts are of what happened in it, and where nothing was thrown away they add up. Files of an earlier session of "
    "that "
    "name grow older in the same way.\n\n"
    "Exit status: the program's own, 128+n for a signal, 126 and 127 as shells do; 2 for a wrong command line; 4 when "
    "the program ended with 0 but nothing was recorded, with the cause and the cure.";

// Examples with real patterns, since quoting is the hard part of typing them.
static const struct cli_example record_examples[] = {
    {"clew record -i tree,lines -- dotnet app.dll", "calls, and how often each line ran and how long"},
    {"clew record -- dotnet app.dll", "calls alone, which costs less, into app.clew"},
    {"clew record -i calls -o calls.clew -- ./app", "every call in order"},
    {"clew record --include '[Shop]Shop.Cart.*' -- ./shop", "only what matches"},
    {"clew record -i 'calls:[Shop]Shop.Cart.*,tree' -- ./shop", "its calls in order, beside the tree of all my code"},
    {"clew record -i 'lines:[Shop]*' -i tree -- ./shop", "lines of one assembly, beside the tree of all my code"},
    {"clew record -i statements,values --redact '*pin*' -- ./shop", "values but those of places named like pin"},
    {"clew record -i values --uses --symbols out/pdbs -- ./shop", "what is read, too; PDBs are in another folder"},
    {"clew record -i calls --max-size 1G -- ./shop", "every call in order, until the file has 1 GiB"},
    {"clew record -i calls --max-size 1G --rotate 3 -- ./shop",
     "the last two to three GiB, in shop.clew, shop.1.clew, ..."},
    {"clew record --tiny count -- ./app", "getters and the like are counted alone, which costs less"},
    {"clew record --all-code --clock tick -- ./app", "the framework's code too, with the cheap clock"},
    {0},
};

const struct cli_command cli_record = {
    .name = "record",
    .usage = "[options] -- PROGRAM [argument...]",
    .summary = "record a program, and print how to look at it",
    .text = about,
    .options = recording_option_table,
    .examples = record_examples,
    .run = run_record,
};

static const struct cli_example run_examples[] = {
    {"clew run -i tree,lines -- dotnet app.dll", "record calls and lines, and show the report"},
    {"clew app.dll", "calls alone, which costs less"},
    {"clew run -- dotnet test", "what the tests of the project in the current folder call"},
    {"clew ./app --fast", "the same for an executable"},
    {"clew run --view -- dotnet app.dll", "and open the page in the browser"},
    {"clew run --include '[Lib]*' -- dotnet app.dll", "look into a library"},
    {0},
};

const struct cli_command cli_run = {
    .name = "run",
    .usage = "[options] -- PROGRAM [argument...]",
    .summary = "record a program and show the report",
    .text = about,
    .options = recording_option_table,
    .examples = run_examples,
    .run = run_run,
};
