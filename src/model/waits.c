// See waits.h.
#include "model/waits.h"

#include <stdlib.h>

#include "base/array.h"

struct wait waits_place(const struct model *model, uint32_t process, uint32_t body, uint32_t state)
{
    const struct async_method *method = async_find(&model->async, process, body);
    struct wait wait = {.state = state};
    struct await await;
    struct await_line line;
    if (!method || !async_await(method, state, &await, &line)) {
        return wait;
    }
    uint32_t index = catalog_find_method(&model->catalog, process, method->body);
    wait.what = await.what;
    if (index != CATALOG_NONE) {
        uint32_t module = model->catalog.methods[index].record.module;
        wait.document = document_table_find(&model->documents, process, module, line.document);
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
    uint32_t body = tree->tree.nodes[node].method;
    out->count = 0;
    for (uint32_t at = run ? run->places : 0; at; at = tree->tree.logical->places[at].next) {
        if (!array_grow(&out->waits, out->count, &out->room, sizeof *out->waits)) {
            return CLEW_NO_MEMORY;
        }
        const struct tree_place *place = &tree->tree.logical->places[at];
        struct wait *wait = &out->waits[out->count++];
        *wait = waits_place(model, tree->process, body, place->state);
        wait->count = place->count;
        wait->awaiting = place->awaiting;
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
