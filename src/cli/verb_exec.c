// `clew exec`: starts a program with a profiler of any kind, and says afterwards whether a runtime loaded it. Nothing is
// recorded. Runtimes are silent about a profiler that they cannot load, so the library is checked before the start, and
// watched while the program runs.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/assert.h"
#include "cli/command.h"
#include "cli/no_runtime.h"
#include "cli/program.h"
#include "cli/show.h"
#include "collector/session/session.h"
#include "collector/start/environment.h"
#include "collector/start/launch.h"
#include "collector/start/library_watch.h"
#include "collector/start/profiler_environment.h"
#include "collector/start/profiler_library.h"
#include "collector/start/supervise.h"
#include "collector/start/target.h"
#include "ring/handshake.h"
#include "view/json/json.h"

#define PROFILER_OPTION "--profiler {GUID}=/path/to/profiler.so"

static const struct program_words started = {"start", "clew exec " PROFILER_OPTION " --"};

// One run of the verb.
struct exec {
    char class[PROFILER_CLASS_SIZE]; // empty: --profiler is missing
    const char *library;             // as typed
    char *absolute;                  // its path for the runtime
    char **command;
    char *program; // path of the program's file
    struct profiler_library about;
    bool quiet, json;
    struct session session;
    struct supervised supervised;
    struct buffer obstacle; // what in the environment keeps runtimes from loading profilers; empty: nothing
    bool watched;           // `seen` is known
    int watch_error;        // otherwise: errno
    struct library_seen seen;
};

// -- Before the start -------------------------------------------------------------------------------------------------

static bool take_profiler(struct exec *exec, const char *argument)
{
    const char *equals = strchr(argument, '=');
    if (exec->library) {
        cli_say("--profiler %s: a runtime loads only one profiler; give the option once", argument);
        return false;
    }
    if (!equals || !equals[1] || !profiler_class(argument, (size_t)(equals - argument), exec->class)) {
        cli_say("--profiler %s: give the profiler's class identifier and its library, as in --profiler "
                "{01234567-89AB-CDEF-0123-456789ABCDEF}=/path/to/profiler.so",
                argument);
        return false;
    }
    exec->library = equals + 1;
    return true;
}

static bool take_option(void *context, const struct cli_option *option, const char *argument)
{
    struct exec *exec = context;
    if (strcmp(option->name, "profiler") == 0) {
        return take_profiler(exec, argument);
    }
    *(strcmp(option->name, "quiet") == 0 ? &exec->quiet : &exec->json) = true;
    return true;
}

static bool parse(struct exec *exec, int argc, char **argv)
{
    int first = cli_options(&cli_exec, argc, argv, true, take_option, exec);
    if (first < 0) {
        return false;
    }
    if (!exec->library) {
        cli_say("exec: name the profiler, as in clew exec " PROFILER_OPTION " -- dotnet app.dll");
        return false;
    }
    if (first >= argc) {
        cli_say("exec: name the program to start, as in clew exec " PROFILER_OPTION " -- dotnet app.dll");
        return false;
    }
    exec->command = argv + first;
    return true;
}

// Sets the variables in this process, whose only child is the program.
static bool set_environment(struct exec *exec)
{
    (void)environment_diagnostics_off(&exec->obstacle); // it says so in the buffer
    return profiler_environment_set(exec->class, exec->absolute) && unsetenv(CLEW_SESSION_VARIABLE) == 0;
}

// Checks everything that can be checked. Returns 0, or the exit status after printing what is wrong.
static int prepare(struct exec *exec)
{
    struct buffer why = {0};
    int status = program_settle(&exec->command, &started);
    if (status) {
        return status;
    }
    status = launch_find(exec->command[0], &exec->program);
    if (status) {
        program_say_unusable(exec->command[0], status == CLI_NOT_FOUND, &started);
        return status;
    }
    if (!profiler_library_works(exec->library, exec->program, exec->class, &exec->about, &why)) {
        cli_say("%.*s", (int)text_in(&why).size, text_in(&why).at);
        status = CLI_USAGE;
    }
    buffer_free(&why);
    exec->absolute = status ? NULL : cli_absolute(exec->library);
    exec->session.shared = status ? NULL : session_shared_new();
    if (!status && (!exec->absolute || !exec->session.shared || !set_environment(exec))) {
        cli_say("%s", clew_error_sentence(CLEW_NO_MEMORY));
        status = CLI_FAILED;
    }
    return status;
}

