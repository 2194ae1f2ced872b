// clew: the first word is a verb, or else a program to record.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/help.h"
#include "collector/launch.h"

static const struct cli_command *verb(const char *word)
{
    for (const struct cli_command *const *command = cli_commands; *command; command++) {
        if (strcmp((*command)->name, word) == 0) {
            return *command;
        }
    }
    return NULL;
}

static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static int help(int argc, char **argv)
{
    const struct cli_command *command = argc > 0 ? verb(argv[0]) : NULL;
    if (argc > 0 && !command) {
        cli_say("there is no verb %s", argv[0]);
        return CLI_USAGE;
    }
    if (command) {
        help_verb(stdout, command);
    } else {
        help_all(stdout);
    }
    return CLI_OK;
}

static int say_unknown(const char *word)
{
    cli_say("%s is neither a verb nor a program", word);
    (void)fputs("verbs:", stderr); // where stderr fails there is nobody to tell
    for (const struct cli_command *const *command = cli_commands; *command; command++) {
        (void)fprintf(stderr, " %s", (*command)->name);
    }
    const char *nearest = help_nearest(word);
    if (nearest) {
        (void)fprintf(stderr, "; did you mean clew %s?", nearest);
    }
    (void)fprintf(stderr, "\nprograms: a path, or a name on PATH, as in clew dotnet app.dll\n");
    return CLI_USAGE;
}

// clew CMD... is clew run -- CMD...
static int run_program(int argc, char **argv)
{
    char *path;
    if (launch_find(argv[0], &path) != 0) {
        return say_unknown(argv[0]);
    }
    free(path);
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

// A stream that is closed stays so for the program, and reading or writing it fails as before; but no file or socket that
// is opened later gets its number.
static void keep_numbers_of_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0) {
            (void)open("/dev/null", (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC); // the lowest that is free
        }
    }
}

int main(int argc, char **argv)
{
    keep_numbers_of_streams();
    if (argc < 2) {
        help_all(stderr);
        return CLI_USAGE;
    }
    const char *word = argv[1];
    if (is_help(word) || strcmp(word, "help") == 0) {
        return help(argc - 2, argv + 2);
    }
    if (strcmp(word, "--version") == 0) {
        (void)printf("clew %s\n", CLEW_VERSION); // a failing stdout shows in what reads it
        return CLI_OK;
    }
    const struct cli_command *command = verb(word);
    if (command && argc > 2 && is_help(argv[2])) {
        help_verb(stdout, command);
        return CLI_OK;
    }
    if (command) {
        return command->run(argc - 1, argv + 1);
    }
    if (word[0] == '-') {
        cli_say("there is no option %s before the verb; clew --help shows how it goes", word);
        return CLI_USAGE;
    }
    return run_program(argc - 1, argv + 1);
}
