// Events of sites, objects, sources and counters: what is written is read again, whatever its layout and size, and what a
// writer cannot know how to write is refused.
#include "place.h"
#include "random.h"
#include "recording/block.h"
#include "trace/payload.h"

enum { SITES = 12000, CELLS_MAX = 1 << 20, BYTES_MAX = 40 };

static struct site sites[SITES]; // sites[i] is number i + 1
static struct recording_event events[RECORDING_EVENTS_WANTED];
static uint32_t cells[CELLS_MAX];

static void make_sites(void)
{
    for (size_t i = 0; i < SITES; i++) {
        sites[i] = (struct site){
            .kind = (enum site_kind)(next_random() % (SITE_ALLOCATION + 1)),
            .place = (enum site_place)(next_random() % (PLACE_RESULT + 1)),
            .owner = (enum site_owner)(next_random() % (OWNER_PARAMETER + 1)),
            .encoding = (enum site_encoding)(next_random() % (VALUE_TYPED + 1)),
            .size = (uint32_t)(next_random() % BYTES_MAX),
        };
    }
}

static void define_sites(struct recording_writer *writer, uint32_t process)
{
    struct buffer blob = {0};
    for (uint32_t i = 0; i < SITES; i += 100) {
        buffer_clear(&blob);
        sites_encode(&blob, sites + i, 100);
        struct recording_sites record = {process, 16 + i, i + 1, bytes_of(blob.data, blob.size), {0}};
        assert_ok(recording_write_sites(writer, &record));
    }
    buffer_free(&blob);
}

static void put_cell(struct recording_events *block, uint64_t value)
{
    cells[block->cell_count++] = (uint32_t)value;
}

static void put_payload(struct recording_events *block, const struct site *site)
{
    for (uint32_t i = payload_cells(site); i > 0; i--) {
        put_cell(block, next_random() % 4 ? random_number() : UINT64_MAX);
    }
    if (site->encoding == VALUE_TYPED) {
        uint32_t bytes = (uint32_t)(next_random() % BYTES_MAX);
        put_cell(block, random_number());
        put_cell(block, bytes);
        for (uint32_t i = 0; i < bytes; i += 4) {
            put_cell(block, random_number());
        }
    }
}

// `range`: how many sites there are to choose from.
static struct recording_events random_block(uint32_t range)
{
    struct recording_events block = {.process = 1, .thread = 1, .first_clock = random_number(), .events = events};
    uint64_t clock = block.first_clock;
    uint32_t site = 0;
    block.cells = cells;
    block.count = (uint32_t)(next_random() % RECORDING_EVENTS_WANTED);
    for (uint32_t i = 0; i < block.count; i++) {
        clock += next_random() % 8 == 0 ? random_number() : 0;
        if (next_random() % 8 == 0) {
            events[i] = (struct recording_event){
                .clock = clock, .kind = RECORDING_ENTER, .method = (uint32_t)random_number() | METHOD_FIRST_REAL};
            continue;
        }
        site = next_random() % 3 ? (site + 1) % range : (uint32_t)(next_random() % range);
        events[i] = (struct recording_event){
            .clock = clock, .kind = RECORDING_AT_SITE, .site = site + 1, .cell = block.cell_count};
        put_payload(&block, &sites[site]);
    }
    block.last_clock = clock;
    return block;
}

static void assert_same_events(const struct recording_events *got, const struct recording_events *expected)
{
    assert_int_equal(got->count, expected->count);
    for (uint32_t i = 0; i < got->count; i++) {
        const struct recording_event *a = &got->events[i], *b = &expected->events[i];
        assert_true(a->clock == b->clock && a->kind == b->kind && a->method == b->method && a->cell == b->cell);
    }
    assert_int_equal(got->cell_count, expected->cell_count);
    if (got->cell_count > 0) {
        assert_memory_equal(got->cells, expected->cells, got->cell_count * sizeof *got->cells);
    }
    assert_int_equal(got->box_count, expected->box_count);
    for (uint32_t i = 0; i < got->box_count; i++) {
        const struct recording_box *a = &got->boxes[i], *b = &expected->boxes[i];
        assert_true(a->event == b->event && a->object == b->object && a->size == b->size);
        assert_memory_equal(got->box_cells + a->at, expected->box_cells + b->at, a->size);
    }
}

