// Reads a recording forward, one block at a time, and skips damage. No byte of the file is used before the checksum over it
// was verified, and each step moves forward, so a pass ends however broken the file is. The rules are those of
// doc/recording.md, "Reading what is damaged".
//
// Three kinds of block need more than decoding: DEFINITIONS hold many records, which are handed out one by one; a TREE may
// be split over several blocks; and copies of definitions are handed out only when their originals were missed.
#include "recording/reader.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "recording/block.h"
#include "recording/codec.h"
#include "recording/handle_file.h"
#include "recording/seen_numbers.h"

struct recording_reader {
    struct recording *recording;
    bool owned; // the handle was opened for this reader
    struct block_file file;
    uint64_t offset; // of the next block
    bool listed;     // the pass visits the blocks that the index lists, as far as they are asked for
    size_t entry;    // of the index: the next
    bool at_end;     // such a pass has come to END
    struct recording_health health;
    uint64_t damage_end; // of the newest damaged stretch
    // The DEFINITIONS block being handed out.
    struct bytes definitions;
    uint64_t definitions_offset, definitions_number;
    uint32_t definitions_left;
    bool definitions_copied;
    struct seen_numbers seen; // definitions of this pass
    struct codec_arrays arrays;
    struct recording_reader *apart; // with buffers for recording_read(); NULL before its first call
    recording_wants *wants_events;  // NULL: of all threads
    void *wants_context;
    recording_takes_nodes *takes_nodes; // NULL: the parts of a tree are joined
    void *takes_context;
};

// Counts damaged bytes; a stretch that follows the previous one directly belongs to it.
static void damage(struct recording_reader *reader, uint64_t from, uint64_t to)
{
    CLEW_ASSERT(from < to && "what is damaged is some bytes");
    if (reader->health.damaged == 0 || reader->damage_end != from) {
        reader->health.damaged++;
    }
    reader->health.damaged_bytes += to - from;
    reader->damage_end = to;
}

// Finds the next valid block, and counts the damage before it. False at the end.
static bool next_block(struct recording_reader *reader, struct block_header *header, uint64_t *offset)
{
    uint64_t from = reader->offset;
    *offset = from;
    enum block_state state = block_next(&reader->file, offset, header);
    if (*offset > from) {
        damage(reader, from, *offset);
    }
    if (state == BLOCK_VALID) {
        reader->offset = block_end(*offset, header);
        return true;
    }
    if (state == BLOCK_CUT) {
        reader->health.cut_bytes = reader->file.size - *offset;
        *offset = reader->file.size;
    }
    reader->offset = *offset;
    return false;
}

static bool has_type(uint32_t types, uint32_t type)
{
    return type < 32 && types & 1u << type;
}

// Whether a DEFINITIONS block can have a record that is new: every block but a copy when nothing is missing.
static bool definitions_are_wanted(const struct recording_reader *reader, uint32_t types, bool copy)
{
    bool missing = seen_numbers_lack(&reader->seen) || reader->health.damaged > 0;
    return types & CODEC_DEFINITIONS && (!copy || missing);
}

static bool events_are_wanted(const struct recording_reader *reader, uint32_t process, uint32_t thread)
{
    return !reader->wants_events || reader->wants_events(reader->wants_context, process, thread);
}

// Whether a block that the index lists can have a record that is asked for.
static bool entry_is_wanted(const struct recording_reader *reader, const struct recording_block *entry, uint32_t types)
{
    if (entry->offset < reader->offset) {
        return false; // a later part of the tree that was read
    }
    if (entry->type == RECORDING_EVENTS && !events_are_wanted(reader, entry->process, entry->thread)) {
        return false;
    }
    return entry->type == RECORDING_DEFINITIONS ? definitions_are_wanted(reader, types, entry->flags & BLOCK_COPY)
                                                : has_type(types, entry->type);
}

// Looks at the block at `offset`, and counts damage if it is not valid.
static bool look_at(struct recording_reader *reader, uint64_t offset, struct block_header *header)
{
    if (block_look(&reader->file, offset, header) != BLOCK_VALID) {
        uint64_t left = reader->file.size - offset;
        reader->offset = offset + (left < BLOCK_HEADER_SIZE ? left : BLOCK_HEADER_SIZE);
        damage(reader, offset, reader->offset);
        return false;
    }
    reader->offset = block_end(offset, header);
    return true;
}

// The END block, which the index does not list. False: there is none, or the pass was there.
static bool next_is_end(struct recording_reader *reader, uint32_t types, struct block_header *header, uint64_t *offset)
{
    if (reader->at_end || !has_type(types, RECORDING_END) || !block_find_end(&reader->file, offset, header) ||
        *offset < reader->offset) {
        return false;
    }
    reader->at_end = true;
    reader->offset = reader->file.size;
    return true;
}

