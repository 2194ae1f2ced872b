// The calls that a user chooses by the names of methods. With --method: the calls of these with all below them, and their
// callers as context. With --under: the same, as roots. With --hide these calls are left out, and what they did counts as done
// by their callers; that wins over the other two. Several patterns of one kind choose what any of them does.
#ifndef CLEW_MODEL_CHOICE_H
#define CLEW_MODEL_CHOICE_H

#include "model/pattern.h"

// Bits of a mark.
enum choice_kind {
    CHOICE_METHOD = 1u << 0,
    CHOICE_UNDER = 1u << 1,
    CHOICE_HIDE = 1u << 2,
    CHOICE_CALLERS =
        1u << 3, // turns the tree that the others leave around: what has called these methods (tree_callers.h)
};

struct choice {
    enum choice_kind kind;
    struct text pattern; // model/pattern.h
    const char *option;  // by which the user gave it
};

// Zero-initialised: all calls.
struct choices {
    const struct choice *items; // which the caller keeps
    uint32_t count;
};

// The kinds that were chosen by, as bits.
uint32_t choices_kinds(const struct choices *choices);
// The mark of each method that the catalog has now, by its index: the kinds of the patterns that mean it. The caller frees it.
// NULL: memory ran out.
uint8_t *choices_marks(const struct choices *choices, const struct catalog *catalog);
// Whether the pattern means a method of the catalog.
bool choice_means_any(const struct choice *choice, const struct catalog *catalog);

// What becomes of a call, of which the caller's is known. A call that the choice does not take has the mark 0.
struct chosen_call {
    bool inside; // below a call of CHOICE_UNDER, or one itself; true without such choices
    bool taken;  // and below one of CHOICE_METHOD, or one itself
    bool hidden; // left out
};
// That of the thread, where `kinds` are those that were chosen by.
struct chosen_call choices_root(uint32_t kinds);
// That of a call whose method has the mark. Without CHOICE_METHOD, what is inside is taken.
struct chosen_call choices_call(uint32_t kinds, struct chosen_call caller, uint8_t mark);

#endif
