// What the parts of libclew share. The public headers are include/clew/*.h; programs see nothing else.
#ifndef CLEW_LIBRARY_LIBRARY_H
#define CLEW_LIBRARY_LIBRARY_H

#include <clew/recording.h>

#include "model/model.h"

// An open recording. `model` has definitions and totals, no trees; trees and cursors read more through `file`.
struct clew_recording {
    struct recording *file;
    struct model *model;
};

// Copies `from` to the caller's structure `to`, which begins with its size as the caller knows it. A caller with an
// older header has a smaller one and gets the fields that it knows; a newer caller's further fields become 0.
void library_give(void *to, const void *from, size_t size);
// The opposite direction: a caller's options, or zeroes for NULL. USAGE: no size was set, or a field that this version
// does not know is not 0.
enum clew_error library_take(void *to, size_t size, const void *from);

static inline struct clew_text library_text(struct text text)
{
    return (struct clew_text){.data = text.at ? text.at : "", .size = text.size};
}

#endif
