// Recordings as a whole: the same program as tree and as streams gives the same rows, sums add up, what is open, lost or
// damaged is counted.
#include "model/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../made_recording.h"
#include "../recording_path.h"
#include "loading.h"
#include "model/table.h"
#include "trace/instrument.h"

static struct table_methods rows_of(const struct model *model)
{
    struct table_methods methods;
    assert_int_equal(table_methods(model, &methods), CLEW_OK);
    return methods;
}

static const struct table_method *row(const struct model *model, const struct table_methods *methods, const char *name)
{
    for (uint32_t i = 0; i < methods->count; i++) {
        if (text_equal(model->catalog.methods[methods->rows[i].method].record.name, text_of(name))) {
            return &methods->rows[i];
        }
    }
    fail_msg("no row %s", name);
    return NULL;
}

static void expect(const struct table_method *row, uint64_t calls, uint64_t own, uint64_t total, uint64_t shortest,
                   uint64_t longest, uint64_t sum)
{
    assert_int_equal(row->calls, calls);
    assert_int_equal(row->own, own);
    assert_int_equal(row->total, total);
    assert_int_equal(row->shortest, shortest);
    assert_int_equal(row->longest, longest);
    assert_int_equal(row->sum, sum);
}

// Of every tree: children do not exceed their parent, own times add up to the whole.
static void expect_sums(const struct model *model)
{
    for (uint32_t i = 0; i < model->tree_count; i++) {
        const struct tree *tree = &model->trees[i].tree;
        uint64_t own = 0, roots = 0;
        for (uint32_t node = 1; node < tree->count; node++) {
            assert_true(tree->nodes[node].inside <= tree->nodes[node].total);
            own += tree_own(&tree->nodes[node]);
            roots += tree->nodes[node].parent == TREE_ROOT ? tree->nodes[node].total : 0;
        }
        assert_int_equal(own, roots);
        assert_int_equal(tree->nodes[TREE_ROOT].total, roots);
    }
}

static void expect_program(struct model *model)
{
    struct table_methods methods = rows_of(model);
    assert_int_equal(methods.count, 8);
    expect(row(model, &methods, "Shop.Program.Main(string[])"), 1, 6000, 9000, 9000, 9000, 9000);
    expect(row(model, &methods, "Shop.Cart.Add(int)"), 2, 500, 500, 100, 400, 500);
    expect(row(model, &methods, "Shop.Cart.Add(string)"), 1, 250, 250, 250, 250, 250);
    // Recursion: the total is that of the outermost activation, the sum that of all five.
    expect(row(model, &methods, "Shop.Lib.Fib(int)"), 5, 1000, 1000, 100, 1000, 1900);
    expect(row(model, &methods, "Shop.Lib.Check<T>(T)"), 1, 500, 500, 500, 500, 500);
    expect(row(model, &methods, "Shop.Lib.Work.lambda#1(object)"), 1, 5750, 6000, 6000, 6000, 6000);
    assert_int_equal(row(model, &methods, "Shop.Lib.Check<T>(T)")->exceptions, 1);
    assert_int_equal(row(model, &methods, "Shop.Lib.Fib(int)")->exceptions, 0);
    assert_int_equal(model->calls, 13);
    assert_int_equal(model->events, 26);
    assert_int_equal(model->open, 0);
    assert_int_equal(model->lost, 0);
    assert_true(model->complete);
    expect_sums(model);
    free(methods.rows);
    model_free(model);
}

static void test_tree_and_streams_agree(void **state)
{
    (void)state;
    make_tree(path, CLOCK_KIND_MONOTONIC, true);
    expect_program(load((struct model_options){0}));
    expect_program(load((struct model_options){.threads_apart = true}));
    make_calls(path);
    expect_program(load((struct model_options){0}));
    expect_program(load((struct model_options){.threads_apart = true}));
}

// With both instruments a thread's tree counts, since streams may have lost something; a thread without a tree (its
// process was killed) is taken from its stream.
static void test_trees_win_over_streams(void **state)
{
    (void)state;
    struct recording_node nodes[] = {node(0, 0, 0, 0, UINT64_MAX, 0), node(0, ADD, 7, 700, 100, 100)};
    struct recording_tree tree = {
        .process = 1, .thread = 1, .clock = START + 10000, .final = true, .count = 2, .nodes = nodes};
    create(path, INSTRUMENT_TREE | INSTRUMENT_CALLS, CLOCK_KIND_MONOTONIC);
    define();
    must(recording_write_tree(writer, &tree));
    write_stream(1, main_events, 3);
    write_stream(2, worker_events, sizeof worker_events / sizeof *worker_events);
    finish(18, 0, 2, true);
    struct model *model = load((struct model_options){0});
    assert_int_equal(model->calls, 7 + 2);
    assert_int_equal(model->events, 18);
    expect_sums(model);
    model_free(model);
}

