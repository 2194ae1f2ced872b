// Each type gets one number and is reported once, with its kind, name, members and layout. Values with redacted names.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include <stdlib.h>
#include <unistd.h>

#include "agent/loaded/modules.h"
#include "agent/session/agent.h"
#include "agent/session/settings.h"
#include "agent/types/type_signatures.h"
#include "agent/types/value_types.h"
#include "base/arena.h"
#include "metadata/tables/metadata_types.h"
#include "metadata/tables/signature.h"
#include "ring/definition.h"
#include "ring/segment.h"
#include "unit/metadata/dotnet.h"

static struct module core = {.number = 7};
static struct arena arena;
enum { TOLD_MAX = 4096 };
static struct type types[TOLD_MAX]; // by number, as told last
static struct type newest;          // of the number that was given last
static uint32_t told, definitions;  // the highest number; how many were told of

static int open_core(void **state)
{
    (void)state;
    char folder[800], path[1024];
    int fd;
    dotnet_runtime_folder(folder, sizeof folder);
    (void)snprintf(path, sizeof path, "%s/System.Private.CoreLib.dll", folder);
    struct buffer content = file_read(path); // for as long as the tests run
    assert_int_equal(image_open(bytes_of(content.data, content.size), IMAGE_FLAT, &core.image), CLEW_OK);
    assert_int_equal(metadata_open(core.image.metadata, &core.metadata), CLEW_OK);
    core.assembly = metadata_assembly_name(&core.metadata);
    assert_int_equal(segment_create(&(struct ring_options){.process = 1}, &fd, &agent.ring), CLEW_OK);
    return close(fd);
}

static void take_definitions(void)
{
    struct buffer read = {0};
    struct ring_definition definition;
    while (ring_definition_read(agent.ring, &read)) {
        struct bytes bytes = bytes_of(arena_text(&arena, (const char *)read.data, read.size), read.size);
        struct type type;
        assert_true(ring_definition_decode(&bytes, &definition));
        assert_int_equal(definition.type, RING_DEFINE_TYPE);
        assert_int_equal(type_decode(definition.blob, &arena, &type), CLEW_OK);
        assert_int_equal(type.number, definition.number);
        assert_true(definition.flags & TYPE_FLAG_STATED);
        assert_true(!text_starts(type.name, "System.ValueTuple<") || definition.flags & TYPE_FLAG_TUPLE);
        assert_in_range(type.number, 1, TOLD_MAX - 1);
        types[type.number] = type;
        told = type.number > told ? type.number : told;
        definitions++;
    }
    buffer_free(&read);
}

enum { NAMED = 0xFF };

// A signature as a list of elements and of types by {space, name}.
struct part {
    uint8_t element; // NAMED: a type
    const char *space, *name;
};

static struct known_type number(const struct part *parts, size_t count)
{
    struct buffer blob = {0};
    for (size_t i = 0; i < count; i++) {
        if (parts[i].element != NAMED) {
            buffer_u8(&blob, parts[i].element);
            continue;
        }
        uint32_t token = type_def_find(&core.metadata, 0, text_of(parts[i].space), text_of(parts[i].name));
        assert_int_not_equal(token, 0);
        buffer_compressed(&blob, metadata_encode(CODED_TYPE_DEF_OR_REF, token));
    }
    struct known_type known = types_of_signature(&core, TOKEN(TABLE_METHOD_DEF, 1), bytes_of(blob.data, blob.size));
    buffer_free(&blob);
    take_definitions();
    newest = types[known.number];
    return known;
}

#define E(element)          \
    {                       \
        element, NULL, NULL \
    }
#define T(space, name)     \
    {                      \
        NAMED, space, name \
    }
#define NUMBER(...) \
    number((const struct part[]){__VA_ARGS__}, sizeof((struct part[]){__VA_ARGS__}) / sizeof(struct part))

