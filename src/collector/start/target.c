#include "collector/start/target.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

struct image {
    const char *at;
    size_t size;
};

static bool has(const struct image *image, const char *mark)
{
    return memmem(image->at, image->size, mark, strlen(mark)) != NULL;
}

static bool begins(const struct image *image, const char *mark)
{
    size_t size = strlen(mark);
    return image->size >= size && memcmp(image->at, mark, size) == 0;
}

// Each way of building leaves dynamic symbols and section names, even in a stripped file: NativeAOT exports
// DotNetRuntimeDebugHeader and has a section __managedcode; a CoreCLR linked into the host exports DotNetRuntimeInfo;
// all other hosts contain the name of hostfxr.
static enum target_kind elf_kind(const struct image *image, const char *path)
{
    const char *name = strrchr(path, '/');
    if (strcmp(name ? name + 1 : path, "dotnet") == 0 && has(image, "hostfxr")) {
        return TARGET_MUXER;
    }
    if (has(image, "DotNetRuntimeDebugHeader") || has(image, "__managedcode")) {
        return has(image, "DotNetRuntimeInfo") ? TARGET_HOST : TARGET_NATIVE_AOT;
    }
    return has(image, "DotNetRuntimeInfo") || has(image, "libhostfxr.so") || has(image, "hostfxr_main") ? TARGET_HOST
                                                                                                        : TARGET_NATIVE;
}

static enum target_kind kind_of(const struct image *image, const char *path)
{
    if (begins(image, "\177ELF")) {
        return elf_kind(image, path);
    }
    if (begins(image, "MZ")) {
        return TARGET_ASSEMBLY;
    }
    return begins(image, "#!") ? TARGET_SCRIPT : TARGET_UNKNOWN;
}

enum target_kind target_kind_of(const char *path)
{
    struct stat status;
    char *real = realpath(path, NULL);
    int fd = real ? open(real, O_RDONLY | O_CLOEXEC) : -1;
    enum target_kind kind = TARGET_UNKNOWN;
    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        size_t size = (size_t)status.st_size;
        void *start = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (start != MAP_FAILED) {
            struct image image = {start, size};
            kind = kind_of(&image, real);
            (void)munmap(start, size); // a mapping of ours
        }
    }
    if (fd >= 0) {
        (void)close(fd); // only read from
    }
    free(real);
    return kind;
}

bool target_has_more_rights(const char *path)
{
    struct stat status;
    char one;
    return (stat(path, &status) == 0 && status.st_mode & (S_ISUID | S_ISGID)) ||
           getxattr(path, "security.capability", &one, 0) > 0;
}

// The first argument of `dotnet` that is no option; NULL: there is none, or the command is not `dotnet`.
static const char *sdk_word(char *const *command)
{
    const char *name = command[0] ? strrchr(command[0], '/') : NULL;
    if (!command[0] || strcmp(name ? name + 1 : command[0], "dotnet") != 0) {
        return NULL;
    }
    char *const *word = command + 1;
    while (*word && **word == '-') {
        word++;
    }
    return *word;
}

const char *target_sdk_verb(char *const *command)
{
    static const char *const verbs[] = {"run",  "test",    "build",   "publish", "watch",
                                        "pack", "msbuild", "restore", "tool",    "vstest"};
    const char *word = sdk_word(command);
    for (size_t i = 0; word && i < sizeof verbs / sizeof *verbs; i++) {
        if (strcmp(word, verbs[i]) == 0) {
            return verbs[i];
        }
    }
    return NULL;
}

bool target_runs_in_child(char *const *command)
{
    static const char *const verbs[] = {"run", "test", "watch", "vstest"};
    const char *word = sdk_word(command);
    size_t size = word ? strlen(word) : 0;
    for (size_t i = 0; word && i < sizeof verbs / sizeof *verbs; i++) {
        if (strcmp(word, verbs[i]) == 0) {
            return true;
        }
    }
    return size > 3 && strcmp(word + size - 3, ".cs") == 0;
}
