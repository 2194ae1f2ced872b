// See tree_logical.h. Parents come before their children, so one pass over a thread's nodes finds the row of each. A row gets
// the own times of its nodes alone: the time of a run that another activation's run has started on its stack is in no row
// above it, but in those of its callers.
#include "model/tree_logical.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/assert.h"
#include "model/tree_run.h"

enum {
    KICKOFF_ABOVE_MAX = 4, // levels from a body up to its kick-off: builders of the program's own may be between
    FOLDED_OVER_MAX = 512, // rows that are searched for the one to fold into
};
#define NO_STATE UINT32_MAX

// What a recorded node is.
enum role {
    ROLE_PLAIN,     // a method, or the thread
    ROLE_KICKOFF,   // of an async method
    ROLE_FIRST,     // the first run of a body
    ROLE_CONTINUED, // a further run of an iterator, which its consumer has called
    ROLE_RESUMED,   // a further run after an await
    ROLE_AFTER,     // what ran in a body after it had announced to wait, or its end
    ROLE_FILTER,
    ROLE_ELSEWHERE, // what belongs to another tree
    ROLE_COUNTED,   // calls that are only counted, which are in no tree
};

// -- Rows -------------------------------------------------------------------------------------------------------------

// The place where the activations waited that runs of the node continue. NULL: they continue none, or it is not known.
static enum clew_error place_of_node(struct logical_merge *merge, const struct logical_node *node,
                                     struct tree_place **out)
{
    bool any = node->role == ROLE_RESUMED && node->state != NO_STATE;
    *out = any ? tree_make_place(merge->tree, node->row, node->state) : NULL;
    return any && !*out ? CLEW_NO_MEMORY : CLEW_OK;
}

// -- Paths ------------------------------------------------------------------------------------------------------------

static uint32_t level_of(const struct tree_logical *logical, uint32_t row)
{
    return row < logical->level_count ? logical->levels[row] : 0;
}

// Notes how many rows of async methods the path of a row has. False: memory ran out.
static bool note_level(const struct tree *tree, uint32_t row, bool is_async)
{
    struct tree_logical *logical = tree->logical;
    while (logical->level_count <= row) {
        if (!array_grow(&logical->levels, logical->level_count, &logical->level_room, sizeof *logical->levels)) {
            return false;
        }
        logical->levels[logical->level_count++] = 0;
    }
    logical->levels[row] = level_of(logical, tree->nodes[row].parent) + is_async;
    return true;
}

// The nearest row of the method at or above one whose path is full. TREE_NONE: there is none near.
static uint32_t row_to_fold_into(const struct tree *tree, uint32_t row, uint32_t method)
{
    for (unsigned left = FOLDED_OVER_MAX; left > 0 && row != TREE_ROOT; left--, row = tree->nodes[row].parent) {
        if (tree->nodes[row].method == method) {
            return row;
        }
    }
    return TREE_NONE;
}

// The row below `parent`. TREE_NONE: memory ran out. Bodies have runs, whether or not a node of theirs is recorded.
static uint32_t row_below(struct logical_merge *merge, uint32_t parent, uint32_t method)
{
    struct tree *tree = merge->tree;
    const struct async_method *async = async_find(merge->async, merge->process, method);
    bool is_async = async && async->body == method;
    if (parent == TREE_NONE) {
        return TREE_NONE;
    }
    bool full = is_async && level_of(tree->logical, parent) >= TREE_ASYNC_LEVELS_MAX;
    uint32_t into = full ? row_to_fold_into(tree, parent, method) : TREE_NONE;
    if (into != TREE_NONE) {
        struct tree_run *run = tree_make_run(tree, into);
        CLEW_ASSERT(run && "the row is that of a body");
        run->folded = true;
        return into;
    }
    uint32_t row = tree_child(tree, parent, method);
    bool fits = row != TREE_NONE && note_level(tree, row, is_async) && (!is_async || tree_make_run(tree, row));
    return fits ? row : TREE_NONE;
}

static uint32_t unknown_caller(struct logical_merge *merge)
{
    return row_below(merge, TREE_ROOT, METHOD_UNKNOWN_CALLER);
}

// The row of runs that say where they belong by a path that is not known.
static uint32_t missing_row(struct logical_merge *merge)
{
    uint32_t row = row_below(merge, unknown_caller(merge), METHOD_MISSING);
    return row != TREE_NONE && tree_make_run(merge->tree, row) ? row : TREE_NONE;
}

