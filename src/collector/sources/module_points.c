#include "collector/sources/module_points.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "collector/sources/module_file.h"
#include "metadata/uncovered.h"
#include "trace/instrument.h"
#include "trace/method_points.h"
#include "trace/scope.h"

enum { RECORD_SIZE = 32 << 10 }; // bytes of encoded methods in a record: about a millisecond's work

// A module that is being read.
struct points_reading {
    struct module_file file;
    struct metadata metadata;
    struct names *names;
    struct uncovered uncovered;
    struct scope scope;
    struct text assembly;
    uint32_t may; // the instrument, if it can record methods of the module
    uint32_t row; // of the next method
    struct buffer documents, methods, points, name, class;
    struct map known; // documents that are in the file, or in `documents`
};

static uint64_t key_of(const uint8_t mvid[16])
{
    return map_hash_text(mvid, 16);
}

uint32_t points_instrument(uint32_t instruments)
{
    return instruments & INSTRUMENT_LINES        ? INSTRUMENT_LINES
           : instruments & INSTRUMENT_STATEMENTS ? INSTRUMENT_STATEMENTS
                                                 : 0;
}

enum clew_error module_points_add(struct module_points *points, const struct points_shared *shared,
                                  const struct recording_module *module)
{
    uint64_t done;
    if (!shared->instrument || !(module->flags & MODULE_IN_SCOPE) ||
        map_get(&shared->written, key_of(module->mvid), &done)) {
        return CLEW_OK;
    }
    if (!array_grow(&points->modules, points->count, &points->room, sizeof *points->modules)) {
        return CLEW_NO_MEMORY;
    }
    struct points_module *added = &points->modules[points->count++];
    *added = (struct points_module){.module = module->module, .mine = module_is_my_code(module->flags)};
    memcpy(added->mvid, module->mvid, sizeof added->mvid);
    return CLEW_OK;
}

// -- Reading ----------------------------------------------------------------------------------------------------------

static void close_reading(struct module_points *points)
{
    struct points_reading *reading = points->reading;
    if (!reading) {
        return;
    }
    uncovered_free(&reading->uncovered);
    names_free(reading->names);
    module_file_close(&reading->file);
    free(reading->scope.patterns);
    buffer_free(&reading->documents);
    buffer_free(&reading->methods);
    buffer_free(&reading->points);
    buffer_free(&reading->name);
    buffer_free(&reading->class);
    map_free(&reading->known);
    free(reading);
    points->reading = NULL;
}

// *found: the file has symbols, and is still the one that was loaded.
static enum clew_error open_file(struct points_reading *reading, const uint8_t mvid[16], const char *path,
                                 const struct document_folders *folders, bool *found)
{
    uint8_t now[16];
    CLEW_TRY(module_file_open(path, folders->symbols, folders->symbol_count, &reading->file));
    *found = reading->file.has_symbols && metadata_open(reading->file.image.metadata, &reading->metadata) == CLEW_OK &&
             metadata_mvid(&reading->metadata, now) && memcmp(now, mvid, sizeof now) == 0;
    return CLEW_OK;
}

static enum clew_error open_reading(struct module_points *points, const struct points_shared *shared,
                                    const struct documents *documents, const struct document_folders *folders,
                                    bool *found)
{
    const struct points_module *module = &points->modules[points->next];
    struct points_reading *reading = calloc(1, sizeof *reading);
    if (!reading) {
        return CLEW_NO_MEMORY;
    }
    points->reading = reading;
    reading->row = 1;
    CLEW_TRY(open_file(reading, module->mvid, documents_module_path(documents, module->module), folders, found));
    if (!*found) {
        return CLEW_OK;
    }
    scope_parse(&reading->scope, shared->scope);
    reading->assembly = metadata_assembly_name(&reading->metadata);
    reading->may = scope_of_assembly(&reading->scope, reading->assembly, module->mine) & shared->instrument;
    reading->names = names_new(&reading->metadata);
    if (!reading->names || !reading->scope.patterns) {
        return CLEW_NO_MEMORY;
    }
    names_use_bodies(reading->names, &reading->file.image);
    return uncovered_find(&reading->metadata, &reading->file.symbols.pdb, reading->names, &reading->uncovered);
}

// Whether the instrument records the method.
static bool is_recorded(struct points_reading *reading, uint32_t token)
{
    if (!reading->may || reading->scope.count == 0) {
        return reading->may;
    }
    buffer_clear(&reading->name);
    (void)names_scope(reading->names, token, &reading->name);
    const struct text whole = {(const char *)reading->name.data, reading->name.size};
    return scope_of_method(&reading->scope, reading->assembly, whole, reading->may);
}

// Adds the document to the record, unless the recording has it. False: no memory.
static bool add_document(struct points_reading *reading, uint32_t number)
{
    uint64_t known;
    if (map_get(&reading->known, number, &known)) {
        return true;
    }
    buffer_clear(&reading->name);
    (void)pdb_document_name(&reading->file.symbols.pdb, number, &reading->name);
    const struct points_document document = {number, {(const char *)reading->name.data, reading->name.size}};
    points_document_encode(&reading->documents, &document);
    return map_put(&reading->known, number, 1) && !reading->name.failed;
}

// Encodes the points of the method that coverage counts. False: no memory.
static bool collect_points(struct points_reading *reading, uint32_t token)
{
    struct pdb_points left = pdb_points_of(&reading->file.symbols.pdb, token);
    struct point before = {0};
    struct pdb_point next;
    buffer_clear(&reading->points);
    while (pdb_points_next(&left, &next)) {
        bool placed = !next.hidden && next.document && next.start_line && next.end_line >= next.start_line;
        if (!placed || next.il_offset < before.il_offset || uncovered_point(&reading->uncovered, &next)) {
            continue;
        }
        const struct point point = {next.il_offset,    next.document, next.start_line,
                                    next.start_column, next.end_line, next.end_column};
        if (!add_document(reading, next.document)) {
            return false;
        }
        point_encode(&reading->points, &point, &before);
        before = point;
    }
    return !reading->points.failed;
}

