// Each definition of the agent becomes one record in the file, in order, and its space in the ring is freed.
#include "one_process.h"

#include "../recording_path.h"
#include "collector/drain/process_parts.h"
#include "trace/await.h"
#include "trace/instrument.h"
#include "trace/site.h"

static const struct ring_options options = {
    .process = 1, .instruments = INSTRUMENT_CALLS, .clock = CLOCK_KIND_TSC, .nodes_max = NODES};

static int set_up(void **state)
{
    *state = open_process(&options, path);
    return 0;
}

static int tear_down(void **state)
{
    return close_process(*state);
}

static enum clew_error take_definitions(struct fixture *fixture)
{
    return process__definitions(fixture->process, &fixture->drain);
}

static bool says(struct text text, const char *expected)
{
    return text_equal(text, text_of(expected));
}

static void each_definition_becomes_its_record(void **state)
{
    struct fixture *fixture = *state;
    struct ring_header *ring = fixture->program;
    struct recording_record record;
    define(ring, &(struct ring_definition){.type = RING_DEFINE_RUNTIME, .name = text_of("CoreCLR 10.0.12")});
    define(ring, &(struct ring_definition){.type = RING_DEFINE_MODULE,
                                           .module = 3,
                                           .flags = MODULE_ENTRY,
                                           .mvid = {7},
                                           .name = text_of("App"),
                                           .path = text_of("/app/App.dll"),
                                           .reason = text_of("why not")});
    define(ring, &(struct ring_definition){.type = RING_DEFINE_METHOD,
                                           .method = METHOD,
                                           .module = 3,
                                           .token = 0x06000005,
                                           .kind = METHOD_KIND_ASYNC,
                                           .name = text_of("App.Main()")});
    define(ring, &(struct ring_definition){.type = RING_DEFINE_NOT_WOVEN,
                                           .module = 3,
                                           .token = 0x06000006,
                                           .name = text_of("App.Odd()"),
                                           .reason = text_of("too odd")});
    define(ring, &(struct ring_definition){.type = RING_DEFINE_COMPILED,
                                           .module = 3,
                                           .token = 0x06000007,
                                           .flags = COMPILED_REFUSED,
                                           .ns = 5000000000,
                                           .kind = METHOD_KIND_LAMBDA,
                                           .name = text_of("App.Fast()")});
    define(ring, &(struct ring_definition){.type = RING_DEFINE_NOTE, .reason = text_of("a word to the user")});
    define(ring, &(struct ring_definition){.type = RING_DEFINE_MODULE_END, .module = 3});
    assert_int_equal(take_definitions(fixture), CLEW_OK);
    struct recording_reader *reader = read_recording(fixture);
    assert_int_equal(count_records(reader, RECORDING_PROCESS, &record), 1);
    assert_true(says(record.process.runtime, "CoreCLR 10.0.12"));
    assert_int_equal(count_records(reader, RECORDING_MODULE, &record), 1); // its end is no record
    assert_true(record.module.process == 1 && record.module.module == 3 && record.module.flags == MODULE_ENTRY);
    assert_true(record.module.mvid[0] == 7 && says(record.module.name, "App"));
    assert_true(says(record.module.path, "/app/App.dll") && says(record.module.reason, "why not"));
    assert_int_equal(count_records(reader, RECORDING_METHOD, &record), 1);
    assert_true(record.method.method == METHOD && record.method.module == 3 && record.method.token == 0x06000005);
    assert_true(record.method.kind == METHOD_KIND_ASYNC && says(record.method.name, "App.Main()"));
    assert_int_equal(count_records(reader, RECORDING_NOT_WOVEN, &record), 1);
    assert_true(record.not_woven.token == 0x06000006 && says(record.not_woven.reason, "too odd"));
    assert_int_equal(count_records(reader, RECORDING_COMPILED, &record), 1);
    assert_true(record.compiled.process == 1 && record.compiled.module == 3 && record.compiled.token == 0x06000007);
    assert_true(record.compiled.flags == COMPILED_REFUSED && record.compiled.ns == 5000000000);
    assert_true(record.compiled.kind == METHOD_KIND_LAMBDA && says(record.compiled.name, "App.Fast()"));
    assert_int_equal(count_records(reader, RECORDING_NOTE, &record), 1);
    assert_true(record.note.process == 1 && says(record.note.text, "a word to the user"));
    recording_close_reader(reader);
}

