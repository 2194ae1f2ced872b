// Call trees from streams: which time open activations get, and what a later part of a recording counts.
#include "model/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../made_recording.h"
#include "../recording_path.h"
#include "loading.h"
#include "trace/instrument.h"

static const struct tree_node *only_node(const struct model *model, uint32_t method)
{
    const struct tree_node *found = NULL;
    for (uint32_t i = 1; i < model->trees[0].tree.count; i++) {
        if (model->trees[0].tree.nodes[i].method == method) {
            assert_null(found);
            found = &model->trees[0].tree.nodes[i];
        }
    }
    assert_non_null(found);
    return found;
}

// Thread 1 has no end of its own, and its process none either: the newest event of the process counts.
static void an_open_activation_runs_to_the_newest_event(void **state)
{
    (void)state;
    const struct recording_event first[] = {E(100, MAIN)}, second[] = {E(200, ADD), L(700)};
    create(path, INSTRUMENT_CALLS, CLOCK_KIND_MONOTONIC);
    must(recording_write_process(writer, &(struct recording_process){.process = 1}));
    write_stream(1, first, 1);
    write_stream(2, second, 2);
    must(recording_close(writer, NULL));
    struct model *model = load((struct model_options){0});
    assert_int_equal(model->open, 1);
    assert_int_equal(only_node(model, MAIN)->total, 600);
    assert_int_equal(only_node(model, MAIN)->open, 1);
    assert_int_equal(only_node(model, MAIN)->shortest, UINT64_MAX); // it has not ended
    assert_int_equal(only_node(model, ADD)->total, 500);
    model_free(model);
}

static void an_open_activation_ends_with_its_thread(void **state)
{
    (void)state;
    const struct recording_event first[] = {E(100, MAIN)};
    create(path, INSTRUMENT_CALLS, CLOCK_KIND_MONOTONIC);
    define(); // the thread ends at 10,000
    define_thread(1, "main", START + 400);
    write_stream(1, first, 1);
    finish(1, 0, 1, false);
    struct model *model = load((struct model_options){0});
    assert_int_equal(only_node(model, MAIN)->total, 300);
    model_free(model);
}

// Part 2 opens with Main running: part 1 counted that call, and the time until then.
static void a_later_part_counts_what_happens_in_it(void **state)
{
    (void)state;
    static const uint32_t open[] = {MAIN};
    static const uint64_t open_clock[] = {START + 100};
    const struct recording_event events[] = {E(1000, ADD), L(1200), L(1500)};
    struct recording_session session = {.version = text_of("0.1.0"),
                                        .clock = CLOCK_KIND_MONOTONIC,
                                        .clock_hz = 1e9,
                                        .started_clock = START,
                                        .instruments = INSTRUMENT_CALLS,
                                        .part = 2};
    struct recording_events block = block_of(1, events, 3);
    block.sequence = 1;
    block.depth = 1;
    block.open = open;
    block.open_clock = open_clock;
    must(recording_create(path, &session, &writer));
    define();
    must(recording_write_events(writer, &block));
    finish(3, 0, 1, true);
    struct model *model = load((struct model_options){0});
    assert_int_equal(model->calls, 1);
    assert_int_equal(only_node(model, MAIN)->calls, 0);
    assert_int_equal(only_node(model, MAIN)->total, 500);
    assert_int_equal(only_node(model, ADD)->calls, 1);
    model_free(model);
}

// -- Trees of streams -------------------------------------------------------------------------------------------------

static const struct recording_event streamed[] = {E(100, MAIN), E(200, ADD), L(300), L(700)};

// The tree of the stream above, except that it has other times, so that a test sees where totals come from.
static void write_its_tree(void)
{
    const struct recording_node nodes[] = {node(0, 0, 0, 0, UINT64_MAX, 0), node(0, MAIN, 1, 6000, 6000, 6000),
                                           node(1, ADD, 1, 1000, 1000, 1000)};
    must(recording_write_tree(writer, &(struct recording_tree){.process = 1,
                                                               .thread = 1,
                                                               .clock = START + 800,
                                                               .final = true,
                                                               .of_stream = true,
                                                               .position = 4,
                                                               .count = 3,
                                                               .nodes = nodes}));
}

static void write_stream_with_tree(void)
{
    create(path, INSTRUMENT_CALLS, CLOCK_KIND_MONOTONIC);
    define();
    write_stream(1, streamed, 4);
    write_its_tree();
}

static void expect_totals(uint64_t calls, uint64_t main_total, bool damaged)
{
    struct model *model = load((struct model_options){0});
    assert_int_equal(model->calls, calls);
    assert_int_equal(model->events, 2 * calls);
    assert_int_equal(only_node(model, MAIN)->total, main_total);
    assert_int_equal(model_damaged(model), damaged);
    model_free(model);
}

static void totals_come_from_the_tree_of_a_stream(void **state)
{
    (void)state;
    write_stream_with_tree();
    must(recording_close(writer, NULL));
    expect_totals(2, 6000, false);
    struct model *model = load((struct model_options){.names_only = true});
    assert_int_equal(model->events, 4);
    model_free(model);
    damage_block(RECORDING_EVENTS, 0); // of a payload that is not read
    expect_totals(2, 6000, false);
}

static void without_a_whole_tree_they_come_from_the_stream(void **state)
{
    (void)state;
    write_stream_with_tree();
    must(recording_close(writer, NULL));
    damage_block(RECORDING_TREE_NODES, 0);
    expect_totals(2, 600, true);
}

// A tree counts the stream up to its position, which is where the block before it ends.
static void a_tree_does_not_count_later_blocks(void **state)
{
    (void)state;
    write_stream_with_tree();
    const struct recording_event later[] = {E(800, ADD), L(900)};
    struct recording_events block = block_of(1, later, 2);
    block.position = 4;
    must(recording_write_events(writer, &block));
    must(recording_close(writer, NULL));
    expect_totals(3, 600, false);
}

// Another thread without a tree is decoded.
static void a_stream_without_a_tree_is_decoded_beside_others(void **state)
{
    (void)state;
    const struct recording_event other[] = {E(100, FIB), L(150)};
    create(path, INSTRUMENT_CALLS, CLOCK_KIND_MONOTONIC);
    define();
    write_stream(1, streamed, 4);
    write_stream(2, other, 2);
    write_its_tree();
    must(recording_close(writer, NULL));
    struct model *model = load((struct model_options){0});
    assert_int_equal(model->calls, 3);
    assert_int_equal(only_node(model, MAIN)->total, 6000);
    assert_int_equal(only_node(model, FIB)->total, 50);
    model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_open_activation_runs_to_the_newest_event),
        cmocka_unit_test(an_open_activation_ends_with_its_thread),
        cmocka_unit_test(a_later_part_counts_what_happens_in_it),
        cmocka_unit_test(totals_come_from_the_tree_of_a_stream),
        cmocka_unit_test(without_a_whole_tree_they_come_from_the_stream),
        cmocka_unit_test(a_tree_does_not_count_later_blocks),
        cmocka_unit_test(a_stream_without_a_tree_is_decoded_beside_others),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
