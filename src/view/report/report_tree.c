// The report `tree`: the call tree as indented text, with share, total, own time and calls of each path. Rows that
// would only obscure the rest are folded into one row that says how many they are: repeating chains of recursion,
// levels below the limit, and paths that are too short. Below a row of an async method are the places where it waited.
#include "view/report/report_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "view/report/reports.h"
#include "view/text/format_async.h"
#include "view/text/format_header.h"
#include "view/text/format_method.h"
#include "view/text/format_number.h"
#include "view/text/format_text.h"

enum {
    DEPTH_DEFAULT = 64,
    CHAIN_PERIOD_MAX = 4, // methods in the cycle of a recursion that is folded
    CHAIN_ROUNDS_MIN = 3, // rounds of a recursion that are worth folding
    SINGLES_MIN = 3,      // levels with a single callee that are worth folding
    ROWS_MIN = 15,        // nothing is folded up to this number of rows
    MORE_MAX = 7,         // width of "(+123) "
};

// The state of printing one tree.
struct walk {
    const struct view *view;
    const struct model *model;
    const struct model_tree *from;
    const struct tree *tree; // of `from`
    struct waits *waits;
    enum clew_error *error; // that of the first place of await that could not be found
    uint32_t depth_max;
    uint64_t smallest;       // ticks; shorter paths are folded,
    uint64_t least_awaiting; // unless they waited as long as this
    bool brief;              // only count folds that are short in total, in *left_out
    uint64_t *left_out;
    uint32_t *spare; // how many rows folds of levels may still remove
    uint64_t whole;  // ticks that are 100 %
    bool sampled;    // CPU time
};

// "-": no sample was taken there, which may be less than the time between two samples.
static const char *format_cpu(char room[FORMAT_CELL], uint64_t ns)
{
    return ns ? format_ns(room, ns) : "-";
}

static void print_head(const struct walk *walk)
{
    if (walk->sampled && !format_is_narrow(walk->view)) {
        (void)fputs("CPU: sampled, with all callees\n", walk->view->out);
    }
    (void)fputs(format_style(walk->view, FORMAT_BOLD), walk->view->out);
    (void)format_cells(walk->view, "Share", "Total", "Own", walk->sampled ? "CPU" : NULL, "Calls");
    (void)fprintf(walk->view->out, "Method%s\n", format_style(walk->view, FORMAT_PLAIN));
}

// Indents a row. On a terminal, indentation takes at most a third of the space after `used` columns, and leaves room
// for `least` columns; a number says how many levels are not shown. Returns the columns printed.
static size_t indent(const struct walk *walk, int64_t depth, size_t used, size_t least)
{
    size_t width = walk->view->width, room = width > used ? width - used : 0,
           step = format_is_narrow(walk->view) ? 1 : 2;
    size_t most = least + MORE_MAX < room ? room - least - MORE_MAX : 0, levels = depth > 0 ? (size_t)depth : 0;
    most = most < room / 3 ? most : room / 3;
    bool fits = width == 0 || (levels * step <= room / 3 && levels * step + least <= room);
    size_t shown = fits ? levels : most / step;
    char more[FORMAT_CELL] = "";
    if (shown < levels) {
        (void)snprintf(more, sizeof more, "(+%zu) ", levels - shown);
    }
    (void)fprintf(walk->view->out, "%*s%s", (int)(step * shown), "", more);
    return step * shown + strlen(more);
}

enum { MARKS_MAX = 6 * FORMAT_CELL + 96 };

static void mark(char marks[MARKS_MAX], uint64_t count, const char *what)
{
    char number[FORMAT_CELL];
    size_t size = strlen(marks);
    if (count) {
        (void)snprintf(marks + size, MARKS_MAX - size, "  [%s %s]", format_count(number, count), what);
    }
}

static uint32_t index_of(const struct walk *walk, const struct tree_node *node)
{
    return (uint32_t)(node - walk->tree->nodes);
}

