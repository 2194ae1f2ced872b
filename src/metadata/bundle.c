// See bundle.h. A single-file program is a host with the files appended. A place in the host holds the offset of the list of these
// files, and a signature after it by which builds find the place; in a host without files the offset is 0. Source of facts:
// bundle_marker.cpp and header.cpp of dotnet/runtime. Files are not trusted, and are read, not mapped.
#include "metadata/bundle.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PIECE = 1 << 20,
    HOST_MAX = 64 << 20, // a host with the runtime linked into it has 12 MiB
    HEADER_MAX = 512,
    PACKAGES_MAX = 16 << 20,
    OFFSET_SIZE = 8,
    FIRST_WITH_PLACES = 2, // the version of the list that says where its NAME.deps.json is
};

static const uint8_t signature[] = {0x8b, 0x12, 0x02, 0xb9, 0x6a, 0x61, 0x20, 0x38, 0x72, 0x7b, 0x93,
                                    0x02, 0x14, 0xd7, 0xa0, 0x32, 0x13, 0xf5, 0xb9, 0xe6, 0xef, 0xae,
                                    0x33, 0x18, 0xee, 0x3b, 0x2d, 0xce, 0x24, 0xb3, 0x6a, 0xae};

// How many bytes were read; fewer than `size` at the end of the file or after an error.
static size_t read_at(int file, uint8_t *out, size_t size, uint64_t offset)
{
    size_t got = 0;
    while (got < size && offset <= INT64_MAX - size) {
        ssize_t count = pread(file, out + got, size - got, (off_t)(offset + got));
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            break;
        }
        got += (size_t)count;
    }
    return got;
}

// The offset of the list of files; 0: there is none.
static uint64_t find_list(int file)
{
    enum { OVERLAP = OFFSET_SIZE + sizeof signature - 1 };
    uint8_t *piece = malloc(PIECE);
    uint64_t offset = 0, at = 0;
    for (bool more = piece != NULL; more && at < HOST_MAX; at += PIECE - OVERLAP) {
        size_t size = read_at(file, piece, PIECE, at);
        more = size == PIECE;
        struct bytes rest = bytes_of(piece, size);
        const uint8_t *found = NULL;
        if (bytes_skip(&rest, OFFSET_SIZE)) {
            found = memmem(rest.at, bytes_left(&rest), signature, sizeof signature);
        }
        if (found) {
            struct bytes place = bytes_of(found - OFFSET_SIZE, OFFSET_SIZE);
            (void)bytes_u64(&place, &offset); // there are 8 bytes
            break;
        }
    }
    free(piece);
    return offset;
}

// From the beginning of the list: where the NAME.deps.json is. False: nowhere.
static bool find_packages(struct bytes list, uint64_t *offset, uint64_t *size)
{
    uint32_t major, minor, count, length;
    return bytes_u32(&list, &major) && major >= FIRST_WITH_PLACES && bytes_u32(&list, &minor) &&
           bytes_u32(&list, &count) && bytes_varint32(&list, &length) && bytes_skip(&list, length) &&
           bytes_u64(&list, offset) && bytes_u64(&list, size) && *size > 0 && *size <= PACKAGES_MAX;
}

bool bundle_packages(const char *program, struct buffer *content)
{
    uint8_t head[HEADER_MAX];
    uint64_t offset = 0, size = 0;
    int file = open(program, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    uint64_t list = file >= 0 ? find_list(file) : 0;
    buffer_clear(content);
    bool found = list && find_packages(bytes_of(head, read_at(file, head, sizeof head, list)), &offset, &size);
    uint8_t *into = found ? buffer_extend(content, (size_t)size) : NULL;
    bool whole = into && read_at(file, into, (size_t)size, offset) == size;
    if (file >= 0) {
        (void)close(file); // only read from
    }
    return whole;
}
