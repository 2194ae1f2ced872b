// See sources.h. Documents are read from the file when first asked for, and kept: they are few.
#include "model/sources.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "recording/reader.h"

// A document whose text was asked for.
struct source {
    struct recording_place of;
    enum recording_source_state state; // never SAME
    struct text text;
    const uint32_t *lines; // where each begins
    uint32_t line_count;
};

struct sources {
    struct recording_reader *reader;
    struct arena arena;
    struct source *known;
    size_t count, room;
};

enum clew_error sources_open(const char *path, struct sources **out)
{
    struct sources *sources = calloc(1, sizeof *sources);
    if (!sources) {
        return CLEW_NO_MEMORY;
    }
    enum clew_error error = recording_open(path, &sources->reader);
    if (error != CLEW_OK) {
        free(sources);
        return error;
    }
    *out = sources;
    return CLEW_OK;
}

void sources_close(struct sources *sources)
{
    if (sources) {
        recording_close_reader(sources->reader);
        arena_free(&sources->arena);
        free(sources->known);
        free(sources);
    }
}

static bool find_lines(struct sources *sources, struct source *source)
{
    uint32_t count = 1;
    for (size_t i = 0; i < source->text.size; i++) {
        count += source->text.at[i] == '\n';
    }
    uint32_t *lines = arena_alloc(&sources->arena, count * sizeof *lines);
    if (!lines) {
        return false;
    }
    uint32_t at = 1;
    for (size_t i = 0; i < source->text.size; i++) {
        if (source->text.at[i] == '\n') {
            lines[at++] = (uint32_t)i + 1;
        }
    }
    source->lines = lines;
    source->line_count = count;
    return true;
}

static struct text without_mark(struct text text)
{
    bool marked = text.size >= 3 && memcmp(text.at, "\xEF\xBB\xBF", 3) == 0;
    return marked ? (struct text){text.at + 3, text.size - 3} : text;
}

static bool is_block_of(const struct recording_block *block, const struct recording_place *place)
{
    return block->type == RECORDING_SOURCE && block->process == place->process && block->first_clock == place->module &&
           block->last_clock == place->document;
}

// The block of a document. False when there is none, or it is damaged.
static bool find_block(struct sources *sources, struct recording_place place, struct recording_source *out)
{
    const struct recording_block *blocks;
    struct recording_record record;
    size_t count, at = 0;
    if (recording_index(sources->reader, &blocks, &count) != CLEW_OK) {
        return false;
    }
    while (at < count && !is_block_of(&blocks[at], &place)) {
        at++;
    }
    if (at == count || recording_rewind(sources->reader, blocks[at].offset) != CLEW_OK ||
        recording_next(sources->reader, 1u << RECORDING_SOURCE, &record) != CLEW_OK) {
        return false;
    }
    *out = record.source;
    return true;
}

static void read_source(struct sources *sources, struct source *source)
{
    struct recording_source found;
    if (!find_block(sources, source->of, &found)) {
        return;
    }
    // The one that it is the same as has the text itself.
    bool same = found.state == RECORDING_SOURCE_SAME;
    if (same && (!find_block(sources, found.same, &found) || found.state != RECORDING_SOURCE_VERIFIED)) {
        return;
    }
    struct text text = without_mark(found.text);
    source->state = found.state;
    source->text = (struct text){arena_text(&sources->arena, text.at, text.size), text.size};
    if (!source->text.at || !find_lines(sources, source)) {
        source->text = (struct text){0};
    }
}

static const struct source *source_of(struct sources *sources, const struct recording_document *document)
{
    for (size_t i = 0; i < sources->count; i++) {
        const struct source *known = &sources->known[i];
        if (known->of.process == document->process && known->of.module == document->module &&
            known->of.document == document->document) {
            return known;
        }
    }
    if (!array_grow(&sources->known, sources->count, &sources->room, sizeof *sources->known)) {
        return NULL;
    }
    struct source *fresh = &sources->known[sources->count++];
    *fresh = (struct source){.of = {document->process, document->module, document->document},
                             .state = RECORDING_SOURCE_MISSING};
    read_source(sources, fresh);
    return fresh;
}

struct text sources_line(struct sources *sources, const struct recording_document *document, uint32_t line)
{
    const struct source *source = document ? source_of(sources, document) : NULL;
    if (!source || line == 0 || line > source->line_count || source->text.size == 0) {
        return (struct text){0};
    }
    uint32_t start = source->lines[line - 1];
    uint32_t end = line < source->line_count ? source->lines[line] - 1 : (uint32_t)source->text.size;
    while (end > start && (source->text.at[end - 1] == '\r' || source->text.at[end - 1] == '\n')) {
        end--;
    }
    return (struct text){source->text.at + start, end - start};
}

enum recording_source_state sources_state(struct sources *sources, const struct recording_document *document)
{
    const struct source *source = document ? source_of(sources, document) : NULL;
    return source ? source->state : RECORDING_SOURCE_MISSING;
}
