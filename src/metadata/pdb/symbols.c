// The id of a portable PDB is the first 20 bytes of its #Pdb stream; in the matching PDB these are the GUID and the
// time stamp of the module's CodeView entry. Files are read with pread, so truncation meanwhile is an error and not a
// signal. Source of facts: PE-COFF.md and PortablePdb-Metadata.md of dotnet/runtime.
#include "metadata/pdb/symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "metadata/pdb/debug_directory.h"
#include "metadata/pdb/inflate.h"

enum {
    PREFIX_SIZE = 64 << 10, // enough for the stream headers and, as all compilers lay it out, the #Pdb stream
    CONTENT_SIZE_MAX = 256 << 20,
};

static const char portable_magic[] = "BSJB", windows_magic[] = "Microsoft C/C++ MSF 7.00";

const char *symbols_sentence(enum symbols_state state)
{
    static const char *const sentences[] = {
#define X(state, sentence) [SYMBOLS_##state] = (sentence),
        SYMBOLS_STATES(X)
#undef X
    };
    return sentences[state];
}

// A search: the first match wins; without one, the first candidate of another build or format is reported.
struct search {
    struct debug_directory wanted;
    struct symbols *symbols; // NULL: only the state is wanted
    struct buffer path;
    enum symbols_state state;
};

// Where the #Pdb stream starts, from the beginning of a portable PDB.
static bool pdb_stream_offset(struct bytes root, uint32_t *out)
{
    uint32_t version_size, size;
    uint16_t count;
    if (bytes_left(&root) < 4 || memcmp(root.at, portable_magic, 4) != 0 || !bytes_skip(&root, 12) ||
        !bytes_u32(&root, &version_size) || !bytes_skip(&root, ((size_t)version_size + 3) & ~(size_t)3) ||
        !bytes_skip(&root, 2) || !bytes_u16(&root, &count)) {
        return false;
    }
    for (unsigned i = 0; i < count; i++) {
        if (!bytes_u32(&root, out) || !bytes_u32(&root, &size)) {
            return false;
        }
        const uint8_t *end = memchr(root.at, 0, bytes_left(&root));
        size_t name_size = end ? (size_t)(end - root.at) : 0;
        if (name_size == 4 && memcmp(root.at, "#Pdb", 4) == 0) {
            return size >= PDB_ID_SIZE;
        }
        if (!end || !bytes_skip(&root, (name_size + 4) & ~(size_t)3)) {
            return false;
        }
    }
    return false;
}

// Anonymous pages, which symbols_close() returns to the kernel at once.
static bool content_new(size_t size, struct symbols *out)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    *out = (struct symbols){.memory = memory, .size = size};
    return memory != MAP_FAILED;
}

// Opens the tables of a loaded PDB and checks its id. Moves the content to search->symbols on a match, else frees it.
static enum symbols_state take_content(struct search *search, struct symbols *content, enum symbols_state matching)
{
    enum symbols_state state = pdb_open(bytes_of(content->memory, content->size), &content->pdb) != CLEW_OK
                                   ? SYMBOLS_DAMAGED
                               : !debug_directory_names(&search->wanted, content->pdb.id) ? SYMBOLS_MISMATCHED
                                                                                          : matching;
    if (symbols_match(state)) {
        *search->symbols = *content;
    } else {
        symbols_close(content);
    }
    return state;
}

// The id within the first `size` bytes of an embedded PDB; *needed is how many it takes.
static enum clew_error embedded_id(struct bytes packed, size_t size, uint8_t id[PDB_ID_SIZE], size_t *needed)
{
    uint8_t *content = malloc(size);
    uint32_t offset;
    enum clew_error error = content ? inflate_raw(packed, content, size) : CLEW_NO_MEMORY;
    if (error == CLEW_OK && !pdb_stream_offset(bytes_of(content, size), &offset)) {
        error = CLEW_MALFORMED;
    }
    if (error == CLEW_OK) {
        *needed = (size_t)offset + PDB_ID_SIZE;
        if (*needed <= size) {
            memcpy(id, content + offset, PDB_ID_SIZE);
        }
    }
    free(content);
    return error;
}

