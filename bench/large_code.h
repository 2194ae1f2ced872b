// The code inside the methods of a large recording: sources, statements, the variables that these set, and their values.
#ifndef CLEW_BENCH_LARGE_CODE_H
#define CLEW_BENCH_LARGE_CODE_H

#include <stdint.h>

#include "recording/writer.h"

enum {
    LARGE_STATEMENTS = 6, // of a method, before it returns
    LARGE_CELLS_MAX = 8,  // of one event
};

// Which methods there are, of process 1.
struct large_methods {
    uint32_t first, count, of_module, of_document;
};

// What a thread's variables hold.
struct large_values {
    uint64_t held[64], seed;
};

// The sites of a method: two arguments, then for each statement the statement and its variable, then a statement that
// returns and the result.
uint32_t large_argument(uint32_t method, uint32_t number);
uint32_t large_statement(uint32_t method,
                         uint32_t number); // its variable's site is the next one; LARGE_STATEMENTS: returns

// Writes documents, sources, types, objects and sites. On failure the program ends.
void large_code_define(struct recording_writer *writer, const struct large_methods *methods);
// Writes the payload of the site's next event; returns the number of cells.
uint32_t large_payload(struct large_values *values, uint32_t site, uint32_t cells[static LARGE_CELLS_MAX]);

#endif
