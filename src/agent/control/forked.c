// Forked children of the program that continue to run its code.
//
// A forked child has only the thread that called fork(), and the segment is mapped in it as in its parent. Child and
// parent would both write to that thread's slot, chunk and nodes and destroy each other's data. The child therefore
// maps private memory in place of the segment, at the same addresses, since woven code of running methods holds some of
// them. Its thread continues there as if the collector had died: nothing reads its counts and events. The child weaves
// no more methods, and takes no lock, since the thread that holds it may not exist in the child.
//
// A child that calls exec() loses all of this. vfork() and posix_spawn() do not run these handlers (pthread_atfork(3)).
#include "agent/control/forked.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/probe/probe_thread.h"
#include "agent/session/agent.h"

static void (*quiet_entries)(void);

static bool replace(uint64_t from, uint64_t to)
{
    char *start = (char *)agent.ring + from;
    return mmap(start, to - from, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
                0) == start;
}

// Replaces everything but the texts of the configuration, which are only read. The header keeps its content.
static bool replace_segment(void)
{
    struct ring_header header = *agent.ring;
    if (!replace(header.free_chunks_offset, header.segment_size) || !replace(0, header.text_offset)) {
        return false;
    }
    header.collector_gone = 1;
    header.chunk_quota = 0;
    header.waiters = 0;
    header.free_node_blocks = 0; // one of them may be the block of the root that begin_anew() takes
    *agent.ring = header;
    return true;
}

// Gives the thread a stalled stream: it has one chunk, and everything written there is discarded.
static void stall_stream(struct ring_thread *thread)
{
    uintptr_t at = (uintptr_t)(ring_chunk_at(agent.ring, 0) + 1);
    thread->first_chunk = thread_self_private->chunk = 1;
    thread->at = at;
    thread->stalled = at;
}

// Restarts the thread with a root and no activations. Exits of methods that run already find no activation and do
// nothing.
static void begin_anew(uint32_t number)
{
    struct ring_thread *thread = thread_self;
    struct thread_private *own = thread_self_private;
    thread->root = thread->current = RING_NODE_BLOCK; // the first node that exists; every program has used it
    *node_at(thread->root) = (struct ring_node){.method = METHOD_ROOT, .calls = 1, .started = 1};
    thread->state = RING_THREAD_LIVE;
    thread->thread = number;
    thread->os_id = own->os_id = (uint32_t)syscall(SYS_gettid);
    stall_stream(thread);
    own->overflow_depth = own->overflow_unrecorded = own->flat.root = own->overflow_sentinel = 0;
    own->pending_count = own->filter_count = own->flight_count = 0;
}

static void in_child(void)
{
    uint32_t number = thread_self ? thread_self->thread : 0;
    agent.forked = true;
    atomic_store_explicit(&agent.stopped, true, memory_order_relaxed);
    quiet_entries();
    if (replace_segment() && thread_self) {
        begin_anew(number);
    }
}

void forked_prepare(void (*quiet)(void))
{
    quiet_entries = quiet;
    (void)pthread_atfork(NULL, NULL, in_child); // without memory for it a child writes where its parent does
}
