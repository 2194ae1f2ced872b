// Asks the runtime what classes are: where they are defined, what their type parameters are given, where their fields lie.
// These questions wait for nothing, take no lock and need no thread of the runtime (proftoeeinterfaceimpl.cpp), so they
// are asked under a lock of ours: it keeps a class from going away meanwhile, whose module's unload callback waits for it.
#include "agent/types/classes.h"

#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/loaded/modules.h"
#include "agent/probe/probe_classes.h"
#include "agent/session/agent.h"
#include "agent/session/locks.h"
#include "agent/session/pages.h"
#include "agent/types/layouts.h"
#include "agent/types/type_table.h"
#include "base/locked.h"
#include "metadata/tables/metadata_types.h"
#include "metadata/tables/signature.h"

enum {
    DEPTH_MAX = 16, // of type arguments in type arguments
    STACK_SIZE = 256 << 10,
    FIELDS_MAX = 512, // of a struct that is told with its layout
};

// A class that goes away with a module; a class may have several.
struct bond {
    const void *table;
    uint32_t module; // number
};

static struct {
    pthread_mutex_t lock;
    uint32_t resolved;   // of class_pending
    struct buffer bonds; // struct bond
    struct map expected; // numbers of types -> 1: classes_expect() has seen to it
} classes = {.lock = PTHREAD_MUTEX_INITIALIZER};

// A value type that has been loaded, and will not go away.
struct loaded {
    clr_id class;
    uint32_t before; // 1 + place of the one before it that is defined in the same place; 0: none
};

static struct {
    pthread_mutex_t lock;
    struct buffer all;    // struct loaded
    struct map by_origin; // of module and token -> 1 + place of the newest
    struct map expected;  // of module and token -> 1: the method table of each such class goes into class_tables
} loads = {.lock = PTHREAD_MUTEX_INITIALIZER};

// -- What a class is --------------------------------------------------------------------------------------------------

// A class that is looked at.
struct question {
    const void *table; // that was asked for; what is asked on the way bonds it
    struct clr_field fields[FIELDS_MAX];
};

static void bond(const struct question *question, const struct module *module)
{
    CLEW_ASSERT_LOCKED(&classes.lock);
    if (module->flags & MODULE_COLLECTIBLE) {
        struct bond bond = {question->table, module->number};
        buffer_append(&classes.bonds, &bond, sizeof bond);
    }
}

static uint32_t number_of(struct question *question, clr_id class, const struct type_telling *telling, unsigned depth);

// What the runtime says of an array.
struct array {
    uint32_t element, rank;
    clr_id item;
    bool has_bounds; // there is room for them, as in arrays of one dimension that need not begin at 0
};

static uint32_t number_of_array(struct question *question, const struct array *array,
                                const struct type_telling *telling, unsigned depth)
{
    char suffix[40] = "[";
    uint32_t inner =
        array->item ? number_of(question, array->item, NULL, depth - 1) : type_primitive((uint8_t)array->element, NULL);
    if (!inner || array->rank < 1 || array->rank > 32) {
        return 0;
    }
    if (array->rank == 1) {
        return array->has_bounds ? type_around(ELEMENT_ARRAY, inner, "[*]", telling)
                                 : type_around(ELEMENT_SZARRAY, inner, "[]", telling);
    }
    CLEW_ASSERT(array->rank + 2 <= sizeof suffix);
    memset(suffix + 1, ',', array->rank - 1);
    suffix[array->rank] = ']';
    return type_around(ELEMENT_ARRAY, inner, suffix, telling);
}

static void tell_parts(struct question *question, const struct type_layout *layout, unsigned depth);

