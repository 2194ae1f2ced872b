// Reads the tables and heaps of ECMA-335 metadata. The width of a column depends on the sizes of heaps and of other
// tables, so metadata_open() computes the layout of each table from its schema; afterwards a column is read at a known
// offset, without a search. Source of facts: ECMA-335 II.22, II.24; PortablePdb-Metadata.md of dotnet/runtime.
#include "metadata/tables/metadata.h"

#include "base/assert.h"

enum { MAGIC = 0x424A5342, ROW_MAX = 0xFFFFFF, FIRST_PDB_TABLE = 0x30 };

static_assert((int)FIRST_PDB_TABLE == (int)TABLE_DOCUMENT && (int)TABLE_COUNT <= 64,
              "which tables there are is one word");

// Bits of HeapSizes in the tables stream (II.24.2.6). EXTRA_WORD is not in the standard: CoreCLR has it for edit and
// continue.
enum { WIDE_STRINGS = 1, WIDE_GUIDS = 2, WIDE_BLOBS = 4, EXTRA_WORD = 0x40 };

// A column's kind: an index into table K below 0x40, a coded index above, or one of the plain kinds.
enum column_kind { CODED = 0x40, U2 = 0x80, U4, STRING, GUID, BLOB };

struct schema {
    uint8_t count;
    uint8_t kinds[METADATA_COLUMNS_MAX];
};

// Divides by zero, which does not compile, when there are not `n` kinds.
#define COLUMNS(n, ...)                                  \
    {                                                    \
        (n) / (sizeof((uint8_t[]){__VA_ARGS__}) == (n)), \
        {                                                \
            __VA_ARGS__                                  \
        }                                                \
    }

