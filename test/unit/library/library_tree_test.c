// Trees of libclew: from a recorded tree, and from calls. The numbers follow from the events in made_recording.h.
#include <clew/clew.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../made_recording.h"

#include "../made_awaits.h"
#include "../recording_path.h"

#include "../damaged_block.h"

static struct clew_recording *recording;

static struct clew_tree *load(const struct clew_tree_options *options)
{
    struct clew_tree *tree;
    assert_int_equal(clew_open(path, &recording), CLEW_OK);
    assert_int_equal(clew_tree_load(recording, options, &tree), CLEW_OK);
    return tree;
}

static void unload(struct clew_tree *tree)
{
    clew_tree_free(tree);
    clew_close(recording);
}

static struct clew_node node_at(const struct clew_tree *tree, uint32_t index)
{
    struct clew_node at = {.size = sizeof at};
    assert_true(clew_tree_node(tree, index, &at));
    return at;
}

// The child of `parent` for `method`.
static uint32_t child_of(const struct clew_tree *tree, uint32_t parent, uint32_t method)
{
    for (uint32_t i = 1; i < clew_tree_count(tree); i++) {
        struct clew_node at = node_at(tree, i);
        if (at.parent == parent && at.method == method) {
            return i;
        }
    }
    fail();
    return 0;
}

static void check_nodes(const struct clew_tree *tree)
{
    assert_int_equal(clew_tree_count(tree), 11); // the session, 8 paths of one thread, 2 of the other
    assert_int_equal(node_at(tree, 0).parent, CLEW_TREE_NONE);
    assert_int_equal(node_at(tree, 0).total_ns, 15000);
    uint32_t main_node = child_of(tree, 0, MAIN), fib = child_of(tree, main_node, FIB);
    assert_int_equal(node_at(tree, main_node).total_ns, 9000);
    assert_int_equal(node_at(tree, main_node).own_ns, 6000);
    assert_int_equal(node_at(tree, child_of(tree, fib, FIB)).calls, 2);
    assert_int_equal(node_at(tree, child_of(tree, main_node, THROW)).exceptions, 1);
    struct clew_node add = node_at(tree, child_of(tree, main_node, ADD));
    assert_int_equal(add.min_ns, 100);
    assert_int_equal(add.max_ns, 400);
    for (uint32_t i = 1; i < clew_tree_count(tree); i++) {
        assert_true(node_at(tree, i).parent < i);
        assert_int_equal(node_at(tree, i).process, 1);
    }
    struct clew_node none = {.size = sizeof none};
    assert_false(clew_tree_node(tree, clew_tree_count(tree), &none));
}

static void a_recorded_tree_and_calls_give_the_same_nodes(void **state)
{
    (void)state;
    make_tree(path, CLOCK_KIND_MONOTONIC, true);
    struct clew_tree *tree = load(NULL);
    check_nodes(tree);
    unload(tree);
    make_calls(path);
    tree = load(NULL);
    check_nodes(tree);
    unload(tree);
}

static void damage_that_a_tree_meets_is_counted(void **state)
{
    (void)state;
    struct clew_info info = {.size = sizeof info};
    make_tree(path, CLOCK_KIND_MONOTONIC, true);
    damage_block(RECORDING_TREE_NODES, 1);
    struct clew_tree *tree = load(NULL);
    clew_info(recording, &info);
    assert_int_equal(info.damaged, 1);
    assert_false(info.complete);
    unload(tree);
}

static void threads_may_be_apart(void **state)
{
    (void)state;
    const struct clew_tree_options apart = {.size = sizeof apart, .threads_apart = true};
    make_calls(path);
    struct clew_tree *tree = load(&apart);
    assert_int_equal(clew_tree_count(tree), 11);
    assert_int_equal(node_at(tree, child_of(tree, 0, MAIN)).thread, 1);
    assert_int_equal(node_at(tree, child_of(tree, 0, LATER)).thread, 2);
    unload(tree);
}

