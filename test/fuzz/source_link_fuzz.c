// Reads any bytes as a Source Link map. The reader must end, stay within bounds, and append nothing if it finds nothing.
#include <stdlib.h>

#include "collector/sources/source_link.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const documents[] = {"/_/src/App/Main.cs", "C:\\src\\a b.cs", "/home/x/*.cs", ""};
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
        struct buffer address = {0};
        buffer_text(&address, "at ");
        if (!source_link_find(bytes_of(data, size), text_of(documents[i]), &address) && address.size != 3) {
            abort();
        }
        buffer_free(&address);
    }
    return 0;
}
