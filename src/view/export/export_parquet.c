// Parquet (parquet.apache.org/docs/file-format): a flat schema of optional columns, one page a column and row group,
// PLAIN values behind RLE definition levels, compressed with zstd. A row group ends at so many rows or bytes, so memory does
// not grow with the table, except for the footer, which has some bytes for each row group.
#include <stdlib.h>
#include <zstd.h>

#include "base/assert.h"
#include "view/export/export.h"
#include "view/export/export_formats.h"
#include "view/export/export_thrift.h"
#include "view/text/utf8.h"

// Numbers of parquet.thrift.
enum {
    TYPE_BOOLEAN = 0,
    TYPE_INT64 = 2,
    TYPE_BYTE_ARRAY = 6,
    REPETITION_OPTIONAL = 1,
    CONVERTED_UTF8 = 0,
    ENCODING_PLAIN = 0,
    ENCODING_RLE = 3,
    CODEC_ZSTD = 6,
    PAGE_DATA = 0,
    FORMAT_VERSION = 1,
};
enum { ROWS_MAX = 1 << 17, BYTES_MAX = 16 << 20, LEVEL = 3 };

// The part of a column that is in memory: its values, and the runs of known and unknown ones.
struct column {
    struct buffer values, levels;
    uint64_t run;  // length of the newest run
    bool known;    // its kind
    uint32_t bits; // of booleans in the newest byte
};

struct parquet {
    struct table_sink sink;
    FILE *out;
    struct column columns[TABLE_COLUMNS_MAX];
    uint32_t count;       // of columns
    struct buffer groups; // the footer's entries of row groups
    struct buffer page, compressed, header;
    uint32_t group_count, rows; // rows of the current group
    uint64_t row_count, written, bytes;
};

static void write_bytes(struct parquet *parquet, const void *data, size_t size)
{
    (void)fwrite(data, 1, size, parquet->out); // errors show in ferror()
    parquet->written += size;
}

static int32_t type_of(const struct table_column *column)
{
    return table_is_text(column) ? TYPE_BYTE_ARRAY : column->kind == TABLE_BOOL ? TYPE_BOOLEAN : TYPE_INT64;
}

// -- Values -----------------------------------------------------------------------------------------------------------

// Ends a run of definition levels: its length times 2, and the level.
static void end_run(struct column *column)
{
    if (column->run) {
        buffer_varint(&column->levels, column->run << 1);
        buffer_u8(&column->levels, column->known);
    }
    column->run = 0;
}

static void append_bool(struct column *column, bool value)
{
    if (column->bits % 8 == 0) {
        buffer_u8(&column->values, 0);
    }
    if (!column->values.failed) {
        column->values.data[column->values.size - 1] |= (uint8_t)(value << column->bits % 8);
    }
    column->bits++;
}

// A text has its length before it.
static void append_text(struct column *column, struct text text)
{
    size_t at = column->values.size;
    buffer_u32(&column->values, 0);
    utf8_append(&column->values, text);
    if (!column->values.failed) {
        uint32_t size = (uint32_t)(column->values.size - at - sizeof size);
        for (uint32_t i = 0; i < sizeof size; i++) {
            column->values.data[at + i] = (uint8_t)(size >> 8 * i);
        }
    }
}

static void append_cell(struct column *column, const struct table_column *about, const struct table_cell *cell)
{
    bool known = !table_is_null(about, cell);
    if (known != column->known) {
        end_run(column);
    }
    column->known = known;
    column->run++;
    if (!known) {
        return;
    }
    if (table_is_text(about)) {
        append_text(column, cell->text);
    } else if (about->kind == TABLE_BOOL) {
        append_bool(column, cell->number != 0);
    } else { // numbers are signed
        buffer_u64(&column->values, cell->number < INT64_MAX ? cell->number : INT64_MAX);
    }
}

// -- Pages ------------------------------------------------------------------------------------------------------------

