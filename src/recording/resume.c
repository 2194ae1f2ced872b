// Takes over a recording whose writer died, to continue or to close it. A scan over all block headers finds the last whole
// block and rebuilds the state that the dead writer had: definitions, index, and the end of each thread's stream. Bytes
// behind the last whole block are cut off.
//
// A block is taken into account only when the next one is found, since the last one counts only if its payload is whole, and
// if it is not one part of several whose rest is missing.
#include "base/assert.h"
#include "recording/file_index.h"
#include "recording/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

// The state of a scan.
struct resume {
    struct recording_writer *writer;
    struct block_file file;
    struct block_header last; // the newest valid block other than END and INDEX; not yet taken into account
    uint64_t last_offset;
    uint64_t group;                // offset of the first of the parts that the last block belongs to; else its own
    struct index_mark group_index; // the index as it was before that part
    bool any;
    struct block_header end; // of the END at end_offset, if no other valid block follows it
    uint64_t end_offset;
    bool ended;
    uint64_t covered; // where the newest valid block but INDEX and that END ends
    uint64_t indexes; // where the first INDEX behind that block begins; 0: there is none
};

static enum clew_error take_definition(struct recording_writer *writer, const struct codec_definition *definition)
{
    return definitions_put(&writer->definitions, definition) ? writer__learn_definition(writer, definition)
                                                             : CLEW_NO_MEMORY;
}

// Adds the definitions of a block. Copies do not advance the number of the next definition: they repeat earlier numbers.
static enum clew_error take_definitions(struct resume *resume, struct bytes payload)
{
    struct recording_writer *writer = resume->writer;
    uint64_t expected = resume->last.sequence, next = 0;
    struct codec_definition definition;
    for (uint32_t i = 0; i < resume->last.count && codec_decode_framed(&payload, expected, &definition); i++) {
        next = expected = definition.number + 1;
        if (codec_is_definition(definition.type)) {
            CLEW_TRY(take_definition(writer, &definition));
        }
    }
    if (!(resume->last.flags & BLOCK_COPY) && next > writer->numbered) {
        writer->numbered = next;
    }
    return CLEW_OK;
}

