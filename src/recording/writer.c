// Appends blocks to a recording, each with one write, so that a writer that is killed leaves at most one cut block.
// Small records are gathered; they are in the file before the first block that may use them, and all valid ones are
// repeated from time to time. The format is described in doc/recording.md.
#include "recording/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zstd.h>

#include "base/map.h"
#include "recording/block.h"
#include "recording/codec.h"
#include "recording/definitions.h"

enum {
    GATHER_SIZE = 64 << 10, // bytes of definitions that make a block
    COPY_SIZE = 256 << 10,  // of a copy
    COPY_EVERY = 64 << 20,  // bytes of file between copies, at least
    COPY_SHARE = 8,         // and so many times the size of the last copy
    NODES_PER_PART = 65536,
    INDEX_SIZE_MAX = 48 << 20,
    COMPRESS_SIZE_MIN = 64,   // smaller payloads do not shrink
    SPLIT_SIZE_MIN = 8 << 10, // columns of smaller payloads share tables
    COMPRESS_LEVEL = 1,
};

// What the next blocks of a thread continue.
struct stream {
    uint64_t position, sequence; // of its EVENTS
    uint64_t trees;              // sequence of its next TREE
    bool started;                // has EVENTS
};

struct recording_writer {
    int fd;
    enum clew_error failed; // the first failed write, for ever after
    uint64_t size, salt;
    struct ZSTD_CCtx_s *zstd;
    struct buffer session; // its payload, for copies
    struct buffer gathered;
    uint32_t gathered_count;
    uint64_t numbered; // definitions so far: the number of the next
    struct definitions definitions;
    uint64_t copy_every, copy_at; // bytes between copies; file size that asks for the next
    struct buffer body, payload, block;
    struct codec_columns columns;
    struct codec_splits splits; // of payload
    struct map stream_of;       // process << 32 | thread: position in streams
    struct stream *streams;
    size_t stream_count, stream_room;
    struct buffer index;
    uint32_t index_count;
    struct recording_block index_last;
};

static enum clew_error write_all(struct recording_writer *writer, const uint8_t *at, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t wrote = pwrite(writer->fd, at + done, size - done, (off_t)(writer->size + done));
        if (wrote < 0 && errno == EINTR) {
            continue;
        }
        if (wrote <= 0) {
            // Readers cope with what cannot be cut off.
            int ignored = ftruncate(writer->fd, (off_t)writer->size);
            (void)ignored;
            writer->failed = CLEW_IO;
            return CLEW_IO;
        }
        done += (size_t)wrote;
    }
    writer->size += size;
    return CLEW_OK;
}

static void index_block(struct recording_writer *writer, const struct block_header *header, uint64_t offset)
{
    struct recording_block entry = {
        .offset = offset,
        .type = header->type,
        .flags = header->flags,
        .process = header->process,
        .thread = header->thread,
        .part = header->part,
        .count = header->count,
        .first_clock = header->first_clock,
        .last_clock = header->last_clock,
    };
    if (writer->index.size <= INDEX_SIZE_MAX) {
        codec_encode_index_entry(&writer->index, &entry, &writer->index_last);
        writer->index_count++;
    }
    writer->index_last = entry;
}

// One zstd frame with a compressor's block a column; the last column ends the payload. SIZE_MAX when it does not fit or
// fails.
static size_t compress_columns(struct recording_writer *writer, uint8_t *into, size_t room,
                               const struct buffer *payload, const struct codec_splits *splits)
{
    ZSTD_outBuffer out = {into, room, 0};
    ZSTD_inBuffer in = {payload->data, 0, 0};
    ZSTD_CCtx_reset(writer->zstd, ZSTD_reset_session_and_parameters);
    ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_compressionLevel, COMPRESS_LEVEL);
    ZSTD_CCtx_setPledgedSrcSize(writer->zstd, payload->size);
    for (size_t i = 0; i < splits->count; i++) {
        bool last = i + 1 == splits->count;
        in.size = splits->at[i];
        if (ZSTD_compressStream2(writer->zstd, &out, &in, last ? ZSTD_e_end : ZSTD_e_flush) != 0) {
            return SIZE_MAX;
        }
    }
    return out.pos;
}

