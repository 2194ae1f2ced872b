// The documents `timeline` and `strip`: what threads did by time. A range with few events is read event by event, and
// exact; others are made of summaries of blocks (model/summaries.h).
#include <stdlib.h>

#include "base/assert.h"
#include "model/events/summaries.h"
#include "model/events/timeline.h"
#include "view/page/page_documents.h"
#include "view/page/page_lanes.h"
#include "view/page/page_selection.h"

enum { WIDTH_DEFAULT = 1000, DEPTH_DEFAULT = 40, EVENTS_EXACT = 3000000 };

// -- Exactly ----------------------------------------------------------------------------------------------------------

struct reading {
    struct page *page;
    const struct page_selection *selection;
    struct page_lanes *lanes;
    uint64_t lost;
};

static bool wants_block(void *context, const struct recording_block *block)
{
    const struct reading *reading = context;
    return page_selects(reading->selection, block->process, block->thread);
}

// The time since the thread's last step belongs to the activation that ran.
static void count_time(const struct page_lanes *lanes, struct page_lane *lane, uint64_t clock,
                       const struct stream_frame *ran)
{
    if (clock > lane->counted) {
        double ticks = ran ? (double)(clock - lane->counted) : 0;
        page_lanes_time(lanes, lane, lane->counted, clock, ticks, ran ? ran->method : 0, ticks);
        lane->counted = clock;
    }
}

static enum clew_error take_step(void *context, const struct event_step *step)
{
    struct reading *reading = context;
    const struct event_thread *thread = step->thread;
    reading->lost += step->kind == STEP_LOST ? step->lost : 0;
    if (!step->frame || step->kind == STEP_SITE) {
        return CLEW_OK;
    }
    if (atomic_load(&reading->page->cancelled)) {
        return CLEW_REFUSED;
    }
    struct page_lane *lane = page_lanes_of(reading->lanes, thread->process, thread->thread);
    if (!lane) {
        return reading->lanes->count == PAGE_LANES_MAX ? CLEW_OK : CLEW_NO_MEMORY;
    }
    bool begins = step->kind == STEP_BEGIN;
    count_time(reading->lanes, lane, step->clock, begins ? stream_caller(&thread->stream, step->frame) : step->frame);
    if (begins) {
        return CLEW_OK;
    }
    const struct page_span span = {.begin = step->frame->started < step->clock ? step->frame->started : step->clock,
                                   .end = step->clock,
                                   .call = step->frame->call,
                                   .calls = 1,
                                   .method = step->frame->method,
                                   .depth = step->level};
    return page_lanes_call(reading->lanes, lane, &span) ? CLEW_OK : CLEW_NO_MEMORY;
}

static enum clew_error read_events(struct reading *reading)
{
    const struct timeline_options options = {.from = reading->lanes->from,
                                             .to = reading->lanes->to,
                                             .borders = true,
                                             .step = take_step,
                                             .wants = wants_block,
                                             .context = reading};
    enum clew_error error = timeline_run(reading->page->model->recording, &options);
    return error == CLEW_NOTHING_RECORDED ? CLEW_OK : error;
}

// -- From summaries ---------------------------------------------------------------------------------------------------

static bool is_in(const struct page_lanes *lanes, uint64_t from, uint64_t to)
{
    return to >= lanes->from && from <= lanes->to;
}

static enum clew_error add_blocks(const struct page *page, const struct page_selection *selection,
                                  struct page_lanes *lanes, uint64_t *longest)
{
    size_t count;
    uint32_t thread_count;
    const struct summary_block *blocks = summaries_blocks(page->summaries, &count);
    const struct summary_thread *threads = summaries_threads(page->summaries, &thread_count);
    for (size_t i = 0; i < count; i++) {
        const struct summary_block *block = &blocks[i];
        const struct summary_thread *thread = &threads[block->thread];
        if (!is_in(lanes, block->first, block->last) || !page_selects(selection, thread->process, thread->thread)) {
            continue;
        }
        struct page_lane *lane = page_lanes_of(lanes, thread->process, thread->thread);
        if (lane) {
            page_lanes_time(lanes, lane, block->first, block->last, (double)block->busy, block->methods[0],
                            (double)block->own[0]);
            *longest = block->last - block->first > *longest ? block->last - block->first : *longest;
        } else if (lanes->count < PAGE_LANES_MAX) {
            return CLEW_NO_MEMORY;
        }
    }
    return CLEW_OK;
}

