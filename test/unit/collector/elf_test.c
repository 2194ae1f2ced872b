// The ELF reader on real libraries, on headers that are wrong, and on files that end early.
#include "collector/start/elf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

#include "base/file.h"

enum { FILE_MAX = 1 << 28, PAGE = 4096 };

static void read_whole(const char *path, struct buffer *file)
{
    bool large;
    assert_true(file_read(path, FILE_MAX, file, &large));
}

// Reads the C library. Returns its handle.
static void *read_library(struct buffer *file)
{
    void *library = dlopen("libc.so.6", RTLD_LAZY);
    struct link_map *map;
    assert_non_null(library);
    assert_int_equal(dlinfo(library, RTLD_DI_LINKMAP, &map), 0);
    read_whole(map->l_name, file);
    return library;
}

static struct elf opened(const struct buffer *file)
{
    struct elf elf;
    assert_int_equal(elf_open(bytes_of(file->data, file->size), &elf), CLEW_OK);
    return elf;
}

static void a_program_has_a_loader_and_is_for_this_machine(void **state)
{
    struct buffer file = {0}, name = {0};
    (void)state;
    read_whole("/proc/self/exe", &file);
    struct elf elf = opened(&file);
    assert_true(elf.interpreter.size > 0 && elf.interpreter.at[0] == '/');
    assert_true(elf_same_machine(&elf, &elf));
    assert_false(elf_is_cut(&elf));
    assert_false(elf_exports(&elf, "no_such_function"));
    elf_machine_name(&elf, &name);
    assert_true(text_equal(text_in(&name), text_of("x86_64")));
    buffer_free(&name);
    buffer_free(&file);
}

static void a_library_exports_what_dlsym_finds(void **state)
{
    struct buffer file = {0};
    (void)state;
    void *library = read_library(&file);
    struct elf elf = opened(&file);
    static const char *const names[] = {"fopen", "malloc", "qsort", "DllGetClassObject", "fope", "fopen_", "x"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_int_equal(elf_exports(&elf, names[i]), dlsym(library, names[i]) != NULL);
    }
    (void)dlclose(library);
    buffer_free(&file);
}

// The kernel's own library has the older table of symbols.
static void the_older_table_is_searched_too(void **state)
{
    const void *vdso = (const void *)getauxval(AT_SYSINFO_EHDR);
    struct elf elf;
    (void)state;
    if (!vdso || elf_open(bytes_of(vdso, PAGE), &elf) != CLEW_OK || !elf.hash) {
        skip();
    }
    elf.gnu_hash = 0;
    assert_true(elf_exports(&elf, "__vdso_clock_gettime"));
    assert_false(elf_exports(&elf, "__vdso_clock_gettim"));
}

static void headers_of_other_machines_are_named(void **state)
{
    static const struct {
        uint8_t class, order, high, low;
        const char *name;
    } cases[] = {{ELFCLASS64, ELFDATA2LSB, 0, EM_AARCH64, "aarch64"},
                 {ELFCLASS32, ELFDATA2LSB, 0, EM_386, "i386"},
                 {ELFCLASS32, ELFDATA2LSB, 0, EM_X86_64, "x86_64 with 32 bits"},
                 {ELFCLASS64, ELFDATA2MSB, 0, EM_S390, "s390x"},
                 {ELFCLASS64, ELFDATA2LSB, 0x12, 0x34, "machine number 4660"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t bytes[64] = {0x7f, 'E', 'L', 'F', cases[i].class, cases[i].order, 1};
        bool big = cases[i].order == ELFDATA2MSB;
        bytes[big ? 18 : 19] = cases[i].high;
        bytes[big ? 19 : 18] = cases[i].low;
        bytes[54] = sizeof(Elf64_Phdr);
        struct elf elf;
        struct buffer name = {0};
        assert_int_equal(elf_open(bytes_of(bytes, sizeof bytes), &elf), CLEW_OK);
        elf_machine_name(&elf, &name);
        assert_true(text_equal(text_in(&name), text_of(cases[i].name)));
        assert_false(elf_exports(&elf, "DllGetClassObject"));
        buffer_free(&name);
    }
}

// A file that ends anywhere is malformed or cut, unless what is missing belongs to no segment.
static void a_file_that_ends_early_is_cut(void **state)
{
    struct buffer file = {0};
    (void)state;
    (void)dlclose(read_library(&file));
    struct elf whole = opened(&file);
    assert_in_range(whole.size, 1, file.size);
    for (size_t size = 0; size < whole.size; size += size < PAGE ? 1 : 997) {
        struct elf elf;
        if (elf_open(bytes_of(file.data, size), &elf) == CLEW_OK) {
            assert_true(elf_is_cut(&elf));
            (void)elf_exports(&elf, "fopen"); // stays within bounds
        } else {
            assert_true(size < PAGE);
        }
    }
    buffer_free(&file);
}

static void what_is_no_elf_file_is_malformed(void **state)
{
    static const char *const texts[] = {"", "\177EL", "\177ELF", "MZ and more than sixteen bytes",
                                        "#!/bin/sh\necho hello\n"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct elf elf;
        assert_int_equal(elf_open(bytes_of(texts[i], strlen(texts[i])), &elf), CLEW_MALFORMED);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_has_a_loader_and_is_for_this_machine),
        cmocka_unit_test(a_library_exports_what_dlsym_finds),
        cmocka_unit_test(the_older_table_is_searched_too),
        cmocka_unit_test(headers_of_other_machines_are_named),
        cmocka_unit_test(a_file_that_ends_early_is_cut),
        cmocka_unit_test(what_is_no_elf_file_is_malformed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