enum { BOXES = 300 };
static struct recording_box boxes[BOXES];
static uint32_t box_cells[BOXES];

// As many as there may be, of any size, in the order of their events.
static void add_boxes(struct recording_events *block)
{
    uint32_t event = 0;
    for (uint32_t i = 0; i < BOXES; i++) {
        box_cells[i] = (uint32_t)random_number();
        event += next_random() % 4 ? 0 : (uint32_t)(next_random() % (block->count - event));
        uint32_t at = (uint32_t)(next_random() % BOXES);
        boxes[i] = (struct recording_box){event, (uint32_t)random_number(),
                                          (uint32_t)(next_random() % 80) % (4 * (BOXES - at) + 1), at};
    }
    block->box_count = BOXES;
    block->boxes = boxes;
    block->box_cell_count = BOXES;
    block->box_cells = box_cells;
}

// Without payloads, the events are the same otherwise, in a pass and by the offset of their block.
static void compare_without_payloads(const struct recording_events *block)
{
    struct recording_reader *reader = open_recording();
    struct recording_record record;
    recording_want_no_payloads(reader);
    for (int i = 0; i < 2; i++) {
        assert_ok(i == 0 ? recording_next(reader, 1u << RECORDING_EVENTS, &record)
                         : recording_read(reader, record.offset, RECORDING_EVENTS, &record));
        assert_int_equal(record.events.count, block->count);
        assert_int_equal(record.events.cell_count, 0);
        for (uint32_t k = 0; k < block->count; k++) {
            const struct recording_event *got = &record.events.events[k], *expected = &block->events[k];
            assert_true(got->kind == expected->kind && got->method == expected->method &&
                        got->clock == expected->clock);
        }
    }
    recording_close_reader(reader);
}

// Whether a search for the method finds the block, which was written.
static bool finds(uint32_t method)
{
    static uint8_t methods[1 << 16];
    struct recording_reader *reader = open_recording();
    struct recording_record record;
    const struct recording_search search = {methods, sizeof methods - 1};
    assert_true(method < search.count);
    memset(methods, 0, sizeof methods);
    methods[method] = 1;
    recording_want_calls_of(reader, &search);
    assert_ok(recording_next(reader, 1u << RECORDING_EVENTS, &record));
    assert_null(record.events.events);
    bool found = record.events.found;
    recording_close_reader(reader);
    return found;
}

static void write_calls(const struct recording_event *calls, uint32_t count)
{
    struct recording_writer *writer = create();
    define_sites(writer, 1);
    assert_ok(recording_write_events(
        writer,
        &(struct recording_events){.process = 1, .thread = 1, .events = calls, .count = count, .cells = cells}));
    assert_ok(recording_close(writer, NULL));
}

// In a block with sites or without, by a number of one byte or of more. Events that are neither entry, exit nor site are always
// found.
static void calls_are_found_without_their_events(void **state)
{
    (void)state;
    make_sites();
    sites[0] = (struct site){.kind = SITE_STATEMENT};
    for (uint32_t method = 20; method < 40000; method = method * 3 + 1) {
        struct recording_event calls[] = {{.kind = RECORDING_ENTER, .method = 17},
                                          {.kind = RECORDING_ENTER, .method = method},
                                          {.kind = RECORDING_LEAVE},
                                          {.kind = RECORDING_UNWIND}};
        enum { COUNT = sizeof calls / sizeof *calls };
        write_calls(calls, COUNT);
        assert_true(finds(method) && finds(17) && !finds(method + 1) && !finds(18));
        calls[2] = (struct recording_event){.kind = RECORDING_AT_SITE, .site = 1};
        write_calls(calls, COUNT);
        assert_true(finds(method) && finds(17) && !finds(method + 1) && !finds(18));
        calls[2] = (struct recording_event){.kind = RECORDING_LOST, .lost = 1};
        write_calls(calls, COUNT);
        assert_true(finds(18));
    }
}

