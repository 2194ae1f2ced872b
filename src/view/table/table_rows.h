// Tables: columns, cells, and sinks that take rows. A table makes rows of a model and knows no output; a sink prints them
// and knows columns and cells only.
#ifndef CLEW_VIEW_TABLE_ROWS_H
#define CLEW_VIEW_TABLE_ROWS_H

#include "model/sites.h"
#include "view/text/view.h"

// What a column's cells are, and so how text prints them. To JSON and files the first three are texts, BOOL is true or false, and all others are numbers.
enum table_kind {
    TABLE_TEXT,
    TABLE_METHOD, // the source name of a method, which text shortens to fit
    TABLE_TYPE,   // the full name of a type, which text shortens
    TABLE_PLACE,  // text and number: a file and its line; without a file an IL offset. Text's own
    TABLE_NUMBER, // a name that is a number, such as that of a thread or a line
    TABLE_COUNT,
    TABLE_BYTES,
    TABLE_TIME,       // ns
    TABLE_ROUGH_TIME, // the same, known to some percent
    TABLE_SHARE,
    TABLE_BOOL
};

// A column. Those without a key are text's own, and come after all others.
struct table_column {
    const char *key; // its name in JSON (doc/json.md), csv, jsonl and parquet
    enum table_kind kind;
    const char *title; // its heading in text
    // Its position in text, from 1; 0: text does not show it. The column with the highest one has no width: it takes the
    // rest of the line. Places and texts align left, all others right, and come before.
    uint8_t at;
    uint8_t width, narrow; // narrow: on terminals of less than 100 columns; 0: the same
    uint8_t from;          // text shows it on terminals of at least this width
    uint8_t gap;           // blanks before it; 0: 1
    // What surrounds it at the end of text's row, if it has a text or a number above 0 there (`at` is 0 then). A method is
    // left out where the line has no room.
    const char *before, *after;
};

enum { TABLE_COLUMNS_MAX = 24 };

// A cell that is not set does not apply to its row: JSON leaves the member out, files have null.
enum table_state { TABLE_ABSENT, TABLE_UNKNOWN, TABLE_KNOWN };

// Texts are borrowed until the row is taken.
struct table_cell {
    enum table_state state;
    enum clock_kind clock; // TIME: that measured it
    uint64_t number;       // of a SHARE, the part
    uint64_t whole;        // SHARE: of what it is a part; 0: not known
    struct text text;
};

static inline struct table_cell table_maybe(uint64_t number, bool known)
{
    return (struct table_cell){.state = known ? TABLE_KNOWN : TABLE_UNKNOWN, .number = known ? number : 0};
}
static inline struct table_cell table_number(uint64_t number)
{
    return table_maybe(number, true);
}
static inline struct table_cell table_text(struct text text)
{
    return (struct table_cell){.state = TABLE_KNOWN, .text = text};
}
// Unknown if empty.
static inline struct table_cell table_text_maybe(struct text text)
{
    return (struct table_cell){.state = text.size > 0 ? TABLE_KNOWN : TABLE_UNKNOWN, .text = text};
}
static inline struct table_cell table_share(uint64_t part, uint64_t whole)
{
    return (struct table_cell){.state = TABLE_KNOWN, .number = part, .whole = whole};
}
// Ticks of the session's clock, as ns. Unknown without times.
struct table_cell table_ticks(const struct model *model, uint64_t ticks, bool known);
// A moment, as ns since the session's start; unknown if `clock` is 0 or without times.
struct table_cell table_moment(const struct model *model, uint64_t clock);
// The cells that describe a method, by its index in the catalog: name, module, kind. Absent if it is CATALOG_NONE.
void table_method_cells(const struct model *model, uint32_t index, struct table_cell cells[3]);

// Where a method begins in the source.
struct method_place {
    const struct recording_document *document; // NULL: unknown
    uint32_t line;
};

// The input of a table. Zero-initialise, then set view and model. table_source_close() releases it.
struct table_source {
    const struct view *view; // which rows, in which order; receives damage that is found
    struct model *model;
    struct sites *sites;               // NULL: not loaded yet
    const struct method_place *places; // by index of a canonical method; NULL: not asked for
    bool files;                        // for csv, jsonl or parquet
    bool text;                         // for text
};
// Loads the sites unless they are. NOTHING_RECORDED: the recording has none.
enum clew_error table_source_sites(struct table_source *source);
void table_source_close(struct table_source *source);

struct table_sink;

// A table. `rows` begins it, and passes rows in their order; a report with two tables begins one after the other.
// NOTHING_RECORDED: the recording has no such table. Otherwise NO_MEMORY, errors of reading, and those of the sink.
struct table {
    const char *name; // as a member of JSON, unless the report has that name
    const struct table_column *columns;
    enum clew_error (*rows)(struct table_source *source, struct table_sink *sink);
    uint32_t top;      // the most rows in text, unless the user says how many; 0: all
    const char *title; // above text's headings; NULL: none
    const char *noun;  // what a row is: "... 3 methods more"; NULL: just "... 3 more"
    const char *more;  // what follows that; NULL: nothing
    const char *quiet; // what quiet rows are: "3 modules" and this
};

// What is known of a table before its first row.
struct table_head {
    uint32_t unused;         // columns (1 << index) that text leaves out, since the recording has nothing for them
    const char *note;        // a caveat, for text; NULL: none
    const char *of;          // what shares refer to, for text: "the own time of all methods"; NULL: no line about it
    enum table_kind of_kind; // how `whole` is printed
    struct table_cell whole;
    const char *member; // a fact about all rows, as a member of JSON before them; NULL: none
    enum table_kind fact_kind;
    struct table_cell fact;
};

// How text and JSON take a row. Files have all.
enum table_row {
    TABLE_ROW,
    TABLE_SHORT, // below --min-time: text counts it among those that are left out, JSON omits it
    TABLE_QUIET  // nothing was recorded of it: text only counts it
};

// Receives a table. Errors are NO_MEMORY and IO.
struct table_sink {
    enum clew_error (*begin)(struct table_sink *sink, const struct table_head *head); // may be NULL
    enum clew_error (*row)(struct table_sink *sink, const struct table_cell *cells, enum table_row how);
    const struct table *only;  // takes no other; NULL: takes all
    const struct table *table; // that began last
};
// Used by tables. `count` is the number of cells, one for each column. `head` may be NULL.
enum clew_error table_begin(struct table_sink *sink, const struct table *table, const struct table_head *head);
enum clew_error table_row(struct table_sink *sink, const struct table_cell *cells, size_t count, enum table_row how);

// Whether its cells are texts. Otherwise they are numbers, of BOOL 0 and 1.
static inline bool table_is_text(const struct table_column *column)
{
    return column->kind <= TABLE_TYPE;
}
// The number of columns, and of those that have a key.
uint32_t table_columns(const struct table *table);
uint32_t table_keys(const struct table *table);
// Whether files have null for a cell.
bool table_is_null(const struct table_column *column, const struct table_cell *cell);

#endif