static const struct schema schemas[TABLE_COUNT] = {
    [TABLE_MODULE] = COLUMNS(MODULE_COLUMNS, U2, STRING, GUID, GUID, GUID),
    [TABLE_TYPE_REF] = COLUMNS(TYPE_REF_COLUMNS, CODED + CODED_RESOLUTION_SCOPE, STRING, STRING),
    [TABLE_TYPE_DEF] =
        COLUMNS(TYPE_DEF_COLUMNS, U4, STRING, STRING, CODED + CODED_TYPE_DEF_OR_REF, TABLE_FIELD, TABLE_METHOD_DEF),
    [0x03] = COLUMNS(1, TABLE_FIELD), // FieldPtr
    [TABLE_FIELD] = COLUMNS(FIELD_COLUMNS, U2, STRING, BLOB),
    [0x05] = COLUMNS(1, TABLE_METHOD_DEF), // MethodPtr
    [TABLE_METHOD_DEF] = COLUMNS(METHOD_DEF_COLUMNS, U4, U2, U2, STRING, BLOB, TABLE_PARAM),
    [0x07] = COLUMNS(1, TABLE_PARAM), // ParamPtr
    [TABLE_PARAM] = COLUMNS(PARAM_COLUMNS, U2, U2, STRING),
    [TABLE_INTERFACE_IMPL] = COLUMNS(INTERFACE_IMPL_COLUMNS, TABLE_TYPE_DEF, CODED + CODED_TYPE_DEF_OR_REF),
    [TABLE_MEMBER_REF] = COLUMNS(MEMBER_REF_COLUMNS, CODED + CODED_MEMBER_REF_PARENT, STRING, BLOB),
    [TABLE_CONSTANT] = COLUMNS(CONSTANT_COLUMNS, U2, CODED + CODED_HAS_CONSTANT, BLOB),
    [TABLE_CUSTOM_ATTRIBUTE] = COLUMNS(CUSTOM_ATTRIBUTE_COLUMNS, CODED + CODED_HAS_CUSTOM_ATTRIBUTE,
                                       CODED + CODED_CUSTOM_ATTRIBUTE_TYPE, BLOB),
    [0x0D] = COLUMNS(2, CODED + CODED_HAS_FIELD_MARSHAL, BLOB),     // FieldMarshal
    [0x0E] = COLUMNS(3, U2, CODED + CODED_HAS_DECL_SECURITY, BLOB), // DeclSecurity
    [TABLE_CLASS_LAYOUT] = COLUMNS(CLASS_LAYOUT_COLUMNS, U2, U4, TABLE_TYPE_DEF),
    [TABLE_FIELD_LAYOUT] = COLUMNS(FIELD_LAYOUT_COLUMNS, U4, TABLE_FIELD),
    [TABLE_STAND_ALONE_SIG] = COLUMNS(STAND_ALONE_SIG_COLUMNS, BLOB),
    [TABLE_EVENT_MAP] = COLUMNS(EVENT_MAP_COLUMNS, TABLE_TYPE_DEF, TABLE_EVENT),
    [0x13] = COLUMNS(1, TABLE_EVENT), // EventPtr
    [TABLE_EVENT] = COLUMNS(EVENT_COLUMNS, U2, STRING, CODED + CODED_TYPE_DEF_OR_REF),
    [TABLE_PROPERTY_MAP] = COLUMNS(PROPERTY_MAP_COLUMNS, TABLE_TYPE_DEF, TABLE_PROPERTY),
    [0x16] = COLUMNS(1, TABLE_PROPERTY), // PropertyPtr
    [TABLE_PROPERTY] = COLUMNS(PROPERTY_COLUMNS, U2, STRING, BLOB),
    [TABLE_METHOD_SEMANTICS] = COLUMNS(METHOD_SEMANTICS_COLUMNS, U2, TABLE_METHOD_DEF, CODED + CODED_HAS_SEMANTICS),
    [TABLE_METHOD_IMPL] =
        COLUMNS(METHOD_IMPL_COLUMNS, TABLE_TYPE_DEF, CODED + CODED_METHOD_DEF_OR_REF, CODED + CODED_METHOD_DEF_OR_REF),
    [TABLE_MODULE_REF] = COLUMNS(MODULE_REF_COLUMNS, STRING),
    [TABLE_TYPE_SPEC] = COLUMNS(TYPE_SPEC_COLUMNS, BLOB),
    [TABLE_IMPL_MAP] = COLUMNS(IMPL_MAP_COLUMNS, U2, CODED + CODED_MEMBER_FORWARDED, STRING, TABLE_MODULE_REF),
    [0x1D] = COLUMNS(2, U4, TABLE_FIELD), // FieldRVA
    [0x1E] = COLUMNS(2, U4, U4),          // EncLog
    [0x1F] = COLUMNS(1, U4),              // EncMap
    [TABLE_ASSEMBLY] = COLUMNS(ASSEMBLY_COLUMNS, U4, U2, U2, U2, U2, U4, BLOB, STRING, STRING),
    [0x21] = COLUMNS(1, U4),         // AssemblyProcessor
    [0x22] = COLUMNS(3, U4, U4, U4), // AssemblyOS
    [TABLE_ASSEMBLY_REF] = COLUMNS(ASSEMBLY_REF_COLUMNS, U2, U2, U2, U2, U4, BLOB, STRING, STRING, BLOB),
    [0x24] = COLUMNS(2, U4, TABLE_ASSEMBLY_REF),         // AssemblyRefProcessor
    [0x25] = COLUMNS(4, U4, U4, U4, TABLE_ASSEMBLY_REF), // AssemblyRefOS
    [0x26] = COLUMNS(3, U4, STRING, BLOB),               // File
    [TABLE_EXPORTED_TYPE] = COLUMNS(EXPORTED_TYPE_COLUMNS, U4, U4, STRING, STRING, CODED + CODED_IMPLEMENTATION),
    [0x28] = COLUMNS(4, U4, U4, STRING, CODED + CODED_IMPLEMENTATION), // ManifestResource
    [TABLE_NESTED_CLASS] = COLUMNS(NESTED_CLASS_COLUMNS, TABLE_TYPE_DEF, TABLE_TYPE_DEF),
    [TABLE_GENERIC_PARAM] = COLUMNS(GENERIC_PARAM_COLUMNS, U2, U2, CODED + CODED_TYPE_OR_METHOD_DEF, STRING),
    [TABLE_METHOD_SPEC] = COLUMNS(METHOD_SPEC_COLUMNS, CODED + CODED_METHOD_DEF_OR_REF, BLOB),
    [0x2C] = COLUMNS(2, TABLE_GENERIC_PARAM, CODED + CODED_TYPE_DEF_OR_REF), // GenericParamConstraint
    [TABLE_DOCUMENT] = COLUMNS(DOCUMENT_COLUMNS, BLOB, GUID, BLOB, GUID),
    [TABLE_METHOD_DEBUG_INFORMATION] = COLUMNS(METHOD_DEBUG_INFORMATION_COLUMNS, TABLE_DOCUMENT, BLOB),
    [TABLE_LOCAL_SCOPE] = COLUMNS(LOCAL_SCOPE_COLUMNS, TABLE_METHOD_DEF, TABLE_IMPORT_SCOPE, TABLE_LOCAL_VARIABLE,
                                  TABLE_LOCAL_CONSTANT, U4, U4),
    [TABLE_LOCAL_VARIABLE] = COLUMNS(LOCAL_VARIABLE_COLUMNS, U2, U2, STRING),
    [TABLE_LOCAL_CONSTANT] = COLUMNS(LOCAL_CONSTANT_COLUMNS, STRING, BLOB),
    [TABLE_IMPORT_SCOPE] = COLUMNS(IMPORT_SCOPE_COLUMNS, TABLE_IMPORT_SCOPE, BLOB),
    [TABLE_STATE_MACHINE_METHOD] = COLUMNS(STATE_MACHINE_METHOD_COLUMNS, TABLE_METHOD_DEF, TABLE_METHOD_DEF),
    [TABLE_CUSTOM_DEBUG_INFORMATION] =
        COLUMNS(CUSTOM_DEBUG_INFORMATION_COLUMNS, CODED + CODED_HAS_CUSTOM_DEBUG_INFORMATION, GUID, BLOB),
};

