// What the page shows: documents (doc/serve.md), each a function of a recording and of parameters. The server and the
// self-contained file both get them here.
#ifndef CLEW_VIEW_PAGE_H
#define CLEW_VIEW_PAGE_H

#include <stdatomic.h>
#include <stdio.h>

#include "base/error.h"
#include "base/text.h"

// An open recording with everything that documents need of it. Not thread-safe.
struct page;

struct source_places;
// Opens and loads a recording. Sources that it lacks are searched in `sources`, which must outlive the page; NULL: nowhere.
// Errors are those of recording_open() and model_load(). The caller calls page_close().
enum clew_error page_open(const char *path, const struct source_places *sources, struct page **out);
void page_close(struct page *page);
struct model;
// The loaded recording, until the next call of page_follow().
struct model *page_model(const struct page *page);
// Whether the tree of the whole session is logical, so that it has a physical view as well.
bool page_is_logical(const struct page *page);
// A thread with events in order: it has a story, and a part in ranges of time.
struct page_thread {
    uint32_t process, thread;
};
// The number of such threads, in the order of their first events in the file; 0 also after an error of reading.
uint32_t page_threads(struct page *page);
// One of them, by its index.
struct page_thread page_thread(const struct page *page, uint32_t index);
// Makes documents that read many events end early, with the status 503. May be called by any thread.
void page_cancel(struct page *page, bool cancel);

// Goes on with what later documents need, for a short time. Returns whether there is more to do.
bool page_work(struct page *page);
// Looks whether the file has grown, or was replaced by another, and loads it anew then. Reading goes on with the old one
// if that fails.
void page_follow(struct page *page);

// How a document was answered. Zero-initialise; page_answer_free() releases it.
struct page_answer {
    unsigned status;           // of HTTP; 200: the document is whole
    struct buffer error, cure; // else a sentence, and a sentence or a command
};

// Writes the document `name` with the parameters `query` to `out`. If answer->status is not 200, what was written is not
// to be used.
void page_document(struct page *page, struct text name, struct text query, FILE *out, struct page_answer *answer);
// Writes {"error": ..., "cure": ...}.
void page_answer_write(const struct page_answer *answer, FILE *out);
void page_answer_free(struct page_answer *answer);

#endif