static enum symbols_state broken(enum clew_error error)
{
    return error == CLEW_NO_MEMORY ? SYMBOLS_NO_MEMORY : SYMBOLS_DAMAGED;
}

// Unpacks only as much of an embedded PDB as its id needs.
static enum symbols_state check_embedded(const struct debug_directory *wanted)
{
    size_t size = wanted->embedded_size, prefix = size < PREFIX_SIZE ? size : PREFIX_SIZE, needed = 0;
    uint8_t id[PDB_ID_SIZE];
    enum clew_error error = embedded_id(wanted->packed, prefix, id, &needed);
    if (error == CLEW_OK && needed > prefix) {
        error = needed > size ? CLEW_MALFORMED : embedded_id(wanted->packed, needed, id, &needed);
    }
    return error != CLEW_OK ? broken(error) : debug_directory_names(wanted, id) ? SYMBOLS_EMBEDDED : SYMBOLS_MISMATCHED;
}

// The PDB inside the module, if it has one.
static enum symbols_state open_embedded(struct search *search)
{
    const struct debug_directory *wanted = &search->wanted;
    struct symbols content;
    if (bytes_left(&wanted->packed) == 0) {
        return SYMBOLS_NONE;
    }
    if (wanted->embedded_size < PDB_ID_SIZE || wanted->embedded_size > CONTENT_SIZE_MAX) {
        return SYMBOLS_DAMAGED;
    }
    if (!search->symbols) {
        return check_embedded(wanted);
    }
    if (!content_new(wanted->embedded_size, &content)) {
        return SYMBOLS_NO_MEMORY;
    }
    enum clew_error error = inflate_raw(wanted->packed, content.memory, content.size);
    if (error != CLEW_OK) {
        symbols_close(&content);
        return broken(error);
    }
    return take_content(search, &content, SYMBOLS_EMBEDDED);
}

// Reads up to `size` bytes; fewer only at the end of the file. False on an error.
static bool read_at(int file, void *out, size_t size, off_t offset, size_t *got)
{
    *got = 0;
    while (*got < size) {
        ssize_t count = pread(file, (uint8_t *)out + *got, size - *got, offset + (off_t)*got);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            return count == 0;
        }
        *got += (size_t)count;
    }
    return true;
}

// Classifies a file by its first bytes: a portable PDB with the wanted id or another, the old Windows format, or neither.
static enum symbols_state check_prefix(int file, const struct debug_directory *wanted, uint8_t *prefix)
{
    uint8_t id[PDB_ID_SIZE];
    uint32_t offset;
    size_t size;
    if (!read_at(file, prefix, PREFIX_SIZE, 0, &size)) {
        return SYMBOLS_DAMAGED;
    }
    if (size >= sizeof windows_magic - 1 && memcmp(prefix, windows_magic, sizeof windows_magic - 1) == 0) {
        return SYMBOLS_WINDOWS;
    }
    if (!pdb_stream_offset(bytes_of(prefix, size), &offset) || !read_at(file, id, PDB_ID_SIZE, offset, &size) ||
        size != PDB_ID_SIZE) {
        return SYMBOLS_DAMAGED;
    }
    return debug_directory_names(wanted, id) ? SYMBOLS_BESIDE : SYMBOLS_MISMATCHED;
}

static enum symbols_state read_whole(struct search *search, int file, size_t size)
{
    struct symbols content;
    size_t got;
    if (size == 0 || size > CONTENT_SIZE_MAX) {
        return SYMBOLS_DAMAGED;
    }
    if (!content_new(size, &content)) {
        return SYMBOLS_NO_MEMORY;
    }
    if (!read_at(file, content.memory, size, 0, &got) || got != size) {
        symbols_close(&content);
        return SYMBOLS_DAMAGED;
    }
    return take_content(search, &content, SYMBOLS_BESIDE);
}

