// See worker.h.
#include "serve/worker.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/assert.h"

// A queue; last is the address of the pointer that ends it.
struct queue {
    struct worker_job *first, **last;
};

struct worker {
    pthread_t thread;
    pthread_mutex_t lock; // guards all below but page
    pthread_cond_t asked;
    struct queue jobs, answers;
    bool stopping;
    int ready; // eventfd
    struct page *page;
};

static void push(struct queue *queue, struct worker_job *job)
{
    job->next = NULL;
    *queue->last = job;
    queue->last = &job->next;
}

static struct worker_job *take(struct queue *queue)
{
    struct worker_job *job = queue->first;
    if (job) {
        queue->first = job->next;
        queue->last = queue->first ? queue->last : &queue->first;
    }
    return job;
}

// Makes the document in memory, or the error in its place.
static void make(struct page *page, struct worker_job *job)
{
    struct page_answer answer = {0};
    FILE *out = open_memstream(&job->body, &job->size);
    if (out) {
        page_document(page, text_of(job->name), text_of(job->query), out, &answer);
        if (answer.status != 200) {
            rewind(out); // what was written is no document
            page_answer_write(&answer, out);
        }
        bool failed = ferror(out) != 0;
        long size = ftell(out);
        failed = fclose(out) != 0 || failed;
        job->size = size > 0 && (size_t)size < job->size ? (size_t)size : job->size;
        if (failed) {
            free(job->body);
            job->body = NULL;
        }
    }
    job->status = job->body ? answer.status : 500;
    job->size = job->body ? job->size : 0;
    page_answer_free(&answer);
}

static void *work(void *context)
{
    struct worker *worker = context;
    bool more = false; // there may be work for later documents
    (void)pthread_mutex_lock(&worker->lock);
    while (!worker->stopping) {
        struct worker_job *job = take(&worker->jobs);
        if (!job && more) {
            (void)pthread_mutex_unlock(&worker->lock);
            more = page_work(worker->page);
            (void)pthread_mutex_lock(&worker->lock);
            continue;
        }
        if (!job) {
            (void)pthread_cond_wait(&worker->asked, &worker->lock);
            continue;
        }
        more = true;
        (void)pthread_mutex_unlock(&worker->lock);
        make(worker->page, job);
        (void)pthread_mutex_lock(&worker->lock);
        push(&worker->answers, job);
        (void)eventfd_write(worker->ready, 1); // the counter cannot overflow
    }
    (void)pthread_mutex_unlock(&worker->lock);
    return NULL;
}

// Signals go to the thread of the loop.
static bool start_thread(struct worker *worker)
{
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&worker->thread, NULL, work, worker) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static void release(struct worker *worker)
{
    (void)close(worker->ready);
    (void)pthread_mutex_destroy(&worker->lock);
    (void)pthread_cond_destroy(&worker->asked);
    page_close(worker->page);
    free(worker);
}

enum clew_error worker_start(struct page *page, struct worker **out)
{
    struct worker *worker = calloc(1, sizeof *worker);
    if (!worker) {
        page_close(page);
        return CLEW_NO_MEMORY;
    }
    worker->page = page;
    worker->jobs.last = &worker->jobs.first;
    worker->answers.last = &worker->answers.first;
    (void)pthread_mutex_init(&worker->lock, NULL);
    (void)pthread_cond_init(&worker->asked, NULL);
    worker->ready = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (worker->ready < 0 || !start_thread(worker)) {
        release(worker);
        return CLEW_IO;
    }
    *out = worker;
    return CLEW_OK;
}

int worker_descriptor(const struct worker *worker)
{
    return worker->ready;
}

void worker_ask(struct worker *worker, struct worker_job *job)
{
    CLEW_ASSERT(job->name && job->query && !job->body);
    (void)pthread_mutex_lock(&worker->lock);
    push(&worker->jobs, job);
    (void)pthread_cond_signal(&worker->asked);
    (void)pthread_mutex_unlock(&worker->lock);
}

struct worker_job *worker_answer(struct worker *worker)
{
    eventfd_t count;
    (void)pthread_mutex_lock(&worker->lock);
    struct worker_job *job = take(&worker->answers);
    if (!job) {
        (void)eventfd_read(worker->ready, &count); // resets it
    }
    (void)pthread_mutex_unlock(&worker->lock);
    return job;
}

void worker_job_free(struct worker_job *job)
{
    free(job->name);
    free(job->query);
    free(job->body);
    free(job);
}

void worker_stop(struct worker *worker, void (*dropped)(struct worker_job *job))
{
    struct worker_job *job;
    page_cancel(worker->page, true);
    (void)pthread_mutex_lock(&worker->lock);
    worker->stopping = true;
    (void)pthread_cond_signal(&worker->asked);
    (void)pthread_mutex_unlock(&worker->lock);
    (void)pthread_join(worker->thread, NULL);
    while ((job = take(&worker->jobs)) || (job = take(&worker->answers))) {
        dropped(job);
        worker_job_free(job);
    }
    release(worker);
}
