// Which exceptions are pinned while they are dispatched, and when they are released. Functions that are called below a
// throw play the runtime's part, on the real stack of the machine.
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
#include "runtime.h"
#include "session.h"
#include "woven.h"

#define IN_CHILD(name)                    \
    static void test_##name(void **state) \
    {                                     \
        (void)state;                      \
        assert_true(fake_run(name, 20));  \
    }

#define FRAME ((uintptr_t)__builtin_frame_address(0)) // of the method that the function plays

static struct fake_class plain_class;
static struct fake_object exceptions[3];
#define FIRST ((clr_id)&exceptions[0])
#define SECOND ((clr_id)&exceptions[1])
#define THIRD ((clr_id)&exceptions[2])

// Code of the program that the runtime runs while it dispatches, below its own records of the dispatch.
static __attribute__((noinline)) void dispatches(void (*below)(void))
{
    char records[4096];
    __asm__ volatile("" ::"r"(records) : "memory");
    below();
    __asm__ volatile("" ::: "memory"); // not a tail call
}

static __attribute__((noinline)) void throws(clr_id exception, void (*below)(void))
{
    (void)fake_callback(CLR_CB_EXCEPTION_THROWN, exception, 0, 0);
    if (below) {
        dispatches(below);
    }
    __asm__ volatile("" ::: "memory");
}

// A handler in a frame has run.
static void handled(uintptr_t frame)
{
    fake_handler_frame = frame;
    (void)fake_callback(CLR_CB_EXCEPTION_CATCHER_LEAVE, 0, 0, 0);
    fake_handler_frame = 0;
}

#define CHECK_PINS(first, second, third)           \
    do {                                           \
        CHECK_EQUAL(fake_pins_of(FIRST), first);   \
        CHECK_EQUAL(fake_pins_of(SECOND), second); \
        CHECK_EQUAL(fake_pins_of(THIRD), third);   \
    } while (0)

static const char csharp[] = "test/fuzz/corpus/metadata/CSharp.dll";

// A recorded method is compiled: the agent listens to exceptions from now on.
static struct fake_module *listen(void)
{
    struct woven method;
    session_record(&session_tree);
    struct fake_module *module = fake_load(csharp);
    woven_methods(module, false, &method, 1);
    CHECK(fake_asked.mask_low & CLR_MONITOR_EXCEPTIONS);
    return module;
}

static void begin(void)
{
    plain_class = (struct fake_class){0, 0, listen(), NULL, TOKEN(TABLE_TYPE_DEF, 3), 1};
    for (int i = 0; i < 3; i++) {
        exceptions[i] = (struct fake_object){.class = (uintptr_t)&plain_class, .field = &exceptions[i]};
    }
    CHECK_EQUAL(fake_pins(), 0);
}

// -- One at a time ----------------------------------------------------------------------------------------------------

static void caught(void)
{
    begin();
    for (int i = 0; i < 1000; i++) {
        throws(FIRST, NULL);
        CHECK_PINS(1, 0, 0);
        handled(FRAME);
        CHECK_EQUAL(fake_pins(), 0);
    }
}
IN_CHILD(caught)

// Native code swallows an exception: the runtime does not announce that, and the next throw shows it.
static void never_heard_of_again(void)
{
    begin();
    throws(FIRST, NULL);
    CHECK_PINS(1, 0, 0);
    throws(SECOND, NULL); // from the same depth
    CHECK_PINS(0, 1, 0);
    handled(FRAME);
    CHECK_EQUAL(fake_pins(), 0);
}
IN_CHILD(never_heard_of_again)

static void a_handler_without_a_frame(void)
{
    begin();
    handled(FRAME); // of an exception from before the recording
    throws(FIRST, NULL);
    handled(0); // the runtime does not know it
    CHECK_PINS(1, 0, 0);
    handled(FRAME);
    CHECK_EQUAL(fake_pins(), 0);
}
IN_CHILD(a_handler_without_a_frame)

// -- One inside another -----------------------------------------------------------------------------------------------

static __attribute__((noinline)) void second_is_caught_here(void)
{
    throws(SECOND, NULL);
    CHECK_PINS(1, 1, 0);
    handled(FRAME);
    CHECK_PINS(1, 0, 0);
}

// In a handler, or in a finally.
static void caught_inside(void)
{
    begin();
    throws(FIRST, second_is_caught_here);
    CHECK_PINS(1, 0, 0);
    handled(FRAME);
    CHECK_EQUAL(fake_pins(), 0);
}
IN_CHILD(caught_inside)

static __attribute__((noinline)) void first_again(void)
{
    throws(FIRST, NULL);
    CHECK_PINS(2, 0, 0);
}

