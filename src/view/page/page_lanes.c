// See page_lanes.h.
#include "view/page/page_lanes.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/assert.h"

static bool make_lane(struct page_lanes *lanes, struct page_lane *lane)
{
    lane->columns = calloc(lanes->width, sizeof *lane->columns);
    lane->pending = calloc(lanes->depth, sizeof *lane->pending);
    lane->counted = lanes->from;
    return lane->columns && lane->pending;
}

struct page_lane *page_lanes_of(struct page_lanes *lanes, uint32_t process, uint32_t thread)
{
    uint64_t key = (uint64_t)process << 32 | thread, index;
    if (map_get(&lanes->lane_of, key, &index)) {
        return index < lanes->count ? &lanes->list[index] : NULL;
    }
    if (lanes->count == PAGE_LANES_MAX) {
        lanes->left_out += map_put(&lanes->lane_of, key, UINT64_MAX);
        return NULL;
    }
    if (!array_grow(&lanes->list, lanes->count, &lanes->room, sizeof *lanes->list)) {
        return NULL;
    }
    struct page_lane *lane = &lanes->list[lanes->count];
    *lane = (struct page_lane){.process = process, .thread = thread};
    if (!make_lane(lanes, lane) || !map_put(&lanes->lane_of, key, lanes->count)) {
        free(lane->columns);
        free(lane->pending);
        return NULL;
    }
    lanes->count++;
    return lane;
}

// -- Spans ------------------------------------------------------------------------------------------------------------

static uint64_t column_ticks(const struct page_lanes *lanes)
{
    uint64_t ticks = (lanes->to - lanes->from) / lanes->width;
    return ticks ? ticks : 1;
}

static bool add_span(struct page_lane *lane, const struct page_span *span)
{
    if (!array_grow(&lane->spans, lane->count, &lane->room, sizeof *lane->spans)) {
        return false;
    }
    lane->spans[lane->count++] = *span;
    return true;
}

// Joins a short call to those before it. The method with the most time wins, by a majority vote.
static void join(struct page_span *pending, const struct page_span *span)
{
    uint64_t weight = span->end - span->begin;
    pending->end = span->end > pending->end ? span->end : pending->end;
    pending->calls += span->calls;
    pending->call = 0;
    if (pending->method == span->method) {
        pending->weight += weight;
    } else if (weight > pending->weight) {
        pending->method = span->method;
        pending->weight = weight - pending->weight;
    } else {
        pending->weight -= weight;
    }
}

bool page_lanes_call(const struct page_lanes *lanes, struct page_lane *lane, const struct page_span *span)
{
    if (span->depth >= lanes->depth) {
        return true;
    }
    CLEW_ASSERT(span->calls > 0 && span->begin <= span->end);
    struct page_span *pending = &lane->pending[span->depth];
    uint64_t column = column_ticks(lanes);
    if (pending->calls && span->end >= pending->begin && span->end - pending->begin <= column) {
        join(pending, span);
        return true;
    }
    if (pending->calls && !add_span(lane, pending)) {
        return false;
    }
    pending->calls = 0;
    if (span->end - span->begin > column) {
        return add_span(lane, span);
    }
    *pending = *span;
    pending->weight = span->end - span->begin;
    return true;
}

bool page_lanes_finish(struct page_lanes *lanes)
{
    for (uint32_t i = 0; i < lanes->count; i++) {
        struct page_lane *lane = &lanes->list[i];
        for (uint32_t depth = 0; depth < lanes->depth; depth++) {
            if (lane->pending[depth].calls && !add_span(lane, &lane->pending[depth])) {
                return false;
            }
            lane->pending[depth].calls = 0;
        }
    }
    return true;
}

// -- Columns ----------------------------------------------------------------------------------------------------------

static void vote(struct page_column *column, uint32_t method, double weight)
{
    if (column->method == method) {
        column->weight += weight;
    } else if (weight > column->weight) {
        column->method = method;
        column->weight = weight - column->weight;
    } else {
        column->weight -= weight;
    }
}