enum { NO_TABLE = 0xFF, CODED_TAGS_MAX = 27 };

static_assert(CODED_TAGS_MAX <= 1 << 5, "tags have five bits at most");

struct coded {
    uint8_t bits;
    uint8_t count;
    uint8_t tables[CODED_TAGS_MAX];
};

#define TAGS(bits, ...)                         \
    {                                           \
        bits, sizeof((uint8_t[]){__VA_ARGS__}), \
        {                                       \
            __VA_ARGS__                         \
        }                                       \
    }

static const struct coded codeds[] = {
    [CODED_TYPE_DEF_OR_REF] = TAGS(2, TABLE_TYPE_DEF, TABLE_TYPE_REF, TABLE_TYPE_SPEC),
    [CODED_HAS_CUSTOM_ATTRIBUTE] =
        TAGS(5, TABLE_METHOD_DEF, TABLE_FIELD, TABLE_TYPE_REF, TABLE_TYPE_DEF, TABLE_PARAM, TABLE_INTERFACE_IMPL,
             TABLE_MEMBER_REF, TABLE_MODULE, 0x0E, TABLE_PROPERTY, TABLE_EVENT, TABLE_STAND_ALONE_SIG, TABLE_MODULE_REF,
             TABLE_TYPE_SPEC, TABLE_ASSEMBLY, TABLE_ASSEMBLY_REF, 0x26, 0x27, 0x28, TABLE_GENERIC_PARAM, 0x2C,
             TABLE_METHOD_SPEC),
    [CODED_MEMBER_REF_PARENT] =
        TAGS(3, TABLE_TYPE_DEF, TABLE_TYPE_REF, TABLE_MODULE_REF, TABLE_METHOD_DEF, TABLE_TYPE_SPEC),
    [CODED_HAS_SEMANTICS] = TAGS(1, TABLE_EVENT, TABLE_PROPERTY),
    [CODED_METHOD_DEF_OR_REF] = TAGS(1, TABLE_METHOD_DEF, TABLE_MEMBER_REF),
    [CODED_CUSTOM_ATTRIBUTE_TYPE] = TAGS(3, NO_TABLE, NO_TABLE, TABLE_METHOD_DEF, TABLE_MEMBER_REF),
    [CODED_RESOLUTION_SCOPE] = TAGS(2, TABLE_MODULE, TABLE_MODULE_REF, TABLE_ASSEMBLY_REF, TABLE_TYPE_REF),
    [CODED_TYPE_OR_METHOD_DEF] = TAGS(1, TABLE_TYPE_DEF, TABLE_METHOD_DEF),
    [CODED_HAS_CONSTANT] = TAGS(2, TABLE_FIELD, TABLE_PARAM, TABLE_PROPERTY),
    [CODED_HAS_FIELD_MARSHAL] = TAGS(1, TABLE_FIELD, TABLE_PARAM),
    [CODED_HAS_DECL_SECURITY] = TAGS(2, TABLE_TYPE_DEF, TABLE_METHOD_DEF, TABLE_ASSEMBLY),
    [CODED_MEMBER_FORWARDED] = TAGS(1, TABLE_FIELD, TABLE_METHOD_DEF),
    [CODED_IMPLEMENTATION] = TAGS(2, 0x26, TABLE_ASSEMBLY_REF, 0x27),
    [CODED_HAS_CUSTOM_DEBUG_INFORMATION] =
        TAGS(5, TABLE_METHOD_DEF, TABLE_FIELD, TABLE_TYPE_REF, TABLE_TYPE_DEF, TABLE_PARAM, TABLE_INTERFACE_IMPL,
             TABLE_MEMBER_REF, TABLE_MODULE, 0x0E, TABLE_PROPERTY, TABLE_EVENT, TABLE_STAND_ALONE_SIG, TABLE_MODULE_REF,
             TABLE_TYPE_SPEC, TABLE_ASSEMBLY, TABLE_ASSEMBLY_REF, 0x26, 0x27, 0x28, TABLE_GENERIC_PARAM, 0x2C,
             TABLE_METHOD_SPEC, TABLE_DOCUMENT, TABLE_LOCAL_SCOPE, TABLE_LOCAL_VARIABLE, TABLE_LOCAL_CONSTANT,
             TABLE_IMPORT_SCOPE),
};