// The handler that throws has no CatcherLeave.
static void rethrown(void)
{
    begin();
    throws(FIRST, first_again);
    handled(FRAME);
    CHECK_EQUAL(fake_pins(), 0);
}
IN_CHILD(rethrown)

static __attribute__((noinline)) void second_escapes(void)
{
    throws(SECOND, NULL);
    CHECK_PINS(1, 1, 0);
}

// The second takes the place of the first, and is caught above both.
static void a_finally_throws_over(void)
{
    begin();
    throws(FIRST, second_escapes);
    handled(FRAME);
    CHECK_EQUAL(fake_pins(), 0);
}
IN_CHILD(a_finally_throws_over)

static __attribute__((noinline)) void third_escapes(void)
{
    throws(THIRD, NULL);
    CHECK_PINS(1, 0, 1); // the second filter's throw is as deep as the first's was
}

static __attribute__((noinline)) void two_filters_throw(void)
{
    second_escapes(); // the runtime swallows it
    CHECK_PINS(1, 1, 0);
    third_escapes();
}

static void filters_throw(void)
{
    begin();
    throws(FIRST, two_filters_throw);
    CHECK_PINS(1, 0, 1);
    handled(FRAME);
    CHECK_EQUAL(fake_pins(), 0);
}
IN_CHILD(filters_throw)

static __attribute__((noinline)) void third_escapes_second(void)
{
    throws(THIRD, NULL);
    CHECK_PINS(1, 1, 1);
}

static __attribute__((noinline)) void handler_throws_over_inside(void)
{
    throws(SECOND, third_escapes_second);
    handled(FRAME);
    CHECK_PINS(1, 0, 0);
}

static void over_inside_a_finally(void)
{
    begin();
    throws(FIRST, handler_throws_over_inside);
    handled(FRAME);
    CHECK_EQUAL(fake_pins(), 0);
}
IN_CHILD(over_inside_a_finally)

// -- Too many ---------------------------------------------------------------------------------------------------------

static uint32_t depth;

enum { DEEP = 300, ROOM = 253 };

static __attribute__((noinline)) void deeper(void)
{
    CHECK_EQUAL(fake_pins_of(FIRST), depth < ROOM ? depth : ROOM);
    if (depth++ < DEEP) {
        throws(FIRST, deeper);
    }
}

static void more_than_there_is_room_for(void)
{
    begin();
    depth = 0;
    deeper();
    CHECK_EQUAL(fake_pins(), ROOM);
    throws(SECOND, NULL); // above all but the first
    handled(FRAME);
    CHECK_EQUAL(fake_pins(), 0);
    throws(FIRST, second_is_caught_here);
    handled(FRAME);
    CHECK_EQUAL(fake_pins(), 0);
    (void)fake_callback(CLR_CB_SHUTDOWN, 0, 0, 0);
    const struct told *note = session_find(RING_DEFINE_NOTE, 0, 0);
    CHECK(note && strncmp(note->reason, "47 exceptions ", 14) == 0);
}
IN_CHILD(more_than_there_is_room_for)

// -- Threads ----------------------------------------------------------------------------------------------------------

static void *ends_in_a_dispatch(void *id)
{
    fake_thread = (clr_id)id;
    throws(SECOND, NULL);
    CHECK_PINS(1, 1, 0);
    return NULL;
}

static void in_a_thread(void *(*body)(void *), uintptr_t id)
{
    pthread_t thread;
    CHECK_EQUAL(pthread_create(&thread, NULL, body, (void *)id), 0);
    CHECK_EQUAL(pthread_join(thread, NULL), 0);
}

// The runtime tells of a thread's end on that thread, or on its finalizer's: then the thread is gone already.
static void a_thread_ends(void)
{
    begin();
    throws(FIRST, NULL);
    for (uintptr_t id = 0x2000; id < 0x2010; id++) {
        in_a_thread(ends_in_a_dispatch, id);
        (void)fake_callback(CLR_CB_THREAD_DESTROYED, 0x3000, 0, 0); // one that has thrown nothing
        CHECK_PINS(1, 1, 0);
        (void)fake_callback(CLR_CB_THREAD_DESTROYED, id, 0, 0);
        CHECK_PINS(1, 0, 0);
    }
    handled(FRAME);
    CHECK_EQUAL(fake_pins(), 0);
}
IN_CHILD(a_thread_ends)

#ifndef MEMORY_WRAPPED // sanitizers take memory of their own
static long resident_pages(void)
{
    long size, resident;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file && fscanf(file, "%ld %ld", &size, &resident) == 2);
    (void)fclose(file);
    return resident;
}

static void ended_threads_leave_nothing(void)
{
    enum { FEW = 20, MANY = 3000 };
    long before = 0;
    begin();
    throws(FIRST, NULL);
    for (uintptr_t i = 0; i < MANY; i++) {
        before = i == FEW ? resident_pages() : before;
        in_a_thread(ends_in_a_dispatch, 0x2000 + i);
        (void)fake_callback(CLR_CB_THREAD_DESTROYED, 0x2000 + i, 0, 0);
    }
    CHECK(resident_pages() - before < MANY / 2);
}
IN_CHILD(ended_threads_leave_nothing)
#endif

