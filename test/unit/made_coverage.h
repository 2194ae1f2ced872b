// A recording with sequence points: those of Main and Add (made_recording.h), of a lambda within a statement of Main, of a method in
// another file that never ran, and of one that could not be instrumented. Included after made_recording.h.
#ifndef CLEW_TEST_UNIT_MADE_COVERAGE_H
#define CLEW_TEST_UNIT_MADE_COVERAGE_H

#include "trace/method_points.h"

enum { COVERED_NEVER = 0x06000080, COVERED_ODD = 0x06000063 };

// `points`: groups of IL offset, document, first and last line; a last group of zeros.
static inline void cover_method(struct buffer *into, uint32_t token, const char *class, const char *name,
                                const uint32_t (*points)[4])
{
    struct buffer encoded = {0};
    struct point before = {0};
    for (; (*points)[3]; points++) {
        const struct point point = {(*points)[0], (*points)[1], (*points)[2], 5, (*points)[3], 9};
        point_encode(&encoded, &point, &before);
        before = point;
    }
    points_method_encode(into, &(struct points_method){.token = token,
                                                       .kind = METHOD_KIND_PLAIN,
                                                       .name = made_text(text_of(name)),
                                                       .class = made_text(text_of(class)),
                                                       .points = bytes_of(encoded.data, encoded.size)});
    buffer_free(&encoded);
}

static inline void write_points(uint8_t mvid, struct buffer *documents, struct buffer *methods)
{
    must(recording_write_points(writer,
                                &(struct recording_points){.mvid = {mvid, (uint8_t)(mvid + 1), (uint8_t)(mvid + 2)},
                                                           .flags = POINTS_LAST,
                                                           .documents = bytes_of(documents->data, documents->size),
                                                           .methods = bytes_of(methods->data, methods->size)}));
    buffer_clear(documents);
    buffer_clear(methods);
}

static inline void make_coverage(const char *path)
{
    static const uint32_t main_points[][4] = {{0, 1, 4, 4}, {1, 1, 5, 5}, {9, 1, 6, 6}, {0}};
    static const uint32_t add_points[][4] = {{0, 1, 9, 9}, {0}};
    static const uint32_t never_points[][4] = {{0, 2, 12, 16}, {7, 2, 14, 14}, {9, 2, 20, 20}, {0}};
    static const uint32_t odd_points[][4] = {{0, 2, 30, 31}, {0}};
    const struct recording_counter counters[] = {{2, 1, 0}, {3, 3, 0}, {13, 1200, 0}};
    struct buffer documents = {0}, methods = {0};
    create(path, INSTRUMENT_LINES, CLOCK_KIND_NONE);
    define();
    define_sites();
    points_document_encode(&documents, &(struct points_document){1, made_text(text_of("/srv/shop/Program.cs"))});
    cover_method(&methods, 0x06000000 + MAIN, "Shop.Program", "Shop.Program.Main(string[])", main_points);
    cover_method(&methods, 0x06000000 + ADD, "Shop.Cart", "Shop.Cart.Add(int)", add_points);
    write_points(1, &documents, &methods);
    points_document_encode(&documents, &(struct points_document){2, made_text(text_of("/srv/shop/lib/Lib.cs"))});
    cover_method(&methods, COVERED_ODD, "Shop.Lib", "Shop.Lib.Odd()", odd_points);
    cover_method(&methods, COVERED_NEVER, "Shop.Lib/Inner<T>", "Shop.Lib.Inner<T>.Never(\"&\", int) (async)",
                 never_points);
    write_points(4, &documents, &methods);
    must(recording_write_counters(
        writer, &(struct recording_counters){.process = 1, .clock = START + 1000, .count = 3, .counters = counters}));
    finish(1204, 0, 1, true);
    buffer_free(&documents);
    buffer_free(&methods);
}

#endif
