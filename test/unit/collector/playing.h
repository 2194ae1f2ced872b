// The recorded program of sessions without a runtime: supervise() starts the test itself again, which behaves like an
// agent, and kills itself or the collector at a given moment. Included by one file a program.
#ifndef CLEW_TEST_PLAYING_H
#define CLEW_TEST_PLAYING_H

#include "session.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "ring/definition.h"
#include "ring/handshake.h"
#include "ring/segment.h"
#include "trace/instrument.h"
#include "trace/site.h"

enum {
    THREADS = 3,
    METHODS = 3000,
    NEST = 5, // enters in a row, then as many leaves
};

static const char source_text[] = "class Fake { }\n"; // of the documents
static const uint8_t source_hash[] = {0xb0, 0xfb, 0x05, 0xc9, 0x6f, 0x84, 0x42, 0x76, 0x42, 0x59, 0x34,
                                      0xd0, 0x24, 0xe0, 0x42, 0x40, 0x82, 0x00, 0xb6, 0xba, 0x41, 0xa4,
                                      0xe7, 0xb8, 0x1d, 0xa7, 0xa4, 0x3e, 0x1f, 0x68, 0x43, 0xb5}; // its SHA-256

// -- The recorded program ---------------------------------------------------------------------------------------------

// How many events the program has committed; in a file that both sides map.
struct truth {
    _Atomic uint64_t committed[THREADS]; // events
    _Atomic uint64_t done;
};

struct orders {
    char what[16];        // "run", "die", "murder", "scribble"
    uint64_t events;      // a thread
    uint64_t at;          // of thread 0, when to kill
    uint32_t throttle;    // events between naps; 0: none
    bool sites;           // each entry is followed by an event of a site, some by an object
    uint32_t instruments; // 0: trees and streams
};

static struct ring_header *ring;
static struct truth *truth;
static struct orders orders;
static pthread_mutex_t definitions = PTHREAD_MUTEX_INITIALIZER;
static bool defined[METHODS];

static inline struct truth *map_truth(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || ftruncate(fd, sizeof(struct truth)) != 0) {
        abort();
    }
    void *start = mmap(NULL, sizeof(struct truth), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    (void)close(fd);
    return start == MAP_FAILED ? NULL : start;
}

static inline void tell(const struct ring_definition *definition)
{
    struct buffer encoded = {0};
    ring_definition_encode(&encoded, definition);
    while (!ring_definition_write(ring, &encoded)) {
        (void)usleep(1000);
    }
    buffer_free(&encoded);
}

// Each method has one site, with the method's number + 1; its value is the number of the thread's event.
static inline void define_site(uint32_t method)
{
    struct site site = {.kind = SITE_DEFINITION, .place = PLACE_LOCAL, .encoding = VALUE_I4};
    struct buffer blob = {0};
    sites_encode(&blob, &site, 1);
    tell(&(struct ring_definition){.type = RING_DEFINE_SITES,
                                   .method = METHOD_FIRST_REAL + method,
                                   .number = method + 1,
                                   .blob = bytes_of(blob.data, blob.size)});
    ring_event_lengths(ring)[method + 1] = (uint16_t)(1 + payload_cells(&site));
    buffer_free(&blob);
}

// Each method has a path, below that of the method before it.
static inline void store_path(uint32_t method)
{
    uint32_t number = atomic_fetch_add(&ring->paths_used, 1);
    ring_paths(ring)[number].parent = number - 1;
    atomic_store_explicit(&ring_paths(ring)[number].method, METHOD_FIRST_REAL + method, memory_order_release);
}

static inline void define(uint32_t method)
{
    (void)pthread_mutex_lock(&definitions);
    if (!defined[method]) {
        char name[32];
        (void)snprintf(name, sizeof name, "Fake.M%u", method);
        tell(&(struct ring_definition){
            .type = RING_DEFINE_METHOD, .method = METHOD_FIRST_REAL + method, .module = 1, .name = text_of(name)});
        define_site(method);
        store_path(method);
        defined[method] = true;
    }
    (void)pthread_mutex_unlock(&definitions);
}

// Two documents with the same content, and one that does not exist.
static inline void define_documents(const char *source)
{
    uint8_t hash[sizeof source_hash];
    struct ring_definition document = {.type = RING_DEFINE_DOCUMENT, .module = 1, .kind = HASH_SHA256};
    memcpy(hash, source_hash, sizeof hash);
    tell(&(struct ring_definition){.type = RING_DEFINE_MODULE, .module = 1, .path = text_of("/nowhere/Fake.dll")});
    tell(&(struct ring_definition){.type = RING_DEFINE_TYPE, .number = 1, .blob = bytes_of("type", 4)});
    document.blob = bytes_of(hash, sizeof hash);
    document.path = text_of(source);
    for (document.number = 1; document.number <= 2; document.number++) {
        tell(&document);
    }
    document.path = text_of("/nowhere/None.cs");
    hash[0] ^= 1;
    tell(&document);
}

