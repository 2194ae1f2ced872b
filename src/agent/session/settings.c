// See settings.h.
#include "agent/session/settings.h"

#include <stdlib.h>

#include "ring/ring.h"

enum { STRING_MAX_DEFAULT = 256, STRING_MAX_LIMIT = 4096 };
static_assert(8 * (1 + 4 + STRING_MAX_LIMIT / 4) < RING_CHUNK_SIZE - sizeof(struct ring_chunk) - 4 * RING_SITE_ROOM,
              "the OBJECT event with the longest text fits a chunk before its limit");

static uint32_t number_of(struct text digits)
{
    uint64_t number = 0;
    for (size_t i = 0; i < digits.size && digits.at[i] >= '0' && digits.at[i] <= '9' && number < UINT32_MAX; i++) {
        number = number * 10 + (uint64_t)(digits.at[i] - '0');
    }
    return number < STRING_MAX_LIMIT ? (uint32_t)number : STRING_MAX_LIMIT;
}

// Keeps the text, which is in the segment and stays there.
static void add_folder(struct settings *settings, struct text folder)
{
    struct text *grown = realloc(settings->folders, (settings->folder_count + (size_t)1) * sizeof *settings->folders);
    if (grown && folder.size) {
        grown[settings->folder_count++] = folder;
    }
    settings->folders = grown ? grown : settings->folders; // without memory, fewer folders are searched
}

void settings_parse(struct settings *settings, struct text lines, struct text program_folder)
{
    struct text line;
    *settings = (struct settings){.string_max = STRING_MAX_DEFAULT};
    redaction_parse(&settings->redaction, lines);
    while (text_take_line(&lines, &line)) {
        struct text word = text_take_word(&line);
        if (text_equal(word, text_of("string-max"))) {
            settings->string_max = number_of(line);
        } else if (text_equal(word, text_of("tiny"))) {
            settings->tiny = text_equal(line, text_of("skip"))    ? TINY_SKIP
                             : text_equal(line, text_of("count")) ? TINY_COUNT
                                                                  : TINY_FULL;
        } else if (text_equal(word, text_of("program"))) {
            settings->program = line;
        } else if (text_equal(word, text_of("symbols"))) {
            add_folder(settings, line);
        }
    }
    CLEW_ASSERT(settings->string_max <= STRING_MAX_LIMIT);
    add_folder(settings, program_folder);
}