static size_t compress(struct recording_writer *writer, uint8_t *into, size_t room, const struct buffer *payload)
{
    if (payload == &writer->payload && writer->splits.count > 0 && payload->size >= SPLIT_SIZE_MIN) {
        return compress_columns(writer, into, room, payload, &writer->splits);
    }
    return ZSTD_compressCCtx(writer->zstd, into, room, payload->data, payload->size, COMPRESS_LEVEL);
}

// Stores payload behind the room for the header in writer->block, compressed if that is smaller.
static bool store_payload(struct recording_writer *writer, struct block_header *header, const struct buffer *payload)
{
    buffer_clear(&writer->block);
    size_t bound = ZSTD_compressBound(payload->size);
    uint8_t *start = buffer_extend(&writer->block, BLOCK_HEADER_SIZE + bound);
    if (!start) {
        return false;
    }
    size_t size = payload->size;
    if (header->type != RECORDING_END && payload->size >= COMPRESS_SIZE_MIN) {
        size = compress(writer, start + BLOCK_HEADER_SIZE, bound, payload);
    }
    if (size < payload->size) {
        header->flags |= BLOCK_ZSTD;
    } else { // also when zstd failed: its error codes are huge sizes
        size = payload->size;
        if (size > 0) {
            memcpy(start + BLOCK_HEADER_SIZE, payload->data, size);
        }
    }
    header->stored = (uint32_t)size;
    header->raw = (uint32_t)payload->size;
    header->payload_sum = block_sum(start + BLOCK_HEADER_SIZE, size);
    block_encode_header(start, header, writer->salt);
    writer->block.size = BLOCK_HEADER_SIZE + size;
    return true;
}

static enum clew_error write_block(struct recording_writer *writer, struct block_header header,
                                   const struct buffer *payload)
{
    if (payload->failed) {
        return CLEW_NO_MEMORY;
    }
    if (payload->size > BLOCK_PAYLOAD_MAX) {
        return CLEW_UNSUPPORTED;
    }
    if (!store_payload(writer, &header, payload)) {
        return CLEW_NO_MEMORY;
    }
    uint64_t offset = writer->size;
    CLEW_TRY(write_all(writer, writer->block.data, writer->block.size));
    index_block(writer, &header, offset);
    return CLEW_OK;
}

enum clew_error recording_flush(struct recording_writer *writer)
{
    if (writer->failed != CLEW_OK || writer->gathered_count == 0) {
        return writer->failed;
    }
    struct block_header header = {
        .type = RECORDING_DEFINITIONS,
        .count = writer->gathered_count,
        .sequence = writer->numbered - writer->gathered_count,
    };
    CLEW_TRY(write_block(writer, header, &writer->gathered));
    buffer_clear(&writer->gathered);
    writer->gathered_count = 0;
    return CLEW_OK;
}

// Takes the record whose body was just encoded into writer->body.
static enum clew_error gather(struct recording_writer *writer, enum recording_type type)
{
    struct codec_definition definition = {(uint64_t)type, writer->numbered,
                                          bytes_of(writer->body.data, writer->body.size)};
    if (writer->failed != CLEW_OK) {
        return writer->failed;
    }
    size_t before = writer->gathered.size;
    codec_encode_framed(&writer->gathered, &definition, writer->numbered);
    if (writer->body.failed || writer->gathered.failed || !definitions_put(&writer->definitions, &definition)) {
        writer->gathered.size = before;
        writer->gathered.failed = false;
        return CLEW_NO_MEMORY;
    }
    writer->numbered++;
    writer->gathered_count++;
    return writer->gathered.size < GATHER_SIZE ? CLEW_OK : recording_flush(writer);
}

enum clew_error recording_write_process(struct recording_writer *writer, const struct recording_process *process)
{
    buffer_clear(&writer->body);
    codec_encode_process(&writer->body, process);
    return gather(writer, RECORDING_PROCESS);
}

enum clew_error recording_write_module(struct recording_writer *writer, const struct recording_module *module)
{
    buffer_clear(&writer->body);
    codec_encode_module(&writer->body, module);
    return gather(writer, RECORDING_MODULE);
}