// The quota does not count a thread's first chunk.
static inline uint64_t take_chunk(bool first)
{
    while (true) {
        if (first || atomic_load(&ring->chunks_full) < ring->chunk_quota) {
            for (uint32_t i = 0; i < RING_CHUNKS_MAX / 64; i++) {
                uint64_t word = atomic_load(&ring_free_chunks(ring)[i]);
                while (word) {
                    uint64_t bit = word & -word;
                    if (atomic_compare_exchange_weak(&ring_free_chunks(ring)[i], &word, word & ~bit)) {
                        atomic_fetch_add(&ring->chunks_full, !first);
                        return (uint64_t)i * 64 + (uint64_t)__builtin_ctzll(bit) + 1;
                    }
                }
            }
        }
        atomic_fetch_add(&ring->waiters, 1);
        (void)usleep(200);
        atomic_fetch_sub(&ring->waiters, 1);
    }
}

// Chunks pass from one thread to another through the collector process, which the race detector does not see.
#define UNWATCHED __attribute__((no_sanitize("thread")))

UNWATCHED static inline void next_chunk(struct ring_thread *thread, uint64_t clock)
{
    uint64_t at = atomic_load(&thread->at), number = take_chunk(at == 0);
    struct ring_chunk *fresh = ring_chunk_at(ring, number - 1);
    uint64_t start = ring->chunks_offset + (number - 1) * RING_CHUNK_SIZE;
    *fresh = (struct ring_chunk){
        .thread = (uint32_t)(thread - ring_threads(ring)), .opened_clock = clock, .opened_tsc = clock_tsc()};
    if (at) {
        struct ring_chunk *old = ring_chunk_at(ring, (at - ring->chunks_offset - 1) / RING_CHUNK_SIZE);
        fresh->sequence = old->sequence + 1;
        old->used = at - (uint64_t)((char *)old - (char *)ring);
        old->closed_tsc = clock_tsc();
        atomic_store(&old->next, number);
    } else {
        thread->first_chunk = number;
    }
    thread->limit = start + RING_CHUNK_SIZE;
    atomic_store(&thread->at, start + sizeof *fresh);
}

UNWATCHED static inline void put(struct ring_thread *thread, uint64_t word, uint64_t clock)
{
    if (atomic_load(&thread->at) >= thread->limit) {
        next_chunk(thread, clock);
    }
    uint64_t at = atomic_load(&thread->at);
    *(uint64_t *)((char *)ring + at) = word | clock << 32;
    atomic_store_explicit(&thread->at, at + 8, memory_order_release);
}

// An object without text: three words in one chunk.
UNWATCHED static inline void put_object(struct ring_thread *thread, uint32_t number, uint64_t clock)
{
    const uint64_t words[] = {RING_EVENT(RING_EVENT_EXTENDED, RING_EXTENDED_OBJECT | 2 << 8, 0) | clock << 32,
                              number | UINT64_C(1) << 32, 24};
    if (atomic_load(&thread->at) + sizeof words > thread->limit) {
        next_chunk(thread, clock);
    }
    uint64_t at = atomic_load(&thread->at);
    memcpy((char *)ring + at, words, sizeof words);
    atomic_store_explicit(&thread->at, at + sizeof words, memory_order_release);
}

enum { OBJECT_EVERY = 100, OLD_EVERY = 1000 };

// The object that the site event behind entry i refers to: the thread's newest, or sometimes its first.
static uint32_t object_of(uint32_t thread, uint64_t i)
{
    uint64_t told = i % OLD_EVERY == NEST - 1 ? 0 : i / OBJECT_EVERY * OBJECT_EVERY;
    return (uint32_t)(told * THREADS + thread);
}

// Puts the site event that follows entry i of a thread.
static inline void put_site(struct ring_thread *thread, uint32_t method, uint64_t i, uint64_t clock)
{
    if (i % OBJECT_EVERY == 0) {
        put_object(thread, (uint32_t)(i * THREADS + thread->thread), clock);
    }
    put(thread, RING_EVENT(RING_EVENT_SITE, method + 1, 0),
        object_of(thread->thread, i)); // its cell where others have the clock
}

// Event i of a thread follows from i alone. New methods keep coming, so definitions do too.
static inline uint32_t method_of(uint32_t thread, uint64_t i)
{
    return (uint32_t)((i / 20 * THREADS + thread) % METHODS);
}

