// See objects.h. The file's index gives the range of numbers of each block of objects. The most recently used blocks
// stay decoded, because events that are close in time mostly refer to the same objects.
#include "model/objects.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/assert.h"
#include "base/map.h"
#include "recording/reader.h"

// Limits for the decoded blocks: their number, and their bytes. The block in use is kept even if it is larger.
enum { KEPT = 1024, KEPT_BYTES = 128 << 20 };

// A block of objects in the file. Ranges of numbers can overlap, because several threads meet new objects at the same
// time.
struct place {
    uint64_t offset;
    uint32_t process, lowest, highest;
    uint32_t reaches;        // the largest `highest` up to here within the process: lets a search stop early
    bool damaged;            // reading it failed before
    struct kept_block *kept; // NULL: it is not decoded
};

// A decoded block. `used` is the value of objects->uses at its last use, so the smallest is the oldest.
struct kept_block {
    struct place *place; // NULL: empty
    uint64_t used;
    struct arena arena;
    struct recording_object *objects;
    uint32_t count;
    bool ascending; // by number; else they are found through the map
    struct map map; // number -> index
    size_t bytes;
};

struct objects {
    struct recording_reader *reader;
    struct place *places; // ordered by process, then lowest
    size_t place_count;
    struct kept_block kept[KEPT];
    uint64_t uses;
    size_t kept_bytes;
    struct recording_health health; // damage in the blocks that were read
    struct buffer text;             // a copy of one object's text, while another object is looked up
    bool ran_out;                   // memory ran out in some call
    bool some_uncertain;            // a block has an object with a link to an earlier one
};

static int compare_places(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    if (a->process != b->process) {
        return a->process < b->process ? -1 : 1;
    }
    return (a->lowest > b->lowest) - (a->lowest < b->lowest);
}

// Lists the blocks of objects from the file's index, and prepares the search: places are sorted by their lowest number,
// and `reaches` limits how far back a search has to go.
static enum clew_error list_places(struct objects *objects)
{
    const struct recording_block *blocks;
    size_t count;
    CLEW_TRY(recording_index(recording_of(objects->reader), &blocks, &count));
    objects->places = malloc((count + 1) * sizeof *objects->places);
    if (!objects->places) {
        return CLEW_NO_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        if (blocks[i].type == RECORDING_OBJECTS) {
            objects->some_uncertain |= recording_block_has_links(&blocks[i]);
            objects->places[objects->place_count++] = (struct place){.offset = blocks[i].offset,
                                                                     .process = blocks[i].process,
                                                                     .lowest = (uint32_t)blocks[i].lowest,
                                                                     .highest = (uint32_t)blocks[i].highest};
        }
    }
    if (objects->place_count) {
        qsort(objects->places, objects->place_count, sizeof *objects->places, compare_places);
    }
    for (size_t i = 0; i < objects->place_count; i++) {
        struct place *at = &objects->places[i], *before = i ? at - 1 : NULL;
        bool larger = before && before->process == at->process && before->reaches > at->highest;
        at->reaches = larger ? before->reaches : at->highest;
        CLEW_ASSERT(at->reaches >= at->highest);
    }
    return CLEW_OK;
}

enum clew_error objects_open(struct recording *recording, struct objects **out)
{
    struct objects *objects = calloc(1, sizeof *objects);
    if (!objects) {
        return CLEW_NO_MEMORY;
    }
    enum clew_error error = recording_new_reader(recording, &objects->reader);
    if (error == CLEW_OK) {
        error = list_places(objects);
    }
    if (error != CLEW_OK) {
        objects_close(objects);
        return error;
    }
    *out = objects;
    return CLEW_OK;
}

// Releases a decoded block.
static void forget(struct objects *objects, struct kept_block *kept)
{
    CLEW_ASSERT(objects->kept_bytes >= kept->bytes);
    objects->kept_bytes -= kept->bytes;
    arena_free(&kept->arena);
    map_free(&kept->map);
    if (kept->place) {
        kept->place->kept = NULL;
    }
    *kept = (struct kept_block){0};
}

void objects_close(struct objects *objects)
{
    if (objects) {
        for (size_t i = 0; i < KEPT; i++) {
            forget(objects, &objects->kept[i]);
        }
        recording_close_reader(objects->reader);
        free(objects->places);
        buffer_free(&objects->text);
        free(objects);
    }
}

static bool ascends(const struct recording_objects *block)
{
    for (uint32_t i = 1; i < block->count; i++) {
        if (block->objects[i].object <= block->objects[i - 1].object) {
            return false;
        }
    }
    return true;
}

// A map is made only if it is needed: it costs more than decoding the objects.
static bool copy(struct kept_block *kept, const struct recording_objects *block)
{
    kept->count = block->count;
    kept->ascending = ascends(block);
    kept->objects = arena_alloc(&kept->arena, (block->count + (size_t)1) * sizeof *kept->objects);
    for (uint32_t i = 0; kept->objects && i < block->count; i++) {
        struct recording_object *object = &kept->objects[i];
        *object = block->objects[i];
        object->text.at = object->text.size ? arena_text(&kept->arena, object->text.at, object->text.size) : "";
        if (!object->text.at || (!kept->ascending && !map_put(&kept->map, object->object, i))) {
            return false;
        }
    }
    return kept->objects != NULL;
}

