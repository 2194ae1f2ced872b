// The records of a recording as plain structures, which writer.h takes and reader.h returns. The bytes are described in
// doc/recording.md. Texts and arrays are borrowed: from the caller when writing, from the reader's current block when
// reading. Clock values are raw readings of the session's clock; session.clock_hz makes seconds of them.
#ifndef CLEW_RECORDING_RECORDING_H
#define CLEW_RECORDING_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "trace/figures.h"
#include "trace/histogram.h"
#include "trace/kinds.h"

enum {
    RECORDING_VERSION = 2,
    RECORDING_EVENTS_WANTED = 16384, // events that one recording_write_events() should get where it can choose
    RECORDING_EVENTS_MAX = 1 << 20,  // that it takes: it does not split, since only the caller knows the ring words
    RECORDING_DEPTH_MAX = 1 << 22,   // open activations that a block can list
    RECORDING_NODES_MAX = 1 << 22,   // of one tree; a program has room for no more
    RECORDING_CHANGES_MAX = 1 << 16, // nodes of one block of changes; a writer stores the whole tree instead
    RECORDING_TEXT_MAX = 1 << 20,    // bytes of one text; longer ones are cut when written
    RECORDING_OBJECTS_MAX = 1 << 20, // objects, or counters, of one block
    RECORDING_SITE_SHIFT_MAX = 12,   // of a set of sites
    RECORDING_PATHS_MAX = 1 << 20,   // numbers of paths are below this
};

// The session: one run of clew. Written once at the start of the file, and in each copy of the definitions.
struct recording_session {
    struct text version; // of the clew that wrote it
    struct text command; // as one line, quoted for a shell where needed
    struct text folder;  // where it was started
    struct text host;
    struct text scope; // "include GLOB\n", "exclude GLOB\n" lines, and "INSTRUMENT GLOB\n" for one's own
    enum clock_kind clock;
    double clock_hz;
    uint64_t started_realtime_ns;
    uint64_t started_clock; // the origin of the times that views show
    uint32_t instruments;
    uint32_t flags; // enum session_flag
    uint32_t depth_max;
    uint32_t part; // of a recording in several files: 1, 2, ...; 0: it is in one
};

// Types of records and of blocks. A type has one bit in the masks of reader.h, so there can be 32. doc/recording.md reserves
// 21 (contents of objects), 22 (samples) and 23 (events of the runtime).
enum recording_type {
    RECORDING_SESSION = 1,
    RECORDING_PROCESS = 2,
    RECORDING_MODULE = 3,
    RECORDING_METHOD = 4,
    RECORDING_THREAD = 5,
    RECORDING_NOT_WOVEN = 6,
    RECORDING_TREE_NODES = 7, // a later one of the same thread replaces the earlier
    RECORDING_EVENTS = 8,
    RECORDING_NOTE = 9,
    RECORDING_INDEX = 10, // rebuildable
    RECORDING_END = 11,
    RECORDING_DEFINITIONS = 12, // in the file only: a block of gathered PROCESS to NOT_WOVEN and NOTE records
    RECORDING_SITES = 13,       // definitions
    RECORDING_DOCUMENT = 14,
    RECORDING_TYPE = 15,
    RECORDING_OBJECTS = 16,  // a block of objects; each is described once in a recording
    RECORDING_SOURCE = 17,   // a block: the text of one document
    RECORDING_COUNTERS = 18, // of `lines`
    RECORDING_TREE_CHANGES = 19,
    RECORDING_SITE_SETS = 20, // which sites occur in which EVENTS blocks
    RECORDING_ASYNC = 24,     // definitions, here and below
    RECORDING_PATHS = 25,
    RECORDING_RUNS = 26,       // figures of runs, beside a tree
    RECORDING_EXCEPTION = 27,  // a definition: a type and a message
    RECORDING_EXCEPTIONS = 28, // a block: how often a thread threw and caught what
    RECORDING_COMPILED = 29,   // in DEFINITIONS, and never replaced: a compilation
    RECORDING_POINTS = 30,     // likewise: sequence points of methods, whether they ran or not
};

// Later records of the same process, module, method or thread number replace earlier ones.

// Whether exit_status of a process means anything.
enum recording_exit_known {
    RECORDING_EXIT_NOT_STATED, // by an older writer, which wrote 0 for an unknown status, too
    RECORDING_EXIT_KNOWN,
    RECORDING_EXIT_UNKNOWN // so far, or for good
};