static void sites_types_and_documents_keep_their_numbers(void **state)
{
    struct fixture *fixture = *state;
    struct recording_record record;
    struct buffer blob = {0};
    const struct site site = {.kind = SITE_STATEMENT, .il_offset = 4};
    sites_encode(&blob, &site, 1);
    define(fixture->program,
           &(struct ring_definition){
               .type = RING_DEFINE_SITES, .method = METHOD, .number = 12, .blob = bytes_of(blob.data, blob.size)});
    define(fixture->program,
           &(struct ring_definition){
               .type = RING_DEFINE_TYPE, .number = 5, .module = 3, .token = 0x02000002, .blob = bytes_of("type", 4)});
    define(fixture->program, &(struct ring_definition){.type = RING_DEFINE_DOCUMENT,
                                                       .module = 3,
                                                       .number = 2,
                                                       .kind = HASH_SHA256,
                                                       .path = text_of("/src/App.cs"),
                                                       .blob = bytes_of("hash", 4)});
    assert_int_equal(take_definitions(fixture), CLEW_OK);
    struct recording_reader *reader = read_recording(fixture);
    assert_int_equal(count_records(reader, RECORDING_SITES, &record), 1);
    assert_true(record.sites.method == METHOD && record.sites.first == 12);
    assert_int_equal(count_records(reader, RECORDING_TYPE, &record), 1);
    assert_true(record.value_type.type == 5 && record.value_type.module == 3);
    assert_int_equal(count_records(reader, RECORDING_DOCUMENT, &record), 1);
    assert_true(record.document.module == 3 && record.document.document == 2);
    assert_true(says(record.document.path, "/src/App.cs"));
    recording_close_reader(reader);
    buffer_free(&blob);
}

static void a_body_s_places_of_await_are_checked(void **state)
{
    struct fixture *fixture = *state;
    struct recording_record record;
    struct buffer places = {0};
    for (uint32_t i = 0; i < 2; i++) {
        await_encode(&places, &(struct await){.state = i, .offset = 70 * i, .what = text_of("Repo.LoadAsync")});
    }
    struct ring_definition definition = {
        .type = RING_DEFINE_ASYNC, .method = 17, .number = 16, .blob = bytes_of(places.data, places.size)};
    define(fixture->program, &definition);
    assert_int_equal(take_definitions(fixture), CLEW_OK);
    definition.blob = bytes_of(places.data, places.size - 1); // the last one is cut
    define(fixture->program, &definition);
    assert_int_equal(take_definitions(fixture), CLEW_MALFORMED);
    struct recording_reader *reader = read_recording(fixture);
    assert_int_equal(count_records(reader, RECORDING_ASYNC, &record), 1);
    assert_true(record.async.process == 1 && record.async.body == 17 && record.async.kickoff == 16);
    assert_int_equal(bytes_left(&record.async.awaits), places.size);
    assert_memory_equal(record.async.awaits.at, places.data, places.size);
    recording_close_reader(reader);
    buffer_free(&places);
}

// A thread's name may be defined before its first event, or change later.
static void a_thread_s_name_is_in_its_newest_record(void **state)
{
    struct fixture *fixture = *state;
    struct recording_record record;
    struct ring_definition name = {.type = RING_DEFINE_THREAD, .os_id = NOBODY, .name = text_of("Worker")};
    define(fixture->program, &name);
    assert_int_equal(take_definitions(fixture), CLEW_OK); // nothing of the thread is known yet
    assert_int_equal(fixture->process->slot_count, 0);
    start_thread(fixture->program);
    pass(fixture);
    name.name = text_of("Worker 2");
    define(fixture->program, &name);
    define(fixture->program,
           &(struct ring_definition){.type = RING_DEFINE_THREAD, .os_id = 1, .name = text_of("Idle")});
    assert_int_equal(take_definitions(fixture), CLEW_OK);
    struct recording_reader *reader = read_recording(fixture);
    assert_int_equal(count_records(reader, RECORDING_THREAD, &record), 2); // none of one that has recorded nothing
    assert_true(record.thread.thread == 1 && says(record.thread.name, "Worker 2"));
    assert_int_equal(recording_rewind(reader, 0), CLEW_OK);
    assert_int_equal(recording_next(reader, 1u << RECORDING_THREAD, &record), CLEW_OK);
    assert_true(says(record.thread.name, "Worker"));
    recording_close_reader(reader);
}

static void written_definitions_free_their_room(void **state)
{
    struct fixture *fixture = *state;
    static char name[1 << 10];
    memset(name, 'n', sizeof name - 1);
    for (int i = 0; i < 40; i++) { // together more than the ring holds
        for (int j = 0; j < 64; j++) {
            define(fixture->program, &(struct ring_definition){.type = RING_DEFINE_NOTE, .reason = text_of(name)});
        }
        assert_int_equal(take_definitions(fixture), CLEW_OK);
        assert_int_equal(atomic_load(&fixture->program->definitions_read),
                         atomic_load(&fixture->program->definitions_written));
    }
}

// A collector that is killed between reading and writing a definition leaves it to the next one.
static void malformed_definitions_stay_in_the_ring(void **state)
{
    struct fixture *fixture = *state;
    uint64_t before = atomic_load(&fixture->program->definitions_read);
    define(fixture->program,
           &(struct ring_definition){.type = RING_DEFINE_SITES, .number = 1, .blob = bytes_of("\xff\xff\xff", 3)});
    assert_int_equal(take_definitions(fixture), CLEW_MALFORMED);
    assert_int_equal(atomic_load(&fixture->program->definitions_read), before);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_definition_becomes_its_record),      TEST(sites_types_and_documents_keep_their_numbers),
        TEST(a_thread_s_name_is_in_its_newest_record), TEST(written_definitions_free_their_room),
        TEST(malformed_definitions_stay_in_the_ring),  TEST(a_body_s_places_of_await_are_checked),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
