// The rules by which events begin and end activations: well-formed streams, and every odd one that must not skew the rest.
#include "model/events/stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/catalog.h"

// The calls that the user of the stream got, as text: "+17@5" an activation of method 17 begins at 5, "-17@9" it ends, "!" by
// an exception, "!3" by that of number 3, "?" unseen; "<16" behind a beginning is its caller.
struct recorded {
    struct stream stream;
    char text[1024];
    size_t size;
};

static struct stream_work work;

static void note(struct recorded *recorded, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void note(struct recorded *recorded, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (recorded->size + 64 < sizeof recorded->text) {
        recorded->size += (size_t)vsnprintf(recorded->text + recorded->size, 64, format, arguments);
    }
    va_end(arguments);
}

static enum clew_error begin(void *context, struct stream *stream, struct stream_frame *frame)
{
    const struct stream_frame *caller = stream_caller(stream, frame);
    note(context, "+%u@%llu", frame->method, (unsigned long long)frame->started);
    if (caller) {
        note(context, "<%u", caller->method);
    }
    note(context, "%s ", frame->joined ? "j" : "");
    return CLEW_OK;
}

static enum clew_error end(void *context, struct stream *stream, struct stream_frame *frame, uint64_t clock,
                           enum stream_end how)
{
    char exception[24] = "";
    if (how == STREAM_UNWOUND && stream_exception(stream)) {
        (void)snprintf(exception, sizeof exception, "%llu", (unsigned long long)stream_exception(stream));
    }
    note(context, "-%u@%llu%s%s ", frame->method, (unsigned long long)clock,
         how == STREAM_UNWOUND  ? "!"
         : how == STREAM_UNSEEN ? "?"
                                : "",
         exception);
    return CLEW_OK;
}

static void feed(struct recorded *recorded, const struct recording_event *events, uint32_t count,
                 const uint32_t *stacks)
{
    struct stream_user user = {begin, end, recorded, &work};
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(stream_step(&recorded->stream, &events[i], stacks, &user), CLEW_OK);
        stacks += recording_stated(&events[i]);
    }
}

static void open_block(struct recorded *recorded, uint64_t sequence, uint32_t depth, const uint32_t *open,
                       const uint64_t *clocks, uint64_t first)
{
    struct recording_events block = {
        .sequence = sequence, .first_clock = first, .depth = depth, .open = open, .open_clock = clocks};
    struct stream_user user = {begin, end, recorded, &work};
    assert_int_equal(stream_open_block(&recorded->stream, &block, &user), CLEW_OK);
}

#define FEED(recorded, stacks, ...)                                        \
    do {                                                                   \
        const struct recording_event events_[] = {__VA_ARGS__};            \
        feed(recorded, events_, sizeof events_ / sizeof *events_, stacks); \
    } while (0)
// `m` and `n` are what the kind's own members of the unions are.
#define EVENT(at, what, m, n)                                                  \
    {                                                                          \
        .clock = at, .kind = RECORDING_##what, .method = (m), .remaining = (n) \
    }

static void test_calls_nest(void **state)
{
    (void)state;
    struct recorded recorded = {0};
    open_block(&recorded, 0, 0, NULL, NULL, 1);
    FEED(&recorded, NULL, EVENT(1, ENTER, 16, 0), EVENT(2, ENTER, 17, 0), EVENT(3, LEAVE, 0, 0), EVENT(4, ENTER, 17, 0),
         EVENT(6, UNWIND, 0, 0), EVENT(7, LEAVE, 0, 0));
    assert_string_equal(recorded.text, "+16@1 +17@2<16 -17@3 +17@4<16 -17@6! -16@7 ");
    assert_int_equal(recorded.stream.events, 6);
    assert_int_equal(recorded.stream.depth, 0);
    stream_fini(&recorded.stream);
}

