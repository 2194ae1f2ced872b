// Reads any bytes as a recording, with the model, every view and format, whose output is discarded, and libclew. Reading must
// end and stay within bounds, and nothing may leak. The file is a memfd.
//
// Random changes would fail a block's checksum, so this file makes the changes itself (LLVMFuzzerCustomMutator): to the
// content of blocks, definitions, sites and types, to headers, and to the order of blocks. Then it corrects lengths and
// checksums.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xxhash.h>
#include <zstd.h>

#include <clew/clew.h>

#include "library/library.h"
#include "model/events/cursor.h"
#include "model/model.h"
#include "recording/block.h"
#include "recording/codec.h"
#include "view/page/page.h"
#include "view/replay/replay.h"
#include "view/report/reports.h"
#include "view/story/question.h"
#include "view/table/report_registry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
// libFuzzer's mutator; NULL in builds without it.
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

enum { OUTPUT_MAX = 32 << 20, OUTPUT_MAX_SEARCHING = 1 << 20, PAYLOAD_MAX = 1 << 20 };

static void require(bool promise)
{
    if (!promise) {
        abort();
    }
}

// -- Reading ----------------------------------------------------------------------------------------------------------

// Discards output. Reports an error once there is too much of it, so that a small input cannot run for long.
static ssize_t swallow(void *context, const char *data, size_t size)
{
    size_t *written = context;
    (void)data;
    *written += size;
    return *written > (LLVMFuzzerMutate ? OUTPUT_MAX_SEARCHING : OUTPUT_MAX) ? 0 : (ssize_t)size;
}

static FILE *open_sink(size_t *written)
{
    *written = 0;
    FILE *out = fopencookie(written, "w", (cookie_io_functions_t){.write = swallow});
    require(out != NULL);
    return out;
}

// Choices that take some calls of most recordings, with callers, and hide some.
static const struct choice choices[] = {{.kind = CHOICE_METHOD, .pattern = {"*a*", 3}},
                                        {.kind = CHOICE_HIDE, .pattern = {"*e*", 3}},
                                        {.kind = CHOICE_UNDER, .pattern = {"*M*", 3}}};
enum { CHOICES = sizeof choices / sizeof *choices };
// Callers of most methods, and of what is left without some calls.
static const struct choice callers[] = {{.kind = CHOICE_CALLERS, .pattern = {"*a*", 3}},
                                        {.kind = CHOICE_HIDE, .pattern = {"*e*", 3}}};

// Loads the model with the options, and prints every report as text and as JSON.
static void print_reports(struct recording *recording, const struct model_options *options, struct view view)
{
    struct model *model;
    size_t written;
    if (model_load(recording, options, &model) != CLEW_OK) {
        return;
    }
    view.health = &model->health;
    view.out = open_sink(&written);
    for (const struct report *report = reports; report->name; report++) {
        if (report_is(report, REPORT_PRINTED)) {
            (void)report_text(report, &view, model);
            (void)report_json(report, &view, model);
        }
    }
    (void)view_info(&view, model);
    (void)fclose(view.out);
    model_free(model);
}

// Prints `clew info`, with every block decoded if `verify`.
static void print_info(struct recording *recording, bool verify)
{
    struct model *model;
    size_t written;
    if (model_load(recording, &(struct model_options){.names_only = true, .verify = verify}, &model) != CLEW_OK) {
        return;
    }
    struct view view = {.out = open_sink(&written)};
    (void)view_info(&view, model);
    (void)view_info_json(&view, model);
    (void)fclose(view.out);
    model_free(model);
}

// Prints a replay in one format. Stories are also printed with a terminal, a depth limit and a time limit, and of one call; all
// formats also with chosen calls.
static void print_replay(struct recording *recording, enum view_replay_format format)
{
    struct model *model;
    size_t written;
    if (model_load(recording, &(struct model_options){.names_only = true}, &model) != CLEW_OK) {
        return;
    }
    struct question questions[4] = {question_of_variable(text_of("x")), question_of_value(text_of("1"))};
    questions[2].process = 1;
    questions[2].object = 2;
    struct text at;
    (void)question_parse(text_of("x > 0 && this != null"), &questions[3], &at);
    static const struct view views[] = {
        {0}, {.width = 80, .colour = true, .depth = 2}, {.has_min_time = true, .min_time_ns = 200}};
    for (size_t i = 0; i < (format == VIEW_REPLAY_STORY ? 2 * sizeof views / sizeof *views : 8); i++) {
        uint64_t found = 0;
        struct view view = format == VIEW_REPLAY_STORY ? views[i / 2] : views[0];
        struct view_replay replay = {.format = format, .to = UINT64_MAX, .found = &found};
        if (i % 2 && format == VIEW_REPLAY_STORY) {
            replay.process = 1;
            replay.call = 1 + i; // 2, 4 or 6
        }
        replay.answers_json = i >= 4;
        replay.question = &questions[i % (sizeof questions / sizeof *questions)];
        replay.choices = (struct choices){choices, (uint32_t)i % (CHOICES + 1)};
        view.health = &model->health;
        view.out = open_sink(&written);
        (void)view_replay(&view, model, &replay);
        (void)fclose(view.out);
    }
    model_free(model);
}

