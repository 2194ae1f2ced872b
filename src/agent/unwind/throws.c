// See throws.h.
//
// A throw is where its thread is: in the current node. Whether the method of that node has thrown, or code that is not recorded
// and that it has called, follows from the first frame that the runtime searches for a handler. A catch belongs to the newest
// throw that has not been caught, except that these are over without a catch:
// - one in a filter, when the filter ends: the runtime swallows it;
// - one that another exception has replaced, or that native code has caught: at the next throw that is not above it. A dispatch
//   runs above the frame that threw, and the stack grows down, so the address of the announcement shows that.
//
// ExceptionThrown was measured to come in cooperative mode, so the object stays where it is while its message is read. It takes
// no lock: a thread that waits for a collection may hold it.
#include "agent/unwind/throws.h"

#include <string.h>

#include "agent/loaded/modules.h"
#include "agent/probe/probe_classes.h"
#include "agent/probe/probe_overflow.h"
#include "agent/probe/probe_throws.h"
#include "agent/session/agent.h"
#include "agent/types/classes.h"
#include "agent/types/instance_fields.h"
#include "agent/unwind/exceptions.h"
#include "base/redact.h"
#include "trace/kinds.h"

enum {
    PARENTS_MAX = 64,
    FIELDS_MAX = 64,
    CLASS_BITS = 7,        // of an object's first word, which the garbage collector uses
    STRING_LENGTH_AT = 8,  // of a string: its UTF-16 units,
    STRING_UNITS_AT = 12,  // and the first of them
    NOT_FOUND = UINT32_MAX // as message_field
};

static _Atomic uint32_t message_field; // offset of System.Exception._message in an exception; 0: not looked for yet
static uint32_t units_max;             // that are recorded of a message
static bool redacts_messages;

bool throws_start(void)
{
    const struct redaction *redaction = &agent.settings.redaction;
    redacts_messages =
        redaction_matches(redaction, text_of("Message")) || redaction_matches(redaction, text_of("_message"));
    units_max = agent.settings.string_max < RING_MESSAGE_UNITS ? agent.settings.string_max : RING_MESSAGE_UNITS;
    return classes_prepare() && throws_prepare();
}

// -- Messages ---------------------------------------------------------------------------------------------------------

static uint32_t message_field_of(clr_id class)
{
    struct clr_field fields[FIELDS_MAX];
    uint32_t count = 0, token;
    clr_id module_id = 0;
    if (clr_failed(info_get_class(agent.info, class, &module_id, &token)) ||
        clr_failed(info_get_fields(agent.info, class, FIELDS_MAX, fields, &count))) {
        return NOT_FOUND;
    }
    const struct module *module = module_find(module_id);
    for (uint32_t i = 0; module && i < count && i < FIELDS_MAX; i++) {
        if (text_equal(field_name(&module->metadata, fields[i].token), text_of("_message"))) {
            return fields[i].offset;
        }
    }
    return NOT_FOUND;
}

// Looks for the field in the base class of all exceptions.
static uint32_t find_message_field(clr_id class)
{
    for (int left = PARENTS_MAX; left > 0 && class; left--) {
        clr_id parent = 0;
        if (module_is_core_class(class, "Exception")) {
            return message_field_of(class);
        }
        class = clr_failed(info_get_parent(agent.info, class, &parent)) ? 0 : parent;
    }
    return NOT_FOUND;
}

static struct thrown_message message_of(clr_id exception, clr_id class)
{
    struct thrown_message message = {.flags = EXCEPTION_STATED | (redacts_messages ? EXCEPTION_REDACTED : 0)};
    uint32_t field = atomic_load_explicit(&message_field, memory_order_relaxed);
    if (field == 0) {
        field = find_message_field(class);
        atomic_store_explicit(&message_field, field, memory_order_relaxed);
    }
    uintptr_t string = field == NOT_FOUND || redacts_messages ? 0 : *(const uintptr_t *)(exception + field);
    if (string) {
        message.flags |= EXCEPTION_MESSAGE;
        message.length = *(const uint32_t *)(string + STRING_LENGTH_AT);
        message.recorded = message.length < units_max ? message.length : units_max;
        message.units = (const uint16_t *)(string + STRING_UNITS_AT);
    }
    return message;
}

// -- Throws -----------------------------------------------------------------------------------------------------------

static struct in_flight *newest(struct thread_private *own)
{
    CLEW_ASSERT(own->flight_count <= THREAD_FLIGHTS_MAX);
    return own->flight_count ? &own->flights[own->flight_count - 1] : NULL;
}

// The node in which the thread is. What runs over the cap of nodes is in the thread's node for that.
static uint32_t here(const struct thread_private *own)
{
    return own->shared->current == own->overflow_sentinel && own->overflow_sentinel ? own->flat.root
                                                                                    : own->shared->current;
}