static void test_exceptions_end_what_they_leave(void **state)
{
    (void)state;
    struct recorded recorded = {0};
    // 17 catches 3; a call of it returns, and then 17 throws 4, which ends all.
    FEED(&recorded, NULL, EVENT(1, ENTER, 16, 0), EVENT(2, ENTER, 17, 0), EVENT(3, ENTER, 18, 0),
         EVENT(4, THROWN, 0, 3), EVENT(5, UNWIND, 0, 0), EVENT(5, CAUGHT, 0, 3));
    assert_int_equal(recorded.stream.frames[1].caught, 3);
    FEED(&recorded, NULL, EVENT(6, ENTER, 19, 0), EVENT(7, LEAVE, 0, 0), EVENT(8, THROWN, 0, 4), EVENT(9, UNWIND, 0, 0),
         EVENT(9, UNWIND, 0, 0));
    assert_string_equal(recorded.text, "+16@1 +17@2<16 +18@3<17 -18@5!3 +19@6<17 -19@7 -17@9!4 -16@9!4 ");
    stream_fini(&recorded.stream);
}

static void test_exceptions_wait_for_those_that_their_handlers_throw(void **state)
{
    (void)state;
    struct recorded recorded = {0};
    // While 3 passes a `finally` of 17, that throws 4 in a callee and catches it. Then 3 goes on, and a later `finally` throws 5
    // in its place.
    FEED(&recorded, NULL, EVENT(1, ENTER, 16, 0), EVENT(2, ENTER, 17, 0), EVENT(3, THROWN, 0, 3),
         EVENT(4, ENTER, 18, 0), EVENT(5, THROWN, 0, 4), EVENT(6, UNWIND, 0, 0), EVENT(6, CAUGHT, 0, 4),
         EVENT(7, UNWIND, 0, 0), EVENT(8, ENTER, 19, 0), EVENT(9, THROWN, 0, 5), EVENT(10, UNWIND, 0, 0),
         EVENT(10, UNWIND, 0, 0));
    assert_string_equal(recorded.text, "+16@1 +17@2<16 +18@4<17 -18@6!4 -17@7!3 +19@8<16 -19@10!5 -16@10!5 ");
    assert_int_equal(recorded.stream.throw_count, 1);
    stream_fini(&recorded.stream);
}

static void test_an_exception_that_was_not_seen_is_not_known(void **state)
{
    (void)state;
    struct recorded recorded = {0};
    // Native code takes 3 between 16 and 17; what ends 18 and 16 later was not seen.
    FEED(&recorded, NULL, EVENT(1, ENTER, 16, 0), EVENT(2, ENTER, 17, 0), EVENT(3, THROWN, 0, 3),
         EVENT(4, UNWIND, 0, 0), EVENT(5, ENTER, 18, 0), EVENT(6, UNWIND, 0, 0), EVENT(7, CAUGHT, 0, 0),
         EVENT(8, UNWIND, 0, 0));
    assert_string_equal(recorded.text, "+16@1 +17@2<16 -17@4!3 +18@5<16 -18@6! -16@8! ");
    recorded.size = 0;
    // Native code takes 3 between 17 and 18; what ends another call of 16 was not seen.
    FEED(&recorded, NULL, EVENT(1, ENTER, 16, 0), EVENT(2, ENTER, 17, 0), EVENT(3, ENTER, 18, 0),
         EVENT(4, THROWN, 0, 3), EVENT(5, UNWIND, 0, 0), EVENT(6, LEAVE, 0, 0), EVENT(7, ENTER, 19, 0),
         EVENT(8, UNWIND, 0, 0), EVENT(9, LEAVE, 0, 0));
    assert_string_equal(recorded.text, "+16@1 +17@2<16 +18@3<17 -18@5!3 -17@6 +19@7<16 -19@8! -16@9 ");
    recorded.size = 0;
    // Events are missing between the throw and its end.
    FEED(&recorded, (const uint32_t[]){16}, EVENT(11, ENTER, 16, 0), EVENT(12, THROWN, 0, 3), EVENT(13, LOST, 0, 2),
         EVENT(13, STACK, 1, 1), EVENT(14, UNWIND, 0, 0));
    assert_string_equal(recorded.text, "+16@11 -16@14! ");
    stream_fini(&recorded.stream);
}

