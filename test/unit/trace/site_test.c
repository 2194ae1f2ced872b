// Sites and types survive being written and read, and nothing that is cut short is believed.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/text.h"
#include "trace/payload.h"

#define TEXT(literal)                \
    {                                \
        literal, sizeof(literal) - 1 \
    }

static const struct site sites[] = {
    {.kind = SITE_ARGUMENT, .place = PLACE_PARAMETER, .encoding = VALUE_OBJECT, .type = 3, .name = TEXT("this")},
    {.kind = SITE_STATEMENT,
     .il_offset = 7,
     .document = 1,
     .start_line = 10,
     .start_column = 9,
     .end_line = 12,
     .end_column = 2},
    {.kind = SITE_DEFINITION,
     .place = PLACE_FIELD,
     .owner = OWNER_ADDRESS,
     .encoding = VALUE_STRUCT,
     .size = 6,
     .il_offset = 9,
     .index = 0x04000002,
     .type = 9,
     .statement = 2,
     .name = TEXT("x")},
    {.kind = SITE_STATEMENT,
     .il_offset = 20,
     .document = 1,
     .start_line = 8,
     .start_column = 1,
     .end_line = 8,
     .end_column = 3},
    {.kind = SITE_USE,
     .place = PLACE_ITEM,
     .owner = OWNER_OBJECT,
     .encoding = VALUE_R8,
     .il_offset = 3,
     .reason = REASON_NONE},
    {.kind = SITE_DEFINITION,
     .place = PLACE_FIELD,
     .owner = OWNER_LOCAL,
     .owner_index = 300,
     .encoding = VALUE_I4,
     .il_offset = 5,
     .index = 0x04000003,
     .statement = 4,
     .name = TEXT("Item1"),
     .owner_name = TEXT("pair"),
     .tuple_names = TEXT("(a,b)")},
    {.kind = SITE_RESULT,
     .place = PLACE_RESULT,
     .encoding = VALUE_TYPED,
     .il_offset = 6,
     .tuple_names = TEXT("(Sum,)")},
};
enum { SITES = sizeof sites / sizeof *sites };

static void assert_same_site(const struct site *got, const struct site *wanted)
{
    assert_int_equal(got->kind, wanted->kind);
    assert_int_equal(got->role, VARIABLE_UNKNOWN); // beside the sites
    assert_int_equal(got->place, wanted->place);
    assert_int_equal(got->owner, wanted->owner);
    assert_int_equal(got->encoding, wanted->encoding);
    assert_int_equal(got->il_offset, wanted->il_offset);
    assert_int_equal(got->index, wanted->index);
    assert_int_equal(got->owner_index, wanted->owner_index);
    assert_int_equal(got->size, wanted->size);
    assert_int_equal(got->type, wanted->type);
    assert_int_equal(got->statement, wanted->statement);
    assert_true(text_equal(got->name, wanted->name));
    assert_true(text_equal(got->owner_name, wanted->owner_name));
    assert_true(text_equal(got->tuple_names, wanted->tuple_names));
    if (wanted->kind == SITE_STATEMENT) {
        assert_int_equal(got->document, wanted->document);
        assert_int_equal(got->start_line, wanted->start_line);
        assert_int_equal(got->start_column, wanted->start_column);
        assert_int_equal(got->end_line, wanted->end_line);
        assert_int_equal(got->end_column, wanted->end_column);
    }
}

static void sites_decode_to_themselves(void **state)
{
    (void)state;
    struct buffer buffer = {0};
    sites_encode(&buffer, sites, SITES);
    struct bytes bytes = bytes_of(buffer.data, buffer.size);
    struct site before = {0};
    for (uint32_t i = 0; i < SITES; i++) {
        struct site site;
        assert_true(site_decode(&bytes, &before, &site));
        assert_same_site(&site, &sites[i]);
        before = site;
    }
    assert_int_equal(bytes_left(&bytes), 0);
    buffer_free(&buffer);
}

