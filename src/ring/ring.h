// The layout of the segment: the memory that the agent inside the program shares with the collector outside it, one for
// each recorded process.
//
// The collector makes the segment, a sealed and sparse memfd whose pages exist once they are touched. It fills in the
// header and passes the segment to the agent over a unix socket (handshake.h). From then on the program's threads only
// store into it. Neither side needs the other to make progress, except that a thread waits for room where its stream
// has to be exact.
//
//     header | configuration text | free chunks | definitions | thread slots | event lengths of sites |
//     counters of `lines` | chunks of streams | nodes of call trees
//
// The header holds the offset of each part. Addresses in the segment are the program's: woven code uses a thread's
// cursor as it is, and the collector subtracts ring_header.base.
//
// Memory order: a writer stores data first and then, with a release store, the cursor or link that leads to it; a
// reader loads the cursor with acquire and then the data (publish.h). So a process that is killed leaves everything
// that it had committed. The collector trusts nothing that it reads here, since a program with a wild pointer can write
// anywhere.
#ifndef CLEW_RING_RING_H
#define CLEW_RING_RING_H

#include <assert.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/assert.h"
#include "trace/histogram.h"
#include "trace/instrument.h"
#include "trace/kinds.h"
#include "trace/payload.h"

enum {
    RING_VERSION = 28,
    RING_THREADS_MAX = 65536,       // live at one time; slots of ended threads are used again
    RING_CHUNK_SIZE = 16384,        // bytes, header included
    RING_CHUNKS_MAX = 262144,       // slots for chunks; ring_header.chunk_quota limits how many are full at once
    RING_KEPT_CHUNKS = 1 << 14,     // of these, reserved for the collector in a flight recorder (kept_objects.h)
    RING_NODE_BLOCK = 64,           // a thread takes nodes in blocks of this many
    RING_SITES_MAX = 1 << 24,       // site numbers are below this
    RING_SITE_ROOM = 512,           // bytes that woven code may write after a check, up to the next one
    RING_PATHS_MAX = 1 << 20,       // logical paths and places of await
    RING_ACTIVATIONS_MAX = 1 << 20, // async activations that wait at one time and keep their callers
    RING_HISTOGRAMS_MAX = 1 << 15,  // nodes that have a histogram of durations
    RING_EXCEPTIONS_MAX = 1 << 16,  // types of exceptions with different messages
    RING_MESSAGE_UNITS = 248,       // UTF-16 units of a message
    RING_THROWS_MAX = 1 << 18,      // kinds of throws that are counted apart, in all call trees
    RING_LINES_SIZE = 1 << 30,      // bytes of all counters of `lines`
    RING_LINES_BLOCKS = 1 << 22,    // blocks of counters
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
    RING_AGENT_NO_ROOM,  // the segment does not fit into the process's address space; nothing is recorded
};

// A node of a thread's call tree: one path of calls from the thread's start. A thread has at most one running
// activation of a path, so the node stores when that activation started. Only its thread writes to a node.
struct ring_node {
    uint32_t parent; // node numbers; 0: none
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
        // Woven: 1: the last act of the running activation is a call of its own method, which it has begun. It ends when
        // the called one does.
        uint32_t continues;
    };
};
static_assert(sizeof(struct ring_node) == 64, "a node is one cache line");

// Bits above the number in ring_node.method. Events and definitions contain the number alone. The marks NOT_IN are for
// sessions in which `tree` and `calls` have different scopes.
enum ring_method_mark {
    RING_METHOD_RUNS = 1u << 28,         // body of an async method or async iterator: the node has a struct ring_run
    RING_METHOD_NOT_IN_TREE = 1u << 29,  // the recorded tree has no node for it; its time is its caller's
    RING_METHOD_NOT_IN_CALLS = 1u << 30, // it has no events
    RING_METHOD_NUMBER = RING_METHOD_RUNS - 1,
};
static_assert((RING_METHOD_NOT_IN_CALLS & RING_METHOD_NUMBER) == 0 &&
                  RING_METHOD_NOT_IN_CALLS > RING_METHOD_NOT_IN_TREE,
              "one comparison tells methods with events from those without");