static void test_a_copy_goes_on_by_itself(void **state)
{
    (void)state;
    struct recorded recorded = {0}, copy = {0};
    FEED(&recorded, NULL, EVENT(1, ENTER, 16, 0), EVENT(2, ENTER, 17, 0), EVENT(3, THROWN, 0, 3));
    assert_int_equal(stream_copy(&copy.stream, &recorded.stream), CLEW_OK);
    FEED(&recorded, NULL, EVENT(4, CAUGHT, 0, 3), EVENT(5, LEAVE, 0, 0), EVENT(6, THROWN, 0, 9));
    FEED(&copy, NULL, EVENT(4, UNWIND, 0, 0), EVENT(5, UNWIND, 0, 0));
    assert_string_equal(copy.text, "-17@4!3 -16@5!3 ");
    // Over a stream in use, as where a reader returns to an earlier event.
    assert_int_equal(stream_copy(&copy.stream, &recorded.stream), CLEW_OK);
    FEED(&copy, NULL, EVENT(7, UNWIND, 0, 0));
    assert_string_equal(copy.text, "-17@4!3 -16@5!3 -16@7!9 ");
    stream_fini(&copy.stream);
    stream_fini(&recorded.stream);
}

static void test_exit_without_entry_is_ignored(void **state)
{
    (void)state;
    struct recorded recorded = {0};
    FEED(&recorded, NULL, EVENT(1, LEAVE, 0, 0), EVENT(2, UNWIND, 0, 0), EVENT(3, FILTER_END, 0, 0),
         EVENT(4, CUT, 0, 0), EVENT(5, FILTER, 0, 3), EVENT(6, ENTER, 16, 0));
    assert_string_equal(recorded.text, "+16@6 ");
    stream_fini(&recorded.stream);
}

static void test_cut_ends_all_but_so_many(void **state)
{
    (void)state;
    struct recorded recorded = {0};
    FEED(&recorded, NULL, EVENT(1, ENTER, 16, 0), EVENT(2, ENTER, 17, 0), EVENT(3, ENTER, 18, 0), EVENT(9, CUT, 0, 1),
         EVENT(10, CUT, 0, 5), EVENT(11, LEAVE, 0, 0));
    assert_string_equal(recorded.text, "+16@1 +17@2<16 +18@3<17 -18@9? -17@9? -16@11 ");
    stream_fini(&recorded.stream);
}

static void test_lost_events_keep_what_the_stack_confirms(void **state)
{
    (void)state;
    static const uint32_t stack[] = {16, 19};
    struct recorded recorded = {0};
    FEED(&recorded, stack, EVENT(1, ENTER, 16, 0), EVENT(2, ENTER, 17, 0), EVENT(3, ENTER, 18, 0), EVENT(9, LOST, 0, 5),
         EVENT(9, STACK, 2, 2), EVENT(11, LEAVE, 0, 0), EVENT(12, LEAVE, 0, 0));
    // What is gone ended when last seen; what is new began when first seen; the outermost goes on.
    assert_string_equal(recorded.text, "+16@1 +17@2<16 +18@3<17 -18@9? -17@9? +19@9<16j -19@11 -16@12 ");
    assert_int_equal(recorded.stream.lost, 5);
    stream_fini(&recorded.stream);
}

static void test_deep_stack_names_only_the_newest(void **state)
{
    (void)state;
    static const uint32_t stack[] = {18};
    struct recorded recorded = {0};
    FEED(&recorded, stack, EVENT(1, ENTER, 16, 0), EVENT(9, LOST, 0, 1), EVENT(9, STACK, 1, 3), EVENT(10, CUT, 0, 0));
    assert_string_equal(recorded.text, "+16@1 +3@9<16j +18@9<3j -18@10? -3@10? -16@10? ");
    stream_fini(&recorded.stream);
}

