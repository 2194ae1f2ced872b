// Test helpers: files in memory, and where the installed .NET has its assemblies.
#ifndef CLEW_TEST_UNIT_METADATA_DOTNET_H
#define CLEW_TEST_UNIT_METADATA_DOTNET_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/text.h"

// An exact copy of a file in memory of its own, so that a sanitizer sees a read past its end; empty when there is none.
static inline struct buffer file_read(const char *path)
{
    struct buffer content = {0};
    FILE *file = fopen(path, "rb");
    if (!file) {
        return content;
    }
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    size_t size = (size_t)ftell(file);
    rewind(file);
    uint8_t *start = buffer_extend(&content, size);
    assert_true(size == 0 || (start && fread(start, 1, size, file) == size));
    (void)fclose(file); // only read from
    return content;
}

// The last line of a command that starts with `prefix`: "NAME VERSION [FOLDER]" or "VERSION [FOLDER]" becomes
// FOLDER/VERSION.
static inline void dotnet_folder(const char *command, const char *prefix, char *out, size_t size)
{
    char line[1024], version[256], folder[512];
    FILE *lines = popen(command, "r");
    assert_non_null(lines);
    *out = 0;
    while (fgets(line, sizeof line, lines)) {
        if (strncmp(line, prefix, strlen(prefix)) == 0 &&
            sscanf(line + strlen(prefix), " %255s [%511[^]]", version, folder) == 2) {
            (void)snprintf(out, size, "%s/%s", folder, version);
        }
    }
    assert_int_equal(pclose(lines), 0); // .NET is not on the PATH
    assert_true(*out != 0);
}

static inline void dotnet_runtime_folder(char *out, size_t size)
{
    dotnet_folder("dotnet --list-runtimes", "Microsoft.NETCore.App", out, size);
}

static inline void dotnet_sdk_folder(char *out, size_t size)
{
    dotnet_folder("dotnet --list-sdks", "", out, size);
}

#endif
