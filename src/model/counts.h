// How much a recording holds beside calls, by its definitions and the headers of its blocks: no stream is decoded for it.
#ifndef CLEW_MODEL_COUNTS_H
#define CLEW_MODEL_COUNTS_H

#include "recording/reader.h"

struct counts {
    uint64_t statements, values; // events
    uint64_t lines;              // statements by the counters of `lines`, from counts_lines()
    uint64_t sites;
    uint64_t objects;
    uint64_t sources; // documents whose text is in the file
};

// The types of records that counts_record() wants.
enum { COUNTS_TYPES = 1u << RECORDING_SITES | 1u << RECORDING_SOURCE };

void counts_record(struct counts *counts, const struct recording_record *record);
void counts_block(struct counts *counts, const struct recording_block *block);
// Adds up the newest counter of each site: the one thing here that has to be decoded. For recordings whose END, which knows the
// sum, is missing.
enum clew_error counts_lines(struct counts *counts, struct recording_reader *reader);

#endif
