// See choice.h.
#include "model/choice.h"

#include <stdlib.h>

uint32_t choices_kinds(const struct choices *choices)
{
    uint32_t kinds = 0;
    for (uint32_t i = 0; i < choices->count; i++) {
        kinds |= choices->items[i].kind;
    }
    return kinds;
}

uint8_t *choices_marks(const struct choices *choices, const struct catalog *catalog)
{
    uint8_t *marks = calloc((size_t)catalog->method_count + 1, sizeof *marks);
    for (uint32_t i = 0; marks && i < choices->count; i++) {
        for (uint32_t method = 0; method < catalog->method_count; method++) {
            bool means = pattern_means(choices->items[i].pattern, catalog, method);
            marks[method] |= means ? (uint8_t)choices->items[i].kind : 0;
        }
    }
    return marks;
}

bool choice_means_any(const struct choice *choice, const struct catalog *catalog)
{
    bool any = false;
    for (uint32_t method = 0; method < catalog->method_count && !any; method++) {
        any = pattern_means(choice->pattern, catalog, method);
    }
    return any;
}

struct chosen_call choices_root(uint32_t kinds)
{
    bool inside = !(kinds & CHOICE_UNDER);
    return (struct chosen_call){.inside = inside, .taken = inside && !(kinds & CHOICE_METHOD)};
}

// A hidden call is not there, so it is no call of the other kinds either.
struct chosen_call choices_call(uint32_t kinds, struct chosen_call caller, uint8_t mark)
{
    bool hidden = mark & CHOICE_HIDE;
    bool inside = caller.inside || (!hidden && mark & CHOICE_UNDER);
    bool taken = inside && (caller.taken || !(kinds & CHOICE_METHOD) || (!hidden && mark & CHOICE_METHOD));
    return (struct chosen_call){.inside = inside, .taken = taken, .hidden = hidden};
}