// -- Async ------------------------------------------------------------------------------------------------------------
// The body of an async method runs several times, each time on any thread: a first run below the kick-off that the caller
// has called, and one more behind each await that has to wait. The nodes of a thread are the stacks as they were. That a run
// continues an activation is in the node's number (trace/kinds.h, METHOD_RESUMED): it names a place of await below a path.
//
// A path is a place in the logical call tree: the path of the caller, and a method. All threads of the process share the
// paths. They are never changed once `method` is there, so a reader that finds one has all above it.
struct ring_path {
    uint32_t parent;         // number of a path; PATH_ROOT and PATH_UNKNOWN have none
    _Atomic uint32_t method; // a method's number without marks, or PATH_AWAIT | place; 0: not stored yet. Stored last
};

// An async activation that has waited, or that has called one that waits. Its number is the slot in the table; 0: none. It is
// made at the first wait and freed by the thread that completes the activation.
struct ring_activation {
    // Generation << 32 | whether it waits << 31 | whether its caller counts it << 30 | activations called by it that are not
    // complete. The generation changes when the slot is freed, so that others find out.
    _Atomic uint64_t state;
    uint64_t started;            // clock at the start of the activation; 0: not known
    _Atomic uint64_t waits_from; // clock of the newest wait
    _Atomic uint64_t
        idle_from;   // clock since which nothing that it has called is pending: of the wait, or of a completion
    uint32_t path;   // PATH_NONE: no other thread knows of it yet
    uint32_t caller; // slot of the calling activation; 0: none, or not known
    uint32_t caller_generation;
    // Of a free slot: the next one of its list. While paths are made: the activation called by this one. Of runtime async, in an
    // await: the one that it has called directly there, which may have ended.
    uint32_t next;
    union {
        uint32_t next_list; // the first slot of a returned list: that of the next one
        uint32_t thread;    // of runtime async, in an await: the slot of the thread on which it has come to it
    };
    // Of the newest wait: the path of the await. Of runtime async, in an await: its node on that thread.
    uint32_t place;
    uint16_t waits; // how often it has begun to wait, wrapping around
    bool resumed;   // of runtime async: whether it has gone on behind one
    bool direct;    // whether its caller awaits it by the call of its method, and fails when it does
    // Of runtime async: 1 + the number of the await that it is in, where it may wait; 0: of another kind, or in none.
    _Atomic uint32_t await;
};
static_assert(sizeof(struct ring_activation) == 64, "an activation is one cache line");

#define RING_ACTIVATION_COMPLETE UINT32_MAX
enum { RING_ACTIVATION_BLOCK = 64 }; // a thread takes slots in blocks of this many
#define RING_ACTIVATION_WAITS (UINT64_C(1) << 31)
#define RING_ACTIVATION_COUNTED (UINT64_C(1) << 30)
#define RING_ACTIVATION_PENDING (RING_ACTIVATION_COUNTED - 1)

// Figures of runs of a node with RING_METHOD_RUNS; an array parallel to the nodes. Only its thread writes to it.
struct ring_run {
    uint64_t completed;        // activations that ended in order, in a run of this node
    uint32_t faulted;          // by an exception,
    uint32_t cancelled;        // and by OperationCanceledException
    uint64_t latency;          // ticks of all three, from the start of the activation to its end
    uint64_t latency_shortest; // UINT64_MAX before the first
    uint64_t latency_longest;
    uint64_t awaiting;     // a node with METHOD_RESUMED: ticks from the wait to the run, of all runs
    uint64_t own_awaiting; // the part of it in which nothing that the activation has called was pending or ran
    // Of the run that goes on:
    uint32_t activation; // 0: it has none yet; RING_ACTIVATION_COMPLETE: it is complete
    uint32_t outer;      // the node of the run around it on the stack, 0: none
};
static_assert(sizeof(struct ring_run) == 64, "the figures are one cache line");