// -- After the end ----------------------------------------------------------------------------------------------------

// Whether a runtime loaded the profiler and kept it.
enum answer { ANSWER_NO, ANSWER_YES, ANSWER_UNKNOWN };

static enum answer answer_of(const struct exec *exec)
{
    if (!exec->watched) {
        return ANSWER_UNKNOWN;
    }
    const struct library_seen *seen = &exec->seen;
    return seen->kept ? ANSWER_YES : seen->let_go || !seen->unclear ? ANSWER_NO : ANSWER_UNKNOWN;
}

// What may be wrong with the identifier, if anything.
static const char *class_hint(const struct exec *exec)
{
    return exec->about.has_class ? "" : " (which the library does not contain)";
}

static void say_loaded(const struct exec *exec, struct buffer *into)
{
    const struct library_seen *seen = &exec->seen;
    if (seen->kept == 1) {
        buffer_printf(into, "%s was loaded by process %d (%s)", exec->library, (int)seen->pid, seen->name);
    } else {
        buffer_printf(into, "%s was loaded by %u processes, process %d (%s) and others", exec->library, seen->kept,
                      (int)seen->pid, seen->name);
    }
    if (exec->about.stays) {
        buffer_printf(into,
                      "; it is linked so that it stays (nodelete): whether it knew %s%s, or refused, does not show",
                      exec->class, class_hint(exec));
    }
    if (seen->let_go) {
        buffer_printf(into, "; %u other%s unloaded it again, as a runtime does if the profiler refuses", seen->let_go,
                      seen->let_go == 1 ? "" : "s");
    }
}

static void say_refused(const struct exec *exec, struct buffer *into)
{
    buffer_printf(
        into,
        "%s was loaded, and unloaded again: its DllGetClassObject does not know %s%s, its Initialize refused, or it "
        "detached itself; look up the identifier, and what the profiler itself reports",
        exec->library, exec->class, class_hint(exec));
}

static void say_not_loaded(const struct exec *exec, struct buffer *into)
{
    buffer_printf(into, "%s was not loaded: ", exec->library);
    if (exec->obstacle.size) {
        buffer_printf(into, "%.*s", (int)text_in(&exec->obstacle).size, text_in(&exec->obstacle).at);
    } else {
        no_runtime_reason(into, exec->program, exec->command, "profilers", &started);
    }
}

static void say_unknown(const struct exec *exec, struct buffer *into)
{
    if (exec->watched) {
        buffer_printf(
            into, "%s was opened, but not seen in a process of the program: it is not known whether a runtime kept it",
            exec->library);
    } else {
        buffer_printf(into, "%s could not be watched (inotify: %s): it is not known whether a runtime loaded it",
                      exec->library, strerror(exec->watch_error));
    }
}

// doc/json.md defines this object.
static void print_json(const struct exec *exec, struct text sentence, int status)
{
    struct json json = {.out = stderr};
    enum answer answer = answer_of(exec);
    json_open(&json, '{');
    json_member_text(&json, "profiler", text_of(exec->class));
    json_member_text(&json, "library", text_of(exec->absolute));
    json_key(&json, "loaded");
    if (answer == ANSWER_UNKNOWN) {
        json_null(&json);
    } else {
        json_bool(&json, answer == ANSWER_YES);
    }
    json_member_maybe(&json, "processes", exec->seen.kept, exec->watched);
    json_member_maybe(&json, "unloaded", exec->seen.let_go, exec->watched);
    json_member_text(&json, "said", sentence);
    json_member_u64(&json, "exit_status", (uint64_t)status);
    json_close(&json, '}');
    CLEW_ASSERT(json.depth == 0 && "each bracket is closed");
    (void)fputc('\n', stderr); // if stderr fails there is nowhere to report it
}