static enum clew_error add_method(struct points_reading *reading, uint32_t token)
{
    struct method_name about;
    if (!collect_points(reading, token)) {
        return CLEW_NO_MEMORY;
    }
    if (reading->points.size == 0) {
        return CLEW_OK;
    }
    buffer_clear(&reading->name);
    buffer_clear(&reading->class);
    CLEW_TRY(names_method(reading->names, token, &reading->name, &about));
    names_source_class(reading->names, about.origin, &reading->class);
    const struct points_method method = {
        .token = token,
        .kind = about.kind,
        .flags = about.flags,
        .name = text_in(&reading->name),
        .class = text_in(&reading->class),
        .points = bytes_of(reading->points.data, reading->points.size),
    };
    points_method_encode(&reading->methods, &method);
    return reading->methods.failed || reading->class.failed || reading->documents.failed ? CLEW_NO_MEMORY : CLEW_OK;
}

// -- Writing ----------------------------------------------------------------------------------------------------------

// Writes one record of the module that is being read. *last: it was its last.
static enum clew_error write_record(struct module_points *points, struct recording_writer *writer, bool *last)
{
    struct points_reading *reading = points->reading;
    const struct points_module *module = &points->modules[points->next];
    uint32_t rows = metadata_rows(&reading->metadata, TABLE_METHOD_DEF);
    buffer_clear(&reading->documents);
    buffer_clear(&reading->methods);
    while (reading->row <= rows && reading->methods.size < RECORD_SIZE) {
        uint32_t token = TOKEN(TABLE_METHOD_DEF, reading->row++);
        struct pdb_points any = pdb_points_of(&reading->file.symbols.pdb, token);
        if (bytes_left(&any.rest) && !uncovered_method(&reading->uncovered, token) && is_recorded(reading, token)) {
            CLEW_TRY(add_method(reading, token));
        }
    }
    *last = reading->row > rows;
    struct recording_points record = {
        .flags = *last ? POINTS_LAST : 0,
        .documents = bytes_of(reading->documents.data, reading->documents.size),
        .methods = bytes_of(reading->methods.data, reading->methods.size),
    };
    memcpy(record.mvid, module->mvid, sizeof record.mvid);
    return recording_write_points(writer, &record);
}

// Says that the module has no points, so that a reader does not take the recording for an older one.
static enum clew_error write_none(const struct module_points *points, struct recording_writer *writer)
{
    struct recording_points record = {.flags = 0};
    memcpy(record.mvid, points->modules[points->next].mvid, sizeof record.mvid);
    return recording_write_points(writer, &record);
}

// Goes on with modules[next]. *done: nothing of it is left.
static enum clew_error step(struct module_points *points, struct points_shared *shared,
                            const struct documents *documents, struct recording_writer *writer,
                            const struct document_folders *folders, bool *done)
{
    uint64_t key = key_of(points->modules[points->next].mvid), earlier;
    bool found = points->reading != NULL;
    *done = map_get(&shared->written, key, &earlier);
    if (*done) {
        return CLEW_OK; // another process has loaded it, too
    }
    CLEW_TRY(found ? CLEW_OK : open_reading(points, shared, documents, folders, &found));
    *done = !found;
    CLEW_TRY(found ? write_record(points, writer, done) : write_none(points, writer));
    return found && *done && !map_put(&shared->written, key, 1) ? CLEW_NO_MEMORY : CLEW_OK;
}

enum clew_error module_points_write(struct module_points *points, struct points_shared *shared,
                                    const struct documents *documents, struct recording_writer *writer,
                                    const struct document_folders *folders, uint64_t until_ns)
{
    while (!module_points_all_written(points)) {
        bool done;
        CLEW_TRY(step(points, shared, documents, writer, folders, &done));
        if (done) {
            close_reading(points);
            points->next++;
        }
        if (clock_monotonic_ns() >= until_ns) {
            break;
        }
    }
    return CLEW_OK;
}

void module_points_free(struct module_points *points)
{
    close_reading(points);
    free(points->modules);
    *points = (struct module_points){0};
}

// -- Taking over ------------------------------------------------------------------------------------------------------

static enum clew_error learn_written(struct points_shared *shared, struct recording_reader *reader)
{
    struct recording_record record;
    enum clew_error error = recording_rewind(reader, 0);
    while (error == CLEW_OK && (error = recording_next(reader, 1u << RECORDING_POINTS, &record)) == CLEW_OK) {
        bool last = record.points.flags & POINTS_LAST;
        error = last && !map_put(&shared->written, key_of(record.points.mvid), 1) ? CLEW_NO_MEMORY : CLEW_OK;
    }
    return error == CLEW_NOT_FOUND ? CLEW_OK : error;
}

enum clew_error module_points_resume(const struct map *processes, struct points_shared *shared,
                                     struct recording_reader *reader)
{
    struct recording_record record;
    CLEW_TRY(learn_written(shared, reader));
    enum clew_error error = recording_rewind(reader, 0);
    while (error == CLEW_OK && (error = recording_next(reader, 1u << RECORDING_MODULE, &record)) == CLEW_OK) {
        uint64_t found;
        if (map_get(processes, record.module.process, &found)) {
            error = module_points_add((struct module_points *)(uintptr_t)found, shared, &record.module);
        }
    }
    return error == CLEW_NOT_FOUND ? CLEW_OK : error;
}
