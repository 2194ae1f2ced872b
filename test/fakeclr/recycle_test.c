// Threads come and go while the collector gives their slots and nodes back: every thread's tree must be its own and
// exact, and the segment must not grow.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include <pthread.h>
#include <string.h>

#include "check.h"
#include "collector/drain/tree_copy.h"
#include "session.h"
#include "woven.h"

enum { LANES = 6, ROUNDS = 150, DEEP = 150 };

static struct woven methods[2];
static pthread_mutex_t collector = PTHREAD_MUTEX_INITIALIZER;
static struct tree_copy scratch;

// A tree of 1 + 2 * DEEP nodes: the first method calls itself, and the second one on each level, twice.
static void *run_thread(void *out)
{
    for (int i = 0; i < DEEP; i++) {
        (void)woven_enter(&methods[0]);
        for (int twice = 0; twice < 2; twice++) {
            (void)woven_enter(&methods[1]);
            woven_leave(&methods[1]);
        }
    }
    for (int i = 0; i < DEEP; i++) {
        woven_leave(&methods[0]);
    }
    const struct ring_thread *thread = session_thread();
    const struct ring_node *nodes = ring_nodes(session_ring);
    CHECK_EQUAL(session_running(thread), 0);
    uint32_t at = thread->root;
    for (int i = 0; i < DEEP; i++) {
        uint32_t other = nodes[at].first_child;
        while (nodes[other].method != methods[0].number) {
            other = nodes[other].next_sibling;
        }
        CHECK_EQUAL(nodes[other].parent, at);
        at = other;
        CHECK_EQUAL(nodes[at].calls, 1);
        uint32_t leaf = nodes[at].first_child;
        while (leaf && nodes[leaf].method != methods[1].number) {
            leaf = nodes[leaf].next_sibling;
        }
        CHECK(leaf && nodes[leaf].parent == at && nodes[leaf].first_child == 0);
        CHECK_EQUAL(nodes[leaf].calls, 2);
    }
    *(uint32_t *)out = (uint32_t)(thread - ring_threads(session_ring));
    return NULL;
}

// As the collector does once it has seen the thread's end.
static void give_back(uint32_t slot)
{
    struct ring_thread *thread = &ring_threads(session_ring)[slot];
    (void)pthread_mutex_lock(&collector);
    atomic_store(&thread->state, RING_THREAD_ENDED);
    CHECK(tree_recycle(&scratch, session_ring, thread));
    memset(thread, 0, offsetof(struct ring_thread, state));
    memset(&thread->thread, 0, sizeof *thread - offsetof(struct ring_thread, thread));
    atomic_store_explicit(&thread->state, RING_THREAD_FREE, memory_order_release);
    (void)pthread_mutex_unlock(&collector);
}

static void *run_lane(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_t thread;
        uint32_t slot;
        CHECK_EQUAL(pthread_create(&thread, NULL, run_thread, &slot), 0);
        CHECK_EQUAL(pthread_join(thread, NULL), 0);
        give_back(slot);
    }
    return unused;
}

static void slots_and_nodes_are_used_again(void)
{
    pthread_t lanes[LANES];
    session_record(&session_tree);
    woven_methods(fake_load("test/fuzz/corpus/metadata/CSharp.dll"), false, methods, 2);
    for (int i = 0; i < LANES; i++) {
        CHECK_EQUAL(pthread_create(&lanes[i], NULL, run_lane, NULL), 0);
    }
    for (int i = 0; i < LANES; i++) {
        CHECK_EQUAL(pthread_join(lanes[i], NULL), 0);
    }
    CHECK_EQUAL(session_ring->threads_started, 1 + LANES * ROUNDS); // one calibrated
    CHECK_EQUAL(session_ring->threads_refused, 0);
    CHECK_EQUAL(session_ring->over_cap, 0);
    CHECK(session_ring->threads_used <= 64 + LANES);
    uint32_t each = (2 * DEEP + 1 + RING_NODE_BLOCK) / RING_NODE_BLOCK * RING_NODE_BLOCK;
    CHECK(session_ring->nodes_used <= (LANES + 2) * each + 70 * RING_NODE_BLOCK);
}

static void test_slots_and_nodes_are_used_again(void **state)
{
    (void)state;
    assert_true(fake_run(slots_and_nodes_are_used_again, 60));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slots_and_nodes_are_used_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