// The entry to use for a new block: a free one, or the least recently used.
static struct kept_block *oldest_block(struct objects *objects)
{
    struct kept_block *oldest = &objects->kept[0];
    for (size_t i = 0; i < KEPT; i++) {
        bool older = !objects->kept[i].place || objects->kept[i].used < oldest->used;
        oldest = oldest->place && older ? &objects->kept[i] : oldest;
    }
    return oldest;
}

static void make_room(struct objects *objects, const struct kept_block *but)
{
    for (size_t i = 0; objects->kept_bytes > KEPT_BYTES && i < KEPT; i++) {
        struct kept_block *oldest = NULL;
        for (size_t j = 0; j < KEPT; j++) {
            struct kept_block *kept = &objects->kept[j];
            bool older = kept->place && kept != but && (!oldest || kept->used < oldest->used);
            oldest = older ? kept : oldest;
        }
        if (!oldest) {
            return;
        }
        forget(objects, oldest);
    }
}

// The decoded block at `place`; NULL: it is damaged, or memory ran out.
static struct kept_block *block_at(struct objects *objects, struct place *place)
{
    if (place->kept) {
        place->kept->used = ++objects->uses;
        return place->kept;
    }
    struct recording_record record;
    struct kept_block *kept = oldest_block(objects);
    forget(objects, kept);
    enum clew_error error = recording_read(objects->reader, place->offset, RECORDING_OBJECTS, &record);
    bool its = error == CLEW_OK && record.objects.process == place->process;
    bool copied = its && copy(kept, &record.objects);
    kept->bytes = kept->arena.total + kept->map.capacity * sizeof *kept->map.slots;
    objects->kept_bytes += kept->bytes;
    if (!copied) {
        place->damaged = !its && error != CLEW_NO_MEMORY;
        objects->health.damaged += place->damaged;
        objects->ran_out |= its || error == CLEW_NO_MEMORY;
        forget(objects, kept);
        return NULL;
    }
    CLEW_ASSERT(!kept->place && "what was there is forgotten");
    kept->place = place;
    place->kept = kept;
    kept->used = ++objects->uses;
    make_room(objects, kept);
    return kept;
}

// NULL: the block does not have it.
static const struct recording_object *object_in(const struct kept_block *kept, uint32_t number)
{
    uint64_t index;
    if (!kept->ascending) {
        return map_get(&kept->map, number, &index) ? &kept->objects[index] : NULL;
    }
    uint32_t low = 0, high = kept->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (kept->objects[middle].object < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    CLEW_ASSERT(low <= kept->count);
    return low < kept->count && kept->objects[low].object == number ? &kept->objects[low] : NULL;
}

// The number of places that come before any of a higher process, or of a `lowest` above `object`.
static size_t places_up_to(const struct objects *objects, uint32_t process, uint32_t object)
{
    const struct place wanted = {.process = process, .lowest = object};
    size_t low = 0, high = objects->place_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_places(&objects->places[middle], &wanted) <= 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

const struct recording_object *objects_find(struct objects *objects, uint32_t process, uint32_t object)
{
    for (size_t i = places_up_to(objects, process, object); i-- > 0;) {
        struct place *place = &objects->places[i];
        if (place->process != process || place->reaches < object) {
            return NULL;
        }
        bool wanted = place->highest >= object && !place->damaged;
        struct kept_block *block = wanted ? block_at(objects, place) : NULL;
        const struct recording_object *found = block ? object_in(block, object) : NULL;
        if (found) {
            return found;
        }
    }
    return NULL;
}

// Whether both records can describe the same object. Without a type nothing is known, so they cannot.
static bool could_be_one(const struct recording_object *a, const struct recording_object *b)
{
    return a->type && a->type == b->type && a->size == b->size && a->length == b->length &&
           text_equal(a->text, b->text);
}

uint32_t objects_uncertain(struct objects *objects, uint32_t process, uint32_t object)
{
    const struct recording_object *found = objects_find(objects, process, object);
    if (!found || !found->perhaps) {
        return 0;
    }
    struct recording_object later = *found;
    buffer_clear(&objects->text);
    buffer_append(&objects->text, later.text.at, later.text.size);
    if (objects->text.failed) {
        objects->ran_out = true;
        return 0;
    }
    later.text.at = (const char *)objects->text.data;
    const struct recording_object *earlier = objects_find(objects, process, later.perhaps);
    return earlier && could_be_one(earlier, &later) ? later.perhaps : 0;
}

bool objects_some_uncertain(const struct objects *objects)
{
    return objects->some_uncertain;
}

struct recording_health objects_health(const struct objects *objects)
{
    return objects->health;
}

bool objects_ran_out(const struct objects *objects)
{
    return objects->ran_out;
}
