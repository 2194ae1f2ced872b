// Whole sessions without a runtime: this program is started by supervise() as the recorded program, behaves as an agent
// does, and kills itself or the collector at a random moment. What it had committed has to be in the file, once.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/site.h"
#include "collector/start/supervise.h"
#include "recording/reader.h"
#include "ring/definition.h"
#include "ring/handshake.h"
#include "ring/segment.h"

enum {
    THREADS = 3,
    METHODS = 3000,
    NEST = 5,         // enters in a row, then as many leaves
    LOOPS = 200,      // of killing...
    LOOPS_LEAST = 20, // ...but fewer where a machine or a sanitizer is slow:
    LOOPS_SECONDS = 40,
};

static const char source_text[] = "class Fake { }\n"; // of the documents
static const uint8_t source_hash[] = {0xb0, 0xfb, 0x05, 0xc9, 0x6f, 0x84, 0x42, 0x76, 0x42, 0x59, 0x34,
                                      0xd0, 0x24, 0xe0, 0x42, 0x40, 0x82, 0x00, 0xb6, 0xba, 0x41, 0xa4,
                                      0xe7, 0xb8, 0x1d, 0xa7, 0xa4, 0x3e, 0x1f, 0x68, 0x43, 0xb5}; // its SHA-256

// -- The recorded program ---------------------------------------------------------------------------------------------

// In a file that both sides map: what the program knows it has committed.
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

static struct truth *map_truth(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || ftruncate(fd, sizeof(struct truth)) != 0) {
        abort();
    }
    void *start = mmap(NULL, sizeof(struct truth), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    (void)close(fd);
    return start == MAP_FAILED ? NULL : start;
}

static void tell(const struct ring_definition *definition)
{
    struct buffer encoded = {0};
    ring_definition_encode(&encoded, definition);
    while (!ring_definition_write(ring, &encoded)) {
        (void)usleep(1000);
    }
    buffer_free(&encoded);
}

// A method has one site, whose number is the method's + 1: it says which event of the thread it is.
static void define_site(uint32_t method)
{
    struct site site = {.kind = SITE_DEFINITION, .place = PLACE_LOCAL, .encoding = VALUE_I4};
    struct buffer blob = {0};
    sites_encode(&blob, &site, 1);
    tell(&(struct ring_definition){.type = RING_DEFINE_SITES,
                                   .method = RING_METHOD_FIRST_REAL + method,
                                   .number = method + 1,
                                   .blob = bytes_of(blob.data, blob.size)});
    ring_site_shapes(ring)[method + 1] = (uint16_t)(1 + site_cells(&site));
    buffer_free(&blob);
}

static void define(uint32_t method)
{
    (void)pthread_mutex_lock(&definitions);
    if (!defined[method]) {
        char name[32];
        (void)snprintf(name, sizeof name, "Fake.M%u", method);
        tell(&(struct ring_definition){
            .type = RING_DEFINE_METHOD, .method = RING_METHOD_FIRST_REAL + method, .module = 1, .name = text_of(name)});
        define_site(method);
        defined[method] = true;
    }
    (void)pthread_mutex_unlock(&definitions);
}