static void test_filter_calls_belong_to_the_owner(void **state)
{
    (void)state;
    struct recorded recorded = {0};
    // 16 has a filter for what 18 throws; it calls 19 while 17 and 18 still run; then both are unwound.
    FEED(&recorded, NULL, EVENT(1, ENTER, 16, 0), EVENT(2, ENTER, 17, 0), EVENT(3, ENTER, 18, 0),
         EVENT(4, FILTER, 0, 1), EVENT(5, ENTER, 19, 0), EVENT(6, ENTER, 20, 0), EVENT(7, LEAVE, 0, 0),
         EVENT(8, LEAVE, 0, 0), EVENT(9, FILTER_END, 0, 0), EVENT(10, UNWIND, 0, 0), EVENT(11, UNWIND, 0, 0),
         EVENT(12, LEAVE, 0, 0));
    assert_string_equal(recorded.text, "+16@1 +17@2<16 +18@3<17 +19@5<16 +20@6<19 -20@7 -19@8 -18@10! -17@11! -16@12 ");
    assert_int_equal(recorded.stream.filters, 0);
    stream_fini(&recorded.stream);
}

static enum clew_error begin_time(void *context, struct stream *stream, struct stream_frame *frame)
{
    (void)context;
    (void)stream;
    (void)frame;
    return CLEW_OK;
}

static enum clew_error end_time(void *context, struct stream *stream, struct stream_frame *frame, uint64_t clock,
                                enum stream_end how)
{
    (void)stream;
    (void)how;
    note(context, "%u:%llu ", frame->method, (unsigned long long)stream_time(frame, clock));
    return CLEW_OK;
}

// What a filter takes is its owner's time and not that of the frames that wait above; nested filters are not taken twice.
static void test_frames_wait_for_filters(void **state)
{
    (void)state;
    struct recorded recorded = {0};
    struct stream_user user = {begin_time, end_time, &recorded, &work};
    const struct recording_event events[] = {
        EVENT(0, ENTER, 16, 0),      EVENT(10, ENTER, 17, 0), EVENT(20, FILTER, 0, 1), EVENT(22, ENTER, 18, 0),
        EVENT(24, ENTER, 19, 0),     EVENT(30, FILTER, 0, 3), EVENT(31, ENTER, 20, 0), EVENT(34, LEAVE, 0, 0),
        EVENT(35, FILTER_END, 0, 0), EVENT(40, UNWIND, 0, 0), EVENT(44, LEAVE, 0, 0),  EVENT(50, FILTER_END, 0, 0),
        EVENT(60, UNWIND, 0, 0),     EVENT(100, LEAVE, 0, 0),
    };
    for (uint32_t i = 0; i < sizeof events / sizeof *events; i++) {
        assert_int_equal(stream_step(&recorded.stream, &events[i], NULL, &user), CLEW_OK);
    }
    // 19 ran 24 to 40 but for the inner filter's 5; 17 ran 10 to 60 but for the outer filter's 30.
    assert_string_equal(recorded.text, "20:3 19:11 18:22 17:20 16:100 ");
    stream_fini(&recorded.stream);
}

static void test_filters_nest_and_number_activations_only(void **state)
{
    (void)state;
    struct recorded recorded = {0};
    // Inside the filter of 16, 18 runs; a filter of it (activation 3) calls 19.
    FEED(&recorded, NULL, EVENT(1, ENTER, 16, 0), EVENT(2, ENTER, 17, 0), EVENT(3, FILTER, 0, 1),
         EVENT(4, ENTER, 18, 0), EVENT(5, ENTER, 20, 0), EVENT(6, FILTER, 0, 3), EVENT(7, ENTER, 19, 0),
         EVENT(8, LEAVE, 0, 0), EVENT(9, FILTER_END, 0, 0), EVENT(10, UNWIND, 0, 0), EVENT(11, LEAVE, 0, 0),
         EVENT(12, FILTER_END, 0, 0), EVENT(13, ENTER, 21, 0));
    assert_string_equal(recorded.text, "+16@1 +17@2<16 +18@4<16 +20@5<18 +19@7<18 -19@8 -20@10! -18@11 +21@13<17 ");
    stream_fini(&recorded.stream);
}

