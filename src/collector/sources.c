#include "collector/sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/file.h"
#include "metadata/inflate.h"
#include "ring/definition.h"

enum {
    MODULE_SIZE_MAX = 512 << 20,
    FOLDERS_MAX = 32, // above the module's, in which a path that is not absolute is looked for
};

// -- What is wanted ---------------------------------------------------------------------------------------------------

static uint64_t content_key(uint32_t hash_kind, struct bytes hash)
{
    return map_hash_text(hash.at, bytes_left(&hash)) ^ hash_kind;
}

static const char *module_path(const struct sources *sources, uint32_t module)
{
    uint64_t path;
    return map_get(&sources->module_paths, module, &path) ? (const char *)(uintptr_t)path : "";
}

enum clew_error sources_add_module(struct sources *sources, uint32_t module, struct text path)
{
    char *kept = arena_text(&sources->texts, path.at ? path.at : "", path.size);
    return kept && map_put(&sources->module_paths, module, (uint64_t)(uintptr_t)kept) ? CLEW_OK : CLEW_NO_MEMORY;
}

enum clew_error sources_add_document(struct sources *sources, const struct recording_document *document)
{
    size_t size = bytes_left(&document->hash);
    char *path = arena_text(&sources->texts, document->path.at ? document->path.at : "", document->path.size);
    char *hash = arena_text(&sources->texts, (const char *)document->hash.at, size);
    if (!path || !hash || !array_grow(&sources->wanted, sources->count, &sources->room, sizeof *sources->wanted)) {
        return CLEW_NO_MEMORY;
    }
    sources->wanted[sources->count++] = (struct source_wanted){
        .module = document->module,
        .document = document->document,
        .hash_kind = document->hash_kind,
        .hash = bytes_of(hash, size),
        .path = path,
    };
    return CLEW_OK;
}

static void close_symbols(struct sources *sources)
{
    if (sources->has_symbols) {
        symbols_close(&sources->symbols);
    }
    sources->has_symbols = false;
    sources->module = 0;
}

void sources_free(struct sources *sources)
{
    close_symbols(sources);
    arena_free(&sources->texts);
    map_free(&sources->module_paths);
    free(sources->wanted);
    *sources = (struct sources){0};
}

// -- Finding a text ---------------------------------------------------------------------------------------------------

// What is known of one document's text so far.
struct search {
    const struct source_wanted *wanted;
    enum recording_source_state state;
    struct buffer text;
};

static bool has_hash(struct bytes text, const struct source_wanted *wanted)
{
    static const enum digest_kind kinds[] = {
        [RING_HASH_MD5] = DIGEST_MD5, [RING_HASH_SHA1] = DIGEST_SHA1, [RING_HASH_SHA256] = DIGEST_SHA256};
    uint8_t got[DIGEST_SIZE_MAX];
    if (wanted->hash_kind == RING_HASH_NONE || wanted->hash_kind > RING_HASH_SHA256) {
        return false;
    }
    size_t size = digest(kinds[wanted->hash_kind], text, got);
    return bytes_left(&wanted->hash) == size && memcmp(got, wanted->hash.at, size) == 0;
}

static bool judge(struct search *search)
{
    bool right = has_hash(bytes_of(search->text.data, search->text.size), search->wanted);
    search->state = right ? SOURCE_VERIFIED : SOURCE_DIFFERS;
    return right;
}

static bool try_file(struct search *search, const char *path)
{
    bool large;
    if (file_read(path, RECORDING_SOURCE_MAX, &search->text, &large)) {
        return judge(search);
    }
    search->state = large ? SOURCE_TOO_LARGE : search->state;
    return false;
}

// The same path as we see it and as the process does, which may be elsewhere in the file system.
static bool try_path(const struct sources *sources, struct search *search, const char *folder, size_t folder_size,
                     const char *path)
{
    char *ours, *theirs;
    if (asprintf(&ours, "%.*s%s", (int)folder_size, folder, path) < 0) {
        return false;
    }
    bool found = try_file(search, ours);
    if (!found && asprintf(&theirs, "/proc/%d/root%s", sources->pid, ours) >= 0) {
        found = try_file(search, theirs);
        free(theirs);
    }
    free(ours);
    return found;
}