static void test_threads_are_kept_apart(void **state)
{
    (void)state;
    make_calls(path);
    struct model *model = load((struct model_options){.threads_apart = true});
    assert_int_equal(model->tree_count, 2);
    assert_int_equal(model->trees[0].tree.nodes[TREE_ROOT].total, 9000);
    assert_int_equal(model->trees[1].tree.nodes[TREE_ROOT].total, 6000);
    assert_int_equal(model->catalog.threads[0].calls, 11);
    assert_int_equal(model->catalog.threads[1].calls, 2);
    model_free(model);
}

static void test_moments_are_counted_from_the_start(void **state)
{
    (void)state;
    make_calls(path);
    struct model *model = load((struct model_options){.names_only = true});
    assert_int_equal(model_clock_at(model, 0), START);
    assert_int_equal(model_clock_at(model, 1500), START + 1500);
    assert_int_equal(model_since_start_ns(model, START + 1500), 1500);
    assert_int_equal(model_since_start_ns(model, START - 1), 0);
    assert_true(model_clock_at(model, UINT64_MAX) == UINT64_MAX);
    assert_true(model_clock_at(model, UINT64_MAX - 1) == UINT64_MAX);
    model_free(model);
}

static void test_open_lost_and_cold_streams_are_counted(void **state)
{
    (void)state;
    make_cold(path);
    struct model *model = load((struct model_options){0});
    struct table_methods methods = rows_of(model);
    const struct table_method *main_row = row(model, &methods, "Shop.Program.Main(string[])");
    const struct table_method *add = row(model, &methods, "Shop.Cart.Add(int)");
    // Main was running when the stream began and still is at the process's end, 10,000.
    expect(main_row, 1, 1800, 9900, UINT64_MAX, 0, 9900);
    assert_int_equal(main_row->open, 1);
    // One Add ended unseen at the loss, 2100 to 3000; one runs from 4000 to the end.
    expect(add, 2, 6100, 6900, 900, 900, 6900);
    assert_int_equal(add->open, 1);
    assert_int_equal(model->lost, 7);
    assert_int_equal(model->open, 2);
    assert_false(model->complete);
    expect_sums(model);
    free(methods.rows);
    model_free(model);
}

static void test_without_a_clock_there_are_no_times(void **state)
{
    (void)state;
    make_tree(path, CLOCK_KIND_NONE, true);
    struct model *model = load((struct model_options){.adjust = true});
    assert_false(model_has_times(model));
    assert_false(model->adjusted);
    assert_int_equal(model->calls, 13);
    model_free(model);
}

static void test_the_measured_rate_counts(void **state)
{
    (void)state;
    struct recording_process process = {.process = 1, .clock_hz = 2e9};
    create(path, INSTRUMENT_CALLS, CLOCK_KIND_TSC);
    define();
    must(recording_write_process(writer, &process));
    finish(0, 0, 0, true);
    struct model *model = load((struct model_options){.names_only = true});
    assert_int_equal(model_ns(model, 1000), 500); // the session said 1e9
    assert_int_equal(model_ticks(model, 500), 1000);
    model_free(model);
}

static void test_adjusted_times_leave_out_the_probes(void **state)
{
    (void)state;
    make_tree(path, CLOCK_KIND_MONOTONIC, true);
    struct model *model = load((struct model_options){.adjust = true});
    struct table_methods methods = rows_of(model);
    assert_true(model->adjusted);
    // A probe costs 40 ns, 10 inside: Fib's five calls, four below another.
    assert_int_equal(row(model, &methods, "Shop.Lib.Fib(int)")->own, 1000 - 5 * 10 - 4 * 30);
    assert_int_equal(row(model, &methods, "Shop.Lib.Fib(int)")->total, 1000 - 5 * 10 - 4 * 30);
    expect_sums(model);
    free(methods.rows);
    model_free(model);
}

static void test_an_unclosed_file_is_reported_and_read_whole(void **state)
{
    (void)state;
    make_tree(path, CLOCK_KIND_MONOTONIC, false);
    struct model *model = load((struct model_options){0});
    assert_false(model->has_end);
    assert_false(model->complete);
    assert_false(model_damaged(model));
    assert_int_equal(model->calls, 13);
    assert_int_equal(model->events, 26);
    model_free(model);
}

// A file cut anywhere opens or is refused; never more calls than there were.
static void test_a_cut_file_is_read_up_to_the_cut(void **state)
{
    (void)state;
    struct stat about;
    make_calls(path);
    assert_int_equal(stat(path, &about), 0);
    for (off_t size = about.st_size - 1; size >= 0; size -= 7) {
        const struct model_options options = {0};
        struct model *model = NULL;
        assert_int_equal(truncate(path, size), 0);
        struct recording *recording = opened(path);
        if (recording && model_load(recording, &options, &model) == CLEW_OK) {
            assert_false(model->complete);
            assert_true(model->calls <= 13);
            expect_sums(model);
            model_free(model);
        }
    }
}