// Its owner is not in the stream, and called what is: so do the filter's calls.
static void test_a_filter_may_have_an_owner_outside_the_stream(void **state)
{
    (void)state;
    struct recorded recorded = {0};
    FEED(&recorded, NULL, EVENT(1, ENTER, 16, 0), EVENT(2, ENTER, 17, 0), EVENT(10, FILTER, 0, 0),
         EVENT(11, ENTER, 18, 0), EVENT(12, FILTER, 0, 0), EVENT(12, ENTER, 19, 0), EVENT(12, LEAVE, 0, 0),
         EVENT(12, FILTER_END, 0, 0), EVENT(12, LEAVE, 0, 0), EVENT(20, FILTER_END, 0, 0));
    assert_string_equal(recorded.text, "+16@1 +17@2<16 +18@11 +19@12 -19@12 -18@12 ");
    assert_int_equal(recorded.stream.frames[0].waited, 10);
    assert_int_equal(recorded.stream.frames[1].waited, 10);
    stream_fini(&recorded.stream);
}

static void test_forgotten_filter_heals(void **state)
{
    (void)state;
    struct recorded recorded = {0};
    FEED(&recorded, NULL, EVENT(1, ENTER, 16, 0), EVENT(2, ENTER, 17, 0), EVENT(3, FILTER, 0, 1),
         EVENT(4, UNWIND, 0, 0), EVENT(5, ENTER, 18, 0));
    assert_string_equal(recorded.text, "+16@1 +17@2<16 -17@4! +18@5<16 ");
    stream_fini(&recorded.stream);
}

static void test_blocks_follow_or_bridge(void **state)
{
    (void)state;
    static const uint32_t open[] = {16, 18};
    static const uint64_t clocks[] = {1, 20};
    struct recorded recorded = {0};
    open_block(&recorded, 0, 0, NULL, NULL, 1);
    FEED(&recorded, NULL, EVENT(1, ENTER, 16, 0), EVENT(2, ENTER, 17, 0));
    open_block(&recorded, 1, 2, NULL, NULL, 3); // follows: its list is not needed
    FEED(&recorded, NULL, EVENT(3, LEAVE, 0, 0), EVENT(4, ENTER, 18, 0));
    open_block(&recorded, 3, 2, open, clocks, 30); // block 2 is missing: another activation of 18 runs
    assert_string_equal(recorded.text, "+16@1 +17@2<16 -17@3 +18@4<16 -18@4? +18@20<16j ");
    assert_int_equal(recorded.stream.gaps, 1);
    stream_fini(&recorded.stream);
}

static void test_absurd_depth_is_bounded(void **state)
{
    (void)state;
    static const uint32_t stack[] = {18};
    struct recorded recorded = {0};
    struct stream_work own = {0};
    struct stream_user user = {begin, end, &recorded, &own};
    const struct recording_event event = {.clock = 1, .kind = RECORDING_STACK, .stated = 1, .depth = UINT64_MAX};
    assert_int_equal(stream_step(&recorded.stream, &event, stack, &user), CLEW_OK);
    assert_int_equal(recorded.stream.depth, (1 << 20) + 1); // those without a name that are accepted, and 18
    stream_fini(&recorded.stream);
}

struct balance {
    uint64_t begun, ended;
};

static enum clew_error count_begin(void *context, struct stream *stream, struct stream_frame *frame)
{
    struct balance *balance = context;
    const struct stream_frame *caller = stream_caller(stream, frame);
    assert_ptr_equal(frame, &stream->frames[stream->depth - 1]);
    assert_true(!caller || !caller->filter);
    balance->begun++;
    return CLEW_OK;
}

static enum clew_error count_end(void *context, struct stream *stream, struct stream_frame *frame, uint64_t clock,
                                 enum stream_end how)
{
    struct balance *balance = context;
    const struct stream_frame *caller = stream_caller(stream, frame);
    (void)clock;
    (void)how;
    assert_false(frame->filter);
    assert_true(!caller || !caller->filter);
    balance->ended++;
    return CLEW_OK;
}