// Of a node with METHOD_AWAITING, in place of the figures: the await that the method of its parent is in. The node is current
// from the begin of the await to its end, or to the next event of the thread once the method was suspended: that is an early
// return, in which no code of the method runs. It has no calls and no children: what is called there is listed among the
// children of its parent, behind it, and returns to it.
struct ring_await {
    uintptr_t frame; // address of the method's frame while it lives; 0: not known
    uint64_t since;  // clock at the begin of the await
    uint64_t serial; // of the activation and of this wait (RING_SERIAL_OF_WAIT); 0: it has no record
    uint32_t await;  // number of the await
    uint32_t path;   // of each activation of the parent's node; PATH_NONE: not known yet
    uintptr_t code;  // the native code that goes on in the frame: where it starts, and its bytes
    uint32_t code_size;
    uint32_t callee_size;  // the same of the method that was last called there,
    uintptr_t callee_code; // which is this one
    uint32_t returns_to;   // the address to which the awaiting method returns, its lower half
    uint32_t method;       // the awaiting one, without marks
};
static_assert(sizeof(struct ring_await) == sizeof(struct ring_run), "it takes the place of figures");

// How many activations that began and ended in a node took how long: of an async body those that ended in a run of the node,
// of a node right below a thread's root all. Wraps around. Only the node's thread writes to it.
struct ring_histogram {
    uint32_t counts[HISTOGRAM_BUCKETS];
};

// What was thrown: a type and a message. Threads that throw share these, and none changes once it is there, so a number of one
// may be in any event or figure.
struct ring_exception {
    _Atomic uint32_t flags; // enum exception_flag; 0: not stored yet. Stored last
    uint32_t type;          // number of its class; 0: there are no more numbers
    uint32_t length;        // of the message, in UTF-16 units
    uint32_t recorded;      // of these, the first ones that are here
    uint16_t units[RING_MESSAGE_UNITS];
};
static_assert(sizeof(struct ring_exception) == 512, "eight of them fill a page");

// How often something was thrown in a node, or was caught that had been thrown there. A list by node (ring_node_throws());
// only the node's thread writes to it. An entry with a count of 0 is free: its thread has ended.
struct ring_throw {
    uint32_t next;      // of the same node; 0: none
    uint32_t type;      // of its exception
    uint32_t exception; // the first one that was counted
    uint32_t caught;    // with THROW_CAUGHT: the node that caught it
    uint32_t flags;     // enum throw_flag
    uint32_t reserved;
    uint64_t count;
};
static_assert(sizeof(struct ring_throw) == 32, "two of them are a cache line");

// CPU time of a node's own code, as sampled. An array parallel to the nodes; only the collector uses it.
struct ring_node_cpu {
    uint64_t user_ns;
    uint64_t kernel_ns;
};

enum ring_thread_state {
    RING_THREAD_FREE = 0,
    RING_THREAD_LIVE,
    RING_THREAD_ENDED, // set by the agent, or by the collector when the OS thread is gone; the agent writes no more
};

// How much of a thread's stream is in the file. Each thread has two, which the collector updates alternately, so that
// one is complete whenever it is killed.
struct ring_drained {
    uint64_t chunk;  // number + 1 of the chunk that is drained next; 0 before the first
    uint64_t at;     // offset in the segment of the first word not yet written to the file
    uint64_t cells;  // of this thread written so far: the stream position of `at`
    uint64_t events; // recorded events among them
};

static_assert(sizeof(struct ring_drained) == 32, "two of them are a cache line");

