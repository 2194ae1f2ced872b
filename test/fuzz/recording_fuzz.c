// Reads any bytes as a recording. The reader must end, stay within bounds, and return records that keep the promises of
// recording.h. A writer must be able to resume the file, and a reader to read what that writer adds. Each input is tried as
// it is and with corrected checksums, since most inputs would fail the checksums otherwise.
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xxhash.h>

#include "base/arena.h"
#include "recording/block.h"
#include "recording/reader.h"
#include "recording/writer.h"
#include "trace/await.h"
#include "trace/method_points.h"
#include "trace/site.h"
#include "trace/tuple_names.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t block_magic[8] = {0x9e, 'c', 'l', 'e', 'w', '\r', '\n', 0xb1};
static char path[] = "/dev/shm/clew-fuzz-XXXXXX";

static void expect(bool promise)
{
    if (!promise) {
        abort();
    }
}

static void put_u64(uint8_t *at, uint64_t value)
{
    for (int i = 0; i < 8; i++) {
        at[i] = (uint8_t)(value >> 8 * i);
    }
}

// Gives every block the file's salt, a size within the file, and correct checksums.
static void seal(uint8_t *data, size_t size)
{
    size_t at = BLOCK_FILE_HEADER_SIZE;
    if (size < BLOCK_FILE_HEADER_SIZE) {
        return;
    }
    put_u64(data + 56, XXH3_64bits(data, 56));
    while (at + BLOCK_HEADER_SIZE <= size) {
        uint8_t *block = data + at;
        if (memcmp(block, block_magic, sizeof block_magic) != 0) {
            at++;
            continue;
        }
        size_t stored = read_u32(block + 20);
        memcpy(block + 8, data + 40, 8);
        if (stored <= size - at - BLOCK_HEADER_SIZE) {
            put_u64(block + 88, XXH3_64bits(block + BLOCK_HEADER_SIZE, stored));
            at += stored;
        }
        put_u64(block + 96, XXH3_64bits(block, 96));
        at += BLOCK_HEADER_SIZE;
    }
}

static uint64_t sum; // makes the fuzzer read every byte that a record has

static void touch(struct text text)
{
    for (size_t i = 0; i < text.size; i++) {
        sum += (uint8_t)text.at[i];
    }
}

static void touch_bytes(struct bytes bytes)
{
    touch((struct text){(const char *)bytes.at, bytes_left(&bytes)});
}

// The cells of site events must be within the block and in the order of the events.
static void check_cells(const struct recording_events *events)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < events->count; i++) {
        if (events->events[i].kind == RECORDING_AT_SITE) {
            expect(events->events[i].cell >= at && events->events[i].cell <= events->cell_count);
            at = events->events[i].cell;
        }
    }
    for (uint32_t i = 0; i < events->cell_count; i++) {
        sum += events->cells[i];
    }
}

// Boxes must be in the order of their events.
static void check_boxes(const struct recording_events *events)
{
    uint32_t event = 0;
    for (uint32_t i = 0; i < events->box_count; i++) {
        const struct recording_box *box = &events->boxes[i];
        uint64_t cells = ((uint64_t)box->size + 3) / 4;
        expect(box->event >= event && box->event < events->count);
        expect(box->at <= events->box_cell_count && cells <= events->box_cell_count - box->at);
        event = box->event;
    }
    for (uint32_t i = 0; i < events->box_cell_count; i++) {
        sum += events->box_cells[i];
    }
}

// Kinds, stacks and cells of a block of events must agree with its counts.
static void check_events(const struct recording_events *events)
{
    uint64_t stacked = 0;
    for (uint32_t i = 0; i < events->depth; i++) {
        sum += events->open[i] + events->open_clock[i] + (events->async ? events->open_serial[i] : 0);
    }
    for (uint32_t i = 0; i < events->count; i++) {
        expect(events->events[i].kind <= RECORDING_CAUGHT);
        expect(events->async || !recording_is_async(events->events[i].kind));
        stacked += recording_stated(&events->events[i]);
        sum += events->events[i].clock;
    }
    expect(stacked == events->stack_count);
    for (uint32_t i = 0; i < events->stack_count; i++) {
        sum += events->stacks[i];
    }
    check_cells(events);
    check_boxes(events);
}

