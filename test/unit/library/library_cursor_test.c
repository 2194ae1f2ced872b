// Events of libclew in order, within windows, and the history of a variable.
#include <clew/clew.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../made_recording.h"
#include "../recording_path.h"

#include "../damaged_block.h"

static struct clew_recording *recording;

static struct clew_cursor *open_cursor(const struct clew_cursor_options *options)
{
    struct clew_cursor *cursor;
    assert_int_equal(clew_open(path, &recording), CLEW_OK);
    assert_int_equal(clew_cursor_open(recording, options, &cursor), CLEW_OK);
    return cursor;
}

static void close_cursor(struct clew_cursor *cursor)
{
    clew_cursor_free(cursor);
    clew_close(recording);
}

// The events as text: `+2:20@2050/0` is thread 2, method 20, ns and depth; at sites the line and the name.
static const char *events(const struct clew_cursor_options *options)
{
    static const char kinds[] = {'+', '-', '*', '!', 's', 'v'};
    static char text[8192];
    struct clew_cursor *cursor = open_cursor(options);
    struct clew_event event = {.size = sizeof event};
    enum clew_error error;
    size_t size = 0;
    while ((error = clew_cursor_next(cursor, &event)) == CLEW_OK) {
        size += (size_t)snprintf(text + size, sizeof text - size, "%c%u:%u@%llu/%u", kinds[event.kind], event.thread,
                                 event.method, (unsigned long long)event.time_ns, event.depth);
        if (event.kind == CLEW_EVENT_END) {
            size += (size_t)snprintf(text + size, sizeof text - size, "=%llu%s", (unsigned long long)event.took_ns,
                                     event.by_exception ? "!" : "");
        } else if (event.line) {
            size += (size_t)snprintf(text + size, sizeof text - size, "#%u%.*s", event.line, (int)event.name.size,
                                     event.name.data);
        }
        size += (size_t)snprintf(text + size, sizeof text - size, " ");
    }
    assert_int_equal(error, CLEW_NOT_FOUND);
    assert_int_equal(clew_cursor_next(cursor, &event), CLEW_NOT_FOUND); // and it stays so
    text[size] = '\0';
    close_cursor(cursor);
    return text;
}

static void threads_and_windows_limit_the_events(void **state)
{
    (void)state;
    const struct clew_cursor_options worker = {.size = sizeof worker, .thread = 2};
    const struct clew_cursor_options window = {.size = sizeof window, .from_ns = 2000, .to_ns = 3000};
    const struct clew_cursor_options ends = {
        .size = sizeof ends, .kinds = 1u << CLEW_EVENT_END, .from_ns = 3000, .to_ns = 5000};
    make_calls(path);
    assert_string_equal(events(&worker), "+2:23@2050/0 +2:18@2500/1 -2:18@2750/1=250 -2:23@8050/0=6000 ");
    assert_string_equal(events(&window), "-1:19@2000/1=1000 +2:23@2050/0 +2:18@2500/1 -2:18@2750/1=250 +1:22@3000/1 ");
    assert_string_equal(events(&ends), "-1:22@3500/1=500! -1:21@4900/2=800 -1:20@5000/1=1000 ");
}

static void a_variable_has_a_history(void **state)
{
    (void)state;
    const struct clew_cursor_options x = {.size = sizeof x, .variable = "x"};
    struct clew_event event = {.size = sizeof event};
    struct clew_value value = {.size = sizeof value};
    make_sites(path);
    struct clew_cursor *cursor = open_cursor(&x);
    assert_false(clew_cursor_value(cursor, &value)); // no event was asked for yet
    assert_int_equal(clew_cursor_next(cursor, &event), CLEW_OK);
    assert_int_equal(event.kind, CLEW_EVENT_VALUE);
    assert_int_equal(event.method, MAIN);
    assert_int_equal(event.line, 5);
    assert_int_equal(event.file.size, strlen("/srv/shop/Program.cs"));
    assert_true(clew_cursor_value(cursor, &value));
    assert_int_equal(value.kind, CLEW_VALUE_INTEGER);
    assert_int_equal(value.integer, -5);
    assert_int_equal(value.byte_count, 4);
    assert_int_equal(value.type.size, strlen("System.Int32"));
    assert_int_equal(clew_cursor_next(cursor, &event), CLEW_NOT_FOUND);
    assert_false(clew_cursor_value(cursor, &value));
    close_cursor(cursor);
}