// With where its fields lie; only asked for where it is to be told.
static uint32_t number_with_layout(struct question *question, clr_id class, struct module *module, uint32_t token,
                                   const struct type_arguments *arguments, const struct type_telling *telling,
                                   unsigned depth)
{
    struct layout_source source = {.module = module, .token = token, .arguments = arguments};
    struct type_layout layout;
    struct type_telling with = *telling;
    source.fields = question->fields;
    if (class_is_value((const void *)class) &&
        !clr_failed(
            info_get_layout(agent.info, class, FIELDS_MAX, question->fields, &source.field_count, &source.size)) &&
        layout_make(&source, &layout)) {
        with.layout = &layout;
    }
    uint32_t number = type_defined(module, token, arguments, &with);
    if (with.layout) {
        tell_parts(question, &layout, depth);
        layout_free(&layout);
    }
    return number;
}

static uint32_t number_of_defined(struct question *question, clr_id class, const struct type_telling *telling,
                                  unsigned depth)
{
    clr_id given[TYPE_ARGUMENTS_MAX], module_id = 0;
    struct type_arguments arguments = {0};
    uint32_t token = 0;
    clr_result result =
        info_get_class_arguments(agent.info, class, &module_id, &token, TYPE_ARGUMENTS_MAX, &arguments.count, given);
    struct module *module = clr_failed(result) ? NULL : module_find(module_id);
    if (!module || arguments.count > TYPE_ARGUMENTS_MAX) {
        return 0;
    }
    bond(question, module);
    for (uint32_t i = 0; i < arguments.count; i++) {
        arguments.numbers[i] = number_of(question, given[i], NULL, depth - 1);
    }
    return telling ? number_with_layout(question, class, module, token, &arguments, telling, depth)
                   : type_defined(module, token, &arguments, NULL);
}

static uint32_t number_of(struct question *question, clr_id class, const struct type_telling *telling, unsigned depth)
{
    enum { WITHOUT_BOUNDS = 24 }; // bytes of an array without items
    struct array array = {0};
    uint32_t number = 0;
    if (depth == 0 || !class || class & 7) { // of pointers and the like there is no more than a description
        return type_unreadable(telling);
    }
    clr_result result = info_get_array(agent.info, class, &array.element, &array.item, &array.rank);
    if (result == CLR_OK) {
        array.has_bounds = class_fact((const void *)class, CLASS_BASE_SIZE_AT) > WITHOUT_BOUNDS;
        number = number_of_array(question, &array, telling, depth);
    } else if (!clr_failed(result)) {
        number = number_of_defined(question, class, telling, depth);
    }
    return number ? number : type_unreadable(telling);
}

// -- What structs are made of -----------------------------------------------------------------------------------------

static uint64_t origin_of(clr_id module, uint32_t token)
{
    const uint64_t origin[] = {module, token};
    return map_hash_text(origin, sizeof origin);
}

// The newest loaded class before `before` (0: all) that may be defined there; 0 when there is none.
static clr_id loaded_from(const struct type_entry *type, uint32_t *before)
{
    uint64_t newest = 0;
    clr_id class = 0;
    lock_take(&loads.lock, LOCK_LOADS);
    const struct loaded *all = (const struct loaded *)(const void *)loads.all.data;
    if (*before == 0) {
        (void)map_get(&loads.by_origin, origin_of(type->module->id, type->token), &newest);
    } else {
        CLEW_ASSERT(*before <= loads.all.size / sizeof *all && all[*before - 1].before < *before);
        newest = all[*before - 1].before;
    }
    class = newest ? all[newest - 1].class : 0;
    *before = (uint32_t)newest;
    lock_release(&loads.lock, LOCK_LOADS);
    return class;
}

static void tell_part(struct question *question, uint32_t number, unsigned depth)
{
    static const struct type_telling with_layout = {0};
    const struct type_entry type = *type_entry_of(number);
    bool is_struct = type.encoding == VALUE_STRUCT && type.module;
    uint32_t before = 0;
    clr_id class;
    while (is_struct && !type.has_layout && (class = loaded_from(&type, &before)) != 0) {
        if (number_of(question, class, NULL, depth - 1) == number) {
            (void)number_of(question, class, &with_layout, depth - 1);
            return;
        }
    }
    if (is_struct && !type.has_layout) {
        (void)layout_compute(number);
    }
}

