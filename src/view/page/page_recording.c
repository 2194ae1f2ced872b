// See page.h and page_recording.h.
#include "view/page/page_recording.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "base/assert.h"
#include "base/clock.h"

enum {
    RELOAD_SHARE = 20,    // of the time that loading takes passes before the next one
    FIRST_NS = 500000000, // of long work, for a document that waits
    SLICE_NS = 20000000,  // between documents
    GROWING_SECONDS = 30  // a file without an end that is older is no longer written
};

static void release(struct page *page)
{
    lines_free(&page->lines);
    line_counts_free(page->line_counts);
    page_places_free(&page->places);
    summaries_free(page->summaries);
    objects_close(page->objects);
    sources_close(page->sources);
    sites_free(page->sites);
    event_blocks_free(&page->events);
    page->line_counts = NULL;
    page->has_places = page->has_lines = false;
    page->sources = NULL;
    page->objects = NULL;
    page->summaries = NULL;
    page->summarised = false;
    page->sites = NULL;
}

// Notes which file was loaded, when, and whether it still grows.
static void note(struct page *page, const struct stat *about, uint64_t began)
{
    page->device = about->st_dev;
    page->file = about->st_ino;
    page->seen_size = page->model->file_size;
    page->growing = !page->model->has_end && time(NULL) - about->st_mtime < GROWING_SECONDS;
    page->loaded_at = clock_monotonic_ns();
    page->load_ns = page->loaded_at - began;
    page->generation++;
}

// Only what the file's index lists as definitions and trees is read, so that a large recording opens as fast as a small one.
static const struct model_options options = {.unchecked = true};

static enum clew_error load(struct page *page, const char *path)
{
    uint64_t began = clock_monotonic_ns();
    struct stat about;
    CLEW_TRY(model_open(path, &options, &page->model));
    if (stat(path, &about) != 0) {
        return CLEW_IO;
    }
    note(page, &about, began);
    return CLEW_OK;
}

enum clew_error page_open(const char *path, const struct source_places *sources, struct page **out)
{
    struct page *page = calloc(1, sizeof *page);
    if (!page) {
        return CLEW_NO_MEMORY;
    }
    page->source_places = sources;
    page->path = strdup(path);
    enum clew_error error = page->path ? load(page, path) : CLEW_NO_MEMORY;
    if (error != CLEW_OK) {
        page_close(page);
        return error;
    }
    *out = page;
    return CLEW_OK;
}

void page_close(struct page *page)
{
    if (page) {
        release(page);
        model_free(page->model);
        free(page->path);
        free(page);
    }
}

struct model *page_model(const struct page *page)
{
    return page->model;
}

bool page_is_logical(const struct page *page)
{
    return page->model->view == MODEL_LOGICAL;
}

void page_cancel(struct page *page, bool cancel)
{
    atomic_store(&page->cancelled, cancel);
}

// Another file has the name now. It takes the place of the old one once it can be loaded.
static void replace(struct page *page)
{
    struct page other = {.generation = page->generation};
    if (load(&other, page->path) != CLEW_OK) {
        model_free(other.model);
        return;
    }
    release(page);
    model_free(page->model);
    page->model = other.model;
    page->device = other.device;
    page->file = other.file;
    page->seen_size = other.seen_size;
    page->growing = other.growing;
    page->loaded_at = other.loaded_at;
    page->load_ns = other.load_ns;
    page->generation = other.generation;
    page->replaced_at = other.generation;
}

static void reload(struct page *page, const struct stat *about)
{
    uint64_t began = clock_monotonic_ns();
    if (model_reload(&page->model) == CLEW_OK) {
        release(page);
        note(page, about, began);
    }
}

void page_follow(struct page *page)
{
    struct stat about;
    CLEW_ASSERT(page->model && page->generation > 0);
    if (clock_monotonic_ns() - page->loaded_at < page->load_ns * RELOAD_SHARE || stat(page->path, &about) != 0) {
        return;
    }
    if (about.st_dev != page->device || about.st_ino != page->file || (uint64_t)about.st_size < page->seen_size) {
        replace(page);
    } else if ((uint64_t)about.st_size != page->seen_size) {
        reload(page, &about);
    } else if (page->growing) {
        page->growing = time(NULL) - about.st_mtime < GROWING_SECONDS;
    }
}

