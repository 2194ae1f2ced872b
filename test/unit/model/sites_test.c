// Sites, types and documents by number, however wild the numbers are; and payloads taken apart.
#include "model/sites.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../made_recording.h"
#include "../recording_path.h"
#include "loading.h"
#include "trace/instrument.h"

static void make(void)
{
    create(path, INSTRUMENT_VALUES, CLOCK_KIND_NONE);
    define();
    define_sites();
    finish(0, 0, 1, true);
}

static void numbers_belong_to_the_process(void **state)
{
    (void)state;
    make();
    struct sites *sites = load_sites();
    assert_int_equal(sites_site(sites, 1, 2)->start_line, 4);
    assert_int_equal(sites_method(sites, 1, 12), MAIN);
    assert_int_equal(sites_method(sites, 1, 13), ADD);
    assert_true(text_equal(sites_type(sites, 1, TYPE_CART)->name, text_of("Shop.Cart")));
    assert_non_null(sites_document(sites, 1, 1, 1));
    assert_null(sites_site(sites, 1, 0));
    assert_null(sites_site(sites, 1, 14));
    assert_null(sites_site(sites, 2, 2));
    assert_int_equal(sites_method(sites, 1, 14), 0);
    assert_null(sites_type(sites, 1, 0));
    assert_null(sites_type(sites, 1, UINT32_MAX));
    assert_null(sites_document(sites, 1, 2, 1));
    assert_int_equal(sites_health(sites)->damaged, 0);
    sites_free(sites);
    sites_free(NULL);
}

static void expect_site(const struct sites *sites, uint32_t number, uint32_t method, uint32_t line, uint32_t first)
{
    struct sites_statement statement;
    assert_int_equal(sites_first_statement(sites, 1, number, &statement), first != 0);
    assert_int_equal(statement.number, first);
    assert_int_equal(sites_method(sites, 1, number), method);
    assert_int_equal(sites_site(sites, 1, number)->start_line, line);
}

static void a_later_definition_replaces_its_numbers_only(void **state)
{
    (void)state;
    const struct site first[] = {{.kind = SITE_DEFINITION, .place = PLACE_LOCAL, .encoding = VALUE_I4},
                                 {.kind = SITE_STATEMENT, .document = 7, .start_line = 5},
                                 {.kind = SITE_STATEMENT, .document = 8, .start_line = 6},
                                 {.kind = SITE_STATEMENT, .document = 9, .start_line = 7}};
    const struct site later = {.kind = SITE_DEFINITION, .place = PLACE_LOCAL, .encoding = VALUE_I4};
    struct sites_statement statement;
    create(path, INSTRUMENT_VALUES, CLOCK_KIND_NONE);
    define_sites_of(MAIN, 1, first, 4);
    define_sites_of(ADD, 3, &later, 1);
    finish(0, 0, 1, true);
    struct sites *sites = load_sites();
    expect_site(sites, 1, MAIN, 0, 2);
    expect_site(sites, 2, MAIN, 5, 2);
    expect_site(sites, 3, ADD, 0, 0);
    expect_site(sites, 4, MAIN, 7, 2);
    assert_true(sites_first_statement(sites, 1, 4, &statement) && statement.document == 7);
    assert_false(sites_first_statement(sites, 1, 5, &statement));
    assert_false(sites_first_statement(sites, 2, 1, &statement));
    sites_free(sites);
}

