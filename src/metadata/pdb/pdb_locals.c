// Local variables and constants, by slot and scope. Compilers reuse slots, so the variable of a slot depends on the IL
// offset; a sorted array answers this for the weaver, which asks for each load and store. Source of facts: Portable PDB
// v1.0, "LocalScope Table" to "LocalConstant Table".
#include "base/assert.h"
#include "metadata/pdb/pdb.h"

#include <stdlib.h>

#include "metadata/tables/signature.h"

enum { ATTRIBUTE_HIDDEN = 1, DECIMAL_SIZE = 13, DATE_TIME_SIZE = 8, MODIFIERS_MAX = 64 };

struct metadata_range pdb_scopes_of(const struct pdb *pdb, uint32_t method_token)
{
    if (TOKEN_TABLE(method_token) != TABLE_METHOD_DEF || TOKEN_ROW(method_token) == 0 || !pdb->sorted_scopes) {
        return (struct metadata_range){1, 1};
    }
    return metadata_find_all(&pdb->metadata, TABLE_LOCAL_SCOPE, LOCAL_SCOPE_METHOD, TOKEN_ROW(method_token));
}

static struct pdb_il_range scope_range(const struct pdb *pdb, uint32_t row)
{
    uint32_t start = metadata_column(&pdb->metadata, TABLE_LOCAL_SCOPE, row, LOCAL_SCOPE_START);
    uint32_t length = metadata_column(&pdb->metadata, TABLE_LOCAL_SCOPE, row, LOCAL_SCOPE_LENGTH);
    return (struct pdb_il_range){start, length > UINT32_MAX - start ? UINT32_MAX : start + length};
}

bool pdb_scope(const struct pdb *pdb, uint32_t row, struct pdb_scope *out)
{
    const struct metadata *metadata = &pdb->metadata;
    if (row == 0 || row > metadata_rows(metadata, TABLE_LOCAL_SCOPE)) {
        return false;
    }
    *out = (struct pdb_scope){
        .il = scope_range(pdb, row),
        .variables = metadata_list(metadata, TABLE_LOCAL_SCOPE, row, LOCAL_SCOPE_VARIABLES, TABLE_LOCAL_VARIABLE),
        .constants = metadata_list(metadata, TABLE_LOCAL_SCOPE, row, LOCAL_SCOPE_CONSTANTS, TABLE_LOCAL_CONSTANT)};
    return true;
}

bool pdb_variable(const struct pdb *pdb, uint32_t row, struct pdb_variable *out)
{
    const struct metadata *metadata = &pdb->metadata;
    if (row == 0 || row > metadata_rows(metadata, TABLE_LOCAL_VARIABLE)) {
        return false;
    }
    *out = (struct pdb_variable){
        .name = metadata_string(metadata, metadata_column(metadata, TABLE_LOCAL_VARIABLE, row, LOCAL_VARIABLE_NAME)),
        .slot = (uint16_t)metadata_column(metadata, TABLE_LOCAL_VARIABLE, row, LOCAL_VARIABLE_SLOT),
        .hidden = metadata_column(metadata, TABLE_LOCAL_VARIABLE, row, LOCAL_VARIABLE_ATTRIBUTES) & ATTRIBUTE_HIDDEN};
    return true;
}

// -- All of a method --------------------------------------------------------------------------------------------------

// A variable in its scope. `last_end` ends a backward search early: no earlier range of the slot reaches beyond it.
struct pdb_variable_range {
    uint16_t slot;
    uint32_t scope, row;
    struct pdb_il_range il;
    uint32_t last_end; // the highest end of the ranges with this slot up to here
};

// Orders ranges by slot, then by start. An inner scope starts behind its outer scope, or follows it in the table, so a
// backward search finds the innermost first. Of two variables in one scope the first row is sorted last, so that it is
// found.
static int compare_ranges(const void *left, const void *right)
{
    const struct pdb_variable_range *a = left, *b = right;
    if (a->slot != b->slot) {
        return a->slot < b->slot ? -1 : 1;
    }
    if (a->il.start != b->il.start) {
        return a->il.start < b->il.start ? -1 : 1;
    }
    if (a->scope != b->scope) {
        return a->scope < b->scope ? -1 : 1;
    }
    return a->row < b->row ? 1 : -1;
}

// The number of variables in all scopes; 0 when scopes share rows, which happens only in damaged PDBs.
static uint32_t count_variables(const struct pdb *pdb, struct metadata_range scopes)
{
    uint64_t count = 0;
    struct pdb_scope scope;
    for (uint32_t row = scopes.first; row < scopes.end && pdb_scope(pdb, row, &scope); row++) {
        count += scope.variables.end - scope.variables.first;
    }
    return count <= metadata_rows(&pdb->metadata, TABLE_LOCAL_VARIABLE) ? (uint32_t)count : 0;
}

