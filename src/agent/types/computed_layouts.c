// Computes layouts of structs from metadata.
//
// The runtime keeps the field order that a struct asks for (methodtablebuilder.cpp, class.cpp) unless a field is a
// reference or a struct with automatic layout. It aligns each field as the field's type demands, or less if the struct
// declares a packing (ECMA-335 II.22.8). A single field is always at offset 0. No other layout is documented, so for any
// other struct the computation gives up, and the layout comes from the runtime once the class is loaded (class_types.c).
#include "agent/types/computed_layouts.h"

#include <stdlib.h>

#include "agent/types/layouts.h"
#include "agent/types/redacted_fields.h"
#include "agent/types/type_numbers.h"
#include "base/assert.h"
#include "metadata/tables/metadata_types.h"
#include "metadata/tables/signature.h"

enum {
    DEPTH_MAX = 16,              // of structs in structs
    COMPUTED_MAX = 64,           // fields of a struct whose layout is computed
    SIZE_MAX_COMPUTED = 1 << 20, // bytes
};

// What a field of some type demands of the struct around it.
struct extent {
    uint32_t size;
    uint32_t alignment; // 0: only the runtime knows it
    bool references;    // it is a reference or contains one
    bool automatic;     // the runtime chooses the order of its fields, or of the fields of a struct in it
};

struct computed {
    struct layout_source source;
    struct type_arguments arguments;
    struct clr_field fields[COMPUTED_MAX];
    uint32_t types[COMPUTED_MAX];
    uint32_t order;          // enum layout_order
    uint32_t packing, least; // declared alignment limit and minimum size; 0: not declared
    struct extent extent;
};

// TypeAttributes, ECMA-335 II.23.1.15.
enum layout_order { ORDER_AUTOMATIC = 0x00, ORDER_SEQUENTIAL = 0x08, ORDER_EXPLICIT = 0x10, ORDER_MASK = 0x18 };

static bool compute(uint32_t number, struct computed *out, unsigned depth);

static bool extent_of(uint32_t number, struct extent *out, unsigned depth)
{
    struct type_entry type = *type_entry_of(number);
    struct computed *inner;
    switch (type.kind) {
    case TYPE_PRIMITIVE:
    case TYPE_ENUM:
    case TYPE_POINTER:
        *out = (struct extent){.size = type.size, .alignment = type.size};
        return type.size > 0;
    case TYPE_CLASS:
    case TYPE_STRING:
    case TYPE_ARRAY:
    case TYPE_DELEGATE:
        *out = (struct extent){.size = 8, .alignment = 8, .references = true};
        return true;
    case TYPE_STRUCT:
    case TYPE_NULLABLE:
        inner = depth ? malloc(sizeof *inner) : NULL;
        bool computed = inner && compute(number, inner, depth - 1);
        *out = computed ? inner->extent : *out;
        free(inner);
        return computed;
    default:
        return false;
    }
}

// Order, packing and size as the type declares them: TypeDef and ClassLayout rows.
static void read_declared(struct computed *what)
{
    const struct metadata *metadata = &what->source.module->metadata;
    uint32_t type = TOKEN_ROW(what->source.token);
    uint32_t row = metadata_find(metadata, TABLE_CLASS_LAYOUT, CLASS_LAYOUT_PARENT, type);
    what->order = metadata_column(metadata, TABLE_TYPE_DEF, type, TYPE_DEF_FLAGS) & ORDER_MASK;
    what->packing = row ? metadata_column(metadata, TABLE_CLASS_LAYOUT, row, CLASS_LAYOUT_PACKING) : 0;
    what->least = row ? metadata_column(metadata, TABLE_CLASS_LAYOUT, row, CLASS_LAYOUT_SIZE) : 0;
}

// Takes one instance field. Explicit layout demands an offset for each field, other layouts forbid offsets (II.22.16).
static bool add_field(struct computed *what, uint32_t token)
{
    const struct metadata *metadata = &what->source.module->metadata;
    uint32_t count = what->source.field_count;
    uint32_t row = metadata_find(metadata, TABLE_FIELD_LAYOUT, FIELD_LAYOUT_FIELD, TOKEN_ROW(token));
    if (count == COMPUTED_MAX || (what->order == ORDER_EXPLICIT) != (row != 0)) {
        return false;
    }
    uint32_t offset = row ? metadata_column(metadata, TABLE_FIELD_LAYOUT, row, FIELD_LAYOUT_OFFSET) : 0;
    what->fields[count] = (struct clr_field){token, offset};
    what->types[count] = field_type(&what->source, token);
    what->source.field_count++;
    return what->types[count] != 0;
}