// Numbers of objects must be within the range of their block, and links must lead to lower numbers.
static void check_objects(const struct recording_objects *objects)
{
    for (uint32_t i = 0; i < objects->count; i++) {
        const struct recording_object *object = &objects->objects[i];
        expect(object->object >= objects->lowest && object->object <= objects->highest);
        expect(object->perhaps == 0 || object->perhaps < object->object);
        touch(object->text);
    }
}

static void check_site_sets(const struct recording_site_sets *sets, uint64_t offset)
{
    for (uint32_t i = 0; i < sets->count; i++) {
        const struct recording_site_set *set = &sets->sets[i];
        expect(set->block < offset && set->shift <= RECORDING_SITE_SHIFT_MAX);
        for (uint32_t k = 0; k < set->count; k++) {
            expect(set->groups[k] <= UINT32_MAX >> set->shift && (k == 0 || set->groups[k] > set->groups[k - 1]));
        }
    }
}

// Sites of counters must ascend.
static void check_counters(const struct recording_counters *counters)
{
    for (uint32_t i = 0; i < counters->count; i++) {
        expect(i == 0 || counters->counters[i].site > counters->counters[i - 1].site);
        sum += counters->counters[i].count + counters->counters[i].own;
    }
}

// Reads the texts of all sites up to the first malformed one, and roles and paths.
static void check_sites(struct bytes blob, struct bytes roles)
{
    struct site named[16] = {{0}};
    sites_decode_roles(roles, named, 16);
    for (uint32_t i = 0; i < 16; i++) {
        expect(named[i].role <= VARIABLE_CURRENT);
        expect(!named[i].path.size || named[i].path_part < named[i].path.size);
        touch(named[i].path);
    }
    struct site site, previous = {0};
    for (; site_decode(&blob, &previous, &site); previous = site) {
        struct text names = site.tuple_names, name;
        touch(site.name);
        touch(site.owner_name);
        while (tuple_names_take(&names, &name)) {
            struct text own = {0};
            touch(name);
            touch(tuple_names_item(site.tuple_names, (uint32_t)name.size, &own));
            touch(own);
        }
    }
}

static void check_type(struct bytes blob)
{
    struct arena arena = {0};
    struct type type;
    if (type_decode(blob, &arena, &type) == CLEW_OK) {
        for (uint32_t i = 0; i < type.field_count; i++) {
            touch(type.fields[i].name);
            touch(tuple_names_of_field(type.fields[i].tuple_names, type.name));
        }
    }
    arena_free(&arena);
}

static void check_changes(const struct recording_tree_changes *changes)
{
    uint32_t expected = 0, fresh = 0;
    expect(changes->before > 0 && changes->before <= changes->after);
    for (uint32_t i = 0; i < changes->count; i++) {
        const struct recording_node_change *change = &changes->changes[i];
        expect(change->node >= expected && change->node < changes->after);
        expect(change->node < changes->before || change->by.parent < change->node);
        fresh += change->node >= changes->before;
        expected = change->node + 1;
    }
    expect(fresh == changes->after - changes->before);
}

// Nodes must ascend.
static void check_runs(const struct recording_runs *runs)
{
#define ADD(name, type, adds, kind, key) sum += runs->runs[i].name;
    for (uint32_t i = 0; i < runs->count; i++) {
        expect(runs->runs[i].node < RECORDING_NODES_MAX && (i == 0 || runs->runs[i].node > runs->runs[i - 1].node));
        FIGURES_OF_RUNS(ADD)
    }
#undef ADD
}

// Parents must have lower numbers.
static void check_paths(const struct recording_paths *paths)
{
    expect(paths->first >= PATH_FIRST && paths->count <= RECORDING_PATHS_MAX - paths->first);
    for (uint32_t i = 0; i < paths->count; i++) {
        expect(paths->paths[i].parent < paths->first + i);
        sum += paths->paths[i].method;
    }
}

static void check_async(struct bytes awaits, struct bytes lines)
{
    struct await await;
    struct await_line line;
    while (await_line_decode(&lines, &line)) {
        sum += line.document + line.line;
    }
    while (await_decode(&awaits, &await)) {
        expect(await.state < AWAIT_STATES_MAX);
        touch(await.what);
    }
}

