// Generates man pages (in scdoc's language) and bash completion from the table of verbs, at build time:
//
//     manual verbs           the names, one a line
//     manual page            clew(1)
//     manual page VERB       clew-VERB(1)
//     manual completion      for bash
#include <stdio.h>
#include <string.h>

#include "cli/help.h"

// Writes text so that scdoc prints it unchanged: escapes its markup characters.
static void put_plain(const char *text)
{
    for (; *text; text++) {
        if (strchr("\\*_`#", *text) || ((*text == '[' || *text == '|' || *text == ']') && text[1])) {
            putchar('\\');
        }
        putchar(*text);
    }
}

// Writes paragraphs; lines that begin with spaces become literal blocks.
static void put_paragraphs(const char *text)
{
    bool literal = false;
    while (*text) {
        size_t size = strcspn(text, "\n");
        if ((*text == ' ') != literal && size > 0) {
            puts("```");
            literal = !literal;
        }
        if (literal) {
            printf("%.*s\n", (int)size, text);
        } else {
            char line[4096];
            (void)snprintf(line, sizeof line, "%.*s", (int)size, text);
            put_plain(line);
            putchar('\n');
        }
        text += size + (text[size] == '\n');
    }
    puts(literal ? "```\n" : "");
}

static void put_option(const struct cli_command *command, const struct cli_option *option)
{
    if (option->letter) {
        printf("*-%c*, ", option->letter);
    }
    printf("*--%s*", option->name);
    if (option->argument) {
        fputs(" _", stdout);
        put_plain(option->argument);
        putchar('_');
    }
    fputs("\n\t", stdout);
    struct buffer help = {0};
    help_option(&help, command, option);
    buffer_u8(&help, '\0');
    put_plain(help.failed ? option->help : (const char *)help.data);
    buffer_free(&help);
    puts("\n");
}

static void put_examples(const struct cli_example *examples)
{
    if (!examples || !examples->command) {
        return;
    }
    puts("# EXAMPLES\n");
    for (; examples->command; examples++) {
        put_plain(examples->says);
        printf("\n\n```\n%s\n```\n\n", examples->command);
    }
}

static void put_exit_status(void)
{
    puts("# EXIT STATUS\n\n"
         "*run* and *record* end with the status of the program: its own, 128 + N when signal N killed it, 126 when it "
         "cannot be executed, 127 when it is not found. Other statuses:\n\n"
         "*1*\n\tReading or writing failed, or there was not enough memory.\n\n"
         "*2*\n\tThe command line is wrong.\n\n"
         "*4*\n\tThe program ended with 0 and nothing was recorded; a sentence says why and what to do.\n\n"
         "*5*\n\tThe recording is damaged; what could be read was shown.\n");
}

static void put_verb_page(const struct cli_command *command)
{
    printf("clew-%s(1)\n\n# NAME\n\nclew-%s - ", command->name, command->name);
    put_plain(command->summary);
    printf("\n\n# SYNOPSIS\n\n*clew %s* ", command->name);
    put_plain(command->usage);
    puts("\n\n# DESCRIPTION\n");
    put_paragraphs(command->text);
    if (command->options && command->options->name) {
        puts("# OPTIONS\n");
        for (const struct cli_option *option = command->options; option->name; option++) {
            put_option(command, option);
        }
    }
    put_examples(command->examples);
    if (!strstr(command->text, "Exit status")) {
        put_exit_status();
    }
    puts("# SEE ALSO\n\n*clew*(1)");
}

static void put_overview_page(void)
{
    puts("clew(1)\n\n# NAME\n\nclew - record what a .NET program does, call by call, and report it\n\n# SYNOPSIS\n\n"
         "*clew* _VERB_ [options] ...\n\n*clew* _PROGRAM_ [arguments] ...\n\n# DESCRIPTION\n\n"
         "clew starts a .NET program, records every call of its methods without a change to it, and shows what "
         "happened: exact counts, times, the order of calls. If the first word is not a verb, it is a program to "
         "run.\n\n"
         "# VERBS\n");
    for (const struct cli_command *const *command = cli_commands; *command; command++) {
        printf("*%s*\n\t", (*command)->name);
        put_plain((*command)->summary);
        puts("\n");
    }
    puts("*--help*, *-h*\n\tHelp on clew, or after a verb on that verb.\n\n"
         "*--version*\n\tThe version.\n");
    put_exit_status();
    puts("# SEE ALSO\n");
    for (const struct cli_command *const *command = cli_commands; *command; command++) {
        printf("%s*clew-%s*(1)", command == cli_commands ? "" : ", ", (*command)->name);
    }
    putchar('\n');
}

static void put_completion(void)
{
    puts("# bash completion for clew; made from its table of verbs\n\n"
         "_clew()\n{\n"
         "    local word=${COMP_WORDS[COMP_CWORD]} options=\n"
         "    if [ \"$COMP_CWORD\" -eq 1 ]; then");
    fputs("        mapfile -t COMPREPLY < <(compgen -W '", stdout);
    for (const struct cli_command *const *command = cli_commands; *command; command++) {
        printf("%s%s", command == cli_commands ? "" : " ", (*command)->name);
    }
    puts("' -- \"$word\"; compgen -c -- \"$word\")\n        return\n    fi\n    case ${COMP_WORDS[1]} in");
    for (const struct cli_command *const *command = cli_commands; *command; command++) {
        printf("    %s) options='", (*command)->name);
        for (const struct cli_option *option = (*command)->options; option && option->name; option++) {
            printf("%s--%s", option == (*command)->options ? "" : " ", option->name);
        }
        puts("' ;;");
    }
    puts("    esac\n"
         "    if [[ $word == -* ]]; then\n"
         "        mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
         "    else\n"
         "        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
         "    fi\n"
         "}\n"
         "complete -o filenames -F _clew clew");
}

static const struct cli_command *find_verb(const char *name)
{
    const struct cli_command *const *command = cli_commands;
    while (*command && strcmp((*command)->name, name) != 0) {
        command++;
    }
    return *command;
}

int main(int argc, char **argv)
{
    const struct cli_command *command = argc == 3 ? find_verb(argv[2]) : NULL;
    if (argc == 3 && command && strcmp(argv[1], "page") == 0) {
        put_verb_page(command);
    } else if (argc == 2 && strcmp(argv[1], "page") == 0) {
        put_overview_page();
    } else if (argc == 2 && strcmp(argv[1], "completion") == 0) {
        put_completion();
    } else if (argc == 2 && strcmp(argv[1], "verbs") == 0) {
        for (const struct cli_command *const *each = cli_commands; *each; each++) {
            puts((*each)->name);
        }
    } else {
        fputs("usage: manual verbs | page [VERB] | completion\n", stderr);
        return 2;
    }
    return fflush(stdout) != 0;
}
