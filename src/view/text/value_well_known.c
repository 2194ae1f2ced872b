// See value_well_known.h. A table gives the writer of each type, and the bytes that it needs.
#include "view/text/value_well_known.h"

#include "base/assert.h"
#include "view/text/value_number.h"
#include "view/text/value_time.h"

#define DATE_TICKS UINT64_C(0x3FFFFFFFFFFFFFFF) // the upper two bits of a DateTime are its kind
#define TICKS_A_DAY UINT64_C(864000000000)
#define TICKS_A_MINUTE INT64_C(600000000)

enum { KIND_SHIFT = 62, KIND_UTC = 1 };

static bool write_decimal(struct buffer *into, const struct value_content *content)
{
    value_decimal(into, content->bytes);
    return true;
}

static bool write_guid(struct buffer *into, const struct value_content *content)
{
    value_guid(into, content->bytes);
    return true;
}

static void write_wide(struct buffer *into, const struct value_content *content, bool is_signed)
{
    uint64_t high;
    (void)value_number_at(content, 8, 8, &high); // the table requires 16 bytes
    value_int128(into, value_bits(content), high, is_signed);
}

static bool write_int128(struct buffer *into, const struct value_content *content)
{
    write_wide(into, content, true);
    return true;
}

static bool write_uint128(struct buffer *into, const struct value_content *content)
{
    write_wide(into, content, false);
    return true;
}

// "12/31/2024 23:59:59"
static void write_moment(struct buffer *into, uint64_t ticks)
{
    value_date(into, ticks);
    buffer_u8(into, ' ');
    value_time_of_day(into, ticks);
}

static bool write_date_time_iso(struct buffer *into, const struct value_content *content)
{
    uint64_t bits = value_bits(content);
    value_moment_iso(into, bits & DATE_TICKS);
    buffer_text(into, bits >> KIND_SHIFT == KIND_UTC ? "Z" : "");
    return true;
}

static bool write_date_time(struct buffer *into, const struct value_content *content)
{
    write_moment(into, value_bits(content) & DATE_TICKS);
    return true;
}

// Local time and the offset from UTC. The runtime chooses the order of the two fields, so their definitions are used.
static bool write_offset(struct buffer *into, const struct value_content *content, bool iso)
{
    const struct type_field *moment = value_field_named(content->type, "_dateTime");
    const struct type_field *offset = value_field_named(content->type, "_offsetMinutes");
    uint64_t ticks, minute_bits;
    if (!moment || !offset || !value_number_at(content, moment->offset, 8, &ticks) ||
        !value_number_at(content, offset->offset, 2, &minute_bits)) {
        return false;
    }
    int minutes = (int16_t)minute_bits, distance = minutes < 0 ? -minutes : minutes;
    (iso ? value_moment_iso : write_moment)(into, (ticks & DATE_TICKS) + (uint64_t)(minutes * TICKS_A_MINUTE));
    buffer_printf(into, "%s%c%02d:%02d", iso ? "" : " ", minutes < 0 ? '-' : '+', distance / 60, distance % 60);
    return true;
}

static bool write_date_time_offset(struct buffer *into, const struct value_content *content)
{
    return write_offset(into, content, false);
}

static bool write_date_time_offset_iso(struct buffer *into, const struct value_content *content)
{
    return write_offset(into, content, true);
}

static bool write_time_span(struct buffer *into, const struct value_content *content)
{
    value_time_span(into, (int64_t)value_bits(content));
    return true;
}

static bool write_half(struct buffer *into, const struct value_content *content)
{
    value_half(into, (uint16_t)value_bits(content));
    return true;
}

static bool write_date(struct buffer *into, const struct value_content *content)
{
    value_date(into, (value_bits(content) & UINT32_MAX) * TICKS_A_DAY);
    return true;
}

static bool write_date_iso(struct buffer *into, const struct value_content *content)
{
    value_date_iso(into, (value_bits(content) & UINT32_MAX) * TICKS_A_DAY);
    return true;
}

// TimeOnly.ToString() prints hours and minutes.
static bool write_time(struct buffer *into, const struct value_content *content)
{
    enum { HOURS_AND_MINUTES = 5 };
    struct buffer time = {0};
    value_time_of_day(&time, value_bits(content));
    CLEW_ASSERT(time.failed || time.size > HOURS_AND_MINUTES);
    buffer_append(into, time.data, time.failed ? 0 : HOURS_AND_MINUTES);
    buffer_free(&time);
    return true;
}

static const struct well_known {
    const char *name;
    uint32_t size; // bytes that `write` reads
    bool (*write)(struct buffer *into, const struct value_content *content);
    bool (*iso)(struct buffer *into, const struct value_content *content); // NULL: the same
} well_known[] = {
    {"System.Decimal", 16, write_decimal, NULL},
    {"System.Guid", 16, write_guid, NULL},
    {"System.Int128", 16, write_int128, NULL},
    {"System.UInt128", 16, write_uint128, NULL},
    {"System.DateTime", 8, write_date_time, write_date_time_iso},
    {"System.TimeSpan", 8, write_time_span, NULL},
    {"System.Half", 2, write_half, NULL},
    {"System.DateOnly", 4, write_date, write_date_iso},
    {"System.TimeOnly", 8, write_time, NULL},
    {"System.DateTimeOffset", 10, write_date_time_offset, write_date_time_offset_iso},
};

static_assert(DATE_TICKS == UINT64_MAX >> 2, "a DateTime is 62 bits of ticks");

// The entry of the value's type; NULL: it has none, or bytes are missing.
static const struct well_known *find(const struct value_content *content)
{
    for (size_t i = 0; i < sizeof well_known / sizeof *well_known; i++) {
        if (text_equal(content->type->name, text_of(well_known[i].name))) {
            return content->size >= well_known[i].size ? &well_known[i] : NULL;
        }
    }
    return NULL;
}

bool value_is_well_known(const struct value_content *content)
{
    return find(content) != NULL;
}

bool value_well_known(struct buffer *into, const struct value_content *content)
{
    const struct well_known *known = find(content);
    return known && known->write(into, content);
}

bool value_well_known_iso(struct buffer *into, const struct value_content *content)
{
    const struct well_known *known = find(content);
    return known && (known->iso ? known->iso : known->write)(into, content);
}
