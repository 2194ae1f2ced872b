// How many statements, values, objects and sources a recording holds. Definitions and block headers give the numbers,
// so no stream is decoded.
#ifndef CLEW_MODEL_COUNTS_H
#define CLEW_MODEL_COUNTS_H

#include "recording/reader.h"

// Zero-initialise; the functions below add to it.
struct counts {
    uint64_t statements, values; // numbers of events
    uint64_t lines;              // statements counted by the instrument `lines`; from counts_lines()
    uint64_t throws;             // blocks of them; a process that throws nothing has one as well
    uint64_t sites;
    uint64_t objects;
    uint64_t sources; // documents whose text is in the file
};

// The record types that counts_record() takes into account, as a mask for recording_next().
enum { COUNTS_TYPES = 1u << RECORDING_SITES | 1u << RECORDING_SOURCE };

// Count what one definition, or one block by its header, contains.
void counts_record(struct counts *counts, const struct recording_record *record);
void counts_block(struct counts *counts, const struct recording_block *block);
// Adds up the newest counter of each site. Unlike the other counts this decodes blocks. Needed only without an END
// block, which has the sum.
enum clew_error counts_lines(struct counts *counts, struct recording_reader *reader);

#endif
