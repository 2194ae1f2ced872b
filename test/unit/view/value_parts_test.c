// Tuples read as in the source: by names, where the place has some, in their order, and without the tuple of the rest.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../made_recording.h"
#include "../opened.h"
#include "../recording_path.h"
#include "trace/instrument.h"
#include "view/text/value.h"

#define NAME(literal)                \
    {                                \
        literal, sizeof(literal) - 1 \
    }

enum { PAIR = 100, OUTER, NINE, REST, HOLDER, ENTRY, NULLABLE, DEEP };

static struct sites *sites;
static struct values values;

static struct type made_struct(uint32_t number, const char *name, uint32_t size, const struct type_field *fields,
                               uint32_t count)
{
    return (struct type){.number = number,
                         .kind = number == NULLABLE ? TYPE_NULLABLE : TYPE_STRUCT,
                         .encoding = VALUE_STRUCT,
                         .size = size,
                         .name = text_of(name),
                         .fields = fields,
                         .field_count = count};
}

// Fields by offset, as the runtime lays them out: it puts the second item of NINE's rest first.
static void define_tuples(void)
{
    static const struct type_field pair[] = {{0, TYPE_INT, NAME("Item2"), {0}}, {4, TYPE_INT, NAME("Item1"), {0}}};
    static const struct type_field outer[] = {{0, TYPE_INT, NAME("Item1"), NAME("!0")},
                                              {4, PAIR, NAME("Item2"), NAME("!1")}};
    static const struct type_field rest[] = {{0, TYPE_INT, NAME("Item2"), {0}}, {4, TYPE_INT, NAME("Item1"), {0}}};
    static const struct type_field nine[] = {{0, TYPE_INT, NAME("Item1"), {0}},  {4, TYPE_INT, NAME("Item2"), {0}},
                                             {8, TYPE_INT, NAME("Item3"), {0}},  {12, TYPE_INT, NAME("Item4"), {0}},
                                             {16, TYPE_INT, NAME("Item5"), {0}}, {20, TYPE_INT, NAME("Item6"), {0}},
                                             {24, TYPE_INT, NAME("Item7"), {0}}, {28, REST, NAME("Rest"), {0}}};
    static const struct type_field holder[] = {{0, PAIR, NAME("Where"), NAME("(X,Y)")}};
    static const struct type_field entry[] = {{0, TYPE_INT, NAME("key"), NAME("!0")},
                                              {4, PAIR, NAME("value"), NAME("!1")}};
    static const struct type_field nullable[] = {{0, TYPE_INT, NAME("hasValue"), {0}},
                                                 {4, PAIR, NAME("value"), NAME("!0")}};
    static const struct type_field deep[] = {{0, DEEP, NAME("Rest"), {0}}};
    const struct type all[] = {
        made_struct(PAIR, "System.ValueTuple<System.Int32, System.Int32>", 8, pair, 2),
        made_struct(OUTER, "System.ValueTuple<System.Int32, System.ValueTuple<System.Int32, System.Int32>>", 12, outer,
                    2),
        made_struct(REST, "System.ValueTuple<System.Int32, System.Int32>", 8, rest, 2),
        made_struct(NINE, "System.ValueTuple<...>", 36, nine, 8),
        made_struct(HOLDER, "Shop.Holder", 8, holder, 1),
        made_struct(ENTRY, "System.Collections.Generic.KeyValuePair<...>", 12, entry, 2),
        made_struct(NULLABLE, "System.Nullable<...>", 12, nullable, 2),
        made_struct(DEEP, "System.ValueTuple<>", 8, deep, 1), // damaged: it contains itself
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        define_type(&all[i]);
    }
}

static int make_sites_of_tuples(void **state)
{
    if (make_path(state) != 0) {
        return -1;
    }
    create(path, INSTRUMENT_VALUES, CLOCK_KIND_MONOTONIC);
    define();
    define_types();
    define_tuples();
    finish(0, 0, 1, true);
    if (sites_load(opened(path), &sites) != CLEW_OK) {
        return -1;
    }
    values = (struct values){.sites = sites, .process = 1};
    return 0;
}

static int free_sites_of_tuples(void **state)
{
    sites_free(sites);
    return remove_path(state);
}

