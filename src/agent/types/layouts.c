#include "agent/types/layouts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/loaded/modules.h"
#include "agent/session/agent.h"
#include "agent/session/settings.h"
#include "agent/types/type_signatures.h"
#include "agent/types/type_table.h"
#include "metadata/names/names_tuple.h"
#include "metadata/names/names_variable.h"
#include "metadata/tables/metadata_types.h"
#include "metadata/tables/signature.h"
#include "trace/tuple_names.h"

enum {
    ITEMS_MAX = 256,             // of a buffer within a struct
    ITEM_NAME = 8,               // bytes: "[255]"
    DEPTH_MAX = 16,              // of structs in structs
    COMPUTED_MAX = 64,           // fields of a struct whose layout is computed
    SIZE_MAX_COMPUTED = 1 << 20, // bytes
};

static uint32_t type_of_field(const struct layout_source *source, uint32_t token)
{
    enum { SIGNATURE = 2 };
    const struct metadata *metadata = &source->module->metadata;
    struct bytes type;
    struct bytes blob = metadata_blob(metadata, metadata_column(metadata, TABLE_FIELD, TOKEN_ROW(token), SIGNATURE));
    bool read = TOKEN_TABLE(token) == TABLE_FIELD && signature_field(blob, &type) == CLEW_OK;
    return read ? types_in_instance(source->module, source->arguments, type) : 0;
}

static struct text name_of_field(const struct layout_source *source, uint32_t token)
{
    struct variable_name name;
    return names_field(&source->module->metadata, token, &name) ? name.name : (struct text){0};
}

// -- What is left out -------------------------------------------------------------------------------------------------

static bool has_hiding_fields(uint32_t number, unsigned depth, bool *unsure);

// Whether a field of the type, as a signature states it, may be a struct.
static bool may_be_struct(struct bytes type)
{
    uint8_t element = ELEMENT_VALUE_TYPE;
    (void)bytes_u8(&type, &element);
    return element == ELEMENT_VALUE_TYPE || element == ELEMENT_GENERIC_INSTANCE || element == ELEMENT_VAR ||
           element == ELEMENT_MODIFIER_REQUIRED || element == ELEMENT_MODIFIER_OPTIONAL;
}

bool layout_may_hide(const struct module *module, uint32_t token)
{
    enum { FIELD_LIST = 4, FLAGS = 0, STATIC = 0x10, SIGNATURE = 2 };
    const struct metadata *metadata = &module->metadata;
    struct metadata_range rows = metadata_list(metadata, TABLE_TYPE_DEF, TOKEN_ROW(token), FIELD_LIST, TABLE_FIELD);
    for (uint32_t row = rows.first; row < rows.end; row++) {
        struct variable_name name;
        struct bytes type = {0};
        bool named = names_field(metadata, TOKEN(TABLE_FIELD, row), &name);
        (void)signature_field(metadata_blob(metadata, metadata_column(metadata, TABLE_FIELD, row, SIGNATURE)), &type);
        bool may = may_be_struct(type) || (named && settings_redact(&agent.settings, name.name));
        if (may && !(metadata_column(metadata, TABLE_FIELD, row, FLAGS) & STATIC)) {
            return true;
        }
    }
    return false;
}

// Whether the source calls an item of a tuple in the field by a name that is left out.
static bool hides_item(const struct layout_source *source, uint32_t token)
{
    struct buffer made = {0};
    struct text name;
    names_tuple_of_field(&source->module->metadata, token, &made);
    struct text names = {(const char *)made.data, made.size};
    bool hides = made.failed; // rather nothing than a secret
    while (!hides && tuple_names_take(&names, &name)) {
        hides = settings_redact(&agent.settings, name);
    }
    buffer_free(&made);
    return hides;
}

static bool hides_field(const struct layout_source *source, uint32_t token, uint32_t type, unsigned depth, bool *unsure)
{
    return settings_redact(&agent.settings, name_of_field(source, token)) || hides_item(source, token) ||
           (type && has_hiding_fields(type, depth, unsure));
}

