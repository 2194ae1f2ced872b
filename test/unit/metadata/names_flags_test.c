// Flags of methods and types are those of the source, and agree with what older recordings show by names alone, over three
// languages' compilers and everything that the installed .NET has.
#include "golden.h"

#include "metadata/names/names_recorded.h"
#include "metadata/tables/metadata_types.h"
#include "named_modules.h"

// -- Full names of types, as the agent writes them --------------------------------------------------------------------

static void append_type(const struct metadata *metadata, uint32_t token, struct buffer *out)
{
    struct type_def def;
    struct text own;
    assert_true(type_def_of(metadata, token, &def));
    if (def.outer) {
        append_type(metadata, def.outer, out);
    } else {
        buffer_append(out, def.space.at, def.space.size);
    }
    buffer_text(out, out->size ? "." : "");
    (void)type_name_arity(def.name, &own);
    buffer_append(out, own.at, own.size);
}

static struct text text_of_type(const struct metadata *metadata, uint32_t token, struct buffer *room)
{
    buffer_clear(room);
    append_type(metadata, token, room);
    assert_false(room->failed);
    return (struct text){(const char *)room->data, room->size};
}

// -- Lists read by eye ------------------------------------------------------------------------------------------------

static void append_words(uint32_t flags, const char *const *words, struct buffer *out)
{
    for (uint32_t bit = 1; words[bit]; bit++) { // bit 0 is STATED
        buffer_printf(out, "%s%s", flags >> bit & 1 ? " " : "", flags >> bit & 1 ? words[bit] : "");
    }
    buffer_u8(out, '\n');
}

static void append_types(struct module *module, struct buffer *lines)
{
    static const char *const words[] = {"", "generated", "closure", "machine", "anonymous", "tuple", NULL};
    struct buffer name = {0};
    for (uint32_t row = 1; row <= metadata_rows(&module->metadata, TABLE_TYPE_DEF); row++) {
        uint32_t flags = names_type_flags(&module->metadata, TOKEN(TABLE_TYPE_DEF, row));
        struct text shown = text_of_type(&module->metadata, TOKEN(TABLE_TYPE_DEF, row), &name);
        assert_true(flags & TYPE_FLAG_STATED);
        buffer_printf(lines, "type %.*s:", (int)shown.size, shown.at);
        append_words(flags, words, lines);
    }
    buffer_free(&name);
}

static void append_methods(struct module *module, struct buffer *lines)
{
    static const char *const words[] = {"", "generated", "helper", "uncertain", "constructor", NULL};
    for (uint32_t row = 1; row <= metadata_rows(&module->metadata, TABLE_METHOD_DEF); row++) {
        struct method_name about;
        assert_int_equal(names_method(module->names, TOKEN(TABLE_METHOD_DEF, row), lines, &about), CLEW_OK);
        assert_true(about.flags & METHOD_FLAG_STATED);
        buffer_u8(lines, ':');
        append_words(about.flags, words, lines);
    }
}

static void compare_with_golden(const char *name)
{
    char path[256];
    struct module module;
    struct buffer lines = {0};
    (void)snprintf(path, sizeof path, "test/fuzz/corpus/metadata/%s.dll", name);
    assert_true(module_open(&module, path));
    append_types(&module, &lines);
    append_methods(&module, &lines);
    (void)snprintf(path, sizeof path, "test/golden/names/%s.flags.txt", name);
    golden_compare(path, &lines);
    module_close(&module);
}

static void csharp_flags_are_those_of_the_source(void **state)
{
    (void)state;
    compare_with_golden("CSharp");
}

static void fsharp_flags_are_those_of_the_source(void **state)
{
    (void)state;
    compare_with_golden("FSharp");
}

static void visual_basic_flags_are_those_of_the_source(void **state)
{
    (void)state;
    compare_with_golden("VisualBasic");
}

// -- Against names ----------------------------------------------------------------------------------------------------

static bool is_hidden(uint32_t flags)
{
    const uint32_t made = METHOD_FLAG_GENERATED | METHOD_FLAG_HELPER;
    return (flags & made) == made || flags & METHOD_FLAG_UNCERTAIN;
}

static bool contains(struct text text, const char *part)
{
    return text.size && memmem(text.at, text.size, part, strlen(part));
}

