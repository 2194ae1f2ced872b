// See endings.h.
#include "model/endings.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static int most_first(const void *left, const void *right)
{
    const struct ending *a = left, *b = right;
    return a->count != b->count ? (a->count > b->count ? -1 : 1) : text_compare(a->type, b->type);
}

// Two types may have one name: loads of a module define its types anew.
static enum clew_error add(struct endings *out, struct text type, uint64_t count)
{
    for (uint32_t i = 0; i < out->count; i++) {
        if (text_equal(out->endings[i].type, type)) {
            out->endings[i].count += count;
            return CLEW_OK;
        }
    }
    if (!array_grow(&out->endings, out->count, &out->room, sizeof *out->endings)) {
        return CLEW_NO_MEMORY;
    }
    out->endings[out->count++] = (struct ending){type, count};
    return CLEW_OK;
}

enum clew_error endings_of(const struct model *model, const struct model_tree *tree, uint32_t node, struct endings *out)
{
    const struct tree_thrown *thrown = &tree->tree.thrown;
    const struct tree_thrown_by *by = tree_thrown_first(thrown, node);
    out->count = 0;
    out->known = 0;
    if (by && !out->sites) {
        CLEW_TRY(sites_load(model->recording, &out->sites));
    }
    for (; by; by = tree_thrown_next(thrown, by)) {
        const struct type *type = sites_type(out->sites, tree->process, by->type);
        if (type && type->name.size > 0) {
            out->known += by->count;
            CLEW_TRY(add(out, type->name, by->count));
        }
    }
    if (out->count > 1) {
        qsort(out->endings, out->count, sizeof *out->endings, most_first);
    }
    return CLEW_OK;
}

void endings_fini(struct endings *endings)
{
    free(endings->endings);
    sites_free(endings->sites);
    *endings = (struct endings){0};
}
