// Names of variables back to the source's: first by text, then, for fields, by the type that holds them.
// Source of facts: GeneratedNames and GeneratedNameKind of Roslyn (C#), GeneratedNameConstants of its VB compiler; what
// the F# compiler writes, with its CompilerGeneratedAttribute on what is its own.
#include "metadata/names/names_variable.h"

#include "metadata/names/names_internal.h"
#include "metadata/tables/signature.h"

static const char closure_vb[] = "$VB$Closure_", outer_closure_vb[] = "$VB$NonLocal_", captured_vb[] = "$VB$Local_",
                  hoisted_vb[] = "$VB$ResumableLocal_", static_vb[] = "$STATIC$", spilled_vb[] = "$S",
                  shadowed_fsharp[] = " (shadowed)";

enum { NESTED_NAMES_MAX = 4 };

static struct variable_name variable(enum variable_role role, struct text name)
{
    return (struct variable_name){.role = role, .name = name, .hoisted_slot = VARIABLE_NO_SLOT};
}

// The text before and after the last `separator`; false when there is none.
static bool split_last(struct text text, char separator, struct text *before, struct text *after)
{
    const char *at = text.size ? memrchr(text.at, separator, text.size) : NULL;
    if (!at) {
        return false;
    }
    *before = (struct text){text.at, (size_t)(at - text.at)};
    *after = text_from(text, before->size + 1);
    return true;
}

static bool read_number(struct text text, int32_t *out)
{
    int32_t value = 0;
    for (size_t i = 0; i < text.size; i++) {
        if (text.at[i] < '0' || text.at[i] > '9' || value > INT32_MAX / 10 - 1) {
            return false;
        }
        value = value * 10 + (text.at[i] - '0');
    }
    *out = value;
    return text.size > 0;
}

static struct variable_name by_text(struct text name, unsigned depth);

// The source's name in a compiler-generated name, which may contain a compiler-generated name itself.
static struct variable_name made_from(struct text name, struct text original, enum variable_role role, int32_t slot,
                                      unsigned depth)
{
    struct variable_name inner =
        depth < NESTED_NAMES_MAX ? by_text(original, depth + 1) : variable(VARIABLE_GENERATED, name);
    if (inner.role == VARIABLE_PLAIN) {
        inner.role = role;
    } else if (inner.role == VARIABLE_GENERATED || inner.role == VARIABLE_LINK) {
        inner.name = name;
    }
    inner.hoisted_slot = slot;
    return inner;
}

// `<original>kind__suffix`
static struct variable_name roslyn(struct text name, const struct generated_name *parts, unsigned depth)
{
    int32_t number = 0;
    switch (parts->kind) {
    case '4':
        return variable(VARIABLE_THIS, text_of("this"));
    case '8':
        return variable(VARIABLE_LINK, name);
    case '2': // of an iterator
        return variable(VARIABLE_CURRENT, text_of("Current"));
    case '5': // counted from 1
        number = read_number(parts->suffix, &number) ? number - 1 : VARIABLE_NO_SLOT;
        return parts->original.size ? made_from(name, parts->original, VARIABLE_CAPTURED, number, depth)
                                    : variable(VARIABLE_GENERATED, name);
    case 'P': // of a primary constructor
    case 'i': // of an anonymous type
    case 'k': // of a property
        return parts->original.size ? made_from(name, parts->original, VARIABLE_MEMBER, VARIABLE_NO_SLOT, depth)
                                    : variable(VARIABLE_GENERATED, name);
    default:
        return variable(VARIABLE_GENERATED, name);
    }
}

// `$VB$ResumableLocal_name$slot`
static struct variable_name hoisted(struct text name, unsigned depth)
{
    struct text original, number;
    int32_t slot;
    if (!split_last(text_from(name, sizeof hoisted_vb - 1), '$', &original, &number) || !read_number(number, &slot)) {
        return variable(VARIABLE_GENERATED, name);
    }
    return made_from(name, original, VARIABLE_CAPTURED, slot, depth);
}

// `$STATIC$Method$Signature$name`, and `$Init` after it for the flag beside it.
static struct variable_name static_local(struct text name)
{
    struct text before, last;
    bool good = !text_ends(name, "$Init") && split_last(name, '$', &before, &last) && last.size;
    return good ? variable(VARIABLE_CAPTURED, last) : variable(VARIABLE_GENERATED, name);
}