// By name, generic closures of F# and those with a letter behind the line were not found.
static bool is_unnamed_closure(struct text name, uint32_t stated, uint32_t by_name)
{
    return is_hidden(stated) && !is_hidden(by_name) && contains(name, "@");
}

// By name, types that are local to their file (`<File>Fhash__Name`) were taken for compiler-generated ones, and anonymous
// types and delegates of Visual Basic for those of the source.
static bool is_other_by_name(struct text name, uint32_t stated, uint32_t by_name)
{
    return by_name & TYPE_FLAG_GENERATED ? contains(name, ">F") && contains(name, "__")
                                         : stated & TYPE_FLAG_ANONYMOUS && contains(name, "VB$Anonymous");
}

struct sweep {
    unsigned modules, methods, types, hidden, generated;
    unsigned methods_differ, types_differ;
};

static void sweep_methods(struct module *module, const char *path, struct sweep *sweep)
{
    struct buffer name = {0};
    uint32_t methods = metadata_rows(&module->metadata, TABLE_METHOD_DEF);
    for (uint32_t row = 1; row <= methods; row++) {
        struct method_name about;
        buffer_clear(&name);
        assert_int_equal(names_method(module->names, TOKEN(TABLE_METHOD_DEF, row), &name, &about), CLEW_OK);
        struct text text = {(const char *)name.data, name.size};
        uint32_t found = recorded_method_flags(text);
        sweep->hidden += is_hidden(about.flags);
        if (is_hidden(found) != is_hidden(about.flags) ||
            (found & METHOD_FLAG_CONSTRUCTOR) != (about.flags & METHOD_FLAG_CONSTRUCTOR)) {
            sweep->methods_differ++;
            if (!is_unnamed_closure(text, about.flags, found)) {
                fail_msg("%s: %.*s: %x, by name %x", path, (int)text.size, text.at, about.flags, found);
            }
        }
    }
    sweep->methods += methods;
    buffer_free(&name);
}

static void sweep_types(struct module *module, const char *path, struct sweep *sweep)
{
    struct buffer name = {0};
    uint32_t types = metadata_rows(&module->metadata, TABLE_TYPE_DEF);
    for (uint32_t row = 1; row <= types; row++) {
        uint32_t flags = names_type_flags(&module->metadata, TOKEN(TABLE_TYPE_DEF, row));
        const struct type type = {.kind = TYPE_CLASS,
                                  .name = text_of_type(&module->metadata, TOKEN(TABLE_TYPE_DEF, row), &name)};
        uint32_t found = recorded_type_flags(&type);
        sweep->generated += (flags & TYPE_FLAG_GENERATED) != 0;
        if ((found ^ flags) & TYPE_FLAG_GENERATED) {
            sweep->types_differ++;
            if (!is_other_by_name(type.name, flags, found)) {
                fail_msg("%s: type %.*s: %x, by name %x", path, (int)type.name.size, type.name.at, flags, found);
            }
        }
    }
    sweep->types += types;
    buffer_free(&name);
}

static void sweep_module(struct module *module, const char *file, void *context)
{
    struct sweep *sweep = context;
    sweep_methods(module, file, sweep);
    sweep_types(module, file, sweep);
    sweep->modules++;
}

static void flags_agree_with_names(void **state)
{
    (void)state;
    struct sweep sweep = {0};
    modules_of_dotnet(sweep_module, &sweep);
    modules_of_folder("test/fuzz/corpus/metadata", sweep_module, &sweep);
    print_message("%u modules; %u methods, %u hidden, %u differ; %u types, %u generated, %u differ\n", sweep.modules,
                  sweep.methods, sweep.hidden, sweep.methods_differ, sweep.types, sweep.generated, sweep.types_differ);
    assert_true(sweep.methods > 300000 && sweep.hidden > 30000 && sweep.methods_differ < sweep.hidden / 8);
    assert_true(sweep.types > 40000 && sweep.generated > 15000 && sweep.types_differ < sweep.generated / 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csharp_flags_are_those_of_the_source),
        cmocka_unit_test(fsharp_flags_are_those_of_the_source),
        cmocka_unit_test(visual_basic_flags_are_those_of_the_source),
        cmocka_unit_test(flags_agree_with_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
