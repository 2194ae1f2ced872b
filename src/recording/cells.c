#include "recording/cells.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "recording/varint.h"

enum { CAPACITY_MIN = 1024, FIXED_CELLS_MAX = 5 };

// The previous payload of a site that has not occurred in the block.
static const uint32_t zeroes[FIXED_CELLS_MAX];
static_assert(FIXED_CELLS_MAX == 2 + 1 + 2, "an owner, an index and a value");

// -- Table of sites ---------------------------------------------------------------------------------------------------

// Rebuilds the table with another capacity, a power of two. It is at most half full, so searches stay short.
static bool grow(struct cell_table *table, uint32_t capacity)
{
    CLEW_ASSERT((capacity & (capacity - 1)) == 0 && table->count <= capacity / 2);
    struct cell_table larger = {.capacity = capacity, .count = table->count, .epoch = 1};
    larger.slots = calloc(capacity, sizeof *larger.slots);
    if (!larger.slots) {
        return false;
    }
    for (uint32_t i = 0; i < table->capacity; i++) {
        if (table->slots[i].epoch == table->epoch) {
            struct cell_site *slot = cell_table_slot(&larger, table->slots[i].site);
            *slot = table->slots[i];
            slot->epoch = larger.epoch;
        }
    }
    free(table->slots);
    *table = larger;
    return true;
}

// The epoch returns to 0 after 2^32 blocks; then all slots are cleared once, since old ones could look valid again.
bool cell_table_begin(struct cell_table *table)
{
    table->count = 0;
    table->epoch++;
    if (table->epoch == 0) {
        memset(table->slots, 0, table->capacity * sizeof *table->slots);
        table->epoch = 1;
    }
    return table->capacity > 0 || grow(table, CAPACITY_MIN);
}

void cell_table_free(struct cell_table *table)
{
    free(table->slots);
    *table = (struct cell_table){0};
}

struct cell_site *cell_table_add(struct cell_table *table, uint32_t site, uint32_t layout)
{
    CLEW_ASSERT(!cell_table_find(table, site) && "a site is added once a block");
    if (table->count >= table->capacity / 2 && !grow(table, table->capacity * 2)) {
        return NULL;
    }
    struct cell_site *slot = cell_table_slot(table, site);
    *slot = (struct cell_site){.site = site, .epoch = table->epoch, .layout = layout};
    CLEW_ASSERT(table->count < table->capacity / 2 && "a free slot ends each search");
    table->count++;
    return slot;
}

// -- Writing ----------------------------------------------------------------------------------------------------------

static inline uint64_t pair(const uint32_t *cells)
{
    return cells[0] | (uint64_t)cells[1] << 32;
}

// Writes an XOR difference of floats without its zero bytes: a byte with the number of low zero bytes and of the bytes that
// follow, then these. Neighbouring floats mostly share sign, exponent and some low zero bits.
static uint8_t *put_real(uint8_t *at, uint64_t difference)
{
    if (difference == 0) {
        *at = 0;
        return at + 1;
    }
    uint32_t low = (uint32_t)__builtin_ctzll(difference) / 8;
    uint32_t size = 8 - (uint32_t)__builtin_clzll(difference) / 8 - low;
    CLEW_ASSERT(size > 0 && low + size <= 8);
    uint64_t bytes = difference >> low * 8;
    *at++ = (uint8_t)(low << 4 | size);
    memcpy(at, &bytes, sizeof bytes); // the caller left room for all eight
    return at + size;
}

// Writes cells as XOR differences, which are zero where a struct did not change: zeros compress to almost nothing.
static uint8_t *put_bytes(uint8_t *at, const uint32_t *now, uint32_t count, const uint32_t *before, uint32_t known)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t difference = now[i] ^ (i < known ? before[i] : 0);
        memcpy(at, &difference, sizeof difference);
        at += sizeof difference;
    }
    return at;
}

void cells_put_layout(struct cell_writer *writer, uint32_t layout)
{
    uint8_t **at = &writer->at[COLUMN_LAYOUTS];
    *(*at)++ = (uint8_t)layout;
    if (layout_encoding(layout) == VALUE_STRUCT) {
        *at = put_varint(*at, layout_struct_size(layout));
    }
}

// A VALUE_TYPED of the same type has mostly the same size, so its bytes are compared with those before as far as there
// are any.
static void put_typed(struct cell_writer *writer, const uint32_t *now, const uint32_t *before, bool first)
{
    uint8_t **at = writer->at;
    at[COLUMN_OBJECTS] = put_varint(at[COLUMN_OBJECTS], zigzag32(now[0] - before[0]));
    at[COLUMN_VALUES] = put_varint(at[COLUMN_VALUES], zigzag32(now[1] - before[1]));
    uint32_t known = first ? 0 : payload_whole_cells(before[1]);
    at[COLUMN_BYTES] = put_bytes(at[COLUMN_BYTES], now + 2, payload_whole_cells(now[1]), before + 2, known);
}