// One OS thread that is a new thread to the runtime after its end was told: another has taken its place meanwhile.
static void a_thread_comes_again(void)
{
    begin();
    throws(FIRST, NULL);
    (void)fake_callback(CLR_CB_THREAD_DESTROYED, fake_thread, 0, 0);
    CHECK_EQUAL(fake_pins(), 0);
    fake_thread = 0x2000;
    throws(FIRST, NULL);
    in_a_thread(ends_in_a_dispatch, 0x1000);
    CHECK_PINS(1, 1, 0);
    handled(FRAME);
    CHECK_PINS(0, 1, 0);
    (void)fake_callback(CLR_CB_THREAD_DESTROYED, 0x1000, 0, 0);
    CHECK_EQUAL(fake_pins(), 0);
}
IN_CHILD(a_thread_comes_again)

enum { THREADS = 8, THROWS = 200 };

static __thread struct fake_object own[2];

static __attribute__((noinline)) void own_is_caught_here(void)
{
    throws((clr_id)&own[1], NULL);
    CHECK_EQUAL(fake_pins_of((clr_id)&own[1]), 1);
    handled(FRAME);
    CHECK_EQUAL(fake_pins_of((clr_id)&own[1]), 0);
    CHECK_EQUAL(fake_pins_of((clr_id)&own[0]), 1);
}

static void *throws_many(void *id)
{
    fake_thread = (clr_id)id;
    own[0].class = own[1].class = (uintptr_t)&plain_class;
    for (int i = 0; i < THROWS; i++) {
        throws((clr_id)&own[0], own_is_caught_here);
        handled(FRAME);
        CHECK_EQUAL(fake_pins_of((clr_id)&own[0]), 0);
    }
    (void)fake_callback(CLR_CB_THREAD_DESTROYED, fake_thread, 0, 0);
    return NULL;
}

