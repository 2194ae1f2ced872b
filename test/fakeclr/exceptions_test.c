// The sequences of exception callbacks that CoreCLR 8, 9 and 10 were measured to send, and the call tree after each.
// Methods: outer has handlers, so woven code knows its activation; mid and thrower have none.
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
// clang-format on

#include "check.h"
#include "session.h"
#include "trace/instrument.h"
#include "woven.h"

static const char csharp[] = "test/fuzz/corpus/metadata/CSharp.dll";

#define IN_CHILD(name)                    \
    static void test_##name(void **state) \
    {                                     \
        (void)state;                      \
        assert_true(fake_run(name, 20));  \
    }

// Callbacks without a name in clr_callback_slot, which the agent does not use.
enum { SEARCH_ENTER = 55, SEARCH_LEAVE = 56, CATCHER_FOUND = 59 };

static struct woven outer, other, mid, thrower, filter, helper, looping;

static void begin_with(const struct ring_options *options)
{
    struct woven kept[2], plain[4];
    session_record(options);
    struct fake_module *module = fake_load(csharp);
    woven_methods(module, true, kept, 2);
    woven_methods(module, false, plain, 4);
    outer = kept[0];
    other = kept[1];
    mid = plain[0];
    thrower = plain[1];
    filter = plain[2];
    helper = plain[3];
    woven_calling_itself(module, &looping);
}

static void begin(uint32_t instruments)
{
    struct ring_options options = session_tree;
    options.instruments |= instruments;
    begin_with(&options);
}

static void say(unsigned slot)
{
    (void)fake_callback((enum clr_callback_slot)slot, 0, 0, 0);
}

static void say_of(unsigned slot, const struct woven *method)
{
    (void)fake_callback((enum clr_callback_slot)slot, woven_function(method), 0, 0);
}

static void search(const struct woven *method)
{
    say_of(SEARCH_ENTER, method);
    say(SEARCH_LEAVE);
}

static void catcher_found(const struct woven *method)
{
    say_of(SEARCH_ENTER, method);
    say_of(CATCHER_FOUND, method);
    say(SEARCH_LEAVE);
}

static void unwind(const struct woven *method)
{
    say_of(CLR_CB_EXCEPTION_UNWIND_FUNCTION_ENTER, method);
    say(CLR_CB_EXCEPTION_UNWIND_FUNCTION_LEAVE);
}

static void caught(const struct woven *method, uintptr_t activation)
{
    say_of(CLR_CB_EXCEPTION_UNWIND_FUNCTION_ENTER, method);
    say_of(CLR_CB_EXCEPTION_CATCHER_ENTER, method);
    say(CLR_CB_EXCEPTION_CATCHER_LEAVE); // really after the handler's code, but the tree does not depend on it
    if (activation) {
        woven_restate(method, activation);
    }
}

// Paths from the thread's root, and the counts of a method there.
#define NODE(...) session_node(session_thread(), __VA_ARGS__, 0)
#define CHECK_NODE(calls_, exceptions_, ...)               \
    do {                                                   \
        const struct ring_node *node_ = NODE(__VA_ARGS__); \
        CHECK(node_);                                      \
        CHECK_EQUAL(node_->calls, calls_);                 \
        CHECK_EQUAL(node_->exceptions, exceptions_);       \
    } while (0)

static void nothing_runs(void)
{
    CHECK_EQUAL(session_running(session_thread()), 0);
    CHECK_EQUAL(session_thread()->current, session_thread()->root);
}

// Later calls must be counted in the right nodes.
static void all_is_well(void)
{
    nothing_runs();
    (void)woven_enter(&helper);
    woven_leave(&helper);
    CHECK_NODE(1, 0, helper.number);
}

static uintptr_t enter_three(void)
{
    uintptr_t activation = woven_enter(&outer);
    (void)woven_enter(&mid);
    (void)woven_enter(&thrower);
    say(CLR_CB_EXCEPTION_THROWN);
    return activation;
}

static void thrown_and_caught(void)
{
    begin(0);
    uintptr_t activation = enter_three();
    search(&thrower);
    search(&mid);
    catcher_found(&outer);
    CHECK_EQUAL(session_running(session_thread()), 3); // the search ends nothing
    unwind(&thrower);
    CHECK_EQUAL(session_running(session_thread()), 2);
    unwind(&mid);
    caught(&outer, activation);
    CHECK_EQUAL(session_running(session_thread()), 1);
    (void)woven_enter(&helper); // in the handler
    woven_leave(&helper);
    woven_leave(&outer);
    CHECK_NODE(1, 0, outer.number);
    CHECK_NODE(1, 1, outer.number, mid.number);
    CHECK_NODE(1, 1, outer.number, mid.number, thrower.number);
    CHECK_NODE(1, 0, outer.number, helper.number);
    all_is_well();
}
IN_CHILD(thrown_and_caught)