// All numbers that are defined are among those at the places; the numbers ask for no memory by themselves.
static void far_numbers_are_found_too(void **state)
{
    (void)state;
    const struct site site = {.kind = SITE_STATEMENT, .start_line = 8};
    static const uint32_t numbers[] = {1, 4095, 1u << 30, UINT32_MAX - 1, 4096};
    enum { COUNT = sizeof numbers / sizeof *numbers };
    create(path, INSTRUMENT_VALUES, CLOCK_KIND_NONE);
    for (uint32_t i = 0; i < COUNT; i++) {
        define_sites_of(MAIN + i, numbers[i], &site, 1);
    }
    finish(0, 0, 1, true);
    struct sites *sites = load_sites();
    uint32_t met = 0;
    for (uint32_t place = 0; place < sites_count(sites, 1); place++) {
        met += sites_site(sites, 1, sites_number(sites, 1, place)) != NULL;
    }
    assert_int_equal(met, COUNT);
    assert_true(sites_count(sites, 1) < 10000);
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_int_equal(sites_method(sites, 1, numbers[i]), MAIN + i);
    }
    assert_null(sites_site(sites, 1, (1u << 30) + 1));
    assert_int_equal(sites_count(sites, 2), 0);
    sites_free(sites);
}

static void a_later_type_replaces_the_earlier(void **state)
{
    (void)state;
    struct type type = {.number = 5, .kind = TYPE_STRUCT, .encoding = VALUE_STRUCT, .name = text_of("S")};
    create(path, INSTRUMENT_VALUES, CLOCK_KIND_NONE);
    define_type(&type);
    type.size = 16;
    define_type(&type);
    finish(0, 0, 1, true);
    struct sites *sites = load_sites();
    assert_int_equal(sites_type(sites, 1, 5)->size, 16);
    sites_free(sites);
}

static void what_was_not_stated_follows_from_names(void **state)
{
    (void)state;
    const struct type closure = {.number = 5, .kind = TYPE_CLASS, .name = text_of("App.<>c__DisplayClass0_0")};
    struct type stated = closure;
    stated.number = 6;
    stated.flags = TYPE_FLAG_STATED | TYPE_FLAG_TUPLE;
    const struct site two[2] = {{.kind = SITE_ARGUMENT, .name = text_of("this")},
                                {.kind = SITE_USE, .role = VARIABLE_PLAIN, .name = text_of("this")}};
    create(path, INSTRUMENT_VALUES, CLOCK_KIND_NONE);
    define_type(&closure);
    define_type(&stated);
    define_sites_of(MAIN, 1, two, 2);
    finish(0, 0, 1, true);
    struct sites *sites = load_sites();
    assert_int_equal(sites_type(sites, 1, 5)->flags, TYPE_FLAG_GENERATED | TYPE_FLAG_CLOSURE);
    assert_int_equal(sites_type(sites, 1, 6)->flags, TYPE_FLAG_STATED | TYPE_FLAG_TUPLE);
    assert_int_equal(sites_site(sites, 1, 1)->role, VARIABLE_THIS);
    assert_int_equal(sites_site(sites, 1, 2)->role, VARIABLE_PLAIN);
    sites_free(sites);
}

// What stands before the damage is good, and what is damaged is as if it were not defined.
static void damaged_definitions_are_left_out(void **state)
{
    (void)state;
    const struct site two[2] = {{.kind = SITE_STATEMENT, .start_line = 3}, {.kind = SITE_STATEMENT, .start_line = 4}};
    const struct type type = {.number = 5, .kind = TYPE_STRUCT, .name = text_of("S")};
    struct buffer blob = {0};
    create(path, INSTRUMENT_VALUES, CLOCK_KIND_NONE);
    sites_encode(&blob, two, 2);
    must(recording_write_sites(
        writer, &(struct recording_sites){
                    .process = 1, .method = MAIN, .first = 1, .blob = bytes_of(blob.data, blob.size - 1)}));
    buffer_clear(&blob);
    type_encode(&blob, &type);
    must(recording_write_type(
        writer, &(struct recording_value_type){.process = 1, .type = 5, .blob = bytes_of(blob.data, blob.size - 1)}));
    must(recording_write_type( // says another number than its record
        writer, &(struct recording_value_type){.process = 1, .type = 6, .blob = bytes_of(blob.data, blob.size)}));
    finish(0, 0, 1, true);
    buffer_free(&blob);
    struct sites *sites = load_sites();
    assert_int_equal(sites_site(sites, 1, 1)->start_line, 3);
    assert_null(sites_site(sites, 1, 2));
    assert_null(sites_type(sites, 1, 5));
    assert_null(sites_type(sites, 1, 6));
    sites_free(sites);
}