static void expect(struct known_type known, enum type_kind kind, enum site_encoding encoding, const char *name)
{
    assert_int_equal(known.kind, kind);
    assert_int_equal(known.encoding, encoding);
    assert_int_equal(newest.number, known.number);
    assert_int_equal(newest.kind, kind);
    assert_int_equal(newest.encoding, encoding);
    assert_true(text_equal(newest.name, text_of(name)));
}

static void types_are_defined_once(void **state)
{
    (void)state;
    expect(NUMBER(E(ELEMENT_I4)), TYPE_PRIMITIVE, VALUE_I4, "System.Int32");
    uint32_t integer = newest.number;
    expect(NUMBER(E(ELEMENT_STRING)), TYPE_STRING, VALUE_OBJECT, "System.String");
    assert_int_equal(NUMBER(E(ELEMENT_I4)).number, integer);
    expect(NUMBER(E(ELEMENT_SZARRAY), E(ELEMENT_I4)), TYPE_ARRAY, VALUE_OBJECT, "System.Int32[]");
    assert_int_equal(newest.element, integer);
    expect(NUMBER(E(ELEMENT_ARRAY), E(ELEMENT_I4), E(3), E(0), E(0)), TYPE_ARRAY, VALUE_OBJECT, "System.Int32[,,]");
    expect(NUMBER(E(ELEMENT_BY_REFERENCE), E(ELEMENT_I4)), TYPE_REFERENCE, VALUE_POINTER, "System.Int32&");
    expect(NUMBER(E(ELEMENT_POINTER), E(ELEMENT_VOID)), TYPE_POINTER, VALUE_POINTER, "System.Void*");
    uint32_t before = definitions;
    assert_int_equal(NUMBER(E(ELEMENT_SZARRAY), E(ELEMENT_I4)).kind, TYPE_ARRAY);
    assert_int_equal(definitions, before);
}

static void classes_and_structs_have_their_names(void **state)
{
    (void)state;
    expect(NUMBER(E(ELEMENT_CLASS), T("System.Text", "StringBuilder")), TYPE_CLASS, VALUE_OBJECT,
           "System.Text.StringBuilder");
    expect(NUMBER(E(ELEMENT_CLASS), T("System", "Action")), TYPE_DELEGATE, VALUE_OBJECT, "System.Action");
    expect(NUMBER(E(ELEMENT_VALUE_TYPE), T("System", "Guid")), TYPE_STRUCT, VALUE_STRUCT, "System.Guid");
    expect(NUMBER(E(ELEMENT_GENERIC_INSTANCE), E(ELEMENT_VALUE_TYPE), T("System", "Nullable`1"), E(1), E(ELEMENT_I4)),
           TYPE_NULLABLE, VALUE_STRUCT, "System.Nullable<System.Int32>");
    expect(NUMBER(E(ELEMENT_GENERIC_INSTANCE), E(ELEMENT_CLASS), T("System.Collections.Generic", "Dictionary`2"), E(2),
                  E(ELEMENT_STRING), E(ELEMENT_I4)),
           TYPE_CLASS, VALUE_OBJECT, "System.Collections.Generic.Dictionary<System.String, System.Int32>");
    expect(NUMBER(E(ELEMENT_GENERIC_INSTANCE), E(ELEMENT_VALUE_TYPE), T("System", "Span`1"), E(1), E(ELEMENT_I4)),
           TYPE_REF_STRUCT, VALUE_STRUCT, "System.Span<System.Int32>");
}

static void enums_have_their_members(void **state)
{
    (void)state;
    expect(NUMBER(E(ELEMENT_VALUE_TYPE), T("System", "DayOfWeek")), TYPE_ENUM, VALUE_I4, "System.DayOfWeek");
    assert_int_equal(newest.size, 4);
    assert_int_equal(newest.member_count, 7);
    assert_true(text_equal(newest.members[6].name, text_of("Saturday")));
    assert_int_equal(newest.members[6].value, 6);
    assert_false(newest.is_flags);
    expect(NUMBER(E(ELEMENT_VALUE_TYPE), T("System", "AttributeTargets")), TYPE_ENUM, VALUE_I4,
           "System.AttributeTargets");
    assert_true(newest.is_flags);
    expect(NUMBER(E(ELEMENT_VALUE_TYPE), T("System.Security", "SecurityRuleSet")), TYPE_ENUM, VALUE_U1,
           "System.Security.SecurityRuleSet");
}

