// The kind of a program, by the symbols that each way of building leaves in its file.
#include "collector/start/target.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ELF "\177ELF...."

static char folder[] = "/tmp/clew-target-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static void expect(const char *name, const char *content, enum target_kind kind)
{
    char path[64];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(file >= 0);
    assert_int_equal(write(file, content, strlen(content)), (ssize_t)strlen(content));
    assert_int_equal(close(file), 0);
    enum target_kind found = target_kind_of(path);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(found, kind);
}

static void executables_differ_by_the_names_in_them(void **state)
{
    (void)state;
    expect("dotnet", ELF "hostfxr", TARGET_MUXER);
    expect("dotnet", ELF "curl", TARGET_NATIVE); // the name alone is not enough
    expect("app", ELF "libhostfxr.so", TARGET_HOST);
    expect("app", ELF "hostfxr_main", TARGET_HOST);
    expect("app", ELF "DotNetRuntimeInfo", TARGET_HOST); // single file
    expect("app", ELF "DotNetRuntimeDebugHeader", TARGET_NATIVE_AOT);
    expect("app", ELF "__managedcode", TARGET_NATIVE_AOT);
    expect("app", ELF "DotNetRuntimeDebugHeader DotNetRuntimeInfo", TARGET_HOST); // a runtime linked in has both
    expect("app", ELF, TARGET_NATIVE);
}

static void other_files_differ_by_their_first_bytes(void **state)
{
    (void)state;
    expect("app.dll", "MZ...", TARGET_ASSEMBLY);
    expect("run", "#!/bin/sh", TARGET_SCRIPT);
    expect("notes", "hostfxr", TARGET_UNKNOWN);
    expect("short", "#", TARGET_UNKNOWN);
    expect("empty", "", TARGET_UNKNOWN);
    assert_int_equal(target_kind_of(folder), TARGET_UNKNOWN);
    assert_int_equal(target_kind_of("/nowhere/at/all"), TARGET_UNKNOWN);
}

static void a_verb_of_the_sdk_is_the_first_word(void **state)
{
    (void)state;
    char dotnet[] = "dotnet", run[] = "run", dll[] = "app.dll";
    assert_string_equal(target_sdk_verb((char *[]){dotnet, run, dll, NULL}), "run");
    assert_null(target_sdk_verb((char *[]){dotnet, dll, run, NULL})); // the program's own word
    assert_null(target_sdk_verb((char *[]){dotnet, NULL}));
    assert_null(target_sdk_verb((char *[]){NULL}));
    char path[] = "/opt/dotnet/dotnet", option[] = "-d", app[] = "./app";
    assert_string_equal(target_sdk_verb((char *[]){path, option, run, NULL}), "run");
    assert_null(target_sdk_verb((char *[]){app, run, NULL}));
}

static void what_runs_the_users_code_in_a_child_is_known(void **state)
{
    (void)state;
    char dotnet[] = "dotnet";
    static char *const children[] = {"run", "test", "watch", "vstest", "one.cs", "src/one.cs"};
    static char *const others[] = {"build", "publish", "app.dll", ".cs", "one.csproj", "exec"};
    for (size_t i = 0; i < sizeof children / sizeof *children; i++) {
        assert_true(target_runs_in_child((char *[]){dotnet, children[i], NULL}));
        assert_false(target_runs_in_child((char *[]){"./app", children[i], NULL}));
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_false(target_runs_in_child((char *[]){dotnet, others[i], NULL}));
    }
    assert_false(target_runs_in_child((char *[]){dotnet, NULL}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(executables_differ_by_the_names_in_them),
        cmocka_unit_test(other_files_differ_by_their_first_bytes),
        cmocka_unit_test(a_verb_of_the_sdk_is_the_first_word),
        cmocka_unit_test(what_runs_the_users_code_in_a_child_is_known),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
