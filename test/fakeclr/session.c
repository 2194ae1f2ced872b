#include "session.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "check.h"
#include "ring/handshake.h"
#include "runtime.h"
#include "trace/instrument.h"

enum { TOLD_MAX = 8192, LATE_US = 200 * 1000, DIES_US = 300 * 1000 };

struct ring_header *session_ring;

static int segment_fd, listener;
static struct told *told;
static uint32_t told_count;

const struct ring_options session_tree = {
    .process = 1, .clock = CLOCK_KIND_TSC, .instruments = INSTRUMENT_TREE, .scope = {"include *\n", 10}};

void session_path(pid_t process, char *path, size_t size)
{
    (void)snprintf(path, size, "/tmp/fakeclr-%d.socket", (int)process);
}

static void *answer(void *argument)
{
    enum session_answer how = *(const enum session_answer *)argument;
    enum ring_welcome_status status = how == SESSION_REFUSES         ? RING_WELCOME_OTHER_PROCESS
                                      : how == SESSION_OTHER_VERSION ? RING_WELCOME_OTHER_VERSION
                                                                     : RING_WELCOME_ACCEPTED;
    struct handshake_queue queue = {.listener = listener};
    struct handshake_peer peer;
    if (how == SESSION_LATE) {
        (void)usleep(LATE_US);
    }
    if (how == SESSION_DIES) {
        (void)usleep(DIES_US);
        (void)close(listener); // this also closes connections that wait to be accepted
        return NULL;
    }
    for (int i = 0; i < 100; i++) { // more often than a test starts the agent
        if (handshake_accept(&queue, &peer) == CLEW_OK) {
            (void)handshake_answer(&peer, status, segment_fd); // the peer may be gone already
        }
    }
    return NULL;
}

void session_open(const struct ring_options *options, enum session_answer asked)
{
    static enum session_answer how;
    char path[64];
    pthread_t thread;
    how = asked;
    told = calloc(TOLD_MAX, sizeof *told);
    CHECK(told);
    CHECK_EQUAL(segment_create(options, &segment_fd, &session_ring), CLEW_OK);
    session_ring->os_pid = getpid(); // now, as the agent will protect its copy
    session_path(getpid(), path, sizeof path);
    (void)unlink(path); // of an earlier run
    CHECK_EQUAL(setenv(CLEW_SESSION_VARIABLE, path, 1), 0);
    if (how == SESSION_ABSENT) {
        return;
    }
    CHECK_EQUAL(handshake_listen(path, &listener), CLEW_OK);
    if (how == SESSION_SILENT) {
        return;
    }
    if (how == SESSION_DEAD) {
        (void)close(listener); // the socket stays in its folder
        return;
    }
    CHECK_EQUAL(pthread_create(&thread, NULL, answer, &how), 0);
    CHECK_EQUAL(pthread_detach(thread), 0);
}

// The segment is mapped twice: the agent's mapping is used from now on, so that a race detector sees one memory.
static void share_mapping(void)
{
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "r");
    CHECK(maps);
    while (fgets(line, sizeof line, maps)) {
        uintptr_t start = strtoul(line, NULL, 16);
        if (strstr(line, "memfd:clew-ring") && start != (uintptr_t)session_ring) {
            // An address from the kernel's list: the shared header, which lies in front of the protected segment.
            struct ring_header *theirs = (struct ring_header *)(start + sizeof(struct ring_header));
            CHECK_EQUAL(theirs->magic, RING_MAGIC);
            segment_unmap(session_ring);
            session_ring = theirs;
            break;
        }
    }
    (void)fclose(maps); // only read
}

void session_record(const struct ring_options *options)
{
    session_open(options, SESSION_ACCEPTS);
    clr_result result = fake_start();
    for (int tries = 0; tries < 20 && session_ring->agent_state == RING_AGENT_ABSENT; tries++) {
        result = fake_start(); // the machine is busy: the agent has not waited long enough
    }
    CHECK_EQUAL(result, CLR_OK);
    CHECK_EQUAL(session_ring->agent_state, RING_AGENT_RECORDING);
    share_mapping();
}

