// Writes definitions to their ring. A writer without room looks again every millisecond: it waits rarely, so the
// collector need not know about it.
#include "agent/session/report.h"

#include <stdarg.h>
#include <stdio.h>

#include "agent/session/agent.h"
#include "agent/session/give_up.h"
#include "agent/session/locks.h"
#include "base/locked.h"

enum { STEP_NS = 1000000, TEXT_MAX = 64 * 1024 };
static_assert(4 * TEXT_MAX < RING_DEFINITIONS_SIZE, "a definition of bounded texts fits the ring");

// Texts come from the program's metadata and may be longer than the ring. Cuts a long one at the start of a UTF-8
// character.
static struct text bounded(struct text text)
{
    if (text.size > TEXT_MAX) {
        text.size = TEXT_MAX;
        while (text.size > 0 && ((unsigned char)text.at[text.size] & 0xC0) == 0x80) {
            text.size--;
        }
    }
    return text;
}

static bool gone(void)
{
    return atomic_load_explicit(&agent.ring->collector_gone, memory_order_relaxed);
}

// The caller holds the lock. Only definitions that were read count as progress: a collector may continue with
// everything else and never read another definition.
static bool write_or_give_up(const struct buffer *encoded)
{
    CLEW_ASSERT_LOCKED(&agent.definitions);
    struct give_up wait = give_up_after(DEFINITIONS_LIMIT_NS, &agent.ring->definitions_read);
    while (!gone()) {
        if (ring_definition_write(agent.ring, encoded)) {
            return true;
        }
        const struct timespec pause = {.tv_nsec = STEP_NS};
        (void)nanosleep(&pause, NULL);
        give_up_renew(&wait);
        if (give_up_left_ns(&wait) == 0) {
            give_up_declare_gone(&wait, agent.ring);
        }
    }
    return false;
}

bool report_definition(const struct ring_definition *definition)
{
    if (gone()) {
        return false; // without taking the lock: in a forked child the thread that holds it may not exist
    }
    struct buffer encoded = {0};
    struct ring_definition fitting = *definition;
    bool written = false;
    fitting.name = bounded(definition->name);
    fitting.path = bounded(definition->path);
    fitting.reason = bounded(definition->reason);
    ring_definition_encode(&encoded, &fitting);
    if (!encoded.failed && ring_definition_fits(encoded.size)) {
        lock_take(&agent.definitions, LOCK_DEFINITIONS);
        written = write_or_give_up(&encoded);
        lock_release(&agent.definitions, LOCK_DEFINITIONS);
    }
    buffer_free(&encoded);
    return written;
}

void report_note(const char *format, ...)
{
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    (void)report_definition(&(struct ring_definition){.type = RING_DEFINE_NOTE, .reason = text_of(line)});
}
