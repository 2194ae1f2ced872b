// Sequence points of modules: those of all methods in scope, once for each module, from symbols that match.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "collector/sources/module_points.h"
#include "memory.h"
#include "metadata/tables/image.h"
#include "module_folder.h"
#include "trace/instrument.h"
#include "trace/method_points.h"

enum { MODULE = 2 };

static struct module_points points;
static struct points_shared shared;
static uint8_t mvid[16];

// A method's points: no signature of locals; then IL offset, lines and columns that it covers, start line and column, each less
// that of the point before.
static const uint8_t some_points[] = {
    0,              //
    2, 0, 4, 10, 1, // line 10 from 2
    3, 0, 0,        // hidden from 5
    5, 2, 4, 4,  0, // lines 12 to 14 from 10
};

static void put_symbols(void)
{
    struct made_pdb made = {0};
    struct image image;
    struct metadata metadata;
    struct buffer bytes = {0};
    uint32_t folder_name = made_blob(&made, "src", 3), name = made_blob(&made, "A.cs", 4);
    uint32_t path_name = MADE_BLOB(&made, '/', 0, (uint8_t)folder_name, (uint8_t)name);
    made_row(&made, TABLE_DOCUMENT, path_name, 0u, 0u, 0u);
    (void)made_method(&made, 1, made_blob(&made, some_points, sizeof some_points));
    (void)made_method(&made, 1, 0);
    (void)made_method(&made, 1, made_blob(&made, some_points, sizeof some_points));
    put_pdb(&made);
    FILE *file = fopen(module_file, "rb");
    assert_non_null(file);
    uint8_t *at = buffer_extend(&bytes, 1 << 20);
    bytes.size = fread(at, 1, 1 << 20, file);
    (void)fclose(file); // only read from
    assert_int_equal(image_open(bytes_of(bytes.data, bytes.size), IMAGE_FLAT, &image), CLEW_OK);
    assert_int_equal(metadata_open(image.metadata, &metadata), CLEW_OK);
    assert_true(metadata_mvid(&metadata, mvid));
    buffer_free(&bytes);
}

static int start(void **state)
{
    points = (struct module_points){0};
    shared = (struct points_shared){.instrument = INSTRUMENT_LINES};
    return set_up(state);
}

static int stop(void **state)
{
    module_points_free(&points);
    map_free(&shared.written);
    return tear_down(state);
}

static enum clew_error add_module(uint32_t flags)
{
    struct recording_module record = {.process = 1, .module = MODULE, .flags = flags, .path = text_of(module)};
    memcpy(record.mvid, mvid, sizeof record.mvid);
    CLEW_TRY(recording_write_module(writer, &record));
    return module_points_add(&points, &shared, &record);
}

static enum clew_error write_points(uint64_t until_ns)
{
    return module_points_write(&points, &shared, &documents, writer, &no_folders, until_ns);
}

static void describe_method(struct points_method *method, struct buffer *out)
{
    struct point before = {0}, point;
    buffer_printf(out, "%x:", method->token);
    while (bytes_left(&method->points) > 0) {
        assert_true(point_decode(&method->points, &before, &point));
        buffer_printf(out, " %u@%u-%u/%u", point.il_offset, point.start_line, point.end_line, point.document);
        before = point;
    }
    assert_true(method->name.size > 0 && method->class.size > 0);
    buffer_text(out, "|");
}

static void describe(const struct recording_points *record, struct buffer *out)
{
    struct bytes left = record->documents, methods = record->methods;
    struct points_document document;
    struct points_method method;
    assert_memory_equal(record->mvid, mvid, sizeof mvid);
    while (bytes_left(&left) > 0) {
        assert_true(points_document_decode(&left, &document));
        buffer_printf(out, "%u=%.*s|", document.number, (int)document.path.size, document.path.at);
    }
    while (bytes_left(&methods) > 0) {
        assert_true(points_method_decode(&methods, &method));
        describe_method(&method, out);
    }
    bool none = bytes_left(&record->methods) == 0 && !(record->flags & POINTS_LAST);
    buffer_text(out, record->flags & POINTS_LAST ? "last|" : none ? "none|" : "");
}

static void expect(const char *expected)
{
    struct recording_reader *reader;
    struct recording_record record;
    struct buffer got = {0};
    assert_int_equal(recording_close(writer, NULL), CLEW_OK);
    assert_int_equal(recording_open_reader(path, &reader), CLEW_OK);
    while (recording_next(reader, 1u << RECORDING_POINTS, &record) == CLEW_OK) {
        describe(&record.points, &got);
    }
    recording_close_reader(reader);
    buffer_u8(&got, 0);
    assert_string_equal((const char *)got.data, expected);
    buffer_free(&got);
}

enum { MINE = MODULE_IN_SCOPE | MODULE_SYMBOLS };
#define BOTH "1=/src/A.cs|6000001: 2@10-10/1 10@12-14/1|6000003: 2@10-10/1 10@12-14/1|last|"

