// A profiler that does nothing, for test/sample/profiler. PROFILER_REFUSES is the step at which it refuses: class, create,
// initialize or cancel. It notes each step in the file PROFILER_LOG, a line each: process, step, result.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clr/profiling.h"

#define FAILED ((clr_result)0x80004005u)

static const struct clr_guid own = {0x1D5A3B40, 0x7C5E, 0x4C5F, {0x9A, 0x10, 0x42, 0x6B, 0x11, 0xC0, 0xFF, 0xEE}};

typedef void (*slot)(void);
static slot callbacks[CLR_CB_COUNT];
static slot *callback_object = callbacks;

static clr_result note(const char *step, clr_result result)
{
    char line[128];
    int size = snprintf(line, sizeof line, "%d %s %x\n", (int)getpid(), step, (unsigned)result);
    int file = open(getenv("PROFILER_LOG"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    (void)!write(file, line, (size_t)size); // the test misses the line
    (void)close(file);
    return result;
}

static int refuses(const char *step)
{
    const char *at = getenv("PROFILER_REFUSES");
    return at && strcmp(at, step) == 0;
}

static clr_result query(void *object, const struct clr_guid *id, void **out)
{
    (void)id;
    *out = object;
    return CLR_OK;
}

static clr_result succeed(void)
{
    return CLR_OK;
}

static clr_result initialize(void *object, void *info)
{
    (void)object;
    (void)info;
    return note("initialize", refuses("initialize") ? FAILED : refuses("cancel") ? CLR_CANCEL_ACTIVATION : CLR_OK);
}

static clr_result create(void *object, void *outer, const struct clr_guid *id, void **out)
{
    (void)object;
    (void)outer;
    return note("create", refuses("create") ? CLR_NO_INTERFACE : query(&callback_object, id, out));
}

static const slot factory[] = {(slot)query, (slot)succeed, (slot)succeed, (slot)create, (slot)succeed};
static const slot *factory_object = factory;

__attribute__((visibility("default"))) clr_result DllGetClassObject(const struct clr_guid *class_id,
                                                                    const struct clr_guid *id, void **out);

clr_result DllGetClassObject(const struct clr_guid *class_id, const struct clr_guid *id, void **out)
{
    for (size_t i = 0; i < CLR_CB_COUNT; i++) {
        callbacks[i] = (slot)succeed;
    }
    callbacks[CLR_CB_QUERY_INTERFACE] = (slot)query;
    callbacks[CLR_CB_INITIALIZE] = (slot)initialize;
    int known = memcmp(class_id, &own, sizeof own) == 0 && !refuses("class");
    return note("class", known ? query(&factory_object, id, out) : CLR_NOT_AVAILABLE);
}
