// CLEW_ASSERT_LOCKED(mutex) documents that the caller holds a mutex and, with assertions on, checks that some thread
// holds it. POSIX cannot report whether it is the calling thread; a thread that forgets the lock is still found
// whenever no other thread holds it at that moment.
#ifndef CLEW_BASE_LOCKED_H
#define CLEW_BASE_LOCKED_H

#include <errno.h>
#include <pthread.h>

#include "base/assert.h"

#define CLEW_ASSERT_LOCKED(mutex) CLEW_ASSERT(pthread_mutex_trylock(mutex) == EBUSY)

#endif
