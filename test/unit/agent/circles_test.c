// Probes in a segment that the program overwrites: a call tree with circles, positions that change at any moment. They end, and
// the thread continues.
#include "trace/instrument.h"
#include "unit/agent/probing.h"

enum { MAIN = 16, A = 17, B = 18, C = 19, NODES = 1 << 12, LIMIT_SECONDS = 60 };

static const struct ring_options tree = {.clock = CLOCK_KIND_TSC, .instruments = INSTRUMENT_TREE, .nodes_max = NODES};
static const struct ring_options calls = {.clock = CLOCK_KIND_TSC, .instruments = INSTRUMENT_CALLS, .nodes_max = NODES};

static struct ring_node *node_of(uint32_t method)
{
    uint32_t node = probe_newest(method);
    assert_int_not_equal(node, 0);
    return node_at(node);
}

// A path of three nodes whose last is the parent of its first.
static void enter_circle(void)
{
    probes->enter(MAIN);
    probes->enter(A);
    probes->enter(B);
    node_of(MAIN)->parent = probe_newest(B);
}

static void expect_end(void)
{
    assert_int_equal(thread_self->current, thread_self->root);
    probes->enter(C);
    assert_int_equal(node_at(thread_self->current)->method, C);
    probes->leave(C);
    assert_int_equal(thread_self->current, thread_self->root);
}

static void leave_unknown(void)
{
    enter_circle();
    probes->leave(C);
    expect_end();
}

static void unwind_unknown(void)
{
    enter_circle();
    assert_int_equal(probe_newest(C), 0);
    expect_end();
}

static void go_back_to_another(void)
{
    probes->enter(C);
    uint32_t other = probe_newest(C);
    enter_circle();
    probes->restate(other);
    probes->leave(C);
    expect_end();
}

static void end_filter(void)
{
    enter_circle();
    probes->filter(probe_newest(B));
    probes->enter(C);
    node_of(C)->parent = probe_newest(C);
    probes->filter_end();
    assert_int_equal(thread_self->current, thread_self->root);
}

static void heal_hooks(void)
{
    uintptr_t stack = 1 << 20;
    probes->hook_enter(MAIN, stack -= 64);
    probes->hook_enter(A, stack -= 64);
    node_of(MAIN)->parent = probe_newest(A);
    probes->hook_enter(B, 1 << 21); // all of them have ended
    probes->hook_leave(B, 1 << 21);
    assert_int_equal(thread_self->current, thread_self->root);
}

static void look_for_a_sibling(void)
{
    probes->enter(A);
    node_of(A)->next_sibling = probe_newest(A);
    probes->leave(A);
    for (int i = 0; i < 2; i++) {
        probes->enter(B);
        probes->leave(B);
    }
    assert_int_equal(node_at(node_at(thread_self->root)->first_child)->method, B);
    assert_int_equal(node_at(node_at(thread_self->root)->first_child)->calls, 2);
}

static void look_for_a_wild_sibling(void)
{
    probes->enter(A);
    node_of(A)->next_sibling = UINT32_MAX;
    probes->leave(A);
    probes->enter(B);
    probes->leave(B);
    assert_int_equal(node_at(thread_self->root)->calls, 1);
}

static void take_wild_blocks(void)
{
    static const uint32_t tops[] = {UINT32_MAX, NODES, RING_NODE_BLOCK + 1, 1};
    for (size_t i = 0; i < sizeof tops / sizeof *tops; i++) {
        atomic_store(&probe_ring->free_node_blocks, tops[i]);
        for (uint32_t method = 0; method < RING_NODE_BLOCK; method++) {
            uint32_t fresh = MAIN + (uint32_t)i * RING_NODE_BLOCK + method;
            probes->enter(fresh);
            probes->leave(fresh);
        }
    }
    assert_int_equal(thread_self->current, thread_self->root);
}

// -- Positions --------------------------------------------------------------------------------------------------------

static struct {
    struct ring_thread *_Atomic thread; // that is overwritten, until it is NULL
} positions;

// Overwrites where the thread writes, half of it at a time, and puts it back.
static void *overwrite_position(void *unused)
{
    struct ring_thread *thread;
    while ((thread = atomic_load(&positions.thread)) != NULL) {
        uint64_t at = atomic_load(&thread->at), wild = at | UINT64_C(0xFFFFFFFF00000000);
        if (at != wild && atomic_compare_exchange_strong(&thread->at, &at, wild)) {
            (void)atomic_compare_exchange_strong(&thread->at, &wild, at);
        }
    }
    return unused;
}

static void write_while_overwritten(void)
{
    pthread_t other;
    probes->enter(MAIN);
    atomic_store(&positions.thread, thread_self);
    assert_int_equal(pthread_create(&other, NULL, overwrite_position, NULL), 0);
    for (int i = 0; i < 2000000; i++) {
        thread_self->limit = 0; // each event asks for room
        probes->enter(A);
        probes->leave(A);
    }
    atomic_store(&positions.thread, NULL);
    assert_int_equal(pthread_join(other, NULL), 0);
    probes->leave(MAIN);
    assert_int_equal(thread_self->current, thread_self->root);
}

// A limit that is overwritten before the thread has a chunk.
static void write_without_chunk(void)
{
    probes->enter(MAIN);
    atomic_store(&thread_self->at, 0);
    thread_self_private->chunk = 0;
    thread_self->limit = UINT64_MAX;
    probes->leave(MAIN);
    assert_int_equal(thread_self->current, thread_self->root);
}

static void test_writes_while_overwritten(void **state)
{
    (void)state;
    struct ring_options lossy = calls;
    lossy.flags = SESSION_LOSSY;
    (void)alarm(LIMIT_SECONDS);
    run(&lossy, write_while_overwritten);
    (void)alarm(0);
}

static void test_writes_without_chunk(void **state)
{
    (void)state;
    run(&calls, write_without_chunk);
}

#define TREE_TEST(body)                   \
    static void test_##body(void **state) \
    {                                     \
        (void)state;                      \
        (void)alarm(LIMIT_SECONDS);       \
        run(&tree, body);                 \
        run(&calls, body);                \
        (void)alarm(0);                   \
    }
TREE_TEST(leave_unknown)
TREE_TEST(unwind_unknown)
TREE_TEST(go_back_to_another)
TREE_TEST(end_filter)
TREE_TEST(heal_hooks)
TREE_TEST(look_for_a_sibling)
TREE_TEST(look_for_a_wild_sibling)
TREE_TEST(take_wild_blocks)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_leave_unknown),
        cmocka_unit_test(test_unwind_unknown),
        cmocka_unit_test(test_go_back_to_another),
        cmocka_unit_test(test_end_filter),
        cmocka_unit_test(test_heal_hooks),
        cmocka_unit_test(test_look_for_a_sibling),
        cmocka_unit_test(test_look_for_a_wild_sibling),
        cmocka_unit_test(test_take_wild_blocks),
        cmocka_unit_test(test_writes_while_overwritten),
        cmocka_unit_test(test_writes_without_chunk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