// Finds the next block among those that the index lists. NOT_FOUND at the end.
static enum clew_error next_listed(struct recording_reader *reader, uint32_t types, struct block_header *header,
                                   uint64_t *offset)
{
    const struct recording_block *entries;
    size_t count;
    CLEW_TRY(recording_index(reader->recording, &entries, &count));
    while (reader->entry < count) {
        const struct recording_block *entry = &entries[reader->entry++];
        if (entry_is_wanted(reader, entry, types) && entry->offset < reader->file.size &&
            look_at(reader, entry->offset, header)) {
            *offset = entry->offset;
            return CLEW_OK;
        }
    }
    return next_is_end(reader, types, header, offset) ? CLEW_OK : CLEW_NOT_FOUND;
}

// Resets everything that belongs to one pass.
static void forget_pass(struct recording_reader *reader)
{
    reader->health = (struct recording_health){0};
    reader->definitions_left = 0;
    reader->listed = reader->at_end = false;
    reader->entry = 0;
    seen_numbers_clear(&reader->seen);
    if (reader->file.header_damaged) {
        damage(reader, 0, BLOCK_FILE_HEADER_SIZE);
    }
}

enum clew_error recording_new_reader(struct recording *recording, struct recording_reader **out)
{
    struct recording_reader *reader = calloc(1, sizeof *reader);
    if (!reader) {
        return CLEW_NO_MEMORY;
    }
    reader->recording = recording;
    reader->file = block_file_share(recording__file(recording));
    reader->offset = reader->file.start;
    forget_pass(reader);
    *out = reader;
    return CLEW_OK;
}

enum clew_error recording_open_reader(const char *path, struct recording_reader **out)
{
    struct recording *recording;
    CLEW_TRY(recording_open(path, &recording));
    enum clew_error error = recording_new_reader(recording, out);
    if (error != CLEW_OK) {
        recording_free(recording);
        return error;
    }
    (*out)->owned = true;
    return CLEW_OK;
}

static void free_buffers(struct recording_reader *reader)
{
    block_file_close(&reader->file);
    codec_arrays_free(&reader->arrays);
    seen_numbers_free(&reader->seen);
}

void recording_close_reader(struct recording_reader *reader)
{
    if (!reader) {
        return;
    }
    if (reader->apart) {
        free_buffers(reader->apart);
        free(reader->apart);
    }
    free_buffers(reader);
    if (reader->owned) {
        recording_free(reader->recording);
    }
    free(reader);
}

struct recording *recording_of(const struct recording_reader *reader)
{
    return reader->recording;
}

enum clew_error recording_rewind(struct recording_reader *reader, uint64_t offset)
{
    CLEW_TRY(recording_follow(reader->recording));
    reader->file.size = recording_file_size(reader->recording);
    forget_pass(reader);
    reader->offset = offset < reader->file.start ? reader->file.start : offset;
    return CLEW_OK;
}

enum clew_error recording_rewind_listed(struct recording_reader *reader)
{
    const struct recording_block *entries;
    size_t count;
    CLEW_TRY(recording_rewind(reader, 0));
    CLEW_TRY(recording_index(reader->recording, &entries, &count));
    struct recording_health listing = recording_index_health(reader->recording);
    bool session = recording_has_session(reader->recording);
    // So far, the pass knows of a damaged file header alone. The index does not list the session.
    reader->health.damaged += listing.damaged > 0 || session ? listing.damaged : 1;
    reader->health.damaged_bytes += listing.damaged_bytes;
    reader->health.cut_bytes = listing.cut_bytes;
    reader->listed = true;
    return CLEW_OK;
}

// Begins to hand out the records of a DEFINITIONS block. A block of copies is not even loaded when nothing was missed.
static enum clew_error begin_definitions(struct recording_reader *reader, uint32_t types,
                                         const struct block_header *header, uint64_t offset)
{
    bool copy = header->flags & BLOCK_COPY;
    if (!definitions_are_wanted(reader, types, copy)) {
        return copy || seen_numbers_add(&reader->seen, header->sequence, header->sequence + header->count)
                   ? CLEW_OK
                   : CLEW_NO_MEMORY;
    }
    CLEW_TRY(block_load(&reader->file, offset, header, &reader->definitions));
    reader->definitions_offset = offset;
    reader->definitions_number = header->sequence;
    reader->definitions_left = header->count;
    reader->definitions_copied = copy;
    return copy || seen_numbers_add(&reader->seen, header->sequence, header->sequence + header->count) ? CLEW_OK
                                                                                                       : CLEW_NO_MEMORY;
}