static void paths_stand_behind_the_roles(void **state)
{
    (void)state;
    struct site with[4] = {{0}, {.path = text_of("v.In.A"), .path_part = 1}, {0}, {.path = text_of("a[].B")}};
    struct site read[4] = {{0}};
    struct buffer buffer = {0};
    sites_encode_roles(&buffer, with, 4);
    for (size_t size = 0; size < buffer.size; size++) { // no text ends where it is cut
        sites_decode_roles(bytes_of(buffer.data, size), read, 4);
        assert_int_equal(read[3].path.size, 0);
    }
    sites_decode_roles(bytes_of(buffer.data, buffer.size), read, 4);
    assert_int_equal(read[0].path.size, 0);
    assert_true(text_equal(read[1].path, with[1].path));
    assert_int_equal(read[1].path_part, 1);
    assert_true(text_equal(read[3].path, with[3].path));
    assert_int_equal(read[3].path_part, 0);
    struct site one = {0};
    sites_decode_roles(bytes_of("\0\x01\x03\x01x\0", 6), &one, 1);
    assert_int_equal(one.path.size, 0); // the path of a site that is not there
    struct bytes newer = bytes_of("\0\0"
                                  "\x01\x05\x01x\x00zz",
                                  9),
                 whole = bytes_of("\0"
                                  "\x00\x03\x01x\x01",
                                  6);
    sites_decode_roles(newer, read, 2);
    assert_true(text_equal(read[1].path, text_of("x"))); // what a later version adds is skipped
    struct site none = {0};
    sites_decode_roles(whole, &none, 1);
    assert_int_equal(none.path.size, 0); // the part is not longer than the path
    buffer_free(&buffer);
}

static void roles_stand_beside_the_sites(void **state)
{
    (void)state;
    struct site with[3] = {{.role = VARIABLE_THIS}, {.kind = SITE_STATEMENT}, {.role = VARIABLE_CURRENT}};
    struct buffer buffer = {0};
    sites_encode_roles(&buffer, sites, SITES);
    assert_int_equal(buffer.size, 0); // none is known
    sites_encode_roles(&buffer, with, 3);
    assert_int_equal(buffer.size, 3);
    struct site read[3] = {{0}};
    sites_decode_roles(bytes_of(buffer.data, 2), read, 3);
    assert_int_equal(read[0].role, VARIABLE_THIS);
    assert_int_equal(read[1].role, VARIABLE_UNKNOWN);
    assert_int_equal(read[2].role, VARIABLE_UNKNOWN); // there are no more
    sites_decode_roles(bytes_of(buffer.data, buffer.size), read, 3);
    assert_int_equal(read[2].role, VARIABLE_CURRENT);
    sites_decode_roles(bytes_of("\x08\x01", 2), read, 2);
    assert_int_equal(read[0].role, VARIABLE_UNKNOWN); // a role of a later version
    assert_int_equal(read[1].role, VARIABLE_PLAIN);
    buffer_free(&buffer);
}

static void payloads_have_their_cells(void **state)
{
    (void)state;
    assert_int_equal(payload_cells(&sites[0]), 1);
    assert_int_equal(payload_cells(&sites[1]), 0);
    assert_int_equal(payload_cells(&sites[2]), 2 + 2);
    assert_int_equal(payload_cells(&sites[4]), 1 + 1 + 2);
    assert_int_equal(payload_cells(&sites[5]), 1);
}

static void cut_sites_are_refused(void **state)
{
    (void)state;
    static const uint32_t cut[] = {1, 5, 6}; // with a range; with a variable; with names of items
    for (uint32_t i = 0; i < sizeof cut / sizeof *cut; i++) {
        struct buffer buffer = {0};
        struct site none = {0}, site;
        sites_encode(&buffer, &sites[cut[i]], 1);
        for (size_t size = 0; size < buffer.size; size++) {
            struct bytes bytes = bytes_of(buffer.data, size);
            assert_false(site_decode(&bytes, &none, &site));
        }
        buffer_free(&buffer);
    }
}

