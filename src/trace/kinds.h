// Numbers that more than one side of clew has to agree on: the agent writes them into the segment, the collector into the
// file, and the reading side shows them. They are part of both formats (doc/recording.md states them), so a value is never
// changed or used again; new ones go behind.
#ifndef CLEW_TRACE_KINDS_H
#define CLEW_TRACE_KINDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/assert.h"

// Of a session.
enum session_flag {
    SESSION_ALL_CODE = 1u << 0,       // the runtime's enter and leave hooks in all code, instead of woven probes
    SESSION_LOSSY = 1u << 1,          // threads never wait for room: events are dropped and counted
    SESSION_KEEP_LAST = 1u << 2,      // flight recorder: the collector discards the oldest events, threads never wait
    SESSION_LINES_BY_CLOCK = 1u << 3, // `lines` are timed by the session's clock; else by the segment's tick word
    SESSION_EXACT_ENDS = 1u << 4,     // each end of a method of runtime async is seen: its awaits are all in a try
    SESSION_SELF_STARTED = 1u << 5,   // the program's agent started the session, since nobody else had
};

// What becomes of methods in scope that are hardly more than an access (`--tiny`).
enum tiny_methods {
    TINY_FULL = 0,  // they are recorded like others
    TINY_SKIP = 1,  // they are left out
    TINY_COUNT = 2, // their calls are counted, by method and thread
};

// Of a loaded module.
enum module_flag {
    MODULE_IN_SCOPE = 1u << 0,
    MODULE_FRAMEWORK = 1u << 1,
    MODULE_SYMBOLS = 1u << 2,     // matching symbols were found
    MODULE_PRECOMPILED = 1u << 3, // has ReadyToRun code
    MODULE_ENTRY = 1u << 4,       // the program's entry assembly
    MODULE_COLLECTIBLE = 1u << 5, // its AssemblyLoadContext can be unloaded
    MODULE_PACKAGE = 1u << 6,     // has matching symbols, and comes from a package
    MODULE_TOOL = 1u << 7,        // of the SDK, a test host or a test framework
    // Has matching symbols, no NAME.deps.json names it, and its source files are not on this machine although the entry assembly's
    // are.
    MODULE_SOURCELESS = 1u << 8,
};

// Whether the module is my code: what is recorded unless the user chooses. Only modules with symbols are looked up among the
// packages, and recordings from before that have none. Older ones have no tools either.
static inline bool module_is_my_code(uint32_t flags)
{
    return !(flags & (MODULE_FRAMEWORK | MODULE_PACKAGE | MODULE_TOOL | MODULE_SOURCELESS)) &&
           flags & (MODULE_ENTRY | MODULE_SYMBOLS);
}

// Probes at sites whose cost is measured when recording starts.
enum probe_kind {
    PROBE_STATEMENT = 0, // of `statements`
    PROBE_SCALAR = 1,    // a number
    PROBE_REFERENCE = 2, // to an object that was seen before
    PROBE_OBJECT = 3,    // an object's first sight, besides the reference
    PROBE_STRING = 4,    // the same of a string of 16 characters
    PROBE_LINE = 5,      // a statement that `lines` counts
    PROBE_KINDS = 6,
};

// Numbers below METHOD_FIRST_REAL name pseudo-methods, in the nodes of call trees and in the model's streams.
enum pseudo_method {
    METHOD_ROOT = 0,     // the thread itself
    METHOD_FILTER = 1,   // an exception filter of the parent; the model folds it into the parent
    METHOD_OVER_CAP = 2, // calls whose nodes no longer fitted under the cap; it has one child for each method
    METHOD_MISSING = 3,  // in the model only: an activation whose method was lost
    // What ran in an async body after the body had announced a wait: the runtime's part of the await, and what that called.
    METHOD_AFTER_WAIT = 4,
    // After it had announced the end of its activation: the completion of the task, and the code that waited for that. Its
    // caller is not known.
    METHOD_AFTER_END = 5,
    METHOD_UNKNOWN_CALLER = 6, // in the model only: the caller of activations that have one which is not known
    METHOD_ELSEWHERE = 7,      // in the model only: time of what belongs to another tree
    METHOD_AWAITING = 8,       // in the agent only: a thread is inside an await of a method of runtime async
    // Below an activation whose last act was a call of its own method, where the JIT made a loop of it: the activations of the
    // method that have run in its frame since.
    METHOD_CONTINUES = 9,
    METHOD_FIRST_STREAMED = METHOD_CONTINUES, // from here on, activations have events, unless marked otherwise
    // Below the method that caused it, in sessions with `tree`, without events: the JIT compiled a method.
    METHOD_JIT = 10,
    METHOD_CLEW = 11,            // clew changed the body of a method that is compiled next
    METHOD_JIT_PRECOMPILED = 12, // the JIT compiled a method whose precompiled code clew had refused
    // Below the root: calls that are counted without times and callers (`--tiny count`); it has one child for each method. The model
    // takes it out of the tree.
    METHOD_COUNTED = 13,
    METHOD_THROWN = 14,     // in the tokens of EVENTS alone: not an entry, but a throw
    METHOD_CAUGHT = 15,     // and a catch
    METHOD_FIRST_REAL = 16, // the agent numbers methods from here
};
static_assert(METHOD_AWAITING < METHOD_FIRST_REAL, "no method has the number of a pseudo-method");

