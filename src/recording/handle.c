// See handle.h.
#include "recording/handle.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "base/assert.h"
#include "recording/codec.h"
#include "recording/file_index.h"
#include "recording/handle_file.h"

struct recording {
    struct block_file file;
    struct recording_session session;
    struct buffer session_bytes; // that its texts lie in
    bool has_session;
    struct file_index index;
};

// -- Session ----------------------------------------------------------------------------------------------------------

// Keeps a copy of the payload, which the session's texts borrow from.
static enum clew_error load_session(struct recording *recording, uint64_t offset, const struct block_header *header)
{
    struct bytes payload;
    CLEW_TRY(block_load(&recording->file, offset, header, &payload));
    buffer_clear(&recording->session_bytes);
    buffer_append(&recording->session_bytes, payload.at, bytes_left(&payload));
    if (recording->session_bytes.failed) {
        return CLEW_NO_MEMORY;
    }
    payload = bytes_of(recording->session_bytes.data, recording->session_bytes.size);
    return codec_decode_session(payload, &recording->session) ? CLEW_OK : CLEW_DAMAGED;
}

static struct recording_session empty_session(void)
{
    struct text none = {"", 0};
    return (struct recording_session){
        .version = none,
        .command = none,
        .folder = none,
        .host = none,
        .scope = none,
        .clock = CLOCK_KIND_NONE,
        .clock_hz = 1e9,
    };
}

// Its block is the first; when that is damaged, the first whole copy.
static enum clew_error find_session(struct recording *recording)
{
    struct block_header header;
    uint64_t offset = recording->file.start;
    for (; block_next(&recording->file, &offset, &header) == BLOCK_VALID; offset = block_end(offset, &header)) {
        if (header.type != RECORDING_SESSION || !block_flags_known(&header)) {
            continue;
        }
        enum clew_error error = load_session(recording, offset, &header);
        if (error != CLEW_DAMAGED) {
            recording->has_session = error == CLEW_OK;
            return error;
        }
    }
    recording->session = empty_session();
    return CLEW_OK;
}

// -- Opening ----------------------------------------------------------------------------------------------------------

enum clew_error recording_open(const char *path, struct recording **out)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return errno == ENOENT ? CLEW_NOT_FOUND : CLEW_IO;
    }
    struct block_file file;
    CLEW_TRY(block_file_open(fd, &file));
    struct recording *recording = calloc(1, sizeof *recording);
    if (!recording) {
        block_file_close(&file);
        return CLEW_NO_MEMORY;
    }
    recording->file = file;
    enum clew_error error = find_session(recording);
    if (error != CLEW_OK) {
        recording_free(recording);
        return error;
    }
    *out = recording;
    return CLEW_OK;
}

void recording_free(struct recording *recording)
{
    if (!recording) {
        return;
    }
    block_file_close(&recording->file);
    buffer_free(&recording->session_bytes);
    file_index_free(&recording->index);
    free(recording);
}

// -- What the handle has ----------------------------------------------------------------------------------------------

const struct block_file *recording__file(const struct recording *recording)
{
    return &recording->file;
}

const struct recording_session *recording_session(const struct recording *recording)
{
    return &recording->session;
}

bool recording_has_session(const struct recording *recording)
{
    return recording->has_session;
}

uint64_t recording_file_size(const struct recording *recording)
{
    return recording->file.size;
}

enum clew_error recording_follow(struct recording *recording)
{
    return block_file_measure(&recording->file);
}

struct recording_health recording_index_health(const struct recording *recording)
{
    return recording->index.health;
}

bool recording_block_of_stream(const struct recording_block *block)
{
    return block->type == RECORDING_TREE_NODES && block->flags & BLOCK_OF_STREAM;
}

bool recording_block_has_links(const struct recording_block *block)
{
    return block->type == RECORDING_OBJECTS && block->flags & BLOCK_LINKS;
}

enum clew_error recording_index(struct recording *recording, const struct recording_block **blocks, size_t *count)
{
    enum clew_error error = file_index_load(&recording->index, &recording->file);
    *blocks = recording->index.blocks;
    *count = recording->index.count;
    return error;
}