// A process of the program. Written when it connects, while it runs, and when it ends.
struct recording_process {
    uint32_t process;
    uint32_t os_id;
    enum process_state state;
    int32_t exit_status; // as waitpid gives it; 0 where it is not known
    enum recording_exit_known exit_known;
    struct text command;
    struct text runtime; // "CoreCLR 10.0.12"
    uint64_t started_clock, ended_clock;
    uint64_t dynamic_methods;
    uint64_t pauses, paused_ns; // waiting for the collector
    uint64_t lost;              // events
    uint64_t threads_refused;
    uint64_t probe_ps,
        probe_own_ps; // calibrated cost of an entry and exit together, and the part inside the activation
    bool over_cap;
    double clock_hz; // ticks a second as measured over the session so far; 0: as the session says
    // Bytes of the objects that any code created, as the runtime counts them, about every 100 KB. 0: not known.
    uint64_t allocated;
    uint64_t site_ps[PROBE_KINDS]; // calibrated cost of an event of each kind; 0: not measured
    uint64_t unlinked;             // runs and activations whose caller is not known, for any reason
    // Methods that the JIT has compiled, and how long it took; of these, those whose precompiled code clew had refused; and clew's
    // own work before that. 0: not known.
    uint64_t compiled, compiled_ns, refused, refused_ns, woven_ns;
    uint32_t unhandled; // the exception that ended it, since nothing handled it; 0: none that is known
    // Environment.FailFast ended it: 1 + the method that called it, or below which it was called; 1: none ran. 0: it is not known.
    uint32_t failed_fast;
    uint64_t left_out; // methods that `--tiny skip` has left out
};

// A loaded module. The same file loaded twice, or in two processes, is two modules with the same MVID.
struct recording_module {
    uint32_t process, module, flags; // enum module_flag
    uint8_t mvid[16];
    struct text name, path, reason;
};

// A method that the agent has numbered. `name` is its display name (metadata/names/names.h).
struct recording_method {
    uint32_t process, method, module, token, kind; // enum method_kind
    struct text name;
    uint32_t flags; // enum method_flag
    // The method that hands it over to be run elsewhere, as to Task.Run; RECORDING_STARTED_BY_SEVERAL; 0: none that is known, or
    // something else may call it as well.
    uint32_t started_by;
};
enum { RECORDING_STARTED_BY_SEVERAL = 1 };

// A thread of the program. CPU times are those of the whole thread, sampled by the collector.
struct recording_thread {
    uint32_t process, thread, os_id;
    struct text name;
    uint64_t started_clock, ended_clock; // ended 0: still running when last written
    uint64_t cpu_user_ns, cpu_kernel_ns;
    uint64_t lost;
};

// A method in scope that could not be instrumented, or not completely, and a sentence that says why.
struct recording_not_woven {
    uint32_t process, module, token;
    struct text name, reason;
};

// A compilation by the JIT, which a method can have several of: as generic code, and once more to optimise it. Dynamic methods have
// none of these records.
struct recording_compiled {
    uint32_t process, module, token;
    uint32_t flags;   // enum compiled_flag
    uint64_t ns;      // without compilations nested in it
    uint32_t kind;    // enum method_kind,
    struct text name; // both are stated once of a method that no METHOD defines; empty: they were, or are not known
};

// Sequence points of some methods of a module in scope, for sessions that record statements. They hold for all modules with the
// MVID, in all processes.
struct recording_points {
    uint8_t mvid[16];
    uint32_t flags;         // enum points_flag
    struct bytes documents; // those that no earlier record of the module has (trace/method_points.h)
    struct bytes methods;   // by token, ascending from record to record
};

// Sorted so that a parent comes before its children, and the children of one node in the order of their first calls;
// parent is an index into the same array. nodes[0] is the thread.
struct recording_node {
    uint32_t parent, method; // method: real, an enum pseudo_method, or with an enum method_variant
    FIGURES(FIGURE_MEMBER)   // an open activation's time up to the block's clock is in total
};

