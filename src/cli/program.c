// See program.h.
#include "cli/program.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "cli/command.h"
#include "collector/start/target.h"
#include "recording/output.h"

// Programs are looked for this deep below the last folder of the path that exists: bin/Debug/net10.0/App.dll.
enum { DEPTH_MAX = 4, ENTRIES_MAX = 4000, SHOWN_MAX = 3 };

const struct program_words program_recorded = {"record", "clew run --"};

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
    cli_say("%s: there is no such file%s%.*s%s", path,
            found.size ? "; there is " : "; name one that a build has written, as in bin/Release/net10.0/App.dll",
            (int)found.size, found.at, programs.count > SHOWN_MAX ? ", ..." : "");
    buffer_free(&programs.found);
    free(folder);
}

void program_say_unusable(const char *word, bool missing, const struct program_words *words)
{
    if (!missing) {
        cli_say("%s: it is not executable; name a program, as in %s dotnet app.dll", word, words->start);
    } else if (strchr(word, '/')) {
        say_missing(word);
    } else if (access(word, F_OK) == 0) {
        cli_say("%s: there is no such program on PATH; ./%s is the file here", word, word);
    } else {
        cli_say("%s: there is no such program on PATH; name a program, as in %s dotnet app.dll", word, words->start);
    }
}

// -- Sources ----------------------------------------------------------------------------------------------------------

enum { PROJECT_MAX = 4 << 20 };

enum source { SOURCE_NONE, SOURCE_FOLDER, SOURCE_PROJECT, SOURCE_SOLUTION, SOURCE_FILE, SOURCE_RECORDING };

static enum source source_of(const char *word)
{
    struct stat status;
    struct text text = text_of(word);
    if (stat(word, &status) != 0) {
        return SOURCE_NONE;
    }
    if (S_ISDIR(status.st_mode)) {
        return SOURCE_FOLDER;
    }
    enum recording_output is = recording_output_of(word);
    if (is == OUTPUT_OLD_IN_THE_WAY || is == OUTPUT_LIVE || (is == OUTPUT_RECORDING && status.st_size > 0)) {
        return SOURCE_RECORDING;
    }
    return text_ends(text, ".csproj") || text_ends(text, ".fsproj") || text_ends(text, ".vbproj") ? SOURCE_PROJECT
           : text_ends(text, ".sln") || text_ends(text, ".slnx")                                  ? SOURCE_SOLUTION
           : text_ends(text, ".cs") && access(word, X_OK) != 0                                    ? SOURCE_FILE
                                                                                                  : SOURCE_NONE;
}

bool program_is_source(const char *word)
{
    return source_of(word) != SOURCE_NONE;
}

static bool contains(const struct buffer *content, const char *word)
{
    return content->size && memmem(content->data, content->size, word, strlen(word));
}

// `dotnet test` for a project of tests, else `dotnet run`.
static void say_project(const char *word, const char *project, const struct program_words *words)
{
    struct buffer content = {0};
    bool large;
    bool tests = file_read(project, PROJECT_MAX, &content, &large) &&
                 (contains(&content, "Microsoft.NET.Test.Sdk") || contains(&content, "MSTest.Sdk") ||
                  contains(&content, "<IsTestProject>true"));
    buffer_free(&content);
    cli_say("%s is a %s, not a program; %s dotnet %s %s builds %sand %ss %s", word,
            word == project ? "project" : "folder with a project", words->start, tests ? "test" : "run --project", word,
            tests ? "it " : "", words->verb, tests ? "its tests" : "it");
}

// The path of the only project in the folder; empty: there is none, or several.
static void find_project(const char *folder, struct buffer *path)
{
    DIR *entries = opendir(folder);
    unsigned count = 0;
    for (struct dirent *entry; entries && (entry = readdir(entries)) != NULL;) {
        struct text name = text_of(entry->d_name);
        if (text_ends(name, ".csproj") || text_ends(name, ".fsproj") || text_ends(name, ".vbproj")) {
            buffer_clear(path);
            buffer_printf(path, "%s/%s", folder, entry->d_name);
            buffer_u8(path, 0);
            count++;
        }
    }
    if (entries) {
        (void)closedir(entries);
    }
    if (count != 1 || path->failed) {
        buffer_clear(path);
    }
}

static void say_folder(const char *word, const struct program_words *words)
{
    struct buffer project = {0};
    struct programs programs = {0};
    find_project(word, &project);
    find_programs(&programs, word, 0);
    struct text found = text_in(&programs.found);
    if (project.size) {
        say_project(word, (const char *)project.data, words);
    } else if (programs.count == 1) {
        cli_say("%s is a folder; %s dotnet %.*s %ss the program in it", word, words->start, (int)found.size, found.at,
                words->verb);
    } else {
        cli_say("%s is a folder%s%.*s%s; name the program to start, as in %s dotnet app.dll", word,
                found.size ? "; there is " : " without a .NET program or project", (int)found.size, found.at,
                programs.count > SHOWN_MAX ? ", ..." : "", words->start);
    }
    buffer_free(&programs.found);
    buffer_free(&project);
}

// Says how to start what the word names. False: it names no source.
static bool say_source(const char *word, const struct program_words *words)
{
    switch (source_of(word)) {
    case SOURCE_NONE:
        return false;
    case SOURCE_FOLDER:
        say_folder(word, words);
        return true;
    case SOURCE_PROJECT:
        say_project(word, word, words);
        return true;
    case SOURCE_SOLUTION:
        cli_say("%s is a solution, not a program; %s dotnet test %s %ss its tests, and %s dotnet run "
                "--project FOLDER one of its programs",
                word, words->start, word, words->verb, words->start);
        return true;
    case SOURCE_FILE:
        cli_say("%s is a C# file, not a program; %s dotnet %s builds and %ss it", word, words->start, word,
                words->verb);
        return true;
    case SOURCE_RECORDING:
        cli_say("%s is a recording, not a program; clew report %s shows what is in it", word, word);
        return true;
    }
    return false;
}

// -- The command line -------------------------------------------------------------------------------------------------

static bool is_assembly(const char *word)
{
    return text_ends(text_of(word), ".dll");
}

int program_settle(char ***command, const struct program_words *verb)
{
    char **words = *command;
    bool muxer = strcmp(words[0], "dotnet") == 0 && words[1];
    const char *assembly = words[muxer ? 1 : 0];
    if (!muxer && say_source(words[0], verb)) {
        return CLI_USAGE;
    }
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
