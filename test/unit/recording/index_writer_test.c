// The index as it is gathered: entries, parts, marks, and what happens when memory runs out.
#include "payload.h"

#include "memory.h"
#include "recording/index_writer.h"

static struct index_writer writer;

static int release(void **state)
{
    (void)state;
    index_writer_free(&writer);
    return 0;
}

static void add(uint64_t offset, uint32_t type, uint64_t first_clock, uint64_t last_clock)
{
    const struct recording_block entry = {
        .offset = offset, .type = type, .count = 1, .first_clock = first_clock, .last_clock = last_clock};
    index_writer_add(&writer, &entry);
}

static void complete(void)
{
    struct block_header header = index_writer_header(&writer);
    header.stored = (uint32_t)writer.entries.size;
    index_writer_complete(&writer, &header, writer.entries.data);
}

static void a_part_says_what_it_lists(void **state)
{
    (void)state;
    add(100, RECORDING_OBJECTS, 1, 99);
    add(200, RECORDING_EVENTS, 50, 60);
    add(300, RECORDING_EVENTS, 40, 55);
    assert_int_equal(index_writer_header(&writer).count, 3);
    uint64_t size = writer.entries.size;
    complete();
    assert_int_equal(writer.part_count, 1);
    const struct codec_index_part *part = &writer.parts[0].part;
    assert_int_equal(part->begins, 100);
    assert_int_equal(part->count, 3);
    assert_int_equal(part->size, BLOCK_HEADER_SIZE + size);
    assert_int_equal(part->first_clock, 40);
    assert_int_equal(part->last_clock, 60);
    add(400, RECORDING_OBJECTS, 1, 99);
    complete();
    assert_int_equal(writer.parts[1].part.begins, 400);
    assert_int_equal(writer.parts[1].part.count, 1);
    assert_int_equal(writer.parts[1].part.first_clock, UINT64_MAX);
    assert_int_equal(writer.parts[1].part.last_clock, 0);
}

// Each part decodes without the ones before it.
static void a_part_begins_anew(void **state)
{
    (void)state;
    const struct recording_block none = {0};
    struct recording_block found;
    add(100, RECORDING_EVENTS, 50, 60);
    complete();
    add(400, RECORDING_EVENTS, 70, 80);
    struct bytes payload = bytes_of(writer.entries.data, writer.entries.size);
    assert_true(codec_decode_index_entry(&payload, &none, true, &found));
    assert_int_equal(found.offset, 400);
    assert_int_equal(found.first_clock, 70);
}

static void a_mark_is_returned_to(void **state)
{
    (void)state;
    add(100, RECORDING_EVENTS, 50, 60);
    struct buffer before = {0};
    buffer_append(&before, writer.entries.data, writer.entries.size);
    const struct index_mark mark = index_writer_mark(&writer);
    add(200, RECORDING_EVENTS, 10, 90);
    index_writer_return(&writer, &mark);
    assert_int_equal(index_writer_header(&writer).count, 1);
    assert_int_equal(writer.entries.size, before.size);
    assert_memory_equal(writer.entries.data, before.data, before.size);
    assert_int_equal(writer.part.first_clock, 50);
    assert_int_equal(writer.part.last_clock, 60);
    assert_int_equal(writer.last.offset, 100);
    buffer_free(&before);
}

// An entry is missing from then on, so the parts may not be written, however large they were.
static void an_index_without_an_entry_is_no_index(void **state)
{
    (void)state;
    uint64_t offset = 100;
    memory_watched = true;
    for (; writer.entries.size < INDEX_PART_SIZE; offset += 100) {
        add(offset, RECORDING_EVENTS, offset, offset);
    }
    assert_true(index_writer_is_due(&writer));
    memory_fail(1, true);
    for (; !writer.entries.failed; offset += 100) {
        assert_false(writer.failed);
        add(offset, RECORDING_EVENTS, offset, offset);
    }
    memory_fail(0, false);
    memory_watched = false;
    assert_true(writer.failed);
    assert_false(index_writer_is_due(&writer));
    uint32_t count = index_writer_header(&writer).count;
    add(offset, RECORDING_EVENTS, offset, offset);
    assert_int_equal(index_writer_header(&writer).count, count);
    assert_true(writer.failed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_part_says_what_it_lists, release),
        cmocka_unit_test_teardown(a_part_begins_anew, release),
        cmocka_unit_test_teardown(a_mark_is_returned_to, release),
        cmocka_unit_test_teardown(an_index_without_an_entry_is_no_index, release),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
