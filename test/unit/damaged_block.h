// Breaks a block of the recording at `path`. Included after recording_path.h, by one file a program.
#ifndef CLEW_TEST_DAMAGED_BLOCK_H
#define CLEW_TEST_DAMAGED_BLOCK_H

#include <fcntl.h>
#include <unistd.h>

#include "recording/reader.h"

// Flips the first byte of the payload of block `number` (0: the first) of the type, so that its checksum fails.
static inline void damage_block(enum recording_type type, uint32_t number)
{
    enum { HEADER = 104 };
    struct recording_reader *reader;
    const struct recording_block *blocks;
    size_t count, at = 0;
    assert_int_equal(recording_open_reader(path, &reader), CLEW_OK);
    assert_int_equal(recording_index(recording_of(reader), &blocks, &count), CLEW_OK);
    while (at < count && (blocks[at].type != type || number-- > 0)) {
        at++;
    }
    assert_true(at < count);
    off_t place = (off_t)blocks[at].offset + HEADER;
    recording_close_reader(reader);
    uint8_t byte;
    int file = open(path, O_RDWR | O_CLOEXEC);
    assert_true(file >= 0);
    assert_int_equal(pread(file, &byte, 1, place), 1);
    byte ^= 0xff;
    assert_int_equal(pwrite(file, &byte, 1, place), 1);
    assert_int_equal(close(file), 0);
}

#endif
