// Encodes the contents of boxes that events refer to. They precede the columns of an EVENTS block (doc/recording.md,
// EVENTS).
#include "base/assert.h"
#include "recording/codec.h"

#include <string.h>

#include "recording/site_layouts.h"
#include "recording/varint.h"

// -- Writing ----------------------------------------------------------------------------------------------------------

// Boxes have to be in the order of their events, and their bytes among the block's.
static bool holds(const struct recording_events *events, const struct recording_box *box, uint32_t event_before)
{
    uint32_t cells = payload_whole_cells(box->size);
    return box->event >= event_before && box->event < events->count && cells <= events->box_cell_count &&
           box->at <= events->box_cell_count - cells;
}

enum clew_error codec_encode_boxes(struct buffer *into, const struct recording_events *events)
{
    struct recording_box before = {0};
    buffer_varint(into, events->box_count);
    for (uint32_t i = 0; i < events->box_count; i++) {
        const struct recording_box *box = &events->boxes[i];
        if (!holds(events, box, before.event)) {
            return CLEW_MALFORMED;
        }
        buffer_varint(into, box->event - before.event);
        buffer_varint(into, zigzag32(box->object - before.object));
        buffer_varint(into, box->size);
        if (box->size > 0) { // if all boxes are too large, box_cells may be NULL
            buffer_append(into, events->box_cells + box->at, box->size);
        }
        before = *box;
    }
    return into->failed ? CLEW_NO_MEMORY : CLEW_OK;
}

// -- Reading ----------------------------------------------------------------------------------------------------------

static bool take_head(struct bytes *payload, struct recording_box *box)
{
    uint32_t events, object;
    if (!take_varint32(payload, &events) || !take_varint32(payload, &object) || !take_varint32(payload, &box->size) ||
        events > UINT32_MAX - box->event || box->size > bytes_left(payload)) {
        return false;
    }
    box->event += events;
    box->object += unzigzag32(object);
    return true;
}

// Copies the bytes into whole cells; missing bytes of the last cell are zero.
static void take_cells(struct bytes *payload, uint32_t size, uint32_t *cells)
{
    CLEW_ASSERT(size <= bytes_left(payload) && "take_head() has looked");
    struct bytes bytes = {0};
    uint8_t last[sizeof *cells] = {0};
    (void)bytes_take(payload, size, &bytes); // it is there
    for (uint32_t i = 0; i < size / sizeof *cells; i++) {
        cells[i] = read_u32(bytes.at + i * sizeof *cells);
    }
    if (size % sizeof *cells) {
        memcpy(last, bytes.at + size - size % sizeof *cells, size % sizeof *cells);
        cells[size / sizeof *cells] = read_u32(last);
    }
}

enum clew_error codec_decode_boxes(struct bytes *payload, struct codec_arrays *arrays, struct recording_events *out)
{
    enum { LEAST = 3 }; // bytes of an encoded box
    uint32_t count;
    if (!take_varint32(payload, &count) || count > bytes_left(payload) / LEAST) {
        return CLEW_DAMAGED;
    }
    // Each is padded by less than a cell.
    if (!CODEC_GROW(arrays->boxes, arrays->boxes_room, count) ||
        !CODEC_GROW(arrays->box_cells, arrays->box_cells_room, bytes_left(payload) / sizeof(uint32_t) + count)) {
        return CLEW_NO_MEMORY;
    }
    struct recording_box box = {0};
    uint32_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!take_head(payload, &box) || box.event >= out->count) {
            return CLEW_DAMAGED;
        }
        box.at = at;
        take_cells(payload, box.size, arrays->box_cells + at);
        at += payload_whole_cells(box.size);
        arrays->boxes[i] = box;
    }
    CLEW_ASSERT(at <= arrays->box_cells_room);
    out->box_count = count;
    out->boxes = arrays->boxes;
    out->box_cell_count = at;
    out->box_cells = arrays->box_cells;
    return CLEW_OK;
}
