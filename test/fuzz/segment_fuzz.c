// Reads any bytes as the actions of a program that shares a segment with the collector. Some are actions of an agent
// (threads, definitions, events, ends). Others are those of a wild pointer, which writes words anywhere in the segment,
// between the collector's passes and, on a second thread, during them. The test calls the collector's functions on the
// segment directly, sometimes replaces the collector by a successor, and reads the file back.
//
// Everything must end and stay within bounds, and nothing may leak. If no wild pointer wrote, the collector must not call the
// process damaged, and all its events must be in the file.
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

#include "collector/drain/process.h"
#include "collector/session/exit_status.h"
#include "recording/reader.h"
#include "recording/writer.h"
#include "ring/segment.h"
#include "trace/site.h"

#include "segment_agent.h"
#include "trace/instrument.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ACTIONS_MAX = 300, CHUNKS_NEAR = 16 /* that are written over */ };

static struct session_shared shared;
static char recording[64];

static void remove_file(void)
{
    (void)unlink(recording);
}

static void make_path(void)
{
    if (!recording[0]) {
        const char *memory = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
        (void)snprintf(recording, sizeof recording, "%s/clew-segment-fuzz-%d", memory, (int)getpid());
        require(atexit(remove_file) == 0);
    }
    (void)unlink(recording); // a run that crashed may have left it
}

// -- The wild pointer -------------------------------------------------------------------------------------------------

// A word in a part of the segment that is in use.
static char *somewhere(uint32_t where, uint64_t offset, const struct ring_header *layout)
{
    const struct {
        uint64_t at, size;
    } regions[] = {
        {0, RING_HEADER_FIXED_SIZE},
        {RING_HEADER_FIXED_SIZE, sizeof(struct ring_header) - RING_HEADER_FIXED_SIZE},
        {layout->threads_offset, THREADS * sizeof(struct ring_thread)},
        {layout->chunks_offset, CHUNKS_NEAR * RING_CHUNK_SIZE},
        {layout->chunks_offset + offset % CHUNKS_NEAR * RING_CHUNK_SIZE, sizeof(struct ring_chunk)},
        {layout->nodes_offset, 8 * RING_NODE_BLOCK * sizeof(struct ring_node)},
        {layout->definitions_offset, 4096},
        {layout->event_lengths_offset, SITES * sizeof(uint16_t)},
        {layout->lines_blocks_offset, 16 * sizeof(struct ring_lines_block)},
        {layout->free_chunks_offset, 16},
        {layout->paths_offset, PATHS * sizeof(struct ring_path)},
        {layout->node_runs_offset, 8 * RING_NODE_BLOCK * sizeof(struct ring_run)},
    };
    where %= sizeof regions / sizeof *regions;
    uint64_t at = regions[where].at + offset % (regions[where].size / 4) * 4;
    return (char *)world.program + at;
}

// Overwrites 4 or 8 bytes at a random position of a part in use.
static void overwrite_word(void)
{
    uint32_t what = byte();
    char *place = somewhere(what, number(), world.process->ring);
    uint64_t value = number();
    memcpy(place, &value, what & 0x80 ? 8 : 4);
    world.honest = false;
}

// Writes random cells at a thread's cursor.
static void write_cells(void)
{
    struct made_thread *thread = &world.threads[byte() % THREADS];
    size_t count = byte();
    uint32_t *cells = thread->live ? room_for(thread, count) : NULL;
    for (size_t i = 0; cells && i < count; i++) {
        cells[i] = (uint32_t)number();
    }
    if (cells) {
        commit(thread, count);
        world.honest = false;
    }
}

// The second thread. It writes random words while `active`, and sleeps otherwise. It has a layout of its own, since the
// collector's goes away with the process.
static struct scribbler {
    pthread_t thread;
    bool begun;
    sem_t begins, ends;
    _Atomic bool active;
    uint64_t state;
    struct ring_header layout;
} scribbler;

// Until a post, whatever signals arrive: the fuzzer's timer sends one now and then.
static void await(sem_t *semaphore)
{
    while (sem_wait(semaphore) != 0) {
        require(errno == EINTR);
    }
}

static void *scribble(void *context)
{
    (void)context;
    for (;;) {
        await(&scribbler.begins);
        while (atomic_load(&scribbler.active)) {
            scribbler.state = scribbler.state * UINT64_C(6364136223846793005) + 1442695040888963407;
            uint64_t random = scribbler.state >> 20;
            char *place = somewhere((uint32_t)(random >> 8), random >> 12, &scribbler.layout);
            *(volatile uint32_t *)(void *)place = (uint32_t)(random >> (random & 31));
        }
        (void)sem_post(&scribbler.ends);
    }
    return NULL;
}

// Wakes the second thread, and starts it first if there is none yet.
static void start_scribbler(uint64_t seed)
{
    if (!scribbler.begun) {
        require(sem_init(&scribbler.begins, 0, 0) == 0 && sem_init(&scribbler.ends, 0, 0) == 0);
        require(pthread_create(&scribbler.thread, NULL, scribble, NULL) == 0);
        scribbler.begun = true;
    }
    scribbler.state = seed;
    scribbler.layout = *world.process->ring;
    world.honest = false;
    atomic_store(&scribbler.active, true);
    (void)sem_post(&scribbler.begins);
}

static void stop_scribbler(void)
{
    atomic_store(&scribbler.active, false);
    await(&scribbler.ends);
}

// -- The collector ----------------------------------------------------------------------------------------------------

static void note(enum clew_error error)
{
    require(error == CLEW_OK); // no content of the segment may stop the collector
}

