#include "trace/site.h"

#include "base/arena.h"
#include "base/assert.h"
#include "base/text.h"

// -- Sites ------------------------------------------------------------------------------------------------------------
// The encoding of SITES definitions. Offsets, statements and lines grow slowly from site to site, so they are written as
// differences to the previous site. A definition of thousands of sites is decoded whole: no site can be found without those
// before it.

enum { OWNER_SHIFT = 4, HAS_TUPLE_NAMES = 0x80 };
static_assert(PLACE_ITEM_FIELD < 1 << OWNER_SHIFT, "a place takes the low bits");
static_assert(OWNER_PARAMETER << OWNER_SHIFT < HAS_TUPLE_NAMES, "an owner takes those up to the flag");

static void encode_range(struct buffer *into, const struct site *site, uint32_t line)
{
    buffer_varint(into, site->document);
    buffer_svarint(into, (int64_t)site->start_line - line);
    buffer_varint(into, site->start_column);
    buffer_svarint(into, (int64_t)site->end_line - site->start_line);
    buffer_varint(into, site->end_column);
}

void sites_encode(struct buffer *into, const struct site *sites, uint32_t count)
{
    static const struct site none;
    const struct site *previous = &none;
    uint32_t line = 0; // of the last statement
    for (uint32_t i = 0; i < count; i++) {
        const struct site *site = &sites[i];
        CLEW_ASSERT(site->kind <= SITE_ALLOCATION && site->encoding <= VALUE_TYPED);
        buffer_u8(into, (uint8_t)site->kind);
        buffer_u8(into, (uint8_t)((uint32_t)site->place | (uint32_t)site->owner << OWNER_SHIFT |
                                  (site->tuple_names.size ? HAS_TUPLE_NAMES : 0u)));
        buffer_u8(into, (uint8_t)site->encoding);
        buffer_u8(into, (uint8_t)site->reason);
        buffer_svarint(into, (int64_t)site->il_offset - previous->il_offset);
        buffer_varint(into, site->index);
        if (site_is_in_variable(site)) {
            buffer_varint(into, site->owner_index);
        }
        buffer_varint(into, site->size);
        buffer_varint(into, site->type);
        buffer_varint(into, site->statement);
        if (site->kind == SITE_STATEMENT) {
            encode_range(into, site, line);
        }
        buffer_sized_text(into, site->name);
        if (site_is_in_variable(site)) {
            buffer_sized_text(into, site->owner_name);
        }
        if (site->tuple_names.size) {
            buffer_sized_text(into, site->tuple_names);
        }
        line = site->kind == SITE_STATEMENT ? site->start_line : line;
        previous = site;
    }
}

// A site with a path: how many sites it is after the last one with a path (the first: its position), and what is known of
// it, in so many bytes, to which later versions may add.
static void encode_path(struct buffer *into, struct buffer *detail, const struct site *site, uint32_t step)
{
    CLEW_ASSERT(site->path_part < site->path.size);
    buffer_clear(detail);
    buffer_sized_text(detail, site->path);
    buffer_varint(detail, site->path_part);
    buffer_varint(into, step);
    buffer_sized_text(into, (struct text){(const char *)detail->data, detail->size});
    into->failed |= detail->failed;
}

void sites_encode_roles(struct buffer *into, const struct site *sites, uint32_t count)
{
    bool any = false;
    for (uint32_t i = 0; i < count && !any; i++) {
        any = sites[i].role != VARIABLE_UNKNOWN || sites[i].path.size > 0;
    }
    for (uint32_t i = 0; i < count && any; i++) {
        CLEW_ASSERT(sites[i].role <= VARIABLE_CURRENT);
        buffer_u8(into, (uint8_t)sites[i].role);
    }
    struct buffer detail = {0};
    uint32_t last = 0;
    for (uint32_t i = 0; i < count && any; i++) {
        if (sites[i].path.size > 0) {
            encode_path(into, &detail, &sites[i], i - last);
            last = i;
        }
    }
    buffer_free(&detail);
}

