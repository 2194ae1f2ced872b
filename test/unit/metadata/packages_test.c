// Which assemblies come from packages, by NAME.deps.json.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include "metadata/packages.h"

static enum packages_answer lists(const char *content, const char *assembly)
{
    return packages_list(bytes_of(content, strlen(content)), text_of(assembly));
}

static const char usual[] =
    "\xEF\xBB\xBF"
    "{\"runtimeTarget\": {\"name\": \"t/linux-x64\"}, \"compilationOptions\": {},"
    " \"targets\": {\"t\": {}, \"t/linux-x64\": {"
    "  \"Shop/1.0.0\": {\"dependencies\": {\"My.Lib\": \"2.0.0\"}, \"runtime\": {\"Shop.dll\": {}}},"
    "  \"Shop.Core/1.0.0\": {\"runtime\": {\"Shop.Core.dll\": {\"fileVersion\": \"1.0\"}}},"
    "  \"My.Lib/2.0.0\": {\"runtime\": {\"lib/net8.0/A.dll\": {}, \"lib/net8.0/Lib.dll\": {}},"
    "                   \"resources\": {\"lib/net8.0/de/Lib.resources.dll\": {\"locale\": \"de\"}}}}},"
    " \"libraries\": {\"Shop/1.0.0\": {\"type\": \"project\"}, \"Shop.Core/1.0.0\": {\"type\": \"project\"},"
    "  \"My.Lib/2.0.0\": {\"sha512\": \"x\", \"type\": \"package\"}}}";

static void assemblies_are_found_by_their_files(void **state)
{
    (void)state;
    assert_int_equal(lists(usual, "Lib"), PACKAGES_YES);
    assert_int_equal(lists(usual, "A"), PACKAGES_YES);
    assert_int_equal(lists(usual, "Shop"), PACKAGES_NO);
    assert_int_equal(lists(usual, "Shop.Core"), PACKAGES_NO);
    assert_int_equal(lists(usual, "My.Lib"), PACKAGES_UNKNOWN); // a library of this name, but no file
    assert_int_equal(lists(usual, "ib"), PACKAGES_UNKNOWN);
    assert_int_equal(lists(usual, ""), PACKAGES_UNKNOWN);
}

static void what_is_cut_or_wrong_says_nothing(void **state)
{
    (void)state;
    char cut[sizeof usual];
    const char *end = strstr(usual, "\"package\"") + strlen("\"package\"");
    for (size_t size = 0; usual + size < end; size++) {
        memcpy(cut, usual, size);
        cut[size] = 0;
        assert_int_equal(lists(cut, "Lib"), PACKAGES_UNKNOWN);
    }
    assert_int_equal(lists("[]", "Lib"), PACKAGES_UNKNOWN);
    assert_int_equal(lists("{\"targets\": {\"t\": {\"L/1\": {\"runtime\": {\"Lib.dll\": {}}}}}}", "Lib"),
                     PACKAGES_UNKNOWN);
    assert_int_equal(packages_have("Lib.dll", text_of("Lib")), PACKAGES_UNKNOWN);
    assert_int_equal(packages_have("/nowhere/Lib.dll", text_of("Lib")), PACKAGES_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(assemblies_are_found_by_their_files),
        cmocka_unit_test(what_is_cut_or_wrong_says_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
