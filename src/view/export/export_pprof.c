// pprof's profile.proto (github.com/google/pprof, proto/profile.proto), compressed as gzip: a sample for each path of each
// thread's call tree, or of the logical tree of each process, with calls and own time, and one for each line that allocates. The fields of the outermost message
// may come in any order, so locations, functions and strings are written when they are first used.
#include <stdlib.h>
#include <zlib.h>

#include "base/array.h"
#include "base/assert.h"
#include "model/allocations.h"
#include "trace/instrument.h"
#include "view/export/export.h"
#include "view/export/export_formats.h"
#include "view/export/export_proto.h"

// Numbers of fields in profile.proto.
enum {
    PROFILE_SAMPLE_TYPE = 1,
    PROFILE_SAMPLE = 2,
    PROFILE_LOCATION = 4,
    PROFILE_FUNCTION = 5,
    PROFILE_STRING = 6,
    PROFILE_TIME_NANOS = 9,
    PROFILE_DURATION_NANOS = 10,
    PROFILE_COMMENT = 13,
    PROFILE_DEFAULT_SAMPLE_TYPE = 14,
    TYPE_TYPE = 1,
    TYPE_UNIT = 2,
    SAMPLE_LOCATION = 1,
    SAMPLE_VALUE = 2,
    SAMPLE_LABEL = 3,
    LABEL_KEY = 1,
    LABEL_STR = 2,
    LOCATION_ID = 1,
    LOCATION_LINE = 4,
    LINE_FUNCTION = 1,
    LINE_LINE = 2,
    FUNCTION_ID = 1,
    FUNCTION_NAME = 2,
    FUNCTION_SYSTEM_NAME = 3,
    FUNCTION_FILENAME = 4,
    FUNCTION_START_LINE = 5,
};
enum { GZIP_WINDOW = 15 + 16, MEMORY_LEVEL = 8, WRITE_AT = 1 << 16 };

// The state of writing. A method's location and its function have the number of the canonical index + 2; 1 is for calls
// below the deepest level. Locations of single lines follow behind all methods.
struct pprof {
    struct export *export;
    struct buffer out;    // not compressed yet
    struct buffer sample; // scratch
    z_stream zip;
    struct map known; // numbers of functions whose definition is written
    struct map files; // address of a document: number of its path
    uint64_t string_count;
    uint64_t label_key; // numbers of strings
    uint64_t label;
    uint64_t line_locations;
    bool allocations;
    bool times;
};

// -- Output -----------------------------------------------------------------------------------------------------------

// Compresses what has gathered, and writes it.
static enum clew_error deflate_out(struct pprof *pprof, int flush)
{
    uint8_t room[1 << 14];
    if (pprof->out.failed || pprof->out.size > UINT32_MAX) {
        return CLEW_NO_MEMORY;
    }
    pprof->zip.next_in = pprof->out.data;
    pprof->zip.avail_in = (uInt)pprof->out.size;
    do {
        pprof->zip.next_out = room;
        pprof->zip.avail_out = sizeof room;
        (void)deflate(&pprof->zip, flush); // it fails only if its state is overwritten
        (void)fwrite(room, 1, sizeof room - pprof->zip.avail_out, pprof->export->out);
    } while (pprof->zip.avail_out == 0);
    CLEW_ASSERT(pprof->zip.avail_in == 0);
    buffer_clear(&pprof->out);
    return ferror(pprof->export->out) ? CLEW_IO : CLEW_OK;
}

static enum clew_error write_some(struct pprof *pprof)
{
    return pprof->out.size >= WRITE_AT || pprof->out.failed ? deflate_out(pprof, Z_NO_FLUSH) : CLEW_OK;
}

// Writes a string, and returns its number.
static uint64_t string_of(struct pprof *pprof, struct text text)
{
    if (text.size == 0 && pprof->string_count > 0) {
        return 0;
    }
    proto_text(&pprof->out, PROFILE_STRING, text);
    return pprof->string_count++;
}

static uint64_t string_named(struct pprof *pprof, const char *text)
{
    return string_of(pprof, text_of(text));
}

// The number of the path of a document, which is written when it is new.
static uint64_t file_of(struct pprof *pprof, const struct recording_document *document)
{
    uint64_t number;
    if (!document || map_get(&pprof->files, (uintptr_t)document, &number)) {
        return document ? number : 0;
    }
    number = string_of(pprof, document->path);
    pprof->out.failed = pprof->out.failed || !map_put(&pprof->files, (uintptr_t)document, number);
    return number;
}

// -- Definitions ------------------------------------------------------------------------------------------------------