// A thread of the program: its slot. Only that thread writes to it, except to the collector's fields. Woven code with
// sites holds the slot's address in a local and writes events at `at` itself while `at` is below `limit`.
struct ring_thread {
    // Hot: the one cache line that entry and exit touch. `at` comes first, so that woven code needs no addition for it.
    alignas(64) _Atomic uint64_t at; // where the next event goes: address in the program; 0 before the first chunk
    uint64_t limit;                  // events must end here: address in the program
    uint32_t current;                // the node of the running activation
    uint32_t depth;                  // streams: running activations
    uint64_t last_clock;             // streams: clock of the newest event
    _Atomic uint64_t lost;           // events dropped so far for want of room
    uint64_t tick;                   // the tick word when the clock was last moved on for the events of sites
    uint32_t root;                   // the node without parent
    uint32_t free_node;              // next unused node of this thread's block
    uint32_t free_nodes_left;
    // Cold.
    _Atomic uint32_t state; // enum ring_thread_state
    uint32_t thread;        // clew's number: 1, 2, 3 in order of first sight in this process
    uint32_t os_id;         // gettid()
    uint64_t first_chunk;   // chunk number + 1 of this thread's first chunk; 0 before it exists
    // Address; not 0: the stream is stalled and ends here. Woven code continues to write behind it; these events are
    // lost.
    _Atomic uint64_t stalled;
    uint64_t started; // clock when first seen
    uint64_t started_tsc;
    uint64_t ended_tsc;
    uint64_t paused_ns; // time spent waiting for room so far
    // The collector's.
    alignas(64) struct ring_drained drained[2]; // drained[drained_epoch & 1] is valid; the other is being written
    _Atomic uint64_t drained_epoch;
    uint64_t cpu_ns; // CPU time at the last sample
    uint64_t cpu_user_ns;
    uint64_t cpu_kernel_ns;
    // 1 once the thread's end is in the file: then only its slot, nodes and chunk remain to be returned.
    _Atomic uint64_t recycling;
    uint64_t keeps_last; // 1 while the last chunk of an ended thread counts as full: a flight recorder keeps it
    // The agent's: the newest exception that the thread has thrown, while the runtime has found no handler for it; 0: none. And the
    // node in which it was thrown.
    uint32_t unhandled, unhandled_node;
    uint32_t failing_node; // in which the thread has called Environment.FailFast; 0: it has not
    uint32_t reserved;
};
static_assert(sizeof(struct ring_thread) == 256, "thread slots are 256 bytes");
static_assert(offsetof(struct ring_thread, at) == 0 && offsetof(struct ring_thread, limit) == 8 &&
                  offsetof(struct ring_thread, current) == 16 && offsetof(struct ring_thread, tick) == 40,
              "woven code contains these offsets");

// The header of a chunk: a piece of one thread's stream. The thread stores `next` (release) once `used` is final, and
// writes to the next chunk from then on.
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

// A stream is a sequence of 32-bit cells. An event begins with its head cell: bits 0-1 kind, bits 2-31 payload. Every
// event but SITE has a second cell, the low half of the clock; head and clock are written as one 64-bit word, which
// need not be aligned. The full clock of an event is the smallest value that has this low half and is not before that
// of the preceding event (or the chunk's opened_clock). If more than 2^32 ticks have passed, an EXTENDED/TIME event
// comes first. A SITE happens between the clocks of its neighbours.
enum ring_event_kind {
    RING_EVENT_ENTER = 0,    // payload: method
    RING_EVENT_LEAVE = 1,    // payload: 1 when an exception ended the activation
    RING_EVENT_SITE = 2,     // payload: site; no clock; the cells of its payload follow (trace/payload.h)
    RING_EVENT_EXTENDED = 3, // payload: enum ring_extended | further 64-bit words << 8
};

