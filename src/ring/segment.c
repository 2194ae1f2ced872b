// Making and mapping segments. The memfd is sealed against shrinking, since reading a mapped file behind its end kills
// the reader (SIGBUS), and against growing. Its size is the sum of all parts at their largest; pages exist once
// touched.
#include "ring/segment.h"

#include <assert.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/assert.h"

enum {
    PAGE = 4096,
    NODES_DEFAULT = 4 << 20,
    CHUNK_QUOTA_DEFAULT = 4096,
    TEXT_MAX = 1 << 20,
    FRONT = sizeof(struct ring_header)
};

static uint64_t add_part(uint64_t *end, uint64_t size)
{
    CLEW_ASSERT(*end % PAGE == 0);
    uint64_t offset = *end;
    *end = (offset + size + PAGE - 1) & ~(uint64_t)(PAGE - 1);
    return offset;
}

static void lay_out(struct ring_header *header, const struct ring_options *options)
{
    uint64_t end = 0;
    *header = (struct ring_header){
        .magic = RING_MAGIC,
        .version = RING_VERSION,
        .header_size = sizeof *header,
        .process = options->process,
        .clock = options->clock,
        .instruments = options->instruments,
        .flags = options->flags,
        .depth_max = options->depth_max,
        .text_size = (uint32_t)options->scope.size,
        .nodes_max = options->nodes_max ? options->nodes_max : NODES_DEFAULT,
        .chunk_quota = options->chunk_quota ? options->chunk_quota : CHUNK_QUOTA_DEFAULT,
        .collector_pid = getpid(),
        .nodes_used = RING_NODE_BLOCK, // node 0 means none; its block stays unused
        .paths_used = PATH_FIRST,
        .histograms_used = 1,                      // number 0 means none
        .exceptions_used = 1,                      // likewise
        .throws_used = 1,                          // likewise
        .activations_used = RING_ACTIVATION_BLOCK, // slot 0 means none; its block stays unused
    };
    (void)add_part(&end, sizeof *header);
    header->text_offset = add_part(&end, options->scope.size);
    header->free_chunks_offset = add_part(&end, RING_CHUNKS_MAX / 8);
    header->definitions_offset = add_part(&end, RING_DEFINITIONS_SIZE);
    header->threads_offset = add_part(&end, RING_THREADS_MAX * sizeof(struct ring_thread));
    header->event_lengths_offset = add_part(&end, RING_SITES_MAX * sizeof(uint16_t));
    header->lines_blocks_offset = add_part(&end, RING_LINES_BLOCKS * sizeof(struct ring_lines_block));
    header->lines_offset = add_part(&end, RING_LINES_SIZE);
    header->chunks_offset = add_part(&end, (uint64_t)RING_CHUNKS_MAX * RING_CHUNK_SIZE);
    header->paths_offset = add_part(&end, RING_PATHS_MAX * sizeof(struct ring_path));
    header->activations_offset = add_part(&end, RING_ACTIVATIONS_MAX * sizeof(struct ring_activation));
    header->histograms_offset = add_part(&end, RING_HISTOGRAMS_MAX * sizeof(struct ring_histogram));
    header->node_histograms_offset = add_part(&end, (uint64_t)header->nodes_max * sizeof(uint32_t));
    header->exceptions_offset = add_part(&end, RING_EXCEPTIONS_MAX * sizeof(struct ring_exception));
    header->throws_offset = add_part(&end, RING_THROWS_MAX * sizeof(struct ring_throw));
    header->node_throws_offset = add_part(&end, (uint64_t)header->nodes_max * sizeof(uint32_t));
    header->node_runs_offset = add_part(&end, (uint64_t)header->nodes_max * sizeof(struct ring_run));
    header->node_cpu_offset = add_part(&end, (uint64_t)header->nodes_max * sizeof(struct ring_node_cpu));
    header->nodes_offset = add_part(&end, (uint64_t)header->nodes_max * sizeof(struct ring_node));
    CLEW_ASSERT(header->nodes_offset < end && end % PAGE == 0 && "the nodes are last");
    header->segment_size = end;
}

