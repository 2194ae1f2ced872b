// See async.h.
#include "model/async.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/assert.h"

void async_fini(struct async *async)
{
    for (uint32_t i = 0; i < async->process_count; i++) {
        free(async->paths[i].paths);
    }
    free(async->paths);
    free(async->methods);
    map_free(&async->roles);
    arena_free(&async->arena);
    *async = (struct async){0};
}

// -- Methods ----------------------------------------------------------------------------------------------------------

static uint64_t role_key(uint32_t process, uint32_t method)
{
    return (uint64_t)process << 32 | method;
}

// Copies the bytes, unless they are equal: writers repeat definitions.
static bool copy_bytes(struct async *async, struct bytes *kept, struct bytes fresh)
{
    size_t size = bytes_left(&fresh);
    if (kept->at && bytes_left(kept) == size && (size == 0 || memcmp(kept->at, fresh.at, size) == 0)) {
        return true;
    }
    char *copy = arena_text(&async->arena, (const char *)fresh.at, size);
    *kept = bytes_of(copy, copy ? size : 0);
    return copy != NULL;
}

enum clew_error async_add_method(struct async *async, const struct recording_async *method)
{
    uint64_t index;
    uint64_t body = role_key(method->process, method->body), kickoff = role_key(method->process, method->kickoff);
    if (!map_get(&async->roles, body, &index)) {
        index = async->method_count;
        if (!array_grow(&async->methods, index, &async->method_room, sizeof *async->methods) ||
            !map_put(&async->roles, body, index)) {
            return CLEW_NO_MEMORY;
        }
        async->methods[async->method_count++] = (struct async_method){.process = method->process};
    }
    CLEW_ASSERT(index < async->method_count);
    struct async_method *kept = &async->methods[index];
    kept->body = method->body;
    kept->kickoff = method->kickoff;
    kept->starts = method->flags & ASYNC_FLAG_STARTS;
    kept->fails_unseen = (method->flags & (ASYNC_FLAG_SUSPENDED | ASYNC_FLAG_EXACT)) == ASYNC_FLAG_SUSPENDED;
    bool fits = copy_bytes(async, &kept->awaits, method->awaits) && copy_bytes(async, &kept->lines, method->lines) &&
                (method->kickoff == 0 || map_put(&async->roles, kickoff, index));
    return fits ? CLEW_OK : CLEW_NO_MEMORY;
}

const struct async_method *async_find(const struct async *async, uint32_t process, uint32_t method)
{
    uint64_t index;
    return map_get(&async->roles, role_key(process, method), &index) ? &async->methods[index] : NULL;
}

uint32_t async_started(const struct async *async, uint32_t process, uint32_t number)
{
    const struct async_method *method = number < METHOD_FIRST_REAL ? NULL : async_find(async, process, number);
    return method && method->body == number && method->starts ? method->kickoff : 0;
}

bool async_await(const struct async_method *method, uint32_t state, struct await *out, struct await_line *line)
{
    struct bytes left = method->awaits, lines = method->lines;
    while (bytes_left(&left) > 0 && await_decode(&left, out)) {
        *line = (struct await_line){0};
        if (bytes_left(&lines) > 0 && !await_line_decode(&lines, line)) {
            lines = (struct bytes){0};
        }
        if (out->state == state) {
            return true;
        }
    }
    return false;
}

// -- Paths ------------------------------------------------------------------------------------------------------------

static struct async_paths *paths_of(struct async *async, uint32_t process)
{
    for (uint32_t i = 0; i < async->process_count; i++) {
        if (async->paths[i].process == process) {
            return &async->paths[i];
        }
    }
    if (!array_grow(&async->paths, async->process_count, &async->process_room, sizeof *async->paths)) {
        return NULL;
    }
    async->paths[async->process_count] = (struct async_paths){.process = process};
    return &async->paths[async->process_count++];
}

// Makes room for the numbers below `wanted`, in doubling steps.
static bool reach(struct async_paths *paths, uint32_t wanted)
{
    if (wanted <= paths->count) {
        return true;
    }
    uint32_t count = wanted < RECORDING_PATHS_MAX / 2 && wanted < 2 * paths->count ? 2 * paths->count : wanted;
    struct recording_path *grown = realloc(paths->paths, count * sizeof *grown);
    if (!grown) {
        return false;
    }
    memset(grown + paths->count, 0, (count - paths->count) * sizeof *grown);
    paths->paths = grown;
    paths->count = count;
    return true;
}

enum clew_error async_add_paths(struct async *async, const struct recording_paths *paths)
{
    CLEW_ASSERT(paths->first <= RECORDING_PATHS_MAX && paths->count <= RECORDING_PATHS_MAX - paths->first);
    struct async_paths *of = paths_of(async, paths->process);
    if (!of || !reach(of, paths->first + paths->count)) {
        return CLEW_NO_MEMORY;
    }
    for (uint32_t i = 0; i < paths->count; i++) {
        if (paths->paths[i].method) { // else the program has not stored it yet
            of->paths[paths->first + i] = paths->paths[i];
        }
    }
    return CLEW_OK;
}

struct async_paths async_paths(const struct async *async, uint32_t process)
{
    for (uint32_t i = 0; i < async->process_count; i++) {
        if (async->paths[i].process == process) {
            return async->paths[i];
        }
    }
    return (struct async_paths){.process = process};
}

static bool is_method(uint32_t method)
{
    return method >= METHOD_FIRST_REAL && method < METHOD_NUMBERS_MAX;
}

struct async_number async_number(const struct async_paths *paths, uint32_t number)
{
    if (number < METHOD_CONTINUED || number >= METHOD_RESUMED << 1) {
        return (struct async_number){.method = number};
    }
    if (!(number & METHOD_RESUMED)) {
        uint32_t method = number & ~(uint32_t)METHOD_CONTINUED;
        return (struct async_number){.method = is_method(method) ? method : METHOD_MISSING, .continued = true};
    }
    struct async_number resumed = {.method = METHOD_MISSING, .resumed = true};
    const struct recording_path *await = async_path(paths, number & ~(uint32_t)METHOD_RESUMED);
    const struct recording_path *path = await && await->method & PATH_AWAIT ? async_path(paths, await->parent) : NULL;
    if (path && is_method(path->method)) {
        resumed.method = path->method;
        resumed.path = await->parent;
        resumed.state = await->method & ~(uint32_t)PATH_AWAIT;
    }
    return resumed;
}
