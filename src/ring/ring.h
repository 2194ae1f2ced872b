// What the agent inside the program and the collector outside it share: one memory segment for each recorded process.
//
// The collector makes the segment (a sealed, sparse memfd: pages exist once touched), fills in the header and hands it
// to the agent over a unix socket. From then on program threads only store into it; neither side needs the other to
// make progress, except where an exact mode waits for room in a full chunk pool.
//
//     header | configuration text | thread slots | definitions | event lengths of sites | chunks (streams) |
//     lines (counters) | nodes (call trees)
//
// Offsets are in the header. Addresses are the program's: woven code uses
// those of a thread's cursor as they are, and the collector takes ring_header.base off. Rules of ordering, on x86-64 (total store order): data
// is stored before the cursor that covers it, with a release store that pairs with the other side's acquire load. A
// killed process therefore leaves everything that it had committed.
#ifndef CLEW_RING_RING_H
#define CLEW_RING_RING_H

#include <assert.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/assert.h"
#include "trace/kinds.h"
#include "trace/payload.h"

enum {
    RING_VERSION = 9,
    RING_THREADS_MAX = 65536,       // live at one time; slots of the dead are used again
    RING_CHUNK_SIZE = 16384,        // bytes, header included
    RING_CHUNKS_MAX = 262144,       // slots for chunks; how many may be full at once is ring_header.chunk_quota
    RING_KEPT_CHUNKS = 1 << 14,     // the last of them: a flight recorder's threads do not get them (kept_objects.h)
    RING_NODE_BLOCK = 64,           // nodes are handed to threads in blocks of so many
    RING_SITES_MAX = 1 << 24,       // site numbers are below this
    RING_SITE_ROOM = 512,           // bytes that woven code may write after a check, up to the next one
    RING_LINES_SIZE = 1 << 30,      // bytes of all counters of `lines`
    RING_LINES_BLOCKS = 1 << 22,    // that they can be in
    RING_DEFINITIONS_SIZE = 1 << 20 // bytes of the definition ring
};

#define RING_MAGIC UINT64_C(0x676E69722D77656C) // "lew-ring"
static_assert(RING_CHUNK_SIZE % sizeof(uint64_t) == 0 && RING_SITE_ROOM < RING_CHUNK_SIZE / 2, "events fit a chunk");
static_assert(RING_CHUNKS_MAX % 64 == 0, "the bitmap of free chunks is made of words");
static_assert((RING_NODE_BLOCK & (RING_NODE_BLOCK - 1)) == 0, "a node's block follows from its number");
static_assert(RING_SITES_MAX <= 1 << 30, "a site's number fits a head cell");

enum ring_agent_state {
    RING_AGENT_ABSENT = 0, // nothing has mapped the segment yet
    RING_AGENT_READY,      // mapped, Initialize under way
    RING_AGENT_RECORDING,
    RING_AGENT_REFUSED,  // the runtime refused what the agent asked of it; see a NOTE definition
    RING_AGENT_SHUTDOWN, // the runtime announced its end; late events may still come
    RING_AGENT_NO_ROOM,  // the segment does not fit into the process's addresses; it is left alone
};

// One activation path of one thread. A thread has at most one running activation of a node, since a node is the whole
// path from the thread's start; so the activation's start stands in the node.
struct ring_node {
    uint32_t parent; // node numbers; 0 is nobody
    uint32_t first_child;
    uint32_t next_sibling;
    uint32_t method;     // clew's number of the method with its enum ring_method_mark, or an enum pseudo_method
    uint64_t calls;      // activations begun
    uint64_t total;      // ticks of all ended activations, inclusive
    uint64_t started;    // clock at the start of the running activation; 0 when none runs (1 under CLOCK_KIND_NONE)
    uint64_t shortest;   // ticks of the shortest ended activation; UINT64_MAX before the first
    uint64_t longest;    // ticks of the longest one
    uint32_t exceptions; // activations that an exception ended
    union {
        uint32_t stack; // hooks: how far the caller's stack pointer lies below the top of the stack, bytes / 8
        uint32_t
            ended_frames; // woven: frames right below the running activation's that have none any more, since the method
                          // has called itself last
    };
};
static_assert(sizeof(struct ring_node) == 64, "a node is one cache line");

// Where `tree` and `calls` have scopes of their own, ring_node.method says on top of the number what the activations are
// not for. Events and definitions carry the number alone.
enum ring_method_mark {
    RING_METHOD_NOT_IN_TREE = 1u << 29,  // no node of the recorded tree: what runs in it is its caller's
    RING_METHOD_NOT_IN_CALLS = 1u << 30, // no events
    RING_METHOD_NUMBER = RING_METHOD_NOT_IN_TREE - 1,
};
static_assert((RING_METHOD_NOT_IN_CALLS & RING_METHOD_NUMBER) == 0 &&
                  RING_METHOD_NOT_IN_CALLS > RING_METHOD_NOT_IN_TREE,
              "what is not in calls is above all that is");