static bool look_for_hiding(const struct layout_source *source, unsigned depth, bool *unsure)
{
    enum { FIELD_LIST = 4, FLAGS = 0, STATIC = 0x10 };
    const struct metadata *metadata = &source->module->metadata;
    struct metadata_range rows =
        metadata_list(metadata, TABLE_TYPE_DEF, TOKEN_ROW(source->token), FIELD_LIST, TABLE_FIELD);
    for (uint32_t row = rows.first; row < rows.end; row++) {
        uint32_t token = TOKEN(TABLE_FIELD, row), type;
        if (metadata_column(metadata, TABLE_FIELD, row, FLAGS) & STATIC) {
            continue;
        }
        type = type_of_field(source, token);
        *unsure |= type == 0;
        if (hides_field(source, token, type, depth, unsure)) {
            return true;
        }
    }
    return false;
}

static bool has_hiding_fields(uint32_t number, unsigned depth, bool *unsure)
{
    struct type_entry type = *type_entry_of(number);
    struct type_arguments arguments;
    struct layout_source source = {.arguments = &arguments};
    bool is_struct = type.kind == TYPE_STRUCT || type.kind == TYPE_NULLABLE || type.kind == TYPE_REF_STRUCT;
    if (!is_struct || type.hiding != HIDING_UNKNOWN || depth == 0) {
        return type.hiding == HIDES_FIELDS;
    }
    if (!type_definition_of(number, &source.module, &source.token, &arguments) ||
        atomic_load_explicit(&source.module->unloaded, memory_order_relaxed)) {
        return false;
    }
    bool unsure_of_it = false, hides = look_for_hiding(&source, depth - 1, &unsure_of_it);
    if (hides || !unsure_of_it) {
        type_set_hiding(number, hides ? HIDES_FIELDS : HIDES_NOTHING);
    }
    *unsure |= unsure_of_it;
    return hides;
}

bool layout_hides(uint32_t number)
{
    bool unsure = false;
    return has_hiding_fields(number, DEPTH_MAX, &unsure);
}

static void mask_range(uint64_t *mask, uint32_t from, uint32_t to)
{
    for (uint32_t at = from; at < to && at < LAYOUT_MASK_BYTES; at++) {
        mask[at / 64] |= UINT64_C(1) << at % 64;
    }
}

// To the next field, or further where fields overlap.
static uint32_t end_of_field(const struct layout_source *source, const struct clr_field *field, uint32_t type)
{
    uint32_t end = source->size, size = type ? type_entry_of(type)->size : 0;
    for (uint32_t i = 0; i < source->field_count; i++) {
        uint32_t offset = source->fields[i].offset;
        end = offset > field->offset && offset < end ? offset : end;
    }
    return size && field->offset + size > end ? field->offset + size : end;
}

void layout_mask(const struct layout_source *source, uint64_t mask[LAYOUT_MASK_BYTES / 64])
{
    memset(mask, 0, LAYOUT_MASK_BYTES / 8);
    for (uint32_t i = 0; i < source->field_count; i++) {
        const struct clr_field *field = &source->fields[i];
        uint32_t type = type_of_field(source, field->token);
        bool unsure = false;
        if (hides_field(source, field->token, type, DEPTH_MAX, &unsure)) {
            mask_range(mask, field->offset, end_of_field(source, field, type));
        }
    }
}

// -- Buffers within a struct ------------------------------------------------------------------------------------------
// A struct with one field, in the place of many: `fixed` buffers, whose size says how many there are, and inline arrays,
// whose attribute does.

static uint32_t inline_count(const struct layout_source *source)
{
    enum { PROLOG = 2 };
    struct bytes value;
    uint32_t count = 0;
    bool found = metadata_attribute(&source->module->metadata, source->token, "System.Runtime.CompilerServices",
                                    "InlineArrayAttribute", &value);
    return found && bytes_skip(&value, PROLOG) && bytes_u32(&value, &count) ? count : 0;
}

static uint32_t fixed_count(const struct layout_source *source, uint32_t item_size)
{
    bool fixed = text_equal(name_of_field(source, source->fields[0].token), text_of("FixedElementField"));
    return fixed && item_size ? source->size / item_size : 0;
}

// How many items the struct's only field stands for; 0: it is a field like any other.
static uint32_t item_count(const struct layout_source *source, uint32_t type)
{
    if (source->field_count != 1 || source->fields[0].offset != 0 || !type) {
        return 0;
    }
    uint32_t count = inline_count(source);
    count = count ? count : fixed_count(source, type_entry_of(type)->size);
    return count <= ITEMS_MAX ? count : ITEMS_MAX;
}

