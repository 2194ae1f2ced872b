// Definitions by number: the newest wins, texts are copies, what is missing has a made-up name, and loads of one file
// share their methods.
#include "model/catalog.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct catalog catalog;

static int begin(void **state)
{
    (void)state;
    catalog = (struct catalog){0};
    return 0;
}

static int end(void **state)
{
    (void)state;
    catalog_fini(&catalog);
    return catalog.methods != NULL; // and may be used again
}

static void assert_ok(enum clew_error error)
{
    assert_int_equal(error, CLEW_OK);
}

static void assert_text(struct text text, const char *expected)
{
    assert_int_equal(text.size, strlen(expected));
    assert_memory_equal(text.at, expected, text.size);
}

static void add_module(uint32_t process, uint32_t module, uint8_t mvid, const char *name, const char *path)
{
    const struct recording_module record = {
        .process = process, .module = module, .mvid = {mvid}, .name = text_of(name), .path = text_of(path)};
    assert_ok(catalog_add_module(&catalog, &record));
}

static void add_method(uint32_t process, uint32_t method, uint32_t module, uint32_t token, const char *name)
{
    const struct recording_method record = {
        .process = process, .method = method, .module = module, .token = token, .name = text_of(name)};
    assert_ok(catalog_add_method(&catalog, &record));
}

static void the_newest_record_of_a_number_wins(void **state)
{
    (void)state;
    struct recording_process process = {.process = 1, .os_id = 4711, .runtime = text_of("CoreCLR 9.0.1")};
    assert_ok(catalog_add_process(&catalog, &process));
    process.exit_status = 3;
    process.runtime = text_of("CoreCLR 10.0.0");
    assert_ok(catalog_add_process(&catalog, &process));
    process.process = 2;
    assert_ok(catalog_add_process(&catalog, &process));
    assert_int_equal(catalog.process_count, 2);
    assert_int_equal(catalog.processes[0].exit_status, 3);
    assert_text(catalog.processes[0].runtime, "CoreCLR 10.0.0");
    const struct recording_thread first = {.process = 1, .thread = 1, .name = text_of("main")};
    const struct recording_thread later = {.process = 1, .thread = 1, .name = text_of("main"), .ended_clock = 9};
    assert_ok(catalog_add_thread(&catalog, &first));
    const char *name = catalog.threads[0].record.name.at;
    assert_ok(catalog_add_thread(&catalog, &later));
    assert_int_equal(catalog.thread_count, 1);
    assert_int_equal(catalog.threads[0].record.ended_clock, 9);
    assert_ptr_equal(catalog.threads[0].record.name.at, name); // an equal text is kept once
}

static void texts_are_copied(void **state)
{
    (void)state;
    char name[] = "App.Main()";
    add_method(1, 16, 1, 0x06000001, name);
    memset(name, '?', sizeof name - 1);
    assert_text(catalog.methods[0].record.name, "App.Main()");
}

static void a_method_never_loses_its_name(void **state)
{
    (void)state;
    add_method(1, 16, 1, 0x06000001, "App.Main()");
    add_method(1, 16, 1, 0x06000001, "");
    assert_text(catalog.methods[0].record.name, "App.Main()");
    add_method(1, 17, 1, 0x06000002, "");
    assert_text(catalog.methods[1].record.name, "(method 17)");
}

static void flags_that_were_not_stated_follow_from_the_name(void **state)
{
    (void)state;
    const char *name = "App.Main.closure_0..ctor()";
    const struct recording_method stated = {
        .process = 1, .method = 17, .name = text_of(name), .flags = METHOD_FLAG_STATED | METHOD_FLAG_CONSTRUCTOR};
    add_method(1, 16, 1, 0x06000001, name);
    assert_int_equal(catalog.methods[0].record.flags,
                     METHOD_FLAG_CONSTRUCTOR | METHOD_FLAG_GENERATED | METHOD_FLAG_HELPER);
    assert_ok(catalog_add_method(&catalog, &stated));
    assert_int_equal(catalog.methods[1].record.flags, METHOD_FLAG_STATED | METHOD_FLAG_CONSTRUCTOR);
    assert_int_equal(catalog.methods[catalog_method(&catalog, 1, 18)].record.flags, 0); // not defined
}

