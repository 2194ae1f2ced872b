// Which assemblies belong to the SDK and to test frameworks, and which only have their names.
#include "dotnet.h"

#include <dirent.h>
#include <stdlib.h>

#include "metadata/keys.h"
#include "metadata/tables/image.h"
#include "metadata/tools.h"

static enum tool tool_at(const char *path)
{
    struct buffer content = file_read(path);
    struct image image;
    struct metadata metadata;
    assert_int_equal(image_open(bytes_of(content.data, content.size), IMAGE_FLAT, &image), CLEW_OK);
    assert_int_equal(metadata_open(image.metadata, &metadata), CLEW_OK);
    enum tool tool = tool_of(&metadata);
    buffer_free(&content);
    return tool;
}

// The folder of the newest SDK beside the runtime: ROOT/sdk/VERSION.
static void sdk_folder(char *out, size_t size)
{
    char folder[800], root[800], newest[256] = "";
    dotnet_runtime_folder(folder, sizeof folder);
    char *shared = strstr(folder, "/shared/");
    assert_non_null(shared);
    *shared = 0;
    (void)snprintf(root, sizeof root, "%.700s/sdk", folder);
    DIR *versions = opendir(root);
    assert_non_null(versions);
    for (struct dirent *version; (version = readdir(versions)) != NULL;) {
        if (version->d_name[0] != '.' && strverscmp(version->d_name, newest) > 0) {
            (void)snprintf(newest, sizeof newest, "%s", version->d_name);
        }
    }
    (void)closedir(versions);
    (void)snprintf(out, size, "%s/%s", root, newest);
}

static void programs_and_libraries_of_the_sdk_are_tools(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        enum tool tool;
    } of[] = {
        {"dotnet.dll", TOOL_SDK},
        {"MSBuild.dll", TOOL_SDK},
        {"Microsoft.Build.dll", TOOL_SDK},
        {"Microsoft.DotNet.Cli.Utils.dll", TOOL_SDK},
        {"NuGet.Common.dll", TOOL_SDK},
        {"Roslyn/bincore/csc.dll", TOOL_SDK},
        {"Roslyn/bincore/VBCSCompiler.dll", TOOL_SDK},
        {"FSharp/fsc.dll", TOOL_SDK},
        {"vstest.console.dll", TOOL_TEST_HOST},
        {"Microsoft.VisualStudio.TestPlatform.Common.dll", TOOL_TEST_FRAMEWORK},
        {"Roslyn/bincore/Microsoft.CodeAnalysis.dll", TOOL_NONE},
        {"Newtonsoft.Json.dll", TOOL_NONE},
    };
    char folder[1100], path[1400];
    sdk_folder(folder, sizeof folder);
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, of[i].file);
        enum tool tool = tool_at(path);
        if (tool != of[i].tool) {
            print_message("%s is %d\n", path, tool);
        }
        assert_int_equal(tool, of[i].tool);
    }
}

static void a_program_of_the_user_is_none(void **state)
{
    (void)state;
    assert_int_equal(tool_at("test/fuzz/corpus/metadata/CSharp.dll"), TOOL_NONE);
}

// The name is in the file as it is in the heap, so another name of the same length can take its place.
static void a_name_alone_makes_no_tool(void **state)
{
    (void)state;
    struct buffer content = file_read("test/fuzz/corpus/metadata/CSharp.dll");
    struct image image;
    struct metadata metadata;
    assert_int_equal(image_open(bytes_of(content.data, content.size), IMAGE_FLAT, &image), CLEW_OK);
    assert_int_equal(metadata_open(image.metadata, &metadata), CLEW_OK);
    struct text name = metadata_assembly_name(&metadata);
    memcpy((char *)(uintptr_t)name.at, "dotnet", name.size);
    assert_true(text_equal(metadata_assembly_name(&metadata), text_of("dotnet")));
    assert_int_equal(tool_of(&metadata), TOOL_NONE);
    memcpy((char *)(uintptr_t)name.at, "TUnitX", name.size);
    assert_int_equal(tool_of(&metadata), TOOL_TEST_FRAMEWORK); // published without a key
    buffer_free(&content);
}

static void references_have_tokens_of_keys(void **state)
{
    (void)state;
    struct buffer content = file_read("test/fuzz/corpus/metadata/CSharp.dll");
    struct image image;
    struct metadata metadata;
    assert_int_equal(image_open(bytes_of(content.data, content.size), IMAGE_FLAT, &image), CLEW_OK);
    assert_int_equal(metadata_open(image.metadata, &metadata), CLEW_OK);
    assert_int_equal(key_of_assembly(&metadata), KEY_UNSIGNED);
    uint32_t count = metadata_rows(&metadata, TABLE_ASSEMBLY_REF);
    assert_true(count > 0);
    for (uint32_t row = 1; row <= count; row++) { // all are of the framework
        assert_int_equal(key_of_reference(&metadata, row), KEY_FRAMEWORK);
    }
    struct bytes token = metadata_blob(&metadata, metadata_column(&metadata, TABLE_ASSEMBLY_REF, 1, ASSEMBLY_REF_KEY));
    ((uint8_t *)(uintptr_t)token.at)[7] ^= 1;
    assert_int_equal(key_of_reference(&metadata, 1), 0);
    buffer_free(&content);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_and_libraries_of_the_sdk_are_tools),
        cmocka_unit_test(a_program_of_the_user_is_none),
        cmocka_unit_test(a_name_alone_makes_no_tool),
        cmocka_unit_test(references_have_tokens_of_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
