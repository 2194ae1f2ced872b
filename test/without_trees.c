// Copies a recording without the call trees of its streams, so that a reader has to decode the streams:
//
//     without-trees FROM TO
//
// Prints how many trees it has left out. The copy has no index.
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recording/block.h"
#include "recording/recording.h"

static bool copy_bytes(struct block_file *file, uint64_t from, uint64_t to, FILE *out)
{
    static uint8_t piece[1 << 16];
    while (from < to) {
        size_t size = to - from < sizeof piece ? (size_t)(to - from) : sizeof piece;
        if (!block_read(file, from, piece, size) || fwrite(piece, 1, size, out) != size) {
            return false;
        }
        from += size;
    }
    return true;
}

static bool copy(struct block_file *file, FILE *out)
{
    struct block_header header;
    uint64_t offset = file->start, left_out = 0;
    if (!copy_bytes(file, 0, offset, out)) {
        return false;
    }
    while (block_look(file, offset, &header) == BLOCK_VALID) {
        uint64_t end = block_end(offset, &header);
        bool tree = header.type == RECORDING_TREE_NODES && header.flags & BLOCK_OF_STREAM;
        left_out += tree && header.part == 0;
        if (!tree && header.type != RECORDING_INDEX && !copy_bytes(file, offset, end, out)) {
            return false;
        }
        offset = end;
    }
    printf("%" PRIu64 "\n", left_out);
    return copy_bytes(file, offset, file->size, out);
}

int main(int argc, char **argv)
{
    struct block_file file;
    int from = argc == 3 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
    if (from < 0 || block_file_open(from, &file) != CLEW_OK) {
        fprintf(stderr, "without-trees FROM TO\n");
        return 2;
    }
    FILE *to = fopen(argv[2], "wbe");
    bool done = to && copy(&file, to);
    done = to && fclose(to) == 0 && done;
    block_file_close(&file);
    return done ? 0 : 1;
}
