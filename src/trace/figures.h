// The figures of a node of a call tree: what is counted and timed of the activations on its path. Structures, codecs,
// sums, JSON members and columns of exports follow from this list. The page has one of its own, ui/src/data/figures.ts.
//
// A row is X(name, type, adds, kind, key). A user passes a macro X that makes a member, a statement or a column of it:
//
//     name   of the member in all structures that have the figure
//     type   of the member in a recording's node, which is a thread's; sums over threads are wider
//     adds   SUM, MIN, MAX; LAST: a state. Two nodes have the sum, and a node's later value replaces its earlier one
//     kind   COUNT           of activations
//            TICKS           of the session's clock, callees included: a method below itself adds nothing
//            TICKS_OF_ENDED  of a single ended activation, callees included; unknown while none has ended
//            OWN             ticks without recorded callees
//            CPU             nanoseconds, sampled while the node was running
//     key    in JSON and exported tables; the member of struct clew_node
#ifndef CLEW_TRACE_FIGURES_H
#define CLEW_TRACE_FIGURES_H

#include <stdint.h>

// Activations that still run at the last known moment; of one thread's node, one at most.
#define FIGURES_RUNNING(X) X(open, uint32_t, LAST, COUNT, open)

// Activations that have ended in a special way: by an exception.
#define FIGURES_ENDED(X) X(exceptions, uint32_t, SUM, COUNT, exceptions)

// Activations that have begun.
#define FIGURES_BEGUN(X) X(calls, uint64_t, SUM, COUNT, calls)

// Of all activations, of open ones up to the last known moment. Of the shortest, UINT64_MAX: none has ended; of the
// longest.
#define FIGURES_OF_TIME(X)                             \
    X(total, uint64_t, SUM, TICKS, total_ns)           \
    X(shortest, uint64_t, MIN, TICKS_OF_ENDED, min_ns) \
    X(longest, uint64_t, MAX, TICKS_OF_ENDED, max_ns)

#define FIGURES_OF_CPU(X)                           \
    X(cpu_user_ns, uint64_t, SUM, CPU, cpu_user_ns) \
    X(cpu_kernel_ns, uint64_t, SUM, CPU, cpu_kernel_ns)

// Of async bodies, by the node in which a run ended or began. They are no part of the lists below: few nodes have any.
// Latencies are those of activations that ended in any of the three ways, and unknown while none has.
#define FIGURES_OF_RUNS(X)                                             \
    X(faulted, uint32_t, SUM, COUNT, exceptions)                       \
    X(cancelled, uint32_t, SUM, COUNT, cancelled)                      \
    X(completed, uint64_t, SUM, COUNT, completed)                      \
    X(latency, uint64_t, SUM, TICKS, latency_ns)                       \
    X(latency_shortest, uint64_t, MIN, TICKS_OF_ENDED, latency_min_ns) \
    X(latency_longest, uint64_t, MAX, TICKS_OF_ENDED, latency_max_ns)  \
    X(awaiting, uint64_t, SUM, TICKS, awaiting_ns)                     \
    X(own_awaiting, uint64_t, SUM, TICKS, own_awaiting_ns)

// All, narrow ones first, so that structures have no gaps; and without what was sampled.
#define FIGURES(X) FIGURES_OF_CALLS(X) FIGURES_OF_CPU(X)
#define FIGURES_OF_CALLS(X) FIGURES_RUNNING(X) FIGURES_ENDED(X) FIGURES_BEGUN(X) FIGURES_OF_TIME(X)

// What views derive from them: `total` without the totals of callees.
#define FIGURES_DERIVED(X) X(own, uint64_t, SUM, OWN, own_ns)

// All that views show of a node, in their order; and without what was sampled.
#define FIGURES_SHOWN(X) FIGURES_UNSAMPLED(X) FIGURES_OF_CPU(X)
#define FIGURES_UNSAMPLED(X) FIGURES_BEGUN(X) FIGURES_ENDED(X) FIGURES_RUNNING(X) FIGURES_DERIVED(X) FIGURES_OF_TIME(X)

enum figure_kind { FIGURE_COUNT, FIGURE_TICKS, FIGURE_TICKS_OF_ENDED, FIGURE_OWN, FIGURE_CPU };

// -- In the file ------------------------------------------------------------------------------------------------------

// The columns of TREE and TREE_CHANGES (doc/recording.md) in the file's order: X(name, whole, change), where `whole` is
// how a whole tree stores the figure, and `change` how changes store the difference to the value before:
//
//     PLAIN          as a varint
//     SIGNED         as a signed varint: the value may become smaller
//     BELOW(figure)  as a signed varint, the difference to a figure in an earlier column
//
// Readers know these columns by their place alone, so this list never changes. A figure that is added later goes into a
// block of its own beside the tree, as ring_node_cpu lies beside the nodes in the segment. That block has a list like
// this one, and a node of a recording without it has FIGURE_FIRST.
#define FIGURES_IN_TREES(X)             \
    X(open, PLAIN, PLAIN)               \
    X(exceptions, PLAIN, PLAIN)         \
    X(calls, PLAIN, PLAIN)              \
    X(total, PLAIN, SIGNED)             \
    X(longest, BELOW(total), SIGNED)    \
    X(shortest, BELOW(longest), SIGNED) \
    X(cpu_user_ns, PLAIN, PLAIN)        \
    X(cpu_kernel_ns, PLAIN, PLAIN)

// The columns of RUNS, likewise: X(name, whole).
#define FIGURES_IN_RUNS(X)                      \
    X(faulted, PLAIN)                           \
    X(cancelled, PLAIN)                         \
    X(completed, PLAIN)                         \
    X(latency, PLAIN)                           \
    X(latency_longest, BELOW(latency))          \
    X(latency_shortest, BELOW(latency_longest)) \
    X(awaiting, PLAIN)                          \
    X(own_awaiting, BELOW(awaiting))

// -- For users of the lists -------------------------------------------------------------------------------------------

// The number of rows of a list: 0 FIGURES(FIGURE_ONE).
#define FIGURE_ONE(...) +1

// The member of a recording's node, of the same path's node for all threads together, and of a row for many nodes.
#define FIGURE_MEMBER(name, type, adds, kind, key) type name;
#define FIGURE_SUM(name, type, adds, kind, key) FIGURE_SUM_##adds name;
#define FIGURE_ROW(name, type, adds, kind, key) uint64_t name;
#define FIGURE_SUM_SUM uint64_t
#define FIGURE_SUM_MIN uint64_t
#define FIGURE_SUM_MAX uint64_t
#define FIGURE_SUM_LAST uint32_t

// The initialiser of a node that has run nothing.
#define FIGURE_FIRST(name, type, adds, kind, key) .name = FIGURE_FIRST_##adds,
#define FIGURE_FIRST_SUM 0
#define FIGURE_FIRST_MIN UINT64_MAX
#define FIGURE_FIRST_MAX 0
#define FIGURE_FIRST_LAST 0

// Adds the figure of one node to that of another.
#define FIGURE_ADD_SUM(into, more) (into) += (more)
#define FIGURE_ADD_MIN(into, more) (into) = (more) < (into) ? (more) : (into)
#define FIGURE_ADD_MAX(into, more) (into) = (more) > (into) ? (more) : (into)
#define FIGURE_ADD_LAST FIGURE_ADD_SUM

#endif