static void decode_paths(struct bytes *bytes, struct site *sites, uint32_t count)
{
    uint32_t at = 0, step, part;
    struct text detail, path;
    while (bytes_varint32(bytes, &step) && step < count - at && bytes_sized_text(bytes, &detail)) {
        struct bytes rest = bytes_of(detail.at, detail.size);
        at += step;
        if (bytes_sized_text(&rest, &path) && bytes_varint32(&rest, &part) && part < path.size) {
            sites[at].path = path;
            sites[at].path_part = part;
        }
    }
}

void sites_decode_roles(struct bytes roles, struct site *sites, uint32_t count)
{
    uint8_t role;
    for (uint32_t i = 0; i < count; i++) {
        bool known = bytes_u8(&roles, &role) && role <= VARIABLE_CURRENT;
        sites[i].role = known ? (enum variable_role)role : VARIABLE_UNKNOWN;
    }
    decode_paths(&roles, sites, count);
}

// Reads a signed difference and adds it to `base`. False when the sum does not fit 32 bits.
static bool take_step(struct bytes *bytes, uint32_t base, uint32_t *out)
{
    int64_t step;
    if (!bytes_svarint(bytes, &step) || step < -(int64_t)base || step > (int64_t)UINT32_MAX - base) {
        return false;
    }
    *out = (uint32_t)(base + step);
    return true;
}

static bool decode_range(struct bytes *bytes, const struct site *previous, struct site *out)
{
    return bytes_varint32(bytes, &out->document) && take_step(bytes, previous->start_line, &out->start_line) &&
           bytes_varint32(bytes, &out->start_column) && take_step(bytes, out->start_line, &out->end_line) &&
           bytes_varint32(bytes, &out->end_column);
}

// A site that is not a statement gets the line of the statement before it: the line of the next statement is a difference to
// that. All enumerators are checked, so that readers may use them as indices.
bool site_decode(struct bytes *bytes, const struct site *previous, struct site *out)
{
    uint8_t kind, place, encoding, reason;
    *out = (struct site){.start_line = previous->start_line};
    if (!bytes_u8(bytes, &kind) || kind > SITE_ALLOCATION || !bytes_u8(bytes, &place) || !bytes_u8(bytes, &encoding) ||
        encoding > VALUE_TYPED || !bytes_u8(bytes, &reason) || reason > REASON_UNSAFE) {
        return false;
    }
    bool has_tuple_names = place & HAS_TUPLE_NAMES;
    uint32_t owner = ((uint32_t)place & (HAS_TUPLE_NAMES - 1u)) >> OWNER_SHIFT;
    if ((place & 0xF) > PLACE_ITEM_FIELD || owner > OWNER_PARAMETER) {
        return false;
    }
    out->kind = (enum site_kind)kind;
    out->place = (enum site_place)(place & 0xF);
    out->owner = (enum site_owner)owner;
    out->encoding = (enum site_encoding)encoding;
    out->reason = (enum site_reason)reason;
    return take_step(bytes, previous->il_offset, &out->il_offset) && bytes_varint32(bytes, &out->index) &&
           (!site_is_in_variable(out) || bytes_varint32(bytes, &out->owner_index)) &&
           bytes_varint32(bytes, &out->size) && bytes_varint32(bytes, &out->type) &&
           bytes_varint32(bytes, &out->statement) && (kind != SITE_STATEMENT || decode_range(bytes, previous, out)) &&
           bytes_sized_text(bytes, &out->name) &&
           (!site_is_in_variable(out) || bytes_sized_text(bytes, &out->owner_name)) &&
           (!has_tuple_names || bytes_sized_text(bytes, &out->tuple_names));
}

// -- Types ------------------------------------------------------------------------------------------------------------

// Appends the tuple names of all fields if any field has some. Behind everything else: older readers ignore them.
static void encode_tuple_names(struct buffer *into, const struct type *type)
{
    size_t size = 0;
    for (uint32_t i = 0; i < type->field_count; i++) {
        size += type->fields[i].tuple_names.size;
    }
    for (uint32_t i = 0; size > 0 && i < type->field_count; i++) {
        buffer_sized_text(into, type->fields[i].tuple_names);
    }
}

