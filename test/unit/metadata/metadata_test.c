// Tables and heaps of real modules and symbols, and of small roots built here.
#include "dotnet.h"

#include <stdlib.h>

#include "metadata/tables/image.h"
#include "metadata/tables/metadata.h"

struct module {
    struct buffer content;
    struct image image;
    struct metadata metadata;
};

static void module_open(struct module *module, const char *path)
{
    *module = (struct module){.content = file_read(path)};
    struct bytes bytes = bytes_of(module->content.data, module->content.size);
    assert_int_equal(image_open(bytes, IMAGE_FLAT, &module->image), CLEW_OK);
    assert_int_equal(metadata_open(module->image.metadata, &module->metadata), CLEW_OK);
}

static void core_library_open(struct module *module)
{
    char folder[800], path[1024];
    dotnet_runtime_folder(folder, sizeof folder);
    (void)snprintf(path, sizeof path, "%s/System.Private.CoreLib.dll", folder);
    module_open(module, path);
}

static void a_module_has_its_names(void **state)
{
    (void)state;
    struct module module;
    uint8_t mvid[16], zero[16] = {0};
    module_open(&module, "test/fuzz/corpus/metadata/CSharp.dll");
    assert_true(text_equal(metadata_assembly_name(&module.metadata), text_of("CSharp")));
    assert_true(metadata_mvid(&module.metadata, mvid));
    assert_memory_not_equal(mvid, zero, sizeof mvid);
    struct metadata_method method;
    assert_true(metadata_method(&module.metadata, module.image.entry_point_token, &method));
    assert_true(text_equal(method.name, text_of("<Main>")));
    assert_true(method.rva != 0);
    assert_int_equal(method.flags & 0x10, 0x10); // static
    // The first row of TypeDef is always the type of global functions.
    uint32_t name = metadata_column(&module.metadata, TABLE_TYPE_DEF, 1, TYPE_DEF_NAME);
    assert_true(text_equal(metadata_string(&module.metadata, name), text_of("<Module>")));
    buffer_free(&module.content);
}

static void owners_found_by_bisection_and_by_a_walk_are_equal(void **state)
{
    (void)state;
    struct module module;
    core_library_open(&module);
    uint32_t types = metadata_rows(&module.metadata, TABLE_TYPE_DEF), checked = 0;
    for (uint32_t type = 1; type <= types; type++) {
        struct metadata_range range =
            metadata_list(&module.metadata, TABLE_TYPE_DEF, type, TYPE_DEF_METHODS, TABLE_METHOD_DEF);
        for (uint32_t row = range.first; row < range.end; row++, checked++) {
            assert_int_equal(metadata_method_owner(&module.metadata, TOKEN(TABLE_METHOD_DEF, row)),
                             TOKEN(TABLE_TYPE_DEF, type));
        }
    }
    assert_int_equal(checked, metadata_rows(&module.metadata, TABLE_METHOD_DEF));
    buffer_free(&module.content);
}

static void outer_types_found_by_bisection_and_by_a_walk_are_equal(void **state)
{
    (void)state;
    struct module module;
    core_library_open(&module);
    uint32_t rows = metadata_rows(&module.metadata, TABLE_NESTED_CLASS);
    assert_true(rows > 100);
    for (uint32_t row = 1; row <= rows; row++) {
        uint32_t inner = metadata_column(&module.metadata, TABLE_NESTED_CLASS, row, NESTED_CLASS_NESTED);
        assert_int_equal(
            metadata_enclosing_type(&module.metadata, TOKEN(TABLE_TYPE_DEF, inner)),
            TOKEN(TABLE_TYPE_DEF, metadata_column(&module.metadata, TABLE_NESTED_CLASS, row, NESTED_CLASS_ENCLOSING)));
    }
    assert_int_equal(metadata_enclosing_type(&module.metadata, TOKEN(TABLE_TYPE_DEF, 1)), 0);
    buffer_free(&module.content);
}

static void finding_gives_the_first_of_equal_keys(void **state)
{
    (void)state;
    struct module module;
    core_library_open(&module);
    struct metadata *metadata = &module.metadata;
    uint32_t rows = metadata_rows(metadata, TABLE_GENERIC_PARAM), previous = 0;
    for (uint32_t row = 1; row <= rows; row++) {
        uint32_t owner = metadata_column(metadata, TABLE_GENERIC_PARAM, row, GENERIC_PARAM_OWNER);
        if (owner != previous) {
            assert_int_equal(metadata_find(metadata, TABLE_GENERIC_PARAM, GENERIC_PARAM_OWNER, owner), row);
        }
        previous = owner;
    }
    assert_int_equal(metadata_find(metadata, TABLE_GENERIC_PARAM, GENERIC_PARAM_OWNER, 0), 0);
    assert_int_equal(metadata_find(metadata, TABLE_GENERIC_PARAM, GENERIC_PARAM_OWNER, UINT32_MAX), 0);
    buffer_free(&module.content);
}

