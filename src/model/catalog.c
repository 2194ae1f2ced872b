// See catalog.h. Each table is a growing array, with a hash map from (process, number) to the index.
#include "model/catalog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/assert.h"
#include "metadata/names/names_recorded.h"

// Copies `fresh` into the arena, unless *kept is equal already: writers repeat definitions, and a copy each time would
// make memory grow with the file.
static bool copy_text(struct catalog *catalog, struct text *kept, struct text fresh)
{
    if (kept->at && text_equal(*kept, fresh)) {
        return true;
    }
    char *copy = arena_text(&catalog->arena, fresh.at, fresh.size);
    *kept = (struct text){copy, fresh.size};
    return copy != NULL;
}

// The key of a process's number in all maps but process_map.
static uint64_t pair(uint32_t process, uint32_t number)
{
    return (uint64_t)process << 32 | number;
}

// The index of `key`. A new key gets a zeroed item at the end. CATALOG_NONE when memory runs out.
static uint32_t index_of(struct map *map, uint64_t key, void *items, uint32_t *count, size_t *room, size_t size)
{
    uint64_t index;
    if (map_get(map, key, &index)) {
        CLEW_ASSERT(index < *count);
        return (uint32_t)index;
    }
    if (*count == CATALOG_NONE || !array_grow(items, *count, room, size) || !map_put(map, key, *count)) {
        return CATALOG_NONE;
    }
    memset(*(char **)items + (size_t)*count * size, 0, size);
    return (*count)++;
}

uint32_t catalog_process(struct catalog *catalog, uint32_t process)
{
    uint32_t before = catalog->process_count;
    uint32_t index = index_of(&catalog->process_map, process, &catalog->processes, &catalog->process_count,
                              &catalog->process_room, sizeof *catalog->processes);
    if (index == before && index != CATALOG_NONE) {
        catalog->processes[index].process = process;
    }
    return index;
}

enum clew_error catalog_add_process(struct catalog *catalog, const struct recording_process *process)
{
    uint32_t index = catalog_process(catalog, process->process);
    if (index == CATALOG_NONE) {
        return CLEW_NO_MEMORY;
    }
    struct recording_process *kept = &catalog->processes[index];
    struct text command = kept->command, runtime = kept->runtime;
    bool fits = copy_text(catalog, &command, process->command) && copy_text(catalog, &runtime, process->runtime);
    *kept = *process;
    kept->command = command;
    kept->runtime = runtime;
    return fits ? CLEW_OK : CLEW_NO_MEMORY;
}

enum clew_error catalog_add_module(struct catalog *catalog, const struct recording_module *module)
{
    uint32_t index = index_of(&catalog->module_map, pair(module->process, module->module), &catalog->modules,
                              &catalog->module_count, &catalog->module_room, sizeof *catalog->modules);
    if (index == CATALOG_NONE) {
        return CLEW_NO_MEMORY;
    }
    struct recording_module *kept = &catalog->modules[index];
    struct text name = kept->name, path = kept->path, reason = kept->reason;
    bool fits = copy_text(catalog, &name, module->name) && copy_text(catalog, &path, module->path) &&
                copy_text(catalog, &reason, module->reason);
    *kept = *module;
    kept->name = name;
    kept->path = path;
    kept->reason = reason;
    return fits ? CLEW_OK : CLEW_NO_MEMORY;
}

// The name of a method that no definition describes. Pseudo-methods never have one.
static struct text made_up_name(uint32_t method, char *room, size_t size)
{
    if (method == METHOD_OVER_CAP) {
        return text_of("(over the cap)");
    }
    if (method == METHOD_MISSING) {
        return text_of("(lost)");
    }
    if (method == METHOD_UNKNOWN_CALLER) {
        return text_of("(caller unknown)");
    }
    if (method == METHOD_ROOT) {
        return text_of("(thread)");
    }
    if (method == METHOD_CONTINUES) {
        return text_of("(continues as)");
    }
    if (method == METHOD_JIT) {
        return text_of("(JIT)");
    }
    if (method == METHOD_JIT_PRECOMPILED) {
        return text_of("(JIT for precompiled code)");
    }
    if (method == METHOD_CLEW) {
        return text_of("(clew)");
    }
    if (method == METHOD_COUNTED) {
        return text_of("(counted)");
    }
    if (method == METHOD_FILTER) {
        return text_of("(filter)");
    }
    (void)snprintf(room, size, "(method %u)", method);
    return text_of(room);
}

