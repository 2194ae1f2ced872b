// What happens at Initialize, with every kind of collector and without one: the program must never wait for long.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/session/report.h"
#include "base/clock.h"
#include "check.h"
#include "memory.h"
#include "ring/handshake.h"
#include "session.h"
#include "woven.h"

static const char csharp[] = "test/fuzz/corpus/metadata/CSharp.dll";

#define IN_CHILD(name)                    \
    static void test_##name(void **state) \
    {                                     \
        (void)state;                      \
        assert_true(fake_run(name, 20));  \
    }

enum { SHORT_MS = 50 }; // a limit for tests that wait until it has passed

static uint64_t start_ms(void)
{
    uint64_t before = clock_monotonic_ns();
    CHECK_EQUAL(fake_start(), CLR_CANCEL_ACTIVATION);
    CHECK_EQUAL(session_ring->agent_state, RING_AGENT_ABSENT);
    CHECK_EQUAL(fake_asked.mask_low, 0); // nothing was asked of the runtime
    return (clock_monotonic_ns() - before) / 1000000;
}

// Initialize cancels the activation and does not wait.
static void expect_cancelled(enum session_answer answer)
{
    session_open(&session_tree, answer);
    CHECK(start_ms() < HANDSHAKE_LIMIT_MS);
}

static void no_socket(void)
{
    expect_cancelled(SESSION_ABSENT);
}
IN_CHILD(no_socket)

static void the_collector_is_dead(void)
{
    expect_cancelled(SESSION_DEAD);
}
IN_CHILD(the_collector_is_dead)

static void the_collector_dies_before_it_answers(void)
{
    expect_cancelled(SESSION_DIES);
}
IN_CHILD(the_collector_dies_before_it_answers)

static void nobody_answers(void)
{
    uint64_t ships_ms = HANDSHAKE_LIMIT_MS;
    session_open(&session_tree, SESSION_SILENT);
    HANDSHAKE_LIMIT_MS = SHORT_MS;
    uint64_t ms = start_ms();
    CHECK(ms >= SHORT_MS - 1 && ms < ships_ms);
}
IN_CHILD(nobody_answers)

// As on a machine that is busy with other things.
static void an_answer_comes_late(void)
{
    session_open(&session_tree, SESSION_LATE);
    CHECK_EQUAL(fake_start(), CLR_OK);
    CHECK_EQUAL(session_ring->agent_state, RING_AGENT_RECORDING);
}
IN_CHILD(an_answer_comes_late)

static void the_collector_refuses(void)
{
    expect_cancelled(SESSION_REFUSES);
}
IN_CHILD(the_collector_refuses)

static void the_collector_is_of_another_version(void)
{
    expect_cancelled(SESSION_OTHER_VERSION);
}
IN_CHILD(the_collector_is_of_another_version)

static volatile sig_atomic_t noticed;

static void notice_signal(int number)
{
    (void)number;
    noticed++;
}

static void notice_fork(void)
{
    noticed++;
}

static int first_free_descriptor(void)
{
    int fd = dup(STDIN_FILENO);
    CHECK(fd >= 0 && close(fd) == 0);
    return fd;
}

// The agent then starts clew, which refuses these options. test/sample/services has sessions that are started so.
static void a_session_is_started_and_the_program_does_not_notice(void)
{
    int status, free_before = first_free_descriptor();
    CHECK_EQUAL(unsetenv(CLEW_SESSION_VARIABLE), 0);
    CHECK_EQUAL(setenv("CLEW_OPTIONS", "--no-such-option", 1), 0);
    CHECK(signal(SIGCHLD, notice_signal) != SIG_ERR);
    CHECK_EQUAL(pthread_atfork(notice_fork, notice_fork, notice_fork), 0);
    CHECK_EQUAL(fake_start(), CLR_CANCEL_ACTIVATION);
    CHECK_EQUAL(noticed, 0);
    CHECK(waitpid(-1, &status, WNOHANG | __WALL) < 0 && errno == ECHILD);
    CHECK_EQUAL(first_free_descriptor(), free_before);
}
IN_CHILD(a_session_is_started_and_the_program_does_not_notice)

static void the_segment_is_of_another_layout(void)
{
    session_open(&session_tree, SESSION_ACCEPTS);
    session_ring->header_size++;
    CHECK_EQUAL(fake_start(), CLR_CANCEL_ACTIVATION);
    CHECK_EQUAL(session_ring->agent_state, RING_AGENT_ABSENT);
}
IN_CHILD(the_segment_is_of_another_layout)