static void rows_and_strings_out_of_range_are_empty(void **state)
{
    (void)state;
    struct module module;
    uint8_t guid[16];
    module_open(&module, "test/fuzz/corpus/metadata/CSharp.dll");
    struct metadata *metadata = &module.metadata;
    assert_int_equal(metadata_column(metadata, TABLE_TYPE_DEF, 0, TYPE_DEF_NAME), 0);
    assert_int_equal(
        metadata_column(metadata, TABLE_TYPE_DEF, metadata_rows(metadata, TABLE_TYPE_DEF) + 1, TYPE_DEF_NAME), 0);
    assert_int_equal(metadata_column(metadata, TABLE_TYPE_DEF, 1, 6), 0);
    assert_int_equal(metadata_string(metadata, UINT32_MAX).size, 0);
    assert_int_equal(metadata_string(metadata, (uint32_t)bytes_left(&metadata->strings)).size, 0);
    struct bytes blob = metadata_blob(metadata, UINT32_MAX);
    assert_int_equal(bytes_left(&blob), 0);
    assert_false(metadata_guid(metadata, 0, guid));
    assert_false(metadata_guid(metadata, 1000, guid));
    assert_int_equal(metadata_method_owner(metadata, TOKEN(TABLE_FIELD, 1)), 0);
    assert_int_equal(metadata_method_owner(metadata, TOKEN(TABLE_METHOD_DEF, 0xFFFFFF)), 0);
    buffer_free(&module.content);
}

static void coded_indexes_become_tokens(void **state)
{
    (void)state;
    // II.24.2.6
    assert_int_equal(metadata_decode(CODED_TYPE_DEF_OR_REF, 5 << 2 | 1), TOKEN(TABLE_TYPE_REF, 5));
    assert_int_equal(metadata_decode(CODED_TYPE_DEF_OR_REF, 5 << 2 | 2), TOKEN(TABLE_TYPE_SPEC, 5));
    assert_int_equal(metadata_decode(CODED_TYPE_DEF_OR_REF, 5 << 2 | 3), 0);
    assert_int_equal(metadata_decode(CODED_HAS_CUSTOM_ATTRIBUTE, 7 << 5 | 14), TOKEN(TABLE_ASSEMBLY, 7));
    assert_int_equal(metadata_decode(CODED_HAS_CUSTOM_ATTRIBUTE, 7 << 5 | 21), TOKEN(TABLE_METHOD_SPEC, 7));
    assert_int_equal(metadata_decode(CODED_HAS_CUSTOM_ATTRIBUTE, 7 << 5 | 22), 0);
    assert_int_equal(metadata_decode(CODED_CUSTOM_ATTRIBUTE_TYPE, 9 << 3 | 2), TOKEN(TABLE_METHOD_DEF, 9));
    assert_int_equal(metadata_decode(CODED_CUSTOM_ATTRIBUTE_TYPE, 9 << 3 | 0), 0);
    assert_int_equal(metadata_decode(CODED_MEMBER_REF_PARENT, 3 << 3 | 4), TOKEN(TABLE_TYPE_SPEC, 3));
    assert_int_equal(metadata_decode(CODED_RESOLUTION_SCOPE, 3 << 2 | 2), TOKEN(TABLE_ASSEMBLY_REF, 3));
    assert_int_equal(metadata_decode(CODED_HAS_SEMANTICS, 3 << 1 | 1), TOKEN(TABLE_PROPERTY, 3));
    assert_int_equal(metadata_decode(CODED_TYPE_OR_METHOD_DEF, 3 << 1 | 1), TOKEN(TABLE_METHOD_DEF, 3));
    assert_int_equal(metadata_decode(CODED_HAS_CUSTOM_DEBUG_INFORMATION, 3 << 5 | 26), TOKEN(TABLE_IMPORT_SCOPE, 3));
    assert_int_equal(metadata_decode(CODED_TYPE_DEF_OR_REF, UINT32_MAX & ~3u), 0); // no such row can be
}

static void symbols_read_with_the_modules_widths(void **state)
{
    (void)state;
    struct module module;
    struct metadata pdb;
    struct buffer file = file_read("test/golden/names/VisualBasic.pdb");
    module_open(&module, "test/fuzz/corpus/metadata/VisualBasic.dll");
    assert_int_equal(metadata_open(bytes_of(file.data, file.size), &pdb), CLEW_OK);
    uint32_t methods = metadata_rows(&module.metadata, TABLE_METHOD_DEF);
    assert_true(bytes_left(&pdb.pdb) > 24);
    assert_int_equal(metadata_rows(&pdb, TABLE_METHOD_DEF), 0);
    assert_int_equal(metadata_rows(&pdb, TABLE_METHOD_DEBUG_INFORMATION), methods);
    assert_true(metadata_rows(&pdb, TABLE_DOCUMENT) >= 1);
    assert_int_equal(metadata_rows(&pdb, TABLE_STATE_MACHINE_METHOD), 3); // AddAsync, the lambda in it, Items
    uint32_t previous = 0;
    for (uint32_t row = 1; row <= metadata_rows(&pdb, TABLE_LOCAL_SCOPE); row++) {
        uint32_t method = metadata_column(&pdb, TABLE_LOCAL_SCOPE, row, LOCAL_SCOPE_METHOD);
        assert_true(method >= previous && method <= methods); // sorted, II: PortablePdb-Metadata.md
        previous = method;
    }
    assert_true(previous > 0);
    buffer_free(&file);
    buffer_free(&module.content);
}