static void inlined_callees_get_no_callback(void)
{
    begin(0);
    uintptr_t activation = enter_three(); // mid and thrower are inlined into other, which is called by outer
    (void)activation;
    unwind(&outer); // the one pair, for the physical frame
    CHECK_NODE(1, 1, outer.number);
    CHECK_NODE(1, 1, outer.number, mid.number);
    CHECK_NODE(1, 1, outer.number, mid.number, thrower.number);
    all_is_well();
}
IN_CHILD(inlined_callees_get_no_callback)

static void rethrown(void)
{
    begin(0);
    uintptr_t above = woven_enter(&other);
    uintptr_t activation = enter_three();
    search(&thrower);
    search(&mid);
    catcher_found(&outer);
    unwind(&thrower);
    unwind(&mid);
    caught(&outer, activation);
    say(CLR_CB_EXCEPTION_THROWN); // throw;
    search(&outer);
    catcher_found(&other);
    unwind(&outer);
    CHECK_EQUAL(session_running(session_thread()), 1);
    caught(&other, above);
    woven_leave(&other);
    CHECK_NODE(1, 0, other.number);
    CHECK_NODE(1, 1, other.number, outer.number);
    CHECK_NODE(1, 1, other.number, outer.number, mid.number);
    CHECK_NODE(1, 1, other.number, outer.number, mid.number, thrower.number);
    all_is_well();
}
IN_CHILD(rethrown)

static void a_finally_calls_and_goes_on(void)
{
    begin(0);
    uintptr_t above = woven_enter(&other);
    uintptr_t activation = enter_three();
    search(&thrower);
    search(&mid);
    search(&outer);
    catcher_found(&other);
    unwind(&thrower);
    unwind(&mid);
    say_of(CLR_CB_EXCEPTION_UNWIND_FUNCTION_ENTER, &outer);
    say_of(CLR_CB_EXCEPTION_UNWIND_FINALLY_ENTER, &outer);
    woven_restate(&outer, activation);
    (void)woven_enter(&helper);
    woven_leave(&helper);
    say(CLR_CB_EXCEPTION_UNWIND_FINALLY_LEAVE);
    CHECK_EQUAL(session_running(session_thread()), 2);
    say(CLR_CB_EXCEPTION_UNWIND_FUNCTION_LEAVE);
    caught(&other, above);
    woven_leave(&other);
    CHECK_NODE(1, 1, other.number, outer.number);
    CHECK_NODE(1, 0, other.number, outer.number, helper.number);
    all_is_well();
}
IN_CHILD(a_finally_calls_and_goes_on)

// The new exception passes the frame a second time: Enter twice, no FinallyLeave, one Leave.
static void a_finally_throws(void)
{
    begin(0);
    uintptr_t above = woven_enter(&other);
    uintptr_t activation = enter_three();
    search(&thrower);
    search(&mid);
    search(&outer);
    catcher_found(&other);
    unwind(&thrower);
    unwind(&mid);
    say_of(CLR_CB_EXCEPTION_UNWIND_FUNCTION_ENTER, &outer);
    say_of(CLR_CB_EXCEPTION_UNWIND_FINALLY_ENTER, &outer);
    woven_restate(&outer, activation);
    say(CLR_CB_EXCEPTION_THROWN);
    search(&outer);
    catcher_found(&other);
    say_of(CLR_CB_EXCEPTION_UNWIND_FUNCTION_ENTER, &outer);
    say(CLR_CB_EXCEPTION_UNWIND_FUNCTION_LEAVE);
    CHECK_EQUAL(session_running(session_thread()), 1);
    caught(&other, above);
    woven_leave(&other);
    CHECK_NODE(1, 0, other.number);
    CHECK_NODE(1, 1, other.number, outer.number);
    all_is_well();
}
IN_CHILD(a_finally_throws)

