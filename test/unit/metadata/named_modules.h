// Modules whose methods and types a test names: from a file, or every one that the installed .NET has.
#ifndef CLEW_TEST_UNIT_METADATA_NAMED_MODULES_H
#define CLEW_TEST_UNIT_METADATA_NAMED_MODULES_H

#include <dirent.h>

#include "dotnet.h"
#include "metadata/names/names.h"
#include "metadata/tables/image.h"

struct module {
    struct buffer content;
    struct image image;
    struct metadata metadata;
    struct names *names;
};

// False: the file is no image with metadata.
static inline bool module_open(struct module *module, const char *path)
{
    *module = (struct module){.content = file_read(path)};
    if (image_open(bytes_of(module->content.data, module->content.size), IMAGE_FLAT, &module->image) != CLEW_OK) {
        buffer_free(&module->content);
        return false;
    }
    assert_int_equal(metadata_open(module->image.metadata, &module->metadata), CLEW_OK);
    module->names = names_new(&module->metadata);
    assert_non_null(module->names);
    names_use_bodies(module->names, &module->image);
    return true;
}

static inline void module_close(struct module *module)
{
    names_free(module->names);
    buffer_free(&module->content);
}

typedef void module_visit(struct module *module, const char *file, void *context);

// Calls `visit` for each module of the folder.
static inline void modules_of_folder(const char *folder, module_visit *visit, void *context)
{
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    for (struct dirent *entry; (entry = readdir(entries));) {
        char path[2048];
        struct module module;
        (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (text_ends(text_of(path), ".dll") && module_open(&module, path)) {
            visit(&module, entry->d_name, context);
            module_close(&module);
        }
    }
    (void)closedir(entries); // only read from
}

// For each module of the framework and of the compilers of C#, Visual Basic and F#.
static inline void modules_of_dotnet(module_visit *visit, void *context)
{
    char folder[800], path[1024];
    dotnet_runtime_folder(folder, sizeof folder);
    modules_of_folder(folder, visit, context);
    dotnet_sdk_folder(folder, sizeof folder);
    (void)snprintf(path, sizeof path, "%s/Roslyn/bincore", folder);
    modules_of_folder(path, visit, context);
    (void)snprintf(path, sizeof path, "%s/FSharp", folder);
    modules_of_folder(path, visit, context);
}

#endif
