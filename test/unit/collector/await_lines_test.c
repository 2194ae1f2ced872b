// Lines of places of await: each is that of the sequence point that covers it, and the file gets it once.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "collector/sources/await_lines.h"
#include "memory.h"
#include "module_folder.h"
#include "trace/await.h"

enum { BODY = 17, OTHER_BODY = 18, MODULE = 2 };

static struct await_lines lines;

// The points of a method: no signature of locals; then IL offset, lines and columns that it covers, start line and column, each
// less that of the point before.
static const uint8_t points[] = {
    0,               //
    2,  0, 4, 10, 1, // line 10 from 2
    3,  0, 0,        // hidden from 5
    5,  0, 4, 2,  0, // line 11 from 10
    0,  2,           // the second document
    10, 0, 4, 2,  0, // line 12 from 20
};

static void put_symbols(void)
{
    struct made_pdb made = {0};
    uint32_t first = made_blob(&made, "src", 3), second = made_blob(&made, "A.cs", 4),
             third = made_blob(&made, "B.cs", 4);
    uint32_t names[] = {MADE_BLOB(&made, '/', 0, (uint8_t)first, (uint8_t)second),
                        MADE_BLOB(&made, '/', 0, (uint8_t)first, (uint8_t)third)};
    made_row(&made, TABLE_DOCUMENT, names[0], 0u, 0u, 0u);
    made_row(&made, TABLE_DOCUMENT, names[1], 0u, 0u, 0u);
    (void)made_method(&made, 1, made_blob(&made, points, sizeof points));
    (void)made_method(&made, 1, 0);
    put_pdb(&made);
}

static int start(void **state)
{
    lines = (struct await_lines){.process = 1};
    return set_up(state);
}

static int stop(void **state)
{
    await_lines_free(&lines);
    return tear_down(state);
}

static enum clew_error define_body(uint32_t body, uint32_t row)
{
    const struct recording_method method = {.process = 1,
                                            .method = body,
                                            .module = MODULE,
                                            .token = TOKEN(TABLE_METHOD_DEF, row),
                                            .kind = METHOD_KIND_ASYNC,
                                            .name = text_of("M")};
    CLEW_TRY(recording_write_method(writer, &method));
    return await_lines_add_method(&lines, &method);
}

// Defines places of await at these offsets, the last of which is UINT32_MAX.
static enum clew_error define_awaits(uint32_t body, const uint32_t *offsets)
{
    struct buffer places = {0};
    for (uint32_t i = 0; offsets[i] != UINT32_MAX; i++) {
        await_encode(&places, &(struct await){.state = i, .offset = offsets[i], .what = text_of("Repo.Load")});
    }
    const struct recording_async async = {
        .process = 1, .body = body, .kickoff = 16, .awaits = bytes_of(places.data, places.size), .flags = 1};
    enum clew_error error = places.failed ? CLEW_NO_MEMORY : await_lines_add(&lines, &async);
    error = error == CLEW_OK ? recording_write_async(writer, &async) : error;
    buffer_free(&places);
    return error;
}

#define OFFSETS(...) ((const uint32_t[]){__VA_ARGS__, UINT32_MAX})

static enum clew_error write_lines(uint64_t until_ns)
{
    return await_lines_write(&lines, &documents, writer, &no_folders, until_ns);
}

static void describe(const struct recording_record *record, struct buffer *out)
{
    struct await_line line;
    if (record->type == RECORDING_DOCUMENT) {
        buffer_printf(out, "%u=%.*s|", record->document.document, (int)record->document.path.size,
                      record->document.path.at);
        return;
    }
    struct bytes left = record->async.lines;
    buffer_printf(out, "%u:", record->async.body);
    while (bytes_left(&left) > 0) {
        assert_true(await_line_decode(&left, &line));
        buffer_printf(out, " %u/%u", line.document, line.line);
    }
    assert_true(record->async.flags == 1 && record->async.kickoff == 16);
    buffer_text(out, "|");
}

