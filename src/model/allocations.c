// See allocations.h. A pass over the streams counts events by (process, site, type of the object). Afterwards rows that
// a reader cannot distinguish, such as two loads of one module, are merged.
#include "model/allocations.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/assert.h"
#include "base/map.h"
#include "model/objects.h"

// Counts before merging.
struct counted {
    uint32_t process, site, type; // type: number of the object's type, or of the type that the site declares
    uint64_t count, bytes, unsized;
};

struct counting {
    const struct sites *sites;
    struct objects *objects;
    struct counted *counted;
    size_t count, room;
    struct map by_key; // hash of process, site and type -> index
};

// The entry of (process, site, type), made when it is new; NULL when memory runs out.
static struct counted *counted_of(struct counting *counting, uint32_t process, uint32_t site, uint32_t type)
{
    const uint32_t identity[] = {process, site, type, 0};
    uint64_t key = map_hash_text(identity, sizeof identity), index;
    if (map_get(&counting->by_key, key, &index)) {
        CLEW_ASSERT(index < counting->count);
        return &counting->counted[index];
    }
    if (!array_grow(&counting->counted, counting->count, &counting->room, sizeof *counting->counted) ||
        !map_put(&counting->by_key, key, counting->count)) {
        return NULL;
    }
    struct counted *fresh = &counting->counted[counting->count++];
    *fresh = (struct counted){.process = process, .site = site, .type = type};
    return fresh;
}

// Counts one ALLOCATION event. The object's own record gives its type and size; without one, the type that the site
// declares counts, and no size.
static enum clew_error take_allocation(struct counting *counting, const struct recording_events *events,
                                       const struct recording_event *event, const struct site *site)
{
    struct site_value value;
    uint32_t cells = (uint32_t)event->cell;
    if (cells > events->cell_count || sites_take(counting->sites, events->process, site, events->cells + cells,
                                                 events->cell_count - cells, &value) == UINT32_MAX) {
        return CLEW_OK; // the event is damaged
    }
    bool named = value.encoding == VALUE_OBJECT && value.cells[0] != 0;
    const struct recording_object *object =
        named ? objects_find(counting->objects, events->process, value.cells[0]) : NULL;
    if (!object && objects_ran_out(counting->objects)) {
        return CLEW_NO_MEMORY;
    }
    uint32_t type = object && object->type ? object->type : value.type;
    struct counted *counted = counted_of(counting, events->process, event->site, type);
    if (!counted) {
        return CLEW_NO_MEMORY;
    }
    counted->count++;
    counted->bytes += object ? object->size : 0;
    counted->unsized += !object || object->size == 0;
    return CLEW_OK;
}

// Counts the allocations in one block. The order of threads does not matter for sums, so the blocks come in that of the file.
static enum clew_error take_events(void *context, const struct recording_record *record)
{
    struct counting *counting = context;
    const struct recording_events *events = &record->events;
    for (uint32_t i = 0; i < events->count; i++) {
        const struct recording_event *event = &events->events[i];
        const struct site *site =
            event->kind == RECORDING_AT_SITE ? sites_site(counting->sites, events->process, event->site) : NULL;
        if (site && site->kind == SITE_ALLOCATION) {
            CLEW_TRY(take_allocation(counting, events, event, site));
        }
    }
    return CLEW_OK;
}

// -- Merging ----------------------------------------------------------------------------------------------------------

static int compare_types(const void *left, const void *right)
{
    const struct allocation *a = left, *b = right;
    return text_compare(a->type, b->type);
}

// A line; without symbols, an IL offset.
static uint32_t place_of(const struct allocation *row)
{
    return row->site->start_line ? row->site->start_line : row->site->il_offset;
}

// Orders by type, method and place, so that rows to be merged are neighbours.
static int compare_sites(const void *left, const void *right)
{
    const struct allocation *a = left, *b = right;
    int types = compare_types(a, b);
    if (types || a->method != b->method) {
        return types ? types : a->method < b->method ? -1 : 1;
    }
    return (place_of(a) > place_of(b)) - (place_of(a) < place_of(b));
}

