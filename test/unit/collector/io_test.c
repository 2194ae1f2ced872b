// Fails each system call of the collector once, in turn, in an ordinary session; or the collector stops there for ever.
// The program must end as it does alone, and the recording must note what is missing. The linker redirects the calls to this file (clew_failing_calls in
// test/tests.cmake). They are counted, and fail, only in the collector process, which is recognised by its setsid().
#include "session.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "recording/reader.h"
#include "ring/definition.h"
#include "ring/handshake.h"
#include "ring/segment.h"
#include "trace/instrument.h"

enum {
    EVENTS = 6000,
    METHOD = METHOD_FIRST_REAL,
    ENDED_AS_ALONE = 7,
    DORMANT = 3,
    LIMIT_SECONDS = 60,
    SHORT_MS = 300,
    HANGS = -1,
    SLOW = -2,
    SLOW_US = 500000,
};

// -- Calls that fail --------------------------------------------------------------------------------------------------

// In memory that all processes of a session share.
static struct calls {
    _Atomic uint32_t made;
    uint32_t fails; // the call with this number; 0: none
    int error;      // its errno; HANGS, SLOW: the collector stops there instead, for ever or for a moment
    _Atomic uint32_t failed;
    char name[32];
    _Atomic uint64_t committed; // events of the program
} * calls;

static bool is_collector;

static bool fails(const char *name)
{
    if (!is_collector || atomic_fetch_add(&calls->made, 1) + 1 != calls->fails) {
        return false;
    }
    (void)snprintf(calls->name, sizeof calls->name, "%s", name);
    atomic_store(&calls->failed, 1);
    if (calls->error == HANGS) {
        (void)raise(SIGSTOP);
        return false;
    }
    if (calls->error == SLOW) {
        (void)usleep(SLOW_US);
        return false;
    }
    errno = calls->error;
    return true;
}

// A system call that returns `failure` when it fails.
#define LED(type, name, failure, parameters, arguments)            \
    type __real_##name parameters;                                 \
    type __wrap_##name parameters;                                 \
    type __wrap_##name parameters                                  \
    {                                                              \
        return fails(#name) ? (failure) : __real_##name arguments; \
    }

LED(ssize_t, pwrite, -1, (int fd, const void *data, size_t size, off_t at), (fd, data, size, at))
LED(ssize_t, pread, -1, (int fd, void *data, size_t size, off_t at), (fd, data, size, at))
LED(ssize_t, read, -1, (int fd, void *data, size_t size), (fd, data, size))
LED(ssize_t, write, -1, (int fd, const void *data, size_t size), (fd, data, size))
LED(int, ftruncate, -1, (int fd, off_t size), (fd, size))
LED(int, fstat, -1, (int fd, struct stat *status), (fd, status))
LED(int, poll, -1, (struct pollfd * entries, nfds_t count, int wait), (entries, count, wait))
LED(int, __poll_chk, -1, (struct pollfd * entries, nfds_t count, int wait, size_t room), (entries, count, wait, room))
LED(int, accept4, -1, (int fd, struct sockaddr *address, socklen_t *size, int flags), (fd, address, size, flags))
LED(int, getsockopt, -1, (int fd, int level, int name, void *value, socklen_t *size), (fd, level, name, value, size))
LED(ssize_t, recv, -1, (int fd, void *data, size_t size, int flags), (fd, data, size, flags))
LED(ssize_t, recvmsg, -1, (int fd, struct msghdr *message, int flags), (fd, message, flags))
LED(ssize_t, sendmsg, -1, (int fd, const struct msghdr *message, int flags), (fd, message, flags))
LED(void *, mmap, MAP_FAILED, (void *at, size_t size, int protection, int flags, int fd, off_t offset),
    (at, size, protection, flags, fd, offset))
LED(int, memfd_create, -1, (const char *name, unsigned flags), (name, flags))
LED(int, eventfd, -1, (unsigned count, int flags), (count, flags))
LED(FILE *, fopen, NULL, (const char *path, const char *mode), (path, mode))
LED(int, dup2, -1, (int from, int to), (from, to))
LED(int, flock, -1, (int fd, int operation), (fd, operation))
LED(void *, malloc, NULL, (size_t size), (size))
LED(void *, calloc, NULL, (size_t count, size_t size), (count, size))
LED(void *, realloc, NULL, (void *old, size_t size), (old, size))

int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
    bool failing = fails("close");
    int result = __real_close(fd); // also when it fails, as Linux does
    errno = failing ? calls->error : errno;
    return failing ? -1 : result;
}

int __real_open(const char *path, int flags, mode_t mode);
int __wrap_open(const char *path, int flags, mode_t mode);
int __wrap_open(const char *path, int flags, mode_t mode)
{
    return fails("open") ? -1 : __real_open(path, flags, mode);
}

