// Prints what clew's readers find in modules, one line per row, in the format of Program.cs.
#include <stdio.h>
#include <stdlib.h>

#include "metadata/tables/image.h"
#include "metadata/tables/metadata.h"
#include "metadata/tables/signature.h"
#include "read_file.h"

static void print_text(const char *before, struct text text)
{
    printf("%s%.*s", before, (int)text.size, text.at);
}

// A coded index as a token; a nil index is token 0, as in Program.cs.
static uint32_t decode_or_nil(enum metadata_coded kind, uint32_t value)
{
    uint32_t token = metadata_decode(kind, value);
    return TOKEN_ROW(token) ? token : 0;
}

static uint32_t column(const struct metadata *metadata, enum metadata_table table, uint32_t row, unsigned number)
{
    return metadata_column(metadata, table, row, number);
}

static struct text text_column(const struct metadata *metadata, enum metadata_table table, uint32_t row,
                               unsigned number)
{
    return metadata_string(metadata, metadata_column(metadata, table, row, number));
}

static size_t blob_size(const struct metadata *metadata, enum metadata_table table, uint32_t row, unsigned number)
{
    struct bytes blob = metadata_blob(metadata, metadata_column(metadata, table, row, number));
    return bytes_left(&blob);
}

static uint32_t generic_count(const struct metadata *metadata, uint32_t method_row)
{
    uint32_t owner = method_row << 1 | 1, count = 0;
    uint32_t row = metadata_find(metadata, TABLE_GENERIC_PARAM, GENERIC_PARAM_OWNER, owner);
    while (row && column(metadata, TABLE_GENERIC_PARAM, row + count, 2) == owner) {
        count++;
    }
    return count;
}

// One line per method: name, owner, address, flags, signature, type parameters.
static void print_methods(const struct metadata *metadata)
{
    for (uint32_t row = 1; row <= metadata_rows(metadata, TABLE_METHOD_DEF); row++) {
        uint32_t token = TOKEN(TABLE_METHOD_DEF, row), owner = metadata_method_owner(metadata, token);
        struct metadata_method method = {0};
        struct signature_method signature;
        if (!metadata_method(metadata, token, &method) || signature_method(method.signature, &signature) != CLEW_OK) {
            printf("method %x is malformed\n", token);
            continue;
        }
        printf("method %x %x %x %x %x %x %u %u %u ", token, method.rva, method.impl_flags, method.flags, owner,
               metadata_enclosing_type(metadata, owner), signature.generic_count, generic_count(metadata, row),
               signature.parameter_count);
        for (const uint8_t *at = method.signature.at; at < method.signature.end; at++) {
            printf("%02X", *at);
        }
        print_text(" ", method.name);
        putchar('\n');
    }
}

// One line per row of the other tables that clew reads.
static void print_rows(const struct metadata *metadata)
{
    for (uint32_t row = 1; row <= metadata_rows(metadata, TABLE_CUSTOM_ATTRIBUTE); row++) {
        printf("attribute %x %x %zu\n",
               decode_or_nil(CODED_HAS_CUSTOM_ATTRIBUTE, column(metadata, TABLE_CUSTOM_ATTRIBUTE, row, 0)),
               decode_or_nil(CODED_CUSTOM_ATTRIBUTE_TYPE, column(metadata, TABLE_CUSTOM_ATTRIBUTE, row, 1)),
               blob_size(metadata, TABLE_CUSTOM_ATTRIBUTE, row, 2));
    }
    for (uint32_t row = 1; row <= metadata_rows(metadata, TABLE_PARAM); row++) {
        printf("parameter %x %u", column(metadata, TABLE_PARAM, row, 0), column(metadata, TABLE_PARAM, row, 1));
        print_text(" ", text_column(metadata, TABLE_PARAM, row, 2));
        putchar('\n');
    }
    for (uint32_t row = 1; row <= metadata_rows(metadata, TABLE_MEMBER_REF); row++) {
        printf("reference %x %zu", decode_or_nil(CODED_MEMBER_REF_PARENT, column(metadata, TABLE_MEMBER_REF, row, 0)),
               blob_size(metadata, TABLE_MEMBER_REF, row, 2));
        print_text(" ", text_column(metadata, TABLE_MEMBER_REF, row, 1));
        putchar('\n');
    }
    for (uint32_t row = 1; row <= metadata_rows(metadata, TABLE_TYPE_REF); row++) {
        printf("type %x", decode_or_nil(CODED_RESOLUTION_SCOPE, column(metadata, TABLE_TYPE_REF, row, 0)));
        print_text(" ", text_column(metadata, TABLE_TYPE_REF, row, 2));
        print_text(" ", text_column(metadata, TABLE_TYPE_REF, row, 1));
        putchar('\n');
    }
}

static void print_module(const char *path, struct bytes bytes)
{
    struct image image;
    struct metadata metadata;
    uint8_t id[16] = {0};
    if (image_open(bytes, IMAGE_FLAT, &image) != CLEW_OK || metadata_open(image.metadata, &metadata) != CLEW_OK) {
        return;
    }
    (void)metadata_mvid(&metadata, id); // zero if there is none, as in Program.cs
    printf("module %s %08x%04x%04x", path, read_u32(id), read_u16(id + 4), read_u16(id + 6));
    for (unsigned i = 8; i < 16; i++) {
        printf("%02x", id[i]);
    }
    print_text(" ", metadata_assembly_name(&metadata));
    printf(" %x\n", image.entry_point_token);
    print_methods(&metadata);
    print_rows(&metadata);
}

int main(int count, char **paths)
{
    for (int i = 1; i < count; i++) {
        struct buffer content;
        if (!read_file(paths[i], &content)) {
            fprintf(stderr, "%s cannot be read\n", paths[i]);
            return EXIT_FAILURE;
        }
        print_module(paths[i], bytes_of(content.data, content.size));
        buffer_free(&content);
    }
    return EXIT_SUCCESS;
}
