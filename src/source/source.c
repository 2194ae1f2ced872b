// Sources: found, read and compared with their checksums. Source of facts: Portable PDB v1.0, "Document Table",
// "Embedded Source"; PE-COFF.md of dotnet/runtime, "PDB Checksum Debug Directory Entry".
#include "source/source.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "metadata/pdb/debug_directory.h"
#include "metadata/pdb/inflate.h"
#include "source/digest.h"

enum { PATH_PARTS_MAX = 32 };

static enum source_state compare(const struct pdb_document *document, const struct buffer *text)
{
    struct bytes whole = bytes_of(text->data, text->size);
    switch (document->hash_kind) {
    case HASH_MD5:
        return digest_matches(DIGEST_MD5, &whole, 1, document->hash) ? SOURCE_VERIFIED : SOURCE_DIFFERS;
    case HASH_SHA1:
        return digest_matches(DIGEST_SHA1, &whole, 1, document->hash) ? SOURCE_VERIFIED : SOURCE_DIFFERS;
    case HASH_SHA256:
        return digest_matches(DIGEST_SHA256, &whole, 1, document->hash) ? SOURCE_VERIFIED : SOURCE_DIFFERS;
    case HASH_NONE:
    case HASH_OTHER:
        break;
    }
    return SOURCE_UNCHECKED;
}

// Sets out->state to other than MISSING when the PDB has the source.
static enum clew_error read_embedded(const struct pdb *pdb, uint32_t number, const struct pdb_document *document,
                                     struct source *out)
{
    struct pdb_source source;
    if (!pdb_embedded_source(pdb, number, &source)) {
        return CLEW_OK;
    }
    if (source.size > SOURCE_SIZE_MAX) {
        out->state = SOURCE_TOO_LARGE;
        return CLEW_OK;
    }
    uint8_t *room = buffer_extend(&out->text, source.size);
    enum clew_error error = room ? CLEW_OK : CLEW_NO_MEMORY;
    if (room && source.packed) {
        error = inflate_raw(source.content, room, source.size);
    } else if (room && source.size) {
        memcpy(room, source.content.at, source.size);
    }
    if (error != CLEW_OK) {
        buffer_clear(&out->text);
        return error == CLEW_NO_MEMORY ? error : CLEW_OK; // a broken embedded source counts as missing
    }
    out->embedded = true;
    out->state = compare(document, &out->text);
    return CLEW_OK;
}

// False when there are fewer bytes.
static bool read_bytes(int descriptor, uint8_t *into, size_t size)
{
    while (size > 0) {
        ssize_t got = read(descriptor, into, size);
        if (got <= 0 && !(got < 0 && errno == EINTR)) {
            return false;
        }
        into += got > 0 ? got : 0;
        size -= got > 0 ? (size_t)got : 0;
    }
    return true;
}

static enum source_state read_open(int descriptor, size_t most, struct buffer *out)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
        return SOURCE_MISSING;
    }
    if ((uint64_t)status.st_size > most) {
        return SOURCE_TOO_LARGE;
    }
    size_t size = (size_t)status.st_size;
    uint8_t *room = buffer_extend(out, size);
    return room && read_bytes(descriptor, room, size) ? SOURCE_UNCHECKED : SOURCE_MISSING;
}

enum source_state source_read_file(const char *path, size_t most, struct buffer *out)
{
    // No stdio, which allocates memory of its own. O_NONBLOCK: open() of a pipe would wait for a writer.
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0) {
        return SOURCE_MISSING;
    }
    enum source_state state = read_open(descriptor, most, out);
    (void)close(descriptor); // only read from
    return state;
}

// The search for one document on disk.
struct search {
    const struct pdb_document *document;
    struct text path;
    struct source found; // the best so far
    struct source next;  // the file to look at: its path; nothing between two files
    bool failed;         // memory ran out
};

static void read_next(struct search *search)
{
    struct source *next = &search->next;
    buffer_u8(&next->path, 0);
    next->state = next->path.failed ? SOURCE_MISSING
                                    : source_read_file((const char *)next->path.data, SOURCE_SIZE_MAX, &next->text);
    search->failed |= next->path.failed || next->text.failed;
    if (next->state == SOURCE_UNCHECKED) {
        next->path.size--;
        next->state = compare(search->document, &next->text);
    } else {
        buffer_clear(&next->path);
        buffer_clear(&next->text);
    }
}

// Looks at the file at next.path. It is the best so far if it is what was compiled, or `any` and nothing was found yet. Returns
// whether no other can be better.
static bool look(struct search *search, bool any)
{
    read_next(search);
    if (search->next.state == SOURCE_VERIFIED || (any && search->found.state == SOURCE_MISSING)) {
        struct source before = search->found;
        search->found = search->next;
        search->next = before;
    }
    buffer_clear(&search->next.path);
    buffer_clear(&search->next.text);
    search->next.state = SOURCE_MISSING;
    return search->found.state == SOURCE_VERIFIED || search->found.state == SOURCE_UNCHECKED;
}

static bool is_separator(char character)
{
    return character == '/' || character == '\\'; // the module may have been built on Windows
}

// The start of the next shorter end of the path; path.size after the last one.
static size_t next_part(struct text path, size_t start)
{
    while (start < path.size && !is_separator(path.at[start])) {
        start++;
    }
    while (start < path.size && is_separator(path.at[start])) {
        start++;
    }
    return start;
}