static void statements_and_values_know_their_lines(void **state)
{
    (void)state;
    const struct clew_cursor_options statements = {.size = sizeof statements, .kinds = 1u << CLEW_EVENT_STATEMENT};
    make_sites(path);
    assert_string_equal(events(&statements), "s1:16@100/0#4 s1:16@100/0#5 s1:17@100/1#9 s1:16@100/0#6 ");
}

static void each_value_can_be_read(void **state)
{
    (void)state;
    const struct clew_cursor_options values = {.size = sizeof values, .kinds = 1u << CLEW_EVENT_VALUE};
    static const enum clew_value_kind expected[] = {
        CLEW_VALUE_NULL,    CLEW_VALUE_INTEGER, CLEW_VALUE_OBJECT, CLEW_VALUE_INTEGER,
        CLEW_VALUE_STRUCT,  CLEW_VALUE_INTEGER, CLEW_VALUE_STRUCT, CLEW_VALUE_OBJECT,
        CLEW_VALUE_UNKNOWN, CLEW_VALUE_INTEGER, CLEW_VALUE_STRUCT,
    };
    struct clew_event event = {.size = sizeof event};
    struct clew_value value = {.size = sizeof value};
    make_sites(path);
    struct clew_cursor *cursor = open_cursor(&values);
    uint32_t count = 0;
    for (; clew_cursor_next(cursor, &event) == CLEW_OK; count++) {
        assert_true(count < sizeof expected / sizeof *expected);
        assert_true(clew_cursor_value(cursor, &value));
        assert_int_equal(value.kind, expected[count]);
        if (count == 2) {
            assert_int_equal(value.object, 1);
            assert_int_equal(value.text.size, 5);
            assert_memory_equal(value.text.data, "a\n\\b\"", 5);
        }
    }
    assert_int_equal(count, sizeof expected / sizeof *expected);
    close_cursor(cursor);
}

// -- Both directions --------------------------------------------------------------------------------------------------

enum { EVENTS_MAX = 64 };

static struct clew_event all[EVENTS_MAX];

// All events from the place of the cursor on.
static uint32_t read_all(struct clew_cursor *cursor)
{
    uint32_t count = 0;
    struct clew_event event = {.size = sizeof event};
    while (clew_cursor_next(cursor, &event) == CLEW_OK) {
        assert_true(count < EVENTS_MAX);
        all[count++] = event;
    }
    return count;
}

static void expect_event(const struct clew_event *event, uint32_t number)
{
    const struct clew_event *expected = &all[number];
    assert_int_equal(event->kind, expected->kind);
    assert_int_equal(event->thread, expected->thread);
    assert_int_equal(event->method, expected->method);
    assert_int_equal(event->depth, expected->depth);
    assert_int_equal(event->time_ns, expected->time_ns);
    assert_int_equal(event->took_ns, expected->took_ns);
    assert_int_equal(event->ordinal, expected->ordinal);
    assert_int_equal(event->line, expected->line);
    assert_int_equal(event->name.size, expected->name.size);
}

static void expect_next(struct clew_cursor *cursor, uint32_t number, uint32_t count)
{
    struct clew_event event = {.size = sizeof event};
    assert_int_equal(clew_cursor_next(cursor, &event), number < count ? CLEW_OK : CLEW_NOT_FOUND);
    if (number < count) {
        expect_event(&event, number);
    }
}

static void expect_previous(struct clew_cursor *cursor, uint32_t number)
{
    struct clew_event event = {.size = sizeof event};
    assert_int_equal(clew_cursor_previous(cursor, &event), number > 0 ? CLEW_OK : CLEW_NOT_FOUND);
    if (number > 0) {
        expect_event(&event, number - 1);
    }
}

// To the end and back, then with turns everywhere.
static void expect_both_directions(const struct clew_cursor_options *options)
{
    struct clew_cursor *cursor = open_cursor(options);
    uint32_t count = read_all(cursor);
    assert_true(count > 2);
    for (uint32_t i = count + 1; i-- > 0;) {
        expect_previous(cursor, i);
    }
    for (uint32_t i = 0; i <= count; i++) {
        expect_next(cursor, i, count);
    }
    uint32_t at = count;
    for (uint32_t turn = 0; turn < 12 * count; turn++) { // 1 to 5 events back, then up to 4 of them on
        for (uint32_t back = 0; back<1 + turn % 5; back++, at -= at> 0) {
            expect_previous(cursor, at);
        }
        for (uint32_t on = 0; on < turn % 5 + (turn / 5) % 2; on++, at += at < count) {
            expect_next(cursor, at, count);
        }
    }
    assert_int_equal(clew_cursor_seek_time(cursor, UINT64_MAX), CLEW_OK);
    expect_previous(cursor, count);
    assert_int_equal(clew_cursor_seek_time(cursor, 0), CLEW_OK);
    expect_previous(cursor, 0);
    expect_next(cursor, 0, count);
    close_cursor(cursor);
}