static void check_throws(const struct recording_throws *throws)
{
    expect(throws->count <= RECORDING_OBJECTS_MAX);
    for (uint32_t i = 0; i < throws->count; i++) {
        const struct recording_throw *one = &throws->throws[i];
        sum +=
            one->node + one->caught_node + one->method + one->caught_method + one->exception + one->flags + one->count;
    }
}

// A list ends where an item does not decode.
static void check_points(const struct recording_points *points)
{
    struct bytes documents = points->documents, methods = points->methods;
    struct points_document document;
    struct points_method method;
    while (bytes_left(&documents) > 0 && points_document_decode(&documents, &document)) {
        touch(document.path);
    }
    while (bytes_left(&methods) > 0 && points_method_decode(&methods, &method)) {
        struct point before = {0}, point;
        touch(method.name);
        touch(method.class);
        while (bytes_left(&method.points) > 0 && point_decode(&method.points, &before, &point)) {
            expect(point.il_offset >= before.il_offset && point.end_line >= point.start_line);
            before = point;
        }
    }
}

static void check_async_record(const struct recording_record *record)
{
    switch (record->type) {
    case RECORDING_ASYNC:
        check_async(record->async.awaits, record->async.lines);
        break;
    case RECORDING_PATHS:
        check_paths(&record->paths);
        break;
    case RECORDING_RUNS:
        check_runs(&record->runs);
        break;
    case RECORDING_EXCEPTION:
        touch(record->exception.message);
        break;
    case RECORDING_COMPILED:
        touch(record->compiled.name);
        break;
    case RECORDING_POINTS:
        check_points(&record->points);
        break;
    case RECORDING_EXCEPTIONS:
        check_throws(&record->throws);
        break;
    default:
        expect(record->type == RECORDING_END);
    }
}

static void check_site_record(const struct recording_record *record)
{
    switch (record->type) {
    case RECORDING_SITES:
        check_sites(record->sites.blob, record->sites.roles);
        break;
    case RECORDING_DOCUMENT:
        touch(record->document.path);
        touch_bytes(record->document.hash);
        break;
    case RECORDING_TYPE:
        check_type(record->value_type.blob);
        break;
    case RECORDING_OBJECTS:
        check_objects(&record->objects);
        break;
    case RECORDING_COUNTERS:
        check_counters(&record->counters);
        break;
    case RECORDING_SITE_SETS:
        check_site_sets(&record->site_sets, record->offset);
        break;
    case RECORDING_SOURCE:
        expect(record->source.state <= SOURCE_SAME);
        touch(record->source.text);
        break;
    case RECORDING_TREE_CHANGES:
        check_changes(&record->changes);
        break;
    default:
        check_async_record(record);
    }
}

// Reads every field of a record, and checks the promises of recording.h.
static void check_record(const struct recording_record *record)
{
    switch (record->type) {
    case RECORDING_PROCESS:
        expect(record->process.state <= PROCESS_CUT);
        expect(record->process.exit_known <= RECORDING_EXIT_UNKNOWN);
        touch(record->process.command);
        touch(record->process.runtime);
        break;
    case RECORDING_MODULE:
        touch(record->module.name);
        touch(record->module.path);
        touch(record->module.reason);
        break;
    case RECORDING_METHOD:
        touch(record->method.name);
        break;
    case RECORDING_THREAD:
        touch(record->thread.name);
        break;
    case RECORDING_NOT_WOVEN:
        touch(record->not_woven.name);
        touch(record->not_woven.reason);
        break;
    case RECORDING_NOTE:
        touch(record->note.text);
        break;
    case RECORDING_TREE_NODES:
        for (uint32_t i = 0; i < record->tree.count; i++) {
            expect(i == 0 ? record->tree.nodes[i].parent == 0 : record->tree.nodes[i].parent < i);
            sum += record->tree.nodes[i].calls;
        }
        break;
    case RECORDING_EVENTS:
        check_events(&record->events);
        break;
    default:
        check_site_record(record);
    }
}

