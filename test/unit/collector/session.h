// Sessions without a runtime: the recorded program is the test itself. Included by one file a program.
#ifndef CLEW_TEST_SESSION_H
#define CLEW_TEST_SESSION_H

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "collector/start/supervise.h"

static char folder[64], recording[96], self[4096]; // self: this program

static inline int session_set_up(void **state)
{
    (void)state;
    ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
    self[size > 0 ? size : 0] = '\0';
    (void)snprintf(folder, sizeof folder, "/tmp/clew-test-XXXXXX");
    if (size < 0 || !mkdtemp(folder)) {
        return -1;
    }
    (void)snprintf(recording, sizeof recording, "%s/a.clew", folder);
    return 0;
}

static inline int session_tear_down(void **state)
{
    char old[128];
    (void)state;
    (void)snprintf(old, sizeof old, "%s.old", recording);
    (void)unlink(old); // may not exist
    (void)unlink(recording);
    return rmdir(folder);
}

// Records the command to a new file.
static inline struct supervised supervise_session(struct session *session, char *const *command,
                                                  void (*progress)(void *))
{
    struct recording_writer *writer;
    struct supervised supervised = {0};
    assert_int_equal(recording_create(recording, &session->record, &writer), CLEW_OK);
    struct supervision supervision = {.session = session,
                                      .writer = writer,
                                      .command = command,
                                      .path = self,
                                      .agent = "/nonexistent",
                                      .progress = progress};
    assert_int_equal(supervise(&supervision, &supervised), CLEW_OK);
    return supervised;
}

#endif
