// By which exceptions activations of a node ended. Streams say it of each one (model/events/stream.h). Of trees it follows from
// what was thrown at one node and caught at another one (RECORDING_EXCEPTIONS): such an exception has ended the activation that
// threw it and each one between, but not the one that caught it. Of exceptions whose catch was not seen nothing follows, so less
// may be known than have ended.
#ifndef CLEW_MODEL_TREE_THROWN_H
#define CLEW_MODEL_TREE_THROWN_H

#include "base/map.h"
#include "recording/recording.h"

// Activations of a node that exceptions of one type ended.
struct tree_thrown_by {
    uint32_t type; // its number in the process
    uint32_t next; // of the same node; 0: none
    uint64_t count;
};

// The types of exceptions, of one process.
struct exception_types {
    const struct map *types; // process << 32 | exception: the number of its type
    uint32_t process;
};

// Lists by node. Zero-initialise; tree_thrown_free() releases it.
struct tree_thrown {
    uint32_t *first; // by node: index in `by`; 0: none
    uint32_t node_count;
    size_t node_room;
    struct tree_thrown_by *by; // by[0] is none
    uint32_t by_count;
    size_t by_room;
};

void tree_thrown_free(struct tree_thrown *thrown);
// NO_MEMORY is the only error.
enum clew_error tree_thrown_add(struct tree_thrown *thrown, uint32_t node, uint32_t type, uint64_t count);
// Adds one activation, which an exception ended. Nothing is added if its type is not known.
enum clew_error tree_thrown_end(struct tree_thrown *thrown, uint32_t node, struct exception_types types,
                                uint64_t exception);
// The first of a node's list; NULL: there is none.
const struct tree_thrown_by *tree_thrown_first(const struct tree_thrown *thrown, uint32_t node);
const struct tree_thrown_by *tree_thrown_next(const struct tree_thrown *thrown, const struct tree_thrown_by *by);
// Adds the list of one node to one of another tree's.
enum clew_error tree_thrown_copy(struct tree_thrown *into, uint32_t node, const struct tree_thrown *from,
                                 uint32_t source);

// A node of one thread's recorded tree.
struct thrown_node {
    uint32_t parent;
    uint32_t ended; // activations that an exception ended
    uint32_t row;   // the node of the tree that counts them; 0: none does
    bool catches;   // a handler that the compiler made catches the exception, and then the activation ends by it
};

// What is thrown and caught in the tree of one thread. Set `types`; thrown_merge_free() releases it.
struct thrown_merge {
    struct exception_types types;
    struct thrown_node *nodes;
    uint32_t count;
    size_t room;
    struct tree_thrown left, caught; // by recorded node: what has ended an activation, and what was caught there
    uint64_t steps;                  // that have been taken from throws to catches
};

enum clew_error thrown_merge_node(struct thrown_merge *merge, const struct thrown_node *node);
// Adds what is known of all nodes to the lists of their rows. `whole`: no catch is missing in the figures.
enum clew_error thrown_merge_end(struct thrown_merge *merge, const struct recording_throws *throws, bool whole,
                                 struct tree_thrown *into);
void thrown_merge_free(struct thrown_merge *merge);

#endif
