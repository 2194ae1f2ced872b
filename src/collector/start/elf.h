// Reads ELF files (elf(5), System V ABI): for which machine a library is, and which functions it exports. The file comes
// from the user, so nothing in it is trusted.
#ifndef CLEW_COLLECTOR_ELF_H
#define CLEW_COLLECTOR_ELF_H

#include <stdbool.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/text.h"

enum { ELF_RELOCATABLE = 1, ELF_PROGRAM = 2, ELF_SHARED = 3, ELF_CORE = 4 }; // ET_...

// One file. `whole` borrows the bytes that elf_open() got. Of a foreign class or byte order only the first five fields
// are known.
struct elf {
    struct bytes whole;
    uint8_t class, order; // ELFCLASS..., ELFDATA...
    uint16_t type, machine;
    uint64_t headers; // offset of the program headers
    uint16_t header_count;
    uint64_t size;                                          // bytes that the file must have
    struct text interpreter;                                // the dynamic loader that a program asks for; empty: none
    bool stays;                                             // a library that is not unloaded again (-z nodelete)
    uint64_t symbols, strings, string_size, gnu_hash, hash; // addresses of dynamic tables; 0: there is none
};

// MALFORMED: it is no ELF file, or ends before its headers do.
enum clew_error elf_open(struct bytes whole, struct elf *out);

// Whether a library may be loaded into a program of the other's kind: class, byte order and machine are the same.
bool elf_same_machine(const struct elf *a, const struct elf *b);

// "x86_64, 64 bits": the machine for people, as uname(1) writes it, and class or byte order where they are unusual.
void elf_machine_name(const struct elf *elf, struct buffer *into);

// Whether the file is shorter than its headers say.
bool elf_is_cut(const struct elf *elf);

// Whether dlsym() finds a symbol of that name in the library itself.
bool elf_exports(const struct elf *elf, const char *name);

#endif
