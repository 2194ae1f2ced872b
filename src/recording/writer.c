// Makes the file and its blocks. Each block is one write, so a writer that is killed leaves at most one incomplete block.
// Definitions are gathered and written before the first block that may use them. From time to time all valid definitions are
// repeated, so that a reader that lost the originals, to damage or because a flight recorder dropped them, finds them again.
// records.c builds the payloads; the format is described in doc/recording.md.
#include "base/assert.h"
#include "recording/internal.h"
#include "recording/output.h"

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

enum {
    GATHER_SIZE = 64 << 10,   // bytes of definitions that make a block
    COPY_SIZE = 256 << 10,    // of a copy
    COPY_EVERY = 64 << 20,    // bytes of file between copies, at least
    COPY_SHARE = 8,           // and at least so many times the size of the last copy: copies take 1/9 of a file at most
    COMPRESS_SIZE_MIN = 64,   // smaller payloads do not shrink
    SPLIT_SIZE_MIN = 8 << 10, // columns of smaller payloads share tables
    COMPRESS_LEVEL = 1,
};

static enum clew_error write_all(struct recording_writer *writer, const uint8_t *at, size_t size)
{
    size_t done = 0;
    if (writer->ended && ftruncate(writer->fd, (off_t)writer->size) != 0) {
        writer->failed = CLEW_IO;
        return CLEW_IO;
    }
    writer->ended = false;
    while (done < size) {
        ssize_t wrote = pwrite(writer->fd, at + done, size - done, (off_t)(writer->size + done));
        if (wrote < 0 && errno == EINTR) {
            continue;
        }
        if (wrote <= 0) {
            int number = errno; // of the write, which the caller may print
            // If this fails too, readers skip the incomplete block.
            int ignored = ftruncate(writer->fd, (off_t)writer->size);
            (void)ignored;
            errno = number;
            writer->failed = CLEW_IO;
            return CLEW_IO;
        }
        done += (size_t)wrote;
    }
    writer->size += size;
    return CLEW_OK;
}

void writer__index_block(struct recording_writer *writer, const struct block_header *header, uint64_t offset)
{
    if (header->type != RECORDING_INDEX && header->type != RECORDING_END) {
        struct recording_block entry = codec_index_entry(header, offset);
        index_writer_add(&writer->index, &entry);
    }
}

// Compresses the payload as one zstd frame that has a compressed block for each column, so that each column gets entropy
// tables of its own. SIZE_MAX when the result does not fit or zstd fails.
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
        CLEW_ASSERT(splits->at[i] >= in.size && splits->at[i] <= payload->size);
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
        CLEW_ASSERT(writer->splits.at[writer->splits.count - 1] == payload->size && "the last column ends the payload");
        return compress_columns(writer, into, room, payload, &writer->splits);
    }
    return ZSTD_compressCCtx(writer->zstd, into, room, payload->data, payload->size, COMPRESS_LEVEL);
}

// Builds the block in writer->block: the header, then the payload, compressed if that makes it smaller.
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
    CLEW_ASSERT(size <= payload->size && size <= BLOCK_PAYLOAD_MAX);
    header->stored = (uint32_t)size;
    header->raw = (uint32_t)payload->size;
    header->payload_sum = block_sum(start + BLOCK_HEADER_SIZE, size);
    block_encode_header(start, header, writer->salt);
    writer->block.size = BLOCK_HEADER_SIZE + size;
    return true;
}

static enum clew_error complete_index_part(struct recording_writer *writer)
{
    struct block_header header = index_writer_header(&writer->index);
    writer->splits.count = 0;
    if (!store_payload(writer, &header, &writer->index.entries)) {
        return CLEW_NO_MEMORY;
    }
    index_writer_complete(&writer->index, &header, writer->block.data + BLOCK_HEADER_SIZE);
    return CLEW_OK;
}

enum clew_error writer__split_index(struct recording_writer *writer)
{
    return index_writer_is_due(&writer->index) ? complete_index_part(writer) : CLEW_OK;
}

enum clew_error writer__block(struct recording_writer *writer, struct block_header header, const struct buffer *payload)
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
    writer__index_block(writer, &header, offset);
    return CLEW_OK;
}