uint32_t catalog_method(struct catalog *catalog, uint32_t process, uint32_t method)
{
    uint32_t before = catalog->method_count;
    uint32_t index = index_of(&catalog->method_map, pair(process, method), &catalog->methods, &catalog->method_count,
                              &catalog->method_room, sizeof *catalog->methods);
    if (index != before || index == CATALOG_NONE) {
        return index;
    }
    struct catalog_method *made = &catalog->methods[index];
    char room[32];
    made->record = (struct recording_method){.process = process, .method = method};
    made->module_index = CATALOG_NONE;
    made->canonical = index;
    return copy_text(catalog, &made->record.name, made_up_name(method, room, sizeof room)) ? index : CATALOG_NONE;
}

uint32_t catalog_count_methods(const struct catalog *catalog)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < catalog->method_count; i++) {
        count += catalog->methods[i].record.method >= METHOD_FIRST_REAL;
    }
    return count;
}

uint32_t catalog_find_method(const struct catalog *catalog, uint32_t process, uint32_t method)
{
    uint64_t index;
    return map_get(&catalog->method_map, pair(process, method), &index) ? (uint32_t)index : CATALOG_NONE;
}

uint32_t catalog_find_process(const struct catalog *catalog, uint32_t process)
{
    uint64_t index;
    return map_get(&catalog->process_map, process, &index) ? (uint32_t)index : CATALOG_NONE;
}

uint32_t catalog_find_module(const struct catalog *catalog, uint32_t process, uint32_t module)
{
    uint64_t index;
    return map_get(&catalog->module_map, pair(process, module), &index) ? (uint32_t)index : CATALOG_NONE;
}

uint32_t catalog_find_thread(const struct catalog *catalog, uint32_t process, uint32_t thread)
{
    uint64_t index;
    return map_get(&catalog->thread_map, pair(process, thread), &index) ? (uint32_t)index : CATALOG_NONE;
}

enum clew_error catalog_add_method(struct catalog *catalog, const struct recording_method *method)
{
    uint32_t index = catalog_method(catalog, method->process, method->method);
    if (index == CATALOG_NONE) {
        return CLEW_NO_MEMORY;
    }
    struct catalog_method *kept = &catalog->methods[index];
    struct text name = kept->record.name;
    bool fits = method->name.size == 0 || copy_text(catalog, &name, method->name);
    kept->record = *method;
    kept->record.name = name;
    kept->record.flags |= method->flags & METHOD_FLAG_STATED || !fits ? 0 : recorded_method_flags(name);
    return fits ? CLEW_OK : CLEW_NO_MEMORY;
}

uint32_t catalog_thread(struct catalog *catalog, uint32_t process, uint32_t thread)
{
    uint32_t before = catalog->thread_count;
    uint32_t index = index_of(&catalog->thread_map, pair(process, thread), &catalog->threads, &catalog->thread_count,
                              &catalog->thread_room, sizeof *catalog->threads);
    if (index == before && index != CATALOG_NONE) {
        catalog->threads[index].record = (struct recording_thread){.process = process, .thread = thread};
    }
    return index;
}

enum clew_error catalog_add_thread(struct catalog *catalog, const struct recording_thread *thread)
{
    uint32_t index = catalog_thread(catalog, thread->process, thread->thread);
    if (index == CATALOG_NONE) {
        return CLEW_NO_MEMORY;
    }
    struct recording_thread *kept = &catalog->threads[index].record;
    struct text name = kept->name;
    bool fits = copy_text(catalog, &name, thread->name);
    *kept = *thread;
    kept->name = name;
    return fits ? CLEW_OK : CLEW_NO_MEMORY;
}

enum clew_error catalog_add_not_woven(struct catalog *catalog, const struct recording_not_woven *method)
{
    struct {
        uint32_t process, module, token, zero;
    } identity = {method->process, method->module, method->token, 0};
    uint64_t key = map_hash_text(&identity, sizeof identity);
    uint32_t index = index_of(&catalog->not_woven_map, key, &catalog->not_woven, &catalog->not_woven_count,
                              &catalog->not_woven_room, sizeof *catalog->not_woven);
    if (index == CATALOG_NONE) {
        return CLEW_NO_MEMORY;
    }
    struct recording_not_woven *kept = &catalog->not_woven[index];
    struct text name = kept->name, reason = kept->reason;
    bool fits = copy_text(catalog, &name, method->name) && copy_text(catalog, &reason, method->reason);
    *kept = *method;
    kept->name = name;
    kept->reason = reason;
    return fits ? CLEW_OK : CLEW_NO_MEMORY;
}

enum clew_error catalog_add_note(struct catalog *catalog, const struct recording_note *note)
{
    uint64_t key = map_hash_text(note->text.at, note->text.size) ^ note->process, before;
    if (map_get(&catalog->note_map, key, &before) && catalog->notes[before].process == note->process &&
        text_equal(catalog->notes[before].text, note->text)) {
        return CLEW_OK;
    }
    if (!array_grow(&catalog->notes, catalog->note_count, &catalog->note_room, sizeof *catalog->notes) ||
        !map_put(&catalog->note_map, key, catalog->note_count)) {
        return CLEW_NO_MEMORY;
    }
    struct recording_note *kept = &catalog->notes[catalog->note_count];
    *kept = (struct recording_note){.process = note->process};
    if (!copy_text(catalog, &kept->text, note->text)) {
        return CLEW_NO_MEMORY;
    }
    catalog->note_count++;
    return CLEW_OK;
}