enum ring_extended {
    // 1 word: the full clock of the event that follows, also of a SITE.
    RING_EXTENDED_TIME = 0,
    // 1 word: how many events are missing here. A STACK follows.
    RING_EXTENDED_LOST = 2,
    // The activations that run from here on: their number n, then their methods, outermost first. Never split over
    // chunks: of a deeper stack the newest ones that fit, while n is the full depth.
    RING_EXTENDED_STACK = 3,
    // 1 word: a filter of activation number n (1 is the outermost) begins; 0: of one below all in the stream.
    RING_EXTENDED_FILTER = 4,
    // 0 words: the filter has ended, and the activations among which it was called continue.
    RING_EXTENDED_FILTER_END = 5,
    // The first sight of an object: number | type << 32; size in bytes; for a string its length in UTF-16 units and the
    // first of these units, four to a word; for an array with several dimensions RING_OBJECT_SHAPE | units and all units of
    // its shape (recording.h). The number may carry RING_OBJECT_UNCERTAIN.
    RING_EXTENDED_OBJECT = 6,
    // The content of a box that the next event refers to: number | n << 32, then n bytes as they lie in memory, with
    // object numbers in place of references. n is 0 for a value that is too large.
    RING_EXTENDED_BOX = 7,
    // Of an async activation that has waited. 2 words: its serial, and a number. The newest activation in the stream is a run
    // of it. The run continues it; the number: ticks since it began to wait. The uppermost bits of the serial say which of its
    // waits that was (RING_SERIAL_OF_WAIT), also of SUSPEND. Serial 0: none; the number: enum resume_of_none.
    RING_EXTENDED_RESUME = 8,
    // The run begins to wait; the number: the state in which it waits. Serial 0: what continues it will not be known.
    RING_EXTENDED_SUSPEND = 9,
    // The activation is complete; the number: enum run_end. Serial 0: it has not waited, and ends in another way than most do.
    RING_EXTENDED_COMPLETE = 10,
    // Behind a STACK: activation number n (1 is the outermost) of the stated ones is a run of it, and does not wait yet. Those
    // of the newest runs that fit the chunk.
    RING_EXTENDED_RUN = 11,
    // Something was thrown, or caught, where the thread is. 1 word: number of the exception | enum throw_flag << 32.
    RING_EXTENDED_THROWN = 12,
    RING_EXTENDED_CAUGHT = 13,
};

// Identifies an async activation in its process: the slot of its record, and that slot's generation. Activations that have no
// record have no serial.
#define RING_SERIAL(slot, generation) ((uint64_t)(slot) | (uint64_t)(generation) << 20)
#define RING_SERIAL_BITS 52
#define RING_SERIAL_OF_WAIT(serial, wait) ((serial) | (uint64_t)(wait) << RING_SERIAL_BITS)
static_assert(RING_ACTIVATIONS_MAX == 1 << 20, "a serial has room for the slot");

// A flag of an OBJECT's number. The event then ends with the number of the object that was at this address before: a
// collection left it uncertain whether this is the same one.
#define RING_OBJECT_UNCERTAIN UINT32_C(0x80000000)
// A flag of the length in an OBJECT event: the units are not a string's, but the shape of an array.
#define RING_OBJECT_SHAPE (UINT64_C(1) << 63)

// The counter of a statement. With `lines` each thread has a block of counters for each method that it runs, and only
// that thread stores into the block. A thread that gets the slot of an ended one continues with its counters.
struct ring_line {
    uint64_t count; // statements begun
    uint64_t
        own; // time from there to the thread's next statement or the end of the activation: ns of tick_ns, or, with
             // SESSION_LINES_BY_CLOCK, ticks of the session's clock
};

// The entry of ring_lines_blocks() that describes a block. Complete once site_count is not 0.
struct ring_lines_block {
    uint64_t at;                 // offset of its first struct ring_line in the segment
    uint32_t first_site;         // of the method; each of its sites with EVENT_LENGTH_STATEMENT has a counter, in order
    _Atomic uint32_t site_count; // stored last (release)
};

#define RING_EVENT(kind, payload, clock) ((uint64_t)(kind) | (uint64_t)(payload) << 2 | (uint64_t)(clock) << 32)
#define RING_EVENT_KIND(word) ((enum ring_event_kind)((word)&3))
#define RING_EVENT_PAYLOAD(word) ((uint32_t)((word) >> 2 & 0x3FFFFFFF))
static_assert(RING_EVENT_EXTENDED <= 3, "kinds take two bits");
static_assert(sizeof(struct ring_line) == 16 && sizeof(struct ring_lines_block) == 16,
              "woven code and collector agree");

// How far the collector is with the end of a process; read by the collector that replaces a dead one.
enum ring_finished {
    RING_FINISHED_NO,
    RING_FINISHED_WRITTEN, // the process's last record is in the file
    RING_FINISHED_SUMMED,  // the session's sums include its events, too
};

