// Turns the records that a writer is given into payloads: definitions are gathered, everything else becomes blocks at once.
// The payloads themselves are encoded in codec.c and the files beside it.
#include "base/assert.h"
#include "recording/internal.h"
#include "recording/tree_changes.h"

#include <stdlib.h>

#include "base/array.h"

// Larger records are split into blocks of this size: a reader holds one decoded block in memory.
enum {
    NODES_PER_PART = 65536,
    LATENCIES_PER_PART = 1 << 20, // a part of RUNS ends with the run that reaches so many
    OBJECTS_PER_BLOCK = 16384,
    OBJECT_TEXTS_PER_BLOCK = 4 << 20, // bytes
    COUNTERS_PER_BLOCK = 65536,
};

// -- Definitions ------------------------------------------------------------------------------------------------------

enum clew_error recording_write_process(struct recording_writer *writer, const struct recording_process *process)
{
    buffer_clear(&writer->body);
    codec_encode_process(&writer->body, process);
    return writer__gather(writer, RECORDING_PROCESS);
}

enum clew_error recording_write_module(struct recording_writer *writer, const struct recording_module *module)
{
    buffer_clear(&writer->body);
    codec_encode_module(&writer->body, module);
    return writer__gather(writer, RECORDING_MODULE);
}

enum clew_error recording_write_method(struct recording_writer *writer, const struct recording_method *method)
{
    buffer_clear(&writer->body);
    codec_encode_method(&writer->body, method);
    return writer__gather(writer, RECORDING_METHOD);
}

enum clew_error recording_write_thread(struct recording_writer *writer, const struct recording_thread *thread)
{
    buffer_clear(&writer->body);
    codec_encode_thread(&writer->body, thread);
    return writer__gather(writer, RECORDING_THREAD);
}

enum clew_error recording_write_not_woven(struct recording_writer *writer, const struct recording_not_woven *method)
{
    buffer_clear(&writer->body);
    codec_encode_not_woven(&writer->body, method);
    return writer__gather(writer, RECORDING_NOT_WOVEN);
}

enum clew_error recording_write_note(struct recording_writer *writer, const struct recording_note *note)
{
    buffer_clear(&writer->body);
    codec_encode_note(&writer->body, note);
    return writer__gather(writer, RECORDING_NOTE);
}

enum clew_error recording_write_document(struct recording_writer *writer, const struct recording_document *document)
{
    buffer_clear(&writer->body);
    codec_encode_document(&writer->body, document);
    return writer__gather(writer, RECORDING_DOCUMENT);
}

enum clew_error recording_write_type(struct recording_writer *writer, const struct recording_value_type *type)
{
    buffer_clear(&writer->body);
    codec_encode_type(&writer->body, type);
    return writer__gather(writer, RECORDING_TYPE);
}

enum clew_error recording_write_async(struct recording_writer *writer, const struct recording_async *async)
{
    buffer_clear(&writer->body);
    codec_encode_async(&writer->body, async);
    return writer__gather(writer, RECORDING_ASYNC);
}

enum clew_error recording_write_compiled(struct recording_writer *writer, const struct recording_compiled *compiled)
{
    buffer_clear(&writer->body);
    codec_encode_compiled(&writer->body, compiled);
    return writer__gather(writer, RECORDING_COMPILED);
}

enum clew_error recording_write_points(struct recording_writer *writer, const struct recording_points *points)
{
    buffer_clear(&writer->body);
    codec_encode_points(&writer->body, points);
    return writer__gather(writer, RECORDING_POINTS);
}

enum clew_error recording_write_exception(struct recording_writer *writer, const struct recording_exception *exception)
{
    buffer_clear(&writer->body);
    codec_encode_exception(&writer->body, exception);
    return writer__gather(writer, RECORDING_EXCEPTION);
}

enum clew_error recording_write_paths(struct recording_writer *writer, const struct recording_paths *paths)
{
    if (paths->first < PATH_FIRST || paths->first > RECORDING_PATHS_MAX ||
        paths->count > RECORDING_PATHS_MAX - paths->first) {
        return CLEW_UNSUPPORTED;
    }
    for (uint32_t i = 0; i < paths->count; i++) {
        if (paths->paths[i].parent >= paths->first + i) {
            return CLEW_UNSUPPORTED;
        }
    }
    buffer_clear(&writer->body);
    codec_encode_paths(&writer->body, paths);
    return writer__gather(writer, RECORDING_PATHS);
}

// The payload layouts of the process's sites; added when the process is new. NULL when memory runs out.
static struct site_layouts *layouts_for(struct recording_writer *writer, uint32_t process)
{
    uint64_t position;
    if (map_get(&writer->layouts_of, process, &position)) {
        return &writer->layouts[position];
    }
    if (!CODEC_GROW(writer->layouts, writer->layouts_room, writer->layouts_count + 1) ||
        !map_put(&writer->layouts_of, process, writer->layouts_count)) {
        return NULL;
    }
    struct site_layouts *layouts = &writer->layouts[writer->layouts_count++];
    *layouts = (struct site_layouts){0};
    return layouts;
}

