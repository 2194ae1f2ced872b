// When the agent begins to listen to exceptions, and when it stops: the runtime crashes when it announces the search
// for a handler of an exception that has no managed frame below it.
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
#include "session.h"
#include "trace/instrument.h"
#include "woven.h"

static const char csharp[] = "test/fuzz/corpus/metadata/CSharp.dll";
static const char fsharp[] = "test/fuzz/corpus/metadata/FSharp.dll";

#define IN_CHILD(name)                    \
    static void test_##name(void **state) \
    {                                     \
        (void)state;                      \
        assert_true(fake_run(name, 20));  \
    }

enum { SEARCH_ENTER = 55 };

static bool listens(void)
{
    return fake_asked.mask_low & CLR_MONITOR_EXCEPTIONS;
}

// The first method from a row on that has a body.
static uint32_t next_body(const struct fake_module *module, uint32_t row)
{
    while (!fake_has_il(module, row)) {
        row++;
        CHECK(row <= module->method_count);
    }
    return row;
}

static void compile(struct fake_module *module, uint32_t row)
{
    fake_compile(module, row, 0);
    fake_compiled(module, row, 0);
}

static void begin_with_scope(const char *scope)
{
    struct ring_options options = session_tree;
    options.scope = text_of(scope);
    session_record(&options);
    CHECK_EQUAL(fake_asked.masks, 1);
    CHECK(!listens());
}

// -- When it begins ---------------------------------------------------------------------------------------------------

static void once_a_recorded_method_is_compiled(void)
{
    begin_with_scope("include [*]*");
    struct fake_module *module = fake_load(csharp);
    uint32_t row = next_body(module, 1);
    fake_compile(module, row, 0);
    CHECK(!listens()); // Main may still fail to compile
    (void)fake_callback(CLR_CB_JIT_COMPILATION_FINISHED, fake_function(module, row, 0), (uintptr_t)-1, 1);
    CHECK(!listens());
    fake_compiled(module, row, 0);
    CHECK(listens());
    compile(module, next_body(module, row + 1));
    CHECK_EQUAL(fake_asked.masks, 2); // twice in all
}
IN_CHILD(once_a_recorded_method_is_compiled)

static void never_where_nothing_is_in_scope(void)
{
    begin_with_scope("include [Nothing]*");
    struct fake_module *module = fake_load(csharp);
    for (uint32_t row = 1; row <= module->method_count; row++) {
        compile(module, row);
    }
    CHECK_EQUAL(fake_asked.masks, 1);
}
IN_CHILD(never_where_nothing_is_in_scope)

// Hooks see every method, and the runtime runs some of the framework before it looks for Main.
static void hooks_wait_for_the_program(void)
{
    struct ring_options options = session_tree;
    options.flags |= SESSION_ALL_CODE;
    session_record(&options);
    CHECK(!listens());
    struct fake_module *core = fake_module_new(fsharp), *program;
    uint32_t name = fake_rename(core, "CompilationArgumentCountsAttribute", "System.Private.CoreLib");
    const struct metadata_layout *layout = &core->metadata.tables[TABLE_ASSEMBLY];
    const uint8_t *at = layout->rows + layout->offset[ASSEMBLY_NAME];
    memcpy(core->bytes + (at - core->bytes), &name, layout->width[ASSEMBLY_NAME]);
    fake_load_finished(core);
    for (uint32_t row = 1; row <= core->method_count; row++) {
        compile(core, row);
    }
    CHECK(!listens());
    program = fake_load(csharp);
    compile(program, next_body(program, 1));
    CHECK(listens());
    CHECK_EQUAL(fake_asked.masks, 2);
}
IN_CHILD(hooks_wait_for_the_program)

static struct fake_module *raced;

static void *compiles(void *row)
{
    compile(raced, next_body(raced, (uint32_t)(uintptr_t)row));
    CHECK(listens()); // before its code runs
    return NULL;
}

