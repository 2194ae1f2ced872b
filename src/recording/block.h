// The frame of a recording: a file header, then blocks, each with a header and a payload. Writer and reader share it.
// Headers have checksums of their own, so that valid blocks can be found in a file that is damaged or cut. The layout
// is described in doc/recording.md.
#ifndef CLEW_RECORDING_BLOCK_H
#define CLEW_RECORDING_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/error.h"
#include "recording/recording.h"

enum {
    BLOCK_FILE_HEADER_SIZE = 64,
    BLOCK_HEADER_SIZE = 104,
    BLOCK_PAYLOAD_MAX = 64 << 20, // stored or raw
    BLOCK_END_SIZE = 48,          // payload of END, always stored as it is
};

enum block_flag {
    BLOCK_ZSTD = 1u << 0,
    BLOCK_MORE = 1u << 1,
    BLOCK_COPY = 1u << 2,
    BLOCK_SITES = 1u << 3,
    BLOCK_BOXES = 1u << 4,
    BLOCK_LINKS = 1u << 5,
    BLOCK_PARTS = 1u << 6,     // INDEX: the payload lists the other INDEX blocks
    BLOCK_NUMBERS = 1u << 6,   // EVENTS: the activations have numbers
    BLOCK_PATHS = 1u << 6,     // TREE, TREE_CHANGES: nodes have numbers that are no methods' own
    BLOCK_SERIALS = 1u << 7,   // EVENTS: there are async activations
    BLOCK_OF_STREAM = 1u << 8, // TREE: position says how much of the thread's stream it counts
    BLOCK_FLAGS_KNOWN = 63,    // in blocks of every type
    BLOCK_FLAGS_MUST = 0xff,   // of these an unknown one makes the block unreadable
};

struct block_header {
    uint16_t type; // enum recording_type
    uint16_t flags;
    uint32_t stored, raw; // bytes
    uint32_t count;
    uint32_t process, thread;
    union {
        uint32_t part;
        uint32_t values; // EVENTS with sites: how many events are of sites other than statements
    };
    uint32_t depth;
    uint64_t sequence, position;
    uint64_t words; // EVENTS with sites: the upper half counts the events of statements. See block_words()
    uint64_t first_clock, last_clock;
    uint64_t payload_sum;
};

// An open recording as bytes on disk.
struct block_file {
    int fd;
    bool shared; // the descriptor belongs to another block_file
    uint64_t size;
    uint64_t start; // of the first block
    uint64_t salt;
    bool salted; // the salt is known: from the file header, else from the first valid block
    bool header_damaged;
    struct buffer stored, raw; // the payload loaded last
    struct ZSTD_DCtx_s *zstd;
};

enum { BLOCK_MAGIC_SIZE = 8 };

void block_encode_file_header(struct buffer *buffer, uint64_t salt);
// Whether a file that begins so is a recording, of whatever version.
bool block_begins_file(const uint8_t start[BLOCK_MAGIC_SIZE]);
// Writes the BLOCK_HEADER_SIZE bytes of a header, checksum included.
void block_encode_header(uint8_t *at, const struct block_header *header, uint64_t salt);
uint64_t block_sum(const void *data, size_t size);

// Opens a recording for reading. Takes ownership of fd, also on failure.
enum clew_error block_file_open(int fd, struct block_file *file);
// Updates the size, for a file that is still written.
enum clew_error block_file_measure(struct block_file *file);
// The same open file with payload buffers of its own: blocks loaded through one do not disturb those of the other. `of`
// must be closed last.
struct block_file block_file_share(const struct block_file *of);
void block_file_close(struct block_file *file);

enum block_state {
    BLOCK_VALID,   // header valid; the payload is there, whole or not
    BLOCK_CUT,     // the file ends inside this block
    BLOCK_DAMAGED, // no valid header here
    BLOCK_NONE,    // offset is the end of the file
};

// Reads and checks the header at offset, without the payload.
enum block_state block_look(struct block_file *file, uint64_t offset, struct block_header *out);
// The next offset after `offset` with a valid header, whether its payload is whole or cut; the size of the file if there is
// none.
uint64_t block_search(struct block_file *file, uint64_t offset);
// Finds the block at *offset, or the next one after damage: *offset is then where it begins, so that the bytes before it are
// damaged. VALID, CUT, or NONE at the end of the file.
enum block_state block_next(struct block_file *file, uint64_t *offset, struct block_header *out);
// Finds the END block that the file ends with, without loading it. False: there is none.
bool block_find_end(struct block_file *file, uint64_t *offset, struct block_header *out);
// Reads exactly size bytes. False when the file ends before, or on failure.
bool block_read(const struct block_file *file, uint64_t offset, void *into, size_t size);

// Loads the stored payload into file->stored and verifies its checksum, without decompressing it. DAMAGED, or NO_MEMORY.
enum clew_error block_check(struct block_file *file, uint64_t offset, const struct block_header *header);
// The payload of the block at offset, verified and decompressed. Borrowed from the file until the next call. DAMAGED, or
// NO_MEMORY.
enum clew_error block_load(struct block_file *file, uint64_t offset, const struct block_header *header,
                           struct bytes *out);

// Whether this version understands the block's flags as far as its payload depends on them.
static inline bool block_flags_known(const struct block_header *header)
{
    unsigned known = BLOCK_FLAGS_KNOWN;
    known |= header->type == RECORDING_INDEX ? BLOCK_PARTS : 0;
    known |= header->type == RECORDING_EVENTS ? BLOCK_NUMBERS | BLOCK_SERIALS : 0;
    known |= header->type == RECORDING_TREE_NODES || header->type == RECORDING_TREE_CHANGES ? BLOCK_PATHS : 0;
    return !(header->flags & BLOCK_FLAGS_MUST & ~known);
}

// Whether a record may be in several blocks, which follow one another: all but the last have the flag MORE.
static inline bool block_has_parts(uint32_t type)
{
    return type == RECORDING_TREE_NODES || type == RECORDING_RUNS;
}

static inline uint64_t block_words(const struct block_header *header)
{
    return header->flags & BLOCK_SITES ? (uint32_t)header->words : header->words;
}

static inline uint64_t block_end(uint64_t offset, const struct block_header *header)
{
    return offset + BLOCK_HEADER_SIZE + header->stored;
}

#endif
