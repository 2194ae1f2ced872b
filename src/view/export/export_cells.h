// Rows of tables: columns, cells, and the sinks that write them as they come. Columns are named and typed as the members of
// doc/json.md.
#ifndef CLEW_VIEW_EXPORT_CELLS_H
#define CLEW_VIEW_EXPORT_CELLS_H

#include "base/text.h"
#include "view/export/export.h"

enum export_type { EXPORT_NUMBER, EXPORT_TEXT, EXPORT_BOOL };

struct export_column {
    const char *name;
    enum export_type type;
};

// A cell. Texts are borrowed until the row is written.
struct export_cell {
    bool known;
    uint64_t number; // NUMBER, BOOL
    struct text text;
};

static inline struct export_cell export_number(uint64_t number)
{
    return (struct export_cell){.known = true, .number = number};
}
// Null if not known.
static inline struct export_cell export_maybe(uint64_t number, bool known)
{
    return (struct export_cell){.known = known, .number = known ? number : 0};
}
static inline struct export_cell export_text(struct text text)
{
    return (struct export_cell){.known = true, .text = text};
}
static inline struct export_cell export_text_maybe(struct text text)
{
    return (struct export_cell){.known = text.size > 0, .text = text};
}

enum { EXPORT_COLUMNS_MAX = 24 };

// Receives a table. Errors are NO_MEMORY and IO.
struct export_sink {
    enum clew_error (*row)(struct export_sink *sink, const struct export_cell *cells);
    const struct export_column *columns;
    uint32_t count;
};

// The cells that describe a method: name, module, kind.
void export_method_cells(const struct export *export, uint32_t canonical, struct export_cell cells[3]);
// Ticks as nanoseconds; null without times.
struct export_cell export_ticks(const struct export *export, uint64_t ticks, bool known);

#endif
