// Reads any bytes as a NAME.deps.json. The reader must end and stay within bounds.
#include "metadata/packages.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    (void)packages_list(bytes_of(data, size), text_of("Lib"));
    (void)packages_list(bytes_of(data, size), text_of(""));
    return 0;
}