static bool make_items(const struct layout_source *source, uint32_t type, uint32_t count, struct type_layout *out)
{
    uint32_t whole = inline_count(source);
    uint32_t size = whole ? source->size / whole : type_entry_of(type)->size;
    struct type_field *fields = calloc(count, sizeof *fields + ITEM_NAME);
    char *names = fields ? (char *)(fields + count) : NULL;
    for (uint32_t i = 0; fields && i < count; i++) {
        char *name = names + (size_t)i * ITEM_NAME;
        (void)snprintf(name, ITEM_NAME, "[%u]", i);
        fields[i] = (struct type_field){.offset = i * size, .type = type, .name = text_of(name)};
    }
    *out = (struct type_layout){source->size, fields, count, NULL};
    return fields != NULL;
}

// -- Fields -----------------------------------------------------------------------------------------------------------

// Its place in the order of the source, which is that of the tokens.
static uint32_t declared_before(const struct layout_source *source, uint32_t token)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < source->field_count; i++) {
        count += source->fields[i].token < token;
    }
    return count;
}

// One after the other in a buffer that the layout keeps. Without memory there are none.
static void *name_tuples(const struct layout_source *source, struct type_field *fields)
{
    struct buffer texts = {0};
    for (uint32_t i = 0; i < source->field_count; i++) {
        uint32_t token = source->fields[i].token;
        size_t before = texts.size;
        names_tuple_of_field(&source->module->metadata, token, &texts);
        fields[declared_before(source, token)].tuple_names.size = texts.size - before;
    }
    const char *at = texts.failed ? NULL : (const char *)texts.data;
    for (uint32_t i = 0; i < source->field_count; i++) {
        struct text *names = &fields[declared_before(source, source->fields[i].token)].tuple_names;
        *names = (struct text){at, at ? names->size : 0};
        at = at ? at + names->size : NULL;
    }
    return texts.data;
}

bool layout_make(const struct layout_source *source, struct type_layout *out)
{
    uint32_t first = source->field_count ? type_of_field(source, source->fields[0].token) : 0;
    uint32_t items = item_count(source, first);
    if (items) {
        return make_items(source, first, items, out);
    }
    struct type_field *fields = calloc((size_t)source->field_count + 1, sizeof *fields);
    for (uint32_t i = 0; fields && i < source->field_count; i++) {
        uint32_t token = source->fields[i].token, type = i ? type_of_field(source, token) : first;
        bool unsure = false, hidden = hides_field(source, token, type, DEPTH_MAX, &unsure);
        fields[declared_before(source, token)] = (struct type_field){.offset = source->fields[i].offset,
                                                                     .type = hidden ? type_redacted() : type,
                                                                     .name = name_of_field(source, token)};
    }
    void *texts = fields ? name_tuples(source, fields) : NULL;
    *out = (struct type_layout){source->size, fields, source->field_count, texts};
    return fields != NULL;
}

void layout_free(struct type_layout *layout)
{
    free((void *)layout->fields);
    free(layout->texts);
}

// -- What follows from metadata ---------------------------------------------------------------------------------------
// The runtime keeps the order of fields that a struct asks for (methodtablebuilder.cpp, class.cpp) where none of them is a
// reference and none holds a struct that asks for no order; each is aligned as its type wants it, or as the struct packs
// it. One field alone is always at the start. Everything else only the runtime knows.

struct shape {
    uint32_t size;
    uint32_t alignment; // 0: only the runtime knows
    bool references;
    bool automatic; // the runtime chooses the order of its fields, or of those of a field
};

struct computed {
    struct layout_source source;
    struct type_arguments arguments;
    struct clr_field fields[COMPUTED_MAX];
    uint32_t types[COMPUTED_MAX];
    uint32_t order;          // enum layout_order
    uint32_t packing, least; // as it is declared, 0: it is not
    struct shape shape;
};

enum layout_order { ORDER_AUTOMATIC = 0x00, ORDER_SEQUENTIAL = 0x08, ORDER_EXPLICIT = 0x10, ORDER_MASK = 0x18 };

static bool compute(uint32_t number, struct computed *out, unsigned depth);