// The record at the head of the current DEFINITIONS block: OK when it was asked for, else NOT_FOUND.
static enum clew_error take_definition(struct recording_reader *reader, uint32_t types, struct recording_record *out)
{
    struct codec_definition definition;
    bool wanted = true;
    if (!codec_decode_framed(&reader->definitions, reader->definitions_number, &definition)) {
        return CLEW_DAMAGED;
    }
    reader->definitions_number = definition.number + 1;
    if (reader->definitions_copied && !seen_numbers_add_copy(&reader->seen, definition.number, &wanted)) {
        return CLEW_NO_MEMORY;
    }
    if (!wanted || !codec_is_definition(definition.type) || !has_type(types, (uint32_t)definition.type)) {
        return CLEW_NOT_FOUND;
    }
    out->offset = reader->definitions_offset;
    if (definition.type == RECORDING_PATHS) {
        out->type = RECORDING_PATHS;
        return codec_decode_paths(definition.body, &reader->arrays, &out->paths);
    }
    return codec_decode_definition((enum recording_type)definition.type, definition.body, out) ? CLEW_OK : CLEW_DAMAGED;
}

// The next wanted record of the current DEFINITIONS block; NOT_FOUND when it has no more, DAMAGED once for the rest of it.
static enum clew_error next_definition(struct recording_reader *reader, uint32_t types, struct recording_record *out)
{
    while (reader->definitions_left > 0) {
        reader->definitions_left--;
        enum clew_error error = take_definition(reader, types, out);
        if (error == CLEW_DAMAGED) {
            reader->definitions_left = 0;
        }
        if (error != CLEW_NOT_FOUND) {
            return error;
        }
    }
    return CLEW_NOT_FOUND;
}

// The next part of the same record, if it is the next block.
static bool next_part(struct recording_reader *reader, struct block_header *header, uint64_t *offset)
{
    struct block_header next;
    if (block_look(&reader->file, reader->offset, &next) != BLOCK_VALID || next.type != header->type ||
        next.process != header->process || next.thread != header->thread || next.sequence != header->sequence ||
        next.part != header->part + 1 || !block_flags_known(&next)) {
        return false;
    }
    *header = next;
    *offset = reader->offset;
    reader->offset = block_end(*offset, header);
    return true;
}

// The parts from `first` up to here will not be shown.
static enum clew_error drop_parts(struct recording_reader *reader, uint64_t first)
{
    struct block_header next;
    enum block_state state = block_look(&reader->file, reader->offset, &next);
    if (state == BLOCK_NONE || state == BLOCK_CUT) {
        reader->health.cut_bytes = reader->file.size - first;
        reader->offset = reader->file.size;
        return CLEW_NOT_FOUND;
    }
    damage(reader, first, reader->offset);
    return CLEW_NOT_FOUND;
}

// Takes the payload of one part of a record.
typedef enum clew_error take_part(struct recording_reader *reader, const struct block_header *header,
                                  struct bytes payload, void *into);

// Takes the parts of a record in order, from its first one at `offset` on. NOT_FOUND when they are not all there.
static enum clew_error read_parts(struct recording_reader *reader, struct block_header *header, uint64_t offset,
                                  take_part *take, void *into)
{
    uint64_t first = offset;
    if (header->part != 0) {
        damage(reader, first, reader->offset);
        return CLEW_NOT_FOUND;
    }
    for (;;) {
        struct bytes payload;
        CLEW_TRY(block_load(&reader->file, offset, header, &payload));
        CLEW_TRY(take(reader, header, payload, into));
        if (!(header->flags & BLOCK_MORE)) {
            return CLEW_OK;
        }
        if (!next_part(reader, header, &offset)) {
            return drop_parts(reader, first);
        }
    }
}

struct tree_parts {
    struct recording_tree *tree;
    uint32_t total; // nodes, as the first part says
};

// Decodes a part of a tree. Parts that are passed on are decoded into the same place, one after the other.
static enum clew_error take_nodes(struct recording_reader *reader, const struct block_header *header,
                                  struct bytes payload, void *into)
{
    struct tree_parts *parts = into;
    struct recording_tree *tree = parts->tree;
    uint32_t before = reader->takes_nodes ? tree->count : 0;
    CLEW_TRY(codec_decode_nodes(header, payload, &reader->arrays, before, tree, &parts->total));
    if (!reader->takes_nodes) {
        return CLEW_OK;
    }
    tree->nodes = NULL;
    return reader->takes_nodes(reader->takes_context, reader->arrays.nodes, tree->count - before);
}

