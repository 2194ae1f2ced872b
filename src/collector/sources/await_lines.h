// Finds the lines of the places where async bodies wait, in the symbols of their modules.
//
// The agent defines the places by IL offset. The collector looks up the lines while it has little else to do, and at the end. It
// writes the definition of a body again with them, which replaces the agent's.
#ifndef CLEW_COLLECTOR_AWAIT_LINES_H
#define CLEW_COLLECTOR_AWAIT_LINES_H

#include "collector/sources/documents.h"

// A body whose lines are wanted; its bytes are in await_lines.bytes.
struct await_body {
    struct recording_async async;
    bool written;
};

// Those of one process. Zero-initialise all but process.
struct await_lines {
    uint32_t process;
    struct map methods; // number of an async body: module << 32 | token
    struct map newest;  // number of a body: its index in bodies
    struct arena bytes;
    struct await_body *bodies; // those before bodies[next] are written
    size_t count, room, next;
};

// Adds a definition: of any method, and of the places of await of a body, whose lines are then wanted if it has none. It replaces
// an earlier one of that body. NO_MEMORY is the only error.
enum clew_error await_lines_add_method(struct await_lines *lines, const struct recording_method *method);
enum clew_error await_lines_add(struct await_lines *lines, const struct recording_async *async);
// Writes definitions with lines, and those of their documents: of at least one body, until none is left or until_ns
// (CLOCK_MONOTONIC) has passed. A body without symbols stays as it is.
enum clew_error await_lines_write(struct await_lines *lines, struct documents *documents,
                                  struct recording_writer *writer, const struct document_folders *folders,
                                  uint64_t until_ns);
static inline bool await_lines_all_written(const struct await_lines *lines)
{
    return lines->next == lines->count;
}
// After a takeover: adds the bodies that have no lines in the file, in one pass over it. `processes` maps the number of each
// process to its struct await_lines *.
enum clew_error await_lines_resume(const struct map *processes, struct recording_reader *reader);
void await_lines_free(struct await_lines *lines);

#endif
