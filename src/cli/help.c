#include "cli/help.h"

#include <string.h>

enum { OPTION_COLUMN = 28, WORD_MAX = 32, NEAR = 2 };

static void list_verbs(FILE *out)
{
    for (const struct cli_command *const *command = cli_commands; *command; command++) {
        (void)fprintf(out, "  %-10s %s\n", (*command)->name,
                      (*command)->summary); // help that cannot be shown is no loss
    }
}

void help_all(FILE *out)
{
    (void)fprintf(out, "clew records what a .NET program did, call by call, without changing it.\n\n"
                       "  clew run -- dotnet app.dll       record it and show the report\n"
                       "  clew report app.clew             show it again\n\n"
                       "usage: clew VERB [options] ...     or clew PROGRAM ..., which is clew run -- PROGRAM ...\n\n");
    list_verbs(out);
    (void)fprintf(out, "\nclew VERB --help says more; clew --version tells the version.\n");
}

static void list_options(FILE *out, const struct cli_command *command)
{
    for (const struct cli_option *option = command->options; option->name; option++) {
        char left[64];
        (void)snprintf(left, sizeof left, "%c%c%s --%s%s%s", option->letter ? '-' : ' ',
                       option->letter ? option->letter : ' ', option->letter ? "," : " ", option->name,
                       option->argument ? " " : "", option->argument ? option->argument : "");
        (void)fprintf(out, "  %-*s %s\n", OPTION_COLUMN, left, option->help);
    }
}

void help_verb(FILE *out, const struct cli_command *command)
{
    for (const struct cli_example *example = command->examples; example->command; example++) {
        (void)fprintf(out, "  %-52s %s\n", example->command, example->says);
    }
    (void)fprintf(out, "\nusage: clew %s %s\n%s.\n\n", command->name, command->usage, command->summary);
    list_options(out, command);
    if (command->text) {
        (void)fprintf(out, "\n%s\n", command->text);
    }
}

static size_t smallest(size_t a, size_t b, size_t c)
{
    size_t least = a < b ? a : b;
    return least < c ? least : c;
}

// Letters to add, drop or change to make one word of the other.
static size_t distance(const char *a, const char *b)
{
    size_t row[WORD_MAX + 1], size = strlen(b);
    for (size_t k = 0; k <= size; k++) {
        row[k] = k;
    }
    for (size_t i = 1; a[i - 1]; i++) {
        size_t corner = row[0];
        row[0] = i;
        for (size_t k = 1; k <= size; k++) {
            size_t above = row[k];
            row[k] = smallest(above + 1, row[k - 1] + 1, corner + (a[i - 1] != b[k - 1]));
            corner = above;
        }
    }
    return row[size];
}

const char *help_nearest(const char *word)
{
    const char *nearest = NULL;
    size_t best = NEAR + 1;
    for (const struct cli_command *const *command = cli_commands; *command && strlen(word) <= WORD_MAX; command++) {
        size_t apart = distance(word, (*command)->name);
        if (apart < best) {
            best = apart;
            nearest = (*command)->name;
        }
    }
    return nearest;
}