static enum clew_error read_tree(struct recording_reader *reader, struct block_header *header, uint64_t offset,
                                 struct recording_tree *out)
{
    struct tree_parts parts = {.tree = out};
    *out = (struct recording_tree){0};
    CLEW_TRY(read_parts(reader, header, offset, take_nodes, &parts));
    return out->count == parts.total ? CLEW_OK : CLEW_DAMAGED;
}

static enum clew_error take_runs(struct recording_reader *reader, const struct block_header *header,
                                 struct bytes payload, void *into)
{
    return codec_decode_runs(header, payload, &reader->arrays, into);
}

static enum clew_error read_runs(struct recording_reader *reader, struct block_header *header, uint64_t offset,
                                 struct recording_runs *out)
{
    *out = (struct recording_runs){0};
    return read_parts(reader, header, offset, take_runs, out);
}

static enum clew_error read_end(struct recording_reader *reader, const struct block_header *header, uint64_t offset,
                                struct recording_end *out)
{
    struct bytes payload;
    uint64_t index_offset;
    CLEW_TRY(block_load(&reader->file, offset, header, &payload));
    return codec_decode_end(payload, out, &index_offset) ? CLEW_OK : CLEW_DAMAGED;
}

// A record that is one block.
static enum clew_error read_payload(struct recording_reader *reader, const struct block_header *header, uint64_t offset,
                                    struct recording_record *out)
{
    struct bytes payload;
    CLEW_TRY(block_load(&reader->file, offset, header, &payload));
    switch (header->type) {
    case RECORDING_EVENTS:
        return codec_decode_events(header, payload, &reader->arrays, &out->events);
    case RECORDING_OBJECTS:
        return codec_decode_objects(header, payload, &reader->arrays, &out->objects);
    case RECORDING_TREE_CHANGES:
        return codec_decode_changes(header, payload, &reader->arrays, &out->changes);
    case RECORDING_COUNTERS:
        return codec_decode_counters(header, payload, &reader->arrays, &out->counters);
    case RECORDING_EXCEPTIONS:
        return codec_decode_throws(header, payload, &reader->arrays, &out->throws);
    case RECORDING_SITE_SETS:
        return codec_decode_site_sets(header, offset, payload, &reader->arrays, &out->site_sets);
    default:
        return codec_decode_source(header, payload, &out->source) ? CLEW_OK : CLEW_DAMAGED;
    }
}

// A block that is read outside of passes: the session when the recording is opened, the index when it is asked for.
static enum clew_error check_apart(struct recording_reader *reader, const struct block_header *header, uint64_t offset)
{
    struct recording_session session;
    struct bytes payload;
    CLEW_TRY(block_load(&reader->file, offset, header, &payload));
    return header->type != RECORDING_SESSION || codec_decode_session(payload, &session) ? CLEW_OK : CLEW_DAMAGED;
}

static bool is_wanted(const struct recording_reader *reader, uint32_t types, const struct block_header *header)
{
    return has_type(types, header->type) &&
           (header->type != RECORDING_EVENTS || events_are_wanted(reader, header->process, header->thread));
}

// Reads one block. OK: *out is its record. NOT_FOUND: it has none that is wanted. DAMAGED: its payload is not valid.
static enum clew_error read_block(struct recording_reader *reader, uint32_t types, struct block_header *header,
                                  uint64_t offset, struct recording_record *out)
{
    bool wanted = is_wanted(reader, types, header);
    enum clew_error error;
    out->type = (enum recording_type)header->type;
    out->offset = offset;
    switch (header->type) {
    case RECORDING_DEFINITIONS:
        error = begin_definitions(reader, types, header, offset);
        return error == CLEW_OK ? CLEW_NOT_FOUND : error;
    case RECORDING_TREE_NODES:
        return wanted ? read_tree(reader, header, offset, &out->tree) : CLEW_NOT_FOUND;
    case RECORDING_RUNS:
        return wanted ? read_runs(reader, header, offset, &out->runs) : CLEW_NOT_FOUND;
    case RECORDING_EVENTS:
    case RECORDING_OBJECTS:
    case RECORDING_SOURCE:
    case RECORDING_TREE_CHANGES:
    case RECORDING_COUNTERS:
    case RECORDING_SITE_SETS:
    case RECORDING_EXCEPTIONS:
        return wanted ? read_payload(reader, header, offset, out) : CLEW_NOT_FOUND;
    case RECORDING_END:
        error = read_end(reader, header, offset, &out->end);
        reader->health.ended |= error == CLEW_OK && !out->end.repaired;
        return error == CLEW_OK && !wanted ? CLEW_NOT_FOUND : error;
    case RECORDING_SESSION:
    case RECORDING_INDEX:
        error = check_apart(reader, header, offset);
        return error == CLEW_OK ? CLEW_NOT_FOUND : error;
    default:
        reader->health.unknown++;
        return CLEW_NOT_FOUND;
    }
}

