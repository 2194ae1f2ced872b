#include "collector/start/profiler_library.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/assert.h"
#include "base/file.h"
#include "collector/start/dependencies.h"
#include "collector/start/elf.h"

#define ENTRY "DllGetClassObject"

enum { LIBRARY_MAX = 1 << 30, PROGRAM_MAX = 1 << 28 };

// -- The class identifier ---------------------------------------------------------------------------------------------

bool profiler_class(const char *text, size_t size, char class[PROFILER_CLASS_SIZE])
{
    static const char form[] = "{xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx}";
    static_assert(sizeof form == PROFILER_CLASS_SIZE, "with its NUL");
    bool bare = size == PROFILER_CLASS_SIZE - 3;
    if (!bare && size != PROFILER_CLASS_SIZE - 1) {
        return false;
    }
    memcpy(class, form, sizeof form);
    memcpy(class + bare, text, size);
    for (size_t i = 0; i < PROFILER_CLASS_SIZE - 1; i++) {
        if (form[i] == 'x' ? !isxdigit((unsigned char)class[i]) : class[i] != form[i]) {
            return false;
        }
    }
    return true;
}

// The 16 bytes of the identifier in memory: three numbers in little endian, then eight bytes.
static void class_bytes(const char *class, uint8_t bytes[16])
{
    static const uint8_t order[16] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
    const char *at = class;
    for (size_t i = 0; i < 16; i++) {
        at += strspn(at, "{-");
        char digits[3] = {at[0], at[1], 0};
        bytes[order[i]] = (uint8_t)strtoul(digits, NULL, 16);
        at += 2;
    }
}

// Whether the text is there in any case of letters, each character in `width` bytes.
static bool has_text(const struct buffer *file, const char *text, size_t width)
{
    size_t size = strlen(text) * width;
    for (size_t at = 0; at + size <= file->size; at++) {
        size_t matched = 0;
        while (matched < size && tolower(file->data[at + matched]) ==
                                     (matched % width ? 0 : tolower((unsigned char)text[matched / width]))) {
            matched++;
        }
        if (matched == size) {
            return true;
        }
    }
    return false;
}

static bool has_class(const struct buffer *file, const char class[PROFILER_CLASS_SIZE])
{
    char bare[PROFILER_CLASS_SIZE];
    uint8_t bytes[16];
    class_bytes(class, bytes);
    memcpy(bare, class + 1, PROFILER_CLASS_SIZE - 3);
    bare[PROFILER_CLASS_SIZE - 3] = '\0';
    return memmem(file->data, file->size, bytes, sizeof bytes) || has_text(file, bare, 1) ||
           has_text(file, bare, sizeof(uint16_t)) || has_text(file, bare, sizeof(uint32_t));
}

// -- The file ---------------------------------------------------------------------------------------------------------

// Reads the library. False after saying why it is none that could be read.
static bool read_library(const char *path, struct buffer *file, struct buffer *why)
{
    struct stat status;
    bool large = false;
    errno = 0;
    if (stat(path, &status) != 0) {
        buffer_printf(why, "%s: %s; give the path of the profiler's shared library (.so)", path,
                      errno == ENOENT ? "there is no such file" : strerror(errno));
        return false;
    }
    if (!S_ISREG(status.st_mode)) {
        buffer_printf(why, "%s is %s, not a shared library; give the path of the profiler's .so", path,
                      S_ISDIR(status.st_mode) ? "a folder" : "a device or a pipe");
        return false;
    }
    if (!file_read(path, LIBRARY_MAX, file, &large)) {
        buffer_printf(why, "%s cannot be read: %s", path,
                      large   ? "it is larger than 1 GiB, which no library is"
                      : errno ? strerror(errno)
                              : "reading failed");
        return false;
    }
    return true;
}