// Two documents with the same content, and one that is nowhere.
static void define_documents(const char *source)
{
    uint8_t hash[sizeof source_hash];
    struct ring_definition document = {.type = RING_DEFINE_DOCUMENT, .module = 1, .kind = RING_HASH_SHA256};
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

// A thread's first chunk is beside the quota.
static uint64_t take_chunk(bool first)
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

// A chunk comes from one thread to another through the collector, whose side of it a race detector does not see.
#define UNWATCHED __attribute__((no_sanitize("thread")))

UNWATCHED static void next_chunk(struct ring_thread *thread, uint64_t clock)
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

UNWATCHED static void put(struct ring_thread *thread, uint64_t word, uint64_t clock)
{
    if (atomic_load(&thread->at) >= thread->limit) {
        next_chunk(thread, clock);
    }
    uint64_t at = atomic_load(&thread->at);
    *(uint64_t *)((char *)ring + at) = word | clock << 32;
    atomic_store_explicit(&thread->at, at + 8, memory_order_release);
}

// An object of no text: three words that stay together.
UNWATCHED static void put_object(struct ring_thread *thread, uint32_t number, uint64_t clock)
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

enum { OBJECT_EVERY = 100 };

// What follows entry i of a thread.
static void put_site(struct ring_thread *thread, uint32_t method, uint64_t i, uint64_t clock)
{
    if (i % OBJECT_EVERY == 0) {
        put_object(thread, (uint32_t)(i * THREADS + thread->thread), clock);
    }
    put(thread, RING_EVENT(RING_EVENT_SITE, method + 1, 0), (uint32_t)i); // its cell where others have the clock
}

// Event i of a thread is known from i alone. New methods keep coming, so that definitions do.
static uint32_t method_of(uint32_t thread, uint64_t i)
{
    return (uint32_t)((i / 20 * THREADS + thread) % METHODS);
}

static bool is_enter(uint64_t i)
{
    return i % (2 * NEST) < NEST;
}

static uint32_t make_node(struct ring_thread *thread, uint32_t parent, uint32_t method)
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

static void tree_step(struct ring_thread *thread, uint64_t i, uint32_t method, uint64_t clock)
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
    while (child && nodes[child].method != RING_METHOD_FIRST_REAL + method) {
        child = nodes[child].next_sibling;
    }
    child = child ? child : make_node(thread, thread->current, RING_METHOD_FIRST_REAL + method);
    nodes[child].calls++;
    nodes[child].started = clock;
    thread->current = child;
}

// A wild pointer: random words all over the segment, for some passes of the collector.
static _Atomic bool scribbling; // the other threads stand still: they would fall over what they find
static _Atomic int still;       // threads that do, or have ended

static void stand_still(void)
{
    atomic_fetch_add(&still, 1);
    while (true) {
        (void)pause();
    }
}

static void scribble(void)
{
    atomic_store(&scribbling, true);
    while (atomic_load(&still) < THREADS - 1) {
        (void)usleep(1000);
    }
    uint64_t words = (ring->chunks_offset + 64 * RING_CHUNK_SIZE) / sizeof(uint64_t), nodes = ring->nodes_offset;
    srand((unsigned)getpid());
    for (int i = 0; i < 30000; i++) {
        uint64_t value = (uint64_t)(unsigned)rand() << 32 ^ (uint64_t)(unsigned)rand();
        uint64_t where = ((uint64_t)(unsigned)rand() << 16 ^ (uint64_t)(unsigned)rand());
        ((volatile uint64_t *)(void *)ring)[i % 3 ? where % words : 64 + where % 4096] = value >> rand() % 64;
        ((volatile uint64_t *)(void *)ring)[nodes / sizeof(uint64_t) + where % 100000] = value;
        if (i % 1000 == 0) {
            (void)usleep(1000);
        }
    }
    _exit(9);
}

static void *run_thread(void *context)
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
    thread->root = make_node(thread, 0, RING_METHOD_ROOT);
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
            RING_EVENT(is_enter(i) ? RING_EVENT_ENTER : RING_EVENT_LEAVE,
                       is_enter(i) ? RING_METHOD_FIRST_REAL + method : 0, 0),
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

