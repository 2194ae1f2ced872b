// CPU time of the threads of a recorded process: which node gets it, and how a thread that is gone is noticed.
#include "one_process.h"

#include <sys/syscall.h>
#include <time.h>

#include "../recording_path.h"
#include "collector/drain/process_parts.h"
#include "trace/instrument.h"

static uint64_t own_cpu_ns(void)
{
    struct timespec time;
    assert_int_equal(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time), 0);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

// The test's own thread plays the recorded one.
static void cpu_time_is_that_of_the_method_that_runs(void **state)
{
    (void)state;
    struct fixture *fixture = open_running(INSTRUMENT_TREE, path);
    struct ring_thread *thread = thread_of(fixture);
    fixture->process->watch.pid = getpid();
    thread->os_id = (uint32_t)syscall(SYS_gettid);
    thread->started_tsc = clock_tsc();
    pass(fixture);
    for (uint64_t start = own_cpu_ns(); own_cpu_ns() - start < 30000000;) {
        for (volatile unsigned i = 0; i < 1000000; i++) { // asking for the time is the kernel's
        }
    }
    process__sample(fixture->process, clock_monotonic_ns());
    const struct ring_node_cpu *cpus = ring_node_cpus(fixture->process->ring);
    assert_int_equal(cpus[thread->current].user_ns, thread->cpu_user_ns);
    assert_int_equal(cpus[thread->current].kernel_ns, thread->cpu_kernel_ns);
    assert_true(thread->cpu_user_ns + thread->cpu_kernel_ns >= 20000000); // the kernel's count may lag by a tick
    assert_int_equal(cpus[thread->root].user_ns, 0);
    close_process(fixture);
}

static void a_thread_that_is_gone_has_ended(void **state)
{
    (void)state;
    struct fixture *fixture = open_running(INSTRUMENT_TREE, path);
    fixture->process->watch.pid = getpid(); // which has no thread of that number
    pass(fixture);
    assert_int_equal(atomic_load(&thread_of(fixture)->state), RING_THREAD_LIVE);
    process__sample(fixture->process, clock_monotonic_ns());
    assert_int_equal(atomic_load(&thread_of(fixture)->state), RING_THREAD_ENDED);
    close_process(fixture);
}

static void slow_samples_are_noted(void **state)
{
    (void)state;
    struct recording_record record;
    struct fixture *fixture = open_running(INSTRUMENT_TREE, path);
    fixture->process->slowest_sample_ns = 1000000;
    assert_int_equal(process__note_slow_samples(fixture->process, &fixture->drain), CLEW_OK); // usual: not a word
    fixture->process->slowest_sample_ns = 40000000;
    assert_int_equal(process__note_slow_samples(fixture->process, &fixture->drain), CLEW_OK);
    struct recording_reader *reader = read_recording(fixture);
    assert_int_equal(count_records(reader, RECORDING_NOTE, &record), 1);
    assert_non_null(memmem(record.note.text.at, record.note.text.size, "up to 40 ms", 11));
    assert_non_null(memmem(record.note.text.at, record.note.text.size, "every 2000 ms", 13));
    recording_close_reader(reader);
    close_process(fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cpu_time_is_that_of_the_method_that_runs),
        cmocka_unit_test(a_thread_that_is_gone_has_ended),
        cmocka_unit_test(slow_samples_are_noted),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