// A finally's callee throws and the finally's own try catches it: pending frames nest.
static void a_finally_catches_what_it_calls(void)
{
    begin(0);
    uintptr_t above = woven_enter(&other);
    uintptr_t activation = enter_three();
    unwind(&thrower);
    unwind(&mid);
    say_of(CLR_CB_EXCEPTION_UNWIND_FUNCTION_ENTER, &outer);
    say_of(CLR_CB_EXCEPTION_UNWIND_FINALLY_ENTER, &outer);
    woven_restate(&outer, activation);
    uintptr_t inner = woven_enter(&other); // catches what helper throws
    (void)woven_enter(&helper);
    say(CLR_CB_EXCEPTION_THROWN);
    search(&helper);
    catcher_found(&other);
    unwind(&helper);
    caught(&other, inner);
    woven_leave(&other);
    say(CLR_CB_EXCEPTION_UNWIND_FINALLY_LEAVE);
    say(CLR_CB_EXCEPTION_UNWIND_FUNCTION_LEAVE);
    CHECK_EQUAL(session_running(session_thread()), 1);
    caught(&other, above);
    woven_leave(&other);
    CHECK_NODE(1, 0, other.number);
    CHECK_NODE(1, 1, other.number, outer.number);
    CHECK_NODE(1, 0, other.number, outer.number, other.number);
    CHECK_NODE(1, 1, other.number, outer.number, other.number, helper.number);
    nothing_runs();
}
IN_CHILD(a_finally_catches_what_it_calls)

// The finally calls its own method, which ends by an exception of its own and runs a second finally.
static void recursion_inside_a_finally(void)
{
    begin(0);
    uintptr_t above = woven_enter(&other);
    uintptr_t first = woven_enter(&outer);
    say(CLR_CB_EXCEPTION_THROWN);
    search(&outer);
    catcher_found(&other);
    say_of(CLR_CB_EXCEPTION_UNWIND_FUNCTION_ENTER, &outer);
    say_of(CLR_CB_EXCEPTION_UNWIND_FINALLY_ENTER, &outer);
    woven_restate(&outer, first);
    uintptr_t second = woven_enter(&outer); // the same method again
    say(CLR_CB_EXCEPTION_THROWN);
    search(&outer);
    catcher_found(&outer); // the first activation, in its finally
    say_of(CLR_CB_EXCEPTION_UNWIND_FUNCTION_ENTER, &outer);
    say_of(CLR_CB_EXCEPTION_UNWIND_FINALLY_ENTER, &outer);
    woven_restate(&outer, second);
    (void)woven_enter(&helper);
    woven_leave(&helper);
    say(CLR_CB_EXCEPTION_UNWIND_FINALLY_LEAVE);
    CHECK_EQUAL(session_running(session_thread()), 3);
    say(CLR_CB_EXCEPTION_UNWIND_FUNCTION_LEAVE);
    CHECK_EQUAL(session_running(session_thread()), 2);
    caught(&outer, first);
    say(CLR_CB_EXCEPTION_UNWIND_FINALLY_LEAVE);
    say(CLR_CB_EXCEPTION_UNWIND_FUNCTION_LEAVE);
    CHECK_EQUAL(session_running(session_thread()), 1);
    caught(&other, above);
    woven_leave(&other);
    CHECK_NODE(1, 1, other.number, outer.number);
    CHECK_NODE(1, 1, other.number, outer.number, outer.number);
    CHECK_NODE(1, 0, other.number, outer.number, outer.number, helper.number);
    nothing_runs();
}
IN_CHILD(recursion_inside_a_finally)

// -- Filters ----------------------------------------------------------------------------------------------------------

static void a_filter_runs_while_the_frames_live(void)
{
    begin(0);
    uintptr_t activation = enter_three();
    search(&thrower);
    search(&mid);
    say_of(SEARCH_ENTER, &outer);
    say_of(CLR_CB_EXCEPTION_SEARCH_FILTER_ENTER, &outer);
    (void)woven_enter(&filter);
    CHECK_EQUAL(session_running(session_thread()), 5); // the filter's own node among them
    woven_leave(&filter);
    say(CLR_CB_EXCEPTION_SEARCH_FILTER_LEAVE);
    CHECK_EQUAL(session_running(session_thread()), 3);
    say_of(CATCHER_FOUND, &outer);
    say(SEARCH_LEAVE);
    unwind(&thrower);
    unwind(&mid);
    caught(&outer, activation);
    woven_leave(&outer);
    CHECK_NODE(1, 0, outer.number);
    CHECK_NODE(1, 0, outer.number, (uint32_t)METHOD_FILTER, filter.number);
    CHECK_NODE(1, 1, outer.number, mid.number, thrower.number);
    all_is_well();
}
IN_CHILD(a_filter_runs_while_the_frames_live)

enum version { RUNTIME_8, RUNTIME_9_AND_10 };