static void threads_begin_together(void)
{
    enum { THREADS = 8 };
    pthread_t threads[THREADS];
    begin_with_scope("include [*]*");
    raced = fake_load(csharp);
    for (uintptr_t i = 0; i < THREADS; i++) {
        CHECK_EQUAL(pthread_create(&threads[i], NULL, compiles, (void *)(i + 1)), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK_EQUAL(pthread_join(threads[i], NULL), 0);
    }
    CHECK(listens());
}
IN_CHILD(threads_begin_together)

static void the_runtime_refuses(void)
{
    begin_with_scope("include [*]*");
    struct fake_module *module = fake_load(csharp);
    uint32_t row = next_body(module, 1);
    fake_compile(module, row, 0);
    fake_fail_calls(2, false); // the first says which method it is
    fake_compiled(module, row, 0);
    CHECK(!listens());
    const struct told *note = session_find(RING_DEFINE_NOTE, 0, 0);
    CHECK(note && strstr(note->reason, "does not announce exceptions"));
    fake_fail_calls(0, false);
    compile(module, next_body(module, row + 1));
    CHECK_EQUAL(session_count(RING_DEFINE_NOTE), 1);
}
IN_CHILD(the_runtime_refuses)

// -- An exception in flight at the beginning --------------------------------------------------------------------------

static void nothing_runs(void)
{
    CHECK_EQUAL(session_running(session_thread()), 0);
    CHECK_EQUAL(session_thread()->current, session_thread()->root);
}

// An exception in flight passes frames that are not recorded, although the finally of one of them calls a recorded method.
static void an_exception_from_before(void)
{
    struct woven method;
    begin_with_scope("include [CSharp]*");
    struct fake_module *out = fake_load(fsharp), *in;
    clr_id function = fake_function(out, next_body(out, 1), 0);
    compile(out, next_body(out, 1));
    (void)fake_callback(CLR_CB_EXCEPTION_THROWN, 0, 0, 0); // not heard
    in = fake_load(csharp);
    woven_methods(in, false, &method, 1);
    CHECK(listens());
    (void)woven_enter(&method);
    woven_leave(&method);
    (void)fake_callback(CLR_CB_EXCEPTION_SEARCH_FILTER_LEAVE, 0, 0, 0);
    (void)fake_callback(CLR_CB_EXCEPTION_UNWIND_FINALLY_LEAVE, 0, 0, 0);
    (void)fake_callback(CLR_CB_EXCEPTION_UNWIND_FUNCTION_LEAVE, 0, 0, 0);
    (void)fake_callback(CLR_CB_EXCEPTION_UNWIND_FUNCTION_ENTER, function, 0, 0);
    (void)fake_callback(CLR_CB_EXCEPTION_CATCHER_ENTER, function, 0, 0);
    (void)woven_enter(&method);
    woven_leave(&method);
    (void)fake_callback(CLR_CB_EXCEPTION_CATCHER_LEAVE, 0, 0, 0);
    nothing_runs();
    CHECK_EQUAL(session_node(session_thread(), method.number, 0)->calls, 2);
    CHECK_EQUAL(session_node(session_thread(), method.number, 0)->exceptions, 0);
}
IN_CHILD(an_exception_from_before)

// -- When it ends -----------------------------------------------------------------------------------------------------

static struct woven plain;

static void begin_listening(void)
{
    begin_with_scope("include [*]*");
    woven_methods(fake_load(csharp), false, &plain, 1);
    CHECK(listens());
}

static void throws(void)
{
    (void)fake_callback(CLR_CB_EXCEPTION_THROWN, 0, 0, 0);
    (void)fake_callback((enum clr_callback_slot)SEARCH_ENTER, 0, 0, 0); // checks the stack as the runtime does not
}

static void no_managed_frame_is_below(void)
{
    begin_listening();
    throws();
    CHECK(listens());
    fake_native_stack = true;
    throws();
    CHECK(!listens());
    fake_native_stack = false;
    (void)woven_enter(&plain); // handlers of unhandled exceptions are the program's
    woven_leave(&plain);
    compile(plain.module, next_body(plain.module, plain.row + 1));
    CHECK(!listens());
}
IN_CHILD(no_managed_frame_is_below)

// The agent walks the stack only if no recorded method runs on the thread.
static void a_running_method_is_a_frame(void)
{
    begin_listening();
    fake_fail_calls(0, false);
    (void)woven_enter(&plain);
    throws();
    uint32_t without = fake_calls_made();
    woven_leave(&plain);
    throws();
    CHECK_EQUAL(fake_calls_made() - without, without + 1);
    CHECK(listens());
}
IN_CHILD(a_running_method_is_a_frame)

static void no_walk_no_change(void)
{
    begin_listening();
    fake_fail_calls(1, true);
    throws();
    CHECK(listens());
}
IN_CHILD(no_walk_no_change)

static void runtime_8_does_not_crash(void)
{
    fake_version = 8;
    begin_listening();
    CHECK(!(fake_asked.mask_low & CLR_ENABLE_STACK_SNAPSHOT));
    (void)fake_callback(CLR_CB_EXCEPTION_THROWN, 0, 0, 0); // a walk would end the test
    CHECK(listens());
}
IN_CHILD(runtime_8_does_not_crash)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_once_a_recorded_method_is_compiled),
        cmocka_unit_test(test_never_where_nothing_is_in_scope),
        cmocka_unit_test(test_hooks_wait_for_the_program),
        cmocka_unit_test(test_threads_begin_together),
        cmocka_unit_test(test_the_runtime_refuses),
        cmocka_unit_test(test_an_exception_from_before),
        cmocka_unit_test(test_no_managed_frame_is_below),
        cmocka_unit_test(test_a_running_method_is_a_frame),
        cmocka_unit_test(test_no_walk_no_change),
        cmocka_unit_test(test_runtime_8_does_not_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
