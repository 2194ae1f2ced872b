// What tables say of types. The core library that is installed has every kind.
#include "dotnet.h"

#include "metadata/tables/image.h"
#include "metadata/tables/metadata_types.h"
#include "metadata/tables/signature.h"

struct module {
    struct buffer content;
    struct image image;
    struct metadata metadata;
};

static void open_module(struct module *module, const char *path)
{
    *module = (struct module){.content = file_read(path)};
    struct bytes bytes = bytes_of(module->content.data, module->content.size);
    assert_int_equal(image_open(bytes, IMAGE_FLAT, &module->image), CLEW_OK);
    assert_int_equal(metadata_open(module->image.metadata, &module->metadata), CLEW_OK);
}

static void open_framework(struct module *module, const char *name)
{
    char folder[800], path[1024];
    dotnet_runtime_folder(folder, sizeof folder);
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    open_module(module, path);
}

static struct type_def find(const struct module *module, uint32_t outer, const char *space, const char *name,
                            uint32_t *token)
{
    struct type_def def;
    *token = type_def_find(&module->metadata, outer, text_of(space), text_of(name));
    assert_true(type_def_of(&module->metadata, *token, &def));
    assert_true(text_equal(def.name, text_of(name)) && text_equal(def.space, text_of(space)));
    assert_int_equal(def.outer, outer);
    return def;
}

static void every_kind_of_type_is_recognised(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum type_def_kind kind;
    } kinds[] = {
        {"String", TYPE_DEF_CLASS},          {"Enum", TYPE_DEF_CLASS},        {"ValueType", TYPE_DEF_CLASS},
        {"IDisposable", TYPE_DEF_INTERFACE}, {"Action", TYPE_DEF_DELEGATE},   {"MulticastDelegate", TYPE_DEF_CLASS},
        {"Guid", TYPE_DEF_STRUCT},           {"Nullable`1", TYPE_DEF_STRUCT}, {"Span`1", TYPE_DEF_REF_STRUCT},
        {"Int32", TYPE_DEF_STRUCT},          {"DayOfWeek", TYPE_DEF_ENUM},
    };
    struct module core;
    uint32_t token;
    open_framework(&core, "System.Private.CoreLib.dll");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        assert_int_equal(find(&core, 0, "System", kinds[i].name, &token).kind, kinds[i].kind);
    }
    assert_int_equal(type_def_find(&core.metadata, 0, text_of("System"), text_of("NoSuchType")), 0);
    assert_int_equal(type_def_find(&core.metadata, 0, text_of("NoSuchSpace"), text_of("String")), 0);
    struct type_def def;
    assert_false(type_def_of(&core.metadata, TOKEN(TABLE_TYPE_DEF, 0), &def));
    assert_false(type_def_of(&core.metadata, TOKEN(TABLE_TYPE_DEF, 0xFFFFFF), &def));
    assert_false(type_def_of(&core.metadata, TOKEN(TABLE_TYPE_REF, 1), &def));
    buffer_free(&core.content);
}

static int64_t member_of(const struct module *module, uint32_t token, const char *name)
{
    struct enum_members members = enum_members_of(&module->metadata, token);
    struct enum_member member;
    while (enum_members_next(&members, &member)) {
        if (text_equal(member.name, text_of(name))) {
            return member.value;
        }
    }
    fail_msg("no member %s", name);
    return 0;
}

static void enums_have_members(void **state)
{
    (void)state;
    struct module core;
    uint32_t outer, token;
    open_framework(&core, "System.Private.CoreLib.dll");
    struct type_def def = find(&core, 0, "System", "DayOfWeek", &token);
    assert_int_equal(def.underlying, ELEMENT_I4);
    assert_false(def.flags);
    assert_int_equal(member_of(&core, token, "Sunday"), 0);
    assert_int_equal(member_of(&core, token, "Saturday"), 6);
    def = find(&core, 0, "System", "AttributeTargets", &token);
    assert_true(def.flags);
    assert_int_equal(member_of(&core, token, "All"), 32767);
    def = find(&core, 0, "System.Security", "SecurityRuleSet", &token);
    assert_int_equal(def.underlying, ELEMENT_U1);
    assert_int_equal(member_of(&core, token, "Level2"), 2);
    (void)find(&core, 0, "System", "Environment", &outer);
    def = find(&core, outer, "", "SpecialFolder", &token); // nested
    assert_int_equal(def.kind, TYPE_DEF_ENUM);
    buffer_free(&core.content);
}

static void references_to_types_are_resolved(void **state)
{
    (void)state;
    struct module facade, program;
    open_framework(&facade, "System.Runtime.dll");
    uint32_t elsewhere = type_def_forwarded(&facade.metadata, text_of("System"), text_of("String"));
    assert_int_equal(TOKEN_TABLE(elsewhere), TABLE_ASSEMBLY_REF);
    assert_int_equal(type_def_forwarded(&facade.metadata, text_of("System"), text_of("NoSuchType")), 0);
    open_module(&program, "test/fuzz/corpus/metadata/CSharp.dll");
    bool nested = false, outside = false;
    struct type_ref ref;
    for (uint32_t row = 1; row <= metadata_rows(&program.metadata, TABLE_TYPE_REF); row++) {
        assert_true(type_ref_of(&program.metadata, TOKEN(TABLE_TYPE_REF, row), &ref));
        assert_true(ref.name.size > 0);
        nested |= TOKEN_TABLE(ref.scope) == TABLE_TYPE_REF;
        outside |= TOKEN_TABLE(ref.scope) == TABLE_ASSEMBLY_REF;
    }
    assert_true(nested && outside);
    assert_false(type_ref_of(&program.metadata, TOKEN(TABLE_TYPE_REF, 0), &ref));
    assert_false(type_ref_of(&program.metadata, TOKEN(TABLE_TYPE_REF, 0xFFFFFF), &ref));
    buffer_free(&facade.content);
    buffer_free(&program.content);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_type_is_recognised),
        cmocka_unit_test(enums_have_members),
        cmocka_unit_test(references_to_types_are_resolved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