// The call tree of a thread at some moment. A later one of the same thread replaces it.
struct recording_tree {
    uint32_t process, thread;
    uint64_t clock; // when copied
    bool final;     // the thread has ended
    // The tree counts what the thread's stream has up to `position`, and nothing else. Only sessions without the
    // instrument `tree` have such trees.
    bool of_stream;
    uint64_t position; // as in struct recording_events
    uint64_t sequence; // of this thread's trees and changes; the writer numbers by itself
    uint32_t count;
    const struct recording_node *nodes;
};

// What the recording knows of an async method or an async iterator beside its body's METHOD.
struct recording_async {
    uint32_t process, body, kickoff; // numbers of methods; kickoff 0: the body of an iterator, which has none
    struct bytes awaits;             // the places where it waits (trace/await.h)
    uint32_t flags;                  // enum async_flag
    struct bytes lines;              // of these places, in the same order; empty: not known
};

// A path: the path that it is below (enum path_number), and a method's number, or PATH_AWAIT | a state in which the parent's
// method waits. method 0: not stored yet.
struct recording_path {
    uint32_t parent, method;
};

// Paths with the numbers first, first + 1, ... A parent has a lower number than those below it, or comes in the same record.
struct recording_paths {
    uint32_t process, first, count;
    const struct recording_path *paths;
};

// How many activations took about how long (trace/histogram.h).
struct recording_latency {
    uint32_t bucket; // below HISTOGRAM_BUCKETS
    uint64_t count;  // not 0
};

// The figures of runs of one node of a tree, and how long activations took that ended there: of an async method, or of a
// synchronous one that no recorded method has called, which has no other figures.
struct recording_run {
    uint32_t node;          // its number in the tree
    uint32_t latency_count; // of latencies,
    uint32_t first_latency; // from this one on; by bucket, ascending
    FIGURES_OF_RUNS(FIGURE_MEMBER)
};

// The figures of runs of all nodes that have any, beside the tree or the changes of that sequence. A later one of the same
// thread replaces it, and a later whole tree drops it.
struct recording_runs {
    uint32_t process, thread;
    uint64_t sequence; // of the tree or the changes
    uint64_t clock;
    uint32_t count;
    uint32_t latency_count;
    const struct recording_run *runs; // by node, ascending
    const struct recording_latency *latencies;
};

// What was thrown: a type and a message.
struct recording_exception {
    uint32_t process, exception;
    uint32_t type;       // number of its class; 0: not known
    uint32_t flags;      // enum exception_flag
    uint32_t length;     // of the message in UTF-16 units
    struct text message; // cut if it has fewer units
};

// How often something was thrown at a place, or was caught that had been thrown there. Methods: the number of the method,
// without variants of nodes; 0: below no recorded one.
struct recording_throw {
    uint32_t node, caught_node; // 1 + the number in the thread's tree; 0: it is not known
    uint32_t method, caught_method;
    uint32_t exception; // the first that was counted; 0: not known
    uint32_t flags;     // enum throw_flag
    uint64_t count;
};

// The throws of one thread; thread 0: those that no thread's tree has. A later one of the same thread replaces it. The nodes are
// those of the tree or the changes that the thread has in the file before it.
struct recording_throws {
    uint32_t process, thread;
    uint64_t clock;
    uint32_t count;
    const struct recording_throw *throws;
};

// A node that has changed, or is new: its parent and method if it is new, those figures that are states (LAST) as they are
// now, and the differences of the others, which wrap around.
struct recording_node_change {
    uint32_t node; // its number in the tree
    struct recording_node by;
};

// What has changed in a thread's tree since the tree or the changes with the number before. recording/tree_changes.h
// joins them.
struct recording_tree_changes {
    uint32_t process, thread;
    uint64_t sequence;
    uint64_t clock;         // when copied
    uint32_t before, after; // numbers of nodes; node `before` and later ones are new
    uint32_t count;
    const struct recording_node_change *changes; // by node, ascending; all new nodes are among them
};