static enum symbols_state check_file(struct search *search, const char *path)
{
    // O_NONBLOCK: opening a pipe of this name must not block the program.
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0) {
        return SYMBOLS_NONE;
    }
    struct stat status;
    enum symbols_state state = SYMBOLS_NONE;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
        uint8_t *prefix = malloc(PREFIX_SIZE);
        state = prefix ? check_prefix(file, &search->wanted, prefix) : SYMBOLS_NO_MEMORY;
        free(prefix);
        if (state == SYMBOLS_BESIDE && search->symbols) {
            state = read_whole(search, file, (size_t)status.st_size);
        }
    }
    (void)close(file); // only read from
    return state;
}

static struct text base_name(struct text path)
{
    // The path may be from a build on Windows.
    size_t start = path.size;
    while (start > 0 && path.at[start - 1] != '/' && path.at[start - 1] != '\\') {
        start--;
    }
    return (struct text){path.at + start, path.size - start};
}

// Keeps the state that the search reports.
static void note(struct search *search, enum symbols_state state, const struct buffer *path)
{
    if (symbols_match(state) || (state != SYMBOLS_NONE && search->state == SYMBOLS_NONE)) {
        search->state = state;
        buffer_clear(&search->path);
        buffer_append(&search->path, path->data, path->size);
    }
}

// Looks at `folder` + `name` + `suffix`; true when it is the one.
static bool try_file(struct search *search, struct text folder, struct text name, const char *suffix)
{
    struct buffer path = {0};
    if (name.size == 0) {
        return false;
    }
    buffer_append(&path, folder.at, folder.size);
    if (folder.size && folder.at[folder.size - 1] != '/') {
        buffer_u8(&path, '/');
    }
    buffer_append(&path, name.at, name.size);
    buffer_text(&path, suffix);
    buffer_u8(&path, 0);
    enum symbols_state state = path.failed ? SYMBOLS_NO_MEMORY : check_file(search, (const char *)path.data);
    path.size -= path.size > 0; // the NUL
    note(search, state, &path);
    buffer_free(&path);
    return symbols_match(state);
}

static struct text without_suffix(struct text name)
{
    const char *dot = name.size ? memrchr(name.at, '.', name.size) : NULL;
    return dot ? (struct text){name.at, (size_t)(dot - name.at)} : name;
}

static bool try_folder(struct search *search, struct text folder, struct text module)
{
    return try_file(search, folder, base_name(search->wanted.path), "") ||
           try_file(search, folder, without_suffix(module), ".pdb");
}

static bool try_folders(struct search *search, const struct symbols_query *query, struct text module)
{
    for (unsigned i = 0; i < query->folder_count; i++) {
        if (query->folders[i].size && try_folder(search, query->folders[i], module)) {
            return true;
        }
    }
    return false;
}

enum symbols_state symbols_open(const struct symbols_query *query, struct symbols *out, struct buffer *path)
{
    struct search search = {.symbols = out};
    debug_directory_read(query->image, &search.wanted);
    if (search.wanted.id_count == 0) {
        return SYMBOLS_NOT_BUILT;
    }
    search.state = open_embedded(&search);
    if (symbols_match(search.state)) {
        return search.state;
    }
    struct text whole = text_of(query->module_path ? query->module_path : ""), module = base_name(whole);
    struct text folder = {whole.at, whole.size - module.size};
    bool absolute = search.wanted.path.size && *search.wanted.path.at == '/';
    (void)((folder.size && try_folder(&search, folder, module)) ||
           (absolute && try_file(&search, (struct text){"", 0}, search.wanted.path, "")) ||
           try_folders(&search, query, module));
    if (path) {
        buffer_append(path, search.path.data, search.path.size);
    }
    buffer_free(&search.path);
    return search.state;
}

enum symbols_state symbols_find(const struct symbols_query *query, struct buffer *path)
{
    return symbols_open(query, NULL, path);
}

void symbols_close(struct symbols *symbols)
{
    if (symbols->memory) {
        (void)munmap(symbols->memory, symbols->size); // our own pages
    }
    *symbols = (struct symbols){.memory = NULL};
}
