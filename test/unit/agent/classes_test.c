// A class that a probe meets gets a number at once and is reported by the resolver. The test plays the runtime that
// describes the classes.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include <pthread.h>
#include <unistd.h>

#include "agent/control/lifecycle.h"
#include "agent/loaded/modules.h"
#include "agent/probe/probe_classes.h"
#include "agent/session/agent.h"
#include "agent/session/settings.h"
#include "agent/types/classes.h"
#include "agent/types/type_table.h"
#include "agent/types/value_classes.h"
#include "agent/types/value_types.h"
#include "base/arena.h"
#include "metadata/tables/metadata_types.h"
#include "metadata/tables/signature.h"
#include "ring/definition.h"
#include "ring/segment.h"
#include "unit/metadata/dotnet.h"

// -- The runtime ------------------------------------------------------------------------------------------------------

enum { MODULE = 0x7000, COLLECTIBLE = 0x7100, FIELDS = 4 };

struct table { // a method table, with what the runtime knows of it behind
    uint32_t flags, base_size;
    uint32_t element, rank; // of an array
    clr_id item;
    clr_id module;
    uint32_t token;
    clr_id arguments[2];
    uint32_t argument_count, field_count, size;
    struct clr_field fields[FIELDS];
    uint8_t rest[64]; // no two are closer than the real ones
};

static struct buffer core_file;
static struct metadata core;

static clr_result is_array(void *info, clr_id class, uint32_t *element, clr_id *item, uint32_t *rank)
{
    const struct table *table = (const struct table *)class;
    (void)info;
    *element = table->element;
    *item = table->item;
    *rank = table->rank;
    return table->rank ? CLR_OK : CLR_FALSE;
}

static clr_result get_layout(void *info, clr_id class, struct clr_field *fields, uint32_t room, uint32_t *count,
                             uint32_t *size)
{
    const struct table *table = (const struct table *)class;
    (void)info;
    assert_true(room >= table->field_count);
    memcpy(fields, table->fields, table->field_count * sizeof *fields);
    *count = table->field_count;
    *size = table->size;
    return CLR_OK;
}

static clr_result get_class(void *info, clr_id class, clr_id *module, uint32_t *token, clr_id *parent, uint32_t room,
                            uint32_t *count, clr_id *arguments)
{
    const struct table *table = (const struct table *)class;
    (void)info;
    (void)parent;
    assert_true(room >= table->argument_count);
    memcpy(arguments, table->arguments, table->argument_count * sizeof *arguments);
    *count = table->argument_count;
    *module = table->module;
    *token = table->token;
    return CLR_OK;
}

static clr_result get_origin(void *info, clr_id class, clr_id *module, uint32_t *token)
{
    const struct table *table = (const struct table *)class;
    (void)info;
    *module = table->module;
    *token = table->token;
    return CLR_OK;
}

static clr_result get_module(void *info, clr_id id, const uint8_t **base, uint32_t size, uint32_t *length,
                             clr_char *name, clr_id *assembly, uint32_t *flags)
{
    (void)info;
    (void)size;
    *base = core_file.data;
    *length = 1;
    name[0] = 0;
    *assembly = 1;
    *flags = CLR_MODULE_FLAT | (id == COLLECTIBLE ? CLR_MODULE_COLLECTIBLE : 0);
    return CLR_OK;
}

typedef void (*slot)(void);
static slot info_table[115] = {[11] = (slot)is_array,
                               [14] = (slot)get_origin,
                               [40] = (slot)get_layout,
                               [41] = (slot)get_class,
                               [70] = (slot)get_module};
static slot *info = info_table;

// -- Reports ----------------------------------------------------------------------------------------------------------

enum { TOLD_MAX = 4096 };
static struct arena arena;
static struct type told[TOLD_MAX]; // by number, as reported last
static uint32_t told_count;