static void throw_in_a_filter(enum version version)
{
    uintptr_t above = woven_enter(&other);
    uintptr_t activation = enter_three();
    (void)activation;
    search(&thrower);
    search(&mid);
    say_of(SEARCH_ENTER, &outer);
    say_of(CLR_CB_EXCEPTION_SEARCH_FILTER_ENTER, &outer);
    (void)woven_enter(&filter);
    say(CLR_CB_EXCEPTION_THROWN); // the runtime swallows it
    search(&filter);
    say_of(SEARCH_ENTER, &outer);
    if (version == RUNTIME_9_AND_10) {
        say(CLR_CB_EXCEPTION_UNWIND_FUNCTION_LEAVE); // a stray one
    } else {
        say(SEARCH_LEAVE);
    }
    unwind(&filter);
    say_of(CLR_CB_EXCEPTION_UNWIND_FUNCTION_ENTER, &outer); // of the filter's funclet
    if (version == RUNTIME_8) {
        say(CLR_CB_EXCEPTION_UNWIND_FUNCTION_LEAVE);
    }
    say(CLR_CB_EXCEPTION_SEARCH_FILTER_LEAVE);
    say(SEARCH_LEAVE);
    catcher_found(&other); // the first search continues
    CHECK_EQUAL(session_running(session_thread()), 4);
    unwind(&thrower);
    unwind(&mid);
    unwind(&outer);
    caught(&other, above);
    woven_leave(&other);
    CHECK_NODE(1, 0, other.number);
    CHECK_NODE(1, 1, other.number, outer.number);
    CHECK_NODE(1, 1, other.number, outer.number, mid.number);
    CHECK_NODE(1, 1, other.number, outer.number, mid.number, thrower.number);
    CHECK_NODE(1, 1, other.number, outer.number, (uint32_t)METHOD_FILTER, filter.number);
    all_is_well();
}

static void a_filter_throws(void)
{
    begin(0);
    throw_in_a_filter(RUNTIME_9_AND_10);
}
IN_CHILD(a_filter_throws)

static void a_filter_throws_on_8(void)
{
    begin(0);
    throw_in_a_filter(RUNTIME_8);
}
IN_CHILD(a_filter_throws_on_8)

static void filters_throw_again_and_again(void)
{
    begin(INSTRUMENT_CALLS);
    for (int i = 0; i < 600; i++) { // more than there is room for pending frames and filters
        (void)woven_enter(&thrower);
        say_of(CLR_CB_EXCEPTION_SEARCH_FILTER_ENTER, &thrower);
        say(CLR_CB_EXCEPTION_UNWIND_FUNCTION_LEAVE);
        say_of(CLR_CB_EXCEPTION_UNWIND_FUNCTION_ENTER, &thrower);
        say(CLR_CB_EXCEPTION_SEARCH_FILTER_LEAVE);
        unwind(&thrower);
        nothing_runs();
    }
    CHECK_NODE(600, 600, thrower.number);
    throw_in_a_filter(RUNTIME_9_AND_10);
}
IN_CHILD(filters_throw_again_and_again)

// A filter of a method that is not recorded, with frames above it.
static void a_foreign_filter(void)
{
    begin(0);
    struct fake_module *unknown = fake_module_new(csharp); // the agent was not told of its load
    (void)woven_enter(&mid);
    (void)fake_callback(CLR_CB_EXCEPTION_SEARCH_FILTER_ENTER, fake_function(unknown, 1, 0), 0, 0);
    (void)woven_enter(&filter);
    woven_leave(&filter);
    say(CLR_CB_EXCEPTION_SEARCH_FILTER_LEAVE);
    (void)fake_callback(CLR_CB_EXCEPTION_UNWIND_FUNCTION_ENTER, fake_function(unknown, 2, 0), 0, 0);
    say(CLR_CB_EXCEPTION_UNWIND_FUNCTION_LEAVE);
    CHECK_EQUAL(session_running(session_thread()), 1);
    unwind(&mid);
    (void)fake_callback(CLR_CB_EXCEPTION_UNWIND_FUNCTION_ENTER, fake_function(unknown, 3, 0), 0, 0);
    (void)fake_callback(CLR_CB_EXCEPTION_CATCHER_ENTER, fake_function(unknown, 3, 0), 0, 0);
    CHECK_NODE(1, 1, mid.number);
    all_is_well();
}
IN_CHILD(a_foreign_filter)

// -- Calls of itself --------------------------------------------------------------------------------------------------
// `looping` calls itself as its last act, and its activation ends with the called one. Without optimisation both have frames.

// From `frame` on, so many times, each time in a frame of its own.
static void call_itself(uint32_t frame, uint32_t times)
{
    woven_arrive(&looping, frame);
    for (uint32_t i = 0; i < times; i++) {
        woven_depart(&looping, frame + i);
        woven_arrive(&looping, frame + i + 1);
    }
}

static void unwind_times(const struct woven *method, uint32_t times)
{
    for (uint32_t i = 0; i < times; i++) {
        unwind(method);
    }
}

// Of a method that is not recorded.
static clr_id foreign(void)
{
    static struct fake_module *unknown;
    unknown = unknown ? unknown : fake_module_new(csharp); // the agent was not told of its load
    return fake_function(unknown, 1, 0);
}