// Each part that is a struct itself has been loaded with it, or before.
static void tell_parts(struct question *question, const struct type_layout *layout, unsigned depth)
{
    for (uint32_t i = 0; i < layout->field_count && depth > 1; i++) {
        bool repeated = i > 0 && layout->fields[i].type == layout->fields[i - 1].type;
        if (layout->fields[i].type && !repeated) {
            tell_part(question, layout->fields[i].type, depth);
        }
    }
}

// Whether a class and all that it is made of is there for good, and no type parameter.
static bool stays(clr_id class, unsigned depth)
{
    clr_id given[TYPE_ARGUMENTS_MAX], module_id = 0, item = 0;
    uint32_t token, count = 0, element, rank;
    if (!class || class & 7 || depth == 0) {
        return !class; // a primitive item
    }
    if (info_get_array(agent.info, class, &element, &item, &rank) == CLR_OK) {
        return stays(item, depth - 1);
    }
    clr_result result =
        info_get_class_arguments(agent.info, class, &module_id, &token, TYPE_ARGUMENTS_MAX, &count, given);
    const struct module *module = clr_failed(result) ? NULL : module_find(module_id);
    bool all = module && count <= TYPE_ARGUMENTS_MAX && !(module->flags & MODULE_COLLECTIBLE);
    for (uint32_t i = 0; all && i < count; i++) {
        all = stays(given[i], depth - 1);
    }
    return all;
}

// Returns whether classes that are defined there are expected.
static bool remember(clr_id class, clr_id module, uint32_t token)
{
    struct loaded loaded = {.class = class};
    uint64_t origin = origin_of(module, token), before = 0, yes;
    lock_take(&loads.lock, LOCK_LOADS);
    (void)map_get(&loads.by_origin, origin, &before);
    loaded.before = (uint32_t)before;
    buffer_append(&loads.all, &loaded, sizeof loaded);
    if (!loads.all.failed) {
        (void)map_put(&loads.by_origin, origin, loads.all.size / sizeof loaded); // without memory it has no layout
    }
    bool expected = map_get(&loads.expected, origin, &yes);
    lock_release(&loads.lock, LOCK_LOADS);
    return expected;
}

// Under both locks.
static void hide_fields(struct question *question, clr_id class)
{
    struct type_arguments arguments;
    struct layout_source source = {.arguments = &arguments, .fields = question->fields};
    uint64_t mask[LAYOUT_MASK_BYTES / 64];
    uint32_t number = number_of(question, class, NULL, DEPTH_MAX);
    if (!number || !layout_hides(number)) {
        return;
    }
    if (!type_definition_of(number, &source.module, &source.token, &arguments) ||
        clr_failed(
            info_get_layout(agent.info, class, FIELDS_MAX, question->fields, &source.field_count, &source.size))) {
        memset(mask, 0xFF, sizeof mask); // it may lie anywhere
    } else {
        layout_mask(&source, mask);
    }
    class_set_mask(question->table, mask);
}

static bool is_ref_struct(clr_id module_id, uint32_t token)
{
    const struct module *module = module_find(module_id);
    struct type_def def;
    return module && type_def_of(&module->metadata, token, &def) && def.kind == TYPE_DEF_REF_STRUCT;
}

// What site_sized() looks up. Under both locks.
static void publish_table(clr_id class, uint32_t number)
{
    CLEW_ASSERT_LOCKED(&classes.lock);
    CLEW_ASSERT(number < 1u << CLASS_NUMBER_BITS);
    if (number) { // none is left, or what the type consists of is not known
        atomic_store_explicit(&class_tables[number], (const void *)class, memory_order_release);
    }
}

