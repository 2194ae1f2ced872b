// See help.h: what concerns all verbs. help_verb.c is about one, so that a verb's parser of options can use it.
#include "cli/help.h"

#include <string.h>

// One line per verb, in the order of the table.
static void list_verbs(FILE *out)
{
    for (const struct cli_command *const *command = cli_commands; *command; command++) {
        (void)fprintf(out, "  %-10s %s\n", (*command)->name,
                      (*command)->summary); // nothing can be done if help cannot be printed
    }
}

void help_all(FILE *out)
{
    (void)fprintf(out, "clew records what a .NET program did, call by call, without changing it.\n\n"
                       "  clew run -- dotnet app.dll       record it and show the report\n"
                       "  clew report app.clew             show it again\n\n"
                       "usage: clew VERB [options] ...     or clew PROGRAM ..., which is clew run -- PROGRAM ...\n\n");
    list_verbs(out);
    (void)fprintf(out, "\nclew VERB --help describes a verb; clew --version prints the version.\n");
}

void help_nearest(const char *word, struct words *words)
{
    words_init(words, word, strlen(word));
    for (const struct cli_command *const *command = cli_commands; *command; command++) {
        words_offer(words, "clew ", (*command)->name);
    }
}