static int be_program(char **argv)
{
    int segment;
    truth = map_truth(argv[2]);
    (void)snprintf(orders.what, sizeof orders.what, "%s", argv[3]);
    orders.events = strtoull(argv[4], NULL, 10);
    orders.at = strtoull(argv[5], NULL, 10);
    orders.throttle = (uint32_t)strtoul(argv[6], NULL, 10);
    orders.sites = strcmp(argv[7], "sites") == 0;
    if (handshake_connect(getenv(CLEW_SESSION_VARIABLE), "test", &segment) != CLEW_OK ||
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

enum {
    CHILDREN = 200,     // one after the other,
    CHILD_EVENTS = 200, // of each of their threads
};
enum {
    CROWD = 40,          // children at once,
    CROWD_EVENTS = 2000, // of each of their threads, one a millisecond
};

// Runs a child as the recorded program; one that murders kills the collector on its way.
static pid_t start_child(char **argv, bool murders, bool crowd)
{
    int all = crowd ? CROWD_EVENTS : CHILD_EVENTS;
    char events[24], at[24];
    (void)snprintf(events, sizeof events, "%d", all);
    (void)snprintf(at, sizeof at, "%d", all / 2);
    char *what = murders ? (char[]){"murder"} : (char[]){"run"}, *throttle = crowd ? (char[]){"1"} : (char[]){"0"};
    char *words[] = {argv[0],  (char[]){"program"}, argv[2], what, events, at,
                     throttle, (char[]){"none"},    argv[4], NULL};
    pid_t child = fork();
    if (child == 0) {
        (void)execv(argv[0], words);
        _exit(127);
    }
    return child;
}

static bool wait_for_child(pid_t child)
{
    int status;
    return child > 0 && waitpid(child, &status, 0) == child && status == 7 << 8;
}

static int be_crowd(char **argv)
{
    pid_t children[CROWD];
    bool well = true;
    for (int i = 0; i < CROWD; i++) {
        children[i] = start_child(argv, i + 1 == CROWD, true);
    }
    for (int i = 0; i < CROWD; i++) {
        well = wait_for_child(children[i]) && well;
    }
    return well ? 5 : 1;
}

// The child with the number `murders` does so.
static int be_parent(char **argv)
{
    long murders = strtol(argv[3], NULL, 10);
    for (long i = 1; i <= CHILDREN; i++) {
        if (!wait_for_child(start_child(argv, i == murders, false))) {
            return 1;
        }
        (void)usleep(5000); // or the next one comes before the collector has seen the end of this one
    }
    return 5;
}

// -- The session around it --------------------------------------------------------------------------------------------

static char folder[64], recording[96], truth_path[96], source_path[96], self[4096];

static void forget_truth(void)
{
    for (int i = 0; i < THREADS; i++) {
        atomic_store(&truth->committed[i], 0);
    }
    atomic_store(&truth->done, 0);
}

static struct supervised run_session(struct session *session, char *const *command, void (*progress)(void *))
{
    struct recording_writer *writer;
    assert_int_equal(recording_create(recording, &session->record, &writer), CLEW_OK);
    struct supervision supervision = {.session = session,
                                      .writer = writer,
                                      .command = command,
                                      .path = self,
                                      .agent = "/nonexistent",
                                      .progress = progress};
    struct supervised supervised = {0};
    assert_int_equal(supervise(&supervision, &supervised), CLEW_OK);
    assert_int_equal(atomic_load(&session->shared->error), CLEW_OK);
    assert_int_equal(supervised.exec_error, 0);
    return supervised;
}

static struct supervised record_once(const struct orders *given, uint32_t flags)
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
        .instruments = given->instruments ? given->instruments : RING_TREE | RING_CALLS,
        .flags = flags,
    };
    session.record.started_clock = clock_tsc();
    session.keep_bytes = flags & RING_KEEP_LAST ? 256 << 10 : 0;
    struct supervised supervised = run_session(&session, command, NULL);
    (void)munmap(session.shared, sizeof *session.shared);
    return supervised;
}

// On a machine that is very busy an agent may not be answered in time and stays dormant, as it should: then again.
static struct supervised record(const struct orders *given, uint32_t flags)
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

// -- What the file must hold ------------------------------------------------------------------------------------------

struct found {
    uint64_t events[THREADS], words[THREADS];
    uint64_t tree_calls[THREADS];
    bool final[THREADS];
    bool defined[METHODS];
    uint64_t sites[THREADS], objects[THREADS];
    bool site_defined[METHODS];
    uint32_t documents, types, sources, same, missing;
    uint32_t open[THREADS][NEST]; // methods
    uint32_t depth[THREADS];
    bool over_cap;
    bool ended;
    struct recording_end end;
};