void page_lanes_time(const struct page_lanes *lanes, struct page_lane *lane, uint64_t from, uint64_t to, double busy,
                     uint32_t method, double weight)
{
    double whole = (double)(to - from), column = (double)(lanes->to - lanes->from) / lanes->width;
    from = from > lanes->from ? from : lanes->from;
    to = to < lanes->to ? to : lanes->to;
    if (from >= to || !(column > 0)) {
        return;
    }
    uint32_t first = (uint32_t)((double)(from - lanes->from) / column);
    for (uint32_t i = first; i < lanes->width; i++) {
        double begin = (double)lanes->from + i * column, end = begin + column;
        begin = begin > (double)from ? begin : (double)from;
        end = end < (double)to ? end : (double)to;
        if (end <= begin && i > first) {
            return;
        }
        double share = end > begin ? (end - begin) / whole : 0;
        lane->columns[i].busy += busy * share;
        if (method) {
            vote(&lane->columns[i], method, weight * share);
        }
    }
}

// -- Writing ----------------------------------------------------------------------------------------------------------

static int by_begin(const void *a, const void *b)
{
    const struct page_span *x = a, *y = b;
    return x->begin != y->begin ? (x->begin < y->begin ? -1 : 1) : x->depth < y->depth ? -1 : x->depth > y->depth;
}

enum span_column { BEGIN, END, DEPTH, METHOD, CALL, CALLS };

static uint64_t span_value(const struct model *model, const struct page_span *span, enum span_column column)
{
    switch (column) {
    case BEGIN:
        return model_since_start_ns(model, span->begin);
    case END:
        return model_since_start_ns(model, span->end);
    case DEPTH:
        return span->depth;
    case CALL:
        return span->call;
    case CALLS:
        return span->calls;
    case METHOD:
        break; // written apart: it may be unknown
    }
    return 0;
}

static void write_method(struct page_methods *methods, struct json *json, uint32_t process, uint32_t method)
{
    uint32_t index = method ? page_methods_use(methods, process, method) : PAGE_NO_METHOD;
    json_i64(json, index == PAGE_NO_METHOD ? -1 : (int64_t)index);
}

static void write_spans(struct page_lane *lane, struct page_methods *methods, struct json *json)
{
    static const char *const keys[] = {"begin_ns", "end_ns", "depth", "method", "call", "calls"};
    if (lane->count) {
        qsort(lane->spans, lane->count, sizeof *lane->spans, by_begin);
    }
    json_key(json, "spans");
    json_open(json, '{');
    for (unsigned column = BEGIN; column <= CALLS; column++) {
        json_key(json, keys[column]);
        json_open(json, '[');
        for (size_t i = 0; i < lane->count; i++) {
            if (column == METHOD) {
                write_method(methods, json, lane->process, lane->spans[i].method);
            } else {
                json_u64(json, span_value(methods->model, &lane->spans[i], (enum span_column)column));
            }
        }
        json_close(json, ']');
    }
    json_close(json, '}');
}

static void write_columns(const struct page_lanes *lanes, const struct page_lane *lane, struct page_methods *methods,
                          struct json *json)
{
    double column = (double)(lanes->to - lanes->from) / lanes->width;
    json_key(json, "busy");
    json_open(json, '[');
    for (uint32_t i = 0; i < lanes->width; i++) {
        double share = lane->columns[i].busy / column;
        json_share(json, share < 1 ? share : 1);
    }
    json_close(json, ']');
    json_key(json, "dominant");
    json_open(json, '[');
    for (uint32_t i = 0; i < lanes->width; i++) {
        write_method(methods, json, lane->process, lane->columns[i].method);
    }
    json_close(json, ']');
}

void page_lanes_write(const struct page_lanes *lanes, struct page_methods *methods, struct json *json)
{
    const struct catalog *catalog = &methods->model->catalog;
    json_key(json, "lanes");
    json_open(json, '[');
    for (uint32_t i = 0; i < lanes->count; i++) {
        struct page_lane *lane = &lanes->list[i];
        uint32_t index = catalog_find_thread(catalog, lane->process, lane->thread);
        json_line(json);
        json_open(json, '{');
        json_member_u64(json, "process", lane->process);
        json_member_u64(json, "thread", lane->thread);
        json_member_text(json, "name", index == CATALOG_NONE ? text_of("") : catalog->threads[index].record.name);
        write_spans(lane, methods, json);
        write_columns(lanes, lane, methods, json);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_member_u64(json, "lanes_left_out", lanes->left_out);
}

void page_lanes_free(struct page_lanes *lanes)
{
    for (uint32_t i = 0; i < lanes->count; i++) {
        free(lanes->list[i].spans);
        free(lanes->list[i].pending);
        free(lanes->list[i].columns);
    }
    free(lanes->list);
    map_free(&lanes->lane_of);
}
