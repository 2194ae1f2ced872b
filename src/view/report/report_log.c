// The call stack in call order, with counts: "Namespace.Type.Method, id=N, call count = K", two spaces a level. This is
// the whole output, so that it compares with other logs of the form.
#include "view/report/reports.h"
#include "view/text/format_method.h"
#include "view/text/format_text.h"

static void print_node(const struct view *view, const struct model *model, uint32_t process,
                       const struct tree_node *node, int64_t depth)
{
    struct text head, tail;
    uint32_t method = catalog_find_method(&model->catalog, process, node->method);
    format_short_name(model->catalog.methods[method].record.name, &head, &tail);
    (void)format_indent(view, (uint32_t)depth);
    format_foreign(view, head);
    format_foreign(view, tail);
    (void)fprintf(view->out, ", id=%u, call count = %llu\n", node->method, (unsigned long long)node->calls);
}

enum clew_error view_log(const struct view *view, struct model *model)
{
    for (uint32_t i = 0; i < model->tree_count; i++) {
        struct tree *tree = &model->trees[i].tree;
        CLEW_TRY(tree_sort(tree, NULL));
        int64_t depth = -1;
        uint32_t node = tree_next(tree, TREE_ROOT, false, &depth);
        while (node != TREE_ROOT) {
            print_node(view, model, model->trees[i].process, &tree->nodes[node], depth);
            bool skip = view->depth && depth + 1 >= (int64_t)view->depth;
            node = tree_next(tree, node, skip, &depth);
        }
    }
    return CLEW_OK;
}