// The column depends on the encoding, so that each column holds values of one kind.
static void put_value(struct cell_writer *writer, uint32_t layout, const uint32_t *now, const uint32_t *before,
                      bool first)
{
    uint8_t **at = writer->at;
    switch (layout_encoding(layout)) {
    case VALUE_NONE:
        break;
    case VALUE_BOOLEAN:
    case VALUE_CHAR:
    case VALUE_I1:
    case VALUE_U1:
    case VALUE_I2:
    case VALUE_U2:
    case VALUE_I4:
    case VALUE_U4:
        at[COLUMN_VALUES] = put_varint(at[COLUMN_VALUES], zigzag32(now[0] - before[0]));
        break;
    case VALUE_R4:
        at[COLUMN_REALS] = put_real(at[COLUMN_REALS], now[0] ^ before[0]);
        break;
    case VALUE_I8:
    case VALUE_U8:
    case VALUE_NATIVE_I:
    case VALUE_NATIVE_U:
    case VALUE_POINTER:
        at[COLUMN_VALUES] = put_varint(at[COLUMN_VALUES], zigzag(pair(now) - pair(before)));
        break;
    case VALUE_R8:
        at[COLUMN_REALS] = put_real(at[COLUMN_REALS], pair(now) ^ pair(before));
        break;
    case VALUE_OBJECT:
        at[COLUMN_OBJECTS] = put_varint(at[COLUMN_OBJECTS], zigzag32(now[0] - before[0]));
        break;
    case VALUE_STRUCT: {
        uint32_t count = payload_whole_cells(layout_struct_size(layout));
        at[COLUMN_BYTES] = put_bytes(at[COLUMN_BYTES], now, count, before, first ? 0 : count);
        break;
    }
    case VALUE_TYPED:
        put_typed(writer, now, before, first);
        break;
    }
}

// The order of the parts is that of trace/payload.h: owner, index, value.
void cells_put(struct cell_writer *writer, struct cell_site *site, const uint32_t *cells, uint32_t at)
{
    const uint32_t *now = cells + at, *before = site->last ? cells + site->last - 1 : zeroes;
    uint32_t layout = site->layout;
    bool first = site->last == 0;
    CLEW_ASSERT(site->last <= at + 1 && "payloads of a block go forward");
    uint8_t **places = &writer->at[COLUMN_PLACES], **objects = &writer->at[COLUMN_OBJECTS];
    site->last = at + 1;
    if (layout_owner_cells(layout) == 1) {
        *objects = put_varint(*objects, zigzag32(*now++ - *before++));
    } else if (layout_owner_cells(layout) == 2) {
        *places = put_varint(*places, zigzag(pair(now) - pair(before)));
        now += 2;
        before += 2;
    }
    if (layout_has_index(layout)) {
        *places = put_varint(*places, zigzag32(*now++ - *before++));
    }
    put_value(writer, layout, now, before, first);
}

// -- Reading ----------------------------------------------------------------------------------------------------------

static void store_pair(uint32_t *cells, uint64_t value)
{
    cells[0] = (uint32_t)value;
    cells[1] = (uint32_t)(value >> 32);
}

static bool take_difference(struct bytes *column, const uint32_t *before, uint32_t *now)
{
    uint32_t difference;
    if (!take_varint32(column, &difference)) {
        return false;
    }
    *now = *before + unzigzag32(difference);
    return true;
}

static bool take_difference_pair(struct bytes *column, const uint32_t *before, uint32_t *now)
{
    uint64_t difference;
    if (!take_varint(column, &difference)) {
        return false;
    }
    store_pair(now, pair(before) + unzigzag(difference));
    return true;
}

// The inverse of put_real(). `most`: size of the type in bytes.
static bool take_real(struct bytes *column, uint32_t most, uint64_t *difference)
{
    uint8_t form;
    struct bytes bytes;
    *difference = 0;
    if (!bytes_u8(column, &form) || (uint32_t)(form >> 4) + (form & 15) > most ||
        !bytes_take(column, form & 15, &bytes)) {
        return false;
    }
    for (uint32_t i = 0; i < (form & 15u); i++) {
        *difference |= (uint64_t)bytes.at[i] << 8 * ((uint32_t)(form >> 4) + i);
    }
    return true;
}

static bool take_real_pair(struct bytes *column, const uint32_t *before, uint32_t *now)
{
    uint64_t difference;
    if (!take_real(column, 8, &difference)) {
        return false;
    }
    store_pair(now, pair(before) ^ difference);
    return true;
}