static void another_class_is_not_available(void)
{
    static const struct clr_guid other = {0x6C1B0B5E, 0x7A0D, 0x4C7B, {0x9E, 0x57, 0x2F, 0x6E, 0x4D, 0x1C, 0x8A, 0x32}};
    static const struct clr_guid ours = {CLEW_CLSID_FIELDS};
    CHECK_EQUAL(fake_class(&ours), CLR_OK);
    CHECK_EQUAL(fake_class(&other), CLR_NOT_AVAILABLE);
    CHECK_EQUAL(fake_class(&ours), CLR_OK);
}
IN_CHILD(another_class_is_not_available)

static void events_are_asked_for_by_the_way_of_seeing_calls(void)
{
    session_record(&session_tree);
    CHECK_EQUAL(fake_asked.mask_low, CLR_MONITOR_MODULE_LOADS | CLR_MONITOR_JIT_COMPILATION | CLR_MONITOR_THREADS |
                                         CLR_MONITOR_CACHE_SEARCHES);
    CHECK(!fake_asked.mapper);
    CHECK(session_ring->probe_ns_x1000 > 0 && session_ring->probe_ns_x1000 < 100 * 1000 * 1000);
    CHECK_EQUAL(session_ring->threads_used, 1); // calibrated on this thread, and wiped
    CHECK(!session_node(session_thread(), METHOD_FIRST_REAL, 0));
}
IN_CHILD(events_are_asked_for_by_the_way_of_seeing_calls)

static void a_refusing_runtime_is_left_alone(void)
{
    session_open(&session_tree, SESSION_ACCEPTS);
    fake_fail_calls(2, false); // the first gives the interface, the second takes the mask
    CHECK_EQUAL(fake_start(), CLR_CANCEL_ACTIVATION);
    CHECK_EQUAL(session_ring->agent_state, RING_AGENT_REFUSED);
    CHECK(session_find(RING_DEFINE_NOTE, 0, 0));
}
IN_CHILD(a_refusing_runtime_is_left_alone)

// -- A collector that goes away ---------------------------------------------------------------------------------------

// The definition ring is nearly full, and no collector reads it.
static void fill_definitions(void)
{
    session_ring->definitions_written = session_ring->definitions_read + RING_DEFINITIONS_SIZE - 64;
}

static void definitions_without_a_collector(void)
{
    session_record(&session_tree);
    struct fake_module *module = fake_load(csharp);
    fill_definitions();
    session_ring->collector_gone = 1;
    uint64_t before = clock_monotonic_ns();
    for (uint32_t row = 1; row <= module->method_count; row++) {
        fake_compile(module, row, 0);
    }
    CHECK((clock_monotonic_ns() - before) / 1000000 < 1000);
}
IN_CHILD(definitions_without_a_collector)

// The agent is not told that the collector is gone, and gives up by itself, once.
static void definitions_with_a_stuck_collector(void)
{
    session_record(&session_tree);
    struct fake_module *module = fake_load(csharp);
    fill_definitions();
    DEFINITIONS_LIMIT_NS = SHORT_MS * UINT64_C(1000000);
    uint64_t before = clock_monotonic_ns();
    for (uint32_t row = 1; row <= module->method_count; row++) {
        fake_compile(module, row, 0);
    }
    uint64_t ms = (clock_monotonic_ns() - before) / 1000000;
    CHECK(ms >= SHORT_MS - 1 && ms < module->method_count * SHORT_MS / 2);
    CHECK_EQUAL(session_ring->collector_gone, 1);
}
IN_CHILD(definitions_with_a_stuck_collector)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_socket),
        cmocka_unit_test(test_the_collector_is_dead),
        cmocka_unit_test(test_the_collector_dies_before_it_answers),
        cmocka_unit_test(test_nobody_answers),
        cmocka_unit_test(test_an_answer_comes_late),
        cmocka_unit_test(test_the_collector_refuses),
        cmocka_unit_test(test_the_collector_is_of_another_version),
        cmocka_unit_test(test_a_session_is_started_and_the_program_does_not_notice),
        cmocka_unit_test(test_the_segment_is_of_another_layout),
        cmocka_unit_test(test_another_class_is_not_available),
        cmocka_unit_test(test_events_are_asked_for_by_the_way_of_seeing_calls),
        cmocka_unit_test(test_a_refusing_runtime_is_left_alone),
        cmocka_unit_test(test_definitions_without_a_collector),
        cmocka_unit_test(test_definitions_with_a_stuck_collector),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
