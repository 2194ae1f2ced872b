// Coverage from sequence points and counts: which lines of files and methods ran, and what is left out since it is not known.
#include "model/coverage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../made_recording.h"
#include "../recording_path.h"
#include "loading.h"
#include "trace/instrument.h"

enum { MODULE = 1, FIRST = METHOD_FIRST_REAL, RAN = 0x06000001, NEVER, ODD };

static struct sites *sites;
static struct model *loaded;

struct line {
    uint32_t il_offset, start_line, end_line;
};

static void put_method(struct buffer *into, uint32_t token, const char *name, const struct line *lines, uint32_t count)
{
    struct buffer points = {0};
    struct point before = {0};
    for (uint32_t i = 0; i < count; i++) {
        const struct point point = {lines[i].il_offset, 3, lines[i].start_line, 5, lines[i].end_line, 9};
        point_encode(&points, &point, &before);
        before = point;
    }
    points_method_encode(into, &(struct points_method){.token = token,
                                                       .kind = METHOD_KIND_PLAIN,
                                                       .name = text_of(name),
                                                       .points = bytes_of(points.data, points.size)});
    buffer_free(&points);
}

#define METHOD(into, token, name, ...)                                         \
    do {                                                                       \
        const struct line lines_[] = {__VA_ARGS__};                            \
        put_method(into, token, name, lines_, sizeof lines_ / sizeof *lines_); \
    } while (0)

// RAN has a statement of lines 10 to 14 with another on 12 within it, one on 15 that never ran, and one on 16 without a site.
static void put_points(const char *file)
{
    struct buffer documents = {0}, methods = {0};
    points_document_encode(&documents, &(struct points_document){3, text_of(file)});
    METHOD(&methods, RAN, "App.Ran()", {0, 10, 14}, {7, 12, 12}, {9, 15, 15}, {12, 16, 16});
    METHOD(&methods, NEVER, "App.Never()", {0, 20, 21});
    METHOD(&methods, ODD, "App.Odd()", {0, 30, 31});
    const struct recording_points record = {.mvid = {5},
                                            .flags = POINTS_LAST,
                                            .documents = bytes_of(documents.data, documents.size),
                                            .methods = bytes_of(methods.data, methods.size)};
    must(recording_write_points(writer, &record));
    must(recording_write_points(writer, &record)); // by a writer that took over
    buffer_free(&documents);
    buffer_free(&methods);
}

static void define_module(uint32_t module, uint8_t mvid)
{
    const struct recording_module record = {
        .process = 1, .module = module, .flags = MODULE_IN_SCOPE, .mvid = {mvid}, .name = text_of("App")};
    must(recording_write_module(writer, &record));
}

// Two loads of the module; RAN was woven in both.
static void make(void)
{
    const struct site statements[] = {
        {.kind = SITE_STATEMENT, .il_offset = 0, .document = 3, .start_line = 10, .end_line = 14},
        {.kind = SITE_STATEMENT, .il_offset = 7, .document = 3, .start_line = 12, .end_line = 12},
        {.kind = SITE_STATEMENT, .il_offset = 9, .document = 3, .start_line = 15, .end_line = 15},
    };
    const struct recording_counter counters[] = {{1, 3, 0}, {2, 40, 0}, {11, 2, 0}};
    create(path, INSTRUMENT_LINES, CLOCK_KIND_NONE);
    define_process(PROCESS_ENDED);
    for (uint32_t load = 0; load < 2; load++) {
        define_module(MODULE + load, 5);
        must(recording_write_method(writer, &(struct recording_method){.process = 1,
                                                                       .method = FIRST + load,
                                                                       .module = MODULE + load,
                                                                       .token = RAN,
                                                                       .name = text_of("App.Ran()")}));
        define_sites_of(FIRST + load, 1 + 10 * load, statements, 3);
    }
    define_module(3, 9); // without symbols
    must(recording_write_not_woven(
        writer,
        &(struct recording_not_woven){.process = 1, .module = MODULE, .token = ODD, .name = text_of("App.Odd()")}));
    put_points("/src/App.cs");
    must(recording_write_counters(
        writer, &(struct recording_counters){.process = 1, .clock = START, .count = 3, .counters = counters}));
    must(recording_close(writer, NULL));
}