static bool shape_of(uint32_t number, struct shape *out, unsigned depth)
{
    struct type_entry type = *type_entry_of(number);
    struct computed *inner;
    switch (type.kind) {
    case TYPE_PRIMITIVE:
    case TYPE_ENUM:
    case TYPE_POINTER:
        *out = (struct shape){.size = type.size, .alignment = type.size};
        return type.size > 0;
    case TYPE_CLASS:
    case TYPE_STRING:
    case TYPE_ARRAY:
    case TYPE_DELEGATE:
        *out = (struct shape){.size = 8, .alignment = 8, .references = true};
        return true;
    case TYPE_STRUCT:
    case TYPE_NULLABLE:
        inner = depth ? malloc(sizeof *inner) : NULL;
        bool computed = inner && compute(number, inner, depth - 1);
        *out = computed ? inner->shape : *out;
        free(inner);
        return computed;
    default:
        return false;
    }
}

static void read_declared(struct computed *what)
{
    enum { PACKING = 0, SIZE = 1, PARENT = 2, FLAGS = 0 };
    const struct metadata *metadata = &what->source.module->metadata;
    uint32_t type = TOKEN_ROW(what->source.token);
    uint32_t row = metadata_find(metadata, TABLE_CLASS_LAYOUT, PARENT, type);
    what->order = metadata_column(metadata, TABLE_TYPE_DEF, type, FLAGS) & ORDER_MASK;
    what->packing = row ? metadata_column(metadata, TABLE_CLASS_LAYOUT, row, PACKING) : 0;
    what->least = row ? metadata_column(metadata, TABLE_CLASS_LAYOUT, row, SIZE) : 0;
}