static enum clew_error note_position(void *context, const struct event_step *step)
{
    *(struct cursor_position *)context =
        (struct cursor_position){step->thread->process, step->thread->thread, step->ordinal};
    return CLEW_OK;
}

// Moves a cursor over the first events, back, and over them again: it has to meet the same clocks. Then it goes to some of the
// events.
static void move_cursor(struct recording *recording)
{
    enum { EVENTS = 4096 };
    static struct cursor_position met[EVENTS];
    static uint64_t clocks[EVENTS];
    struct cursor *cursor;
    uint32_t count = 0, back = 0;
    uint64_t clock;
    if (cursor_open(recording, &(struct cursor_options){0}, &cursor) != CLEW_OK) {
        return;
    }
    while (count < EVENTS && cursor_next(cursor, UINT64_MAX, note_position, &met[0]) == CLEW_OK) {
        count++; // blocks that turn out to be damaged are left out from now on
    }
    for (; back < count && cursor_clock(cursor, true, &clocks[back]) == CLEW_OK; back++) {
        require(cursor_previous(cursor, 0, note_position, &met[0]) == CLEW_OK);
    }
    require(back == count && cursor_clock(cursor, true, &clock) == CLEW_NOT_FOUND);
    for (uint32_t i = 0; i < count; i++) {
        met[i] = (struct cursor_position){0};
        require(cursor_clock(cursor, false, &clock) == CLEW_OK && clock == clocks[count - 1 - i]);
        require(cursor_next(cursor, UINT64_MAX, note_position, &met[i]) == CLEW_OK);
    }
    for (uint32_t i = 0; i < count; i += 1 + count / 16) {
        struct event_thread *thread;
        if (met[i].thread) {
            require(cursor_seek_event(cursor, &met[i]) == CLEW_OK);
            require(cursor_thread(cursor, 0, &thread) == CLEW_OK);
        }
    }
    cursor_close(cursor);
}

enum { REPLAYS = VIEW_REPLAY_VARIABLE + 1, LIBRARY = 3 + REPLAYS, CURSOR, PAGE, OUTPUTS, ALL_OUTPUTS = OUTPUTS };

// While searching, each input is printed in one way, which its bytes select: another input finds more than another way to print
// the same one. The tests print the inputs of the corpus in all ways.
static uint32_t output_of(const uint8_t *data, size_t size)
{
    return LLVMFuzzerMutate ? (uint32_t)(XXH3_64bits(data, size) % OUTPUTS) : ALL_OUTPUTS;
}

uint32_t looked_at; // visible outside, so that the reads happen

// Reads every byte of a text.
static void look(struct clew_text text)
{
    for (size_t i = 0; i < text.size; i++) {
        looked_at += (unsigned char)text.data[i];
    }
}

static void walk_awaits(struct clew_tree *tree, uint32_t node, uint32_t count)
{
    struct clew_await await = {.size = sizeof await};
    for (uint32_t i = 0; i < count; i++) {
        require(clew_tree_await(tree, node, i, &await) == CLEW_OK);
        look(await.what);
        look(await.file);
    }
    require(clew_tree_await(tree, node, count, &await) == CLEW_NOT_FOUND);
}