static bool take_bytes(struct bytes *column, uint32_t *now, uint32_t count, const uint32_t *before, uint32_t known)
{
    struct bytes bytes;
    if (count > bytes_left(column) / sizeof *now || !bytes_take(column, count * sizeof *now, &bytes)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        now[i] = read_u32(bytes.at + i * sizeof *now) ^ (i < known ? before[i] : 0);
    }
    return true;
}

// A layout is one byte, and the size of a struct. Encodings and owners that do not exist are refused here, once for
// each site.
bool cells_take_layout(struct cell_reader *reader, uint32_t *layout)
{
    uint8_t head;
    uint32_t size = 0;
    struct bytes *column = &reader->left[COLUMN_LAYOUTS];
    if (!bytes_u8(column, &head) || layout_encoding(head) > VALUE_TYPED || layout_owner_cells(head) > 2 ||
        (layout_encoding(head) == VALUE_STRUCT && (!take_varint32(column, &size) || size > LAYOUT_STRUCT_MAX))) {
        return false;
    }
    *layout = head | size << LAYOUT_STRUCT_SHIFT;
    return true;
}

static bool take_typed(struct cell_reader *reader, uint32_t *now, const uint32_t *before, bool first, uint32_t *cells)
{
    if (!take_difference(&reader->left[COLUMN_OBJECTS], before, now) ||
        !take_difference(&reader->left[COLUMN_VALUES], before + 1, now + 1)) {
        return false;
    }
    uint32_t known = first ? 0 : payload_whole_cells(before[1]);
    uint32_t count = payload_whole_cells(now[1]);
    *cells = 2 + count;
    return take_bytes(&reader->left[COLUMN_BYTES], now + 2, count, before + 2, known);
}

// *cells: how many the value has. By constants in the cases: a table, looked up for each event, made decoding of values that
// no processor can predict a quarter slower.
static bool take_value(struct cell_reader *reader, uint32_t layout, uint32_t *now, const uint32_t *before, bool first,
                       uint32_t *cells)
{
    uint64_t difference;
    *cells = 1;
    switch (layout_encoding(layout)) {
    case VALUE_NONE:
        *cells = 0;
        return true;
    case VALUE_BOOLEAN:
    case VALUE_CHAR:
    case VALUE_I1:
    case VALUE_U1:
    case VALUE_I2:
    case VALUE_U2:
    case VALUE_I4:
    case VALUE_U4:
        return take_difference(&reader->left[COLUMN_VALUES], before, now);
    case VALUE_OBJECT:
        return take_difference(&reader->left[COLUMN_OBJECTS], before, now);
    case VALUE_R4:
        if (!take_real(&reader->left[COLUMN_REALS], 4, &difference)) {
            return false;
        }
        now[0] = before[0] ^ (uint32_t)difference;
        return true;
    case VALUE_I8:
    case VALUE_U8:
    case VALUE_NATIVE_I:
    case VALUE_NATIVE_U:
    case VALUE_POINTER:
        *cells = 2;
        return take_difference_pair(&reader->left[COLUMN_VALUES], before, now);
    case VALUE_R8:
        *cells = 2;
        return take_real_pair(&reader->left[COLUMN_REALS], before, now);
    case VALUE_STRUCT:
        *cells = payload_whole_cells(layout_struct_size(layout));
        return take_bytes(&reader->left[COLUMN_BYTES], now, *cells, before, first ? 0 : *cells);
    case VALUE_TYPED:
        return take_typed(reader, now, before, first, cells);
    }
    return false;
}

// Must mirror cells_put(). The room for cells was made for the sizes of all columns, so each part is bounded by its column.
bool cells_take(struct cell_reader *reader, struct cell_site *site, uint32_t *cells, uint32_t *at)
{
    CLEW_ASSERT(site->last <= *at + 1 && "payloads of a block go forward");
    uint32_t *now = cells + *at;
    const uint32_t *before = site->last ? cells + site->last - 1 : zeroes;
    uint32_t layout = site->layout, count;
    bool first = site->last == 0;
    site->last = *at + 1;
    if (layout_owner_cells(layout) == 1) {
        if (!take_difference(&reader->left[COLUMN_OBJECTS], before++, now++)) {
            return false;
        }
    } else if (layout_owner_cells(layout) == 2) {
        if (!take_difference_pair(&reader->left[COLUMN_PLACES], before, now)) {
            return false;
        }
        before += 2;
        now += 2;
    }
    if (layout_has_index(layout) && !take_difference(&reader->left[COLUMN_PLACES], before++, now++)) {
        return false;
    }
    if (!take_value(reader, layout, now, before, first, &count)) {
        return false;
    }
    CLEW_ASSERT((uint32_t)(now - cells) + count - *at == layout_cells(layout, cells + *at, UINT32_MAX));
    *at = (uint32_t)(now - cells) + count;
    return true;
}
