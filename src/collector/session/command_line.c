// Redaction errs on the safe side: where the end of a secret value is unclear, the rest of the word is replaced.
#include "collector/session/command_line.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/redact.h"

enum { COMMAND_MAX = 65536 };

struct line {
    struct buffer text;
    struct redaction redaction;
    bool redacts_next; // the last word was the name of a secret, which is the next word
};

static bool plain(const char *word)
{
    return *word && word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-")] == 0;
}

// The name that ends at `end`: the text since the last separator.
static struct text name_before(const char *word, const char *end, const char *separators)
{
    const char *start = end;
    while (start > word && !strchr(separators, start[-1])) {
        start--;
    }
    return (struct text){start, (size_t)(end - start)};
}

// Whether the text that ends at `end` names a secret, as a path of names (`ConnectionStrings:Main`) or by its last
// name.
static bool names_secret(const struct line *line, const char *word, const char *end)
{
    return redaction_matches(&line->redaction, name_before(word, end, " \t\n=;&?|,/\\\"'{[(")) ||
           redaction_matches(&line->redaction, name_before(word, end, " \t\n=;&?|,/\\\"'{[(:."));
}

// The start of the first secret in the word, or NULL. A blank may separate an option from its value, as in words for
// `sh -c`.
static const char *find_secret(const struct line *line, const char *word)
{
    for (const char *at = word; *at; at++) {
        bool assigns = *at == '=' || *at == ':';
        bool blank = (*at == ' ' || *at == '\t') && *name_before(word, at, " \t\n").at == '-';
        if ((assigns || blank) && at[1] && names_secret(line, word, at)) {
            return at + 1;
        }
    }
    return NULL;
}

static void append_quoted(struct buffer *line, const char *word)
{
    if (line->size > 0) {
        buffer_u8(line, ' ');
    }
    if (plain(word)) {
        buffer_text(line, word);
        return;
    }
    buffer_u8(line, '\'');
    for (; *word; word++) {
        if (*word == '\'') {
            buffer_text(line, "'\\''");
        } else {
            buffer_u8(line, (uint8_t)*word);
        }
    }
    buffer_u8(line, '\'');
}

// Whether the next word is the value of this option. `--Password:X` may be an option with its value, or the path of a
// .NET configuration key whose value follows: then both words count as secret.
static bool names_next(const struct line *line, const char *word)
{
    bool option = *word == '-' || (*word == '/' && !strchr(word + 1, '/'));
    bool whole = strncmp(word, "--", 2) == 0 || !find_secret(line, word);
    return option && whole && !strpbrk(word, "= \t\n") && names_secret(line, word, word + strlen(word));
}

static void append_word(struct line *line, const char *word)
{
    static const char redacted[] = "REDACTED";
    const char *secret = line->redacts_next ? word : find_secret(line, word);
    size_t size = strlen(word), kept = secret ? (size_t)(secret - word) : size;
    line->redacts_next = names_next(line, word);
    char *shown = NULL;
    if (asprintf(&shown, "%.*s%s", (int)kept, word, secret ? redacted : "") < 0) {
        line->text.failed = true;
        return;
    }
    append_quoted(&line->text, shown);
    free(shown);
}

static char *finish(struct line *line)
{
    redaction_free(&line->redaction);
    buffer_u8(&line->text, 0);
    if (line->text.failed) {
        buffer_free(&line->text);
        return NULL;
    }
    return (char *)line->text.data; // the caller owns it now
}

char *command_line(char *const *words, struct text configuration)
{
    struct line line = {0};
    redaction_parse(&line.redaction, configuration);
    for (; *words; words++) {
        append_word(&line, *words);
    }
    return finish(&line);
}

// The words of a running process with a NUL after each; *size 0 when they cannot be read. NULL without memory.
static char *read_words(pid_t pid, size_t *size)
{
    char path[32];
    char *content = malloc(COMMAND_MAX + 1);
    (void)snprintf(path, sizeof path, "/proc/%d/cmdline", (int)pid);
    FILE *file = content ? fopen(path, "re") : NULL;
    *size = file ? fread(content, 1, COMMAND_MAX, file) : 0;
    if (file) {
        (void)fclose(file); // only read from
    }
    if (content) {
        content[*size] = '\0';
    }
    return content;
}

char *command_of_process(pid_t pid, struct text configuration)
{
    struct line line = {0};
    size_t size;
    char *content = read_words(pid, &size);
    if (!content) {
        return NULL;
    }
    redaction_parse(&line.redaction, configuration);
    for (size_t at = 0; at < size; at += strlen(content + at) + 1) {
        append_word(&line, content + at);
    }
    free(content);
    return finish(&line);
}

char **words_of_process(pid_t pid)
{
    size_t size, count = 0;
    char *content = read_words(pid, &size);
    char **words = content && size ? malloc((size + 1) * sizeof *words + size + 1) : NULL;
    if (words) {
        char *copy = memcpy(words + size + 1, content, size + 1);
        for (size_t at = 0; at < size; at += strlen(copy + at) + 1) {
            words[count++] = copy + at;
        }
        words[count] = NULL;
    }
    free(content);
    return words;
}