// -- Payloads ---------------------------------------------------------------------------------------------------------

static void a_payload_is_owner_then_item_then_value(void **state)
{
    (void)state;
    static const uint32_t cells[] = {7, (uint32_t)-2, 41, 1};
    const struct site item = {.place = PLACE_ITEM, .owner = OWNER_OBJECT, .encoding = VALUE_I8, .type = TYPE_INT};
    struct site_value value;
    make();
    struct sites *sites = load_sites();
    assert_int_equal(sites_take(sites, 1, &item, cells, 4, &value), 4);
    assert_int_equal(value.owner_object, 7);
    assert_int_equal(value.item, -2);
    assert_ptr_equal(value.cells, cells + 2);
    assert_int_equal(value.size, 8);
    assert_int_equal(value.type, TYPE_INT);
    for (uint32_t left = 0; left < 4; left++) {
        assert_int_equal(sites_take(sites, 1, &item, cells, left, &value), UINT32_MAX);
    }
    const struct site field = {.place = PLACE_FIELD, .owner = OWNER_ADDRESS, .encoding = VALUE_STRUCT, .size = 5};
    assert_int_equal(sites_take(sites, 1, &field, cells, 4, &value), 4);
    assert_int_equal(value.owner_address, 7 | (uint64_t)(uint32_t)-2 << 32);
    assert_int_equal(value.size, 5);
    const struct site none = {.kind = SITE_USE, .place = PLACE_LOCAL, .reason = REASON_REDACTED};
    assert_int_equal(sites_take(sites, 1, &none, cells, 0, &value), 0);
    assert_int_equal(value.reason, REASON_REDACTED);
    sites_free(sites);
}

// The event says what a type parameter stood for, and how many bytes there are of it.
static void a_typed_value_is_of_the_type_that_the_event_names(void **state)
{
    (void)state;
    static const uint32_t point[] = {TYPE_POINT, 16, 1, 2, 3, 4}, left_out[] = {TYPE_POINT, 0}, other[] = {99, 4, 5};
    static const uint32_t huge[] = {TYPE_POINT, UINT32_MAX, 0};
    const struct site typed = {.place = PLACE_LOCAL, .encoding = VALUE_TYPED, .type = 1};
    struct site_value value;
    make();
    struct sites *sites = load_sites();
    assert_int_equal(sites_take(sites, 1, &typed, point, 6, &value), 6);
    assert_int_equal(value.type, TYPE_POINT);
    assert_int_equal(value.encoding, VALUE_STRUCT);
    assert_int_equal(value.size, 16);
    assert_ptr_equal(value.cells, point + 2);
    assert_int_equal(sites_take(sites, 1, &typed, left_out, 2, &value), 2);
    assert_int_equal(value.encoding, VALUE_NONE);
    assert_int_equal(value.reason, REASON_TOO_LARGE);
    assert_int_equal(sites_take(sites, 1, &typed, other, 3, &value), 3);
    assert_int_equal(value.reason, REASON_UNKNOWN);
    assert_int_equal(sites_take(sites, 1, &typed, point, 5, &value), UINT32_MAX);
    assert_int_equal(sites_take(sites, 1, &typed, point, 1, &value), UINT32_MAX);
    assert_int_equal(sites_take(sites, 1, &typed, huge, 3, &value), UINT32_MAX);
    sites_free(sites);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_belong_to_the_process),
        cmocka_unit_test(a_later_definition_replaces_its_numbers_only),
        cmocka_unit_test(far_numbers_are_found_too),
        cmocka_unit_test(a_later_type_replaces_the_earlier),
        cmocka_unit_test(what_was_not_stated_follows_from_names),
        cmocka_unit_test(damaged_definitions_are_left_out),
        cmocka_unit_test(a_payload_is_owner_then_item_then_value),
        cmocka_unit_test(a_typed_value_is_of_the_type_that_the_event_names),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