static void say_no_elf(const char *path, const struct buffer *file, struct buffer *why)
{
    struct bytes bytes = bytes_of(file->data, file->size);
    const char *what = bytes_begin_with(bytes, bytes_of("\177ELF", 4))            ? "it ends before its headers do"
                       : bytes_begin_with(bytes, bytes_of("MZ", 2))               ? "it is a .dll of Windows or .NET"
                       : bytes_begin_with(bytes, bytes_of("\xCF\xFA\xED\xFE", 4)) ? "it is a library of macOS"
                                                                                  : "it is no ELF file";
    buffer_printf(why, "%s is not a shared library of Linux: %s; give the path of the profiler's .so", path, what);
}

// Says what keeps the file itself from being loaded; false: nothing does.
static bool say_unsuitable(const char *path, const struct elf *library, const struct elf *self, struct buffer *why)
{
    if (!elf_same_machine(library, self)) {
        buffer_printf(why, "%s is for ", path);
        elf_machine_name(library, why);
        buffer_text(why, ", and this machine is ");
        elf_machine_name(self, why);
        buffer_text(why, "; take the profiler's build for this machine");
        return true;
    }
    if (library->type != ELF_SHARED) {
        buffer_printf(why, "%s is %s, not a shared library; give the path of the profiler's .so", path,
                      library->type == ELF_PROGRAM       ? "a program"
                      : library->type == ELF_RELOCATABLE ? "an object file that is not linked"
                      : library->type == ELF_CORE        ? "a memory image of a process"
                                                         : "of an unknown kind");
        return true;
    }
    if (elf_is_cut(library)) {
        buffer_printf(why, "%s is cut off: it has %zu bytes, and its headers speak of %llu; copy it again", path,
                      bytes_left(&library->whole), (unsigned long long)library->size);
        return true;
    }
    if (!elf_exports(library, ENTRY)) {
        buffer_printf(why,
                      "%s does not export " ENTRY ", by which runtimes ask a profiler for its object; it is another "
                      "library, or was built with that function hidden",
                      path);
        return true;
    }
    return false;
}

// Whether the program gets the same dynamic loader as clew; one that is no ELF file (a script) is taken to get it.
static bool same_loader(const char *program, struct text loader)
{
    struct buffer file = {0};
    struct elf elf;
    bool large;
    bool same = !file_read(program, PROGRAM_MAX, &file, &large) ||
                elf_open(bytes_of(file.data, file.size), &elf) != CLEW_OK || elf.interpreter.size == 0 ||
                text_equal(elf.interpreter, loader);
    buffer_free(&file);
    return same;
}

static bool dependencies_work(const char *path, const char *program, const struct elf *self, struct buffer *why)
{
    char loader[256];
    if (self->interpreter.size == 0 || self->interpreter.size >= sizeof loader ||
        !same_loader(program, self->interpreter)) {
        return true;
    }
    memcpy(loader, self->interpreter.at, self->interpreter.size);
    loader[self->interpreter.size] = '\0';
    return dependencies_found(path, loader, why);
}

bool profiler_library_works(const char *path, const char *program, const char class[PROFILER_CLASS_SIZE],
                            struct profiler_library *out, struct buffer *why)
{
    struct buffer file = {0}, own = {0};
    struct elf library = {0}, self;
    bool large, works = false;
    if (!read_library(path, &file, why)) {
    } else if (elf_open(bytes_of(file.data, file.size), &library) != CLEW_OK) {
        say_no_elf(path, &file, why);
    } else if (!file_read("/proc/self/exe", PROGRAM_MAX, &own, &large) ||
               elf_open(bytes_of(own.data, own.size), &self) != CLEW_OK) {
        buffer_text(why, "clew cannot read its own file, /proc/self/exe, to compare the profiler with; mount /proc");
    } else {
        works = !say_unsuitable(path, &library, &self, why) && dependencies_work(path, program, &self, why);
    }
    *out = (struct profiler_library){library.stays, works && has_class(&file, class)};
    buffer_free(&file);
    buffer_free(&own);
    return works;
}
