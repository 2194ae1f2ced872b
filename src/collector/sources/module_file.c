#include "collector/sources/module_file.h"

#include "source/source.h"

enum { MODULE_SIZE_MAX = 512 << 20 };

enum clew_error module_file_open(const char *path, const struct text *folders, unsigned folder_count,
                                 struct module_file *out)
{
    enum symbols_state state = SYMBOLS_NONE;
    *out = (struct module_file){0};
    // Read, not mapped: if somebody shortened a mapped file, we would die of SIGBUS.
    bool whole = source_read_file(path, MODULE_SIZE_MAX, &out->content) == SOURCE_UNCHECKED;
    bool failed = out->content.failed;
    out->has_image = whole && !failed &&
                     image_open(bytes_of(out->content.data, out->content.size), IMAGE_FLAT, &out->image) == CLEW_OK;
    if (out->has_image) {
        const struct symbols_query query = {
            .image = &out->image, .module_path = path, .folders = folders, .folder_count = folder_count};
        state = symbols_open(&query, &out->symbols, NULL);
    }
    out->has_symbols = symbols_match(state);
    return failed || state == SYMBOLS_NO_MEMORY ? CLEW_NO_MEMORY : CLEW_OK;
}

void module_file_drop_image(struct module_file *file)
{
    buffer_free(&file->content);
    file->has_image = false;
}

void module_file_close(struct module_file *file)
{
    if (file->has_symbols) {
        symbols_close(&file->symbols);
    }
    module_file_drop_image(file);
    *file = (struct module_file){0};
}
