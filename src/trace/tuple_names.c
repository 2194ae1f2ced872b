#include "trace/tuple_names.h"

#include "base/assert.h"

static const char marks[] = "(),<>!"; // they structure the text, so no name contains one

static bool is_mark(char c)
{
    return c && strchr(marks, c);
}

// The part number `index` of a list that begins with `open`. Nested lists count as parts of their part. Empty when there is
// no such part.
static struct text part_of(struct text names, char open, uint32_t index)
{
    uint32_t depth = 0, part = 0;
    size_t start = 1;
    if (names.size == 0 || *names.at != open) {
        return (struct text){0};
    }
    for (size_t at = 1; at < names.size; at++) {
        char c = names.at[at];
        bool closes = c == ')' || c == '>', ends = depth == 0 && (closes || c == ',');
        if (ends && part == index) {
            return (struct text){names.at + start, at - start};
        }
        if (ends && closes) {
            break;
        }
        part += ends;
        start = ends ? at + 1 : start;
        depth += c == '(' || c == '<';
        CLEW_ASSERT(!closes || depth > 0);
        depth -= closes;
    }
    return (struct text){0};
}

struct text tuple_names_item(struct text names, uint32_t item, struct text *own)
{
    struct text part = part_of(names, '(', item);
    size_t size = 0;
    while (size < part.size && !is_mark(part.at[size])) {
        size++;
    }
    *own = text_from(part, size);
    return (struct text){part.at, size};
}

struct text tuple_names_argument(struct text names, uint32_t argument)
{
    return part_of(names, '<', argument);
}

struct text tuple_names_of_field(struct text field, struct text holder)
{
    uint32_t argument = 0;
    if (field.size == 0 || *field.at != '!') {
        return field;
    }
    for (size_t i = 1; i < field.size; i++) {
        if (field.at[i] < '0' || field.at[i] > '9' || argument > UINT16_MAX) {
            return (struct text){0};
        }
        argument = argument * 10 + (uint32_t)(field.at[i] - '0');
    }
    return tuple_names_argument(holder, argument);
}

bool tuple_names_take(struct text *names, struct text *name)
{
    size_t start = 0, end;
    while (start < names->size && is_mark(names->at[start])) {
        start++;
    }
    for (end = start; end < names->size && !is_mark(names->at[end]);) {
        end++;
    }
    if (end == start) {
        return false;
    }
    *name = (struct text){names->at + start, end - start};
    *names = text_from(*names, end);
    return true;
}

bool tuple_names_fit(struct text name)
{
    for (size_t i = 0; i < name.size; i++) {
        if (is_mark(name.at[i]) || (unsigned char)name.at[i] <= ' ') {
            return false;
        }
    }
    return true;
}
