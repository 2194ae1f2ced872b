// See identifier.h.
#include "model/identifier.h"

enum { LOCAL_FUNCTIONS_MAX = 32 }; // within each other; bounds the recursion over hostile names

size_t identifier_close(struct text text)
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

// The method that a state machine was compiled from: `<Count>d__1`, `VB$StateMachine_3_Count`. Empty: the type is no
// state machine.
static struct text machine_of(struct text name)
{
    static const char basic[] = "VB$StateMachine_";
    size_t close = name.size && *name.at == '<' ? identifier_close(name) : 0;
    struct text kind = text_from(name, close ? close + 1 : 0);
    bool nested = name.size > 1 && name.at[1] == '<'; // of a lambda or local function: `<<Run>b__0>d`
    if (close > 1 && (text_starts(kind, "d__") || (nested && text_equal(kind, text_of("d"))))) {
        return (struct text){name.at + 1, close - 1};
    }
    const char *slot =
        text_starts(name, basic) ? memchr(name.at + sizeof basic - 1, '_', name.size - (sizeof basic - 1)) : NULL;
    return slot ? text_from(name, (size_t)(slot + 1 - name.at)) : (struct text){0};
}

// Writes `Run.Count` for the local function `<Run>g__Count|2`.
static void write_method(struct buffer *into, struct text name, unsigned depth)
{
    static const char mark[] = "g__";
    size_t close = name.size && *name.at == '<' ? identifier_close(name) : 0;
    struct text rest = text_from(name, close ? close + 1 : 0);
    const char *bar = depth > 0 && close && text_starts(rest, mark) ? memchr(rest.at, '|', rest.size) : NULL;
    if (bar) {
        write_method(into, (struct text){name.at + 1, close - 1}, depth - 1);
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

// Writes `Helper@Cart` for `<Cart>F...__Helper`, which is local to the file Cart.cs. False: the type is not.
static bool write_file_local(struct buffer *into, struct text name)
{
    size_t close = name.size && *name.at == '<' ? identifier_close(name) : 0, at = close + 1;
    bool local = close > 1 && at < name.size && name.at[at] == 'F';
    while (local && at < name.size && name.at[at] != '_') {
        at++;
    }
    struct text rest = text_from(name, local ? at : 0);
    if (!local || !text_starts(rest, "__")) {
        return false;
    }
    buffer_append(into, rest.at + 2, rest.size - 2);
    buffer_u8(into, '@');
    buffer_append(into, name.at + 1, close - 1);
    return true;
}

const char *identifier_append(struct buffer *into, struct text name)
{
    struct text method = machine_of(name);
    if (method.size) {
        write_method(into, method, LOCAL_FUNCTIONS_MAX);
        return "()";
    }
    if (write_file_local(into, name)) {
        return "";
    }
    size_t mark = generated_prefix(name);
    buffer_append(into, name.at + mark, name.size - mark);
    return "";
}