// Returns the exit status; `status` is that of the program.
static int conclude(const struct exec *exec, int status)
{
    struct buffer sentence = {0};
    enum answer answer = answer_of(exec);
    if (answer == ANSWER_YES) {
        say_loaded(exec, &sentence);
    } else if (answer == ANSWER_UNKNOWN) {
        say_unknown(exec, &sentence);
    } else if (exec->seen.let_go) {
        say_refused(exec, &sentence);
    } else {
        say_not_loaded(exec, &sentence);
    }
    status = status == CLI_OK && answer == ANSWER_NO ? CLI_NOTHING_RECORDED : status;
    if (exec->json) {
        print_json(exec, text_in(&sentence), status);
    } else if (!exec->quiet || answer != ANSWER_YES) {
        cli_say("%.*s", (int)text_in(&sentence).size, text_in(&sentence).at);
    }
    buffer_free(&sentence);
    return status;
}

// -- The verb ---------------------------------------------------------------------------------------------------------

// As shells report it: 128 + the number of the signal.
static int exit_status(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int say_exec_error(const struct exec *exec)
{
    int number = exec->supervised.exec_error;
    cli_say("%s: %s%s", exec->program, strerror(number),
            target_kind_of(exec->program) == TARGET_ASSEMBLY ? "; start it with dotnet" : "");
    return number == ENOENT ? CLI_NOT_FOUND : CLI_CANNOT_EXECUTE;
}

static int start(struct exec *exec)
{
    struct supervision supervision = {.session = &exec->session, .command = exec->command, .path = exec->program};
    struct library_watch *watch = library_watch_begin(exec->absolute);
    exec->watch_error = errno;
    enum clew_error error = supervise(&supervision, &exec->supervised);
    exec->watched = watch != NULL;
    if (watch) {
        library_watch_end(watch, &exec->seen);
    }
    if (error != CLEW_OK) {
        cli_say("%s cannot be started: %s", exec->program, strerror(errno));
        return CLI_FAILED;
    }
    return exec->supervised.exec_error ? say_exec_error(exec) : conclude(exec, exit_status(exec->supervised.status));
}

static int run(int argc, char **argv)
{
    static struct exec exec; // used once
    int status = parse(&exec, argc, argv) ? prepare(&exec) : CLI_USAGE;
    status = status ? status : start(&exec);
    free(exec.absolute);
    free(exec.program);
    buffer_free(&exec.obstacle);
    return status;
}

static const struct cli_option options[] = {
    {"profiler", 0, "GUID=PATH", "the profiler: its class identifier, and its shared library"},
    {"quiet", 'q', NULL, "print errors alone"},
    {"json", 0, NULL, "print JSON, on stderr"},
    {0},
};

static const struct cli_example examples[] = {
    {"clew exec --profiler '{GUID}=/opt/it.so' -- dotnet app.dll",
     "start it with the profiler of that class identifier"},
    {"clew exec --profiler GUID=./it.so -- ./app", "the same; braces may be missing"},
    {"clew exec --json --profiler '{GUID}=./it.so' -- dotnet run",
     "in each runtime that the SDK starts; the answer as JSON"},
    {0},
};

const struct cli_command cli_exec = {
    .name = "exec",
    .usage = "--profiler GUID=PATH [options] -- PROGRAM [argument...]",
    .summary = "start a program with any profiler, and say whether it was loaded",
    .text =
        "The program gets the variables that make its runtime load the profiler: CORECLR_ENABLE_PROFILING, "
        "CORECLR_PROFILER and CORECLR_PROFILER_PATH. Those of another profiler are taken out of its environment. No "
        "other program sees them, but for those that it starts. Its streams, its signals and its exit status are its "
        "own. Nothing is recorded.\n\n"
        "Before the start the library is checked, since a runtime is silent about one that it cannot load: whether it "
        "is "
        "a shared library for this machine, whether it exports DllGetClassObject, and whether the dynamic loader finds "
        "what it needs. None of its code runs for that.\n\n"
        "After the end one sentence on stderr says whether a runtime loaded the library, in which process, and if not, "
        "why. A runtime unloads a profiler at once whose DllGetClassObject does not know the identifier, or whose "
        "Initialize returns an error.\n\n"
        "Exit status: the program's own, 128+n for a signal, 126 and 127 as shells do; 2 for a wrong command line or a "
        "library that cannot work, and then nothing was started; 4 when the program ended with 0 but no runtime loaded "
        "the profiler or kept it.",
    .options = options,
    .examples = examples,
    .run = run,
};