static void caught_elsewhere(void)
{
    (void)fake_callback(CLR_CB_EXCEPTION_UNWIND_FUNCTION_ENTER, foreign(), 0, 0);
    (void)fake_callback(CLR_CB_EXCEPTION_CATCHER_ENTER, foreign(), 0, 0);
    say(CLR_CB_EXCEPTION_CATCHER_LEAVE);
}

static void each_frame_has_its_activation(void)
{
    begin(INSTRUMENT_CALLS);
    woven_arrive(&looping, 1); // catches
    call_itself(2, 3);
    say(CLR_CB_EXCEPTION_THROWN);
    CHECK_EQUAL(session_running(session_thread()), 5);
    unwind_times(&looping, 3);
    CHECK_EQUAL(session_running(session_thread()), 2);
    unwind(&looping);
    CHECK_EQUAL(session_running(session_thread()), 1);
    caught(&looping, 0);
    woven_leave(&looping);
    CHECK_NODE(1, 0, looping.number);
    CHECK_NODE(1, 1, looping.number, looping.number);
    CHECK_NODE(1, 1, looping.number, looping.number, looping.number, looping.number, looping.number);
    CHECK_EQUAL(session_thread()->depth, 0);
    all_is_well();
}
IN_CHILD(each_frame_has_its_activation)

// The catching method is not recorded, so no handler probe shows which activations still run; only the unwound frames
// do.
static void caught_where_nobody_records(void)
{
    begin(0);
    woven_arrive(&looping, 1);
    (void)woven_enter(&mid);
    call_itself(2, 2);
    (void)woven_enter(&helper);
    (void)woven_enter(&thrower);
    unwind(&thrower);
    unwind(&helper);
    unwind_times(&looping, 3);
    caught_elsewhere();
    CHECK_EQUAL(session_running(session_thread()), 2);
    woven_leave(&mid);
    woven_depart(&looping, 1); // and again, now with frames that return
    call_itself(2, 2);
    CHECK_EQUAL(session_running(session_thread()), 4);
    woven_leave(&looping);
    nothing_runs();
    CHECK_NODE(1, 0, looping.number);
    CHECK_NODE(1, 0, looping.number, looping.number, looping.number, looping.number);
    CHECK_NODE(1, 1, looping.number, mid.number, looping.number);
    CHECK_NODE(1, 1, looping.number, mid.number, looping.number, looping.number, looping.number);
}
IN_CHILD(caught_where_nobody_records)

static void a_loop_is_one_frame(void)
{
    begin(INSTRUMENT_CALLS);
    woven_arrive(&looping, 1);
    woven_arrive(&looping, 2);
    for (int i = 0; i < 1000; i++) { // the JIT has made a loop of it
        woven_depart(&looping, 2);
        woven_arrive(&looping, 2);
    }
    unwind(&looping);
    CHECK_EQUAL(session_running(session_thread()), 1);
    unwind(&looping);
    CHECK_NODE(1, 1, looping.number);
    CHECK_NODE(1, 1, looping.number, looping.number);
    CHECK_NODE(1, 1, looping.number, looping.number, (uint32_t)METHOD_CONTINUES);
    CHECK_NODE(1000, 1, looping.number, looping.number, (uint32_t)METHOD_CONTINUES, looping.number);
    CHECK_EQUAL(session_thread()->depth, 0);
    all_is_well();
}
IN_CHILD(a_loop_is_one_frame)

// Some calls of it have frames, others have not.
static void a_loop_within_calls(void)
{
    begin(INSTRUMENT_CALLS);
    (void)woven_enter(&mid);
    woven_arrive(&looping, 1);
    woven_depart(&looping, 1);
    woven_arrive(&looping, 2);
    woven_depart(&looping, 2);
    woven_arrive(&looping, 2);
    woven_depart(&looping, 2);
    woven_arrive(&looping, 3);
    woven_leave(&looping);
    CHECK_EQUAL(session_running(session_thread()), 1);
    CHECK_EQUAL(session_thread()->depth, 1);
    woven_leave(&mid);
    CHECK_NODE(1, 0, mid.number, looping.number, looping.number, (uint32_t)METHOD_CONTINUES, looping.number,
               looping.number);
    nothing_runs();
}
IN_CHILD(a_loop_within_calls)

// Frames that have returned are not counted for the next activation of the path.
static void frames_that_returned_are_gone(void)
{
    begin(0);
    woven_arrive(&looping, 1);
    call_itself(2, 5);
    woven_leave(&looping);
    woven_arrive(&looping, 2);
    unwind(&looping);
    unwind(&looping);
    CHECK_NODE(1, 1, looping.number);
    CHECK_NODE(2, 1, looping.number, looping.number);
    CHECK_NODE(1, 0, looping.number, looping.number, looping.number, looping.number, looping.number, looping.number);
    all_is_well();
}
IN_CHILD(frames_that_returned_are_gone)

