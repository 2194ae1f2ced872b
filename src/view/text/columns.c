// See columns.h. A character's width comes from the C library's wcwidth() in a UTF-8 locale, independent of the user's
// locale. The locale is created once and is not thread-safe: views run on one thread.
#include "view/text/columns.h"

#include <locale.h>
#include <wchar.h>

#include "base/assert.h"

// A locale with UTF-8; 0 if the machine has none.
static locale_t utf8_locale(void)
{
    static const char *const names[] = {"C.UTF-8", "C.utf8", "en_US.UTF-8", ""};
    static locale_t locale;
    static bool asked;
    for (size_t i = 0; !asked && !locale && i < sizeof names / sizeof *names; i++) {
        locale = newlocale(LC_CTYPE_MASK, names[i], (locale_t)0);
    }
    asked = true;
    return locale;
}

// Control characters have no width in the C library; foreign_append() has replaced them before.
static size_t width_of(uint32_t point)
{
    int width = wcwidth((wchar_t)point);
    return width < 0 ? 1 : (size_t)width;
}

// The size of the longest prefix that takes at most `most` columns. *columns: the columns that it takes.
static size_t fit(struct text text, size_t most, size_t *columns)
{
    locale_t locale = utf8_locale(), before = locale ? uselocale(locale) : (locale_t)0;
    size_t at = 0;
    *columns = 0;
    while (at < text.size) {
        uint32_t point;
        size_t size = text_character((struct text){text.at + at, text.size - at}, &point);
        size_t width = !locale || size <= 1 ? 1 : width_of(point);
        if (*columns + width > most) {
            break;
        }
        *columns += width;
        at += size ? size : 1;
    }
    (void)uselocale(before);
    CLEW_ASSERT(at <= text.size && *columns <= most);
    return at;
}

// ASCII is by far the most common text, and needs no locale.
static size_t ascii_size(struct text text)
{
    size_t size = 0;
    while (size < text.size && (uint8_t)text.at[size] < 0x80) {
        size++;
    }
    return size;
}

size_t columns_of(struct text text)
{
    size_t columns = 0, plain = ascii_size(text);
    if (plain < text.size) {
        (void)fit((struct text){text.at + plain, text.size - plain}, SIZE_MAX, &columns);
    }
    return plain + columns;
}

struct text columns_cut(struct text text, size_t most)
{
    size_t columns;
    return (struct text){text.at, fit(text, most, &columns)};
}