// It follows the entry whose number it tells.
static void check_site(struct found *found, uint32_t thread, const struct recording_event *event, const uint32_t *cells)
{
    uint64_t i = found->events[thread] - 1;
    uint32_t method = method_of(thread, i);
    assert_true(is_enter(i));
    assert_int_equal(event->method, method + 1);
    assert_int_equal(cells[event->number], (uint32_t)i);
    assert_true(found->site_defined[method]);
    found->sites[thread]++;
}

static void check_event(struct found *found, uint32_t thread, const struct recording_event *event,
                        const uint32_t *cells)
{
    if (event->kind == RECORDING_AT_SITE) {
        check_site(found, thread, event, cells);
        return;
    }
    uint64_t i = found->events[thread]++;
    if (!is_enter(i)) {
        assert_int_equal(event->kind, RECORDING_LEAVE);
        found->depth[thread]--;
        return;
    }
    uint32_t method = method_of(thread, i);
    assert_int_equal(event->kind, RECORDING_ENTER);
    assert_int_equal(event->method, RING_METHOD_FIRST_REAL + method);
    assert_true(found->defined[method]); // definitions come before use
    found->open[thread][found->depth[thread]++] = event->method;
}

static void check_events(struct found *found, const struct recording_events *block)
{
    uint32_t thread = block->thread - 1;
    assert_true(thread < THREADS);
    assert_int_equal(block->position, found->words[thread]); // nothing missing, nothing twice
    assert_int_equal(block->depth, found->depth[thread]);
    for (uint32_t i = 0; i < block->depth; i++) {
        assert_int_equal(block->open[i], found->open[thread][i]);
    }
    for (uint32_t i = 0; i < block->count; i++) {
        check_event(found, thread, &block->events[i], block->cells);
    }
    found->words[thread] += block->words;
}

static void check_objects(struct found *found, const struct recording_objects *block)
{
    for (uint32_t i = 0; i < block->count; i++) {
        const struct recording_object *object = &block->objects[i];
        uint32_t thread = (object->object - 1) % THREADS;
        uint64_t number = (object->object - 1) / THREADS;
        assert_true(object->type == 1 && object->size == 24 && number % OBJECT_EVERY == 0);
        // Who takes over may write those of one block again.
        assert_true(number / OBJECT_EVERY <= found->objects[thread]);
        found->objects[thread] = number / OBJECT_EVERY + 1;
    }
}

static void check_tree(struct found *found, const struct recording_tree *tree)
{
    uint32_t thread = tree->thread - 1;
    assert_true(thread < THREADS);
    found->tree_calls[thread] = 0;
    for (uint32_t i = 1; i < tree->count; i++) {
        assert_true(tree->nodes[i].parent < i);
        assert_true(found->defined[tree->nodes[i].method - RING_METHOD_FIRST_REAL]);
        found->tree_calls[thread] += tree->nodes[i].calls;
    }
    found->final[thread] |= tree->final;
}

static void check_record(struct found *found, const struct recording_record *record)
{
    switch (record->type) {
    case RECORDING_PROCESS:
        found->over_cap = record->process.over_cap;
        break;
    case RECORDING_METHOD:
        found->defined[record->method.method - RING_METHOD_FIRST_REAL] = true;
        break;
    case RECORDING_SITES:
        found->site_defined[record->sites.first - 1] = true;
        assert_int_equal(record->sites.method, RING_METHOD_FIRST_REAL + record->sites.first - 1);
        break;
    case RECORDING_DOCUMENT:
        found->documents |= 1u << record->document.document;
        break;
    case RECORDING_TYPE:
        found->types |= record->value_type.type;
        break;
    case RECORDING_SOURCE:
        found->sources += record->source.state == RECORDING_SOURCE_VERIFIED;
        found->same += record->source.state == RECORDING_SOURCE_SAME;
        found->missing |= record->source.state == RECORDING_SOURCE_MISSING ? 1u << record->source.of.document : 0;
        break;
    case RECORDING_OBJECTS:
        check_objects(found, &record->objects);
        break;
    case RECORDING_EVENTS:
        check_events(found, &record->events);
        break;
    case RECORDING_TREE_NODES:
        check_tree(found, &record->tree);
        break;
    case RECORDING_END:
        found->ended = true;
        found->end = record->end;
        break;
    default:
        break;
    }
}

