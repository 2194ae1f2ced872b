// File header, block headers, and the search for the next valid block. Reading damaged files rests on this part of the
// format alone, so it must never change incompatibly.
#include "recording/block.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>
#include <zstd.h>

#include "base/assert.h"
#include "recording/recording.h"

static const uint8_t file_magic[8] = {0x89, 'C', 'L', 'E', 'W', '\r', '\n', 0x1a};
static const uint8_t block_magic[8] = {0x9e, 'c', 'l', 'e', 'w', '\r', '\n', 0xb1};

enum {
    COMPATIBLE_KNOWN = 0,
    INCOMPATIBLE_KNOWN = 0,
    WINDOW_SIZE = 16 << 10, // bytes that a search reads at a time
};
static_assert(sizeof file_magic == BLOCK_MAGIC_SIZE, "readers compare so many bytes");
static_assert((int)WINDOW_SIZE > (int)BLOCK_HEADER_SIZE, "a search takes whole headers");

uint64_t block_sum(const void *data, size_t size)
{
    return XXH3_64bits(data, size);
}

bool block_begins_file(const uint8_t start[BLOCK_MAGIC_SIZE])
{
    return memcmp(start, file_magic, sizeof file_magic) == 0;
}

void block_encode_file_header(struct buffer *buffer, uint64_t salt)
{
    uint8_t id[16] = {0};
    if (getrandom(id, sizeof id, GRND_NONBLOCK) < 0) {
        memcpy(id, &salt, sizeof salt); // before the kernel's pool is ready; only an identity hangs on it
    }
    size_t start = buffer->size;
    buffer_append(buffer, file_magic, sizeof file_magic);
    buffer_u32(buffer, RECORDING_VERSION);
    buffer_u32(buffer, BLOCK_FILE_HEADER_SIZE);
    buffer_u32(buffer, COMPATIBLE_KNOWN);
    buffer_u32(buffer, INCOMPATIBLE_KNOWN);
    buffer_append(buffer, id, sizeof id);
    buffer_u64(buffer, salt);
    buffer_u64(buffer, 0);
    if (!buffer->failed) {
        buffer_u64(buffer, block_sum(buffer->data + start, buffer->size - start));
    }
    CLEW_ASSERT(buffer->failed || buffer->size - start == BLOCK_FILE_HEADER_SIZE);
}

static uint8_t *put_u16(uint8_t *at, uint16_t value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
    return at + 2;
}

static uint8_t *put_u32(uint8_t *at, uint32_t value)
{
    return put_u16(put_u16(at, (uint16_t)value), (uint16_t)(value >> 16));
}

static uint8_t *put_u64(uint8_t *at, uint64_t value)
{
    return put_u32(put_u32(at, (uint32_t)value), (uint32_t)(value >> 32));
}

void block_encode_header(uint8_t *at, const struct block_header *header, uint64_t salt)
{
    uint8_t *start = at;
    memcpy(at, block_magic, sizeof block_magic);
    at = put_u64(at + sizeof block_magic, salt);
    at = put_u16(at, header->type);
    at = put_u16(at, header->flags);
    at = put_u32(at, header->stored);
    at = put_u32(at, header->raw);
    at = put_u32(at, header->count);
    at = put_u32(at, header->process);
    at = put_u32(at, header->thread);
    at = put_u32(at, header->part);
    at = put_u32(at, header->depth);
    at = put_u64(at, header->sequence);
    at = put_u64(at, header->position);
    at = put_u64(at, header->words);
    at = put_u64(at, header->first_clock);
    at = put_u64(at, header->last_clock);
    at = put_u64(at, header->payload_sum);
    CLEW_ASSERT(at - start == BLOCK_HEADER_SIZE - (int)sizeof(uint64_t) && "all but the checksum");
    put_u64(at, block_sum(start, (size_t)(at - start)));
}