// Puts a column's page together and compresses it.
static enum clew_error make_page(struct parquet *parquet, struct column *column)
{
    CLEW_ASSERT(parquet->rows > 0 && parquet->rows <= ROWS_MAX && "a page has rows");
    end_run(column);
    buffer_clear(&parquet->page);
    buffer_u32(&parquet->page, (uint32_t)column->levels.size);
    buffer_append(&parquet->page, column->levels.data, column->levels.size);
    buffer_append(&parquet->page, column->values.data, column->values.size);
    if (parquet->page.failed || column->levels.failed || column->values.failed || parquet->page.size > INT32_MAX) {
        return CLEW_NO_MEMORY;
    }
    buffer_clear(&parquet->compressed);
    size_t room = ZSTD_compressBound(parquet->page.size);
    uint8_t *to = buffer_extend(&parquet->compressed, room);
    size_t size = to ? ZSTD_compress(to, room, parquet->page.data, parquet->page.size, LEVEL) : 0;
    if (!to || ZSTD_isError(size)) {
        return CLEW_NO_MEMORY;
    }
    parquet->compressed.size = size;
    return CLEW_OK;
}

static void make_page_header(struct parquet *parquet)
{
    buffer_clear(&parquet->header);
    struct thrift header = {.out = &parquet->header};
    thrift_i32(&header, 1, PAGE_DATA);
    thrift_i32(&header, 2, (int32_t)parquet->page.size);
    thrift_i32(&header, 3, (int32_t)parquet->compressed.size);
    struct thrift data = thrift_struct(&header, 5);
    thrift_i32(&data, 1, (int32_t)parquet->rows);
    thrift_i32(&data, 2, ENCODING_PLAIN);
    thrift_i32(&data, 3, ENCODING_RLE); // of definition levels
    thrift_i32(&data, 4, ENCODING_RLE); // of repetition levels, which there are none of
    thrift_end(&data);
    thrift_end(&header);
}

// Adds a column's entry to that of the row group in the footer.
static void describe_chunk(struct parquet *parquet, uint32_t index)
{
    uint64_t header = parquet->header.size;
    struct thrift chunk = {.out = &parquet->groups};
    thrift_i64(&chunk, 2, (int64_t)parquet->written);
    struct thrift about = thrift_struct(&chunk, 3);
    thrift_i32(&about, 1, type_of(&parquet->sink.only->columns[index]));
    thrift_list(&about, 2, THRIFT_I32, 2);
    thrift_item_i32(&about, ENCODING_PLAIN);
    thrift_item_i32(&about, ENCODING_RLE);
    thrift_list(&about, 3, THRIFT_BINARY, 1);
    thrift_item_text(&about, text_of(parquet->sink.only->columns[index].key));
    thrift_i32(&about, 4, CODEC_ZSTD);
    thrift_i64(&about, 5, parquet->rows);
    thrift_i64(&about, 6, (int64_t)(header + parquet->page.size));
    thrift_i64(&about, 7, (int64_t)(header + parquet->compressed.size));
    thrift_i64(&about, 9, (int64_t)parquet->written); // where the page begins
    thrift_end(&about);
    thrift_end(&chunk);
    parquet->bytes += header + parquet->page.size;
}

static enum clew_error write_column(struct parquet *parquet, uint32_t index)
{
    struct column *column = &parquet->columns[index];
    CLEW_TRY(make_page(parquet, column));
    make_page_header(parquet);
    describe_chunk(parquet, index);
    write_bytes(parquet, parquet->header.data, parquet->header.size);
    write_bytes(parquet, parquet->compressed.data, parquet->compressed.size);
    buffer_clear(&column->values);
    buffer_clear(&column->levels);
    column->bits = 0;
    return parquet->header.failed || parquet->groups.failed ? CLEW_NO_MEMORY : CLEW_OK;
}

static enum clew_error write_group(struct parquet *parquet)
{
    struct thrift group = {.out = &parquet->groups};
    if (parquet->rows == 0) {
        return CLEW_OK;
    }
    parquet->bytes = 0;
    thrift_list(&group, 1, THRIFT_STRUCT, parquet->count);
    for (uint32_t i = 0; i < parquet->count; i++) {
        CLEW_TRY(write_column(parquet, i));
    }
    thrift_i64(&group, 2, (int64_t)parquet->bytes);
    thrift_i64(&group, 3, parquet->rows);
    thrift_end(&group);
    parquet->group_count++;
    parquet->row_count += parquet->rows;
    parquet->rows = 0;
    return ferror(parquet->out) ? CLEW_IO : CLEW_OK;
}

