// See help.h. Text is wrapped at the terminal's width, so the tables of verbs contain no line breaks but those between
// paragraphs.
#include "cli/help.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/text.h"

enum { OPTION_COLUMN = 28, EXAMPLE_COLUMN = 52, WIDTH_MIN = 60, WIDTH_MAX = 120, WORD_MAX = 32, NEAR = 2 };

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

// The terminal's width, limited to a readable one; 80 without a terminal.
static size_t width_of(FILE *out)
{
    struct winsize size = {0};
    bool terminal = isatty(fileno(out)) && ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return !terminal ? 80 : size.ws_col < WIDTH_MIN ? WIDTH_MIN : size.ws_col < WIDTH_MAX ? size.ws_col : WIDTH_MAX;
}

// Prints words, wrapped between lines. `column`: where the first line begins; `indent`: where further lines begin.
static void put_words(FILE *out, const char *text, size_t size, size_t column, size_t indent)
{
    size_t width = width_of(out), at = column;
    CLEW_ASSERT(indent < width);
    for (bool first = true; size > 0; first = false) {
        const char *blank = memchr(text, ' ', size);
        size_t word = blank ? (size_t)(blank - text) : size, taken = blank ? word + 1 : word;
        if (!first && at + 1 + word > width) {
            (void)fprintf(out, "\n%*s", (int)indent, "");
            at = indent;
            first = true;
        }
        (void)fprintf(out, "%s%.*s", first ? "" : " ", (int)word, text);
        at += word + !first;
        text += taken;
        size -= taken;
    }
    (void)fputc('\n', out);
}

void help_option(struct buffer *into, const struct cli_command *command, const struct cli_option *option)
{
    buffer_text(into, option->help);
    if (command->by && strcmp(option->name, "by") == 0) {
        command->by(into);
    }
}

// One line per option: letter, name and argument, then the explanation.
static void list_options(FILE *out, const struct cli_command *command)
{
    for (const struct cli_option *option = command->options; option->name; option++) {
        char left[64];
        struct buffer help = {0};
        (void)snprintf(left, sizeof left, "%c%c%s --%s%s%s", option->letter ? '-' : ' ',
                       option->letter ? option->letter : ' ', option->letter ? "," : " ", option->name,
                       option->argument ? " " : "", option->argument ? option->argument : "");
        int written = fprintf(out, "  %-*s ", OPTION_COLUMN, left);
        help_option(&help, command, option);
        put_words(out, text_in(&help).at, text_in(&help).size, (size_t)written, 3 + OPTION_COLUMN);
        buffer_free(&help);
    }
}

// A command that leaves no room beside it has its explanation on the next line.
static void list_examples(FILE *out, const struct cli_command *command)
{
    for (const struct cli_example *example = command->examples; example->command; example++) {
        size_t width = width_of(out), size = strlen(example->command);
        bool beside = 3 + EXAMPLE_COLUMN + strlen(example->says) <= width && size <= EXAMPLE_COLUMN;
        (void)fprintf(out, beside ? "  %-*s " : "  %-*s\n      ", beside ? EXAMPLE_COLUMN : 0, example->command);
        put_words(out, example->says, strlen(example->says), beside ? 3 + EXAMPLE_COLUMN : 6, 6);
    }
}

// Prints paragraphs. Lines that begin with a blank are printed as they are.
static void put_text(FILE *out, const char *text)
{
    while (*text) {
        size_t size = strcspn(text, "\n");
        if (*text == ' ') {
            (void)fprintf(out, "%.*s\n", (int)size, text);
        } else {
            put_words(out, text, size, 0, 0);
        }
        text += size + (text[size] == '\n');
    }
}

void help_verb(FILE *out, const struct cli_command *command)
{
    list_examples(out, command);
    int written = fprintf(out, "\nusage: clew %s ", command->name) - 1;
    put_words(out, command->usage, strlen(command->usage), (size_t)(written > 0 ? written : 0), 7);
    (void)fprintf(out, "%s.\n\n", command->summary);
    list_options(out, command);
    if (command->text) {
        (void)fputc('\n', out);
        put_text(out, command->text);
    }
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
