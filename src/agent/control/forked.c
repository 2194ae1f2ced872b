// A forked child has the calling thread alone, and the segment is mapped in it as in its parent: it would write into that
// thread's slot, chunk and nodes beside the parent, and both would end in the middle of memory that the other has moved on
// from. So the child gets memory of its own in the segment's place, at the same addresses, since woven code in running
// methods holds some. The thread goes on in it as if the collector had died: nothing reads what it counts and
// writes. The child weaves nothing new, and takes no lock that a thread of its parent may hold.
//
// A child that becomes another program (exec) loses all of this again. vfork() and posix_spawn() do not come here.
#include "agent/control/forked.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/probe/probe_thread.h"
#include "agent/session/agent.h"

static struct {
    uint64_t text, behind_text, end; // offsets in the segment; what the program may overwrite is asked once
} places;

static void (*quiet_entries)(void);

static bool replace(uint64_t from, uint64_t to)
{
    char *start = (char *)agent.ring + from;
    return mmap(start, to - from, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
                0) == start;
}

// All but the texts of the configuration, which are only read.
static bool replace_segment(void)
{
    struct ring_header header = *agent.ring;
    if (!replace(places.behind_text, places.end) || !replace(0, places.text)) {
        return false;
    }
    header.collector_gone = 1;
    header.chunk_quota = 0;
    header.waiters = 0;
    header.free_node_blocks = 0; // one may be that of the root below
    *agent.ring = header;
    return true;
}

// A stream that is held: it has one chunk, and stays where it is.
static void hold_stream(struct ring_thread *thread)
{
    uintptr_t at = (uintptr_t)(ring_chunk_at(agent.ring, 0) + 1);
    thread->first_chunk = 1;
    thread->at = at;
    thread->stalled = at;
}

// The thread begins anew, above its root. Exits of what runs already find no activation, which is no harm.
static void begin_anew(uint32_t number)
{
    struct ring_thread *thread = thread_self;
    struct thread_private *own = thread_self_private;
    thread->root = thread->current = RING_NODE_BLOCK; // a node that every program has used
    probe_nodes[thread->root] = (struct ring_node){.method = METHOD_ROOT, .calls = 1, .started = 1};
    thread->state = RING_THREAD_LIVE;
    thread->thread = number;
    thread->os_id = (uint32_t)syscall(SYS_gettid);
    hold_stream(thread);
    own->overflow_depth = own->overflow_unrecorded = own->overflow_root = own->overflow_sentinel = 0;
    own->pending_count = own->filter_count = 0;
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
    const struct ring_header *ring = agent.ring;
    places.text = ring->text_offset;
    places.behind_text = ring->free_chunks_offset;
    places.end = ring->segment_size;
    (void)pthread_atfork(NULL, NULL, in_child); // without memory for it a child writes where its parent does
}
