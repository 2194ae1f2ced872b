// Memory runs out anywhere while a recording is read, written or taken up again: it is said, and what is there stays right:
// no record is invented, nothing whole is called damaged, and once there is memory again everything can be read.
#include "sample.h"

#include "memory.h"
#include "recording/definitions.h"

static char *folder, *path, *hurt;

static int set_up(void **state)
{
    (void)state;
    folder = make_folder();
    path = in_folder(folder, "a.clew");
    hurt = in_folder(folder, "hurt.clew");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    free(path);
    free(hurt);
    remove_folder(folder);
    return 0;
}

// With copies of all definitions before every large block.
static void make(const char *file)
{
    struct recording_writer *writer;
    struct recording_session session = sample_session();
    assert_ok(recording_create(file, &session, &writer));
    recording_copy_every(writer, 0);
    write_sample(writer);
    assert_ok(recording_close(writer, &sample_end));
}

// Whether there is memory again.
static bool memory_is_back(void)
{
    void *some = malloc(1);
    free(some);
    return some;
}

// -- Reading ----------------------------------------------------------------------------------------------------------

struct subject {
    const char *path;
    struct lines lines;
    struct recording_health health;
    struct buffer index; // of recording_block
    unsigned whole;      // plays that read all
};

static void open_subject(struct subject *subject, const char *file)
{
    const struct recording_block *blocks;
    size_t count;
    struct recording_reader *reader;
    *subject = (struct subject){.path = file};
    subject->lines = read_file(file, &subject->health);
    assert_ok(recording_open_reader(file, &reader));
    assert_ok(recording_index(recording_of(reader), &blocks, &count));
    buffer_append(&subject->index, blocks, count * sizeof *blocks);
    recording_close_reader(reader);
}

static void close_subject(struct subject *subject)
{
    lines_free(&subject->lines);
    buffer_free(&subject->index);
}

static void expect_line(const struct subject *subject, size_t number, const struct recording_record *record)
{
    struct buffer text = {0};
    memory_watched = false;
    assert_true(number < subject->lines.count);
    describe_record(&text, record);
    assert_string_equal((const char *)text.data, subject->lines.line[number]);
    assert_int_equal(record->offset, subject->lines.offset[number]);
    buffer_free(&text);
    memory_watched = true;
}

// Reads from the beginning to the end, or to where memory runs out.
static enum clew_error read_pass(const struct subject *subject, struct recording_reader *reader)
{
    struct recording_record record;
    enum clew_error error;
    size_t count = 0;
    assert_ok(recording_rewind(reader, 0));
    while ((error = recording_next(reader, (uint32_t)ALL_TYPES, &record)) == CLEW_OK) {
        expect_line(subject, count++, &record);
    }
    struct recording_health health = recording_health(reader);
    if (error == CLEW_NOT_FOUND) {
        assert_int_equal(count, subject->lines.count);
        assert_memory_equal(&health, &subject->health, sizeof health);
    } else {
        assert_int_equal(error, CLEW_NO_MEMORY);
        assert_true(health.damaged <= subject->health.damaged);
    }
    return error;
}

static void read_index(const struct subject *subject, struct recording_reader *reader)
{
    const struct recording_block *blocks;
    size_t count;
    enum clew_error error = recording_index(recording_of(reader), &blocks, &count);
    if (error == CLEW_OK) {
        assert_int_equal(count * sizeof *blocks, subject->index.size);
        assert_memory_equal(blocks, subject->index.data, subject->index.size);
    } else {
        assert_int_equal(error, CLEW_NO_MEMORY);
        assert_true(memory_refused());
    }
}

static void play_reading(void *context)
{
    struct subject *subject = context;
    struct recording_reader *reader;
    enum clew_error error = recording_open_reader(subject->path, &reader);
    if (error != CLEW_OK) {
        assert_int_equal(error, CLEW_NO_MEMORY);
        assert_true(memory_refused());
        return;
    }
    error = read_pass(subject, reader);
    assert_true(error == CLEW_NOT_FOUND || memory_refused());
    if (error == CLEW_NO_MEMORY && memory_is_back()) {
        assert_int_equal(read_pass(subject, reader), CLEW_NOT_FOUND);
        error = CLEW_NOT_FOUND;
    }
    subject->whole += error == CLEW_NOT_FOUND;
    read_index(subject, reader);
    recording_close_reader(reader);
}

