// A small recording with exceptions. Include it after made_recording.h. Check<T> throws twice, once into Main, which catches it,
// and once through Main: it ends the process. Below the lambda of thread 2, code that is not recorded throws to itself; and of what
// ends calls of Check<T> there, it catches all but two.
#ifndef CLEW_TEST_MADE_THROWS_H
#define CLEW_TEST_MADE_THROWS_H

#include "put_events.h"

enum { EMPTY_CART = 1, LOST_CART }; // exceptions

static inline void define_exceptions(void)
{
    const struct recording_exception empty = {
        1, EMPTY_CART, TYPE_CART, EXCEPTION_STATED | EXCEPTION_MESSAGE, 17, made_text(text_of("the cart is empty"))};
    const struct recording_exception lost = {1, LOST_CART, TYPE_POINT, EXCEPTION_STATED | EXCEPTION_REDACTED, 0, {0}};
    must(recording_write_exception(writer, &empty));
    must(recording_write_exception(writer, &lost));
}

static inline void write_thrown_stream(void)
{
    put_event((struct recording_event){.clock = 100, .kind = RECORDING_ENTER, .method = MAIN});
    for (uint32_t exception = EMPTY_CART; exception <= LOST_CART; exception++) {
        uint64_t at = 1000 * exception;
        put_event((struct recording_event){.clock = at, .kind = RECORDING_ENTER, .method = THROW});
        put_event((struct recording_event){.clock = at + 10, .kind = RECORDING_THROWN, .exception = exception});
        put_event((struct recording_event){.clock = at + 40, .kind = RECORDING_UNWIND});
        if (exception == EMPTY_CART) {
            put_event((struct recording_event){
                .clock = at + 50, .kind = RECORDING_CAUGHT, .thrown = THROW_CAUGHT, .exception = exception});
        }
    }
    put_event((struct recording_event){.clock = 2050, .kind = RECORDING_UNWIND});
    struct recording_events block = block_of(1, put.events, put.event_count);
    block.stacks = put.stacks;
    block.stack_count = put.stack_count;
    must(recording_write_events(writer, &block));
    put.event_count = put.stack_count = 0;
}

static inline void make_throws(const char *path)
{
    struct recording_node nodes[] = {node(0, 0, 0, 0, UINT64_MAX, 0), node(0, LATER, 1, 6000, 6000, 6000),
                                     node(1, THROW, 60, 3000, 40, 60), node(2, ADD, 50, 1000, 20, 20)};
    nodes[2].exceptions = 45;
    nodes[3].exceptions = 40;
    const struct recording_throw in_stream[] = {
        {.method = THROW, .exception = EMPTY_CART, .count = 1},
        {.method = THROW, .caught_method = MAIN, .exception = EMPTY_CART, .flags = THROW_CAUGHT, .count = 1},
        {.method = THROW, .exception = LOST_CART, .count = 1},
    };
    const struct recording_throw in_tree[] = {
        {2, 0, LATER, 0, EMPTY_CART, THROW_BELOW, 40},
        {2, 2, LATER, LATER, EMPTY_CART, THROW_CAUGHT | THROW_BELOW | THROW_HANDLED_BELOW, 40},
        {4, 0, ADD, 0, EMPTY_CART, 0, 40},
        {4, 2, ADD, LATER, EMPTY_CART, THROW_CAUGHT, 40},
        {3, 0, THROW, 0, LOST_CART, 0, 5},
        {3, 2, THROW, LATER, LOST_CART, THROW_CAUGHT, 3},
    };
    const struct recording_throw elsewhere[] = {{.flags = THROW_OUTSIDE, .count = 3},
                                                {.flags = THROW_OVER, .count = 5}};
    create(path, INSTRUMENT_TREE | INSTRUMENT_CALLS, CLOCK_KIND_MONOTONIC);
    define();
    define_sites();
    define_exceptions();
    write_thrown_stream();
    must(recording_write_tree(
        writer, &(struct recording_tree){
                    .process = 1, .thread = 2, .clock = START + 9000, .final = true, .count = 4, .nodes = nodes}));
    must(recording_write_throws(writer, &(struct recording_throws){1, 1, START + 10000, 3, in_stream}));
    must(recording_write_throws(writer, &(struct recording_throws){1, 2, START + 10000, 6, in_tree}));
    must(recording_write_throws(writer, &(struct recording_throws){1, 0, START + 10000, 2, elsewhere}));
    must(recording_write_process(writer, &(struct recording_process){.process = 1,
                                                                     .os_id = 4711,
                                                                     .state = PROCESS_KILLED,
                                                                     .exit_status = SIGABRT,
                                                                     .exit_known = RECORDING_EXIT_KNOWN,
                                                                     .command = text_of("dotnet shop.dll --fast"),
                                                                     .runtime = text_of("CoreCLR 10.0.12"),
                                                                     .started_clock = START,
                                                                     .ended_clock = START + 10000,
                                                                     .unhandled = LOST_CART}));
    finish(9, 0, 2, true);
}

#endif