// Marks after a method's name: open activations, exits by exception; of an async method those that wait or were cancelled.
static void write_marks(const struct walk *walk, char marks[MARKS_MAX], const struct tree_node *node)
{
    const struct tree_run *run = tree_run(walk->tree, index_of(walk, node));
    bool narrow = format_is_narrow(walk->view);
    marks[0] = '\0';
    mark(marks, node->open, "open");
    mark(marks, run ? tree_pending(node, run) : 0, "pending");
    mark(marks, node->exceptions, narrow ? "exc" : "by exception");
    mark(marks, run ? run->cancelled : 0, "cancelled");
    if (node->method == METHOD_UNKNOWN_CALLER && !narrow) {
        (void)snprintf(marks, MARKS_MAX, "  [async methods whose caller is not known]");
    }
}

// Prints a dim line below a row.
static void print_below(const struct walk *walk, int64_t depth, const char *time, const char *count, struct text text)
{
    (void)fputs(format_style(walk->view, FORMAT_DIM), walk->view->out);
    size_t used = format_cells(walk->view, "", time, "", walk->sampled ? "" : NULL, count);
    used += indent(walk, depth, used, text.size);
    format_written(walk->view, text, used);
    (void)fprintf(walk->view->out, "%s\n", format_style(walk->view, FORMAT_PLAIN));
}

// Prints a place of await. On narrow terminals its figures are in the columns, where they are never cut.
static void print_wait(const struct walk *walk, const struct wait *wait, int64_t depth, struct buffer *line)
{
    char time[FORMAT_CELL], count[FORMAT_CELL];
    bool narrow = format_is_narrow(walk->view);
    buffer_clear(line);
    format_wait(line, walk->model, wait, narrow);
    print_below(walk, depth, narrow ? format_ticks(time, walk->model, wait->awaiting) : "",
                narrow ? format_count(count, wait->count) : "", text_in(line));
}

// Prints the places where activations of a row waited. Those with next to no time are only counted.
static void print_waits(const struct walk *walk, uint32_t node, int64_t depth, struct buffer *line)
{
    uint32_t shown = 0;
    char number[FORMAT_CELL];
    enum clew_error error = waits_of(walk->model, walk->from, node, walk->waits);
    *walk->error = *walk->error == CLEW_OK ? error : *walk->error;
    if (error != CLEW_OK) {
        return;
    }
    const struct wait *waits = walk->waits->waits;
    uint32_t count = walk->waits->count;
    for (; shown < count && waits[shown].awaiting >= walk->least_awaiting; shown++) {
        print_wait(walk, &waits[shown], depth, line);
    }
    if (shown < count && !walk->brief) {
        buffer_clear(line);
        buffer_printf(line, "... %s shorter await%s", format_count(number, count - shown),
                      format_plural(count - shown));
        print_below(walk, depth, "", "", text_in(line));
    }
}

// Prints the times of an async method below its row, where there was no room for them in it.
static void print_latency(const struct walk *walk, uint32_t node, int64_t depth, struct text latency)
{
    const struct tree_run *run = tree_run(walk->tree, node);
    uint64_t mean = tree_latency(run), awaiting = tree_awaiting(walk->tree, node);
    char time[FORMAT_CELL];
    if (!format_is_narrow(walk->view)) {
        print_below(walk, depth, "", "", latency);
        return;
    }
    if (mean) {
        print_below(walk, depth, format_ticks(time, walk->model, mean), "", text_of("latency"));
    }
    if (awaiting) {
        print_below(walk, depth, format_ticks(time, walk->model, awaiting), "", text_of("awaiting"));
    }
}

// Prints the end of the row of an async method, whose name and marks end at column `used`, and the lines below it.
static void print_async(const struct walk *walk, uint32_t node, int64_t depth, size_t used)
{
    struct buffer line = {0};
    format_latency(&line, walk->model, walk->tree, node);
    bool fits = walk->view->width == 0 || used + line.size + 4 <= walk->view->width;
    if (line.size && fits) {
        (void)fprintf(walk->view->out, "  [%.*s]", (int)line.size, (const char *)line.data);
    }
    (void)fputc('\n', walk->view->out);
    if (line.size && !fits) {
        print_latency(walk, node, depth, text_in(&line));
    }
    print_waits(walk, node, depth, &line);
    *walk->error = *walk->error == CLEW_OK && line.failed ? CLEW_NO_MEMORY : *walk->error;
    buffer_free(&line);
}