bool catalog_same_module(const struct recording_module *a, const struct recording_module *b)
{
    static const uint8_t none[16];
    if (memcmp(a->mvid, none, sizeof none) != 0) {
        return memcmp(a->mvid, b->mvid, sizeof a->mvid) == 0;
    }
    return text_equal(a->path, b->path) && text_equal(a->name, b->name);
}

// Whether two methods are the same definition: equal tokens in loads of the same file. Type arguments do not matter.
static bool same_definition(const struct catalog *catalog, const struct catalog_method *a,
                            const struct catalog_method *b)
{
    return a->record.token == b->record.token && a->module_index != CATALOG_NONE && b->module_index != CATALOG_NONE &&
           catalog_same_module(&catalog->modules[a->module_index], &catalog->modules[b->module_index]);
}

uint64_t catalog_module_hash(const struct recording_module *module)
{
    static const uint8_t none[16];
    bool has_mvid = memcmp(module->mvid, none, sizeof none) != 0;
    return has_mvid ? map_hash_text(module->mvid, sizeof module->mvid)
                    : map_hash_text(module->path.at, module->path.size);
}

// A hash over the parts that methods of the same definition share. same_definition() compares them in full.
static uint64_t definition_hash(const struct catalog *catalog, const struct catalog_method *method)
{
    uint64_t hash = catalog_module_hash(&catalog->modules[method->module_index]);
    return (hash ^ method->record.token) * 0x9E3779B97F4A7C15u;
}

// Recordings of older versions do not state whether an exit status is known, and write 0 where it is not. The status of
// the started process is always known, and that process is alone unless children were recorded.
static void settle_exits(struct catalog *catalog)
{
    for (uint32_t i = 0; i < catalog->process_count; i++) {
        struct recording_process *process = &catalog->processes[i];
        if (process->exit_known == RECORDING_EXIT_NOT_STATED) {
            bool known = process->exit_status != 0 || catalog->process_count == 1;
            process->exit_known = known ? RECORDING_EXIT_KNOWN : RECORDING_EXIT_UNKNOWN;
        }
    }
}

// The first method with a given hash becomes the canonical one. On a hash collision the later method stays its own
// canonical method, so that two methods are never added up by mistake.
uint64_t catalog_last_moment(const struct catalog *catalog, uint32_t process, uint32_t thread, uint64_t seen)
{
    uint32_t at = catalog_find_thread(catalog, process, thread);
    uint64_t last = at == CATALOG_NONE ? 0 : catalog->threads[at].record.ended_clock;
    if (!last) {
        at = catalog_find_process(catalog, process);
        last = at == CATALOG_NONE ? 0 : catalog->processes[at].ended_clock;
    }
    return last > seen ? last : seen;
}

enum clew_error catalog_link(struct catalog *catalog)
{
    settle_exits(catalog);
    struct map definitions = {0};
    bool fits = true;
    for (uint32_t i = 0; i < catalog->method_count && fits; i++) {
        struct catalog_method *method = &catalog->methods[i];
        uint64_t found;
        method->canonical = i;
        bool known = map_get(&catalog->module_map, pair(method->record.process, method->record.module), &found);
        method->module_index = known ? (uint32_t)found : CATALOG_NONE;
        CLEW_ASSERT(!known || found < catalog->module_count);
        if (!known || method->record.token == 0) {
            continue;
        }
        uint64_t hash = definition_hash(catalog, method);
        if (!map_get(&definitions, hash, &found)) {
            fits = map_put(&definitions, hash, i);
        } else if (same_definition(catalog, method, &catalog->methods[found])) {
            CLEW_ASSERT(catalog->methods[found].canonical == found && "equal methods share their first");
            method->canonical = (uint32_t)found;
        }
    }
    map_free(&definitions);
    return fits ? CLEW_OK : CLEW_NO_MEMORY;
}

void catalog_fini(struct catalog *catalog)
{
    free(catalog->processes);
    free(catalog->modules);
    free(catalog->methods);
    free(catalog->threads);
    free(catalog->not_woven);
    free(catalog->notes);
    map_free(&catalog->process_map);
    map_free(&catalog->module_map);
    map_free(&catalog->method_map);
    map_free(&catalog->thread_map);
    map_free(&catalog->not_woven_map);
    map_free(&catalog->note_map);
    arena_free(&catalog->arena);
    *catalog = (struct catalog){0};
}
