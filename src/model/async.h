// What a recording defines of async methods: which method is the body of which, the places where it waits, and the paths of
// the logical call tree, by which a run says where it belongs (doc/recording.md).
#ifndef CLEW_MODEL_ASYNC_H
#define CLEW_MODEL_ASYNC_H

#include "base/arena.h"
#include "base/map.h"
#include "recording/recording.h"
#include "trace/await.h"

// The body of an async method, or of an async iterator.
struct async_method {
    uint32_t process, body;
    uint32_t kickoff;    // the method that callers call; 0: the body is an iterator's, or the method itself
    bool starts;         // nodes of first runs stand for the kick-off as well (ASYNC_FLAG_STARTS)
    bool fails_unseen;   // of runtime async: an exception may end it without a run
    struct bytes awaits; // as in trace/await.h
    struct bytes lines;  // of these; empty: not known
};

// The paths of one process.
struct async_paths {
    uint32_t process;
    struct recording_path *paths; // by number
    uint32_t count;
};

// Zero-initialise; async_fini() releases it.
struct async {
    struct arena arena; // of awaits and lines
    struct async_method *methods;
    uint32_t method_count;
    size_t method_room;
    struct map roles; // of bodies and of kick-offs
    struct async_paths *paths;
    uint32_t process_count;
    size_t process_room;
};

// Add definitions; later ones replace earlier ones. NO_MEMORY is the only error.
enum clew_error async_add_method(struct async *async, const struct recording_async *method);
enum clew_error async_add_paths(struct async *async, const struct recording_paths *paths);
void async_fini(struct async *async);

// Whether runs can say where they belong.
static inline bool async_has_links(const struct async *async)
{
    return async->method_count > 0 || async->process_count > 0;
}

// The definition of a body, or of the body that a kick-off has. NULL: the method is neither.
const struct async_method *async_find(const struct async *async, uint32_t process, uint32_t method);
// The kick-off that a node stands for, besides being a first run; 0: it stands for none.
uint32_t async_started(const struct async *async, uint32_t process, uint32_t number);
// The paths of a process, which may be none.
struct async_paths async_paths(const struct async *async, uint32_t process);
// The place where the body waits in this state, and its line (zeros: not known). False: not known. Its text lives as long as
// `async`.
bool async_await(const struct async_method *method, uint32_t state, struct await *out, struct await_line *line);

// The path of a number. NULL: it is not defined.
static inline const struct recording_path *async_path(const struct async_paths *paths, uint32_t number)
{
    return number >= PATH_FIRST && number < paths->count && paths->paths[number].method ? &paths->paths[number] : NULL;
}

// What a node's number in a call tree says (trace/kinds.h).
struct async_number {
    uint32_t method; // METHOD_MISSING: of a run that says where it belongs by a path that is not known
    uint32_t path;   // of a run that continues an activation: its logical place; PATH_NONE: it is none, or not known
    uint32_t state;  // of such a run: in which the activation waited
    bool resumed, continued;
};
struct async_number async_number(const struct async_paths *paths, uint32_t number);

#endif
