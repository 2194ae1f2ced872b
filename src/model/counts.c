#include "model/counts.h"

#include "base/map.h"
#include "trace/site.h"

// Damage ends the list, as it does where sites are read (sites.c).
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
        counts->sources += record->source.state == SOURCE_VERIFIED || record->source.state == SOURCE_SAME;
    }
}

void counts_block(struct counts *counts, const struct recording_block *block)
{
    counts->statements += block->statements;
    counts->values += block->values;
    counts->throws += block->type == RECORDING_EXCEPTIONS;
    counts->objects += block->type == RECORDING_OBJECTS ? block->count : 0;
}

// Counters are totals since the start: a newer one replaces the older one's share of the sum.
static enum clew_error add_newest(struct counts *counts, struct map *newest, const struct recording_counters *counters)
{
    for (uint32_t i = 0; i < counters->count; i++) {
        const struct recording_counter *counter = &counters->counters[i];
        uint64_t key = (uint64_t)counters->process << 32 | counter->site, before = 0;
        (void)map_get(newest, key, &before); // stays 0 for a site's first counter
        if (!map_put(newest, key, counter->count)) {
            return CLEW_NO_MEMORY;
        }
        counts->lines += counter->count - before;
    }
    return CLEW_OK;
}

enum clew_error counts_lines(struct counts *counts, struct recording_reader *reader)
{
    struct map newest = {0};
    struct recording_record record;
    enum clew_error error = recording_rewind(reader, 0);
    while (error == CLEW_OK && (error = recording_next(reader, 1u << RECORDING_COUNTERS, &record)) == CLEW_OK) {
        error = add_newest(counts, &newest, &record.counters);
    }
    map_free(&newest);
    return error == CLEW_NOT_FOUND ? CLEW_OK : error;
}