// Events of sites that cannot be decoded are refused later, when they come.
enum clew_error writer__learn_sites(struct recording_writer *writer, const struct recording_sites *sites)
{
    struct site_layouts *layouts = layouts_for(writer, sites->process);
    enum clew_error error = layouts ? site_layouts_add(layouts, sites->first, sites->blob) : CLEW_NO_MEMORY;
    return error == CLEW_MALFORMED ? CLEW_OK : error; // events of them are refused
}

enum clew_error writer__learn_definition(struct recording_writer *writer, const struct codec_definition *definition)
{
    struct recording_record record;
    bool sites =
        definition->type == RECORDING_SITES && codec_decode_definition(RECORDING_SITES, definition->body, &record);
    return sites ? writer__learn_sites(writer, &record.sites) : CLEW_OK;
}

enum clew_error recording_write_sites(struct recording_writer *writer, const struct recording_sites *sites)
{
    CLEW_TRY(writer__learn_sites(writer, sites));
    buffer_clear(&writer->body);
    codec_encode_sites(&writer->body, sites);
    return writer__gather(writer, RECORDING_SITES);
}

// -- Streams ----------------------------------------------------------------------------------------------------------

static uint64_t stream_key(uint32_t process, uint32_t thread)
{
    return (uint64_t)process << 32 | thread;
}

struct stream *writer__stream(struct recording_writer *writer, uint32_t process, uint32_t thread)
{
    uint64_t position;
    if (map_get(&writer->stream_of, stream_key(process, thread), &position)) {
        return &writer->streams[position];
    }
    if (!array_grow(&writer->streams, writer->stream_count, &writer->stream_room, sizeof *writer->streams) ||
        !map_put(&writer->stream_of, stream_key(process, thread), writer->stream_count)) {
        return NULL;
    }
    struct stream *stream = &writer->streams[writer->stream_count++];
    *stream = (struct stream){.process = process};
    return stream;
}

enum clew_error recording_stream_position(const struct recording_writer *writer, uint32_t process, uint32_t thread,
                                          uint64_t *position, uint64_t *sequence)
{
    uint64_t found;
    if (!map_get(&writer->stream_of, stream_key(process, thread), &found) || !writer->streams[found].started) {
        return CLEW_NOT_FOUND;
    }
    *position = writer->streams[found].position;
    *sequence = writer->streams[found].sequence;
    return CLEW_OK;
}

uint64_t recording_last_events(const struct recording_writer *writer, uint32_t process, uint32_t thread)
{
    uint64_t found;
    return map_get(&writer->stream_of, stream_key(process, thread), &found) ? writer->streams[found].newest : 0;
}

uint64_t recording_newest_events(const struct recording_writer *writer, uint32_t process)
{
    uint64_t newest = 0;
    for (size_t i = 0; i < writer->stream_count; i++) {
        const struct stream *stream = &writer->streams[i];
        newest = stream->process == process && stream->newest > newest ? stream->newest : newest;
    }
    return newest;
}

// A parent has to come before its children, which is what lets readers sum up a tree in one pass. They refuse other trees.
static bool tree_is_sound(const struct recording_tree *tree)
{
    if (tree->count > RECORDING_NODES_MAX) {
        return false;
    }
    for (uint32_t i = 0; i < tree->count; i++) {
        if (i == 0 ? tree->nodes[i].parent != 0 : tree->nodes[i].parent >= i) {
            return false;
        }
    }
    return true;
}

// Whether the number is one that older readers would take for a method's own.
static bool is_of_path(uint32_t method)
{
    return method >= METHOD_NUMBERS_MAX || method == METHOD_AFTER_WAIT || method == METHOD_AFTER_END;
}

// All parts of a tree have the flag if one node needs it: a reader that does not know it skips them alike.
static uint16_t tree_flags(const struct recording_tree *tree)
{
    uint16_t flags = tree->of_stream ? BLOCK_OF_STREAM : 0;
    for (uint32_t i = 0; i < tree->count; i++) {
        flags |= is_of_path(tree->nodes[i].method) ? BLOCK_PATHS : 0;
    }
    return flags;
}

static uint16_t changes_flags(const struct recording_tree_changes *changes)
{
    uint16_t flags = 0;
    for (uint32_t i = 0; i < changes->count; i++) {
        const struct recording_node_change *change = &changes->changes[i];
        flags |= change->node >= changes->before && is_of_path(change->by.method) ? BLOCK_PATHS : 0;
    }
    return flags;
}

