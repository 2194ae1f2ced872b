// See lines.h. Sites are counted first, each alone. Then a row is made for each statement of the source: sites of the
// same range in the same file are added up, whichever method, module load or process they are in.
#include "model/lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/assert.h"
#include "base/map.h"
#include "model/site_marks.h"

// The count of one site.
struct counted {
    uint32_t process, site;
    uint64_t count, own;
};

// The counts of all sites, while the file is read.
struct gathering {
    const struct sites *sites;
    struct counted *counted;
    size_t count, room;
    struct map places;      // process << 32 | site: index in `counted`
    struct site_marks near; // index in `counted`, plus 1; 0: to be searched in `places`
    bool any, counters;
    struct recording_health health;
};

// The index in `counted`, made when new; SIZE_MAX when memory runs out.
static size_t place_of(struct gathering *gathering, uint32_t process, uint32_t site)
{
    uint64_t key = (uint64_t)process << 32 | site, place;
    if (map_get(&gathering->places, key, &place)) {
        return (size_t)place;
    }
    if (!array_grow(&gathering->counted, gathering->count, &gathering->room, sizeof *gathering->counted) ||
        !map_put(&gathering->places, key, gathering->count)) {
        return SIZE_MAX;
    }
    gathering->counted[gathering->count] = (struct counted){.process = process, .site = site};
    return gathering->count++;
}

// Counters are totals, so a later record of a site replaces the earlier one.
static enum clew_error take_counters(struct gathering *gathering, const struct recording_counters *counters)
{
    for (uint32_t i = 0; i < counters->count; i++) {
        const struct recording_counter *counter = &counters->counters[i];
        if (!sites_site(gathering->sites, counters->process, counter->site)) {
            continue;
        }
        size_t place = place_of(gathering, counters->process, counter->site);
        if (place == SIZE_MAX) {
            return CLEW_NO_MEMORY;
        }
        CLEW_ASSERT(place < gathering->count);
        gathering->counted[place].count = counter->count;
        gathering->counted[place].own = counter->own;
    }
    gathering->any = gathering->counters = true;
    return CLEW_OK;
}

// Counts an event whose site has no near place yet.
static enum clew_error count_searched(struct gathering *gathering, struct site_marks_row *near, uint32_t process,
                                      uint32_t site)
{
    if (!sites_site(gathering->sites, process, site)) {
        return CLEW_OK;
    }
    size_t place = place_of(gathering, process, site);
    if (place == SIZE_MAX) {
        return CLEW_NO_MEMORY;
    }
    gathering->counted[place].count++;
    gathering->any = true;
    if (site < near->count && place < UINT32_MAX) {
        near->marks[site] = (uint32_t)place + 1;
    }
    return CLEW_OK;
}

// Without counters: counts the statements in the streams, which have no times.
static enum clew_error take_events(struct gathering *gathering, const struct recording_events *events)
{
    struct site_marks_row *near = site_marks_of(&gathering->near, gathering->sites, events->process);
    if (!near) {
        return CLEW_NO_MEMORY;
    }
    for (uint32_t i = 0; i < events->count; i++) {
        const struct recording_event *event = &events->events[i];
        if (event->kind != RECORDING_AT_SITE) {
            continue;
        }
        uint32_t place = event->method < near->count ? near->marks[event->method] : 0;
        if (place) {
            CLEW_ASSERT(place <= gathering->count);
            gathering->counted[place - 1].count++;
        } else {
            CLEW_TRY(count_searched(gathering, near, events->process, event->method));
        }
    }
    return CLEW_OK;
}

// Adds statements with a count of 0, so that a report shows code that never ran.
static enum clew_error add_unreached(struct gathering *gathering, const struct catalog *catalog)
{
    for (uint32_t i = 0; i < catalog->process_count; i++) {
        uint32_t process = catalog->processes[i].process, count = sites_count(gathering->sites, process);
        for (uint32_t place = 0; place < count; place++) {
            uint32_t number = sites_number(gathering->sites, process, place);
            const struct site *site = sites_site(gathering->sites, process, number);
            if (site && site->kind == SITE_STATEMENT && place_of(gathering, process, number) == SIZE_MAX) {
                return CLEW_NO_MEMORY;
            }
        }
    }
    return CLEW_OK;
}

// Passes all records of one type to the counting functions.
static enum clew_error gather(struct gathering *gathering, struct recording_reader *reader, enum recording_type type)
{
    struct recording_record record;
    enum clew_error error;
    CLEW_TRY(recording_rewind(reader, 0));
    while ((error = recording_next(reader, 1u << type, &record)) == CLEW_OK) {
        CLEW_TRY(type == RECORDING_EVENTS ? take_events(gathering, &record.events)
                                          : take_counters(gathering, &record.counters));
    }
    gathering->health = recording_health(reader);
    return error == CLEW_NOT_FOUND ? CLEW_OK : error;
}

// -- Rows -------------------------------------------------------------------------------------------------------------

