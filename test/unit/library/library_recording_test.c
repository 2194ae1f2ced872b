// What libclew says about a whole recording, and structures of callers that were compiled with other headers.
#include <clew/clew.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#include "../made_recording.h"
#include "../recording_path.h"

static bool is(struct clew_text text, const char *expected)
{
    return text.size == strlen(expected) && memcmp(text.data, expected, text.size) == 0;
}

static struct clew_recording *open_made(void)
{
    struct clew_recording *recording;
    make_tree(path, CLOCK_KIND_MONOTONIC, true);
    assert_int_equal(clew_open(path, &recording), CLEW_OK);
    return recording;
}

static void a_recording_describes_itself(void **state)
{
    (void)state;
    struct clew_recording *recording = open_made();
    struct clew_info info = {.size = sizeof info};
    struct clew_process process = {.size = sizeof process};
    struct clew_thread thread = {.size = sizeof thread};
    struct clew_method method = {.size = sizeof method};
    clew_info(recording, &info);
    assert_true(is(info.command, "dotnet shop.dll --fast"));
    assert_true(is(info.host, "box"));
    assert_int_equal(info.clock, CLEW_CLOCK_MONOTONIC);
    assert_int_equal(info.instruments, CLEW_INSTRUMENT_TREE);
    assert_int_equal(info.duration_ns, 10000);
    assert_int_equal(info.started_unix_ns, UINT64_C(1700000000000000000));
    assert_true(info.ended);
    assert_int_equal(info.process_count, 1);
    assert_int_equal(info.thread_count, 2);
    assert_true(clew_process(recording, 0, &process));
    assert_int_equal(process.os_id, 4711);
    assert_true(process.exit_known);
    assert_int_equal(process.ended_ns, 10000);
    assert_true(is(process.runtime, "CoreCLR 10.0.12"));
    assert_false(clew_process(recording, 1, &process));
    assert_true(clew_thread(recording, 1, &thread));
    assert_true(is(thread.name, "worker"));
    assert_int_equal(thread.ended_ns, 9000);
    assert_int_equal(thread.cpu_user_ns, 4000000);
    assert_false(clew_thread(recording, 2, &thread));
    assert_true(clew_method(recording, 1, FIB, &method));
    assert_true(is(method.name, "Shop.Lib.Fib(int)"));
    assert_true(is(method.module, "lib"));
    assert_int_equal(method.token, 0x06000000 + FIB);
    assert_false(clew_method(recording, 1, 4000, &method));
    assert_int_equal(method.name.size, 0);
    clew_close(recording);
    clew_close(NULL);
}

// An older caller's structure ends early; a newer caller's has fields that this library does not know.
static void structures_may_have_other_sizes(void **state)
{
    (void)state;
    struct clew_recording *recording = open_made();
    struct {
        struct clew_thread known;
        uint64_t later[2];
    } newer = {.known.size = sizeof newer, .later = {7, 7}};
    struct clew_thread older;
    memset(&older, 0x55, sizeof older);
    older.size = offsetof(struct clew_thread, os_id);
    assert_true(clew_thread(recording, 1, &newer.known));
    assert_int_equal(newer.known.lost, 0);
    assert_int_equal(newer.later[0], 0);
    assert_int_equal(newer.later[1], 0);
    assert_true(clew_thread(recording, 1, &older));
    assert_int_equal(older.number, 2);
    assert_int_equal(older.size, offsetof(struct clew_thread, os_id));
    assert_int_equal(older.os_id, UINT64_C(0x5555555555555555));
    clew_close(recording);
}

static void other_files_are_refused(void **state)
{
    (void)state;
    struct clew_recording *recording;
    assert_int_equal(clew_open("/nowhere/app.clew", &recording), CLEW_NOT_FOUND);
    assert_int_equal(clew_open("/proc/self/exe", &recording), CLEW_NOT_RECORDING);
    assert_string_equal(clew_error_sentence(CLEW_NOT_RECORDING), "the file is not a clew recording");
    assert_string_equal(clew_error_sentence((enum clew_error)77), "unknown error");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recording_describes_itself),
        cmocka_unit_test(structures_may_have_other_sizes),
        cmocka_unit_test(other_files_are_refused),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