// Threads 1 and 3 have no calls, 2 has two paths, 4 has one.
static void threads_without_calls_have_no_nodes(void **state)
{
    (void)state;
    const struct clew_tree_options apart = {.size = sizeof apart, .threads_apart = true};
    struct recording_node nodes[] = {node(0, 0, 0, 0, UINT64_MAX, 0), node(0, LATER, 1, 600, 600, 600),
                                     node(1, ADD, 1, 250, 250, 250)};
    static const uint32_t counts[] = {1, 3, 1, 2};
    create(path, INSTRUMENT_TREE, CLOCK_KIND_MONOTONIC);
    define();
    define_thread(3, "", START + 9000);
    define_thread(4, "", START + 9000);
    for (uint32_t i = 0; i < 4; i++) {
        const struct recording_tree tree = {
            .process = 1, .thread = i + 1, .clock = START + 9000, .final = true, .count = counts[i], .nodes = nodes};
        must(recording_write_tree(writer, &tree));
    }
    finish(6, 0, 4, true);
    struct clew_tree *tree = load(&apart);
    assert_int_equal(clew_tree_count(tree), 4);
    assert_int_equal(node_at(tree, 0).total_ns, 1200);
    assert_int_equal(node_at(tree, 1).thread, 2);
    assert_int_equal(node_at(tree, 2).method, ADD);
    assert_int_equal(node_at(tree, 2).parent, 1);
    assert_int_equal(node_at(tree, 3).thread, 4);
    assert_int_equal(node_at(tree, 3).method, LATER);
    unload(tree);
}

static void check_name(uint32_t method, const char *name)
{
    struct clew_method found = {.size = sizeof found};
    assert_true(clew_method(recording, 1, method, &found));
    assert_int_equal(found.name.size, strlen(name));
    assert_memory_equal(found.name.data, name, found.name.size);
}

static void check_await(struct clew_tree *tree, uint32_t node, uint32_t index, const char *what, uint32_t line,
                        uint64_t count, uint64_t awaiting_ns)
{
    struct clew_await await = {.size = sizeof await};
    assert_int_equal(clew_tree_await(tree, node, index, &await), CLEW_OK);
    assert_int_equal(await.what.size, strlen(what));
    assert_memory_equal(await.what.data, what, await.what.size);
    assert_string_equal(await.file.data, "/src/shop/Repo.cs");
    assert_int_equal(await.line, line);
    assert_int_equal(await.count, count);
    assert_int_equal(await.awaiting_ns, awaiting_ns);
}

// The numbers are those of the report (test/golden/view/async-tree-json.txt).
static void a_logical_tree_has_async_methods_below_their_callers(void **state)
{
    (void)state;
    const struct clew_tree_options logical = {.size = sizeof logical, .view = CLEW_TREE_LOGICAL};
    struct clew_await none = {.size = sizeof none};
    make_awaits(path, MADE_ALL);
    struct clew_tree *tree = load(&logical);
    uint32_t main_node = child_of(tree, 0, MAIN), serve = child_of(tree, main_node, SERVE_BODY);
    uint32_t load_node = child_of(tree, serve, LOAD_BODY), parse = child_of(tree, load_node, PARSE);
    assert_int_equal(clew_tree_count(tree), 7);
    struct clew_node at = node_at(tree, serve);
    assert_true(at.async && !at.parallel);
    assert_int_equal(at.calls, 3);
    assert_int_equal(at.runs, 5);
    assert_int_equal(at.pending, 1);
    assert_int_equal(at.ended, 2);
    assert_int_equal(at.exceptions, 1);
    assert_int_equal(at.own_ns, 720);
    assert_int_equal(at.total_ns, 1720);
    assert_int_equal(at.min_ns, 0);
    assert_int_equal(at.latency_ns, 7000);
    assert_int_equal(at.latency_min_ns, 3000);
    assert_int_equal(at.latency_max_ns, 4000);
    assert_int_equal(at.own_awaiting_ns, 100);
    assert_int_equal(at.awaiting_ns, 4700);
    assert_int_equal(at.awaits, 1);
    assert_int_equal(node_at(tree, load_node).cancelled, 1);
    assert_int_equal(node_at(tree, load_node).awaits, 2);
    assert_int_equal(node_at(tree, main_node).awaiting_ns, 4700);
    assert_int_equal(node_at(tree, 0).awaiting_ns, 4700);
    assert_false(node_at(tree, parse).async);
    assert_int_equal(node_at(tree, parse).max_ns, 200);
    check_await(tree, load_node, 1, "", 43, 1, 600);
    check_await(tree, serve, 0, "Repo.LoadAsync", 14, 2, 4500);
    check_await(tree, load_node, 0, "stream.ReadAsync", 41, 3, 4000);
    assert_int_equal(clew_tree_await(tree, load_node, 2, &none), CLEW_NOT_FOUND);
    assert_int_equal(clew_tree_await(tree, parse, 0, &none), CLEW_NOT_FOUND);
    assert_int_equal(clew_tree_await(tree, 0, 0, &none), CLEW_NOT_FOUND);
    assert_int_equal(clew_tree_await(tree, 7, 0, &none), CLEW_NOT_FOUND);
    uint32_t unknown = child_of(tree, 0, METHOD_UNKNOWN_CALLER);
    check_name(METHOD_UNKNOWN_CALLER, "(caller unknown)");
    assert_int_equal(node_at(tree, child_of(tree, unknown, LOAD_BODY)).calls, 1);
    unload(tree);
}

