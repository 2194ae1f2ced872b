// What stories leave out: what a compiler needed variables, objects and methods for that the source has not.
#include "view/format.h"
#include "view/replay.h"

static const struct type *type_of_object(struct replay_context *context, uint32_t process, uint32_t number)
{
    const struct recording_object *object = number ? objects_find(context->objects, process, number) : NULL;
    return object ? sites_type(context->sites, process, object->type) : NULL;
}

bool story_is_made(struct replay_context *context, uint32_t process, uint32_t number)
{
    static const char *const marks[] = {".<", "._Closure$", ".VB$StateMachine", "@"};
    const struct type *type = type_of_object(context, process, number);
    for (size_t i = 0; type && i < sizeof marks / sizeof *marks; i++) {
        if (memmem(type->name.at, type->name.size, marks[i], strlen(marks[i]))) {
            return true;
        }
    }
    return type && text_starts(type->name, "<");
}

// -- Methods ----------------------------------------------------------------------------------------------------------

// Whether `@12.` or `@12-3.`, which F# closes the names of its classes with, stands in the text.
static bool has_line_mark(struct text text)
{
    const char *at = text.size ? memchr(text.at, '@', text.size) : NULL;
    size_t i = at ? (size_t)(at + 1 - text.at) : text.size, digits = i;
    while (i < text.size && ((text.at[i] >= '0' && text.at[i] <= '9') || (text.at[i] == '-' && i > digits))) {
        i++;
    }
    return i > digits && i < text.size && text.at[i] == '.';
}

// Whether the class is called `closure` or `closure_1_0`.
static bool is_closure(struct text type)
{
    const char *dot = type.size ? memrchr(type.at, '.', type.size) : NULL;
    size_t from = dot ? (size_t)(dot + 1 - type.at) : 0;
    struct text last = {type.at + from, type.size - from};
    return text_equal(last, text_of("closure")) || text_starts(last, "closure_");
}

bool story_is_plumbing(struct text name)
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

// -- Values -----------------------------------------------------------------------------------------------------------

// The object that the event is about: that a value names, or that a field is of.
static bool about_made(struct replay_context *context, const struct timeline_step *step, const struct site *site)
{
    struct site_value value;
    uint32_t process = step->thread->process;
    return sites_take(context->sites, process, site, step->cells, step->cells_left, &value) != UINT32_MAX &&
           value.encoding == VALUE_OBJECT && story_is_made(context, process, value_object(&value));
}

static bool is_brace(struct replay_context *context, const struct timeline_step *step, const struct site *site)
{
    if (!site->start_line || site->end_line != site->start_line || site->end_column != site->start_column + 1) {
        return false;
    }
    buffer_clear(&context->text);
    story_source(context, step, site, &context->text);
    return context->text.size == 1 && (*context->text.data == '{' || *context->text.data == '}');
}

// Of the step's method; "" where that is not known.
static const char *kind_of(const struct replay_context *context, const struct timeline_step *step)
{
    const struct catalog *catalog = &context->model->catalog;
    uint32_t process = step->thread->process;
    uint32_t method = catalog_find_method(catalog, process, sites_method(context->sites, process, step->site));
    return method == CATALOG_NONE ? "" : format_kind(catalog->methods[method].record.kind);
}

// Whether the method is the body of an async method or iterator, whose variables are fields.
static bool in_machine(const struct replay_context *context, const struct timeline_step *step)
{
    const char *kind = kind_of(context, step);
    return strstr(kind, "async") || strstr(kind, "iterator");
}

static bool in_iterator(const struct replay_context *context, const struct timeline_step *step)
{
    return strcmp(kind_of(context, step), "iterator") == 0;
}

const struct site *story_neighbour(const struct replay_context *context, const struct timeline_step *step,
                                   int32_t distance)
{
    enum { NEIGHBOURS_MAX = 4096 };
    uint32_t process = step->thread->process, number = step->site + (uint32_t)distance;
    bool near = distance < NEIGHBOURS_MAX && distance > -NEIGHBOURS_MAX;
    bool same =
        near && sites_method(context->sites, process, number) == sites_method(context->sites, process, step->site);
    return same ? sites_site(context->sites, process, number) : NULL;
}

// Whether another of its statement's definitions is of the same local: conditions are computed once.
static bool is_set_twice(const struct replay_context *context, const struct timeline_step *step,
                         const struct site *site)
{
    for (int direction = -1; direction <= 1; direction += 2) {
        int32_t distance = direction;
        const struct site *other;
        while ((other = story_neighbour(context, step, distance)) && other->statement == site->statement &&
               other->kind != SITE_STATEMENT) {
            if (other->kind == SITE_DEFINITION && other->place == PLACE_LOCAL && other->index == site->index) {
                return true;
            }
            distance += direction;
        }
    }
    return false;
}

// The source of the statement that a value belongs to; borrowed until the next text is made.
static struct text source_of(struct replay_context *context, const struct timeline_step *step, const struct site *site)
{
    const struct site *statement = sites_site(context->sites, step->thread->process, site->statement);
    buffer_clear(&context->text);
    if (statement) {
        story_source(context, step, statement, &context->text);
    }
    return text_in(&context->text);
}