static void write_and_compare(const struct recording_events *block)
{
    struct recording_writer *writer = create();
    struct recording_reader *reader;
    struct recording_record record;
    define_sites(writer, 1);
    assert_ok(recording_write_events(writer, block));
    assert_ok(recording_write_events(writer, block)); // tables start anew
    assert_ok(recording_close(writer, NULL));
    assert_ok(recording_open_reader(path, &reader));
    for (int i = 0; i < 2; i++) {
        assert_ok(recording_next(reader, 1u << RECORDING_EVENTS, &record));
        assert_same_events(&record.events, block);
    }
    recording_close_reader(reader);
    compare_without_payloads(block);
}

static void random_payloads_decode_to_themselves(void **state)
{
    (void)state;
    for (uint64_t i = 1; i <= 30; i++) {
        seed = i;
        make_sites();
        struct recording_events block = random_block(i % 3 == 0 ? SITES : i % 3 == 1 ? 5 : 100);
        if (i % 2 && block.count > 0) {
            add_boxes(&block);
        }
        write_and_compare(&block);
    }
}

// A block says itself how its sites look: neither damage to definitions nor a start in the middle loses more.
static void a_block_needs_no_definitions(void **state)
{
    (void)state;
    seed = 77;
    make_sites();
    struct recording_events block = random_block(100);
    struct recording_writer *writer = create();
    struct recording_reader *reader;
    struct recording_record record;
    define_sites(writer, 1);
    assert_ok(recording_write_events(writer, &block));
    assert_ok(recording_write_events(writer, &block));
    assert_ok(recording_close(writer, NULL));
    assert_ok(recording_open_reader(path, &reader));
    assert_ok(recording_next(reader, 1u << RECORDING_EVENTS, &record));
    assert_ok(recording_next(reader, 1u << RECORDING_EVENTS, &record));
    uint64_t second = record.offset;
    recording_close_reader(reader);
    struct buffer content = load_file(path);
    memset(content.data + 64, 0, 300); // SESSION, and the first DEFINITIONS
    store_file(path, content.data, content.size);
    assert_ok(recording_open_reader(path, &reader));
    assert_ok(recording_rewind(reader, second));
    assert_ok(recording_next(reader, 1u << RECORDING_EVENTS, &record));
    assert_same_events(&record.events, &block);
    recording_close_reader(reader);
    buffer_free(&content);
}

static void expect_refused(struct recording_writer *writer, const struct recording_events *block)
{
    uint64_t size = recording_size(writer);
    assert_int_equal(recording_write_events(writer, block), CLEW_MALFORMED);
    assert_int_equal(recording_size(writer), size);
}

static void payloads_that_do_not_fit_their_site_are_refused(void **state)
{
    (void)state;
    struct recording_writer *writer = create();
    struct recording_events block = sample_statements(0);
    expect_refused(writer, &block); // no sites at all
    write_sample_sites(writer);
    assert_ok(recording_flush(writer));
    block.process = 2;
    expect_refused(writer, &block); // those of another process
    block.process = 1;
    for (uint32_t count = 0; count < block.cell_count; count++) {
        struct recording_events cut = block;
        cut.cell_count = count;
        expect_refused(writer, &cut);
    }
    struct recording_event unknown = {.kind = RECORDING_AT_SITE, .method = 11};
    struct recording_events other = {.process = 1, .thread = 1, .count = 1, .events = &unknown};
    expect_refused(writer, &other);
    unknown.method = UINT32_MAX;
    expect_refused(writer, &other);
    unknown.site = 2;
    unknown.cell = UINT64_MAX;
    expect_refused(writer, &other);
    uint32_t more[64] = {0};
    memcpy(more, block.cells, block.cell_count * sizeof *more);
    struct recording_events longer = block;
    longer.cells = more;
    longer.cell_count++;
    expect_refused(writer, &longer);
    block.words = UINT64_C(1) << 32;
    assert_int_equal(recording_write_events(writer, &block), CLEW_UNSUPPORTED);
    block.words--;
    assert_ok(recording_write_events(writer, &block));
    assert_ok(recording_close(writer, NULL));
}

