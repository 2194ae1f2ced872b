// See json.h.
#include "view/json.h"

static void comma(struct json *json)
{
    if (json->more) {
        (void)fputc(',', json->out);
    }
    json->more = true;
}

void json_open(struct json *json, char bracket)
{
    comma(json);
    (void)fputc(bracket, json->out);
    json->more = false;
}

void json_close(struct json *json, char bracket)
{
    (void)fputc(bracket, json->out);
    json->more = true;
}

// Length of the well-formed UTF-8 sequence at the start; 0 when there is none.
static size_t sequence(const unsigned char *at, size_t left)
{
    static const struct {
        unsigned char first_low, first_high, second_low, second_high;
        size_t size;
    } forms[] = {{0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3},
                 {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4},
                 {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (at[0] < forms[i].first_low || at[0] > forms[i].first_high || left < forms[i].size) {
            continue;
        }
        bool whole = at[1] >= forms[i].second_low && at[1] <= forms[i].second_high;
        for (size_t j = 2; j < forms[i].size; j++) {
            whole = whole && (at[j] & 0xC0) == 0x80;
        }
        return whole ? forms[i].size : 0;
    }
    return 0;
}

static size_t character(FILE *out, const unsigned char *at, size_t left)
{
    if (*at == '"' || *at == '\\') {
        (void)fprintf(out, "\\%c", *at);
    } else if (*at == '\n') {
        (void)fputs("\\n", out);
    } else if (*at == '\t') {
        (void)fputs("\\t", out);
    } else if (*at < 0x20 || *at == 0x7F) {
        (void)fprintf(out, "\\u%04x", *at);
    } else if (*at < 0x80) {
        (void)fputc(*at, out);
    } else {
        size_t size = sequence(at, left);
        (void)(size ? fwrite(at, 1, size, out) : fwrite("\xEF\xBF\xBD", 1, 3, out)); // errors show in ferror()
        return size ? size : 1;
    }
    return 1;
}

static void quoted(FILE *out, struct text text)
{
    const unsigned char *at = (const unsigned char *)text.at;
    (void)fputc('"', out);
    for (size_t i = 0; i < text.size;) {
        i += character(out, at + i, text.size - i);
    }
    (void)fputc('"', out);
}

void json_key(struct json *json, const char *key)
{
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

void json_member_u64(struct json *json, const char *key, uint64_t value)
{
    json_key(json, key);
    json_u64(json, value);
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