// -- Layouts ----------------------------------------------------------------------------------------------------------
// Expected sizes and offsets are those that CoreCLR chooses.

static void expect_fields(uint32_t count, const struct type_field *fields)
{
    assert_int_equal(newest.field_count, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(newest.fields[i].offset, fields[i].offset);
        assert_true(text_equal(newest.fields[i].name, fields[i].name));
        assert_int_not_equal(newest.fields[i].type, 0);
    }
}

static void layouts_follow_from_metadata(void **state)
{
    (void)state;
    assert_int_equal(NUMBER(E(ELEMENT_VALUE_TYPE), T("System", "TimeSpan")).size, 8);
    assert_int_equal(NUMBER(E(ELEMENT_VALUE_TYPE), T("System", "DateTime")).size, 8); // its one field
    assert_int_equal(NUMBER(E(ELEMENT_VALUE_TYPE), T("System", "Guid")).size, 16);
    assert_int_equal(newest.size, 16);
    assert_int_equal(newest.field_count, 11);
    assert_int_equal(newest.fields[2].offset, 6);
    assert_int_equal(NUMBER(E(ELEMENT_VALUE_TYPE), T("System", "Int128")).size, 16);
    assert_int_equal(NUMBER(E(ELEMENT_VALUE_TYPE), T("System", "Range")).size, 8);
    expect_fields(
        2, (const struct type_field[]){{.offset = 0, .name = text_of("Start")}, {.offset = 4, .name = text_of("End")}});
    assert_int_equal(types[newest.fields[1].type].size, 4); // an Index, with its own layout
    assert_int_equal(types[newest.fields[1].type].field_count, 1);
    assert_int_equal(
        NUMBER(E(ELEMENT_GENERIC_INSTANCE), E(ELEMENT_VALUE_TYPE), T("System", "Nullable`1"), E(1), E(ELEMENT_R8)).size,
        16);
    expect_fields(2, (const struct type_field[]){{.offset = 0, .name = text_of("hasValue")},
                                                 {.offset = 8, .name = text_of("value")}});
    assert_int_equal(
        NUMBER(E(ELEMENT_GENERIC_INSTANCE), E(ELEMENT_VALUE_TYPE), T("System", "Span`1"), E(1), E(ELEMENT_STRING)).size,
        16);
    expect_fields(2, (const struct type_field[]){{.offset = 0, .name = text_of("_reference")},
                                                 {.offset = 8, .name = text_of("_length")}});
}

static void vectors_in_vectors_lie_side_by_side(void **state)
{
    (void)state;
    struct known_type wide = NUMBER(E(ELEMENT_GENERIC_INSTANCE), E(ELEMENT_VALUE_TYPE),
                                    T("System.Runtime.Intrinsics", "Vector256`1"), E(1), E(ELEMENT_R8));
    assert_int_equal(wide.size, 32);
    assert_int_equal(types[wide.number].field_count, 2);
    assert_int_equal(types[wide.number].fields[1].offset, 16);
    assert_int_equal(types[types[wide.number].fields[1].type].fields[1].offset, 8);
}

