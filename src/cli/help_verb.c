// Help for one verb (help.h). Text is wrapped at the terminal's width, so the tables of verbs contain no line breaks but those
// between paragraphs.
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/text.h"
#include "cli/help.h"

enum { OPTION_COLUMN = 28, EXAMPLE_COLUMN = 52, WIDTH_MIN = 60, WIDTH_MAX = 120 };

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
