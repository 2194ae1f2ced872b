// See page_moments.h.
#include "view/page/page_moments.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/assert.h"
#include "model/site_filter.h"
#include "view/text/value.h"

// The search.
struct search {
    struct page *page;
    const struct page_moments_asked *asked;
    struct page_moments *moments;
    struct site_filter blocks;
    struct recording_reader *reader;
    struct map first_of; // process << 32 | thread: events of the thread in the blocks before
};

bool page_moments_gives(const struct site *site)
{
    bool own = site->role == VARIABLE_GENERATED || site->role == VARIABLE_LINK; // the compiler's
    return (site->kind == SITE_DEFINITION || site->kind == SITE_ARGUMENT) && site->name.size > 0 && !own;
}

static bool is_of_method(const struct search *search, uint32_t process, uint32_t number)
{
    const struct catalog *catalog = &search->page->model->catalog;
    uint32_t index = catalog_find_method(catalog, process, sites_method(search->page->sites, process, number));
    return search->asked->method.size == 0 ||
           (index != CATALOG_NONE && page_query_means(search->asked->method, catalog->methods[index].record.name));
}

static bool takes_site(void *context, uint32_t process, uint32_t number, const struct site *site)
{
    const struct search *search = context;
    const struct page_moments_asked *asked = search->asked;
    bool named = asked->name.size == 0 || page_query_means(asked->name, site->name);
    bool kind = asked->object ? site->kind != SITE_STATEMENT : page_moments_gives(site);
    return kind && named && is_of_method(search, process, number);
}

// Whether the event's value refers to the object that is asked for.
static bool has_object(const struct search *search, const struct recording_events *block,
                       const struct recording_event *event, const struct site *site)
{
    struct site_value value;
    CLEW_ASSERT(event->number <= block->cell_count);
    uint32_t left = block->cell_count - (uint32_t)event->number;
    return search->asked->object == 0 || (sites_take(search->page->sites, block->process, site,
                                                     block->cells + event->number, left, &value) != UINT32_MAX &&
                                          value_object(&value) == search->asked->object);
}

static enum clew_error add(struct page_moments *moments, const struct page_moment *moment)
{
    if (moments->count == PAGE_MOMENTS_MAX) {
        moments->cut = true;
        return CLEW_OK;
    }
    if (!array_grow(&moments->list, moments->count, &moments->room, sizeof *moments->list)) {
        return CLEW_NO_MEMORY;
    }
    moments->list[moments->count++] = *moment;
    return CLEW_OK;
}

static enum clew_error search_block(struct search *search, const struct recording_events *block, uint64_t first)
{
    for (uint32_t i = 0; i < block->count; i++) {
        const struct recording_event *event = &block->events[i];
        if (event->kind != RECORDING_AT_SITE || event->clock < search->asked->from ||
            event->clock >= search->asked->to) {
            continue;
        }
        const struct site *site = sites_site(search->page->sites, block->process, event->method);
        if (site && takes_site(search, block->process, event->method, site) && has_object(search, block, event, site)) {
            const struct page_moment moment = {event->clock, {block->process, block->thread, first + i}};
            CLEW_TRY(add(search->moments, &moment));
        }
    }
    return CLEW_OK;
}

static enum clew_error search_blocks(struct search *search)
{
    const struct recording_block *blocks;
    struct recording_record record;
    size_t count;
    CLEW_TRY(recording_index(search->page->recording, &blocks, &count));
    for (size_t i = 0; i < count; i++) {
        const struct recording_block *block = &blocks[i];
        uint64_t first = 0, key = (uint64_t)block->process << 32 | block->thread;
        if (block->type != RECORDING_EVENTS) {
            continue;
        }
        (void)map_get(&search->first_of, key, &first); // stays 0 for the thread's first block
        if (!map_put(&search->first_of, key, first + block->count)) {
            return CLEW_NO_MEMORY;
        }
        if (block->values == 0 || block->last_clock < search->asked->from || block->first_clock > search->asked->to ||
            !site_filter_wants(&search->blocks, block)) {
            continue;
        }
        if (atomic_load(&search->page->cancelled)) {
            return CLEW_REFUSED;
        }
        enum clew_error error = recording_read(search->reader, block->offset, RECORDING_EVENTS, &record);
        error = error == CLEW_OK ? search_block(search, &record.events, first) : error;
        if (error != CLEW_OK && error != CLEW_DAMAGED) {
            return error;
        }
    }
    return CLEW_OK;
}

static int in_time(const void *a, const void *b)
{
    const struct page_moment *x = a, *y = b;
    if (x->clock != y->clock) {
        return x->clock < y->clock ? -1 : 1;
    }
    uint64_t left = (uint64_t)x->at.process << 32 | x->at.thread, right = (uint64_t)y->at.process << 32 | y->at.thread;
    if (left != right) {
        return left < right ? -1 : 1;
    }
    return x->at.ordinal < y->at.ordinal ? -1 : x->at.ordinal > y->at.ordinal;
}

enum clew_error page_moments_find(struct page_moments *moments, struct page *page,
                                  const struct page_moments_asked *asked)
{
    struct search search = {.page = page, .asked = asked, .moments = moments};
    CLEW_TRY(page_need_sites(page));
    CLEW_TRY(recording_new_reader(page->recording, &search.reader));
    enum clew_error error =
        site_filter_choose(&search.blocks, &page->model->catalog, page->sites, page->recording, takes_site, &search);
    error = error == CLEW_OK ? search_blocks(&search) : error;
    recording_close_reader(search.reader);
    site_filter_free(&search.blocks);
    map_free(&search.first_of);
    if (moments->count > 1) {
        qsort(moments->list, moments->count, sizeof *moments->list, in_time);
    }
    return error;
}

void page_moments_free(struct page_moments *moments)
{
    free(moments->list);
    *moments = (struct page_moments){0};
}