static bool read_fields(struct computed *what)
{
    enum { FIELD_LIST = 4, FLAGS = 0, STATIC = 0x10, OFFSET = 0, FIELD = 1 };
    const struct metadata *metadata = &what->source.module->metadata;
    struct metadata_range rows =
        metadata_list(metadata, TABLE_TYPE_DEF, TOKEN_ROW(what->source.token), FIELD_LIST, TABLE_FIELD);
    uint32_t count = 0;
    for (uint32_t row = rows.first; row < rows.end; row++) {
        if (metadata_column(metadata, TABLE_FIELD, row, FLAGS) & STATIC) {
            continue;
        }
        if (count == COMPUTED_MAX) {
            return false;
        }
        uint32_t placed = metadata_find(metadata, TABLE_FIELD_LAYOUT, FIELD, row);
        if ((what->order == ORDER_EXPLICIT) != (placed != 0)) {
            return false;
        }
        what->fields[count] = (struct clr_field){
            TOKEN(TABLE_FIELD, row), placed ? metadata_column(metadata, TABLE_FIELD_LAYOUT, placed, OFFSET) : 0};
        what->types[count] = type_of_field(&what->source, what->fields[count].token);
        if (!what->types[count++]) {
            return false;
        }
    }
    what->source.fields = what->fields;
    what->source.field_count = count;
    return true;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

// Types of the core library that the runtime knows by name: it aligns some as it likes, and makes Vector<T> as large as the
// machine's vectors are.
enum special { PLAIN, ALIGNED_OTHERWISE, SIZED_OTHERWISE };

static enum special special_of(const struct layout_source *source)
{
    struct type_def def;
    if (!text_equal(source->module->assembly, text_of("System.Private.CoreLib")) ||
        !type_def_of(&source->module->metadata, source->token, &def)) {
        return PLAIN;
    }
    bool wide = text_equal(def.name, text_of("Int128")) || text_equal(def.name, text_of("UInt128"));
    return text_equal(def.name, text_of("Vector`1"))                             ? SIZED_OTHERWISE
           : wide || text_equal(def.space, text_of("System.Runtime.Intrinsics")) ? ALIGNED_OTHERWISE
                                                                                 : PLAIN;
}

// One field after the other; false where their order or their alignment is not known. Fields of one type need no alignment,
// since each ends where another one may begin.
static bool place_fields(struct computed *what, unsigned depth)
{
    struct shape *whole = &what->shape;
    uint32_t end = 0, count = what->source.field_count;
    *whole = (struct shape){.alignment = 1, .automatic = what->order == ORDER_AUTOMATIC};
    for (uint32_t i = 0; i < count; i++) {
        struct shape field;
        if (!shape_of(what->types[i], &field, depth)) {
            return false;
        }
        whole->references |= field.references;
        whole->automatic |= field.automatic;
        bool aligned = (whole->alignment && field.alignment) || what->types[i] == what->types[0];
        if (count > 1 && (whole->references || whole->automatic || !aligned)) {
            return false;
        }
        uint32_t alignment = what->packing ? least(what->packing, field.alignment) : field.alignment;
        if (what->order != ORDER_EXPLICIT && i > 0) {
            what->fields[i].offset = alignment ? (end + alignment - 1) / alignment * alignment : end;
        }
        if (what->fields[i].offset > SIZE_MAX_COMPUTED || field.size > SIZE_MAX_COMPUTED) {
            return false;
        }
        uint32_t after = what->fields[i].offset + field.size;
        end = after > end ? after : end;
        whole->alignment = !alignment || !whole->alignment ? 0
                           : alignment > whole->alignment  ? alignment
                                                           : whole->alignment;
    }
    whole->size = end;
    return true;
}

// Rounded up as in an array. Where an explicit order leaves a rest, or a size is declared that does, only the runtime
// knows what it makes of it.
static bool round_up(struct computed *what)
{
    struct shape *whole = &what->shape;
    uint32_t items = inline_count(&what->source), alignment = whole->alignment ? whole->alignment : 1;
    uint32_t rounded = (whole->size + alignment - 1) / alignment * alignment;
    bool declared = what->least > whole->size;
    if ((what->order == ORDER_EXPLICIT && rounded != whole->size && !declared) || what->least % alignment) {
        return false;
    }
    whole->size = declared ? what->least : rounded ? rounded : 1;
    if (items) {
        whole->size = items <= SIZE_MAX_COMPUTED / whole->size ? whole->size * items : 0;
    }
    what->source.size = whole->size;
    return whole->size > 0;
}

static bool compute(uint32_t number, struct computed *out, unsigned depth)
{
    *out = (struct computed){0};
    if (!type_definition_of(number, &out->source.module, &out->source.token, &out->arguments) ||
        atomic_load_explicit(&out->source.module->unloaded, memory_order_relaxed)) {
        return false;
    }
    out->source.arguments = &out->arguments;
    read_declared(out);
    enum special special = special_of(&out->source);
    if (special == SIZED_OTHERWISE || !read_fields(out) || !place_fields(out, depth) || !round_up(out)) {
        return false;
    }
    out->shape.alignment = special == ALIGNED_OTHERWISE ? 0 : out->shape.alignment;
    return true;
}

// Span and ReadOnlySpan, whose fields the JIT knows: what they begin at, and how long they are.
static bool compute_span(uint32_t number, struct computed *out)
{
    struct type_def def;
    *out = (struct computed){0};
    bool defined = type_definition_of(number, &out->source.module, &out->source.token, &out->arguments) &&
                   text_equal(out->source.module->assembly, text_of("System.Private.CoreLib")) &&
                   type_def_of(&out->source.module->metadata, out->source.token, &def) &&
                   text_equal(def.space, text_of("System"));
    out->source.arguments = &out->arguments;
    if (!defined || !(text_equal(def.name, text_of("Span`1")) || text_equal(def.name, text_of("ReadOnlySpan`1"))) ||
        !read_fields(out) || out->source.field_count != 2 || type_entry_of(out->types[0])->kind != TYPE_REFERENCE ||
        type_entry_of(out->types[1])->encoding != VALUE_I4) {
        return false;
    }
    out->fields[1].offset = 8;
    out->source.size = out->shape.size = 16;
    return true;
}

uint32_t layout_compute(uint32_t number)
{
    struct type_entry type = *type_entry_of(number);
    struct computed *what;
    struct type_layout layout;
    uint32_t size = 0;
    bool is_struct = type.kind == TYPE_STRUCT || type.kind == TYPE_NULLABLE;
    if (type.plain_size || type.not_computed || (!is_struct && type.kind != TYPE_REF_STRUCT)) {
        return type.plain_size;
    }
    what = malloc(sizeof *what);
    if (what && (is_struct ? compute(number, what, DEPTH_MAX) : compute_span(number, what))) {
        size = what->shape.references || layout_hides(number) ? 0 : what->shape.size;
        if (!type.has_layout && layout_make(&what->source, &layout)) {
            type_tell_layout(number, &layout);
            layout_free(&layout);
        }
        for (uint32_t i = 0; i < what->source.field_count; i++) {
            (void)layout_compute(what->types[i]);
        }
    }
    free(what);
    type_computed(number, size);
    return size;
}
