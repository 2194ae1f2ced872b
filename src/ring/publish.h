// Access to fields of the segment that one side stores and the other loads while both run, and that are not _Atomic:
// probes read and write them as ordinary variables, and each such access to an _Atomic one would be sequentially
// consistent.
//
// Publishing: first store the data, then RING_PUBLISH the field that leads to them. Reading: first RING_ACQUIRE that
// field, then read the data. On x86-64 each is a plain move; processors with a weaker order get the barriers they need.
#ifndef CLEW_RING_PUBLISH_H
#define CLEW_RING_PUBLISH_H

// Everything stored before is visible to whoever acquires the field.
#define RING_PUBLISH(field, value) __atomic_store_n(&(field), (value), __ATOMIC_RELEASE)

// Everything that was stored before the field was published is visible from here on.
#define RING_ACQUIRE(field) __atomic_load_n(&(field), __ATOMIC_ACQUIRE)

// Exactly one load, without order: a program that overwrites the segment could otherwise change a value between its
// check and its use.
#define RING_READ_ONCE(field) __atomic_load_n(&(field), __ATOMIC_RELAXED)

// Exactly one store, without order.
#define RING_WRITE_ONCE(field, value) __atomic_store_n(&(field), (value), __ATOMIC_RELAXED)

#endif
