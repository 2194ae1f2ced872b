// The new part is made under a temporary name and renamed to the recording's name in one step. A collector that takes over
// after a death therefore finds under that name either the complete old part or a complete beginning of the new one.
#include "recording/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/internal.h"

// -- Names ------------------------------------------------------------------------------------------------------------

char *recording_part_name(const char *path, uint32_t age)
{
    static const char suffix[] = ".clew";
    struct text name = text_of(path);
    size_t stem = text_ends(name, suffix) ? name.size - (sizeof suffix - 1) : name.size;
    char *made = NULL;
    return asprintf(&made, "%.*s.%u%s", (int)stem, path, age, path + stem) < 0 ? NULL : made;
}

char *recording_next_name(const char *path)
{
    char *made = NULL;
    return asprintf(&made, "%s.next", path) < 0 ? NULL : made;
}

static bool rename_part(const char *path, uint32_t age)
{
    char *from = recording_part_name(path, age), *to = recording_part_name(path, age + 1);
    bool done = from && to && (rename(from, to) == 0 || errno == ENOENT);
    free(from);
    free(to);
    return done;
}

// Gives the newest part its older name in addition. On a file system without hard links it is renamed instead, and the
// recording has no file of its own name until the new part gets it.
static bool second_name(const char *path)
{
    char *name = recording_part_name(path, 1);
    bool done = name && (unlink(name) == 0 || errno == ENOENT) &&
                (link(path, name) == 0 || errno == ENOENT || rename(path, name) == 0);
    free(name);
    return done;
}

// Whether a writer that died had renamed the parts already.
static bool has_second_name(const char *path)
{
    struct stat first, second;
    char *name = recording_part_name(path, 1);
    bool has = name && stat(path, &first) == 0 && stat(name, &second) == 0 && first.st_dev == second.st_dev &&
               first.st_ino == second.st_ino;
    free(name);
    return has;
}

enum clew_error recording_age_parts(const char *path, uint32_t keep)
{
    if (has_second_name(path)) {
        return CLEW_OK;
    }
    for (uint32_t age = keep - 1; age-- > 1;) {
        if (!rename_part(path, age)) {
            return CLEW_IO;
        }
    }
    return keep == 1 || second_name(path) ? CLEW_OK : CLEW_IO;
}

// -- The beginning of the new part ------------------------------------------------------------------------------------

// Whether a definition is repeated in the new part: those of running processes, without their ended threads. SESSION
// has been written already.
static bool is_wanted(const struct recording_part *part, const struct codec_definition *definition)
{
    struct recording_record record;
    struct bytes body = definition->body;
    uint64_t process = 0;
    if (definition->type == RECORDING_POINTS) {
        return true; // of all processes that load the module
    }
    bool live = bytes_varint(&body, &process) && process && part->goes_on(part->context, (uint32_t)process);
    return live &&
           (definition->type != RECORDING_THREAD ||
            !codec_decode_definition(RECORDING_THREAD, definition->body, &record) || record.thread.ended_clock == 0);
}

static enum clew_error repeat_definitions(struct recording_writer *to, const struct recording_writer *from,
                                          const struct recording_part *part)
{
    for (size_t i = 0; i < from->definitions.count; i++) {
        struct codec_definition definition = definitions_at(&from->definitions, i);
        if (!is_wanted(part, &definition)) {
            continue;
        }
        buffer_clear(&to->body);
        buffer_append(&to->body, definition.body.at, bytes_left(&definition.body));
        CLEW_TRY(writer__gather(to, (enum recording_type)definition.type));
        CLEW_TRY(writer__learn_definition(to, &definition));
    }
    return recording_flush(to);
}

// Finds the next block of objects or of a source from *offset on, and moves *offset behind it.
static bool next_kept(struct block_file *file, uint64_t *offset, struct block_header *header, uint64_t *at)
{
    while (block_look(file, *offset, header) == BLOCK_VALID) {
        *at = *offset;
        *offset = block_end(*offset, header);
        if (header->type == RECORDING_OBJECTS || header->type == RECORDING_SOURCE) {
            return true;
        }
    }
    return false;
}

static uint64_t size_of_objects(struct block_file *file)
{
    struct block_header header;
    uint64_t offset = file->start, at, size = 0;
    while (next_kept(file, &offset, &header, &at)) {
        size += header.type == RECORDING_OBJECTS ? header.stored : 0;
    }
    return size;
}

// Copies blocks of objects and sources as they are stored. Of objects only the newest are copied, up to objects_max bytes.
static enum clew_error repeat_blocks(struct recording_writer *to, struct block_file *file,
                                     const struct recording_part *part)
{
    struct block_header header;
    uint64_t offset = file->start, at, objects = size_of_objects(file);
    while (next_kept(file, &offset, &header, &at)) {
        bool old = header.type == RECORDING_OBJECTS && objects > part->objects_max;
        objects -= header.type == RECORDING_OBJECTS ? header.stored : 0;
        if (!old) {
            CLEW_TRY(block_check(file, at, &header));
            CLEW_TRY(writer__stored_block(to, &header, &file->stored));
        }
    }
    return CLEW_OK;
}

// Writes the beginning of the new part from the writer and the file of the old one.
static enum clew_error fill(struct recording_writer *to, const struct recording_writer *from,
                            const struct recording_part *part)
{
    struct block_file file = {.fd = -1};
    CLEW_TRY(repeat_definitions(to, from, part));
    int fd = fcntl(from->fd, F_DUPFD_CLOEXEC, 0);
    enum clew_error error = fd < 0 ? CLEW_IO : block_file_open(fd, &file);
    error = error == CLEW_OK ? repeat_blocks(to, &file, part) : error;
    error = error == CLEW_OK ? part->begin(part->context, to) : error;
    block_file_close(&file);
    return error;
}

// -- The step ---------------------------------------------------------------------------------------------------------

// The old part gets its index and END before any file is renamed, so that it is complete under either name.
static enum clew_error make_part(struct recording_writer *from, const struct recording_part *part, const char *name,
                                 struct recording_writer **out)
{
    (void)unlink(name); // of a writer that died here
    CLEW_TRY(recording_create(name, part->session, out));
    enum clew_error error = fill(*out, from, part);
    error = error == CLEW_OK ? writer__end(from, part->end) : error;
    error = error == CLEW_OK ? recording_age_parts(part->path, part->keep) : error;
    if (error == CLEW_OK && rename(name, part->path) != 0) {
        error = CLEW_IO;
    }
    if (error != CLEW_OK) {
        int number = errno;
        writer__free(*out);
        (void)unlink(name);
        errno = number;
    }
    return error;
}

enum clew_error recording_begin_part(struct recording_writer **writer, const struct recording_part *part)
{
    struct recording_writer *next;
    char *name = recording_next_name(part->path);
    if (!name) {
        return CLEW_NO_MEMORY;
    }
    enum clew_error error = make_part(*writer, part, name, &next);
    free(name);
    CLEW_TRY(error);
    writer__free(*writer);
    *writer = next;
    return CLEW_OK;
}
