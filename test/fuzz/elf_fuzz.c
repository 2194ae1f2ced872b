// Reads any bytes as an ELF file. The reader must end and stay within bounds.
#include "collector/start/elf.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct elf elf;
    struct buffer name = {0};
    if (elf_open(bytes_of(data, size), &elf) != CLEW_OK) {
        return 0;
    }
    elf_machine_name(&elf, &name);
    buffer_free(&name);
    (void)elf_is_cut(&elf);
    (void)elf_exports(&elf, "DllGetClassObject");
    elf.gnu_hash = 0;
    (void)elf_exports(&elf, "DllGetClassObject");
    const struct text interpreter = elf.interpreter;
    if (interpreter.size > 0 &&
        (interpreter.at < (const char *)data || interpreter.at + interpreter.size > (const char *)data + size)) {
        abort(); // borrowed from the input
    }
    return 0;
}
