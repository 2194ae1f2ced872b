// The arrays into which blocks are decoded. They only grow: the next block is mostly of the same size.
#include <stdlib.h>

#include "base/assert.h"
#include "recording/codec.h"

void codec_arrays_free(struct codec_arrays *arrays)
{
    free(arrays->events);
    free(arrays->open);
    free(arrays->stacks);
    free(arrays->open_clock);
    free(arrays->open_number);
    free(arrays->open_serial);
    free(arrays->nodes);
    free(arrays->cells);
    free(arrays->objects);
    free(arrays->counters);
    free(arrays->changes);
    free(arrays->paths);
    free(arrays->throws);
    free(arrays->runs);
    free(arrays->latencies);
    free(arrays->boxes);
    free(arrays->box_cells);
    free(arrays->site_sets);
    free(arrays->site_groups);
    cell_table_free(&arrays->sites);
    *arrays = (struct codec_arrays){0};
}

bool codec_grow(void **array, size_t *have, size_t count, size_t size)
{
    size_t bytes;
    count = count ? count : 1;
    if (count <= *have) {
        return true;
    }
    void *larger = size_multiply(count, size, &bytes) ? realloc(*array, bytes) : NULL;
    if (!larger) {
        return false;
    }
    CLEW_ASSERT(count > *have && bytes >= count);
    *array = larger;
    *have = count;
    return true;
}