static_assert(sizeof codeds / sizeof *codeds == CODED_HAS_CUSTOM_DEBUG_INFORMATION + 1, "each kind has its tags");
static_assert((int)TABLE_COUNT <= CODED && CODED + (int)CODED_HAS_CUSTOM_DEBUG_INFORMATION < U2,
              "kinds of columns are apart");
static_assert(METADATA_COLUMNS_MAX * sizeof(uint32_t) <= UINT8_MAX, "offsets in a row fit a byte");

// Row counts that decide how wide indexes are: the module's own, and for a PDB those of the module it belongs to.
struct widths {
    uint8_t heap_sizes;
    uint32_t rows[TABLE_COUNT];
};

static uint8_t coded_width(const struct widths *widths, const struct coded *coded)
{
    CLEW_ASSERT(coded->bits < 16 && coded->count <= 1u << coded->bits);
    uint32_t limit = UINT32_C(1) << (16 - coded->bits);
    for (unsigned i = 0; i < coded->count; i++) {
        if (coded->tables[i] != NO_TABLE && widths->rows[coded->tables[i]] >= limit) {
            return 4;
        }
    }
    return 2;
}

// Indexes take two bytes where each target has few enough rows, else four (II.24.2.6).
static uint8_t column_width(const struct widths *widths, uint8_t kind)
{
    CLEW_ASSERT(kind <= BLOB);
    if (kind < CODED) {
        return widths->rows[kind] > UINT16_MAX ? 4 : 2;
    }
    switch (kind) {
    case U2:
        return 2;
    case U4:
        return 4;
    case STRING:
        return widths->heap_sizes & WIDE_STRINGS ? 4 : 2;
    case GUID:
        return widths->heap_sizes & WIDE_GUIDS ? 4 : 2;
    case BLOB:
        return widths->heap_sizes & WIDE_BLOBS ? 4 : 2;
    default:
        return coded_width(widths, &codeds[kind - CODED]);
    }
}

static void lay_out(struct metadata_layout *layout, const struct schema *schema, const struct widths *widths)
{
    CLEW_ASSERT(schema->count <= METADATA_COLUMNS_MAX);
    uint8_t size = 0;
    for (unsigned i = 0; i < schema->count; i++) {
        layout->offset[i] = size;
        layout->width[i] = column_width(widths, schema->kinds[i]);
        size = (uint8_t)(size + layout->width[i]);
    }
    layout->column_count = schema->count;
    layout->row_size = size;
}

