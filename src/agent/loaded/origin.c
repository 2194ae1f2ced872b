// See origin.h. The list of tools (metadata/tools.h) is asked before NAME.deps.json, since the SDK's programs and those that run
// tests are entry assemblies, too. Where neither says anything, the sources do: an assembly without, beside an entry assembly with,
// was built elsewhere. If the entry assembly's are not here either, as on a production machine, they say nothing; nor do those
// that are no files, as of an assembly that the program has compiled.
#include "agent/loaded/origin.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "agent/session/agent.h"
#include "metadata/bundle.h"
#include "metadata/packages.h"
#include "metadata/pdb/symbols.h"
#include "metadata/tools.h"
#include "trace/kinds.h"

enum { DOCUMENTS_ASKED = 1000 };

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

// Whether the assembly comes from a package, as NAME.deps.json beside it or in the single-file program says.
static enum packages_answer package_says(const struct module *module, const char *path)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    enum packages_answer answer = packages_have(path, module->assembly);
    if (answer == PACKAGES_UNKNOWN) {
        (void)pthread_once(&once, read_bundled); // cannot fail
        return packages_list(bytes_of(bundled.data, bundled.size), module->assembly);
    }
    return answer;
}

enum sources {
    SOURCES_UNKNOWN, // no document is a file: the program has made them, or there are no symbols
    SOURCES_HERE,
    SOURCES_ELSEWHERE,
};

// The name is a path on the machine that built the module, which may be one with Windows.
static enum sources document_is(const struct pdb *pdb, uint32_t document, struct buffer *path)
{
    buffer_clear(path);
    bool named = pdb_document_name(pdb, document, path);
    buffer_u8(path, 0);
    if (!named || path->failed) {
        return SOURCES_UNKNOWN;
    }
    const char *name = (const char *)path->data;
    bool absolute = *name == '/' || (*name && name[1] == ':');
    return !absolute ? SOURCES_UNKNOWN : access(name, F_OK) == 0 ? SOURCES_HERE : SOURCES_ELSEWHERE;
}

// Whether a source file of the module is where its symbols say. Mostly the first one answers.
static enum sources sources_of(const struct symbols_query *query)
{
    struct symbols symbols;
    struct buffer path = {0};
    enum sources found = SOURCES_UNKNOWN;
    if (!symbols_match(symbols_open(query, &symbols, NULL))) {
        return SOURCES_UNKNOWN;
    }
    uint32_t count = pdb_document_count(&symbols.pdb);
    for (uint32_t i = 1; i <= count && i <= DOCUMENTS_ASKED && found != SOURCES_HERE; i++) {
        enum sources document = document_is(&symbols.pdb, i, &path);
        found = document != SOURCES_UNKNOWN ? document : found;
    }
    buffer_free(&path);
    symbols_close(&symbols);
    return found;
}

// Test hosts are not the program, but the test assembly that they load is. The SDK's programs are programs.
static bool is_entry(const struct module *module, enum tool tool)
{
    return tool != TOOL_TEST_HOST && module->image.entry_point_token &&
           !atomic_exchange_explicit(&agent.entry_seen, true, memory_order_relaxed);
}

static _Atomic bool entry_has_sources;

// Of a module with symbols that is no tool. One without a file was made by the program.
static uint32_t flags_beside_the_program(const struct module *module, const struct symbols_query *query, bool entry)
{
    if (entry) {
        atomic_store_explicit(&entry_has_sources, sources_of(query) == SOURCES_HERE, memory_order_relaxed);
    }
    switch (package_says(module, query->module_path)) {
    case PACKAGES_YES:
        return MODULE_PACKAGE;
    case PACKAGES_NO:
        return 0;
    case PACKAGES_UNKNOWN:
        break;
    }
    bool ask = !entry && *query->module_path && atomic_load_explicit(&entry_has_sources, memory_order_relaxed);
    return ask && sources_of(query) == SOURCES_ELSEWHERE ? MODULE_SOURCELESS : 0;
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
    return asked ? flags | flags_beside_the_program(module, &query, flags & MODULE_ENTRY) : flags;
}
