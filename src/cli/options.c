// Parses options by the table of a verb, and prints messages. Every verb uses both, so that options and messages look
// the same everywhere.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/foreign.h"
#include "cli/command.h"
#include "cli/help.h"

static char speaker[24] = "clew"; // set once, by cli_say_for()

void cli_say_for(int process)
{
    (void)snprintf(speaker, sizeof speaker, "clew[%d]", process);
}

const char *cli_speaker(void)
{
    return speaker;
}

const char *cli_output_option(void)
{
    return strcmp(speaker, "clew") == 0 ? "-o" : "CLEW_OUTPUT";
}

void cli_say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)fprintf(stderr, "%s: ", speaker); // if stderr fails there is nowhere to report it
    foreign_vprint(stderr, format, arguments);
    (void)fputc('\n', stderr);
    va_end(arguments);
}

// The option with this letter; NULL: there is none.
static const struct cli_option *by_letter(const struct cli_command *command, char letter)
{
    for (const struct cli_option *option = command->options; option->name; option++) {
        if (option->letter == letter && letter) {
            return option;
        }
    }
    return NULL;
}

// The option with this name, which need not be NUL-terminated. Abbreviated names are not accepted.
static const struct cli_option *by_name(const struct cli_command *command, const char *name, size_t size)
{
    for (const struct cli_option *option = command->options; option->name; option++) {
        if (strlen(option->name) == size && memcmp(option->name, name, size) == 0) {
            return option;
        }
    }
    return NULL;
}

// The state of parsing: argv[at] is the current word.
struct parse {
    const struct cli_command *command;
    int argc;
    char **argv;
    int at;
    cli_take *take;
    void *context;
};

// Passes an option to the verb. Its argument is the rest of its word, or else the next word.
static bool give(struct parse *parse, const struct cli_option *option, const char *rest)
{
    CLEW_ASSERT(parse->at < parse->argc && (!rest || option->argument));
    if (!option->argument) {
        return parse->take(parse->context, option, NULL);
    }
    if (!rest && parse->at + 1 >= parse->argc) {
        cli_say("%s: --%s needs %s after it; clew %s --help says what that is", parse->command->name, option->name,
                option->argument, parse->command->name);
        return false;
    }
    return parse->take(parse->context, option, rest ? rest : parse->argv[++parse->at]);
}

// Prints that there is no such option, and returns false; but help, which every verb has at any place, ends clew.
static bool unknown(const struct parse *parse, const char *word)
{
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        help_verb(stdout, parse->command);
        exit(fflush(stdout) == 0 ? CLI_OK : CLI_FAILED);
    }
    struct words nearest;
    const char *name = word + 1 + (word[1] == '-');
    words_init(&nearest, name, strcspn(name, "="));
    for (const struct cli_option *option = parse->command->options; option->name; option++) {
        words_offer(&nearest, "--", option->name);
    }
    const char *verb = parse->command->name;
    if (nearest.size) {
        cli_say("%s: there is no option %s; did you mean %s? clew %s --help lists all", verb, word, nearest.listed,
                verb);
    } else {
        cli_say("%s: there is no option %s; clew %s --help lists them", verb, word, verb);
    }
    return false;
}

// Parses "--name", "--name=ARGUMENT" and "--name ARGUMENT".
static bool parse_long(struct parse *parse, const char *word)
{
    const char *name = word + 2;
    const char *equals = strchr(name, '=');
    const struct cli_option *option = by_name(parse->command, name, equals ? (size_t)(equals - name) : strlen(name));
    if (!option) {
        return unknown(parse, word);
    }
    if (equals && !option->argument) {
        cli_say("%s: --%s takes no argument; leave %s out", parse->command->name, option->name, equals);
        return false;
    }
    return give(parse, option, equals ? equals + 1 : NULL);
}

// Parses "-qv", "-oFILE" and "-qo FILE".
static bool parse_short(struct parse *parse, const char *word)
{
    for (const char *letter = word + 1; *letter; letter++) {
        const struct cli_option *option = by_letter(parse->command, *letter);
        if (!option) {
            return unknown(parse, word);
        }
        if (!give(parse, option, option->argument && letter[1] ? letter + 1 : NULL)) {
            return false;
        }
        if (option->argument) {
            break;
        }
    }
    return true;
}

// Moves the words from `first` to `last` to the front of the `operands` words that precede them, keeping the order of
// both.
static void move_forward(char **argv, int first, int last, int operands)
{
    CLEW_ASSERT(operands >= 0 && first > operands && first <= last && "argv[0] stays where it is");
    for (int i = first; i <= last; i++) {
        for (int k = i; k > i - operands; k--) {
            char *swap = argv[k];
            argv[k] = argv[k - 1];
            argv[k - 1] = swap;
        }
    }
}

int cli_options(const struct cli_command *command, int argc, char **argv, bool stop_at_operand, cli_take *take,
                void *context)
{
    struct parse parse = {.command = command, .argc = argc, .argv = argv, .at = 1, .take = take, .context = context};
    int operands = 0; // operands before argv[at]; options may follow them
    for (; parse.at < argc; parse.at++) {
        const char *word = argv[parse.at];
        if (strcmp(word, "--") == 0) {
            move_forward(argv, parse.at, parse.at, operands);
            return parse.at - operands + 1;
        }
        if (word[0] != '-' || word[1] == '\0') {
            if (stop_at_operand) {
                return parse.at;
            }
            operands++;
            continue;
        }
        int first = parse.at;
        if (!(word[1] == '-' ? parse_long(&parse, word) : parse_short(&parse, word))) {
            return -1;
        }
        move_forward(argv, first, parse.at, operands);
    }
    CLEW_ASSERT(parse.at == argc && operands < argc);
    return parse.at - operands;
}