static const struct type_field fields[] = {{0, 1, TEXT("hasValue"), {0}}, {8, 4, TEXT("value"), {0}}};
static const struct type_member members[] = {{-1, TEXT("None")}, {INT64_MAX, TEXT("All")}};
static const struct type sample = {.number = 5,
                                   .kind = TYPE_NULLABLE,
                                   .encoding = VALUE_STRUCT,
                                   .is_flags = true,
                                   .size = 16,
                                   .element = 4,
                                   .name = TEXT("System.Nullable<System.Int64>"),
                                   .fields = fields,
                                   .field_count = 2,
                                   .members = members,
                                   .member_count = 2};

static void types_decode_to_themselves(void **state)
{
    (void)state;
    struct buffer buffer = {0};
    struct arena arena = {0};
    struct type type;
    type_encode(&buffer, &sample);
    assert_int_equal(type_decode(bytes_of(buffer.data, buffer.size), &arena, &type), CLEW_OK);
    assert_int_equal(type.number, 5);
    assert_int_equal(type.kind, TYPE_NULLABLE);
    assert_true(type.is_flags);
    assert_int_equal(type.size, 16);
    assert_int_equal(type.element, 4);
    assert_true(text_equal(type.name, sample.name));
    assert_int_equal(type.field_count, 2);
    assert_int_equal(type.fields[1].offset, 8);
    assert_true(text_equal(type.fields[1].name, fields[1].name));
    assert_int_equal(type.member_count, 2);
    assert_int_equal(type.members[0].value, -1);
    assert_int_equal(type.members[1].value, INT64_MAX);
    arena_free(&arena);
    buffer_free(&buffer);
}

static void cut_types_are_refused(void **state)
{
    (void)state;
    struct buffer buffer = {0};
    type_encode(&buffer, &sample);
    for (size_t size = 0; size < buffer.size; size++) {
        struct arena arena = {0};
        struct type type;
        assert_int_equal(type_decode(bytes_of(buffer.data, size), &arena, &type), CLEW_MALFORMED);
        arena_free(&arena);
    }
    buffer_free(&buffer);
}

// They follow what a type had before there were any, so that such a type has none.
static void names_of_items_may_be_missing(void **state)
{
    (void)state;
    static const struct type_field named[] = {{0, 1, TEXT("hasValue"), {0}}, {8, 4, TEXT("value"), TEXT("!0")}};
    struct type with = sample, type;
    struct buffer buffer = {0};
    struct arena arena = {0};
    type_encode(&buffer, &sample);
    size_t without = buffer.size;
    buffer_clear(&buffer);
    with.fields = named;
    type_encode(&buffer, &with);
    assert_int_equal(type_decode(bytes_of(buffer.data, buffer.size), &arena, &type), CLEW_OK);
    assert_int_equal(type.fields[0].tuple_names.size, 0);
    assert_true(text_equal(type.fields[1].tuple_names, text_of("!0")));
    assert_int_equal(type_decode(bytes_of(buffer.data, without), &arena, &type), CLEW_OK);
    assert_int_equal(type.fields[1].tuple_names.size, 0);
    for (size_t size = without + 1; size < buffer.size; size++) {
        assert_int_equal(type_decode(bytes_of(buffer.data, size), &arena, &type), CLEW_MALFORMED);
    }
    arena_free(&arena);
    buffer_free(&buffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sites_decode_to_themselves),   cmocka_unit_test(paths_stand_behind_the_roles),
        cmocka_unit_test(roles_stand_beside_the_sites), cmocka_unit_test(payloads_have_their_cells),
        cmocka_unit_test(cut_sites_are_refused),        cmocka_unit_test(types_decode_to_themselves),
        cmocka_unit_test(cut_types_are_refused),        cmocka_unit_test(names_of_items_may_be_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