static void expect_lines(const struct coverage_lines *lines, const char *expected)
{
    struct buffer got = {0};
    for (size_t i = 0; i < lines->count; i++) {
        buffer_printf(&got, "%u:%llu ", lines->lines[i].line, (unsigned long long)lines->lines[i].hits);
    }
    buffer_u8(&got, 0);
    assert_string_equal((const char *)got.data, expected);
    buffer_free(&got);
    free(lines->lines);
}

static struct coverage load_coverage(void)
{
    struct coverage coverage;
    loaded = load((struct model_options){0});
    sites = load_sites();
    assert_true(coverage_known(loaded));
    assert_int_equal(coverage_load(loaded, sites, &coverage), CLEW_OK);
    return coverage;
}

static void unload(struct coverage *coverage)
{
    coverage_free(coverage);
    sites_free(sites);
    model_free(loaded);
}

static void lines_have_the_counts_of_their_innermost_statements(void **state)
{
    (void)state;
    struct coverage_lines lines;
    make();
    struct coverage coverage = load_coverage();
    assert_int_equal(coverage.file_count, 1);
    assert_true(text_equal(coverage.files[0].path, text_of("/src/App.cs")));
    assert_int_equal(coverage_lines_of_file(&coverage, &coverage.files[0], &lines), CLEW_OK);
    expect_lines(&lines, "10:5 11:5 12:40 13:5 14:5 15:0 20:0 21:0 ");
    assert_true(coverage.files[0].lines == 8 && coverage.files[0].covered == 5);
    assert_true(coverage.lines == 8 && coverage.covered == 5);
    unload(&coverage);
}

static void methods_that_never_ran_have_lines(void **state)
{
    (void)state;
    struct coverage_lines lines;
    make();
    struct coverage coverage = load_coverage();
    assert_int_equal(coverage.method_count, 3);
    assert_true(coverage.methods[0].woven && coverage.methods[0].lines == 6 && coverage.methods[0].covered == 5);
    assert_true(text_equal(coverage.methods[1].name, text_of("App.Never()")) && !coverage.methods[1].woven);
    assert_int_equal(coverage_lines_of_method(&coverage, &coverage.methods[1], &lines), CLEW_OK);
    expect_lines(&lines, "20:0 21:0 ");
    unload(&coverage);
}

static void what_is_not_known_is_counted_apart(void **state)
{
    (void)state;
    make();
    struct coverage coverage = load_coverage();
    assert_true(coverage.methods[2].unknown && coverage.methods[2].lines == 0);
    assert_int_equal(coverage.unknown, 1);
    assert_int_equal(coverage.without, 1);
    unload(&coverage);
}

static void statement_of_too_many_lines_is_refused(void **state)
{
    (void)state;
    struct buffer documents = {0}, methods = {0};
    struct coverage coverage;
    create(path, INSTRUMENT_LINES, CLOCK_KIND_NONE);
    define_module(MODULE, 5);
    points_document_encode(&documents, &(struct points_document){3, text_of("A.cs")});
    METHOD(&methods, RAN, "App.Ran()", {0, 1, UINT32_MAX});
    must(
        recording_write_points(writer, &(struct recording_points){.mvid = {5},
                                                                  .flags = POINTS_LAST,
                                                                  .documents = bytes_of(documents.data, documents.size),
                                                                  .methods = bytes_of(methods.data, methods.size)}));
    must(recording_close(writer, NULL));
    buffer_free(&documents);
    buffer_free(&methods);
    loaded = load((struct model_options){0});
    sites = load_sites();
    assert_int_equal(coverage_load(loaded, sites, &coverage), CLEW_UNSUPPORTED);
    unload(&coverage);
}

static void older_recordings_have_no_points(void **state)
{
    (void)state;
    make_lines(path, CLOCK_KIND_TICK, 0);
    struct model *model = load((struct model_options){0});
    assert_false(coverage_known(model));
    model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_have_the_counts_of_their_innermost_statements),
        cmocka_unit_test(methods_that_never_ran_have_lines),
        cmocka_unit_test(what_is_not_known_is_counted_apart),
        cmocka_unit_test(statement_of_too_many_lines_is_refused),
        cmocka_unit_test(older_recordings_have_no_points),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
