// The payload of a site's event: how long it is, and what it holds. This is the only definition; woven code, the probes,
// the collector, the file's codec and the model all follow it.
//
//     head | owner: 0, 1 or 2 cells | index: 0 or 1 cell | value: cells as its encoding and size state
//
// A cell is 32 bits, little endian; wider values store their lower half first. The head names the site (ring/ring.h), and
// what the site's definition says (trace/site.h) fixes the rest. Only a value of VALUE_TYPED states its size itself.
//
// Programs look sites up by number for each event, so they keep the part that they need in a word for each site:
//
//     event length, 16 bits     enough to step over events: agent and collector, in the segment
//     payload layout, 32 bits   enough to take a payload apart: writer and reader of recordings
#ifndef CLEW_TRACE_PAYLOAD_H
#define CLEW_TRACE_PAYLOAD_H

#include <stddef.h>

#include "trace/site.h"

// -- Parts of a payload -----------------------------------------------------------------------------------------------

// Cells that hold so many bytes, the last one padded. Any number: a file may state it.
static inline uint32_t payload_whole_cells(uint32_t bytes)
{
    return (uint32_t)(((uint64_t)bytes + 3) / 4);
}

static inline uint32_t payload_owner_cells(enum site_owner owner)
{
    static const uint8_t cells[] = {[OWNER_OBJECT] = 1, [OWNER_ADDRESS] = 2, [OWNER_PARAMETER] = 0};
    return cells[owner];
}

static inline bool payload_has_index(const struct site *site)
{
    return place_is_item(site->place) || place_is_in_item(site->place);
}

// Whether a value takes two cells.
static inline bool payload_is_wide(uint32_t encoding)
{
    return encoding >= VALUE_I8 && encoding <= VALUE_POINTER;
}
static_assert(VALUE_R4 + 1 == VALUE_I8 && VALUE_POINTER + 1 == VALUE_OBJECT, "wide encodings are neighbours");

// `size`: bytes of a VALUE_STRUCT. None for VALUE_TYPED: see PAYLOAD_TYPED_CELLS.
static inline uint32_t payload_value_cells(enum site_encoding encoding, uint32_t size)
{
    static const uint8_t cells[32] = {
        // any value of layout_encoding()
        [VALUE_BOOLEAN] = 1, [VALUE_CHAR] = 1,   [VALUE_I1] = 1,       [VALUE_U1] = 1,
        [VALUE_I2] = 1,      [VALUE_U2] = 1,     [VALUE_I4] = 1,       [VALUE_U4] = 1,
        [VALUE_R4] = 1,      [VALUE_I8] = 2,     [VALUE_U8] = 2,       [VALUE_R8] = 2,
        [VALUE_POINTER] = 2, [VALUE_OBJECT] = 1, [VALUE_NATIVE_I] = 2, [VALUE_NATIVE_U] = 2,
    };
    return encoding == VALUE_STRUCT ? payload_whole_cells(size) : cells[encoding];
}

// A VALUE_TYPED is the number of its type, the number n of its bytes, and the bytes, padded to whole cells.
enum { PAYLOAD_TYPED_CELLS = 2 }; // before the bytes

// Cells of the payload of any event of the site; of VALUE_TYPED those before the type.
static inline uint32_t payload_cells(const struct site *site)
{
    return payload_owner_cells(site->owner) + payload_has_index(site) + payload_value_cells(site->encoding, site->size);
}

// -- Event length -----------------------------------------------------------------------------------------------------

enum event_length {
    EVENT_LENGTH_UNKNOWN = 0,         // the site is not defined
    EVENT_LENGTH_CELLS = 0x3FFF,      // mask: 1, the head, + payload_cells()
    EVENT_LENGTH_STATEMENT = 1 << 14, // the site is a statement: of `lines` it has a counter in its method's block
    EVENT_LENGTH_TYPED = 1 << 15,     // VALUE_TYPED
};

static inline uint16_t event_length(uint32_t payload, bool typed, bool statement)
{
    CLEW_ASSERT(payload < EVENT_LENGTH_CELLS);
    return (uint16_t)((1 + payload) | (typed ? EVENT_LENGTH_TYPED : 0) | (statement ? EVENT_LENGTH_STATEMENT : 0));
}

static inline uint16_t event_length_of(const struct site *site)
{
    return event_length(payload_cells(site), site->encoding == VALUE_TYPED, site->kind == SITE_STATEMENT);
}