enum clew_error page_need_events(struct page *page)
{
    return event_blocks_list(&page->events, page->model->recording, NULL, NULL);
}

uint32_t page_threads(struct page *page)
{
    return page_need_events(page) == CLEW_OK ? page->events.thread_count : 0;
}

struct page_thread page_thread(const struct page *page, uint32_t index)
{
    const struct thread_blocks *thread = &page->events.threads[index];
    CLEW_ASSERT(index < page->events.thread_count);
    return (struct page_thread){thread->process, thread->thread};
}

enum clew_error page_need_sites(struct page *page)
{
    return page->sites ? CLEW_OK : sites_load(page->model->recording, &page->sites);
}

enum clew_error page_need_sources(struct page *page)
{
    return page->sources ? CLEW_OK : sources_open(page->model->recording, page->source_places, &page->sources);
}

static enum clew_error summarise(struct page *page, uint64_t ns)
{
    uint64_t began = clock_monotonic_ns();
    while (!page->summarised && clock_monotonic_ns() - began < ns && !atomic_load(&page->cancelled)) {
        enum clew_error error = summaries_advance(page->summaries);
        page->summarised = error == CLEW_NOT_FOUND;
        if (error != CLEW_OK && error != CLEW_NOT_FOUND) {
            summaries_free(page->summaries);
            page->summaries = NULL;
            return error;
        }
    }
    return CLEW_OK;
}

enum clew_error page_need_summaries(struct page *page)
{
    if (!page->summaries) {
        CLEW_TRY(summaries_new(page->model->recording, &page->summaries));
    }
    return summarise(page, FIRST_NS);
}

static enum clew_error count_lines(struct page *page, uint64_t ns)
{
    uint64_t began = clock_monotonic_ns();
    enum clew_error error = CLEW_OK;
    while (error == CLEW_OK && clock_monotonic_ns() - began < ns && !atomic_load(&page->cancelled)) {
        error = line_counts_advance(page->line_counts);
    }
    if (error == CLEW_NOT_FOUND) {
        lines_free(&page->lines);
        error = lines_of(page->line_counts, page->model, &page->lines);
        error = error == CLEW_NOTHING_RECORDED ? CLEW_OK : error;
        page->has_lines = error == CLEW_OK;
    }
    if (error != CLEW_OK || page->has_lines) {
        line_counts_free(page->line_counts);
        page->line_counts = NULL;
    }
    return error;
}

enum clew_error page_need_lines(struct page *page)
{
    if (page->has_lines) {
        return CLEW_OK;
    }
    CLEW_TRY(page_need_sites(page));
    if (!page->line_counts) {
        CLEW_TRY(line_counts_new(page->model->recording, page->sites, &page->line_counts));
    }
    CLEW_TRY(count_lines(page, FIRST_NS));
    if (!page->has_lines) {
        lines_free(&page->lines);
        CLEW_TRY(lines_of(page->line_counts, page->model, &page->lines));
    }
    return CLEW_OK;
}

double page_lines_done(const struct page *page)
{
    return page->has_lines ? 1 : page->line_counts ? line_counts_done(page->line_counts) : 0;
}

bool page_work(struct page *page)
{
    bool summaries = page->summaries && !page->summarised;
    if (summaries) {
        (void)summarise(page, SLICE_NS); // after an error there is nothing more to do
    } else if (page->line_counts) {
        (void)count_lines(page, SLICE_NS);
    }
    return (page->summaries && !page->summarised) || page->line_counts;
}

enum clew_error page_need_objects(struct page *page)
{
    return page->objects ? CLEW_OK : objects_open(page->model->recording, &page->objects);
}

// A recording without sites has no places.
enum clew_error page_need_places(struct page *page)
{
    if (page->has_places) {
        return CLEW_OK;
    }
    CLEW_TRY(page_need_sites(page));
    CLEW_TRY(page_places_find(&page->places, &page->model->catalog, page->sites));
    page->has_places = true;
    return CLEW_OK;
}