static bool read_fields(struct computed *what)
{
    struct instance_fields fields = instance_fields_of(&what->source.module->metadata, what->source.token);
    uint32_t token;
    what->source.fields = what->fields;
    while (instance_fields_next(&fields, &token)) {
        if (!add_field(what, token)) {
            return false;
        }
    }
    return true;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

// Types of the core library that the runtime treats specially by name: it aligns some by rules of its own, and gives
// Vector<T> the size of the machine's vector registers.
enum special { PLAIN, SPECIAL_ALIGNMENT, SPECIAL_SIZE };

static enum special special_of(const struct layout_source *source)
{
    struct type_def def;
    if (!module_is_core_library(source->module) || !type_def_of(&source->module->metadata, source->token, &def)) {
        return PLAIN;
    }
    bool wide = text_equal(def.name, text_of("Int128")) || text_equal(def.name, text_of("UInt128"));
    return text_equal(def.name, text_of("Vector`1"))                             ? SPECIAL_SIZE
           : wide || text_equal(def.space, text_of("System.Runtime.Intrinsics")) ? SPECIAL_ALIGNMENT
                                                                                 : PLAIN;
}

// Places one field after the other. False: their order or alignment is not known. Fields that all have one type need no
// known alignment, since the end of each is aligned for the next.
static bool place_fields(struct computed *what, unsigned depth)
{
    struct extent *whole = &what->extent;
    uint32_t end = 0, count = what->source.field_count;
    *whole = (struct extent){.alignment = 1, .automatic = what->order == ORDER_AUTOMATIC};
    for (uint32_t i = 0; i < count; i++) {
        struct extent field;
        if (!extent_of(what->types[i], &field, depth)) {
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
    CLEW_ASSERT(end <= 2 * SIZE_MAX_COMPUTED && "sums of offsets and sizes do not wrap");
    return true;
}

// Rounds the size up to the alignment, as in an array, and applies the declared size and the number of inline items. False:
// an explicit layout needs padding, or the declared size is no multiple of the alignment; the runtime's rule for these is
// not known.
static bool round_up(struct computed *what)
{
    struct extent *whole = &what->extent;
    uint32_t items = layout_inline_count(&what->source), alignment = whole->alignment ? whole->alignment : 1;
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
    if (special == SPECIAL_SIZE || !read_fields(out) || !place_fields(out, depth) || !round_up(out)) {
        return false;
    }
    out->extent.alignment = special == SPECIAL_ALIGNMENT ? 0 : out->extent.alignment;
    return true;
}

// Span and ReadOnlySpan: a byref to the first item at offset 0 and the length at offset 8. The JIT depends on that.
static bool compute_span(uint32_t number, struct computed *out)
{
    struct type_def def;
    *out = (struct computed){0};
    bool defined = type_definition_of(number, &out->source.module, &out->source.token, &out->arguments) &&
                   module_is_core_library(out->source.module) &&
                   type_def_of(&out->source.module->metadata, out->source.token, &def) &&
                   text_equal(def.space, text_of("System"));
    out->source.arguments = &out->arguments;
    if (!defined || !(text_equal(def.name, text_of("Span`1")) || text_equal(def.name, text_of("ReadOnlySpan`1"))) ||
        !read_fields(out) || out->source.field_count != 2 || type_entry_of(out->types[0])->kind != TYPE_REFERENCE ||
        type_entry_of(out->types[1])->encoding != VALUE_I4) {
        return false;
    }
    out->fields[1].offset = 8;
    out->source.size = out->extent.size = 16;
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
        size = what->extent.references || redacts_fields(number) ? 0 : what->extent.size;
        if (!type.has_layout && layout_make(&what->source, &layout)) {
            type_report_layout(number, &layout);
            layout_free(&layout);
        }
        for (uint32_t i = 0; i < what->source.field_count; i++) {
            (void)layout_compute(what->types[i]);
        }
    }
    free(what);
    type_set_plain_size(number, size);
    return size;
}
