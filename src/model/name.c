// See name.h. Names are those that the agent builds from metadata (metadata/names/), with generic arguments and
// brackets that can nest.
#include "model/name.h"

// The position of the opening bracket that matches the closing one at `close`; SIZE_MAX: there is none.
static size_t opening(struct text name, size_t close)
{
    size_t open = 0;
    for (size_t i = close + 1; i-- > 0;) {
        open += name.at[i] == ')';
        open -= name.at[i] == '(';
        if (open == 0) {
            return i;
        }
    }
    return SIZE_MAX;
}

static struct text cut(struct text text, size_t from, size_t to)
{
    return (struct text){text.at + from, to - from};
}

// Where the last component begins, for a name without parameters: after the last dot outside brackets. A name of F# may
// close brackets that it does not open (`a->b`); then it is the last dot.
static size_t last_component(struct text name)
{
    size_t at = name.size;
    int depth = 0;
    for (; at > 0 && (depth > 0 || name.at[at - 1] != '.'); at--) {
        depth +=
            (name.at[at - 1] == '>' || name.at[at - 1] == ')') - (name.at[at - 1] == '<' || name.at[at - 1] == '(');
    }
    const char *dot = depth > 0 ? memrchr(name.at, '.', name.size) : NULL;
    return dot ? (size_t)(dot + 1 - name.at) : at;
}

// Whether a component has a meaning only together with the one before it: an accessor, or a numbered lambda.
static bool is_suffix(struct text component)
{
    static const char *const accessors[] = {"get", "set", "init", "add", "remove", "raise"};
    bool found = text_starts(component, "lambda#");
    for (size_t i = 0; i < sizeof accessors / sizeof *accessors; i++) {
        found = found || text_equal(component, text_of(accessors[i]));
    }
    return found;
}

// Where the method's name begins. `.ctor` has a dot of its own.
static size_t method_start(struct text head)
{
    size_t at = last_component(head);
    if (at > 1 && head.at[at - 2] == '.') {
        return at - 1;
    }
    while (at > 0 && is_suffix(cut(head, at, head.size))) {
        size_t before = last_component(cut(head, 0, at - 1));
        head.size = at - 1;
        at = before;
    }
    return at;
}

// The size of the words that the name of a state machine's body ends with.
static size_t kind_size(struct text name)
{
    static const char *const kinds[] = {" (async)", " (iterator)", " (async iterator)"};
    size_t size = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && size == 0; i++) {
        size = text_ends(name, kinds[i]) ? strlen(kinds[i]) : 0;
    }
    return size;
}

// A parameter list follows its name without a space: the source's name of F# may be `gives 3 (three)`.
struct name_parts name_parts(struct text name)
{
    size_t kind = name.size - kind_size(name), list = kind; // where these parts begin
    if (text_ends(cut(name, 0, kind), ")")) {
        size_t open = opening(name, kind - 1);
        list = open != SIZE_MAX && open > 0 && name.at[open - 1] != ' ' ? open : kind;
    }
    size_t method = method_start(cut(name, 0, list));
    return (struct name_parts){cut(name, 0, method), cut(name, method, list), cut(name, list, kind),
                               cut(name, kind, name.size)};
}

void name_drop_component(struct text *owner)
{
    size_t at = 0;
    for (int depth = 0; at < owner->size && (depth > 0 || owner->at[at] != '.'); at++) {
        depth += (owner->at[at] == '<' || owner->at[at] == '(') - (owner->at[at] == '>' || owner->at[at] == ')');
    }
    at += at < owner->size;
    *owner = cut(*owner, at, owner->size);
}