int __real_fcntl(int fd, int command, int argument);
int __wrap_fcntl(int fd, int command, int argument);
int __wrap_fcntl(int fd, int command, int argument)
{
    return fails("fcntl") ? -1 : __real_fcntl(fd, command, argument);
}

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*body)(void *), void *context);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*body)(void *), void *context);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*body)(void *), void *context)
{
    return fails("pthread_create") ? EAGAIN : __real_pthread_create(thread, how, body, context);
}

pid_t __real_setsid(void);
pid_t __wrap_setsid(void);
pid_t __wrap_setsid(void)
{
    is_collector = true;
    return __real_setsid();
}

// -- The recorded program ---------------------------------------------------------------------------------------------

static struct ring_header *ring;

static void define_method(void)
{
    struct buffer encoded = {0};
    ring_definition_encode(
        &encoded, &(struct ring_definition){.type = RING_DEFINE_METHOD, .method = METHOD, .name = text_of("Fake.M")});
    (void)ring_definition_write(ring, &encoded);
    buffer_free(&encoded);
}

static void begin_chunk(struct ring_thread *thread, uint64_t number)
{
    struct ring_chunk *fresh = ring_chunk_at(ring, number - 1);
    *fresh = (struct ring_chunk){.sequence = number - 1, .opened_clock = 1};
    atomic_fetch_and(&ring_free_chunks(ring)[0], ~(UINT64_C(1) << (number - 1)));
    if (number > 1) {
        struct ring_chunk *old = ring_chunk_at(ring, number - 2);
        old->used = RING_CHUNK_SIZE;
        atomic_fetch_add(&ring->chunks_full, 1);
        atomic_store(&old->next, number);
    } else {
        thread->first_chunk = 1;
    }
    atomic_store(&thread->at, ring->chunks_offset + (number - 1) * RING_CHUNK_SIZE + sizeof *fresh);
}

// One thread with one method: entries and exits alternate, over several chunks. `limit_ms`: of the handshake.
static int be_program(const char *limit_ms)
{
    enum { A_CHUNK = (RING_CHUNK_SIZE - sizeof(struct ring_chunk)) / sizeof(uint64_t) };
    int segment;
    HANDSHAKE_LIMIT_MS = strtoull(limit_ms, NULL, 10);
    if (handshake_connect(getenv(CLEW_SESSION_VARIABLE), "test", handshake_deadline(), &segment) != CLEW_OK ||
        segment_map(segment, &ring) != CLEW_OK) {
        return DORMANT;
    }
    struct ring_thread *thread = &ring_threads(ring)[0];
    atomic_store(&ring->agent_state, RING_AGENT_RECORDING);
    atomic_store(&ring->threads_used, 1);
    atomic_store(&ring->threads_started, 1);
    atomic_store(&thread->state, RING_THREAD_LIVE);
    thread->thread = 1;
    thread->root = atomic_fetch_add(&ring->nodes_used, RING_NODE_BLOCK);
    ring_nodes(ring)[thread->root] = (struct ring_node){.method = METHOD_ROOT, .calls = 1, .started = 1};
    define_method();
    thread->current = thread->root;
    *(volatile uint32_t *)&thread->os_id = (uint32_t)getpid();
    for (uint64_t i = 0; i < EVENTS; i++) {
        if (i % A_CHUNK == 0) {
            begin_chunk(thread, 1 + i / A_CHUNK);
        }
        uint64_t *word = (uint64_t *)(void *)((char *)ring + atomic_load(&thread->at));
        *word = RING_EVENT(i % 2 ? RING_EVENT_LEAVE : RING_EVENT_ENTER, i % 2 ? 0 : METHOD, i + 1);
        atomic_fetch_add(&thread->at, sizeof *word);
    }
    return ENDED_AS_ALONE;
}

// -- Sessions ---------------------------------------------------------------------------------------------------------

struct outcome {
    struct supervised supervised;
    enum clew_error error, segment_error;
    uint64_t events;
    bool opens, ended, complete;
    bool damaged;
};

static void read_back(struct outcome *outcome)
{
    struct recording_reader *reader;
    struct recording_record record;
    outcome->opens = recording_open_reader(recording, &reader) == CLEW_OK;
    if (!outcome->opens) {
        return;
    }
    while (recording_next(reader, UINT32_MAX, &record) == CLEW_OK) {
        outcome->events += record.type == RECORDING_EVENTS ? record.events.count : 0;
        outcome->ended |= record.type == RECORDING_END;
        outcome->complete |= record.type == RECORDING_END && record.end.complete;
    }
    struct recording_health health = recording_health(reader);
    outcome->damaged = recording_is_damaged(&health);
    recording_close_reader(reader);
}

