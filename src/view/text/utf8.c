// See utf8.h.
#include "view/text/utf8.h"

void utf8_append(struct buffer *into, struct text text)
{
    size_t from = 0; // what is before was appended
    for (size_t i = 0; i < text.size;) {
        uint32_t point;
        size_t size = text_character((struct text){text.at + i, text.size - i}, &point);
        if (size == 0) {
            buffer_append(into, text.at + from, i - from);
            buffer_character(into, 0xFFFD);
            from = ++i;
        }
        i += size;
    }
    buffer_append(into, text.at + from, text.size - from);
}