static void look_into(clr_id class, bool may_hide, bool ref_struct, bool expected)
{
    static const struct type_telling with_layout = {0};
    struct question *question = calloc(1, sizeof *question);
    if (!question) {
        return;
    }
    lock_take(&classes.lock, LOCK_CLASSES);
    type_table_lock();
    question->table = (const void *)class;
    if (may_hide) {
        hide_fields(question, class);
    }
    if (ref_struct || expected) {
        publish_table(class, number_of(question, class, ref_struct ? &with_layout : NULL, DEPTH_MAX));
    }
    type_table_unlock();
    lock_release(&classes.lock, LOCK_CLASSES);
    free(question);
}

// System.Object, by the base classes of a value type: System.ValueType is one of them.
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

void classes_loaded(clr_id class)
{
    clr_id module;
    uint32_t token;
    if (!class_slots || !class || class & 7 || !class_is_value((const void *)class) ||
        clr_failed(info_get_class(agent.info, class, &module, &token))) {
        return;
    }
    find_root(class);
    const struct module *where = module_find(module);
    bool may_hide = where && layout_may_hide(where, token), ref_struct = false, expected = false;
    if (stays(class, DEPTH_MAX)) {
        expected = remember(class, module, token);
        ref_struct = is_ref_struct(module, token);
    }
    if (may_hide || ref_struct || expected) {
        look_into(class, may_hide, ref_struct, expected);
    }
}

// Whether it was loaded already; if not, classes_loaded() will find it expected. Under both locks.
static bool find_loaded(struct question *question, uint32_t number)
{
    const struct type_entry type = *type_entry_of(number);
    uint32_t before = 0;
    clr_id class;
    lock_take(&loads.lock, LOCK_LOADS);
    bool expected = type.module && map_put(&loads.expected, origin_of(type.module->id, type.token), 1);
    lock_release(&loads.lock, LOCK_LOADS);
    while (expected && (class = loaded_from(&type, &before)) != 0) {
        if (number_of(question, class, NULL, DEPTH_MAX) == number) {
            publish_table(class, number);
            break;
        }
    }
    return expected;
}

bool classes_expect(uint32_t number)
{
    uint64_t yes;
    lock_take(&classes.lock, LOCK_CLASSES);
    bool expected = map_get(&classes.expected, number, &yes);
    struct question *question = class_slots && !expected ? calloc(1, sizeof *question) : NULL;
    if (question) {
        type_table_lock();
        expected = find_loaded(question, number) && map_put(&classes.expected, number, 1);
        type_table_unlock();
        free(question);
    }
    lock_release(&classes.lock, LOCK_CLASSES);
    return expected;
}

// -- One after the other ----------------------------------------------------------------------------------------------

static void resolve(struct question *question, uint64_t word)
{
    uint32_t wanted = CLASS_WORD_NUMBER(word);
    uintptr_t table = CLASS_WORD_TABLE(word);
    struct type_telling telling = {.wanted = wanted};
    question->table = (const void *)table;
    type_table_lock();
    uint32_t number = number_of(question, table, &telling, DEPTH_MAX);
    type_table_unlock();
    _Atomic uint64_t *slot = number && number != wanted ? class_slot(question->table) : NULL;
    if (slot) {
        atomic_store_explicit(slot, CLASS_WORD(table, number), memory_order_relaxed);
    }
}

// The next one; 0 when there is none.
static uint64_t next_pending(void)
{
    CLEW_ASSERT_LOCKED(&classes.lock);
    if (classes.resolved >= atomic_load_explicit(&class_pending_count, memory_order_seq_cst) ||
        classes.resolved >= 1u << CLASS_NUMBER_BITS) {
        return 0;
    }
    uint64_t word;
    while (!(word = atomic_load_explicit(&class_pending[classes.resolved], memory_order_seq_cst))) {
        (void)sched_yield(); // another thread has the place, and is about to fill it
    }
    classes.resolved++;
    return word;
}

