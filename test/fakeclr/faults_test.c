// Every call of the runtime and every allocation of the agent fails in turn, in a script that has all a program's life
// in it. Whatever fails: no crash, no hang, no half-woven body (the stand-in verifies each), and every method that is
// left without probes is told of, by itself or with its module, unless memory failed, which may silence the telling.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "check.h"
#include "memory.h"
#include "session.h"
#include "trace/instrument.h"
#include "woven.h"

static const char basic[] = "test/fuzz/corpus/metadata/VisualBasic.dll";
static const char fsharp[] = "test/fuzz/corpus/metadata/FSharp.dll";

#ifdef MEMORY_WRAPPED
enum { STEP = 3 }; // sanitizers take their time
#else
enum { STEP = 1 };
#endif

enum kind { RUNTIME_CALLS, ALLOCATIONS };

// Which call or allocation fails, and the child's results; shared with the child.
struct fault {
    enum kind kind;
    uint32_t from;
    bool all;
    uint32_t made; // calls or allocations that a run made
};
static struct fault *fault;
static struct ring_options options;

// -- The script -------------------------------------------------------------------------------------------------------

static void *another_thread(void *method)
{
    (void)woven_enter(method);
    woven_leave(method);
    return NULL;
}

static void play(struct woven *outer, struct woven *inner)
{
    pthread_t thread;
    uintptr_t activation = woven_enter(outer);
    (void)woven_enter(inner);
    (void)fake_callback(CLR_CB_EXCEPTION_SEARCH_FILTER_ENTER, woven_function(outer), 0, 0);
    (void)fake_callback(CLR_CB_EXCEPTION_SEARCH_FILTER_LEAVE, 0, 0, 0);
    (void)fake_callback(CLR_CB_EXCEPTION_UNWIND_FUNCTION_ENTER, woven_function(inner), 0, 0);
    (void)fake_callback(CLR_CB_EXCEPTION_UNWIND_FUNCTION_LEAVE, 0, 0, 0);
    (void)fake_callback(CLR_CB_EXCEPTION_UNWIND_FUNCTION_ENTER, woven_function(outer), 0, 0);
    (void)fake_callback(CLR_CB_EXCEPTION_CATCHER_ENTER, woven_function(outer), 0, 0);
    if (outer->restate) {
        woven_restate(outer, activation);
    }
    woven_leave(outer);
    const struct ring_thread *recorded = session_thread();
    if (recorded) {
        CHECK_EQUAL(session_running(recorded), 0);
        CHECK_EQUAL(recorded->current, recorded->root);
    } else { // there was no memory for the private part of a thread
        CHECK(fault->kind == ALLOCATIONS && session_ring->threads_refused > 0);
        CHECK_EQUAL(ring_threads(session_ring)->state, RING_THREAD_ENDED); // it returns its slot
    }
    CHECK_EQUAL(pthread_create(&thread, NULL, another_thread, inner), 0);
    CHECK_EQUAL(pthread_join(thread, NULL), 0);
}

// Whether the report lacks a reason for a method without probes.
static bool unexplained(const struct fake_module *module, uint32_t number, uint32_t row)
{
    const struct told *about = session_find(RING_DEFINE_MODULE, number, 0);
    if (session_ring->agent_state == RING_AGENT_ABSENT || session_ring->agent_state == RING_AGENT_REFUSED) {
        return false;
    }
    uint32_t body = woven_body_of(module, row); // it may record its kick-off, or be what was not woven
    return fake_has_il(module, row) && (!about || about->flags & MODULE_IN_SCOPE) &&
           !session_find(RING_DEFINE_NOT_WOVEN, number, TOKEN(TABLE_METHOD_DEF, row)) &&
           !(body &&
             (session_find(RING_DEFINE_METHOD, number, body) || session_find(RING_DEFINE_NOT_WOVEN, number, body)));
}

static void compile_all(struct fake_module *module)
{
    for (uint32_t row = 1; row <= module->method_count; row++) {
        int32_t answer;
        (void)fake_callback(CLR_CB_JIT_CACHED_FUNCTION_SEARCH_STARTED, fake_function(module, row, 0),
                            (uintptr_t)&answer, 0);
        (void)fake_callback(CLR_CB_JIT_INLINING, 0, fake_function(module, row, 0), (uintptr_t)&answer);
        fake_compile(module, row, 0);
        fake_compiled(module, row, 0);
        fake_compile(module, row, 1);
        fake_compiled(module, row, 1);
    }
}

static uint32_t count_woven(struct fake_module *module, uint32_t number, struct woven *out, uint32_t *silent)
{
    uint32_t count = 0;
    for (uint32_t row = 1; row <= module->method_count; row++) {
        CHECK(module->methods[row - 1].times_set <= 1);
        if (woven_read(module, row, &out[count < 2 ? count : 2])) {
            count += !out[count < 2 ? count : 2].is_run;
        } else {
            *silent += unexplained(module, number, row);
        }
    }
    return count;
}

