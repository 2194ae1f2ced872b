// One note names the recorded modules without symbols, each once, and how many more there are.
#include "model/missing_symbols.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const char beside[] = "no PDB was found";

// Adds a module with one method.
static void add(struct catalog *catalog, uint32_t process, uint32_t module, uint32_t flags, const char *name,
                const char *reason)
{
    const struct recording_module loaded = {
        .process = process, .module = module, .flags = flags, .name = text_of(name), .reason = text_of(reason)};
    const struct recording_method method = {
        .process = process, .method = 16 + module, .module = module, .token = 0x06000001, .name = text_of("M()")};
    assert_int_equal(catalog_add_module(catalog, &loaded), CLEW_OK);
    assert_int_equal(catalog_add_method(catalog, &method), CLEW_OK);
}

// NULL: no note.
static void expect(struct catalog *catalog, const char *note)
{
    assert_int_equal(catalog_link(catalog), CLEW_OK);
    assert_int_equal(missing_symbols_note(catalog), CLEW_OK);
    assert_int_equal(catalog->note_count, note != NULL);
    if (note) {
        assert_int_equal(catalog->notes[0].text.size, strlen(note));
        assert_memory_equal(catalog->notes[0].text.at, note, strlen(note));
    }
    catalog_fini(catalog);
}

static void a_module_and_its_reason(void **state)
{
    (void)state;
    struct catalog catalog = {0};
    add(&catalog, 1, 1, MODULE_IN_SCOPE | MODULE_SYMBOLS, "Shop", "");
    add(&catalog, 1, 2, MODULE_IN_SCOPE, "Cart", beside);
    add(&catalog, 2, 1, MODULE_IN_SCOPE, "Cart", beside);
    expect(&catalog, "without symbols, so without lines and names of variables: Cart (no PDB was found); build with "
                     "symbols, or name folders that have them with --symbols");
}

static void many_modules(void **state)
{
    (void)state;
    struct catalog catalog = {0};
    for (uint32_t i = 0; i < 5; i++) {
        add(&catalog, 1, i + 1, MODULE_IN_SCOPE, (const char *[]){"A", "B", "C", "D", "E"}[i], beside);
    }
    expect(&catalog, "without symbols, so without lines and names of variables: A (no PDB was found), B (no PDB was "
                     "found), C (no PDB was found) and 2 more; build with symbols, or name folders that have them with "
                     "--symbols");
}

static void modules_of_which_nothing_is_recorded(void **state)
{
    (void)state;
    struct catalog catalog = {0};
    add(&catalog, 1, 1, MODULE_FRAMEWORK, "System.Runtime", "framework");
    const struct recording_module unused = {
        .process = 1, .module = 2, .flags = MODULE_IN_SCOPE, .name = text_of("Unused"), .reason = text_of(beside)};
    assert_int_equal(catalog_add_module(&catalog, &unused), CLEW_OK);
    expect(&catalog, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_module_and_its_reason),
        cmocka_unit_test(many_modules),
        cmocka_unit_test(modules_of_which_nothing_is_recorded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