static bool read_counts(struct bytes *bytes, uint64_t present, uint32_t rows[TABLE_COUNT])
{
    for (unsigned table = 0; table < TABLE_COUNT; table++) {
        if (present >> table & 1) {
            uint32_t count;
            if (!bytes_u32(bytes, &count) || count > ROW_MAX) {
                return false;
            }
            rows[table] = count;
        }
    }
    return true;
}

// A PDB's indexes into tables of its module are as wide as the module's row counts demand; #Pdb repeats those counts
// after the id and the entry point.
static bool read_pdb_counts(struct bytes pdb, uint32_t rows[TABLE_COUNT])
{
    uint64_t present;
    return bytes_skip(&pdb, 24) && bytes_u64(&pdb, &present) && present >> FIRST_PDB_TABLE == 0 &&
           read_counts(&pdb, present, rows);
}

// FieldPtr, MethodPtr, ParamPtr, EventPtr and PropertyPtr: lists would go through them.
static bool has_pointer_tables(const uint32_t rows[TABLE_COUNT])
{
    return rows[0x03] || rows[0x05] || rows[0x07] || rows[0x13] || rows[0x16];
}

// The tables stream (II.24.2.6): row counts, then all rows of each table. Row counts of #Pdb only determine widths.
static enum clew_error read_tables(struct bytes stream, struct metadata *out)
{
    struct widths widths = {0};
    uint32_t rows[TABLE_COUNT] = {0};
    uint64_t present, sorted;
    if (!bytes_skip(&stream, 6) || !bytes_u8(&stream, &widths.heap_sizes) || !bytes_skip(&stream, 1) ||
        !bytes_u64(&stream, &present) || !bytes_u64(&stream, &sorted) || !read_counts(&stream, present, rows) ||
        ((widths.heap_sizes & EXTRA_WORD) && !bytes_skip(&stream, 4)) ||
        (bytes_left(&out->pdb) && !read_pdb_counts(out->pdb, widths.rows))) {
        return CLEW_MALFORMED;
    }
    if (has_pointer_tables(rows)) {
        return CLEW_UNSUPPORTED;
    }
    for (unsigned table = 0; table < TABLE_COUNT; table++) {
        widths.rows[table] = rows[table] ? rows[table] : widths.rows[table];
    }
    for (unsigned table = 0; table < TABLE_COUNT; table++) {
        struct metadata_layout *layout = &out->tables[table];
        lay_out(layout, &schemas[table], &widths);
        layout->rows = stream.at;
        layout->row_count = rows[table];
        // The rows of an unknown table have an unknown size, so no table behind it can be found.
        if ((rows[table] && layout->column_count == 0) ||
            !bytes_skip(&stream, (size_t)rows[table] * layout->row_size)) {
            return CLEW_MALFORMED;
        }
    }
    return CLEW_OK;
}

static bool read_stream_name(struct bytes *header, struct text *out)
{
    const uint8_t *end = memchr(header->at, 0, bytes_left(header));
    if (!end) {
        return false;
    }
    *out = (struct text){(const char *)header->at, (size_t)(end - header->at)};
    size_t padded = (out->size + 1 + 3) & ~(size_t)3;
    // The last name's padding may be missing.
    return bytes_skip(header, padded) || bytes_skip(header, bytes_left(header));
}

// The stream headers (II.24.2.2). Unknown streams are ignored.
static enum clew_error read_streams(struct bytes root, struct bytes header, unsigned count, struct metadata *out,
                                    struct bytes *tables)
{
    const struct {
        const char *name;
        struct bytes *stream;
    } known[] = {{"#~", tables},
                 {"#-", tables},
                 {"#Strings", &out->strings},
                 {"#Blob", &out->blobs},
                 {"#US", &out->user_strings},
                 {"#GUID", &out->guids},
                 {"#Pdb", &out->pdb}};
    for (unsigned i = 0; i < count; i++) {
        uint32_t offset, size;
        struct text name;
        struct bytes stream = root, content;
        if (!bytes_u32(&header, &offset) || !bytes_u32(&header, &size) || !read_stream_name(&header, &name) ||
            !bytes_skip(&stream, offset) || !bytes_take(&stream, size, &content)) {
            return CLEW_MALFORMED;
        }
        for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
            if (text_equal(name, text_of(known[k].name))) {
                *known[k].stream = content;
            }
        }
    }
    return CLEW_OK;
}

