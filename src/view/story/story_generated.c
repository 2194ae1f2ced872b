// See story_generated.h. Recordings of this version have no flag for compiler-generated types and methods, so their
// names are matched against the patterns of the C#, F# and Visual Basic compilers.
#include "view/story/story_generated.h"

#include <string.h>

// -- Objects ----------------------------------------------------------------------------------------------------------

// The type of an object; NULL: unknown.
static const struct type *type_of_object(const struct replay_context *context, uint32_t process, uint32_t number)
{
    const struct recording_object *object = number ? objects_find(context->objects, process, number) : NULL;
    return object ? sites_type(context->sites, process, object->type) : NULL;
}

bool story_generated_object(const struct replay_context *context, uint32_t process, uint32_t object)
{
    static const char *const marks[] = {".<", "._Closure$", ".VB$StateMachine", "@"};
    const struct type *type = type_of_object(context, process, object);
    for (size_t i = 0; type && i < sizeof marks / sizeof *marks; i++) {
        if (memmem(type->name.at, type->name.size, marks[i], strlen(marks[i]))) {
            return true;
        }
    }
    return type && text_starts(type->name, "<");
}

bool story_static_flag(const struct replay_context *context, uint32_t process, uint32_t object)
{
    static const char name[] = "Microsoft.VisualBasic.CompilerServices.StaticLocalInitFlag";
    const struct type *type = type_of_object(context, process, object);
    return type && text_equal(type->name, text_of(name));
}

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

// Whether the class is named `closure` or `closure_1_0`, as the agent names C# closures.
static bool is_closure(struct text type)
{
    const char *dot = type.size ? memrchr(type.at, '.', type.size) : NULL;
    size_t from = dot ? (size_t)(dot + 1 - type.at) : 0;
    struct text last = {type.at + from, type.size - from};
    return text_equal(last, text_of("closure")) || text_starts(last, "closure_");
}

bool story_generated_method(struct text name)
{
    static const char *const machines[] = {" (async).", " (iterator).", " (async iterator)."};
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        if (memmem(name.at, name.size, machines[i], strlen(machines[i]))) {
            return true;
        }
    }
    const char *open = name.size ? memchr(name.at, '(', name.size) : NULL;
    struct text path = {name.at, open ? (size_t)(open - name.at) : name.size};
    size_t constructor = text_ends(path, "..ctor") ? 6 : text_ends(path, "..cctor") ? 7 : 0;
    return text_starts(path, "PrivateImplementationDetails.") || has_line_mark(path) ||
           (constructor && is_closure((struct text){path.at, path.size - constructor}));
}
