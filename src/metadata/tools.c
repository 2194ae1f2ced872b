// See tools.h. The names and keys are those of the .NET SDK 8 to 11, Microsoft.NET.Test.Sdk, MSTest, xunit 2 and 3, NUnit, TUnit and
// coverlet. The compilers' libraries (Microsoft.CodeAnalysis) are not listed: the SDK has no symbols for them, and who has compiled
// them wants to see them.
#include "metadata/tools.h"

#include "metadata/keys.h"

enum { MICROSOFT = KEY_FRAMEWORK | KEY_MICROSOFT, XUNIT = KEY_XUNIT, NUNIT = KEY_NUNIT, UNSIGNED = KEY_UNSIGNED };

static const struct {
    const char *name; // `*`: any letters
    uint8_t keys;     // one of these signed it
    enum tool tool;
} tools[] = {
    {"dotnet", MICROSOFT, TOOL_SDK},
    {"dotnet-*", MICROSOFT, TOOL_SDK},
    {"MSBuild", MICROSOFT, TOOL_SDK},
    {"Microsoft.Build*", MICROSOFT, TOOL_SDK},
    {"Microsoft.DotNet.*", MICROSOFT, TOOL_SDK},
    {"Microsoft.NET.*", MICROSOFT, TOOL_SDK},
    {"Microsoft.TemplateEngine.*", MICROSOFT, TOOL_SDK},
    {"Microsoft.SourceLink.*", MICROSOFT, TOOL_SDK},
    {"Microsoft.AspNetCore.Watch.*", MICROSOFT, TOOL_SDK},
    {"Microsoft.Extensions.DotNetDeltaApplier", MICROSOFT, TOOL_SDK},
    {"DotNetWatchTasks", MICROSOFT, TOOL_SDK},
    {"NuGet.*", MICROSOFT, TOOL_SDK},
    {"VBCSCompiler", MICROSOFT, TOOL_SDK},
    {"csc", MICROSOFT, TOOL_SDK},
    {"vbc", MICROSOFT, TOOL_SDK},
    {"fsc", MICROSOFT, TOOL_SDK},
    {"FSharp.Build", MICROSOFT, TOOL_SDK},
    {"testhost", MICROSOFT, TOOL_TEST_HOST},
    {"testhost.x86", MICROSOFT, TOOL_TEST_HOST},
    {"vstest.console", MICROSOFT, TOOL_TEST_HOST},
    {"datacollector", MICROSOFT, TOOL_TEST_HOST},
    {"Microsoft.TestPlatform.*", MICROSOFT, TOOL_TEST_FRAMEWORK},
    {"Microsoft.Testing.*", MICROSOFT, TOOL_TEST_FRAMEWORK},
    {"Microsoft.CodeCoverage*", MICROSOFT, TOOL_TEST_FRAMEWORK},
    {"Microsoft.VisualStudio.TestPlatform.*", MICROSOFT, TOOL_TEST_FRAMEWORK},
    {"Microsoft.VisualStudio.TestTools.*", MICROSOFT, TOOL_TEST_FRAMEWORK},
    {"MSTest*", MICROSOFT, TOOL_TEST_FRAMEWORK},
    {"xunit.*", XUNIT | UNSIGNED, TOOL_TEST_FRAMEWORK},
    {"nunit.*", NUNIT, TOOL_TEST_FRAMEWORK},
    {"NUnit3.TestAdapter", NUNIT, TOOL_TEST_FRAMEWORK},
    {"testcentric.*", NUNIT, TOOL_TEST_FRAMEWORK},
    {"TUnit*", UNSIGNED, TOOL_TEST_FRAMEWORK},
    {"coverlet.*", UNSIGNED, TOOL_TEST_FRAMEWORK},
};

enum tool tool_of(const struct metadata *metadata)
{
    struct text name = metadata_assembly_name(metadata);
    unsigned key = key_of_assembly(metadata);
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
        if (tools[i].keys & key && text_matches(name, text_of(tools[i].name))) {
            return tools[i].tool;
        }
    }
    return TOOL_NONE;
}