static struct found read_all(void)
{
    struct recording_reader *reader;
    struct recording_record record;
    struct found found = {0};
    assert_int_equal(recording_open(recording, &reader), CLEW_OK);
    while (recording_next(reader, UINT32_MAX, &record) == CLEW_OK) {
        check_record(&found, &record);
    }
    struct recording_health health = recording_health(reader);
    assert_int_equal(health.damaged, 0);
    assert_int_equal(health.cut_bytes, 0);
    recording_close_reader(reader);
    assert_true(found.ended);
    assert_int_equal(found.documents, 1u << 1 | 1u << 2 | 1u << 3);
    assert_int_equal(found.types, 1);
    assert_int_equal(found.sources, 1); // once for both, also after a death
    assert_int_equal(found.same, 1);
    assert_int_equal(found.missing, 1u << 3);
    return found;
}

static uint64_t enters_in(uint64_t events)
{
    uint64_t rest = events % (2 * NEST);
    return events / (2 * NEST) * NEST + (rest < NEST ? rest : NEST);
}

// At most one event may be there that the program had no time to count.
static void check_against_truth(const struct found *found, bool exact, bool sites)
{
    uint64_t all = 0;
    for (int i = 0; i < THREADS; i++) {
        uint64_t committed = atomic_load(&truth->committed[i]);
        uint64_t more = found->events[i] - committed;
        assert_true(more <= (exact ? 0 : 1));
        uint64_t calls = found->tree_calls[i] - enters_in(committed);
        assert_true(calls <= (exact ? 0 : 1));
        assert_true(found->final[i] || committed == 0);
        if (sites) {
            assert_true(found->sites[i] - enters_in(committed) <= (exact ? 0 : 1));
            assert_true(found->objects[i] - (committed + OBJECT_EVERY - 1) / OBJECT_EVERY <= (exact ? 0 : 1));
        }
        all += found->events[i] + found->sites[i];
    }
    assert_int_equal(found->end.events, all);
    assert_int_equal(found->end.lost, 0);
}

static uint64_t random_below(uint64_t limit)
{
    return ((uint64_t)rand() << 16 ^ (uint64_t)rand()) % limit;
}

static bool again(int loops, uint64_t started_ns)
{
    uint64_t seconds = (clock_monotonic_ns() - started_ns) / 1000000000;
    return loops < LOOPS_LEAST || (loops < LOOPS && seconds < LOOPS_SECONDS);
}

static void run_to_the_end(bool sites)
{
    struct orders given = {.what = "run", .events = 300000, .sites = sites};
    struct supervised supervised = record(&given, 0);
    assert_true(WIFEXITED(supervised.status));
    assert_int_equal(WEXITSTATUS(supervised.status), 7);
    assert_false(supervised.took_over);
    struct found found = read_all();
    check_against_truth(&found, true, sites);
    assert_true(found.end.complete);
    assert_int_equal(found.end.threads, THREADS);
    assert_int_equal(found.end.events, THREADS * given.events / 2 * (sites ? 3 : 2));
}

static void runs_to_its_end(void **state)
{
    (void)state;
    run_to_the_end(false);
    run_to_the_end(true);
}

// Who asked for no tree has lost nothing by its cap.
static void the_cap_is_told_of_trees_alone(void **state)
{
    (void)state;
    static const uint32_t instruments[] = {RING_TREE, RING_CALLS, RING_TREE | RING_CALLS};
    for (size_t i = 0; i < sizeof instruments / sizeof *instruments; i++) {
        struct orders given = {.what = "run", .events = 1000, .instruments = instruments[i]};
        (void)record(&given, 0);
        assert_int_equal(read_all().over_cap, (instruments[i] & RING_TREE) != 0);
    }
}