static void test_other_files_are_refused(void **state)
{
    (void)state;
    struct recording *recording = NULL;
    assert_int_equal(recording_open("/nonexistent/x.clew", &recording), CLEW_NOT_FOUND);
    assert_int_equal(recording_open("/dev/null", &recording), CLEW_NOT_RECORDING);
    assert_null(recording);
}

// Many threads with random calls, returns, exceptions, cuts and losses, in blocks: sums add up, calls are counted.
static void test_random_streams_add_up(void **state)
{
    (void)state;
    enum { EVENTS = 500, ROUNDS = 40 };
    for (uint32_t seed = 1; seed <= ROUNDS; seed++) {
        struct recording_event events[EVENTS];
        uint32_t stacks[EVENTS], stack_count = 0;
        uint64_t entries = 0, clock = START;
        srandom(seed);
        for (uint32_t i = 0; i < EVENTS; i++) {
            long choice = random() % 100;
            clock += (uint64_t)random() % 50;
            events[i] = (struct recording_event){
                .clock = clock, .kind = RECORDING_ENTER, .method = MAIN + (uint32_t)random() % 8};
            if (choice >= 97) {
                events[i] = (struct recording_event){
                    .clock = clock, .kind = RECORDING_STACK, .stated = 2, .depth = 2 + (uint64_t)random() % 3};
                stacks[stack_count++] = MAIN;
                stacks[stack_count++] = MAIN + (uint32_t)random() % 8;
            } else if (choice >= 50) {
                events[i].kind = choice < 85 ? RECORDING_LEAVE : choice < 94 ? RECORDING_UNWIND : RECORDING_CUT;
                events[i].remaining = (uint64_t)random() % 5;
                events[i].method = 0;
            }
            entries += events[i].kind == RECORDING_ENTER;
        }
        struct recording_events block = block_of(1, events, EVENTS);
        block.stack_count = stack_count;
        block.stacks = stacks;
        create(path, INSTRUMENT_CALLS, CLOCK_KIND_MONOTONIC);
        define();
        must(recording_write_events(writer, &block));
        finish(0, 0, 1, true);
        struct model *model = load((struct model_options){0});
        assert_true(model->calls >= entries);
        expect_sums(model);
        struct table_methods methods = rows_of(model);
        for (uint32_t i = 0; i < methods.count; i++) {
            assert_true(methods.rows[i].own <= methods.rows[i].total);
            assert_true(methods.rows[i].total <= methods.rows[i].sum);
        }
        free(methods.rows);
        model_free(model);
    }
}

static void test_loads_of_one_module_are_one_row(void **state)
{
    (void)state;
    struct recording_module again = {.process = 1, .module = 3, .mvid = {1, 2, 3}, .name = text_of("shop")};
    struct recording_method method = {
        .process = 1, .method = 90, .module = 3, .token = 0x06000000 + ADD, .name = text_of("Shop.Cart.Add(int)")};
    const struct recording_event events[] = {E(1, ADD), E(2, 90), L(4), L(9)};
    create(path, INSTRUMENT_CALLS, CLOCK_KIND_MONOTONIC);
    define();
    must(recording_write_module(writer, &again));
    must(recording_write_method(writer, &method));
    write_stream(1, events, 4);
    finish(4, 0, 1, true);
    struct model *model = load((struct model_options){0});
    struct table_methods methods = rows_of(model);
    struct table_modules modules;
    assert_int_equal(methods.count, 1);
    expect(&methods.rows[0], 2, 8, 8, 2, 8, 10);
    assert_int_equal(table_modules(model, &methods, &modules), CLEW_OK);
    assert_int_equal(modules.count, 2);
    assert_int_equal(modules.rows[0].calls, 2);
    free(modules.rows);
    free(methods.rows);
    model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tree_and_streams_agree),
        cmocka_unit_test(test_trees_win_over_streams),
        cmocka_unit_test(test_threads_are_kept_apart),
        cmocka_unit_test(test_moments_are_counted_from_the_start),
        cmocka_unit_test(test_open_lost_and_cold_streams_are_counted),
        cmocka_unit_test(test_without_a_clock_there_are_no_times),
        cmocka_unit_test(test_the_measured_rate_counts),
        cmocka_unit_test(test_adjusted_times_leave_out_the_probes),
        cmocka_unit_test(test_an_unclosed_file_is_reported_and_read_whole),
        cmocka_unit_test(test_a_cut_file_is_read_up_to_the_cut),
        cmocka_unit_test(test_other_files_are_refused),
        cmocka_unit_test(test_random_streams_add_up),
        cmocka_unit_test(test_loads_of_one_module_are_one_row),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