static struct variable_name basic(struct text name, unsigned depth)
{
    if (text_starts(name, captured_vb)) {
        return made_from(name, text_from(name, sizeof captured_vb - 1), VARIABLE_CAPTURED, VARIABLE_NO_SLOT, depth);
    }
    if (text_starts(name, hoisted_vb)) {
        return hoisted(name, depth);
    }
    if (text_starts(name, static_vb)) {
        return static_local(name);
    }
    if (text_equal(name, text_of("$VB$Me"))) {
        return variable(VARIABLE_THIS, text_of("this"));
    }
    if (text_equal(name, text_of("$Current"))) {
        return variable(VARIABLE_CURRENT, text_of("Current"));
    }
    bool link = text_starts(name, closure_vb) || text_starts(name, outer_closure_vb);
    return variable(link ? VARIABLE_LINK : VARIABLE_GENERATED, name);
}

// Where `name@line` was cut; 0 when the name is none such.
static size_t mark_of_line(struct text name)
{
    struct text before;
    return generated_fsharp(name, &before) ? before.size : 0;
}

static struct variable_name by_text(struct text name, unsigned depth)
{
    struct generated_name parts;
    if (generated_parse(name, &parts)) {
        return roslyn(name, &parts, depth);
    }
    if (text_starts(name, "CS$<>8__")) {
        return variable(VARIABLE_LINK, name);
    }
    if (name.size == 0 || text_starts(name, "CS$") || *name.at == '@' || text_ends(name, "@")) {
        return variable(VARIABLE_GENERATED, name);
    }
    if (text_equal(name, text_of("this"))) { // the first parameter of an extension, also of F#
        return variable(VARIABLE_THIS, name);
    }
    return *name.at == '$' ? basic(name, depth) : variable(VARIABLE_PLAIN, name);
}

struct variable_name names_local(struct text name, bool hidden)
{
    if (hidden) {
        return variable(VARIABLE_GENERATED, name);
    }
    struct variable_name known = by_text(name, 0);
    if (known.role == VARIABLE_PLAIN && text_ends(known.name, shadowed_fsharp)) {
        known.name.size -= sizeof shadowed_fsharp - 1;
    } else if (known.role == VARIABLE_PLAIN && mark_of_line(known.name)) {
        known.name.size = mark_of_line(known.name);
    }
    return known;
}

// The kind of the type that declares a field.
enum holder { HOLDER_PLAIN, HOLDER_ROSLYN, HOLDER_ANONYMOUS_VB, HOLDER_FSHARP };

static struct text type_name(const struct metadata *metadata, uint32_t type_token)
{
    return names_type_name(&(struct names){.metadata = metadata}, type_token);
}

static enum holder holder_of(const struct metadata *metadata, uint32_t type_token)
{
    struct text name = type_name(metadata, type_token), ignored;
    return generated_is_closure(name) || generated_state_machine(name, &ignored) ? HOLDER_ROSLYN
           : text_starts(name, "VB$AnonymousType_")                              ? HOLDER_ANONYMOUS_VB
           : generated_fsharp(name, &ignored)                                    ? HOLDER_FSHARP
                                                                                 : HOLDER_PLAIN;
}

bool names_holds_variables(const struct metadata *metadata, uint32_t type_token)
{
    enum holder holder = holder_of(metadata, names_definition(metadata, type_token));
    return holder == HOLDER_ROSLYN || holder == HOLDER_FSHARP;
}

uint32_t names_find_field(const struct metadata *metadata, uint32_t type_token, struct text name)
{
    if (TOKEN_TABLE(type_token) != TABLE_TYPE_DEF) {
        return 0;
    }
    struct metadata_range rows =
        metadata_list(metadata, TABLE_TYPE_DEF, TOKEN_ROW(type_token), TYPE_DEF_FIELDS, TABLE_FIELD);
    for (uint32_t row = rows.first; row < rows.end; row++) {
        if (text_equal(metadata_string(metadata, metadata_column(metadata, TABLE_FIELD, row, FIELD_NAME)), name)) {
            return TOKEN(TABLE_FIELD, row);
        }
    }
    return 0;
}

