// See line_counts.h.
#include "model/line_counts.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/assert.h"
#include "model/lines.h"

// The index in `counted`, made when new; SIZE_MAX when memory runs out.
static size_t place_of(struct line_counts *counts, uint32_t process, uint32_t site)
{
    uint64_t key = (uint64_t)process << 32 | site, place;
    if (map_get(&counts->places, key, &place)) {
        return (size_t)place;
    }
    if (!array_grow(&counts->counted, counts->count, &counts->room, sizeof *counts->counted) ||
        !map_put(&counts->places, key, counts->count)) {
        return SIZE_MAX;
    }
    counts->counted[counts->count] = (struct line_count){.process = process, .site = site};
    return counts->count++;
}

// Counters are totals, so a later record of a site replaces the earlier one.
static enum clew_error take_counters(struct line_counts *counts, const struct recording_counters *counters)
{
    for (uint32_t i = 0; i < counters->count; i++) {
        const struct recording_counter *counter = &counters->counters[i];
        if (!sites_site(counts->sites, counters->process, counter->site)) {
            continue;
        }
        size_t place = place_of(counts, counters->process, counter->site);
        if (place == SIZE_MAX) {
            return CLEW_NO_MEMORY;
        }
        CLEW_ASSERT(place < counts->count);
        counts->counted[place].count = counter->count;
        counts->counted[place].own = counter->own;
    }
    counts->any = counts->counters = true;
    return CLEW_OK;
}

// Counts an event whose site has no near place yet.
static enum clew_error count_searched(struct line_counts *counts, struct site_marks_row *near, uint32_t process,
                                      uint32_t site)
{
    if (!sites_site(counts->sites, process, site)) {
        return CLEW_OK;
    }
    size_t place = place_of(counts, process, site);
    if (place == SIZE_MAX) {
        return CLEW_NO_MEMORY;
    }
    counts->counted[place].count++;
    counts->any = true;
    if (site < near->count && place < UINT32_MAX) {
        near->marks[site] = (uint32_t)place + 1;
    }
    return CLEW_OK;
}

// Without counters: counts the statements in the streams, which have no times.
static enum clew_error take_events(struct line_counts *counts, const struct recording_events *events)
{
    struct site_marks_row *near = site_marks_of(&counts->near, counts->sites, events->process);
    if (!near) {
        return CLEW_NO_MEMORY;
    }
    for (uint32_t i = 0; i < events->count; i++) {
        const struct recording_event *event = &events->events[i];
        if (event->kind != RECORDING_AT_SITE) {
            continue;
        }
        uint32_t place = event->site < near->count ? near->marks[event->site] : 0;
        if (place) {
            CLEW_ASSERT(place <= counts->count);
            counts->counted[place - 1].count++;
        } else {
            CLEW_TRY(count_searched(counts, near, events->process, event->site));
        }
    }
    return CLEW_OK;
}

enum clew_error line_counts_add_unreached(struct line_counts *counts, const struct catalog *catalog)
{
    for (uint32_t i = 0; i < catalog->process_count; i++) {
        uint32_t process = catalog->processes[i].process, count = sites_count(counts->sites, process);
        for (uint32_t place = 0; place < count; place++) {
            uint32_t number = sites_number(counts->sites, process, place);
            const struct site *site = sites_site(counts->sites, process, number);
            if (site && site->kind == SITE_STATEMENT && place_of(counts, process, number) == SIZE_MAX) {
                return CLEW_NO_MEMORY;
            }
        }
    }
    return CLEW_OK;
}

enum clew_error line_counts_new(struct recording *recording, const struct sites *sites, struct line_counts **out)
{
    *out = calloc(1, sizeof **out);
    if (!*out) {
        return CLEW_NO_MEMORY;
    }
    (*out)->sites = sites;
    enum clew_error error = recording_new_reader(recording, &(*out)->reader);
    if (error != CLEW_OK) {
        free(*out);
        *out = NULL;
        return error;
    }
    recording_want_no_payloads((*out)->reader);
    return CLEW_OK;
}

void line_counts_free(struct line_counts *counts)
{
    if (counts) {
        recording_close_reader(counts->reader);
        site_marks_free(&counts->near);
        map_free(&counts->places);
        free(counts->counted);
        free(counts);
    }
}

enum clew_error line_counts_advance(struct line_counts *counts)
{
    struct recording_record record;
    enum recording_type type = counts->streams ? RECORDING_EVENTS : RECORDING_COUNTERS;
    enum clew_error error = recording_next(counts->reader, 1u << type, &record);
    counts->health = recording_health(counts->reader);
    if (error == CLEW_NOT_FOUND && !counts->streams && !counts->counters) {
        counts->streams = true;
        return recording_rewind(counts->reader, 0);
    }
    counts->ended = error == CLEW_NOT_FOUND;
    if (error != CLEW_OK) {
        return error;
    }
    counts->at = record.offset;
    return type == RECORDING_EVENTS ? take_events(counts, &record.events) : take_counters(counts, &record.counters);
}

double line_counts_done(const struct line_counts *counts)
{
    uint64_t size = recording_file_size(recording_of(counts->reader));
    return counts->ended ? 1 : counts->streams && counts->at < size ? (double)counts->at / (double)size : 0;
}