static void take_definitions(void)
{
    struct ring_definition definition;
    struct buffer encoded = {0};
    while (ring_definition_read(agent.ring, &encoded)) {
        struct bytes bytes = bytes_of(arena_text(&arena, (const char *)encoded.data, encoded.size), encoded.size);
        assert_true(ring_definition_decode(&bytes, &definition));
        if (definition.type == RING_DEFINE_TYPE) {
            assert_in_range(definition.number, 1, TOLD_MAX - 1);
            assert_int_equal(type_decode(definition.blob, &arena, &told[definition.number]), CLEW_OK);
            told_count++;
        }
    }
    buffer_free(&encoded);
}

static int open_core(void **state)
{
    (void)state;
    char folder[800], path[1024];
    struct image image;
    int fd;
    dotnet_runtime_folder(folder, sizeof folder);
    (void)snprintf(path, sizeof path, "%s/System.Private.CoreLib.dll", folder);
    core_file = file_read(path); // for as long as the tests run
    assert_int_equal(image_open(bytes_of(core_file.data, core_file.size), IMAGE_FLAT, &image), CLEW_OK);
    assert_int_equal(metadata_open(image.metadata, &core), CLEW_OK);
    assert_int_equal(segment_create(&(struct ring_options){.process = 1}, &fd, &agent.ring), CLEW_OK);
    agent.info = &info;
    modules_loaded(MODULE);
    modules_loaded(COLLECTIBLE);
    assert_true(classes_prepare());
    assert_true(classes_start());
    return close(fd);
}

static const struct type *told_of(uint32_t number)
{
    assert_in_range(number, 1, TOLD_MAX - 1);
    take_definitions();
    assert_int_equal(told[number].number, number);
    return &told[number];
}

static void expect(const struct table *table, enum type_kind kind, const char *name)
{
    uint32_t number = class_number(table);
    classes_resolve();
    const struct type *type = told_of(number);
    assert_int_equal(type->kind, kind);
    assert_true(text_equal(type->name, text_of(name)));
    assert_true(text_equal(told_of(class_number(table))->name, text_of(name)));
}

static struct table defined(const char *space, const char *name)
{
    uint32_t token = type_def_find(&core, 0, text_of(space), text_of(name));
    assert_int_not_equal(token, 0);
    return (struct table){.module = MODULE, .token = token};
}

static uint32_t field_of(uint32_t token, unsigned number)
{
    return TOKEN(TABLE_FIELD, metadata_column(&core, TABLE_TYPE_DEF, TOKEN_ROW(token), TYPE_DEF_FIELDS) + number);
}

// The class of `T?` for values with this class and of alignment `offset`. It has references exactly if they have.
static struct table nullable_of(const struct table *values, uint32_t offset)
{
    struct table nullable = defined("System", "Nullable`1");
    nullable.flags = values->flags;
    nullable.arguments[0] = (clr_id)values;
    nullable.argument_count = 1;
    nullable.fields[0] = (struct clr_field){field_of(nullable.token, 0), 0};
    nullable.fields[1] = (struct clr_field){field_of(nullable.token, 1), offset};
    nullable.field_count = 2;
    nullable.size = offset + values->size;
    return nullable;
}

// -- Tests ------------------------------------------------------------------------------------------------------------

static void classes_are_described_by_their_kind(void **state)
{
    (void)state;
    static struct table builder, text, list, array, cube, integers, bounded;
    builder = defined("System.Text", "StringBuilder");
    expect(&builder, TYPE_CLASS, "System.Text.StringBuilder");
    text = defined("System", "String");
    expect(&text, TYPE_STRING, "System.String");
    list = defined("System.Collections.Generic", "Dictionary`2");
    list.arguments[0] = (clr_id)&text;
    list.arguments[1] = (clr_id)&builder;
    list.argument_count = 2;
    expect(&list, TYPE_CLASS, "System.Collections.Generic.Dictionary<System.String, System.Text.StringBuilder>");
    array = (struct table){.rank = 1, .item = (clr_id)&text, .element = ELEMENT_STRING};
    expect(&array, TYPE_ARRAY, "System.String[]");
    cube = (struct table){.rank = 3, .item = (clr_id)&list, .element = ELEMENT_CLASS};
    expect(&cube, TYPE_ARRAY, "System.Collections.Generic.Dictionary<System.String, System.Text.StringBuilder>[,,]");
    integers = (struct table){.rank = 1, .element = ELEMENT_I4};
    expect(&integers, TYPE_ARRAY, "System.Int32[]");
    bounded = (struct table){.rank = 1, .element = ELEMENT_I4, .base_size = 32};
    expect(&bounded, TYPE_ARRAY, "System.Int32[*]");
}