bool names_field_reference(const struct metadata *metadata, uint32_t token, struct field_reference *out)
{
    enum metadata_table table = TOKEN_TABLE(token);
    uint32_t row = TOKEN_ROW(token);
    uint8_t convention;
    if ((table != TABLE_FIELD && table != TABLE_MEMBER_REF) || row == 0 || row > metadata_rows(metadata, table)) {
        return false;
    }
    // Both tables have the name in column 1 and the signature in column 2.
    *out = (struct field_reference){
        .metadata = metadata,
        .name = metadata_string(metadata, metadata_column(metadata, table, row, FIELD_NAME)),
        .signature = metadata_blob(metadata, metadata_column(metadata, table, row, FIELD_SIGNATURE))};
    if (!bytes_u8(&out->signature, &convention) || (convention & 0xF) != SIGNATURE_FIELD) {
        return false;
    }
    if (table == TABLE_FIELD) {
        out->token = token;
        out->type = metadata_field_owner(metadata, token);
    } else {
        uint32_t parent =
            metadata_decode(CODED_MEMBER_REF_PARENT, metadata_column(metadata, table, row, MEMBER_REF_PARENT));
        out->type = names_definition(metadata, parent);
        out->token = names_find_field(metadata, out->type, out->name);
    }
    return true;
}

// Whether the field's own type is a closure.
static bool is_closure(const struct field_reference *field)
{
    return generated_is_closure(type_name(field->metadata, names_class_of(field->signature)));
}

static bool is_made_by_compiler(const struct field_reference *field)
{
    struct bytes ignored;
    return field->token && names_attribute(field->metadata, field->token, "CompilerGeneratedAttribute", &ignored);
}

static bool equal_but_first_case(struct text a, struct text b)
{
    return a.size == b.size && a.size && ((*a.at ^ *b.at) & ~0x20) == 0 && memcmp(a.at + 1, b.at + 1, a.size - 1) == 0;
}

// The property or event of the field's type that has this name, whatever the case of its first letter (F#: `item` of
// `Item`), as that writes it; empty when there is none.
static struct text find_member(const struct field_reference *field, enum metadata_table map, enum metadata_table table,
                               struct text name)
{
    const struct metadata *metadata = field->metadata;
    for (uint32_t i = 1; TOKEN_TABLE(field->type) == TABLE_TYPE_DEF && i <= metadata_rows(metadata, map); i++) {
        if (metadata_column(metadata, map, i, PROPERTY_MAP_PARENT) != TOKEN_ROW(field->type)) {
            continue;
        }
        struct metadata_range rows = metadata_list(metadata, map, i, PROPERTY_MAP_PROPERTIES, table);
        for (uint32_t row = rows.first; row < rows.end; row++) {
            struct text member = metadata_string(metadata, metadata_column(metadata, table, row, PROPERTY_NAME));
            if (equal_but_first_case(member, name)) {
                return member;
            }
        }
    }
    return (struct text){"", 0};
}

// The member that this field is the backing field of: `_Name` (VB, F#), `NameEvent` (VB), `item` (F#), `Name@` (F#).
static struct text member_of(const struct field_reference *field)
{
    struct text name = field->name, found = {"", 0};
    if (text_ends(name, "@")) {
        name.size--;
        return find_member(field, TABLE_PROPERTY_MAP, TABLE_PROPERTY, name);
    }
    if (!is_made_by_compiler(field)) {
        return found;
    }
    if (text_ends(name, "Event")) {
        struct text event = {name.at, name.size - strlen("Event")};
        found = find_member(field, TABLE_EVENT_MAP, TABLE_EVENT, event);
    }
    return found.size ? found
                      : find_member(field, TABLE_PROPERTY_MAP, TABLE_PROPERTY,
                                    text_starts(name, "_") ? text_from(name, 1) : name);
}

static struct variable_name plain_field(const struct field_reference *field)
{
    struct text member = member_of(field);
    size_t mark = mark_of_line(field->name);
    if (member.size) {
        return variable(VARIABLE_MEMBER, member);
    }
    if (text_starts(field->name, "init@") && !text_starts(type_name(field->metadata, field->type), "$")) {
        return variable(VARIABLE_GENERATED, field->name); // whether an F# object is whole already
    }
    return mark ? variable(VARIABLE_MEMBER, (struct text){field->name.at, mark}) : by_text(field->name, 0);
}

