// How an agent and the collector find each other: one exchange over a unix socket, then only the segment is shared.
//
// The environment names the socket (CLEW_SESSION), which lies in a folder of mode 0700. The agent connects, sends a
// struct ring_hello and gets a struct ring_welcome, with the segment's memfd as SCM_RIGHTS when it was accepted. Then
// both close the connection. Each side checks that the other runs as the same user (SO_PEERCRED). The socket is of type
// SOCK_SEQPACKET: a message comes whole or not at all.
#ifndef CLEW_RING_HANDSHAKE_H
#define CLEW_RING_HANDSHAKE_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "ring/ring.h"

// What CORECLR_PROFILER holds; the agent's class factory answers to this class alone.
#define CLEW_CLSID "{6C1B0B5E-7A0D-4C7B-9E57-2F6E4D1C8A31}"
#define CLEW_CLSID_FIELDS                              \
    0x6C1B0B5Eu, 0x7A0Du, 0x4C7Bu,                     \
    {                                                  \
        0x9E, 0x57, 0x2F, 0x6E, 0x4D, 0x1C, 0x8A, 0x31 \
    }

#define CLEW_SESSION_VARIABLE "CLEW_SESSION" // path of the session's socket
#define CLEW_AGENT_FILE "libclew-agent.so"   // beside the clew executable, or in ../lib/clew

// The agent waits no longer than this in all; nor does the collector for a hello. Where there is no socket, or the collector
// ends meanwhile, nobody waits at all. So this passes only where a collector stands still, or a busy machine does not let it
// run: 50 ms left 3 of 180 programs dormant (2 processors, load 12), and one second some at higher loads.
enum { HANDSHAKE_LIMIT_MS = 5000 };

enum ring_welcome_status {
    RING_WELCOME_ACCEPTED = 1,
    RING_WELCOME_OTHER_PROCESS, // not the process that this session records
    RING_WELCOME_OTHER_VERSION, // agent and collector share no layout of the segment
    RING_WELCOME_FAILED,        // the collector could not make a segment
};

struct ring_hello {
    uint64_t magic;       // RING_MAGIC
    uint32_t version;     // RING_VERSION
    uint32_t size;        // of this structure
    uint32_t header_size; // sizeof(struct ring_header): a second guard against mixed builds
    int32_t pid;          // getpid() as the agent sees it
    char build[40];       // version of clew the agent was built from, NUL-terminated
};
static_assert(sizeof(struct ring_hello) == 64, "the hello has one layout for ever");

struct ring_welcome {
    uint64_t magic;   // RING_MAGIC
    uint32_t version; // RING_VERSION
    uint32_t status;  // enum ring_welcome_status
};
static_assert(sizeof(struct ring_welcome) == 16, "the welcome has one layout for ever");

// The agent's side, libc only; takes HANDSHAKE_LIMIT_MS at most. On OK *segment is the memfd to give to segment_map();
// the caller closes it. NOT_FOUND: nobody answered in time; REFUSED: this process is not to be recorded, or the other
// side is another user; UNSUPPORTED: the versions differ; IO: anything else.
enum clew_error handshake_connect(const char *path, const char *build, int *segment);

// The collector's side.

struct handshake_peer {
    int fd;
    int32_t pid; // as this side's kernel sees it
    struct ring_hello hello;
};

// Makes the socket, mode 0600, close-on-exec. The caller closes *listener and unlinks the path.
enum clew_error handshake_listen(const char *path, int *listener);

// Connections without a hello yet. They wait beside each other: a silent one holds nobody up. Of more than there is room for
// the oldest goes.
enum { HANDSHAKE_WAITING_MAX = 64 };

struct handshake_queue {
    int listener;
    uint32_t count;
    struct {
        int fd;
        int32_t pid;
        uint64_t deadline_ns;
    } waiting[HANDSHAKE_WAITING_MAX]; // the oldest first
};

// Waits until some connection has said its hello. REFUSED: another user (the connection is closed then); UNSUPPORTED: another
// version, which was told so; IO: a peer said nothing in time, or nothing that makes sense, or there are no descriptors just
// now; NOT_FOUND: the listener was shut down.
enum clew_error handshake_accept(struct handshake_queue *queue, struct handshake_peer *peer);
// Closes the connections that wait.
void handshake_forget(struct handshake_queue *queue);
// Sends the welcome and closes the connection; `segment` is passed along when the status is ACCEPTED.
enum clew_error handshake_answer(struct handshake_peer *peer, enum ring_welcome_status status, int segment);

#endif
