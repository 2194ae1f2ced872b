// Reads of plain fields in the segment that the program may write at the same time.
//
// Probes read and write these fields as ordinary variables: were they _Atomic, each access in a probe would become a
// sequentially consistent one. READ_ONCE keeps the compiler from loading a value a second time after it was checked; a
// program with a wild pointer may have changed it in between. READ_ACQUIRE also keeps later loads behind this one; it
// pairs with the agent's store of that field, which comes after the stores that it publishes. On x86-64 both are plain
// loads.
#ifndef CLEW_COLLECTOR_READ_SHARED_H
#define CLEW_COLLECTOR_READ_SHARED_H

#define READ_ONCE(field) __atomic_load_n(&(field), __ATOMIC_RELAXED)
#define READ_ACQUIRE(field) __atomic_load_n(&(field), __ATOMIC_ACQUIRE)
#define WRITE_ONCE(field, value) __atomic_store_n(&(field), (value), __ATOMIC_RELAXED)

#endif
