// See help.h: what concerns all verbs. help_verb.c is about one, so that a verb's parser of options can use it.
#include "cli/help.h"

#include <string.h>

#include "base/assert.h"

enum { WORD_MAX = 32, NEAR = 2 };

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

static size_t smallest(size_t a, size_t b, size_t c)
{
    size_t least = a < b ? a : b;
    return least < c ? least : c;
}

// The Levenshtein distance: letters to insert, delete or replace to turn one word into the other. One row of the usual
// table is enough.
static size_t distance(const char *a, const char *b)
{
    size_t row[WORD_MAX + 1], size = strlen(b);
    CLEW_ASSERT(size <= WORD_MAX && "a verb is no longer than a word that is compared");
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

// First the verbs that `word` abbreviates; if there are none, the verb with the smallest distance, if that is small.
void help_nearest(const char *word, char nearest[HELP_NEAREST])
{
    size_t best = NEAR + 1, size = 0, letters = strlen(word);
    nearest[0] = '\0';
    for (const struct cli_command *const *command = cli_commands; *command && letters <= WORD_MAX; command++) {
        if (letters > 1 && strncmp((*command)->name, word, letters) == 0 && size < HELP_NEAREST) {
            size +=
                (size_t)snprintf(nearest + size, HELP_NEAREST - size, "%sclew %s", size ? ", " : "", (*command)->name);
        }
    }
    for (const struct cli_command *const *command = cli_commands; *command && !size && letters <= WORD_MAX; command++) {
        size_t apart = distance(word, (*command)->name);
        if (apart < best && 2 * apart < letters) {
            best = apart;
            (void)snprintf(nearest, HELP_NEAREST, "clew %s", (*command)->name);
        }
    }
}
