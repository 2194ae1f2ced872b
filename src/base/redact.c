// The patterns are in the compared form: lower case, without separators. `token` has no asterisks, since words that merely
// contain it are mostly harmless (cancellationToken).
#include "base/redact.h"

#include <stdlib.h>

enum { NAME_USUAL_SIZE = 256 };

static const char *const usual[] = {
    "*password*",         "*passwd*", "*passphrase*",   "*secret*",      "token",        "*accesstoken*",
    "*authtoken*",        "*apikey*", "*refreshtoken*", "*bearertoken*", "*privatekey*", "*credential*",
    "*connectionstring*", NULL,
};

const char *const redact_spared[] = {
    "System.Threading.CancellationToken",
    "System.Threading.CancellationTokenSource",
    "System.Threading.CancellationTokenRegistration",
    "System.DateTime",
    "System.DateTimeOffset",
    "System.DateOnly",
    "System.TimeOnly",
    "System.TimeSpan",
    NULL,
};

// Writes a name in the form in which names and patterns are compared: in lower case, and without the characters that only
// separate words. Returns the number of bytes written.
static size_t write_plain(struct text name, char *into)
{
    size_t kept = 0;
    for (size_t i = 0; i < name.size; i++) {
        char c = name.at[i];
        if (c != '_' && c != '-') {
            into[kept++] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
        }
    }
    return kept;
}

static void add_glob(struct redaction *redaction, struct text glob)
{
    struct buffer *globs = &redaction->globs;
    char *into = (char *)buffer_extend(globs, glob.size);
    if (into) {
        globs->size -= glob.size - write_plain(glob, into);
        buffer_u8(globs, '\n');
    }
}

void redaction_parse(struct redaction *redaction, struct text configuration)
{
    struct text line;
    *redaction = (struct redaction){.usual = true};
    while (text_take_line(&configuration, &line)) {
        if (text_equal(text_take_word(&line), text_of("redact"))) {
            redaction->usual = false;
            if (line.size) {
                add_glob(redaction, line);
            }
        }
    }
    for (const char *const *glob = usual; redaction->usual && *glob; glob++) {
        add_glob(redaction, text_of(*glob));
    }
}

void redaction_free(struct redaction *redaction)
{
    buffer_free(&redaction->globs);
}

bool redaction_matches(const struct redaction *redaction, struct text name)
{
    char room[NAME_USUAL_SIZE];
    char *plain = name.size > sizeof room ? malloc(name.size) : room;
    bool matches = !plain || redaction->globs.failed;
    struct text compared = {plain, plain ? write_plain(name, plain) : 0};
    struct text globs = text_in(&redaction->globs), glob;
    while (!matches && name.size > 0 && text_take_line(&globs, &glob)) {
        matches = text_matches(compared, glob);
    }
    if (plain != room) {
        free(plain);
    }
    return matches;
}