// A finally that runs while the frames are unwound does the same.
static void a_finally_calls_itself_too(void)
{
    begin(0);
    uintptr_t above = woven_enter(&other);
    woven_arrive(&looping, 1);
    uintptr_t activation = woven_enter(&outer);
    call_itself(2, 2);
    unwind_times(&looping, 3);
    say_of(CLR_CB_EXCEPTION_UNWIND_FUNCTION_ENTER, &outer);
    say_of(CLR_CB_EXCEPTION_UNWIND_FINALLY_ENTER, &outer);
    woven_restate(&outer, activation);
    call_itself(2, 1);
    unwind_times(&looping, 2);
    caught_elsewhere();
    say(CLR_CB_EXCEPTION_UNWIND_FINALLY_LEAVE);
    CHECK_EQUAL(session_running(session_thread()), 3);
    say(CLR_CB_EXCEPTION_UNWIND_FUNCTION_LEAVE);
    CHECK_EQUAL(session_running(session_thread()), 2);
    unwind(&looping);
    caught(&other, above);
    woven_leave(&other);
    CHECK_NODE(1, 0, other.number);
    CHECK_NODE(1, 1, other.number, looping.number);
    CHECK_NODE(1, 1, other.number, looping.number, outer.number);
    CHECK_NODE(2, 2, other.number, looping.number, outer.number, looping.number);
    CHECK_NODE(2, 2, other.number, looping.number, outer.number, looping.number, looping.number);
    CHECK_NODE(1, 1, other.number, looping.number, outer.number, looping.number, looping.number, looping.number);
    nothing_runs();
}
IN_CHILD(a_finally_calls_itself_too)

static void calls_of_itself_over_the_cap(void)
{
    enum { DEEP = 5000, FRAMES = 4 };
    struct ring_options options = session_tree;
    options.nodes_max = 2048;
    begin_with(&options);
    for (int i = 0; i < DEEP; i++) {
        (void)woven_enter(&mid);
    }
    woven_arrive(&looping, 1);
    call_itself(2, FRAMES);
    const struct ring_node *flat = NODE((uint32_t)METHOD_OVER_CAP, looping.number);
    CHECK(flat);
    CHECK_EQUAL(flat->calls, 2 + FRAMES);
    unwind_times(&looping, 1 + FRAMES);
    caught_elsewhere();
    CHECK_EQUAL(flat->exceptions, 1 + FRAMES);
    woven_depart(&looping, 1);
    woven_arrive(&looping, 1);
    call_itself(2, 1);
    woven_leave(&looping); // and what has called it last
    woven_leave(&looping);
    CHECK_EQUAL(flat->calls, 2 + FRAMES + 3);
    CHECK_EQUAL(flat->exceptions, 1 + FRAMES);
    unwind_times(&mid, DEEP);
    nothing_runs();
}
IN_CHILD(calls_of_itself_over_the_cap)

// -- Odd ones ---------------------------------------------------------------------------------------------------------

static void strays_do_nothing(void)
{
    begin(0);
    for (int recorded = 0; recorded < 2; recorded++) { // on a thread without and with a slot
        say(CLR_CB_EXCEPTION_UNWIND_FUNCTION_LEAVE);
        say(CLR_CB_EXCEPTION_UNWIND_FINALLY_LEAVE);
        say_of(CLR_CB_EXCEPTION_UNWIND_FINALLY_ENTER, &outer);
        say(CLR_CB_EXCEPTION_SEARCH_FILTER_LEAVE);
        say_of(CLR_CB_EXCEPTION_CATCHER_ENTER, &outer);
        (void)woven_enter(&mid);
        say(CLR_CB_EXCEPTION_UNWIND_FUNCTION_LEAVE);
        CHECK_EQUAL(session_running(session_thread()), 1);
        woven_leave(&mid);
    }
    CHECK_NODE(2, 0, mid.number);
    all_is_well();
}
IN_CHILD(strays_do_nothing)

static void an_exception_through_many_frames(void)
{
    begin(INSTRUMENT_CALLS);
    uintptr_t activation = woven_enter(&outer);
    for (int i = 0; i < 3000; i++) {
        (void)woven_enter(&mid);
    }
    say(CLR_CB_EXCEPTION_THROWN);
    for (int i = 0; i < 3000; i++) {
        unwind(&mid);
    }
    CHECK_EQUAL(session_running(session_thread()), 1);
    caught(&outer, activation);
    woven_leave(&outer);
    CHECK_EQUAL(session_thread()->depth, 0);
    all_is_well();
}
IN_CHILD(an_exception_through_many_frames)

