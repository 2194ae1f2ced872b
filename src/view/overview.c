// What a reader wants first: the session in a few lines, the call tree cut to what matters, the hottest methods.
#include "view/format.h"
#include "view/methods.h"
#include "view/tree.h"

enum { TREE_DEPTH = 16, HOT_ROWS = 12 };
static const double TREE_SHARE = 0.01;

enum clew_error view_overview(const struct view *view, struct model *model)
{
    struct view small = *view;
    small.depth = view->depth ? view->depth : TREE_DEPTH;
    format_header(view, model);
    (void)fprintf(view->out, "\n%sCall tree%s, %s\n", format_style(view, FORMAT_BOLD), format_style(view, FORMAT_PLAIN),
                  view->threads ? "a thread each" : "all threads together");
    CLEW_TRY(tree_print(&small, model, TREE_SHARE, true));
    (void)fprintf(view->out, "\n%sHottest methods%s, by %s\n", format_style(view, FORMAT_BOLD),
                  format_style(view, FORMAT_PLAIN), model_has_times(model) ? "own time" : "calls");
    return hot_print(view, model, view->top ? view->top : HOT_ROWS);
}
