// Files are read whole or not at all.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

static char folder[] = "/tmp/clew-file-XXXXXX", path[64], pipe_path[64];

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) {
        return -1;
    }
    (void)snprintf(path, sizeof path, "%s/a", folder);
    (void)snprintf(pipe_path, sizeof pipe_path, "%s/pipe", folder);
    FILE *file = fopen(path, "we");
    return file && fputs("twelve bytes", file) >= 0 && fclose(file) == 0 ? mkfifo(pipe_path, 0600) : -1;
}

static int tear_down(void **state)
{
    (void)state;
    (void)unlink(path);
    (void)unlink(pipe_path);
    return rmdir(folder);
}

static void whole_files_are_read(void **state)
{
    (void)state;
    struct buffer content = {0};
    bool large = true;
    buffer_u8(&content, 'x'); // goes
    assert_true(file_read(path, 12, &content, &large));
    assert_false(large);
    assert_int_equal(content.size, 12);
    assert_memory_equal(content.data, "twelve bytes", 12);
    buffer_free(&content);
}

static void large_files_folders_and_pipes_are_refused(void **state)
{
    (void)state;
    struct buffer content = {0};
    bool large = false;
    assert_false(file_read(path, 11, &content, &large));
    assert_true(large);
    assert_false(file_read(folder, 1 << 20, &content, &large));
    assert_false(large);
    assert_false(file_read("/nonexistent", 1 << 20, &content, &large));
    assert_false(file_read(pipe_path, 1 << 20, &content, &large)); // nobody writes into it, and nobody waits for that
    buffer_free(&content);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_files_are_read),
        cmocka_unit_test(large_files_folders_and_pipes_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
