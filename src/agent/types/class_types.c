// Type numbers of loaded classes. Recurses from a class to its array items, type arguments and fields.
#include "agent/types/class_types.h"

#include <stdlib.h>
#include <string.h>

#include "agent/probe/probe_classes.h"
#include "agent/session/agent.h"
#include "agent/types/class_dependencies.h"
#include "agent/types/computed_layouts.h"
#include "agent/types/layouts.h"
#include "agent/types/loaded_classes.h"
#include "agent/types/type_numbers.h"
#include "base/locked.h"
#include "metadata/tables/signature.h"

enum {
    DEPTH_MAX = 16, // of type arguments in type arguments
    RANK_MAX = 32,  // of an array; the runtime allows no more
};

struct class_query *class_query_new(clr_id class)
{
    struct class_query *query = calloc(1, sizeof *query);
    if (query) {
        query->table = (const void *)class;
    }
    return query;
}

bool class_fields(struct class_query *query, clr_id class, struct layout_source *out)
{
    out->fields = query->fields;
    clr_result result =
        info_get_layout(agent.info, class, CLASS_FIELDS_MAX, query->fields, &out->field_count, &out->size);
    return !clr_failed(result) && out->field_count <= CLASS_FIELDS_MAX;
}

static uint32_t number_of(struct class_query *query, clr_id class, const struct type_report *report, unsigned depth);

// -- Arrays -----------------------------------------------------------------------------------------------------------

struct array {
    uint32_t element, rank;
    clr_id item;     // 0: the item is a primitive
    bool has_bounds; // its objects have room for lower bounds: one dimension that need not begin at 0
};

static uint32_t number_of_array(struct class_query *query, const struct array *array, const struct type_report *report,
                                unsigned depth)
{
    char suffix[RANK_MAX + 8] = "[";
    uint32_t inner =
        array->item ? number_of(query, array->item, NULL, depth - 1) : type_primitive((uint8_t)array->element, NULL);
    if (!inner || array->rank < 1 || array->rank > RANK_MAX) {
        return 0;
    }
    if (array->rank == 1) {
        return array->has_bounds ? type_around(ELEMENT_ARRAY, inner, "[*]", report)
                                 : type_around(ELEMENT_SZARRAY, inner, "[]", report);
    }
    CLEW_ASSERT(array->rank + 2 <= sizeof suffix);
    memset(suffix + 1, ',', array->rank - 1);
    suffix[array->rank] = ']';
    return type_around(ELEMENT_ARRAY, inner, suffix, report);
}

// -- Layouts of the structs in a struct -------------------------------------------------------------------------------

static void report_part(struct class_query *query, uint32_t number, unsigned depth)
{
    static const struct type_report with_layout = {0};
    const struct type_entry type = *type_entry_of(number);
    bool is_struct = type.encoding == VALUE_STRUCT && type.module;
    uint32_t position = 0;
    clr_id class;
    while (is_struct && !type.has_layout && (class = loaded_class_next(&type, &position)) != 0) {
        if (number_of(query, class, NULL, depth - 1) == number) {
            (void)number_of(query, class, &with_layout, depth - 1);
            return;
        }
    }
    if (is_struct && !type.has_layout) {
        (void)layout_compute(number);
    }
}

// A struct in a struct was loaded before the outer one or together with it, so loaded_classes.c knows it.
static void report_parts(struct class_query *query, const struct type_layout *layout, unsigned depth)
{
    for (uint32_t i = 0; i < layout->field_count && depth > 1; i++) {
        bool repeated = i > 0 && layout->fields[i].type == layout->fields[i - 1].type;
        if (layout->fields[i].type && !repeated) {
            report_part(query, layout->fields[i].type, depth);
        }
    }
}

static uint32_t number_with_layout(struct class_query *query, clr_id class, struct layout_source *source,
                                   const struct type_report *report, unsigned depth)
{
    struct type_layout layout;
    struct type_report with = *report;
    if (class_is_value((const void *)class) && class_fields(query, class, source) && layout_make(source, &layout)) {
        with.layout = &layout;
    }
    uint32_t number = type_defined(source->module, source->token, source->arguments, &with);
    if (with.layout) {
        report_parts(query, &layout, depth);
        layout_free(&layout);
    }
    return number;
}

// -- Classes ----------------------------------------------------------------------------------------------------------

static uint32_t number_of_defined(struct class_query *query, clr_id class, const struct type_report *report,
                                  unsigned depth)
{
    clr_id given[TYPE_ARGUMENTS_MAX], module_id = 0;
    struct type_arguments arguments = {0};
    struct layout_source source = {.arguments = &arguments};
    clr_result result = info_get_class_arguments(agent.info, class, &module_id, &source.token, TYPE_ARGUMENTS_MAX,
                                                 &arguments.count, given);
    source.module = clr_failed(result) ? NULL : module_find(module_id);
    if (!source.module || arguments.count > TYPE_ARGUMENTS_MAX) {
        return 0;
    }
    class_depends_on(query->table, source.module);
    for (uint32_t i = 0; i < arguments.count; i++) {
        arguments.numbers[i] = number_of(query, given[i], NULL, depth - 1);
    }
    return report ? number_with_layout(query, class, &source, report, depth)
                  : type_defined(source.module, source.token, &arguments, NULL);
}

static uint32_t number_of(struct class_query *query, clr_id class, const struct type_report *report, unsigned depth)
{
    enum { WITHOUT_BOUNDS = 24 }; // bytes of an array of one dimension without items
    struct array array = {0};
    uint32_t number = 0;
    if (depth == 0 || !class || class & 7) { // pointers, byrefs and type parameters have no method table
        return type_unreadable(report);
    }
    clr_result result = info_get_array(agent.info, class, &array.element, &array.item, &array.rank);
    if (result == CLR_OK) {
        array.has_bounds = class_fact((const void *)class, CLASS_BASE_SIZE_AT) > WITHOUT_BOUNDS;
        number = number_of_array(query, &array, report, depth);
    } else if (!clr_failed(result)) {
        number = number_of_defined(query, class, report, depth);
    }
    return number ? number : type_unreadable(report);
}

uint32_t class_type(struct class_query *query, clr_id class, const struct type_report *report)
{
    CLEW_ASSERT_LOCKED(&class_lock);
    return number_of(query, class, report, DEPTH_MAX);
}
