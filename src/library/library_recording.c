// The handle of libclew, and what a recording says about itself (clew/recording.h).
#include "library/library.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "recording/handle.h"
#include "trace/instrument.h"

static_assert((int)CLEW_CLOCK_TSC == CLOCK_KIND_TSC && (int)CLEW_CLOCK_MONOTONIC == CLOCK_KIND_MONOTONIC &&
                  (int)CLEW_CLOCK_TICK == CLOCK_KIND_TICK && (int)CLEW_CLOCK_NONE == CLOCK_KIND_NONE,
              "clocks have the numbers of the format");
static_assert((int)CLEW_INSTRUMENT_TREE == INSTRUMENT_TREE && (int)CLEW_INSTRUMENT_CALLS == INSTRUMENT_CALLS &&
                  (int)CLEW_INSTRUMENT_LINES == INSTRUMENT_LINES &&
                  (int)CLEW_INSTRUMENT_STATEMENTS == INSTRUMENT_STATEMENTS &&
                  (int)CLEW_INSTRUMENT_VALUES == INSTRUMENT_VALUES && (int)CLEW_INSTRUMENT_USES == INSTRUMENT_USES,
              "instruments have the bits of the format");

void library_give(void *to, const void *from, size_t size)
{
    size_t wanted;
    memcpy(&wanted, to, sizeof wanted);
    CLEW_ASSERT(wanted >= sizeof wanted && "the caller sets `size`");
    size_t both = wanted < size ? wanted : size;
    if (both > sizeof wanted) {
        memcpy((char *)to + sizeof wanted, (const char *)from + sizeof wanted, both - sizeof wanted);
        memset((char *)to + both, 0, wanted - both);
    }
}

enum clew_error library_take(void *to, size_t size, const void *from)
{
    size_t given = 0;
    memset(to, 0, size);
    if (!from) {
        return CLEW_OK;
    }
    memcpy(&given, from, sizeof given);
    if (given < sizeof given) {
        return CLEW_USAGE;
    }
    for (size_t i = size; i < given; i++) {
        if (((const char *)from)[i]) {
            return CLEW_USAGE;
        }
    }
    memcpy(to, from, given < size ? given : size);
    return CLEW_OK;
}

// Opening reads definitions and headers only. Trees and cursors add the damage that they find to the model's health.
enum clew_error clew_open(const char *path, struct clew_recording **out)
{
    const struct model_options options = {.names_only = true, .unchecked = true};
    struct clew_recording *recording = calloc(1, sizeof *recording);
    if (!recording) {
        return CLEW_NO_MEMORY;
    }
    enum clew_error error = recording_open(path, &recording->file);
    error = error == CLEW_OK ? model_load(recording->file, &options, &recording->model) : error;
    if (error != CLEW_OK) {
        clew_close(recording);
        return error;
    }
    *out = recording;
    return CLEW_OK;
}

void clew_close(struct clew_recording *recording)
{
    if (!recording) {
        return;
    }
    model_free(recording->model);
    recording_free(recording->file);
    free(recording);
}

void clew_info(const struct clew_recording *recording, struct clew_info *out)
{
    const struct model *model = recording->model;
    const struct recording_session *session = &model->session;
    struct clew_info info = {
        .version = library_text(session->version),
        .command = library_text(session->command),
        .folder = library_text(session->folder),
        .host = library_text(session->host),
        .clock = (enum clew_clock)session->clock,
        .instruments = session->instruments,
        .started_unix_ns = session->started_realtime_ns,
        .duration_ns = model_since_start_ns(model, model->ended_clock),
        .events = model->events,
        .lost = model->lost,
        .damaged = model->health.damaged,
        .ended = model->health.ended,
        .complete = model->complete && !model_damaged(model),
        .process_count = model->catalog.process_count,
        .thread_count = model->catalog.thread_count,
    };
    library_give(out, &info, sizeof info);
}

// A moment of a definition, in which 0 means that it is not known.
static uint64_t moment(const struct model *model, uint64_t clock)
{
    return clock ? model_since_start_ns(model, clock) : 0;
}

bool clew_process(const struct clew_recording *recording, uint32_t index, struct clew_process *out)
{
    const struct model *model = recording->model;
    if (index >= model->catalog.process_count) {
        return false;
    }
    const struct recording_process *process = &model->catalog.processes[index];
    struct clew_process given = {
        .number = process->process,
        .os_id = process->os_id,
        .command = library_text(process->command),
        .runtime = library_text(process->runtime),
        .started_ns = moment(model, process->started_clock),
        .ended_ns = moment(model, process->ended_clock),
        .exit_known = process->exit_known == RECORDING_EXIT_KNOWN,
        .exit_status = process->exit_status,
        .unlinked = process->unlinked,
    };
    library_give(out, &given, sizeof given);
    return true;
}

bool clew_thread(const struct clew_recording *recording, uint32_t index, struct clew_thread *out)
{
    const struct model *model = recording->model;
    if (index >= model->catalog.thread_count) {
        return false;
    }
    const struct recording_thread *thread = &model->catalog.threads[index].record;
    struct clew_thread given = {
        .process = thread->process,
        .number = thread->thread,
        .os_id = thread->os_id,
        .name = library_text(thread->name),
        .started_ns = moment(model, thread->started_clock),
        .ended_ns = moment(model, thread->ended_clock),
        .cpu_user_ns = thread->cpu_user_ns,
        .cpu_kernel_ns = thread->cpu_kernel_ns,
        .lost = model->catalog.threads[index].lost,
    };
    library_give(out, &given, sizeof given);
    return true;
}

bool clew_method(const struct clew_recording *recording, uint32_t process, uint32_t number, struct clew_method *out)
{
    const struct catalog *catalog = &recording->model->catalog;
    uint32_t index = catalog_find_method(catalog, process, number);
    struct clew_method given = {.process = process, .number = number, .name = library_text((struct text){0})};
    given.module = given.name;
    if (index != CATALOG_NONE) {
        const struct catalog_method *method = &catalog->methods[index];
        given.token = method->record.token;
        given.name = library_text(method->record.name);
        if (method->module_index != CATALOG_NONE) {
            given.module = library_text(catalog->modules[method->module_index].name);
        }
    }
    library_give(out, &given, sizeof given);
    return index != CATALOG_NONE;
}