// First the rest of the current DEFINITIONS block, then the next block.
enum clew_error recording_next(struct recording_reader *reader, uint32_t types, struct recording_record *out)
{
    for (;;) {
        struct block_header header;
        uint64_t offset;
        enum clew_error error = next_definition(reader, types, out);
        if (error == CLEW_DAMAGED) { // its block's checksum held: written by something broken
            damage(reader, reader->definitions_offset, reader->offset);
            continue;
        }
        if (error != CLEW_NOT_FOUND) {
            return error;
        }
        if (reader->listed) {
            CLEW_TRY(next_listed(reader, types, &header, &offset));
        } else if (!next_block(reader, &header, &offset)) {
            return CLEW_NOT_FOUND;
        }
        if (!block_flags_known(&header)) {
            reader->health.unknown++;
            continue;
        }
        error = read_block(reader, types, &header, offset, out);
        if (error == CLEW_DAMAGED) {
            damage(reader, offset, reader->offset);
        } else if (error != CLEW_NOT_FOUND) {
            return error;
        }
    }
}

void recording_want_events(struct recording_reader *reader, recording_wants *wants, void *context)
{
    reader->wants_events = wants;
    reader->wants_context = context;
}

void recording_want_tree_parts(struct recording_reader *reader, recording_takes_nodes *take, void *context)
{
    reader->takes_nodes = take;
    reader->takes_context = context;
}

void recording_want_no_payloads(struct recording_reader *reader)
{
    reader->arrays.without_payloads = true;
}

void recording_want_calls_of(struct recording_reader *reader, const struct recording_search *search)
{
    reader->arrays.search = search;
}

enum clew_error recording_check(struct recording_reader *reader)
{
    struct block_header header;
    uint64_t offset;
    CLEW_TRY(recording_rewind(reader, 0));
    while (next_block(reader, &header, &offset)) {
        enum clew_error error = block_check(&reader->file, offset, &header);
        if (error == CLEW_DAMAGED) {
            damage(reader, offset, reader->offset);
        } else if (error != CLEW_OK) {
            return error;
        }
    }
    return CLEW_OK;
}

enum clew_error recording_verify(struct recording_reader *reader)
{
    struct recording_record record;
    enum clew_error error = recording_rewind(reader, 0);
    while (error == CLEW_OK) {
        error = recording_next(reader, UINT32_MAX, &record);
    }
    return error == CLEW_NOT_FOUND ? CLEW_OK : error;
}

enum clew_error recording_read(struct recording_reader *reader, uint64_t offset, enum recording_type type,
                               struct recording_record *out)
{
    struct block_header header;
    if (!reader->apart) {
        CLEW_TRY(recording_new_reader(reader->recording, &reader->apart));
    }
    struct recording_reader *apart = reader->apart;
    apart->arrays.without_payloads = reader->arrays.without_payloads;
    apart->arrays.search = reader->arrays.search;
    recording_want_tree_parts(apart, reader->takes_nodes, reader->takes_context);
    apart->file.size = recording_file_size(reader->recording);
    if (block_look(&apart->file, offset, &header) != BLOCK_VALID || header.type != (uint16_t)type ||
        !block_flags_known(&header)) {
        return CLEW_DAMAGED;
    }
    apart->offset = block_end(offset, &header);
    enum clew_error error = read_block(apart, 1u << type, &header, offset, out);
    return error == CLEW_NOT_FOUND ? CLEW_DAMAGED : error;
}

struct recording_health recording_health(const struct recording_reader *reader)
{
    return reader->health;
}

enum clew_error recording_each(struct recording *recording, uint32_t types, recording_takes *take, void *context,
                               struct recording_health *health)
{
    struct recording_reader *reader;
    struct recording_record record;
    enum clew_error error;
    CLEW_TRY(recording_new_reader(recording, &reader));
    do {
        error = recording_next(reader, types, &record);
        error = error == CLEW_OK ? take(context, &record) : error;
    } while (error == CLEW_OK);
    recording_meet(health, &reader->health);
    recording_close_reader(reader);
    return error == CLEW_NOT_FOUND ? CLEW_OK : error;
}