// ENTER and LEAVE are the events of `calls`; UNWIND is a LEAVE by an exception. CUT: activations above a depth ended without
// events of their own. STACK: the activations that run, after a loss.
enum recording_event_kind {
    RECORDING_ENTER = 0,
    RECORDING_LEAVE,
    RECORDING_UNWIND,
    RECORDING_CUT,
    RECORDING_LOST,
    RECORDING_FILTER,
    RECORDING_FILTER_END,
    RECORDING_STACK,
    RECORDING_AT_SITE,
    // Of an async activation, which its serial names if it has waited. 0: it has not, or it is not known. All but RUN: the newest
    // activation that runs is a run of it.
    RECORDING_RUN,    // so is one that the STACK before has stated: which, the outermost is 1
    RECORDING_RESUME, // the run continues it; ticks since it began to wait. Serial 0: enum resume_of_none
    RECORDING_SUSPEND, // it begins to wait: the state in which it waits (trace/await.h). Serial 0: what continues it is not known
    RECORDING_COMPLETE, // it is complete: enum run_end. Serial 0: it has not waited, and has not ended with a result
    // Something was thrown, or caught, in the newest activation, or below it by code that is not recorded.
    RECORDING_THROWN,
    RECORDING_CAUGHT,
};

// Whether an activation is a run of the event's async activation from there on. After the others it is of none.
static inline bool recording_begins_run(enum recording_event_kind kind)
{
    return kind == RECORDING_RUN || kind == RECORDING_RESUME;
}

// Whether events of the kind say which wait they begin or end.
static inline bool recording_has_wait(enum recording_event_kind kind)
{
    return kind == RECORDING_RESUME || kind == RECORDING_SUSPEND;
}

static inline bool recording_is_throw(enum recording_event_kind kind)
{
    return kind == RECORDING_THROWN || kind == RECORDING_CAUGHT;
}

// Whether events of the kind are those of async activations.
static inline bool recording_is_async(enum recording_event_kind kind)
{
    return kind >= RECORDING_RUN && kind <= RECORDING_COMPLETE;
}

struct recording_event {
    uint64_t clock;
    enum recording_event_kind kind;
    union {
        uint32_t method; // ENTER
        uint32_t site;   // AT_SITE
        uint32_t stated; // STACK: how many methods of the block's `stacks` are this event's, the newest of `depth`
        uint32_t thrown; // THROWN, CAUGHT: enum throw_flag
        uint32_t wait;   // RESUME, SUSPEND: which of the activation's waits, counted modulo 4,096
    };
    union {
        uint64_t remaining; // CUT, FILTER: activations
        uint64_t lost;      // LOST: events
        uint64_t depth;     // STACK: activations that run
        uint64_t cell;      // AT_SITE: where its cells begin in the block's `cells`
        uint64_t exception; // THROWN, CAUGHT: its number; 0: not known
        uint64_t serial;    // RUN, RESUME, SUSPEND, COMPLETE
    };
};

// Events of async activations have two of `stacks`: the lower and the upper half of their number.
enum { RECORDING_NUMBER_STATED = 2 };

// How many entries of the block's `stacks` belong to the event.
static inline uint32_t recording_stated(const struct recording_event *event)
{
    return recording_is_async(event->kind)  ? RECORDING_NUMBER_STATED
           : event->kind == RECORDING_STACK ? event->stated
                                            : 0;
}

// The number of an event of an async activation. `stack`: its entries of `stacks`.
static inline uint64_t recording_number(const uint32_t *stack)
{
    return stack[0] | (uint64_t)stack[1] << 32;
}

// The content of a boxed value when an event referred to the box. A box can be written to, so the content holds for
// that event and for later ones that refer to the box, up to the next recording_box of it, the next LOST event, or the
// block's end.
struct recording_box {
    uint32_t event;  // in the block: its number among the events
    uint32_t object; // the box
    uint32_t size;   // bytes; 0: too large to be recorded
    uint32_t at;     // where they begin in the block's `box_cells`: as in a VALUE_STRUCT
};

// A part of one thread's stream. It lists the activations that run at its start, so it can be read without earlier blocks.
struct recording_events {
    uint32_t process, thread;
    uint64_t sequence; // block of this thread: 0, 1, 2; the writer numbers by itself
    uint64_t position; // of the first event in the thread's stream, counted in ring words
    uint64_t words;    // ring words that this block covers
    uint64_t first_clock, last_clock;
    uint32_t depth;             // activations open at the start...
    const uint32_t *open;       // ...their methods, outermost first
    const uint64_t *open_clock; // ...and when each began
    // Numbers of activations (doc/recording.md, "EVENTS"). 0: the block has none. Otherwise the ENTER events of the block
    // have this number and those that follow, and open_number has the numbers of the open activations, 0 for an unknown one.
    uint64_t first_number;
    const uint64_t *open_number;
    // Whether there are events of async activations, or runs of some among the open activations. open_serial: whose runs they
    // are up to their next wait; 0: of none with a serial, or it is not known.
    bool async;
    const uint64_t *open_serial;
    uint32_t count;
    const struct recording_event *events;
    uint32_t stack_count; // what is stated by all events, one after the other: of STACK events the methods
    const uint32_t *stacks;
    uint32_t cell_count; // payloads of all AT_SITE events, one after the other, as trace/site.h lays them out
    const uint32_t *cells;
    uint32_t box_count; // in the order of their events
    const struct recording_box *boxes;
    uint32_t box_cell_count; // of all boxes, each padded to whole cells
    const uint32_t *box_cells;
    bool found; // after recording_want_calls_of(): something that is searched for; there are no events then
};