static void walk_trees(struct clew_recording *recording, bool apart, enum clew_tree_view view)
{
    const struct clew_tree_options options = {
        .size = sizeof options, .view = view, .threads_apart = apart, .adjust = apart};
    struct clew_tree *tree;
    uint32_t count;
    if (clew_tree_load(recording, &options, &tree) != CLEW_OK) {
        return;
    }
    for (uint32_t i = 0; i < clew_tree_count(tree); i++) {
        struct clew_node node = {.size = sizeof node};
        struct clew_method method = {.size = sizeof method};
        require(clew_tree_node(tree, i, &node) && (i == 0 || node.parent < i));
        (void)clew_method(recording, node.process, node.method, &method);
        look(method.name);
        look(method.module);
        walk_awaits(tree, i, node.awaits);
    }
    for (int order = CLEW_BY_OWN_TIME; order <= CLEW_BY_NAME; order++) {
        (void)clew_tree_methods(tree, (enum clew_method_order)order, &count);
    }
    clew_tree_free(tree);
}

static void walk_events(struct clew_recording *recording, const struct clew_cursor_options *options)
{
    struct clew_cursor *cursor;
    struct clew_event event = {.size = sizeof event};
    if (clew_cursor_open(recording, options, &cursor) != CLEW_OK) {
        return;
    }
    while (clew_cursor_next(cursor, &event) == CLEW_OK) {
        struct clew_value value = {.size = sizeof value};
        look(event.file);
        look(event.name);
        if (clew_cursor_value(cursor, &value)) {
            look(value.type);
            look(value.text);
            look((struct clew_text){value.bytes, value.byte_count});
        }
    }
    clew_cursor_free(cursor);
}

static void walk_library(const char *path)
{
    const struct clew_cursor_options history = {.size = sizeof history, .variable = "x"};
    struct clew_recording *recording;
    if (clew_open(path, &recording) != CLEW_OK) {
        return;
    }
    struct clew_info info = {.size = sizeof info};
    clew_info(recording, &info);
    look(info.command);
    for (uint32_t i = 0; i < info.thread_count; i++) {
        struct clew_thread thread = {.size = sizeof thread};
        require(clew_thread(recording, i, &thread));
        look(thread.name);
    }
    walk_trees(recording, false, CLEW_TREE_LOGICAL);
    walk_trees(recording, false, CLEW_TREE_PHYSICAL);
    walk_trees(recording, true, CLEW_TREE_PHYSICAL);
    walk_events(recording, NULL);
    walk_events(recording, &history);
    clew_close(recording);
}

// Makes the documents of the page.
static void write_documents(const char *path)
{
    static const char *const keys[][2] = {
        {"session", ""},          {"changes", "since=1"},  {"tree", "apart=1&nodes=3"},
        {"tree", "to=5000"},      {"report", "by=lines"},  {"files", ""},
        {"source", "document=0"}, {"story", "count=2000"}, {"story", "at=1:1:40&direction=-1"},
        {"call", "of=1:2"},       {"runs", "of=1:2"},      {"timeline", "width=50"},
        {"strip", "width=50"},    {"variables", ""},       {"values", "name=x"},
        {"values", "object=1"},
    };
    struct page *page;
    if (page_open(path, NULL, &page) != CLEW_OK) {
        return;
    }
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        struct page_answer answer = {0};
        size_t written;
        FILE *out = open_sink(&written);
        page_document(page, text_of(keys[i][0]), text_of(keys[i][1]), out, &answer);
        require(answer.status == 200 || (answer.error.size > 0 && answer.cure.size > 0));
        page_answer_free(&answer);
        (void)fclose(out);
        (void)page_work(page);
    }
    page_close(page);
}

// All outputs of one input come from one handle.
static void print_outputs(struct recording *recording, uint32_t output)
{
    if (output == ALL_OUTPUTS || output == 0) {
        print_reports(recording, &(struct model_options){0}, (struct view){0});
        print_reports(recording, &(struct model_options){.choices = {choices, CHOICES}}, (struct view){0});
    }
    if (output == ALL_OUTPUTS || output == 1) {
        print_reports(recording, &(struct model_options){.choices = {callers, 1}}, (struct view){0});
        print_reports(recording, &(struct model_options){.choices = {callers, 2}}, (struct view){0});
        print_reports(
            recording, &(struct model_options){.threads_apart = true, .adjust = true},
            (struct view){.width = 80, .colour = true, .threads = true, .methods = true, .top = 3, .depth = 3});
    }
    if (output == ALL_OUTPUTS || output == 2) {
        print_info(recording, false);
        print_info(recording, true);
    }
    for (uint32_t i = 0; i < REPLAYS; i++) {
        if (output == ALL_OUTPUTS || output == 3 + i) {
            print_replay(recording, (enum view_replay_format)i);
        }
    }
    if (output == ALL_OUTPUTS || output == CURSOR) {
        move_cursor(recording);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int file = -1;
    char path[64];
    struct recording *recording;
    file = file < 0 ? memfd_create("recording", MFD_CLOEXEC) : file;
    require(file >= 0 && ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == (ssize_t)size);
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    uint32_t output = output_of(data, size);
    if (recording_open(path, &recording) == CLEW_OK) {
        print_outputs(recording, output);
        recording_free(recording);
    }
    if (output == ALL_OUTPUTS || output == LIBRARY) {
        walk_library(path);
    }
    if (output == ALL_OUTPUTS || output == PAGE) {
        write_documents(path);
    }
    return 0;
}

// -- Changing ---------------------------------------------------------------------------------------------------------

static uint64_t state; // of the pseudo-random numbers

// A pseudo-random number below the limit (xorshift64), seeded by the mutator.
static uint32_t below(uint64_t limit)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return limit ? (uint32_t)((state >> 16) % limit) : 0;
}