static void join(struct text folder, struct text rest, struct buffer *out)
{
    buffer_clear(out);
    buffer_append(out, folder.at, folder.size);
    buffer_u8(out, '/');
    for (size_t i = 0; i < rest.size; i++) {
        buffer_u8(out, rest.at[i] == '\\' ? '/' : (uint8_t)rest.at[i]);
    }
}

static bool look_in_folder(struct search *search, struct text folder)
{
    struct text path = search->path;
    size_t start = path.size && is_separator(*path.at) ? next_part(path, 0) : 0;
    for (unsigned i = 0; i < PATH_PARTS_MAX && start < path.size; i++) {
        join(folder, text_from(path, start), &search->next.path);
        if (look(search, false)) {
            return true;
        }
        start = next_part(path, start);
    }
    return false;
}

// How much of the path is the map's `from`, with the separators after it; 0: the path is not in that folder.
static size_t mapped_size(struct text path, struct text from)
{
    size_t size = 0;
    while (size < from.size && size < path.size &&
           (from.at[size] == path.at[size] || (is_separator(from.at[size]) && is_separator(path.at[size])))) {
        size++;
    }
    bool ended = size > 0 && is_separator(from.at[size - 1]);
    if (size == 0 || size < from.size || (!ended && size < path.size && !is_separator(path.at[size]))) {
        return 0;
    }
    return ended ? size : next_part(path, size);
}

static bool look_at_mapped(struct search *search, const struct source_map *map)
{
    size_t size = mapped_size(search->path, map->from);
    if (size == 0) {
        return false;
    }
    join(map->to, text_from(search->path, size), &search->next.path);
    return look(search, true);
}

static void look_everywhere(struct search *search, const struct source_places *places)
{
    for (unsigned i = 0; i < places->map_count; i++) {
        if (look_at_mapped(search, &places->maps[i])) {
            return;
        }
    }
    if (search->path.size && *search->path.at == '/') {
        buffer_append(&search->next.path, search->path.at, search->path.size);
        if (look(search, true)) {
            return;
        }
    }
    // It is missing there, or was changed since: a folder may have the compiled version, which only its checksum shows.
    bool known = search->document->hash_kind != HASH_NONE;
    for (unsigned i = 0; known && i < places->folder_count; i++) {
        if (look_in_folder(search, places->folders[i])) {
            return;
        }
    }
}

enum clew_error source_find(const struct pdb_document *document, struct text path, const struct source_places *places,
                            struct source *out)
{
    struct search search = {.document = document, .path = path, .found.state = SOURCE_MISSING};
    look_everywhere(&search, places);
    source_free(&search.next);
    *out = search.found;
    return search.failed ? CLEW_NO_MEMORY : CLEW_OK;
}

enum clew_error source_read(const struct pdb *pdb, uint32_t document, const struct source_places *places,
                            struct source *out)
{
    struct pdb_document about;
    struct buffer name = {0};
    *out = (struct source){.state = SOURCE_MISSING};
    if (!pdb_document(pdb, document, &about)) {
        return CLEW_OK;
    }
    CLEW_TRY(read_embedded(pdb, document, &about, out));
    if (out->state != SOURCE_MISSING) {
        return CLEW_OK;
    }
    enum clew_error error = CLEW_OK;
    if (pdb_document_name(pdb, document, &name)) {
        struct text path = {(const char *)name.data, name.size};
        error = source_find(&about, path, places, out);
    } else if (name.failed) {
        error = CLEW_NO_MEMORY;
    }
    buffer_free(&name);
    return error;
}

void source_free(struct source *source)
{
    buffer_free(&source->text);
    buffer_free(&source->path);
}

static bool known_algorithm(struct text name, enum digest *out)
{
    static const struct {
        const char *name;
        enum digest digest;
    } known[] = {
        {"SHA256", DIGEST_SHA256}, {"SHA384", DIGEST_SHA384}, {"SHA512", DIGEST_SHA512}, {"SHA1", DIGEST_SHA1}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (text_equal(name, text_of(known[i].name))) {
            *out = known[i].digest;
            return true;
        }
    }
    return false;
}

enum symbols_check symbols_check(const struct image *image, const struct symbols *symbols)
{
    static const uint8_t zero[PDB_ID_SIZE];
    struct debug_directory directory;
    debug_directory_read(image, &directory);
    // The compiler computes the hash while the id, which it derives from the hash, is still zero.
    const uint8_t *start = symbols->memory, *id = symbols->pdb.metadata.pdb.at;
    struct bytes parts[] = {{start, id}, bytes_of(zero, sizeof zero), {id + PDB_ID_SIZE, start + symbols->size}};
    enum symbols_check found = SYMBOLS_CHECK_NONE;
    for (unsigned i = 0; i < directory.checksum_count; i++) {
        enum digest digest;
        if (!known_algorithm(directory.checksums[i].algorithm, &digest)) {
            continue;
        }
        if (digest_matches(digest, parts, 3, directory.checksums[i].hash)) {
            return SYMBOLS_CHECK_EQUAL;
        }
        found = SYMBOLS_CHECK_DIFFERENT;
    }
    return found;
}