// All parts but the last have the flag MORE, and a reader joins them.
static enum clew_error write_tree_part(struct recording_writer *writer, const struct recording_tree *tree,
                                       struct block_header *header, uint16_t flags, uint32_t first)
{
    CLEW_ASSERT(first <= tree->count);
    uint32_t left = tree->count - first;
    header->count = left < NODES_PER_PART ? left : NODES_PER_PART;
    header->flags = flags | (header->count < left ? BLOCK_MORE : 0);
    codec_encode_nodes(writer__payload(writer), tree, first, header->count, &writer->splits);
    return writer__block(writer, *header, &writer->payload);
}

enum clew_error recording_write_tree(struct recording_writer *writer, const struct recording_tree *tree)
{
    if (!tree_is_sound(tree)) {
        return CLEW_UNSUPPORTED;
    }
    CLEW_TRY(writer__prepare(writer));
    struct stream *stream = writer__stream(writer, tree->process, tree->thread);
    if (!stream) {
        return CLEW_NO_MEMORY;
    }
    struct block_header header = {
        .type = RECORDING_TREE_NODES,
        .process = tree->process,
        .thread = tree->thread,
        .sequence = stream->trees,
        .position = tree->of_stream ? tree->position : 0,
        .first_clock = tree->clock,
        .last_clock = tree->clock,
    };
    const uint16_t flags = tree_flags(tree);
    stream->trees++;
    uint32_t first = 0;
    do {
        CLEW_TRY(write_tree_part(writer, tree, &header, flags, first));
        first += header.count;
        header.part++;
    } while (first < tree->count);
    return CLEW_OK;
}

enum clew_error recording_write_tree_changes(struct recording_writer *writer,
                                             const struct recording_tree_changes *changes)
{
    if (changes->count > RECORDING_CHANGES_MAX || changes->before > changes->after ||
        changes->after > RECORDING_NODES_MAX) {
        return CLEW_UNSUPPORTED;
    }
    CLEW_TRY(writer__prepare(writer));
    struct stream *stream = writer__stream(writer, changes->process, changes->thread);
    if (!stream) {
        return CLEW_NO_MEMORY;
    }
    const struct block_header header = {
        .type = RECORDING_TREE_CHANGES,
        .flags = changes_flags(changes),
        .count = changes->count,
        .process = changes->process,
        .thread = changes->thread,
        .sequence = stream->trees++,
        .first_clock = changes->clock,
        .last_clock = changes->clock,
    };
    codec_encode_changes(writer__payload(writer), changes, &writer->splits);
    return writer__block(writer, header, &writer->payload);
}

// Whether nodes ascend, which lets a reader join them with the tree in one pass.
static bool runs_are_sound(const struct recording_runs *runs)
{
    for (uint32_t i = 0; i < runs->count; i++) {
        const struct recording_run *run = &runs->runs[i];
        if (run->node >= RECORDING_NODES_MAX || (i > 0 && run->node <= run[-1].node) ||
            run->latency_count > HISTOGRAM_BUCKETS) {
            return false;
        }
    }
    return true;
}

// How many runs fit a part that begins with the run `first`.
static uint32_t runs_in_part(const struct recording_runs *runs, uint32_t first)
{
    uint32_t count = 0, latencies = 0;
    for (; first + count < runs->count && count < NODES_PER_PART && latencies < LATENCIES_PER_PART; count++) {
        latencies += runs->runs[first + count].latency_count;
    }
    return count;
}

// Nothing else is due here, since the tree has just been written.
enum clew_error recording_write_runs(struct recording_writer *writer, const struct recording_runs *runs)
{
    struct stream *stream = writer__stream(writer, runs->process, runs->thread);
    if (!stream || writer->failed != CLEW_OK) {
        return stream ? writer->failed : CLEW_NO_MEMORY;
    }
    if (stream->trees == 0 || !runs_are_sound(runs)) {
        return CLEW_UNSUPPORTED;
    }
    struct block_header header = {
        .type = RECORDING_RUNS,
        .process = runs->process,
        .thread = runs->thread,
        .sequence = stream->trees - 1,
        .first_clock = runs->clock,
        .last_clock = runs->clock,
    };
    uint32_t first = 0;
    do {
        header.count = runs_in_part(runs, first);
        header.flags = header.count < runs->count - first ? BLOCK_MORE : 0;
        codec_encode_runs(writer__payload(writer), runs, first, header.count, &writer->splits);
        CLEW_TRY(writer__block(writer, header, &writer->payload));
        first += header.count;
        header.part++;
    } while (first < runs->count);
    return CLEW_OK;
}