static void fail_while_reading(const char *file)
{
    struct subject subject;
    open_subject(&subject, file);
    memory_fail_in_turn(play_reading, &subject);
    assert_true(subject.whole > 2);
    close_subject(&subject);
}

static void without_memory_reading_is_right_or_stops(void **state)
{
    (void)state;
    make(path);
    fail_while_reading(path);
}

// What a damaged block defined comes from the copies, which the reader keeps account of.
static void without_memory_reading_damage_is_right_or_stops(void **state)
{
    (void)state;
    make(path);
    struct buffer content = load_file(path);
    for (size_t at = 64; at < content.size; at += 104 + read_u32(content.data + at + 20)) {
        uint8_t *payload = content.data + at + 104;
        *payload ^= 0xff;
        store_file(hurt, content.data, content.size);
        *payload ^= 0xff;
        fail_while_reading(hurt);
    }
    buffer_free(&content);
}

// -- Writing ----------------------------------------------------------------------------------------------------------

enum { STEPS = 60, NAME_SIZE = 1200 };

// One record of many kinds, by its number; some replace earlier ones, with names that grow.
static enum clew_error write_step(struct recording_writer *writer, unsigned step)
{
    static const char letters[NAME_SIZE] = {[0 ... NAME_SIZE - 1] = 'x'};
    struct recording_thread thread = sample_thread;
    struct recording_method method = sample_method;
    struct recording_events events = sample_events(step, 0);
    switch (step % 6) {
    case 0:
        method.method += step;
        return recording_write_method(writer, &method);
    case 1:
        thread.thread += step % 4;
        thread.name = (struct text){letters, NAME_SIZE - step};
        return recording_write_thread(writer, &thread);
    case 2:
        return recording_write_events(writer, &events);
    case 3:
        return recording_write_note(writer, &sample_note);
    case 4:
        return recording_write_tree(writer, &sample_tree);
    default:
        return recording_flush(writer);
    }
}

struct attempt {
    bool created, closed;
    bool wrote[STEPS];
};

// The same again with enough memory, of the steps that were said to be written.
static struct lines expected_lines(const struct attempt *attempt)
{
    struct recording_writer *writer;
    struct recording_session session = sample_session();
    assert_ok(recording_create(hurt, &session, &writer));
    for (unsigned i = 0; i < STEPS; i++) {
        if (attempt->wrote[i]) {
            assert_ok(write_step(writer, i));
        }
    }
    assert_ok(recording_close(writer, &sample_end));
    return read_file(hurt, NULL);
}

// All lines of a file that was closed, else those up to somewhere.
static void expect_attempt(const struct attempt *attempt)
{
    struct recording_health health;
    struct lines lines = read_file(path, &health), expected = expected_lines(attempt);
    assert_int_equal(health.damaged, 0);
    assert_int_equal(health.cut_bytes, 0);
    assert_int_equal(health.ended, attempt->closed);
    assert_true(attempt->closed ? lines.count == expected.count : lines.count < expected.count);
    for (size_t i = 0; i < lines.count; i++) {
        assert_string_equal(lines.line[i], expected.line[i]);
    }
    lines_free(&lines);
    lines_free(&expected);
}

static enum clew_error right_or_refused(enum clew_error error)
{
    assert_true(error == CLEW_OK || (error == CLEW_NO_MEMORY && memory_refused()));
    return error;
}

static void play_writing(void *context)
{
    struct attempt attempt = {0};
    struct recording_writer *writer;
    struct recording_session session = sample_session();
    (void)context;
    attempt.created = right_or_refused(recording_create(path, &session, &writer)) == CLEW_OK;
    if (!attempt.created) {
        assert_int_not_equal(access(path, F_OK), 0); // nothing is left behind
        return;
    }
    recording_copy_every(writer, 0);
    for (unsigned i = 0; i < STEPS; i++) {
        bool back = memory_refused() && memory_is_back();
        attempt.wrote[i] = right_or_refused(write_step(writer, i)) == CLEW_OK;
        assert_true(attempt.wrote[i] || !back);
    }
    attempt.closed = right_or_refused(recording_close(writer, &sample_end)) == CLEW_OK;
    memory_watched = false;
    expect_attempt(&attempt);
    (void)unlink(path);
    memory_watched = true;
}

