#include "model/counts.h"

#include "base/site.h"

static uint64_t sites_in(struct bytes blob)
{
    struct site site, previous = {0};
    uint64_t count = 0;
    while (bytes_left(&blob) > 0 && site_decode(&blob, &previous, &site)) {
        previous = site;
        count++;
    }
    return count;
}

void counts_record(struct counts *counts, const struct recording_record *record)
{
    if (record->type == RECORDING_SITES) {
        counts->sites += sites_in(record->sites.blob);
    } else if (record->type == RECORDING_SOURCE) {
        counts->sources +=
            record->source.state == RECORDING_SOURCE_VERIFIED || record->source.state == RECORDING_SOURCE_SAME;
    }
}

void counts_block(struct counts *counts, const struct recording_block *block)
{
    counts->statements += block->statements;
    counts->values += block->values;
    counts->objects += block->type == RECORDING_OBJECTS ? block->count : 0;
}
