// The collector's end of a session in the process under test: it makes the segment, answers the handshake as the test
// asks, and collects the agent's definitions.
#ifndef CLEW_FAKECLR_SESSION_H
#define CLEW_FAKECLR_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include <sys/types.h>

#include "ring/definition.h"
#include "ring/segment.h"

enum session_answer {
    SESSION_ACCEPTS,
    SESSION_REFUSES,
    SESSION_OTHER_VERSION,
    SESSION_LATE,   // accepts after 200 ms
    SESSION_SILENT, // listens, but never accepts
    SESSION_DIES,   // listens, and ends after a moment
    SESSION_DEAD,   // a socket without a listener
    SESSION_ABSENT, // no socket at all
};

extern struct ring_header *session_ring;

// Makes the segment and begins to answer; CLEW_SESSION is set.
void session_open(const struct ring_options *options, enum session_answer answer);

// The path of a process's socket.
void session_path(pid_t process, char *path, size_t size);

// The same, and starts the agent, which must record then.
void session_record(const struct ring_options *options);

// Before a collector in this process or a forked one reads the segment: segment_protect().
void session_protect(void);

// The usual options: trees by the processor's counter, everything of every module in scope.
extern const struct ring_options session_tree;

// A definition that the agent has made; texts are NUL-terminated.
struct told {
    enum ring_definition_type type;
    uint32_t module, method, token, flags, os_id, number;
    char name[512], path[256], reason[256];
    struct buffer blob;
    struct buffer roles;
};

// Reads the definition ring; returns all definitions so far, in order. For one thread at a time.
const struct told *session_told(uint32_t *count);
// The newest definition of a type for a module and a token (0: any); NULL: none.
const struct told *session_find(enum ring_definition_type type, uint32_t module, uint32_t token);
uint32_t session_count(enum ring_definition_type type);
// Frees the definition ring without reading it.
void session_skip(void);

// -- Trees ------------------------------------------------------------------------------------------------------------

// The calling thread's slot; NULL before its first event.
struct ring_thread *session_thread(void);
// The node at the end of a path from the thread's root, ended by 0; NULL when there is none.
const struct ring_node *session_node(const struct ring_thread *thread, ...);
// The number of nodes in the thread's tree, the root aside, that are running.
uint32_t session_running(const struct ring_thread *thread);

#endif