static void define_function(struct pprof *pprof, uint64_t number, struct text name, struct method_place place)
{
    struct buffer message = {0};
    uint64_t string = string_of(pprof, name);
    CLEW_ASSERT(number > 0 && "0 is no function");
    uint64_t file = file_of(pprof, place.document);
    proto_varint(&message, FUNCTION_ID, number);
    proto_varint(&message, FUNCTION_NAME, string);
    proto_varint(&message, FUNCTION_SYSTEM_NAME, string);
    proto_varint(&message, FUNCTION_FILENAME, file);
    proto_varint(&message, FUNCTION_START_LINE, place.line);
    proto_message(&pprof->out, PROFILE_FUNCTION, &message);
    buffer_free(&message);
}

static void define_location(struct pprof *pprof, uint64_t number, uint64_t function, uint32_t line)
{
    struct buffer message = {0}, within = {0};
    CLEW_ASSERT(number > 0 && function > 0 && "0 is no location");
    proto_varint(&within, LINE_FUNCTION, function);
    proto_varint(&within, LINE_LINE, line);
    proto_varint(&message, LOCATION_ID, number);
    proto_message(&message, LOCATION_LINE, &within);
    proto_message(&pprof->out, PROFILE_LOCATION, &message);
    buffer_free(&message);
    buffer_free(&within);
}

// The number of a function and its location, which are defined when it is new. CATALOG_NONE: calls below the deepest level.
static uint64_t function_of(struct pprof *pprof, uint32_t canonical)
{
    uint64_t number = canonical == CATALOG_NONE ? 1 : (uint64_t)canonical + 2, found;
    if (map_get(&pprof->known, number, &found)) {
        return number;
    }
    struct method_place place = {0};
    struct text name = text_of(export_deeper);
    if (canonical != CATALOG_NONE) {
        name = export_name(pprof->export, canonical);
        place = export_place_of(pprof->export, canonical);
    }
    define_function(pprof, number, name, place);
    define_location(pprof, number, number, place.line);
    pprof->out.failed = pprof->out.failed || !map_put(&pprof->known, number, 1);
    return number;
}

static void define_type(struct pprof *pprof, const char *type, const char *unit)
{
    struct buffer message = {0};
    proto_varint(&message, TYPE_TYPE, string_named(pprof, type));
    proto_varint(&message, TYPE_UNIT, string_named(pprof, unit));
    proto_message(&pprof->out, PROFILE_SAMPLE_TYPE, &message);
    buffer_free(&message);
}

// -- Samples ----------------------------------------------------------------------------------------------------------

// Values in the order of the types.
struct values {
    uint64_t calls, own_ns, cpu_ns, objects, bytes;
};

static void append_values(struct pprof *pprof, const struct values *values)
{
    struct buffer packed = {0};
    buffer_varint(&packed, values->calls);
    if (pprof->times) {
        buffer_varint(&packed, values->own_ns);
    }
    buffer_varint(&packed, values->cpu_ns);
    if (pprof->allocations) {
        buffer_varint(&packed, values->objects);
        buffer_varint(&packed, values->bytes);
    }
    proto_message(&pprof->sample, SAMPLE_VALUE, &packed);
    buffer_free(&packed);
}

static void append_label(struct pprof *pprof)
{
    struct buffer label = {0};
    proto_varint(&label, LABEL_KEY, pprof->label_key);
    proto_varint(&label, LABEL_STR, pprof->label);
    proto_message(&pprof->sample, SAMPLE_LABEL, &label);
    buffer_free(&label);
}

static enum clew_error take_path(void *context, const struct export_path *path)
{
    struct pprof *pprof = context;
    struct buffer locations = {0};
    const struct values values = {.calls = path->calls,
                                  .own_ns = model_ns(pprof->export->model, path->own),
                                  .cpu_ns = path->cpu_user_ns + path->cpu_kernel_ns};
    if (!values.calls && !values.own_ns && !values.cpu_ns) {
        return CLEW_OK;
    }
    if (path->deeper) {
        buffer_varint(&locations, function_of(pprof, CATALOG_NONE));
    }
    for (uint32_t i = path->levels; i-- > 0;) { // the innermost comes first
        buffer_varint(&locations, function_of(pprof, path->methods[i]));
    }
    buffer_clear(&pprof->sample);
    proto_message(&pprof->sample, SAMPLE_LOCATION, &locations);
    append_values(pprof, &values);
    append_label(pprof);
    proto_message(&pprof->out, PROFILE_SAMPLE, &pprof->sample);
    buffer_free(&locations);
    return write_some(pprof);
}

