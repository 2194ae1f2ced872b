// Tables and heaps of a module's metadata (ECMA-335 II.22 and II.24), and of a portable PDB, which has the same
// structure. The agent reads metadata with these functions instead of the runtime's IMetaDataImport: they need no lock,
// allocate nothing, and may run on any thread in any callback. Everything that is returned is borrowed from the image.
//
// Metadata is not trusted: a row, column or heap offset outside reads as 0 or as empty.
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

// The raw value of a column (table_columns.h): a number, a heap offset, a row or a coded index. 0 for a row or column that
// does not exist.
uint32_t metadata_column(const struct metadata *metadata, enum metadata_table table, uint32_t row, unsigned column);

// Items of the heaps #Strings, #Blob and #GUID, by the offset or index that a column holds. Empty or false when it is
// outside.
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
// The inverse; 0, which no token encodes to, when this kind of coded index has no such table.
uint32_t metadata_encode(enum metadata_coded kind, uint32_t token);

// Compressed integers of blobs (II.23.2), unsigned and signed.
bool bytes_compressed(struct bytes *bytes, uint32_t *out);
bool bytes_compressed_signed(struct bytes *bytes, int32_t *out);

// -- Common queries

// The first row whose `column` has the raw value `value`, in a table that is sorted by this column; 0 when there is
// none. Also 0 for value 0: reads behind the last row give 0, so a loop over equal rows ends there.
uint32_t metadata_find(const struct metadata *metadata, enum metadata_table table, unsigned column, uint32_t value);
struct metadata_range {
    uint32_t first, end; // rows; end is exclusive
};
// All rows whose `column` has this raw value, in a table that is sorted by this column.
struct metadata_range metadata_find_all(const struct metadata *metadata, enum metadata_table table, unsigned column,
                                        uint32_t value);
// The rows of `target` that belong to `row` by a list column (II.22): the column holds the first one, and the list ends
// where the list of the next row begins. Empty when malformed.
struct metadata_range metadata_list(const struct metadata *metadata, enum metadata_table table, uint32_t row,
                                    unsigned column, enum metadata_table target);

// MethodImplAttributes.Async, of runtime async: the body returns the result of the task in the signature, and the JIT suspends
// it at an await, so that it may continue on another thread. Newer than ECMA-335.
enum { METHOD_ASYNC = 0x2000 };

struct metadata_method {
    uint32_t rva;
    uint16_t impl_flags, flags; // II.23.1.11, II.23.1.10
    struct text name;
    struct bytes signature;
};
bool metadata_method(const struct metadata *metadata, uint32_t token, struct metadata_method *out);
// The TypeDef token that declares a MethodDef or a Field, by binary search; 0 for other tokens.
uint32_t metadata_method_owner(const struct metadata *metadata, uint32_t method_token);
uint32_t metadata_field_owner(const struct metadata *metadata, uint32_t field_token);
uint32_t metadata_enclosing_type(const struct metadata *metadata, uint32_t type_token); // 0 when not nested
// The rows of CustomAttribute for a token, and the TypeDef or TypeRef of one of them; 0: it has none.
struct metadata_range metadata_attributes_of(const struct metadata *metadata, uint32_t token);
uint32_t metadata_attribute_type(const struct metadata *metadata, uint32_t row);
// Whether a token has a custom attribute of this namespace and name; *value (may be NULL) gets the attribute's blob.
bool metadata_attribute(const struct metadata *metadata, uint32_t token, const char *space, const char *name,
                        struct bytes *value);
// The assembly's name, or the module's without suffix where there is no assembly row.
struct text metadata_assembly_name(const struct metadata *metadata);
bool metadata_mvid(const struct metadata *metadata, uint8_t out[16]);

#endif
