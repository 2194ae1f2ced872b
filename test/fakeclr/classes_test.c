// A thread of the agent reports the classes that probes meet, at the latest before their module is unloaded or the program
// ends. Ref structs are reported when they are loaded.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "check.h"
#include "metadata/tables/metadata_types.h"
#include "session.h"
#include "trace/instrument.h"
#include "woven.h"

static const char debug[] = "test/fuzz/corpus/pdb/CSharpDebug.dll";
static const char release[] = "test/fuzz/corpus/pdb/CSharpRelease.dll";

#define IN_CHILD(name)                    \
    static void test_##name(void **state) \
    {                                     \
        (void)state;                      \
        assert_true(fake_run(name, 60));  \
    }

enum { STAYING = 1, OTHER = 2 }; // modules, in the order of their loading
enum { OBJECTS_MAX = 256, VALUE_TYPE = 0x00040000 };

static struct fake_module *staying;
static struct woven_sites method;
static uint32_t object_site;
static struct ring_thread *context;

// -- Objects ----------------------------------------------------------------------------------------------------------

// Whether all values of a method are objects; then its site probe is the one that takes an address.
static bool has_objects_alone(const struct woven_sites *sites)
{
    object_site = 0;
    for (uint32_t i = 0; i < sites->count; i++) {
        const struct site *site = &sites->sites[i];
        if (site->encoding == VALUE_OBJECT && site->owner == OWNER_NONE && site->place != PLACE_ITEM) {
            object_site = sites->first + i;
        } else if (site->kind != SITE_STATEMENT && site->encoding != VALUE_NONE) {
            return false;
        }
    }
    return object_site && sites->site_bits_or_at;
}

static void begin(void)
{
    struct ring_options options = session_tree;
    uintptr_t activation;
    options.instruments = INSTRUMENT_VALUES;
    session_record(&options);
    staying = fake_load(debug);
    for (uint32_t row = 1; !object_site && row <= staying->method_count; row++) {
        if (fake_has_il(staying, row)) {
            fake_compile(staying, row, 0);
            (void)(woven_sites_read(staying, row, &method) && !method.is_run && has_objects_alone(&method));
        }
    }
    CHECK(object_site);
    context = method.enter_context(method.number, &activation);
}

// A probe meets a new object of the class.
static void see(const struct fake_class *class)
{
    static struct fake_object objects[OBJECTS_MAX];
    static uint32_t count;
    CHECK(count < OBJECTS_MAX);
    const struct fake_object *object = &objects[count];
    objects[count++].class = (uintptr_t) class;
    method.site_bits_or_at(context, object_site, 0, 0, (uintptr_t)&object);
}

// The next TypeDef from *row on that has not been reported.
static struct fake_class untold(struct fake_module *module, uint32_t number, uint32_t *row)
{
    while (session_find(RING_DEFINE_TYPE, number, TOKEN(TABLE_TYPE_DEF, *row))) {
        ++*row;
    }
    CHECK(*row <= metadata_rows(&module->metadata, TABLE_TYPE_DEF));
    return (struct fake_class){0, 24, module, NULL, TOKEN(TABLE_TYPE_DEF, (*row)++), 0};
}

static const struct told *wait_for(const struct fake_class *class, uint32_t module)
{
    const struct told *told = NULL;
    for (int tries = 0; !told && tries < 20000; tries++) {
        told = session_find(RING_DEFINE_TYPE, module, class->token);
        (void)usleep(told ? 0 : 1000);
    }
    CHECK(told);
    return told;
}

// -- Tests ------------------------------------------------------------------------------------------------------------

static void a_class_is_told_once(void)
{
    static struct fake_class first, second;
    uint32_t row = 2; // after <Module>
    begin();
    first = untold(staying, STAYING, &row);
    second = untold(staying, STAYING, &row);
    uint32_t before = session_count(RING_DEFINE_TYPE);
    see(&first);
    (void)wait_for(&first, STAYING);
    see(&first);
    see(&second);
    (void)wait_for(&second, STAYING);
    CHECK_EQUAL(session_count(RING_DEFINE_TYPE), before + 2);
}
IN_CHILD(a_class_is_told_once)

// The size in the reported layout of a struct; 0: it has none, or the struct is not reported.
static uint32_t told_size(const struct fake_class *class)
{
    const struct told *told = session_find(RING_DEFINE_TYPE, OTHER, class->token);
    struct arena arena = {0};
    struct type type = {0};
    CHECK(!told || type_decode(bytes_of(told->blob.data, told->blob.size), &arena, &type) == CLEW_OK);
    arena_free(&arena);
    return type.size;
}

