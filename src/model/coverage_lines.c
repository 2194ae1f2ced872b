// From sequence points to lines of the source. A point is spread over its lines. Of one line, a point does not count if another
// one lies within it, line for line: begins below its first line, and ends above its last.
#include <stdlib.h>

#include "base/array.h"
#include "base/assert.h"
#include "model/coverage.h"

// Points of one file, each with all of its lines. No source has so many, but a broken recording may.
enum { SPREAD_MAX = 1 << 22 };

// A point on one of its lines.
struct spread {
    uint32_t line, start, end, method, file;
    uint64_t count;
};

struct spreads {
    struct spread *all;
    size_t count, room;
};

// By line; of one line, those that begin last come first, then by method.
static int compare_spreads(const void *left, const void *right)
{
    const struct spread *a = left, *b = right;
    return a->line != b->line     ? (a->line > b->line) - (a->line < b->line)
           : a->start != b->start ? (a->start < b->start) - (a->start > b->start)
                                  : (a->method > b->method) - (a->method < b->method);
}

static enum clew_error spread(struct spreads *spreads, const struct coverage *coverage,
                              const struct coverage_point *point)
{
    const struct point *at = &point->at;
    if (!point->counted || coverage->methods[point->method].unknown) {
        return CLEW_OK;
    }
    if (at->end_line - at->start_line >= SPREAD_MAX - spreads->count) {
        return CLEW_UNSUPPORTED;
    }
    for (uint32_t i = 0; i <= at->end_line - at->start_line; i++) {
        if (!array_grow(&spreads->all, spreads->count, &spreads->room, sizeof *spreads->all)) {
            return CLEW_NO_MEMORY;
        }
        spreads->all[spreads->count++] = (struct spread){.line = at->start_line + i,
                                                         .start = at->start_line,
                                                         .end = at->end_line,
                                                         .method = point->method,
                                                         .file = point->file,
                                                         .count = point->count};
    }
    return CLEW_OK;
}

// Adds up the points of one line, those from `first` on. Returns the index behind them.
static size_t add_up(const struct spreads *spreads, size_t first, struct coverage_line *out)
{
    const struct spread *all = spreads->all;
    uint32_t inner = UINT32_MAX; // the end of what begins below and ends first
    *out = (struct coverage_line){.line = all[first].line, .method = all[first].method, .file = all[first].file};
    size_t i = first;
    while (i < spreads->count && all[i].line == all[first].line) {
        uint32_t start = all[i].start, ends = inner;
        for (; i < spreads->count && all[i].line == all[first].line && all[i].start == start; i++) {
            out->hits += all[i].end > inner ? 0 : all[i].count;
            ends = all[i].end < ends ? all[i].end : ends;
        }
        inner = ends;
    }
    CLEW_ASSERT(i > first);
    return i;
}

static enum clew_error sum(struct spreads *spreads, struct coverage_lines *out)
{
    size_t room = 0;
    if (spreads->count) {
        qsort(spreads->all, spreads->count, sizeof *spreads->all, compare_spreads);
    }
    for (size_t i = 0; i < spreads->count;) {
        if (!array_grow(&out->lines, out->count, &room, sizeof *out->lines)) {
            return CLEW_NO_MEMORY;
        }
        i = add_up(spreads, i, &out->lines[out->count++]);
    }
    return CLEW_OK;
}

// `indices` NULL: the points follow one another.
static enum clew_error lines_of(const struct coverage *coverage, const uint32_t *indices, uint32_t first,
                                uint32_t count, struct coverage_lines *out)
{
    struct spreads spreads = {0};
    enum clew_error error = CLEW_OK;
    *out = (struct coverage_lines){0};
    for (uint32_t i = first; i < first + count && error == CLEW_OK; i++) {
        error = spread(&spreads, coverage, &coverage->points[indices ? indices[i] : i]);
    }
    error = error == CLEW_OK ? sum(&spreads, out) : error;
    free(spreads.all);
    return error;
}

enum clew_error coverage_lines_of_file(const struct coverage *coverage, const struct coverage_file *file,
                                       struct coverage_lines *out)
{
    return lines_of(coverage, coverage->by_file, file->first, file->count, out);
}

enum clew_error coverage_lines_of_method(const struct coverage *coverage, const struct coverage_method *method,
                                         struct coverage_lines *out)
{
    return lines_of(coverage, NULL, method->first, method->count, out);
}
