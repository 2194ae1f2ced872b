// Options by a verb's table, and what every verb says the same way.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/foreign.h"
#include "cli/command.h"

void cli_say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)fputs("clew: ", stderr); // where stderr fails there is nobody to tell
    foreign_vprint(stderr, format, arguments);
    (void)fputc('\n', stderr);
    va_end(arguments);
}

static const struct cli_option *by_letter(const struct cli_command *command, char letter)
{
    for (const struct cli_option *option = command->options; option->name; option++) {
        if (option->letter == letter && letter) {
            return option;
        }
    }
    return NULL;
}

static const struct cli_option *by_name(const struct cli_command *command, const char *name, size_t size)
{
    for (const struct cli_option *option = command->options; option->name; option++) {
        if (strlen(option->name) == size && memcmp(option->name, name, size) == 0) {
            return option;
        }
    }
    return NULL;
}

struct parse {
    const struct cli_command *command;
    int argc;
    char **argv;
    int at;
    cli_take *take;
    void *context;
};

// The argument of an option that needs one: the rest of its word, or the next word.
static bool give(struct parse *parse, const struct cli_option *option, const char *rest)
{
    CLEW_ASSERT(parse->at < parse->argc && (!rest || option->argument));
    if (!option->argument) {
        return parse->take(parse->context, option, NULL);
    }
    if (!rest && parse->at + 1 >= parse->argc) {
        cli_say("%s: --%s needs %s", parse->command->name, option->name, option->argument);
        return false;
    }
    return parse->take(parse->context, option, rest ? rest : parse->argv[++parse->at]);
}

static bool unknown(const struct parse *parse, const char *word)
{
    cli_say("%s: there is no option %s; clew %s --help lists them", parse->command->name, word, parse->command->name);
    return false;
}

static bool parse_long(struct parse *parse, const char *word)
{
    const char *name = word + 2;
    const char *equals = strchr(name, '=');
    const struct cli_option *option = by_name(parse->command, name, equals ? (size_t)(equals - name) : strlen(name));
    if (!option) {
        return unknown(parse, word);
    }
    if (equals && !option->argument) {
        cli_say("%s: --%s takes no argument", parse->command->name, option->name);
        return false;
    }
    return give(parse, option, equals ? equals + 1 : NULL);
}

// "-qv", "-oFILE", "-qo FILE"
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

// Moves the words from `first` to `last` before the `operands` words that stand before them, in order.
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
    int operands = 0; // words before argv[at] that are none of the options': those may come after operands too
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