// Whatever comes in whatever order: every end has its beginning, callers are activations, filters are counted.
static void test_any_order_keeps_the_balance(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 300; seed++) {
        struct stream stream = {0};
        struct balance balance = {0};
        struct stream_user user = {count_begin, count_end, &balance, &work};
        srandom(seed);
        for (uint32_t i = 0; i < 300; i++) {
            long choice = random() % 16;
            const uint32_t stack[] = {16 + (uint32_t)random() % 3, 16 + (uint32_t)random() % 3};
            struct recording_event event = {.clock = i, .kind = RECORDING_ENTER, .method = 16 + (uint32_t)random() % 3};
            event.kind = choice < 8    ? (enum recording_event_kind)choice
                         : choice < 13 ? RECORDING_ENTER
                                       : RECORDING_LEAVE;
            event.method = event.kind == RECORDING_STACK ? (uint32_t)random() % 3 : event.method;
            assert_int_equal(stream_step(&stream, &event, stack, &user), CLEW_OK);
            uint32_t filters = 0;
            for (uint32_t frame = 0; frame < stream.depth; frame++) {
                filters += stream.frames[frame].filter;
            }
            assert_int_equal(filters, stream.filters);
            assert_int_equal(balance.begun - balance.ended, stream_activations(&stream));
        }
        stream_fini(&stream);
    }
}

// Activations that a STACK event does not name cost a few bytes in a file, and much to whoever goes through them.
static void test_unnamed_activations_have_an_end(void **state)
{
    struct stream stream = {0};
    struct balance balance = {0};
    struct stream_work own = {0};
    struct stream_user user = {count_begin, count_end, &balance, &own};
    const uint64_t most = UINT64_C(1) << 20;
    (void)state;
    for (uint32_t i = 0; i < 16; i++) {
        struct recording_event event = {
            .clock = i, .kind = RECORDING_STACK, .stated = 0, .depth = i % 2 ? 0 : RECORDING_DEPTH_MAX};
        assert_int_equal(stream_step(&stream, &event, NULL, &user), CLEW_OK);
    }
    assert_int_equal(balance.begun, most);
    assert_int_equal(balance.ended, most);
    stream_fini(&stream);
}

// Numbers come from the block and go on with each ENTER; an activation whose ENTER was lost has none.
static void test_calls_have_numbers(void **state)
{
    (void)state;
    static const uint32_t open[] = {16, 17}, stacks[] = {16, 17, 30};
    static const uint64_t clocks[] = {1, 2}, numbers[] = {3, 9};
    struct recorded recorded = {0};
    struct stream_user user = {begin, end, &recorded, &work};
    struct recording_events block = {
        .depth = 2, .open = open, .open_clock = clocks, .first_clock = 5, .first_number = 20, .open_number = numbers};
    struct stream *stream = &recorded.stream;
    assert_int_equal(stream_open_block(stream, &block, &user), CLEW_OK);
    assert_int_equal(stream->frames[0].call, 3);
    assert_int_equal(stream->frames[1].call, 9);
    FEED(&recorded, NULL, EVENT(6, ENTER, 18, 0), EVENT(7, LEAVE, 0, 0), EVENT(8, ENTER, 19, 0));
    assert_int_equal(stream->frames[2].call, 21);
    FEED(&recorded, stacks, EVENT(8, STACK, 2, 2));
    assert_int_equal(stream->frames[1].call, 9);
    FEED(&recorded, stacks, EVENT(9, LOST, 0, 4), EVENT(9, STACK, 3, 3), EVENT(10, ENTER, 31, 0));
    assert_int_equal(stream->frames[1].call, 0); // it may be another one of the method
    assert_int_equal(stream->frames[2].call, 0);
    assert_int_equal(stream->frames[3].call, 22);
    block = (struct recording_events){.sequence = 1, .first_clock = 11, .first_number = 40};
    assert_int_equal(stream_open_block(stream, &block, &user), CLEW_OK); // follows: the stack stays
    FEED(&recorded, NULL, EVENT(12, ENTER, 32, 0));
    assert_int_equal(stream->frames[4].call, 40);
    block = (struct recording_events){.sequence = 2, .first_clock = 13}; // without numbers
    assert_int_equal(stream_open_block(stream, &block, &user), CLEW_OK);
    FEED(&recorded, NULL, EVENT(14, ENTER, 33, 0));
    assert_int_equal(stream->frames[5].call, 0);
    stream_fini(stream);
}

