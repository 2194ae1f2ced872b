// The report `tree`: the call tree as indented text, with share, total, own time and calls of each path. Rows that
// would only obscure the rest are folded into one row that says how many they are: repeating chains of recursion,
// levels below the limit, and paths that are too short. Below a row of an async method are the places where it waited.
#include "view/report/report_tree.h"

#include <stdlib.h>

#include "base/assert.h"
#include "view/report/report_tree_rows.h"
#include "view/report/reports.h"
#include "view/text/format_header.h"
#include "view/text/format_number.h"
#include "view/text/format_text.h"

// CPU time is sampled every 10 ms. A path that took ten samples' time and has none waited; shares are of CPU time where it is a
// hundred samples.
#define WAITED_LEAST_NS UINT64_C(100000000)
#define SHARED_LEAST_NS UINT64_C(1000000000)

enum {
    DEPTH_DEFAULT = 64,
    CHAIN_PERIOD_MAX = 4, // methods in the cycle of a recursion that is folded
    CHAIN_ROUNDS_MIN = 3, // rounds of a recursion that are worth folding
    SINGLES_MIN = 3,      // levels with a single callee that are worth folding
    ROWS_MIN = 15,        // nothing is folded up to this number of rows
    WAITS_PART = 1000,    // a path that used less than one part in so many of its time on a processor only waited
};

// A path with open activations always has a row of its own.
static bool too_short(const struct tree_walk *walk, const struct tree_node *node)
{
    uint64_t awaiting = tree_awaiting(walk->tree, tree_walk_index(walk, node));
    return node->total < walk->smallest && node->open == 0 && (awaiting == 0 || awaiting < walk->least_awaiting);
}

static struct tree_time sum_of(struct tree_time one, struct tree_time other)
{
    return (struct tree_time){one.total + other.total, one.cpu_ns + other.cpu_ns};
}

// Folds `node` and the following siblings that are too short into one row. Returns the last of them.
static uint32_t fold_short(const struct tree_walk *walk, uint32_t node, int64_t level)
{
    uint64_t count = 0;
    struct tree_time time = {0};
    uint32_t last = node;
    CLEW_ASSERT(too_short(walk, &walk->tree->nodes[node]));
    for (uint32_t at = node; at && too_short(walk, &walk->tree->nodes[at]); at = walk->tree->nodes[at].next) {
        count++;
        time = sum_of(time, tree_walk_time(walk, at));
        last = at;
    }
    if (walk->brief && time.total < walk->smallest) {
        *walk->left_out += count;
    } else {
        tree_rows_folded(walk, level, time, count == 1 ? "short path" : "short paths", count);
    }
    return last;
}

// Counts everything below a node at the limit of levels.
static void fold_deeper(const struct tree_walk *walk, uint32_t node, int64_t level)
{
    uint64_t count = 0;
    int64_t below = 0;
    uint32_t at = tree_next(walk->tree, node, false, &below);
    for (; below > 0 && at != TREE_ROOT; at = tree_next(walk->tree, at, false, &below)) {
        count++;
    }
    struct tree_time time = {0};
    for (uint32_t child = walk->tree->nodes[node].first_child; child; child = walk->tree->nodes[child].next) {
        time = sum_of(time, tree_walk_time(walk, child));
    }
    if (count) {
        tree_rows_folded(walk, level, time, count == 1 ? "path deeper, see --depth" : "paths deeper, see --depth",
                         count);
    }
}

// The child of a node without other children; 0: none, or it is folded.
static uint32_t only_child(const struct tree_walk *walk, uint32_t node)
{
    uint32_t child = walk->tree->nodes[node].first_child;
    return child && !walk->tree->nodes[child].next && !too_short(walk, &walk->tree->nodes[child]) ? child : 0;
}

// The number of levels below `node` that form an unbranched chain in which methods repeat with the given period. *last:
// its lowest node.
static uint32_t chain_length(const struct tree_walk *walk, uint32_t node, uint32_t period, uint32_t *last)
{
    CLEW_ASSERT(period >= 1 && period <= CHAIN_PERIOD_MAX);
    uint32_t trail[CHAIN_PERIOD_MAX] = {node}; // the last nodes of the chain, by level modulo period
    uint32_t length = 0;
    *last = node;
    for (uint32_t at = only_child(walk, node); at; at = only_child(walk, at)) {
        uint32_t place = (length + 1) % period;
        if (length + 1 >= period && walk->tree->nodes[trail[place]].method != walk->tree->nodes[at].method) {
            break;
        }
        trail[place] = at;
        *last = at;
        length++;
    }
    return length;
}