// Whether activations of the number count as events, an entry and an exit each.
static inline bool method_has_events(uint32_t method)
{
    return method == METHOD_CONTINUES || method >= METHOD_FIRST_REAL;
}

// Whether activations of the number are no calls of a method, although they are nodes of a tree like those.
static inline bool method_is_no_call(uint32_t method)
{
    return method >= METHOD_FIRST_STREAMED && method < METHOD_FIRST_REAL;
}

// Numbers of nodes that are no methods' own numbers. A node of a call tree has one of them, or a plain number:
enum method_variant {
    // | number of an async iterator's body: a run that the consumer's next call has begun, not an enumeration
    METHOD_CONTINUED = 1u << 26,
    // | number of a path with PATH_AWAIT: a run that continues an activation behind that await
    METHOD_RESUMED = 1u << 27,
    METHOD_NUMBERS_MAX = METHOD_CONTINUED, // methods have numbers below this
};

// Numbers of paths (recording.md, PATHS).
enum path_number {
    PATH_NONE = 0,
    PATH_ROOT = 1,    // of each thread: nothing recorded has called what is below it
    PATH_UNKNOWN = 2, // the caller of what is below it is not known
    PATH_FIRST = 3,
    PATH_AWAIT = 1u << 30, // in the method of a path: | the state in which the parent's method waits there
};

// The kind of a method in the source.
enum method_kind {
    METHOD_KIND_PLAIN = 0,
    METHOD_KIND_ASYNC = 1,    // the body of an async method (its state machine's MoveNext)
    METHOD_KIND_ITERATOR = 2, // the body of an iterator
    METHOD_KIND_ASYNC_ITERATOR = 3,
    METHOD_KIND_LAMBDA = 4,
    METHOD_KIND_LOCAL = 5, // local function
    METHOD_KIND_CONSTRUCTOR = 6,
    METHOD_KIND_STATIC_CONSTRUCTOR = 7,
    METHOD_KIND_ACCESSOR = 8, // of a property or event
};

// Of a compilation.
enum compiled_flag {
    COMPILED_REFUSED = 1u << 0, // the method has precompiled code, which clew had refused
};

// Of a record with sequence points.
enum points_flag {
    POINTS_LAST = 1u << 0, // with it, the recording has those of all methods of the module
};

// Facts about a method beside its kind. Agents state them; for recordings of older agents, readers derive some of them from
// the name (metadata/names/names_recorded.h).
enum method_flag {
    METHOD_FLAG_STATED = 1u << 0,    // the agent knew all the others
    METHOD_FLAG_GENERATED = 1u << 1, // the compiler made it: no statement of the source runs in it
    METHOD_FLAG_HELPER = 1u << 2, // the source has nothing for its class: a closure, a state machine, or the class of
                                  // the compiler's own functions and data
    METHOD_FLAG_UNCERTAIN = 1u << 3, // GENERATED unless the symbols have statements for it: F# names its own values and
                                     // the classes of its closures alike
    METHOD_FLAG_CONSTRUCTOR = 1u << 4, // of instances, whatever its kind: `this` is new
    METHOD_FLAG_ASYNC = 1u << 5,       // of runtime async: the JIT suspends it
};

// Facts about an async body.
enum async_flag {
    ASYNC_FLAG_STARTS =
        1u << 0, // a node of a first run stands for an activation of the kick-off as well, with the same times
    ASYNC_FLAG_SUSPENDED = 1u << 1, // the method is its own body: the JIT suspends it, and a first run is the call
    ASYNC_FLAG_EXACT = 1u << 2, // SUSPENDED: each end is seen, since all its awaits are in a try (SESSION_EXACT_ENDS)
};

