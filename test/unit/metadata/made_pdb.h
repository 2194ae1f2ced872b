// Small portable PDBs, put together row by row: what no compiler writes can be written too.
// Layout: Portable PDB v1.0; ECMA-335 II.24.
#ifndef CLEW_TEST_UNIT_METADATA_MADE_PDB_H
#define CLEW_TEST_UNIT_METADATA_MADE_PDB_H

#include <stdarg.h>

#include "base/bytes.h"
#include "base/text.h"
#include "metadata/tables/metadata.h"
#include "metadata/tables/signature.h"

enum { MADE_FIRST_TABLE = TABLE_DOCUMENT, MADE_TABLES = 8, MADE_METHODS = 100 };

struct made_pdb {
    struct buffer strings, blobs, guids; // a blob, string or GUID with number 0 is none
    struct buffer rows[MADE_TABLES];
    uint32_t counts[MADE_TABLES];
};

static inline uint32_t made_string(struct made_pdb *made, const char *text)
{
    buffer_u8(&made->strings, 0); // the one before ends, or the heap begins
    uint32_t at = (uint32_t)made->strings.size;
    buffer_text(&made->strings, text);
    return at;
}

static inline uint32_t made_blob(struct made_pdb *made, const void *data, size_t size)
{
    if (made->blobs.size == 0) {
        buffer_u8(&made->blobs, 0);
    }
    uint32_t at = (uint32_t)made->blobs.size;
    buffer_compressed(&made->blobs, (uint32_t)size);
    buffer_append(&made->blobs, data, size);
    return at;
}

#define MADE_BLOB(made, ...) made_blob(made, (uint8_t[]){__VA_ARGS__}, sizeof((uint8_t[]){__VA_ARGS__}))

// `text`: a GUID's 32 hexadecimal digits, in the order in which they are written.
static inline uint32_t made_guid(struct made_pdb *made, const char *text)
{
    static const uint8_t order[16] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
    for (unsigned i = 0; i < 16; i++) {
        unsigned byte = 0;
        (void)sscanf(text + (size_t)2 * order[i], "%2x", &byte);
        buffer_u8(&made->guids, (uint8_t)byte);
    }
    return (uint32_t)made->guids.size / 16;
}

// Adds a row, a value for each column; gives its number.
static inline uint32_t made_row(struct made_pdb *made, enum metadata_table table, ...)
{
    // Widths in bytes. The heaps are small; MADE_METHODS keeps the indexes into the module's tables small too.
    static const char *const widths[MADE_TABLES] = {"2222", "22", "222244", "222", "22", "22", "22", "222"};
    unsigned which = (unsigned)table - MADE_FIRST_TABLE;
    va_list values;
    va_start(values, table);
    for (const char *width = widths[which]; *width; width++) {
        uint32_t value = va_arg(values, uint32_t);
        if (*width == '2') {
            buffer_u16(&made->rows[which], (uint16_t)value);
        } else {
            buffer_u32(&made->rows[which], value);
        }
    }
    va_end(values);
    return ++made->counts[which];
}

// The row of MethodDebugInformation of the next method.
static inline uint32_t made_method(struct made_pdb *made, uint32_t document, uint32_t points)
{
    return TOKEN(TABLE_METHOD_DEF, made_row(made, TABLE_METHOD_DEBUG_INFORMATION, document, points));
}

static inline void made_stream(struct buffer *root, struct buffer *streams, const char *name,
                               const struct buffer *content)
{
    enum { HEADERS_SIZE = 24 + 5 * 20 }; // room for all of them
    buffer_u32(root, (uint32_t)(HEADERS_SIZE + streams->size));
    buffer_u32(root, (uint32_t)content->size);
    buffer_append(root, name, strlen(name) + 1);
    buffer_align(root, 4);
    buffer_append(streams, content->data, content->size);
    buffer_align(streams, 4);
    if (strcmp(name, "#GUID") == 0) { // the last
        while (root->size < HEADERS_SIZE) {
            buffer_u8(root, 0);
        }
        buffer_append(root, streams->data, streams->size);
    }
}

static inline void made_tables(const struct made_pdb *made, struct buffer *tables)
{
    uint64_t present = 0;
    buffer_u64(tables, UINT64_C(0x0100000200000000)); // version 2.0, small heaps
    for (unsigned i = 0; i < MADE_TABLES; i++) {
        present |= (uint64_t)(made->counts[i] > 0) << (MADE_FIRST_TABLE + i);
    }
    buffer_u64(tables, present);
    buffer_u64(tables, 0);
    for (unsigned i = 0; i < MADE_TABLES; i++) {
        if (made->counts[i]) {
            buffer_u32(tables, made->counts[i]);
        }
    }
    for (unsigned i = 0; i < MADE_TABLES; i++) {
        buffer_append(tables, made->rows[i].data, made->rows[i].size);
    }
}

// The whole PDB, and frees what it was made of.
static inline struct buffer made_finish(struct made_pdb *made)
{
    struct buffer root = {0}, streams = {0}, tables = {0}, pdb = {0};
    for (uint8_t i = 0; i < 20; i++) {
        buffer_u8(&pdb, (uint8_t)(i + 1)); // the id
    }
    buffer_u32(&pdb, TOKEN(TABLE_METHOD_DEF, 7)); // the entry point
    buffer_u64(&pdb, UINT64_C(1) << TABLE_METHOD_DEF);
    buffer_u32(&pdb, MADE_METHODS);
    made_tables(made, &tables);
    buffer_text(&root, "BSJB");
    buffer_u64(&root, 0x0000000000010001);
    buffer_u32(&root, 4);
    buffer_append(&root, "v1\0", 4);
    buffer_u32(&root, 0x00050000); // flags, five streams
    made_stream(&root, &streams, "#Pdb", &pdb);
    made_stream(&root, &streams, "#~", &tables);
    made_stream(&root, &streams, "#Strings", &made->strings);
    made_stream(&root, &streams, "#Blob", &made->blobs);
    made_stream(&root, &streams, "#GUID", &made->guids);
    struct buffer *used[] = {&streams, &tables, &pdb, &made->strings, &made->blobs, &made->guids};
    for (size_t i = 0; i < sizeof used / sizeof *used; i++) {
        buffer_free(used[i]);
    }
    for (unsigned i = 0; i < MADE_TABLES; i++) {
        buffer_free(&made->rows[i]);
    }
    return root;
}

#endif