enum clew_error writer__stored_block(struct recording_writer *writer, const struct block_header *header,
                                     const struct buffer *stored)
{
    uint64_t offset = writer->size;
    buffer_clear(&writer->block);
    uint8_t *start = buffer_extend(&writer->block, BLOCK_HEADER_SIZE);
    if (start) {
        block_encode_header(start, header, writer->salt);
        buffer_append(&writer->block, stored->data, stored->size);
    }
    if (writer->block.failed) {
        return CLEW_NO_MEMORY;
    }
    CLEW_TRY(write_all(writer, writer->block.data, writer->block.size));
    writer__index_block(writer, header, offset);
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
    CLEW_TRY(writer__block(writer, header, &writer->gathered));
    buffer_clear(&writer->gathered);
    writer->gathered_count = 0;
    return CLEW_OK;
}

enum clew_error writer__gather(struct recording_writer *writer, enum recording_type type)
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

struct buffer *writer__payload(struct recording_writer *writer)
{
    writer->splits.count = 0;
    buffer_clear(&writer->payload);
    return &writer->payload;
}

static enum clew_error write_session(struct recording_writer *writer, uint16_t flags)
{
    return writer__block(writer, (struct block_header){.type = RECORDING_SESSION, .flags = flags, .count = 1},
                         &writer->session);
}

// Writes one block of copies, of the definitions from *next on, and advances *next.
static enum clew_error write_copy_block(struct recording_writer *writer, size_t *next)
{
    const struct definitions *all = &writer->definitions;
    struct block_header header = {.type = RECORDING_DEFINITIONS, .flags = BLOCK_COPY};
    writer__payload(writer);
    uint64_t expected = header.sequence = definitions_at(all, *next).number;
    while (*next < all->count && writer->payload.size < COPY_SIZE) {
        struct codec_definition definition = definitions_at(all, *next);
        codec_encode_framed(&writer->payload, &definition, expected);
        expected = definition.number + 1;
        header.count++;
        *next += 1;
    }
    return writer__block(writer, header, &writer->payload);
}

enum clew_error writer__repeat_definitions(struct recording_writer *writer)
{
    uint64_t start = writer->size;
    CLEW_TRY(writer->session.size > 0 ? write_session(writer, BLOCK_COPY) : CLEW_OK); // a repaired file may have none
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

static enum clew_error write_site_sets(struct recording_writer *writer)
{
    struct block_header header = site_set_writer_header(&writer->site_sets, writer->size);
    CLEW_TRY(writer__block(writer, header, &writer->site_sets.sets));
    site_set_writer_clear(&writer->site_sets);
    return CLEW_OK;
}

void writer__learn_block_sites(struct recording_writer *writer, uint64_t offset, uint32_t process)
{
    const struct buffer *met = &writer->columns.met;
    if (!met->failed) {
        const struct site_set_block block = {offset, (uint32_t)(writer->size - offset), process};
        site_set_writer_add(&writer->site_sets, &block, (const uint32_t *)(const void *)met->data,
                            (uint32_t)(met->size / sizeof(uint32_t)));
    }
}

enum clew_error writer__prepare(struct recording_writer *writer)
{
    if (site_set_writer_is_due(&writer->site_sets)) {
        CLEW_TRY(write_site_sets(writer));
    }
    CLEW_TRY(recording_flush(writer));
    CLEW_TRY(writer__split_index(writer));
    return writer->size >= writer->copy_at ? writer__repeat_definitions(writer) : CLEW_OK;
}

void writer__free(struct recording_writer *writer)
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
    index_writer_free(&writer->index);
    site_set_writer_free(&writer->site_sets);
    definitions_free(&writer->definitions);
    codec_columns_free(&writer->columns);
    map_free(&writer->stream_of);
    free(writer->streams);
    for (size_t i = 0; i < writer->layouts_count; i++) {
        site_layouts_free(&writer->layouts[i]);
    }
    free(writer->layouts);
    map_free(&writer->layouts_of);
    free(writer);
}

enum clew_error writer__new(struct recording_writer **out)
{
    struct recording_writer *writer = calloc(1, sizeof *writer);
    if (!writer) {
        return CLEW_NO_MEMORY;
    }
    writer->fd = -1;
    writer->copy_every = writer->copy_at = COPY_EVERY;
    writer->zstd = ZSTD_createCCtx();
    if (!writer->zstd) {
        writer__free(writer);
        return CLEW_NO_MEMORY;
    }
    *out = writer;
    return CLEW_OK;
}

// Opens the file with these flags besides those for writing, locks it, and writes the file header and SESSION. The lock is
// advisory (flock) and ends with the process; it keeps a second writer out, not readers.
static enum clew_error start_file(struct recording_writer *writer, const char *path, int flags,
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
    writer->fd = open(path, O_RDWR | O_CLOEXEC | flags, 0600);
    if (writer->fd >= 0 && flags & O_CREAT) {
        (void)fchmod(writer->fd, 0600); // whatever the umask; where there are no modes the file is as it is
    }
    enum clew_error error = writer->fd < 0 || flock(writer->fd, LOCK_EX | LOCK_NB) != 0 ? CLEW_IO : CLEW_OK;
    if (error == CLEW_OK) {
        error = write_all(writer, header.data, header.size);
    }
    buffer_free(&header);
    return error == CLEW_OK ? write_session(writer, 0) : error;
}