static uint32_t fill_ranges(const struct pdb *pdb, struct metadata_range scopes, struct pdb_variable_range *ranges)
{
    uint32_t count = 0;
    struct pdb_scope scope;
    struct pdb_variable variable;
    for (uint32_t row = scopes.first; row < scopes.end && pdb_scope(pdb, row, &scope); row++) {
        for (uint32_t i = scope.variables.first; i < scope.variables.end && pdb_variable(pdb, i, &variable); i++) {
            ranges[count++] =
                (struct pdb_variable_range){.slot = variable.slot, .scope = row, .row = i, .il = scope.il};
        }
    }
    return count;
}

bool pdb_variables_of(const struct pdb *pdb, uint32_t method_token, struct arena *arena, struct pdb_variables *out)
{
    struct metadata_range scopes = pdb_scopes_of(pdb, method_token);
    uint32_t room = count_variables(pdb, scopes);
    struct pdb_variable_range *ranges = arena_alloc(arena, ((size_t)room + 1) * sizeof *ranges);
    *out = (struct pdb_variables){.ranges = ranges};
    if (!ranges) {
        return false;
    }
    out->count = room ? fill_ranges(pdb, scopes, ranges) : 0;
    CLEW_ASSERT(out->count <= room);
    qsort(ranges, out->count, sizeof *ranges, compare_ranges);
    for (uint32_t i = 0; i < out->count; i++) {
        bool same = i > 0 && ranges[i - 1].slot == ranges[i].slot;
        uint32_t before = same ? ranges[i - 1].last_end : 0;
        ranges[i].last_end = before > ranges[i].il.end ? before : ranges[i].il.end;
        CLEW_ASSERT(ranges[i].last_end >= ranges[i].il.end && ranges[i].last_end >= before);
    }
    return true;
}

