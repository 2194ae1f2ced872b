// Variables as the source has them, against lists that were read by eye (test/golden/variables, made from
// test/oracle/variables): what fields and locals are, and where hoisted ones are alive.
#include "golden.h"

#include "metadata/names/names.h"
#include "metadata/names/names_tuple.h"
#include "metadata/names/names_variable.h"
#include "metadata/pdb/pdb.h"
#include "metadata/pdb/symbols.h"
#include "metadata/tables/image.h"

struct module {
    struct buffer content, lines;
    struct image image;
    struct metadata metadata;
    struct symbols symbols;
    struct names *names;
};

static void module_open(struct module *module, const char *path)
{
    *module = (struct module){.content = file_read(path)};
    struct bytes bytes = bytes_of(module->content.data, module->content.size);
    struct symbols_query query = {.image = &module->image};
    assert_int_equal(image_open(bytes, IMAGE_FLAT, &module->image), CLEW_OK);
    assert_int_equal(metadata_open(module->image.metadata, &module->metadata), CLEW_OK);
    assert_int_equal(symbols_open(&query, &module->symbols, NULL), SYMBOLS_EMBEDDED);
    module->names = names_new(&module->metadata);
    assert_non_null(module->names);
}

static void module_close(struct module *module)
{
    names_free(module->names);
    symbols_close(&module->symbols);
    buffer_free(&module->content);
}

static struct text string_at(const struct module *module, enum metadata_table table, uint32_t row, unsigned column)
{
    return metadata_string(&module->metadata, metadata_column(&module->metadata, table, row, column));
}

static void append_text(struct buffer *lines, struct text text)
{
    buffer_append(lines, text.at, text.size);
}

static void append_variable(struct buffer *lines, const struct variable_name *variable)
{
    static const char *const roles[] = {"unknown", "plain", "captured", "member", "this", "link", "made", "current"};
    buffer_printf(lines, "\t%s\t", roles[variable->role]);
    append_text(lines, variable->name);
    if (variable->hoisted_slot != VARIABLE_NO_SLOT) {
        buffer_printf(lines, "\tslot %d", variable->hoisted_slot);
    }
}

static void append_tuple_names(struct module *module, uint32_t token)
{
    struct bytes names;
    struct text name;
    if (names_tuple(&module->metadata, token, &names)) {
        buffer_text(&module->lines, "\telements");
        while (names_tuple_next(&names, &name)) {
            buffer_u8(&module->lines, ' ');
            append_text(&module->lines, name.size ? name : text_of("-"));
        }
        buffer_u8(&module->lines, ' ');
        names_tuple_of_field(&module->metadata, token, &module->lines);
    }
}

// Where a hoisted local of a type's MoveNext is alive.
static void append_scope(struct module *module, struct metadata_range methods, int32_t slot)
{
    struct pdb_il_range range;
    for (uint32_t row = methods.first; row < methods.end; row++) {
        uint32_t token = TOKEN(TABLE_METHOD_DEF, row);
        if (slot >= 0 && text_equal(string_at(module, TABLE_METHOD_DEF, row, 3), text_of("MoveNext")) &&
            pdb_hoisted_scope(&module->symbols.pdb, token, (uint32_t)slot, &range)) {
            buffer_printf(&module->lines, " [%x, %x)", range.start, range.end);
        }
    }
}

static void append_fields(struct module *module, uint32_t type)
{
    struct metadata_range rows = metadata_list(&module->metadata, TABLE_TYPE_DEF, type, TYPE_DEF_FIELDS, TABLE_FIELD);
    struct metadata_range methods =
        metadata_list(&module->metadata, TABLE_TYPE_DEF, type, TYPE_DEF_METHODS, TABLE_METHOD_DEF);
    for (uint32_t row = rows.first; row < rows.end; row++) {
        struct variable_name variable;
        assert_true(names_field(&module->metadata, TOKEN(TABLE_FIELD, row), &variable));
        append_text(&module->lines, string_at(module, TABLE_TYPE_DEF, type, 1));
        buffer_u8(&module->lines, '.');
        append_text(&module->lines, string_at(module, TABLE_FIELD, row, 1));
        append_variable(&module->lines, &variable);
        append_scope(module, methods, variable.hoisted_slot);
        append_tuple_names(module, TOKEN(TABLE_FIELD, row));
        buffer_u8(&module->lines, '\n');
    }
}