static void all_methods_with_points_are_written_once(void **state)
{
    (void)state;
    put_symbols();
    assert_int_equal(add_module(MINE), CLEW_OK);
    assert_int_equal(add_module(MINE), CLEW_OK); // it is loaded again
    assert_int_equal(write_points(UINT64_MAX), CLEW_OK);
    assert_int_equal(add_module(MINE), CLEW_OK);
    assert_int_equal(write_points(UINT64_MAX), CLEW_OK);
    assert_true(module_points_all_written(&points));
    expect(BOTH);
}

static void modules_out_of_scope_and_other_sessions_have_none(void **state)
{
    (void)state;
    put_symbols();
    assert_int_equal(add_module(MODULE_SYMBOLS), CLEW_OK);
    shared.instrument = points_instrument(INSTRUMENT_TREE | INSTRUMENT_CALLS);
    assert_int_equal(add_module(MINE), CLEW_OK);
    assert_int_equal(points.count, 0);
    expect("");
}

static void only_methods_that_the_instrument_records_have_points(void **state)
{
    (void)state;
    put_symbols();
    shared.scope = text_of("exclude *");
    assert_int_equal(add_module(MINE), CLEW_OK);
    assert_int_equal(write_points(UINT64_MAX), CLEW_OK);
    expect("last|");
}

static void file_that_is_another_build_now_has_no_points(void **state)
{
    (void)state;
    put_symbols();
    mvid[0] ^= 1;
    assert_int_equal(add_module(MINE), CLEW_OK);
    assert_int_equal(write_points(UINT64_MAX), CLEW_OK);
    assert_true(module_points_all_written(&points));
    expect("none|");
}

static void module_without_symbols_has_no_points(void **state)
{
    (void)state;
    assert_int_equal(add_module(MINE), CLEW_OK);
    assert_int_equal(write_points(UINT64_MAX), CLEW_OK);
    assert_true(module_points_all_written(&points));
    expect("none|");
}

// The one before died after it had written the points, or before.
static void successor_writes_what_is_missing(void **state)
{
    (void)state;
    for (int wrote = 1; wrote >= 0; wrote--) {
        struct recording_reader *reader;
        struct map processes = {0};
        put_symbols();
        assert_int_equal(add_module(MINE), CLEW_OK);
        assert_int_equal(wrote ? write_points(UINT64_MAX) : CLEW_OK, CLEW_OK);
        assert_int_equal(recording_close(writer, NULL), CLEW_OK);
        module_points_free(&points);
        map_free(&shared.written);
        assert_int_equal(recording_resume(path, &writer), CLEW_OK);
        assert_int_equal(recording_open_reader(path, &reader), CLEW_OK);
        assert_true(map_put(&processes, 1, (uint64_t)(uintptr_t)&points));
        assert_int_equal(module_points_resume(&processes, &shared, reader), CLEW_OK);
        assert_int_equal(points.count, 1 - wrote);
        map_free(&processes);
        recording_close_reader(reader);
        assert_int_equal(write_points(UINT64_MAX), CLEW_OK);
        expect(BOTH);
        (void)unlink(path);
        if (wrote) {
            create();
        }
    }
}

static void play_writing(void *context)
{
    (void)context;
    struct recording_session session = {.clock = CLOCK_KIND_NONE, .clock_hz = 1e9};
    if (recording_create(path, &session, &writer) != CLEW_OK) {
        assert_true(memory_refused());
        return;
    }
    documents = (struct documents){.process = 1, .pid = getpid()};
    points = (struct module_points){0};
    shared = (struct points_shared){.instrument = INSTRUMENT_LINES};
    enum clew_error error = documents_add_module(&documents, MODULE, text_of(module));
    error = error == CLEW_OK ? add_module(MINE) : error;
    error = error == CLEW_OK ? write_points(UINT64_MAX) : error;
    assert_true(error == CLEW_OK || (error == CLEW_NO_MEMORY && memory_refused()));
    module_points_free(&points);
    map_free(&shared.written);
    documents_free(&documents);
    error = recording_close(writer, NULL) == CLEW_OK ? error : CLEW_NO_MEMORY;
    if (error == CLEW_OK) {
        memory_watched = false;
        assert_int_equal(recording_resume(path, &writer), CLEW_OK);
        expect(BOTH);
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
        cmocka_unit_test_setup_teardown(all_methods_with_points_are_written_once, start, stop),
        cmocka_unit_test_setup_teardown(modules_out_of_scope_and_other_sessions_have_none, start, stop),
        cmocka_unit_test_setup_teardown(only_methods_that_the_instrument_records_have_points, start, stop),
        cmocka_unit_test_setup_teardown(file_that_is_another_build_now_has_no_points, start, stop),
        cmocka_unit_test_setup_teardown(module_without_symbols_has_no_points, start, stop),
        cmocka_unit_test_setup_teardown(successor_writes_what_is_missing, start, stop),
        cmocka_unit_test_setup_teardown(memory_may_run_out, start, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
