#include "agent/layouts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/types.h"
#include "metadata/names_variable.h"
#include "metadata/signature.h"

enum {
    ITEMS_MAX = 256, // of a buffer within a struct
    ITEM_NAME = 8,   // bytes: "[255]"
};

static uint32_t type_of_field(const struct layout_source *source, uint32_t token)
{
    enum { SIGNATURE = 2 };
    const struct metadata *metadata = &source->module->metadata;
    struct bytes type;
    struct bytes blob = metadata_blob(metadata, metadata_column(metadata, TABLE_FIELD, TOKEN_ROW(token), SIGNATURE));
    bool read = TOKEN_TABLE(token) == TABLE_FIELD && signature_field(blob, &type) == CLEW_OK;
    return read ? types_in_instance(source->module, source->arguments, type) : 0;
}

static struct text name_of_field(const struct layout_source *source, uint32_t token)
{
    struct variable_name name;
    return names_field(&source->module->metadata, token, &name) ? name.name : (struct text){0};
}

// -- Buffers within a struct ------------------------------------------------------------------------------------------
// A struct with one field, in the place of many: `fixed` buffers, whose size says how many there are, and inline arrays,
// whose attribute does.

static uint32_t inline_count(const struct layout_source *source)
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
    bool fixed = text_equal(name_of_field(source, source->fields[0].token), text_of("FixedElementField"));
    return fixed && item_size ? source->size / item_size : 0;
}

// How many items the struct's only field stands for; 0: it is a field like any other.
static uint32_t item_count(const struct layout_source *source, uint32_t type)
{
    if (source->field_count != 1 || source->fields[0].offset != 0 || !type) {
        return 0;
    }
    uint32_t count = inline_count(source);
    count = count ? count : fixed_count(source, type_entry_of(type)->size);
    return count <= ITEMS_MAX ? count : ITEMS_MAX;
}

static bool make_items(const struct layout_source *source, uint32_t type, uint32_t count, struct type_layout *out)
{
    uint32_t whole = inline_count(source);
    uint32_t size = whole ? source->size / whole : type_entry_of(type)->size;
    struct type_field *fields = calloc(count, sizeof *fields + ITEM_NAME);
    char *names = fields ? (char *)(fields + count) : NULL;
    for (uint32_t i = 0; fields && i < count; i++) {
        char *name = names + (size_t)i * ITEM_NAME;
        (void)snprintf(name, ITEM_NAME, "[%u]", i);
        fields[i] = (struct type_field){.offset = i * size, .type = type, .name = text_of(name)};
    }
    *out = (struct type_layout){source->size, fields, count};
    return fields != NULL;
}

// -- Fields -----------------------------------------------------------------------------------------------------------

static int by_offset(const void *a, const void *b)
{
    const struct type_field *left = a, *right = b;
    return left->offset < right->offset ? -1 : left->offset > right->offset;
}

bool layout_make(const struct layout_source *source, struct type_layout *out)
{
    uint32_t first = source->field_count ? type_of_field(source, source->fields[0].token) : 0;
    uint32_t items = item_count(source, first);
    if (items) {
        return make_items(source, first, items, out);
    }
    struct type_field *fields = calloc((size_t)source->field_count + 1, sizeof *fields);
    for (uint32_t i = 0; fields && i < source->field_count; i++) {
        uint32_t token = source->fields[i].token;
        fields[i].offset = source->fields[i].offset;
        fields[i].type = i ? type_of_field(source, token) : first;
        fields[i].name = name_of_field(source, token);
    }
    if (fields) {
        qsort(fields, source->field_count, sizeof *fields, by_offset);
    }
    *out = (struct type_layout){source->size, fields, source->field_count};
    return fields != NULL;
}

void layout_free(struct type_layout *layout)
{
    free((void *)layout->fields);
}
