// Definitions on their way from the agent's definition ring to the file.
//
// The agent stores a definition before the first event that uses it, and the collector writes all stored definitions
// before it writes events. So a reader of the file always knows a number that it meets.
#include <stdlib.h>
#include <string.h>

#include "collector/drain/process_parts.h"
#include "ring/definition.h"
#include "trace/await.h"
#include "trace/site.h"

static enum clew_error write_named_thread(struct process *process, struct drain *drain,
                                          const struct ring_definition *definition)
{
    static_assert(sizeof(uintptr_t) <= sizeof(uint64_t), "a name's address fits a map");
    uint64_t slot;
    const char *name =
        definition->name.size ? arena_text(&process->texts, definition->name.at, definition->name.size) : "";
    if (!name || !map_put(&process->thread_names, definition->os_id, (uint64_t)(uintptr_t)name)) {
        return CLEW_NO_MEMORY;
    }
    CLEW_ASSERT(!map_get(&process->thread_slots, definition->os_id, &slot) || slot < process->slot_count);
    if (map_get(&process->thread_slots, definition->os_id, &slot) && process->slots[slot].written &&
        process->slots[slot].os_id == definition->os_id) {
        return process__thread_record(process, drain, (uint32_t)slot, 0);
    }
    return CLEW_OK; // the thread was not seen yet: its record will have the name
}

static enum clew_error write_runtime(struct process *process, struct drain *drain,
                                     const struct ring_definition *definition)
{
    free(process->runtime);
    process->runtime = strndup(definition->name.at ? definition->name.at : "", definition->name.size);
    return process__record(process, drain, PROCESS_RUNNING, 0);
}

static enum clew_error write_module(struct process *process, struct drain *drain,
                                    const struct ring_definition *definition)
{
    struct recording_module record = {
        .process = process->number,
        .module = definition->module,
        .flags = definition->flags,
        .name = definition->name,
        .path = definition->path,
        .reason = definition->reason,
    };
    memcpy(record.mvid, definition->mvid, sizeof record.mvid);
    CLEW_TRY(documents_add_module(&process->documents, definition->module, definition->path));
    CLEW_TRY(module_points_add(&process->points, &drain->points, &record));
    return recording_write_module(drain->writer, &record);
}

static enum clew_error write_method(struct process *process, struct drain *drain,
                                    const struct ring_definition *definition)
{
    const struct recording_method record = {
        .process = process->number,
        .method = definition->method,
        .module = definition->module,
        .token = definition->token,
        .kind = definition->kind,
        .name = definition->name,
        .flags = definition->flags,
        .started_by = definition->number,
    };
    CLEW_TRY(await_lines_add_method(&process->await_lines, &record));
    return recording_write_method(drain->writer, &record);
}

static enum clew_error write_document(struct process *process, struct drain *drain,
                                      const struct ring_definition *definition)
{
    struct recording_document record = {
        .process = process->number,
        .module = definition->module,
        .document = definition->number,
        .hash_kind = definition->kind,
        .path = definition->path,
        .hash = definition->blob,
        .language = definition->flags,
    };
    return documents_define(&process->documents, drain->writer, &record);
}

// Checks the sites first: the writer accepts any bytes here, and would refuse the events of a malformed site later.
static enum clew_error write_sites(struct process *process, struct drain *drain,
                                   const struct ring_definition *definition)
{
    struct bytes left = definition->blob;
    struct site site, previous = {0};
    while (bytes_left(&left) > 0) {
        if (!site_decode(&left, &previous, &site)) {
            return CLEW_MALFORMED;
        }
        previous = site;
    }
    return recording_write_sites(drain->writer, &(struct recording_sites){.process = process->number,
                                                                          .method = definition->method,
                                                                          .first = definition->number,
                                                                          .blob = definition->blob,
                                                                          .roles = definition->roles});
}