static struct variable_name fsharp_field(const struct field_reference *field)
{
    size_t mark = mark_of_line(field->name);
    bool state = text_equal(field->name, text_of("Data")) || text_equal(field->name, text_of("ResumptionPoint"));
    if (by_text(field->name, 0).role == VARIABLE_GENERATED || is_made_by_compiler(field) ||
        (state && names_find_method(&(struct names){.metadata = field->metadata}, field->type,
                                    text_of("get_ResumptionPoint"), false))) {
        return variable(VARIABLE_GENERATED, field->name);
    }
    return text_equal(field->name, text_of("this"))
               ? variable(VARIABLE_THIS, field->name)
               : variable(VARIABLE_CAPTURED, mark ? (struct text){field->name.at, mark} : field->name);
}

static struct variable_name roslyn_field(const struct field_reference *field)
{
    struct variable_name known = by_text(field->name, 0);
    if (known.role == VARIABLE_PLAIN) {
        known.role = VARIABLE_CAPTURED;
    } else if (known.role == VARIABLE_THIS && is_closure(field)) {
        return variable(VARIABLE_LINK, field->name); // the `this` of a lambda's body
    }
    return known;
}

bool names_field(const struct metadata *metadata, uint32_t token, struct variable_name *out)
{
    struct field_reference field;
    if (!names_field_reference(metadata, token, &field)) {
        return false;
    }
    switch (holder_of(metadata, field.type)) {
    case HOLDER_PLAIN:
        *out = plain_field(&field);
        break;
    case HOLDER_ROSLYN:
        *out = roslyn_field(&field);
        break;
    case HOLDER_ANONYMOUS_VB:
        *out =
            text_starts(field.name, "$") ? variable(VARIABLE_MEMBER, text_from(field.name, 1)) : by_text(field.name, 0);
        break;
    case HOLDER_FSHARP:
        *out = fsharp_field(&field);
        break;
    }
    return true;
}

bool names_is_spill(const struct metadata *metadata, uint32_t token)
{
    struct field_reference field;
    struct generated_name parts;
    if (!names_field_reference(metadata, token, &field) || holder_of(metadata, field.type) != HOLDER_ROSLYN) {
        return false;
    }
    bool spill = generated_parse(field.name, &parts) && (parts.kind == '7' || parts.kind == 's');
    return spill || text_starts(field.name, spilled_vb);
}

struct text names_member(struct text method_name, bool *sets)
{
    struct text interface, name;
    if (!split_last(method_name, '.', &interface, &name)) {
        name = method_name;
    }
    *sets = text_starts(name, "set_");
    return *sets || text_starts(name, "get_") ? text_from(name, 4) : name;
}

bool names_parameter(const struct metadata *metadata, uint32_t method_token, uint32_t number, struct variable_name *out)
{
    struct metadata_range rows = {1, 1};
    if (TOKEN_TABLE(method_token) == TABLE_METHOD_DEF) {
        rows = metadata_list(metadata, TABLE_METHOD_DEF, TOKEN_ROW(method_token), METHOD_DEF_PARAMS, TABLE_PARAM);
    }
    for (uint32_t row = rows.first; row < rows.end && number; row++) {
        if (metadata_column(metadata, TABLE_PARAM, row, PARAM_SEQUENCE) == number) {
            struct text name = metadata_string(metadata, metadata_column(metadata, TABLE_PARAM, row, PARAM_NAME));
            *out = by_text(name, 0);
            return name.size > 0;
        }
    }
    return false;
}

bool names_tuple(const struct metadata *metadata, uint32_t token, struct bytes *out)
{
    enum { PROLOG = 1, NO_NAMES = 0xFFFFFFFF };
    uint16_t prolog;
    uint32_t count;
    // II.23.3: the prolog, then an array of strings.
    return names_attribute(metadata, token, "TupleElementNamesAttribute", out) && bytes_u16(out, &prolog) &&
           prolog == PROLOG && bytes_u32(out, &count) && count != NO_NAMES && count > 0;
}

bool names_tuple_next(struct bytes *names, struct text *out)
{
    struct bytes name = {0};
    uint32_t size;
    *out = (struct text){"", 0};
    if (bytes_left(names) > 2 && *names->at == 0xFF) { // at the end, the count of named arguments remains
        return bytes_skip(names, 1);
    }
    if (bytes_left(names) <= 2 || !bytes_compressed(names, &size) || !bytes_take(names, size, &name)) {
        return false;
    }
    *out = (struct text){(const char *)name.at, bytes_left(&name)};
    return true;
}