static void boxes_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    static const struct recording_event two[] = {{.kind = RECORDING_LEAVE}, {.kind = RECORDING_LEAVE}};
    static const uint32_t content[4] = {1, 2, 3, 4};
    static const struct recording_box odd[][2] = {{{0, 7, 8, 0}, {2, 7, 8, 0}},  // no such event
                                                  {{1, 7, 8, 0}, {0, 7, 8, 0}},  // not in order
                                                  {{0, 7, 8, 0}, {1, 7, 13, 1}}, // more than there is
                                                  {{0, 7, 8, 0}, {1, 7, 1, 4}},
                                                  {{0, 7, UINT32_MAX, 0}, {1, 7, 8, 0}}};
    struct recording_writer *writer = create();
    struct recording_events block = {.process = 1,
                                     .thread = 1,
                                     .count = 2,
                                     .events = two,
                                     .box_count = 2,
                                     .box_cell_count = 4,
                                     .box_cells = content};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        block.boxes = odd[i];
        expect_refused(writer, &block);
    }
    assert_ok(recording_close(writer, NULL));
}

// Without sites too: calls may be all that follows.
static void boxes_need_no_sites(void **state)
{
    (void)state;
    static const struct recording_event leave = {.clock = 3, .kind = RECORDING_LEAVE};
    static const uint32_t content[4] = {1, 2, 3, 4};
    static const struct recording_box seven = {0, 7, 13, 0};
    struct recording_events block = {.process = 1,
                                     .thread = 1,
                                     .first_clock = 3,
                                     .last_clock = 3,
                                     .count = 1,
                                     .events = &leave,
                                     .box_count = 1,
                                     .boxes = &seven,
                                     .box_cell_count = 4,
                                     .box_cells = content};
    write_and_compare(&block);
}

// Definitions that a wild pointer wrote harm nothing but themselves.
static void malformed_sites_are_not_kept(void **state)
{
    (void)state;
    struct recording_writer *writer = create();
    struct buffer blob = {0};
    struct site huge = {.encoding = VALUE_STRUCT, .size = UINT32_MAX};
    sites_encode(&blob, &huge, 1);
    struct recording_sites record = {1, 16, 1, bytes_of(blob.data, blob.size), {0}};
    assert_ok(recording_write_sites(writer, &record));
    record.first = UINT32_MAX;
    assert_ok(recording_write_sites(writer, &record));
    record.blob = bytes_of("\xff\xff\xff", 3);
    assert_ok(recording_write_sites(writer, &record));
    struct recording_event event = {.kind = RECORDING_AT_SITE, .method = 1};
    struct recording_events block = {.process = 1, .thread = 1, .count = 1, .events = &event};
    assert_ok(recording_flush(writer));
    expect_refused(writer, &block);
    assert_ok(recording_close(writer, NULL));
    buffer_free(&blob);
}

// A writer that takes over knows the sites, from definitions and from copies alike.
static void a_resumed_writer_knows_the_sites(void **state)
{
    (void)state;
    struct recording_events block = sample_statements(0);
    struct recording_writer *writer = create();
    write_sample_sites(writer);
    assert_ok(recording_close(writer, NULL));
    assert_ok(recording_resume(path, &writer));
    recording_copy_every(writer, 0);
    assert_ok(recording_write_events(writer, &block));
    assert_ok(recording_close(writer, NULL));
    struct buffer content = load_file(path);
    uint64_t definitions = 64 + 104 + read_u32(content.data + 64 + 20);
    content.data[definitions + 104] ^= 1; // the copy behind it holds
    store_file(path, content.data, content.size);
    assert_ok(recording_resume(path, &writer));
    block.position += block.words;
    assert_ok(recording_write_events(writer, &block));
    assert_ok(recording_close(writer, NULL));
    buffer_free(&content);
}

