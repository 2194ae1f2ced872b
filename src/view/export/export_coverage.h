// What the formats of coverage share: all lines, each with the method that it belongs to.
#ifndef CLEW_VIEW_EXPORT_COVERAGE_H
#define CLEW_VIEW_EXPORT_COVERAGE_H

#include "model/coverage.h"
#include "view/export/export.h"

// By file and line; or by module, type, file, method and line.
enum coverage_order { COVERAGE_BY_FILE, COVERAGE_BY_METHOD };

// The lines of all files.
struct coverage_owned {
    struct coverage_line *lines;
    size_t count, room;
};

typedef enum clew_error export_takes_coverage(void *export, const struct coverage *coverage,
                                              struct coverage_owned *owned);

// Loads the coverage and calls `take` with it. NOTHING_RECORDED: the recording has none.
enum clew_error export_coverage(struct export *export, enum coverage_order order, export_takes_coverage *take);

#endif
