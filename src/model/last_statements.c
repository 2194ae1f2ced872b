// See last_statements.h. A frame's number is that of its newest statement plus 1; when the activation returns, the
// statement's bit is set.
#include "model/last_statements.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/assert.h"

#define CHUNK (UINT64_C(1) << 24) // bytes by which the file grows

struct last_statements {
    FILE *file;
    uint8_t *bits; // the mapped file; one bit per statement
    uint64_t size; // bytes
    uint64_t count;
    const struct sites *sites;
    const struct timeline_options *options; // the user's; during the pass
};

// Extends the file and its mapping. The kernel fills the new part with zeros.
static enum clew_error grow(struct last_statements *last)
{
    uint64_t size = last->size + CHUNK;
    if (ftruncate(fileno(last->file), (off_t)size) != 0) {
        return CLEW_IO;
    }
    void *bits = last->bits ? mremap(last->bits, last->size, size, MREMAP_MAYMOVE)
                            : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(last->file), 0);
    if (bits == MAP_FAILED) {
        return CLEW_NO_MEMORY;
    }
    last->bits = bits;
    last->size = size;
    return CLEW_OK;
}

// Receives the timeline's steps: numbers statements, and sets the bit when an activation returns. Activations that end
// by an exception, or whose end is missing, have no last statement.
static enum clew_error step(void *context, const struct event_step *step)
{
    struct last_statements *last = context;
    if (step->kind == STEP_END && step->how == STREAM_LEFT && step->frame->number) {
        uint64_t number = step->frame->number - 1;
        CLEW_ASSERT(number < last->count && "its statement was counted");
        last->bits[number / 8] |= (uint8_t)(1u << number % 8);
    }
    if (step->kind != STEP_SITE) {
        return CLEW_OK;
    }
    const struct site *site = sites_site(last->sites, step->thread->process, step->site);
    if (!site || site->kind != SITE_STATEMENT) {
        return CLEW_OK;
    }
    if (last->count / 8 >= last->size) {
        CLEW_TRY(grow(last));
    }
    CLEW_ASSERT(last->count / 8 < last->size);
    last->count++;
    if (step->frame) {
        step->frame->number = last->count; // number + 1; 0 means none
    }
    return CLEW_OK;
}

static bool wants(void *context, const struct recording_block *block)
{
    const struct timeline_options *options = ((struct last_statements *)context)->options;
    return !options->wants || options->wants(options->context, block);
}

enum clew_error last_statements_find(struct recording *recording, const struct timeline_options *options,
                                     const struct sites *sites, struct last_statements **out)
{
    struct last_statements *last = calloc(1, sizeof *last);
    if (!last) {
        return CLEW_NO_MEMORY;
    }
    last->sites = sites;
    last->file = tmpfile();
    last->options = options;
    struct timeline_options pass = *options;
    pass.step = step;
    pass.wants = wants;
    pass.done = NULL;
    pass.context = last;
    enum clew_error error = last->file ? timeline_run(recording, &pass) : CLEW_IO;
    if (error != CLEW_OK) {
        last_statements_free(last);
        return error;
    }
    last->options = NULL;
    *out = last;
    return CLEW_OK;
}

bool last_statements_has(const struct last_statements *last, uint64_t number)
{
    return number < last->count && last->bits[number / 8] >> number % 8 & 1;
}

void last_statements_free(struct last_statements *last)
{
    if (!last) {
        return;
    }
    if (last->bits) {
        (void)munmap(last->bits, last->size);
    }
    if (last->file) {
        (void)fclose(last->file);
    }
    free(last);
}