// Prints the row of one path.
static void print_node(const struct walk *walk, const struct tree_node *node, int64_t depth)
{
    char share[FORMAT_CELL], total[FORMAT_CELL], own[FORMAT_CELL], cpu[FORMAT_CELL], calls[FORMAT_CELL],
        marks[MARKS_MAX];
    const struct catalog *catalog = &walk->model->catalog;
    struct text name = catalog->methods[catalog_find_method(catalog, walk->from->process, node->method)].record.name;
    bool times = model_has_times(walk->model);
    size_t used =
        format_cells(walk->view, format_share(share, node->total, times ? walk->whole : 0),
                     format_ticks(total, walk->model, node->total), format_ticks(own, walk->model, tree_own(node)),
                     walk->sampled ? format_cpu(cpu, tree_cpu_ns(walk->tree, index_of(walk, node))) : NULL,
                     format_count(calls, node->calls));
    write_marks(walk, marks, node);
    used += indent(walk, depth, used, format_method_least(walk->view, name) + strlen(marks));
    used += format_method(walk->view, name, used + strlen(marks));
    (void)fputs(marks, walk->view->out);
    if (tree_run(walk->tree, index_of(walk, node))) {
        print_async(walk, index_of(walk, node), depth + 1, used + strlen(marks));
    } else {
        (void)fputc('\n', walk->view->out);
    }
}

// Prints a dim row that represents `count` others.
static void print_folded(const struct walk *walk, int64_t depth, uint64_t total, const char *what, uint64_t count)
{
    char share[FORMAT_CELL], time[FORMAT_CELL], number[FORMAT_CELL];
    bool times = model_has_times(walk->model);
    (void)fputs(format_style(walk->view, FORMAT_DIM), walk->view->out);
    size_t used = format_cells(walk->view, format_share(share, total, times ? walk->whole : 0),
                               format_ticks(time, walk->model, total), "", walk->sampled ? "" : NULL, "");
    (void)format_count(number, count);
    (void)indent(walk, depth, used, strlen("... ") + strlen(number) + 1 + strlen(what));
    (void)fprintf(walk->view->out, "... %s %s%s\n", number, what, format_style(walk->view, FORMAT_PLAIN));
}

// A path with open activations always has a row of its own.
static bool too_short(const struct walk *walk, const struct tree_node *node)
{
    uint64_t awaiting = tree_awaiting(walk->tree, index_of(walk, node));
    return node->total < walk->smallest && node->open == 0 && (awaiting == 0 || awaiting < walk->least_awaiting);
}

// Folds `node` and the following siblings that are too short into one row. Returns the last of them.
static uint32_t fold_short(const struct walk *walk, uint32_t node, int64_t level)
{
    uint64_t count = 0, total = 0;
    uint32_t last = node;
    CLEW_ASSERT(too_short(walk, &walk->tree->nodes[node]));
    for (uint32_t at = node; at && too_short(walk, &walk->tree->nodes[at]); at = walk->tree->nodes[at].next) {
        count++;
        total += walk->tree->nodes[at].total;
        last = at;
    }
    if (walk->brief && total < walk->smallest) {
        *walk->left_out += count;
    } else {
        print_folded(walk, level, total, count == 1 ? "short path" : "short paths", count);
    }
    return last;
}

// Counts everything below a node at the limit of levels.
static void fold_deeper(const struct walk *walk, uint32_t node, int64_t level)
{
    uint64_t count = 0;
    int64_t below = 0;
    uint32_t at = tree_next(walk->tree, node, false, &below);
    for (; below > 0 && at != TREE_ROOT; at = tree_next(walk->tree, at, false, &below)) {
        count++;
    }
    if (count) {
        print_folded(walk, level, walk->tree->nodes[node].inside,
                     count == 1 ? "path deeper, see --depth" : "paths deeper, see --depth", count);
    }
}

// The child of a node without other children; 0: none, or it is folded.
static uint32_t only_child(const struct walk *walk, uint32_t node)
{
    uint32_t child = walk->tree->nodes[node].first_child;
    return child && !walk->tree->nodes[child].next && !too_short(walk, &walk->tree->nodes[child]) ? child : 0;
}