enum clew_error metadata_open(struct bytes root, struct metadata *out)
{
    *out = (struct metadata){0};
    struct bytes header = root, tables = {0};
    uint32_t magic, version_size;
    uint16_t count;
    if (!bytes_u32(&header, &magic) || magic != MAGIC || !bytes_skip(&header, 8) ||
        !bytes_u32(&header, &version_size) || !bytes_skip(&header, ((size_t)version_size + 3) & ~(size_t)3) ||
        !bytes_skip(&header, 2) || !bytes_u16(&header, &count)) {
        return CLEW_MALFORMED;
    }
    CLEW_TRY(read_streams(root, header, count, out, &tables));
    return bytes_left(&tables) ? read_tables(tables, out) : CLEW_MALFORMED;
}

uint32_t metadata_column(const struct metadata *metadata, enum metadata_table table, uint32_t row, unsigned column)
{
    const struct metadata_layout *layout = &metadata->tables[table];
    if (row == 0 || row > layout->row_count || column >= layout->column_count) {
        return 0;
    }
    CLEW_ASSERT(layout->offset[column] + layout->width[column] <= layout->row_size);
    const uint8_t *at = layout->rows + (size_t)(row - 1) * layout->row_size + layout->offset[column];
    return layout->width[column] == 2 ? read_u16(at) : read_u32(at);
}

struct text metadata_string(const struct metadata *metadata, uint32_t offset)
{
    struct bytes rest = metadata->strings;
    if (!bytes_skip(&rest, offset) || bytes_left(&rest) == 0) {
        return (struct text){"", 0};
    }
    const uint8_t *end = memchr(rest.at, 0, bytes_left(&rest));
    return (struct text){(const char *)rest.at, (size_t)((end ? end : rest.end) - rest.at)};
}

struct bytes metadata_blob(const struct metadata *metadata, uint32_t offset)
{
    struct bytes rest = metadata->blobs, content;
    uint32_t size;
    if (offset == 0 || !bytes_skip(&rest, offset) || !bytes_compressed(&rest, &size) ||
        !bytes_take(&rest, size, &content)) {
        return (struct bytes){0};
    }
    return content;
}

bool metadata_guid(const struct metadata *metadata, uint32_t index, uint8_t out[16])
{
    struct bytes rest = metadata->guids, content;
    if (index == 0 || !bytes_skip(&rest, ((size_t)index - 1) * 16) || !bytes_take(&rest, 16, &content)) {
        return false;
    }
    memcpy(out, content.at, 16);
    return true;
}

uint32_t metadata_decode(enum metadata_coded kind, uint32_t value)
{
    CLEW_ASSERT((size_t)kind < sizeof codeds / sizeof *codeds);
    const struct coded *coded = &codeds[kind];
    uint32_t tag = value & ((1u << coded->bits) - 1), row = value >> coded->bits;
    if (tag >= coded->count || coded->tables[tag] == NO_TABLE || row > ROW_MAX) {
        return 0;
    }
    return TOKEN(coded->tables[tag], row);
}

uint32_t metadata_encode(enum metadata_coded kind, uint32_t token)
{
    CLEW_ASSERT((size_t)kind < sizeof codeds / sizeof *codeds);
    const struct coded *coded = &codeds[kind];
    for (uint32_t tag = 0; tag < coded->count; tag++) {
        if (coded->tables[tag] == TOKEN_TABLE(token)) {
            return TOKEN_ROW(token) << coded->bits | tag;
        }
    }
    return 0;
}

bool bytes_compressed(struct bytes *bytes, uint32_t *out)
{
    const uint8_t *at = bytes->at;
    size_t left = bytes_left(bytes), size;
    if (left >= 1 && !(at[0] & 0x80)) {
        *out = at[0];
        size = 1;
    } else if (left >= 2 && !(at[0] & 0x40)) {
        *out = (uint32_t)(at[0] & 0x3F) << 8 | at[1];
        size = 2;
    } else if (left >= 4 && !(at[0] & 0x20)) {
        *out = (uint32_t)(at[0] & 0x1F) << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
        size = 4;
    } else {
        return false;
    }
    CLEW_ASSERT(size <= left);
    return bytes_skip(bytes, size);
}