// A filter of Main runs at the end, for which Add waits.
static void make_filter(void)
{
    static const struct recording_event made[] = {
        E(100, MAIN),
        E(200, ADD),
        {.clock = START + 300, .kind = RECORDING_FILTER, .remaining = 1},
        E(400, FIB),
    };
    create(path, INSTRUMENT_CALLS, CLOCK_KIND_MONOTONIC);
    define();
    write_stream(1, made, sizeof made / sizeof *made);
    finish(4, 0, 1, true);
}

static void backwards_is_the_reverse_of_forwards(void **state)
{
    (void)state;
    const struct clew_cursor_options calls = {.size = sizeof calls},
                                     window = {.size = sizeof window, .from_ns = 2000, .to_ns = 5000},
                                     ends = {.size = sizeof ends, .kinds = 1u << CLEW_EVENT_END},
                                     values = {.size = sizeof values, .kinds = 1u << CLEW_EVENT_VALUE};
    make_calls(path);
    expect_both_directions(&calls);
    expect_both_directions(&window);
    expect_both_directions(&ends);
    make_numbers(path); // begins with a stack, and loses events
    expect_both_directions(&calls);
    make_filter();
    expect_both_directions(&calls);
    make_sites(path);
    expect_both_directions(&calls);
    expect_both_directions(&values);
}

static void values_are_read_backwards(void **state)
{
    (void)state;
    struct clew_event event = {.size = sizeof event};
    struct clew_value value = {.size = sizeof value};
    const struct clew_cursor_options x = {.size = sizeof x, .variable = "x"};
    make_sites(path);
    struct clew_cursor *cursor = open_cursor(&x);
    assert_int_equal(clew_cursor_seek_time(cursor, UINT64_MAX), CLEW_OK);
    assert_false(clew_cursor_value(cursor, &value));
    assert_int_equal(clew_cursor_previous(cursor, &event), CLEW_OK);
    assert_true(clew_cursor_value(cursor, &value));
    assert_int_equal(value.integer, -5);
    assert_int_equal(clew_cursor_previous(cursor, &event), CLEW_NOT_FOUND);
    assert_false(clew_cursor_value(cursor, &value));
    close_cursor(cursor);
}

// Those that begin in the recording: the numbers of the two that began before are only stated.
static void activations_are_found_by_their_numbers(void **state)
{
    (void)state;
    make_numbers(path);
    struct clew_cursor *cursor = open_cursor(NULL);
    uint32_t count = read_all(cursor), begins = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (all[i].kind == CLEW_EVENT_BEGIN) {
            bool before = all[i].call < 50;
            assert_int_equal(clew_cursor_seek_call(cursor, 1, all[i].call), before ? CLEW_NOT_FOUND : CLEW_OK);
            expect_next(cursor, before ? 0 : i, count);
            begins += !before;
        }
    }
    assert_int_equal(begins, 5);
    assert_int_equal(clew_cursor_seek_call(cursor, 1, 1000), CLEW_NOT_FOUND);
    close_cursor(cursor);
}

static void events_are_found_by_ordinal_and_time(void **state)
{
    (void)state;
    const struct clew_cursor_options window = {.size = sizeof window, .from_ns = 2000, .to_ns = 3000};
    make_calls(path);
    struct clew_cursor *cursor = open_cursor(NULL);
    uint32_t count = read_all(cursor);
    for (uint32_t i = 0; i < count; i++) {
        bool first = i == 0 || all[i - 1].time_ns < all[i].time_ns;
        if (all[i].kind != CLEW_EVENT_OPEN) {
            assert_int_equal(clew_cursor_seek_event(cursor, 1, all[i].thread, all[i].ordinal), CLEW_OK);
            expect_next(cursor, i, count);
        }
        if (first && i > 0 && all[i].kind != CLEW_EVENT_OPEN) {
            assert_int_equal(clew_cursor_seek_time(cursor, all[i - 1].time_ns + 1), CLEW_OK);
            expect_next(cursor, i, count);
        }
    }
    assert_int_equal(clew_cursor_seek_event(cursor, 1, 1, 1000), CLEW_NOT_FOUND);
    assert_int_equal(clew_cursor_seek_event(cursor, 1, 77, 0), CLEW_NOT_FOUND);
    close_cursor(cursor);
    cursor = open_cursor(&window);
    assert_int_equal(clew_cursor_seek_event(cursor, 1, 1, 0), CLEW_NOT_FOUND); // it is before the window
    assert_int_equal(read_all(cursor), 5);
    close_cursor(cursor);
}