// Values at which something overflows, is cut off, or has a special meaning.
static uint64_t odd_number(void)
{
    static const uint64_t numbers[] = {0,
                                       1,
                                       2,
                                       3,
                                       7,
                                       8,
                                       15,
                                       16,
                                       17,
                                       24,
                                       255,
                                       256,
                                       4095,
                                       4096,
                                       65535,
                                       65536,
                                       1 << 20,
                                       1 << 22,
                                       1 << 24,
                                       1 << 28,
                                       INT32_MAX,
                                       0x80000000,
                                       0xFFFFFFF8,
                                       UINT32_MAX,
                                       1 << 26,
                                       1ull << 32,
                                       INT64_MAX,
                                       1ull << 63,
                                       UINT64_MAX - 1,
                                       UINT64_MAX};
    return below(4) ? numbers[below(sizeof numbers / sizeof *numbers)] : state >> below(64);
}

static size_t varint_size(const uint8_t *at, size_t left)
{
    size_t size = 1;
    while (size < left && size < 10 && at[size - 1] & 0x80) {
        size++;
    }
    return size;
}

// Replaces `old` bytes at `at` by `size` fresh ones.
static void replace(struct buffer *bytes, size_t at, size_t old, const void *fresh, size_t size)
{
    struct buffer made = {0};
    buffer_append(&made, bytes->data, at);
    buffer_append(&made, fresh, size);
    buffer_append(&made, bytes->data + at + old, bytes->size - at - old);
    buffer_free(bytes);
    *bytes = made;
}

// Replaces a varint at a random position by one with a special value. The bytes may be no varint; then the payload changes in
// an arbitrary way.
static void change_varint(struct buffer *bytes)
{
    struct buffer number = {0};
    size_t at = below(bytes->size);
    if (bytes->size == 0) {
        return;
    }
    while (at > 0 && bytes->data[at - 1] & 0x80) {
        at--;
    }
    buffer_varint(&number, odd_number());
    replace(bytes, at, varint_size(bytes->data + at, bytes->size - at), number.data, number.size);
    buffer_free(&number);
}

// Changes a payload by one varint, or by libFuzzer's own mutations.
static void change_bytes(struct buffer *bytes)
{
    if (below(2) == 0 || !LLVMFuzzerMutate) {
        change_varint(bytes);
        return;
    }
    size_t room = bytes->size + 64 < PAYLOAD_MAX ? bytes->size + 64 : PAYLOAD_MAX;
    struct buffer made = {0};
    buffer_append(&made, bytes->data, bytes->size < room ? bytes->size : room);
    size_t size = made.size;
    (void)buffer_extend(&made, room - size);
    made.size = LLVMFuzzerMutate(made.data, size, room);
    buffer_free(bytes);
    *bytes = made;
}

// Changes the sized bytes at the end of a body: the sites of SITES, a TYPE. False: the body has none.
static bool change_blob(struct buffer *body)
{
    enum { NUMBERS_MOST = 4 }; // before the sized bytes
    struct bytes left = bytes_of(body->data, body->size), blob;
    struct buffer inside = {0}, made = {0};
    uint64_t size = 0;
    for (int i = 0; i < NUMBERS_MOST; i++) {
        struct bytes rest = left;
        if (i >= NUMBERS_MOST - 1 && bytes_varint(&rest, &size) && size == bytes_left(&rest)) {
            break;
        }
        if (!bytes_varint(&left, &size)) {
            return false;
        }
    }
    size_t before = (size_t)(left.at - body->data);
    if (!bytes_varint(&left, &size) || size != bytes_left(&left) || !bytes_take(&left, size, &blob)) {
        return false;
    }
    buffer_append(&inside, blob.at, bytes_left(&blob));
    change_bytes(&inside);
    buffer_append(&made, body->data, before);
    buffer_varint(&made, inside.size);
    buffer_append(&made, inside.data, inside.size);
    buffer_free(&inside);
    buffer_free(body);
    *body = made;
    return true;
}

