// See sources.h. A document is read when it is first asked for, and stays in memory: there are few.
#include "model/sources.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/assert.h"
#include "base/map.h"
#include "model/source_text.h"
#include "recording/reader.h"
#include "source/source.h"

// The text of one document, once it was asked for.
struct source_lines {
    struct recording_document_key of, same;
    enum source_language language;
    enum source_state state; // SOURCE_SAME is resolved before anyone sees it
    struct text text;
    const uint32_t *lines; // where each line begins
    uint32_t line_count;
    bool searched; // outside the recording
};

struct sources {
    struct recording_reader *reader;
    const struct source_places *places; // NULL: sources are not searched outside the recording
    struct arena arena;
    struct map blocks;              // hash of a document's numbers: offset of its block
    struct map known_places;        // the same hash and the language: index in `known`
    struct recording_health health; // damage in the blocks that were read
    struct source_lines *known;
    size_t count, room;
};

static uint64_t key_of(struct recording_document_key of)
{
    const uint32_t identity[] = {of.process, of.module, of.document, 0};
    return map_hash_text(identity, sizeof identity);
}

// Finds the block of each document in the file's index: headers of SOURCE blocks carry the document's numbers in their
// clock fields. If a text was written twice, the first is used.
static enum clew_error list_blocks(struct sources *sources)
{
    const struct recording_block *blocks;
    size_t count;
    CLEW_TRY(recording_index(recording_of(sources->reader), &blocks, &count));
    for (size_t i = 0; i < count; i++) {
        if (blocks[i].type != RECORDING_SOURCE) {
            continue;
        }
        uint64_t key = key_of((struct recording_document_key){blocks[i].process, (uint32_t)blocks[i].module,
                                                              (uint32_t)blocks[i].document}),
                 before;
        if (!map_get(&sources->blocks, key, &before) && !map_put(&sources->blocks, key, blocks[i].offset)) {
            return CLEW_NO_MEMORY;
        }
    }
    return CLEW_OK;
}

enum clew_error sources_open(struct recording *recording, const struct source_places *places, struct sources **out)
{
    struct sources *sources = calloc(1, sizeof *sources);
    if (!sources) {
        return CLEW_NO_MEMORY;
    }
    sources->places = places;
    enum clew_error error = recording_new_reader(recording, &sources->reader);
    error = error == CLEW_OK ? list_blocks(sources) : error;
    if (error != CLEW_OK) {
        sources_close(sources);
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
        map_free(&sources->blocks);
        map_free(&sources->known_places);
        free(sources->known);
        free(sources);
    }
}

// Where the next line begins, after the one at `from`; SIZE_MAX: that was the last line.
static size_t next_line(const struct source_lines *source, size_t from)
{
    for (size_t at = from; at < source->text.size; at++) {
        size_t size = source_text_break(text_from(source->text, at), source->language);
        if (size) {
            return at + size;
        }
    }
    return SIZE_MAX;
}

// Finds the start of each line, so that a line can be returned without searching for it.
static bool find_lines(struct sources *sources, struct source_lines *source)
{
    uint32_t count = 1;
    for (size_t at = next_line(source, 0); at != SIZE_MAX; at = next_line(source, at)) {
        count++;
    }
    uint32_t *lines = arena_alloc(&sources->arena, count * sizeof *lines);
    if (!lines) {
        return false;
    }
    uint32_t filled = 1;
    for (size_t at = next_line(source, 0); at != SIZE_MAX; at = next_line(source, at)) {
        lines[filled++] = (uint32_t)at;
    }
    CLEW_ASSERT(filled == count && "each line has its start");
    source->lines = lines;
    source->line_count = count;
    return true;
}

// Reads the block of a document. False: there is none, or it is damaged.
static bool find_block(struct sources *sources, struct recording_document_key place, struct recording_source *out)
{
    struct recording_record record;
    uint64_t offset;
    if (!map_get(&sources->blocks, key_of(place), &offset)) {
        return false;
    }
    enum clew_error error = recording_read(sources->reader, offset, RECORDING_SOURCE, &record);
    const struct recording_document_key *of = &record.source.of;
    bool its = error == CLEW_OK && of->process == place.process && of->module == place.module &&
               of->document == place.document;
    sources->health.damaged += !its && error != CLEW_NO_MEMORY;
    *out = record.source;
    return its;
}

// The source of a document, read if necessary; NULL when memory runs out. The result is valid until the next call.
static struct source_lines *source_at(struct sources *sources, struct recording_document_key of,
                                      enum source_language language);

