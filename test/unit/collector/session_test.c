// Whole sessions without a runtime, from the start of the program to the end of the recording, with a flight recorder
// too.
#include "played_file.h"
#include "trace/instrument.h"

static void run_to_the_end(bool sites)
{
    struct orders given = {.what = "run", .events = 300000, .sites = sites};
    struct supervised supervised = record(&given, 0);
    assert_true(WIFEXITED(supervised.status));
    assert_int_equal(WEXITSTATUS(supervised.status), 7);
    assert_false(supervised.took_over);
    struct found found = read_all();
    check_against_truth(&found, true, sites);
    assert_true(found.end.complete);
    assert_int_equal(found.end.threads, THREADS);
    assert_int_equal(found.end.events, THREADS * given.events / 2 * (sites ? 3 : 2));
}

static void runs_to_its_end(void **state)
{
    (void)state;
    run_to_the_end(false);
    run_to_the_end(true);
}

// In a session without trees, calls over the cap are no loss.
static void only_sessions_with_trees_report_the_cap(void **state)
{
    (void)state;
    static const uint32_t instruments[] = {INSTRUMENT_TREE, INSTRUMENT_CALLS, INSTRUMENT_TREE | INSTRUMENT_CALLS};
    for (size_t i = 0; i < sizeof instruments / sizeof *instruments; i++) {
        struct orders given = {.what = "run", .events = 1000, .instruments = instruments[i]};
        (void)record(&given, 0);
        assert_int_equal(read_all().over_cap, (instruments[i] & INSTRUMENT_TREE) != 0);
    }
}

// A flight recorder has the complete end of each stream, with the activations that run at its start. A thread that
// ended early may be missing.
static void keeps_the_last(void **state)
{
    (void)state;
    struct orders given = {.what = "run", .events = 400000, .throttle = 2000};
    struct recording_reader *reader;
    struct recording_record record_read;
    uint64_t words[THREADS] = {0}, kept = 0;
    (void)record(&given, SESSION_KEEP_LAST);
    assert_int_equal(recording_open_reader(recording, &reader), CLEW_OK);
    while (recording_next(reader, 1u << RECORDING_EVENTS, &record_read) == CLEW_OK) {
        const struct recording_events *block = &record_read.events;
        uint32_t thread = block->thread - 1;
        uint64_t at = block->position / 2 % (2 * NEST); // events of two cells
        assert_true(words[thread] == 0 || words[thread] == block->position);
        assert_int_equal(block->depth, at < NEST ? at : 2 * NEST - at);
        words[thread] = block->position + block->words;
        kept += block->words;
    }
    recording_close_reader(reader);
    int whole = 0;
    for (int i = 0; i < THREADS; i++) {
        assert_true(words[i] == 2 * given.events || words[i] == 0);
        whole += words[i] == 2 * given.events;
    }
    assert_true(whole > 0);
    assert_true(kept < THREADS * given.events / 4);
    assert_true(kept >= 10000);
}

// The position of the object among those of its thread.
static bool *described_at(bool *described, uint32_t object)
{
    uint32_t thread = (object - 1) % THREADS, number = (object - 1) / THREADS / OBJECT_EVERY;
    return &described[(size_t)number * THREADS + thread];
}

// Each object that a kept event refers to is described before it, however old the object is; few others are described.
static void keeps_the_objects_that_are_named(void **state)
{
    (void)state;
    struct orders given = {.what = "run", .events = 400000, .throttle = 2000, .sites = true};
    struct recording_reader *reader;
    struct recording_record record_read;
    uint64_t told = THREADS * given.events / OBJECT_EVERY, objects = 0, kept = 0;
    bool *described = calloc(told, sizeof *described);
    (void)record(&given, SESSION_KEEP_LAST);
    assert_int_equal(recording_open_reader(recording, &reader), CLEW_OK);
    while (recording_next(reader, 1u << RECORDING_EVENTS | 1u << RECORDING_OBJECTS, &record_read) == CLEW_OK) {
        for (uint32_t i = 0; record_read.type == RECORDING_OBJECTS && i < record_read.objects.count; i++) {
            const struct recording_object *object = &record_read.objects.objects[i];
            assert_true(object->type == 1 && object->size == 24);
            *described_at(described, object->object) = true;
            objects++;
        }
        const struct recording_events *events = &record_read.events;
        for (uint32_t i = 0; record_read.type == RECORDING_EVENTS && i < events->count; i++) {
            if (events->events[i].kind == RECORDING_AT_SITE) {
                assert_true(*described_at(described, events->cells[events->events[i].cell]));
                kept++;
            }
        }
    }
    recording_close_reader(reader);
    free(described);
    assert_true(kept > 1000);
    assert_true(objects < told / 2);
}

int main(int argc, char **argv)
{
    if (argc > 6 && strcmp(argv[1], "program") == 0) {
        return be_program(argv);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_to_its_end),
        cmocka_unit_test(only_sessions_with_trees_report_the_cap),
        cmocka_unit_test(keeps_the_last),
        cmocka_unit_test(keeps_the_objects_that_are_named),
    };
    return cmocka_run_group_tests(tests, playing_set_up, playing_tear_down);
}