// Changes one record of a DEFINITIONS block, and corrects its frame.
static void change_definition(struct buffer *payload, uint32_t *count)
{
    struct bytes left = bytes_of(payload->data, payload->size);
    uint32_t chosen = below(*count), all = *count;
    struct buffer made = {0}, body = {0};
    for (uint32_t i = 0; i < all; i++) {
        const uint8_t *start = left.at;
        struct codec_definition definition;
        if (!codec_decode_framed(&left, 0, &definition)) {
            break;
        }
        uint32_t times = i != chosen || below(8) ? 1 : below(3); // 0: leave it out; 2: write it twice
        if (i != chosen) {
            buffer_append(&made, start, (size_t)(left.at - start));
            continue;
        }
        *count = all + times - 1;
        for (; times > 0; times--) {
            buffer_clear(&body);
            buffer_append(&body, definition.body.at, bytes_left(&definition.body));
            if (below(3) == 0 || !change_blob(&body)) {
                change_bytes(&body);
            }
            definition.body = bytes_of(body.data, body.size);
            definition.type = below(32) ? definition.type : below(20);
            codec_encode_framed(&made, &definition, 0);
        }
    }
    buffer_free(&body);
    buffer_free(payload);
    *payload = made;
}

// Changes one field of a block header. Types and flags included, but not ZSTD, which follows from the payload.
static void change_header(struct block_header *header)
{
    uint64_t number = odd_number();
    switch (below(12)) {
    case 0:
        header->count = below(2) ? header->count + below(5) - 2 : (uint32_t)number;
        break;
    case 1:
        header->process = (uint32_t)number;
        break;
    case 2:
        header->thread = (uint32_t)number;
        break;
    case 3:
        header->part = (uint32_t)number;
        break;
    case 4:
        header->depth = (uint32_t)number;
        break;
    case 5:
        header->sequence = number;
        break;
    case 6:
        header->position = number;
        break;
    case 7:
        header->words = number;
        break;
    case 8:
        header->first_clock = below(2) ? header->first_clock + below(4096) : number;
        break;
    case 9:
        header->last_clock = below(2) ? header->last_clock - below(4096) : number;
        break;
    case 10:
        header->flags = (uint16_t)(header->flags ^ (1u << below(16) & ~(uint32_t)BLOCK_ZSTD));
        break;
    default:
        header->type = (uint16_t)below(20);
    }
}

struct made_block {
    struct block_header header;
    size_t from, size; // in the file
};

enum { BLOCKS_MAX = 256 };

// Finds the blocks of a file by their magic, without checksums, as mutated files may have wrong ones.
static uint32_t list_blocks(const uint8_t *data, size_t size, struct made_block *blocks)
{
    static const uint8_t magic[] = {0x9e, 'c', 'l', 'e', 'w', '\r', '\n', 0xb1};
    uint32_t count = 0;
    for (size_t at = BLOCK_FILE_HEADER_SIZE; at + BLOCK_HEADER_SIZE <= size && count < BLOCKS_MAX;) {
        struct bytes raw = bytes_of(data + at, BLOCK_HEADER_SIZE);
        struct block_header *header = &blocks[count].header;
        if (memcmp(data + at, magic, sizeof magic) != 0) {
            at++;
            continue;
        }
        (void)(bytes_skip(&raw, 16) && bytes_u16(&raw, &header->type) && bytes_u16(&raw, &header->flags) &&
               bytes_u32(&raw, &header->stored) && bytes_u32(&raw, &header->raw) && bytes_u32(&raw, &header->count) &&
               bytes_u32(&raw, &header->process) && bytes_u32(&raw, &header->thread) &&
               bytes_u32(&raw, &header->part) && bytes_u32(&raw, &header->depth) &&
               bytes_u64(&raw, &header->sequence) && bytes_u64(&raw, &header->position) &&
               bytes_u64(&raw, &header->words) && bytes_u64(&raw, &header->first_clock) &&
               bytes_u64(&raw, &header->last_clock) && bytes_u64(&raw, &header->payload_sum));
        size_t left = size - at - BLOCK_HEADER_SIZE;
        blocks[count].from = at;
        blocks[count].size = BLOCK_HEADER_SIZE + (header->stored < left ? header->stored : left);
        at += blocks[count++].size;
    }
    return count;
}

