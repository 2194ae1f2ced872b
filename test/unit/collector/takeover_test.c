// The program or the collector is killed at a random moment, or the program writes over their segment. Every committed
// event is in the file once, whether the collector or the CLI finishes it.
#include "played_file.h"

enum {
    LOOPS = 200,      // of killing...
    LOOPS_LEAST = 20, // ...but fewer where a machine or a sanitizer is slow:
    LOOPS_SECONDS = 10,
    LOOPS_SECONDS_SLOW = 40, // with CLEW_SLOW
};

static uint64_t random_below(uint64_t limit)
{
    return ((uint64_t)rand() << 16 ^ (uint64_t)rand()) % limit;
}

static bool again(int loops, uint64_t started_ns)
{
    uint64_t seconds = (clock_monotonic_ns() - started_ns) / 1000000000;
    uint64_t most = getenv("CLEW_SLOW") ? LOOPS_SECONDS_SLOW : LOOPS_SECONDS;
    return loops < LOOPS_LEAST || (loops < LOOPS && seconds < most);
}

static void program_killed_anywhere(void **state)
{
    (void)state;
    uint64_t started_ns = clock_monotonic_ns();
    for (int i = 0; again(i, started_ns); i++) {
        struct orders given = {
            .what = "die", .events = 2000000, .at = random_below(i % 2 ? 60000 : 300), .sites = i % 4 < 2};
        struct supervised supervised = record(&given, 0);
        assert_true(WIFSIGNALED(supervised.status));
        assert_int_equal(WTERMSIG(supervised.status), SIGKILL);
        struct found found = read_all();
        check_against_truth(&found, false, given.sites);
        assert_true(found.events[0] == given.at + 1);
    }
}

static void collector_killed_anywhere(void **state)
{
    (void)state;
    int took_over = 0, loops = 0;
    for (uint64_t started_ns = clock_monotonic_ns(); again(loops, started_ns); loops++) {
        int i = loops;
        uint64_t events = i % 2 ? 60000 : 4000;
        struct orders given = {.what = "murder",
                               .events = events,
                               .at = random_below(events),
                               .throttle = i % 2 ? 10000 : 100,
                               .sites = i % 4 < 2};
        struct supervised supervised = record(&given, 0);
        assert_true(WIFEXITED(supervised.status));
        assert_int_equal(WEXITSTATUS(supervised.status), 7);
        took_over += supervised.took_over;
        struct found found = read_all();
        check_against_truth(&found, true, given.sites);
        assert_int_equal(found.end.events, THREADS * events / 2 * (given.sites ? 3 : 2));
    }
    assert_int_equal(took_over, loops);
}

// Whatever the program writes over its segment, clew and the program both run to their ends.
static void wild_pointers_do_no_harm(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        struct orders given = {
            .what = "scribble", .events = 100000, .at = random_below(50000), .throttle = 1000, .sites = i % 2};
        struct recording_reader *reader;
        struct recording_record record_read;
        struct supervised supervised = record(&given, 0);
        assert_true(WIFEXITED(supervised.status));
        assert_int_equal(WEXITSTATUS(supervised.status), 9);
        assert_false(supervised.took_over);
        assert_int_equal(recording_open_reader(recording, &reader), CLEW_OK);
        while (recording_next(reader, UINT32_MAX, &record_read) == CLEW_OK) {
        }
        assert_int_equal(recording_health(reader).damaged, 0);
        assert_true(recording_health(reader).ended);
        recording_close_reader(reader);
    }
}

int main(int argc, char **argv)
{
    if (argc > 6 && strcmp(argv[1], "program") == 0) {
        return be_program(argv);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(program_killed_anywhere),
        cmocka_unit_test(collector_killed_anywhere),
        cmocka_unit_test(wild_pointers_do_no_harm),
    };
    return cmocka_run_group_tests(tests, playing_set_up, playing_tear_down);
}