static void program_killed_anywhere(void **state)
{
    (void)state;
    uint64_t started_ns = clock_monotonic_ns();
    for (int i = 0; again(i, started_ns); i++) {
        struct orders given = {
            .what = "die", .events = 2000000, .at = random_below(i % 2 ? 60000 : 300), .sites = i % 4 < 2};
        struct supervised supervised = record(&given, 0);
        assert_true(WIFSIGNALED(supervised.status));
        assert_int_equal(WTERMSIG(supervised.status), SIGKILL);
        struct found found = read_all();
        check_against_truth(&found, false, given.sites);
        assert_true(found.events[0] == given.at + 1);
    }
}

static void collector_killed_anywhere(void **state)
{
    (void)state;
    int took_over = 0, loops = 0;
    for (uint64_t started_ns = clock_monotonic_ns(); again(loops, started_ns); loops++) {
        int i = loops;
        uint64_t events = i % 2 ? 60000 : 4000;
        struct orders given = {.what = "murder",
                               .events = events,
                               .at = random_below(events),
                               .throttle = i % 2 ? 10000 : 100,
                               .sites = i % 4 < 2};
        struct supervised supervised = record(&given, 0);
        assert_true(WIFEXITED(supervised.status));
        assert_int_equal(WEXITSTATUS(supervised.status), 7);
        took_over += supervised.took_over;
        struct found found = read_all();
        check_against_truth(&found, true, given.sites);
        assert_int_equal(found.end.events, THREADS * events / 2 * (given.sites ? 3 : 2));
    }
    assert_int_equal(took_over, loops);
}

// Whatever the program writes over the shared memory, clew goes on to its end, and so does the program.
static void wild_pointers_do_no_harm(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        struct orders given = {
            .what = "scribble", .events = 100000, .at = random_below(50000), .throttle = 1000, .sites = i % 2};
        struct recording_reader *reader;
        struct recording_record record_read;
        struct supervised supervised = record(&given, 0);
        assert_true(WIFEXITED(supervised.status));
        assert_int_equal(WEXITSTATUS(supervised.status), 9);
        assert_false(supervised.took_over);
        assert_int_equal(recording_open(recording, &reader), CLEW_OK);
        while (recording_next(reader, UINT32_MAX, &record_read) == CLEW_OK) {
        }
        assert_int_equal(recording_health(reader).damaged, 0);
        assert_true(recording_health(reader).ended);
        recording_close_reader(reader);
    }
}

// A flight recorder has the end of the streams, whole, and knows what runs where it begins. A thread that ended early
// may be gone altogether.
static void keeps_the_last(void **state)
{
    (void)state;
    struct orders given = {.what = "run", .events = 400000, .throttle = 2000};
    struct recording_reader *reader;
    struct recording_record record_read;
    uint64_t words[THREADS] = {0}, kept = 0;
    (void)record(&given, RING_KEEP_LAST);
    assert_int_equal(recording_open(recording, &reader), CLEW_OK);
    while (recording_next(reader, 1u << RECORDING_EVENTS, &record_read) == CLEW_OK) {
        const struct recording_events *block = &record_read.events;
        uint32_t thread = block->thread - 1;
        uint64_t at = block->position / 2 % (2 * NEST); // events of two cells
        assert_true(words[thread] == 0 || words[thread] == block->position);
        assert_int_equal(block->depth, at < NEST ? at : 2 * NEST - at);
        words[thread] = block->position + block->words;
        kept += block->words;
    }
    recording_close_reader(reader);
    int whole = 0;
    for (int i = 0; i < THREADS; i++) {
        assert_true(words[i] == 2 * given.events || words[i] == 0);
        whole += words[i] == 2 * given.events;
    }
    assert_true(whole > 0);
    assert_true(kept < THREADS * given.events / 4);
    assert_true(kept >= 10000);
}

