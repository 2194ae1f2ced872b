// See thrown.h. One pass takes the newest figures of each thread. Then rows that a reader cannot
// distinguish, such as two loads of one module, are merged.
#include "model/thrown.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/assert.h"
#include "base/map.h"

// The newest figures of a thread.
struct thread_throws {
    uint32_t process;
    struct recording_throw *throws;
    uint32_t count;
};

struct loading {
    const struct model *model;
    const struct sites *sites;
    struct exceptions *out;
    struct thread_throws *threads;
    size_t thread_count, thread_room;
    struct map thread_of; // process << 32 | thread: index in `threads`
};

static uint64_t key_of(uint32_t process, uint32_t number)
{
    return (uint64_t)process << 32 | number;
}

// -- The pass ---------------------------------------------------------------------------------------------------------

// The newest figures replace the earlier ones.
static enum clew_error take_throws(void *context, const struct recording_record *record)
{
    struct loading *loading = context;
    const struct recording_throws *throws = &record->throws;
    uint64_t key = key_of(throws->process, throws->thread), index;
    if (!map_get(&loading->thread_of, key, &index)) {
        index = loading->thread_count;
        if (!array_grow(&loading->threads, index, &loading->thread_room, sizeof *loading->threads) ||
            !map_put(&loading->thread_of, key, index)) {
            return CLEW_NO_MEMORY;
        }
        loading->threads[loading->thread_count++] = (struct thread_throws){.process = throws->process};
    }
    struct thread_throws *into = &loading->threads[index];
    size_t size = throws->count * sizeof *into->throws;
    struct recording_throw *copy = realloc(into->throws, size ? size : 1);
    if (!copy) {
        return CLEW_NO_MEMORY;
    }
    memcpy(copy, throws->throws, size);
    into->throws = copy;
    into->count = throws->count;
    return CLEW_OK;
}

// -- Rows -------------------------------------------------------------------------------------------------------------

static uint32_t method_of(const struct loading *loading, uint32_t process, uint32_t method)
{
    const struct catalog *catalog = &loading->model->catalog;
    uint32_t index = method ? catalog_find_method(catalog, process, method) : CATALOG_NONE;
    return index == CATALOG_NONE ? index : catalog->methods[index].canonical;
}

static struct thrown_row row_of(const struct loading *loading, uint32_t process, const struct recording_throw *from)
{
    const struct recording_exception *exception = sites_exception(loading->sites, process, from->exception);
    const struct type *type = exception ? sites_type(loading->sites, process, exception->type) : NULL;
    bool caught = from->flags & THROW_CAUGHT;
    return (struct thrown_row){
        .type = type ? type->name : text_of(""),
        .method = method_of(loading, process, from->method),
        .caught_method = caught ? method_of(loading, process, from->caught_method) : CATALOG_NONE,
        .below = from->flags & THROW_BELOW,
        .caught = caught,
        .caught_below = from->flags & THROW_HANDLED_BELOW,
        .flags = exception ? exception->flags : 0,
        .length = exception ? exception->length : 0,
        .message = exception ? exception->message : text_of(""),
        .count = from->count,
    };
}

static int compare_types(const void *left, const void *right)
{
    const struct thrown_row *a = left, *b = right;
    return text_compare(a->type, b->type);
}

static int compare_throws(const void *left, const void *right)
{
    const struct thrown_row *a = left, *b = right;
    int types = compare_types(a, b);
    return types                    ? types
           : a->method != b->method ? (a->method > b->method) - (a->method < b->method)
                                    : a->below - b->below;
}

// Orders by type, place of the throw, and place of the catch; those that are thrown come before those that are caught.
static int compare_places(const void *left, const void *right)
{
    const struct thrown_row *a = left, *b = right;
    int throws = compare_throws(a, b);
    if (throws || a->caught != b->caught) {
        return throws ? throws : a->caught - b->caught;
    }
    return a->caught_method != b->caught_method
               ? (a->caught_method > b->caught_method) - (a->caught_method < b->caught_method)
               : a->caught_below - b->caught_below;
}