// Orders by path, then by the statement's range; equal rows are the same statement.
static int compare_rows(const void *left, const void *right)
{
    const struct line_row *a = left, *b = right;
    size_t shorter = a->document->path.size < b->document->path.size ? a->document->path.size : b->document->path.size;
    int order = memcmp(a->document->path.at, b->document->path.at, shorter);
    if (order != 0 || a->document->path.size != b->document->path.size) {
        return order ? order : a->document->path.size < b->document->path.size ? -1 : 1;
    }
    const uint32_t keys[][2] = {{a->site->start_line, b->site->start_line},
                                {a->site->start_column, b->site->start_column},
                                {a->site->end_line, b->site->end_line},
                                {a->site->end_column, b->site->end_column}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (keys[i][0] != keys[i][1]) {
            return keys[i][0] < keys[i][1] ? -1 : 1;
        }
    }
    return 0;
}

static void add_to_method(struct lines *lines, const struct catalog_method *method, const struct counted *counted)
{
    lines->methods[method->canonical].statements += counted->count;
    lines->methods[method->canonical].own += counted->own;
}

// Adds a row for a counted site. Statements without a position in the source only count for their method.
static enum clew_error add_row(struct lines *lines, const struct model *model, const struct sites *sites,
                               const struct counted *counted)
{
    const struct site *site = sites_site(sites, counted->process, counted->site);
    if (!site || site->kind != SITE_STATEMENT) {
        return CLEW_OK;
    }
    uint32_t method = sites_method(sites, counted->process, counted->site), module = 0;
    uint32_t index = catalog_find_method(&model->catalog, counted->process, method);
    if (index != CATALOG_NONE) {
        add_to_method(lines, &model->catalog.methods[index], counted);
        module = model->catalog.methods[index].record.module;
    }
    const struct recording_document *document = sites_document(sites, counted->process, module, site->document);
    if (!document || site->start_line == 0) {
        return CLEW_OK;
    }
    if (!array_grow(&lines->rows, lines->count, &lines->room, sizeof *lines->rows)) {
        return CLEW_NO_MEMORY;
    }
    lines->rows[lines->count++] = (struct line_row){.document = document,
                                                    .site = site,
                                                    .process = counted->process,
                                                    .method = method,
                                                    .count = counted->count,
                                                    .own = counted->own};
    lines->own += counted->own;
    return CLEW_OK;
}

// Sorts the rows, and adds up those of the same statement.
static void merge_rows(struct lines *lines)
{
    size_t kept = 0;
    if (lines->count) {
        qsort(lines->rows, lines->count, sizeof *lines->rows, compare_rows);
    }
    for (size_t i = 1; i < lines->count; i++) {
        if (text_equal(lines->rows[i].document->path, lines->rows[i - 1].document->path)) {
            lines->rows[i].document = lines->rows[i - 1].document; // all rows of one path share one document
        }
    }
    for (size_t i = 1; i < lines->count; i++) {
        CLEW_ASSERT(kept < i && compare_rows(&lines->rows[kept], &lines->rows[i]) <= 0);
        if (compare_rows(&lines->rows[kept], &lines->rows[i]) == 0) {
            lines->rows[kept].count += lines->rows[i].count;
            lines->rows[kept].own += lines->rows[i].own;
        } else {
            lines->rows[++kept] = lines->rows[i];
        }
    }
    lines->count = lines->count ? kept + 1 : 0;
}

// Turns counts of sites into rows of statements, and adds up the sums of methods on the way.
static enum clew_error make_rows(struct lines *lines, const struct model *model, const struct gathering *gathering)
{
    lines->methods = calloc((size_t)model->catalog.method_count + 1, sizeof *lines->methods);
    if (!lines->methods) {
        return CLEW_NO_MEMORY;
    }
    for (size_t i = 0; i < gathering->count; i++) {
        CLEW_TRY(add_row(lines, model, gathering->sites, &gathering->counted[i]));
    }
    merge_rows(lines);
    return CLEW_OK;
}

enum clew_error lines_load(const struct model *model, const struct sites *sites, struct lines *out)
{
    struct gathering gathering = {.sites = sites};
    struct recording_reader *reader;
    *out = (struct lines){0};
    CLEW_TRY(recording_new_reader(model->recording, &reader));
    recording_want_no_payloads(reader);
    enum clew_error error = gather(&gathering, reader, RECORDING_COUNTERS);
    if (error == CLEW_OK && !gathering.counters) {
        error = gather(&gathering, reader, RECORDING_EVENTS);
    }
    recording_close_reader(reader);
    if (error == CLEW_OK) {
        error = gathering.any ? add_unreached(&gathering, &model->catalog) : CLEW_NOTHING_RECORDED;
    }
    if (error == CLEW_OK) {
        error = make_rows(out, model, &gathering);
    }
    out->health = gathering.health;
    out->has_time = gathering.counters && model_has_times(model);
    site_marks_free(&gathering.near);
    map_free(&gathering.places);
    free(gathering.counted);
    return error;
}

enum clock_kind lines_clock(const struct model *model, const struct lines *lines)
{
    if (!lines->has_time) {
        return CLOCK_KIND_NONE;
    }
    return model->session.flags & SESSION_LINES_BY_CLOCK ? model->session.clock : CLOCK_KIND_TICK;
}

void lines_free(struct lines *lines)
{
    free(lines->rows);
    free(lines->methods);
    *lines = (struct lines){0};
}
