// Text in the columns of a terminal.
#include "view/text/format_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

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

static void command(const char *text, uint32_t width, bool verbose, const char *expected)
{
    char *out = NULL;
    size_t size = 0;
    struct view view = {.out = open_memstream(&out, &size), .width = width, .verbose = verbose};
    assert_non_null(view.out);
    format_command(&view, text_of(text), 10);
    assert_int_equal(fclose(view.out), 0);
    assert_string_equal(out, expected);
    free(out);
}

static void test_commands_keep_program_and_end(void **state)
{
    (void)state;
    static const char longest[] = "dotnet exec --depsfile /srv/shop/app.deps.json --runtimeconfig "
                                  "/srv/shop/app.runtimeconfig.json /srv/shop/app.dll --port 80 last";
    command("dotnet app.dll", 0, false, "dotnet app.dll");
    command("", 0, false, "");
    command(longest, 0, true, longest);
    command(longest, 60, true, longest);
    command(longest, 0, false, "dotnet exec --depsfile ... /srv/shop/app.dll --port 80 last");
    command(longest, 60, false, "dotnet exec --depsfile ... --port 80 last");
    // The folders of a program go before its name does.
    command("/opt/a/very/long/path/to/some/other/folder/dotnet a", 60, false, "dotnet a");
    command("/opt/a/very/long/path/to/some/other/folder/dotnet exec 0123456789 0123456789 0123456789 0123456789 last",
            60, false, "dotnet exec 0123456789 ... 0123456789 last");
    // Without blanks, and never half a character; some of it always.
    command("計計計計計計計計計計計計計計計計計計計計計計計計計計計計計計", 10, false,
            "計計計計計計計計計計 ... 計計計計計計計");
    command("a\033[2Jb", 0, true, "a\\u001B[2Jb");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_file_names),
        cmocka_unit_test(test_names_fit_the_terminal),
        cmocka_unit_test(test_commands_keep_program_and_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
