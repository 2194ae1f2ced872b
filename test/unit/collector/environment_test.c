// Environment variables that keep the runtime from loading the agent, read as the runtime reads them.
#include "collector/start/environment.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include <stdlib.h>

#include "ring/handshake.h"

static const char *const names[] = {"DOTNET_EnableDiagnostics",
                                    "COMPlus_EnableDiagnostics",
                                    "DOTNET_EnableDiagnostics_Profiler",
                                    "COMPlus_EnableDiagnostics_Profiler",
                                    "CORECLR_ENABLE_PROFILING",
                                    "CORECLR_PROFILER",
                                    "CORECLR_PROFILER_PATH",
                                    "CORECLR_PROFILER_PATH_64",
                                    "DOTNET_ENABLE_PROFILING",
                                    "DOTNET_PROFILER",
                                    "DOTNET_PROFILER_PATH"};

static int clear(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        (void)unsetenv(names[i]);
    }
    return 0;
}

static void set(const char *name, const char *value)
{
    assert_int_equal(setenv(name, value, 1), 0);
}

// NULL expects no obstacle and no sentence.
static void expect(const char *part)
{
    struct buffer why = {0};
    assert_int_equal(environment_obstacle(&why), part != NULL);
    buffer_u8(&why, 0);
    if (part) {
        assert_non_null(strstr((const char *)why.data, part));
    } else {
        assert_string_equal((const char *)why.data, "");
    }
    buffer_free(&why);
}

static void any_switch_that_is_off_is_named(void **state)
{
    (void)state;
    expect(NULL);
    for (size_t i = 0; i < 4; i++) {
        set(names[i], "1");
        expect(NULL);
        set(names[i], "0");
        expect(names[i]);
        set(names[i], "0x0"); // numbers are hexadecimal
        expect(names[i]);
        set(names[i], "a");
        expect(NULL);
        set(names[i], "off"); // no number: the runtime takes its default, which is on
        expect(NULL);
        set(names[i], "");
        expect(NULL);
        assert_int_equal(unsetenv(names[i]), 0);
    }
}

static void the_newer_name_of_a_switch_counts(void **state)
{
    (void)state;
    set("COMPlus_EnableDiagnostics", "0");
    set("DOTNET_EnableDiagnostics", "1");
    expect(NULL);
    set("DOTNET_EnableDiagnostics", "");
    expect("COMPlus_EnableDiagnostics=0");
}

static void another_profiler_is_named_with_its_library(void **state)
{
    (void)state;
    set("CORECLR_ENABLE_PROFILING", "1");
    expect(NULL); // without a class nothing is loaded
    set("CORECLR_PROFILER", "{00000000-1111-2222-3333-444444444444}");
    expect("444444444444}");
    set("CORECLR_PROFILER_PATH", "/opt/other.so");
    expect(", /opt/other.so)");
    set("CORECLR_PROFILER_PATH_64", "/opt/other64.so"); // goes before
    expect(", /opt/other64.so)");
    set("CORECLR_ENABLE_PROFILING", "0");
    expect(NULL);
}

static void our_own_class_is_not_in_the_way(void **state)
{
    (void)state;
    char class[64] = CLEW_CLSID;
    set("CORECLR_ENABLE_PROFILING", "1");
    set("CORECLR_PROFILER", class);
    expect(NULL);
    for (char *at = class; *at; at++) {
        *at = (char)(*at >= 'a' && *at <= 'z' ? *at - 'a' + 'A' : *at >= 'A' && *at <= 'Z' ? *at - 'A' + 'a' : *at);
    }
    set("CORECLR_PROFILER", class);
    expect(NULL);
}

static void variables_that_only_newer_runtimes_read_count(void **state)
{
    (void)state;
    set("DOTNET_PROFILER", "{00000000-1111-2222-3333-444444444444}");
    expect(NULL); // not enabled
    set("DOTNET_ENABLE_PROFILING", "0");
    expect(NULL);
    set("DOTNET_ENABLE_PROFILING", "1");
    expect("(DOTNET_PROFILER={00000000-1111-2222-3333-444444444444}) ");
    expect("unset DOTNET_ENABLE_PROFILING to record");
    set("DOTNET_PROFILER_PATH", "/opt/newer.so");
    expect(", /opt/newer.so)");
    set("CORECLR_ENABLE_PROFILING", "1");
    set("CORECLR_PROFILER", "{00000000-1111-2222-3333-555555555555}");
    expect("555555555555}"); // older runtimes take this one
    set("CORECLR_PROFILER", CLEW_CLSID);
    expect("444444444444}");
    set("DOTNET_PROFILER", CLEW_CLSID);
    expect(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_newer_name_of_a_switch_counts, clear, clear),
        cmocka_unit_test_setup_teardown(any_switch_that_is_off_is_named, clear, clear),
        cmocka_unit_test_setup_teardown(another_profiler_is_named_with_its_library, clear, clear),
        cmocka_unit_test_setup_teardown(our_own_class_is_not_in_the_way, clear, clear),
        cmocka_unit_test_setup_teardown(variables_that_only_newer_runtimes_read_count, clear, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