static void other_memory_is_not_a_class(void **state)
{
    (void)state;
    static struct table unknown = {.module = 0x9000, .token = TOKEN(TABLE_TYPE_DEF, 5)};
    assert_int_equal(class_number(NULL), 0);
    assert_int_equal(class_number((const char *)&unknown + 2), 0);
    expect(&unknown, TYPE_CLASS, "?");
}

static void a_type_keeps_the_number_that_a_signature_gave_it(void **state)
{
    (void)state;
    static struct table seen, again;
    static const uint8_t integer[] = {ELEMENT_SZARRAY, ELEMENT_U8};
    struct known_type known = types_of_signature(module_find(MODULE), 0, bytes_of(integer, sizeof integer));
    seen = (struct table){.rank = 1, .element = ELEMENT_U8};
    uint32_t first = class_number(&seen);
    classes_resolve();
    assert_int_not_equal(first, known.number);
    assert_true(text_equal(told_of(first)->name, text_of("System.UInt64[]")));
    assert_int_equal(class_number(&seen), known.number);
    again = defined("System", "Version");
    uint32_t number = class_number(&again);
    classes_resolve();
    struct buffer blob = {0};
    buffer_u8(&blob, ELEMENT_CLASS);
    buffer_compressed(&blob, metadata_encode(CODED_TYPE_DEF_OR_REF, again.token));
    known = types_of_signature(module_find(MODULE), 0, bytes_of(blob.data, blob.size));
    assert_int_equal(known.number, number);
    buffer_free(&blob);
}

static void value_types_have_layouts(void **state)
{
    (void)state;
    static struct table moment, nullable;
    moment = defined("System", "DateTimeOffset");
    moment.flags = CLASS_CATEGORY_VALUE;
    moment.size = 16;
    uint32_t fields = 0;
    for (unsigned i = 0; fields < 2; i++) {
        enum { STATIC = 0x10 };
        uint32_t token = field_of(moment.token, i);
        if (!(metadata_column(&core, TABLE_FIELD, TOKEN_ROW(token), FIELD_FLAGS) & STATIC)) {
            moment.fields[fields] = (struct clr_field){token, 8 - fields * 8}; // as CoreCLR has it: not in their order
            fields++;
        }
    }
    moment.field_count = fields;
    expect(&moment, TYPE_STRUCT, "System.DateTimeOffset");
    const struct type *type = told_of(class_number(&moment));
    assert_int_equal(type->size, 16);
    assert_int_equal(type->field_count, 2);
    assert_int_equal(type->fields[0].offset, 8);
    assert_int_equal(type->fields[1].offset, 0);
    assert_true(text_equal(type->fields[0].name, text_of("_dateTime")));
    assert_true(text_equal(told_of(type->fields[0].type)->name, text_of("System.DateTime")));

    nullable = nullable_of(&moment, 8);
    expect(&nullable, TYPE_NULLABLE, "System.Nullable<System.DateTimeOffset>");
    type = told_of(class_number(&nullable));
    assert_int_equal(type->element, class_number(&moment));
    assert_int_equal(type->fields[1].type, class_number(&moment));
    assert_true(text_equal(type->fields[1].name, text_of("value")));
}