enum clew_error recording_write_events(struct recording_writer *writer, const struct recording_events *events)
{
    if (events->count > RECORDING_EVENTS_MAX || events->depth > RECORDING_DEPTH_MAX) {
        return CLEW_UNSUPPORTED;
    }
    CLEW_TRY(writer__prepare(writer));
    struct stream *stream = writer__stream(writer, events->process, events->thread);
    if (!stream) {
        return CLEW_NO_MEMORY;
    }
    uint64_t known;
    const struct site_layouts *layouts =
        map_get(&writer->layouts_of, events->process, &known) ? &writer->layouts[known] : NULL;
    struct block_header header = {
        .type = RECORDING_EVENTS,
        .count = events->count,
        .process = events->process,
        .thread = events->thread,
        .depth = events->depth,
        .sequence = stream->sequence,
        .position = events->position,
        .words = events->words,
        .first_clock = events->first_clock,
        .last_clock = events->last_clock,
    };
    struct buffer *payload = writer__payload(writer);
    CLEW_TRY(codec_encode_events(payload, events, layouts, &writer->columns, &writer->splits, &header));
    uint64_t offset = writer->size;
    CLEW_TRY(writer__block(writer, header, payload));
    writer__learn_block_sites(writer, offset, events->process);
    stream->started = true;
    stream->newest = offset;
    stream->sequence++;
    stream->position = events->position + events->words;
    return CLEW_OK;
}

// -- Objects, sources, counters ---------------------------------------------------------------------------------------

// Decides how many of the objects go into the next block, and enters the range of their numbers into its header.
static uint32_t objects_of_block(const struct recording_object *objects, uint32_t count, struct block_header *header)
{
    uint32_t lowest = UINT32_MAX, highest = 0, taken = 0;
    size_t texts = 0;
    while (taken < count && taken < OBJECTS_PER_BLOCK && texts < OBJECT_TEXTS_PER_BLOCK) {
        const struct recording_object *object = &objects[taken++];
        lowest = object->object < lowest ? object->object : lowest;
        highest = object->object > highest ? object->object : highest;
        texts += codec_cut_text(object->text).size;
    }
    CLEW_ASSERT(taken > 0 && lowest <= highest);
    header->count = taken;
    header->first_clock = lowest;
    header->last_clock = highest;
    return taken;
}

enum clew_error recording_write_objects(struct recording_writer *writer, const struct recording_objects *objects)
{
    CLEW_TRY(writer__prepare(writer));
    for (uint32_t done = 0; done < objects->count;) {
        struct block_header header = {.type = RECORDING_OBJECTS, .process = objects->process};
        const struct recording_object *first = objects->objects + done;
        done += objects_of_block(first, objects->count - done, &header);
        codec_encode_objects(writer__payload(writer), first, &writer->splits, &header);
        CLEW_TRY(writer__block(writer, header, &writer->payload));
    }
    return CLEW_OK;
}

enum clew_error recording_write_source(struct recording_writer *writer, const struct recording_source *source)
{
    CLEW_TRY(writer__prepare(writer));
    codec_encode_source(writer__payload(writer), source);
    struct block_header header = {
        .type = RECORDING_SOURCE,
        .count = 1,
        .process = source->of.process,
        .first_clock = source->of.module,
        .last_clock = source->of.document,
    };
    return writer__block(writer, header, &writer->payload);
}

enum clew_error recording_write_counters(struct recording_writer *writer, const struct recording_counters *counters)
{
    for (uint32_t i = 1; i < counters->count; i++) {
        if (counters->counters[i].site <= counters->counters[i - 1].site) {
            return CLEW_UNSUPPORTED;
        }
    }
    CLEW_TRY(writer__prepare(writer));
    for (uint32_t done = 0; done < counters->count;) {
        uint32_t left = counters->count - done;
        struct block_header header = {
            .type = RECORDING_COUNTERS,
            .count = left < COUNTERS_PER_BLOCK ? left : COUNTERS_PER_BLOCK,
            .process = counters->process,
            .first_clock = counters->clock,
            .last_clock = counters->clock,
        };
        codec_encode_counters(writer__payload(writer), counters->counters + done, header.count, &writer->splits);
        CLEW_TRY(writer__block(writer, header, &writer->payload));
        done += header.count;
    }
    return CLEW_OK;
}

enum clew_error recording_write_throws(struct recording_writer *writer, const struct recording_throws *throws)
{
    if (throws->count > RECORDING_OBJECTS_MAX) {
        return CLEW_UNSUPPORTED;
    }
    CLEW_TRY(writer__prepare(writer));
    const struct block_header header = {
        .type = RECORDING_EXCEPTIONS,
        .count = throws->count,
        .process = throws->process,
        .thread = throws->thread,
        .first_clock = throws->clock,
        .last_clock = throws->clock,
    };
    codec_encode_throws(writer__payload(writer), throws, &writer->splits);
    return writer__block(writer, header, &writer->payload);
}
