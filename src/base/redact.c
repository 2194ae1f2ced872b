// The patterns are in the compared form: lower case, without separators. `token` has no asterisks, since words that merely
// contain it are mostly harmless (cancellationToken).
#include "base/redact.h"

const char *const redact_usual[] = {
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

size_t redact_plain(struct text name, char *into, size_t size)
{
    size_t kept = 0;
    for (size_t i = 0; i < name.size && kept < size; i++) {
        char c = name.at[i];
        if (c != '_' && c != '-') {
            into[kept++] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
        }
    }
    return kept;
}

// The name in the compared form, in `into`. False when memory runs out.
static bool append_plain(struct buffer *into, struct text name, struct text *out)
{
    buffer_clear(into);
    uint8_t *at = buffer_extend(into, name.size + 1);
    *out = (struct text){(const char *)at, at ? redact_plain(name, (char *)at, name.size) : 0};
    return at != NULL;
}

static bool matches_usual(struct text plain)
{
    for (const char *const *glob = redact_usual; *glob; glob++) {
        if (text_matches(plain, text_of(*glob))) {
            return true;
        }
    }
    return false;
}

// All lines are looked at: a session with patterns of its own does not use the usual ones.
bool redact_matches(struct text configuration, struct text name)
{
    struct buffer names = {0}, globs = {0};
    struct text line, plain, glob;
    bool whole = append_plain(&names, name, &plain), chosen = false, matches = false;
    while (whole && !matches && text_take_line(&configuration, &line)) {
        struct text word = text_take_word(&line);
        if (text_equal(word, text_of("redact"))) {
            chosen = true;
            whole = append_plain(&globs, line, &glob);
            matches = name.size > 0 && text_matches(plain, glob);
        }
    }
    matches = matches || (!chosen && name.size > 0 && matches_usual(plain));
    buffer_free(&names);
    buffer_free(&globs);
    return matches || !whole;
}
