// Entry point. The first word is a verb, or else a program to record.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/assert.h"
#include "cli/attend.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/program.h"
#include "collector/start/launch.h"
#include "collector/start/target.h"

// Abbreviations are not accepted; help_nearest() suggests the whole word.
static const struct cli_command *verb(const char *word)
{
    for (const struct cli_command *const *command = cli_commands; *command; command++) {
        if (strcmp((*command)->name, word) == 0) {
            return *command;
        }
    }
    return NULL;
}

// These words ask for help before a verb; after it they are options of every verb (options.c).
static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

// `clew help`, `clew help VERB`.
static int help(int argc, char **argv)
{
    const struct cli_command *command = argc > 0 ? verb(argv[0]) : NULL;
    struct words nearest;
    if (argc > 1) {
        cli_say("help: %s is one word too many; clew help VERB describes one verb", argv[1]);
        return CLI_USAGE;
    }
    if (argc > 0 && !command) {
        help_nearest(argv[0], &nearest);
        cli_say("help: there is no verb %s; %s%s%s", argv[0],
                nearest.size ? "did you mean " : "clew --help lists the verbs", nearest.listed,
                nearest.size ? "?" : "");
        return CLI_USAGE;
    }
    if (command) {
        help_verb(stdout, command);
    } else {
        help_all(stdout);
    }
    return CLI_OK;
}

// `there`: the program exists but is not a .NET program. Such a program is run only with `clew run`.
static int say_unknown(char *const *words, bool there)
{
    struct words nearest;
    help_nearest(words[0], &nearest);
    const char *before = nearest.size ? "did you mean " : "clew --help lists the verbs";
    const char *after = nearest.size ? "?" : "";
    if (there) {
        cli_say("%s is neither a verb nor a .NET program, so it was not started; %s%s%s%s clew run -- %s%s starts it "
                "all the same",
                words[0], before, nearest.listed, after, nearest.size ? "" : ", and", words[0], words[1] ? " ..." : "");
    } else {
        cli_say("%s is neither a verb nor a program on PATH; %s%s%s", words[0], before, nearest.listed, after);
    }
    return CLI_USAGE;
}

// NativeAOT programs count, so that their user learns why they cannot be recorded.
static bool is_dotnet(enum target_kind kind)
{
    return kind == TARGET_MUXER || kind == TARGET_HOST || kind == TARGET_NATIVE_AOT || kind == TARGET_ASSEMBLY;
}

// Whether a word can stand in place of a verb: a path, `dotnet`, a project, or a file on PATH that looks like a .NET program. A
// mistyped verb must not start a program of that name by accident.
static bool is_program(const char *word, bool *there)
{
    char *path = NULL;
    *there = strchr(word, '/') || launch_find(word, &path) == 0;
    bool is = strchr(word, '/') || strcmp(word, "dotnet") == 0 || program_is_source(word) ||
              is_dotnet(target_kind_of(path ? path : word));
    free(path);
    return is;
}

// `clew CMD...` is short for `clew run -- CMD...`.
static int run_program(int argc, char **argv)
{
    bool there;
    if (!is_program(argv[0], &there)) {
        return say_unknown(argv, there);
    }
    char **words = calloc((size_t)argc + 3, sizeof *words);
    if (!words) {
        return CLI_FAILED;
    }
    words[0] = (char[]){"run"};
    words[1] = (char[]){"--"};
    memcpy(words + 2, argv, (size_t)argc * sizeof *words);
    int status = cli_run.run(argc + 2, words);
    free(words);
    return status;
}

// The recorded program inherits the standard streams. A stream that is closed must stay closed for it, so its number is
// occupied by a descriptor that is closed on exec and that cannot be read (or written) in the right direction. Without
// that, a file opened later would get the number.
static void keep_numbers_of_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0) {
            // Open() uses the lowest free number
            (void)open("/dev/null", (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
        }
    }
}

// Help and the version are handled here; everything else is the verb's.
int main(int argc, char **argv)
{
    keep_numbers_of_streams();
    static_assert(CLI_NOT_FOUND == 127 && CLI_CANNOT_EXECUTE == 126, "as shells end");
    if (argc < 2) {
        help_all(stderr);
        return CLI_USAGE;
    }
    const char *word = argv[1];
    if (is_help(word) || strcmp(word, "help") == 0) {
        return help(argc - 2, argv + 2);
    }
    if (strcmp(word, "--version") == 0) {
        (void)printf("clew %s\n", CLEW_VERSION); // errors of stdout show in the program that reads it
        return CLI_OK;
    }
    const struct cli_command *command = verb(word);
    if (command) {
        return command->run(argc - 1, argv + 1);
    }
    if (strcmp(word, "attend") == 0) {
        return attend(argc - 2, argv + 2);
    }
    if (word[0] == '-') {
        cli_say("there is no option %s before the verb; clew --help shows the usage", word);
        return CLI_USAGE;
    }
    return run_program(argc - 1, argv + 1);
}
