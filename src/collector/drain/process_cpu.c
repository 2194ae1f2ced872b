// CPU time of a process's threads: read every 10 ms, and credited to the call tree node that the thread runs in.
#include <stdio.h>
#include <time.h>

#include "collector/drain/process_parts.h"
#include "ring/publish.h"

enum {
    CPU_EVERY_NS = 10 * 1000 * 1000,
    MS = 1000 * 1000, // in ns
};

// The recording counts from the thread's first event. How much CPU time the thread had used before is unknown; it
// cannot have used more since then than time has passed.
static void begin_count(const struct drain *drain, struct ring_thread *thread, uint64_t total_ns)
{
    double hz = clock_rate_hz(drain->session->calibration, clock_pair_now());
    uint64_t tsc = clock_tsc();
    double since_ns = hz > 0 && tsc > thread->started_tsc ? (double)(tsc - thread->started_tsc) * 1e9 / hz : 0;
    thread->cpu_ns = (double)total_ns > since_ns ? total_ns - (uint64_t)since_ns : 0;
}

void process__cpu_begin(struct process *process, const struct drain *drain, uint32_t index)
{
    struct ring_thread *thread = process__thread(process, index);
    struct slot *slot = &process->slots[index];
    uint64_t total_ns;
    cpu_watch_begin(&slot->cpu, process->watch.pid, (pid_t)slot->os_id, process->own_numbers);
    if (thread->cpu_ns == 0 && cpu_read(&slot->cpu, &total_ns)) {
        begin_count(drain, thread, total_ns);
    }
}

bool process__cpu_sample(struct process *process, uint32_t index)
{
    struct ring_thread *thread = process__thread(process, index);
    struct slot *slot = &process->slots[index];
    uint64_t total_ns;
    if (!cpu_read(&slot->cpu, &total_ns)) {
        return false;
    }
    if (total_ns <= thread->cpu_ns) {
        return true;
    }
    uint64_t user_ns, kernel_ns;
    cpu_split(&slot->cpu, total_ns - thread->cpu_ns, &user_ns, &kernel_ns);
    CLEW_ASSERT(user_ns + kernel_ns == total_ns - thread->cpu_ns && "a split loses nothing");
    thread->cpu_ns = total_ns;
    thread->cpu_user_ns += user_ns;
    thread->cpu_kernel_ns += kernel_ns;
    uint32_t node = tree_shown_node(process->ring, thread->root, RING_READ_ONCE(thread->current));
    if (node < process->ring->nodes_max) {
        ring_node_cpus(process->ring)[node].user_ns += user_ns;
        ring_node_cpus(process->ring)[node].kernel_ns += kernel_ns;
    }
    return true;
}

// Of the collector's own thread.
static uint64_t own_cpu_ns(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time); // cannot fail
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

void process__sample(struct process *process, uint64_t now_ns)
{
    uint64_t before_ns = own_cpu_ns();
    for (uint32_t i = 0; i < process->slot_count; i++) {
        struct ring_thread *thread = process__thread(process, i);
        uint32_t live = RING_THREAD_LIVE;
        if (process->slots[i].thread && atomic_load_explicit(&thread->state, memory_order_acquire) == live &&
            !process__cpu_sample(process, i)) {
            // The thread is gone without an end; nothing writes to its slot any more.
            (void)atomic_compare_exchange_strong(&thread->state, &live, RING_THREAD_ENDED);
        }
    }
    uint64_t cost = own_cpu_ns() - before_ns;
    process->slowest_sample_ns = cost > process->slowest_sample_ns ? cost : process->slowest_sample_ns;
    process->next_cpu_ns = process__due_after(now_ns, cost, CPU_EVERY_NS);
}

enum clew_error process__note_slow_samples(struct process *process, struct drain *drain)
{
    uint64_t slowest = process->slowest_sample_ns;
    char text[160];
    if (slowest <= CPU_EVERY_NS) {
        return CLEW_OK;
    }
    (void)snprintf(
        text, sizeof text,
        "CPU times are coarse: reading those of all threads took up to %llu ms, so they were read only every "
        "%llu ms",
        (unsigned long long)(slowest / MS), (unsigned long long)(slowest * PROCESS_PART_OF_TIME / MS));
    return recording_write_note(drain->writer,
                                &(struct recording_note){.process = process->number, .text = text_of(text)});
}
