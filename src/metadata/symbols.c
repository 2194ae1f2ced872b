// Which portable PDB is the module's: its id, 20 bytes at the start of the #Pdb stream, is the GUID and the time stamp of
// the module's CodeView entry. Only ids are read here, of files by pread, so that one that shrinks meanwhile does no harm.
// Source of facts: PE-COFF.md and PortablePdb-Metadata.md of dotnet/runtime; RFC 1951 for the embedded form.
#include "metadata/symbols.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum {
    DEBUG_ENTRY_SIZE = 28,
    DEBUG_CODE_VIEW = 2,
    DEBUG_EMBEDDED = 17,
    CODE_VIEW_HEADER = 24, // "RSDS", GUID, age; then the path
    EMBEDDED_HEADER = 8,   // "MPDB", uncompressed size
    ID_SIZE = 20,
    ENTRIES_MAX = 64,
    IDS_MAX = 4,
    PATH_SIZE_MAX = 4096,
    PREFIX_SIZE = 64 << 10, // enough for the stream headers and, as all compilers lay it out, the #Pdb stream
    EMBEDDED_SIZE_MAX = 256 << 20,
};

static const char portable_magic[] = "BSJB", windows_magic[] = "Microsoft C/C++ MSF 7.00";

struct debug_entry {
    uint32_t stamp, type, size, rva, offset;
};

// What the debug directory says.
struct wanted {
    uint8_t ids[IDS_MAX][ID_SIZE];
    unsigned id_count;
    struct text path; // of the CodeView entry, as on the machine that built the module
    struct bytes embedded;
};

static bool entry_data(const struct image *image, const struct debug_entry *entry, struct bytes *out)
{
    struct bytes rest;
    if (entry->rva && image_at(image, entry->rva, &rest) && bytes_take(&rest, entry->size, out)) {
        return true;
    }
    rest = image->bytes;
    return image->layout == IMAGE_FLAT && entry->offset && bytes_skip(&rest, entry->offset) &&
           bytes_take(&rest, entry->size, out);
}

static void note_code_view(struct wanted *wanted, struct bytes data, uint32_t stamp)
{
    if (bytes_left(&data) < CODE_VIEW_HEADER || memcmp(data.at, "RSDS", 4) != 0 || wanted->id_count == IDS_MAX) {
        return;
    }
    uint8_t *id = wanted->ids[wanted->id_count++];
    memcpy(id, data.at + 4, 16);
    for (unsigned i = 0; i < 4; i++) {
        id[16 + i] = (uint8_t)(stamp >> 8 * i);
    }
    (void)bytes_skip(&data, CODE_VIEW_HEADER); // checked above
    const uint8_t *end = memchr(data.at, 0, bytes_left(&data));
    if (wanted->path.size == 0 && end && end - data.at < PATH_SIZE_MAX) {
        wanted->path = (struct text){(const char *)data.at, (size_t)(end - data.at)};
    }
}

static struct wanted read_directory(const struct image *image)
{
    struct wanted wanted = {.id_count = 0};
    struct bytes rest, directory;
    if (!image->debug_rva || !image_at(image, image->debug_rva, &rest) ||
        !bytes_take(&rest, image->debug_size, &directory)) {
        return wanted;
    }
    struct bytes raw, data;
    for (unsigned i = 0; i < ENTRIES_MAX && bytes_take(&directory, DEBUG_ENTRY_SIZE, &raw); i++) {
        struct debug_entry entry = {.stamp = read_u32(raw.at + 4),
                                    .type = read_u32(raw.at + 12),
                                    .size = read_u32(raw.at + 16),
                                    .rva = read_u32(raw.at + 20),
                                    .offset = read_u32(raw.at + 24)};
        if (entry.type == DEBUG_CODE_VIEW && entry_data(image, &entry, &data)) {
            note_code_view(&wanted, data, entry.stamp);
        } else if (entry.type == DEBUG_EMBEDDED && entry_data(image, &entry, &data)) {
            wanted.embedded = data;
        }
    }
    return wanted;
}

static bool is_wanted(const struct wanted *wanted, const uint8_t id[ID_SIZE])
{
    for (unsigned i = 0; i < wanted->id_count; i++) {
        if (memcmp(wanted->ids[i], id, ID_SIZE) == 0) {
            return true;
        }
    }
    return false;
}

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
            return size >= ID_SIZE;
        }
        if (!end || !bytes_skip(&root, (name_size + 4) & ~(size_t)3)) {
            return false;
        }
    }
    return false;
}

static bool inflate_prefix(struct bytes packed, uint8_t *out, size_t size)
{
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)packed.at, // zlib does not write there
                       .avail_in = (uInt)bytes_left(&packed),
                       .next_out = out,
                       .avail_out = (uInt)size};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) {
        return false;
    }
    int result = inflate(&stream, Z_SYNC_FLUSH);
    size_t got = size - stream.avail_out;
    inflateEnd(&stream);
    return (result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR) && got == size;
}

// The id within the first `size` bytes of an embedded PDB; *needed is how many it takes.
static bool embedded_id(struct bytes packed, size_t size, uint8_t id[ID_SIZE], size_t *needed)
{
    uint8_t *content = malloc(size);
    uint32_t offset;
    bool good = content && inflate_prefix(packed, content, size) && pdb_stream_offset(bytes_of(content, size), &offset);
    if (good) {
        *needed = (size_t)offset + ID_SIZE;
        if (*needed <= size) {
            memcpy(id, content + offset, ID_SIZE);
        }
    }
    free(content);
    return good;
}