bool bytes_compressed_signed(struct bytes *bytes, int32_t *out)
{
    size_t before = bytes_left(bytes);
    uint32_t value;
    if (!bytes_compressed(bytes, &value)) {
        return false;
    }
    // The sign is the lowest bit; the number of value bits above it depends on the encoded width (II.23.2).
    size_t width = before - bytes_left(bytes);
    CLEW_ASSERT(width == 1 || width == 2 || width == 4);
    int32_t range = INT32_C(1) << (width == 1 ? 6 : width == 2 ? 13 : 28);
    *out = (int32_t)(value >> 1) - (value & 1 ? range : 0);
    return true;
}

// The first row whose column is not below `value`; one past the last when all are.
static uint32_t lower_bound(const struct metadata *metadata, enum metadata_table table, unsigned column, uint32_t value)
{
    uint32_t low = 1, high = metadata_rows(metadata, table) + 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (metadata_column(metadata, table, middle, column) < value) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    CLEW_ASSERT(low <= metadata_rows(metadata, table) + 1);
    return low;
}

uint32_t metadata_find(const struct metadata *metadata, enum metadata_table table, unsigned column, uint32_t value)
{
    if (value == 0) {
        return 0;
    }
    uint32_t row = lower_bound(metadata, table, column, value);
    return row <= metadata_rows(metadata, table) && metadata_column(metadata, table, row, column) == value ? row : 0;
}

struct metadata_range metadata_find_all(const struct metadata *metadata, enum metadata_table table, unsigned column,
                                        uint32_t value)
{
    uint32_t first = lower_bound(metadata, table, column, value);
    return (struct metadata_range){first, value == UINT32_MAX ? metadata_rows(metadata, table) + 1
                                                              : lower_bound(metadata, table, column, value + 1)};
}

struct metadata_range metadata_list(const struct metadata *metadata, enum metadata_table table, uint32_t row,
                                    unsigned column, enum metadata_table target)
{
    uint32_t limit = metadata_rows(metadata, target) + 1;
    struct metadata_range range = {metadata_column(metadata, table, row, column), limit};
    if (row < metadata_rows(metadata, table)) {
        range.end = metadata_column(metadata, table, row + 1, column);
    }
    if (range.first == 0 || range.end > limit || range.first > range.end) {
        range = (struct metadata_range){1, 1};
    }
    CLEW_ASSERT(range.first > 0 && range.first <= range.end && range.end <= limit);
    return range;
}

bool metadata_method(const struct metadata *metadata, uint32_t token, struct metadata_method *out)
{
    uint32_t row = TOKEN_ROW(token);
    if (TOKEN_TABLE(token) != TABLE_METHOD_DEF || row == 0 || row > metadata_rows(metadata, TABLE_METHOD_DEF)) {
        return false;
    }
    *out = (struct metadata_method){
        .rva = metadata_column(metadata, TABLE_METHOD_DEF, row, METHOD_DEF_RVA),
        .impl_flags = (uint16_t)metadata_column(metadata, TABLE_METHOD_DEF, row, METHOD_DEF_IMPL_FLAGS),
        .flags = (uint16_t)metadata_column(metadata, TABLE_METHOD_DEF, row, METHOD_DEF_FLAGS),
        .name = metadata_string(metadata, metadata_column(metadata, TABLE_METHOD_DEF, row, METHOD_DEF_NAME)),
        .signature = metadata_blob(metadata, metadata_column(metadata, TABLE_METHOD_DEF, row, METHOD_DEF_SIGNATURE)),
    };
    return true;
}

// The type whose list, in that column, holds a row of `table`.
static uint32_t owner(const struct metadata *metadata, uint32_t token, enum metadata_table table, unsigned column)
{
    uint32_t row = TOKEN_ROW(token);
    if (TOKEN_TABLE(token) != table || row == 0 || row > metadata_rows(metadata, table)) {
        return 0;
    }
    // Types with empty lists share their start with the next: the last that starts at or before the row owns it.
    uint32_t type = lower_bound(metadata, TABLE_TYPE_DEF, column, row + 1) - 1;
    CLEW_ASSERT(type <= metadata_rows(metadata, TABLE_TYPE_DEF));
    return type == 0 ? 0 : TOKEN(TABLE_TYPE_DEF, type);
}