// Methods with sites have other probes: they are only counted, and one of them is run.
static void play_sites(struct fake_module *module, uint32_t number, uint32_t *silent)
{
    struct woven_sites sites = {0};
    for (uint32_t row = 1; row <= module->method_count; row++) {
        CHECK(module->methods[row - 1].times_set <= 1);
        *silent += module->methods[row - 1].times_set == 0 && unexplained(module, number, row);
        if (!sites.enter_context && (!woven_sites_read(module, row, &sites) || sites.is_run)) {
            woven_sites_free(&sites);
        }
    }
    if (sites.enter_context && sites.leave) {
        CHECK(sites.enter_context(sites.number, NULL));
        if (sites.leave(sites.number)) {
            sites.wait();
        }
        const struct ring_thread *thread = session_thread();
        CHECK(thread || fault->kind == ALLOCATIONS); // without memory it has no slot
        CHECK(!thread || session_running(thread) == 0);
    }
    woven_sites_free(&sites);
}

static void script(void)
{
    static const clr_char name[] = {'T'};
    session_open(&options, SESSION_ACCEPTS);
    fake_fail_calls(fault->kind == RUNTIME_CALLS ? fault->from : 0, fault->all);
    memory_fail(fault->kind == ALLOCATIONS ? fault->from : 0, fault->all);
    if (fake_start() == CLR_OK) {
        struct woven woven[3];
        uint32_t silent = 0;
        struct fake_module *module = fake_load(basic), *gone = fake_module_new(fsharp);
        gone->flags |= CLR_MODULE_COLLECTIBLE;
        fake_load_finished(gone);
        (void)fake_callback(CLR_CB_THREAD_ASSIGNED_TO_OS_THREAD, 0x1000, 77, 0);
        (void)fake_callback(CLR_CB_THREAD_NAME_CHANGED, 0x1000, 1, (uintptr_t)name);
        (void)fake_callback(CLR_CB_THREAD_DESTROYED, 0x1000, 0, 0);
        compile_all(module);
        if (options.instruments & INSTRUMENT_STATEMENTS) {
            play_sites(module, 1, &silent);
        } else if (count_woven(module, 1, woven, &silent) >= 2) {
            play(&woven[0], &woven[1]);
        }
        fake_compile(gone, 1, 0);
        fake_unload(gone);
        // A call that fails makes one method silent at most; the runtime that refuses all makes each, and all the
        // modules.
        CHECK(fault->kind == ALLOCATIONS || fault->all || silent == 0);
        (void)fake_callback(CLR_CB_SHUTDOWN, 0, 0, 0);
    }
    fault->made = fault->kind == RUNTIME_CALLS ? fake_calls_made() : memory_asked();
}

// -- Failing in turn --------------------------------------------------------------------------------------------------

static void fail_in_turn(enum kind kind, bool all, uint32_t step)
{
    fault = mmap(NULL, sizeof *fault, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(fault, MAP_FAILED);
    *fault = (struct fault){.kind = kind, .all = all};
    for (int tries = 0; tries < 20 && fault->made < 100; tries++) { // a busy machine may miss the handshake
        assert_true(fake_run(script, 20));
    }
    uint32_t clean = fault->made;
    assert_true(clean > 100);
    for (fault->from = 1; fault->from <= clean; fault->from += step) {
        if (!fake_run(script, 20)) {
            fail_msg("%s number %u", kind == RUNTIME_CALLS ? "runtime call" : "allocation", fault->from);
        }
    }
    (void)munmap(fault, sizeof *fault);
}

static void test_each_runtime_call_fails(void **state)
{
    (void)state;
    options = session_tree;
    fail_in_turn(RUNTIME_CALLS, false, STEP);
}

static void test_each_runtime_call_and_all_after_fail(void **state)
{
    (void)state;
    options = session_tree;
    fail_in_turn(RUNTIME_CALLS, true, 7 * STEP);
}

static void test_each_allocation_fails(void **state)
{
    (void)state;
    options = session_tree;
    fail_in_turn(ALLOCATIONS, false, STEP);
}

static void test_each_allocation_and_all_after_fail(void **state)
{
    (void)state;
    options = session_tree;
    fail_in_turn(ALLOCATIONS, true, 7 * STEP);
}

static void test_allocations_fail_with_a_stream_and_a_narrow_scope(void **state)
{
    (void)state;
    options = session_tree;
    options.instruments |= INSTRUMENT_CALLS;
    options.scope = text_of("include *\nexclude *Nothing*\n"); // names are made for the scope
    fail_in_turn(ALLOCATIONS, false, 3 * STEP);
}

static void test_what_sites_need_fails(void **state)
{
    (void)state;
    options = session_tree;
    options.instruments = INSTRUMENT_STATEMENTS | INSTRUMENT_VALUES;
    fail_in_turn(RUNTIME_CALLS, false, 2 * STEP);
    fail_in_turn(RUNTIME_CALLS, true, 23 * STEP);
    fail_in_turn(ALLOCATIONS, false, 5 * STEP);
    fail_in_turn(ALLOCATIONS, true, 37 * STEP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_runtime_call_fails),
        cmocka_unit_test(test_each_runtime_call_and_all_after_fail),
        cmocka_unit_test(test_each_allocation_fails),
        cmocka_unit_test(test_each_allocation_and_all_after_fail),
        cmocka_unit_test(test_allocations_fail_with_a_stream_and_a_narrow_scope),
        cmocka_unit_test(test_what_sites_need_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
