#include "collector/command.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { COMMAND_MAX = 65536 };

static bool plain(const char *word)
{
    return *word && word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-")] == 0;
}

static void append_word(struct buffer *line, const char *word)
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

static char *finish(struct buffer *line)
{
    buffer_u8(line, 0);
    if (line->failed) {
        buffer_free(line);
        return NULL;
    }
    return (char *)line->data; // the caller's now
}

char *command_line(char *const *words)
{
    struct buffer line = {0};
    for (; *words; words++) {
        append_word(&line, *words);
    }
    return finish(&line);
}

char *command_of_process(pid_t pid)
{
    char path[32];
    struct buffer line = {0};
    char *content = malloc(COMMAND_MAX + 1);
    if (!content) {
        return NULL;
    }
    (void)snprintf(path, sizeof path, "/proc/%d/cmdline", (int)pid);
    FILE *file = fopen(path, "re");
    size_t size = file ? fread(content, 1, COMMAND_MAX, file) : 0;
    if (file) {
        (void)fclose(file); // only read from
    }
    content[size] = '\0';
    for (size_t at = 0; at < size; at += strlen(content + at) + 1) {
        append_word(&line, content + at);
    }
    free(content);
    return finish(&line);
}