// Puts an existing file aside first, and back if the new one cannot be made.
static enum clew_error create_file(struct recording_writer *writer, const char *path,
                                   const struct recording_session *session)
{
    char *old;
    CLEW_TRY(recording_output_set_aside(path, &old));
    enum clew_error error = start_file(writer, path, O_CREAT | O_EXCL | O_NOFOLLOW, session);
    if (error != CLEW_OK && writer->fd >= 0) {
        unlink(path);
    }
    if (error != CLEW_OK && old) {
        rename(old, path);
    }
    free(old);
    return error;
}

enum clew_error recording_create(const char *path, const struct recording_session *session,
                                 struct recording_writer **out)
{
    struct recording_writer *writer;
    CLEW_TRY(writer__new(&writer));
    bool device = recording_output_of(path) == OUTPUT_DEVICE;
    enum clew_error error = device ? start_file(writer, path, O_NOCTTY, session) : create_file(writer, path, session);
    if (error != CLEW_OK) {
        writer__free(writer);
        return error;
    }
    *out = writer;
    return CLEW_OK;
}

// Writes the parts of the index, and last the block that lists them. *offset: of the last.
static enum clew_error write_index_parts(struct recording_writer *writer, uint64_t *offset)
{
    struct index_writer *index = &writer->index;
    struct codec_index_part before = {0};
    uint64_t first = writer->size;
    const uint8_t *stored = index->stored.data;
    struct buffer *payload = writer__payload(writer);
    for (size_t i = 0; i < index->part_count; i++) {
        struct index_stored *part = &index->parts[i];
        const struct buffer bytes = {.data = (uint8_t *)(uintptr_t)stored, .size = part->header.stored};
        CLEW_TRY(writer__stored_block(writer, &part->header, &bytes));
        codec_encode_index_part(payload, &part->part, &before);
        before = part->part;
        stored += part->header.stored;
    }
    struct block_header header = {
        .type = RECORDING_INDEX, .flags = BLOCK_PARTS, .count = (uint32_t)index->part_count, .position = first};
    *offset = writer->size;
    return writer__block(writer, header, payload);
}

// *offset: of the block that a reader begins with; 0 when the index is left out, because it cannot be split. Readers then
// look at the header of each block.
static enum clew_error write_index(struct recording_writer *writer, uint64_t *offset)
{
    struct index_writer *index = &writer->index;
    *offset = 0;
    if (index->part_count > 0 && index->part.count > 0 && !index->failed) {
        CLEW_TRY(complete_index_part(writer));
    }
    if (index->failed) {
        return CLEW_OK;
    }
    if (index->part_count > 0) {
        return write_index_parts(writer, offset);
    }
    *offset = writer->size;
    return writer__block(writer, index_writer_header(index), &index->entries);
}

// Writes what is gathered for blocks of their own.
static enum clew_error write_gathered(struct recording_writer *writer)
{
    CLEW_TRY(recording_flush(writer));
    return writer->site_sets.count > 0 ? write_site_sets(writer) : CLEW_OK;
}

enum clew_error writer__end(struct recording_writer *writer, const struct recording_end *end)
{
    uint64_t index_offset;
    CLEW_TRY(write_gathered(writer));
    CLEW_TRY(write_index(writer, &index_offset));
    codec_encode_end(writer__payload(writer), end, index_offset);
    return writer__block(writer, (struct block_header){.type = RECORDING_END, .count = 1}, &writer->payload);
}

enum clew_error recording_end_for_now(struct recording_writer *writer, const struct recording_end *end)
{
    CLEW_TRY(write_gathered(writer));
    uint64_t size = writer->size;
    enum clew_error error = writer__end(writer, end);
    writer->size = size;
    writer->ended = true;
    return error;
}

enum clew_error recording_close(struct recording_writer *writer, const struct recording_end *end)
{
    enum clew_error error = end ? writer__end(writer, end) : recording_flush(writer);
    if (close(writer->fd) != 0 && error == CLEW_OK) {
        error = CLEW_IO;
    }
    writer->fd = -1;
    writer__free(writer);
    return error;
}

uint64_t recording_size(const struct recording_writer *writer)
{
    return writer->size;
}
