// Parses and answers the settings. When memory runs out, redaction errs on the safe side: it redacts everything.
#include "agent/session/settings.h"

#include <stdlib.h>

#include "base/redact.h"
#include "ring/ring.h"

enum { NAME_USUAL_SIZE = 256, STRING_MAX_DEFAULT = 256, STRING_MAX_LIMIT = 4096 };
static_assert(8 * (1 + 4 + STRING_MAX_LIMIT / 4) < RING_CHUNK_SIZE - sizeof(struct ring_chunk) - 4 * RING_SITE_ROOM,
              "the OBJECT event with the longest text fits a chunk before its limit");

static void add_glob(struct settings *settings, struct text glob)
{
    size_t wanted = (settings->redacted_count + (size_t)1) * sizeof *settings->redacted;
    struct text *grown = realloc(settings->redacted, wanted);
    char *kept = malloc(glob.size + 1);
    settings->redacted = grown ? grown : settings->redacted;
    if (!grown || !kept) {
        settings->redact_all = true; // rather record no value than a secret
        free(kept);
        return;
    }
    settings->redacted[settings->redacted_count++] = (struct text){kept, redact_plain(glob, kept, glob.size)};
}

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
    bool chosen = false;
    struct text line;
    *settings = (struct settings){.string_max = STRING_MAX_DEFAULT};
    while (text_take_line(&lines, &line)) {
        struct text word = text_take_word(&line);
        if (text_equal(word, text_of("redact"))) {
            chosen = true;
            if (line.size) {
                add_glob(settings, line);
            }
        } else if (text_equal(word, text_of("string-max"))) {
            settings->string_max = number_of(line);
        } else if (text_equal(word, text_of("symbols"))) {
            add_folder(settings, line);
        }
    }
    settings->redacts_usual = !chosen;
    for (const char *const *glob = redact_usual; !chosen && *glob; glob++) {
        add_glob(settings, text_of(*glob));
    }
    CLEW_ASSERT(settings->string_max <= STRING_MAX_LIMIT);
    add_folder(settings, program_folder);
}

bool settings_redact(const struct settings *settings, struct text name)
{
    char usual[NAME_USUAL_SIZE];
    char *plain = name.size > sizeof usual ? malloc(name.size) : usual;
    bool matches = !plain || settings->redact_all; // rather record no value than a secret
    struct text compared = {plain, plain ? redact_plain(name, plain, name.size) : 0};
    for (uint32_t i = 0; !matches && name.size > 0 && i < settings->redacted_count; i++) {
        matches = text_matches(compared, settings->redacted[i]);
    }
    if (plain != usual) {
        free(plain);
    }
    return matches;
}