// What the collector alone keeps about a node, in an array parallel to the nodes.
struct ring_node_cpu {
    uint64_t user_ns;
    uint64_t kernel_ns;
};

enum ring_thread_state {
    RING_THREAD_FREE = 0,
    RING_THREAD_LIVE,
    RING_THREAD_ENDED, // set by the agent, or by the collector when the OS thread is gone; the agent writes no more
};

// How far a thread's stream is in the file. There are two, changed in turn, so that one is whole whenever the collector
// is killed.
struct ring_drained {
    uint64_t chunk;  // chunk number + 1 that is drained next; 0 before the first
    uint64_t at;     // offset in the segment of the first word not yet written to the file
    uint64_t cells;  // of this thread written so far: the stream position of `at`
    uint64_t events; // recorded events among them
};

static_assert(sizeof(struct ring_drained) == 32, "two of them are a cache line");

// A thread of the program. Written by that thread alone, but for the fields of the collector. Woven code with sites keeps
// its address, and writes events at `at` by itself while that is below `limit`.
struct ring_thread {
    // Hot: one cache line that entry and exit touch.
    // `at` first: woven code has its address without an addition, for each event.
    alignas(64) _Atomic uint64_t at; // where the next event word goes: address in the program; 0 before the first chunk
    uint64_t limit;                  // events must end here: address in the program
    uint32_t current;                // the running node
    uint32_t depth;                  // running activations (streams)
    uint64_t last_clock;             // of the newest event word (streams)
    _Atomic uint64_t lost;           // events dropped because nobody made room, so far
    uint64_t paused_ns;              // time spent waiting for room, so far
    uint32_t root;                   // the node without parent
    uint32_t free_node;              // next unused node of this thread's block
    uint32_t free_nodes_left;
    // Cold.
    _Atomic uint32_t state; // enum ring_thread_state
    uint32_t thread;        // clew's number: 1, 2, 3 in order of first sight in this process
    uint32_t os_id;         // gettid()
    uint64_t first_chunk;   // chunk number + 1 of this thread's first chunk; 0 before it exists
    _Atomic uint64_t
        stalled;      // address; not 0: events are lost now. The stream ends here; those up to `at` count as lost
    uint64_t started; // clock when first seen
    uint64_t started_tsc;
    uint64_t ended_tsc;
    // The collector's.
    alignas(64) struct ring_drained drained[2]; // drained[drained_epoch & 1] holds; the other is being made
    _Atomic uint64_t drained_epoch;
    uint64_t cpu_ns; // CPU time at the last sample
    uint64_t cpu_user_ns;
    uint64_t cpu_kernel_ns;
    _Atomic uint64_t
        recycling;       // 1 once its end is in the file: only its slot, nodes and chunk are still to be given back
    uint64_t keeps_last; // 1 while its last chunk counts as full: it has ended, and a flight recorder keeps the chunk
    uint64_t reserved[2];
};
static_assert(sizeof(struct ring_thread) == 256, "thread slots are 256 bytes");
static_assert(offsetof(struct ring_thread, at) == 0 && offsetof(struct ring_thread, limit) == 8, "woven code knows it");

// A piece of one thread's stream. next is stored (release) after used is final; then the thread has moved on.
struct ring_chunk {
    uint32_t thread; // slot index of the owner
    uint32_t reserved;
    _Atomic uint64_t next; // chunk number + 1 of the successor; 0 while this is the newest
    uint64_t used;         // bytes from the chunk's start, header included; valid once next is set
    uint64_t sequence;     // 0, 1, 2 within the thread
    uint64_t opened_tsc;
    uint64_t closed_tsc;
    uint64_t opened_clock; // the session's clock at opening: the base of the low 32 bits of the words that follow
    uint64_t reserved2;
};
static_assert(sizeof(struct ring_chunk) == 64, "chunk header is one cache line");

// A stream is a sequence of 32-bit cells. An event's head cell:  bits 0-1 kind | bits 2-31 payload.  Events but SITE have
// a second cell, the low half of the clock; head and clock are written as one 64-bit word, which need not be aligned.
// The full clock of an event is the smallest value not before its predecessor's (or the chunk's opened_clock) with that
// low half; where more than 2^32 ticks lie between, an EXTENDED/TIME event comes first. A SITE happens at the clock of
// the event before it, or after.
enum ring_event_kind {
    RING_EVENT_ENTER = 0,    // payload: method
    RING_EVENT_LEAVE = 1,    // payload: 1 when an exception ended the activation
    RING_EVENT_SITE = 2,     // payload: site; no clock: the cells of its payload follow (trace/payload.h)
    RING_EVENT_EXTENDED = 3, // payload: enum ring_extended | further 64-bit words << 8; no method, meaning below
};

