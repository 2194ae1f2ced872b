// See lines.h.
#include "model/lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/map.h"

// What was counted of one process, by site.
struct counted {
    uint32_t process;
    uint64_t *counts, *own;
    uint32_t end;
};

struct gathering {
    const struct sites *sites;
    struct counted *processes;
    size_t count, room;
    bool any, counters;
};

static struct counted *counted_of(struct gathering *gathering, uint32_t process)
{
    for (size_t i = 0; i < gathering->count; i++) {
        if (gathering->processes[i].process == process) {
            return &gathering->processes[i];
        }
    }
    if (!array_grow(&gathering->processes, gathering->count, &gathering->room, sizeof *gathering->processes)) {
        return NULL;
    }
    struct counted *fresh = &gathering->processes[gathering->count];
    *fresh = (struct counted){.process = process, .end = sites_end(gathering->sites, process)};
    fresh->counts = calloc(fresh->end + (size_t)1, sizeof *fresh->counts);
    fresh->own = calloc(fresh->end + (size_t)1, sizeof *fresh->own);
    gathering->count++; // freed in any case
    return fresh->counts && fresh->own ? fresh : NULL;
}

// A later snapshot of a site replaces the earlier.
static enum clew_error take_counters(struct gathering *gathering, const struct recording_counters *counters)
{
    struct counted *counted = counted_of(gathering, counters->process);
    if (!counted) {
        return CLEW_NO_MEMORY;
    }
    for (uint32_t i = 0; i < counters->count; i++) {
        if (counters->counters[i].site < counted->end) {
            counted->counts[counters->counters[i].site] = counters->counters[i].count;
            counted->own[counters->counters[i].site] = counters->counters[i].own;
        }
    }
    gathering->any = gathering->counters = true;
    return CLEW_OK;
}

static enum clew_error take_events(struct gathering *gathering, const struct recording_events *events)
{
    struct counted *counted = counted_of(gathering, events->process);
    if (!counted) {
        return CLEW_NO_MEMORY;
    }
    for (uint32_t i = 0; i < events->count; i++) {
        const struct recording_event *event = &events->events[i];
        if (event->kind == RECORDING_AT_SITE && event->method < counted->end) {
            counted->counts[event->method]++;
            gathering->any = true;
        }
    }
    return CLEW_OK;
}

static enum clew_error gather(struct gathering *gathering, struct recording_reader *reader, enum recording_type type)
{
    struct recording_record record;
    enum clew_error error;
    CLEW_TRY(recording_rewind(reader, 0));
    while ((error = recording_next(reader, 1u << type, &record)) == CLEW_OK) {
        CLEW_TRY(type == RECORDING_EVENTS ? take_events(gathering, &record.events)
                                          : take_counters(gathering, &record.counters));
    }
    return error == CLEW_NOT_FOUND ? CLEW_OK : error;
}

// -- Rows -------------------------------------------------------------------------------------------------------------

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

static void add_to_method(struct lines *lines, const struct catalog_method *method, const struct counted *counted,
                          uint32_t number)
{
    lines->methods[method->twin].statements += counted->counts[number];
    lines->methods[method->twin].own += counted->own[number];
}

static enum clew_error add_row(struct lines *lines, const struct model *model, const struct sites *sites,
                               const struct counted *counted, uint32_t number)
{
    const struct site *site = sites_site(sites, counted->process, number);
    if (!site || site->kind != SITE_STATEMENT) {
        return CLEW_OK;
    }
    uint32_t method = sites_method(sites, counted->process, number), module = 0;
    uint32_t index = catalog_find_method(&model->catalog, counted->process, method);
    if (index != CATALOG_NONE) {
        add_to_method(lines, &model->catalog.methods[index], counted, number);
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
                                                    .count = counted->counts[number],
                                                    .own = counted->own[number]};
    lines->own += counted->own[number];
    return CLEW_OK;
}

static void merge_rows(struct lines *lines)
{
    size_t kept = 0;
    if (lines->count) {
        qsort(lines->rows, lines->count, sizeof *lines->rows, compare_rows);
    }
    for (size_t i = 1; i < lines->count; i++) {
        if (text_equal(lines->rows[i].document->path, lines->rows[i - 1].document->path)) {
            lines->rows[i].document = lines->rows[i - 1].document; // one file, whatever module it is in
        }
    }
    for (size_t i = 1; i < lines->count; i++) {
        if (compare_rows(&lines->rows[kept], &lines->rows[i]) == 0) {
            lines->rows[kept].count += lines->rows[i].count;
            lines->rows[kept].own += lines->rows[i].own;
        } else {
            lines->rows[++kept] = lines->rows[i];
        }
    }
    lines->count = lines->count ? kept + 1 : 0;
}

static enum clew_error make_rows(struct lines *lines, const struct model *model, const struct gathering *gathering)
{
    lines->methods = calloc((size_t)model->catalog.method_count + 1, sizeof *lines->methods);
    if (!lines->methods) {
        return CLEW_NO_MEMORY;
    }
    for (size_t i = 0; i < gathering->count; i++) {
        for (uint32_t number = 0; number < gathering->processes[i].end; number++) {
            CLEW_TRY(add_row(lines, model, gathering->sites, &gathering->processes[i], number));
        }
    }
    merge_rows(lines);
    return CLEW_OK;
}

enum clew_error lines_load(const char *path, const struct model *model, const struct sites *sites, struct lines *out)
{
    struct gathering gathering = {.sites = sites};
    struct recording_reader *reader;
    *out = (struct lines){0};
    CLEW_TRY(recording_open(path, &reader));
    enum clew_error error = gather(&gathering, reader, RECORDING_COUNTERS);
    if (error == CLEW_OK && !gathering.counters) {
        error = gather(&gathering, reader, RECORDING_EVENTS);
    }
    recording_close_reader(reader);
    if (error == CLEW_OK) {
        error = gathering.any ? make_rows(out, model, &gathering) : CLEW_NOTHING_RECORDED;
    }
    out->has_time = gathering.counters && model_has_times(model);
    for (size_t i = 0; i < gathering.count; i++) {
        free(gathering.processes[i].counts);
        free(gathering.processes[i].own);
    }
    free(gathering.processes);
    return error;
}

enum clock_kind lines_clock(const struct model *model, const struct lines *lines)
{
    if (!lines->has_time) {
        return CLOCK_KIND_NONE;
    }
    return model->session.flags & MODEL_SESSION_LINES_BY_CLOCK ? model->session.clock : CLOCK_KIND_TICK;
}

void lines_free(struct lines *lines)
{
    free(lines->rows);
    free(lines->methods);
    *lines = (struct lines){0};
}
