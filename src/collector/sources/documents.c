#include "collector/sources/documents.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "ring/definition.h"
#include "source/source.h"

enum {
    FOLDERS_ABOVE = 6, // how many folders above the module are searched
    FOLDERS_MAX = FOLDERS_ABOVE + 2,
};

// -- Documents to write -----------------------------------------------------------------------------------------------

const char *documents_module_path(const struct documents *documents, uint32_t module)
{
    uint64_t path;
    return map_get(&documents->module_paths, module, &path) ? (const char *)(uintptr_t)path : "";
}

enum clew_error documents_add_module(struct documents *documents, uint32_t module, struct text path)
{
    char *kept = arena_text(&documents->texts, path.at ? path.at : "", path.size);
    return kept && map_put(&documents->module_paths, module, (uint64_t)(uintptr_t)kept) ? CLEW_OK : CLEW_NO_MEMORY;
}

static uint64_t document_key(uint32_t module, uint32_t number)
{
    return (uint64_t)module << 32 | number;
}

bool documents_know(const struct documents *documents, uint32_t module, uint32_t number)
{
    uint64_t known;
    return map_get(&documents->known, document_key(module, number), &known);
}

// Marks the document as known. *fresh: it was not known before.
static enum clew_error know(struct documents *documents, const struct recording_document *document, bool *fresh)
{
    uint64_t key = document_key(document->module, document->document);
    *fresh = !documents_know(documents, document->module, document->document);
    return *fresh && !map_put(&documents->known, key, 1) ? CLEW_NO_MEMORY : CLEW_OK;
}

// Queues its text, unless the document is known.
static enum clew_error want(struct documents *documents, const struct recording_document *document, bool *fresh)
{
    CLEW_TRY(know(documents, document, fresh));
    if (!*fresh) {
        return CLEW_OK;
    }
    size_t size = bytes_left(&document->hash);
    char *path = arena_text(&documents->texts, document->path.at ? document->path.at : "", document->path.size);
    char *hash = arena_text(&documents->texts, (const char *)document->hash.at, size);
    if (!path || !hash ||
        !array_grow(&documents->wanted, documents->count, &documents->room, sizeof *documents->wanted)) {
        return CLEW_NO_MEMORY;
    }
    CLEW_ASSERT(documents->next <= documents->count && documents->count < documents->room);
    documents->wanted[documents->count++] = (struct document){
        .module = document->module,
        .number = document->document,
        .hash_kind = document->hash_kind,
        .hash = bytes_of(hash, size),
        .path = {path, document->path.size},
    };
    return CLEW_OK;
}

enum clew_error documents_define(struct documents *documents, struct recording_writer *writer,
                                 const struct recording_document *document)
{
    bool fresh;
    CLEW_TRY(want(documents, document, &fresh));
    return fresh ? recording_write_document(writer, document) : CLEW_OK;
}

static void close_symbols(struct documents *documents)
{
    module_file_close(&documents->file);
    documents->module = 0;
}

void documents_free(struct documents *documents)
{
    close_symbols(documents);
    arena_free(&documents->texts);
    map_free(&documents->module_paths);
    map_free(&documents->known);
    free(documents->wanted);
    *documents = (struct documents){0};
}

// -- Contents ---------------------------------------------------------------------------------------------------------

static uint64_t content_key(uint32_t hash_kind, struct bytes hash)
{
    return map_hash_text(hash.at, bytes_left(&hash)) ^ hash_kind;
}

static bool contents_add(struct contents *contents, uint64_t key, struct recording_document_key place)
{
    if (!array_grow(&contents->places, contents->count, &contents->room, sizeof *contents->places) ||
        !map_put(&contents->by_hash, key, contents->count)) {
        return false;
    }
    CLEW_ASSERT(contents->count < contents->room);
    contents->places[contents->count++] = place;
    return true;
}

void contents_free(struct contents *contents)
{
    map_free(&contents->by_hash);
    free(contents->places);
    *contents = (struct contents){0};
}

// -- Finding a text ---------------------------------------------------------------------------------------------------

