// See endings.h. A frame keeps the number of its newest statement; when it returns, that one gets its bit.
#include "model/endings.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/assert.h"

#define CHUNK (UINT64_C(1) << 24) // bytes that the file grows by

struct endings {
    FILE *file;
    uint8_t *bits; // the file, mapped
    uint64_t size; // bytes
    uint64_t count;
    const struct sites *sites;
};

static enum clew_error grow(struct endings *endings)
{
    uint64_t size = endings->size + CHUNK;
    if (ftruncate(fileno(endings->file), (off_t)size) != 0) {
        return CLEW_IO;
    }
    void *bits = endings->bits ? mremap(endings->bits, endings->size, size, MREMAP_MAYMOVE)
                               : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(endings->file), 0);
    if (bits == MAP_FAILED) {
        return CLEW_NO_MEMORY;
    }
    endings->bits = bits;
    endings->size = size;
    return CLEW_OK;
}

static enum clew_error step(void *context, const struct timeline_step *step)
{
    struct endings *endings = context;
    if (step->kind == TIMELINE_END && step->how == STREAM_LEFT && step->frame->number) {
        uint64_t number = step->frame->number - 1;
        CLEW_ASSERT(number < endings->count && "its statement was counted");
        endings->bits[number / 8] |= (uint8_t)(1u << number % 8);
    }
    if (step->kind != TIMELINE_SITE) {
        return CLEW_OK;
    }
    const struct site *site = sites_site(endings->sites, step->thread->process, step->site);
    if (!site || site->kind != SITE_STATEMENT) {
        return CLEW_OK;
    }
    if (endings->count / 8 >= endings->size) {
        CLEW_TRY(grow(endings));
    }
    CLEW_ASSERT(endings->count / 8 < endings->size);
    endings->count++;
    if (step->frame) {
        step->frame->number = endings->count; // the number + 1
    }
    return CLEW_OK;
}

enum clew_error endings_find(const char *path, const struct timeline_options *options, const struct sites *sites,
                             struct endings **out)
{
    struct endings *endings = calloc(1, sizeof *endings);
    if (!endings) {
        return CLEW_NO_MEMORY;
    }
    endings->sites = sites;
    endings->file = tmpfile();
    struct timeline_options pass = *options;
    pass.step = step;
    pass.done = NULL;
    pass.context = endings;
    enum clew_error error = endings->file ? timeline_run(path, &pass) : CLEW_IO;
    if (error != CLEW_OK) {
        endings_free(endings);
        return error;
    }
    *out = endings;
    return CLEW_OK;
}

bool endings_last(const struct endings *endings, uint64_t number)
{
    return number < endings->count && endings->bits[number / 8] >> number % 8 & 1;
}

void endings_free(struct endings *endings)
{
    if (!endings) {
        return;
    }
    if (endings->bits) {
        (void)munmap(endings->bits, endings->size);
    }
    if (endings->file) {
        (void)fclose(endings->file);
    }
    free(endings);
}
