// Rewrites a type's full name, as recordings have it, into C#: `Dictionary<string, (int, Point)[]>`. A small
// recursive-descent parser writes to a buffer as it goes; if any part does not parse, value_short_type() uses the full
// name instead.
#include "base/assert.h"
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

static struct text text_from(struct text text, size_t start)
{
    CLEW_ASSERT(start <= text.size);
    return (struct text){text.at + start, text.size - start};
}

// The position of the bracket that closes the one at the start of `text`; 0: there is none.
static size_t find_close(struct text text)
{
    size_t depth = 0;
    for (size_t i = 0; i < text.size; i++) {
        depth += text.at[i] == '<';
        depth -= text.at[i] == '>';
        if (depth == 0) {
            return i;
        }
    }
    return 0;
}

// Takes identifiers separated by dots. One of them can begin with a generated part in angle brackets: `<Main>d__0`.
// *last: where the last identifier begins.
static struct text take_path(struct shortener *at, size_t *last)
{
    size_t size = 0;
    *last = 0;
    while (size < at->rest.size && !memchr(">,[*&? ", at->rest.at[size], 7)) {
        char c = at->rest.at[size];
        size_t close = c == '<' && size == *last ? find_close(text_from(at->rest, size)) : 0;
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

// The method that a state machine was compiled from: `<Count>d__1`, `VB$StateMachine_3_Count`. Empty: the type is no
// state machine.
static struct text machine_of(struct text name)
{
    static const char basic[] = "VB$StateMachine_";
    size_t close = name.size && *name.at == '<' ? find_close(name) : 0;
    if (close > 1 && close + 1 < name.size && name.at[close + 1] == 'd') {
        return (struct text){name.at + 1, close - 1};
    }
    const char *slot =
        text_starts(name, basic) ? memchr(name.at + sizeof basic - 1, '_', name.size - (sizeof basic - 1)) : NULL;
    return slot ? text_from(name, (size_t)(slot + 1 - name.at)) : (struct text){0};
}

// Writes `Run.Count` for the local function `<Run>g__Count|2`.
static void write_method(struct buffer *into, struct text name)
{
    static const char mark[] = "g__";
    size_t close = name.size && *name.at == '<' ? find_close(name) : 0;
    struct text rest = text_from(name, close ? close + 1 : 0);
    const char *bar = close && text_starts(rest, mark) ? memchr(rest.at, '|', rest.size) : NULL;
    if (bar) {
        write_method(into, (struct text){name.at + 1, close - 1});
        buffer_u8(into, '.');
        rest = (struct text){rest.at + sizeof mark - 1, (size_t)(bar - rest.at) - (sizeof mark - 1)};
    }
    buffer_append(into, bar ? rest.at : name.at, bar ? rest.size : name.size);
}

// The size of the prefix of a compiler-generated type's name: `<>f__AnonymousType0`, `VB$AnonymousType_0`.
static size_t generated_prefix(struct text name)
{
    bool roslyn = text_starts(name, "<>") && name.size > 5 && memcmp(name.at + 3, "__", 2) == 0;
    return roslyn ? 5 : text_starts(name, "VB$") ? 3 : 0;
}

// Writes a type's identifier. A state machine is named after its method, as in names of methods. Returns the text that
// follows the type arguments.
static const char *write_identifier(struct buffer *into, struct text name)
{
    struct text method = machine_of(name);
    if (method.size) {
        write_method(into, method);
        return "()";
    }
    size_t mark = generated_prefix(name);
    buffer_append(into, name.at + mark, name.size - mark);
    return "";
}

// Writes a keyword such as `int`, or the last identifier of the path. Returns the same as write_identifier().
static const char *write_path(struct shortener *at, struct text path, size_t last)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (text_equal(path, text_of(words[i].full))) {
            buffer_text(at->into, words[i].word);
            return "";
        }
    }
    return write_identifier(at->into, text_from(path, last));
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