// What is kept may tell of any of them.
static void keeps_all_objects(void **state)
{
    (void)state;
    struct orders given = {.what = "run", .events = 400000, .throttle = 2000, .sites = true};
    struct recording_reader *reader;
    struct recording_record record_read;
    struct found found = {0};
    uint64_t kept = 0;
    (void)record(&given, RING_KEEP_LAST);
    assert_int_equal(recording_open(recording, &reader), CLEW_OK);
    while (recording_next(reader, 1u << RECORDING_EVENTS | 1u << RECORDING_OBJECTS, &record_read) == CLEW_OK) {
        if (record_read.type == RECORDING_OBJECTS) {
            check_objects(&found, &record_read.objects);
        } else {
            kept += record_read.events.words;
        }
    }
    recording_close_reader(reader);
    assert_true(kept > 0 && kept < THREADS * given.events);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(found.objects[i], given.events / OBJECT_EVERY);
    }
}

// -- Many processes ---------------------------------------------------------------------------------------------------

static int count_files(const char *path)
{
    int count = 0;
    DIR *files = opendir(path);
    while (files && readdir(files)) {
        count++;
    }
    if (files) {
        (void)closedir(files); // only read from
    }
    return count;
}

static int count_segments(pid_t pid)
{
    char path[64], line[512];
    int count = 0;
    (void)snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    FILE *maps = fopen(path, "re");
    while (maps && fgets(line, sizeof line, maps)) {
        count += strstr(line, "memfd:clew-ring") != NULL;
    }
    if (maps) {
        (void)fclose(maps); // only read from
    }
    return count;
}

// The first child of ours that has the collector's name.
static pid_t find_collector(void)
{
    char path[64], name[64];
    int pid;
    pid_t found = 0;
    (void)snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *children = fopen(path, "re");
    while (children && !found && fscanf(children, "%d", &pid) == 1) {
        (void)snprintf(path, sizeof path, "/proc/%d/comm", pid);
        FILE *comm = fopen(path, "re");
        found = comm && fgets(name, sizeof name, comm) && strncmp(name, "clew-collector", 14) == 0 ? pid : 0;
        if (comm) {
            (void)fclose(comm); // only read from
        }
    }
    if (children) {
        (void)fclose(children); // only read from
    }
    return found;
}

static struct {
    int looks, files, collector_files, segments; // the most that were seen
} seen;

static void most(int *of, int count)
{
    *of = count > *of ? count : *of;
}

static void look(void *context)
{
    char path[64];
    pid_t collector = find_collector();
    (void)context;
    seen.looks++;
    most(&seen.files, count_files("/proc/self/fd"));
    most(&seen.segments, count_segments(collector ? collector : getpid()));
    (void)snprintf(path, sizeof path, "/proc/%d/fd", (int)collector);
    most(&seen.collector_files, collector ? count_files(path) : 0);
}

static struct recording_end read_end(void)
{
    struct recording_reader *reader;
    struct recording_record found = {0};
    assert_int_equal(recording_open(recording, &reader), CLEW_OK);
    assert_int_equal(recording_next(reader, 1u << RECORDING_END, &found), CLEW_OK);
    recording_close_reader(reader);
    return found.end;
}

static struct recording_end record_children(const char *how, long murders)
{
    char number[24];
    (void)snprintf(number, sizeof number, "%ld", murders);
    char *command[] = {self, (char *)how, truth_path, number, source_path, NULL};
    struct session session = {.path = recording,
                              .shared = session_shared_new(),
                              .calibration = clock_pair_now(),
                              .children = true,
                              .record = {.clock = CLOCK_KIND_TSC, .clock_hz = 1e9, .instruments = RING_CALLS}};
    session.record.started_clock = clock_tsc();
    memset(&seen, 0, sizeof seen);
    struct supervised supervised = run_session(&session, command, look);
    assert_int_equal(supervised.status, 5 << 8);
    assert_int_equal(supervised.took_over, murders > 0);
    (void)munmap(session.shared, sizeof *session.shared);
    return read_end();
}