static void many_objects_take_several_blocks(void **state)
{
    (void)state;
    enum { COUNT = 50000, TEXTS = 12 };
    struct recording_object *objects = calloc(COUNT, sizeof *objects);
    char *text = malloc(RECORDING_TEXT_MAX + 10);
    memset(text, 'x', RECORDING_TEXT_MAX + 10);
    seed = 5;
    for (uint32_t i = 0; i < COUNT; i++) {
        objects[i] = (struct recording_object){i + (uint32_t)(next_random() % 20),
                                               (uint32_t)random_number(),
                                               random_number(),
                                               random_number(),
                                               {"short", next_random() % 6},
                                               i < COUNT / 2 || i % 3 ? 0 : (uint32_t)(next_random() % i)};
        if (i >= COUNT - TEXTS) {
            objects[i].text = (struct text){text, RECORDING_TEXT_MAX + i % 10};
        }
    }
    struct recording_writer *writer = create();
    struct recording_objects all = {.process = 3, .count = COUNT, .objects = objects};
    assert_ok(recording_write_objects(writer, &all));
    assert_ok(recording_close(writer, NULL));
    struct recording_record record;
    struct recording_reader *reader = open_recording();
    uint32_t done = 0, blocks = 0;
    for (; recording_next(reader, 1u << RECORDING_OBJECTS, &record) == CLEW_OK; blocks++) {
        assert_int_equal(record.objects.process, 3);
        for (uint32_t i = 0; i < record.objects.count; i++, done++) {
            struct recording_object got = record.objects.objects[i];
            assert_true(got.object >= record.objects.lowest && got.object <= record.objects.highest);
            size_t size = objects[done].text.size > RECORDING_TEXT_MAX ? RECORDING_TEXT_MAX : objects[done].text.size;
            assert_int_equal(got.text.size, size);
            assert_memory_equal(got.text.at, objects[done].text.at, size);
            got.text = objects[done].text;
            assert_true(got.object == objects[done].object && got.type == objects[done].type &&
                        got.size == objects[done].size && got.length == objects[done].length &&
                        got.perhaps == objects[done].perhaps);
        }
    }
    assert_int_equal(done, COUNT);
    assert_true(blocks >= COUNT / 16384 + TEXTS / 4);
    recording_close_reader(reader);
    free(objects);
    free(text);
}

// What finds an object by its number and a source by its document without reading the file, and counts events.
static void the_index_lists_the_content_of_blocks(void **state)
{
    (void)state;
    make_sample();
    for (int built = 0; built < 2; built++) {
        struct recording_reader *reader;
        const struct recording_block *blocks;
        size_t count, found = 0;
        assert_ok(recording_open_reader(path, &reader));
        assert_ok(recording_index(recording_of(reader), &blocks, &count));
        for (size_t i = 0; i < count; i++) {
            if (blocks[i].type == RECORDING_OBJECTS) {
                bool links = blocks[i].process == 2;
                assert_int_equal(blocks[i].first_clock, links ? 2 : 5);
                assert_int_equal(blocks[i].last_clock, links ? 10 : UINT32_MAX);
                assert_int_equal(blocks[i].count, 3);
                assert_int_equal(blocks[i].flags & BLOCK_LINKS, links ? BLOCK_LINKS : 0);
                found++;
            }
            if (blocks[i].type == RECORDING_EVENTS) {
                bool third = blocks[i].thread == 3;
                assert_int_equal(blocks[i].statements, third ? 1 : 0);
                assert_int_equal(blocks[i].values, third ? 13 : 0);
            }
            if (blocks[i].type == RECORDING_SOURCE) {
                found += blocks[i].first_clock == 2 && blocks[i].last_clock <= 2 && blocks[i].process == 1;
            }
        }
        assert_int_equal(found, 4);
        recording_close_reader(reader);
        struct stat status;
        assert_int_equal(stat(path, &status), 0);
        assert_int_equal(truncate(path, status.st_size - 152), 0); // END: the index is built anew
    }
}