// Methods whose calls are searched for in a process: methods[number] is not 0. METHOD_THROWN and METHOD_CAUGHT stand for exceptions
// that are thrown and caught. methods[count] is 0.
struct recording_search {
    const uint8_t *methods;
    size_t count;
};

// The sites of one method: numbers first, first + 1, ... in the order of blob (trace/site.h).
struct recording_sites {
    uint32_t process, method, first;
    struct bytes blob;
    struct bytes roles; // of the sites, in the same order (sites_encode_roles())
};

// A source document of a module's symbols.
struct recording_document {
    uint32_t process, module, document; // numbered within the module
    uint32_t hash_kind;                 // enum hash_kind
    struct text path;                   // as in the symbols
    struct bytes hash;
    uint32_t language; // enum source_language
};

// A type of values or objects.
struct recording_value_type {
    uint32_t process, type, module, token; // module 0: made by the runtime
    struct bytes blob;                     // trace/site.h
    uint32_t flags;                        // enum type_flag
};

// An object that events refer to by number. The number follows the object when the garbage collector moves it.
struct recording_object {
    uint32_t object, type;
    uint64_t size;   // bytes in the heap
    uint64_t length; // a string's, in UTF-16 units; text has fewer where it was cut
    // A string's, UTF-8; an unpaired surrogate is encoded as in WTF-8. With length 0 the shape of an array with 2 to 4
    // dimensions: the length of each, with its lower bound after a colon unless that is 0: `3,4`, `2:5,2:-6`.
    struct text text;
    // Uncertain identity: this object may be the one with this lower number, which was at the same address before a
    // collection whose moves are not known. 0: it is certainly another.
    uint32_t perhaps;
};

// Objects of one process. Their numbers ascend only roughly, since several threads number objects at the same time.
struct recording_objects {
    uint32_t process;
    uint32_t lowest, highest; // numbers among them; found by the writer itself
    uint32_t count;
    const struct recording_object *objects;
};

// Names a document by its numbers.
struct recording_document_key {
    uint32_t process, module, document;
};

// The text of a document as it was compiled, or the reason why it is missing.
struct recording_source {
    struct recording_document_key of;
    enum source_state state;
    struct text text;                   // the bytes that were compiled, encoding and line ends included
    struct recording_document_key same; // SAME
};

// One site of `lines`, all threads together. A later one of the same site replaces the earlier.
struct recording_counter {
    uint32_t site;
    uint64_t count;
    uint64_t own; // ticks; 0 under CLOCK_KIND_NONE
};

// All counters of a process at some moment.
struct recording_counters {
    uint32_t process;
    uint64_t clock;
    uint32_t count;
    const struct recording_counter *counters; // by site, ascending
};

// The sites that occur in one EVENTS block: those in groups of 2^shift sites each. Other sites do not occur there.
struct recording_site_set {
    uint64_t block; // offset of the EVENTS block
    uint32_t process;
    uint32_t shift;
    uint32_t count;
    const uint32_t *groups; // ascending; site >> shift
};

// Sets of several EVENTS blocks. A block without a set may have any sites.
struct recording_site_sets {
    uint32_t count;
    const struct recording_site_set *sets;
};

// A sentence for the user about the session or a process.
struct recording_note {
    uint32_t process; // 0: the session
    struct text text;
};

// The last record of a recording that was closed in order.
struct recording_end {
    uint64_t ended_clock;
    uint64_t events, lost; // entries and exits represented, streamed or aggregated
    uint32_t processes, threads;
    bool complete;
    bool repaired; // the writer did not close the session: a repair counted the above in the file
};

#endif
