// Turns the offsets of a value type's fields into the layout that its TYPE definition reports.
#include "agent/types/layouts.h"

#include <stdio.h>
#include <stdlib.h>

#include "agent/types/redacted_fields.h"
#include "agent/types/type_numbers.h"
#include "base/assert.h"
#include "metadata/names/names_tuple.h"

enum {
    ITEMS_MAX = 256, // of a buffer within a struct that are listed
    ITEM_NAME = 8,   // bytes of an item's name: "[255]" and its NUL
};

static_assert(sizeof "[255]" <= ITEM_NAME && ITEMS_MAX <= 256, "an item's name fits");

static struct text name_of_field(const struct layout_source *source, uint32_t index)
{
    return field_name(&source->module->metadata, source->fields[index].token);
}

// -- Buffers within a struct ------------------------------------------------------------------------------------------
// Two kinds of struct declare one field and mean many items of its type: `fixed` buffers, whose size gives the number of
// items, and inline arrays, whose attribute gives it.

uint32_t layout_inline_count(const struct layout_source *source)
{
    enum { PROLOG = 2 };
    struct bytes value;
    uint32_t count = 0;
    bool found = metadata_attribute(&source->module->metadata, source->token, "System.Runtime.CompilerServices",
                                    "InlineArrayAttribute", &value);
    return found && bytes_skip(&value, PROLOG) && bytes_u32(&value, &count) ? count : 0;
}

static uint32_t fixed_count(const struct layout_source *source, uint32_t item_size)
{
    bool fixed = text_equal(name_of_field(source, 0), text_of("FixedElementField"));
    return fixed && item_size ? source->size / item_size : 0;
}

// How many items the only field of the struct means; 0: it is an ordinary field.
static uint32_t item_count(const struct layout_source *source, uint32_t type)
{
    if (source->field_count != 1 || source->fields[0].offset != 0 || !type) {
        return 0;
    }
    uint32_t count = layout_inline_count(source);
    count = count ? count : fixed_count(source, type_entry_of(type)->size);
    return count <= ITEMS_MAX ? count : ITEMS_MAX;
}

static bool make_items(const struct layout_source *source, uint32_t type, uint32_t count, struct type_layout *out)
{
    uint32_t whole = layout_inline_count(source);
    uint32_t size = whole ? source->size / whole : type_entry_of(type)->size;
    struct type_field *fields = calloc(count, sizeof *fields + ITEM_NAME);
    char *names = fields ? (char *)(fields + count) : NULL;
    for (uint32_t i = 0; fields && i < count; i++) {
        char *name = names + (size_t)i * ITEM_NAME;
        (void)snprintf(name, ITEM_NAME, "[%u]", i);
        fields[i] = (struct type_field){.offset = i * size, .type = type, .name = text_of(name)};
    }
    *out = (struct type_layout){source->size, fields, count, NULL};
    return fields != NULL;
}

// -- Fields -----------------------------------------------------------------------------------------------------------

// The index of a field in the order of the source code, which is the order of tokens. The runtime has an
// order of its own.
static uint32_t declared_before(const struct layout_source *source, uint32_t token)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < source->field_count; i++) {
        count += source->fields[i].token < token;
    }
    return count;
}

// Sets the tuple names of all fields. They lie one after the other in the returned memory, which the layout owns; without
// memory there are none. A first pass sets sizes only, since the buffer moves while it grows.
static void *name_tuples(const struct layout_source *source, struct type_field *fields)
{
    struct buffer texts = {0};
    for (uint32_t i = 0; i < source->field_count; i++) {
        uint32_t token = source->fields[i].token;
        size_t before = texts.size;
        names_tuple_of_field(&source->module->metadata, token, &texts);
        fields[declared_before(source, token)].tuple_names.size = texts.size - before;
    }
    const char *at = texts.failed ? NULL : (const char *)texts.data;
    for (uint32_t i = 0; i < source->field_count; i++) {
        struct text *names = &fields[declared_before(source, source->fields[i].token)].tuple_names;
        *names = (struct text){at, at ? names->size : 0};
        at = at ? at + names->size : NULL;
    }
    return texts.data;
}

bool layout_make(const struct layout_source *source, struct type_layout *out)
{
    uint32_t first = source->field_count ? field_type(source, source->fields[0].token) : 0;
    uint32_t items = item_count(source, first);
    if (items) {
        return make_items(source, first, items, out);
    }
    struct type_field *fields = calloc((size_t)source->field_count + 1, sizeof *fields);
    for (uint32_t i = 0; fields && i < source->field_count; i++) {
        uint32_t token = source->fields[i].token, type = i ? field_type(source, token) : first;
        uint32_t shown = redacts_field(source, token, type) ? type_redacted() : type;
        fields[declared_before(source, token)] =
            (struct type_field){.offset = source->fields[i].offset, .type = shown, .name = name_of_field(source, i)};
    }
    void *texts = fields ? name_tuples(source, fields) : NULL;
    *out = (struct type_layout){source->size, fields, source->field_count, texts};
    return fields != NULL;
}

void layout_free(struct type_layout *layout)
{
    free((void *)layout->fields);
    free(layout->texts);
}