// Makes room for the rows of all paths, and for a list of paths after them.
static bool reach_paths(struct logical_merge *merge)
{
    struct tree_logical *logical = merge->tree->logical;
    uint32_t wanted = merge->paths.count;
    if (wanted <= logical->path_count) {
        return true;
    }
    uint32_t *grown = realloc(logical->path_rows, 2 * (size_t)wanted * sizeof *grown);
    if (!grown) {
        return false;
    }
    memset(grown + logical->path_count, 0, (wanted - logical->path_count) * sizeof *grown);
    logical->path_rows = grown;
    logical->path_count = wanted;
    return true;
}

// The row of a path. Climbs to the first path above whose row is known, and then makes those below it. Below a path that is
// not defined, or has not the lower number that a parent has, the caller is lost. TREE_NONE: memory ran out.
static uint32_t row_of_path(struct logical_merge *merge, uint32_t path)
{
    uint32_t *rows = merge->tree->logical->path_rows, *list = rows + merge->tree->logical->path_count;
    uint32_t listed = 0, row;
    for (;;) {
        const struct recording_path *at = async_path(&merge->paths, path);
        if (path == PATH_ROOT || path == PATH_UNKNOWN) {
            row = path == PATH_ROOT ? TREE_ROOT : unknown_caller(merge);
            break;
        }
        if (!at || at->method < METHOD_FIRST_REAL || at->method >= METHOD_NUMBERS_MAX) {
            row = missing_row(merge);
            break;
        }
        if (rows[path]) {
            row = rows[path];
            break;
        }
        CLEW_ASSERT(listed < merge->paths.count && "each has a lower number than the one before");
        list[listed++] = path;
        path = at->parent < path ? at->parent : PATH_NONE;
    }
    while (listed > 0 && row != TREE_NONE) {
        path = list[--listed];
        row = row_below(merge, row, merge->paths.paths[path].method);
        rows[path] = row;
    }
    return row;
}

// -- Nodes ------------------------------------------------------------------------------------------------------------

// Marks the methods on the stack above a run whose row is elsewhere.
static enum clew_error mark_moved(struct logical_merge *merge, uint32_t node)
{
    for (; node > 0 && !merge->nodes[node].moved; node = merge->nodes[node].parent) {
        uint32_t *entry = tree_run_entry(merge->tree->logical, merge->nodes[node].row);
        if (!entry) {
            return CLEW_NO_MEMORY;
        }
        *entry = *entry ? *entry : TREE_MOVED;
        merge->nodes[node].moved = true;
    }
    return CLEW_OK;
}

// The node of the kick-off that began the first run of a body below `node`; 0: its caller is not known.
static uint32_t find_kickoff(const struct logical_merge *merge, uint32_t node, uint32_t kickoff)
{
    for (unsigned level = 0; level < KICKOFF_ABOVE_MAX && node > 0; level++, node = merge->nodes[node].parent) {
        const struct logical_node *at = &merge->nodes[node];
        if (at->role == ROLE_KICKOFF && at->number == kickoff) {
            return node;
        }
        if (at->role != ROLE_PLAIN && at->role != ROLE_KICKOFF) {
            return 0;
        }
    }
    return 0;
}

// Gives a node a row that is not below that of the node above.
static enum clew_error place_elsewhere(struct logical_merge *merge, struct logical_node *node, uint32_t row)
{
    node->row = row;
    return row == TREE_NONE ? CLEW_NO_MEMORY : mark_moved(merge, node->parent);
}

// Gives a node the row of a method that the node above has called, or that ran there with a caller that is not known.
static enum clew_error place_called(struct logical_merge *merge, struct logical_node *node, uint32_t method)
{
    const struct logical_node *above = &merge->nodes[node->parent];
    if (!above->is_caller) {
        return place_elsewhere(merge, node, row_below(merge, unknown_caller(merge), method));
    }
    node->row = row_below(merge, above->row, method);
    return node->row == TREE_NONE ? CLEW_NO_MEMORY : CLEW_OK;
}

// Finds the row of the first run of an async method: that of its kick-off.
static enum clew_error place_first(struct logical_merge *merge, struct logical_node *node,
                                   const struct async_method *async)
{
    const struct logical_node *above = &merge->nodes[node->parent];
    uint32_t kickoff = async->kickoff ? find_kickoff(merge, node->parent, async->kickoff) : 0;
    if (kickoff) {
        node->row = merge->nodes[kickoff].row;
        for (uint32_t at = node->parent; at != kickoff; at = merge->nodes[at].parent) {
            uint32_t *entry = tree_run_entry(merge->tree->logical, merge->nodes[at].row);
            if (!entry) {
                return CLEW_NO_MEMORY;
            }
            *entry = *entry ? *entry : TREE_MOVED; // a method of the builder, below the body's row
        }
        return CLEW_OK;
    }
    // Those over the cap have no callers.
    bool called = async->kickoff == 0 || async->starts || above->number == METHOD_OVER_CAP;
    return called ? place_called(merge, node, async->body)
                  : place_elsewhere(merge, node, row_below(merge, unknown_caller(merge), async->body));
}