static void a_root_cut_anywhere_is_refused(void **state)
{
    (void)state;
    struct module module;
    module_open(&module, "test/fuzz/corpus/metadata/VisualBasic.dll");
    size_t whole = bytes_left(&module.image.metadata);
    for (size_t size = 0; size < whole; size += size < 512 ? 1 : 31) {
        struct metadata metadata;
        uint8_t *copy = malloc(size + 1); // its own, so that the sanitizer watches its end
        assert_non_null(copy);
        memcpy(copy, module.image.metadata.at, size);
        assert_int_equal(metadata_open(bytes_of(copy, size), &metadata), CLEW_MALFORMED);
        free(copy);
    }
    buffer_free(&module.content);
}

// A root with nothing but a tables stream that says that `table` has `rows` rows, and has `size` bytes of them.
static struct buffer root_with(unsigned table, uint32_t rows, size_t size)
{
    struct buffer root = {0};
    buffer_text(&root, "BSJB");
    buffer_u64(&root, 0x0000000000010001);
    buffer_u32(&root, 4);
    buffer_append(&root, "v1\0", 4);
    buffer_u32(&root, 0x00010000); // flags, one stream
    buffer_u32(&root, (uint32_t)root.size + 12);
    buffer_u32(&root, (uint32_t)(28 + size));
    buffer_append(&root, "#~\0", 4);
    buffer_u64(&root, 0x0000000000000002 << 16); // version; small heaps
    buffer_u64(&root, UINT64_C(1) << table);
    buffer_u64(&root, 0);
    buffer_u32(&root, rows);
    while (size-- && !root.failed) {
        buffer_u8(&root, 0xAB);
    }
    return root;
}

static enum clew_error open_root(unsigned table, uint32_t rows, size_t size, struct metadata *metadata)
{
    struct buffer root = root_with(table, rows, size);
    enum clew_error error = metadata_open(bytes_of(root.data, root.size), metadata);
    buffer_free(&root);
    return error;
}

static void tables_must_fit_their_stream(void **state)
{
    (void)state;
    struct metadata metadata;
    assert_int_equal(open_root(TABLE_STAND_ALONE_SIG, 5, 10, &metadata), CLEW_OK);
    assert_int_equal(metadata.tables[TABLE_STAND_ALONE_SIG].row_size, 2);
    assert_int_equal(open_root(TABLE_STAND_ALONE_SIG, 5, 9, &metadata), CLEW_MALFORMED);
    assert_int_equal(open_root(TABLE_STAND_ALONE_SIG, UINT32_MAX, 10, &metadata), CLEW_MALFORMED);
    assert_int_equal(open_root(0x3F, 1, 64, &metadata), CLEW_MALFORMED); // no one knows this table
    // 65,536 rows make indexes into the table four bytes wide.
    assert_int_equal(open_root(TABLE_FIELD, 65536, 65536 * 6, &metadata), CLEW_OK);
    assert_int_equal(metadata.tables[TABLE_TYPE_DEF].row_size, 16);
    assert_int_equal(open_root(TABLE_FIELD, 65535, 65535 * 6, &metadata), CLEW_OK);
    assert_int_equal(metadata.tables[TABLE_TYPE_DEF].row_size, 14);
    // 16,384 are enough where two bits tell the table.
    assert_int_equal(open_root(TABLE_TYPE_SPEC, 16384, 32768, &metadata), CLEW_OK);
    assert_int_equal(metadata.tables[TABLE_INTERFACE_IMPL].width[1], 4);
    assert_int_equal(open_root(TABLE_TYPE_SPEC, 16383, 32766, &metadata), CLEW_OK);
    assert_int_equal(metadata.tables[TABLE_INTERFACE_IMPL].width[1], 2);
}

static void lists_through_pointer_tables_are_not_understood(void **state)
{
    (void)state;
    struct metadata metadata;
    assert_int_equal(open_root(0x05, 1, 2, &metadata), CLEW_UNSUPPORTED); // MethodPtr
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_module_has_its_names),
        cmocka_unit_test(owners_found_by_bisection_and_by_a_walk_are_equal),
        cmocka_unit_test(outer_types_found_by_bisection_and_by_a_walk_are_equal),
        cmocka_unit_test(finding_gives_the_first_of_equal_keys),
        cmocka_unit_test(rows_and_strings_out_of_range_are_empty),
        cmocka_unit_test(coded_indexes_become_tokens),
        cmocka_unit_test(symbols_read_with_the_modules_widths),
        cmocka_unit_test(a_root_cut_anywhere_is_refused),
        cmocka_unit_test(tables_must_fit_their_stream),
        cmocka_unit_test(lists_through_pointer_tables_are_not_understood),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
