// Definitions on their way to the collector, in order and complete: an event never comes before what it refers to.
#include "agent/agent.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

enum { STEP_NS = 1000000, GIVE_UP_STEPS = 5000 };

static bool gone(void)
{
    return atomic_load_explicit(&agent.ring->collector_gone, memory_order_relaxed);
}

void report_definition(const struct ring_definition *definition)
{
    struct buffer encoded = {0};
    ring_definition_encode(&encoded, definition);
    (void)pthread_mutex_lock(&agent.definitions);
    for (int step = 0; !encoded.failed && !gone() && !ring_definition_write(agent.ring, &encoded); step++) {
        if (step == GIVE_UP_STEPS) {
            atomic_store_explicit(&agent.ring->collector_gone, 1, memory_order_release);
        }
        const struct timespec pause = {.tv_nsec = STEP_NS};
        (void)nanosleep(&pause, NULL);
    }
    (void)pthread_mutex_unlock(&agent.definitions);
    buffer_free(&encoded);
}

void report_note(const char *format, ...)
{
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    report_definition(&(struct ring_definition){.type = RING_DEFINE_NOTE, .reason = text_of(line)});
}
