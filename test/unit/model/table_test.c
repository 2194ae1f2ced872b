// Rows of methods and modules out of call trees that are made here.
#include "model/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { APP = 16, LIB = 17, UNUSED = 18 };

static struct model model;
static struct table_methods rows;
static struct recording_node nodes[16];

static void define_method(uint32_t process, uint32_t method, uint32_t module, uint32_t token, const char *name)
{
    const struct recording_method record = {
        .process = process, .method = method, .module = module, .token = token, .name = text_of(name)};
    assert_int_equal(catalog_add_method(&model.catalog, &record), CLEW_OK);
}

// Two processes load two modules; each numbers the methods its own way.
static int begin(void **state)
{
    (void)state;
    model = (struct model){0};
    for (uint32_t process = 1; process <= 2; process++) {
        for (uint8_t module = 1; module <= 2; module++) {
            const struct recording_module record = {
                .process = process, .module = module, .mvid = {module}, .name = text_of(module == 1 ? "App" : "Lib")};
            assert_int_equal(catalog_add_module(&model.catalog, &record), CLEW_OK);
        }
        uint32_t swap = process == 2;
        define_method(process, APP + swap, 1, 0x06000001, "App.Main()");
        define_method(process, LIB - swap, 2, 0x06000001, "Lib.Do()");
    }
    define_method(1, UNUSED, 2, 0x06000002, "Lib.Unused()");
    assert_int_equal(catalog_link(&model.catalog), CLEW_OK);
    return 0;
}

static int end(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < model.tree_count; i++) {
        tree_fini(&model.trees[i].tree);
    }
    free(model.trees);
    free(rows.rows);
    rows = (struct table_methods){0};
    catalog_fini(&model.catalog);
    return 0;
}

static struct recording_node node(uint32_t parent, uint32_t method, uint64_t calls, uint64_t total)
{
    return (struct recording_node){.parent = parent,
                                   .method = method,
                                   .calls = calls,
                                   .total = total,
                                   .shortest = total,
                                   .longest = total,
                                   .cpu_user_ns = 1};
}

static void add_tree(uint32_t process, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        (void)catalog_method(&model.catalog, process, nodes[i].method); // as model.c does
    }
    model.trees = realloc(model.trees, (model.tree_count + 1) * sizeof *model.trees);
    struct model_tree *added = &model.trees[model.tree_count++];
    *added = (struct model_tree){.process = process};
    assert_int_equal(tree_init(&added->tree, 1000), CLEW_OK);
    struct tree_merge merge = {.tree = &added->tree};
    assert_int_equal(tree_merge_part(&merge, nodes, count), CLEW_OK);
    tree_merge_end(&merge);
    assert_int_equal(tree_link(&added->tree), CLEW_OK);
}

static void make_rows(void)
{
    assert_int_equal(catalog_link(&model.catalog), CLEW_OK);
    assert_int_equal(table_methods(&model, &rows), CLEW_OK);
}

static const struct table_method *row(const char *name)
{
    for (uint32_t i = 0; i < rows.count; i++) {
        if (text_equal(model.catalog.methods[rows.rows[i].method].record.name, text_of(name))) {
            return &rows.rows[i];
        }
    }
    return NULL;
}

static void processes_and_loads_share_a_row(void **state)
{
    (void)state;
    nodes[1] = node(0, APP, 1, 100);
    nodes[2] = node(1, LIB, 3, 60);
    add_tree(1, 3);
    nodes[1] = node(0, APP + 1, 2, 1000);
    nodes[2] = node(1, LIB - 1, 4, 400);
    add_tree(2, 3);
    make_rows();
    assert_int_equal(rows.count, 2); // that which never ran has none
    assert_int_equal(row("App.Main()")->calls, 3);
    assert_int_equal(row("App.Main()")->own, 40 + 600);
    assert_int_equal(row("App.Main()")->shortest, 100);
    assert_int_equal(row("App.Main()")->longest, 1000);
    assert_int_equal(row("Lib.Do()")->total, 460);
}

// Main > Do > Main > Do: what runs below another activation of the method adds to the sum, and not to the total.
static void recursion_through_another_method_counts_the_outermost(void **state)
{
    (void)state;
    nodes[1] = node(0, APP, 1, 100);
    nodes[2] = node(1, LIB, 1, 80);
    nodes[3] = node(2, APP, 1, 50);
    nodes[4] = node(3, LIB, 1, 20);
    nodes[5] = node(0, LIB, 1, 7);
    add_tree(1, 6);
    make_rows();
    assert_int_equal(row("App.Main()")->total, 100);
    assert_int_equal(row("App.Main()")->sum, 150);
    assert_int_equal(row("App.Main()")->own, 20 + 30);
    assert_int_equal(row("Lib.Do()")->total, 87);
    assert_int_equal(row("Lib.Do()")->sum, 107);
    assert_int_equal(row("App.Main()")->cpu_user_ns, 4);
    assert_int_equal(row("App.Main()")->own_cpu_user_ns, 2);
}

static void paths_over_the_cap_are_not_a_method(void **state)
{
    (void)state;
    nodes[1] = node(0, METHOD_OVER_CAP, 5, 50);
    nodes[2] = node(1, LIB, 5, 50);
    add_tree(1, 3);
    make_rows();
    assert_int_equal(rows.count, 1);
    assert_int_equal(row("Lib.Do()")->calls, 5);
}

