// Call trees of a part of a recording: the whole as a range gives what the streams give, and borders cut times off.
#include "model/model_range.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../made_recording.h"
#include "../recording_path.h"
#include "loading.h"
#include "trace/instrument.h"

static struct model *count(uint32_t thread, uint64_t from, uint64_t to)
{
    const struct model_range range = {.thread = thread, .from = from, .to = to, .threads_apart = true};
    struct model *model = load((struct model_options){.names_only = true});
    assert_int_equal(model_count_range(model, &range), CLEW_OK);
    return model;
}

// The first node of the method in any tree; NULL: none.
static const struct tree_node *find(const struct model *model, uint32_t method)
{
    for (uint32_t i = 0; i < model->tree_count; i++) {
        for (uint32_t node = 1; node < model->trees[i].tree.count; node++) {
            if (model->trees[i].tree.nodes[node].method == method) {
                return &model->trees[i].tree.nodes[node];
            }
        }
    }
    return NULL;
}

static void the_whole_is_what_the_streams_give(void **state)
{
    (void)state;
    make_calls(path);
    struct model *ranged = count(0, 0, UINT64_MAX), *whole = load((struct model_options){.threads_apart = true});
    assert_int_equal(ranged->tree_count, whole->tree_count);
    assert_int_equal(ranged->calls, whole->calls);
    assert_int_equal(ranged->open, whole->open);
    for (uint32_t i = 0; i < whole->tree_count; i++) {
        assert_int_equal(ranged->trees[i].thread, whole->trees[i].thread);
        assert_int_equal(ranged->trees[i].tree.count, whole->trees[i].tree.count);
        for (uint32_t node = 0; node < whole->trees[i].tree.count; node++) {
            const struct tree_node *a = &ranged->trees[i].tree.nodes[node], *b = &whole->trees[i].tree.nodes[node];
            assert_int_equal(a->method, b->method);
            assert_int_equal(a->calls, b->calls);
            assert_int_equal(a->total, b->total);
            assert_int_equal(a->inside, b->inside);
            assert_int_equal(a->shortest, b->shortest);
            assert_int_equal(a->longest, b->longest);
            assert_int_equal(a->exceptions, b->exceptions);
        }
    }
    model_free(ranged);
    model_free(whole);
}

static void borders_cut_times_off_and_count_no_calls(void **state)
{
    (void)state;
    make_calls(path);
    struct model *model = count(2, START + 2600, START + 2700); // within ADD_TEXT, 2500 to 2750, in LATER
    assert_int_equal(model->tree_count, 1);
    assert_int_equal(find(model, ADD_TEXT)->total, 100);
    assert_int_equal(find(model, ADD_TEXT)->calls, 0);
    assert_int_equal(find(model, ADD_TEXT)->open, 1);
    assert_int_equal(find(model, ADD_TEXT)->shortest, UINT64_MAX);
    assert_int_equal(find(model, LATER)->total, 100);
    assert_int_equal(find(model, LATER)->inside, 100);
    assert_int_equal(model->calls, 0);
    assert_int_equal(model->open, 2);
    model_free(model);
}

static void a_thread_without_events_in_the_range_has_its_time(void **state)
{
    (void)state;
    make_calls(path);
    struct model *model = count(0, START + 5500, START + 6000); // MAIN runs to 9100, LATER to 8050
    assert_int_equal(find(model, MAIN)->total, 500);
    assert_int_equal(find(model, LATER)->total, 500);
    assert_null(find(model, SAVE));
    model_free(model);
}

static void activations_within_the_range_count(void **state)
{
    (void)state;
    make_calls(path);
    struct model *model = count(1, START + 2900, START + 3500);
    assert_int_equal(find(model, THROW)->calls, 1);
    assert_int_equal(find(model, THROW)->exceptions, 1);
    assert_int_equal(find(model, THROW)->total, 500);
    assert_int_equal(find(model, THROW)->shortest, 500);
    assert_int_equal(find(model, MAIN)->total, 600);
    assert_int_equal(model->calls, 1);
    model_free(model);
}

static void only_one_thread_is_kept(void **state)
{
    (void)state;
    make_calls(path);
    struct model *model = load((struct model_options){.threads_apart = true});
    model_keep_thread(model, 2);
    assert_int_equal(model->tree_count, 1);
    assert_int_equal(model->calls, 2);
    assert_null(find(model, MAIN));
    model_free(model);
}

static void without_a_stream_nothing_is_counted(void **state)
{
    (void)state;
    make_tree(path, CLOCK_KIND_MONOTONIC, true);
    const struct model_range range = {.to = UINT64_MAX};
    struct model *model = load((struct model_options){.names_only = true});
    assert_int_equal(model_count_range(model, &range), CLEW_NOTHING_RECORDED);
    model_free(model);
}

static void a_last_moment_is_never_before_the_last_event(void **state)
{
    (void)state;
    make_calls(path);
    struct model *model = load((struct model_options){.names_only = true});
    assert_int_equal(model_last_moment(model, 1, 77, START + 5), START + 10000); // an unknown thread: its process's end
    assert_int_equal(model_last_moment(model, 77, 1, START + 5), START + 5);
    assert_int_equal(model_last_moment(model, 1, 1, UINT64_MAX), UINT64_MAX);
    model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_whole_is_what_the_streams_give),
        cmocka_unit_test(borders_cut_times_off_and_count_no_calls),
        cmocka_unit_test(a_thread_without_events_in_the_range_has_its_time),
        cmocka_unit_test(activations_within_the_range_count),
        cmocka_unit_test(only_one_thread_is_kept),
        cmocka_unit_test(without_a_stream_nothing_is_counted),
        cmocka_unit_test(a_last_moment_is_never_before_the_last_event),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
