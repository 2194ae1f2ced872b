// See json.h. Output is not buffered here: stdio does that, and errors show in ferror().
#include "view/json/json.h"

#include "base/assert.h"
#include "base/foreign.h"

// Called before each value or key.
static void comma(struct json *json)
{
    if (json->more) {
        (void)fputc(',', json->out);
    }
    json->more = true;
}

void json_open(struct json *json, char bracket)
{
    CLEW_ASSERT(bracket == '{' || bracket == '[');
    comma(json);
    json->depth++;
    (void)fputc(bracket, json->out);
    json->more = false;
}

void json_close(struct json *json, char bracket)
{
    CLEW_ASSERT(bracket == '}' || bracket == ']');
    CLEW_ASSERT(json->depth > 0 && "each bracket closes one that is open");
    json->depth--;
    (void)fputc(bracket, json->out);
    json->more = true;
}

// Escapes what JSON requires, and also what a terminal would interpret. Both forms parse to the same text.
static size_t character(FILE *out, struct text text)
{
    uint32_t point;
    size_t size = text_character(text, &point);
    if (size == 0) {
        (void)fwrite("\xEF\xBF\xBD", 1, 3, out); // errors show in ferror()
    } else if (point == '"' || point == '\\') {
        (void)fprintf(out, "\\%c", (char)point);
    } else if (point == '\n') {
        (void)fputs("\\n", out);
    } else if (point == '\t') {
        (void)fputs("\\t", out);
    } else if (foreign_is_forbidden(point)) {
        (void)fprintf(out, "\\u%04x", point);
    } else {
        (void)fwrite(text.at, 1, size, out);
    }
    return size ? size : 1;
}

// The number of bytes at the front that stand for themselves: most texts are plain, and are written at once.
static size_t plain(struct text text)
{
    size_t size = 0;
    while (size < text.size && text.at[size] >= ' ' && text.at[size] < 0x7F && text.at[size] != '"' &&
           text.at[size] != '\\') {
        size++;
    }
    return size;
}

static void quoted(FILE *out, struct text text)
{
    (void)fputc('"', out);
    for (size_t i = 0; i < text.size;) {
        struct text rest = {text.at + i, text.size - i};
        size_t size = plain(rest);
        (void)fwrite(rest.at, 1, size, out); // errors show in ferror()
        i += size > 0 ? size : character(out, rest);
    }
    (void)fputc('"', out);
}

void json_key(struct json *json, const char *key)
{
    CLEW_ASSERT(json->depth > 0 && "members stand in an object");
    comma(json);
    quoted(json->out, text_of(key));
    (void)fputs(": ", json->out);
    json->more = false;
}

void json_text(struct json *json, struct text text)
{
    comma(json);
    quoted(json->out, text);
}

void json_u64(struct json *json, uint64_t value)
{
    comma(json);
    (void)fprintf(json->out, "%llu", (unsigned long long)value);
}

void json_i64(struct json *json, int64_t value)
{
    comma(json);
    (void)fprintf(json->out, "%lld", (long long)value);
}

void json_fraction(struct json *json, uint64_t whole, uint64_t fraction, uint32_t decimals)
{
    CLEW_ASSERT(decimals > 0 && decimals <= 18);
    while (decimals > 1 && fraction % 10 == 0) {
        fraction /= 10;
        decimals--;
    }
    comma(json);
    (void)fprintf(json->out, "%llu.%0*llu", (unsigned long long)whole, (int)decimals, (unsigned long long)fraction);
}

void json_share(struct json *json, double value)
{
    CLEW_ASSERT(value >= 0);
    comma(json);
    (void)fprintf(json->out, value > 0 ? "%.4f" : "0", value);
}

void json_bool(struct json *json, bool value)
{
    comma(json);
    (void)fputs(value ? "true" : "false", json->out);
}

void json_null(struct json *json)
{
    comma(json);
    (void)fputs("null", json->out);
}

void json_line(struct json *json)
{
    if (json->more) {
        (void)fputc(',', json->out);
    }
    json->more = false;
    (void)fputc('\n', json->out);
}

void json_member_text(struct json *json, const char *key, struct text text)
{
    json_key(json, key);
    json_text(json, text);
}

void json_member_text_maybe(struct json *json, const char *key, struct text text)
{
    json_key(json, key);
    if (text.size) {
        json_text(json, text);
    } else {
        json_null(json);
    }
}

void json_member_u64(struct json *json, const char *key, uint64_t value)
{
    json_key(json, key);
    json_u64(json, value);
}

void json_share_member(struct json *json, const char *key, double value)
{
    json_key(json, key);
    json_share(json, value);
}

void json_member_bool(struct json *json, const char *key, bool value)
{
    json_key(json, key);
    json_bool(json, value);
}

void json_member_maybe(struct json *json, const char *key, uint64_t value, bool known)
{
    json_key(json, key);
    if (known) {
        json_u64(json, value);
    } else {
        json_null(json);
    }
}