static void some_layouts_only_the_runtime_knows(void **state)
{
    (void)state;
    // The struct itself has automatic layout.
    assert_int_equal(NUMBER(E(ELEMENT_VALUE_TYPE), T("System", "DateTimeOffset")).size, 0);
    assert_int_equal(newest.size, 0);
    assert_int_equal(newest.field_count, 0);
    // A struct in it has automatic layout.
    assert_int_equal(NUMBER(E(ELEMENT_GENERIC_INSTANCE), E(ELEMENT_VALUE_TYPE), T("System", "Nullable`1"), E(1),
                            E(ELEMENT_VALUE_TYPE), T("System", "DateTimeOffset"))
                         .size,
                     0);
    // With references, which the runtime places first.
    assert_int_equal(
        NUMBER(E(ELEMENT_GENERIC_INSTANCE), E(ELEMENT_VALUE_TYPE), T("System", "ArraySegment`1"), E(1), E(ELEMENT_I4))
            .size,
        0);
    // A single reference is at offset 0, but the value is not plain bytes.
    assert_int_equal(NUMBER(E(ELEMENT_VALUE_TYPE), T("System", "RuntimeTypeHandle")).size, 0);
    assert_int_equal(newest.size, 8);
    // Types that have the size or alignment of the machine's vectors.
    assert_int_equal(NUMBER(E(ELEMENT_GENERIC_INSTANCE), E(ELEMENT_VALUE_TYPE), T("System.Numerics", "Vector`1"), E(1),
                            E(ELEMENT_R4))
                         .size,
                     0);
    assert_int_equal(NUMBER(E(ELEMENT_GENERIC_INSTANCE), E(ELEMENT_VALUE_TYPE), T("System", "Nullable`1"), E(1),
                            E(ELEMENT_VALUE_TYPE), T("System", "Int128"))
                         .size,
                     0);
    assert_int_equal(NUMBER(E(ELEMENT_VALUE_TYPE), T("System", "TypedReference")).size, 0);
}

// A struct that depends on its own module and the core library only has exactly one class, so the number identifies it.
static void some_structs_are_exact(void **state)
{
    (void)state;
    assert_true(NUMBER(E(ELEMENT_VALUE_TYPE), T("System", "DateTimeOffset")).exact);
    assert_true(NUMBER(E(ELEMENT_GENERIC_INSTANCE), E(ELEMENT_VALUE_TYPE), T("System", "ArraySegment`1"), E(1),
                       E(ELEMENT_SZARRAY), E(ELEMENT_STRING))
                    .exact);
    assert_true(
        NUMBER(E(ELEMENT_GENERIC_INSTANCE), E(ELEMENT_VALUE_TYPE), T("System", "Nullable`1"), E(1), E(ELEMENT_I4))
            .exact);
    assert_false(NUMBER(E(ELEMENT_GENERIC_INSTANCE), E(ELEMENT_VALUE_TYPE), T("System", "ArraySegment`1"), E(1),
                        E(ELEMENT_SZARRAY), E(ELEMENT_POINTER), E(ELEMENT_I4))
                     .exact);
    assert_true(
        NUMBER(E(ELEMENT_GENERIC_INSTANCE), E(ELEMENT_VALUE_TYPE), T("System", "Span`1"), E(1), E(ELEMENT_I4)).exact);
    assert_false(NUMBER(E(ELEMENT_CLASS), T("System", "Version")).exact);
    assert_true(NUMBER(E(ELEMENT_VALUE_TYPE), T("System", "Guid")).wide);
    assert_false(NUMBER(E(ELEMENT_VALUE_TYPE), T("System", "Range")).wide);
}

static void unreadable_signatures_have_no_number(void **state)
{
    (void)state;
    uint32_t before = told;
    assert_int_equal(NUMBER(E(ELEMENT_SZARRAY)).number, 0);
    assert_int_equal(NUMBER(E(ELEMENT_VALUE_TYPE), E(0x7F)).number, 0);
    assert_int_equal(NUMBER(E(ELEMENT_VAR), E(9)).number, 0);
    assert_int_equal(NUMBER(E(0x3E)).number, 0);
    static struct part deep[200];
    for (size_t i = 0; i < 200; i++) {
        deep[i] = (struct part){.element = ELEMENT_SZARRAY};
    }
    assert_int_equal(number(deep, 200).number, 0);
    srand(3);
    for (int round = 0; round < 20000; round++) {
        uint8_t bytes[12];
        for (size_t i = 0; i < sizeof bytes; i++) {
            bytes[i] = (uint8_t)(rand() % 4 ? rand() % 0x20 : rand());
        }
        (void)types_of_signature(&core, TOKEN(TABLE_METHOD_DEF, 1), bytes_of(bytes, sizeof bytes));
        if (round % 16 == 0) {
            take_definitions();
        }
    }
    assert_true(told >= before);
}