// Folds the recursion that begins at `node`, which is printed already, down to its last level, if it is long. Returns
// the node to continue from, and updates *level and *depth.
static uint32_t fold_chain(const struct tree_walk *walk, uint32_t node, int64_t *level, int64_t *depth)
{
    for (uint32_t period = 1; period <= CHAIN_PERIOD_MAX; period++) {
        uint32_t last, length = chain_length(walk, node, period, &last);
        if (length < period * CHAIN_ROUNDS_MIN + period || *walk->spare == 0) {
            continue;
        }
        *depth += length;
        for (uint32_t i = 1; i < period; i++, length--) {
            node = walk->tree->nodes[node].first_child;
            tree_rows_node(walk, &walk->tree->nodes[node], ++*level);
        }
        node = walk->tree->nodes[node].first_child;
        tree_rows_folded(walk, ++*level, tree_walk_time(walk, node), "levels of the same recursion", length - 1);
        tree_rows_node(walk, &walk->tree->nodes[last], ++*level);
        return last;
    }
    return node;
}

// The only child to be shown, if the others are merely counted; 0: there are none or several.
static uint32_t single_child(const struct tree_walk *walk, uint32_t node)
{
    uint32_t child = walk->tree->nodes[node].first_child, next = child ? walk->tree->nodes[child].next : 0;
    if (!child || too_short(walk, &walk->tree->nodes[child])) {
        return 0;
    }
    while (next && walk->brief && too_short(walk, &walk->tree->nodes[next])) {
        next = walk->tree->nodes[next].next;
    }
    return next ? 0 : child;
}

// Whether a level adds almost nothing to its only child, so that the child can represent it.
static bool is_quiet(const struct tree_walk *walk, const struct tree_node *node, const struct tree_node *child)
{
    uint64_t all = tree_awaiting(walk->tree, tree_walk_index(walk, node));
    uint64_t below = tree_awaiting(walk->tree, tree_walk_index(walk, child));
    if (all > below && all - below >= walk->least_awaiting) {
        return false;
    }
    return node->total >= child->total && node->total - child->total < walk->smallest && node->open == 0 &&
           node->exceptions == 0;
}

// Folds levels below `node`, which is printed already, that do almost nothing but call the next level, if there are
// many. Returns the node to continue from, and updates *level and *depth.
static uint32_t fold_singles(const struct tree_walk *walk, uint32_t node, int64_t *level, int64_t *depth)
{
    const struct tree_node *nodes = walk->tree->nodes;
    uint32_t last = node, length = 0;
    for (uint32_t at = single_child(walk, node), below; at; at = below) {
        below = single_child(walk, at);
        if (!below || !is_quiet(walk, &nodes[at], &nodes[below])) {
            break;
        }
        last = at;
        length++;
    }
    if (length < SINGLES_MIN || length > *walk->spare) {
        return node;
    }
    CLEW_ASSERT(length <= *walk->spare && last != node);
    *walk->spare -= length;
    tree_rows_folded(walk, ++*level, tree_walk_time(walk, last), "levels of single calls", length);
    *depth += length;
    return last;
}

// A fold of the levels below `from` down to `to`: rows are `levels` less indented from there on. Rows of the levels
// between, of paths that leave the fold, are as far in as its own row.
struct shift {
    int64_t from, to, levels;
};

// The indentation of a row.
static int64_t level_at(const struct shift *shifts, uint32_t *count, int64_t depth)
{
    CLEW_ASSERT(*count <= DEPTH_DEFAULT);
    while (*count && depth <= shifts[*count - 1].from) {
        --*count;
    }
    const struct shift *last = *count ? &shifts[*count - 1] : &(struct shift){0};
    return (depth < last->to ? last->to : depth) - last->levels;
}

// Whether what a thread ran from its beginning only waited.
static bool only_waited(const struct tree_walk *walk, uint32_t node)
{
    struct tree_time time = tree_walk_time(walk, node);
    uint64_t total_ns = model_ns(walk->model, time.total);
    return walk->by_cpu && total_ns >= WAITED_LEAST_NS && time.cpu_ns < total_ns / WAITS_PART;
}

// What an activation continues as, in whose row that is said; 0: the node has a row of its own.
static uint32_t continues_as(const struct tree_walk *walk, uint32_t node)
{
    return walk->tree->nodes[node].method == METHOD_CONTINUES ? only_child(walk, node) : 0;
}

