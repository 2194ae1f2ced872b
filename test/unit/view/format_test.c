// Numbers and names as text views print them.
#include "view/format.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static void test_times(void **state)
{
    (void)state;
    char room[FORMAT_CELL];
    static const struct {
        uint64_t ns;
        const char *text;
    } cases[] = {{0, "0 ns"},
                 {999, "999 ns"},
                 {1000, "1.000 us"},
                 {999999, "999.999 us"},
                 {1000000, "1.000 ms"},
                 {999999499, "999.999 ms"},
                 {999999999, "1.000 s"},
                 {1234567890, "1.235 s"},
                 {UINT64_MAX, "18446744073.710 s"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(format_ns(room, cases[i].ns), cases[i].text);
    }
}

static void test_counts_and_sizes(void **state)
{
    (void)state;
    char room[FORMAT_CELL];
    assert_string_equal(format_count(room, 0), "0");
    assert_string_equal(format_count(room, 999), "999");
    assert_string_equal(format_count(room, 1000), "1,000");
    assert_string_equal(format_count(room, 1234567), "1,234,567");
    assert_string_equal(format_count(room, UINT64_MAX), "18,446,744,073,709,551,615");
    assert_string_equal(format_size(room, 1), "1 bytes");
    assert_string_equal(format_size(room, 1536), "1.5 KiB");
    assert_string_equal(format_size(room, UINT64_C(3) << 30), "3.0 GiB");
    assert_string_equal(format_share(room, 1, 3), "33.3 %");
    assert_string_equal(format_share(room, 1, 0), "-");
}

static void test_file_names(void **state)
{
    (void)state;
    static const char *const paths[] = {"/srv/shop/Program.cs", "C:\\shop\\Program.cs", "Program.cs",
                                        "C:\\shop/Program.cs"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        assert_true(text_equal(format_file_name(text_of(paths[i])), text_of("Program.cs")));
    }
    assert_int_equal(format_file_name(text_of("/srv/")).size, 0);
}

static void short_name(const char *name, const char *expected)
{
    struct text head, tail;
    char joined[256];
    format_short_name(text_of(name), &head, &tail);
    (void)snprintf(joined, sizeof joined, "%.*s%.*s", (int)head.size, head.at, (int)tail.size, tail.at);
    assert_string_equal(joined, expected);
}

static void test_short_names(void **state)
{
    (void)state;
    short_name("Shop.Cart.Add(int, string)", "Shop.Cart.Add");
    short_name("Shop.Cart..ctor()", "Shop.Cart..ctor");
    short_name("Shop.Cart.AddAsync(int) (async)", "Shop.Cart.AddAsync (async)");
    short_name("Shop.Cart.All() (iterator)", "Shop.Cart.All (iterator)");
    short_name("Shop.Cart.Pair((int, string), (int, (int, int)))", "Shop.Cart.Pair");
    short_name("Shop.Cart.Add.lambda#1(int)", "Shop.Cart.Add.lambda#1");
    short_name("Shop.Cart.Count.get", "Shop.Cart.Count.get");
    short_name("(over the cap)", "(over the cap)");
    short_name("(method 17)", "(method 17)");
    short_name(")", ")");
    short_name("a)", "a)");
    short_name("", "");
}

static void name(const char *text, uint32_t width, size_t used, const char *expected)
{
    char *out = NULL;
    size_t size = 0;
    struct view view = {.out = open_memstream(&out, &size), .width = width};
    assert_non_null(view.out);
    format_name(&view, text_of(text), used);
    assert_int_equal(fclose(view.out), 0);
    assert_string_equal(out, expected);
    free(out);
}

static void test_names_fit_the_terminal(void **state)
{
    (void)state;
    name("Shop.Cart.Add(int)", 0, 500, "Shop.Cart.Add(int)");
    name("Shop.Cart.Add(int)", 40, 22, "Shop.Cart.Add(int)");
    name("Shop.Cart.AddManyThings(int, string)", 50, 20, "Shop.Cart.AddManyThings(int...");
    name("Shop.Cart.AddManyThings(int, string)", 10, 20, "Shop.Cart.AddManyThi..."); // some of it always
    name("a\033[2Jb\x7F", 0, 0, "a\\u001B[2Jb\\u007F");
    // Columns, not bytes, and never half a character.
    name("üüüüüüüüüüüüü", 25, 1, "üüüüüüüüüüüüü");
    name("üüüüüüüüüüüüüüüüüüüüüüüüü", 25, 1, "üüüüüüüüüüüüüüüüüüüüü...");
    name("計計計計計計計計計計計計計", 25, 1, "計計計計計計計計計計...");
}

static void method(const char *text, uint32_t room, enum view_names names, const char *expected)
{
    char *out = NULL;
    size_t size = 0;
    struct view view = {.out = open_memstream(&out, &size), .width = room ? 40 + room : 0, .names = names};
    assert_non_null(view.out);
    size_t columns = format_method(&view, text_of(text), 40);
    assert_int_equal(fclose(view.out), 0);
    assert_string_equal(out, expected);
    assert_int_equal(columns, strlen(expected));
    free(out);
}

static void test_methods_fit_the_terminal(void **state)
{
    (void)state;
    static const char add[] = "Shop.Orders.Cart.AddMany(int, string)", async[] = "Shop.Cart.SaveAsync(int) (async)";
    method(add, 0, VIEW_NAMES_FIT, add);
    method(add, 37, VIEW_NAMES_FIT, add);
    method(add, 36, VIEW_NAMES_FIT, "Shop.Orders.Cart.AddMany(...)"); // parameters first
    method(add, 28, VIEW_NAMES_FIT, "...Orders.Cart.AddMany(...)");   // then from the left
    method(add, 26, VIEW_NAMES_FIT, "...Cart.AddMany(...)");
    method(add, 17, VIEW_NAMES_FIT, "...Cart.AddMany");
    method(add, 12, VIEW_NAMES_FIT, "...AddMany");
    method(add, 1, VIEW_NAMES_FIT, "...AddMany"); // never the method
    method(async, 25, VIEW_NAMES_FIT, "...Cart.SaveAsync (async)");
    method("Shop.Cart.Count.get()", 12, VIEW_NAMES_FIT, "...Count.get");
    method(add, 12, VIEW_NAMES_FULL, add);
    method(add, 0, VIEW_NAMES_SHORT, "Cart.AddMany(...)");
    method("Shop.Cart..ctor()", 0, VIEW_NAMES_SHORT, "Cart..ctor()");
    method(async, 0, VIEW_NAMES_SHORT, "Cart.SaveAsync(...) (async)");
    method("Main", 2, VIEW_NAMES_FIT, "Main");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_counts_and_sizes),
        cmocka_unit_test(test_file_names),
        cmocka_unit_test(test_short_names),
        cmocka_unit_test(test_names_fit_the_terminal),
        cmocka_unit_test(test_methods_fit_the_terminal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
