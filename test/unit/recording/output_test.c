// Whether a recording may be written under a name: never over what is somebody's.
#include "recording/output.h"

#include <fcntl.h>
#include <sys/file.h>

#include "place.h"

static char *old;

static int set_up(void **state)
{
    make_place(state);
    old = in_folder(folder, "a.clew.old");
    return 0;
}

static int tear_down(void **state)
{
    free(old);
    return remove_place(state);
}

static void expect(enum recording_output expected)
{
    assert_int_equal(recording_output_of(path), expected);
}

static void a_free_name_and_an_empty_file_are_new(void **state)
{
    (void)state;
    expect(OUTPUT_NEW);
    store_file(path, "", 0);
    store_file(old, "theirs", 6); // stays: nothing is moved there
    expect(OUTPUT_NEW);
    assert_int_equal(recording_output_of("/nowhere/at/all"), OUTPUT_NEW); // creating it says what is wrong
}

static void an_old_recording_is_renamed_if_possible(void **state)
{
    (void)state;
    make_sample();
    expect(OUTPUT_RECORDING);
    store_file(old, "", 0);
    expect(OUTPUT_RECORDING);
    struct buffer sample = load_file(path);
    store_file(old, sample.data, sample.size);
    buffer_free(&sample);
    expect(OUTPUT_RECORDING);
    store_file(old, "theirs", 6);
    expect(OUTPUT_OLD_IN_THE_WAY);
    assert_int_equal(unlink(old), 0);
    assert_int_equal(mkdir(old, 0700), 0);
    expect(OUTPUT_OLD_IN_THE_WAY);
}

static void a_recording_that_is_being_written_is_left_alone(void **state)
{
    (void)state;
    make_sample();
    int writer = open(path, O_RDWR | O_CLOEXEC);
    assert_int_equal(flock(writer, LOCK_EX), 0);
    expect(OUTPUT_LIVE);
    assert_int_equal(close(writer), 0);
    expect(OUTPUT_RECORDING);
}

static void a_file_that_is_not_a_recording_is_left_alone(void **state)
{
    (void)state;
    static const uint8_t magic[] = {0x89, 'C', 'L', 'E', 'W', '\r', '\n', 0x1a};
    store_file(path, magic, sizeof magic - 1);
    expect(OUTPUT_FOREIGN);
    store_file(path, magic, sizeof magic); // its beginning is enough
    expect(OUTPUT_RECORDING);
    store_file(path, "CLEW\n", 5);
    expect(OUTPUT_FOREIGN);
}

static void folders_and_pipes_are_special_and_devices_written_to(void **state)
{
    (void)state;
    assert_int_equal(recording_output_of(folder), OUTPUT_SPECIAL);
    assert_int_equal(mkfifo(path, 0600), 0);
    expect(OUTPUT_SPECIAL); // without waiting for somebody to write into it
    assert_int_equal(recording_output_of("/dev/null"), OUTPUT_DEVICE);
    assert_int_equal(recording_output_of("/dev/"), OUTPUT_SPECIAL);
}

static void a_link_counts_as_its_target(void **state)
{
    (void)state;
    store_file(old, "theirs", 6);
    assert_int_equal(symlink("a.clew.old", path), 0);
    expect(OUTPUT_FOREIGN);
    assert_int_equal(unlink(old), 0);
    expect(OUTPUT_NEW);
}

static void only_a_file_with_content_is_set_aside(void **state)
{
    (void)state;
    char *moved;
    assert_int_equal(recording_output_set_aside(path, &moved), CLEW_OK);
    assert_null(moved); // nothing was there
    store_file(path, "", 0);
    store_file(old, "theirs", 6);
    assert_int_equal(recording_output_set_aside(path, &moved), CLEW_OK);
    assert_null(moved);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(access(old, F_OK), 0);
    make_sample();
    assert_int_equal(recording_output_set_aside(path, &moved), CLEW_OK);
    assert_string_equal(moved, old);
    assert_int_equal(recording_output_of(old), OUTPUT_RECORDING);
    assert_int_equal(access(path, F_OK), -1);
    free(moved);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(recording_output_set_aside(path, &moved), CLEW_IO);
    assert_null(moved);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_free_name_and_an_empty_file_are_new, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_old_recording_is_renamed_if_possible, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_recording_that_is_being_written_is_left_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_file_that_is_not_a_recording_is_left_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(folders_and_pipes_are_special_and_devices_written_to, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_link_counts_as_its_target, set_up, tear_down),
        cmocka_unit_test_setup_teardown(only_a_file_with_content_is_set_aside, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