// Visits the nodes depth first. Each fold shortens the indentation of the levels below it.
static void print_tree(const struct tree_walk *walk)
{
    struct shift shifts[DEPTH_DEFAULT];
    uint32_t shift_count = 0;
    int64_t depth = -1;
    struct tree_time waiting = {0};
    uint64_t waiting_count = 0;
    uint32_t node = tree_next(walk->tree, TREE_ROOT, false, &depth);
    while (node != TREE_ROOT) {
        if (depth == 0 && walk->brief && only_waited(walk, node)) {
            waiting = sum_of(waiting, tree_walk_time(walk, node));
            waiting_count++;
            node = tree_next(walk->tree, node, true, &depth);
            continue;
        }
        int64_t level = level_at(shifts, &shift_count, depth);
        uint32_t as = continues_as(walk, node);
        if (as && shift_count < DEPTH_DEFAULT) {
            shifts[shift_count++] = (struct shift){depth, depth + 1, depth + 1 - level};
            node = as;
            depth++;
        }
        int64_t from = depth, before = depth - level;
        CLEW_ASSERT(depth >= 0 && level >= 0);
        bool skip = true;
        if (too_short(walk, &walk->tree->nodes[node])) {
            node = fold_short(walk, node, level);
        } else {
            tree_rows_node(walk, &walk->tree->nodes[node], level);
            if (shift_count < DEPTH_DEFAULT) {
                node = fold_chain(walk, node, &level, &depth);
                node = fold_singles(walk, node, &level, &depth);
                if (depth - level > before) {
                    shifts[shift_count++] = (struct shift){from, depth, depth - level};
                }
            }
            skip = level + 1 >= walk->depth_max;
            if (skip) {
                fold_deeper(walk, node, level + 1);
            }
        }
        node = tree_next(walk->tree, node, skip, &depth);
    }
    if (waiting_count) {
        tree_rows_folded(walk, 0, waiting,
                         waiting_count == 1 ? "path waiting, see --by tree" : "paths waiting, see --by tree",
                         waiting_count);
    }
}

// The total of the row that is number ROWS_MIN by length; 0 if there are fewer rows.
static uint64_t longest_rows(const struct tree *tree)
{
    uint64_t longest[ROWS_MIN] = {0};
    for (uint32_t i = 0; i < tree->count; i++) {
        uint64_t total = i == TREE_ROOT ? 0 : tree->nodes[i].total;
        uint32_t at = ROWS_MIN - 1;
        for (; at > 0 && longest[at - 1] < total; at--) {
            longest[at] = longest[at - 1];
        }
        longest[at] = longest[at] < total ? total : longest[at];
    }
    CLEW_ASSERT(longest[0] >= longest[ROWS_MIN - 1] && "the longest come first");
    return longest[ROWS_MIN - 1];
}

// How many rows more than ROWS_MIN there are before levels are folded.
static uint32_t spare_rows(const struct tree_walk *walk)
{
    uint32_t rows = 0;
    for (uint32_t i = 0; i < walk->tree->count; i++) {
        rows += i != TREE_ROOT && !too_short(walk, &walk->tree->nodes[i]);
    }
    return rows > ROWS_MIN ? rows - ROWS_MIN : 0;
}

// The shortest path that gets a row. The ROWS_MIN longest paths always do.
static uint64_t smallest_shown(const struct view *view, const struct model *model, const struct tree *tree,
                               double share)
{
    if (view->has_min_time) {
        return model_ticks(model, view->min_time_ns);
    }
    uint64_t most = longest_rows(tree);
    uint64_t part = (uint64_t)((double)tree->nodes[TREE_ROOT].total * share);
    return !model_has_times(model) ? 0 : part < most ? part : most;
}

static void print_title(const struct view *view, const struct model *model, const struct model_tree *tree)
{
    const struct catalog *catalog = &model->catalog;
    (void)fputs(format_style(view, FORMAT_BOLD), view->out);
    uint32_t index = tree->thread ? catalog_find_thread(catalog, tree->process, tree->thread)
                                  : catalog_find_process(catalog, tree->process);
    if (index != CATALOG_NONE && !tree->thread) {
        (void)fprintf(view->out, "\nProcess %u (%u) ", tree->process, catalog->processes[index].os_id);
        format_name(view, catalog->processes[index].command, 20);
    }
    if (index != CATALOG_NONE && tree->thread) {
        const struct recording_thread *thread = &catalog->threads[index].record;
        (void)fprintf(view->out, "\nThread %u (%u) ", thread->thread, thread->os_id);
        format_name(view, thread->name, 20);
        if (catalog->process_count > 1) {
            (void)fprintf(view->out, " of process %u", thread->process);
        }
    }
    (void)fprintf(view->out, "%s\n", format_style(view, FORMAT_PLAIN));
}

static tree_compare by_own, by_calls;

static int by_own(const struct tree_node *a, const struct tree_node *b)
{
    uint64_t left = tree_own(a), right = tree_own(b);
    return left == right ? 0 : left > right ? -1 : 1;
}

static int by_calls(const struct tree_node *a, const struct tree_node *b)
{
    return a->calls == b->calls ? 0 : a->calls > b->calls ? -1 : 1;
}