static enum clew_error write_async(struct process *process, struct drain *drain,
                                   const struct ring_definition *definition)
{
    struct bytes left = definition->blob;
    struct await await;
    while (bytes_left(&left) > 0) {
        if (!await_decode(&left, &await)) {
            return CLEW_MALFORMED;
        }
    }
    const struct recording_async record = {.process = process->number,
                                           .body = definition->method,
                                           .kickoff = definition->number,
                                           .awaits = definition->blob,
                                           .flags = definition->flags};
    CLEW_TRY(await_lines_add(&process->await_lines, &record));
    return recording_write_async(drain->writer, &record);
}

static enum clew_error write_definition(struct process *process, struct drain *drain,
                                        const struct ring_definition *definition)
{
    switch (definition->type) {
    case RING_DEFINE_RUNTIME:
        return write_runtime(process, drain, definition);
    case RING_DEFINE_MODULE:
        return write_module(process, drain, definition);
    case RING_DEFINE_METHOD:
        return write_method(process, drain, definition);
    case RING_DEFINE_NOT_WOVEN:
        return recording_write_not_woven(drain->writer, &(struct recording_not_woven){.process = process->number,
                                                                                      .module = definition->module,
                                                                                      .token = definition->token,
                                                                                      .name = definition->name,
                                                                                      .reason = definition->reason});
    case RING_DEFINE_THREAD:
        return write_named_thread(process, drain, definition);
    case RING_DEFINE_NOTE:
        return recording_write_note(drain->writer,
                                    &(struct recording_note){.process = process->number, .text = definition->reason});
    case RING_DEFINE_SITES:
        return write_sites(process, drain, definition);
    case RING_DEFINE_DOCUMENT:
        return write_document(process, drain, definition);
    case RING_DEFINE_TYPE:
        return recording_write_type(drain->writer, &(struct recording_value_type){.process = process->number,
                                                                                  .type = definition->number,
                                                                                  .module = definition->module,
                                                                                  .token = definition->token,
                                                                                  .blob = definition->blob,
                                                                                  .flags = definition->flags});
    case RING_DEFINE_ASYNC:
        return write_async(process, drain, definition);
    case RING_DEFINE_COMPILED:
        return recording_write_compiled(drain->writer, &(struct recording_compiled){.process = process->number,
                                                                                    .module = definition->module,
                                                                                    .token = definition->token,
                                                                                    .flags = definition->flags,
                                                                                    .ns = definition->ns,
                                                                                    .kind = definition->kind,
                                                                                    .name = definition->name});
    case RING_DEFINE_MODULE_END:
        return CLEW_OK; // an unloaded module keeps its number, so nothing changes
    }
    return CLEW_MALFORMED; // no agent of this version has other types
}

static enum clew_error write_encoded(struct process *process, struct drain *drain)
{
    struct bytes bytes = bytes_of(drain->definition.data, drain->definition.size);
    struct ring_definition definition;
    return ring_definition_decode(&bytes, &definition) ? write_definition(process, drain, &definition) : CLEW_MALFORMED;
}

enum clew_error process__definitions(struct process *process, struct drain *drain)
{
    struct ring_header *ring = process->ring;
    uint64_t start = process->definitions_read, cursor = start;
    enum clew_error error = CLEW_OK;
    if (atomic_load_explicit(&ring->definitions_read, memory_order_relaxed) != start) {
        return CLEW_MALFORMED; // only the collector stores it
    }
    // Space is released only below, so one call cannot find more than the ring holds.
    while (error == CLEW_OK && cursor - start <= RING_DEFINITIONS_SIZE) {
        error = ring_definition_peek(ring, &cursor, &drain->definition);
        error = error == CLEW_OK ? write_encoded(process, drain) : error;
    }
    if (error != CLEW_NOT_FOUND) {
        return error == CLEW_OK ? CLEW_MALFORMED : error;
    }
    if (cursor != start) {
        CLEW_TRY(recording_flush(drain->writer));
        CLEW_ASSERT(cursor > start && cursor - start <= RING_DEFINITIONS_SIZE);
        process->definitions_read = cursor;
        ring_definition_release(ring, cursor);
    }
    return CLEW_OK;
}
