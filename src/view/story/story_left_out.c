// See story_left_out.h. Each rule is a function that says whether to leave out the value of an event; the table at the
// end lists them.
#include "view/story/story_left_out.h"

#include <string.h>

#include "view/story/story_generated.h"
#include "view/story/story_source.h"
#include "view/story/story_value.h"

// The event that a rule decides about.
struct event {
    struct replay_context *context;
    const struct story_methods *methods;
    const struct event_step *step;
    const struct site *site;
};

// -- Facts ------------------------------------------------------------------------------------------------------------

// Without symbols no variable has a name, so rules about unnamed variables do not apply.
static bool has_symbols(const struct event *event)
{
    return story_methods_has_symbols(event->methods, event->context, event->step);
}

// The kind of the step's method; PLAIN if unknown.
static uint32_t kind_of_method(const struct event *event)
{
    uint32_t method = replay_site_method(event->context, event->step);
    return method == CATALOG_NONE ? METHOD_KIND_PLAIN : event->context->model->catalog.methods[method].record.kind;
}

// Whether the method is the body of an async method or iterator, whose variables are fields.
static bool in_state_machine(const struct event *event)
{
    uint32_t kind = kind_of_method(event);
    return kind == METHOD_KIND_ASYNC || kind == METHOD_KIND_ITERATOR || kind == METHOD_KIND_ASYNC_ITERATOR;
}

static bool in_iterator(const struct event *event)
{
    return kind_of_method(event) == METHOD_KIND_ITERATOR;
}

// The source of a statement, in context->text: valid until the next text is made there.
static struct text source_of(const struct event *event, const struct site *statement)
{
    struct buffer *text = &event->context->text;
    buffer_clear(text);
    if (statement) {
        story_source(event->context, event->step, statement, text);
    }
    return text_in(text);
}

// The statement that the value belongs to; NULL: none.
static const struct site *statement_of(const struct event *event)
{
    return sites_site(event->context->sites, event->step->thread->process, event->site->statement);
}

// Debug builds have a sequence point at each brace of a method or block.
static bool is_brace(const struct event *event, const struct site *statement)
{
    if (!statement->start_line || statement->end_line != statement->start_line ||
        statement->end_column != statement->start_column + 1) {
        return false;
    }
    struct text source = source_of(event, statement);
    return source.size == 1 && (*source.at == '{' || *source.at == '}');
}

// Compilers divide the head of a loop into statements, some of which are a single word.
static bool is_fragment(const struct event *event, const struct site *statement)
{
    static const char *const words[] = {"in", "foreach", "for"};
    uint32_t size = statement->end_column - statement->start_column;
    if (!statement->start_line || statement->end_line != statement->start_line || size < sizeof "in" - 1 ||
        size > sizeof "foreach" - 1) {
        return false;
    }
    struct text source = source_of(event, statement);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (text_equal(source, text_of(words[i]))) {
            return true;
        }
    }
    return false;
}

// Whether the value refers to an object of a compiler-generated class.
static bool is_of_generated_object(const struct event *event)
{
    struct site_value value;
    return replay_take(event->context, event->step, event->site, &value) && value.encoding == VALUE_OBJECT &&
           story_generated_object(event->context, event->step->thread->process, value_object(&value));
}

// -- Rules ------------------------------------------------------------------------------------------------------------

// `this`: the line of the call shows it already, or it is a closure, which the source does not have.
static bool is_this(const struct event *event)
{
    return event->site->role == VARIABLE_THIS && (event->site->kind == SITE_USE || is_of_generated_object(event));
}

// The allocation of a closure or state machine is not in the source.
static bool is_generated_allocation(const struct event *event)
{
    return event->site->kind == SITE_ALLOCATION && is_of_generated_object(event);
}

// F#'s unit value `()` carries no information.
static bool is_unit(const struct event *event)
{
    const struct type *type = sites_type(event->context->sites, event->step->thread->process, event->site->type);
    return type && text_equal(type->name, text_of("Microsoft.FSharp.Core.Unit"));
}

// The result of an iterator's MoveNext only says whether there is another item. The items are shown where they are
// yielded.
static bool is_iterator_result(const struct event *event)
{
    return event->site->kind == SITE_RESULT && in_iterator(event);
}

// Whether names are equal except for case and a leading underscore: `_Name` and `name`.
static bool same_name(struct text a, struct text b)
{
    size_t skip_a = text_starts(a, "_"), skip_b = text_starts(b, "_");
    size_t size = a.size - skip_a;
    return size && size == b.size - skip_b && strncasecmp(a.at + skip_a, b.at + skip_b, size) == 0;
}