static void loaded(const struct fake_class *class, uint32_t result)
{
    (void)fake_callback(CLR_CB_CLASS_LOAD_FINISHED, (uintptr_t) class, result, 0);
}

// A ref struct. The module has none, so the attribute of its state machines, which are structs, is renamed to the one of ref
// structs.
static struct fake_class ref_struct_of(struct fake_module *module)
{
    struct type_def def;
    uint32_t row = 1;
    (void)fake_rename(module, "CompilerGeneratedAttribute", "IsByRefLikeAttribute");
    while (type_def_of(&module->metadata, TOKEN(TABLE_TYPE_DEF, row), &def) && def.kind != TYPE_DEF_REF_STRUCT) {
        row++;
    }
    CHECK_EQUAL(def.kind, TYPE_DEF_REF_STRUCT);
    return (struct fake_class){VALUE_TYPE, 24, module, NULL, TOKEN(TABLE_TYPE_DEF, row), 0};
}

static void ref_structs_are_told_when_they_are_loaded(void)
{
    static struct fake_class class, reference;
    begin();
    struct fake_module *module = fake_module_new(release);
    class = ref_struct_of(module);
    reference = class;
    reference.table_flags = 0;
    fake_load_finished(module);
    loaded(&reference, 0);
    loaded(&class, 0x80004005u); // its load failed
    CHECK_EQUAL(told_size(&class), 0);
    loaded(&class, 0);
    CHECK_EQUAL(told_size(&class), sizeof(struct fake_object)); // before the code that uses it may run
}
IN_CHILD(ref_structs_are_told_when_they_are_loaded)

// The address of its method table may belong to another class later.
static void ref_structs_that_may_go_away_are_not(void)
{
    static struct fake_class class;
    begin();
    struct fake_module *module = fake_module_new(release);
    module->flags |= CLR_MODULE_COLLECTIBLE;
    class = ref_struct_of(module);
    fake_load_finished(module);
    loaded(&class, 0);
    CHECK_EQUAL(told_size(&class), 0);
}
IN_CHILD(ref_structs_that_may_go_away_are_not)

static uint32_t place_of(enum ring_definition_type type, uint32_t module, uint32_t token)
{
    uint32_t count;
    const struct told *all = session_told(&count);
    for (uint32_t i = 0; i < count; i++) {
        if (all[i].type == type && all[i].module == module && all[i].token == token) {
            return i;
        }
    }
    FAIL("%d of %u is not defined", (int)type, module);
}

static void a_module_goes_away_with_its_classes(void)
{
    static struct fake_class class;
    uint32_t row = 2, staying_row = 2;
    begin();
    struct fake_module *module = fake_module_new(release);
    module->flags |= CLR_MODULE_COLLECTIBLE;
    fake_load_finished(module);
    class = untold(module, OTHER, &row);
    uint32_t token = class.token;
    see(&class);
    (void)fake_callback(CLR_CB_MODULE_UNLOAD_STARTED, (uintptr_t)module, 0, 0);
    memset(&class, 0xAA, sizeof class); // its memory is gone
    memset(module->bytes, 0xAA, module->size);
    CHECK(place_of(RING_DEFINE_TYPE, OTHER, token) < place_of(RING_DEFINE_MODULE_END, OTHER, 0));
    uint32_t number = session_find(RING_DEFINE_TYPE, OTHER, token)->number;
    class = untold(staying, STAYING, &staying_row); // another class comes to its address
    see(&class);
    CHECK(wait_for(&class, STAYING)->number != number);
}
IN_CHILD(a_module_goes_away_with_its_classes)

static void all_is_told_at_the_end(void)
{
    enum { CLASSES = 20 };
    static struct fake_class classes[CLASSES];
    uint32_t row = 2;
    begin();
    for (uint32_t i = 0; i < CLASSES; i++) {
        classes[i] = untold(staying, STAYING, &row);
    }
    for (uint32_t i = 0; i < CLASSES - 1; i++) {
        see(&classes[i]);
    }
    (void)fake_callback(CLR_CB_SHUTDOWN, 0, 0, 0);
    for (uint32_t i = 0; i < CLASSES - 1; i++) {
        CHECK(session_find(RING_DEFINE_TYPE, STAYING, classes[i].token));
    }
    see(&classes[CLASSES - 1]); // threads continue
    (void)wait_for(&classes[CLASSES - 1], STAYING);
}
IN_CHILD(all_is_told_at_the_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_class_is_told_once),
        cmocka_unit_test(test_ref_structs_are_told_when_they_are_loaded),
        cmocka_unit_test(test_ref_structs_that_may_go_away_are_not),
        cmocka_unit_test(test_a_module_goes_away_with_its_classes),
        cmocka_unit_test(test_all_is_told_at_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