enum ring_extended {
    RING_EXTENDED_TIME = 0,   // 1 word: the full clock of what follows
    RING_EXTENDED_LOST = 2,   // 1 word: so many events are missing here; a STACK follows
    RING_EXTENDED_STACK = 3,  // words: n, then n methods, outermost first: the open activations from here on.
                              // Never split over chunks; deeper stacks give the newest that fit, n is the full depth
    RING_EXTENDED_FILTER = 4, // 1 word: a filter of activation number n (1 is the outermost) begins to run; 0: of one
                              // below all that are streamed
    RING_EXTENDED_FILTER_END = 5, // 0 words: it has ended: the activations it was called among run on
    RING_EXTENDED_OBJECT = 6, // an object is seen for the first time: number | type << 32; size in bytes; then, for a
                              // string, its length in UTF-16 units and the first of them, four to a word. The
                              // number may have RING_OBJECT_UNCERTAIN
    RING_EXTENDED_BOX = 7, // what is in a box that the next event refers to: number | n << 32, and n bytes as they lie
                           // in memory, with object numbers in place of references; n is 0 where they are too many
};

// With the number of an OBJECT: its last word is that of an object that was where it is, and may be this one: a collection
// left that in doubt.
#define RING_OBJECT_UNCERTAIN UINT32_C(0x80000000)

// Counters of `lines`: one for each statement of a method in a block of a thread's own. Only that thread stores into it;
// when its slot goes to another thread, that one counts on.
struct ring_line {
    uint64_t count; // statements begun
    uint64_t own;   // from there to the thread's next statement or the end of the activation: ns of tick_ns, or, with
                    // SESSION_LINES_BY_CLOCK, ticks of the session's clock
};

// What makes a block known: its entry of ring_lines_blocks(). Complete once site_count is not 0.
struct ring_lines_block {
    uint64_t at;         // offset in the segment of its struct ring_line
    uint32_t first_site; // the method's sites; those with EVENT_LENGTH_STATEMENT have a line each, in their order
    _Atomic uint32_t site_count; // stored (release) last
};

#define RING_EVENT(kind, payload, clock) ((uint64_t)(kind) | (uint64_t)(payload) << 2 | (uint64_t)(clock) << 32)
#define RING_EVENT_KIND(word) ((enum ring_event_kind)((word)&3))
#define RING_EVENT_PAYLOAD(word) ((uint32_t)((word) >> 2 & 0x3FFFFFFF))
static_assert(RING_EVENT_EXTENDED <= 3, "kinds take two bits");
static_assert(sizeof(struct ring_line) == 16 && sizeof(struct ring_lines_block) == 16,
              "woven code and collector agree");

// How far the collector is with the end of a process, for the one that takes a dead collector's place.
enum ring_finished {
    RING_FINISHED_NO,
    RING_FINISHED_WRITTEN, // the process's last record is in the file
    RING_FINISHED_SUMMED,  // and its events are among the session's sums
};

struct ring_header {
    // Made by the collector before the program sees it.
    uint64_t magic;
    uint32_t version;
    uint32_t header_size;
    uint64_t segment_size;
    uint32_t process;     // clew's number of the process
    uint32_t clock;       // enum clock_kind
    uint32_t instruments; // enum instrument, or-ed
    uint32_t flags;       // enum session_flag, or-ed
    uint32_t depth_max;   // 0: no limit
    uint32_t text_size;   // configuration lines: "include GLOB\n", "exclude GLOB\n", "INSTRUMENT GLOB\n"
    uint64_t text_offset;
    uint64_t threads_offset;
    uint64_t definitions_offset;
    uint64_t chunks_offset;
    uint64_t free_chunks_offset; // bitmap of RING_CHUNKS_MAX bits; 1 is free
    uint64_t nodes_offset;
    uint64_t node_cpu_offset; // struct ring_node_cpu by node number; the collector's
    uint32_t nodes_max;       // node numbers below this exist; the cap of call trees
    uint32_t chunk_quota;     // full chunks there may be at once; beside them each live thread keeps its current one
    uint64_t lines_offset;    // RING_LINES_SIZE bytes of struct ring_line
    uint64_t lines_blocks_offset;
    uint64_t event_lengths_offset; // RING_SITES_MAX enum event_length of 16 bits, by site; the agent's
    int64_t os_pid;                // of the process, as the collector sees it
    uint64_t started_clock;

