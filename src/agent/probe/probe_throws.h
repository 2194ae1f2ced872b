// What is thrown and caught, counted by node of the call tree and by type. The exceptions' types and messages have numbers in
// the segment, which all threads share.
#ifndef CLEW_AGENT_PROBE_THROWS_H
#define CLEW_AGENT_PROBE_THROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/probe/probe_clock.h"

#pragma GCC visibility push(hidden)

// A message as it lies in a string of the program.
struct thrown_message {
    const uint16_t *units;
    uint32_t length;   // UTF-16 units
    uint32_t recorded; // of these, how many may be recorded
    uint32_t flags;    // enum exception_flag
};

// Makes the index of exceptions. Once. False: no memory, and exceptions have no numbers.
bool throws_prepare(void);

// The number of an exception with this class number and message. It is the same for the same type and message while there is room;
// then all further messages of a type share one. 0: there is no room for that either.
uint32_t throws_number(uint32_t type, const struct thrown_message *message);

// Counts a throw or a catch in a node of the calling thread's tree.
struct thrown {
    uint32_t node, type, exception;
    uint32_t caught; // the node that caught it; 0: a throw
    uint32_t flags;  // enum throw_flag
};
void throws_count(const struct thrown *thrown);

// Writes a throw or a catch to the calling thread's stream, if it has one.
void throws_setup(struct probe_way way);
void throws_event(const struct thrown *thrown);

#pragma GCC visibility pop

#endif