static void threads_do_not_meet(void)
{
    pthread_t threads[THREADS];
    begin();
    for (uintptr_t i = 0; i < THREADS; i++) {
        CHECK_EQUAL(pthread_create(&threads[i], NULL, throws_many, (void *)(0x2000 + 16 * i)), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK_EQUAL(pthread_join(threads[i], NULL), 0);
    }
    CHECK_EQUAL(fake_pins(), 0);
}
IN_CHILD(threads_do_not_meet)

// -- Objects that are no exceptions -----------------------------------------------------------------------------------

static void set_column(struct fake_module *module, enum metadata_table table, uint32_t row, unsigned column,
                       uint32_t value)
{
    const struct metadata_layout *layout = &module->metadata.tables[table];
    const uint8_t *at = layout->rows + (row - 1) * layout->row_size + layout->offset[column];
    memcpy(module->bytes + (at - module->bytes), &value, layout->width[column]); // little-endian, as this machine
    CHECK_EQUAL(metadata_column(&module->metadata, table, row, column), value);
}

// A module of that name whose second type has that name.
static struct fake_module *named(const char *assembly, const char *type)
{
    struct fake_module *module = fake_module_new(csharp);
    uint32_t name = fake_rename(module, "AsyncIteratorStateMachineAttribute", assembly);
    set_column(module, TABLE_ASSEMBLY, 1, ASSEMBLY_NAME, name);
    set_column(module, TABLE_TYPE_DEF, 2, TYPE_NAME, fake_rename(module, "CompilerGeneratedAttribute", type));
    CHECK(text_equal(metadata_assembly_name(&module->metadata), text_of(assembly)));
    fake_load_finished(module);
    return module;
}

static void throw_wrapping(const struct fake_class *class, uint32_t expected)
{
    exceptions[1] = (struct fake_object){.class = (uintptr_t) class | 1, .field = &exceptions[2]};
    throws(FIRST, NULL);
    handled(FRAME);
    for (int i = 0; i < 3; i++) {
        throws(SECOND, NULL);
        CHECK_PINS(0, 1, expected);
        handled(FRAME);
        CHECK_EQUAL(fake_pins(), 0);
    }
    throws(FIRST, NULL); // of another class
    CHECK_PINS(1, 0, 0);
    handled(FRAME);
}

static void what_is_wrapped_is_pinned_too(void)
{
    begin();
    throw_wrapping(&(struct fake_class){0, 0, named("System.Private.CoreLib", "RuntimeWrappedException"), NULL,
                                        TOKEN(TABLE_TYPE_DEF, 2), 1},
                   1);
    exceptions[1].field = NULL;
    throws(SECOND, NULL);
    CHECK_PINS(0, 1, 0);
    handled(FRAME);
    CHECK_EQUAL(fake_pins(), 0);
}
IN_CHILD(what_is_wrapped_is_pinned_too)

static void others_wrap_nothing(void)
{
    struct fake_module *core, *other, *unknown;
    begin();
    core = named("System.Private.CoreLib", "RuntimeWrappedExcept");
    other = named("System.Private.CoreLi", "RuntimeWrappedException");
    unknown = fake_module_new(csharp); // the agent was not told of its load
    throw_wrapping(&(struct fake_class){0, 0, core, NULL, TOKEN(TABLE_TYPE_DEF, 2), 1}, 0);
    throw_wrapping(&(struct fake_class){0, 0, other, NULL, TOKEN(TABLE_TYPE_DEF, 2), 1}, 0);
    throw_wrapping(&(struct fake_class){0, 0, unknown, NULL, TOKEN(TABLE_TYPE_DEF, 2), 1}, 0);
    throw_wrapping(&(struct fake_class){0, 0, core, NULL, TOKEN(TABLE_TYPE_DEF, 0xFFFFFF), 1}, 0);
    throw_wrapping(&(struct fake_class){0, 0, core, NULL, 0, 1}, 0);
    core = named("System.Private.CoreLib", "RuntimeWrappedException");
    throw_wrapping(&(struct fake_class){0, 0, core, NULL, TOKEN(TABLE_TYPE_DEF, 2), 0}, 0); // not as it was known
    throw_wrapping(&(struct fake_class){0, 0, core, NULL, TOKEN(TABLE_TYPE_DEF, 2), 2}, 0);
}
IN_CHILD(others_wrap_nothing)

// -- Runtimes ---------------------------------------------------------------------------------------------------------

static void without_the_interface(void)
{
    fake_without_pins = true;
    (void)listen();
    CHECK(session_find(RING_DEFINE_NOTE, 0, 0));
    (void)fake_callback(CLR_CB_EXCEPTION_THROWN, FIRST, 0, 0);
    handled(FRAME);
    CHECK_EQUAL(fake_pins(), 0);
}
IN_CHILD(without_the_interface)

// It has the interface too, but no hole.
static void runtime_8(void)
{
    fake_version = 8;
    (void)listen();
    (void)fake_callback(CLR_CB_EXCEPTION_THROWN, FIRST, 0, 0);
    CHECK_EQUAL(fake_pins(), 0);
    (void)fake_callback(CLR_CB_SHUTDOWN, 0, 0, 0);
    CHECK_EQUAL(session_count(RING_DEFINE_NOTE), 0);
}
IN_CHILD(runtime_8)

static void the_runtime_makes_no_handle(void)
{
    begin();
    fake_fail_calls(1, true);
    (void)fake_callback(CLR_CB_EXCEPTION_THROWN, FIRST, 0, 0);
    fake_fail_calls(2, false); // the first says which thread it is
    (void)fake_callback(CLR_CB_EXCEPTION_THROWN, FIRST, 0, 0);
    CHECK_EQUAL(fake_pins(), 0);
    throws(FIRST, NULL);
    CHECK_PINS(1, 0, 0);
    fake_fail_calls(1, false); // the frame that has caught
    handled(FRAME);
    CHECK_PINS(1, 0, 0);
    handled(FRAME);
    CHECK_EQUAL(fake_pins(), 0);
    (void)fake_callback(CLR_CB_SHUTDOWN, 0, 0, 0);
    const struct told *note = session_find(RING_DEFINE_NOTE, 0, 0);
    CHECK(note && strncmp(note->reason, "2 exceptions ", 13) == 0);
}
IN_CHILD(the_runtime_makes_no_handle)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_caught),
        cmocka_unit_test(test_never_heard_of_again),
        cmocka_unit_test(test_a_handler_without_a_frame),
        cmocka_unit_test(test_caught_inside),
        cmocka_unit_test(test_rethrown),
        cmocka_unit_test(test_a_finally_throws_over),
        cmocka_unit_test(test_filters_throw),
        cmocka_unit_test(test_over_inside_a_finally),
        cmocka_unit_test(test_more_than_there_is_room_for),
        cmocka_unit_test(test_a_thread_ends),
        cmocka_unit_test(test_a_thread_comes_again),
#ifndef MEMORY_WRAPPED
        cmocka_unit_test(test_ended_threads_leave_nothing),
#endif
        cmocka_unit_test(test_threads_do_not_meet),
        cmocka_unit_test(test_what_is_wrapped_is_pinned_too),
        cmocka_unit_test(test_others_wrap_nothing),
        cmocka_unit_test(test_without_the_interface),
        cmocka_unit_test(test_runtime_8),
        cmocka_unit_test(test_the_runtime_makes_no_handle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
