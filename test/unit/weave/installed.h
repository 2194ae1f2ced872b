// Every method body that is installed: of the shared framework, the C# compiler and the F# one. CLEW_SLOW=1 takes all of
// them, otherwise every so many.
#ifndef CLEW_TEST_INSTALLED_H
#define CLEW_TEST_INSTALLED_H

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../metadata/dotnet.h"
#include "metadata/tables/image.h"
#include "metadata/tables/metadata.h"

struct installed {
    // Returns the reason why the method fails; NULL: it passes.
    const char *(*visit)(const struct metadata *metadata, uint32_t token, struct bytes body, void *context);
    void (*open)(const struct metadata *metadata, void *context); // an assembly; may be NULL
    void *context;
    uint32_t step;
    unsigned long assemblies, methods, failed;
};

static inline void installed_assembly(const char *path, struct installed *all)
{
    struct buffer content = file_read(path);
    struct image image;
    struct metadata metadata;
    if (image_open(bytes_of(content.data, content.size), IMAGE_FLAT, &image) == CLEW_OK &&
        metadata_open(image.metadata, &metadata) == CLEW_OK) {
        all->assemblies++;
        if (all->open) {
            all->open(&metadata, all->context);
        }
        for (uint32_t row = 1; row <= metadata_rows(&metadata, TABLE_METHOD_DEF); row += all->step) {
            struct metadata_method method;
            struct bytes bytes;
            uint32_t token = TOKEN(TABLE_METHOD_DEF, row);
            if (metadata_method(&metadata, token, &method) && method.rva && !(method.impl_flags & 3) &&
                image_at(&image, method.rva, &bytes)) {
                all->methods++;
                const char *wrong = all->visit(&metadata, token, bytes, all->context);
                if (wrong && all->failed++ < 20) {
                    fprintf(stderr, "%s %08x: %s\n", path, token, wrong);
                }
            }
        }
    }
    buffer_free(&content);
}

#ifdef __SANITIZE_ADDRESS__
enum { INSTALLED_SLOW = 3 }; // how much longer each body takes
#else
enum { INSTALLED_SLOW = 1 };
#endif

static inline void installed_folder(const char *folder, const char *below, struct installed *all)
{
    char pattern[1024 + 32]; // a folder and what follows
    glob_t found;
    (void)snprintf(pattern, sizeof pattern, "%s%s/*.dll", folder, below);
    if (glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) {
            installed_assembly(found.gl_pathv[i], all);
        }
        globfree(&found);
    }
}

static inline void installed_methods(struct installed *all)
{
    const char *slow = getenv("CLEW_SLOW");
    bool whole = slow && strcmp(slow, "1") == 0;
    char runtime[1024], sdk[1024];
    dotnet_runtime_folder(runtime, sizeof runtime);
    dotnet_sdk_folder(sdk, sizeof sdk);
    all->step = whole ? 1 : 5 * INSTALLED_SLOW;
    installed_folder(runtime, "", all);
    all->step = whole ? 1 : 20 * INSTALLED_SLOW;
    installed_folder(sdk, "/Roslyn/bincore", all);
    installed_folder(sdk, "/FSharp", all);
}

#endif
