// See variables.h.
#include "cli/variables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/error.h"

// -- CLEW_OPTIONS -----------------------------------------------------------------------------------------------------

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_control(char c)
{
    return (unsigned char)c < ' ' || c == 0x7f;
}

// What is wrong with a value that ends, or has a control character, at `at` within a word; `quote`: the quote that is
// open there, or a backslash, or 0.
static const char *split_fault(char at, char quote)
{
    return at != '\0'      ? "a word holds a control character; write it without"
           : quote == '\'' ? "a ' opens a quoted word that no other ' closes"
           : quote == '"'  ? "a \" opens a quoted word that no other \" closes"
                           : "it ends with a backslash, which quotes nothing";
}

// Copies one word without its quotes. Returns the text after it, or NULL: *fault then says why.
static const char *take_word(const char *at, char **into, const char **fault)
{
    char quote = 0;
    for (; quote || (*at && !is_blank(*at)); at++) {
        bool escapes = *at == '\\' && quote != '\'' && (!quote || at[1] == '"' || at[1] == '\\');
        if (*at && *at == quote) {
            quote = 0;
            continue;
        }
        if (!quote && (*at == '\'' || *at == '"')) {
            quote = *at;
            continue;
        }
        at += escapes;
        if (is_control(*at)) {
            *fault = split_fault(*at, quote);
            return NULL;
        }
        *(*into)++ = *at;
    }
    *(*into)++ = '\0';
    return at;
}

char **variables_split(const char *value, size_t before, size_t *count, struct buffer *why)
{
    size_t size = strlen(value), most = size / 2 + 1; // a word and what separates it take two bytes
    size_t places = before + most + 1;
    char **words = calloc(1, places * sizeof *words + size + 1);
    char *into = (char *)(words + places);
    const char *fault = "there is no memory for it";
    *count = 0;
    for (const char *at = value; words && at;) {
        while (is_blank(*at)) {
            at++;
        }
        if (*at == '\0') {
            CLEW_ASSERT(*count <= most && into <= (char *)(words + places) + size + 1);
            return words;
        }
        words[before + (*count)++] = into;
        at = take_word(at, &into, &fault);
    }
    free(words);
    buffer_printf(why, CLEW_OPTIONS_VARIABLE ": %s", fault);
    return NULL;
}

// Help would go to the program's standard output and end clew.
static bool asks_for_help(char *const *words)
{
    for (; *words; words++) {
        if (strcmp(*words, "--help") == 0 || strcmp(*words, "-h") == 0) {
            cli_say(CLEW_OPTIONS_VARIABLE ": %s has no place there; clew record --help lists the options", *words);
            return true;
        }
    }
    return false;
}

int variables_options(const char *value, char **program, struct recording_options *out, char ***words)
{
    static const struct cli_command record = {.name = "record", .options = recording_option_table};
    static char verb[] = "record";
    struct buffer why = {0};
    size_t count;
    *out = (struct recording_options){0};
    *words = variables_split(value ? value : "", 1, &count, &why);
    if (!*words) {
        cli_say("%.*s", (int)why.size, (const char *)why.data);
        buffer_free(&why);
        return CLI_USAGE;
    }
    (*words)[0] = verb;
    return asks_for_help(*words + 1) ? CLI_USAGE
                                     : recording_options_alone(&record, (int)count + 1, *words, program, out);
}

// -- CLEW_OUTPUT ------------------------------------------------------------------------------------------------------

// The name stays one part of a path: no folder, and not the folder itself.
static void put_name(struct buffer *path, struct text name)
{
    bool dots = text_equal(name, text_of(".")) || text_equal(name, text_of(".."));
    for (size_t i = 0; i < name.size; i++) {
        bool plain = name.at[i] != '/' && !is_control(name.at[i]) && !dots;
        buffer_u8(path, (uint8_t)(plain ? name.at[i] : '_'));
    }
}

static void put_time(struct buffer *path, uint64_t started_ns)
{
    time_t seconds = (time_t)(started_ns / 1000000000);
    struct tm parts;
    char text[32];
    if (gmtime_r(&seconds, &parts) && strftime(text, sizeof text, "%Y%m%dT%H%M%SZ", &parts)) {
        buffer_text(path, text);
    }
}

// Appends the value of %LETTER. False: there is no such letter.
static bool put_value(struct buffer *path, char letter, const struct output_values *values)
{
    switch (letter) {
    case 'p':
        if (values->process) {
            buffer_printf(path, "%u", values->process);
        } else {
            buffer_text(path, "PID");
        }
        return true;
    case 'n':
        put_name(path, values->name.size ? values->name : text_of("NAME"));
        return true;
    case 't':
        if (values->started_ns) {
            put_time(path, values->started_ns);
        } else {
            buffer_text(path, "TIME");
        }
        return true;
    case '%':
        buffer_u8(path, '%');
        return true;
    default:
        return false;
    }
}

// The text of a buffer, which the caller owns now; NULL if there was no memory for it.
static char *finish(struct buffer *path, struct buffer *why)
{
    buffer_u8(path, 0);
    if (path->failed) {
        buffer_free(path);
        buffer_text(why, clew_error_sentence(CLEW_NO_MEMORY));
        return NULL;
    }
    return (char *)path->data;
}

char *variables_output(const char *pattern, const struct output_values *values, struct buffer *why)
{
    struct buffer path = {0};
    for (const char *at = pattern && *pattern ? pattern : CLEW_OUTPUT_DEFAULT; *at; at++) {
        if (*at != '%') {
            buffer_u8(&path, (uint8_t)*at);
        } else if (!put_value(&path, *++at, values)) {
            buffer_printf(why,
                          CLEW_OUTPUT_VARIABLE "=%s: after %% comes p (process), n (name), t (time of the start) or "
                                               "another %%",
                          pattern);
            buffer_free(&path);
            return NULL;
        }
    }
    return finish(&path, why);
}

// The folder of a path, with the slash; "./" if the path names none.
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("./");
}

bool variables_writable(const char *path)
{
    char *folder = folder_of(path);
    bool takes = folder && access(folder, W_OK | X_OK) == 0;
    int number = folder ? errno : ENOMEM;
    free(folder);
    errno = number;
    return takes;
}

// The path in the folder for temporary files. Frees the former.
static char *in_temporary(char *path, struct buffer *why)
{
    const char *set = getenv("TMPDIR");
    struct buffer moved = {0};
    buffer_printf(&moved, "%s/%s", set && *set ? set : "/tmp", path);
    free(path);
    return finish(&moved, why);
}

char *variables_file(const char *pattern, const struct output_values *values, struct buffer *why)
{
    bool chosen = pattern && *pattern;
    char *path = variables_output(pattern, values, why);
    if (path && !chosen && !variables_writable(path)) {
        path = in_temporary(path, why);
    }
    if (path && !variables_writable(path)) {
        buffer_printf(why, "cannot write %s: %s; choose another place with " CLEW_OUTPUT_VARIABLE, path,
                      strerror(errno));
        free(path);
        return NULL;
    }
    return path;
}