struct ring_header {
    // The fixed part, which the collector fills in before the program gets the segment.
    uint64_t magic;
    uint32_t version;
    uint32_t header_size;
    uint64_t segment_size;
    uint32_t process;     // clew's number of the process
    uint32_t clock;       // enum clock_kind
    uint32_t instruments; // of the session, enum instrument, or-ed; see ring_instruments()
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
    uint32_t chunk_quota;     // how many chunks may be full at once; each live thread has its current one besides
    uint64_t lines_offset;    // RING_LINES_SIZE bytes of struct ring_line
    uint64_t lines_blocks_offset;
    uint64_t node_runs_offset; // struct ring_run by node number
    uint64_t
        node_histograms_offset; // uint32_t by node number: its histogram, 0: none. A node keeps it when it is used again
    uint64_t histograms_offset;  // RING_HISTOGRAMS_MAX times struct ring_histogram
    uint64_t paths_offset;       // RING_PATHS_MAX times struct ring_path
    uint64_t activations_offset; // RING_ACTIVATIONS_MAX times struct ring_activation
    uint64_t exceptions_offset;  // RING_EXCEPTIONS_MAX times struct ring_exception
    uint64_t throws_offset;      // RING_THROWS_MAX times struct ring_throw
    uint64_t
        node_throws_offset; // uint32_t by node number: its newest struct ring_throw, 0: none. Kept as its histogram is
    uint64_t event_lengths_offset; // RING_SITES_MAX times enum event_length in 16 bits, by site; the agent stores them
    int64_t os_pid;                // of the process, as the collector sees it
    uint64_t started_clock;

    // Stored by the collector while the program runs. On another page than the fixed part, see segment_protect().
    alignas(4096) _Atomic uint64_t tick_ns; // CLOCK_MONOTONIC, refreshed where something reads it
    alignas(64) _Atomic uint64_t progress;  // grows with every drain pass; threads that wait for room watch it
    _Atomic uint32_t room;                  // futex word: changes when chunks were freed
    _Atomic uint32_t collector_gone;        // 1: no collector drains the segment; threads no longer wait
    uint64_t past_events;                   // sums over the threads whose slots were returned: streamed events,
    uint64_t past_entries;                  // entries and exits in trees,
    uint64_t past_lost;                     // lost events
    uint64_t past_paused_ns;                // and time spent waiting
    int64_t collector_pid;                  // of the collector that drains now
    _Atomic uint64_t finished;              // enum ring_finished
    // Flight recorder: the agent gives new numbers to objects below this one, whose descriptions are about to be
    // dropped.
    _Atomic uint32_t objects_from;
    _Atomic uint32_t saved; // 1: the program may end: what was recorded before RING_AGENT_SHUTDOWN is in the file