// The tree becomes full in the middle of a recursion: the activations beyond the cap end first, and no others.
static void an_exception_over_the_cap(void)
{
    enum { BELOW = 1000, DEEP = 5000 };
    struct ring_options options = session_tree;
    options.nodes_max = 2048;
    begin_with(&options);
    uintptr_t activation = woven_enter(&outer);
    for (int i = 0; i < DEEP; i++) {
        (void)woven_enter(&mid);
    }
    uint32_t running = session_running(session_thread());
    CHECK(running > BELOW && running < DEEP && session_ring->over_cap);
    for (int i = 0; i < DEEP - BELOW; i++) {
        unwind(&mid);
    }
    CHECK_EQUAL(session_running(session_thread()), BELOW + 1);
    (void)fake_callback(CLR_CB_EXCEPTION_UNWIND_FUNCTION_ENTER, woven_function(&mid), 0, 0);
    (void)fake_callback(CLR_CB_EXCEPTION_CATCHER_ENTER, woven_function(&mid), 0, 0);
    CHECK_EQUAL(session_running(session_thread()), BELOW + 1); // the catching activation continues
    for (int i = 0; i < BELOW; i++) {
        woven_leave(&mid);
    }
    woven_restate(&outer, activation);
    woven_leave(&outer);
    nothing_runs();
    CHECK_NODE(1, 0, outer.number);
    CHECK_NODE(1, 0, outer.number, mid.number);
    const struct ring_node *flat = NODE((uint32_t)METHOD_OVER_CAP, mid.number);
    CHECK(flat);
    CHECK_EQUAL(flat->calls, DEEP - (running - 1));
    CHECK_EQUAL(flat->exceptions, flat->calls);
}
IN_CHILD(an_exception_over_the_cap)

// Caught by a method beyond the cap: its callees end, and it continues.
static void a_catch_over_the_cap(void)
{
    enum { DEEP = 5000 };
    struct ring_options options = session_tree;
    options.nodes_max = 2048;
    begin_with(&options);
    for (int i = 0; i < DEEP; i++) {
        (void)woven_enter(&mid);
    }
    uint32_t running = session_running(session_thread());
    uintptr_t activation = woven_enter(&outer);
    (void)woven_enter(&thrower);
    say(CLR_CB_EXCEPTION_THROWN);
    unwind(&thrower);
    caught(&outer, activation);
    CHECK_EQUAL(NODE((uint32_t)METHOD_OVER_CAP, thrower.number)->exceptions, 1);
    (void)woven_enter(&helper);
    woven_leave(&helper);
    woven_leave(&outer);
    CHECK_EQUAL(NODE((uint32_t)METHOD_OVER_CAP, outer.number)->exceptions, 0);
    CHECK_EQUAL(session_running(session_thread()), running);
    for (int i = 0; i < DEEP; i++) {
        CHECK_EQUAL(NODE((uint32_t)METHOD_OVER_CAP, mid.number)->exceptions, 0);
        woven_leave(&mid);
    }
    nothing_runs();
}
IN_CHILD(a_catch_over_the_cap)

// Three hundred finally blocks at once, each ended by an exception of a callee: more than may be pending.
static void very_many_pending_frames(void)
{
    enum { DEEP = 300 };
    static uintptr_t activations[DEEP];
    begin(0);
    uintptr_t above = woven_enter(&other);
    for (int i = 0; i < DEEP; i++) {
        activations[i] = woven_enter(&outer);
        say(CLR_CB_EXCEPTION_THROWN);
        say_of(CLR_CB_EXCEPTION_UNWIND_FUNCTION_ENTER, &outer);
        say_of(CLR_CB_EXCEPTION_UNWIND_FINALLY_ENTER, &outer);
        woven_restate(&outer, activations[i]);
    }
    for (int i = 0; i < DEEP; i++) {
        say(CLR_CB_EXCEPTION_UNWIND_FINALLY_LEAVE);
        say(CLR_CB_EXCEPTION_UNWIND_FUNCTION_LEAVE);
        if (i + 1 < DEEP) { // the outer finally's callee has thrown: it is caught inside that finally
            woven_restate(&outer, activations[DEEP - 2 - i]);
        }
    }
    caught(&other, above);
    woven_leave(&other);
    nothing_runs();
    CHECK_NODE(1, 0, other.number);
}
IN_CHILD(very_many_pending_frames)