// One pass of the collector over the process. Bits of the input select which periodic work is due: trees, counters, records. A
// few passes run while the second thread writes.
static void pass(void)
{
    struct process *process = world.process;
    uint32_t what = byte(), scribbling = byte();
    for (uint32_t i = 0; i < process->slot_count && what & 1; i++) {
        process->slots[i].pending_since_ns = 1;
    }
    process->next_trees_ns = what & 2 ? 0 : UINT64_MAX;
    process->next_counters_ns = what & 4 ? 0 : UINT64_MAX;
    process->next_record_ns = what & 8 ? 0 : UINT64_MAX;
    if (scribbling > 250) {
        start_scribbler(scribbling ^ what << 8);
    }
    note(process_drain(process, &world.drain, clock_monotonic_ns()));
    if (scribbling > 250) {
        stop_scribbler();
    }
}

static void watch_process(struct ring_header *ring)
{
    note(process_new(ring, (struct watch){.pid = (pid_t)ring->os_pid, .pidfd = -1}, (struct text){0}, &world.process));
    world.process->next_cpu_ns = UINT64_MAX; // there are no threads to sample
}

// Simulates the collector's death: a successor continues with the file and the segment.
static void replace_collector(void)
{
    struct ring_header *ring;
    struct recording_reader *reader;
    process_free(world.process);
    note(recording_close(world.drain.writer, NULL));
    contents_free(&world.drain.contents);
    note(recording_resume(recording, &world.drain.writer));
    world.program->process = world.options.process; // a successor leaves a process with another number alone
    note(segment_adopt(world.segment, &world.options, &ring));
    watch_process(ring);
    note(recording_open_reader(recording, &reader));
    note(process_resume(world.process, &world.drain, reader));
    recording_close_reader(reader);
}

// -- One input --------------------------------------------------------------------------------------------------------

// Creates a recording and a segment, and maps the segment as the program does. The first byte selects instruments and flags.
static void begin_world(void)
{
    static const uint32_t instruments[] = {INSTRUMENT_TREE, INSTRUMENT_TREE | INSTRUMENT_CALLS,
                                           INSTRUMENT_TREE | INSTRUMENT_CALLS | INSTRUMENT_STATEMENTS |
                                               INSTRUMENT_VALUES,
                                           INSTRUMENT_TREE | INSTRUMENT_LINES};
    struct ring_header *ring;
    uint32_t choice = byte();
    struct drain kept = world.drain;
    world = (struct world){.honest = true, .drain = kept};
    world.options = (struct ring_options){.process = 1, .nodes_max = NODES, .clock = CLOCK_KIND_TSC};
    world.options.instruments = instruments[choice % 4];
    world.options.flags = choice & 0x40 ? SESSION_KEEP_LAST : 0;
    memset(&shared, 0, sizeof shared);
    world.session = (struct session){.shared = &shared, .path = recording, .keep_bytes = 4 * RING_CHUNK_SIZE};
    world.session.record = (struct recording_session){.clock = CLOCK_KIND_TSC,
                                                      .clock_hz = 1e9,
                                                      .instruments = world.options.instruments,
                                                      .flags = world.options.flags};
    world.drain.session = &world.session;
    world.drain.until_ns = UINT64_MAX;
    make_path();
    note(recording_create(recording, &world.session.record, &world.drain.writer));
    require(world.drain.block.events || stream_block_init(&world.drain.block));
    note(segment_create(&world.options, &world.segment, &ring));
    ring->os_pid = NO_ID;
    note(segment_protect(world.segment, ring));
    note(segment_map(world.segment, &world.program));
    atomic_store(&world.program->agent_state, RING_AGENT_RECORDING);
    watch_process(ring);
}

// Reads the file, which must be whole, whatever happened to the segment. Counts its events.
static void read_back(void)
{
    struct recording_reader *reader;
    struct recording_record record;
    uint64_t events = 0, written = 0;
    note(recording_open_reader(recording, &reader));
    while (recording_next(reader, UINT32_MAX, &record) == CLEW_OK) {
        for (uint32_t i = 0; record.type == RECORDING_EVENTS && i < record.events.count; i++) {
            enum recording_event_kind kind = record.events.events[i].kind;
            events += kind != RECORDING_LOST && kind != RECORDING_STACK && kind != RECORDING_RUN;
        }
    }
    struct recording_health health = recording_health(reader);
    require(health.ended && health.damaged == 0);
    recording_close_reader(reader);
    for (uint32_t i = 0; i < THREADS; i++) {
        written += world.threads[i].written;
    }
    require(!world.honest || events == written || world.options.flags & SESSION_KEEP_LAST);
}

// Ends the process and the session, then reads the file back.
static void end_world(void)
{
    uint64_t segment_size = world.process->ring->segment_size;
    bool done;
    process_begin_end(world.process, PROCESS_ENDED, EXIT_STATUS_UNKNOWN);
    note(process_finish(world.process, &world.drain, &done));
    require(done);
    require(!world.honest || !world.process->damaged);
    process_free(world.process);
    note(recording_close(world.drain.writer, &(struct recording_end){.complete = true}));
    contents_free(&world.drain.contents);
    world.program->segment_size = segment_size; // for segment_unmap()
    segment_unmap(world.program);
    (void)close(world.segment); // a memfd
    read_back();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input = bytes_of(data, size);
    begin_world();
    for (uint32_t actions = 0; bytes_left(&input) > 0 && actions < ACTIONS_MAX; actions++) {
        switch (byte() % 16) {
        case 0:
            define_something();
            break;
        case 1:
            define_site();
            break;
        case 2:
            count_lines();
            break;
        case 3:
            begin_thread();
            break;
        case 4:
        case 5:
            pass();
            break;
        case 6:
            replace_collector();
            break;
        case 7:
        case 8:
            overwrite_word();
            break;
        case 9:
            write_cells();
            break;
        default:
            run_thread();
        }
    }
    end_world();
    return 0;
}
