// Some threads of a recording.
#ifndef CLEW_MODEL_THREADS_H
#define CLEW_MODEL_THREADS_H

#include <stdbool.h>
#include <stdint.h>

// A thread of the program.
struct model_thread {
    uint32_t process; // 0: of any process
    uint32_t thread;  // 0: all of the process
};

// Zero-initialised: all.
struct model_threads {
    const struct model_thread *items;
    uint32_t count;
};

static inline bool model_threads_have(const struct model_threads *threads, uint32_t process, uint32_t thread)
{
    for (uint32_t i = 0; i < threads->count; i++) {
        const struct model_thread *one = &threads->items[i];
        if ((one->thread == 0 || one->thread == thread) && (one->process == 0 || one->process == process)) {
            return true;
        }
    }
    return threads->count == 0;
}

#endif