static enum clew_error write_row(struct table_sink *sink, const struct table_cell *cells, enum table_row how)
{
    struct parquet *parquet = (struct parquet *)sink;
    size_t bytes = 0;
    (void)how;
    for (uint32_t i = 0; i < parquet->count; i++) {
        append_cell(&parquet->columns[i], &sink->only->columns[i], &cells[i]);
        bytes += parquet->columns[i].values.size;
    }
    parquet->rows++;
    return parquet->rows == ROWS_MAX || bytes >= BYTES_MAX ? write_group(parquet) : CLEW_OK;
}

// -- The footer -------------------------------------------------------------------------------------------------------

static void write_schema(struct parquet *parquet, struct thrift *footer)
{
    CLEW_ASSERT(parquet->rows == 0 && "all rows are in row groups");
    thrift_list(footer, 2, THRIFT_STRUCT, parquet->count + 1);
    struct thrift root = {.out = footer->out};
    thrift_text(&root, 4, text_of("clew"));
    thrift_i32(&root, 5, (int32_t)parquet->count);
    thrift_end(&root);
    for (uint32_t i = 0; i < parquet->count; i++) {
        const struct table_column *column = &parquet->sink.only->columns[i];
        struct thrift element = {.out = footer->out};
        thrift_i32(&element, 1, type_of(column));
        thrift_i32(&element, 3, REPETITION_OPTIONAL);
        thrift_text(&element, 4, text_of(column->key));
        if (table_is_text(column)) {
            thrift_i32(&element, 6, CONVERTED_UTF8);
        }
        thrift_end(&element);
    }
}

static enum clew_error write_footer(struct parquet *parquet)
{
    struct buffer bytes = {0};
    struct thrift footer = {.out = &bytes};
    thrift_i32(&footer, 1, FORMAT_VERSION);
    write_schema(parquet, &footer);
    thrift_i64(&footer, 3, (int64_t)parquet->row_count);
    thrift_list(&footer, 4, THRIFT_STRUCT, parquet->group_count);
    buffer_append(&bytes, parquet->groups.data, parquet->groups.size);
    thrift_text(&footer, 6, text_of("clew " CLEW_VERSION));
    thrift_end(&footer);
    buffer_u32(&bytes, (uint32_t)bytes.size);
    buffer_text(&bytes, "PAR1");
    bool failed = bytes.failed || bytes.size > INT32_MAX;
    write_bytes(parquet, bytes.data, failed ? 0 : bytes.size);
    buffer_free(&bytes);
    return failed ? CLEW_NO_MEMORY : CLEW_OK;
}

static enum clew_error write_all(struct export *export, struct parquet *parquet)
{
    write_bytes(parquet, "PAR1", 4);
    CLEW_TRY(parquet->sink.only->rows(&export->source, &parquet->sink));
    CLEW_TRY(write_group(parquet));
    return write_footer(parquet);
}

static enum clew_error write_parquet(struct export *export)
{
    struct parquet *parquet = calloc(1, sizeof *parquet);
    if (!parquet) {
        return CLEW_NO_MEMORY;
    }
    parquet->sink.row = write_row;
    parquet->sink.only = export->options->report->table;
    parquet->count = table_keys(parquet->sink.only);
    parquet->out = export->out;
    enum clew_error error = write_all(export, parquet);
    for (uint32_t i = 0; i < parquet->count; i++) {
        buffer_free(&parquet->columns[i].values);
        buffer_free(&parquet->columns[i].levels);
    }
    buffer_free(&parquet->groups);
    buffer_free(&parquet->page);
    buffer_free(&parquet->compressed);
    buffer_free(&parquet->header);
    free(parquet);
    return error;
}

const struct export_format export_parquet = {
    .name = "parquet", .suffix = ".parquet", .binary = true, .table = true, .write = write_parquet};