void type_encode(struct buffer *into, const struct type *type)
{
    buffer_varint(into, type->number);
    buffer_u8(into, (uint8_t)type->kind);
    buffer_u8(into, (uint8_t)type->encoding);
    buffer_u8(into, type->is_flags);
    buffer_varint(into, type->size);
    buffer_varint(into, type->element);
    buffer_sized_text(into, type->name);
    buffer_varint(into, type->field_count);
    for (uint32_t i = 0; i < type->field_count; i++) {
        buffer_varint(into, type->fields[i].offset);
        buffer_varint(into, type->fields[i].type);
        buffer_sized_text(into, type->fields[i].name);
    }
    buffer_varint(into, type->member_count);
    for (uint32_t i = 0; i < type->member_count; i++) {
        buffer_svarint(into, type->members[i].value);
        buffer_sized_text(into, type->members[i].name);
    }
    encode_tuple_names(into, type);
}

// Reads the length of a list. False when the bytes left cannot hold that many items of at least `least` bytes, so that a
// malformed length never leads to a huge allocation.
static bool take_count(struct bytes *bytes, size_t least, uint32_t *count)
{
    return bytes_varint32(bytes, count) && *count <= bytes_left(bytes) / least;
}

static enum clew_error decode_fields(struct bytes *bytes, struct arena *arena, struct type *out,
                                     struct type_field **made)
{
    enum { LEAST = 3 };
    if (!take_count(bytes, LEAST, &out->field_count)) {
        return CLEW_MALFORMED;
    }
    struct type_field *fields = arena_alloc(arena, out->field_count * sizeof *fields);
    if (!fields) {
        return CLEW_NO_MEMORY;
    }
    for (uint32_t i = 0; i < out->field_count; i++) {
        fields[i].tuple_names = (struct text){0};
        if (!bytes_varint32(bytes, &fields[i].offset) || !bytes_varint32(bytes, &fields[i].type) ||
            !bytes_sized_text(bytes, &fields[i].name)) {
            return CLEW_MALFORMED;
        }
    }
    out->fields = *made = fields;
    return CLEW_OK;
}

static enum clew_error decode_members(struct bytes *bytes, struct arena *arena, struct type *out)
{
    enum { LEAST = 2 };
    if (!take_count(bytes, LEAST, &out->member_count)) {
        return CLEW_MALFORMED;
    }
    struct type_member *members = arena_alloc(arena, out->member_count * sizeof *members);
    if (!members) {
        return CLEW_NO_MEMORY;
    }
    for (uint32_t i = 0; i < out->member_count; i++) {
        if (!bytes_svarint(bytes, &members[i].value) || !bytes_sized_text(bytes, &members[i].name)) {
            return CLEW_MALFORMED;
        }
    }
    out->members = members;
    return CLEW_OK;
}

// Definitions of older agents end before the tuple names.
static enum clew_error decode_tuple_names(struct bytes *bytes, const struct type *type, struct type_field *fields)
{
    bool any = bytes_left(bytes) > 0;
    for (uint32_t i = 0; any && i < type->field_count; i++) {
        if (!bytes_sized_text(bytes, &fields[i].tuple_names)) {
            return CLEW_MALFORMED;
        }
    }
    return CLEW_OK;
}

enum clew_error type_decode(struct bytes bytes, struct arena *arena, struct type *out)
{
    uint8_t kind, encoding, flags;
    struct type_field *fields;
    *out = (struct type){0};
    if (!bytes_varint32(&bytes, &out->number) || !bytes_u8(&bytes, &kind) || kind < TYPE_PRIMITIVE ||
        kind > TYPE_REDACTED || !bytes_u8(&bytes, &encoding) || encoding > VALUE_TYPED || !bytes_u8(&bytes, &flags) ||
        !bytes_varint32(&bytes, &out->size) || !bytes_varint32(&bytes, &out->element) ||
        !bytes_sized_text(&bytes, &out->name)) {
        return CLEW_MALFORMED;
    }
    out->kind = (enum type_kind)kind;
    out->encoding = (enum site_encoding)encoding;
    out->is_flags = flags != 0;
    CLEW_TRY(decode_fields(&bytes, arena, out, &fields));
    CLEW_TRY(decode_members(&bytes, arena, out));
    return decode_tuple_names(&bytes, out, fields);
}