static void take_text(struct sources *sources, struct source_lines *source, struct text bytes)
{
    struct buffer text = {0};
    source_text_decode(&text, bytes);
    source->text =
        (struct text){text.failed ? NULL : arena_text(&sources->arena, (char *)text.data, text.size), text.size};
    buffer_free(&text);
    if (!source->text.at || !find_lines(sources, source)) {
        source->text = (struct text){0};
    }
}

// Reads and decodes the text. After an error the source stays without text, with the state that the record gives.
static void read_source(struct sources *sources, struct source_lines *source)
{
    struct recording_source found;
    if (!find_block(sources, source->of, &found)) {
        return;
    }
    source->state = found.state;
    source->same = found.same;
    if (found.state != SOURCE_SAME) {
        take_text(sources, source, found.text);
    }
}

// Several modules may contain the same file. The recording has its text once, and the others refer to it: let them
// share the text in memory as well.
static void share_source(struct sources *sources, size_t place)
{
    struct recording_source found;
    struct recording_document_key same = sources->known[place].same;
    sources->known[place].state = SOURCE_MISSING;
    if (!find_block(sources, same, &found) || found.state != SOURCE_VERIFIED) {
        return;
    }
    const struct source_lines *other = source_at(sources, same, sources->known[place].language);
    if (other) {
        struct source_lines *source = &sources->known[place]; // `known` may have been reallocated
        source->state = other->state;
        source->text = other->text;
        source->lines = other->lines;
        source->line_count = other->line_count;
    }
}

static struct source_lines *source_at(struct sources *sources, struct recording_document_key of,
                                      enum source_language language)
{
    uint64_t key = key_of(of) ^ language, place;
    if (map_get(&sources->known_places, key, &place)) {
        return &sources->known[place];
    }
    if (!array_grow(&sources->known, sources->count, &sources->room, sizeof *sources->known) ||
        !map_put(&sources->known_places, key, sources->count)) {
        return NULL;
    }
    place = sources->count++;
    sources->known[place] = (struct source_lines){.of = of, .language = language, .state = SOURCE_MISSING};
    read_source(sources, &sources->known[place]);
    if (sources->known[place].state == SOURCE_SAME) {
        share_source(sources, place);
    }
    return &sources->known[place];
}

// Searches a source that the recording lacks. After an error it is still lacking.
static void search_source(struct sources *sources, struct source_lines *source,
                          const struct recording_document *document)
{
    struct pdb_document about = {
        .hash_kind = document->hash_kind < HASH_OTHER ? document->hash_kind : HASH_OTHER,
        .hash = document->hash,
    };
    struct source found;
    source->searched = true;
    enum clew_error error = source_find(&about, document->path, sources->places, &found);
    if (error == CLEW_OK && found.state != SOURCE_MISSING) {
        source->state = found.state;
    }
    if (error == CLEW_OK && found.state == SOURCE_VERIFIED) {
        take_text(sources, source, (struct text){(const char *)found.text.data, found.text.size});
    }
    source_free(&found);
}

static const struct source_lines *source_of(struct sources *sources, const struct recording_document *document)
{
    struct recording_document_key of = {document->process, document->module, document->document};
    struct source_lines *source =
        source_at(sources, of, document->language <= LANGUAGE_FSHARP ? document->language : LANGUAGE_OTHER);
    bool searchable = sources->places && sources->places->map_count > 0;
    if (source && searchable && !source->searched && source->state != SOURCE_VERIFIED) {
        search_source(sources, source, document);
    }
    return source;
}

uint32_t sources_line_count(struct sources *sources, const struct recording_document *document)
{
    const struct source_lines *source = document ? source_of(sources, document) : NULL;
    return source && source->text.size ? source->line_count : 0;
}

struct recording_health sources_health(const struct sources *sources)
{
    return sources->health;
}

struct text sources_line(struct sources *sources, const struct recording_document *document, uint32_t line)
{
    const struct source_lines *source = document ? source_of(sources, document) : NULL;
    if (!source || line == 0 || line > source->line_count || source->text.size == 0) {
        return (struct text){0};
    }
    CLEW_ASSERT(source->lines[line - 1] <= source->text.size);
    struct text rest = text_from(source->text, source->lines[line - 1]);
    if (line == source->line_count) {
        return rest;
    }
    rest.size = source->lines[line] - source->lines[line - 1];
    size_t size = 3; // size of the line break: the longest that fits
    while (size > rest.size || source_text_break(text_from(rest, rest.size - size), source->language) != size) {
        size--;
    }
    return (struct text){rest.at, rest.size - size};
}

enum source_state sources_state(struct sources *sources, const struct recording_document *document)
{
    const struct source_lines *source = document ? source_of(sources, document) : NULL;
    return source ? source->state : SOURCE_MISSING;
}