// `/_/src/App.cs` of a deterministic build, `/_1/...`, and paths that begin nowhere: what comes after the root.
static const char *relative_part(const char *path)
{
    size_t root = 0;
    if (path[0] == '/' && path[1] == '_') {
        root = 2 + strspn(path + 2, "0123456789");
        return path[root] == '/' ? path + root : NULL;
    }
    return path[0] == '/' || path[0] == '\0' || strchr(path, '\\') ? NULL : path;
}

// Beside the module, and in the folders above it: where it is built there is the root of its sources.
static bool try_above_module(const struct sources *sources, struct search *search, const char *part)
{
    const char *module = module_path(sources, search->wanted->module);
    size_t size = strlen(module);
    for (int i = 0; i < FOLDERS_MAX && size > 0; i++) {
        while (size > 0 && module[size - 1] != '/') {
            size--;
        }
        // With or without the slash, as the part begins.
        size_t folder = part[0] == '/' && size > 0 ? size - 1 : size;
        if (size > 0 && try_path(sources, search, module, folder, part)) {
            return true;
        }
        size -= size > 0;
    }
    return false;
}

static bool find_on_disk(const struct sources *sources, struct search *search)
{
    const char *path = search->wanted->path;
    if (path[0] == '/' && try_path(sources, search, "", 0, path)) {
        return true;
    }
    const char *part = relative_part(path);
    return part && try_above_module(sources, search, part);
}

static void open_symbols(struct sources *sources, uint32_t module, struct text folder)
{
    const char *path = module_path(sources, module);
    struct buffer content = {0};
    struct image image;
    bool large;
    close_symbols(sources);
    sources->module = module;
    if (file_read(path, MODULE_SIZE_MAX, &content, &large) &&
        image_open(bytes_of(content.data, content.size), IMAGE_FLAT, &image) == CLEW_OK) {
        struct symbols_query query = {.image = &image, .module_path = path, .folders = &folder, .folder_count = 1};
        sources->has_symbols = symbols_match(symbols_open(&query, &sources->symbols, NULL));
    }
    buffer_free(&content);
}

static bool unpack(const struct pdb_source *source, struct search *search)
{
    if (source->size > RECORDING_SOURCE_MAX) {
        search->state = SOURCE_TOO_LARGE;
        return false;
    }
    buffer_clear(&search->text);
    if (!source->packed) {
        buffer_append(&search->text, source->content.at, bytes_left(&source->content));
        return !search->text.failed;
    }
    uint8_t *at = buffer_extend(&search->text, source->size);
    return at && inflate_raw(source->content, at, source->size) == CLEW_OK;
}

// In the module's symbols a document goes by its hash.
static bool find_in_symbols(struct sources *sources, struct search *search, struct text folder)
{
    const struct source_wanted *wanted = search->wanted;
    const struct pdb *pdb = &sources->symbols.pdb;
    struct pdb_document document;
    struct pdb_source source;
    if (sources->module != wanted->module) {
        open_symbols(sources, wanted->module, folder);
    }
    for (uint32_t i = 1; sources->has_symbols && i <= pdb_document_count(pdb); i++) {
        if (pdb_document(pdb, i, &document) && bytes_left(&document.hash) == bytes_left(&wanted->hash) &&
            memcmp(document.hash.at, wanted->hash.at, bytes_left(&wanted->hash)) == 0 &&
            pdb_embedded_source(pdb, i, &source) && unpack(&source, search) && judge(search)) {
            return true;
        }
    }
    return false;
}

// -- Writing ----------------------------------------------------------------------------------------------------------