void session_protect(void)
{
    CHECK_EQUAL(segment_protect(segment_fd, session_ring), CLEW_OK);
}

// -- Definitions ------------------------------------------------------------------------------------------------------

static void copy_text(char *into, size_t size, struct text text)
{
    size_t kept = text.size < size ? text.size : size - 1;
    if (kept) {
        memcpy(into, text.at, kept);
    }
    into[kept] = 0;
}

static void keep(const struct ring_definition *definition)
{
    CHECK(told_count < TOLD_MAX);
    struct told *into = &told[told_count++];
    into->type = definition->type;
    into->module = definition->module;
    into->method = definition->method;
    into->token = definition->token;
    into->flags = definition->flags;
    into->os_id = definition->os_id;
    into->number = definition->number;
    buffer_append(&into->blob, definition->blob.at, bytes_left(&definition->blob));
    buffer_append(&into->roles, definition->roles.at, bytes_left(&definition->roles));
    copy_text(into->name, sizeof into->name, definition->name);
    copy_text(into->path, sizeof into->path, definition->path);
    copy_text(into->reason, sizeof into->reason, definition->reason);
}

const struct told *session_told(uint32_t *count)
{
    struct buffer buffer = {0};
    while (ring_definition_read(session_ring, &buffer)) {
        struct ring_definition definition;
        struct bytes bytes = bytes_of(buffer.data, buffer.size);
        CHECK(ring_definition_decode(&bytes, &definition) && bytes_left(&bytes) == 0);
        keep(&definition);
    }
    buffer_free(&buffer);
    *count = told_count;
    return told;
}

const struct told *session_find(enum ring_definition_type type, uint32_t module, uint32_t token)
{
    uint32_t count;
    const struct told *all = session_told(&count);
    while (count-- > 0) {
        if (all[count].type == type && (!module || all[count].module == module) &&
            (!token || all[count].token == token)) {
            return &all[count];
        }
    }
    return NULL;
}

uint32_t session_count(enum ring_definition_type type)
{
    uint32_t count, found = 0;
    const struct told *all = session_told(&count);
    for (uint32_t i = 0; i < count; i++) {
        found += all[i].type == type;
    }
    return found;
}

void session_skip(void)
{
    uint64_t written = atomic_load_explicit(&session_ring->definitions_written, memory_order_acquire);
    atomic_store_explicit(&session_ring->definitions_read, written, memory_order_release);
}

// -- Trees ------------------------------------------------------------------------------------------------------------

// The agent stores os_id without an atomic: only its own thread finds itself here, and others do not match.
__attribute__((no_sanitize_thread)) struct ring_thread *session_thread(void)
{
    uint32_t os_id = (uint32_t)syscall(SYS_gettid);
    for (uint32_t i = 0; i < session_ring->threads_used; i++) {
        struct ring_thread *thread = &ring_threads(session_ring)[i];
        if (thread->os_id == os_id && thread->state == RING_THREAD_LIVE) {
            return thread;
        }
    }
    return NULL;
}

const struct ring_node *session_node(const struct ring_thread *thread, ...)
{
    const struct ring_node *nodes = ring_nodes(session_ring);
    va_list path;
    uint32_t node = thread->root, method;
    va_start(path, thread);
    while (node && (method = va_arg(path, uint32_t))) {
        node = nodes[node].first_child;
        while (node && nodes[node].method != method) {
            node = nodes[node].next_sibling;
        }
    }
    va_end(path);
    return node ? &nodes[node] : NULL;
}

static uint32_t running_below(uint32_t node)
{
    const struct ring_node *nodes = ring_nodes(session_ring);
    uint32_t count = 0;
    for (uint32_t child = nodes[node].first_child; child; child = nodes[child].next_sibling) {
        count += (nodes[child].started != 0) + running_below(child);
    }
    return count;
}

uint32_t session_running(const struct ring_thread *thread)
{
    return running_below(thread->root);
}
