// Metadata of a module made on the spot, for tests that want to know every token in it. Indexes are two bytes wide, so
// everything has to stay small.
#ifndef CLEW_TEST_MADE_METADATA_H
#define CLEW_TEST_MADE_METADATA_H

#include <assert.h>
#include <string.h>

#include "metadata/tables/metadata.h"

struct made_metadata {
    struct buffer rows[TABLE_COUNT], strings, blobs, root;
    uint32_t counts[TABLE_COUNT];
    struct metadata metadata; // after made_open()
};

#define SIG(...) bytes_of((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static inline uint16_t made_string(struct made_metadata *made, const char *text)
{
    uint16_t offset = (uint16_t)made->strings.size;
    buffer_append(&made->strings, text, strlen(text) + 1);
    return offset;
}

static inline uint16_t made_blob(struct made_metadata *made, struct bytes blob)
{
    uint16_t offset = (uint16_t)made->blobs.size;
    buffer_u8(&made->blobs, (uint8_t)bytes_left(&blob)); // below 128
    buffer_append(&made->blobs, blob.at, bytes_left(&blob));
    return offset;
}

static inline uint32_t made_row(struct made_metadata *made, enum metadata_table table)
{
    return TOKEN(table, ++made->counts[table]);
}

static inline uint32_t made_type_ref(struct made_metadata *made, const char *space, const char *name)
{
    struct buffer *row = &made->rows[TABLE_TYPE_REF];
    buffer_u16(row, 1 << 2 | 2); // ResolutionScope: the first AssemblyRef
    buffer_u16(row, made_string(made, name));
    buffer_u16(row, made_string(made, space));
    return made_row(made, TABLE_TYPE_REF);
}

// The fields and methods made next are its own.
static inline uint32_t made_type_def(struct made_metadata *made, const char *name, uint32_t base)
{
    struct buffer *row = &made->rows[TABLE_TYPE_DEF];
    buffer_u32(row, 0);
    buffer_u16(row, made_string(made, name));
    buffer_u16(row, 0);
    buffer_u16(row, (uint16_t)(TOKEN_ROW(base) << 2 | (TOKEN_TABLE(base) == TABLE_TYPE_REF)));
    buffer_u16(row, (uint16_t)(made->counts[TABLE_FIELD] + 1));
    buffer_u16(row, (uint16_t)(made->counts[TABLE_METHOD_DEF] + 1));
    return made_row(made, TABLE_TYPE_DEF);
}

static inline uint32_t made_field(struct made_metadata *made, const char *name, struct bytes signature)
{
    struct buffer *row = &made->rows[TABLE_FIELD];
    buffer_u16(row, 0);
    buffer_u16(row, made_string(made, name));
    buffer_u16(row, made_blob(made, signature));
    return made_row(made, TABLE_FIELD);
}

// The parameters made next are its own.
static inline uint32_t made_method_with(struct made_metadata *made, const char *name, uint16_t impl_flags,
                                        struct bytes signature)
{
    struct buffer *row = &made->rows[TABLE_METHOD_DEF];
    buffer_u32(row, 0);
    buffer_u16(row, impl_flags);
    buffer_u16(row, 0);
    buffer_u16(row, made_string(made, name));
    buffer_u16(row, made_blob(made, signature));
    buffer_u16(row, (uint16_t)(made->counts[TABLE_PARAM] + 1));
    return made_row(made, TABLE_METHOD_DEF);
}

static inline uint32_t made_method(struct made_metadata *made, const char *name, struct bytes signature)
{
    return made_method_with(made, name, 0, signature);
}

// Of runtime async.
static inline uint32_t made_async_method(struct made_metadata *made, const char *name, struct bytes signature)
{
    return made_method_with(made, name, METHOD_ASYNC, signature);
}

static inline void made_parameter(struct made_metadata *made, uint16_t flags, uint16_t sequence)
{
    struct buffer *row = &made->rows[TABLE_PARAM];
    buffer_u16(row, flags);
    buffer_u16(row, sequence);
    buffer_u16(row, 0);
    (void)made_row(made, TABLE_PARAM);
}

static inline uint32_t made_member(struct made_metadata *made, uint32_t parent, const char *name,
                                   struct bytes signature)
{
    struct buffer *row = &made->rows[TABLE_MEMBER_REF];
    uint32_t table = TOKEN_TABLE(parent);
    uint32_t tag = table == TABLE_TYPE_DEF ? 0 : table == TABLE_TYPE_REF ? 1 : 4;
    buffer_u16(row, (uint16_t)(TOKEN_ROW(parent) << 3 | tag));
    buffer_u16(row, made_string(made, name));
    buffer_u16(row, made_blob(made, signature));
    return made_row(made, TABLE_MEMBER_REF);
}