static inline bool is_enter(uint64_t i)
{
    return i % (2 * NEST) < NEST;
}

static inline uint32_t make_node(struct ring_thread *thread, uint32_t parent, uint32_t method)
{
    if (thread->free_nodes_left == 0) {
        thread->free_node = atomic_fetch_add(&ring->nodes_used, RING_NODE_BLOCK);
        thread->free_nodes_left = RING_NODE_BLOCK;
    }
    uint32_t number = thread->free_node++;
    thread->free_nodes_left--;
    struct ring_node *nodes = ring_nodes(ring);
    nodes[number] = (struct ring_node){
        .parent = parent, .next_sibling = nodes[parent].first_child, .method = method, .shortest = UINT64_MAX};
    atomic_signal_fence(memory_order_release);
    if (parent) {
        *(volatile uint32_t *)&nodes[parent].first_child = number;
    }
    return number;
}

static inline void tree_step(struct ring_thread *thread, uint64_t i, uint32_t method, uint64_t clock)
{
    struct ring_node *nodes = ring_nodes(ring);
    if (!is_enter(i)) {
        struct ring_node *node = &nodes[thread->current];
        node->total += clock - node->started;
        node->started = 0;
        thread->current = node->parent;
        return;
    }
    uint32_t child = nodes[thread->current].first_child;
    while (child && nodes[child].method != METHOD_FIRST_REAL + method) {
        child = nodes[child].next_sibling;
    }
    child = child ? child : make_node(thread, thread->current, METHOD_FIRST_REAL + method);
    nodes[child].calls++;
    nodes[child].started = clock;
    thread->current = child;
}

// Plays a wild pointer: writes random words all over the segment, during several passes of the collector.
static _Atomic bool scribbling; // the other threads stand still: they would fall over what they find
static _Atomic int still;       // threads that do, or have ended

static inline void stand_still(void)
{
    atomic_fetch_add(&still, 1);
    while (true) {
        (void)pause();
    }
}

static inline void scribble(void)
{
    atomic_store(&scribbling, true);
    while (atomic_load(&still) < THREADS - 1) {
        (void)usleep(1000);
    }
    uint64_t words = (ring->chunks_offset + 64 * RING_CHUNK_SIZE) / sizeof(uint64_t), nodes = ring->nodes_offset;
    uint64_t paths = ring->paths_offset;
    srand((unsigned)getpid());
    for (int i = 0; i < 30000; i++) {
        uint64_t value = (uint64_t)(unsigned)rand() << 32 ^ (uint64_t)(unsigned)rand();
        uint64_t where = ((uint64_t)(unsigned)rand() << 16 ^ (uint64_t)(unsigned)rand());
        ((volatile uint64_t *)(void *)ring)[i % 3 ? where % words : 64 + where % 4096] = value >> rand() % 64;
        ((volatile uint64_t *)(void *)ring)[nodes / sizeof(uint64_t) + where % 100000] = value;
        ((volatile uint64_t *)(void *)ring)[paths / sizeof(uint64_t) + where % METHODS] = value;
        if (i % 1000 == 0) {
            (void)usleep(1000);
        }
    }
    _exit(9);
}

static inline void *run_thread(void *context)
{
    uint32_t index = (uint32_t)(uintptr_t)context;
    uint32_t slot = atomic_fetch_add(&ring->threads_used, 1);
    struct ring_thread *thread = &ring_threads(ring)[slot];
    uint64_t clock = clock_tsc();
    atomic_store(&thread->state, RING_THREAD_LIVE);
    thread->thread = index + 1;
    atomic_fetch_add(&ring->threads_started, 1);
    thread->started = clock;
    thread->started_tsc = clock_tsc();
    thread->root = make_node(thread, 0, METHOD_ROOT);
    ring_nodes(ring)[thread->root].calls = 1;
    ring_nodes(ring)[thread->root].started = clock;
    thread->current = thread->root;
    *(volatile uint32_t *)&thread->os_id = (uint32_t)syscall(SYS_gettid);
    for (uint64_t i = 0; i < orders.events; i++) {
        uint32_t method = method_of(index, i);
        if (atomic_load(&scribbling)) {
            stand_still();
        }
        clock = clock_tsc();
        if (is_enter(i)) {
            define(method);
        }
        put(thread,
            RING_EVENT(is_enter(i) ? RING_EVENT_ENTER : RING_EVENT_LEAVE, is_enter(i) ? METHOD_FIRST_REAL + method : 0,
                       0),
            clock);
        if (orders.sites && is_enter(i)) {
            put_site(thread, method, i, clock);
        }
        tree_step(thread, i, method, clock);
        atomic_store_explicit(&truth->committed[index], i + 1, memory_order_release);
        if (index == 0 && i == orders.at && strcmp(orders.what, "die") == 0) {
            (void)kill(getpid(), SIGKILL);
        }
        if (index == 0 && i == orders.at && strcmp(orders.what, "murder") == 0) {
            (void)kill((pid_t)ring->collector_pid, SIGKILL);
        }
        if (index == 0 && i == orders.at && strcmp(orders.what, "scribble") == 0) {
            scribble();
        }
        if (orders.throttle && i % orders.throttle == 0) {
            (void)usleep(1000);
        }
    }
    atomic_fetch_add(&still, 1);
    return NULL;
}