// Cells of the event at `cells`, head included, of which `count` are there. 0 when the site is not defined, or `count` does
// not reach to the size of a VALUE_TYPED. It may be larger than `count`.
static inline size_t event_length_cells(uint32_t length, const uint32_t *cells, size_t count)
{
    size_t size = length & EVENT_LENGTH_CELLS;
    if (length & EVENT_LENGTH_TYPED && size > 0) {
        size_t fixed = size + PAYLOAD_TYPED_CELLS;
        size = count < fixed ? 0 : fixed + payload_whole_cells(cells[fixed - 1]);
    }
    return size;
}

// -- Payload layout ---------------------------------------------------------------------------------------------------

// bits 0-4 encoding | 5-6 cells of the owner | 7 there is an index | 8-28 bytes of a VALUE_STRUCT | 29-31 kind of the site.
// The lower 8 bits are also the file's (doc/recording.md, shapes).  0: a statement.
#define LAYOUT_UNKNOWN UINT32_MAX // no site of that number
enum {
    LAYOUT_OWNER_SHIFT = 5,
    LAYOUT_INDEX_SHIFT = 7,
    LAYOUT_STRUCT_SHIFT = 8,
    LAYOUT_KIND_SHIFT = 29,
    LAYOUT_STRUCT_MAX = (1 << 21) - 1, // bytes
};
static_assert(VALUE_TYPED < 1 << LAYOUT_OWNER_SHIFT && SITE_ALLOCATION < 1 << (32 - LAYOUT_KIND_SHIFT),
              "a layout has bits for each encoding and each kind");
static_assert(LAYOUT_STRUCT_MAX == (1 << (LAYOUT_KIND_SHIFT - LAYOUT_STRUCT_SHIFT)) - 1, "sizes end where kinds begin");

// UNKNOWN when a struct is too large for a layout.
static inline uint32_t layout_of(const struct site *site)
{
    uint32_t size = site->encoding == VALUE_STRUCT ? site->size : 0;
    if (size > LAYOUT_STRUCT_MAX) {
        return LAYOUT_UNKNOWN;
    }
    return (uint32_t)site->encoding | payload_owner_cells(site->owner) << LAYOUT_OWNER_SHIFT |
           (uint32_t)payload_has_index(site) << LAYOUT_INDEX_SHIFT | size << LAYOUT_STRUCT_SHIFT |
           (uint32_t)site->kind << LAYOUT_KIND_SHIFT;
}

static inline enum site_encoding layout_encoding(uint32_t layout)
{
    return (enum site_encoding)(layout & 31);
}

// 1: an object number, 2: an address.
static inline uint32_t layout_owner_cells(uint32_t layout)
{
    return layout >> LAYOUT_OWNER_SHIFT & 3;
}

static inline bool layout_has_index(uint32_t layout)
{
    return layout >> LAYOUT_INDEX_SHIFT & 1;
}

static inline uint32_t layout_struct_size(uint32_t layout)
{
    return layout >> LAYOUT_STRUCT_SHIFT & LAYOUT_STRUCT_MAX;
}

// Without the site's kind. 0: its events have no payload.
static inline uint32_t layout_of_payload(uint32_t layout)
{
    return layout & ((1u << LAYOUT_KIND_SHIFT) - 1);
}

// Cells of the payload of any event of the site; of VALUE_TYPED those before its bytes.
static inline uint32_t layout_fixed_cells(uint32_t layout)
{
    enum site_encoding encoding = layout_encoding(layout);
    return layout_owner_cells(layout) + layout_has_index(layout) +
           payload_value_cells(encoding, layout_struct_size(layout)) +
           (encoding == VALUE_TYPED ? PAYLOAD_TYPED_CELLS : 0);
}

// Cells of the payload that begins at `cells`, of which `there` are there; UINT32_MAX when it is longer than that.
static inline uint32_t layout_cells(uint32_t layout, const uint32_t *cells, uint32_t there)
{
    uint32_t fixed = layout_fixed_cells(layout);
    if (fixed > there) {
        return UINT32_MAX;
    }
    uint32_t tail = layout_encoding(layout) == VALUE_TYPED ? payload_whole_cells(cells[fixed - 1]) : 0;
    return tail > there - fixed ? UINT32_MAX : fixed + tail;
}

#endif