uint32_t metadata_method_owner(const struct metadata *metadata, uint32_t method_token)
{
    return owner(metadata, method_token, TABLE_METHOD_DEF, TYPE_DEF_METHODS);
}

uint32_t metadata_field_owner(const struct metadata *metadata, uint32_t field_token)
{
    return owner(metadata, field_token, TABLE_FIELD, TYPE_DEF_FIELDS);
}

uint32_t metadata_enclosing_type(const struct metadata *metadata, uint32_t type_token)
{
    uint32_t row = metadata_find(metadata, TABLE_NESTED_CLASS, NESTED_CLASS_NESTED, TOKEN_ROW(type_token));
    uint32_t outer = metadata_column(metadata, TABLE_NESTED_CLASS, row, NESTED_CLASS_ENCLOSING);
    return outer == 0 || outer > metadata_rows(metadata, TABLE_TYPE_DEF) ? 0 : TOKEN(TABLE_TYPE_DEF, outer);
}

struct text metadata_assembly_name(const struct metadata *metadata)
{
    struct text name = metadata_string(metadata, metadata_column(metadata, TABLE_ASSEMBLY, 1, ASSEMBLY_NAME));
    if (name.size) {
        return name;
    }
    name = metadata_string(metadata, metadata_column(metadata, TABLE_MODULE, 1, MODULE_NAME));
    const char *dot = name.size ? memrchr(name.at, '.', name.size) : NULL;
    return dot && dot > name.at ? (struct text){name.at, (size_t)(dot - name.at)} : name;
}

bool metadata_mvid(const struct metadata *metadata, uint8_t out[16])
{
    return metadata_guid(metadata, metadata_column(metadata, TABLE_MODULE, 1, MODULE_MVID), out);
}

// The type whose constructor an attribute calls.
uint32_t metadata_attribute_type(const struct metadata *metadata, uint32_t row)
{
    uint32_t constructor = metadata_decode(
        CODED_CUSTOM_ATTRIBUTE_TYPE, metadata_column(metadata, TABLE_CUSTOM_ATTRIBUTE, row, CUSTOM_ATTRIBUTE_TYPE));
    if (TOKEN_TABLE(constructor) == TABLE_METHOD_DEF) {
        return metadata_method_owner(metadata, constructor);
    }
    return metadata_decode(CODED_MEMBER_REF_PARENT,
                           metadata_column(metadata, TABLE_MEMBER_REF, TOKEN_ROW(constructor), MEMBER_REF_PARENT));
}

struct metadata_range metadata_attributes_of(const struct metadata *metadata, uint32_t token)
{
    uint32_t coded = metadata_encode(CODED_HAS_CUSTOM_ATTRIBUTE, token);
    struct metadata_range none = {1, 1};
    return coded ? metadata_find_all(metadata, TABLE_CUSTOM_ATTRIBUTE, CUSTOM_ATTRIBUTE_PARENT, coded) : none;
}

bool metadata_attribute(const struct metadata *metadata, uint32_t token, const char *space, const char *name,
                        struct bytes *value)
{
    struct metadata_range rows = metadata_attributes_of(metadata, token);
    for (uint32_t row = rows.first; row < rows.end; row++) {
        uint32_t type = metadata_attribute_type(metadata, row);
        enum metadata_table table = (enum metadata_table)TOKEN_TABLE(type);
        // TypeDef and TypeRef both have the name in column 1 and the namespace in column 2.
        if (table <= TABLE_TYPE_DEF &&
            text_equal(metadata_string(metadata, metadata_column(metadata, table, TOKEN_ROW(type), TYPE_NAME)),
                       text_of(name)) &&
            text_equal(metadata_string(metadata, metadata_column(metadata, table, TOKEN_ROW(type), TYPE_NAMESPACE)),
                       text_of(space))) {
            if (value) {
                *value = metadata_blob(metadata,
                                       metadata_column(metadata, TABLE_CUSTOM_ATTRIBUTE, row, CUSTOM_ATTRIBUTE_VALUE));
            }
            return true;
        }
    }
    return false;
}