static int most_first(const void *left, const void *right)
{
    const struct thrown_row *a = left, *b = right;
    return a->count != b->count ? (a->count > b->count ? -1 : 1) : compare_places(a, b);
}

// Adds up rows that `compare` reports as equal. Returns the number of rows left, in that order.
static size_t merge(struct thrown_row *rows, size_t count, int (*compare)(const void *, const void *))
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
            rows[kept].caught_count += rows[i].caught_count;
        } else {
            rows[++kept] = rows[i];
        }
    }
    return kept + 1;
}

// Subtracts those that were caught from the row of those that were thrown at the same place, which keeps the others. A copy of
// counts that a program was changing may have a catch more than throws.
static size_t leave_uncaught(struct thrown_row *rows, size_t count)
{
    size_t kept = 0;
    struct thrown_row *thrown = NULL;
    for (size_t i = 0; i < count; i++) {
        thrown = !rows[i].caught ? &rows[i] : thrown && compare_throws(thrown, &rows[i]) == 0 ? thrown : NULL;
        if (thrown && thrown != &rows[i]) {
            thrown->count -= rows[i].count < thrown->count ? rows[i].count : thrown->count;
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (rows[i].count > 0) {
            rows[kept++] = rows[i];
        }
    }
    return kept;
}

// Rows of types, from all rows as they were recorded.
static void make_types(struct exceptions *out, const struct thrown_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        out->types[i] = (struct thrown_row){.type = rows[i].type,
                                            .method = CATALOG_NONE,
                                            .caught_method = CATALOG_NONE,
                                            .count = rows[i].caught ? 0 : rows[i].count,
                                            .caught_count = rows[i].caught ? rows[i].count : 0};
        out->thrown += out->types[i].count;
        out->caught += out->types[i].caught_count;
    }
    out->type_count = merge(out->types, count, compare_types);
    qsort(out->types, out->type_count, sizeof *out->types, most_first);
}

static void add_thread(const struct loading *loading, const struct thread_throws *thread, size_t *count)
{
    struct exceptions *out = loading->out;
    for (uint32_t i = 0; i < thread->count; i++) {
        const struct recording_throw *from = &thread->throws[i];
        if (from->flags & (THROW_OUTSIDE | THROW_OVER)) {
            out->outside += from->flags & THROW_OUTSIDE ? from->count : 0;
            out->over += from->flags & THROW_OVER ? from->count : 0;
        } else {
            out->places[(*count)++] = row_of(loading, thread->process, from);
        }
    }
}

static enum clew_error make_rows(struct loading *loading)
{
    struct exceptions *out = loading->out;
    size_t count = 0;
    for (size_t i = 0; i < loading->thread_count; i++) {
        count += loading->threads[i].count;
    }
    out->places = calloc(count + 1, sizeof *out->places);
    out->types = calloc(count + 1, sizeof *out->types);
    if (!out->places || !out->types) {
        return CLEW_NO_MEMORY;
    }
    count = 0;
    for (size_t i = 0; i < loading->thread_count; i++) {
        add_thread(loading, &loading->threads[i], &count);
    }
    make_types(out, out->places, count);
    out->place_count = leave_uncaught(out->places, merge(out->places, count, compare_places));
    qsort(out->places, out->place_count, sizeof *out->places, most_first);
    return CLEW_OK;
}

bool exceptions_known(const struct model *model)
{
    return model->counts.throws;
}

enum clew_error exceptions_load(const struct model *model, const struct sites *sites, struct exceptions *out)
{
    *out = (struct exceptions){0};
    struct loading loading = {.model = model, .sites = sites, .out = out};
    enum clew_error error =
        recording_each(model->recording, 1u << RECORDING_EXCEPTIONS, take_throws, &loading, &out->health);
    error = error == CLEW_OK ? make_rows(&loading) : error;
    for (size_t i = 0; i < loading.thread_count; i++) {
        free(loading.threads[i].throws);
    }
    free(loading.threads);
    map_free(&loading.thread_of);
    return error;
}

void exceptions_free(struct exceptions *exceptions)
{
    free(exceptions->places);
    free(exceptions->types);
    *exceptions = (struct exceptions){0};
}
