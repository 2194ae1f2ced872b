// A walk over one thread's events, from any of them on.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../made_recording.h"
#include "../opened.h"
#include "../recording_path.h"
#include "model/events/event_walk.h"

struct seen {
    unsigned begins, ends;
    uint64_t ordinal;
};

static enum clew_error see(void *context, const struct timeline_step *step, uint64_t ordinal)
{
    struct seen *seen = context;
    seen->begins += step->kind == TIMELINE_BEGIN;
    seen->ends += step->kind == TIMELINE_END;
    seen->ordinal = ordinal;
    return CLEW_OK;
}

static struct event_walk *events_of(uint32_t thread)
{
    struct event_walk *events;
    make_calls(path);
    must(event_walk_open(opened(path), 1, thread, &events));
    return events;
}

static void test_walks_from_any_event(void **state)
{
    struct event_walk *events = events_of(1);
    (void)state;
    assert_int_equal(event_walk_count(events), 22);
    for (uint64_t from = 23; from-- > 0;) {
        struct seen seen = {0};
        unsigned count = 0;
        assert_int_equal(event_walk_seek(events, from), CLEW_OK);
        while (event_walk_next(events, see, &seen) == CLEW_OK) {
            assert_int_equal(seen.ordinal, from + count);
            count++;
        }
        assert_int_equal(count, 22 - from);
        assert_int_equal(seen.begins + seen.ends, count);
    }
    event_walk_close(events);
}

static void test_finds_a_moment_and_a_block(void **state)
{
    struct event_walk *events = events_of(1);
    uint64_t at;
    (void)state;
    assert_int_equal(event_walk_find(events, START + 1000, &at), CLEW_OK);
    assert_int_equal(at, 5);
    assert_int_equal(event_walk_find(events, START + 9101, &at), CLEW_OK);
    assert_int_equal(at, 22);
    assert_int_equal(event_walk_block(events, 1), 0);
    assert_int_equal(event_walk_block(events, 22), 0);
    event_walk_close(events);
}

static void test_a_thread_without_events(void **state)
{
    struct event_walk *events;
    (void)state;
    make_calls(path);
    assert_int_equal(event_walk_open(opened(path), 1, 77, &events), CLEW_NOTHING_RECORDED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walks_from_any_event),
        cmocka_unit_test(test_finds_a_moment_and_a_block),
        cmocka_unit_test(test_a_thread_without_events),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
