// See waits.h.
#include "model/waits.h"

#include <stdlib.h>

#include "base/array.h"

static struct wait wait_of(const struct model *model, const struct async_method *method, const struct tree_place *place)
{
    struct wait wait = {.state = place->state, .count = place->count, .awaiting = place->awaiting};
    struct await await;
    struct await_line line;
    if (!method || !async_await(method, place->state, &await, &line)) {
        return wait;
    }
    uint32_t body = catalog_find_method(&model->catalog, method->process, method->body);
    wait.what = await.what;
    if (body != CATALOG_NONE) {
        uint32_t module = model->catalog.methods[body].record.module;
        wait.document = document_table_find(&model->documents, method->process, module, line.document);
        wait.line = wait.document ? line.line : 0;
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

enum clew_error waits_of(const struct model *model, const struct model_tree *tree, uint32_t node, struct waits *out)
{
    const struct tree_run *run = tree_run(&tree->tree, node);
    const struct async_method *method = async_find(&model->async, tree->process, tree->tree.nodes[node].method);
    out->count = 0;
    for (uint32_t at = run ? run->places : 0; at; at = tree->tree.logical->places[at].next) {
        if (!array_grow(&out->waits, out->count, &out->room, sizeof *out->waits)) {
            return CLEW_NO_MEMORY;
        }
        out->waits[out->count++] = wait_of(model, method, &tree->tree.logical->places[at]);
    }
    if (out->count) {
        qsort(out->waits, out->count, sizeof *out->waits, most_time_first);
    }
    return CLEW_OK;
}

void waits_fini(struct waits *waits)
{
    free(waits->waits);
    *waits = (struct waits){0};
}
