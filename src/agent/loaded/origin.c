// See origin.h. The list of tools (metadata/tools.h) is asked before NAME.deps.json, since the SDK's programs and those that run
// tests are entry assemblies, too.
#include "agent/loaded/origin.h"

#include <pthread.h>
#include <string.h>

#include "agent/session/agent.h"
#include "metadata/bundle.h"
#include "metadata/packages.h"
#include "metadata/pdb/symbols.h"
#include "metadata/tools.h"
#include "trace/kinds.h"

// Whether the module belongs to a framework: it is in a shared framework of an installed runtime, is the core library,
// or is F#'s library. The other modules of a self-contained program's framework come without symbols, and so are not my
// code.
static bool is_framework(const struct module *module, struct text path)
{
    for (size_t i = 0; i + 18 <= path.size; i++) {
        if (memcmp(path.at + i, "/shared/Microsoft.", 18) == 0) {
            return true;
        }
    }
    return module_is_core_library(module) ||
           text_equal(module->assembly, text_of("FSharp.Core")); // it has symbols, but is a library of the language
}

// A tool that the user has named on the command line (`clew run -- dotnet csc.dll`) is what the user wants to see.
static enum tool tool_in(const struct module *module)
{
    return text_equal(module->assembly, agent.settings.program) ? TOOL_NONE : tool_of(&module->metadata);
}

static struct buffer bundled; // the NAME.deps.json of a single-file program; empty: there is none

static void read_bundled(void)
{
    if (!bundle_packages("/proc/self/exe", &bundled)) {
        buffer_clear(&bundled);
    }
}

// Whether the assembly comes from a package, as NAME.deps.json says.
static bool is_of_package(const struct module *module, const char *path)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    enum packages_answer answer = packages_have(path, module->assembly);
    if (answer == PACKAGES_UNKNOWN) {
        (void)pthread_once(&once, read_bundled); // cannot fail
        return packages_list(bytes_of(bundled.data, bundled.size), module->assembly);
    }
    return answer == PACKAGES_YES;
}

// Test hosts are not the program, but the test assembly that they load is. The SDK's programs are programs.
static bool is_entry(const struct module *module, enum tool tool)
{
    return tool != TOOL_TEST_HOST && module->image.entry_point_token &&
           !atomic_exchange_explicit(&agent.entry_seen, true, memory_order_relaxed);
}

uint32_t origin_flags(const struct module *module, const char *path)
{
    uint32_t flags = module->image.precompiled ? MODULE_PRECOMPILED : 0;
    if (is_framework(module, text_of(path))) {
        return flags | MODULE_FRAMEWORK;
    }
    struct symbols_query query = {.image = &module->image,
                                  .module_path = path,
                                  .folders = agent.settings.folders,
                                  .folder_count = agent.settings.folder_count};
    enum tool tool = tool_in(module);
    flags |= symbols_match(symbols_find(&query, NULL)) ? MODULE_SYMBOLS : 0;
    flags |= tool != TOOL_NONE ? MODULE_TOOL : 0;
    flags |= is_entry(module, tool) ? MODULE_ENTRY : 0;
    bool asked = flags & MODULE_SYMBOLS && tool == TOOL_NONE;
    return asked && is_of_package(module, path) ? flags | MODULE_PACKAGE : flags;
}
