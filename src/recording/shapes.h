// How the events of sites are laid out, a word for each site: what whoever takes a run of cells apart has to know. The
// cells themselves are those of trace/site.h.
#ifndef CLEW_RECORDING_SHAPES_H
#define CLEW_RECORDING_SHAPES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/error.h"
#include "trace/site.h"

// A shape:  bits 0-4 encoding | 5-6 cells of the owner | 7 the place is an item | 8-28 bytes of a STRUCT | 29-31 kind of the
// site.  0: a statement.
#define SHAPE_UNKNOWN UINT32_MAX // no site of that number
enum {
    SHAPE_SIZE_SHIFT = 8,
    SHAPE_SIZE_MAX = (1 << 21) - 1,
    SHAPE_KIND_SHIFT = 29,
    SHAPE_SITES_MAX = 1 << 24, // a site of a higher number is none: a wild pointer wrote it
};

static inline enum site_encoding shape_encoding(uint32_t shape)
{
    return (enum site_encoding)(shape & 31);
}

// 1: an object number, 2: an address.
static inline uint32_t shape_owner_cells(uint32_t shape)
{
    return shape >> 5 & 3;
}

static inline bool shape_item(uint32_t shape)
{
    return shape >> 7 & 1;
}

// How the cells lie; 0: there are none.
static inline uint32_t shape_layout(uint32_t shape)
{
    return shape & ((1u << SHAPE_KIND_SHIFT) - 1);
}

static inline uint32_t shape_size(uint32_t shape)
{
    return shape >> SHAPE_SIZE_SHIFT & SHAPE_SIZE_MAX;
}

// UNKNOWN when its struct is too large for a shape.
uint32_t shape_of(const struct site *site);

// Cells of an event's payload but those that VALUE_TYPED counts itself.
static inline uint32_t shape_fixed_cells(uint32_t shape)
{
    static const uint8_t values[32] = {0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 1, 0, 2};
    uint32_t encoding = (uint32_t)shape_encoding(shape);
    uint32_t value = encoding == VALUE_STRUCT ? site_whole_cells(shape_size(shape)) : values[encoding];
    return shape_owner_cells(shape) + shape_item(shape) + value;
}

// Cells of the payload that begins at `cells`, of which so many are there; UINT32_MAX when it is longer than that.
static inline uint32_t shape_cells(uint32_t shape, const uint32_t *cells, uint32_t there)
{
    uint32_t fixed = shape_fixed_cells(shape);
    if (fixed > there) {
        return UINT32_MAX;
    }
    uint32_t tail = shape_encoding(shape) == VALUE_TYPED ? site_whole_cells(cells[fixed - 1]) : 0;
    return tail > there - fixed ? UINT32_MAX : fixed + tail;
}

// The sites of one process. Zero-initialise.
struct shapes {
    uint32_t *of; // by number of the site
    uint32_t count;
};

// Takes the sites first, first + 1, ... of a SITES definition. MALFORMED: those before what cannot be read are taken.
enum clew_error shapes_add(struct shapes *shapes, uint32_t first, struct bytes blob);
void shapes_free(struct shapes *shapes);

static inline uint32_t shapes_find(const struct shapes *shapes, uint32_t site)
{
    return site < shapes->count ? shapes->of[site] : SHAPE_UNKNOWN;
}

#endif