static void undefined_numbers_get_placeholder_names(void **state)
{
    (void)state;
    static const struct {
        uint32_t method;
        const char *name;
    } expected[] = {{METHOD_ROOT, "(thread)"},
                    {METHOD_FILTER, "(filter)"},
                    {METHOD_OVER_CAP, "(over the cap)"},
                    {METHOD_MISSING, "(lost)"},
                    {METHOD_UNKNOWN_CALLER, "(caller unknown)"},
                    {UINT32_MAX, "(method 4294967295)"}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_int_equal(catalog_find_method(&catalog, 1, expected[i].method), CATALOG_NONE);
        uint32_t index = catalog_method(&catalog, 1, expected[i].method);
        assert_text(catalog.methods[index].record.name, expected[i].name);
        assert_int_equal(catalog.methods[index].module_index, CATALOG_NONE);
        assert_int_equal(catalog_find_method(&catalog, 1, expected[i].method), index);
    }
    uint32_t process = catalog_process(&catalog, 8), thread = catalog_thread(&catalog, 8, 2);
    assert_int_equal(catalog.processes[process].process, 8);
    assert_int_equal(catalog.threads[thread].record.thread, 2);
    assert_int_equal(catalog_find_process(&catalog, 9), CATALOG_NONE);
    assert_int_equal(catalog_find_thread(&catalog, 9, 2), CATALOG_NONE);
    assert_int_equal(catalog_find_module(&catalog, 8, 1), CATALOG_NONE);
}

// One file loaded twice, in another process too: by MVID, and where there is none by path and name.
static void loads_of_one_file_share_their_methods(void **state)
{
    (void)state;
    add_module(1, 1, 0xAA, "App", "/a/App.dll");
    add_module(1, 2, 0xAA, "App", "/b/App.dll"); // a copy
    add_module(2, 1, 0xAA, "App", "/a/App.dll");
    add_module(1, 3, 0xBB, "App", "/a/App.dll"); // built anew
    add_module(1, 4, 0, "Made", "/a/Made.dll");
    add_module(2, 4, 0, "Made", "/a/Made.dll");
    add_module(2, 5, 0, "Made", "/b/Made.dll");
    static const struct {
        uint32_t process, module, token, canonical;
    } methods[] = {
        {1, 1, 0x06000001, 0},
        {1, 2, 0x06000001, 0},
        {2, 1, 0x06000001, 0},
        {1, 1, 0x06000002, 3},
        {1, 3, 0x06000001, 4},
        {1, 4, 0x06000001, 5},
        {2, 4, 0x06000001, 5},
        {2, 5, 0x06000001, 7},
        {1, 1, 0, 8},
        {1, 1, 0, 9},            // no token: nothing says that they are one
        {1, 99, 0x06000001, 10}, // of a module that is not defined
    };
    enum { COUNT = sizeof methods / sizeof *methods };
    for (uint32_t i = 0; i < COUNT; i++) {
        add_method(methods[i].process, 16 + i, methods[i].module, methods[i].token, "M()");
    }
    assert_ok(catalog_link(&catalog));
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_int_equal(catalog.methods[i].canonical, methods[i].canonical);
    }
    assert_int_equal(catalog.methods[2].module_index, catalog_find_module(&catalog, 2, 1));
    assert_int_equal(catalog.methods[10].module_index, CATALOG_NONE);
    assert_true(catalog_same_module(&catalog.modules[0], &catalog.modules[1]));
    assert_int_equal(catalog_module_hash(&catalog.modules[0]), catalog_module_hash(&catalog.modules[1]));
    assert_false(catalog_same_module(&catalog.modules[0], &catalog.modules[3]));
    assert_false(catalog_same_module(&catalog.modules[4], &catalog.modules[6]));
}

