#include "collector/sources/await_lines.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/clock.h"
#include "trace/await.h"

// -- Bodies -----------------------------------------------------------------------------------------------------------

enum clew_error await_lines_add_method(struct await_lines *lines, const struct recording_method *method)
{
    bool waits = method->kind == METHOD_KIND_ASYNC || method->kind == METHOD_KIND_ASYNC_ITERATOR ||
                 method->flags & METHOD_FLAG_ASYNC;
    uint64_t place = (uint64_t)method->module << 32 | method->token;
    return waits && !map_put(&lines->methods, method->method, place) ? CLEW_NO_MEMORY : CLEW_OK;
}

enum clew_error await_lines_add(struct await_lines *lines, const struct recording_async *async)
{
    uint64_t earlier;
    if (map_get(&lines->newest, async->body, &earlier)) {
        lines->bodies[earlier].written = true;
    }
    size_t size = bytes_left(&async->awaits);
    if (size == 0 || bytes_left(&async->lines) > 0) {
        return CLEW_OK;
    }
    const char *awaits = arena_text(&lines->bytes, (const char *)async->awaits.at, size);
    if (!awaits || !array_grow(&lines->bodies, lines->count, &lines->room, sizeof *lines->bodies) ||
        !map_put(&lines->newest, async->body, lines->count)) {
        return CLEW_NO_MEMORY;
    }
    struct await_body *body = &lines->bodies[lines->count++];
    *body = (struct await_body){.async = *async};
    body->async.awaits = bytes_of(awaits, size);
    return CLEW_OK;
}

static void forget(struct await_lines *lines)
{
    arena_free(&lines->bytes);
    map_free(&lines->newest);
    free(lines->bodies);
    lines->bodies = NULL;
    lines->count = lines->room = lines->next = 0;
}

void await_lines_free(struct await_lines *lines)
{
    forget(lines);
    map_free(&lines->methods);
}

// -- Lines ------------------------------------------------------------------------------------------------------------

// Finds the lines of a method's places: of each the last sequence point up to it that is not hidden. The agent defines places in
// the order of the code; one that is not has no line. Returns whether there are any.
static bool find_lines(const struct pdb *pdb, uint32_t token, struct bytes awaits, struct buffer *out)
{
    struct pdb_points points = pdb_points_of(pdb, token);
    struct pdb_point next, at = {0};
    struct await await;
    bool more = pdb_points_next(&points, &next), found = false;
    for (uint32_t before = 0; bytes_left(&awaits) > 0 && await_decode(&awaits, &await);) {
        for (; more && next.il_offset <= await.offset; more = pdb_points_next(&points, &next)) {
            at = next.hidden ? at : next;
        }
        bool known = await.offset >= before && at.document > 0 && at.start_line > 0;
        await_line_encode(out, known ? (struct await_line){at.document, at.start_line} : (struct await_line){0});
        before = await.offset > before ? await.offset : before;
        found |= known;
    }
    return found;
}

static enum clew_error define_document(struct documents *documents, struct recording_writer *writer,
                                       const struct pdb *pdb, uint32_t module, uint32_t number)
{
    if (documents_know(documents, module, number)) {
        return CLEW_OK;
    }
    struct buffer path = {0};
    struct pdb_document document = {0};
    (void)pdb_document(pdb, number, &document); // if either fails, views show the number alone
    (void)pdb_document_name(pdb, number, &path);
    struct recording_document record = {
        .process = documents->process,
        .module = module,
        .document = number,
        .hash_kind = document.hash_kind < HASH_OTHER ? document.hash_kind : HASH_NONE,
        .path = {(const char *)path.data, path.size},
        .hash = document.hash,
        .language = document.language,
    };
    enum clew_error error = path.failed ? CLEW_NO_MEMORY : documents_define(documents, writer, &record);
    buffer_free(&path);
    return error;
}

static enum clew_error define_documents(struct documents *documents, struct recording_writer *writer,
                                        const struct pdb *pdb, uint32_t module, struct bytes lines)
{
    struct await_line line;
    while (bytes_left(&lines) > 0 && await_line_decode(&lines, &line)) {
        CLEW_TRY(line.document ? define_document(documents, writer, pdb, module, line.document) : CLEW_OK);
    }
    return CLEW_OK;
}

static enum clew_error write_body(struct documents *documents, struct recording_writer *writer, const struct pdb *pdb,
                                  uint64_t place, struct recording_async async)
{
    struct buffer found = {0};
    enum clew_error error = CLEW_OK;
    if (pdb && find_lines(pdb, (uint32_t)place, async.awaits, &found)) {
        async.lines = bytes_of(found.data, found.size);
        error = found.failed ? CLEW_NO_MEMORY
                             : define_documents(documents, writer, pdb, (uint32_t)(place >> 32), async.lines);
        error = error == CLEW_OK ? recording_write_async(writer, &async) : error;
    }
    buffer_free(&found);
    return error;
}

// Where the body at bodies[i] is; 0: not known.
static uint64_t place_of(const struct await_lines *lines, size_t i)
{
    uint64_t place = 0;
    (void)map_get(&lines->methods, lines->bodies[i].async.body, &place);
    return place;
}

// Writes all bodies of the module of bodies[next], since its symbols are open then.
static enum clew_error write_module(struct await_lines *lines, struct documents *documents,
                                    struct recording_writer *writer, const struct document_folders *folders,
                                    uint64_t until_ns)
{
    uint64_t module = place_of(lines, lines->next) >> 32;
    const struct pdb *pdb = NULL;
    CLEW_TRY(module ? documents_symbols(documents, (uint32_t)module, folders, &pdb) : CLEW_OK);
    for (size_t i = lines->next; i < lines->count; i++) {
        struct await_body *body = &lines->bodies[i];
        uint64_t place = place_of(lines, i);
        if (!body->written && place >> 32 == module) {
            CLEW_TRY(write_body(documents, writer, pdb, place, body->async));
            body->written = true;
            if (clock_monotonic_ns() >= until_ns) {
                break;
            }
        }
    }
    return CLEW_OK;
}

enum clew_error await_lines_write(struct await_lines *lines, struct documents *documents,
                                  struct recording_writer *writer, const struct document_folders *folders,
                                  uint64_t until_ns)
{
    while (lines->next < lines->count) {
        if (!lines->bodies[lines->next].written) {
            CLEW_TRY(write_module(lines, documents, writer, folders, until_ns));
        }
        while (lines->next < lines->count && lines->bodies[lines->next].written) {
            lines->next++;
        }
        if (clock_monotonic_ns() >= until_ns) {
            break;
        }
    }
    if (await_lines_all_written(lines)) {
        forget(lines);
    }
    return CLEW_OK;
}

// -- Taking over ------------------------------------------------------------------------------------------------------

enum clew_error await_lines_resume(const struct map *processes, struct recording_reader *reader)
{
    const uint32_t types = 1u << RECORDING_METHOD | 1u << RECORDING_ASYNC;
    struct recording_record record;
    enum clew_error error = recording_rewind(reader, 0);
    while (error == CLEW_OK && (error = recording_next(reader, types, &record)) == CLEW_OK) {
        uint64_t found;
        bool method = record.type == RECORDING_METHOD;
        if (map_get(processes, method ? record.method.process : record.async.process, &found)) {
            struct await_lines *lines = (struct await_lines *)(uintptr_t)found;
            error = method ? await_lines_add_method(lines, &record.method) : await_lines_add(lines, &record.async);
        }
    }
    return error == CLEW_NOT_FOUND ? CLEW_OK : error;
}