static bool embedded_matches(const struct wanted *wanted)
{
    struct bytes packed = wanted->embedded;
    uint32_t size;
    if (bytes_left(&packed) < EMBEDDED_HEADER || memcmp(packed.at, "MPDB", 4) != 0 || !bytes_skip(&packed, 4) ||
        !bytes_u32(&packed, &size) || size > EMBEDDED_SIZE_MAX || size < ID_SIZE) {
        return false;
    }
    uint8_t id[ID_SIZE];
    size_t prefix = size < PREFIX_SIZE ? size : PREFIX_SIZE, needed;
    if (!embedded_id(packed, prefix, id, &needed)) {
        return false;
    }
    if (needed > prefix && (needed > size || !embedded_id(packed, needed, id, &needed))) {
        return false;
    }
    return is_wanted(wanted, id);
}

static bool read_at(int file, void *out, size_t size, off_t offset, size_t *got)
{
    *got = 0;
    while (*got < size) {
        ssize_t count = pread(file, (uint8_t *)out + *got, size - *got, offset + (off_t)*got);
        if (count <= 0) {
            return count == 0;
        }
        *got += (size_t)count;
    }
    return true;
}

static enum symbols_state check_content(int file, const struct wanted *wanted)
{
    uint8_t *prefix = malloc(PREFIX_SIZE);
    uint8_t id[ID_SIZE];
    uint32_t offset;
    size_t size;
    enum symbols_state state = SYMBOLS_NONE;
    if (prefix && read_at(file, prefix, PREFIX_SIZE, 0, &size)) {
        if (size >= sizeof windows_magic - 1 && memcmp(prefix, windows_magic, sizeof windows_magic - 1) == 0) {
            state = SYMBOLS_WINDOWS;
        } else if (pdb_stream_offset(bytes_of(prefix, size), &offset) && read_at(file, id, ID_SIZE, offset, &size) &&
                   size == ID_SIZE) {
            state = is_wanted(wanted, id) ? SYMBOLS_BESIDE : SYMBOLS_MISMATCHED;
        }
    }
    free(prefix);
    return state;
}

static enum symbols_state check_file(const char *path, const struct wanted *wanted)
{
    // Not to hang on a pipe that happens to have this name.
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0) {
        return SYMBOLS_NONE;
    }
    struct stat status;
    enum symbols_state state =
        fstat(file, &status) == 0 && S_ISREG(status.st_mode) ? check_content(file, wanted) : SYMBOLS_NONE;
    (void)close(file); // only read from
    return state;
}

static struct text base_name(struct text path)
{
    // The module may come from a build on Windows.
    size_t start = path.size;
    while (start > 0 && path.at[start - 1] != '/' && path.at[start - 1] != '\\') {
        start--;
    }
    return (struct text){path.at + start, path.size - start};
}

// A search: the first match wins, else the first file that is something but not the right one.
struct search {
    const struct wanted *wanted;
    struct buffer *path;
    enum symbols_state state;
};

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
    size_t size = path.size;
    buffer_u8(&path, 0);
    enum symbols_state state = path.failed ? SYMBOLS_NONE : check_file((const char *)path.data, search->wanted);
    bool better = state == SYMBOLS_BESIDE || (state != SYMBOLS_NONE && search->state == SYMBOLS_NONE);
    if (better) {
        search->state = state;
        buffer_clear(search->path);
        buffer_append(search->path, path.data, size);
    }
    buffer_free(&path);
    return state == SYMBOLS_BESIDE;
}

static struct text without_suffix(struct text name)
{
    const char *dot = name.size ? memrchr(name.at, '.', name.size) : NULL;
    return dot ? (struct text){name.at, (size_t)(dot - name.at)} : name;
}

static bool try_folder(struct search *search, struct text folder, struct text module)
{
    return try_file(search, folder, base_name(search->wanted->path), "") ||
           try_file(search, folder, without_suffix(module), ".pdb");
}

enum symbols_state symbols_find(const struct image *image, const char *module_path, const char *extra_folder,
                                struct buffer *path)
{
    struct wanted wanted = read_directory(image);
    if (wanted.id_count == 0) {
        return SYMBOLS_NONE;
    }
    if (embedded_matches(&wanted)) {
        return SYMBOLS_EMBEDDED;
    }
    struct buffer found = {0};
    struct search search = {.wanted = &wanted, .path = &found, .state = SYMBOLS_NONE};
    struct text module_whole = text_of(module_path ? module_path : ""), module = base_name(module_whole);
    struct text folder = {module_whole.at, module_whole.size - module.size};
    bool absolute = wanted.path.size && *wanted.path.at == '/';
    (void)((folder.size && try_folder(&search, folder, module)) ||
           (absolute && try_file(&search, (struct text){"", 0}, wanted.path, "")) ||
           (extra_folder && try_folder(&search, text_of(extra_folder), module)));
    if (path) {
        buffer_append(path, found.data, found.size);
    }
    buffer_free(&found);
    return search.state;
}
