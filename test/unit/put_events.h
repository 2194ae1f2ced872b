// Puts the events of one thread together, one call an event, and writes them as a stream with async activations. Include it
// after made_recording.h. Times are in ns from START on.
#ifndef CLEW_TEST_PUT_EVENTS_H
#define CLEW_TEST_PUT_EVENTS_H

enum { PUT_EVENTS_MAX = 64 };

// The events that were put since the last stream was written, and what they state. An event of an async activation states its
// number: two entries of `stacks`.
static struct {
    struct recording_event events[PUT_EVENTS_MAX];
    uint32_t stacks[4 * PUT_EVENTS_MAX];
    uint32_t event_count, stack_count;
    bool without_clock; // set by a test: all events are at START, and waits take no time
} put;

// Adds an event; its clock counts from START on.
static inline void put_event(struct recording_event event)
{
    if (put.event_count == PUT_EVENTS_MAX) {
        abort();
    }
    event.clock = put.without_clock ? START : START + event.clock;
    put.events[put.event_count++] = event;
}

// Adds an entry to the `stacks` of the last event.
static inline void put_stack(uint32_t entry)
{
    if (put.stack_count == sizeof put.stacks / sizeof *put.stacks) {
        abort();
    }
    put.stacks[put.stack_count++] = entry;
}

// The thread enters a method.
static inline void put_enter(uint64_t at, uint32_t method)
{
    put_event((struct recording_event){.clock = at, .kind = RECORDING_ENTER, .method = method});
}

// The thread leaves the newest activation.
static inline void put_leave(uint64_t at)
{
    put_event((struct recording_event){.clock = at, .kind = RECORDING_LEAVE});
}

// An event of the async activation `serial`; what `number` means depends on the kind.
static inline void put_async(uint64_t at, enum recording_event_kind kind, uint64_t serial, uint32_t wait,
                             uint64_t number)
{
    put_event((struct recording_event){.clock = at, .kind = kind, .wait = wait, .serial = serial});
    put_stack((uint32_t)number);
    put_stack((uint32_t)(number >> 32));
}

// The activation begins to wait in `state`. `wait` numbers its waits; 0: the number is not known.
static inline void put_suspend(uint64_t at, uint64_t serial, uint32_t wait, uint64_t state)
{
    put_async(at, RECORDING_SUSPEND, serial, wait, state);
}

// The thread enters `body`, which continues the activation after the wait that began at `from`.
static inline void put_resume(uint64_t at, uint32_t body, uint64_t serial, uint32_t wait, uint64_t from)
{
    put_enter(at, body);
    put_async(at, RECORDING_RESUME, serial, wait, put.without_clock ? 0 : at - from);
}

// The activation ends.
static inline void put_complete(uint64_t at, uint64_t serial, enum run_end how)
{
    put_async(at, RECORDING_COMPLETE, serial, 0, how);
}

// Events were lost.
static inline void put_lost(uint64_t at, uint64_t events)
{
    put_event((struct recording_event){.clock = at, .kind = RECORDING_LOST, .lost = events});
}

// The stack of `depth` activations at this point; its newest `count` have these methods.
static inline void put_stated_stack(uint64_t at, uint64_t depth, const uint32_t *methods, uint32_t count)
{
    put_event((struct recording_event){.clock = at, .kind = RECORDING_STACK, .stated = count, .depth = depth});
    for (uint32_t i = 0; i < count; i++) {
        put_stack(methods[i]);
    }
}

// The next put_event() begins another stream.
static inline void put_nothing(void)
{
    put.event_count = put.stack_count = 0;
}

// Writes what was put as the stream of a thread, in blocks of `size` events. Its activations are numbered from `number` on.
static inline void put_write(uint32_t thread, uint64_t number, uint32_t size)
{
    uint32_t open[8] = {0};
    uint64_t clocks[8] = {0}, numbers[8] = {0}, serials[8] = {0};
    uint32_t depth = 0;
    const uint32_t *stacks = put.stacks;
    for (uint32_t from = 0; from < put.event_count; from += size) {
        uint32_t left = put.event_count - from < size ? put.event_count - from : size, stated = 0;
        const struct recording_event *events = put.events + from;
        struct recording_events block = block_of(thread, events, left);
        for (uint32_t i = 0; i < left; i++) {
            stated += recording_stated(&events[i]);
        }
        block.async = true;
        block.depth = depth;
        block.open = open;
        block.open_clock = clocks;
        block.open_number = numbers;
        block.open_serial = serials;
        block.first_number = number;
        block.stacks = stacks;
        block.stack_count = stated;
        must(recording_write_events(writer, &block));
        stacks += stated;
        for (uint32_t i = 0; i < left; i++) {
            const struct recording_event *event = &events[i];
            if (event->kind == RECORDING_ENTER) {
                open[depth] = event->method;
                clocks[depth] = event->clock;
                numbers[depth] = number++;
                serials[depth++] = 0;
            } else if (recording_is_async(event->kind)) {
                serials[depth - 1] = recording_begins_run(event->kind) ? event->serial : 0;
            }
            depth -= event->kind == RECORDING_LEAVE;
        }
    }
    put_nothing();
}

#endif