static void without_memory_written_records_remain(void **state)
{
    (void)state;
    memory_fail_in_turn(play_writing, NULL);
}

// -- Definitions kept for copies ----------------------------------------------------------------------------------------

enum { BODIES = 9, KEYS = 2, BODY_SIZE = 400000 }; // so that replaced ones are dropped now and then

struct kept {
    uint8_t bodies[BODIES][BODY_SIZE];
};

// A module's body: process, number, and bytes of its own.
static void make_body(uint8_t *body, unsigned number)
{
    memset(body, (int)(0x10 + number), BODY_SIZE);
    body[0] = 1;
    body[1] = (uint8_t)(number % KEYS);
}

static void play_definitions(void *context)
{
    const struct kept *kept = context;
    struct definitions definitions = {0};
    int newest[KEYS] = {-1, -1};
    for (unsigned i = 0; i < BODIES; i++) {
        bool back = memory_refused() && memory_is_back();
        struct codec_definition definition = {RECORDING_MODULE, i, bytes_of(kept->bodies[i], BODY_SIZE)};
        if (definitions_put(&definitions, &definition)) {
            newest[i % KEYS] = (int)i;
        } else {
            assert_true(memory_refused() && !back);
        }
        for (size_t j = 0; j < definitions.count; j++) {
            struct codec_definition found = definitions_at(&definitions, j);
            assert_int_equal(found.number, newest[found.body.at[1]]);
            assert_int_equal(bytes_left(&found.body), BODY_SIZE);
            assert_memory_equal(found.body.at, kept->bodies[found.number], BODY_SIZE);
        }
    }
    definitions_free(&definitions);
}

static void kept_definitions_stay_whole(void **state)
{
    (void)state;
    struct kept *kept = malloc(sizeof *kept);
    for (unsigned i = 0; i < BODIES; i++) {
        make_body(kept->bodies[i], i);
    }
    memory_fail_in_turn(play_definitions, kept);
    free(kept);
}

// -- Taking up --------------------------------------------------------------------------------------------------------

static void play_resuming(void *context)
{
    const struct buffer *content = context;
    struct recording_writer *writer;
    memory_watched = false;
    store_file(path, content->data, content->size);
    memory_watched = true;
    if (right_or_refused(recording_resume(path, &writer)) == CLEW_OK) {
        (void)right_or_refused(recording_write_note(writer, &sample_note));
        (void)right_or_refused(recording_close(writer, &sample_end));
    }
    memory_watched = false;
    struct recording_health health;
    struct lines lines = read_file(path, &health);
    assert_int_equal(health.damaged, 0);
    lines_free(&lines);
    memory_watched = true;
}

static void play_repair(void *context)
{
    const struct buffer *content = context;
    struct recording_repair repair;
    memory_watched = false;
    store_file(path, content->data, content->size);
    memory_watched = true;
    if (right_or_refused(recording_repair(path, &repair)) == CLEW_OK) {
        assert_false(repair.whole);
        (void)right_or_refused(recording_repair_close(&repair, &sample_end));
    }
    memory_watched = false;
    struct recording_health health;
    struct lines lines = read_file(path, &health);
    assert_int_equal(health.damaged, 0);
    lines_free(&lines);
    memory_watched = true;
}

static void without_memory_resuming_leaves_a_readable_file(void **state)
{
    (void)state;
    make(path);
    struct buffer content = load_file(path);
    content.size -= 60; // within END
    memory_fail_in_turn(play_resuming, &content);
    memory_fail_in_turn(play_repair, &content);
    buffer_free(&content);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(without_memory_reading_is_right_or_stops, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_memory_reading_damage_is_right_or_stops, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_memory_written_records_remain, set_up, tear_down),
        cmocka_unit_test(kept_definitions_stay_whole),
        cmocka_unit_test_setup_teardown(without_memory_resuming_leaves_a_readable_file, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