// A signature names the type first, as with a local; the layout is reported later under the same number.
static void layouts_come_later(void **state)
{
    (void)state;
    static struct table segment, integer;
    struct buffer blob = {0};
    segment = defined("System", "ArraySegment`1");
    integer = defined("System", "Int32");
    buffer_u8(&blob, ELEMENT_GENERIC_INSTANCE);
    buffer_u8(&blob, ELEMENT_VALUE_TYPE);
    buffer_compressed(&blob, metadata_encode(CODED_TYPE_DEF_OR_REF, segment.token));
    buffer_u8(&blob, 1);
    buffer_u8(&blob, ELEMENT_I4);
    struct known_type known = types_of_signature(module_find(MODULE), 0, bytes_of(blob.data, blob.size));
    assert_int_equal(told_of(known.number)->size, 0);
    assert_int_equal(known.size, 0);
    segment.flags = CLASS_CATEGORY_VALUE;
    segment.size = 16;
    segment.arguments[0] = (clr_id)&integer;
    segment.argument_count = 1;
    (void)class_number(&segment);
    classes_resolve();
    assert_int_equal(class_number(&segment), known.number);
    assert_int_equal(told_of(known.number)->size, 16);
    buffer_free(&blob);
}

// No probe ever meets a tuple in a nullable by itself, but the runtime has loaded its class.
static void parts_are_described_with_their_layout(void **state)
{
    (void)state;
    static struct table integer, text, other, tuple, nullable;
    integer = defined("System", "Int32");
    text = defined("System", "String");
    tuple = defined("System", "ValueTuple`2");
    tuple.flags = CLASS_CATEGORY_VALUE | CLASS_HAS_REFERENCES;
    tuple.size = 16;
    tuple.fields[0] = (struct clr_field){field_of(tuple.token, 1), 0}; // by offset, and declared the other way round
    tuple.fields[1] = (struct clr_field){field_of(tuple.token, 0), 8};
    tuple.field_count = 2;
    tuple.argument_count = 2;
    tuple.arguments[0] = tuple.arguments[1] = (clr_id)&integer;
    other = tuple; // another instance, loaded later
    tuple.arguments[1] = (clr_id)&text;
    value_classes_loaded((clr_id)&tuple);
    value_classes_loaded((clr_id)&other);
    nullable = nullable_of(&tuple, 8);
    expect(&nullable, TYPE_NULLABLE, "System.Nullable<System.ValueTuple<System.Int32, System.String>>");
    const struct type *part = told_of(told_of(class_number(&nullable))->fields[1].type);
    assert_true(text_equal(part->name, text_of("System.ValueTuple<System.Int32, System.String>")));
    assert_int_equal(part->size, 16);
    assert_int_equal(part->field_count, 2);
    assert_true(text_equal(part->fields[0].name, text_of("Item1")));
    assert_int_equal(part->fields[0].offset, 8);
}

// Collectible ones are excepted.
static void ref_structs_are_known_once_they_are_loaded(void **state)
{
    (void)state;
    static struct table builder, guest;
    builder = defined("System.Text", "ValueStringBuilder");
    builder.flags = CLASS_CATEGORY_VALUE | CLASS_HAS_REFERENCES;
    builder.size = 32;
    builder.fields[0] = (struct clr_field){field_of(builder.token, 0), 0};
    builder.field_count = 1;
    guest = builder;
    guest.module = COLLECTIBLE;
    value_classes_loaded((clr_id)&guest);
    value_classes_loaded((clr_id)&builder);
    struct buffer blob = {0};
    buffer_u8(&blob, ELEMENT_VALUE_TYPE);
    buffer_compressed(&blob, metadata_encode(CODED_TYPE_DEF_OR_REF, builder.token));
    uint32_t number = types_of_signature(module_find(MODULE), 0, bytes_of(blob.data, blob.size)).number;
    assert_ptr_equal(atomic_load(&class_tables[number]), &builder);
    assert_int_equal(told_of(number)->kind, TYPE_REF_STRUCT);
    assert_int_equal(told_of(number)->size, 32);
    number = types_of_signature(module_find(COLLECTIBLE), 0, bytes_of(blob.data, blob.size)).number;
    assert_null(atomic_load(&class_tables[number]));
    buffer_free(&blob);
}

static struct known_type segment_of(uint8_t element, const struct table *segment)
{
    struct buffer blob = {0};
    buffer_u8(&blob, ELEMENT_GENERIC_INSTANCE);
    buffer_u8(&blob, ELEMENT_VALUE_TYPE);
    buffer_compressed(&blob, metadata_encode(CODED_TYPE_DEF_OR_REF, segment->token));
    buffer_u8(&blob, 1);
    buffer_u8(&blob, element);
    struct known_type known = types_of_signature(module_find(MODULE), 0, bytes_of(blob.data, blob.size));
    buffer_free(&blob);
    assert_true(known.exact);
    return known;
}

