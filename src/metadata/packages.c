// See packages.h. Source of facts: runtime-configuration-file.md of dotnet/cli ("[appname].deps.json").
#include "metadata/packages.h"

#include <dirent.h>
#include <stdio.h>

#include "base/file.h"
#include "base/json_scan.h"

enum { FILE_MAX = 16 << 20, PATH_SIZE = 4096 };

// -- Content ----------------------------------------------------------------------------------------------------------

struct search {
    struct text assembly;
    struct buffer library; // `Name/1.2.3`
    struct buffer scratch;
};

// Whether `lib/net8.0/Name.dll` is a file of the assembly.
static bool is_file_of(struct text path, struct text assembly)
{
    const char *slash = path.size ? memrchr(path.at, '/', path.size) : NULL;
    struct text file = text_from(path, slash ? (size_t)(slash + 1 - path.at) : 0);
    return file.size == assembly.size + 4 && text_equal((struct text){file.at, assembly.size}, assembly) &&
           (text_ends(file, ".dll") || text_ends(file, ".exe"));
}

// In front of the object of a library: whether its member `runtime` names a file of the assembly.
static bool has_file(struct bytes at, struct search *search)
{
    bool more = json_scan_find(&at, "runtime", &search->scratch);
    while (more && json_scan_member(&at, &search->scratch)) {
        if (is_file_of(text_in(&search->scratch), search->assembly)) {
            return true;
        }
        more = json_scan_skip(&at, &search->scratch);
    }
    return false;
}

// In front of the object of a target: finds the library that has the assembly.
static bool find_library(struct bytes at, struct search *search)
{
    while (json_scan_member(&at, &search->library)) {
        if (has_file(at, search)) {
            return true;
        }
        if (!json_scan_skip(&at, &search->scratch)) {
            return false;
        }
    }
    return false;
}

// The libraries of all targets: one for the framework, and one more for each runtime identifier.
static bool find_in_targets(struct bytes at, struct search *search)
{
    bool more = json_scan_find(&at, "targets", &search->scratch);
    while (more && json_scan_member(&at, &search->scratch)) {
        if (find_library(at, search)) {
            return true;
        }
        more = json_scan_skip(&at, &search->scratch);
    }
    return false;
}

// By the type of the library that was found.
static enum packages_answer type_says(struct bytes at, struct search *search)
{
    buffer_u8(&search->library, 0);
    if (search->library.failed || !json_scan_find(&at, "libraries", &search->scratch) ||
        !json_scan_find(&at, (const char *)search->library.data, &search->scratch) ||
        !json_scan_find(&at, "type", &search->scratch) || !json_scan_string(&at, &search->scratch)) {
        return PACKAGES_UNKNOWN;
    }
    return text_equal(text_in(&search->scratch), text_of("package")) ? PACKAGES_YES : PACKAGES_NO;
}

enum packages_answer packages_list(struct bytes content, struct text assembly)
{
    struct search search = {.assembly = assembly};
    json_scan_skip_mark(&content);
    enum packages_answer answer = find_in_targets(content, &search) ? type_says(content, &search) : PACKAGES_UNKNOWN;
    buffer_free(&search.library);
    buffer_free(&search.scratch);
    return answer;
}

// -- Files ------------------------------------------------------------------------------------------------------------

static enum packages_answer file_lists(struct text folder, const char *name, struct text assembly)
{
    char path[PATH_SIZE];
    struct buffer content = {0};
    bool large;
    int size = snprintf(path, sizeof path, "%.*s%s", (int)folder.size, folder.at, name);
    bool read = size > 0 && (size_t)size < sizeof path && file_read(path, FILE_MAX, &content, &large);
    enum packages_answer answer =
        read ? packages_list(bytes_of(content.data, content.size), assembly) : PACKAGES_UNKNOWN;
    buffer_free(&content);
    return answer;
}

enum packages_answer packages_have(const char *module_path, struct text assembly)
{
    char folder[PATH_SIZE];
    const char *slash = strrchr(module_path, '/');
    size_t size = slash ? (size_t)(slash + 1 - module_path) : 0;
    if (!slash || size >= sizeof folder) {
        return PACKAGES_UNKNOWN;
    }
    memcpy(folder, module_path, size);
    folder[size] = 0;
    DIR *files = opendir(folder);
    enum packages_answer answer = PACKAGES_UNKNOWN;
    for (struct dirent *file; files && answer != PACKAGES_YES && (file = readdir(files)) != NULL;) {
        if (text_ends(text_of(file->d_name), ".deps.json")) {
            enum packages_answer says = file_lists((struct text){folder, size}, file->d_name, assembly);
            answer = says == PACKAGES_UNKNOWN ? answer : says;
        }
    }
    if (files) {
        (void)closedir(files);
    }
    return answer;
}
