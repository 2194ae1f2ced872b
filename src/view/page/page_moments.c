// See page_moments.h.
#include "view/page/page_moments.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/assert.h"
#include "model/site_filter.h"
#include "model/site_marks.h"
#include "view/text/value.h"

// A block that may have such moments.
struct part {
    uint64_t first_clock, offset;
    uint64_t ordinal; // of its first event
};

// What is known of a site.
enum mark { MARK_UNKNOWN, MARK_TAKEN, MARK_LEFT };

// The search.
struct search {
    struct page *page;
    const struct page_moments_asked *asked;
    struct page_moments *moments;
    struct site_filter blocks;
    struct site_marks marks;
    struct recording_reader *reader;
    struct part *parts; // by clock
    size_t count, room;
    uint64_t from, to;        // clocks: shrinks
    struct page_moment after; // if one is asked for
    bool met;                 // it is one of the moments
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
    CLEW_ASSERT(event->number <= block->cell_count);
    uint32_t left = block->cell_count - (uint32_t)event->number;
    return search->asked->object == 0 || (sites_take(search->page->sites, block->process, site,
                                                     block->cells + event->number, left, &value) != UINT32_MAX &&
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
            !takes_event(search, row, block->process, event->method, &site)) {
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

static bool overlaps(const struct search *search, const struct recording_block *block)
{
    return block->values > 0 && block->last_clock >= search->from && block->first_clock < search->to;
}

static int by_clock(const void *a, const void *b)
{
    const struct part *x = a, *y = b;
    if (x->first_clock != y->first_clock) {
        return x->first_clock < y->first_clock ? -1 : 1;
    }
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

// Notes the clock of the moment behind which others are asked for.
static enum clew_error find_after(struct search *search)
{
    const struct cursor_position *after = search->asked->after;
    const struct thread_blocks *thread =
        after ? event_blocks_thread(&search->page->events, after->process, after->thread) : NULL;
    size_t found = thread ? thread_blocks_at_ordinal(thread, after->ordinal) : 0;
    struct recording_record record;
    if (!thread || found == thread->count) {
        return CLEW_OK;
    }
    const struct event_block *block = &thread->blocks[found];
    enum clew_error error = recording_read(search->reader, block->offset, RECORDING_EVENTS, &record);
    if (error == CLEW_OK && after->ordinal - block->ordinal < record.events.count) {
        search->after = (struct page_moment){record.events.events[after->ordinal - block->ordinal].clock, *after};
        search->from = search->after.clock > search->from ? search->after.clock : search->from;
    }
    return error == CLEW_DAMAGED ? CLEW_OK : error;
}

// Lists the blocks that may have moments.
static enum clew_error list_parts(struct search *search)
{
    const struct event_blocks *events = &search->page->events;
    const struct recording_block *index;
    size_t count;
    CLEW_TRY(page_need_events(search->page));
    CLEW_TRY(recording_index(search->page->recording, &index, &count));
    CLEW_TRY(find_after(search));
    for (size_t i = 0; i < events->count; i++) {
        const struct event_block *block = event_blocks_get(events, &events->order[i]);
        CLEW_ASSERT(block->index < count);
        if (!overlaps(search, &index[block->index]) || !site_filter_wants(&search->blocks, &index[block->index])) {
            continue;
        }
        if (!array_grow(&search->parts, search->count, &search->room, sizeof *search->parts)) {
            return CLEW_NO_MEMORY;
        }
        search->parts[search->count++] = (struct part){block->first, block->offset, block->ordinal};
    }
    if (search->count > 1) {
        qsort(search->parts, search->count, sizeof *search->parts, by_clock);
    }
    return CLEW_OK;
}

static enum clew_error search_parts(struct search *search)
{
    for (size_t i = 0; i < search->count && search->parts[i].first_clock < search->to; i++) {
        struct recording_record record;
        if (atomic_load(&search->page->cancelled)) {
            return CLEW_REFUSED;
        }
        enum clew_error error = recording_read(search->reader, search->parts[i].offset, RECORDING_EVENTS, &record);
        error = error == CLEW_OK ? search_block(search, &record.events, search->parts[i].ordinal) : error;
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
    CLEW_TRY(recording_new_reader(page->recording, &search.reader));
    if (asked->object == 0) {
        recording_want_no_payloads(search.reader);
    }
    enum clew_error error =
        site_filter_choose(&search.blocks, &page->model->catalog, page->sites, page->recording, takes_site, &search);
    error = error == CLEW_OK ? list_parts(&search) : error;
    error = error == CLEW_OK ? search_parts(&search) : error;
    recording_close_reader(search.reader);
    site_filter_free(&search.blocks);
    site_marks_free(&search.marks);
    free(search.parts);
    return error;
}

void page_moments_free(struct page_moments *moments)
{
    free(moments->list);
    *moments = (struct page_moments){0};
}