// SESSION and DEFINITIONS are the only blocks whose payload a writer needs.
static enum clew_error take_payload(struct resume *resume)
{
    struct bytes payload;
    enum clew_error error = block_load(&resume->file, resume->last_offset, &resume->last, &payload);
    if (error != CLEW_OK) {
        return error == CLEW_DAMAGED ? CLEW_OK : error; // readers skip it, too
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
    if (last->type != RECORDING_EVENTS && last->type != RECORDING_TREE_NODES && last->type != RECORDING_TREE_CHANGES) {
        return CLEW_OK;
    }
    struct stream *stream = writer__stream(resume->writer, last->process, last->thread);
    if (!stream) {
        return CLEW_NO_MEMORY;
    }
    if (last->type != RECORDING_EVENTS) {
        stream->trees = last->sequence + 1;
        return CLEW_OK;
    }
    stream->started = true;
    stream->newest = resume->last_offset;
    stream->sequence = last->sequence + 1;
    stream->position = last->position + block_words(last);
    return CLEW_OK;
}

// Remembers the block as the last one.
static enum clew_error note_block(struct resume *resume, const struct block_header *header, uint64_t offset)
{
    bool follows = resume->any && offset == block_end(resume->last_offset, &resume->last);
    if (!block_has_parts(header->type) || header->part == 0 || !follows) {
        CLEW_TRY(writer__split_index(resume->writer));
        resume->group = offset;
        resume->group_index = index_writer_mark(&resume->writer->index);
    }
    CLEW_ASSERT((!resume->any || offset > resume->last_offset) && "blocks come in the order of the file");
    resume->last = *header;
    resume->last_offset = offset;
    resume->any = true;
    return CLEW_OK;
}

// Remembers where the newest block ends, for deciding whether an END's index lies behind all other blocks.
static void note_cover(struct resume *resume, const struct block_header *header, uint64_t offset)
{
    if (header->type == RECORDING_INDEX) {
        resume->indexes = resume->indexes ? resume->indexes : offset;
    } else {
        resume->covered = block_end(offset, header);
        resume->indexes = 0;
    }
}

// Goes over all block headers once. Damaged stretches are skipped, as readers do.
static enum clew_error scan(struct resume *resume)
{
    struct block_header header;
    uint64_t offset = resume->file.start;
    for (; block_next(&resume->file, &offset, &header) == BLOCK_VALID; offset = block_end(offset, &header)) {
        if (resume->ended) { // an earlier END is a block like others
            note_cover(resume, &resume->end, resume->end_offset);
        }
        resume->ended = header.type == RECORDING_END;
        if (resume->ended) {
            resume->end = header;
            resume->end_offset = offset;
        } else {
            note_cover(resume, &header, offset);
        }
        if (!resume->ended && header.type != RECORDING_INDEX) {
            CLEW_TRY(take_last(resume));
            CLEW_TRY(note_block(resume, &header, offset));
        }
    }
    return CLEW_OK;
}

// Decides where the whole part of the file ends: behind the last block, or before it when it is damaged or one of several
// parts whose rest is missing.
static enum clew_error finish_scan(struct resume *resume)
{
    struct bytes payload;
    struct recording_writer *writer = resume->writer;
    writer->salt = resume->file.salt;
    writer->size = resume->file.start;
    if (!resume->any) {
        return resume->file.salted ? CLEW_OK : CLEW_DAMAGED;
    }
    enum clew_error error = block_load(&resume->file, resume->last_offset, &resume->last, &payload);
    if (error == CLEW_OK && !(resume->last.flags & BLOCK_MORE)) {
        writer->size = block_end(resume->last_offset, &resume->last);
        return take_last(resume);
    }
    if (error != CLEW_OK && error != CLEW_DAMAGED) {
        return error;
    }
    CLEW_ASSERT(resume->group <= resume->file.size && "only whole blocks stay");
    writer->size = resume->group;
    index_writer_return(&writer->index, &resume->group_index);
    return CLEW_OK;
}

// Opens and locks the file. BUSY: another writer has the lock.
static enum clew_error open_alone(struct recording_writer *writer, const char *path)
{
    writer->fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (writer->fd < 0) {
        return errno == ENOENT ? CLEW_NOT_FOUND : CLEW_IO;
    }
    if (flock(writer->fd, LOCK_EX | LOCK_NB) != 0) {
        return errno == EWOULDBLOCK ? CLEW_BUSY : CLEW_IO;
    }
    return CLEW_OK;
}

// Leaves resume->file open, also on failure; zero-initialised by the caller.
static enum clew_error scan_file(struct resume *resume, const char *path)
{
    CLEW_TRY(open_alone(resume->writer, path));
    int scanned = fcntl(resume->writer->fd, F_DUPFD_CLOEXEC, 0);
    if (scanned < 0) {
        return CLEW_IO;
    }
    CLEW_TRY(block_file_open(scanned, &resume->file));
    CLEW_TRY(scan(resume));
    return finish_scan(resume);
}

// Cuts the file behind its last whole block.
static enum clew_error cut(struct recording_writer *writer)
{
    recording_copy_every(writer, writer->copy_every);
    return ftruncate(writer->fd, (off_t)writer->size) == 0 ? CLEW_OK : CLEW_IO;
}

static enum clew_error resume_file(struct recording_writer *writer, const char *path)
{
    struct resume resume = {.writer = writer, .file = {.fd = -1}};
    enum clew_error error = scan_file(&resume, path);
    block_file_close(&resume.file);
    CLEW_TRY(error);
    return writer->session.size > 0 ? cut(writer) : CLEW_DAMAGED;
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

// -- Repair -----------------------------------------------------------------------------------------------------------

// Where the INDEX blocks of this index begin: at its parts if it has some, also if the first of them is damaged.
static uint64_t index_start(struct resume *resume, uint64_t index_at)
{
    struct block_header header;
    uint64_t start = index_at;
    CLEW_ASSERT(resume->indexes == 0 || resume->indexes >= resume->covered);
    if (resume->indexes > 0 && resume->indexes < start) {
        start = resume->indexes;
    }
    if (block_look(&resume->file, index_at, &header) == BLOCK_VALID && header.type == RECORDING_INDEX &&
        header.flags & BLOCK_PARTS && header.position >= resume->covered && header.position < start) {
        start = header.position;
    }
    return start;
}

// Reads the END that the file ends with; false when there is none or it is damaged. *index_at: where the file has to be
// cut to replace index and END: where the index begins, or the END itself when there is no index that could be cut off
// (an offset inside another block must not be cut at). *indexed: the index is valid, too.
static bool read_end(struct resume *resume, struct recording_end *end, uint64_t *index_at, bool *indexed)
{
    struct bytes payload;
    if (!resume->ended || block_load(&resume->file, resume->end_offset, &resume->end, &payload) != CLEW_OK ||
        !codec_decode_end(payload, end, index_at)) {
        return false;
    }
    bool within = *index_at >= resume->covered && *index_at >= resume->file.start && *index_at < resume->end_offset;
    *indexed = *index_at == 0 || (within && file_index_holds(&resume->file, *index_at, resume->end_offset));
    *index_at = within ? index_start(resume, *index_at) : resume->end_offset;
    return true;
}

// Decides what a repair has to do. When the session was closed in order, only the index can be invalid, or there are bytes
// behind the END. Damaged blocks before the END are kept: the sums in the END include them.
static void settle_repair(struct resume *resume, struct recording_repair *out)
{
    bool indexed = false;
    uint64_t size = resume->file.size, end = resume->writer->size, index_at;
    out->closed = read_end(resume, &out->end, &index_at, &indexed);
    if (out->closed) {
        end = block_end(resume->end_offset, &resume->end);
        resume->writer->size = index_at;
    }
    out->whole = out->closed && indexed && end == size;
    out->cut = size > end ? size - end : 0;
}

static enum clew_error begin_repair(struct recording_writer *writer, const char *path, struct recording_repair *out)
{
    struct resume resume = {.writer = writer, .file = {.fd = -1}};
    enum clew_error error = scan_file(&resume, path);
    if (error == CLEW_OK) {
        settle_repair(&resume, out);
    }
    block_file_close(&resume.file);
    CLEW_TRY(error);
    return out->whole ? CLEW_OK : cut(writer);
}

enum clew_error recording_repair(const char *path, struct recording_repair *out)
{
    *out = (struct recording_repair){0};
    CLEW_TRY(writer__new(&out->writer));
    enum clew_error error = begin_repair(out->writer, path, out);
    if (error != CLEW_OK || out->whole) {
        writer__free(out->writer);
        out->writer = NULL;
    }
    return error;
}

enum clew_error recording_repair_close(struct recording_repair *repair, const struct recording_end *end)
{
    struct recording_writer *writer = repair->writer;
    enum clew_error error = repair->closed ? CLEW_OK : writer__repeat_definitions(writer);
    repair->writer = NULL;
    if (error != CLEW_OK) {
        writer__free(writer);
        return error;
    }
    return recording_close(writer, repair->closed ? &repair->end : end);
}