// Documents and bodies in the file, as `1=PATH|` and `BODY: DOCUMENT/LINE ...|`.
static void expect(const char *expected)
{
    struct recording_reader *reader;
    struct recording_record record;
    struct buffer got = {0};
    assert_int_equal(recording_close(writer, NULL), CLEW_OK);
    assert_int_equal(recording_open_reader(path, &reader), CLEW_OK);
    while (recording_next(reader, 1u << RECORDING_DOCUMENT | 1u << RECORDING_ASYNC, &record) == CLEW_OK) {
        describe(&record, &got);
    }
    recording_close_reader(reader);
    buffer_u8(&got, 0);
    assert_string_equal((const char *)got.data, expected);
    buffer_free(&got);
}

static void place_has_line_of_last_visible_point_up_to_it(void **state)
{
    (void)state;
    put_symbols();
    assert_int_equal(define_body(BODY, 1), CLEW_OK);
    assert_int_equal(define_awaits(BODY, OFFSETS(1, 2, 7, 10, 19, 20, 90)), CLEW_OK);
    assert_int_equal(write_lines(UINT64_MAX), CLEW_OK);
    assert_true(await_lines_all_written(&lines));
    expect("17:|1=/src/A.cs|2=/src/B.cs|17: 0/0 1/10 1/10 1/11 1/11 2/12 2/12|");
}

static void body_without_points_module_or_method_stays_as_it_is(void **state)
{
    (void)state;
    put_symbols();
    assert_int_equal(define_body(BODY, 2), CLEW_OK);
    assert_int_equal(define_awaits(BODY, OFFSETS(10)), CLEW_OK);
    assert_int_equal(define_awaits(OTHER_BODY, OFFSETS(10)), CLEW_OK);
    assert_int_equal(write_lines(UINT64_MAX), CLEW_OK);
    expect("17:|18:|");
}

static void module_without_symbols_has_no_lines(void **state)
{
    (void)state;
    assert_int_equal(define_body(BODY, 1), CLEW_OK);
    assert_int_equal(define_awaits(BODY, OFFSETS(10)), CLEW_OK);
    assert_int_equal(write_lines(UINT64_MAX), CLEW_OK);
    assert_true(await_lines_all_written(&lines));
    expect("17:|");
}

static void line_is_unknown_where_offsets_go_back(void **state)
{
    (void)state;
    put_symbols();
    assert_int_equal(define_body(BODY, 1), CLEW_OK);
    assert_int_equal(define_awaits(BODY, OFFSETS(10, 2, 12)), CLEW_OK);
    assert_int_equal(write_lines(UINT64_MAX), CLEW_OK);
    expect("17:|1=/src/A.cs|17: 1/11 0/0 1/11|");
}

static void known_documents_are_not_defined_again(void **state)
{
    (void)state;
    put_symbols();
    const struct recording_document document = {.process = 1, .module = MODULE, .document = 1, .path = text_of("mine")};
    assert_int_equal(documents_define(&documents, writer, &document), CLEW_OK);
    assert_int_equal(define_body(BODY, 1), CLEW_OK);
    assert_int_equal(define_awaits(BODY, OFFSETS(10)), CLEW_OK);
    assert_int_equal(write_lines(UINT64_MAX), CLEW_OK);
    assert_int_equal(define_awaits(BODY, OFFSETS(2)), CLEW_OK); // the agent defines it again
    assert_int_equal(write_lines(UINT64_MAX), CLEW_OK);
    expect("1=mine|17:|17: 1/11|17:|17: 1/10|");
}

static void body_that_is_defined_again_is_written_once(void **state)
{
    (void)state;
    put_symbols();
    assert_int_equal(define_body(BODY, 1), CLEW_OK);
    assert_int_equal(define_awaits(BODY, OFFSETS(10)), CLEW_OK);
    assert_int_equal(define_awaits(BODY, OFFSETS(2)), CLEW_OK);
    assert_int_equal(write_lines(UINT64_MAX), CLEW_OK);
    expect("17:|17:|1=/src/A.cs|17: 1/10|");
}