static const uint32_t cells[] = {1, 2, 3, 4, 5, 6, 7, 9, 8};

static struct site_value value_of(uint32_t type, uint32_t size, const char *names)
{
    return (struct site_value){
        .encoding = VALUE_STRUCT, .type = type, .size = size, .cells = cells, .tuple_names = text_of(names)};
}

static void expect(uint32_t type, uint32_t size, const char *names, const char *story)
{
    struct buffer said = {0};
    struct site_value value = value_of(type, size, names);
    value_story(&said, &values, &value);
    buffer_u8(&said, 0);
    assert_string_equal((const char *)said.data, story);
    buffer_free(&said);
}

static void items_keep_their_order_and_have_their_names(void **state)
{
    (void)state;
    expect(PAIR, 8, "", "{ Item1 = 2, Item2 = 1 }");
    expect(PAIR, 8, "(Count,)", "{ Count = 2, Item2 = 1 }");
    expect(OUTER, 12, "(a,b(c,d))", "{ a = 1, b = { c = 3, d = 2 } }");
    expect(OUTER, 12, "", "{ Item1 = 1, Item2 = { Item1 = 3, Item2 = 2 } }");
}

static void the_rest_continues_after_the_other_items(void **state)
{
    (void)state;
    expect(NINE, 36, "(a,b,c,d,e,f,g,(h,Items))",
           "{ a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, Items = 9 }");
    expect(NINE, 36, "",
           "{ Item1 = 1, Item2 = 2, Item3 = 3, Item4 = 4, Item5 = 5, Item6 = 6, Item7 = 7, Item8 = 8, Item9 = 9 }");
    expect(DEEP, 8, "", "{ }");
}

static void names_pass_through_types_that_contain_a_tuple(void **state)
{
    (void)state;
    expect(HOLDER, 8, "", "{ Where = { X = 2, Y = 1 } }");
    expect(ENTRY, 12, "<,(Low,High)>", "{ key = 1, value = { Low = 3, High = 2 } }");
    expect(ENTRY, 12, "", "{ key = 1, value = { Item1 = 3, Item2 = 2 } }");
    expect(NULLABLE, 12, "<(Low,High)>", "{ Low = 3, High = 2 }");
}

static void fields_have_names_of_items_too(void **state)
{
    (void)state;
    struct site_value value = value_of(NULLABLE, 12, "<(Low,High)>"), field;
    struct buffer bytes = {0};
    struct text name;
    assert_true(value_field(&values, &value, 1, &bytes, &name, &field));
    assert_true(text_equal(name, text_of("High")));
    assert_int_equal(field.cells[0], 2);
    assert_false(value_field(&values, &value, 2, &bytes, &name, &field));
    value = value_of(NINE, 36, "");
    assert_true(value_field(&values, &value, 8, &bytes, &name, &field));
    assert_true(text_equal(name, text_of("Item9")));
    assert_false(value_field(&values, &value, 9, &bytes, &name, &field));
    buffer_free(&bytes);
}

static void a_path_leads_to_a_part(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        int found; // -1: nothing
    } paths[] = {{"a", 1}, {"b.c", 3}, {"b.d", 2}, {"", -2}, {"x", -1}, {"b.x", -1}, {"a.b", -1}};
    struct buffer bytes[2] = {{0}, {0}};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct site_value value = value_of(OUTER, 12, "(a,b(c,d))"), part;
        bool found = value_part(&values, &value, text_of(paths[i].path), bytes, &part);
        assert_int_equal(found, paths[i].found != -1);
        assert_true(paths[i].found < 0 || part.cells[0] == (uint32_t)paths[i].found);
    }
    buffer_free(&bytes[0]);
    buffer_free(&bytes[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_keep_their_order_and_have_their_names),
        cmocka_unit_test(the_rest_continues_after_the_other_items),
        cmocka_unit_test(names_pass_through_types_that_contain_a_tuple),
        cmocka_unit_test(fields_have_names_of_items_too),
        cmocka_unit_test(a_path_leads_to_a_part),
    };
    return cmocka_run_group_tests(tests, make_sites_of_tuples, free_sites_of_tuples);
}