static inline uint32_t made_signature_row(struct made_metadata *made, enum metadata_table table, struct bytes signature)
{
    buffer_u16(&made->rows[table], made_blob(made, signature)); // StandAloneSig, TypeSpec
    return made_row(made, table);
}

static inline uint32_t made_method_spec(struct made_metadata *made, uint32_t method, struct bytes signature)
{
    struct buffer *row = &made->rows[TABLE_METHOD_SPEC];
    buffer_u16(row, (uint16_t)(TOKEN_ROW(method) << 1 | (TOKEN_TABLE(method) == TABLE_MEMBER_REF)));
    buffer_u16(row, made_blob(made, signature));
    return made_row(made, TABLE_METHOD_SPEC);
}

// To be made in the order of their owners: types first by row << 1, methods by row << 1 | 1.
static inline void made_generic_parameter(struct made_metadata *made, uint16_t number, uint16_t flags, uint16_t owner)
{
    struct buffer *row = &made->rows[TABLE_GENERIC_PARAM];
    buffer_u16(row, number);
    buffer_u16(row, flags);
    buffer_u16(row, owner);
    buffer_u16(row, 0);
    (void)made_row(made, TABLE_GENERIC_PARAM);
}

static inline void made_begin(struct made_metadata *made)
{
    *made = (struct made_metadata){0};
    buffer_u8(&made->strings, 0);
    buffer_u8(&made->blobs, 0);
    for (int i = 0; i < 5; i++) {
        buffer_u16(&made->rows[TABLE_MODULE], 0);
    }
    (void)made_row(made, TABLE_MODULE);
    struct buffer *row = &made->rows[TABLE_ASSEMBLY_REF];
    buffer_u64(row, 0); // version
    buffer_u32(row, 0);
    buffer_u16(row, 0);
    buffer_u16(row, made_string(made, "System.Runtime"));
    buffer_u16(row, 0);
    buffer_u16(row, 0);
    (void)made_row(made, TABLE_ASSEMBLY_REF);
    made_type_def(made, "<Module>", 0);
}

static inline void made_stream(struct buffer *header, const char *name, uint32_t *offset, const struct buffer *content)
{
    buffer_u32(header, *offset);
    buffer_u32(header, (uint32_t)content->size);
    buffer_append(header, name, strlen(name) + 1);
    buffer_align(header, 4);
    *offset += (uint32_t)content->size;
}

static inline void made_open(struct made_metadata *made)
{
    struct buffer tables = {0}, header = {0};
    uint64_t valid = 0;
    for (unsigned i = 0; i < TABLE_COUNT; i++) {
        valid |= made->counts[i] ? UINT64_C(1) << i : 0;
    }
    buffer_u32(&tables, 0);
    buffer_u32(&tables, 2 | 1u << 24); // version 2.0, two-byte heap indexes
    buffer_u64(&tables, valid);
    buffer_u64(&tables, 0);
    for (unsigned i = 0; i < TABLE_COUNT; i++) {
        if (made->counts[i]) {
            buffer_u32(&tables, made->counts[i]);
        }
    }
    for (unsigned i = 0; i < TABLE_COUNT; i++) {
        buffer_append(&tables, made->rows[i].data, made->rows[i].size);
    }
    buffer_align(&tables, 4);
    buffer_align(&made->strings, 4);
    buffer_align(&made->blobs, 4);
    buffer_u32(&header, 0x424A5342); // BSJB
    buffer_u32(&header, 1 | 1u << 16);
    buffer_u32(&header, 0);
    buffer_u32(&header, 4);
    buffer_append(&header, "v4\0\0", 4);
    buffer_u32(&header, 3u << 16); // streams
    uint32_t offset = 20 + 4 + 12 + 20 + 16;
    made_stream(&header, "#~", &offset, &tables);
    made_stream(&header, "#Strings", &offset, &made->strings);
    made_stream(&header, "#Blob", &offset, &made->blobs);
    buffer_append(&made->root, header.data, header.size);
    buffer_append(&made->root, tables.data, tables.size);
    buffer_append(&made->root, made->strings.data, made->strings.size);
    buffer_append(&made->root, made->blobs.data, made->blobs.size);
    buffer_free(&tables);
    buffer_free(&header);
    enum clew_error opened = metadata_open(bytes_of(made->root.data, made->root.size), &made->metadata);
    assert(opened == CLEW_OK);
    (void)opened;
}

static inline void made_free(struct made_metadata *made)
{
    for (unsigned i = 0; i < TABLE_COUNT; i++) {
        buffer_free(&made->rows[i]);
    }
    buffer_free(&made->strings);
    buffer_free(&made->blobs);
    buffer_free(&made->root);
}

#endif