// -- Order ------------------------------------------------------------------------------------------------------------

static void expect_first(enum table_key key, const char *name)
{
    table_sort(&model, &rows, key);
    assert_ptr_equal(&rows.rows[0], row(name));
}

static void every_key_has_its_order(void **state)
{
    (void)state;
    nodes[1] = node(0, APP, 1, 100);
    nodes[2] = node(1, LIB, 10, 60);
    nodes[2].shortest = 1;
    nodes[2].longest = 50;
    add_tree(1, 3);
    make_rows();
    expect_first(TABLE_OWN, "Lib.Do()");
    expect_first(TABLE_TOTAL, "App.Main()");
    expect_first(TABLE_CALLS, "Lib.Do()");
    expect_first(TABLE_MIN, "App.Main()");
    expect_first(TABLE_MEAN, "App.Main()");
    expect_first(TABLE_MAX, "App.Main()");
    expect_first(TABLE_NAME, "App.Main()");
}

static void equal_rows_are_sorted_by_name(void **state)
{
    (void)state;
    define_method(1, 30, 1, 0x06000030, "App.Mai");
    define_method(1, 31, 1, 0x06000031, "App.Main2()");
    static const uint32_t methods[] = {31, APP, 30};
    for (uint32_t i = 0; i < 3; i++) {
        nodes[i + 1] = node(0, methods[i], 1, 100);
    }
    add_tree(1, 4);
    make_rows();
    for (int key = TABLE_OWN; key <= TABLE_NAME; key++) {
        table_sort(&model, &rows, (enum table_key)key);
        assert_ptr_equal(&rows.rows[0], row("App.Mai"));
        assert_ptr_equal(&rows.rows[1], row("App.Main()"));
        assert_ptr_equal(&rows.rows[2], row("App.Main2()"));
    }
}

// -- Modules and lines ------------------------------------------------------------------------------------------------

static void a_module_is_the_sum_of_its_methods(void **state)
{
    (void)state;
    const struct recording_not_woven left = {
        .process = 2, .module = 2, .token = 0x06000009, .name = text_of("Lib.Odd()")};
    const struct recording_not_woven whole = {.process = 2, .module = 2, .name = text_of("")}; // of the module itself
    struct table_modules modules;
    assert_int_equal(catalog_add_not_woven(&model.catalog, &left), CLEW_OK);
    assert_int_equal(catalog_add_not_woven(&model.catalog, &whole), CLEW_OK);
    nodes[1] = node(0, APP, 1, 100);
    nodes[2] = node(1, LIB, 3, 60);
    add_tree(1, 3);
    make_rows();
    assert_int_equal(table_modules(&model, &rows, &modules), CLEW_OK);
    assert_int_equal(modules.count, 2);
    const struct table_module *lib = &modules.rows[0], *app = &modules.rows[1]; // most own time first
    assert_int_equal(lib->own, 60);
    assert_int_equal(lib->calls, 3);
    assert_int_equal(lib->methods, 3);
    assert_int_equal(lib->woven, 2);
    assert_int_equal(app->own, 40);
    assert_int_equal(app->methods, 1);
    free(modules.rows);
    model.session.flags = SESSION_ALL_CODE; // hooked: nothing is woven
    assert_int_equal(table_modules(&model, &rows, &modules), CLEW_OK);
    assert_int_equal(modules.rows[0].woven, 0);
    free(modules.rows);
}

static void lines_add_statements_and_rows_without_calls(void **state)
{
    (void)state;
    struct line_method counted[16] = {0};
    struct lines lines = {.methods = counted};
    nodes[1] = node(0, APP, 1, 100);
    add_tree(1, 2);
    make_rows();
    counted[catalog_find_method(&model.catalog, 1, APP)] = (struct line_method){.statements = 9, .own = 1};
    counted[catalog_find_method(&model.catalog, 1, UNUSED)] = (struct line_method){.statements = 4, .own = 7};
    table_add_lines(&model, &lines, &rows);
    assert_int_equal(rows.count, 2);
    assert_int_equal(row("App.Main()")->statements, 9);
    assert_int_equal(row("App.Main()")->own, 100); // by its calls
    assert_false(row("App.Main()")->no_calls);
    assert_int_equal(row("Lib.Unused()")->statements, 4);
    assert_int_equal(row("Lib.Unused()")->own, 7);
    assert_true(row("Lib.Unused()")->no_calls);
    assert_int_equal(row("Lib.Unused()")->shortest, UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(processes_and_loads_share_a_row, begin, end),
        cmocka_unit_test_setup_teardown(recursion_through_another_method_counts_the_outermost, begin, end),
        cmocka_unit_test_setup_teardown(paths_over_the_cap_are_not_a_method, begin, end),
        cmocka_unit_test_setup_teardown(every_key_has_its_order, begin, end),
        cmocka_unit_test_setup_teardown(equal_rows_are_sorted_by_name, begin, end),
        cmocka_unit_test_setup_teardown(a_module_is_the_sum_of_its_methods, begin, end),
        cmocka_unit_test_setup_teardown(lines_add_statements_and_rows_without_calls, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