// Runtimes 9 and 10: the last frame before native code is entered and not left. The native code throws again.
static void left_for_native_code(void)
{
    begin(0);
    (void)woven_enter(&mid);
    (void)woven_enter(&thrower);
    say(CLR_CB_EXCEPTION_THROWN);
    say(CLR_CB_EXCEPTION_UNWIND_FUNCTION_LEAVE); // a stray one
    unwind(&thrower);
    say_of(CLR_CB_EXCEPTION_UNWIND_FUNCTION_ENTER, &mid);
    CHECK_EQUAL(session_running(session_thread()), 1);
    say(CLR_CB_EXCEPTION_THROWN);
    CHECK_NODE(1, 1, mid.number);
    CHECK_NODE(1, 1, mid.number, thrower.number);
    all_is_well();
}
IN_CHILD(left_for_native_code)

// A handler's code runs below the frames that dispatch the exception.
static __attribute__((noinline)) void throw_in_handler(void)
{
    volatile char frames[16384];
    frames[0] = 0;
    say(CLR_CB_EXCEPTION_THROWN);
    frames[1] = frames[0];
}

// If the exception comes from the last frame's catch handler, that frame is not even entered.
static void rethrown_to_native_code(void)
{
    begin(0);
    uintptr_t activation = woven_enter(&outer);
    (void)woven_enter(&thrower);
    say(CLR_CB_EXCEPTION_THROWN);
    unwind(&thrower);
    say_of(CLR_CB_EXCEPTION_UNWIND_FUNCTION_ENTER, &outer);
    say_of(CLR_CB_EXCEPTION_CATCHER_ENTER, &outer);
    woven_restate(&outer, activation);
    throw_in_handler();
    (void)woven_enter(&helper); // somebody listens to exceptions at their throw; or a filter
    woven_leave(&helper);
    CHECK_EQUAL(session_running(session_thread()), 1);
    say(CLR_CB_EXCEPTION_THROWN);
    CHECK_NODE(1, 1, outer.number);
    CHECK_NODE(1, 1, outer.number, thrower.number);
    CHECK_NODE(1, 0, outer.number, helper.number);
    all_is_well();
}
IN_CHILD(rethrown_to_native_code)

// What a catch handler throws and catches itself says nothing about its frame.
static void a_catch_handler_catches(void)
{
    begin(0);
    uintptr_t activation = woven_enter(&outer);
    say(CLR_CB_EXCEPTION_THROWN);
    say_of(CLR_CB_EXCEPTION_UNWIND_FUNCTION_ENTER, &outer);
    say_of(CLR_CB_EXCEPTION_CATCHER_ENTER, &outer);
    woven_restate(&outer, activation);
    throw_in_handler();
    caught(&outer, activation);
    say(CLR_CB_EXCEPTION_THROWN); // above the first, in the same handler
    CHECK_EQUAL(session_running(session_thread()), 1);
    caught(&outer, activation);
    say(CLR_CB_EXCEPTION_CATCHER_LEAVE);
    woven_leave(&outer);
    CHECK_NODE(1, 0, outer.number);
    all_is_well();
}
IN_CHILD(a_catch_handler_catches)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_thrown_and_caught),
        cmocka_unit_test(test_inlined_callees_get_no_callback),
        cmocka_unit_test(test_rethrown),
        cmocka_unit_test(test_a_finally_calls_and_goes_on),
        cmocka_unit_test(test_a_finally_throws),
        cmocka_unit_test(test_a_finally_catches_what_it_calls),
        cmocka_unit_test(test_recursion_inside_a_finally),
        cmocka_unit_test(test_a_filter_runs_while_the_frames_live),
        cmocka_unit_test(test_a_filter_throws),
        cmocka_unit_test(test_a_filter_throws_on_8),
        cmocka_unit_test(test_filters_throw_again_and_again),
        cmocka_unit_test(test_a_foreign_filter),
        cmocka_unit_test(test_each_frame_has_its_activation),
        cmocka_unit_test(test_caught_where_nobody_records),
        cmocka_unit_test(test_a_loop_is_one_frame),
        cmocka_unit_test(test_a_loop_within_calls),
        cmocka_unit_test(test_frames_that_returned_are_gone),
        cmocka_unit_test(test_a_finally_calls_itself_too),
        cmocka_unit_test(test_calls_of_itself_over_the_cap),
        cmocka_unit_test(test_strays_do_nothing),
        cmocka_unit_test(test_an_exception_through_many_frames),
        cmocka_unit_test(test_an_exception_over_the_cap),
        cmocka_unit_test(test_a_catch_over_the_cap),
        cmocka_unit_test(test_very_many_pending_frames),
        cmocka_unit_test(test_left_for_native_code),
        cmocka_unit_test(test_rethrown_to_native_code),
        cmocka_unit_test(test_a_catch_handler_catches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
