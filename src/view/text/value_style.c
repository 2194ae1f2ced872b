// See value_style.h.
#include "view/text/value_style.h"

#include <string.h>

#include "base/foreign.h"
#include "view/text/value.h"

void value_style_name(struct buffer *into, enum value_style style, struct text name)
{
    if (style == VALUE_STYLE_JSON) {
        buffer_append(into, name.at, name.size);
    } else {
        foreign_append(into, name, style == VALUE_STYLE_STORY ? FOREIGN_TEXT : FOREIGN_VALUE);
    }
}

// Whether the type is the box in which an async method waits, which is the task that its caller has. If so, writes that: `Task<int>`.
static bool write_task(struct buffer *into, struct text name)
{
    static const char builder[] = "AsyncTaskMethodBuilder<", box[] = ">.AsyncStateMachineBox<",
                      nothing[] = "VoidTaskResult";
    const char *end = name.size ? memmem(name.at, name.size, box, sizeof box - 1) : NULL;
    if (!end || !text_starts(name, builder)) {
        return false;
    }
    struct text result = {name.at + sizeof builder - 1, (size_t)(end - name.at) - (sizeof builder - 1)};
    bool none = text_equal(result, text_of(nothing));
    buffer_text(into, none ? "Task" : "Task<");
    value_style_name(into, VALUE_STYLE_STORY, none ? text_of("") : result);
    buffer_text(into, none ? "" : ">");
    return true;
}

void value_style_type(struct buffer *into, enum value_style style, struct text name)
{
    struct buffer shortened = {0};
    if (style != VALUE_STYLE_STORY) {
        value_style_name(into, style, name);
        return;
    }
    value_short_type(&shortened, name);
    if (!write_task(into, text_in(&shortened))) {
        value_style_name(into, style, text_in(&shortened));
    }
    into->failed |= shortened.failed;
    buffer_free(&shortened);
}

// Whether half of a surrogate pair begins at `at`, in three bytes of WTF-8.
static bool is_lone_surrogate(struct text text, size_t at)
{
    const uint8_t *bytes = (const uint8_t *)text.at + at;
    return text.size - at >= 3 && bytes[0] == 0xED && bytes[1] >= 0xA0;
}

// Escapes line breaks, and backslashes, which mark escapes.
static void write_on_one_line(struct buffer *into, char c)
{
    if (c == '\n' || c == '\r' || c == '\\') {
        buffer_u8(into, '\\');
        c = c == '\n' ? 'n' : c == '\r' ? 'r' : c;
    }
    buffer_u8(into, (uint8_t)c);
}

// A recording stores strings as WTF-8, which can hold half of a surrogate pair; JSON text cannot.
static void write_for_json(struct buffer *into, struct text text)
{
    for (size_t i = 0; i < text.size; i++) {
        if (is_lone_surrogate(text, i)) {
            buffer_text(into, "\xEF\xBF\xBD");
            i += 2;
        } else {
            write_on_one_line(into, text.at[i]);
        }
    }
}

void value_style_quoted(struct buffer *into, enum value_style style, struct text text, char mark, bool cut)
{
    if (style == VALUE_STYLE_STORY) {
        buffer_u8(into, (uint8_t)mark);
        foreign_append(into, text, mark == '"' ? FOREIGN_STRING : FOREIGN_CHARACTER);
        buffer_u8(into, (uint8_t)mark);
    } else if (style == VALUE_STYLE_LINE) {
        foreign_append(into, text, FOREIGN_VALUE);
    } else {
        write_for_json(into, text);
    }
    buffer_text(into, cut ? "..." : "");
}