// Decodes a header and checks all of it but the salt, which the caller compares.
static bool decode_header(const uint8_t *raw, struct block_header *out, uint64_t *salt)
{
    struct bytes bytes = bytes_of(raw, BLOCK_HEADER_SIZE);
    uint64_t sum;
    bool whole = bytes_skip(&bytes, sizeof block_magic) && bytes_u64(&bytes, salt) && bytes_u16(&bytes, &out->type) &&
                 bytes_u16(&bytes, &out->flags) && bytes_u32(&bytes, &out->stored) && bytes_u32(&bytes, &out->raw) &&
                 bytes_u32(&bytes, &out->count) && bytes_u32(&bytes, &out->process) &&
                 bytes_u32(&bytes, &out->thread) && bytes_u32(&bytes, &out->part) && bytes_u32(&bytes, &out->depth) &&
                 bytes_u64(&bytes, &out->sequence) && bytes_u64(&bytes, &out->position) &&
                 bytes_u64(&bytes, &out->words) && bytes_u64(&bytes, &out->first_clock) &&
                 bytes_u64(&bytes, &out->last_clock) && bytes_u64(&bytes, &out->payload_sum) && bytes_u64(&bytes, &sum);
    return whole && memcmp(raw, block_magic, sizeof block_magic) == 0 &&
           sum == block_sum(raw, BLOCK_HEADER_SIZE - sizeof sum) && out->stored <= BLOCK_PAYLOAD_MAX &&
           out->raw <= BLOCK_PAYLOAD_MAX;
}

bool block_read(const struct block_file *file, uint64_t offset, void *into, size_t size)
{
    uint8_t *at = into;
    while (size > 0) {
        ssize_t got = pread(file->fd, at, size, (off_t)offset);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return false;
        }
        at += got;
        offset += (uint64_t)got;
        size -= (size_t)got;
    }
    return true;
}

enum block_state block_look(struct block_file *file, uint64_t offset, struct block_header *out)
{
    if (offset >= file->size) {
        return BLOCK_NONE;
    }
    uint8_t raw[BLOCK_HEADER_SIZE];
    if (file->size - offset < sizeof raw || !block_read(file, offset, raw, sizeof raw)) {
        return BLOCK_CUT;
    }
    uint64_t salt;
    if (!decode_header(raw, out, &salt) || (file->salted && salt != file->salt)) {
        return BLOCK_DAMAGED;
    }
    file->salt = salt;
    file->salted = true;
    return out->stored > file->size - offset - sizeof raw ? BLOCK_CUT : BLOCK_VALID;
}

// The first whole magic in the window, where a header may begin.
static const uint8_t *find_magic(const uint8_t *window, size_t size)
{
    return memmem(window, size, block_magic, sizeof block_magic);
}

uint64_t block_search(struct block_file *file, uint64_t offset)
{
    struct block_header header;
    uint8_t window[WINDOW_SIZE];
    offset++;
    while (offset < file->size) {
        uint64_t left = file->size - offset;
        size_t size = left < WINDOW_SIZE ? (size_t)left : WINDOW_SIZE;
        if (size < BLOCK_HEADER_SIZE || !block_read(file, offset, window, size)) {
            break;
        }
        CLEW_ASSERT(size <= sizeof window);
        const uint8_t *found = find_magic(window, size);
        if (!found) {
            offset += size - (sizeof block_magic - 1); // a magic may straddle the window's end
            continue;
        }
        offset += (uint64_t)(found - window);
        if (file->size - offset >= BLOCK_HEADER_SIZE && block_look(file, offset, &header) != BLOCK_DAMAGED) {
            return offset;
        }
        offset++;
    }
    return file->size;
}

enum block_state block_next(struct block_file *file, uint64_t *offset, struct block_header *out)
{
    for (;;) {
        enum block_state state = block_look(file, *offset, out);
        if (state != BLOCK_DAMAGED) {
            return state;
        }
        uint64_t found = block_search(file, *offset);
        CLEW_ASSERT(found > *offset && "a pass moves forward");
        *offset = found;
    }
}

bool block_find_end(struct block_file *file, uint64_t *offset, struct block_header *out)
{
    uint64_t size = BLOCK_HEADER_SIZE + BLOCK_END_SIZE;
    *offset = file->size < size ? 0 : file->size - size;
    return *offset >= file->start && block_look(file, *offset, out) == BLOCK_VALID && out->type == RECORDING_END;
}

static enum clew_error decompress(struct block_file *file, const struct block_header *header)
{
    buffer_clear(&file->raw);
    uint8_t *raw = buffer_extend(&file->raw, header->raw);
    if (!file->zstd) {
        file->zstd = ZSTD_createDCtx();
    }
    if (!file->zstd || (!raw && header->raw > 0)) {
        return CLEW_NO_MEMORY;
    }
    size_t size = ZSTD_decompressDCtx(file->zstd, raw, header->raw, file->stored.data, file->stored.size);
    return size == header->raw ? CLEW_OK : CLEW_DAMAGED; // error codes of zstd are huge sizes
}