static bool has_pending(void)
{
    lock_take(&classes.lock, LOCK_CLASSES);
    bool pending = classes.resolved < atomic_load_explicit(&class_pending_count, memory_order_seq_cst);
    lock_release(&classes.lock, LOCK_CLASSES);
    return pending;
}

static void resolve_all(void)
{
    struct question *question = NULL;
    uint64_t word;
    while ((word = next_pending()) != 0) {
        question = question ? question : calloc(1, sizeof *question);
        if (question) { // else it has no name
            resolve(question, word);
        }
    }
    free(question);
}

void classes_resolve(void)
{
    if (class_slots) {
        lock_take(&classes.lock, LOCK_CLASSES);
        resolve_all();
        lock_release(&classes.lock, LOCK_CLASSES);
    }
}

// Two threads that saw the class first at the same time may have made two slots.
static void forget_class(const void *table)
{
    _Atomic uint64_t *slot;
    while ((slot = class_slot(table)) != NULL) {
        atomic_store_explicit(slot, CLASS_WORD_GONE, memory_order_relaxed);
    }
    class_drop_mask(table);
}

// The bonds of a class that has gone go with it, to whatever modules: another class may come to its address, which must not
// be forgotten with one of those.
static void drop_bonds(uint32_t module)
{
    struct bond *bonds = (struct bond *)(void *)classes.bonds.data;
    size_t count = classes.bonds.size / sizeof *bonds, kept = 0;
    struct map gone = {0};
    uint64_t yes;
    for (size_t i = 0; i < count; i++) {
        if (bonds[i].module == module) {
            forget_class(bonds[i].table);
            (void)map_put(&gone, (uintptr_t)bonds[i].table, 1); // without memory the other bonds stay
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (bonds[i].module != module && !map_get(&gone, (uintptr_t)bonds[i].table, &yes)) {
            bonds[kept++] = bonds[i];
        }
    }
    classes.bonds.size = kept * sizeof *bonds;
    map_free(&gone);
}

void classes_forget(const struct module *module)
{
    if (!class_slots || !(module->flags & MODULE_COLLECTIBLE)) {
        return;
    }
    lock_take(&classes.lock, LOCK_CLASSES);
    resolve_all();
    drop_bonds(module->number);
    lock_release(&classes.lock, LOCK_CLASSES);
}

// -- The thread -------------------------------------------------------------------------------------------------------

static void *run_resolver(void *context)
{
    for (;;) {
        classes_resolve();
        // Pairs with hand_to_resolver(): a class that is not seen here finds the flag.
        atomic_store_explicit(&class_resolver, 1, memory_order_seq_cst);
        if (!has_pending()) {
            (void)syscall(SYS_futex, &class_resolver, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
        }
        atomic_store_explicit(&class_resolver, 0, memory_order_relaxed);
    }
    return context;
}

// Signals are the program's.
static bool start_thread(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all, before;
    if (pthread_attr_init(&attributes) != 0) {
        return false;
    }
    (void)pthread_attr_setstacksize(&attributes, STACK_SIZE);
    (void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&thread, &attributes, run_resolver, NULL) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)pthread_attr_destroy(&attributes);
    if (started) {
        (void)pthread_setname_np(thread, "clew");
    }
    return started;
}

bool classes_start(void)
{
    class_pending = pages_new(sizeof *class_pending << CLASS_NUMBER_BITS);
    class_tables = pages_new(sizeof *class_tables << CLASS_NUMBER_BITS);
    class_masks = pages_new(sizeof *class_masks * CLASS_MASKS);
    bool all = class_pending && class_tables && class_masks;
    _Atomic uint64_t *slots = all ? pages_new(CLASS_SLOTS * sizeof *slots) : NULL;
    class_slots = slots;
    if (slots && start_thread()) {
        return true;
    }
    class_slots = NULL;
    return false;
}