// Whether the class is loaded before or after the code that uses it is woven; and no other instance is published.
static void expected_classes_are_known_once_they_are_loaded(void **state)
{
    (void)state;
    static struct table early, late, number, character, other;
    number = defined("System", "Int64");
    character = defined("System", "Char");
    early = defined("System", "ArraySegment`1");
    early.flags = CLASS_CATEGORY_VALUE | CLASS_HAS_REFERENCES;
    early.size = 16;
    early.argument_count = 1;
    late = other = early;
    early.arguments[0] = (clr_id)&number;
    late.arguments[0] = (clr_id)&character;
    other.arguments[0] = (clr_id)&early;
    value_classes_loaded((clr_id)&early);
    uint32_t first = segment_of(ELEMENT_I8, &early).number, second = segment_of(ELEMENT_CHAR, &early).number;
    assert_null(atomic_load(&class_tables[first]));
    assert_true(value_classes_expect(first));
    assert_ptr_equal(atomic_load(&class_tables[first]), &early);
    assert_true(value_classes_expect(second));
    assert_true(value_classes_expect(second));
    assert_null(atomic_load(&class_tables[second]));
    value_classes_loaded((clr_id)&other);
    assert_null(atomic_load(&class_tables[second]));
    value_classes_loaded((clr_id)&late);
    assert_ptr_equal(atomic_load(&class_tables[second]), &late);
    assert_ptr_equal(atomic_load(&class_tables[first]), &early);
}

static struct table range_in(clr_id module)
{
    struct table range = defined("System", "Range");
    range.module = module;
    range.flags = CLASS_CATEGORY_VALUE;
    range.size = 8;
    range.field_count = 2;
    for (unsigned i = 0; i < 2; i++) {
        range.fields[i] = (struct clr_field){field_of(range.token, i), i * 4};
    }
    return range;
}

static struct table secret_guest; // is unloaded with its module

static void redacted_fields_are_masked(void **state)
{
    (void)state;
    static struct table range, perhaps;
    settings_parse(&agent.settings, text_of("redact start\n"), text_of(""));
    range = range_in(MODULE);
    secret_guest = range_in(COLLECTIBLE);
    perhaps = nullable_of(&range, 4);
    assert_null(class_mask(&range));
    value_classes_loaded((clr_id)&range);
    value_classes_loaded((clr_id)&perhaps);
    value_classes_loaded((clr_id)&secret_guest);
    assert_non_null(class_mask(&secret_guest));
    for (uint32_t i = 0; i < CLASS_MASK_BYTES; i++) {
        assert_int_equal(class_mask_has(class_mask(&range), i), i < 4);
        assert_int_equal(class_mask_has(class_mask(&perhaps), i), i >= 4 && i < 12); // the struct within, as a whole
    }
    expect(&range, TYPE_STRUCT, "System.Range");
    const struct type *type = told_of(class_number(&range));
    assert_int_equal(told_of(type->fields[0].type)->kind, TYPE_REDACTED);
    assert_true(text_equal(type->fields[0].name, text_of("Start")));
    assert_true(text_equal(told_of(type->fields[1].type)->name, text_of("System.Index")));
    // Woven code may not copy its bytes.
    struct buffer blob = {0};
    buffer_u8(&blob, ELEMENT_VALUE_TYPE);
    buffer_compressed(&blob, metadata_encode(CODED_TYPE_DEF_OR_REF, range.token));
    assert_int_equal(types_of_signature(module_find(MODULE), 0, bytes_of(blob.data, blob.size)).size, 0);
    buffer_free(&blob);
    settings_parse(&agent.settings, text_of("redact \n"), text_of(""));
}