static inline int be_program(char **argv)
{
    int segment;
    truth = map_truth(argv[2]);
    (void)snprintf(orders.what, sizeof orders.what, "%s", argv[3]);
    orders.events = strtoull(argv[4], NULL, 10);
    orders.at = strtoull(argv[5], NULL, 10);
    orders.throttle = (uint32_t)strtoul(argv[6], NULL, 10);
    orders.sites = strcmp(argv[7], "sites") == 0;
    if (handshake_connect(getenv(CLEW_SESSION_VARIABLE), "test", handshake_deadline(), &segment) != CLEW_OK ||
        segment_map(segment, &ring) != CLEW_OK) {
        return 3;
    }
    atomic_store(&ring->agent_state, RING_AGENT_RECORDING);
    atomic_store(&ring->over_cap, 1);
    define_documents(argv[8]);
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, run_thread, (void *)i) != 0) {
            return 4;
        }
    }
    for (int i = 0; i < THREADS; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    atomic_store(&truth->done, 1);
    return 7;
}

// -- The session around it --------------------------------------------------------------------------------------------

static char truth_path[96], source_path[96];

static inline int playing_set_up(void **state)
{
    if (session_set_up(state) != 0) {
        return -1;
    }
    (void)snprintf(truth_path, sizeof truth_path, "%s/truth", folder);
    truth = map_truth(truth_path);
    (void)snprintf(source_path, sizeof source_path, "%s/Fake.cs", folder);
    FILE *source = fopen(source_path, "w");
    assert_non_null(source);
    assert_true(fputs(source_text, source) >= 0 && fclose(source) == 0);
    srand((unsigned)time(NULL));
    return truth ? 0 : -1;
}

static inline int playing_tear_down(void **state)
{
    (void)unlink(truth_path);
    (void)unlink(source_path);
    return session_tear_down(state);
}

static inline void forget_truth(void)
{
    for (int i = 0; i < THREADS; i++) {
        atomic_store(&truth->committed[i], 0);
    }
    atomic_store(&truth->done, 0);
}

static inline struct supervised run_session(struct session *session, char *const *command, void (*progress)(void *))
{
    struct supervised supervised = supervise_session(session, command, progress);
    assert_int_equal(atomic_load(&session->shared->error), CLEW_OK);
    assert_int_equal(supervised.exec_error, 0);
    return supervised;
}

static inline struct supervised record_once(const struct orders *given, uint32_t flags)
{
    char events[24], at[24], throttle[24];
    (void)snprintf(events, sizeof events, "%llu", (unsigned long long)given->events);
    (void)snprintf(at, sizeof at, "%llu", (unsigned long long)given->at);
    (void)snprintf(throttle, sizeof throttle, "%u", given->throttle);
    char *command[] = {self,        "program", truth_path, (char *)given->what,
                       events,      at,        throttle,   given->sites ? "sites" : "none",
                       source_path, NULL};
    struct session session = {.path = recording, .shared = session_shared_new(), .calibration = clock_pair_now()};
    session.record = (struct recording_session){
        .clock = CLOCK_KIND_TSC,
        .clock_hz = 1e9,
        .instruments = given->instruments ? given->instruments : INSTRUMENT_TREE | INSTRUMENT_CALLS,
        .flags = flags,
    };
    session.record.started_clock = clock_tsc();
    session.keep_bytes = flags & SESSION_KEEP_LAST ? 256 << 10 : 0;
    struct supervised supervised = run_session(&session, command, NULL);
    (void)munmap(session.shared, sizeof *session.shared);
    return supervised;
}

// On a very busy machine an agent may not be answered in time and stays dormant, as designed: then tries again.
static inline struct supervised record(const struct orders *given, uint32_t flags)
{
    struct supervised supervised = {0};
    for (int tries = 0; tries < 20; tries++) {
        forget_truth();
        supervised = record_once(given, flags);
        if (!WIFEXITED(supervised.status) || WEXITSTATUS(supervised.status) != 3) {
            break;
        }
    }
    return supervised;
}

#endif