// Counts the newest throw, unless it was.
static void place(struct thread_private *own, bool below)
{
    struct in_flight *flight = newest(own);
    if (flight && !flight->placed) {
        flight->placed = true;
        flight->flags = below ? THROW_BELOW : 0;
        const struct thrown thrown = {flight->node, flight->type, flight->exception, 0, flight->flags};
        throws_count(&thrown);
        throws_event(&thrown);
        own->shared->unhandled_node = own->shared->current;
        own->shared->unhandled = flight->exception;
    }
}

static void push(struct thread_private *own, const struct in_flight *flight)
{
    if (own->flight_count == THREAD_FLIGHTS_MAX) { // the oldest one gives up its place: its catch will not be known
        memmove(own->flights, own->flights + 1, (THREAD_FLIGHTS_MAX - 1) * sizeof *own->flights);
        own->flight_count--;
    }
    own->flights[own->flight_count++] = *flight;
}

void throws_thrown(clr_id exception)
{
    struct thread_private *own = thread_self_private;
    uintptr_t at = (uintptr_t)__builtin_frame_address(0);
    // Nothing is recorded of a forked child, and what follows asks the runtime, whose locks may have been held at the fork.
    if (!exception || agent.forked) {
        return;
    }
    if (!own) {
        atomic_fetch_add_explicit(&probe_ring->throws_outside, 1, memory_order_relaxed);
        return;
    }
    place(own, true);
    while (own->flight_count && newest(own)->at <= at) {
        own->flight_count--;
    }
    if (!atomic_load_explicit(&probe_ring->collector_gone, memory_order_relaxed)) {
        (void)classes_start();
    }
    clr_id class = *(const clr_id *)exception & ~(clr_id)CLASS_BITS;
    uint32_t type = class_number((const void *)class);
    const struct thrown_message message = message_of(exception, class);
    push(own,
         &(struct in_flight){.at = at, .node = here(own), .type = type, .exception = throws_number(type, &message)});
}

// Whether the frame is of the runtime's own code that throws for an instruction, such as an access to an array. No stack trace
// has it.
static bool throws_for_code(clr_id function)
{
    clr_id class, module;
    uint32_t token;
    return !clr_failed(info_get_function(agent.info, function, &class, &module, &token)) && class &&
           module_is_core_class(class, "ThrowHelpers");
}

void throws_searched(clr_id function)
{
    struct thread_private *own = thread_self_private;
    struct in_flight *flight = own ? newest(own) : NULL;
    if (!flight || flight->placed) {
        return;
    }
    uint32_t method = exception_method(function);
    if (method || !throws_for_code(function)) {
        place(own, method == 0);
    }
}

// The search for a handler has succeeded. Where it does not, the runtime ends the process, with the exception still unhandled; or
// native code takes it.
void throws_handler_found(void)
{
    if (thread_self_private) {
        thread_self_private->shared->unhandled = 0;
    }
}

void throws_caught(clr_id function)
{
    struct thread_private *own = thread_self_private;
    struct in_flight *flight = own ? newest(own) : NULL;
    if (!flight) {
        return;
    }
    place(own, true);
    uint32_t below = exception_method(function) == 0 ? THROW_HANDLED_BELOW : 0;
    const struct thrown caught = {flight->node, flight->type, flight->exception, here(own),
                                  flight->flags | THROW_CAUGHT | below};
    throws_count(&caught);
    throws_event(&caught);
    own->flight_count--;
    own->shared->unhandled = 0;
}

void throws_filter_begun(void)
{
    struct thread_private *own = thread_self_private;
    if (own) {
        place(own, true);
        if (own->filter_count > 0 && own->filter_count <= THREAD_FILTERS_MAX) {
            own->filters[own->filter_count - 1].flight_count = own->flight_count;
        }
    }
}

void throws_filter_ends(void)
{
    struct thread_private *own = thread_self_private;
    if (own && own->filter_count > 0 && own->filter_count <= THREAD_FILTERS_MAX) {
        uint32_t before = own->filters[own->filter_count - 1].flight_count;
        own->flight_count = own->flight_count < before ? own->flight_count : before;
        const struct in_flight *flight = newest(own); // whose search goes on
        own->shared->unhandled = flight ? flight->exception : 0;
        own->shared->unhandled_node = flight ? flight->node : 0;
    }
}

// -- Environment.FailFast ---------------------------------------------------------------------------------------------

static bool is_fail_fast(clr_id function)
{
    uint32_t token;
    clr_id class, module_id;
    const struct module *module = module_of_function(function, &token);
    return module && module_is_core_library(module) &&
           text_equal(metadata_string(&module->metadata, metadata_column(&module->metadata, TABLE_METHOD_DEF,
                                                                         TOKEN_ROW(token), METHOD_DEF_NAME)),
                      text_of("FailFast")) &&
           !clr_failed(info_get_function(agent.info, function, &class, &module_id, &token)) &&
           module_is_core_class(class, "Environment");
}

void throws_prepared(clr_id function)
{
    struct thread_private *own = thread_self_private;
    if (own && !agent.forked && is_fail_fast(function)) {
        own->shared->failing_node = own->shared->current;
    }
}