enum clew_error tree_order(const struct view *view, struct tree *tree)
{
    bool own = view->has_sort && view->sort == TABLE_OWN, calls = view->has_sort && view->sort == TABLE_CALLS;
    tree_compare *compare = own ? by_own : calls ? by_calls : tree_by_total;
    return tree_sort(tree, !view->has_sort || view->sort == TABLE_CPU, compare);
}

static void print_left_out(const struct tree_walk *walk)
{
    char count[FORMAT_CELL], least[FORMAT_CELL];
    if (*walk->left_out) {
        (void)fprintf(walk->view->out, "%s%s path%s below %s not shown; --by tree shows more%s\n",
                      format_style(walk->view, FORMAT_DIM), format_count(count, *walk->left_out),
                      *walk->left_out == 1 ? "" : "s", format_ticks(least, walk->model, walk->smallest),
                      format_style(walk->view, FORMAT_PLAIN));
    }
}

// The shortest time for which a path or a place of await that waited has a row.
static uint64_t least_awaiting(const struct view *view, const struct model *model, const struct tree *tree,
                               double share)
{
    return view->has_min_time ? model_ticks(model, view->min_time_ns)
                              : (uint64_t)((double)tree_awaiting(tree, TREE_ROOT) * share);
}

static void print_whole(const struct tree_walk *walk)
{
    char whole[FORMAT_CELL], what[96];
    (void)snprintf(what, sizeof what, "the %stime of %s", walk->by_cpu ? "sampled CPU " : "",
                   walk->model->options.choices.count ? "what was chosen"
                   : walk->from->thread               ? "the thread"
                                                      : "all threads together");
    if (walk->by_cpu || model_has_times(walk->model)) {
        format_whole(walk->view,
                     walk->by_cpu ? format_ns(whole, walk->whole) : format_ticks(whole, walk->model, walk->whole),
                     what);
    }
}

static enum clew_error print_rows(const struct view *view, const struct model *model, const struct model_tree *from,
                                  struct waits *waits, double share, bool brief)
{
    struct endings endings = {0};
    uint64_t left_out = 0, cpu_ns = tree_cpu_ns(&from->tree, TREE_ROOT);
    uint32_t spare = 0;
    enum clew_error error = CLEW_OK;
    bool by_cpu = cpu_ns >= SHARED_LEAST_NS && (!view->has_sort || view->sort == TABLE_CPU);
    struct tree_walk walk = {.view = view,
                             .model = model,
                             .from = from,
                             .tree = &from->tree,
                             .waits = waits,
                             .endings = &endings,
                             .error = &error,
                             .depth_max = view->depth ? view->depth : DEPTH_DEFAULT,
                             .smallest = smallest_shown(view, model, &from->tree, share),
                             .least_awaiting = least_awaiting(view, model, &from->tree, share),
                             .brief = brief && !view->has_min_time,
                             .left_out = &left_out,
                             .spare = &spare,
                             .whole = by_cpu ? cpu_ns : from->tree.nodes[TREE_ROOT].total,
                             .sampled = table_has_cpu(model) && !from->unsampled,
                             .by_cpu = by_cpu};
    spare = spare_rows(&walk);
    print_whole(&walk);
    tree_rows_head(&walk);
    print_tree(&walk);
    print_left_out(&walk);
    endings_fini(&endings);
    return error;
}

enum clew_error tree_print_one(const struct view *view, const struct model *model, struct model_tree *from)
{
    struct waits waits = {0};
    enum clew_error error = tree_order(view, &from->tree);
    error = error == CLEW_OK ? print_rows(view, model, from, &waits, 0.001, false) : error;
    waits_fini(&waits);
    return error;
}

enum clew_error tree_print(const struct view *view, struct model *model, double share, bool brief)
{
    struct waits waits = {0};
    enum clew_error error = CLEW_OK;
    for (uint32_t i = 0; i < model->tree_count && error == CLEW_OK; i++) {
        struct model_tree *from = &model->trees[i];
        if (from->tree.count <= 1 && !from->thread && model->tree_count > 1) {
            continue; // a process of which nothing was recorded, such as the SDK's own below `dotnet run`
        }
        error = tree_order(view, &from->tree);
        if (error == CLEW_OK && (model->tree_count > 1 || from->thread)) {
            print_title(view, model, from);
        }
        error = error == CLEW_OK ? print_rows(view, model, from, &waits, share, brief) : error;
    }
    waits_fini(&waits);
    CLEW_TRY(error);
    if (model->tree_count == 0) {
        (void)fputs("No calls were recorded.\n", view->out);
    }
    return CLEW_OK;
}

enum clew_error view_tree(const struct view *view, struct model *model)
{
    format_header(view, model);
    (void)fputc('\n', view->out);
    return tree_print(view, model, 0.001, false);
}
