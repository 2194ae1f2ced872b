// See names_recorded.h.
#include "metadata/names/names_recorded.h"

#include "metadata/names/names_internal.h"

// -- Methods ----------------------------------------------------------------------------------------------------------

// Whether the text has `@12.` or `@12-3.`, with which F# ends the names of generated classes.
static bool has_line_mark(struct text text)
{
    const char *at = text.size ? memchr(text.at, '@', text.size) : NULL;
    size_t i = at ? (size_t)(at + 1 - text.at) : text.size, digits = i;
    while (i < text.size && ((text.at[i] >= '0' && text.at[i] <= '9') || (text.at[i] == '-' && i > digits))) {
        i++;
    }
    return i > digits && i < text.size && text.at[i] == '.';
}

// Whether the class is named `closure` or `closure_1_0`, as the agent names closures of C# and VB.
static bool is_closure(struct text type)
{
    const char *dot = type.size ? memrchr(type.at, '.', type.size) : NULL;
    size_t from = dot ? (size_t)(dot + 1 - type.at) : 0;
    struct text last = {type.at + from, type.size - from};
    return text_equal(last, text_of("closure")) || text_starts(last, "closure_");
}

static bool contains(struct text text, const char *part)
{
    return text.size && memmem(text.at, text.size, part, strlen(part));
}

// A member of a state machine's class other than its body.
static bool is_of_machine(struct text name)
{
    return contains(name, " (async).") || contains(name, " (iterator).") || contains(name, " (async iterator).");
}

uint32_t recorded_method_flags(struct text name)
{
    enum { MADE = METHOD_FLAG_GENERATED | METHOD_FLAG_HELPER };
    const char *open = name.size ? memchr(name.at, '(', name.size) : NULL;
    struct text path = {name.at, open ? (size_t)(open - name.at) : name.size};
    size_t constructor = text_ends(path, "..ctor") ? 6 : text_ends(path, "..cctor") ? 7 : 0;
    uint32_t flags = contains(name, "..ctor(") ? METHOD_FLAG_CONSTRUCTOR : 0;
    if (is_of_machine(name) || text_starts(path, "PrivateImplementationDetails.") ||
        (constructor && is_closure((struct text){path.at, path.size - constructor}))) {
        return flags | MADE;
    }
    return has_line_mark(path) ? flags | METHOD_FLAG_HELPER | METHOD_FLAG_UNCERTAIN : flags;
}

// -- Types ------------------------------------------------------------------------------------------------------------

// A name may also match by one of its type arguments.
uint32_t recorded_type_flags(const struct type *type)
{
    struct text name = type->name;
    uint32_t tuple = type->kind == TYPE_STRUCT && text_starts(name, "System.ValueTuple<") ? TYPE_FLAG_TUPLE : 0;
    if (contains(name, ".VB$StateMachine") || contains(name, ".<") || text_starts(name, "<")) {
        bool machine = contains(name, ".VB$StateMachine") || contains(name, ">d__"), closure = contains(name, "<>c");
        return tuple | TYPE_FLAG_GENERATED | (machine ? TYPE_FLAG_STATE_MACHINE : closure ? TYPE_FLAG_CLOSURE : 0);
    }
    bool closure = contains(name, "._Closure$") || contains(name, "@");
    return tuple | (closure ? TYPE_FLAG_GENERATED | TYPE_FLAG_CLOSURE : 0);
}

// -- Variables --------------------------------------------------------------------------------------------------------

enum variable_role recorded_role(const struct site *site)
{
    if (text_equal(site->name, text_of("this"))) {
        return VARIABLE_THIS;
    }
    bool current = site->place == PLACE_FIELD && text_equal(site->name, text_of("Current"));
    return current ? VARIABLE_CURRENT : VARIABLE_UNKNOWN;
}
