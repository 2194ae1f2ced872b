// See page_moments.h.
#include "view/page/page_moments.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/assert.h"
#include "model/site_filter.h"
#include "model/site_marks.h"
#include "view/text/value.h"

// What is known of a site.
enum mark { MARK_UNKNOWN, MARK_TAKEN, MARK_LEFT };

// The search.
struct search {
    struct page *page;
    const struct page_moments_asked *asked;
    struct page_moments *moments;
    struct site_filter blocks;
    struct site_marks marks;
    struct event_blocks events; // blocks that may have such moments; in order of clock, once all are listed
    uint64_t from, to;          // clocks: shrinks
    struct page_moment after;   // if one is asked for
    bool met;                   // it is one of the moments
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
    bool refers = site->encoding == VALUE_OBJECT || site->encoding == VALUE_TYPED;
    bool kind = asked->object ? refers : page_moments_gives(site);
    return kind && named && is_of_method(search, process, number);
}

// Whether the event's value refers to the object that is asked for.
static bool has_object(const struct search *search, const struct recording_events *block,
                       const struct recording_event *event, const struct site *site)
{
    struct site_value value;
    CLEW_ASSERT(event->cell <= block->cell_count);
    uint32_t left = block->cell_count - (uint32_t)event->cell;
    return search->asked->object == 0 || (sites_take(search->page->sites, block->process, site,
                                                     block->cells + event->cell, left, &value) != UINT32_MAX &&
                                          value_object(&value) == search->asked->object);
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

static enum clew_error add(struct search *search, const struct page_moment *moment)
{
    struct page_moments *moments = search->moments;
    if (search->asked->after) {
        int order = in_time(moment, &search->after);
        search->met = search->met || order == 0;
        if (order <= 0) {
            return CLEW_OK;
        }
    }
    if (!array_grow(&moments->list, moments->count, &moments->room, sizeof *moments->list)) {
        return CLEW_NO_MEMORY;
    }
    moments->list[moments->count++] = *moment;
    return CLEW_OK;
}

// Whether the site is one that is asked for; *site is its definition then.
static bool takes_event(const struct search *search, struct site_marks_row *row, uint32_t process, uint32_t number,
                        const struct site **site)
{
    if (number < row->count && row->marks[number] == MARK_LEFT) {
        return false;
    }
    *site = sites_site(search->page->sites, process, number);
    bool known = number < row->count && row->marks[number] == MARK_TAKEN;
    bool taken = *site && (known || takes_site((void *)search, process, number, *site));
    if (number < row->count) {
        row->marks[number] = taken ? MARK_TAKEN : MARK_LEFT;
    }
    return taken;
}

static enum clew_error search_block(struct search *search, const struct recording_events *block, uint64_t first)
{
    struct site_marks_row *row = site_marks_of(&search->marks, search->page->sites, block->process);
    if (!row) {
        return CLEW_NO_MEMORY;
    }
    for (uint32_t i = 0; i < block->count; i++) {
        const struct recording_event *event = &block->events[i];
        const struct site *site;
        if (event->kind != RECORDING_AT_SITE || event->clock < search->from || event->clock >= search->to ||
            !takes_event(search, row, block->process, event->site, &site)) {
            continue;
        }
        if (has_object(search, block, event, site)) {
            const struct page_moment moment = {event->clock, {block->process, block->thread, first + i}};
            CLEW_TRY(add(search, &moment));
        }
    }
    return CLEW_OK;
}

// Drops the moments behind those that are asked for. Blocks that begin later need not be read then.
static void keep_first(struct search *search)
{
    struct page_moments *moments = search->moments;
    if (moments->count > 1) {
        qsort(moments->list, moments->count, sizeof *moments->list, in_time);
    }
    if (moments->count > search->asked->most) {
        moments->count = search->asked->most;
        moments->more = true;
        search->to = moments->list[moments->count - 1].clock + 1;
    }
}

// Whether a block may have such moments.
static bool wants(void *context, const struct recording_block *block)
{
    const struct search *search = context;
    return block->values > 0 && block->last_clock >= search->from && block->first_clock < search->to &&
           site_filter_wants(&search->blocks, block);
}

static int by_clock(const void *a, const void *b, void *context)
{
    const struct event_block *x = event_blocks_get(context, a), *y = event_blocks_get(context, b);
    if (x->first != y->first) {
        return x->first < y->first ? -1 : 1;
    }
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

// Notes the clock of the moment behind which others are asked for.
static enum clew_error find_after(struct search *search)
{
    const struct cursor_position *after = search->asked->after;
    const struct thread_blocks *thread =
        after ? event_blocks_thread(&search->events, after->process, after->thread) : NULL;
    size_t found = thread ? thread_blocks_at_ordinal(thread, after->ordinal) : 0;
    struct recording_events events;
    if (!thread || found == thread->count) {
        return CLEW_OK;
    }
    const struct event_block *block = &thread->blocks[found];
    enum clew_error error = event_blocks_read(&search->events, thread, block, &events);
    if (error == CLEW_OK) {
        search->after = (struct page_moment){events.events[after->ordinal - block->ordinal].clock, *after};
        search->from = search->after.clock > search->from ? search->after.clock : search->from;
    }
    return error == CLEW_DAMAGED ? CLEW_OK : error;
}

static enum clew_error list_blocks(struct search *search)
{
    struct event_blocks *events = &search->events;
    CLEW_TRY(event_blocks_list(events, search->page->model->recording, wants, search));
    if (events->count > 1) {
        qsort_r(events->order, events->count, sizeof *events->order, by_clock, events);
    }
    return find_after(search);
}

static enum clew_error search_blocks(struct search *search)
{
    for (size_t i = 0; i < search->events.count; i++) {
        const struct event_block_place *place = &search->events.order[i];
        const struct event_block *at = event_blocks_get(&search->events, place);
        struct recording_events block;
        if (at->first >= search->to) {
            break;
        }
        if (atomic_load(&search->page->cancelled)) {
            return CLEW_REFUSED;
        }
        enum clew_error error = event_blocks_read_at(&search->events, place, &block);
        error = error == CLEW_OK ? search_block(search, &block, at->ordinal) : error;
        if (error != CLEW_OK && error != CLEW_DAMAGED) {
            return error;
        }
        if (search->moments->count > search->asked->most) {
            keep_first(search);
        }
    }
    keep_first(search);
    return search->asked->after && !search->met ? CLEW_NOT_FOUND : CLEW_OK;
}

enum clew_error page_moments_find(struct page_moments *moments, struct page *page,
                                  const struct page_moments_asked *asked)
{
    struct search search = {.page = page, .asked = asked, .moments = moments, .from = asked->from, .to = asked->to};
    CLEW_ASSERT(asked->most > 0);
    CLEW_TRY(page_need_sites(page));
    search.events.without_payloads = asked->object == 0;
    enum clew_error error = site_filter_choose(&search.blocks, &page->model->catalog, page->sites,
                                               page->model->recording, takes_site, &search);
    error = error == CLEW_OK ? list_blocks(&search) : error;
    error = error == CLEW_OK ? search_blocks(&search) : error;
    event_blocks_free(&search.events);
    site_filter_free(&search.blocks);
    site_marks_free(&search.marks);
    return error;
}

void page_moments_free(struct page_moments *moments)
{
    free(moments->list);
    *moments = (struct page_moments){0};
}