static void inline_arrays_have_items(void **state)
{
    (void)state;
    static struct table two;
    two = defined("System", "TwoObjects");
    two.flags = CLASS_CATEGORY_VALUE;
    two.size = 16;
    two.fields[0] = (struct clr_field){field_of(two.token, 0), 0};
    two.field_count = 1;
    expect(&two, TYPE_STRUCT, "System.TwoObjects");
    const struct type *type = told_of(class_number(&two));
    assert_int_equal(type->field_count, 2);
    assert_int_equal(type->fields[1].offset, 8);
    assert_true(text_equal(type->fields[1].name, text_of("[1]")));
    assert_true(text_equal(told_of(type->fields[1].type)->name, text_of("System.Object")));
}

static void unloaded_classes_get_new_numbers(void **state)
{
    (void)state;
    static struct table guest, guests, stays;
    guest = defined("System", "Random");
    guest.module = COLLECTIBLE;
    guests = defined("System", "Lazy`1");
    guests.arguments[0] = (clr_id)&guest;
    guests.argument_count = 1;
    stays = defined("System", "Random");
    uint32_t number = class_number(&guest), around = class_number(&guests), kept = class_number(&stays);
    assert_int_not_equal(number, kept);
    modules_unloading(COLLECTIBLE);
    modules_unloaded(COLLECTIBLE);
    assert_null(module_find(COLLECTIBLE));
    assert_null(class_mask(&secret_guest));
    guest = (struct table){0}; // nothing of it is read any more
    assert_true(text_equal(told_of(number)->name, text_of("System.Random")));
    assert_true(text_equal(told_of(around)->name, text_of("System.Lazy<System.Random>")));
    assert_int_equal(class_number(&stays), kept);
    guest = defined("System", "Version");
    assert_int_not_equal(class_number(&guest), number);
    classes_resolve();
    assert_true(text_equal(told_of(class_number(&guest))->name, text_of("System.Version")));
    guests = defined("System", "Type");
    assert_int_not_equal(class_number(&guests), around);
    classes_resolve();
}

static void the_resolver_wakes_up(void **state)
{
    (void)state;
    static struct table late;
    late = defined("System", "Progress`1");
    uint32_t number = class_number(&late);
    for (int tries = 0; tries < 5000 && !told[number].number; tries++) {
        (void)usleep(1000);
        take_definitions();
    }
    assert_true(text_equal(told_of(number)->name, text_of("System.Progress")));
}

enum { RACERS = 4, RACED = 500 };
static struct table raced[RACED];
static uint32_t raced_numbers[RACERS][RACED];

static void *race(void *context)
{
    uint32_t *numbers = context;
    for (unsigned i = 0; i < RACED; i++) {
        numbers[i] = class_number(&raced[i]);
    }
    return NULL;
}

static void threads_agree(void **state)
{
    (void)state;
    pthread_t threads[RACERS];
    for (unsigned i = 0; i < RACED; i++) {
        raced[i] = (struct table){.module = MODULE, .token = TOKEN(TABLE_TYPE_DEF, 100 + i)};
    }
    for (unsigned i = 0; i < RACERS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, race, raced_numbers[i]), 0);
    }
    for (unsigned i = 0; i < RACERS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    classes_resolve();
    for (unsigned i = 0; i < RACED; i++) {
        const struct type *type = told_of(class_number(&raced[i]));
        for (unsigned k = 0; k < RACERS; k++) {
            assert_true(text_equal(told_of(raced_numbers[k][i])->name, type->name));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_are_described_by_their_kind),
        cmocka_unit_test(other_memory_is_not_a_class),
        cmocka_unit_test(a_type_keeps_the_number_that_a_signature_gave_it),
        cmocka_unit_test(value_types_have_layouts),
        cmocka_unit_test(layouts_come_later),
        cmocka_unit_test(parts_are_described_with_their_layout),
        cmocka_unit_test(ref_structs_are_known_once_they_are_loaded),
        cmocka_unit_test(expected_classes_are_known_once_they_are_loaded),
        cmocka_unit_test(redacted_fields_are_masked),
        cmocka_unit_test(inline_arrays_have_items),
        cmocka_unit_test(unloaded_classes_get_new_numbers),
        cmocka_unit_test(the_resolver_wakes_up),
        cmocka_unit_test(threads_agree),
    };
    return cmocka_run_group_tests(tests, open_core, NULL);
}
