// See tools.h. The names and keys are those of the .NET SDK 8 to 11, Microsoft.NET.Test.Sdk, MSTest, xunit 2 and 3, NUnit, TUnit and
// coverlet. The compilers' libraries (Microsoft.CodeAnalysis) are not listed: the SDK has no symbols for them, and who has compiled
// them wants to see them.
#include "metadata/tools.h"

#include <string.h>

// A public key is told by the eight bytes of its modulus that come first in the blob; `token` is what other tools show of it.
struct key {
    const char *token;
    uint8_t modulus[8];
};

enum { MODULUS_AT = 32 };

static const struct key keys[] = {
    {"b03f5f7f11d50a3a", {0x07, 0xD1, 0xFA, 0x57, 0xC4, 0xAE, 0xD9, 0xF0}}, // Microsoft
    {"31bf3856ad364e35", {0xB5, 0xFC, 0x90, 0xE7, 0x02, 0x7F, 0x67, 0x87}}, // Microsoft
    {"adb9793829ddae60", {0xF3, 0x3A, 0x29, 0x04, 0x4F, 0xA9, 0xD7, 0x40}}, // Microsoft, ASP.NET Core
    {"cc7b13ffcd2ddd51", {0x4B, 0x86, 0xC4, 0xCB, 0x78, 0x54, 0x9B, 0x34}}, // .NET Foundation
    {"8d05b1bb7a6fdb6c", {0x25, 0x2E, 0x04, 0x9A, 0xDD, 0xEA, 0x87, 0xF3}}, // xunit
    {"2638cd05610744eb", {0x31, 0xEE, 0xA3, 0x70, 0xB1, 0x98, 0x4B, 0xFA}}, // NUnit
    {"4cb40d35494691ac", {0x29, 0xB9, 0x7D, 0xEA, 0x81, 0x62, 0x72, 0xCC}}, // NUnit's adapter
    {"6fe0a02d2036aa1d", {0x51, 0x71, 0xB5, 0x9E, 0x93, 0x2A, 0xA5, 0x3A}}, // NUnit's engine
};

enum {
    MICROSOFT = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 3,
    XUNIT = 1 << 4,
    NUNIT = 1 << 5 | 1 << 6 | 1 << 7,
    UNSIGNED = 1 << 8
};

static const struct {
    const char *name; // `*`: any letters
    uint16_t keys;    // one of these signed it
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

// The bit of the key that the assembly has; 0: one that signed no tool.
static unsigned key_of(const struct metadata *metadata)
{
    struct bytes key = metadata_blob(metadata, metadata_column(metadata, TABLE_ASSEMBLY, 1, ASSEMBLY_KEY));
    if (bytes_left(&key) == 0) {
        return UNSIGNED;
    }
    for (unsigned i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (bytes_left(&key) >= MODULUS_AT + sizeof keys[i].modulus &&
            memcmp(key.at + MODULUS_AT, keys[i].modulus, sizeof keys[i].modulus) == 0) {
            return 1u << i;
        }
    }
    return 0;
}

enum tool tool_of(const struct metadata *metadata)
{
    struct text name = metadata_assembly_name(metadata);
    unsigned key = key_of(metadata);
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
        if (tools[i].keys & key && text_matches(name, text_of(tools[i].name))) {
            return tools[i].tool;
        }
    }
    return TOOL_NONE;
}
