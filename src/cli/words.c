// See words.h.
#include "cli/words.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/assert.h"

enum { WORD_MAX = 32, NEAR = 2 };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

// The number of letters to insert, delete, replace, or exchange with the next one to turn the asked word into the other. SIZE_MAX:
// a word is too long.
static size_t distance(const struct words *words, const char *other)
{
    size_t costs[WORD_MAX + 1][WORD_MAX + 1], size = strlen(other);
    const char *asked = words->asked;
    if (size > WORD_MAX || words->asked_size > WORD_MAX) {
        return SIZE_MAX;
    }
    for (size_t i = 0; i <= words->asked_size; i++) {
        for (size_t k = 0; k <= size; k++) {
            if (i == 0 || k == 0) {
                costs[i][k] = i + k;
                continue;
            }
            size_t changed = costs[i - 1][k - 1] + (asked[i - 1] != other[k - 1]);
            costs[i][k] = smaller(changed, smaller(costs[i - 1][k], costs[i][k - 1]) + 1);
            if (i > 1 && k > 1 && asked[i - 1] == other[k - 2] && asked[i - 2] == other[k - 1]) {
                costs[i][k] = smaller(costs[i][k], costs[i - 2][k - 2] + 1);
            }
        }
    }
    return costs[words->asked_size][size];
}

void words_init(struct words *words, const char *asked, size_t size)
{
    *words = (struct words){.asked = asked, .asked_size = size, .apart = NEAR};
}

// Appends to the list; what does not fit is left out.
static void list(struct words *words, const char *lead, const char *word)
{
    size_t room = WORDS_LISTED - words->size;
    int written = snprintf(words->listed + words->size, room, "%s%s%s", words->size ? ", " : "", lead, word);
    if (written < 0 || (size_t)written >= room) {
        words->listed[words->size] = '\0';
        return;
    }
    words->size += (size_t)written;
    CLEW_ASSERT(words->size < WORDS_LISTED);
}

void words_offer(struct words *words, const char *lead, const char *word)
{
    if (words->asked_size > 1 && strncasecmp(word, words->asked, words->asked_size) == 0) {
        words->size = words->abbreviated ? words->size : 0; // similar words are no longer of interest
        words->abbreviated = true;
        list(words, lead, word);
        return;
    }
    size_t apart = words->abbreviated ? SIZE_MAX : distance(words, word);
    if (apart <= words->apart && 2 * apart < smaller(words->asked_size, strlen(word))) {
        words->size = apart < words->apart ? 0 : words->size;
        words->apart = apart;
        list(words, lead, word);
    }
}