static void append_locals(struct module *module, uint32_t method_token)
{
    const struct pdb *pdb = &module->symbols.pdb;
    struct metadata_range scopes = pdb_scopes_of(pdb, method_token);
    for (uint32_t row = scopes.first; row < scopes.end; row++) {
        struct pdb_scope scope;
        struct pdb_variable local;
        assert_true(pdb_scope(pdb, row, &scope));
        for (uint32_t i = scope.variables.first; i < scope.variables.end; i++) {
            assert_true(pdb_variable(pdb, i, &local));
            struct variable_name variable = names_local(local.name, local.hidden);
            append_text(&module->lines, string_at(module, TABLE_METHOD_DEF, TOKEN_ROW(method_token), 3));
            buffer_u8(&module->lines, ' ');
            append_text(&module->lines, local.name);
            append_variable(&module->lines, &variable);
            buffer_u8(&module->lines, '\n');
        }
    }
}

static void append_parameters(struct module *module, uint32_t method_token)
{
    struct variable_name variable;
    for (uint32_t i = 1; names_parameter(&module->metadata, method_token, i, &variable); i++) {
        if (variable.role != VARIABLE_PLAIN) {
            append_text(&module->lines, string_at(module, TABLE_METHOD_DEF, TOKEN_ROW(method_token), 3));
            buffer_printf(&module->lines, " parameter %u", i);
            append_variable(&module->lines, &variable);
            buffer_u8(&module->lines, '\n');
        }
    }
}

static void compare(const char *name)
{
    char path[256];
    struct module module;
    (void)snprintf(path, sizeof path, "test/fuzz/corpus/pdb/%s.dll", name);
    module_open(&module, path);
    for (uint32_t type = 1; type <= metadata_rows(&module.metadata, TABLE_TYPE_DEF); type++) {
        struct metadata_range methods =
            metadata_list(&module.metadata, TABLE_TYPE_DEF, type, TYPE_DEF_METHODS, TABLE_METHOD_DEF);
        append_fields(&module, type);
        for (uint32_t row = methods.first; row < methods.end; row++) {
            append_parameters(&module, TOKEN(TABLE_METHOD_DEF, row));
            append_locals(&module, TOKEN(TABLE_METHOD_DEF, row));
        }
    }
    (void)snprintf(path, sizeof path, "test/golden/variables/%s.txt", name);
    golden_compare(path, &module.lines);
    module_close(&module);
}

static const char *const builds[] = {"CSharpDebug",   "CSharpRelease",    "FSharpDebug",
                                     "FSharpRelease", "VisualBasicDebug", "VisualBasicRelease"};

static void variables_are_those_of_the_source(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof builds / sizeof *builds; i++) {
        compare(builds[i]);
    }
}

static void a_module_of_each(const char *name, struct module *out)
{
    char path[256];
    (void)snprintf(path, sizeof path, "test/fuzz/corpus/pdb/%s.dll", name);
    module_open(out, path);
}

// The table of the PDB and what metadata alone tells name the same method of the source.
static void symbols_and_metadata_agree_on_state_machines(void **state)
{
    (void)state;
    unsigned machines = 0;
    for (size_t i = 0; i < sizeof builds / sizeof *builds; i++) {
        struct module module;
        a_module_of_each(builds[i], &module);
        for (uint32_t row = 1; row <= metadata_rows(&module.metadata, TABLE_METHOD_DEF); row++) {
            uint32_t token = TOKEN(TABLE_METHOD_DEF, row), kickoff = pdb_kickoff(&module.symbols.pdb, token);
            struct method_name body, start;
            struct buffer ignored = {0};
            assert_int_equal(names_method(module.names, token, &ignored, &body), CLEW_OK);
            if (kickoff) {
                assert_int_equal(names_method(module.names, kickoff, &ignored, &start), CLEW_OK);
                assert_int_equal(body.origin, start.origin);
                assert_true(body.kind >= METHOD_KIND_ASYNC && body.kind <= METHOD_KIND_ASYNC_ITERATOR);
                machines++;
            }
            buffer_free(&ignored);
        }
        module_close(&module);
    }
    assert_int_equal(machines, 2 * (9 + 3)); // C# and VB
}

// How many references to fields of its own generic types a module has, and all of them have source names.
static void fields_are_known_through_references_too(void **state)
{
    (void)state;
    struct module module;
    struct variable_name variable;
    unsigned captured = 0, self = 0;
    a_module_of_each("CSharpDebug", &module);
    for (uint32_t row = 1; row <= metadata_rows(&module.metadata, TABLE_MEMBER_REF); row++) {
        if (names_field(&module.metadata, TOKEN(TABLE_MEMBER_REF, row), &variable)) {
            captured += variable.role == VARIABLE_CAPTURED;
            self += variable.role == VARIABLE_THIS;
        }
    }
    assert_int_equal(captured, 7); // of Generic<T>: other, result, task, both, count, i, copy
    assert_int_equal(self, 4);
    assert_false(names_field(&module.metadata, TOKEN(TABLE_METHOD_DEF, 1), &variable));
    assert_false(names_field(&module.metadata, TOKEN(TABLE_FIELD, 0), &variable));
    assert_false(names_field(&module.metadata, TOKEN(TABLE_FIELD, 0xFFFFFF), &variable));
    assert_false(names_parameter(&module.metadata, TOKEN(TABLE_METHOD_DEF, 0xFFFFFF), 1, &variable));
    module_close(&module);
}