// Older recordings have status 0 both for success and for what they did not know.
static void an_exit_that_older_recordings_leave_open_is_settled(void **state)
{
    (void)state;
    struct recording_process process = {.process = 1};
    assert_ok(catalog_add_process(&catalog, &process));
    assert_ok(catalog_link(&catalog));
    assert_int_equal(catalog.processes[0].exit_known, RECORDING_EXIT_KNOWN); // alone: it is the one that was started
    assert_ok(catalog_add_process(&catalog, &process));
    process = (struct recording_process){.process = 2, .exit_status = 1};
    assert_ok(catalog_add_process(&catalog, &process));
    process = (struct recording_process){.process = 3, .exit_known = RECORDING_EXIT_KNOWN};
    assert_ok(catalog_add_process(&catalog, &process));
    assert_ok(catalog_link(&catalog));
    assert_int_equal(catalog.processes[0].exit_known, RECORDING_EXIT_UNKNOWN);
    assert_int_equal(catalog.processes[1].exit_known, RECORDING_EXIT_KNOWN);
    assert_int_equal(catalog.processes[2].exit_known, RECORDING_EXIT_KNOWN);
}

static void methods_left_alone_are_merged_by_token_and_notes_by_text(void **state)
{
    (void)state;
    struct recording_not_woven left = {
        .process = 1, .module = 1, .token = 6, .name = text_of("A"), .reason = text_of("x")};
    assert_ok(catalog_add_not_woven(&catalog, &left));
    left.reason = text_of("y");
    assert_ok(catalog_add_not_woven(&catalog, &left));
    left.token = 7;
    assert_ok(catalog_add_not_woven(&catalog, &left));
    assert_int_equal(catalog.not_woven_count, 2);
    assert_text(catalog.not_woven[0].reason, "y");
    struct recording_note note = {.process = 1, .text = text_of("slow")};
    for (uint32_t i = 0; i < 2; i++) {
        assert_ok(catalog_add_note(&catalog, &note));
        note.process = 2;
        assert_ok(catalog_add_note(&catalog, &note));
        note.process = 1;
    }
    assert_int_equal(catalog.note_count, 2);
    assert_int_equal(catalog.notes[1].process, 2);
    assert_text(catalog.notes[1].text, "slow");
}

static void a_thread_runs_to_its_own_end_or_to_its_process_s(void **state)
{
    (void)state;
    struct recording_process process = {.process = 1, .ended_clock = 900};
    struct recording_thread thread = {.process = 1, .thread = 2, .ended_clock = 700};
    assert_ok(catalog_add_process(&catalog, &process));
    assert_ok(catalog_add_thread(&catalog, &thread));
    assert_int_equal(catalog_last_moment(&catalog, 1, 2, 5), 700);
    assert_int_equal(catalog_last_moment(&catalog, 1, 2, 800), 800); // its last event
    assert_int_equal(catalog_last_moment(&catalog, 1, 77, 5), 900);
    assert_int_equal(catalog_last_moment(&catalog, 77, 1, 5), 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_newest_record_of_a_number_wins, begin, end),
        cmocka_unit_test_setup_teardown(texts_are_copied, begin, end),
        cmocka_unit_test_setup_teardown(a_method_never_loses_its_name, begin, end),
        cmocka_unit_test_setup_teardown(flags_that_were_not_stated_follow_from_the_name, begin, end),
        cmocka_unit_test_setup_teardown(undefined_numbers_get_placeholder_names, begin, end),
        cmocka_unit_test_setup_teardown(loads_of_one_file_share_their_methods, begin, end),
        cmocka_unit_test_setup_teardown(an_exit_that_older_recordings_leave_open_is_settled, begin, end),
        cmocka_unit_test_setup_teardown(a_thread_runs_to_its_own_end_or_to_its_process_s, begin, end),
        cmocka_unit_test_setup_teardown(methods_left_alone_are_merged_by_token_and_notes_by_text, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
