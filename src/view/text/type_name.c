// Rewrites a type's full name, as recordings have it, into C#: `Dictionary<string, (int, Point)[]>`. A small
// recursive-descent parser writes to a buffer as it goes; if any part does not parse, value_short_type() uses the full
// name instead.
#include "base/assert.h"
#include "model/identifier.h"
#include "view/text/value.h"

#include <string.h>

// Bounds the recursion on hostile names.
enum { DEPTH_MAX = 32 };

// The state of the parser: output, and the input that is left.
struct shortener {
    struct buffer *into;
    struct text rest;
};

// Types that C# has keywords for.
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
    CLEW_ASSERT(size <= at->rest.size);
    at->rest = (struct text){at->rest.at + size, at->rest.size - size};
}

// Takes identifiers separated by dots. One of them can begin with a generated part in angle brackets: `<Main>d__0`.
// *last: where the last identifier begins.
static struct text take_path(struct shortener *at, size_t *last)
{
    size_t size = 0;
    *last = 0;
    while (size < at->rest.size && !memchr(">,[*&? ", at->rest.at[size], 7)) {
        char c = at->rest.at[size];
        size_t close = c == '<' && size == *last ? identifier_close(text_from(at->rest, size)) : 0;
        if (c == '<' && !close) {
            break;
        }
        size += close + 1;
        *last = c == '.' ? size : *last;
    }
    struct text path = {at->rest.at, size};
    skip(at, size);
    return path;
}

// Writes a keyword such as `int`, or the last identifier of the path. Returns the text that follows the type arguments.
static const char *write_path(struct shortener *at, struct text path, size_t last)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (text_equal(path, text_of(words[i].full))) {
            buffer_text(at->into, words[i].word);
            return "";
        }
    }
    return identifier_append(at->into, text_from(path, last));
}

// Takes a type with what follows it: nested types, array ranks, pointers, references.
static bool take_type(struct shortener *at, unsigned depth);

// Takes `<A, B>` and writes it with `close` at the end; the caller has written the opening mark.
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

// Takes a name with its type arguments. Nullable<T> becomes `T?`, and a ValueTuple becomes `(A, B)`.
static bool take_name(struct shortener *at, unsigned depth)
{
    size_t last;
    struct text path = take_path(at, &last);
    if (path.size == 0) {
        return false;
    }
    if (text_equal(path, text_of("System.Nullable")) && next_is(at, '<')) {
        return take_arguments(at, "?", depth);
    }
    bool generic = next_is(at, '<'), tuple = generic && text_equal(path, text_of("System.ValueTuple"));
    const char *behind = tuple ? "" : write_path(at, path, last);
    if (generic) {
        buffer_text(at->into, tuple ? "(" : "<");
        if (!take_arguments(at, tuple ? ")" : ">", depth)) {
            return false;
        }
    }
    buffer_text(at->into, behind);
    return true;
}

static bool take_type(struct shortener *at, unsigned depth)
{
    if (depth > DEPTH_MAX || !take_name(at, depth)) {
        return false;
    }
    while (next_is(at, '.')) { // a type nested in a generic type
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
