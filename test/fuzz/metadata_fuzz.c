// Reads any bytes as a module. The readers must end and stay within bounds, and every method must have a name.
#include <stdlib.h>

#include "metadata/names/names.h"
#include "metadata/names/names_tuple.h"
#include "metadata/names/names_variable.h"
#include "metadata/pdb/symbols.h"
#include "metadata/tables/image.h"
#include "metadata/tables/metadata.h"
#include "metadata/tables/signature.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// A module can have millions of methods in a few kilobytes of tables; some are enough.
enum { ROWS_MAX = 300 };

// Reads all columns of all tables, and uses each value as an offset of strings and blobs. The row after the last must be empty.
static void read_every_column(const struct metadata *metadata)
{
    for (unsigned table = 0; table < TABLE_COUNT; table++) {
        uint32_t rows = metadata_rows(metadata, table);
        for (uint32_t row = 1; row <= rows && row <= ROWS_MAX; row++) {
            for (unsigned column = 0; column < METADATA_COLUMNS_MAX; column++) {
                uint32_t value = metadata_column(metadata, table, row, column);
                (void)metadata_string(metadata, value);
                (void)metadata_blob(metadata, value);
            }
        }
        if (metadata_column(metadata, table, rows + 1, 0) != 0) {
            abort();
        }
    }
}

// Reads every stand-alone signature as each kind of signature.
static void read_signatures(const struct metadata *metadata)
{
    for (uint32_t row = 1; row <= metadata_rows(metadata, TABLE_STAND_ALONE_SIG) && row <= ROWS_MAX; row++) {
        struct bytes blob = metadata_blob(
                         metadata, metadata_column(metadata, TABLE_STAND_ALONE_SIG, row, STAND_ALONE_SIG_SIGNATURE)),
                     types;
        struct signature_method signature;
        uint32_t count;
        if (signature_method(blob, &signature) == CLEW_OK && signature.parameters.end > blob.end) {
            abort();
        }
        (void)signature_locals(blob, &count, &types);
        (void)signature_method_spec(blob, &count, &types);
    }
}

// Names all methods, with their bodies if there is an image. Each must have a name, whatever the module contains.
static void name_methods(const struct metadata *metadata, const struct image *image)
{
    struct names *names = names_new(metadata);
    struct buffer name = {0};
    if (!names) {
        return;
    }
    if (image) {
        names_use_bodies(names, image);
    }
    for (uint32_t row = 1; row <= metadata_rows(metadata, TABLE_METHOD_DEF) && row <= ROWS_MAX; row++) {
        struct method_name about;
        buffer_clear(&name);
        if (names_method(names, TOKEN(TABLE_METHOD_DEF, row), &name, &about) != CLEW_OK || name.size == 0 ||
            about.origin == 0) {
            abort();
        }
        (void)names_scope(names, TOKEN(TABLE_METHOD_DEF, row), &name);
        (void)names_call(names, TOKEN(TABLE_METHOD_DEF, row), &name);
    }
    for (uint32_t row = 0; row <= ROWS_MAX; row++) {
        buffer_clear(&name);
        (void)names_call(names, TOKEN(TABLE_MEMBER_REF, row), &name);
        (void)names_call(names, TOKEN(TABLE_METHOD_SPEC, row), &name);
    }
    buffer_free(&name);
    names_free(names);
}

// Names variables that fields and parameters contain, and items of tuples.
static void name_variables(const struct metadata *metadata)
{
    struct variable_name variable;
    struct bytes elements;
    struct text name;
    struct buffer items = {0};
    for (uint32_t row = 1; row <= ROWS_MAX; row++) {
        names_tuple_of_field(metadata, TOKEN(TABLE_FIELD, row), &items);
        names_tuple_of_field(metadata, TOKEN(TABLE_MEMBER_REF, row), &items);
        (void)names_tuple_item(metadata, TOKEN(TABLE_MEMBER_REF, row));
        (void)names_field(metadata, TOKEN(TABLE_FIELD, row), &variable);
        (void)names_field(metadata, TOKEN(TABLE_MEMBER_REF, row), &variable);
        (void)names_parameter(metadata, TOKEN(TABLE_METHOD_DEF, row), 1, &variable);
        (void)names_holds_variables(metadata, TOKEN(TABLE_TYPE_SPEC, row));
        if (names_tuple(metadata, TOKEN(TABLE_FIELD, row), &elements)) {
            while (names_tuple_next(&elements, &name)) {
            }
        }
    }
    buffer_free(&items);
}

static void read_metadata(struct bytes root, const struct image *image)
{
    struct metadata metadata;
    if (metadata_open(root, &metadata) == CLEW_OK) {
        uint8_t guid[16];
        (void)metadata_mvid(&metadata, guid);
        (void)metadata_assembly_name(&metadata);
        read_every_column(&metadata);
        read_signatures(&metadata);
        name_methods(&metadata, image);
        name_variables(&metadata);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes bytes = bytes_of(data, size);
    for (enum image_layout layout = IMAGE_FLAT; layout <= IMAGE_MAPPED; layout++) {
        struct image image;
        if (image_open(bytes, layout, &image) == CLEW_OK) {
            read_metadata(image.metadata, &image);
            (void)symbols_find(&(struct symbols_query){.image = &image}, NULL);
        }
    }
    // Read the bytes as metadata without an image too, so that mutations need not keep an image valid.
    read_metadata(bytes, NULL);
    return 0;
}