// Most bytes first; rows without sizes by their count.
static int most_first(const void *left, const void *right)
{
    const struct allocation *a = left, *b = right;
    if (a->bytes != b->bytes) {
        return a->bytes > b->bytes ? -1 : 1;
    }
    return a->count != b->count ? (a->count > b->count ? -1 : 1) : compare_types(a, b);
}

// Adds up rows that `compare` reports as equal, and sorts the largest first. Returns the number of rows left.
static size_t merge(struct allocation *rows, size_t count, int (*compare)(const void *, const void *))
{
    size_t kept = 0;
    if (count == 0) {
        return 0;
    }
    qsort(rows, count, sizeof *rows, compare);
    for (size_t i = 1; i < count; i++) {
        CLEW_ASSERT(kept < i && compare(&rows[kept], &rows[i]) <= 0);
        if (compare(&rows[kept], &rows[i]) == 0) {
            rows[kept].count += rows[i].count;
            rows[kept].bytes += rows[i].bytes;
            rows[kept].unsized += rows[i].unsized;
        } else {
            rows[++kept] = rows[i];
        }
    }
    qsort(rows, kept + 1, sizeof *rows, most_first);
    return kept + 1;
}

// The document of the statement that the site belongs to. The document's number is only unique within its module.
static const struct recording_document *document_of(const struct model *model, const struct sites *sites,
                                                    const struct counted *counted, const struct site *site,
                                                    uint32_t method)
{
    const struct site *statement = sites_site(sites, counted->process, site->statement);
    uint32_t module = method == CATALOG_NONE ? 0 : model->catalog.methods[method].record.module;
    return statement ? sites_document(sites, counted->process, module, statement->document) : NULL;
}

// A row for the report, with the names that the numbers of a counted entry refer to.
static struct allocation row_of(const struct model *model, const struct sites *sites, const struct counted *counted)
{
    const struct site *site = sites_site(sites, counted->process, counted->site);
    const struct type *type = sites_type(sites, counted->process, counted->type);
    uint32_t method =
        catalog_find_method(&model->catalog, counted->process, sites_method(sites, counted->process, counted->site));
    return (struct allocation){
        .type = type ? type->name : text_of(""),
        .method = method == CATALOG_NONE ? method : model->catalog.methods[method].canonical,
        .site = site,
        .document = document_of(model, sites, counted, site, method),
        .count = counted->count,
        .bytes = counted->bytes,
        .unsized = counted->unsized,
    };
}

// Makes both tables from the same counts: they add up to the same totals.
static enum clew_error make_rows(struct allocations *out, const struct model *model, const struct counting *counting)
{
    out->sites = calloc(counting->count + 1, sizeof *out->sites);
    out->types = calloc(counting->count + 1, sizeof *out->types);
    if (!out->sites || !out->types) {
        return CLEW_NO_MEMORY;
    }
    for (size_t i = 0; i < counting->count; i++) {
        struct allocation *row = &out->sites[i];
        *row = row_of(model, counting->sites, &counting->counted[i]);
        out->types[i] =
            (struct allocation){.type = row->type, .count = row->count, .bytes = row->bytes, .unsized = row->unsized};
        out->count += row->count;
        out->bytes += row->bytes;
        out->unsized += row->unsized;
    }
    out->site_count = merge(out->sites, counting->count, compare_sites);
    out->type_count = merge(out->types, counting->count, compare_types);
    return CLEW_OK;
}

enum clew_error allocations_load(const struct model *model, const struct sites *sites, struct allocations *out)
{
    struct counting counting = {.sites = sites};
    *out = (struct allocations){0};
    CLEW_TRY(objects_open(model->recording, &counting.objects));
    enum clew_error error =
        recording_each(model->recording, 1u << RECORDING_EVENTS, take_events, &counting, &out->health);
    struct recording_health objects = objects_health(counting.objects);
    recording_meet(&out->health, &objects);
    if (error == CLEW_OK) {
        error = make_rows(out, model, &counting);
    }
    objects_close(counting.objects);
    map_free(&counting.by_key);
    free(counting.counted);
    return error;
}

void allocations_free(struct allocations *allocations)
{
    free(allocations->sites);
    free(allocations->types);
    *allocations = (struct allocations){0};
}
