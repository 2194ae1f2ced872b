// Takes up a recording that another writer left: finds its last whole block, cuts off what comes after, and learns what a
// writer knows: definitions, and where each thread's stream goes on.
#include "recording/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

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

static enum clew_error take_definition(struct recording_writer *writer, const struct codec_definition *definition)
{
    struct recording_record record;
    if (!definitions_put(&writer->definitions, definition)) {
        return CLEW_NO_MEMORY;
    }
    if (definition->type != RECORDING_SITES || !codec_decode_definition(RECORDING_SITES, definition->body, &record)) {
        return CLEW_OK;
    }
    return writer__learn_sites(writer, &record.sites);
}

static enum clew_error take_definitions(struct resume *resume, struct bytes payload)
{
    struct recording_writer *writer = resume->writer;
    uint64_t expected = resume->last.sequence;
    struct codec_definition definition;
    for (uint32_t i = 0; i < resume->last.count && codec_decode_framed(&payload, expected, &definition); i++) {
        expected = definition.number + 1;
        if (codec_is_definition(definition.type)) {
            CLEW_TRY(take_definition(writer, &definition));
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
    writer__index_block(resume->writer, last, resume->last_offset);
    if (last->type == RECORDING_DEFINITIONS || last->type == RECORDING_SESSION) {
        return take_payload(resume);
    }
    if (last->type != RECORDING_EVENTS && last->type != RECORDING_TREE_NODES) {
        return CLEW_OK;
    }
    struct stream *stream = writer__stream(resume->writer, last->process, last->thread);
    if (!stream) {
        return CLEW_NO_MEMORY;
    }
    if (last->type == RECORDING_TREE_NODES) {
        stream->trees = last->sequence + 1;
        return CLEW_OK;
    }
    stream->started = true;
    stream->newest = resume->last_offset;
    stream->sequence = last->sequence + 1;
    stream->position = last->position + block_words(last);
    return CLEW_OK;
}

static void note_block(struct resume *resume, const struct block_header *header, uint64_t offset)
{
    const struct recording_writer *writer = resume->writer;
    bool follows = resume->any && offset == block_end(resume->last_offset, &resume->last);
    if (header->type != RECORDING_TREE_NODES || header->part == 0 || !follows) {
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
    recording_copy_every(writer, writer->copy_every);
    return ftruncate(writer->fd, (off_t)writer->size) == 0 ? CLEW_OK : CLEW_IO;
}

enum clew_error recording_resume(const char *path, struct recording_writer **out)
{
    struct recording_writer *writer;
    CLEW_TRY(writer__new(&writer));
    enum clew_error error = resume_file(writer, path);
    if (error != CLEW_OK) {
        writer__free(writer);
        return error;
    }
    *out = writer;
    return CLEW_OK;
}