// Compilers copy parameters into fields of the same name (of a record, a closure, a state machine), before any
// statement or in methods without one. The call's line has shown the value.
static bool is_copied_parameter(const struct event *event)
{
    const struct site *site = event->site, *other;
    if (site->kind != SITE_DEFINITION || site->place != PLACE_FIELD || site->start_line || !site->name.size ||
        !has_symbols(event)) {
        return false;
    }
    for (int32_t distance = -1; (other = story_neighbour(event->context, event->step, distance)); distance--) {
        if (other->kind == SITE_ARGUMENT && same_name(other->name, site->name)) {
            return true;
        }
    }
    return false;
}

// Whether all bytes of the value are 0, which is how a released variable looks.
static bool is_zero(const struct event *event)
{
    struct site_value value;
    bool zero = replay_take(event->context, event->step, event->site, &value);
    for (uint32_t i = 0; zero && i < (value.size + 3) / 4; i++) {
        zero = value.cells[i] == 0;
    }
    return zero;
}

// A variable kept in a field is cleared at the end of its block; in an async method or iterator, also between
// statements.
static bool is_released(const struct event *event)
{
    if (event->site->kind != SITE_DEFINITION || event->site->place != PLACE_FIELD) {
        return false;
    }
    const struct site *statement = statement_of(event);
    return statement ? is_brace(event, statement) : in_state_machine(event) && has_symbols(event) && is_zero(event);
}

// A value of the object that records whether a Visual Basic `Static` variable is initialised.
static bool is_of_static_flag(const struct event *event)
{
    struct site_value value;
    if (!replay_take(event->context, event->step, event->site, &value)) {
        return false;
    }
    uint32_t object = event->site->kind == SITE_ALLOCATION ? value_object(&value) : value.owner_object;
    return story_static_flag(event->context, event->step->thread->process, object);
}

// An iterator clears Current in statements that yield nothing.
static bool is_cleared_current(const struct event *event)
{
    uint32_t kind = kind_of_method(event);
    if (event->site->role != VARIABLE_CURRENT || (kind != METHOD_KIND_ITERATOR && kind != METHOD_KIND_ASYNC_ITERATOR)) {
        return false;
    }
    struct text source = source_of(event, statement_of(event));
    return !text_starts(source, "yield ") && !text_starts(source, "Yield ");
}

// Whether the same statement defines the same local once more. A condition is computed only once.
static bool is_set_twice(const struct event *event)
{
    const struct site *site = event->site, *other;
    for (int direction = -1; direction <= 1; direction += 2) {
        int32_t distance = direction;
        while ((other = story_neighbour(event->context, event->step, distance)) &&
               other->statement == site->statement && other->kind != SITE_STATEMENT) {
            if (other->kind == SITE_DEFINITION && other->place == PLACE_LOCAL && other->index == site->index) {
                return true;
            }
            distance += direction;
        }
    }
    return false;
}

// Debug builds store a condition in an unnamed local, and its value is worth showing. Unnamed locals also hold the
// value that an iterator's MoveNext returns (its first local), whether a lock was taken, and, outside statements,
// whether a Visual Basic loop has another item.
static bool is_condition(const struct event *event)
{
    const struct site *site = event->site;
    return site->kind == SITE_DEFINITION && site->encoding == VALUE_BOOLEAN && site->start_line && site->statement &&
           !(site->index == 0 && in_iterator(event)) && !is_set_twice(event);
}

// A variable that the source does not have. If the module has symbols, all variables of the source have names.
static bool is_generated_variable(const struct event *event)
{
    const struct site *site = event->site;
    bool stored = site->kind == SITE_DEFINITION || site->kind == SITE_USE;
    bool generated = site->role == VARIABLE_GENERATED || site->role == VARIABLE_LINK ||
                     (site->role == VARIABLE_UNKNOWN && !site->name.size);
    if (!stored || !generated || !has_symbols(event)) {
        return false;
    }
    return site->place == PLACE_FIELD || site->place == PLACE_STATIC_FIELD || site->place == PLACE_ITEM_FIELD ||
           (site->place == PLACE_LOCAL && !is_condition(event));
}

// -- All --------------------------------------------------------------------------------------------------------------

// Cheap and frequent rules come first.
static bool (*const rules[])(const struct event *event) = {
    is_this,
    is_generated_allocation,
    is_unit,
    is_iterator_result,
    is_copied_parameter,
    is_released,
    is_of_static_flag,
    is_cleared_current,
    is_generated_variable,
};

bool story_leaves_out(struct replay_context *context, const struct story_methods *methods,
                      const struct event_step *step, const struct site *site)
{
    const struct event event = {context, methods, step, site};
    if (site->kind == SITE_STATEMENT) {
        return is_brace(&event, site) || is_fragment(&event, site);
    }
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (rules[i](&event)) {
            return true;
        }
    }
    return false;
}