static enum clew_error place_resumed(struct logical_merge *merge, struct logical_node *node,
                                     const struct async_number *number)
{
    node->state = number->path && number->state < AWAIT_STATES_MAX ? number->state : NO_STATE;
    return place_elsewhere(merge, node, number->path ? row_of_path(merge, number->path) : missing_row(merge));
}

// Finds the role and the row of a node.
static enum clew_error place_node(struct logical_merge *merge, struct logical_node *node)
{
    const struct logical_node *above = &merge->nodes[node->parent];
    if (node->number == METHOD_COUNTED || above->role == ROLE_COUNTED) {
        node->role = ROLE_COUNTED;
        node->row = above->row;
        return CLEW_OK;
    }
    bool filter = node->number == METHOD_FILTER, end = node->number == METHOD_AFTER_END;
    if (filter || end || node->number == METHOD_AFTER_WAIT) {
        node->role = filter ? ROLE_FILTER : ROLE_AFTER;
        node->owner = filter ? above->owner : node->owner;
        node->row = above->row;
        node->is_caller = above->is_caller && !end;
        return CLEW_OK;
    }
    if (node->number == METHOD_ELSEWHERE) {
        node->role = ROLE_ELSEWHERE;
        node->row = above->row;
        return CLEW_OK;
    }
    struct async_number number = async_number(&merge->paths, node->number);
    const struct async_method *async = async_find(merge->async, merge->process, number.method);
    node->fails_unseen = async && async->fails_unseen;
    node->catches = async && async->kickoff && async->body == number.method;
    if (number.resumed) {
        node->role = ROLE_RESUMED;
        return place_resumed(merge, node, &number);
    }
    if (async && async->body == number.method && !number.continued) {
        node->role = ROLE_FIRST;
        return place_first(merge, node, async);
    }
    bool kickoff = async && async->kickoff == number.method && !number.continued;
    node->role = number.continued ? ROLE_CONTINUED : kickoff ? ROLE_KICKOFF : ROLE_PLAIN;
    return place_called(merge, node, kickoff ? async->body : number.method);
}

#define ADD(name, type, adds, kind, key) FIGURE_ADD_##adds(row->name, recorded->name);

// Adds what a method has besides its time.
static void add_plain(struct logical_merge *merge, struct tree_node *row, const struct recording_node *recorded)
{
    FIGURES_RUNNING(ADD)
    FIGURES_ENDED(ADD)
    FIGURES_BEGUN(ADD)
    FIGURE_ADD_MIN(row->shortest, recorded->shortest);
    FIGURE_ADD_MAX(row->longest, recorded->longest);
    if (recorded->method >= METHOD_FIRST_REAL) {
        merge->calls += recorded->calls;
        merge->open += recorded->open;
    }
}

#undef ADD

// Adds the counts of a run.
static enum clew_error add_run(struct logical_merge *merge, const struct logical_node *node,
                               const struct recording_node *recorded)
{
    struct tree_node *row = &merge->tree->nodes[node->row];
    struct tree_run *run = tree_make_run(merge->tree, node->row);
    if (!run) {
        return CLEW_NO_MEMORY;
    }
    bool first = node->role == ROLE_FIRST, resumed = node->role == ROLE_RESUMED;
    run->fails_unseen |= node->fails_unseen;
    run->runs += recorded->calls;
    run->resumed += resumed ? recorded->calls : 0;
    row->calls += first ? recorded->calls : 0;
    row->open += recorded->open;
    merge->calls += first ? recorded->calls : 0;
    merge->open += recorded->open;
    struct tree_place *place;
    CLEW_TRY(place_of_node(merge, node, &place));
    if (place) {
        place->count += recorded->calls;
    }
    return CLEW_OK;
}

static enum clew_error add_kickoff(struct logical_merge *merge, const struct logical_node *node,
                                   const struct recording_node *recorded)
{
    struct tree_run *run = tree_make_run(merge->tree, node->row);
    if (!run) {
        return CLEW_NO_MEMORY;
    }
    run->kickoffs += recorded->calls;
    return CLEW_OK;
}

