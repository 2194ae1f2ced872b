// The thread that makes documents, so that the server's loop answers everything else meanwhile. It alone uses the open
// recording.
#ifndef CLEW_SERVE_WORKER_H
#define CLEW_SERVE_WORKER_H

#include "view/page/page.h"

// A document that was asked for, and its answer.
struct worker_job {
    char *name, *query;
    void *request; // for the server
    bool head;     // only the header is wanted
    unsigned status;
    char *body; // JSON
    size_t size;
    struct worker_job *next;
};

struct worker;

// Starts the thread. `page` belongs to the worker from then on, also after an error. The caller calls worker_stop().
enum clew_error worker_start(struct page *page, struct worker **out);
// Readable when answers are ready.
int worker_descriptor(const struct worker *worker);
// Takes over the job. Its name and query must be copies of its own.
void worker_ask(struct worker *worker, struct worker_job *job);
// The next answer, which the caller frees; NULL: none is ready.
struct worker_job *worker_answer(struct worker *worker);
void worker_job_free(struct worker_job *job);
// Ends the thread. Jobs that were not taken are freed, after `dropped` was called for each.
void worker_stop(struct worker *worker, void (*dropped)(struct worker_job *job));

#endif