// The only value is redacted: its event has no cells.
static void make_redacted(void)
{
    static const struct recording_event made[] = {
        {.clock = START + 100, .kind = RECORDING_ENTER, .method = MAIN},
        AT(11, 0),
        {.clock = START + 400, .kind = RECORDING_LEAVE},
    };
    create(path, INSTRUMENT_CALLS | INSTRUMENT_VALUES, CLOCK_KIND_MONOTONIC);
    define();
    define_sites();
    struct recording_events block = block_with_cells(made, sizeof made / sizeof *made, NULL, 0);
    must(recording_write_events(writer, &block));
    finish(3, 0, 1, true);
}

static void a_value_without_cells_is_unknown(void **state)
{
    (void)state;
    const struct clew_cursor_options values = {.size = sizeof values, .kinds = 1u << CLEW_EVENT_VALUE};
    struct clew_event event = {.size = sizeof event};
    struct clew_value value = {.size = sizeof value};
    make_redacted();
    struct clew_cursor *cursor = open_cursor(&values);
    assert_int_equal(clew_cursor_next(cursor, &event), CLEW_OK);
    assert_int_equal(event.name.size, strlen("password"));
    assert_true(clew_cursor_value(cursor, &value));
    assert_int_equal(value.kind, CLEW_VALUE_UNKNOWN);
    assert_int_equal(value.byte_count, 0);
    assert_int_equal(clew_cursor_next(cursor, &event), CLEW_NOT_FOUND);
    close_cursor(cursor);
}

// Opening finds no damage, and a cursor does: in the first block of the type.
static void expect_damage_in(enum recording_type type)
{
    struct clew_event event = {.size = sizeof event};
    struct clew_value value = {.size = sizeof value};
    struct clew_info before = {.size = sizeof before}, after = {.size = sizeof after};
    make_sites(path);
    damage_block(type, 0);
    assert_int_equal(clew_open(path, &recording), CLEW_OK);
    clew_info(recording, &before);
    struct clew_cursor *cursor = NULL;
    enum clew_error error = clew_cursor_open(recording, NULL, &cursor);
    while (error == CLEW_OK && clew_cursor_next(cursor, &event) == CLEW_OK) {
        (void)clew_cursor_value(cursor, &value);
    }
    clew_cursor_free(cursor);
    clew_info(recording, &after);
    assert_int_equal(before.damaged, 0);
    assert_true(before.complete);
    assert_int_equal(after.damaged, 1);
    assert_false(after.complete);
    clew_close(recording);
}

static void damage_that_a_cursor_meets_is_counted(void **state)
{
    (void)state;
    expect_damage_in(RECORDING_EVENTS);
    expect_damage_in(RECORDING_OBJECTS);
}

static void recordings_without_events_have_no_cursor(void **state)
{
    (void)state;
    struct clew_cursor *cursor;
    make_tree(path, CLOCK_KIND_MONOTONIC, true);
    assert_int_equal(clew_open(path, &recording), CLEW_OK);
    assert_int_equal(clew_cursor_open(recording, NULL, &cursor), CLEW_NOTHING_RECORDED);
    clew_close(recording);
    clew_cursor_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_and_windows_limit_the_events),
        cmocka_unit_test(a_variable_has_a_history),
        cmocka_unit_test(statements_and_values_know_their_lines),
        cmocka_unit_test(each_value_can_be_read),
        cmocka_unit_test(backwards_is_the_reverse_of_forwards),
        cmocka_unit_test(values_are_read_backwards),
        cmocka_unit_test(activations_are_found_by_their_numbers),
        cmocka_unit_test(events_are_found_by_ordinal_and_time),
        cmocka_unit_test(a_value_without_cells_is_unknown),
        cmocka_unit_test(damage_that_a_cursor_meets_is_counted),
        cmocka_unit_test(recordings_without_events_have_no_cursor),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