enum clew_error recording_write_method(struct recording_writer *writer, const struct recording_method *method)
{
    buffer_clear(&writer->body);
    codec_encode_method(&writer->body, method);
    return gather(writer, RECORDING_METHOD);
}

enum clew_error recording_write_thread(struct recording_writer *writer, const struct recording_thread *thread)
{
    buffer_clear(&writer->body);
    codec_encode_thread(&writer->body, thread);
    return gather(writer, RECORDING_THREAD);
}

enum clew_error recording_write_not_woven(struct recording_writer *writer, const struct recording_not_woven *method)
{
    buffer_clear(&writer->body);
    codec_encode_not_woven(&writer->body, method);
    return gather(writer, RECORDING_NOT_WOVEN);
}

enum clew_error recording_write_note(struct recording_writer *writer, const struct recording_note *note)
{
    buffer_clear(&writer->body);
    codec_encode_note(&writer->body, note);
    return gather(writer, RECORDING_NOTE);
}

static struct buffer *begin_payload(struct recording_writer *writer)
{
    writer->splits.count = 0;
    buffer_clear(&writer->payload);
    return &writer->payload;
}

static enum clew_error write_session(struct recording_writer *writer, uint16_t flags)
{
    return write_block(writer, (struct block_header){.type = RECORDING_SESSION, .flags = flags, .count = 1},
                       &writer->session);
}

// Writes a block of the definitions from *next on, and moves *next behind them.
static enum clew_error write_copy_block(struct recording_writer *writer, size_t *next)
{
    const struct definitions *all = &writer->definitions;
    struct block_header header = {.type = RECORDING_DEFINITIONS, .flags = BLOCK_COPY};
    begin_payload(writer);
    uint64_t expected = header.sequence = definitions_at(all, *next).number;
    while (*next < all->count && writer->payload.size < COPY_SIZE) {
        struct codec_definition definition = definitions_at(all, *next);
        codec_encode_framed(&writer->payload, &definition, expected);
        expected = definition.number + 1;
        header.count++;
        *next += 1;
    }
    return write_block(writer, header, &writer->payload);
}

static enum clew_error write_copies(struct recording_writer *writer)
{
    uint64_t start = writer->size;
    CLEW_TRY(write_session(writer, BLOCK_COPY));
    for (size_t next = 0; next < writer->definitions.count;) {
        CLEW_TRY(write_copy_block(writer, &next));
    }
    uint64_t distance = (writer->size - start) * COPY_SHARE;
    writer->copy_at = writer->size + (distance > writer->copy_every ? distance : writer->copy_every);
    return CLEW_OK;
}

void recording_copy_every(struct recording_writer *writer, uint64_t bytes)
{
    writer->copy_every = bytes;
    writer->copy_at = writer->size + bytes;
}

// What every large block starts with: definitions first.
static enum clew_error prepare(struct recording_writer *writer)
{
    CLEW_TRY(recording_flush(writer));
    return writer->size >= writer->copy_at ? write_copies(writer) : CLEW_OK;
}

static uint64_t stream_key(uint32_t process, uint32_t thread)
{
    return (uint64_t)process << 32 | thread;
}