// If the failed call leaves the program without an answer, it waits for a short time only.
static struct outcome record_with(uint32_t call, int error)
{
    struct outcome outcome = {0};
    char limit_ms[24];
    (void)snprintf(limit_ms, sizeof limit_ms, "%llu",
                   (unsigned long long)(call && error != SLOW ? SHORT_MS : HANDSHAKE_LIMIT_MS));
    char *command[] = {self, (char *)"program", limit_ms, NULL};
    struct session session = {.path = recording, .shared = session_shared_new(), .calibration = clock_pair_now()};
    session.record = (struct recording_session){.clock = CLOCK_KIND_TSC,
                                                .clock_hz = 1e9,
                                                .instruments = INSTRUMENT_TREE | INSTRUMENT_CALLS,
                                                .started_clock = 1};
    *calls = (struct calls){.fails = call, .error = error};
    (void)alarm(LIMIT_SECONDS);
    outcome.supervised = supervise_session(&session, command, NULL);
    outcome.error = atomic_load(&session.shared->error);
    outcome.segment_error = atomic_load(&session.shared->segment_error);
    (void)alarm(0);
    (void)munmap(session.shared, sizeof *session.shared);
    read_back(&outcome);
    return outcome;
}

static void check(const struct outcome *outcome, uint32_t call)
{
    int status = WIFEXITED(outcome->supervised.status) ? WEXITSTATUS(outcome->supervised.status) : -1;
    bool said = outcome->error != CLEW_OK || outcome->segment_error != CLEW_OK || !outcome->ended || !outcome->complete;
    bool dormant = status == DORMANT; // nobody answered it: nothing of it is in the file, as `ready` and END say
    bool whole = outcome->events == EVENTS;
    bool locked = outcome->error == CLEW_BUSY; // only the dead collector had the file
    if (!outcome->opens || locked || outcome->damaged || (status != ENDED_AS_ALONE && !dormant) ||
        (!whole && !dormant && !said)) {
        fail_msg("call %u (%s, %s): status %d, error %d, segment %d, events %llu, ended %d, complete %d, damaged %d",
                 call, calls->name, strerror(calls->error), outcome->supervised.status, (int)outcome->error,
                 (int)outcome->segment_error, (unsigned long long)outcome->events, outcome->ended, outcome->complete,
                 outcome->damaged);
    }
}

// From `call` on, each `step`-th.
static void fail_each(int error, uint32_t call, uint32_t step)
{
    uint32_t made;
    do {
        struct outcome outcome = record_with(call, error);
        check(&outcome, call);
        assert_true(error != HANGS || !atomic_load(&calls->failed) || outcome.supervised.took_over);
        made = atomic_load(&calls->made);
        call += step;
    } while (call <= made + step);
    print_message("%u calls\n", made);
}

static void nothing_fails(void **state)
{
    (void)state;
    struct outcome outcome = record_with(0, 0);
    assert_int_equal(WEXITSTATUS(outcome.supervised.status), ENDED_AS_ALONE);
    assert_int_equal(outcome.events, EVENTS);
    assert_true(outcome.complete && !outcome.supervised.took_over);
}

static void each_call_fails(void **state)
{
    (void)state;
    fail_each(EIO, 1, 1);
}

static void each_third_call_finds_no_room(void **state)
{
    (void)state;
    fail_each(ENOSPC, 1, 3);
}

static void hang_with_short_limit(uint64_t *limit_ns, uint32_t call, uint32_t step)
{
    uint64_t ships_ns = *limit_ns;
    *limit_ns = SHORT_MS * UINT64_C(1000000);
    fail_each(HANGS, call, step);
    *limit_ns = ships_ns;
}

// The collector stops before it is ready, while the program runs, or after its end.
static void a_collector_that_hangs_is_replaced(void **state)
{
    (void)state;
    hang_with_short_limit(&COLLECTOR_IDLE_LIMIT_NS, 2, 9);
}

// By the other limit, which also ends one that uses CPU time.
static void a_collector_that_gets_nowhere_is_replaced(void **state)
{
    (void)state;
    hang_with_short_limit(&COLLECTOR_BUSY_LIMIT_NS, 40, 20);
}

static int set_up(void **state)
{
    calls = mmap(NULL, sizeof *calls, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return calls == MAP_FAILED ? -1 : session_set_up(state);
}

static void a_slow_collector_is_kept(void **state)
{
    (void)state;
    for (uint32_t call = 5; call < 80; call += 30) {
        struct outcome outcome = record_with(call, SLOW);
        assert_true(atomic_load(&calls->failed));
        assert_int_equal(outcome.events, EVENTS);
        assert_true(outcome.complete && !outcome.supervised.took_over);
    }
}

int main(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[1], "program") == 0) {
        return be_program(argv[2]);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_fails),
        cmocka_unit_test(each_call_fails),
        cmocka_unit_test(each_third_call_finds_no_room),
        cmocka_unit_test(a_collector_that_hangs_is_replaced),
        cmocka_unit_test(a_collector_that_gets_nowhere_is_replaced),
        cmocka_unit_test(a_slow_collector_is_kept),
    };
    return cmocka_run_group_tests(tests, set_up, session_tear_down);
}
