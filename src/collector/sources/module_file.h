// A module's file and its symbols, read into memory.
#ifndef CLEW_COLLECTOR_MODULE_FILE_H
#define CLEW_COLLECTOR_MODULE_FILE_H

#include "base/bytes.h"
#include "base/text.h"
#include "metadata/pdb/symbols.h"
#include "metadata/tables/image.h"

// Zero-initialise. The image is borrowed from the content.
struct module_file {
    struct buffer content;
    struct image image;
    bool has_image, has_symbols;
    struct symbols symbols; // if they match
};

// Reads the file at `path`, and its symbols as symbols_open() finds them. A file that is not there, or no module, has neither image
// nor symbols. NO_MEMORY: it is not known whether there are any. module_file_close() releases it in all cases.
enum clew_error module_file_open(const char *path, const struct text *folders, unsigned folder_count,
                                 struct module_file *out);
// Keeps the symbols alone.
void module_file_drop_image(struct module_file *file);
void module_file_close(struct module_file *file);

#endif
