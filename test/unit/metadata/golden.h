// Lists that were read by eye: what a test lists must equal them line by line. CLEW_GOLDEN_UPDATE in the environment
// rewrites them; the difference is then to be read again.
#ifndef CLEW_TEST_UNIT_METADATA_GOLDEN_H
#define CLEW_TEST_UNIT_METADATA_GOLDEN_H

#include <stdlib.h>

#include "dotnet.h"

// Frees the lines.
static inline void golden_compare(const char *path, struct buffer *lines)
{
    if (getenv("CLEW_GOLDEN_UPDATE")) {
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        assert_int_equal(fwrite(lines->data, 1, lines->size, file), lines->size);
        assert_int_equal(fclose(file), 0);
    }
    struct buffer golden = file_read(path);
    buffer_u8(&golden, 0);
    buffer_u8(lines, 0);
    char *expected_rest, *found_rest;
    char *expected = strtok_r((char *)golden.data, "\n", &expected_rest);
    char *found = strtok_r((char *)lines->data, "\n", &found_rest);
    assert_non_null(expected);
    while (expected && found) {
        assert_string_equal(found, expected);
        expected = strtok_r(NULL, "\n", &expected_rest);
        found = strtok_r(NULL, "\n", &found_rest);
    }
    assert_true(!expected && !found);
    buffer_free(&golden);
    buffer_free(lines);
}

#endif