static void types_that_hold_variables_are_recognised(void **state)
{
    (void)state;
    static const struct {
        const char *build, *type;
        bool holds;
    } expected[] = {
        {"CSharpDebug", "Program", false},         {"CSharpDebug", "<>c", true},
        {"CSharpDebug", "<Hoisted>d__0", true},    {"CSharpDebug", "<>c__DisplayClass4_0", true},
        {"CSharpDebug", "Generic`1", false},       {"VisualBasicDebug", "Holder", false},
        {"VisualBasicDebug", "_Closure$__", true}, {"VisualBasicDebug", "VB$StateMachine_0_Hoisted", true},
        {"FSharpDebug", "Thing", false},           {"FSharpDebug", "add@17", true},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct module module;
        unsigned found = 0;
        a_module_of_each(expected[i].build, &module);
        for (uint32_t row = 1; row <= metadata_rows(&module.metadata, TABLE_TYPE_DEF); row++) {
            if (text_equal(string_at(&module, TABLE_TYPE_DEF, row, 1), text_of(expected[i].type))) {
                assert_int_equal(names_holds_variables(&module.metadata, TOKEN(TABLE_TYPE_DEF, row)),
                                 expected[i].holds);
                found++;
            }
        }
        assert_true(found > 0);
        module_close(&module);
    }
}

static void names_of_other_compilers_are_understood(void **state)
{
    (void)state;
    static const struct {
        const char *name, *source;
        enum variable_role role;
        int32_t slot;
    } expected[] = {
        {"x", "x", VARIABLE_PLAIN, VARIABLE_NO_SLOT},
        {"", "", VARIABLE_GENERATED, VARIABLE_NO_SLOT},
        {"CS$4$0000", "CS$4$0000", VARIABLE_GENERATED, VARIABLE_NO_SLOT},
        {"<x>5__12", "x", VARIABLE_CAPTURED, 11},
        {"<x>5__", "x", VARIABLE_CAPTURED, VARIABLE_NO_SLOT},
        {"<x>5__99999999999", "x", VARIABLE_CAPTURED, VARIABLE_NO_SLOT},
        {"<CS$<>8__locals3>5__4", "<CS$<>8__locals3>5__4", VARIABLE_LINK, 3}, // hoisted by an early compiler
        {"<<>h__TransparentIdentifier0>5__1", "<<>h__TransparentIdentifier0>5__1", VARIABLE_GENERATED, 0},
        {"<<<<<<<x>5__1>5__1>5__1>5__1>5__1>5__1>5__1", "<<<<<<<x>5__1>5__1>5__1>5__1>5__1>5__1>5__1",
         VARIABLE_GENERATED, 0},
        {"<0>__Work", "<0>__Work", VARIABLE_GENERATED, VARIABLE_NO_SLOT}, // a cached delegate
        {"<x>__y", "<x>__y", VARIABLE_PLAIN, VARIABLE_NO_SLOT},
        {"<x", "<x", VARIABLE_PLAIN, VARIABLE_NO_SLOT},
        {"$VB$ResumableLocal_a$b$7", "a$b", VARIABLE_CAPTURED, 7},
        {"$VB$ResumableLocal_x", "$VB$ResumableLocal_x", VARIABLE_GENERATED, VARIABLE_NO_SLOT},
        {"$STATIC$", "$STATIC$", VARIABLE_GENERATED, VARIABLE_NO_SLOT},
        {"x@12-3", "x", VARIABLE_PLAIN, VARIABLE_NO_SLOT},
        {"x (shadowed)", "x", VARIABLE_PLAIN, VARIABLE_NO_SLOT},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct variable_name variable = names_local(text_of(expected[i].name), false);
        assert_int_equal(variable.role, expected[i].role);
        assert_true(text_equal(variable.name, text_of(expected[i].source)));
        assert_int_equal(variable.hoisted_slot, expected[i].slot);
    }
    assert_int_equal(names_local(text_of("x"), true).role, VARIABLE_GENERATED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variables_are_those_of_the_source),
        cmocka_unit_test(symbols_and_metadata_agree_on_state_machines),
        cmocka_unit_test(fields_are_known_through_references_too),
        cmocka_unit_test(types_that_hold_variables_are_recognised),
        cmocka_unit_test(names_of_other_compilers_are_understood),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