    // Stored by the agent.
    alignas(64) _Atomic uint32_t agent_state;
    _Atomic uint32_t hooks;           // 1: the runtime's hooks record the process; stored before any thread has a slot
    uint64_t base;                    // where the program has mapped the segment; stored before any thread has a slot
    _Atomic uint32_t threads_used;    // slots below this have been used at least once
    _Atomic uint32_t threads_started; // the newest thread number
    _Atomic uint32_t threads_refused; // threads that found no slot, and are not recorded
    _Atomic uint32_t nodes_used;      // node numbers below this have been taken
    _Atomic uint64_t
        free_node_blocks;        // stack of returned blocks: tag << 32 | first node of the top one; the first node
                                 // of a free block links to the next block by next_sibling
    _Atomic uint32_t paths_used; // numbers below this have been taken
    _Atomic uint32_t activations_used; // slots below this have been taken
    _Atomic uint32_t histograms_used;  // numbers below this have been taken
    _Atomic uint32_t exceptions_used;  // likewise
    _Atomic uint32_t throws_used;      // likewise
    _Atomic uint64_t throws_outside;   // throws on threads that have run no recorded code
    _Atomic uint64_t throws_over;      // throws and catches for which there was no struct ring_throw
    _Atomic uint64_t free_activations; // stack of returned slots: tag << 32 | slot
    _Atomic uint64_t unlinked;         // runs and activations whose caller is not known
    _Atomic uint32_t chunks_full;      // chunks that their threads have left and the collector has not freed
    _Atomic uint32_t waiters;          // threads that wait for room now
    _Atomic uint32_t over_cap;         // calls were folded into (over the cap)
    _Atomic uint64_t dynamic_methods;  // compiled dynamic methods, which cannot be recorded
    // Bytes of the objects that any code has created. The runtime counts them, about every 100 KB, in sessions with VALUES.
    _Atomic uint64_t allocated;
    _Atomic uint64_t compiled,
        compiled_ns; // methods that the JIT has compiled, and its time, without what was nested in it;
    _Atomic uint64_t refused, refused_ns; // of these, those whose precompiled code clew had refused;
    _Atomic uint64_t woven_ns;            // and the time of clew's own work before
    _Atomic uint64_t left_out;            // methods that `--tiny skip` has left out
    _Atomic uint64_t pauses;              // times a thread had to wait for room
    _Atomic uint32_t lines_used;          // bytes of counters taken
    _Atomic uint32_t lines_blocks;        // blocks of counters taken
    _Atomic uint64_t lines_missed;        // activations whose lines were not counted for want of room
    _Atomic uint32_t objects_renewed; // from now on, lower numbers occur only as the uncertain identity of an object
    uint64_t probe_ns_x1000;          // calibrated cost of one entry and exit, ps
    uint64_t probe_own_ns_x1000;      // the part of it that falls into the recorded activation itself, ps
    uint64_t site_ps[PROBE_KINDS];    // calibrated cost of an event of each kind, ps; 0: not measured

    // Definition ring: bytes between definitions_read and definitions_written (both only grow; position modulo size).
    alignas(64) _Atomic uint64_t definitions_written;
    alignas(64) _Atomic uint64_t definitions_read; // the collector's
};

// The fixed part. Neither side changes it once the program has the segment, and each uses a copy of its own
// (segment_protect()): a program that overwrites the shared one leads nobody astray.
#define RING_HEADER_FIXED_SIZE offsetof(struct ring_header, tick_ns)
static_assert(offsetof(struct ring_header, progress) % 64 == 0 && offsetof(struct ring_header, agent_state) % 64 == 0 &&
                  offsetof(struct ring_header, definitions_written) % 64 == 0,
              "collector and agent write to different cache lines");

// -- Addresses of the parts -------------------------------------------------------------------------------------------

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

static inline struct ring_run *ring_node_runs(struct ring_header *ring)
{
    return (struct ring_run *)((char *)ring + ring->node_runs_offset);
}

static inline uint32_t *ring_node_histograms(struct ring_header *ring)
{
    return (uint32_t *)((char *)ring + ring->node_histograms_offset);
}

static inline struct ring_histogram *ring_histograms(struct ring_header *ring)
{
    return (struct ring_histogram *)((char *)ring + ring->histograms_offset);
}

static inline struct ring_exception *ring_exceptions(struct ring_header *ring)
{
    return (struct ring_exception *)((char *)ring + ring->exceptions_offset);
}

static inline struct ring_throw *ring_throws(struct ring_header *ring)
{
    return (struct ring_throw *)((char *)ring + ring->throws_offset);
}

static inline uint32_t *ring_node_throws(struct ring_header *ring)
{
    return (uint32_t *)((char *)ring + ring->node_throws_offset);
}

static inline struct ring_path *ring_paths(struct ring_header *ring)
{
    return (struct ring_path *)((char *)ring + ring->paths_offset);
}

static inline struct ring_activation *ring_activations(struct ring_header *ring)
{
    return (struct ring_activation *)((char *)ring + ring->activations_offset);
}

// The instruments that record this process: the session's, or what hooks record in their place.
static inline uint32_t ring_instruments(const struct ring_header *ring)
{
    return atomic_load_explicit(&ring->hooks, memory_order_relaxed) ? instruments_of_hooks(ring->instruments)
                                                                    : ring->instruments;
}

// The offset in the segment of an address in the program, such as ring_thread.at; 0 stays 0. The result can be any
// number if the program has overwritten the segment, so the collector checks it against the chunk.
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