static void a_source_may_be_large_but_not_huge(void **state)
{
    (void)state;
    enum { LARGE = 63 << 20 };
    char *text = malloc(LARGE);
    memset(text, 'x', LARGE);
    struct recording_writer *writer = create();
    struct recording_source source = {.of = {1, 2, 3}, .text = {text, LARGE}};
    assert_ok(recording_write_source(writer, &source));
    source.text.size += 1 << 20;
    char *huge = realloc(text, source.text.size);
    source.text.at = huge;
    memset(huge + LARGE, 'y', 1 << 20);
    assert_int_equal(recording_write_source(writer, &source), CLEW_UNSUPPORTED);
    assert_ok(recording_close(writer, NULL));
    struct recording_record record;
    struct recording_reader *reader = open_recording();
    assert_ok(recording_next(reader, 1u << RECORDING_SOURCE, &record));
    assert_int_equal(record.source.text.size, LARGE);
    assert_memory_equal(record.source.text.at, huge, LARGE);
    assert_int_equal(recording_next(reader, 1u << RECORDING_SOURCE, &record), CLEW_NOT_FOUND);
    recording_close_reader(reader);
    free(huge);
}

static void many_counters_take_several_blocks(void **state)
{
    (void)state;
    enum { COUNT = 200000 };
    struct recording_counter *counters = calloc(COUNT, sizeof *counters);
    for (uint32_t i = 0; i < COUNT; i++) {
        counters[i] = (struct recording_counter){i * 3 + 1, random_number(), random_number()};
    }
    struct recording_writer *writer = create();
    struct recording_counters all = {.process = 1, .clock = 5, .count = COUNT, .counters = counters};
    assert_ok(recording_write_counters(writer, &all));
    counters[7].site = counters[6].site;
    assert_int_equal(recording_write_counters(writer, &all), CLEW_UNSUPPORTED);
    counters[7].site++;
    assert_ok(recording_close(writer, NULL));
    struct recording_record record;
    struct recording_reader *reader = open_recording();
    uint32_t done = 0;
    counters[7].site = 7 * 3 + 1;
    while (recording_next(reader, 1u << RECORDING_COUNTERS, &record) == CLEW_OK) {
        for (uint32_t i = 0; i < record.counters.count; i++, done++) {
            const struct recording_counter *got = &record.counters.counters[i], *put = &counters[done];
            assert_true(got->site == put->site && got->count == put->count && got->own == put->own);
        }
    }
    assert_int_equal(done, COUNT);
    recording_close_reader(reader);
    free(counters);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(random_payloads_decode_to_themselves, make_place, remove_place),
        cmocka_unit_test_setup_teardown(calls_are_found_without_their_events, make_place, remove_place),
        cmocka_unit_test_setup_teardown(a_block_needs_no_definitions, make_place, remove_place),
        cmocka_unit_test_setup_teardown(payloads_that_do_not_fit_their_site_are_refused, make_place, remove_place),
        cmocka_unit_test_setup_teardown(boxes_that_do_not_fit_are_refused, make_place, remove_place),
        cmocka_unit_test_setup_teardown(boxes_need_no_sites, make_place, remove_place),
        cmocka_unit_test_setup_teardown(malformed_sites_are_not_kept, make_place, remove_place),
        cmocka_unit_test_setup_teardown(a_resumed_writer_knows_the_sites, make_place, remove_place),
        cmocka_unit_test_setup_teardown(many_objects_take_several_blocks, make_place, remove_place),
        cmocka_unit_test_setup_teardown(the_index_lists_the_content_of_blocks, make_place, remove_place),
        cmocka_unit_test_setup_teardown(a_source_may_be_large_but_not_huge, make_place, remove_place),
        cmocka_unit_test_setup_teardown(many_counters_take_several_blocks, make_place, remove_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