// Opens the symbols of a module, if there are any. NO_MEMORY: we do not know whether there are.
static enum clew_error open_symbols(struct documents *documents, uint32_t module,
                                    const struct document_folders *folders)
{
    struct module_file *file = &documents->file;
    close_symbols(documents);
    CLEW_TRY(module_file_open(documents_module_path(documents, module), folders->symbols, folders->symbol_count, file));
    module_file_drop_image(file);
    documents->module = module;
    return CLEW_OK;
}

enum clew_error documents_symbols(struct documents *documents, uint32_t module, const struct document_folders *folders,
                                  const struct pdb **out)
{
    if (documents->module != module) {
        CLEW_TRY(open_symbols(documents, module, folders));
    }
    *out = documents->file.has_symbols ? &documents->file.symbols.pdb : NULL;
    return CLEW_OK;
}

// Whether the open symbols have this document: the PDB found may be of another build, with other numbers.
static bool in_symbols(const struct pdb *pdb, const struct document *document)
{
    struct pdb_document found;
    return pdb && pdb_document(pdb, document->number, &found) &&
           bytes_left(&found.hash) == bytes_left(&document->hash) &&
           (bytes_left(&found.hash) == 0 || memcmp(found.hash.at, document->hash.at, bytes_left(&found.hash)) == 0);
}

// Folders to search for a source that is not at its path in the PDB: the root of the file system as the process sees
// it, the session's folder, and the folders above the module. Where a module was built, one of those is the root of its
// sources.
static unsigned list_folders(const struct text module, struct text root, struct text folder, struct text *folders)
{
    unsigned count = 0;
    folders[count++] = root;
    if (folder.size) {
        folders[count++] = folder;
    }
    size_t size = module.size;
    for (unsigned i = 0; i < FOLDERS_ABOVE && size > 0; i++) {
        while (size > 0 && module.at[size - 1] != '/') {
            size--;
        }
        size -= size > 0;
        if (size > 0) {
            folders[count++] = (struct text){module.at, size};
        }
    }
    CLEW_ASSERT(count > 0 && count <= FOLDERS_MAX);
    return count;
}

static enum clew_error find(struct documents *documents, const struct document *document,
                            const struct document_folders *where, struct source *out)
{
    struct pdb_document about = {
        .hash_kind = document->hash_kind < HASH_OTHER ? document->hash_kind : HASH_OTHER,
        .hash = document->hash,
    };
    char root[32];
    struct text folders[FOLDERS_MAX];
    struct text module = text_of(documents_module_path(documents, document->module));
    (void)snprintf(root, sizeof root, "/proc/%d/root", documents->pid);
    struct source_places places = where->sources;
    places.folder_count = list_folders(module, text_of(root), where->session, folders);
    places.folders = folders;
    const struct pdb *pdb;
    CLEW_TRY(documents_symbols(documents, document->module, where, &pdb));
    return in_symbols(pdb, document) ? source_read(pdb, document->number, &places, out)
                                     : source_find(&about, document->path, &places, out);
}

// -- Writing ----------------------------------------------------------------------------------------------------------

static enum clew_error write_found(struct documents *documents, struct recording_writer *writer,
                                   struct contents *contents, const struct document *document,
                                   const struct source *source)
{
    struct recording_source record = {
        .of = {documents->process, document->module, document->number},
        .state = source->state,
    };
    if (source->state == SOURCE_VERIFIED) {
        record.text = (struct text){(const char *)source->text.data, source->text.size};
        if (!contents_add(contents, content_key(document->hash_kind, document->hash), record.of)) {
            return CLEW_NO_MEMORY;
        }
    }
    return recording_write_source(writer, &record);
}

static enum clew_error write_one(struct documents *documents, struct recording_writer *writer,
                                 struct contents *contents, const struct document_folders *folders,
                                 const struct document *document)
{
    struct source source = {.state = SOURCE_MISSING};
    uint64_t at;
    bool hashed = document->hash_kind != HASH_NONE && bytes_left(&document->hash) > 0;
    if (hashed && map_get(&contents->by_hash, content_key(document->hash_kind, document->hash), &at)) {
        CLEW_ASSERT(at < contents->count);
        struct recording_source same = {
            .of = {documents->process, document->module, document->number},
            .state = SOURCE_SAME,
            .same = contents->places[at],
        };
        return recording_write_source(writer, &same);
    }
    enum clew_error error = find(documents, document, folders, &source);
    if (error == CLEW_OK) {
        error = write_found(documents, writer, contents, document, &source);
    }
    source_free(&source);
    return error;
}