static void successor_writes_missing_lines(void **state)
{
    (void)state;
    struct recording_reader *reader;
    put_symbols();
    const struct recording_module record = {.process = 1, .module = MODULE, .path = text_of(module)};
    assert_int_equal(recording_write_module(writer, &record), CLEW_OK);
    assert_int_equal(define_body(BODY, 1), CLEW_OK);
    assert_int_equal(define_body(OTHER_BODY, 1), CLEW_OK);
    assert_int_equal(define_awaits(BODY, OFFSETS(2)), CLEW_OK);
    assert_int_equal(define_awaits(OTHER_BODY, OFFSETS(10)), CLEW_OK);
    assert_int_equal(write_lines(0), CLEW_OK); // killed after one
    assert_int_equal(lines.next, 1);
    assert_int_equal(recording_close(writer, NULL), CLEW_OK);
    await_lines_free(&lines);
    documents_free(&documents);
    documents = (struct documents){.process = 1, .pid = getpid()};
    lines = (struct await_lines){.process = 1};
    assert_int_equal(recording_resume(path, &writer), CLEW_OK);
    assert_int_equal(recording_open_reader(path, &reader), CLEW_OK);
    struct map processes = {0}, all = {0};
    assert_true(map_put(&processes, 1, (uint64_t)(uintptr_t)&documents));
    assert_true(map_put(&all, 1, (uint64_t)(uintptr_t)&lines));
    assert_int_equal(documents_resume(&processes, &contents, reader), CLEW_OK);
    assert_int_equal(await_lines_resume(&all, reader), CLEW_OK);
    map_free(&processes);
    map_free(&all);
    recording_close_reader(reader);
    assert_int_equal(write_lines(UINT64_MAX), CLEW_OK);
    expect("17:|18:|1=/src/A.cs|17: 1/10|18: 1/11|");
}

// Without memory, a line may be missing, but none is wrong.
static void play_writing(void *context)
{
    (void)context;
    struct recording_session session = {.clock = CLOCK_KIND_NONE, .clock_hz = 1e9};
    if (recording_create(path, &session, &writer) != CLEW_OK) {
        assert_true(memory_refused());
        return;
    }
    documents = (struct documents){.process = 1, .pid = getpid()};
    lines = (struct await_lines){.process = 1};
    enum clew_error error = documents_add_module(&documents, MODULE, text_of(module));
    error = error == CLEW_OK ? define_body(BODY, 1) : error;
    error = error == CLEW_OK ? define_awaits(BODY, OFFSETS(2, 20)) : error;
    error = error == CLEW_OK ? write_lines(UINT64_MAX) : error;
    assert_true(error == CLEW_OK || (error == CLEW_NO_MEMORY && memory_refused()));
    await_lines_free(&lines);
    documents_free(&documents);
    error = recording_close(writer, NULL) == CLEW_OK ? error : CLEW_NO_MEMORY;
    if (error == CLEW_OK) {
        memory_watched = false;
        assert_int_equal(recording_resume(path, &writer), CLEW_OK);
        expect("17:|1=/src/A.cs|2=/src/B.cs|17: 1/10 2/12|");
        memory_watched = true;
    }
}

static void memory_may_run_out(void **state)
{
    (void)state;
    put_symbols();
    assert_int_equal(recording_close(writer, NULL), CLEW_OK);
    documents_free(&documents);
    memory_fail_in_turn(play_writing, NULL);
    create(); // for the tear-down
    documents = (struct documents){.process = 1, .pid = getpid()};
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(place_has_line_of_last_visible_point_up_to_it, start, stop),
        cmocka_unit_test_setup_teardown(body_without_points_module_or_method_stays_as_it_is, start, stop),
        cmocka_unit_test_setup_teardown(module_without_symbols_has_no_lines, start, stop),
        cmocka_unit_test_setup_teardown(line_is_unknown_where_offsets_go_back, start, stop),
        cmocka_unit_test_setup_teardown(known_documents_are_not_defined_again, start, stop),
        cmocka_unit_test_setup_teardown(body_that_is_defined_again_is_written_once, start, stop),
        cmocka_unit_test_setup_teardown(successor_writes_missing_lines, start, stop),
        cmocka_unit_test_setup_teardown(memory_may_run_out, start, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