// How an async activation ends.
enum run_end {
    RUN_COMPLETED = 0,
    RUN_FAULTED = 1,
    RUN_CANCELLED = 2, // by OperationCanceledException
};

// The number of a RESUME without a serial: what the run continues.
enum resume_of_none {
    RESUME_UNKNOWN = 0,   // an activation whose wait is not known
    RESUME_CONTINUES = 1, // the enumeration of an async iterator, by a call of its consumer: nothing has waited
};

// Facts about what was thrown: a type and a message.
enum exception_flag {
    EXCEPTION_STATED = 1u << 0,
    EXCEPTION_MESSAGE = 1u << 1,  // it has a message, and it is known; else it is null, or was left out
    EXCEPTION_REDACTED = 1u << 2, // the session redacts messages
    EXCEPTION_FOLDED = 1u << 3,   // there were too many different messages: it stands for all further ones of the type
};

// Which throws are counted together.
enum throw_flag {
    THROW_CAUGHT = 1u << 0,        // how many were caught; without it, how many were thrown
    THROW_BELOW = 1u << 1,         // thrown by code that is not recorded, which the method called
    THROW_HANDLED_BELOW = 1u << 2, // caught by code that is not recorded, which the catching method called
    THROW_OUTSIDE = 1u << 3,       // on threads that have run no recorded code
    THROW_OVER = 1u << 4,          // for which the program had no room: throws and catches together
};

// Facts about a type beside its kind, likewise.
enum type_flag {
    TYPE_FLAG_STATED = 1u << 0,
    TYPE_FLAG_GENERATED = 1u << 1,     // the source has no type of this name
    TYPE_FLAG_CLOSURE = 1u << 2,       // its fields are captured variables, or it holds lambdas that capture none
    TYPE_FLAG_STATE_MACHINE = 1u << 3, // of an async method or iterator: its fields are the method's variables
    TYPE_FLAG_ANONYMOUS = 1u << 4,     // an anonymous type or delegate
    TYPE_FLAG_TUPLE = 1u << 5,         // System.ValueTuple: its items can have names
};

// The variable of the source that a variable or field in metadata corresponds to. Compilers move variables into fields
// and add some of their own.
enum variable_role {
    VARIABLE_UNKNOWN = 0,   // not stated
    VARIABLE_PLAIN = 1,     // the same in metadata and source: a local, a parameter, a field
    VARIABLE_CAPTURED = 2,  // a field that is a local or a parameter in the source: of a closure or of a state machine
    VARIABLE_MEMBER = 3,    // a field behind a property, an event, a primary constructor's parameter or an F# value
    VARIABLE_THIS = 4,      // a method's `this`, or a field that keeps it
    VARIABLE_LINK = 5,      // refers to a closure, whose fields are the variables
    VARIABLE_GENERATED = 6, // the compiler's own: the source has nothing for it
    VARIABLE_CURRENT = 7,   // the field in which an iterator keeps the item that it yields
};

// The algorithm of a document's checksum.
enum hash_kind {
    HASH_NONE = 0, // in recordings also HASH_OTHER
    HASH_MD5 = 1,
    HASH_SHA1 = 2,
    HASH_SHA256 = 3,
    HASH_OTHER = 4, // only of a PDB: an algorithm that clew does not know
};

// The language of a document. It decides where lines end: see model/source_text.h.
enum source_language {
    LANGUAGE_OTHER = 0, // or unknown
    LANGUAGE_CSHARP = 1,
    LANGUAGE_VISUAL_BASIC = 2,
    LANGUAGE_FSHARP = 3,
};

// How far a process of the program got.
enum process_state {
    PROCESS_RUNNING = 0,
    PROCESS_ENDED = 1,
    PROCESS_KILLED = 2,  // by a signal
    PROCESS_DORMANT = 3, // it recorded nothing: its agent never came up
    PROCESS_CUT = 4,     // recording stopped before the process did
};

// Whether a source is the text that was compiled.
enum source_state {
    SOURCE_VERIFIED = 0, // its checksum is the document's; recordings hold the text of these only
    SOURCE_MISSING = 1,
    SOURCE_DIFFERS = 2, // it was changed since it was compiled
    SOURCE_TOO_LARGE = 3,
    SOURCE_UNCHECKED = 4, // no checksum of it is known
    SOURCE_SAME = 5,      // in recordings only: verified, and its text is that of an earlier document
};

#endif
