// The report `log`: one line per path of calls, "Namespace.Type.Method, id=N, call count = K", indented by two blanks
// per level. Nothing else is printed, so that the output can be compared with other logs of this form.
#include "view/report/report_log.h"

#include "base/assert.h"
#include "view/report/reports.h"
#include "view/text/format_method.h"
#include "view/text/format_text.h"

enum clew_error log_each(const struct view *view, struct model *model, log_visit *visit, void *context)
{
    for (uint32_t i = 0; i < model->tree_count; i++) {
        struct tree *tree = &model->trees[i].tree;
        CLEW_TRY(tree_sort(tree, false, NULL));
        int64_t depth = -1;
        uint32_t node = tree_next(tree, TREE_ROOT, false, &depth);
        while (node != TREE_ROOT) {
            const struct tree_node *at = &tree->nodes[node];
            CLEW_ASSERT(depth >= 0 && depth < tree->count);
            uint32_t method = catalog_find_method(&model->catalog, model->trees[i].process, at->method);
            CLEW_ASSERT(method != CATALOG_NONE && "the model names the method of each node");
            visit(context, &(struct log_row){.name = model->catalog.methods[method].record.name,
                                             .id = at->method,
                                             .depth = (uint32_t)depth,
                                             .calls = at->calls});
            bool skip = view->depth && depth + 1 >= (int64_t)view->depth;
            node = tree_next(tree, node, skip, &depth);
        }
    }
    return CLEW_OK;
}

static void print_row(void *context, const struct log_row *row)
{
    const struct view *view = context;
    struct text head, tail;
    format_short_name(row->name, &head, &tail);
    (void)format_indent(view, row->depth);
    format_foreign(view, head);
    format_foreign(view, tail);
    (void)fprintf(view->out, ", id=%u, call count = %llu\n", row->id, (unsigned long long)row->calls);
}

enum clew_error view_log(const struct view *view, struct model *model)
{
    struct view to = *view;
    return log_each(view, model, print_row, &to);
}
