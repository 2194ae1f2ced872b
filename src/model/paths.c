// See paths.h.
#include "model/paths.h"

static uint64_t key_of(uint32_t parent, uint32_t method)
{
    return (uint64_t)parent << 32 | method;
}

enum clew_error paths_init(struct paths *paths, struct async *async, uint32_t process)
{
    struct async_paths defined = async_paths(async, process);
    *paths = (struct paths){.async = async, .process = process};
    paths->next = defined.count > PATH_FIRST ? defined.count : PATH_FIRST;
    for (uint32_t i = PATH_FIRST; i < defined.count; i++) {
        const struct recording_path *path = &defined.paths[i];
        if (path->method && !map_put(&paths->numbers, key_of(path->parent, path->method), i)) {
            return CLEW_NO_MEMORY;
        }
    }
    return CLEW_OK;
}

uint32_t paths_below(struct paths *paths, uint32_t parent, uint32_t method)
{
    uint64_t number;
    if (parent == PATH_NONE || map_get(&paths->numbers, key_of(parent, method), &number)) {
        return parent == PATH_NONE ? PATH_NONE : (uint32_t)number;
    }
    if (paths->next >= RECORDING_PATHS_MAX) {
        return PATH_NONE;
    }
    const struct recording_path path = {.parent = parent, .method = method};
    const struct recording_paths added = {.process = paths->process, .first = paths->next, .count = 1, .paths = &path};
    if (async_add_paths(paths->async, &added) != CLEW_OK ||
        !map_put(&paths->numbers, key_of(parent, method), paths->next)) {
        paths->failed = true;
        return PATH_NONE;
    }
    return paths->next++;
}

void paths_fini(struct paths *paths)
{
    map_free(&paths->numbers);
    *paths = (struct paths){0};
}