// The payload of a block, decompressed. False: it does not decompress.
static bool load_payload(const uint8_t *data, const struct made_block *block, struct buffer *payload)
{
    const uint8_t *stored = data + block->from + BLOCK_HEADER_SIZE;
    size_t size = block->size - BLOCK_HEADER_SIZE;
    if (!(block->header.flags & BLOCK_ZSTD)) {
        buffer_append(payload, stored, size);
        return true;
    }
    if (block->header.raw > PAYLOAD_MAX) {
        return false;
    }
    uint8_t *raw = buffer_extend(payload, block->header.raw);
    size_t got = raw ? ZSTD_decompress(raw, block->header.raw, stored, size) : 0;
    payload->size = got <= block->header.raw ? got : 0;
    return got <= block->header.raw;
}

// Appends a block with correct sizes and checksums; compresses the payload if that makes it smaller.
static void put_block(struct buffer *into, struct block_header header, const struct buffer *payload, uint64_t salt)
{
    static uint8_t room[PAYLOAD_MAX * 2];
    const void *stored = payload->data;
    header.raw = header.stored = (uint32_t)payload->size;
    header.flags &= (uint16_t)~BLOCK_ZSTD;
    size_t size = payload->size > 512 ? ZSTD_compress(room, sizeof room, payload->data, payload->size, 1) : SIZE_MAX;
    if (size < payload->size) {
        header.flags |= BLOCK_ZSTD;
        header.stored = (uint32_t)size;
        stored = room;
    }
    header.payload_sum = block_sum(stored ? stored : "", header.stored);
    uint8_t *at = buffer_extend(into, BLOCK_HEADER_SIZE);
    require(at != NULL);
    block_encode_header(at, &header, salt);
    buffer_append(into, stored, header.stored);
}

// Appends a block with a changed header, definition or payload. A block that does not decompress is copied.
static void put_changed(struct buffer *into, const uint8_t *data, const struct made_block *block, uint64_t salt)
{
    struct block_header header = block->header;
    struct buffer payload = {0};
    if (!load_payload(data, block, &payload)) {
        buffer_append(into, data + block->from, block->size);
    } else {
        bool definitions = header.type == RECORDING_DEFINITIONS && header.count > 0 && header.count < 10000;
        if (below(4) == 0) {
            change_header(&header);
        } else if (definitions && below(8)) {
            change_definition(&payload, &header.count);
        } else {
            change_bytes(&payload);
        }
        put_block(into, header, &payload, salt);
    }
    buffer_free(&payload);
}

// Changes one or two blocks. Sometimes it leaves one out, writes one twice, or moves one instead.
static void change_blocks(struct buffer *into, const uint8_t *data, const struct made_block *blocks, uint32_t count,
                          uint64_t salt)
{
    uint32_t chosen = below(count), other = below(3) ? chosen : below(count), action = below(24);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = action == 0 && i == chosen ? other : action == 0 && i == other ? chosen : i;
        bool left_out = action == 1 && i == chosen, twice = action == 2 && i == chosen;
        for (uint32_t times = left_out ? 0 : twice ? 2 : 1; times > 0; times--) {
            if (action > 1 && (i == chosen || i == other)) {
                put_changed(into, data, &blocks[at], salt);
            } else {
                buffer_append(into, data + blocks[at].from, blocks[at].size);
            }
        }
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    static struct made_block blocks[BLOCKS_MAX];
    state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    uint32_t count = list_blocks(data, size, blocks);
    if (count == 0 || below(64) == 0) {
        return LLVMFuzzerMutate ? LLVMFuzzerMutate(data, size, most) : size;
    }
    struct buffer made = {0};
    uint64_t salt;
    memcpy(&salt, data + 40, sizeof salt);
    buffer_append(&made, data, BLOCK_FILE_HEADER_SIZE);
    change_blocks(&made, data, blocks, count, salt);
    if (made.size <= most && !made.failed) {
        memcpy(data, made.data, made.size);
        size = made.size;
    }
    buffer_free(&made);
    return size;
}
