// Class identifiers as users write them; and what in the environment decides which profiler is loaded.
#include "collector/start/profiler_library.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include <stdlib.h>

#include "collector/start/profiler_environment.h"

static void braces_may_be_missing(void **state)
{
    char class[PROFILER_CLASS_SIZE];
    static const char with[] = "{6C1B0B5E-7a0d-4C7B-9E57-2F6E4D1C8A31}";
    (void)state;
    assert_true(profiler_class(with, strlen(with), class));
    assert_string_equal(class, with);
    assert_true(profiler_class(with + 1, strlen(with) - 2, class));
    assert_string_equal(class, with);
}

static void what_is_no_class_identifier_is_refused(void **state)
{
    static const char *const texts[] = {"",
                                        "{}",
                                        "Clew.Profiler",
                                        "{6C1B0B5E-7A0D-4C7B-9E57-2F6E4D1C8A3}",
                                        "{6C1B0B5E-7A0D-4C7B-9E57-2F6E4D1C8A311}",
                                        "{6C1B0B5E-7A0D-4C7B-9E57-2F6E4D1C8A3G}",
                                        "{6C1B0B5E-7A0D-4C7B-9E57-2F6E4D1C8A31)",
                                        "(6C1B0B5E-7A0D-4C7B-9E57-2F6E4D1C8A31)",
                                        "{6C1B0B5E-7A0D-4C7B-9E57-2F6E4D1C8A31",
                                        "6C1B0B5E-7A0D-4C7B-9E57-2F6E4D1C8A31}",
                                        "6C1B0B5E7A0D4C7B9E572F6E4D1C8A31",
                                        "6C1B0B5E-7A0D-4C7B-9E572-F6E4D1C8A31"};
    char class[PROFILER_CLASS_SIZE];
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_false(profiler_class(texts[i], strlen(texts[i]), class));
    }
}

static void inherited_variables_of_another_profiler_go(void **state)
{
    static const char *const others[] = {"CORECLR_PROFILER_PATH_64", "CORECLR_PROFILER_PATH_ARM64",
                                         "DOTNET_ENABLE_PROFILING",  "DOTNET_PROFILER",
                                         "DOTNET_PROFILER_PATH",     "DOTNET_PROFILER_PATH_64"};
    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_int_equal(setenv(others[i], "0", 1), 0);
    }
    assert_true(profiler_environment_set("{6C1B0B5E-7A0D-4C7B-9E57-2F6E4D1C8A31}", "/opt/a.so"));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_null(getenv(others[i]));
    }
    assert_string_equal(getenv("CORECLR_ENABLE_PROFILING"), "1");
    assert_string_equal(getenv("CORECLR_PROFILER"), "{6C1B0B5E-7A0D-4C7B-9E57-2F6E4D1C8A31}");
    assert_string_equal(getenv("CORECLR_PROFILER_PATH"), "/opt/a.so");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(braces_may_be_missing),
        cmocka_unit_test(what_is_no_class_identifier_is_refused),
        cmocka_unit_test(inherited_variables_of_another_profiler_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
