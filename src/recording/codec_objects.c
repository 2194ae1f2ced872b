// Encodes objects and counters as columns.
#include "base/assert.h"
#include "recording/codec.h"

#include "recording/varint.h"

enum { OBJECT_COLUMNS = 5, COUNTER_COLUMNS = 3 };

static void end_column(const struct buffer *into, struct codec_splits *splits)
{
    CLEW_ASSERT(splits->count < sizeof splits->at / sizeof *splits->at);
    splits->at[splits->count++] = into->size;
}

// The distance down to the number of the object that this one may be identical with; 0: there is none, or the number is not
// lower, as it has to be.
static uint32_t link_distance(const struct recording_object *object)
{
    return object->perhaps && object->perhaps < object->object ? object->object - object->perhaps : 0;
}

// A column of these distances, only in blocks that have one other than 0.
static void encode_links(struct buffer *into, const struct recording_object *objects, struct codec_splits *splits,
                         struct block_header *header)
{
    bool linked = false;
    for (uint32_t i = 0; i < header->count && !linked; i++) {
        linked = link_distance(&objects[i]) != 0;
    }
    if (!linked) {
        return;
    }
    header->flags |= BLOCK_LINKS;
    for (uint32_t i = 0; i < header->count; i++) {
        buffer_varint(into, link_distance(&objects[i]));
    }
    end_column(into, splits);
}

void codec_encode_objects(struct buffer *into, const struct recording_object *objects, struct codec_splits *splits,
                          struct block_header *header)
{
    uint32_t before = 0, count = header->count;
    for (uint32_t i = 0; i < count; i++) {
        buffer_svarint(into, (int64_t)objects[i].object - before);
        before = objects[i].object;
    }
    end_column(into, splits);
    for (uint32_t i = 0; i < count; i++) {
        buffer_varint(into, objects[i].type);
    }
    end_column(into, splits);
    for (uint32_t i = 0; i < count; i++) {
        buffer_varint(into, objects[i].size);
    }
    end_column(into, splits);
    for (uint32_t i = 0; i < count; i++) {
        buffer_varint(into, objects[i].length);
    }
    for (uint32_t i = 0; i < count; i++) {
        buffer_varint(into, codec_cut_text(objects[i].text).size);
    }
    end_column(into, splits);
    encode_links(into, objects, splits, header);
    for (uint32_t i = 0; i < count; i++) {
        struct text text = codec_cut_text(objects[i].text);
        buffer_append(into, text.at, text.size);
    }
    end_column(into, splits);
}

// Numbers have to be in the range that the header states: readers skip blocks by that range.
static bool decode_numbers(struct bytes *payload, const struct recording_objects *range,
                           struct recording_object *objects)
{
    uint32_t number = 0;
    for (uint32_t i = 0; i < range->count; i++) {
        uint64_t step;
        if (!take_varint(payload, &step)) {
            return false;
        }
        uint64_t next = number + unzigzag(step); // wraps around below 0, to more than any number
        if (next < range->lowest || next > range->highest) {
            return false;
        }
        objects[i] = (struct recording_object){.object = number = (uint32_t)next};
    }
    return true;
}

static bool decode_links(struct bytes *payload, struct recording_object *objects, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t distance;
        if (!take_varint32(payload, &distance) || (distance && distance >= objects[i].object)) {
            return false;
        }
        objects[i].perhaps = distance ? objects[i].object - distance : 0;
    }
    return true;
}

static bool decode_objects(struct bytes *payload, struct recording_object *objects, uint32_t count, bool links)
{
    bool whole = true;
    for (uint32_t i = 0; whole && i < count; i++) {
        whole = take_varint32(payload, &objects[i].type);
    }
    for (uint32_t i = 0; whole && i < count; i++) {
        whole = take_varint(payload, &objects[i].size);
    }
    for (uint32_t i = 0; whole && i < count; i++) {
        whole = take_varint(payload, &objects[i].length);
    }
    for (uint32_t i = 0; whole && i < count; i++) {
        uint64_t size;
        whole = take_varint(payload, &size) && size <= SIZE_MAX;
        objects[i].text.size = (size_t)size;
    }
    whole = whole && (!links || decode_links(payload, objects, count));
    for (uint32_t i = 0; whole && i < count; i++) {
        struct bytes text;
        whole = bytes_take(payload, objects[i].text.size, &text);
        objects[i].text.at = (const char *)text.at;
    }
    return whole && bytes_left(payload) == 0;
}

enum clew_error codec_decode_objects(const struct block_header *header, struct bytes payload,
                                     struct codec_arrays *arrays, struct recording_objects *out)
{
    bool links = header->flags & BLOCK_LINKS;
    *out = (struct recording_objects){
        .process = header->process,
        .lowest = (uint32_t)header->first_clock,
        .highest = (uint32_t)header->last_clock,
        .count = header->count,
    };
    if (header->first_clock > UINT32_MAX || header->last_clock > UINT32_MAX || header->count > RECORDING_OBJECTS_MAX ||
        header->count > bytes_left(&payload) / (OBJECT_COLUMNS + links)) {
        return CLEW_DAMAGED;
    }
    if (!CODEC_GROW(arrays->objects, arrays->objects_room, header->count)) {
        return CLEW_NO_MEMORY;
    }
    out->objects = arrays->objects;
    bool whole =
        decode_numbers(&payload, out, arrays->objects) && decode_objects(&payload, arrays->objects, out->count, links);
    return whole ? CLEW_OK : CLEW_DAMAGED;
}

void codec_encode_counters(struct buffer *into, const struct recording_counter *counters, uint32_t count,
                           struct codec_splits *splits)
{
    uint32_t before = 0;
    for (uint32_t i = 0; i < count; i++) {
        CLEW_ASSERT((i == 0 || counters[i].site > before) && "counters ascend by site");
        buffer_varint(into, counters[i].site - before);
        before = counters[i].site;
    }
    end_column(into, splits);
    for (uint32_t i = 0; i < count; i++) {
        buffer_varint(into, counters[i].count);
    }
    end_column(into, splits);
    for (uint32_t i = 0; i < count; i++) {
        buffer_varint(into, counters[i].own);
    }
    end_column(into, splits);
}

// Sites ascend, so a step of 0 is malformed except for the first.
static bool decode_counters(struct bytes *payload, struct recording_counter *counters, uint32_t count)
{
    uint32_t site = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t step;
        if (!take_varint32(payload, &step) || (step == 0 && i > 0) || step > UINT32_MAX - site) {
            return false;
        }
        counters[i].site = site += step;
    }
    bool whole = true;
    for (uint32_t i = 0; whole && i < count; i++) {
        whole = take_varint(payload, &counters[i].count);
    }
    for (uint32_t i = 0; whole && i < count; i++) {
        whole = take_varint(payload, &counters[i].own);
    }
    return whole && bytes_left(payload) == 0;
}

enum clew_error codec_decode_counters(const struct block_header *header, struct bytes payload,
                                      struct codec_arrays *arrays, struct recording_counters *out)
{
    if (header->count > RECORDING_OBJECTS_MAX || header->count > bytes_left(&payload) / COUNTER_COLUMNS) {
        return CLEW_DAMAGED;
    }
    if (!CODEC_GROW(arrays->counters, arrays->counters_room, header->count)) {
        return CLEW_NO_MEMORY;
    }
    *out = (struct recording_counters){
        .process = header->process,
        .clock = header->last_clock,
        .count = header->count,
        .counters = arrays->counters,
    };
    return decode_counters(&payload, arrays->counters, header->count) ? CLEW_OK : CLEW_DAMAGED;
}
