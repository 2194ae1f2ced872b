// Which steps are of chosen calls (model/choice.h), on the stacks as they were. A caller of such a call is told once one of them
// begins, since nobody knows before that one will: its beginning, with the arguments that it got.
#ifndef CLEW_VIEW_REPLAY_CHOSEN_H
#define CLEW_VIEW_REPLAY_CHOSEN_H

#include "base/map.h"
#include "model/choice.h"
#include "model/events/cursor.h"

enum replay_role {
    REPLAY_TAKEN,
    REPLAY_CALLER,   // of a call that is taken, if it was told; else it may become one
    REPLAY_LEFT_OUT, // hidden, or neither
};

// Zero-initialised: all steps are taken. replay_chosen_free() releases it.
struct replay_chosen {
    uint32_t kinds; // enum choice_kind; 0: all steps are taken
    const struct catalog *catalog;
    uint8_t *marks; // by index of the catalog
    uint32_t mark_count;
    struct map threads; // index + 1 by process << 32 | thread
    struct replay_chosen_thread *of_threads;
    uint32_t thread_count;
    size_t thread_room;
};

// The catalog must outlive it. NO_MEMORY is the only error, here and below.
enum clew_error replay_chosen_open(const struct choices *choices, const struct catalog *catalog,
                                   struct replay_chosen *out);
void replay_chosen_free(struct replay_chosen *chosen);

// Takes every step, those of a thread in order. *told: the frame was told (replay_chosen_tell()).
enum clew_error replay_chosen_take(struct replay_chosen *chosen, const struct event_step *step, enum replay_role *role,
                                   bool *told);
// Keeps a step of a caller that was not told: a value that belongs to its beginning.
enum clew_error replay_chosen_keep(struct replay_chosen *chosen, const struct event_step *step);
// Before a step that is taken: passes on the beginning of each caller that was not told, outermost first, and what was kept of
// it. An error of `visit` is returned.
enum clew_error replay_chosen_tell(struct replay_chosen *chosen, const struct event_step *step, step_visit *visit,
                                   void *context);

#endif