// The number of levels below `node` that form an unbranched chain in which methods repeat with the given period. *last:
// its lowest node.
static uint32_t chain_length(const struct walk *walk, uint32_t node, uint32_t period, uint32_t *last)
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
static uint32_t fold_chain(const struct walk *walk, uint32_t node, int64_t *level, int64_t *depth)
{
    for (uint32_t period = 1; period <= CHAIN_PERIOD_MAX; period++) {
        uint32_t last, length = chain_length(walk, node, period, &last);
        if (length < period * CHAIN_ROUNDS_MIN + period || *walk->spare == 0) {
            continue;
        }
        *depth += length;
        for (uint32_t i = 1; i < period; i++, length--) {
            node = walk->tree->nodes[node].first_child;
            print_node(walk, &walk->tree->nodes[node], ++*level);
        }
        node = walk->tree->nodes[node].first_child;
        print_folded(walk, ++*level, walk->tree->nodes[node].total, "levels of the same recursion", length - 1);
        print_node(walk, &walk->tree->nodes[last], ++*level);
        return last;
    }
    return node;
}

// The only child to be shown, if the others are merely counted; 0: there are none or several.
static uint32_t single_child(const struct walk *walk, uint32_t node)
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
static bool is_quiet(const struct walk *walk, const struct tree_node *node, const struct tree_node *child)
{
    uint64_t all = tree_awaiting(walk->tree, index_of(walk, node));
    uint64_t below = tree_awaiting(walk->tree, index_of(walk, child));
    if (all > below && all - below >= walk->least_awaiting) {
        return false;
    }
    return node->total >= child->total && node->total - child->total < walk->smallest && node->open == 0 &&
           node->exceptions == 0;
}

// Folds levels below `node`, which is printed already, that do almost nothing but call the next level, if there are
// many. Returns the node to continue from, and updates *level and *depth.
static uint32_t fold_singles(const struct walk *walk, uint32_t node, int64_t *level, int64_t *depth)
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
    print_folded(walk, ++*level, nodes[last].total, "levels of single calls", length);
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

// Visits the nodes depth first. Each fold shortens the indentation of the levels below it.
static void print_tree(const struct walk *walk)
{
    struct shift shifts[DEPTH_DEFAULT];
    uint32_t shift_count = 0;
    int64_t depth = -1;
    uint32_t node = tree_next(walk->tree, TREE_ROOT, false, &depth);
    while (node != TREE_ROOT) {
        int64_t level = level_at(shifts, &shift_count, depth), from = depth, before = depth - level;
        CLEW_ASSERT(depth >= 0 && level >= 0);
        bool skip = true;
        if (too_short(walk, &walk->tree->nodes[node])) {
            node = fold_short(walk, node, level);
        } else {
            print_node(walk, &walk->tree->nodes[node], level);
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
static uint32_t spare_rows(const struct walk *walk)
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

static void print_left_out(const struct walk *walk)
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

static enum clew_error print_one(const struct view *view, const struct model *model, const struct model_tree *from,
                                 struct waits *waits, double share, bool brief)
{
    uint64_t left_out = 0;
    uint32_t spare = 0;
    enum clew_error error = CLEW_OK;
    struct walk walk = {.view = view,
                        .model = model,
                        .from = from,
                        .tree = &from->tree,
                        .waits = waits,
                        .error = &error,
                        .depth_max = view->depth ? view->depth : DEPTH_DEFAULT,
                        .smallest = smallest_shown(view, model, &from->tree, share),
                        .least_awaiting = least_awaiting(view, model, &from->tree, share),
                        .brief = brief && !view->has_min_time,
                        .left_out = &left_out,
                        .spare = &spare,
                        .whole = from->tree.nodes[TREE_ROOT].total,
                        .sampled = table_has_cpu(model)};
    spare = spare_rows(&walk);
    if (model->tree_count > 1 || from->thread) {
        print_title(view, model, from);
    }
    char whole[FORMAT_CELL];
    if (model_has_times(model)) {
        format_whole(view, format_ticks(whole, model, walk.whole),
                     from->thread ? "the time of the thread" : "the time of all threads together");
    }
    print_head(&walk);
    print_tree(&walk);
    print_left_out(&walk);
    return error;
}

enum clew_error tree_print(const struct view *view, struct model *model, double share, bool brief)
{
    struct waits waits = {0};
    enum clew_error error = CLEW_OK;
    for (uint32_t i = 0; i < model->tree_count && error == CLEW_OK; i++) {
        struct model_tree *from = &model->trees[i];
        error = tree_order(view, &from->tree);
        error = error == CLEW_OK ? print_one(view, model, from, &waits, share, brief) : error;
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
