// The places where an async body waits, as definitions contain them: one after the other.
#ifndef CLEW_TRACE_AWAIT_H
#define CLEW_TRACE_AWAIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/text.h"

struct await {
    uint32_t state;   // that the body stores into its state field before it waits here; below AWAIT_STATES_MAX
    uint32_t offset;  // of that store in the original IL
    struct text what; // what is awaited, as short as in the source: `Repo.LoadAsync`; empty: not known
};

// Where a place is in the source. Lines come apart from places, in the same order: the collector adds them.
struct await_line {
    uint32_t document; // number within the module; 0: not known
    uint32_t line;     // from 1; 0: not known
};

enum { AWAIT_STATES_MAX = 1 << 16 };

void await_encode(struct buffer *into, const struct await *await);
// Takes the next place off the bytes; its text points into them. False: malformed.
bool await_decode(struct bytes *left, struct await *out);

void await_line_encode(struct buffer *into, struct await_line line);
bool await_line_decode(struct bytes *left, struct await_line *out);

#endif
