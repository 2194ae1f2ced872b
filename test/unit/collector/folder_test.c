// The session's folder: where it is created, who may enter it, and the folders of killed sessions.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "collector/start/folder.h"

static char place[] = "/tmp/clew-folders-XXXXXX", runtime[64], temporary[64];

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(place)) {
        return -1;
    }
    (void)snprintf(runtime, sizeof runtime, "%s/run", place);
    (void)snprintf(temporary, sizeof temporary, "%s/tmp", place);
    return setenv("XDG_RUNTIME_DIR", runtime, 1) || setenv("TMPDIR", temporary, 1) || mkdir(runtime, 0700) ||
           mkdir(temporary, 0700);
}

static int tear_down(void **state)
{
    (void)state;
    return rmdir(runtime) || rmdir(temporary) || rmdir(place);
}

static bool exists(const char *path)
{
    struct stat about;
    return lstat(path, &about) == 0;
}

static bool is_in(const struct folder *folder, const char *parent)
{
    return strncmp(folder->path, parent, strlen(parent)) == 0;
}

static void open_folder(struct folder *folder, int *listener)
{
    assert_true(folder_open(folder, listener));
}

static void close_folder(struct folder *folder, int listener)
{
    assert_int_equal(close(listener), 0);
    folder_close(folder);
    assert_false(exists(folder->path));
}

static bool can_connect(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    (void)snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    bool connected = connect(fd, (const struct sockaddr *)&address, sizeof address) == 0;
    assert_int_equal(close(fd), 0);
    return connected;
}

static void only_the_user_can_enter_it(void **state)
{
    (void)state;
    struct folder folder;
    struct stat about;
    int listener;
    mode_t before = umask(0); // whatever the program's user has
    open_folder(&folder, &listener);
    (void)umask(before);
    assert_true(is_in(&folder, runtime));
    assert_int_equal(stat(folder.path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0700);
    assert_true(can_connect(folder.socket_path));
    close_folder(&folder, listener);
}

static void the_next_folder_is_used_if_one_is_not_usable(void **state)
{
    (void)state;
    struct folder folder;
    int listener;
    assert_int_equal(setenv("XDG_RUNTIME_DIR", "/nowhere/at/all", 1), 0);
    open_folder(&folder, &listener);
    assert_true(is_in(&folder, temporary));
    close_folder(&folder, listener);
    assert_int_equal(setenv("XDG_RUNTIME_DIR", ".", 1), 0); // means something else in each process
    open_folder(&folder, &listener);
    assert_true(is_in(&folder, temporary));
    close_folder(&folder, listener);
    assert_int_equal(setenv("XDG_RUNTIME_DIR", runtime, 1), 0);
}

// In a folder where everybody may rename entries, another user could replace ours.
static void a_folder_that_others_can_write_to_comes_last(void **state)
{
    (void)state;
    struct folder folder;
    int listener;
    assert_int_equal(chmod(runtime, 0777), 0);
    open_folder(&folder, &listener);
    assert_true(is_in(&folder, temporary));
    close_folder(&folder, listener);
    assert_int_equal(chmod(runtime, 01777), 0); // with the sticky bit nobody renames
    open_folder(&folder, &listener);
    assert_true(is_in(&folder, runtime));
    close_folder(&folder, listener);
    assert_int_equal(chmod(runtime, 0700), 0);
}

// The state after a kill: the folder is there, the lock and the listener are gone.
static void the_folder_of_a_killed_session_is_removed(void **state)
{
    (void)state;
    struct folder dead, next;
    int listener;
    open_folder(&dead, &listener);
    assert_int_equal(close(listener) || close(dead.lock), 0);
    assert_true(exists(dead.socket_path));
    open_folder(&next, &listener);
    assert_false(exists(dead.path));
    close_folder(&next, listener);
}

static void the_folder_of_a_live_session_stays(void **state)
{
    (void)state;
    struct folder first, deaf, unlocked, third;
    int listeners[3], closed;
    open_folder(&first, &listeners[0]);
    open_folder(&deaf, &closed);
    assert_int_equal(close(closed), 0); // the lock alone says that it lives: its collector is being replaced
    open_folder(&unlocked, &listeners[1]);
    assert_int_equal(close(unlocked.lock), 0); // where locks do not work, the listener still says that it lives
    unlocked.lock = -1;
    open_folder(&third, &listeners[2]);
    assert_true(can_connect(first.socket_path));
    assert_true(can_connect(unlocked.socket_path));
    assert_true(exists(deaf.socket_path));
    folder_close(&deaf);
    close_folder(&third, listeners[2]);
    close_folder(&unlocked, listeners[1]);
    close_folder(&first, listeners[0]);
}

static void other_folders_stay(void **state)
{
    (void)state;
    char without[96];
    struct folder folder;
    int listener, other;
    (void)snprintf(without, sizeof without, "%s/clew-abcdef", runtime);
    assert_int_equal(mkdir(without, 0700), 0); // no socket in it
    struct folder shared;
    open_folder(&shared, &other);
    assert_int_equal(close(other) || close(shared.lock) || chmod(shared.path, 0755), 0); // clew makes none like this
    open_folder(&folder, &listener);
    assert_true(exists(without) && exists(shared.socket_path));
    close_folder(&folder, listener);
    assert_int_equal(rmdir(without) || unlink(shared.socket_path) || rmdir(shared.path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_user_can_enter_it),
        cmocka_unit_test(the_next_folder_is_used_if_one_is_not_usable),
        cmocka_unit_test(a_folder_that_others_can_write_to_comes_last),
        cmocka_unit_test(the_folder_of_a_killed_session_is_removed),
        cmocka_unit_test(the_folder_of_a_live_session_stays),
        cmocka_unit_test(other_folders_stay),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