// The number of ranges before the slot's and of those of it that start at `il_offset` or before.
static uint32_t ranges_up_to(const struct pdb_variables *variables, uint16_t slot, uint32_t il_offset)
{
    uint32_t low = 0, high = variables->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct pdb_variable_range *range = &variables->ranges[middle];
        if (range->slot < slot || (range->slot == slot && range->il.start <= il_offset)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    CLEW_ASSERT(low <= variables->count);
    return low;
}

uint32_t pdb_variables_at(const struct pdb_variables *variables, uint16_t slot, uint32_t il_offset)
{
    const struct pdb_variable_range *ranges = variables->ranges;
    for (uint32_t i = ranges_up_to(variables, slot, il_offset); i-- > 0;) {
        if (ranges[i].slot != slot || ranges[i].last_end <= il_offset) {
            return 0;
        }
        if (il_offset < ranges[i].il.end) {
            return ranges[i].row;
        }
    }
    return 0;
}

uint32_t pdb_variables_stored(const struct pdb_variables *variables, uint16_t slot, uint32_t il_offset, uint32_t il_end)
{
    uint32_t row = pdb_variables_at(variables, slot, il_offset);
    return row ? row : pdb_variables_at(variables, slot, il_end);
}

// -- Constants --------------------------------------------------------------------------------------------------------

// Size and kind of the values that a constant's first byte announces; size 0 for others.
struct element_form {
    uint8_t size;
    enum pdb_constant_kind kind;
};

static struct element_form element_form(uint8_t element)
{
    static const struct element_form forms[] = {
        [ELEMENT_BOOLEAN] = {1, PDB_CONSTANT_BOOLEAN}, [ELEMENT_CHAR] = {2, PDB_CONSTANT_CHARACTER},
        [ELEMENT_I1] = {1, PDB_CONSTANT_SIGNED},       [ELEMENT_U1] = {1, PDB_CONSTANT_UNSIGNED},
        [ELEMENT_I2] = {2, PDB_CONSTANT_SIGNED},       [ELEMENT_U2] = {2, PDB_CONSTANT_UNSIGNED},
        [ELEMENT_I4] = {4, PDB_CONSTANT_SIGNED},       [ELEMENT_U4] = {4, PDB_CONSTANT_UNSIGNED},
        [ELEMENT_I8] = {8, PDB_CONSTANT_SIGNED},       [ELEMENT_U8] = {8, PDB_CONSTANT_UNSIGNED},
        [ELEMENT_R4] = {4, PDB_CONSTANT_SINGLE},       [ELEMENT_R8] = {8, PDB_CONSTANT_DOUBLE},
    };
    return element < sizeof forms / sizeof *forms ? forms[element] : (struct element_form){0};
}

static uint64_t little_endian(struct bytes bytes)
{
    CLEW_ASSERT(bytes_left(&bytes) <= sizeof(uint64_t));
    uint64_t value = 0;
    unsigned shift = 0;
    for (uint8_t byte; bytes_u8(&bytes, &byte); shift += 8) {
        value |= (uint64_t)byte << shift;
    }
    return value;
}

static uint64_t sign_extended(uint64_t value, unsigned size)
{
    CLEW_ASSERT(size > 0 && size <= sizeof value);
    unsigned shift = 64 - 8 * size;
    return (uint64_t)((int64_t)(value << shift) >> shift);
}

static bool read_type(struct bytes *blob, uint32_t *out)
{
    uint32_t coded;
    if (!bytes_compressed(blob, &coded)) {
        return false;
    }
    *out = metadata_decode(CODED_TYPE_DEF_OR_REF, coded);
    return *out != 0;
}

// PrimitiveConstant, except strings, and EnumConstant: the bytes behind the value name the enumeration.
static bool read_number(struct bytes blob, struct element_form form, struct pdb_constant *out)
{
    struct bytes value;
    if (!bytes_take(&blob, form.size, &value) || (bytes_left(&blob) && !read_type(&blob, &out->type))) {
        return false;
    }
    out->kind = form.kind;
    out->bits = little_endian(value);
    if (form.kind == PDB_CONSTANT_SIGNED) {
        out->bits = sign_extended(out->bits, form.size);
    }
    return true;
}

static bool read_string(struct bytes blob, struct pdb_constant *out)
{
    size_t size = bytes_left(&blob);
    if (size == 1 && *blob.at == 0xFF) {
        out->kind = PDB_CONSTANT_NULL;
        return true;
    }
    out->kind = PDB_CONSTANT_STRING;
    out->value = blob;
    return size % 2 == 0;
}

// GeneralConstant. Only Decimal and DateTime have values; they are distinguished by size.
static bool read_general(struct bytes blob, struct pdb_constant *out)
{
    if (!read_type(&blob, &out->type)) {
        return false;
    }
    switch (bytes_left(&blob)) {
    case 0:
        out->kind = out->element == ELEMENT_CLASS ? PDB_CONSTANT_NULL : PDB_CONSTANT_DEFAULT;
        return true;
    case DATE_TIME_SIZE:
        out->kind = PDB_CONSTANT_DATE_TIME;
        out->bits = little_endian(blob);
        return true;
    case DECIMAL_SIZE:
        out->kind = PDB_CONSTANT_DECIMAL;
        out->value = blob;
        return true;
    default:
        return false;
    }
}

static bool read_constant(struct bytes blob, struct pdb_constant *out)
{
    uint32_t ignored;
    for (unsigned i = 0; i < MODIFIERS_MAX; i++) {
        if (!bytes_u8(&blob, &out->element)) {
            return false;
        }
        if (out->element != ELEMENT_MODIFIER_OPTIONAL && out->element != ELEMENT_MODIFIER_REQUIRED) {
            break;
        }
        if (!bytes_compressed(&blob, &ignored)) {
            return false;
        }
    }
    struct element_form form = element_form(out->element);
    if (form.size) {
        return read_number(blob, form, out);
    }
    switch (out->element) {
    case ELEMENT_STRING:
        return read_string(blob, out);
    case ELEMENT_OBJECT:
        out->kind = PDB_CONSTANT_NULL;
        return bytes_left(&blob) == 0;
    case ELEMENT_CLASS:
    case ELEMENT_VALUE_TYPE:
        return read_general(blob, out);
    default:
        return false;
    }
}

bool pdb_constant(const struct pdb *pdb, uint32_t row, struct pdb_constant *out)
{
    const struct metadata *metadata = &pdb->metadata;
    if (row == 0 || row > metadata_rows(metadata, TABLE_LOCAL_CONSTANT)) {
        return false;
    }
    struct pdb_constant constant = {
        .name = metadata_string(metadata, metadata_column(metadata, TABLE_LOCAL_CONSTANT, row, LOCAL_CONSTANT_NAME))};
    *out = constant;
    struct bytes blob =
        metadata_blob(metadata, metadata_column(metadata, TABLE_LOCAL_CONSTANT, row, LOCAL_CONSTANT_SIGNATURE));
    if (read_constant(blob, &constant)) {
        *out = constant;
    }
    return true;
}
