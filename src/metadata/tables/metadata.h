// Tables and heaps of a module's metadata (ECMA-335 II.22 and II.24), and of a portable PDB, which has the same shape.
// Read from the mapped bytes without any lock and without the runtime; everything returned is borrowed.
#ifndef CLEW_METADATA_METADATA_H
#define CLEW_METADATA_METADATA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/text.h"
#include "metadata/tables/table_columns.h"

enum metadata_table {
    TABLE_MODULE = 0x00,
    TABLE_TYPE_REF = 0x01,
    TABLE_TYPE_DEF = 0x02,
    TABLE_FIELD = 0x04,
    TABLE_METHOD_DEF = 0x06,
    TABLE_PARAM = 0x08,
    TABLE_INTERFACE_IMPL = 0x09,
    TABLE_MEMBER_REF = 0x0A,
    TABLE_CONSTANT = 0x0B,
    TABLE_CUSTOM_ATTRIBUTE = 0x0C,
    TABLE_CLASS_LAYOUT = 0x0F,
    TABLE_FIELD_LAYOUT = 0x10,
    TABLE_STAND_ALONE_SIG = 0x11,
    TABLE_EVENT_MAP = 0x12,
    TABLE_EVENT = 0x14,
    TABLE_PROPERTY_MAP = 0x15,
    TABLE_PROPERTY = 0x17,
    TABLE_METHOD_SEMANTICS = 0x18,
    TABLE_METHOD_IMPL = 0x19,
    TABLE_MODULE_REF = 0x1A,
    TABLE_TYPE_SPEC = 0x1B,
    TABLE_IMPL_MAP = 0x1C,
    TABLE_ASSEMBLY = 0x20,
    TABLE_ASSEMBLY_REF = 0x23,
    TABLE_EXPORTED_TYPE = 0x27,
    TABLE_NESTED_CLASS = 0x29,
    TABLE_GENERIC_PARAM = 0x2A,
    TABLE_METHOD_SPEC = 0x2B,
    TABLE_DOCUMENT = 0x30,
    TABLE_METHOD_DEBUG_INFORMATION = 0x31,
    TABLE_LOCAL_SCOPE = 0x32,
    TABLE_LOCAL_VARIABLE = 0x33,
    TABLE_LOCAL_CONSTANT = 0x34,
    TABLE_IMPORT_SCOPE = 0x35,
    TABLE_STATE_MACHINE_METHOD = 0x36,
    TABLE_CUSTOM_DEBUG_INFORMATION = 0x37,
    TABLE_COUNT = 0x40,
};

// Token = table << 24 | row; rows count from 1.
#define TOKEN(table, row) ((uint32_t)(table) << 24 | (row))
#define TOKEN_TABLE(token) ((token) >> 24)
#define TOKEN_ROW(token) ((token)&0xFFFFFF)

enum { METADATA_COLUMNS_MAX = 9 };

struct metadata_layout {
    const uint8_t *rows;
    uint32_t row_count;
    uint8_t row_size;
    uint8_t column_count;
    uint8_t offset[METADATA_COLUMNS_MAX];
    uint8_t width[METADATA_COLUMNS_MAX]; // 1, 2 or 4 bytes
};

struct metadata {
    struct bytes strings, user_strings, blobs, guids, pdb;
    struct metadata_layout tables[TABLE_COUNT];
};

// `root` is the metadata root ("BSJB"). MALFORMED when any table would reach past its stream; UNSUPPORTED for the
// uncompressed form of edit-and-continue, whose lists go through pointer tables.
enum clew_error metadata_open(struct bytes root, struct metadata *out);

static inline uint32_t metadata_rows(const struct metadata *metadata, enum metadata_table table)
{
    return metadata->tables[table].row_count;
}

// A column's raw value: a number, a heap offset, a row or a coded index. 0 for a row or column that is not there.
uint32_t metadata_column(const struct metadata *metadata, enum metadata_table table, uint32_t row, unsigned column);

// Heap items; empty when the offset is outside.
struct text metadata_string(const struct metadata *metadata, uint32_t offset);
struct bytes metadata_blob(const struct metadata *metadata, uint32_t offset);
bool metadata_guid(const struct metadata *metadata, uint32_t index, uint8_t out[16]);

// Coded indexes (II.24.2.6) to tokens; 0 when the tag is not valid.
enum metadata_coded {
    CODED_TYPE_DEF_OR_REF,
    CODED_HAS_CUSTOM_ATTRIBUTE,
    CODED_MEMBER_REF_PARENT,
    CODED_HAS_SEMANTICS,
    CODED_METHOD_DEF_OR_REF,
    CODED_CUSTOM_ATTRIBUTE_TYPE,
    CODED_RESOLUTION_SCOPE,
    CODED_TYPE_OR_METHOD_DEF,
    CODED_HAS_CONSTANT,
    CODED_HAS_FIELD_MARSHAL,
    CODED_HAS_DECL_SECURITY,
    CODED_MEMBER_FORWARDED,
    CODED_IMPLEMENTATION,
    CODED_HAS_CUSTOM_DEBUG_INFORMATION
};
uint32_t metadata_decode(enum metadata_coded kind, uint32_t value);
// The other way; 0, which is no token's, when the kind has no such table.
uint32_t metadata_encode(enum metadata_coded kind, uint32_t token);

// Compressed integers of blobs (II.23.2), unsigned and signed.
bool bytes_compressed(struct bytes *bytes, uint32_t *out);
bool bytes_compressed_signed(struct bytes *bytes, int32_t *out);

// Questions that many ask.

// The first row of a table sorted by `column` whose value there is `value` (raw, as metadata_column() gives it); 0 when
// there is none, and for value 0, so that walking on while the column still holds the value ends at the last row.
uint32_t metadata_find(const struct metadata *metadata, enum metadata_table table, unsigned column, uint32_t value);
struct metadata_range {
    uint32_t first, end; // rows; end is exclusive
};
// All rows of a table sorted by `column` that hold `value` there.
struct metadata_range metadata_find_all(const struct metadata *metadata, enum metadata_table table, unsigned column,
                                        uint32_t value);
// Rows of `target` that belong to `row`: a list column holds the first one, and the list ends where the next row's begins.
struct metadata_range metadata_list(const struct metadata *metadata, enum metadata_table table, uint32_t row,
                                    unsigned column, enum metadata_table target);

struct metadata_method {
    uint32_t rva;
    uint16_t impl_flags, flags; // II.23.1.11, II.23.1.10
    struct text name;
    struct bytes signature;
};
bool metadata_method(const struct metadata *metadata, uint32_t token, struct metadata_method *out);
// TypeDef token that owns a MethodDef or a Field; bisects.
uint32_t metadata_method_owner(const struct metadata *metadata, uint32_t method_token);
uint32_t metadata_field_owner(const struct metadata *metadata, uint32_t field_token);
uint32_t metadata_enclosing_type(const struct metadata *metadata, uint32_t type_token); // 0 when not nested
// Whether a row bears an attribute, by the namespace and the name of its type; then *value (may be NULL) is its blob.
bool metadata_attribute(const struct metadata *metadata, uint32_t token, const char *space, const char *name,
                        struct bytes *value);
// The assembly's name, or the module's without suffix where there is no assembly row.
struct text metadata_assembly_name(const struct metadata *metadata);
bool metadata_mvid(const struct metadata *metadata, uint8_t out[16]);

#endif
