#include "model/site_filter.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/assert.h"

void site_filter_free(struct site_filter *filter)
{
    for (size_t i = 0; i < filter->count; i++) {
        for (uint32_t shift = 0; shift <= RECORDING_SITE_SHIFT_MAX; shift++) {
            buffer_free(&filter->processes[i].bits[shift]);
        }
    }
    free(filter->processes);
    map_free(&filter->process_of);
    excluded_blocks_free(&filter->excluded);
    *filter = (struct site_filter){0};
}

static bool set_bit(struct buffer *bits, uint32_t at)
{
    size_t needed = (size_t)at / 8 + 1, had = bits->size;
    if (needed > had) {
        uint8_t *more = buffer_extend(bits, needed - had);
        if (!more) {
            return false;
        }
        memset(more, 0, needed - had);
    }
    bits->data[at / 8] |= (uint8_t)(1u << at % 8);
    return true;
}

static bool has_bit(const struct buffer *bits, uint32_t at)
{
    return at / 8 < bits->size && bits->data[at / 8] >> at % 8 & 1;
}

// The sites of the process, added when it is new. NULL when memory runs out.
static struct site_filter_process *process_for(struct site_filter *filter, uint32_t process)
{
    uint64_t index = filter->count;
    if (map_get(&filter->process_of, process, &index)) {
        return &filter->processes[index];
    }
    if (!array_grow(&filter->processes, filter->count, &filter->room, sizeof *filter->processes) ||
        !map_put(&filter->process_of, process, index)) {
        return NULL;
    }
    struct site_filter_process *made = &filter->processes[filter->count++];
    *made = (struct site_filter_process){0};
    return made;
}

enum clew_error site_filter_know(struct site_filter *filter, uint32_t process)
{
    return process_for(filter, process) ? CLEW_OK : CLEW_NO_MEMORY;
}

enum clew_error site_filter_add(struct site_filter *filter, uint32_t process, uint32_t site)
{
    struct site_filter_process *sites = process_for(filter, process);
    for (uint32_t shift = 0; shift <= RECORDING_SITE_SHIFT_MAX; shift++) {
        if (!sites || !set_bit(&sites->bits[shift], site >> shift)) {
            return CLEW_NO_MEMORY;
        }
    }
    return CLEW_OK;
}

static bool set_has_any(const struct site_filter *filter, const struct recording_site_set *set)
{
    uint64_t index;
    if (!map_get(&filter->process_of, set->process, &index)) {
        return true;
    }
    CLEW_ASSERT(set->shift <= RECORDING_SITE_SHIFT_MAX && index < filter->count);
    const struct buffer *bits = &filter->processes[index].bits[set->shift];
    bool any = false;
    for (uint32_t i = 0; i < set->count && !any; i++) {
        any = has_bit(bits, set->groups[i]);
    }
    return any;
}

static enum clew_error read_sets(struct site_filter *filter, const struct recording_site_sets *sets)
{
    for (uint32_t i = 0; i < sets->count; i++) {
        const struct recording_site_set *set = &sets->sets[i];
        if (!set_has_any(filter, set) && !excluded_blocks_add(&filter->excluded, set->block, set->process)) {
            return CLEW_NO_MEMORY;
        }
    }
    return CLEW_OK;
}

static enum clew_error read_all(struct site_filter *filter, struct recording_reader *reader)
{
    const struct recording_block *blocks;
    struct recording_record record;
    size_t count;
    CLEW_TRY(recording_index(recording_of(reader), &blocks, &count));
    for (size_t i = 0; i < count; i++) {
        if (blocks[i].type != RECORDING_SITE_SETS) {
            continue;
        }
        enum clew_error error = recording_read(reader, blocks[i].offset, RECORDING_SITE_SETS, &record);
        error = error == CLEW_OK ? read_sets(filter, &record.site_sets) : error;
        if (error != CLEW_OK && error != CLEW_DAMAGED) {
            return error;
        }
    }
    return CLEW_OK;
}

enum clew_error site_filter_read(struct site_filter *filter, struct recording *recording)
{
    struct recording_reader *reader;
    CLEW_TRY(recording_new_reader(recording, &reader));
    enum clew_error error = read_all(filter, reader);
    recording_close_reader(reader);
    return error;
}

// Adds the sites of the process that are wanted.
static enum clew_error add_taken(struct site_filter *filter, const struct sites *sites, uint32_t process,
                                 site_filter_takes *takes, void *context)
{
    uint32_t count = sites_count(sites, process);
    CLEW_TRY(site_filter_know(filter, process));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = sites_number(sites, process, i);
        const struct site *site = sites_site(sites, process, number);
        if (site && takes(context, process, number, site)) {
            CLEW_TRY(site_filter_add(filter, process, number));
        }
    }
    return CLEW_OK;
}

enum clew_error site_filter_choose(struct site_filter *filter, const struct catalog *catalog, const struct sites *sites,
                                   struct recording *recording, site_filter_takes *takes, void *context)
{
    for (uint32_t i = 0; i < catalog->process_count; i++) {
        CLEW_TRY(add_taken(filter, sites, catalog->processes[i].process, takes, context));
    }
    return site_filter_read(filter, recording);
}

bool site_filter_wants(const struct site_filter *filter, const struct recording_block *block)
{
    return !excluded_blocks_have(&filter->excluded, block);
}