// The thread's stream, made when new; NULL when memory runs out.
static struct stream *stream_for(struct recording_writer *writer, uint32_t process, uint32_t thread)
{
    uint64_t position;
    if (map_get(&writer->stream_of, stream_key(process, thread), &position)) {
        return &writer->streams[position];
    }
    if (writer->stream_count == writer->stream_room) {
        size_t room = writer->stream_room ? writer->stream_room * 2 : 64;
        struct stream *streams = realloc(writer->streams, room * sizeof *streams);
        if (!streams) {
            return NULL;
        }
        writer->streams = streams;
        writer->stream_room = room;
    }
    if (!map_put(&writer->stream_of, stream_key(process, thread), writer->stream_count)) {
        return NULL;
    }
    struct stream *stream = &writer->streams[writer->stream_count++];
    *stream = (struct stream){0};
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

// Readers refuse anything else.
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

static enum clew_error write_tree_part(struct recording_writer *writer, const struct recording_tree *tree,
                                       struct block_header *header, uint32_t first)
{
    uint32_t left = tree->count - first;
    header->count = left < NODES_PER_PART ? left : NODES_PER_PART;
    header->flags = header->count < left ? BLOCK_MORE : 0;
    codec_encode_nodes(begin_payload(writer), tree, first, header->count, &writer->splits);
    return write_block(writer, *header, &writer->payload);
}

enum clew_error recording_write_tree(struct recording_writer *writer, const struct recording_tree *tree)
{
    if (!tree_is_sound(tree)) {
        return CLEW_UNSUPPORTED;
    }
    CLEW_TRY(prepare(writer));
    struct stream *stream = stream_for(writer, tree->process, tree->thread);
    if (!stream) {
        return CLEW_NO_MEMORY;
    }
    struct block_header header = {
        .type = RECORDING_TREE_NODES,
        .process = tree->process,
        .thread = tree->thread,
        .sequence = stream->trees,
        .first_clock = tree->clock,
        .last_clock = tree->clock,
    };
    stream->trees++;
    uint32_t first = 0;
    do {
        CLEW_TRY(write_tree_part(writer, tree, &header, first));
        first += header.count;
        header.part++;
    } while (first < tree->count);
    return CLEW_OK;
}

enum clew_error recording_write_events(struct recording_writer *writer, const struct recording_events *events)
{
    if (events->count > RECORDING_EVENTS_MAX || events->depth > RECORDING_DEPTH_MAX) {
        return CLEW_UNSUPPORTED;
    }
    CLEW_TRY(prepare(writer));
    struct stream *stream = stream_for(writer, events->process, events->thread);
    if (!stream || !codec_encode_events(begin_payload(writer), events, &writer->columns, &writer->splits)) {
        return CLEW_NO_MEMORY;
    }
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
    CLEW_TRY(write_block(writer, header, &writer->payload));
    stream->started = true;
    stream->sequence++;
    stream->position = events->position + events->words;
    return CLEW_OK;
}

static void free_writer(struct recording_writer *writer)
{
    if (writer->fd >= 0) {
        close(writer->fd);
    }
    ZSTD_freeCCtx(writer->zstd);
    buffer_free(&writer->session);
    buffer_free(&writer->gathered);
    buffer_free(&writer->body);
    buffer_free(&writer->payload);
    buffer_free(&writer->block);
    buffer_free(&writer->index);
    definitions_free(&writer->definitions);
    codec_columns_free(&writer->columns);
    map_free(&writer->stream_of);
    free(writer->streams);
    free(writer);
}

static enum clew_error new_writer(struct recording_writer **out)
{
    struct recording_writer *writer = calloc(1, sizeof *writer);
    if (!writer) {
        return CLEW_NO_MEMORY;
    }
    writer->fd = -1;
    writer->copy_every = writer->copy_at = COPY_EVERY;
    writer->zstd = ZSTD_createCCtx();
    if (!writer->zstd) {
        free_writer(writer);
        return CLEW_NO_MEMORY;
    }
    *out = writer;
    return CLEW_OK;
}

// Makes way for a new file. *moved: there was one, and `old` is its name now.
static enum clew_error move_away(const char *path, const char *old, bool *moved)
{
    struct stat status;
    *moved = false;
    if (lstat(path, &status) != 0) {
        return errno == ENOENT ? CLEW_OK : CLEW_IO;
    }
    // Renaming /dev/null, a socket or a folder would do harm.
    if (!S_ISREG(status.st_mode) && !S_ISLNK(status.st_mode)) {
        return CLEW_IO;
    }
    *moved = rename(path, old) == 0;
    return *moved ? CLEW_OK : CLEW_IO;
}

static enum clew_error start_file(struct recording_writer *writer, const char *path,
                                  const struct recording_session *session)
{
    if (getrandom(&writer->salt, sizeof writer->salt, 0) != sizeof writer->salt) {
        return CLEW_IO;
    }
    struct buffer header = {0};
    block_encode_file_header(&header, writer->salt);
    codec_encode_session(&writer->session, session);
    if (header.failed || writer->session.failed) {
        buffer_free(&header);
        return CLEW_NO_MEMORY;
    }
    writer->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    enum clew_error error = writer->fd < 0 || flock(writer->fd, LOCK_EX | LOCK_NB) != 0 ? CLEW_IO : CLEW_OK;
    if (error == CLEW_OK) {
        error = write_all(writer, header.data, header.size);
    }
    buffer_free(&header);
    return error == CLEW_OK ? write_session(writer, 0) : error;
}

enum clew_error recording_create(const char *path, const struct recording_session *session,
                                 struct recording_writer **out)
{
    struct recording_writer *writer;
    CLEW_TRY(new_writer(&writer));
    char *old;
    if (asprintf(&old, "%s.old", path) < 0) {
        free_writer(writer);
        return CLEW_NO_MEMORY;
    }
    bool moved;
    enum clew_error error = move_away(path, old, &moved);
    if (error == CLEW_OK) {
        error = start_file(writer, path, session);
        if (error != CLEW_OK && writer->fd >= 0) {
            unlink(path);
        }
        if (error != CLEW_OK && moved) {
            rename(old, path);
        }
    }
    free(old);
    if (error != CLEW_OK) {
        free_writer(writer);
        return error;
    }
    *out = writer;
    return CLEW_OK;
}

// What a scan of the file finds for recording_resume().
struct resume {
    struct recording_writer *writer;
    struct block_file file;
    struct block_header last; // newest valid block but END and INDEX, not yet taken into account
    uint64_t last_offset;
    uint64_t group;          // offset of the first part, when the last block is one of several...
    size_t group_index_size; // ...and what the index was before it
    uint32_t group_index_count;
    struct recording_block group_index_last;
    bool any;
};

static enum clew_error take_definitions(struct resume *resume, struct bytes payload)
{
    struct recording_writer *writer = resume->writer;
    uint64_t expected = resume->last.sequence;
    struct codec_definition definition;
    for (uint32_t i = 0; i < resume->last.count && codec_decode_framed(&payload, expected, &definition); i++) {
        expected = definition.number + 1;
        if (codec_is_definition(definition.type) && !definitions_put(&writer->definitions, &definition)) {
            return CLEW_NO_MEMORY;
        }
    }
    if (!(resume->last.flags & BLOCK_COPY) && expected > writer->numbered) {
        writer->numbered = expected;
    }
    return CLEW_OK;
}

static enum clew_error take_payload(struct resume *resume)
{
    struct bytes payload;
    enum clew_error error = block_load(&resume->file, resume->last_offset, &resume->last, &payload);
    if (error != CLEW_OK) {
        return error == CLEW_DAMAGED ? CLEW_OK : error; // readers pass over it too
    }
    struct buffer *session = &resume->writer->session;
    if (resume->last.type == RECORDING_DEFINITIONS) {
        return take_definitions(resume, payload);
    }
    if (session->size == 0) {
        buffer_append(session, payload.at, bytes_left(&payload));
    }
    return session->failed ? CLEW_NO_MEMORY : CLEW_OK;
}

// Takes the block found last into account.
static enum clew_error take_last(struct resume *resume)
{
    const struct block_header *last = &resume->last;
    if (!resume->any) {
        return CLEW_OK;
    }
    index_block(resume->writer, last, resume->last_offset);
    if (last->type == RECORDING_DEFINITIONS || last->type == RECORDING_SESSION) {
        return take_payload(resume);
    }
    if (last->type != RECORDING_EVENTS && last->type != RECORDING_TREE_NODES) {
        return CLEW_OK;
    }
    struct stream *stream = stream_for(resume->writer, last->process, last->thread);
    if (!stream) {
        return CLEW_NO_MEMORY;
    }
    if (last->type == RECORDING_TREE_NODES) {
        stream->trees = last->sequence + 1;
        return CLEW_OK;
    }
    stream->started = true;
    stream->sequence = last->sequence + 1;
    stream->position = last->position + last->words;
    return CLEW_OK;
}

static void note_block(struct resume *resume, const struct block_header *header, uint64_t offset)
{
    const struct recording_writer *writer = resume->writer;
    bool follows = resume->any && offset == block_end(resume->last_offset, &resume->last);
    if (header->part == 0 || !follows) {
        resume->group = offset;
        resume->group_index_size = writer->index.size;
        resume->group_index_count = writer->index_count;
        resume->group_index_last = writer->index_last;
    }
    resume->last = *header;
    resume->last_offset = offset;
    resume->any = true;
}

static enum clew_error scan(struct resume *resume)
{
    struct block_header header;
    uint64_t offset = resume->file.start;
    for (;;) {
        enum block_state state = block_look(&resume->file, offset, &header);
        if (state == BLOCK_DAMAGED) {
            offset = block_search(&resume->file, offset);
            continue;
        }
        if (state != BLOCK_VALID) {
            return CLEW_OK;
        }
        if (header.type != RECORDING_INDEX && header.type != RECORDING_END) {
            CLEW_TRY(take_last(resume));
            note_block(resume, &header, offset);
        }
        offset = block_end(offset, &header);
    }
}

// Decides where the file ends for us.
static enum clew_error finish_scan(struct resume *resume)
{
    struct bytes payload;
    struct recording_writer *writer = resume->writer;
    if (!resume->any) {
        return CLEW_DAMAGED;
    }
    enum clew_error error = block_load(&resume->file, resume->last_offset, &resume->last, &payload);
    if (error == CLEW_OK && !(resume->last.flags & BLOCK_MORE)) {
        writer->size = block_end(resume->last_offset, &resume->last);
        CLEW_TRY(take_last(resume));
    } else if (error == CLEW_OK || error == CLEW_DAMAGED) {
        writer->size = resume->group;
        writer->index.size = resume->group_index_size;
        writer->index_count = resume->group_index_count;
        writer->index_last = resume->group_index_last;
    } else {
        return error;
    }
    writer->salt = resume->file.salt;
    return writer->session.size > 0 ? CLEW_OK : CLEW_DAMAGED;
}

static enum clew_error resume_file(struct recording_writer *writer, const char *path)
{
    writer->fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (writer->fd < 0) {
        return errno == ENOENT ? CLEW_NOT_FOUND : CLEW_IO;
    }
    if (flock(writer->fd, LOCK_EX | LOCK_NB) != 0) {
        return CLEW_IO; // another writer lives
    }
    int scanned = fcntl(writer->fd, F_DUPFD_CLOEXEC, 0);
    if (scanned < 0) {
        return CLEW_IO;
    }
    struct resume resume = {.writer = writer};
    CLEW_TRY(block_file_open(scanned, &resume.file));
    enum clew_error error = scan(&resume);
    if (error == CLEW_OK) {
        error = finish_scan(&resume);
    }
    block_file_close(&resume.file);
    CLEW_TRY(error);
    recording_copy_every(writer, COPY_EVERY);
    return ftruncate(writer->fd, (off_t)writer->size) == 0 ? CLEW_OK : CLEW_IO;
}

enum clew_error recording_resume(const char *path, struct recording_writer **out)
{
    struct recording_writer *writer;
    CLEW_TRY(new_writer(&writer));
    enum clew_error error = resume_file(writer, path);
    if (error != CLEW_OK) {
        free_writer(writer);
        return error;
    }
    *out = writer;
    return CLEW_OK;
}

static enum clew_error write_end(struct recording_writer *writer, const struct recording_end *end)
{
    uint64_t index_offset = 0;
    CLEW_TRY(recording_flush(writer));
    if (!writer->index.failed && writer->index.size <= INDEX_SIZE_MAX) {
        index_offset = writer->size;
        struct block_header header = {.type = RECORDING_INDEX, .count = writer->index_count};
        CLEW_TRY(write_block(writer, header, &writer->index));
    }
    codec_encode_end(begin_payload(writer), end, index_offset);
    return write_block(writer, (struct block_header){.type = RECORDING_END, .count = 1}, &writer->payload);
}

enum clew_error recording_close(struct recording_writer *writer, const struct recording_end *end)
{
    enum clew_error error = end ? write_end(writer, end) : recording_flush(writer);
    if (close(writer->fd) != 0 && error == CLEW_OK) {
        error = CLEW_IO;
    }
    writer->fd = -1;
    free_writer(writer);
    return error;
}

uint64_t recording_size(const struct recording_writer *writer)
{
    return writer->size;
}
