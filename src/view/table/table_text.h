// Prints tables as text.
#ifndef CLEW_VIEW_TABLE_TEXT_H
#define CLEW_VIEW_TABLE_TEXT_H

#include "view/table/table_rows.h"

// Prints a table as a report, below the lines that all reports begin with. With `part` it is a part of another report,
// which says itself what it is.
enum clew_error table_print(const struct view *view, struct model *model, const struct table *table, bool part);

// A sink that prints.
struct table_text {
    struct table_sink sink;
    const struct view *view;
    const struct model *model;                  // of the report's first lines; NULL: it is a part of another report
    bool began;                                 // that was printed
    const struct table *table;                  // that is printed; NULL: none
    uint32_t columns[TABLE_COLUMNS_MAX], count; // those that are shown, from left to right
    bool narrow;                                // so are they
    uint64_t printed, left, quiet;              // rows
    struct buffer scratch;
};
// For callers that have the rows of a part of another report. table_text_end() ends the table.
struct table_text table_text_part(const struct view *view);
void table_text_end(struct table_text *text);

#endif