// Maps the segment and reserves addresses in front of it, where segment_protect() maps the shared header. NULL: no room in
// the address space.
static struct ring_header *map(int fd, uint64_t size)
{
    enum { FLAGS = MAP_NORESERVE };
    char *range = mmap(NULL, FRONT + size, PROT_NONE, FLAGS | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (range == MAP_FAILED) {
        return NULL;
    }
    void *start = mmap(range + FRONT, size, PROT_READ | PROT_WRITE, FLAGS | MAP_SHARED | MAP_FIXED, fd, 0);
    if (start == MAP_FAILED) {
        (void)munmap(range, FRONT + size);
        return NULL;
    }
    return start;
}

static void unmap(struct ring_header *ring, uint64_t size)
{
    (void)munmap((char *)ring - FRONT, FRONT + size); // cannot fail for our own mapping
}

static_assert(RING_HEADER_FIXED_SIZE <= PAGE && RING_HEADER_FIXED_SIZE % PAGE == 0,
              "the fixed part of the header is what segment_protect() replaces");

static const void *shared_header(const struct ring_header *ring)
{
    return (const char *)ring - FRONT;
}

// Replaces the fixed part of the mapped header by the private copy `own`, which nobody can write to from then on, and maps
// the shared header in front of the segment: what is written there harms nobody, and the collector notices it.
static enum clew_error protect(int fd, struct ring_header *ring, const struct ring_header *own)
{
    enum { READ_WRITE = PROT_READ | PROT_WRITE };
    if (mmap((char *)ring - FRONT, FRONT, READ_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED ||
        mmap(ring, PAGE, READ_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) {
        return CLEW_NO_MEMORY;
    }
    memcpy(ring, own, RING_HEADER_FIXED_SIZE);
    return mprotect(ring, PAGE, PROT_READ) == 0 ? CLEW_OK : CLEW_NO_MEMORY;
}

enum clew_error segment_protect(int fd, struct ring_header *ring)
{
    struct ring_header own = *ring;
    return protect(fd, ring, &own);
}

bool segment_intact(const struct ring_header *ring)
{
    return memcmp(shared_header(ring), ring, RING_HEADER_FIXED_SIZE) == 0;
}

enum clew_error segment_create(const struct ring_options *options, int *fd, struct ring_header **ring)
{
    if (options->scope.size > TEXT_MAX) {
        return CLEW_USAGE;
    }
    struct ring_header header;
    lay_out(&header, options);
    *fd = memfd_create("clew-ring", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (*fd < 0) {
        return CLEW_IO;
    }
    if (ftruncate(*fd, (off_t)header.segment_size) != 0 ||
        fcntl(*fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0 ||
        !(*ring = map(*fd, header.segment_size))) {
        (void)close(*fd);
        return CLEW_IO;
    }
    memcpy(*ring, &header, sizeof header);
    if (options->scope.size) {
        memcpy((char *)*ring + header.text_offset, options->scope.at, options->scope.size);
    }
    uint32_t given = RING_CHUNKS_MAX - (options->flags & SESSION_KEEP_LAST ? RING_KEPT_CHUNKS : 0);
    memset(ring_free_chunks(*ring), 0xFF, given / 8);
    return CLEW_OK;
}

// Whether the header is what segment_create() of this build makes from the same options.
static bool header_fits(const struct ring_header *header, uint64_t size)
{
    struct ring_header expected;
    const struct ring_options options = {.process = header->process,
                                         .clock = (enum clock_kind)header->clock,
                                         .instruments = header->instruments,
                                         .flags = header->flags,
                                         .depth_max = header->depth_max,
                                         .nodes_max = header->nodes_max,
                                         .chunk_quota = header->chunk_quota,
                                         .scope = {NULL, header->text_size}};
    lay_out(&expected, &options);
    return expected.segment_size == size && memcmp(header, &expected, offsetof(struct ring_header, os_pid)) == 0;
}

enum clew_error segment_map(int fd, struct ring_header **ring)
{
    struct stat status;
    if (fstat(fd, &status) != 0 || status.st_size < (off_t)sizeof(struct ring_header)) {
        return CLEW_UNSUPPORTED;
    }
    uint64_t size = (uint64_t)status.st_size;
    *ring = map(fd, size);
    if (!*ring) {
        return CLEW_NO_MEMORY;
    }
    if (!header_fits(*ring, size)) {
        unmap(*ring, size);
        return CLEW_UNSUPPORTED;
    }
    return CLEW_OK;
}

void segment_decline(int fd)
{
    struct ring_header *header = map(fd, sizeof *header);
    if (header && header->magic == RING_MAGIC && header->version == RING_VERSION) {
        atomic_store_explicit(&header->agent_state, RING_AGENT_NO_ROOM, memory_order_release);
    }
    if (header) {
        unmap(header, sizeof *header);
    }
}

enum clew_error segment_adopt(int fd, const struct ring_options *options, struct ring_header **ring)
{
    struct ring_header header;
    struct stat status;
    lay_out(&header, options);
    if (fstat(fd, &status) != 0 || (uint64_t)status.st_size != header.segment_size) {
        return CLEW_UNSUPPORTED;
    }
    *ring = map(fd, header.segment_size);
    if (!*ring) {
        return CLEW_NO_MEMORY;
    }
    header.process = (*ring)->process;
    header.os_pid = (*ring)->os_pid;
    header.started_clock = (*ring)->started_clock;
    enum clew_error error = protect(fd, *ring, &header);
    if (error != CLEW_OK) {
        unmap(*ring, header.segment_size);
    }
    return error;
}

void segment_unmap(struct ring_header *ring)
{
    unmap(ring, ring->segment_size);
}
