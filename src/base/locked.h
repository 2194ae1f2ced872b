// For functions whose caller holds a mutex: CLEW_ASSERT_LOCKED(mutex) says so and, where assertions are on, checks that
// somebody holds it. That it is the caller POSIX does not tell; threads that forget the lock are found all the same.
#ifndef CLEW_BASE_LOCKED_H
#define CLEW_BASE_LOCKED_H

#include <errno.h>
#include <pthread.h>

#include "base/assert.h"

#define CLEW_ASSERT_LOCKED(mutex) CLEW_ASSERT(pthread_mutex_trylock(mutex) == EBUSY)

#endif