static enum clew_error write_trees(struct pprof *pprof)
{
    const struct model *model = pprof->export->model;
    for (uint32_t i = 0; i < model->tree_count; i++) {
        struct buffer title = {0};
        if (model->trees[i].thread) {
            export_thread_title(&title, pprof->export, model->trees[i].process, model->trees[i].thread);
        } else {
            export_process_title(&title, pprof->export, model->trees[i].process);
        }
        pprof->label = string_of(pprof, text_in(&title));
        buffer_free(&title);
        CLEW_TRY(export_walk(pprof->export, &model->trees[i], take_path, pprof));
    }
    return CLEW_OK;
}

// A line that allocates has a location of its own, and its type as a frame above it.
static enum clew_error write_allocation(struct pprof *pprof, const struct allocation *row)
{
    struct buffer locations = {0};
    uint64_t number = (uint64_t)UINT32_MAX + 2 + 2 * pprof->line_locations++;
    struct text type = row->type.size ? row->type : text_of("(unknown type)");
    if (row->method == CATALOG_NONE) {
        return CLEW_OK;
    }
    uint64_t function = function_of(pprof, row->method);
    define_function(pprof, number, type, (struct method_place){0});
    define_location(pprof, number, number, 0);
    define_location(pprof, number + 1, function, row->site->start_line);
    buffer_varint(&locations, number);
    buffer_varint(&locations, number + 1);
    buffer_clear(&pprof->sample);
    proto_message(&pprof->sample, SAMPLE_LOCATION, &locations);
    append_values(pprof, &(struct values){.objects = row->count, .bytes = row->bytes});
    proto_message(&pprof->out, PROFILE_SAMPLE, &pprof->sample);
    buffer_free(&locations);
    return write_some(pprof);
}

// Allocations are known for the whole recording, not for a range or a thread.
static enum clew_error write_allocations(struct pprof *pprof)
{
    struct export *export = pprof->export;
    struct allocations all = {0};
    enum clew_error error = allocations_load(export->model, export->source.sites, &all);
    for (size_t i = 0; i < all.site_count && error == CLEW_OK; i++) {
        error = write_allocation(pprof, &all.sites[i]);
    }
    recording_meet(&export->model->health, &all.health);
    allocations_free(&all);
    return error == CLEW_NOTHING_RECORDED ? CLEW_OK : error;
}

// -- The file ---------------------------------------------------------------------------------------------------------

static void write_head(struct pprof *pprof)
{
    const struct model *model = pprof->export->model;
    uint64_t elapsed = model_since_start_ns(model, model->ended_clock);
    (void)string_named(pprof, ""); // the first string is empty
    define_type(pprof, "calls", "count");
    if (pprof->times) {
        define_type(pprof, "own", "nanoseconds");
    }
    define_type(pprof, "cpu", "nanoseconds");
    if (pprof->allocations) {
        define_type(pprof, "objects", "count");
        define_type(pprof, "allocated", "bytes");
    }
    pprof->label_key = string_named(pprof, model->options.threads_apart ? "thread" : "process");
    CLEW_ASSERT(pprof->label_key > 0 && "the first string is the empty one");
    if (export_view_sentence(pprof->export)) {
        proto_varint(&pprof->out, PROFILE_COMMENT, string_named(pprof, export_view_sentence(pprof->export)));
    }
    proto_varint(&pprof->out, PROFILE_TIME_NANOS, model->session.started_realtime_ns);
    proto_varint(&pprof->out, PROFILE_DURATION_NANOS, pprof->times ? elapsed : 0);
    proto_varint(&pprof->out, PROFILE_DEFAULT_SAMPLE_TYPE, string_named(pprof, pprof->times ? "own" : "calls"));
}

static enum clew_error write_all(struct pprof *pprof)
{
    write_head(pprof);
    CLEW_TRY(write_trees(pprof));
    CLEW_TRY(pprof->allocations ? write_allocations(pprof) : CLEW_OK);
    return deflate_out(pprof, Z_FINISH);
}

static enum clew_error write_pprof(struct export *export)
{
    bool some = !export->options->ranged && !export->options->threads.count && export->source.sites;
    struct pprof pprof = {.export = export,
                          .times = model_has_times(export->model),
                          .allocations = some && export->model->session.instruments & INSTRUMENT_VALUES};
    if (deflateInit2(&pprof.zip, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) !=
        Z_OK) {
        return CLEW_NO_MEMORY;
    }
    enum clew_error error = write_all(&pprof);
    (void)deflateEnd(&pprof.zip); // frees it, also before its end
    buffer_free(&pprof.out);
    buffer_free(&pprof.sample);
    map_free(&pprof.known);
    map_free(&pprof.files);
    return error;
}

const struct export_format export_pprof = {
    .name = "pprof", .suffix = ".pprof", .binary = true, .threads_apart = true, .logical = true, .write = write_pprof};