static enum clew_error add_spans(const struct page *page, const struct page_selection *selection,
                                 struct page_lanes *lanes)
{
    size_t count;
    uint32_t thread_count;
    const struct summary_span *spans = summaries_spans(page->summaries, &count);
    const struct summary_thread *threads = summaries_threads(page->summaries, &thread_count);
    for (size_t i = 0; i < count; i++) {
        const struct summary_thread *thread = &threads[spans[i].thread];
        if (!is_in(lanes, spans[i].begin, spans[i].end) || !page_selects(selection, thread->process, thread->thread)) {
            continue;
        }
        struct page_lane *lane = page_lanes_of(lanes, thread->process, thread->thread);
        const struct page_span span = {.begin = spans[i].begin,
                                       .end = spans[i].end,
                                       .call = spans[i].call,
                                       .calls = 1,
                                       .method = spans[i].method,
                                       .depth = spans[i].depth};
        if (lane && !page_lanes_call(lanes, lane, &span)) {
            return CLEW_NO_MEMORY;
        }
    }
    return CLEW_OK;
}

// -- The documents ----------------------------------------------------------------------------------------------------

// How many events the blocks of a range have.
static enum clew_error count_events(struct page *page, const struct page_selection *selection,
                                    const struct page_lanes *lanes, uint64_t *out)
{
    CLEW_TRY(page_need_events(page));
    for (uint32_t i = 0; i < page->events.thread_count; i++) {
        const struct thread_blocks *thread = &page->events.threads[i];
        bool selected = page_selects(selection, thread->process, thread->thread);
        for (size_t block = thread_blocks_at_clock(thread, lanes->from); selected && block < thread->count; block++) {
            *out += thread->blocks[block].first <= lanes->to ? thread->blocks[block].count : 0;
        }
    }
    return CLEW_OK;
}

// The range as clocks, of which the end is behind the start.
static void set_range(const struct page *page, const struct page_selection *selection, struct page_lanes *lanes)
{
    lanes->from = model_clock_at(page->model, selection->from_ns);
    lanes->to = model_clock_at(page->model, selection->to_ns);
    lanes->to = lanes->to > lanes->from ? lanes->to : lanes->from + 1;
}

static void write_exactness(const struct page *page, struct json *json, bool exact, uint64_t bound)
{
    json_member_bool(json, "exact", exact);
    if (!exact) {
        json_member_u64(json, "bound_ns", model_ns(page->model, bound));
        json_member_text(json, "why", text_of("it is made of summaries of blocks of events; a shorter range is exact"));
        json_share_member(json, "done", summaries_done(page->summaries));
    }
}

static enum clew_error fill(struct page *page, const struct page_selection *selection, struct page_lanes *lanes,
                            struct json *json)
{
    uint64_t events = 0, longest = 0;
    struct reading reading = {.page = page, .selection = selection, .lanes = lanes};
    CLEW_TRY(count_events(page, selection, lanes, &events));
    if (events <= EVENTS_EXACT) {
        CLEW_TRY(read_events(&reading));
    } else {
        CLEW_TRY(page_need_summaries(page));
        CLEW_TRY(add_blocks(page, selection, lanes, &longest));
        CLEW_TRY(add_spans(page, selection, lanes));
    }
    write_exactness(page, json, events <= EVENTS_EXACT, longest);
    json_member_u64(json, "losses", events <= EVENTS_EXACT ? reading.lost : page->model->lost);
    return page_lanes_finish(lanes) ? CLEW_OK : CLEW_NO_MEMORY;
}

static enum clew_error write_timeline(struct page *page, const struct page_selection *selection,
                                      struct page_lanes *lanes, struct json *json)
{
    struct page_methods methods = {0};
    enum clew_error error = fill(page, selection, lanes, json);
    error = error == CLEW_OK ? page_methods_begin(&methods, page, page->model) : error;
    if (error == CLEW_OK) {
        page_selection_write(selection, page, json);
        page_lanes_write(lanes, &methods, json);
        page_methods_write(&methods, json);
    }
    page_methods_free(&methods);
    return error;
}

// Refuses recordings without events or without times.
static bool can_show(const struct page *page, struct page_answer *answer)
{
    if (page->model->has_stream && model_has_times(page->model)) {
        return true;
    }
    page_refuse(answer, 422, "this recording has no calls in order of time");
    page_cure_record(answer, page->model, "calls");
    return false;
}

