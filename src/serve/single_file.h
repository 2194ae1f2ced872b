// The page with its documents inside: one file that needs no server (doc/serve.md, "The file").
#ifndef CLEW_SERVE_SINGLE_FILE_H
#define CLEW_SERVE_SINGLE_FILE_H

#include "view/page/page.h"

// Writes the file, of at most about `most` bytes: where the documents need more, the largest are made smaller or left out, and
// the page says so. `cut`: the sentences that say what, each with a line end, are appended. NO_MEMORY or an error of
// reading; errors of writing show in ferror().
enum clew_error single_file_write(struct page *page, uint64_t most, FILE *out, struct buffer *cut);

#endif