    // The collector's, while running. On another page than what is above: see segment_protect().
    alignas(4096) _Atomic uint64_t tick_ns; // CLOCK_MONOTONIC, refreshed while the clock is TICK
    alignas(64) _Atomic uint64_t progress;  // grows with every drain pass: a waiting program watches it
    _Atomic uint32_t room;                  // futex word: changes when chunks were freed
    _Atomic uint32_t collector_gone;        // set by whoever knows that nobody will drain again
    uint64_t past_events;                   // of threads whose slots were given back: streamed events,
    uint64_t past_entries;                  // entries and exits in trees,
    uint64_t past_lost;                     // lost events
    uint64_t past_paused_ns;                // and time spent waiting
    int64_t collector_pid;                  // of the one that drains
    _Atomic uint64_t finished;              // enum ring_finished
    // Flight recorder: objects with lower numbers are to get new ones, since their descriptions are to be dropped.
    _Atomic uint32_t objects_from;

    // The agent's.
    alignas(64) _Atomic uint32_t agent_state;
    uint64_t base;                     // where the program has mapped the segment; stored before any thread has a slot
    _Atomic uint32_t threads_used;     // slots below this have been used at least once
    _Atomic uint32_t threads_started;  // the newest thread number
    _Atomic uint32_t threads_refused;  // threads that found no slot: nothing of theirs is recorded
    _Atomic uint32_t nodes_used;       // node numbers below this have been handed out
    _Atomic uint64_t free_node_blocks; // stack of returned blocks: tag << 32 | first node of the top one; a free
                                       // block's first node links to the next by next_sibling
    _Atomic uint32_t chunks_full;      // that their threads have left, and that are not free yet
    _Atomic uint32_t waiters;          // threads that wait for room now
    _Atomic uint32_t over_cap;         // calls were folded into (over the cap)
    _Atomic uint64_t dynamic_methods;  // compiled dynamic methods, which nobody can record
    _Atomic uint64_t pauses;           // times a thread had to wait for room
    _Atomic uint64_t lines_used;       // bytes of counters handed out
    _Atomic uint32_t lines_blocks;     // blocks of counters handed out
    _Atomic uint64_t lines_missed;     // activations whose lines found no room for counters
    _Atomic uint32_t objects_renewed;  // events name no lower number from now on, but as what an object perhaps is
    uint64_t probe_ns_x1000;           // calibrated cost of one entry and exit, ps
    uint64_t probe_own_ns_x1000;       // the part of it that falls into the recorded activation itself, ps

    // Definition ring: bytes between definitions_read and definitions_written (both only grow; position modulo size).
    alignas(64) _Atomic uint64_t definitions_written;
    alignas(64) _Atomic uint64_t definitions_read; // the collector's
};

// What does not change once the program has the segment.
#define RING_HEADER_FIXED_SIZE offsetof(struct ring_header, tick_ns)
static_assert(offsetof(struct ring_header, progress) % 64 == 0 && offsetof(struct ring_header, agent_state) % 64 == 0 &&
                  offsetof(struct ring_header, definitions_written) % 64 == 0,
              "what the two sides write shares no cache line");

// Where things lie.

static inline struct ring_thread *ring_threads(struct ring_header *ring)
{
    return (struct ring_thread *)((char *)ring + ring->threads_offset);
}

static inline struct ring_node *ring_nodes(struct ring_header *ring)
{
    return (struct ring_node *)((char *)ring + ring->nodes_offset);
}

static inline struct ring_node_cpu *ring_node_cpus(struct ring_header *ring)
{
    return (struct ring_node_cpu *)((char *)ring + ring->node_cpu_offset);
}

// Of an address in the program, as ring_thread.at is one, the offset in the segment; 0 stays 0. Anything may come out where
// the program has overwritten the segment: the collector checks it against the chunk.
static inline uint64_t ring_offset_of(const struct ring_header *ring, uint64_t address)
{
    return address ? address - ring->base : 0;
}

static inline struct ring_chunk *ring_chunk_at(struct ring_header *ring, uint64_t number)
{
    return (struct ring_chunk *)((char *)ring + ring->chunks_offset + number * RING_CHUNK_SIZE);
}

static inline uint16_t *ring_event_lengths(const struct ring_header *ring)
{
    return (uint16_t *)((uintptr_t)ring + ring->event_lengths_offset);
}

static inline struct ring_lines_block *ring_lines_blocks(const struct ring_header *ring)
{
    return (struct ring_lines_block *)((uintptr_t)ring + ring->lines_blocks_offset);
}

static inline _Atomic uint64_t *ring_free_chunks(struct ring_header *ring)
{
    return (_Atomic uint64_t *)((char *)ring + ring->free_chunks_offset);
}

#endif
