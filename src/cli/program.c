// See program.h.
#include "cli/program.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/command.h"
#include "collector/start/target.h"

// Programs are looked for this deep below the last folder of the path that exists: bin/Debug/net10.0/App.dll.
enum { DEPTH_MAX = 4, ENTRIES_MAX = 4000, SHOWN_MAX = 3 };

struct programs {
    struct buffer found; // ", "-separated paths
    unsigned count, entries;
};

static void add_program(struct programs *programs, const char *folder, struct text name)
{
    static const char suffix[] = ".runtimeconfig.json";
    if (text_ends(name, suffix) && programs->count++ < SHOWN_MAX) {
        buffer_printf(&programs->found, "%s%s%s%.*s.dll", programs->found.size ? ", " : "", folder, *folder ? "/" : "",
                      (int)(name.size + 1 - sizeof suffix), name.at);
    }
}

// Adds the .NET programs in the folder ("": the current one) and those below it.
static void find_programs(struct programs *programs, const char *folder, unsigned depth)
{
    DIR *entries = depth < DEPTH_MAX ? opendir(*folder ? folder : ".") : NULL;
    for (struct dirent *entry; entries && (entry = readdir(entries)) && programs->entries++ < ENTRIES_MAX;) {
        if (entry->d_type == DT_DIR && entry->d_name[0] != '.' && strcmp(entry->d_name, "obj") != 0) {
            struct buffer inner = {0};
            buffer_printf(&inner, "%s%s%s", folder, *folder ? "/" : "", entry->d_name);
            buffer_u8(&inner, 0);
            if (!inner.failed) {
                find_programs(programs, (const char *)inner.data, depth + 1);
            }
            buffer_free(&inner);
        } else {
            add_program(programs, folder, text_of(entry->d_name));
        }
    }
    if (entries) {
        (void)closedir(entries);
    }
}

// Cuts a path back to its last folder that exists.
static void cut_to_folder(char *path)
{
    do {
        char *slash = strrchr(path, '/');
        *(slash ? slash : path) = 0;
    } while (*path && access(path, F_OK) != 0);
}

static void say_missing(const char *path)
{
    struct programs programs = {0};
    char *folder = strdup(path);
    if (folder && *folder) {
        cut_to_folder(folder);
        if (*folder || *path != '/') { // not through the whole system
            find_programs(&programs, folder, 0);
        }
    }
    struct text found = text_in(&programs.found);
    cli_say("%s: there is no such file%s%.*s%s", path, found.size ? "; there is " : "", (int)found.size, found.at,
            programs.count > SHOWN_MAX ? ", ..." : "");
    buffer_free(&programs.found);
    free(folder);
}

static bool is_assembly(const char *word)
{
    return text_ends(text_of(word), ".dll");
}

int program_settle(char ***command)
{
    char **words = *command;
    bool muxer = strcmp(words[0], "dotnet") == 0 && words[1];
    const char *assembly = words[muxer ? 1 : 0];
    if (!is_assembly(assembly)) {
        return 0;
    }
    if (access(assembly, F_OK) != 0) {
        say_missing(assembly);
        return CLI_NOT_FOUND;
    }
    if (muxer || target_kind_of(assembly) != TARGET_ASSEMBLY) {
        return 0;
    }
    size_t count = 0;
    while (words[count]) {
        count++;
    }
    char **more = calloc(count + 2, sizeof *more);
    if (!more) {
        return 0; // the system then says why it does not start
    }
    static char muxer_name[] = "dotnet";
    more[0] = muxer_name;
    memcpy(more + 1, words, count * sizeof *more);
    *command = more;
    return 0;
}
