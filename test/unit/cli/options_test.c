// Options in every spelling, before and after operands_are_kept_in_order.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"

static const struct cli_option options[] = {
    {"output", 'o', "FILE", ""},
    {"quiet", 'q', NULL, ""},
    {"verbose", 'v', NULL, ""},
    {0},
};

static const struct cli_command command = {.name = "test", .options = options};

static char heard[256];

static bool hear(void *context, const struct cli_option *option, const char *argument)
{
    (void)context;
    size_t used = strlen(heard);
    (void)snprintf(heard + used, sizeof heard - used, "%s%s%s;", option->name, argument ? "=" : "",
                   argument ? argument : "");
    return true;
}

// What was heard, then the operands_are_kept_in_order.
static const char *parse(bool stop, int argc, char **argv)
{
    heard[0] = '\0';
    int first = cli_options(&command, argc, argv, stop, hear, NULL);
    if (first < 0) {
        return "error";
    }
    for (int i = first; i < argc; i++) {
        size_t used = strlen(heard);
        (void)snprintf(heard + used, sizeof heard - used, " %s", argv[i]);
    }
    return heard;
}

#define PARSE(stop, ...) \
    parse(stop, (int)(sizeof(char *[]){"test", __VA_ARGS__} / sizeof(char *)), (char *[]){"test", __VA_ARGS__})

static void every_spelling_of_an_option_is_read(void **state)
{
    (void)state;
    assert_string_equal(PARSE(false, "--output", "a", "-q"), "output=a;quiet;");
    assert_string_equal(PARSE(false, "--output=a", "--quiet"), "output=a;quiet;");
    assert_string_equal(PARSE(false, "-oa", "-qv"), "output=a;quiet;verbose;");
    assert_string_equal(PARSE(false, "-o", "a", "-qoa"), "output=a;quiet;output=a;");
    assert_string_equal(PARSE(false, "--output="), "output=;");
    assert_string_equal(PARSE(false, "-o", "--", "x"), "output=--; x");
}

static void operands_are_kept_in_order(void **state)
{
    (void)state;
    assert_string_equal(PARSE(false, "x", "-q", "y", "-o", "a", "z"), "quiet;output=a; x y z");
    assert_string_equal(PARSE(false, "x", "-q", "--", "-v", "y"), "quiet; x -v y");
    assert_string_equal(PARSE(true, "-q", "x", "-v"), "quiet; x -v");
    assert_string_equal(PARSE(true, "-q", "--", "-v"), "quiet; -v");
    assert_string_equal(PARSE(false, "-"), " -");
    assert_string_equal(PARSE(false, "x", "--"), " x");
}

static void faults_in_options_are_reported(void **state)
{
    (void)state;
    assert_string_equal(PARSE(false, "--nothing"), "error");
    assert_string_equal(PARSE(false, "-x"), "error");
    assert_string_equal(PARSE(false, "-qx"), "error");
    assert_string_equal(PARSE(false, "--quiet=yes"), "error");
    assert_string_equal(PARSE(false, "-o"), "error");
    assert_string_equal(PARSE(false, "--output"), "error");
    assert_string_equal(PARSE(false, "--outp", "a"), "error");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_spelling_of_an_option_is_read),
        cmocka_unit_test(operands_are_kept_in_order),
        cmocka_unit_test(faults_in_options_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
