// `clew record` and `clew run`: start a program, record it, and report the result; `run` also prints the report. The
// order is: parse options, check everything that can fail, create the file, start collector and program
// (collector/start/supervise.h), then read the file back for the closing lines (recorded.h).
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "cli/print_variables.h"
#include "cli/program.h"
#include "cli/progress.h"
#include "cli/recorded.h"
#include "collector/start/environment.h"
#include "collector/start/launch.h"
#include "collector/start/target.h"

// Checks everything that can be checked before the program starts. Returns 0, or the exit status after printing what is
// wrong.
static int prepare(struct recorded *recorded)
{
    struct recording_options *options = &recorded->options;
    if (options->output && strcmp(options->output, "-") == 0) {
        cli_say("-o -: standard output belongs to the program; give the name of a file");
        return CLI_USAGE;
    }
    int status = program_settle(&options->command, &program_recorded);
    if (status) {
        return status;
    }
    status = launch_find(options->command[0], &recorded->program);
    if (status) {
        program_say_unusable(options->command[0], status == CLI_NOT_FOUND, &program_recorded);
        return status;
    }
    return recorded_settle(recorded);
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
            recorded_take_back(recorded);
        }
        return CLI_FAILED;
    }
    if (recorded->supervised.exec_error) {
        if (writer) {
            recorded_take_back(recorded);
        }
        return say_exec_error(recorded);
    }
    int status = exit_status(recorded->supervised.status);
    if (!writer) {
        return recorded_nothing(recorded, NULL, status);
    }
    return recorded_conclude(recorded, status, report);
}

// Both verbs. Each step runs only if those before it succeeded.
static int record(const struct cli_command *command, int argc, char **argv, bool report)
{
    static struct recorded recorded; // large, and used once
    struct recording_writer *writer = NULL;
    recorded.session.calibration = clock_pair_now();
    int status = recording_options_parse(command, argc, argv, &recorded.options);
    if (!status && recorded.options.print) {
        status = print_variables(&recorded.options);
        recorded_free(&recorded);
        return status;
    }
    status = status ? status : prepare(&recorded);
    status = status ? status : find_agent(&recorded);
    if (!status && !recorded.untouched) {
        status = recorded_create(&recorded, &writer);
    }
    if (!status) {
        status = start(&recorded, writer, report);
    }
    recorded_free(&recorded);
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
    "Without clew on the command line: where CORECLR_ENABLE_PROFILING=1, CORECLR_PROFILER and "
    "CORECLR_PROFILER_PATH are set as --print-env prints them, the runtime loads the agent, the agent starts "
    "clew, and the program is recorded as by clew record. CLEW_OPTIONS has options of clew record, quoted as for "
    "a shell. CLEW_OUTPUT names the file: %p is the number of the process, %n the name of the program, %t the "
    "time of its start in UTC, %% a percent sign. By default it is NAME-%p.clew in the current folder, or else in "
    "TMPDIR or /tmp. If something is in the way, the program runs on unrecorded, and the file CLEW_LOG, if it is "
    "set, gets a sentence that says why; clew doctor --env says it beforehand. Children inherit the variables, "
    "but are recorded only with --children, each into a file of its own. A program that is killed together with "
    "clew, as all processes of a container are, leaves a recording that can be read to its last block and says that "
    "it was not closed.\n\n"
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
    {"eval \"$(clew record --print-env -i calls)\"",
     "lets the .NET programs that this shell starts from now on record themselves, each into a file of its own"},
    {"clew record --print-unit -i calls --max-size 1G", "the same for a service: a drop-in for systemctl edit"},
    {"clew record --print-docker -i calls", "the same for an image: lines for its container file"},
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
