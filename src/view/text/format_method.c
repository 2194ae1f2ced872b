// See format_method.h. The parts of a name come from model/name.h.
#include "view/text/format_method.h"

#include "base/assert.h"
#include "base/foreign.h"
#include "model/name.h"
#include "trace/kinds.h"
#include "view/text/columns.h"
#include "view/text/format_text.h"

// How a parameter list is printed: whole, as "(...)", or not at all.
enum list { LIST_WHOLE, LIST_SHORT, LIST_NONE };

void format_short_name(struct text name, struct text *head, struct text *tail)
{
    struct name_parts parts = name_parts(name);
    *head = (struct text){name.at, parts.owner.size + parts.method.size};
    *tail = parts.kind;
}

static void append_foreign(struct buffer *into, struct text text)
{
    foreign_append(into, text, FOREIGN_TEXT);
}

// Writes the given parts of a name. Returns their width in columns.
static size_t write_parts(struct buffer *into, const struct name_parts *parts, bool dots, enum list list)
{
    bool any = parts->parameters.size > 2;
    struct text shortened = any ? text_of("(...)") : parts->parameters;
    buffer_clear(into);
    buffer_text(into, dots ? "..." : "");
    append_foreign(into, parts->owner);
    append_foreign(into, parts->method);
    append_foreign(into, list == LIST_WHOLE ? parts->parameters : list == LIST_SHORT ? shortened : text_of(""));
    append_foreign(into, parts->kind);
    return columns_of(text_in(into));
}

// The owner's last component, which is the type.
static struct text type_in(struct text owner)
{
    struct text type = owner;
    for (struct text rest = owner; rest.size; name_drop_component(&rest)) {
        type = rest;
    }
    return type;
}

// Drops more and more of the name until it fits `room` columns, in the order that format_method() documents.
static size_t shorten(struct buffer *into, struct name_parts parts, size_t room)
{
    struct text type = type_in(parts.owner);
    bool dots = false;
    size_t columns = write_parts(into, &parts, dots, LIST_WHOLE);
    if (columns > room) {
        columns = write_parts(into, &parts, dots, LIST_SHORT);
    }
    while (columns > room && parts.owner.size > type.size) {
        name_drop_component(&parts.owner);
        CLEW_ASSERT(parts.owner.size >= type.size && "the type goes last");
        dots = true;
        columns = write_parts(into, &parts, dots, LIST_SHORT);
    }
    if (columns > room) {
        columns = write_parts(into, &parts, dots, LIST_NONE);
    }
    if (columns > room && parts.owner.size) {
        parts.owner.size = 0;
        columns = write_parts(into, &parts, true, LIST_NONE);
    }
    return columns;
}

size_t format_method_least(const struct view *view, struct text name)
{
    struct buffer written = {0};
    struct name_parts parts = name_parts(name);
    bool fits = view->names == VIEW_NAMES_FIT;
    parts.owner = fits ? (struct text){0} : view->names == VIEW_NAMES_SHORT ? type_in(parts.owner) : parts.owner;
    size_t columns = write_parts(&written, &parts, fits, fits ? LIST_NONE : LIST_SHORT);
    buffer_free(&written);
    return columns;
}

size_t format_method(const struct view *view, struct text name, size_t used)
{
    struct buffer written = {0};
    struct name_parts parts = name_parts(name);
    size_t columns;
    if (view->names == VIEW_NAMES_SHORT) {
        parts.owner = type_in(parts.owner);
        columns = write_parts(&written, &parts, false, LIST_SHORT);
    } else if (view->names == VIEW_NAMES_FIT && view->width) {
        columns = shorten(&written, parts, view->width > used ? view->width - used : 0);
    } else {
        columns = write_parts(&written, &parts, false, LIST_WHOLE);
    }
    format_column(view, text_in(&written), 0);
    buffer_free(&written);
    return columns;
}

const char *format_kind(uint32_t kind)
{
    // In the order of enum method_kind. doc/json.md lists these words.
    static const char *const kinds[] = {"method", "async",       "iterator",           "async_iterator", "lambda",
                                        "local",  "constructor", "static_constructor", "accessor"};
    static_assert(sizeof kinds / sizeof *kinds == METHOD_KIND_ACCESSOR + 1, "a name for each kind");
    return kind < sizeof kinds / sizeof *kinds ? kinds[kind] : "method";
}
