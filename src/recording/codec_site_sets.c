// Decodes SITE_SETS blocks: which sites occur in EVENTS blocks (doc/recording.md). site_set_writer.c encodes them.
#include "base/assert.h"
#include "recording/codec.h"

#include "recording/varint.h"

// The groups of a set ascend, and no site that they stand for exceeds 32 bits.
static bool take_groups(struct bytes *payload, const struct recording_site_set *set, uint32_t *groups)
{
    uint64_t group = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        uint32_t step;
        if (!take_varint32(payload, &step) || (i > 0 && step == 0)) {
            return false;
        }
        group += step;
        if (group > UINT32_MAX >> set->shift) {
            return false;
        }
        groups[i] = (uint32_t)group;
    }
    return true;
}

static bool take_head(struct bytes *payload, uint64_t most, struct recording_site_set *set)
{
    uint64_t distance;
    if (!take_varint(payload, &distance) || !take_varint32(payload, &set->process) ||
        !take_varint32(payload, &set->shift) || !take_varint32(payload, &set->count)) {
        return false;
    }
    bool within = distance < most && set->block < most - distance;
    set->block += distance;
    return within && set->shift <= RECORDING_SITE_SHIFT_MAX && set->count <= bytes_left(payload);
}

enum clew_error codec_decode_site_sets(const struct block_header *header, uint64_t offset, struct bytes payload,
                                       struct codec_arrays *arrays, struct recording_site_sets *out)
{
    enum { LEAST = 4 }; // bytes of an encoded set
    if (header->count > bytes_left(&payload) / LEAST || header->position > offset) {
        return CLEW_DAMAGED;
    }
    if (!CODEC_GROW(arrays->site_sets, arrays->site_sets_room, header->count) ||
        !CODEC_GROW(arrays->site_groups, arrays->site_groups_room, bytes_left(&payload))) {
        return CLEW_NO_MEMORY;
    }
    struct recording_site_set set = {.block = offset - header->position};
    size_t used = 0;
    for (uint32_t i = 0; i < header->count; i++) {
        if (!take_head(&payload, offset, &set)) {
            return CLEW_DAMAGED;
        }
        CLEW_ASSERT(used + set.count <= arrays->site_groups_room);
        set.groups = arrays->site_groups + used;
        if (!take_groups(&payload, &set, arrays->site_groups + used)) {
            return CLEW_DAMAGED;
        }
        used += set.count;
        arrays->site_sets[i] = set;
    }
    *out = (struct recording_site_sets){header->count, arrays->site_sets};
    return CLEW_OK;
}
