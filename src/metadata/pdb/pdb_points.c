// Sequence points map ranges of IL to ranges of source. A method's points are one blob of differences, so they are read in
// order, and an error ends the list. Source of facts: Portable PDB v1.0, "Sequence Points Blob".
#include "base/assert.h"
#include "metadata/pdb/pdb.h"

enum { OFFSET_LIMIT = 0x20000000, LINE_LIMIT = 0x20000000, LINE_HIDDEN = 0xFEEFEE, COLUMN_MAX = 0xFFFF };

static_assert(OFFSET_LIMIT <= INT32_MAX / 2 && COLUMN_MAX == UINT16_MAX,
              "sums of values below the limits do not overflow");

// One record of the blob, undecoded: the range's extent, and the difference of its start to the previous visible one.
struct record {
    uint32_t lines;
    int32_t columns, line, column;
};

struct pdb_points pdb_points_of(const struct pdb *pdb, uint32_t method_token)
{
    const struct metadata *metadata = &pdb->metadata;
    struct pdb_points points = {.document_count = metadata_rows(metadata, TABLE_DOCUMENT)};
    uint32_t row = TOKEN_TABLE(method_token) == TABLE_METHOD_DEF ? TOKEN_ROW(method_token) : 0, ignored;
    points.document = metadata_column(metadata, TABLE_METHOD_DEBUG_INFORMATION, row, METHOD_DEBUG_INFORMATION_DOCUMENT);
    points.rest = metadata_blob(
        metadata, metadata_column(metadata, TABLE_METHOD_DEBUG_INFORMATION, row, METHOD_DEBUG_INFORMATION_POINTS));
    if (bytes_left(&points.rest) && (!bytes_compressed(&points.rest, &ignored) || // the local signature
                                     (points.document == 0 && !bytes_compressed(&points.rest, &points.document)))) {
        points.damaged = true;
        points.rest = (struct bytes){0};
    }
    return points;
}

// Moves on to the next point's IL offset, over the records that change the document.
static bool next_offset(struct pdb_points *points)
{
    uint32_t delta;
    if (!bytes_compressed(&points->rest, &delta)) {
        return false;
    }
    while (delta == 0 && points->started) {
        if (!bytes_compressed(&points->rest, &points->document) || !bytes_compressed(&points->rest, &delta)) {
            return false;
        }
    }
    points->started = true;
    points->il_offset += delta; // both are below 2^29
    return points->il_offset < OFFSET_LIMIT;
}

// The first visible point has an absolute start, the others differences.
static bool read_start(struct pdb_points *points, struct record *record)
{
    uint32_t line, column;
    if (points->seen_visible) {
        return bytes_compressed_signed(&points->rest, &record->line) &&
               bytes_compressed_signed(&points->rest, &record->column);
    }
    if (!bytes_compressed(&points->rest, &line) || !bytes_compressed(&points->rest, &column)) {
        return false;
    }
    record->line = (int32_t)line;
    record->column = (int32_t)column;
    return true;
}

static bool read_record(struct pdb_points *points, struct record *record)
{
    uint32_t columns = 0;
    *record = (struct record){0};
    if (!bytes_compressed(&points->rest, &record->lines) ||
        !(record->lines ? bytes_compressed_signed(&points->rest, &record->columns)
                        : bytes_compressed(&points->rest, &columns))) {
        return false;
    }
    record->columns += (int32_t)columns;
    return (record->lines == 0 && record->columns == 0) || read_start(points, record);
}

// An empty range marks a hidden point.
static bool is_visible(const struct record *record)
{
    return record->lines || record->columns;
}

static bool column_fits(int64_t column)
{
    return column >= 0 && column <= COLUMN_MAX;
}

// False when the source range cannot be one.
static bool set_range(const struct pdb_points *points, const struct record *record, struct pdb_point *out)
{
    int64_t end_line = points->line + record->lines, end_column = points->column + record->columns;
    if (points->line < 0 || end_line >= LINE_LIMIT || !column_fits(points->column) || !column_fits(end_column)) {
        return false;
    }
    out->start_line = (uint32_t)points->line;
    out->end_line = (uint32_t)end_line;
    out->start_column = (uint16_t)points->column;
    out->end_column = (uint16_t)end_column;
    return true;
}

// Decodes one record; false when the blob is malformed. *usable: the record is a point with a possible range.
static bool take_point(struct pdb_points *points, struct pdb_point *out, bool *usable)
{
    struct record record;
    if (!next_offset(points) || !read_record(points, &record)) {
        return false;
    }
    *out = (struct pdb_point){.il_offset = points->il_offset,
                              .document = points->document <= points->document_count ? points->document : 0};
    *usable = true;
    if (!is_visible(&record)) {
        out->hidden = true;
        return true;
    }
    points->line += record.line;
    points->column += record.column;
    points->seen_visible = true;
    if (points->line == LINE_HIDDEN) { // how other formats write a hidden one
        out->hidden = true;
    } else {
        *usable = set_range(points, &record, out);
    }
    return true;
}

bool pdb_points_next(struct pdb_points *points, struct pdb_point *out)
{
    while (bytes_left(&points->rest)) {
        bool usable = false;
        if (!take_point(points, out, &usable)) {
            points->damaged = true;
            points->rest = (struct bytes){0};
        } else if (usable) {
            return true;
        } else {
            points->damaged = true;
        }
    }
    return false;
}