static void a_logical_tree_needs_to_know_who_called(void **state)
{
    (void)state;
    struct clew_tree_options logical = {.size = sizeof logical, .view = CLEW_TREE_LOGICAL};
    struct clew_tree *tree;
    make_awaits(path, MADE_WITHOUT_LINKS);
    assert_int_equal(clew_open(path, &recording), CLEW_OK);
    assert_int_equal(clew_tree_load(recording, &logical, &tree), CLEW_UNSUPPORTED);
    clew_close(recording);
    make_awaits(path, MADE_ALL);
    logical.threads_apart = true;
    assert_int_equal(clew_open(path, &recording), CLEW_OK);
    assert_int_equal(clew_tree_load(recording, &logical, &tree), CLEW_UNSUPPORTED);
    clew_close(recording);
    tree = load(NULL);
    struct clew_node serve = node_at(tree, child_of(tree, child_of(tree, 0, MAIN), SERVE));
    assert_int_equal(serve.calls, 3);
    assert_int_equal(serve.awaiting_ns, 0);
    assert_int_equal(serve.awaits, 0);
    unload(tree);
}

static struct clew_method_row row_at(const struct clew_tree *tree, uint32_t index)
{
    struct clew_method_row row = {.size = sizeof row};
    assert_true(clew_tree_method(tree, index, &row));
    return row;
}

static void methods_are_sorted_as_asked(void **state)
{
    (void)state;
    uint32_t count;
    make_calls(path);
    struct clew_tree *tree = load(NULL);
    struct clew_method_row none = {.size = sizeof none};
    assert_false(clew_tree_method(tree, 0, &none)); // not asked for yet
    assert_int_equal(clew_tree_methods(tree, CLEW_BY_OWN_TIME, &count), CLEW_OK);
    assert_int_equal(count, 8);
    assert_int_equal(row_at(tree, 0).method, MAIN);
    assert_int_equal(row_at(tree, 1).method, LATER);
    assert_int_equal(clew_tree_methods(tree, CLEW_BY_CALLS, &count), CLEW_OK);
    struct clew_method_row fib = row_at(tree, 0);
    assert_int_equal(fib.method, FIB);
    assert_int_equal(fib.calls, 5);
    assert_int_equal(fib.total_ns, 1000); // the outermost call alone
    assert_int_equal(fib.own_ns, 1000);
    assert_int_equal(fib.mean_ns, (1000 + 700 + 200) / 5);
    assert_int_equal(fib.min_ns, 100);
    assert_int_equal(fib.max_ns, 1000);
    assert_int_equal(clew_tree_methods(tree, CLEW_BY_NAME, &count), CLEW_OK);
    assert_int_equal(row_at(tree, 0).method, ADD);
    assert_false(clew_tree_method(tree, count, &none));
    assert_int_equal(clew_tree_methods(tree, (enum clew_method_order)9, &count), CLEW_USAGE);
    unload(tree);
}

static void what_cannot_be_answered_is_refused(void **state)
{
    (void)state;
    struct {
        struct clew_tree_options known;
        uint64_t later;
    } newer = {.known.size = sizeof newer, .later = 1};
    struct clew_tree_options options = {.size = sizeof options, .view = CLEW_TREE_LOGICAL};
    struct clew_tree *tree;
    make_lines(path, CLOCK_KIND_TICK, 0);
    assert_int_equal(clew_open(path, &recording), CLEW_OK);
    assert_int_equal(clew_tree_load(recording, NULL, &tree), CLEW_NOTHING_RECORDED);
    assert_int_equal(clew_tree_load(recording, &options, &tree), CLEW_NOTHING_RECORDED);
    options.view = (enum clew_tree_view)5;
    assert_int_equal(clew_tree_load(recording, &options, &tree), CLEW_USAGE);
    options = (struct clew_tree_options){.size = 0};
    assert_int_equal(clew_tree_load(recording, &options, &tree), CLEW_USAGE);
    assert_int_equal(clew_tree_load(recording, &newer.known, &tree), CLEW_USAGE);
    clew_close(recording);
    clew_tree_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recorded_tree_and_calls_give_the_same_nodes),
        cmocka_unit_test(damage_that_a_tree_meets_is_counted),
        cmocka_unit_test(threads_may_be_apart),
        cmocka_unit_test(threads_without_calls_have_no_nodes),
        cmocka_unit_test(a_logical_tree_has_async_methods_below_their_callers),
        cmocka_unit_test(a_logical_tree_needs_to_know_who_called),
        cmocka_unit_test(methods_are_sorted_as_asked),
        cmocka_unit_test(what_cannot_be_answered_is_refused),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