// Reads to the end. The offsets of blocks must not decrease. Returns the last one.
static uint64_t read_all(struct recording_reader *reader, uint32_t types)
{
    struct recording_record record;
    uint64_t last = 0;
    enum clew_error error;
    while ((error = recording_next(reader, types, &record)) == CLEW_OK) {
        expect(record.offset >= last && record.offset < recording_file_size(recording_of(reader)));
        expect(types >> record.type & 1);
        last = record.offset;
        check_record(&record);
    }
    expect(error == CLEW_NOT_FOUND || error == CLEW_NO_MEMORY);
    struct recording_health health = recording_health(reader);
    expect(health.damaged_bytes <= recording_file_size(recording_of(reader)) &&
           health.cut_bytes <= recording_file_size(recording_of(reader)));
    return last;
}

// Reads the file in several ways: all of it, from its last block, from the middle with some types only, and by its index.
static void read_file(void)
{
    struct recording_reader *reader;
    const struct recording_block *blocks;
    size_t count;
    if (recording_open_reader(path, &reader) != CLEW_OK) {
        return;
    }
    expect(recording_session(recording_of(reader))->clock_hz > 0);
    touch(recording_session(recording_of(reader))->scope);
    uint64_t last = read_all(reader, UINT32_MAX);
    expect(recording_rewind(reader, last) == CLEW_OK);
    read_all(reader, UINT32_MAX);
    expect(recording_rewind(reader, last / 2) == CLEW_OK);
    read_all(reader, 1u << RECORDING_TREE_NODES | 1u << RECORDING_NOTE);
    if (recording_index(recording_of(reader), &blocks, &count) == CLEW_OK && count > 0) {
        expect(blocks[count - 1].offset < recording_file_size(recording_of(reader)));
    }
    recording_close_reader(reader);
}

// Resumes the file with a writer, appends records, closes it, and reads it again. The result must have an END and no cut bytes.
static void take_up(void)
{
    struct recording_writer *writer;
    struct recording_reader *reader;
    struct recording_note note = {.process = 9, .text = text_of("taken up")};
    struct recording_end end = {.events = 1};
    if (recording_resume(path, &writer) != CLEW_OK) {
        return;
    }
    recording_copy_every(writer, 0);
    struct recording_event at_site = {.kind = RECORDING_AT_SITE, .method = 1};
    struct recording_events events = {.process = 1, .thread = 1}, odd = {.process = 1, .count = 1, .events = &at_site};
    expect(recording_write_note(writer, &note) == CLEW_OK);
    expect(recording_write_events(writer, &events) == CLEW_OK);
    enum clew_error error = recording_write_events(writer, &odd);
    expect(error == CLEW_OK || error == CLEW_MALFORMED); // OK if the file happens to define site 1
    expect(recording_close(writer, &end) == CLEW_OK);
    expect(recording_open_reader(path, &reader) == CLEW_OK);
    read_all(reader, UINT32_MAX);
    expect(recording_health(reader).ended && recording_health(reader).cut_bytes == 0);
    recording_close_reader(reader);
}

// After a repair, a file must have no unfinished block, and a second repair must find nothing to do.
static void repair(void)
{
    struct recording_repair repair;
    struct recording_reader *reader;
    struct recording_end end = {.repaired = true};
    enum clew_error error = recording_repair(path, &repair);
    if (error != CLEW_OK) {
        expect(error == CLEW_DAMAGED || error == CLEW_NOT_RECORDING || error == CLEW_NEWER_RECORDING);
        return;
    }
    expect(repair.whole || recording_repair_close(&repair, &end) == CLEW_OK);
    expect(recording_open_reader(path, &reader) == CLEW_OK);
    read_all(reader, UINT32_MAX);
    expect(recording_health(reader).cut_bytes == 0);
    recording_close_reader(reader);
    expect(recording_repair(path, &repair) == CLEW_OK && repair.whole);
}

// Writes the input to the file, then reads, repairs and resumes it.
static void try_input(int fd, const uint8_t *data, size_t size)
{
    expect(ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == (ssize_t)size);
    read_file();
    repair();
    take_up();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *sealed = malloc(size + 1);
    int fd = mkstemp(path);
    expect(sealed && fd >= 0);
    memcpy(sealed, data, size);
    seal(sealed, size);
    try_input(fd, data, size);
    try_input(fd, sealed, size);
    close(fd);
    unlink(path);
    memcpy(path + sizeof path - 7, "XXXXXX", 6);
    free(sealed);
    return 0;
}