// -- Settings ---------------------------------------------------------------------------------------------------------

static bool redacts(const char *lines, const char *name)
{
    struct settings settings;
    settings_parse(&settings, text_of(lines), text_of(""));
    return redaction_matches(&settings.redaction, text_of(name));
}

static void secrets_are_left_out(void **state)
{
    (void)state;
    assert_true(redacts("", "password"));
    assert_true(redacts("", "_dbPassword"));
    assert_true(redacts("", "ACCESS_TOKEN"));
    assert_true(redacts("include *\n", "api_key"));
    assert_false(redacts("", "sum"));
    assert_false(redacts("", "tokens"));
    assert_true(redacts("redact *Sum\n", "check_sum"));
    assert_false(redacts("redact *Sum\n", "password")); // in place of the usual ones
    assert_false(redacts("redact \n", "password"));
    assert_false(redacts("redact *\n", ""));
    assert_true(redacts("redact a\nredact b\n", "B"));
}

// Names longer than the buffer on the stack.
static void secrets_of_long_names_are_left_out(void **state)
{
    (void)state;
    char name[1000];
    memset(name, 'x', sizeof name);
    memcpy(name + sizeof name - sizeof "Password", "Password", sizeof "Password");
    assert_true(redacts("", name));
    memcpy(name + sizeof name - sizeof "Password", "harmless", sizeof "Password");
    assert_false(redacts("", name));
}

static void strings_have_a_length(void **state)
{
    (void)state;
    struct settings settings;
    settings_parse(&settings, text_of("include *\n"), text_of(""));
    assert_int_equal(settings.string_max, 256);
    settings_parse(&settings, text_of("include *\nstring-max 12\nexclude x\n"), text_of(""));
    assert_int_equal(settings.string_max, 12);
    settings_parse(&settings, text_of("string-max 99999999999999999999999"), text_of(""));
    assert_int_equal(settings.string_max, 4096);
}

static void symbols_have_folders(void **state)
{
    (void)state;
    struct settings settings;
    settings_parse(&settings, text_of("symbols /a b\ninclude *\nsymbols /c\n"), text_of("/usr/bin"));
    assert_int_equal(settings.folder_count, 3);
    assert_true(text_equal(settings.folders[0], text_of("/a b")));
    assert_true(text_equal(settings.folders[1], text_of("/c")));
    assert_true(text_equal(settings.folders[2], text_of("/usr/bin")));
    settings_parse(&settings, text_of(""), text_of(""));
    assert_int_equal(settings.folder_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_are_defined_once),
        cmocka_unit_test(classes_and_structs_have_their_names),
        cmocka_unit_test(enums_have_their_members),
        cmocka_unit_test(layouts_follow_from_metadata),
        cmocka_unit_test(vectors_in_vectors_lie_side_by_side),
        cmocka_unit_test(some_layouts_only_the_runtime_knows),
        cmocka_unit_test(some_structs_are_exact),
        cmocka_unit_test(unreadable_signatures_have_no_number),
        cmocka_unit_test(secrets_are_left_out),
        cmocka_unit_test(secrets_of_long_names_are_left_out),
        cmocka_unit_test(strings_have_a_length),
        cmocka_unit_test(symbols_have_folders),
    };
    return cmocka_run_group_tests(tests, open_core, NULL);
}