static bool is_run(uint8_t role)
{
    return role == ROLE_FIRST || role == ROLE_CONTINUED || role == ROLE_RESUMED;
}

// What runs after a run is announced to wait or to have ended, so the activation does not run.
static void add_after(struct logical_merge *merge, const struct logical_node *node,
                      const struct recording_node *recorded)
{
    uint32_t *open = &merge->tree->nodes[node->row].open;
    uint32_t less = is_run(merge->nodes[node->parent].role) ? recorded->open : 0;
    less = less < *open ? less : *open;
    *open -= less;
    merge->open -= less < merge->open ? less : merge->open;
}

// Adds a node after those that were added before. The thread itself is node 0.
static enum clew_error merge_node(struct logical_merge *merge, const struct recording_node *recorded)
{
    struct logical_node *node = &merge->nodes[merge->count];
    *node = (struct logical_node){.parent = recorded->parent,
                                  .number = recorded->method,
                                  .owner = merge->count,
                                  .total = recorded->total,
                                  .is_caller = true};
    if (merge->count == 0) {
        node->row = TREE_ROOT;
        node->parent = 0;
        return tree_add_cpu(merge->tree, TREE_ROOT, recorded);
    }
    if (node->parent >= merge->count) {
        return CLEW_DAMAGED;
    }
    CLEW_TRY(place_node(merge, node));
    const struct logical_node *above = &merge->nodes[node->parent];
    node->around = is_run(above->role) ? node->parent : above->role == ROLE_AFTER ? 0 : above->around;
    if (node->role != ROLE_FILTER) {
        merge->nodes[merge->nodes[node->parent].owner].below += recorded->total;
    }
    if (is_run(node->role)) {
        CLEW_TRY(add_run(merge, node, recorded));
    } else if (node->role == ROLE_KICKOFF) {
        CLEW_TRY(add_kickoff(merge, node, recorded));
    } else if (node->role == ROLE_AFTER) {
        add_after(merge, node, recorded);
    } else if (node->role == ROLE_PLAIN) {
        add_plain(merge, &merge->tree->nodes[node->row], recorded);
    }
    return tree_add_cpu(merge->tree, node->row, recorded);
}

enum clew_error logical_merge_part(struct logical_merge *merge, const struct recording_node *nodes, uint32_t count)
{
    struct tree *tree = merge->tree;
    tree->logical = tree->logical ? tree->logical : tree_logical_new();
    if (!tree->logical || !reach_paths(merge)) {
        return CLEW_NO_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!array_grow(&merge->nodes, merge->count, &merge->room, sizeof *merge->nodes)) {
            return CLEW_NO_MEMORY;
        }
        CLEW_TRY(merge_node(merge, &nodes[i]));
        merge->count++;
    }
    return CLEW_OK;
}

// The row whose own time a node's own time is; TREE_ROOT: it is in no row. Where an activation has announced a wait, it waits;
// but until its caller waits too, that runs, and the runtime's part of the wait is the caller's time.
static uint32_t row_of_time(const struct logical_merge *merge, const struct logical_node *node)
{
    if (node->role == ROLE_AFTER) {
        uint32_t caller = merge->nodes[node->parent].around;
        return caller ? merge->nodes[caller].row : TREE_ROOT;
    }
    bool in_none = node->role == ROLE_FILTER || node->role == ROLE_ELSEWHERE || node->role == ROLE_COUNTED;
    return in_none ? TREE_ROOT : node->row;
}

void logical_merge_times(struct logical_merge *merge)
{
    for (uint32_t i = 1; i < merge->count; i++) {
        const struct logical_node *node = &merge->nodes[i];
        uint32_t row = row_of_time(merge, node);
        if (row != TREE_ROOT && node->total > node->below) {
            merge->tree->nodes[row].total += node->total - node->below;
        }
    }
}

#define ADD(name, type, adds, kind, key) FIGURE_ADD_##adds(run->name, figures->name);

static enum clew_error add_figures(struct logical_merge *merge, const struct logical_node *node,
                                   const struct recording_run *figures)
{
    struct tree_place *place;
    CLEW_TRY(place_of_node(merge, node, &place));
    struct tree_run *run = tree_make_run(merge->tree, node->row);
    if (!run) {
        return CLEW_NO_MEMORY;
    }
    FIGURES_OF_RUNS(ADD)
    if (place) {
        place->awaiting += figures->awaiting;
    }
    return CLEW_OK;
}