// What a process needed goes with it, on both sides: descriptors and memory do not grow with the number of processes. Its
// sums stay, also when the collector dies later.
static void segments_go_with_their_processes(void **state)
{
    (void)state;
    for (long murders = 0; murders <= CHILDREN; murders += CHILDREN / 2) {
        struct recording_end end = record_children("parent", murders);
        assert_int_equal(end.processes, CHILDREN);
        assert_int_equal(end.threads, CHILDREN * THREADS);
        assert_int_equal(end.events, (uint64_t)CHILDREN * THREADS * CHILD_EVENTS);
        assert_int_equal(end.lost, 0);
        assert_true(end.complete);
        assert_true(seen.looks > 0);
        assert_in_range(seen.files, 1, CHILDREN / 2);
        assert_in_range(seen.collector_files, 0, CHILDREN / 2);
        assert_in_range(seen.segments, 0, CHILDREN / 2);
    }
}

static uint32_t count_notes(const char *words)
{
    struct recording_reader *reader;
    struct recording_record record_read;
    uint32_t count = 0;
    assert_int_equal(recording_open(recording, &reader), CLEW_OK);
    while (recording_next(reader, 1u << RECORDING_NOTE, &record_read) == CLEW_OK) {
        const struct text text = record_read.note.text;
        count += memmem(text.at, text.size, words, strlen(words)) != NULL;
    }
    recording_close_reader(reader);
    return count;
}

// There are more processes than clew may hold descriptors for; then the collector dies. All are answered before, all run to
// their end, and the recording says that some are not in it to theirs.
static void what_clew_cannot_hold_is_said(void **state)
{
    (void)state;
    struct rlimit few = {CROWD, CROWD};
    pid_t child = fork(); // a hard limit stays
    if (child == 0) {
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
        struct recording_end end = record_children("crowd", 1);
        assert_int_equal(end.processes, CROWD);
        assert_false(end.complete);
        assert_true(count_notes("clew did not hold the memory of") > 0);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static int set_up(void **state)
{
    (void)state;
    ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
    self[size > 0 ? size : 0] = '\0';
    (void)snprintf(folder, sizeof folder, "/tmp/clew-test-XXXXXX");
    if (!mkdtemp(folder)) {
        return -1;
    }
    (void)snprintf(recording, sizeof recording, "%s/a.clew", folder);
    (void)snprintf(truth_path, sizeof truth_path, "%s/truth", folder);
    truth = map_truth(truth_path);
    (void)snprintf(source_path, sizeof source_path, "%s/Fake.cs", folder);
    FILE *source = fopen(source_path, "w");
    assert_non_null(source);
    assert_true(fputs(source_text, source) >= 0 && fclose(source) == 0);
    srand((unsigned)time(NULL));
    return truth ? 0 : -1;
}

static int tear_down(void **state)
{
    char old[128];
    (void)state;
    (void)snprintf(old, sizeof old, "%s.old", recording);
    (void)unlink(old);
    (void)unlink(recording);
    (void)unlink(truth_path);
    (void)unlink(source_path);
    return rmdir(folder);
}

int main(int argc, char **argv)
{
    if (argc > 6 && strcmp(argv[1], "program") == 0) {
        return be_program(argv);
    }
    if (argc > 4 && strcmp(argv[1], "parent") == 0) {
        return be_parent(argv);
    }
    if (argc > 4 && strcmp(argv[1], "crowd") == 0) {
        return be_crowd(argv);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_to_its_end),
        cmocka_unit_test(the_cap_is_told_of_trees_alone),
        cmocka_unit_test(program_killed_anywhere),
        cmocka_unit_test(collector_killed_anywhere),
        cmocka_unit_test(wild_pointers_do_no_harm),
        cmocka_unit_test(keeps_the_last),
        cmocka_unit_test(keeps_all_objects),
        cmocka_unit_test(segments_go_with_their_processes),
        cmocka_unit_test(what_clew_cannot_hold_is_said),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