enum clew_error documents_write(struct documents *documents, struct recording_writer *writer, struct contents *contents,
                                const struct document_folders *folders, uint64_t until_ns)
{
    while (documents->next < documents->count) {
        CLEW_TRY(write_one(documents, writer, contents, folders, &documents->wanted[documents->next]));
        documents->next++;
        if (clock_monotonic_ns() >= until_ns) {
            return CLEW_OK;
        }
    }
    close_symbols(documents);
    return CLEW_OK;
}

// -- Taking over ------------------------------------------------------------------------------------------------------

static uint64_t place_key(uint32_t process, uint32_t module, uint32_t document)
{
    const uint32_t key[] = {process, module, document};
    return map_hash_text(key, sizeof key);
}

// The state of the pass over the file.
struct resume {
    const struct map *processes;
    struct contents *contents;
    struct map written; // place_key() of documents that have a SOURCE block
    struct map keys;    // place_key(): content_key() of such a document
};

static enum clew_error list_written(struct recording_reader *reader, struct map *written)
{
    const struct recording_block *blocks;
    size_t count;
    CLEW_TRY(recording_index(recording_of(reader), &blocks, &count));
    for (size_t i = 0; i < count; i++) {
        uint64_t key = place_key(blocks[i].process, (uint32_t)blocks[i].module, (uint32_t)blocks[i].document);
        if (blocks[i].type == RECORDING_SOURCE && !map_put(written, key, 1)) {
            return CLEW_NO_MEMORY;
        }
    }
    return CLEW_OK;
}

// NULL for a process that has finished.
static struct documents *documents_of(const struct resume *resume, uint32_t process)
{
    uint64_t found;
    return map_get(resume->processes, process, &found) ? (struct documents *)(uintptr_t)found : NULL;
}

static enum clew_error take_document(struct resume *resume, const struct recording_document *document)
{
    uint64_t key = place_key(document->process, document->module, document->document), known;
    struct documents *documents = documents_of(resume, document->process);
    bool fresh;
    if (map_get(&resume->written, key, &known)) {
        uint64_t content = content_key(document->hash_kind, document->hash);
        CLEW_TRY(documents ? know(documents, document, &fresh) : CLEW_OK);
        return map_put(&resume->keys, key, content) ? CLEW_OK : CLEW_NO_MEMORY;
    }
    return documents ? want(documents, document, &fresh) : CLEW_OK;
}

static enum clew_error take_source(struct resume *resume, const struct recording_source *source)
{
    uint64_t content;
    uint64_t key = place_key(source->of.process, source->of.module, source->of.document);
    bool stored = source->state == SOURCE_VERIFIED && map_get(&resume->keys, key, &content);
    return stored && !contents_add(resume->contents, content, source->of) ? CLEW_NO_MEMORY : CLEW_OK;
}

static enum clew_error take_module(struct resume *resume, const struct recording_module *module)
{
    struct documents *documents = documents_of(resume, module->process);
    return documents ? documents_add_module(documents, module->module, module->path) : CLEW_OK;
}

static enum clew_error take_record(struct resume *resume, const struct recording_record *record)
{
    switch (record->type) {
    case RECORDING_DOCUMENT:
        return take_document(resume, &record->document);
    case RECORDING_SOURCE:
        return take_source(resume, &record->source);
    default:
        return take_module(resume, &record->module);
    }
}

enum clew_error documents_resume(const struct map *processes, struct contents *contents,
                                 struct recording_reader *reader)
{
    const uint32_t types = 1u << RECORDING_MODULE | 1u << RECORDING_DOCUMENT | 1u << RECORDING_SOURCE;
    struct resume resume = {.processes = processes, .contents = contents};
    struct recording_record record;
    enum clew_error error = list_written(reader, &resume.written);
    error = error == CLEW_OK ? recording_rewind(reader, 0) : error;
    while (error == CLEW_OK && (error = recording_next(reader, types, &record)) == CLEW_OK) {
        error = take_record(&resume, &record);
    }
    map_free(&resume.written);
    map_free(&resume.keys);
    return error == CLEW_NOT_FOUND ? CLEW_OK : error;
}
