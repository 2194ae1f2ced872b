// A statement is its activation's last if the activation returned after it: not if it was unwound, was cut by a loss, or
// still runs.
#include "model/last_statements.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../made_recording.h"
#include "../recording_path.h"
#include "loading.h"
#include "trace/instrument.h"

#define S(at)                                                                  \
    {                                                                          \
        .clock = START + (at), .kind = RECORDING_AT_SITE, .site = 1, .cell = 0 \
    }
#define VALUE(at)                                                              \
    {                                                                          \
        .clock = START + (at), .kind = RECORDING_AT_SITE, .site = 2, .cell = 0 \
    }

static enum clew_error no_step(void *context, const struct event_step *step)
{
    (void)context;
    (void)step;
    fail(); // last go through the stream with a step of their own
    return CLEW_OK;
}

static struct last_statements *find(enum clew_error expected, uint64_t from)
{
    struct last_statements *last = NULL;
    struct sites *sites = load_sites();
    const struct timeline_options options = {.from = from, .to = UINT64_MAX, .step = no_step};
    assert_int_equal(last_statements_find(opened(path), &options, sites, &last), expected);
    sites_free(sites);
    return last;
}

// Of each statement in order: '1' if it is a last one, to `count`.
static void expect_from(uint64_t from, const char *bits)
{
    struct last_statements *last = find(CLEW_OK, from);
    for (uint64_t i = 0; bits[i]; i++) {
        assert_int_equal(last_statements_has(last, i), bits[i] == '1');
    }
    assert_false(last_statements_has(last, strlen(bits)));
    assert_false(last_statements_has(last, UINT64_MAX));
    last_statements_free(last);
}

// Site 1 is a statement, site 2 a value.
static void begin_stream(void)
{
    const struct site sites[] = {{.kind = SITE_STATEMENT},
                                 {.kind = SITE_DEFINITION, .place = PLACE_LOCAL, .reason = REASON_REDACTED}};
    create(path, INSTRUMENT_STATEMENTS, CLOCK_KIND_MONOTONIC);
    define_sites_of(MAIN, 1, sites, 2);
}

static void make(uint32_t count, const struct recording_event *events)
{
    begin_stream();
    write_stream(1, events, count);
    finish(count, 0, 1, true);
}
#define MAKE_STREAM(...)                                       \
    do {                                                       \
        const struct recording_event made_[] = {__VA_ARGS__};  \
        make((uint32_t)(sizeof made_ / sizeof *made_), made_); \
    } while (0)

static void the_statement_before_a_return_is_the_last(void **state)
{
    (void)state;
    // Values are not counted, and a callee's statements are its own.
    MAKE_STREAM(E(1, MAIN), S(2), VALUE(3), S(4), E(5, ADD), S(6), L(7), VALUE(8), L(9));
    expect_from(0, "011");
    // From 6 on: the numbers begin there.
    expect_from(START + 6, "1");
}

static void only_returns_make_a_last_statement(void **state)
{
    (void)state;
    MAKE_STREAM(E(1, MAIN), S(2), E(3, ADD), S(4), U(5), E(6, FIB), S(7),
                {.clock = START + 8, .kind = RECORDING_LOST, .lost = 1},
                {.clock = START + 8, .kind = RECORDING_STACK, .stated = 0, .depth = 0}, S(9), E(10, SAVE), S(11));
    expect_from(0, "00000");
}

static void a_call_without_statements_has_none(void **state)
{
    (void)state;
    MAKE_STREAM(S(1), E(2, MAIN), L(3), S(4));
    expect_from(0, "00");
}

// More than a byte, and more than a word, of bits.
static void many_statements_keep_their_bits(void **state)
{
    (void)state;
    enum { CALLS = 3000 };
    static struct recording_event events[CALLS * 4];
    static char bits[CALLS * 2 + 1];
    for (uint32_t i = 0; i < CALLS; i++) {
        events[4 * i] = (struct recording_event)E(i, MAIN);
        events[4 * i + 1] = events[4 * i + 2] = (struct recording_event)S(i);
        events[4 * i + 3] = i % 5 ? (struct recording_event)L(i) : (struct recording_event)U(i);
        bits[2 * i] = '0';
        bits[2 * i + 1] = i % 5 ? '1' : '0';
    }
    make(CALLS * 4, events);
    expect_from(0, bits);
}

static void a_recording_without_a_stream_has_no_endings(void **state)
{
    (void)state;
    make_tree(path, CLOCK_KIND_MONOTONIC, true);
    assert_null(find(CLEW_NOTHING_RECORDED, 0));
    last_statements_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_statement_before_a_return_is_the_last),
        cmocka_unit_test(only_returns_make_a_last_statement),
        cmocka_unit_test(a_call_without_statements_has_none),
        cmocka_unit_test(many_statements_keep_their_bits),
        cmocka_unit_test(a_recording_without_a_stream_has_no_endings),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
