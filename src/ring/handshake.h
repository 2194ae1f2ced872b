// How an agent gets its segment from the collector: one exchange over a unix socket. After it, they share only the
// segment.
//
// The environment variable CLEW_SESSION names the socket, which lies in a folder of mode 0700. The agent connects,
// sends a struct ring_hello, and receives a struct ring_welcome, with the segment's memfd as SCM_RIGHTS if it was
// accepted. Then both close the connection. A collector may die in between: its successor has the same socket, so the agent asks
// again. Each side checks that the other runs as the same user (SO_PEERCRED,
// unix(7)). The socket is of type SOCK_SEQPACKET, so a message arrives whole or not at all.
#ifndef CLEW_RING_HANDSHAKE_H
#define CLEW_RING_HANDSHAKE_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/limit.h"
#include "ring/ring.h"

// The value of CORECLR_PROFILER. The agent's class factory creates objects of this class only.
#define CLEW_CLSID "{6C1B0B5E-7A0D-4C7B-9E57-2F6E4D1C8A31}"
#define CLEW_CLSID_FIELDS                              \
    0x6C1B0B5Eu, 0x7A0Du, 0x4C7Bu,                     \
    {                                                  \
        0x9E, 0x57, 0x2F, 0x6E, 0x4D, 0x1C, 0x8A, 0x31 \
    }

#define CLEW_SESSION_VARIABLE "CLEW_SESSION" // path of the session's socket
#define CLEW_LOG_VARIABLE "CLEW_LOG"         // file for what a session without a terminal has to say
#define CLEW_AGENT_FILE "libclew-agent.so"   // beside the clew executable, or in ../lib/clew

// The longest that an agent waits for its welcome, and a collector for a hello. Neither waits if there is no socket or
// the other side has ended, so the time passes only while a collector is stopped, or starved on a busy machine. With 50
// ms, 3 of 180 programs were not recorded (2 processors, load 12); with one second some were not at higher loads.
CLEW_LIMIT(HANDSHAKE_LIMIT_MS, 5000);

// What a session that an agent has started itself (agent/control/own_session.h) reports once it answers: one message on a
// pipe.
struct ring_started {
    char socket_path[108]; // as in CLEW_SESSION, NUL-terminated
};
static_assert(sizeof(struct ring_started) == 108, "a message has no padding, and a pipe passes it whole");

enum { RING_STARTED_FD = 3 }; // where such a session finds its end of the pipe

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
static_assert(sizeof(struct ring_hello) == 64, "agents and collectors of all versions understand a hello");

struct ring_welcome {
    uint64_t magic;   // RING_MAGIC
    uint32_t version; // RING_VERSION
    uint32_t status;  // enum ring_welcome_status
};
static_assert(sizeof(struct ring_welcome) == 16, "agents and collectors of all versions understand a welcome");

// CLOCK_MONOTONIC: HANDSHAKE_LIMIT_MS from now.
uint64_t handshake_deadline(void);

// The agent's side, with libc alone; returns by the deadline. `build`: the agent's version. On OK *segment is
// the memfd for segment_map(), which the caller closes. NOT_FOUND: no answer in time; REFUSED: this process is not to
// be recorded, or the other side runs as another user; UNSUPPORTED: the versions differ; IO: anything else.
enum clew_error handshake_connect(const char *path, const char *build, uint64_t deadline_ns, int *segment);
// Reads what a session reports, from a pipe or a socket. NOT_FOUND: it did not by the deadline; REFUSED: it has closed its
// end instead.
enum clew_error handshake_receive_started(int fd, uint64_t deadline_ns, struct ring_started *started);

// The collector's side.

struct handshake_peer {
    int fd;
    int32_t pid; // as this side's kernel sees it
    struct ring_hello hello;
};

// Makes the socket, mode 0600, close-on-exec. The caller closes *listener and unlinks the path.
enum clew_error handshake_listen(const char *path, int *listener);

// Connections that have not sent their hello yet. A silent one does not delay the others. When there are too many, the
// oldest is closed.
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

// Waits until a connection has sent its hello; the caller then answers it with handshake_answer(). On error the
// connection is closed already, and the caller may call again, except after NOT_FOUND. REFUSED: the peer runs as
// another user; UNSUPPORTED: it has another version, and was answered so; IO: it sent no valid hello in time, or there
// are no descriptors at the moment; NOT_FOUND: the listener was shut down.
enum clew_error handshake_accept(struct handshake_queue *queue, struct handshake_peer *peer);
// Closes the connections without a hello.
void handshake_forget(struct handshake_queue *queue);
// Sends the welcome and closes the connection. Passes `segment` along if the status is ACCEPTED; the caller still owns
// it.
enum clew_error handshake_answer(struct handshake_peer *peer, enum ring_welcome_status status, int segment);

#endif