// Whether it is an iterator's Current, cleared where none is yielded.
static bool is_cleared(struct replay_context *context, const struct timeline_step *step, const struct site *site)
{
    if (site->place != PLACE_FIELD || !text_equal(site->name, text_of("Current")) ||
        !strstr(kind_of(context, step), "iterator")) {
        return false;
    }
    struct text source = source_of(context, step, site);
    return !text_starts(source, "yield ") && !text_starts(source, "Yield ");
}

// Debug builds keep a condition in a local without a name. So they do with what an iterator's MoveNext is about to return,
// in its first local (conditions come behind the state), with whether a lock is taken, and, outside of any statement, with
// whether a Visual Basic loop has another item.
static bool is_condition(struct replay_context *context, const struct timeline_step *step, const struct site *site)
{
    return site->kind == SITE_DEFINITION && site->encoding == VALUE_BOOLEAN && site->start_line && site->statement &&
           !(site->index == 0 && in_iterator(context, step)) && !is_set_twice(context, step, site);
}

// `_Name` and `name` are one.
static bool same_name(struct text a, struct text b)
{
    size_t skip_a = text_starts(a, "_"), skip_b = text_starts(b, "_");
    size_t size = a.size - skip_a;
    return size && size == b.size - skip_b && strncasecmp(a.at + skip_a, b.at + skip_b, size) == 0;
}

// Whether a compiler's code, before any statement or without one, puts a parameter into a field of its name: of a record,
// a closure, a state machine. The call has told it.
static bool is_copy(const struct replay_context *context, const struct timeline_step *step, const struct site *site)
{
    const struct site *other;
    if (site->kind != SITE_DEFINITION || site->place != PLACE_FIELD || site->start_line || !site->name.size ||
        !story_has_symbols(context, step)) {
        return false;
    }
    for (int32_t distance = -1; (other = story_neighbour(context, step, distance)); distance--) {
        if (other->kind == SITE_ARGUMENT && same_name(other->name, site->name)) {
            return true;
        }
    }
    return false;
}

static bool is_null(const struct replay_context *context, const struct timeline_step *step, const struct site *site)
{
    struct site_value value;
    bool taken =
        sites_take(context->sites, step->thread->process, site, step->cells, step->cells_left, &value) != UINT32_MAX;
    for (uint32_t i = 0; taken && i < (value.size + 3) / 4; i++) {
        taken = value.cells[i] == 0;
    }
    return taken;
}

// Whether a compiler lets go of a variable that it keeps in a field: at the end of its block, or in an async method or
// iterator where no statement is.
static bool is_let_go(struct replay_context *context, const struct timeline_step *step, const struct site *site)
{
    if (site->kind != SITE_DEFINITION || site->place != PLACE_FIELD) {
        return false;
    }
    const struct site *statement = sites_site(context->sites, step->thread->process, site->statement);
    return statement ? is_brace(context, step, statement)
                     : in_machine(context, step) && story_has_symbols(context, step) && is_null(context, step, site);
}

// Whether the value is F#'s `()`.
static bool is_unit(const struct replay_context *context, const struct timeline_step *step, const struct site *site)
{
    const struct type *type = sites_type(context->sites, step->thread->process, site->type);
    return type && text_equal(type->name, text_of("Microsoft.FSharp.Core.Unit"));
}

// Whether it is of the object that tells whether a Visual Basic `Static` has got its first value.
static bool is_static_flag(struct replay_context *context, const struct timeline_step *step, const struct site *site)
{
    struct site_value value;
    uint32_t process = step->thread->process;
    if (sites_take(context->sites, process, site, step->cells, step->cells_left, &value) == UINT32_MAX) {
        return false;
    }
    uint32_t object = site->kind == SITE_ALLOCATION ? value_object(&value) : value.owner_object;
    const struct type *type = type_of_object(context, process, object);
    return type && text_equal(type->name, text_of("Microsoft.VisualBasic.CompilerServices.StaticLocalInitFlag"));
}

bool story_is_noise(struct replay_context *context, const struct timeline_step *step, const struct site *site)
{
    if (site->kind == SITE_STATEMENT) {
        return is_brace(context, step, site);
    }
    if (text_equal(site->name, text_of("this")) && (site->kind == SITE_USE || about_made(context, step, site))) {
        return true; // the call has told it, or the source has no such object
    }
    if (site->kind == SITE_ALLOCATION && about_made(context, step, site)) {
        return true;
    }
    if (is_unit(context, step, site) || (site->kind == SITE_RESULT && in_iterator(context, step)) ||
        is_copy(context, step, site) || is_let_go(context, step, site) || is_static_flag(context, step, site) ||
        is_cleared(context, step, site)) {
        return true;
    }
    bool stored = site->kind == SITE_DEFINITION || site->kind == SITE_USE;
    // With symbols, what the source names has a name.
    bool made = site->name.size == 0 && story_has_symbols(context, step);
    return stored && made &&
           ((site->place == PLACE_LOCAL && !is_condition(context, step, site)) || site->place == PLACE_FIELD ||
            site->place == PLACE_STATIC_FIELD);
}
