// Converts the payloads of AT_SITE events between cells (trace/payload.h) and columns (doc/recording.md, EVENTS). A value is
// stored as the difference to the previous value of the same site in the block, since a variable mostly changes little. So
// encoder and decoder both keep a table of the block's sites with the previous payload of each, and must update it alike.
#ifndef CLEW_RECORDING_CELLS_H
#define CLEW_RECORDING_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "recording/site_layouts.h"
#include "recording/varint.h"

// In the order of the file. Only blocks with sites have the columns from LAYOUTS on.
enum event_column {
    COLUMN_TOKENS,
    COLUMN_CLOCKS,
    COLUMN_NUMBERS,
    COLUMN_STACKS,
    COLUMNS_WITHOUT_SITES,
    COLUMN_LAYOUTS = COLUMNS_WITHOUT_SITES, // of sites, in the order in which they first occur in the block
    COLUMN_VALUES,                          // integers
    COLUMN_OBJECTS,                         // numbers of objects and types
    COLUMN_PLACES,                          // indexes and addresses
    COLUMN_REALS,
    COLUMN_BYTES, // of structs
    COLUMNS_WITH_SITES,
};

// A site that has occurred in this block.
struct cell_site {
    uint32_t site;
    uint32_t epoch; // other than the table's: the slot is free. Emptying the table is one increment
    uint32_t layout;
    uint32_t last; // 1 + position of its newest payload in the block's cells; 0: it has had none
};

// Zero-initialise.
struct cell_table {
    struct cell_site *slots; // open addressing
    uint32_t capacity;       // 0 or a power of two
    uint32_t count;
    uint32_t epoch; // of the block
};

// Empties the table, for a new block. False when memory runs out.
bool cell_table_begin(struct cell_table *table);
void cell_table_free(struct cell_table *table);
// Adds a site that is not there; NULL when memory runs out.
struct cell_site *cell_table_add(struct cell_table *table, uint32_t site, uint32_t layout);

// The site's slot, or the free slot where the search for it ends. The hash keeps sites of one method, which have
// neighbouring numbers, in neighbouring slots: they are used together, so they should share cache lines.
static inline struct cell_site *cell_table_slot(const struct cell_table *table, uint32_t site)
{
    uint32_t mask = table->capacity - 1;
    uint32_t at = (site ^ site >> 16) & mask;
    while (table->slots[at].epoch == table->epoch && table->slots[at].site != site) {
        at = (at + 1) & mask;
    }
    return &table->slots[at];
}

// NULL when it has not occurred yet.
static inline struct cell_site *cell_table_find(const struct cell_table *table, uint32_t site)
{
    struct cell_site *slot = cell_table_slot(table, site);
    return slot->epoch == table->epoch ? slot : NULL;
}

// The address of the next byte of each column. The caller has made room: see the sizes below.
struct cell_writer {
    uint8_t *at[COLUMNS_WITH_SITES];
};

enum { // bytes that one payload takes at most, STRUCT and TYPED bytes aside
    CELL_LAYOUT_SIZE_MAX = 6,
    CELL_VALUES_SIZE_MAX = 10,
    CELL_OBJECTS_SIZE_MAX = 10,
    CELL_PLACES_SIZE_MAX = 15,
    CELL_REALS_SIZE_MAX = 16,
};

void cells_put_layout(struct cell_writer *writer, uint32_t layout);
// Appends the payload that begins at cells[at] to the columns. The caller has checked with layout_cells() that it is whole.
void cells_put(struct cell_writer *writer, struct cell_site *site, const uint32_t *cells, uint32_t at);

// The same for the most common payload, an integer of one cell without owner and index (encodings BOOLEAN to U4).
static inline void cells_put_integer(struct cell_writer *writer, struct cell_site *site, const uint32_t *cells,
                                     uint32_t at)
{
    uint32_t before = site->last ? cells[site->last - 1] : 0;
    site->last = at + 1;
    writer->at[COLUMN_VALUES] = put_varint(writer->at[COLUMN_VALUES], zigzag32(cells[at] - before));
}

// The unread rest of each column.
struct cell_reader {
    struct bytes left[COLUMNS_WITH_SITES];
};

// An upper bound of the cells that so many events with these columns have.
static inline size_t cells_at_most(const struct cell_reader *reader, uint32_t events)
{
    enum { CELLS_PER_EVENT = 5 };
    return (size_t)events * CELLS_PER_EVENT + bytes_left(&reader->left[COLUMN_BYTES]) / sizeof(uint32_t);
}

bool cells_take_layout(struct cell_reader *reader, uint32_t *layout);
// Appends the payload of an event of the site at cells[*at] and moves *at behind it. False when the columns do not hold it.
bool cells_take(struct cell_reader *reader, struct cell_site *site, uint32_t *cells, uint32_t *at);

#endif