enum clew_error page_timeline(struct page *page, const struct page_query *query, struct json *json,
                              struct page_answer *answer)
{
    struct page_selection selection;
    struct page_lanes lanes = {0};
    bool bad = false;
    lanes.width = (uint32_t)page_query_number(query, "width", WIDTH_DEFAULT, PAGE_WIDTH_MAX, &bad);
    lanes.depth = (uint32_t)page_query_number(query, "depth", DEPTH_DEFAULT, PAGE_DEPTH_MAX, &bad);
    if (bad || lanes.width == 0 || lanes.depth == 0) {
        page_refuse(answer, 400, "width is a number from 1 to %d, and depth from 1 to %d", PAGE_WIDTH_MAX,
                    PAGE_DEPTH_MAX);
        return CLEW_OK;
    }
    if (!can_show(page, answer) || !page_selection_take(&selection, page, query, answer)) {
        return CLEW_OK;
    }
    set_range(page, &selection, &lanes);
    enum clew_error error = write_timeline(page, &selection, &lanes, json);
    page_lanes_free(&lanes);
    return error;
}

// Adds up the lanes.
static void write_strip(const struct page_lanes *lanes, const double *calls, struct json *json)
{
    double column = (double)(lanes->to - lanes->from) / lanes->width, carried = 0.5;
    json_key(json, "columns");
    json_open(json, '[');
    for (uint32_t i = 0; i < lanes->width; i++) {
        double busy = 0;
        for (uint32_t lane = 0; lane < lanes->count; lane++) {
            busy += lanes->list[lane].columns[i].busy / column;
        }
        json_open(json, '{');
        json_share_member(json, "busy", busy < lanes->count ? busy : lanes->count);
        carried += calls[i]; // the rounded numbers have the same sum
        json_member_u64(json, "calls", (uint64_t)carried);
        carried -= (double)(uint64_t)carried;
        json_close(json, '}');
    }
    json_close(json, ']');
}

// The column that a clock falls into; a clock outside of the range falls into the first or the last one.
static uint32_t column_at(const struct page_lanes *lanes, uint64_t clock)
{
    if (clock <= lanes->from) {
        return 0;
    }
    double column = (double)(clock - lanes->from) * lanes->width / (double)(lanes->to - lanes->from);
    return column < lanes->width - 1 ? (uint32_t)column : lanes->width - 1;
}

// Spreads the calls of each block evenly over its time.
static void add_calls(const struct page *page, const struct page_lanes *lanes, double *calls)
{
    size_t count;
    const struct summary_block *blocks = summaries_blocks(page->summaries, &count);
    for (size_t i = 0; i < count; i++) {
        if (!is_in(lanes, blocks[i].first, blocks[i].last)) {
            continue;
        }
        uint32_t from = column_at(lanes, blocks[i].first), to = column_at(lanes, blocks[i].last);
        for (uint32_t at = from; at <= to; at++) {
            calls[at] += (double)blocks[i].calls / (to - from + 1);
        }
    }
}

enum clew_error page_strip(struct page *page, const struct page_query *query, struct json *json,
                           struct page_answer *answer)
{
    const struct page_query none = {0};
    struct page_selection selection;
    struct page_lanes lanes = {.depth = 1};
    uint64_t longest = 0;
    bool bad = false;
    lanes.width = (uint32_t)page_query_number(query, "width", WIDTH_DEFAULT, PAGE_WIDTH_MAX, &bad);
    if (bad || lanes.width == 0) {
        page_refuse(answer, 400, "width is a number from 1 to %d", PAGE_WIDTH_MAX);
        return CLEW_OK;
    }
    if (!can_show(page, answer) || !page_selection_take(&selection, page, &none, answer)) {
        return CLEW_OK;
    }
    set_range(page, &selection, &lanes);
    CLEW_TRY(page_need_summaries(page));
    double *calls = calloc(lanes.width, sizeof *calls);
    enum clew_error error = calls ? add_blocks(page, &selection, &lanes, &longest) : CLEW_NO_MEMORY;
    if (error == CLEW_OK) {
        add_calls(page, &lanes, calls);
        write_exactness(page, json, false, longest);
        json_member_u64(json, "losses", page->model->lost);
        page_selection_write(&selection, page, json);
        write_strip(&lanes, calls, json);
    }
    free(calls);
    page_lanes_free(&lanes);
    return error;
}
