// See attend.h. The order is that of verb_record.c: leave the program's surroundings, take the options, check everything
// that can fail, create the file, supervise, and say what became of it.
#include "cli/attend.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/log_file.h"
#include "cli/command.h"
#include "cli/recorded.h"
#include "cli/show.h"
#include "cli/variables.h"
#include "collector/session/command_line.h"
#include "collector/session/exit_status.h"
#include "collector/start/background.h"
#include "ring/attended.h"

// -- Surroundings -----------------------------------------------------------------------------------------------------

// Closes descriptors that the program has inherited without close-on-exec: the reader of such a pipe sees its end only when
// all writers have closed it.
static void close_inherited(void)
{
    enum { FIRST = RING_STARTED_FD + 1 };
#ifdef SYS_close_range
    if (syscall(SYS_close_range, FIRST, ~0U, 0) == 0) {
        return;
    }
#endif
    DIR *open_now = opendir("/proc/self/fd");
    for (const struct dirent *entry; open_now && (entry = readdir(open_now));) {
        int fd = atoi(entry->d_name);
        if (fd >= FIRST && fd != dirfd(open_now)) {
            (void)close(fd); // the program has its own
        }
    }
    if (open_now) {
        (void)closedir(open_now); // only read from
    }
}

// Standard error becomes the log: what `clew record` would say goes there. Returns whether there is one.
static bool leave_program(void)
{
    const char *path = getenv(CLEW_LOG_VARIABLE);
    int log = path && *path ? log_file_open(path, true) : -1;
    background_enter(log);
    (void)fcntl(RING_STARTED_FD, F_SETFD, FD_CLOEXEC); // fails where there is none: then no program waits for an answer
    close_inherited();
    return log >= 0;
}

// -- The program ------------------------------------------------------------------------------------------------------

static char *file_of_program(pid_t pid)
{
    char link[32], path[PATH_MAX];
    (void)snprintf(link, sizeof link, "/proc/%d/exe", (int)pid);
    ssize_t size = readlink(link, path, sizeof path - 1);
    return strndup(path, size > 0 ? (size_t)size : 0);
}

// -- The session ------------------------------------------------------------------------------------------------------

// Takes options and output from the variables. Returns 0, or the exit status after printing what is wrong.
static int take_variables(struct recorded *recorded, pid_t pid, char **program)
{
    struct recording_options *options = &recorded->options;
    struct buffer why = {0};
    char **words; // the options borrow from them until the end
    int status = variables_options(getenv(CLEW_OPTIONS_VARIABLE), program, options, &words);
    if (status) {
        return status;
    }
    const char *pattern = getenv(CLEW_OUTPUT_VARIABLE);
    const struct output_values values = {(uint32_t)pid, recording_file_program(program), clock_realtime_ns()};
    char *file = variables_file(pattern && *pattern ? pattern : options->output, &values, &why);
    char *absolute = file ? cli_absolute(file) : NULL; // log lines are read from other folders
    options->output = absolute ? absolute : file;      // stays until the end, as the words do
    if (absolute) {
        free(file);
    }
    if (!options->output) {
        cli_say("nothing is recorded: %.*s", (int)why.size, (const char *)why.data);
        status = CLI_USAGE;
    }
    buffer_free(&why);
    options->flags |= SESSION_SELF_STARTED;
    options->children = options->children || recorded->descends;
    options->view = options->json = false;
    return status;
}

static int prepare(struct recorded *recorded, pid_t pid)
{
    char **program = words_of_process(pid); // stays until the end
    recorded->program = file_of_program(pid);
    if (!program || !recorded->program) {
        cli_say("nothing is recorded: /proc/%d/cmdline cannot be read; mount /proc", (int)pid);
        return CLI_FAILED;
    }
    int status = take_variables(recorded, pid, program);
    return status ? status : recorded_settle(recorded);
}

// Reads the recording back only for a log, which gets the closing lines.
static int conclude(struct recorded *recorded, bool logs)
{
    const struct session_shared *shared = recorded->session.shared;
    int status = recorded->supervised.status == EXIT_STATUS_UNKNOWN ? 0 : recorded->supervised.status;
    if (logs) {
        return recorded_conclude(recorded, status, false);
    }
    if (session_totals(shared).events == 0 && atomic_load(&shared->error) == CLEW_OK &&
        atomic_load(&shared->part) < 2) {
        recorded_take_back(recorded);
    }
    return 0;
}

static int supervise_program(struct recorded *recorded, pid_t pid, struct recording_writer *writer, bool logs)
{
    struct supervision supervision = {
        .session = &recorded->session,
        .writer = writer,
        .program = pid,
        .answer = RING_STARTED_FD,
        .attended = -1,
    };
    // Without the name, which another user may have taken, children start sessions of their own.
    (void)attended_listen(pid, recorded->options.children, &supervision.attended);
    recorded->session.children = false;
    enum clew_error error = supervise(&supervision, &recorded->supervised);
    if (error != CLEW_OK || recorded->supervised.exec_error) {
        cli_say("nothing is recorded: %s", error == CLEW_OK ? "the program did not wait for clew's answer"
                                                            : "no folder for a socket in XDG_RUNTIME_DIR, TMPDIR or "
                                                              "/tmp can be written; set TMPDIR to one");
        recorded_take_back(recorded);
        return CLI_FAILED;
    }
    return conclude(recorded, logs);
}

int attend(int argc, char **argv)
{
    static struct recorded recorded; // large, and used once
    struct recording_writer *writer = NULL;
    pid_t pid = argc == 1 || argc == 2 ? atoi(argv[0]) : 0;
    if (pid <= 0) {
        cli_say("attend is what the agent in a program calls; clew record starts a program and records it");
        return CLI_USAGE;
    }
    bool logs = leave_program();
    cli_say_for(pid);
    recorded.session.calibration = clock_pair_now();
    recorded.descends = argc == 2;
    int status = prepare(&recorded, pid);
    status = status ? status : recorded_create(&recorded, &writer);
    status = status ? status : supervise_program(&recorded, pid, writer, logs);
    recorded_free(&recorded);
    return status;
}
