// Publishes facts about loaded value types for the probes.
#include "agent/types/value_classes.h"

#include <stdlib.h>
#include <string.h>

#include "agent/probe/probe_classes.h"
#include "agent/session/agent.h"
#include "agent/session/locks.h"
#include "agent/types/class_dependencies.h"
#include "agent/types/class_types.h"
#include "agent/types/loaded_classes.h"
#include "agent/types/redacted_fields.h"
#include "agent/types/type_numbers.h"
#include "base/locked.h"
#include "metadata/tables/metadata_types.h"

enum { DEPTH_MAX = 16 }; // of type arguments in type arguments

static struct map expected; // type number -> 1: value_classes_expect() has succeeded. Under class_lock.

// -- What the class is ------------------------------------------------------------------------------------------------

// Whether the class and all its parts stay loaded, and none of them is a type parameter.
static bool is_permanent(clr_id class, unsigned depth)
{
    clr_id given[TYPE_ARGUMENTS_MAX], module_id = 0, item = 0;
    uint32_t token, count = 0, element, rank;
    if (!class || class & 7 || depth == 0) {
        return !class; // an array item that is a primitive has no class
    }
    if (info_get_array(agent.info, class, &element, &item, &rank) == CLR_OK) {
        return is_permanent(item, depth - 1);
    }
    clr_result result =
        info_get_class_arguments(agent.info, class, &module_id, &token, TYPE_ARGUMENTS_MAX, &count, given);
    const struct module *module = clr_failed(result) ? NULL : module_find(module_id);
    bool all = module && count <= TYPE_ARGUMENTS_MAX && !(module->flags & MODULE_COLLECTIBLE);
    for (uint32_t i = 0; all && i < count; i++) {
        all = is_permanent(given[i], depth - 1);
    }
    return all;
}

static bool is_ref_struct(const struct module *module, uint32_t token)
{
    struct type_def def;
    return module && type_def_of(&module->metadata, token, &def) && def.kind == TYPE_DEF_REF_STRUCT;
}

// -- What is published ------------------------------------------------------------------------------------------------
// Under class_lock and type_table_lock().

static void publish_mask(struct class_query *query, clr_id class)
{
    struct type_arguments arguments;
    struct layout_source source = {.arguments = &arguments};
    uint64_t mask[CLASS_MASK_BYTES / 64];
    uint32_t number = class_type(query, class, NULL);
    if (!number || !redacts_fields(number)) {
        return;
    }
    if (!type_definition_of(number, &source.module, &source.token, &arguments) ||
        !class_fields(query, class, &source)) {
        memset(mask, 0xFF, sizeof mask); // where the field lies is not known: mask the whole value
    } else {
        redaction_mask(&source, mask);
    }
    class_set_mask(query->table, mask);
}

// site_sized() finds the method table there. Number 0: none is left, or a part of the type is not known.
static void publish_table(clr_id class, uint32_t number)
{
    CLEW_ASSERT_LOCKED(&class_lock);
    CLEW_ASSERT(number < 1u << CLASS_NUMBER_BITS);
    if (number) {
        atomic_store_explicit(&class_tables[number], (const void *)class, memory_order_release);
    }
}

static void publish(clr_id class, bool may_redact, bool ref_struct, bool is_expected)
{
    static const struct type_report with_layout = {0};
    struct class_query *query = class_query_new(class);
    if (!query) {
        return;
    }
    lock_take(&class_lock, LOCK_CLASSES);
    type_table_lock();
    if (may_redact) {
        publish_mask(query, class);
    }
    if (ref_struct || is_expected) {
        publish_table(class, class_type(query, class, ref_struct ? &with_layout : NULL));
    }
    type_table_unlock();
    lock_release(&class_lock, LOCK_CLASSES);
    free(query);
}

// -- Callbacks --------------------------------------------------------------------------------------------------------

// class_is_table() recognises a method table by its base classes, which end in System.Object. Takes System.Object from the
// base classes of the first value type: at least System.ValueType lies between.
static void find_root(clr_id class)
{
    enum { FEWEST_BASES = 2 };
    unsigned bases = 0;
    uintptr_t base;
    if (atomic_load_explicit(&class_root, memory_order_relaxed)) {
        return;
    }
    while ((base = *(const uintptr_t *)(class + CLASS_PARENT_AT)) != 0) {
        class = base;
        bases++;
    }
    if (bases >= FEWEST_BASES) {
        atomic_store_explicit(&class_root, class, memory_order_relaxed);
    }
}

void value_classes_loaded(clr_id class)
{
    clr_id module_id;
    uint32_t token;
    if (!class_slots || !class || class & 7 || !class_is_value((const void *)class) ||
        clr_failed(info_get_class(agent.info, class, &module_id, &token))) {
        return;
    }
    find_root(class);
    struct module *module = module_find(module_id);
    bool may_redact = module && may_redact_fields(module, token), ref_struct = false, is_expected = false;
    if (is_permanent(class, DEPTH_MAX)) {
        is_expected = loaded_class_add(class, module_id, token);
        ref_struct = is_ref_struct(module, token);
    }
    if (may_redact || ref_struct || is_expected) {
        publish(class, may_redact, ref_struct, is_expected);
    }
}

// Publishes the method table if the class is loaded already; else value_classes_loaded() will find it expected. Under both
// locks. The expectation is noted first: a class that is loaded in between is found by at least one of the two.
static bool expect(struct class_query *query, uint32_t number)
{
    const struct type_entry type = *type_entry_of(number);
    uint32_t position = 0;
    clr_id class;
    bool noted = type.module && loaded_class_expect(type.module->id, type.token);
    while (noted && (class = loaded_class_next(&type, &position)) != 0) {
        if (class_type(query, class, NULL) == number) {
            publish_table(class, number);
            break;
        }
    }
    return noted;
}

bool value_classes_expect(uint32_t number)
{
    uint64_t yes;
    lock_take(&class_lock, LOCK_CLASSES);
    bool done = map_get(&expected, number, &yes);
    struct class_query *query = class_slots && !done ? class_query_new(0) : NULL;
    if (query) {
        type_table_lock();
        done = expect(query, number) && map_put(&expected, number, 1);
        type_table_unlock();
        free(query);
    }
    lock_release(&class_lock, LOCK_CLASSES);
    return done;
}
