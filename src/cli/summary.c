#include "cli/summary.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/map.h"

enum {
    WANTED = 1u << RECORDING_PROCESS | 1u << RECORDING_MODULE | 1u << RECORDING_METHOD | 1u << RECORDING_THREAD |
             1u << RECORDING_NOT_WOVEN | 1u << RECORDING_NOTE | 1u << RECORDING_END,
};

// Later records replace earlier ones of the same numbers: what was counted already.
struct seen {
    struct map processes; // number -> state
    struct map threads, methods, modules, missing;
};

// Names come from the program: on a terminal they must not be commands.
static const char *keep(struct summary *summary, struct text text)
{
    char *copy = arena_text(&summary->texts, text.at ? text.at : "", text.size);
    for (char *at = copy; at && *at; at++) {
        if ((unsigned char)*at < ' ' || *at == 0x7f) {
            *at = '?';
        }
    }
    return copy ? copy : "";
}

static uint64_t pair(uint32_t high, uint32_t low)
{
    return (uint64_t)high << 32 | low;
}

static bool first_time(struct map *map, uint64_t key)
{
    uint64_t value;
    return !map_get(map, key, &value) && map_put(map, key, 1);
}

static enum clew_error add_reason(struct summary *summary, const char *reason)
{
    for (uint32_t i = 0; i < summary->reason_count; i++) {
        if (strcmp(summary->reasons[i].reason, reason) == 0) {
            summary->reasons[i].count++;
            return CLEW_OK;
        }
    }
    if (!array_grow(&summary->reasons, summary->reason_count, &summary->reason_room, sizeof *summary->reasons)) {
        return CLEW_NO_MEMORY;
    }
    summary->reasons[summary->reason_count++] = (struct summary_reason){reason, 1};
    return CLEW_OK;
}

static enum clew_error add_missing(struct summary *summary, const struct recording_not_woven *record)
{
    if (!array_grow(&summary->missing, summary->missing_count, &summary->missing_room, sizeof *summary->missing)) {
        return CLEW_NO_MEMORY;
    }
    const char *reason = keep(summary, record->reason);
    summary->missing[summary->missing_count++] = (struct summary_method){keep(summary, record->name), reason};
    return add_reason(summary, reason);
}

static enum clew_error add_module(struct summary *summary, const struct recording_module *record)
{
    if (!array_grow(&summary->modules, summary->module_count, &summary->module_room, sizeof *summary->modules)) {
        return CLEW_NO_MEMORY;
    }
    summary->modules[summary->module_count++] =
        (struct summary_module){keep(summary, record->name), keep(summary, record->reason), record->flags};
    return CLEW_OK;
}

static enum clew_error add_note(struct summary *summary, const struct recording_note *record)
{
    const char *note = keep(summary, record->text);
    for (uint32_t i = 0; i < summary->note_count; i++) {
        if (strcmp(summary->notes[i], note) == 0) {
            return CLEW_OK;
        }
    }
    if (!array_grow(&summary->notes, summary->note_count, &summary->note_room, sizeof *summary->notes)) {
        return CLEW_NO_MEMORY;
    }
    summary->notes[summary->note_count++] = note;
    return CLEW_OK;
}

static void add_process(struct summary *summary, struct seen *seen, const struct recording_process *record)
{
    uint64_t before;
    if (map_get(&seen->processes, record->process, &before)) {
        summary->dormant -= before == RECORDING_PROCESS_DORMANT;
        summary->cut -= before == RECORDING_PROCESS_CUT;
    } else {
        summary->processes++;
    }
    (void)map_put(&seen->processes, record->process, (uint64_t)record->state); // then it may count twice
    summary->dormant += record->state == RECORDING_PROCESS_DORMANT;
    summary->cut += record->state == RECORDING_PROCESS_CUT;
    summary->over_cap |= record->over_cap;
    summary->probe_ps = record->probe_ps > summary->probe_ps ? record->probe_ps : summary->probe_ps;
    if (record->state != RECORDING_PROCESS_RUNNING) {
        summary->dynamic_methods += record->dynamic_methods;
        summary->pauses += record->pauses;
        summary->paused_ns += record->paused_ns;
    }
    if (!summary->runtime && record->runtime.size) {
        summary->runtime = keep(summary, record->runtime);
    }
}

static void add_end(struct summary *summary, const struct recording_session *session, const struct recording_end *end)
{
    summary->ended = true;
    summary->events = end->events;
    summary->lost = end->lost;
    summary->complete = end->complete;
    if (session->clock != CLOCK_KIND_NONE && session->clock_hz > 0 && end->ended_clock > session->started_clock) {
        summary->seconds = (double)(end->ended_clock - session->started_clock) / session->clock_hz;
    }
}

static enum clew_error add(struct summary *summary, struct seen *seen, const struct recording_session *session,
                           const struct recording_record *record)
{
    switch (record->type) {
    case RECORDING_PROCESS:
        add_process(summary, seen, &record->process);
        return CLEW_OK;
    case RECORDING_MODULE:
        return first_time(&seen->modules, pair(record->module.process, record->module.module))
                   ? add_module(summary, &record->module)
                   : CLEW_OK;
    case RECORDING_METHOD:
        summary->methods += first_time(&seen->methods, pair(record->method.process, record->method.method));
        return CLEW_OK;
    case RECORDING_THREAD:
        summary->threads += first_time(&seen->threads, pair(record->thread.process, record->thread.thread));
        return CLEW_OK;
    case RECORDING_NOT_WOVEN: {
        const struct recording_not_woven *missing = &record->not_woven;
        uint64_t module = pair(missing->process, missing->module);
        return first_time(&seen->missing, module * UINT64_C(0x9E3779B97F4A7C15) ^ missing->token)
                   ? add_missing(summary, missing)
                   : CLEW_OK;
    }
    case RECORDING_NOTE:
        return add_note(summary, &record->note);
    case RECORDING_END:
        add_end(summary, session, &record->end);
        return CLEW_OK;
    default:
        return CLEW_OK;
    }
}

static int commonest_first(const void *a, const void *b)
{
    const struct summary_reason *x = a, *y = b;
    return (x->count < y->count) - (x->count > y->count);
}

static enum clew_error read_all(struct recording_reader *reader, struct summary *summary, struct seen *seen)
{
    const struct recording_session *session = recording_session(reader);
    struct recording_record record;
    summary->clock = session->clock;
    summary->size = recording_file_size(reader);
    enum clew_error error;
    while ((error = recording_next(reader, WANTED, &record)) == CLEW_OK) {
        CLEW_TRY(add(summary, seen, session, &record));
    }
    if (summary->reason_count > 1) {
        qsort(summary->reasons, summary->reason_count, sizeof *summary->reasons, commonest_first);
    }
    return error == CLEW_NOT_FOUND ? CLEW_OK : error;
}

enum clew_error summary_read(const char *path, struct summary *out)
{
    struct recording_reader *reader;
    struct seen seen = {0};
    *out = (struct summary){0};
    CLEW_TRY(recording_open(path, &reader));
    enum clew_error error = read_all(reader, out, &seen);
    recording_close_reader(reader);
    map_free(&seen.processes);
    map_free(&seen.threads);
    map_free(&seen.methods);
    map_free(&seen.modules);
    map_free(&seen.missing);
    if (error != CLEW_OK) {
        summary_free(out);
    }
    return error;
}

void summary_free(struct summary *summary)
{
    free(summary->reasons);
    free(summary->missing);
    free(summary->modules);
    free(summary->notes);
    arena_free(&summary->texts);
    *summary = (struct summary){0};
}