static void expect_serials(const struct stream *stream, const uint64_t *serials, uint32_t depth)
{
    assert_int_equal(stream->depth, depth);
    for (uint32_t i = 0; i < depth; i++) {
        assert_int_equal(stream->frames[i].serial, serials[i]);
    }
}

// A run is its activation's up to the next wait. After losses only what is stated is known, by the numbers of activations.
static void test_runs_have_serials(void **state)
{
    (void)state;
    static const uint32_t open[] = {16, 17}, nothing[] = {0, 0}, stacks[] = {16, 17, 19, 2, 0, 9, 0, 0, 1};
    static const uint64_t clocks[] = {1, 2}, serials[] = {70, 0};
    struct recorded recorded = {0};
    struct stream_user user = {begin, end, &recorded, &work};
    const struct recording_events block = {
        .depth = 2, .open = open, .open_clock = clocks, .first_clock = 5, .async = true, .open_serial = serials};
    struct stream *stream = &recorded.stream;
    assert_int_equal(stream_open_block(stream, &block, &user), CLEW_OK);
    expect_serials(stream, serials, 2);
    FEED(&recorded, nothing, EVENT(6, ENTER, 18, 0), EVENT(6, RESUME, 2, 71));
    expect_serials(stream, (const uint64_t[]){70, 0, 71}, 3);
    FEED(&recorded, nothing, EVENT(7, SUSPEND, 2, 71));
    expect_serials(stream, (const uint64_t[]){70, 0, 0}, 3);
    FEED(&recorded, nothing, EVENT(8, LEAVE, 0, 0), EVENT(9, RESUME, 2, 72));
    expect_serials(stream, (const uint64_t[]){70, 72}, 2);
    FEED(&recorded, stacks, EVENT(10, LOST, 0, 4), EVENT(10, STACK, 3, 3), EVENT(10, RUN, 2, 73), EVENT(10, RUN, 2, 74),
         EVENT(10, RUN, 2, 75));
    expect_serials(stream, (const uint64_t[]){0, 73, 0}, 3);
    FEED(&recorded, nothing, EVENT(11, LEAVE, 0, 0), EVENT(11, COMPLETE, 2, 73));
    expect_serials(stream, (const uint64_t[]){0, 0}, 2);
    FEED(&recorded, nothing, EVENT(12, LEAVE, 0, 0), EVENT(12, LEAVE, 0, 0), EVENT(12, RESUME, 2, 76));
    expect_serials(stream, NULL, 0);
    stream_fini(stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calls_nest),
        cmocka_unit_test(test_calls_have_numbers),
        cmocka_unit_test(test_runs_have_serials),
        cmocka_unit_test(test_exceptions_end_what_they_leave),
        cmocka_unit_test(test_exceptions_wait_for_those_that_their_handlers_throw),
        cmocka_unit_test(test_an_exception_that_was_not_seen_is_not_known),
        cmocka_unit_test(test_a_copy_goes_on_by_itself),
        cmocka_unit_test(test_exit_without_entry_is_ignored),
        cmocka_unit_test(test_cut_ends_all_but_so_many),
        cmocka_unit_test(test_lost_events_keep_what_the_stack_confirms),
        cmocka_unit_test(test_deep_stack_names_only_the_newest),
        cmocka_unit_test(test_filter_calls_belong_to_the_owner),
        cmocka_unit_test(test_frames_wait_for_filters),
        cmocka_unit_test(test_filters_nest_and_number_activations_only),
        cmocka_unit_test(test_a_filter_may_have_an_owner_outside_the_stream),
        cmocka_unit_test(test_forgotten_filter_heals),
        cmocka_unit_test(test_blocks_follow_or_bridge),
        cmocka_unit_test(test_absurd_depth_is_bounded),
        cmocka_unit_test(test_unnamed_activations_have_an_end),
        cmocka_unit_test(test_any_order_keeps_the_balance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
