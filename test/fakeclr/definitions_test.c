// Definitions that the collector does not read: no thread waits for ever, and no method is woven whose events could not
// be read.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include <pthread.h>
#include <time.h>

#include "agent/session/report.h"
#include "check.h"
#include "runtime.h"
#include "session.h"
#include "trace/instrument.h"

static const char csharp[] = "test/fuzz/corpus/metadata/CSharp.dll";

#define IN_CHILD(name)                    \
    static void test_##name(void **state) \
    {                                     \
        (void)state;                      \
        assert_true(fake_run(name, 60));  \
    }

// A collector that drains everything but definitions. This once kept a thread in the JIT for ever.
static void *make_progress(void *context)
{
    for (;;) {
        const struct timespec pause = {.tv_nsec = 1000000};
        (void)nanosleep(&pause, NULL);
        atomic_fetch_add(&session_ring->progress, 1);
    }
    return context;
}

static void compile_some(struct fake_module *module, uint32_t most)
{
    uint32_t compiled = 0;
    for (uint32_t row = 1; row <= module->method_count && compiled < most; row++) {
        if (fake_has_il(module, row)) {
            fake_compile(module, row, 0);
            compiled++;
        }
    }
}

static void begin(void)
{
    pthread_t thread;
    session_record(&(struct ring_options){.process = 1, .clock = CLOCK_KIND_TSC, .instruments = INSTRUMENT_TREE});
    CHECK_EQUAL(pthread_create(&thread, NULL, make_progress, NULL), 0);
    CHECK_EQUAL(pthread_detach(thread), 0);
    DEFINITIONS_LIMIT_NS = 50000000;
}

static void a_cursor_that_was_overwritten_holds_nobody_up(void)
{
    begin();
    struct fake_module *module = fake_load(csharp);
    atomic_fetch_add(&session_ring->definitions_written, UINT64_C(1) << 40);
    compile_some(module, 5);
    CHECK(atomic_load(&session_ring->collector_gone));
}
IN_CHILD(a_cursor_that_was_overwritten_holds_nobody_up)

static void a_ring_that_nobody_reads_holds_nobody_up(void)
{
    begin();
    struct fake_module *module = fake_load(csharp);
    atomic_store(&session_ring->definitions_read, 0);
    atomic_store(&session_ring->definitions_written, RING_DEFINITIONS_SIZE);
    compile_some(module, 5);
    CHECK(atomic_load(&session_ring->collector_gone));
}
IN_CHILD(a_ring_that_nobody_reads_holds_nobody_up)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_cursor_that_was_overwritten_holds_nobody_up),
        cmocka_unit_test(test_a_ring_that_nobody_reads_holds_nobody_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