enum clew_error block_check(struct block_file *file, uint64_t offset, const struct block_header *header)
{
    buffer_clear(&file->stored);
    uint8_t *stored = buffer_extend(&file->stored, header->stored);
    if (!stored && header->stored > 0) {
        return CLEW_NO_MEMORY;
    }
    bool whole = block_read(file, offset + BLOCK_HEADER_SIZE, stored, header->stored) &&
                 block_sum(stored, header->stored) == header->payload_sum;
    return whole ? CLEW_OK : CLEW_DAMAGED;
}

enum clew_error block_load(struct block_file *file, uint64_t offset, const struct block_header *header,
                           struct bytes *out)
{
    CLEW_TRY(block_check(file, offset, header));
    if (header->flags & BLOCK_ZSTD) {
        CLEW_TRY(decompress(file, header));
        *out = bytes_of(file->raw.data, file->raw.size);
        return CLEW_OK;
    }
    *out = bytes_of(file->stored.data, file->stored.size);
    return header->raw == header->stored ? CLEW_OK : CLEW_DAMAGED;
}

static enum clew_error decode_file_header(const uint8_t *raw, struct block_file *file)
{
    struct bytes bytes = bytes_of(raw, BLOCK_FILE_HEADER_SIZE);
    uint32_t version, size, compatible, incompatible;
    uint64_t zero, sum;
    bool whole = bytes_skip(&bytes, sizeof file_magic) && bytes_u32(&bytes, &version) && bytes_u32(&bytes, &size) &&
                 bytes_u32(&bytes, &compatible) && bytes_u32(&bytes, &incompatible) && bytes_skip(&bytes, 16) &&
                 bytes_u64(&bytes, &file->salt) && bytes_u64(&bytes, &zero) && bytes_u64(&bytes, &sum);
    file->start = BLOCK_FILE_HEADER_SIZE;
    file->header_damaged = !whole || memcmp(raw, file_magic, sizeof file_magic) != 0 ||
                           sum != block_sum(raw, BLOCK_FILE_HEADER_SIZE - sizeof sum);
    if (file->header_damaged) {
        return CLEW_OK; // the first valid block states the salt
    }
    if (incompatible & ~(uint32_t)INCOMPATIBLE_KNOWN) {
        return CLEW_NEWER_RECORDING;
    }
    file->salted = true;
    file->start = size < BLOCK_FILE_HEADER_SIZE ? BLOCK_FILE_HEADER_SIZE : size;
    return CLEW_OK;
}

enum clew_error block_file_measure(struct block_file *file)
{
    struct stat status;
    if (fstat(file->fd, &status) != 0) {
        return CLEW_IO;
    }
    file->size = S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0;
    return CLEW_OK;
}

static enum clew_error read_file_header(struct block_file *file)
{
    CLEW_TRY(block_file_measure(file));
    uint8_t raw[BLOCK_FILE_HEADER_SIZE] = {0};
    size_t size = file->size < sizeof raw ? (size_t)file->size : sizeof raw;
    if (!block_read(file, 0, raw, size)) {
        return CLEW_IO;
    }
    size_t compared = size < sizeof file_magic ? size : sizeof file_magic;
    bool magic = size > 0 && memcmp(raw, file_magic, compared) == 0;
    if (size < sizeof raw) {
        return magic ? CLEW_DAMAGED : CLEW_NOT_RECORDING;
    }
    CLEW_TRY(decode_file_header(raw, file));
    struct block_header header;
    if (!magic && (file->size < BLOCK_FILE_HEADER_SIZE + BLOCK_HEADER_SIZE ||
                   block_look(file, BLOCK_FILE_HEADER_SIZE, &header) == BLOCK_DAMAGED)) {
        return CLEW_NOT_RECORDING;
    }
    return CLEW_OK;
}

enum clew_error block_file_open(int fd, struct block_file *file)
{
    *file = (struct block_file){.fd = fd};
    enum clew_error error = read_file_header(file);
    if (error != CLEW_OK) {
        block_file_close(file);
    }
    return error;
}

struct block_file block_file_share(const struct block_file *of)
{
    struct block_file file = *of;
    file.shared = true;
    file.stored = file.raw = (struct buffer){0};
    file.zstd = NULL;
    return file;
}

void block_file_close(struct block_file *file)
{
    buffer_free(&file->stored);
    buffer_free(&file->raw);
    ZSTD_freeDCtx(file->zstd);
    if (file->fd >= 0 && !file->shared) {
        close(file->fd);
    }
    *file = (struct block_file){.fd = -1};
}
