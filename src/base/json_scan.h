// Reads JSON from outside without a tree of it in memory: a cursor over the text that takes one token at a time. Nothing is
// read beyond the text, whatever it contains; values are nested at most 32 deep.
#ifndef CLEW_BASE_JSON_SCAN_H
#define CLEW_BASE_JSON_SCAN_H

#include <stdbool.h>

#include "base/bytes.h"

// Skips a byte order mark.
void json_scan_skip_mark(struct bytes *at);
// Skips white space, then takes the wanted character of the grammar. False: another one stands there.
bool json_scan_take(struct bytes *at, char wanted);
// Takes a string; `out` (cleared first) gets its text. False: there is none, or no memory (out->failed).
bool json_scan_string(struct bytes *at, struct buffer *out);
// Skips a value of any kind. `scratch` is overwritten.
bool json_scan_skip(struct bytes *at, struct buffer *scratch);
// In front of an object, or behind the value of one of its members: moves to the value of the next member, and sets `key` to
// its name. False: there is no further one, or the text is malformed.
bool json_scan_member(struct bytes *at, struct buffer *key);
// In front of an object: moves to the value of its first member of this name. False: it has none, or is malformed.
bool json_scan_find(struct bytes *at, const char *wanted, struct buffer *scratch);

#endif
