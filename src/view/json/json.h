// Writes JSON to a stream as it goes. It adds commas and escapes; the caller opens and closes brackets in the right
// order, which assertions check. Initialise with {.out = stream}.
#ifndef CLEW_VIEW_JSON_H
#define CLEW_VIEW_JSON_H

#include <stdio.h>

#include "base/text.h"

struct json {
    FILE *out;
    bool more;      // a value precedes the next one, so a comma is due
    uint32_t depth; // number of open brackets
};

void json_open(struct json *json, char bracket);  // '{' or '['
void json_close(struct json *json, char bracket); // '}' or ']'
void json_key(struct json *json, const char *key);
void json_text(struct json *json, struct text text); // invalid UTF-8 becomes U+FFFD
void json_u64(struct json *json, uint64_t value);
void json_i64(struct json *json, int64_t value);
// A number with at most so many decimals, up to 18: `fraction` is below 10 to the power of `decimals`.
void json_fraction(struct json *json, uint64_t whole, uint64_t fraction, uint32_t decimals);
void json_bool(struct json *json, bool value);
// A number of 0 or more, with four decimals.
void json_share(struct json *json, double value);
void json_null(struct json *json);
// Breaks the line before the next element of an array, to make the output readable.
void json_line(struct json *json);

// Write a key with its value.
void json_member_text(struct json *json, const char *key, struct text text);
void json_member_u64(struct json *json, const char *key, uint64_t value);
void json_share_member(struct json *json, const char *key, double value);
void json_member_bool(struct json *json, const char *key, bool value);
// The same; null if the text is empty.
void json_member_text_maybe(struct json *json, const char *key, struct text text);
// The same; null if `known` is false.
void json_member_maybe(struct json *json, const char *key, uint64_t value, bool known);

#endif