static enum clew_error write_one(struct sources *sources, struct recording_writer *writer, struct map *stored,
                                 struct text folder, const struct source_wanted *wanted)
{
    struct search search = {.wanted = wanted, .state = SOURCE_MISSING};
    uint64_t key = content_key(wanted->hash_kind, wanted->hash), known;
    bool hashed = wanted->hash_kind != RING_HASH_NONE && bytes_left(&wanted->hash) > 0;
    if (hashed && map_get(stored, key, &known)) {
        return CLEW_OK;
    }
    // Without a hash nobody could say whether a text is the right one.
    bool found = hashed && (find_in_symbols(sources, &search, folder) || find_on_disk(sources, &search));
    struct recording_source source = {
        .process = sources->process,
        .module = wanted->module,
        .document = wanted->document,
        .state = search.state,
        .text = {(const char *)search.text.data, search.text.size},
    };
    enum clew_error error = found && !map_put(stored, key, 1) ? CLEW_NO_MEMORY : CLEW_OK;
    if (error == CLEW_OK) {
        error = recording_write_source(writer, &source);
    }
    buffer_free(&search.text);
    return error;
}

enum clew_error sources_write(struct sources *sources, struct recording_writer *writer, struct map *stored,
                              struct text folder, uint64_t until_ns)
{
    while (sources->next < sources->count) {
        CLEW_TRY(write_one(sources, writer, stored, folder, &sources->wanted[sources->next]));
        sources->next++;
        if (clock_monotonic_ns() >= until_ns) {
            return CLEW_OK;
        }
    }
    close_symbols(sources);
    return CLEW_OK;
}

// -- Taking over ------------------------------------------------------------------------------------------------------

static uint64_t document_key(uint32_t process, uint32_t module, uint32_t document)
{
    const uint32_t key[] = {process, module, document};
    return map_hash_text(key, sizeof key);
}

static enum clew_error list_written(struct recording_reader *reader, struct map *written)
{
    const struct recording_block *blocks;
    size_t count;
    CLEW_TRY(recording_index(reader, &blocks, &count));
    for (size_t i = 0; i < count; i++) {
        const struct recording_block *block = &blocks[i];
        if (block->type == RECORDING_SOURCE &&
            !map_put(written, document_key(block->process, (uint32_t)block->first_clock, (uint32_t)block->last_clock),
                     1)) {
            return CLEW_NO_MEMORY;
        }
    }
    return CLEW_OK;
}

// What a pass over the file knows so far.
struct resume {
    struct sources *sources;
    struct map *stored;
    struct map written;  // documents that have a SOURCE block
    struct map contents; // of these documents
};

static enum clew_error take_document(struct resume *resume, const struct recording_document *document)
{
    uint64_t key = document_key(document->process, document->module, document->document), known;
    if (map_get(&resume->written, key, &known)) {
        uint64_t content = content_key(document->hash_kind, document->hash);
        return map_put(&resume->contents, key, content) ? CLEW_OK : CLEW_NO_MEMORY;
    }
    bool ours = document->process == resume->sources->process;
    return ours ? sources_add_document(resume->sources, document) : CLEW_OK;
}

static enum clew_error take_source(struct resume *resume, const struct recording_source *source)
{
    uint64_t content;
    uint64_t key = document_key(source->process, source->module, source->document);
    bool stored = source->state == SOURCE_VERIFIED && map_get(&resume->contents, key, &content);
    return stored && !map_put(resume->stored, content, 1) ? CLEW_NO_MEMORY : CLEW_OK;
}

static enum clew_error take_record(struct resume *resume, const struct recording_record *record)
{
    switch (record->type) {
    case RECORDING_DOCUMENT:
        return take_document(resume, &record->document);
    case RECORDING_SOURCE:
        return take_source(resume, &record->source);
    default:
        return record->module.process == resume->sources->process
                   ? sources_add_module(resume->sources, record->module.module, record->module.path)
                   : CLEW_OK;
    }
}

enum clew_error sources_resume(struct sources *sources, struct map *stored, struct recording_reader *reader)
{
    const uint32_t types = 1u << RECORDING_MODULE | 1u << RECORDING_DOCUMENT | 1u << RECORDING_SOURCE;
    struct resume resume = {.sources = sources, .stored = stored};
    struct recording_record record;
    enum clew_error error = list_written(reader, &resume.written);
    error = error == CLEW_OK ? recording_rewind(reader, 0) : error;
    while (error == CLEW_OK && (error = recording_next(reader, types, &record)) == CLEW_OK) {
        error = take_record(&resume, &record);
    }
    map_free(&resume.written);
    map_free(&resume.contents);
    return error == CLEW_NOT_FOUND ? CLEW_OK : error;
}
