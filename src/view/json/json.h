// Writes JSON as it goes: commas and escapes are its business, nesting the caller's.
#ifndef CLEW_VIEW_JSON_H
#define CLEW_VIEW_JSON_H

#include <stdio.h>

#include "base/text.h"

struct json {
    FILE *out;
    bool more;      // a value stands before the next one: a comma is due
    uint32_t depth; // brackets that are open
};

void json_open(struct json *json, char bracket);  // '{' or '['
void json_close(struct json *json, char bracket); // '}' or ']'
void json_key(struct json *json, const char *key);
void json_text(struct json *json, struct text text); // what is no UTF-8 becomes U+FFFD
void json_u64(struct json *json, uint64_t value);
void json_i64(struct json *json, int64_t value);
void json_bool(struct json *json, bool value);
void json_null(struct json *json);
// A line break where the next element of an array starts, for people.
void json_line(struct json *json);

// A member at once.
void json_member_text(struct json *json, const char *key, struct text text);
void json_member_u64(struct json *json, const char *key, uint64_t value);
void json_member_bool(struct json *json, const char *key, bool value);
// null when not known.
void json_member_maybe(struct json *json, const char *key, uint64_t value, bool known);

#endif
