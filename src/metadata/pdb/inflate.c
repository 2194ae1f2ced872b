// Raw deflate by zlib, the one place that knows it.
#include "metadata/pdb/inflate.h"

#include <limits.h>
#include <zlib.h>

#include "base/assert.h"

enum clew_error inflate_raw(struct bytes packed, uint8_t *out, size_t size)
{
    if (bytes_left(&packed) > UINT_MAX || size > UINT_MAX) {
        return CLEW_MALFORMED;
    }
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)packed.at, // zlib does not write there
                       .avail_in = (uInt)bytes_left(&packed),
                       .next_out = out,
                       .avail_out = (uInt)size};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) {
        return CLEW_NO_MEMORY;
    }
    int result = inflate(&stream, Z_SYNC_FLUSH);
    size_t left = stream.avail_out;
    CLEW_ASSERT(left <= size);
    inflateEnd(&stream);
    if (result == Z_MEM_ERROR) {
        return CLEW_NO_MEMORY;
    }
    return (result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR) && left == 0 ? CLEW_OK : CLEW_MALFORMED;
}
