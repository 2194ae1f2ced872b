// A type's full name as people write it: `Dictionary<string, (int, Point)[]>` for the name that recordings have.
#include "view/value.h"

#include <string.h>

enum { DEPTH_MAX = 32 };

struct shortener {
    struct buffer *into;
    struct text rest;
};

static const struct {
    const char *full, *word;
} words[] = {{"System.Boolean", "bool"},  {"System.Byte", "byte"},     {"System.SByte", "sbyte"},
             {"System.Char", "char"},     {"System.Int16", "short"},   {"System.UInt16", "ushort"},
             {"System.Int32", "int"},     {"System.UInt32", "uint"},   {"System.Int64", "long"},
             {"System.UInt64", "ulong"},  {"System.IntPtr", "nint"},   {"System.UIntPtr", "nuint"},
             {"System.Single", "float"},  {"System.Double", "double"}, {"System.String", "string"},
             {"System.Object", "object"}, {"System.Void", "void"},     {"System.Decimal", "decimal"}};

static bool next_is(const struct shortener *at, char c)
{
    return at->rest.size && *at->rest.at == c;
}

static void skip(struct shortener *at, size_t size)
{
    at->rest = (struct text){at->rest.at + size, at->rest.size - size};
}

// Identifiers with dots between them. One may begin with what a compiler put in angle brackets: `<Main>d__0`.
static struct text take_path(struct shortener *at)
{
    size_t size = 0;
    bool begins = true;
    while (size < at->rest.size && !memchr(">,[*&? ", at->rest.at[size], 7)) {
        const char *close = at->rest.at[size] == '<' ? memchr(at->rest.at + size, '>', at->rest.size - size) : NULL;
        if (close && begins) {
            size = (size_t)(close - at->rest.at);
        } else if (at->rest.at[size] == '<') {
            break;
        }
        begins = at->rest.at[size] == '.';
        size++;
    }
    struct text path = {at->rest.at, size};
    skip(at, size);
    return path;
}

static void write_path(struct shortener *at, struct text path)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (text_equal(path, text_of(words[i].full))) {
            buffer_text(at->into, words[i].word);
            return;
        }
    }
    const char *dot = memrchr(path.at, '.', path.size);
    size_t from = dot ? (size_t)(dot + 1 - path.at) : 0;
    buffer_append(at->into, path.at + from, path.size - from);
}

static bool take_type(struct shortener *at, unsigned depth);

// `<A, B>`, between other marks; the one before it is written.
static bool take_arguments(struct shortener *at, const char *close, unsigned depth)
{
    do {
        skip(at, 1); // < or ,
        if (next_is(at, ' ')) {
            skip(at, 1);
        }
        if (!take_type(at, depth + 1)) {
            return false;
        }
        buffer_text(at->into, next_is(at, ',') ? ", " : "");
    } while (next_is(at, ','));
    bool closed = next_is(at, '>');
    if (closed) {
        skip(at, 1);
        buffer_text(at->into, close);
    }
    return closed;
}

static bool take_name(struct shortener *at, unsigned depth)
{
    struct text path = take_path(at);
    if (path.size == 0) {
        return false;
    }
    if (!next_is(at, '<')) {
        write_path(at, path);
        return true;
    }
    if (text_equal(path, text_of("System.Nullable"))) {
        return take_arguments(at, "?", depth);
    }
    bool tuple = text_equal(path, text_of("System.ValueTuple"));
    if (!tuple) {
        write_path(at, path);
    }
    buffer_text(at->into, tuple ? "(" : "<");
    return take_arguments(at, tuple ? ")" : ">", depth);
}

static bool take_type(struct shortener *at, unsigned depth)
{
    if (depth > DEPTH_MAX || !take_name(at, depth)) {
        return false;
    }
    while (next_is(at, '.')) { // in a generic type
        skip(at, 1);
        buffer_u8(at->into, '.');
        if (!take_name(at, depth)) {
            return false;
        }
    }
    while (at->rest.size && memchr("[]*&?", *at->rest.at, 5)) {
        size_t size = 1;
        while (*at->rest.at == '[' && size < at->rest.size && at->rest.at[size - 1] != ']') {
            size++;
        }
        buffer_append(at->into, at->rest.at, size);
        skip(at, size);
    }
    return true;
}

void value_short_type(struct buffer *into, struct text name)
{
    struct buffer made = {0};
    struct shortener at = {.into = &made, .rest = name};
    bool whole = take_type(&at, 0) && at.rest.size == 0 && !made.failed;
    buffer_append(into, whole ? (const char *)made.data : name.at, whole ? made.size : name.size);
    buffer_free(&made);
}
