// Modules that are loaded and unloaded for ever leave no memory of the agent behind.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>

#include "check.h"
#include "memory.h"
#include "session.h"
#include "trace/instrument.h"
#include "woven.h"

static const char staying_path[] = "test/fuzz/corpus/pdb/CSharpRelease.dll";
static const char passing_path[] = "test/fuzz/corpus/pdb/CSharpDebug.dll";

#define IN_CHILD(name)                    \
    static void test_##name(void **state) \
    {                                     \
        (void)state;                      \
        assert_true(fake_run(name, 200)); \
    }

enum { PASSING = 40, WARM = 400 };

static struct fake_module *staying, *passing[PASSING];

static void begin(uint32_t instruments)
{
    struct ring_options options = session_tree;
    options.instruments = instruments;
    session_record(&options);
    staying = fake_load(staying_path);
    for (uint32_t i = 0; i < PASSING; i++) {
        passing[i] = fake_module_new(passing_path);
        passing[i]->flags |= CLR_MODULE_COLLECTIBLE;
    }
}

// Compiles methods of the module: some of them, but in time all.
static void compile_some(struct fake_module *module, uint32_t round)
{
    enum { AT_A_TIME = 4 };
    for (uint32_t i = 0; i < AT_A_TIME; i++) {
        uint32_t row = 1 + (round * AT_A_TIME + i) % module->method_count;
        if (fake_has_il(module, row)) {
            fake_compile(module, row, 0);
            fake_compiled(module, row, 0);
        }
    }
}

static void use(uint32_t round)
{
    struct fake_module *module = passing[round % PASSING];
    fake_load_finished(module);
    compile_some(module, round);
    fake_unload(module);
    session_skip();
}

// -- Memory -----------------------------------------------------------------------------------------------------------

static void blocks_are_freed(uint32_t instruments, uint32_t rounds)
{
    begin(instruments);
    uint32_t round = 0;
    while (round < WARM) {
        use(round++);
    }
    int64_t held = memory_held();
    size_t bytes = mallinfo2().uordblks; // nothing under sanitizers
    while (round < rounds) {
        use(round++);
    }
    CHECK_EQUAL(memory_held(), held);
    CHECK(mallinfo2().uordblks <= bytes + (64 << 10));
}

static void modules_leave_nothing(void)
{
    blocks_are_freed(INSTRUMENT_TREE | INSTRUMENT_CALLS, 10000);
}
IN_CHILD(modules_leave_nothing)

static void modules_with_sites_leave_nothing(void)
{
    blocks_are_freed(INSTRUMENT_TREE | INSTRUMENT_LINES | INSTRUMENT_STATEMENTS | INSTRUMENT_VALUES | INSTRUMENT_USES,
                     3000);
}
IN_CHILD(modules_with_sites_leave_nothing)

// A module that is found by its id is never an earlier one with the same id.
static void numbers_are_not_used_again(void)
{
    struct woven_sites sites;
    uint32_t method = 0, site = 0;
    begin(INSTRUMENT_STATEMENTS | INSTRUMENT_VALUES);
    for (uint32_t i = 0; i < 3 * PASSING; i++) {
        struct fake_module *module = passing[i % PASSING];
        fake_load_finished(module);
        const struct told *told = session_find(RING_DEFINE_MODULE, 0, 0);
        CHECK_EQUAL(told->module, 2 + i);
        for (uint32_t row = 1, woven = 0; !woven && row <= module->method_count; row++) {
            if (fake_has_il(module, row)) {
                fake_compile(module, row, 0);
                woven = woven_sites_read(module, row, &sites);
            }
        }
        CHECK(sites.number > method && sites.first > site);
        method = sites.number;
        site = sites.first;
        woven_sites_free(&sites);
        fake_unload(module);
        CHECK(session_find(RING_DEFINE_MODULE_END, 2 + i, 0));
    }
}
IN_CHILD(numbers_are_not_used_again)

// -- Meanwhile --------------------------------------------------------------------------------------------------------

static _Atomic bool over;

// Callbacks of the runtime about a module that stays.
static void *ask(void *unused)
{
    fake_thread = 0x2000;
    while (!atomic_load(&over)) {
        for (uint32_t row = 1; row <= staying->method_count; row++) {
            int32_t answer = 0;
            clr_id function = fake_function(staying, row, 0);
            (void)fake_callback(CLR_CB_JIT_CACHED_FUNCTION_SEARCH_STARTED, function, (uintptr_t)&answer, 0);
            CHECK_EQUAL(answer, 0); // the module is known, so precompiled code is refused
            (void)fake_callback(CLR_CB_JIT_INLINING, function, function, (uintptr_t)&answer);
        }
    }
    return unused;
}

static void others_are_found_meanwhile(void)
{
    pthread_t thread;
    begin(INSTRUMENT_TREE | INSTRUMENT_VALUES);
    CHECK_EQUAL(pthread_create(&thread, NULL, ask, NULL), 0);
    for (uint32_t round = 0; round < 1000; round++) {
        use(round);
    }
    atomic_store(&over, true);
    CHECK_EQUAL(pthread_join(thread, NULL), 0);
}
IN_CHILD(others_are_found_meanwhile)

// The runtime may not announce a module's end.
static void an_id_that_comes_again_is_the_newest_module(void)
{
    begin(INSTRUMENT_STATEMENTS);
    for (uint32_t i = 0; i < 3; i++) {
        fake_load_finished(passing[0]);
    }
    for (uint32_t row = 1; row <= passing[0]->method_count; row++) {
        if (fake_has_il(passing[0], row)) {
            fake_compile(passing[0], row, 0);
        }
    }
    CHECK(session_find(RING_DEFINE_METHOD, 4, 0));
    CHECK(!session_find(RING_DEFINE_METHOD, 2, 0) && !session_find(RING_DEFINE_METHOD, 3, 0));
}
IN_CHILD(an_id_that_comes_again_is_the_newest_module)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_modules_leave_nothing),
        cmocka_unit_test(test_modules_with_sites_leave_nothing),
        cmocka_unit_test(test_numbers_are_not_used_again),
        cmocka_unit_test(test_others_are_found_meanwhile),
        cmocka_unit_test(test_an_id_that_comes_again_is_the_newest_module),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
