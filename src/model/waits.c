// See waits.h. The line of a place is that of the statement of its body that begins last before it.
#include "model/waits.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/assert.h"

struct waits {
    const struct model *model;
    struct sites *sites; // NULL: the recording has none
    struct map site_of;  // process << 32 | body: its first site
    struct wait *waits;  // of the last row
    size_t room;
};

static uint64_t key_of(uint32_t process, uint32_t method)
{
    return (uint64_t)process << 32 | method;
}

// Notes the first site of each body: the sites of a method have consecutive numbers.
static enum clew_error note_sites(struct waits *waits, uint32_t process)
{
    uint32_t count = sites_count(waits->sites, process), before = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t site = sites_number(waits->sites, process, i), method = sites_method(waits->sites, process, site);
        bool first = method != before && method != 0;
        before = method;
        if (first && async_find(&waits->model->async, process, method) &&
            !map_put(&waits->site_of, key_of(process, method), site)) {
            return CLEW_NO_MEMORY;
        }
    }
    return CLEW_OK;
}

static enum clew_error load_sites(struct waits *waits)
{
    const struct model *model = waits->model;
    if (model->view != MODEL_LOGICAL || model->counts.sites == 0) {
        return CLEW_OK;
    }
    CLEW_TRY(sites_load(model->recording, &waits->sites));
    for (uint32_t i = 0; i < model->catalog.process_count; i++) {
        CLEW_TRY(note_sites(waits, model->catalog.processes[i].process));
    }
    return CLEW_OK;
}

enum clew_error waits_open(const struct model *model, struct waits **out)
{
    struct waits *waits = calloc(1, sizeof *waits);
    if (!waits) {
        return CLEW_NO_MEMORY;
    }
    waits->model = model;
    enum clew_error error = load_sites(waits);
    if (error != CLEW_OK) {
        waits_close(waits);
        return error;
    }
    *out = waits;
    return CLEW_OK;
}

void waits_close(struct waits *waits)
{
    if (waits) {
        sites_free(waits->sites);
        map_free(&waits->site_of);
        free(waits->waits);
        free(waits);
    }
}

struct recording_health waits_health(const struct waits *waits)
{
    return waits->sites ? *sites_health(waits->sites) : (struct recording_health){0};
}

// Finds the line of an IL offset in a body.
static void find_line(const struct waits *waits, const struct async_method *method, uint32_t offset, struct wait *out)
{
    uint64_t number;
    const struct site *best = NULL;
    if (!map_get(&waits->site_of, key_of(method->process, method->body), &number)) {
        return;
    }
    for (uint32_t i = (uint32_t)number; sites_method(waits->sites, method->process, i) == method->body; i++) {
        const struct site *site = sites_site(waits->sites, method->process, i);
        bool line = site && site->kind == SITE_STATEMENT && site->start_line > 0 && site->il_offset <= offset;
        best = line && (!best || site->il_offset >= best->il_offset) ? site : best;
    }
    const struct catalog *catalog = &waits->model->catalog;
    uint32_t index = catalog_find_method(catalog, method->process, method->body);
    if (best && index != CATALOG_NONE) {
        out->document =
            sites_document(waits->sites, method->process, catalog->methods[index].record.module, best->document);
        out->line = out->document ? best->start_line : 0;
    }
}

static struct wait wait_of(const struct waits *waits, const struct async_method *method, const struct tree_place *place)
{
    struct wait wait = {.count = place->count, .awaiting = place->awaiting};
    struct await await;
    if (method && async_await(method, place->state, &await)) {
        wait.what = await.what;
        find_line(waits, method, await.offset, &wait);
    }
    return wait;
}

static int most_time_first(const void *left, const void *right)
{
    const struct wait *a = left, *b = right;
    if (a->awaiting != b->awaiting) {
        return a->awaiting > b->awaiting ? -1 : 1;
    }
    if (a->count != b->count) {
        return a->count > b->count ? -1 : 1;
    }
    return (a->line > b->line) - (a->line < b->line);
}

enum clew_error waits_of(struct waits *waits, const struct model_tree *tree, uint32_t node, const struct wait **out,
                         uint32_t *count)
{
    const struct tree_run *run = tree_run(&tree->tree, node);
    const struct async_method *method = async_find(&waits->model->async, tree->process, tree->tree.nodes[node].method);
    *count = 0;
    for (uint32_t at = run ? run->places : 0; at; at = tree->tree.logical->places[at].next) {
        if (!array_grow(&waits->waits, *count, &waits->room, sizeof *waits->waits)) {
            return CLEW_NO_MEMORY;
        }
        waits->waits[(*count)++] = wait_of(waits, method, &tree->tree.logical->places[at]);
    }
    if (*count) {
        qsort(waits->waits, *count, sizeof *waits->waits, most_time_first);
    }
    *out = waits->waits;
    return CLEW_OK;
}