enum clew_error logical_merge_runs(struct logical_merge *merge, const struct recording_runs *runs)
{
    for (uint32_t i = 0; i < runs->count; i++) {
        const struct recording_run *figures = &runs->runs[i];
        const struct logical_node *node = figures->node < merge->count ? &merge->nodes[figures->node] : NULL;
        if (node && is_run(node->role)) {
            CLEW_TRY(add_figures(merge, node, figures));
        }
        if (node && (is_run(node->role) || node->role == ROLE_PLAIN)) {
            CLEW_TRY(tree_add_latencies(merge->tree, node->row, runs->latencies + figures->first_latency,
                                        figures->latency_count));
        }
    }
    return CLEW_OK;
}

#undef ADD

uint32_t logical_merge_ends(const struct logical_merge *merge, uint32_t node, bool *catches)
{
    const struct logical_node *of = &merge->nodes[node];
    *catches = is_run(of->role) && of->catches;
    return of->role == ROLE_PLAIN || *catches ? of->row : TREE_ROOT;
}

void logical_merge_fini(struct logical_merge *merge)
{
    free(merge->nodes);
    *merge = (struct logical_merge){0};
}

// Whether activations of a row that have all ended called some that ran or waited at the same time: what follows one another
// takes no longer than the whole. `tails`: the time of kick-offs that have nodes of their own goes on after an activation has
// ended, so that only waiting counts.
static bool is_parallel(const struct tree_node *node, const struct tree_run *run, uint64_t awaiting, bool tails)
{
    bool ended = node->open == 0 && tree_pending(node, run) == 0;
    bool timed = run->latency_shortest != UINT64_MAX && node->calls > 0; // else they began before the recording
    return ended && timed && awaiting + (tails ? 0 : node->total) > run->latency;
}

static enum clew_error find_parallel(struct tree *tree)
{
    struct tree_logical *logical = tree->logical;
    bool *tails = calloc(tree->count, sizeof *tails);
    if (!tails) {
        return CLEW_NO_MEMORY;
    }
    for (uint32_t i = tree->count; i-- > 1;) {
        const struct tree_node *node = &tree->nodes[i];
        struct tree_run *run = tree_run(tree, i) ? tree_make_run(tree, i) : NULL;
        tails[i] = tails[i] || (run && run->kickoffs > 0);
        tails[node->parent] = tails[node->parent] || tails[i];
        if (run) {
            run->parallel = is_parallel(node, run, logical->awaiting[i], tails[i]);
        }
    }
    free(tails);
    return CLEW_OK;
}

// What is below a folded row may come from further down, too.
static void spread_folded(struct tree *tree)
{
    const struct tree_logical *logical = tree->logical;
    uint32_t *folded = logical->levels; // the levels are needed no more
    for (uint32_t i = 0; i < tree->count && i < logical->level_count; i++) {
        struct tree_run *run = tree_run(tree, i) ? tree_make_run(tree, i) : NULL;
        folded[i] = (i > 0 && folded[tree->nodes[i].parent]) || (run && run->folded);
        if (run) {
            run->folded = folded[i];
        }
    }
}

enum clew_error tree_logical_finish(struct tree *tree)
{
    struct tree_logical *logical = tree->logical;
    if (!logical) {
        return CLEW_OK;
    }
    CLEW_ASSERT(!logical->awaiting && "a tree is finished once");
    logical->awaiting = calloc(tree->count, sizeof *logical->awaiting);
    if (!logical->awaiting) {
        return CLEW_NO_MEMORY;
    }
    for (uint32_t i = tree->count; i-- > 1;) {
        struct tree_node *node = &tree->nodes[i];
        const struct tree_run *run = tree_run(tree, i);
        CLEW_ASSERT(node->parent < i && "a parent comes before its children");
        node->total += node->inside;
        tree->nodes[node->parent].inside += node->total;
        logical->awaiting[i] += run ? run->own_awaiting : 0;
        logical->awaiting[node->parent] += logical->awaiting[i];
        node->exceptions = run ? run->faulted : node->exceptions;
        if (i < logical->node_count && logical->runs_of[i]) {
            node->shortest = UINT64_MAX;
            node->longest = 0;
        }
    }
    tree->nodes[TREE_ROOT].total = tree->nodes[TREE_ROOT].inside;
    spread_folded(tree);
    free(logical->path_rows);
    free(logical->levels);
    logical->levels = NULL;
    logical->level_count = 0;
    logical->path_rows = NULL;
    logical->path_count = 0;
    return find_parallel(tree);
}
