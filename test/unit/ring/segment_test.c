// A segment as the collector makes it: its size is fixed, and its header identifies it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ring/segment.h"

static struct ring_header *make(int *fd)
{
    const struct ring_options options = {.process = 7, .nodes_max = 1024};
    struct ring_header *ring;
    assert_int_equal(segment_create(&options, fd, &ring), CLEW_OK);
    return ring;
}

// Without the seal, a program that shortens it would kill itself and the collector with SIGBUS.
static void its_size_is_sealed(void **state)
{
    int fd;
    struct ring_header *ring = make(&fd);
    (void)state;
    assert_int_equal(fcntl(fd, F_GET_SEALS), F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    assert_int_not_equal(ftruncate(fd, 4096), 0);
    assert_int_not_equal(ftruncate(fd, (off_t)ring->segment_size + 4096), 0);
    assert_int_not_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
    segment_unmap(ring);
    (void)close(fd);
}

static void another_version_is_not_mapped(void **state)
{
    int fd;
    struct ring_header *ring = make(&fd), *again;
    (void)state;
    assert_int_equal(segment_map(fd, &again), CLEW_OK);
    assert_int_equal(again->process, 7);
    segment_unmap(again);
    ring->version++;
    assert_int_equal(segment_map(fd, &again), CLEW_UNSUPPORTED);
    segment_unmap(ring);
    (void)close(fd);
}

static void another_layout_is_not_mapped(void **state)
{
    int fd;
    struct ring_header *ring = make(&fd), *again;
    (void)state;
    for (uint64_t *word = &ring->text_offset; (void *)word < (void *)&ring->os_pid; word++) {
        *word += 4096;
        assert_int_equal(segment_map(fd, &again), CLEW_UNSUPPORTED);
        *word -= 4096;
    }
    segment_unmap(ring);
    (void)close(fd);
}

// Each side has its own copy of the fixed part, and sees what is written over the shared one.
static void its_layout_cannot_be_overwritten(void **state)
{
    int fd;
    struct ring_header *ring = make(&fd), *agent;
    uint64_t offset = ring->chunks_offset;
    (void)state;
    assert_int_equal(segment_map(fd, &agent), CLEW_OK);
    assert_int_equal(segment_protect(fd, agent), CLEW_OK);
    assert_true(segment_intact(agent));
    ring->chunks_offset = 0;
    assert_int_equal(agent->chunks_offset, offset);
    assert_false(segment_intact(agent));
    int zeroes = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    assert_int_equal(read(zeroes, agent, 1), -1); // the system may not write there either
    assert_int_equal(read(zeroes, &agent->progress, 1), 1);
    (void)close(zeroes);
    segment_unmap(agent);
    segment_unmap(ring);
    (void)close(fd);
}

// An agent whose process has no room for the segment reports that; it changes nothing in a segment of another version.
static void a_program_can_decline_the_segment(void **state)
{
    int fd;
    struct ring_header *ring = make(&fd);
    (void)state;
    ring->version++;
    segment_decline(fd);
    assert_int_equal(ring->agent_state, RING_AGENT_ABSENT);
    ring->version--;
    segment_decline(fd);
    assert_int_equal(ring->agent_state, RING_AGENT_NO_ROOM);
    segment_unmap(ring);
    (void)close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(its_size_is_sealed),
        cmocka_unit_test(another_version_is_not_mapped),
        cmocka_unit_test(another_layout_is_not_mapped),
        cmocka_unit_test(its_layout_cannot_be_overwritten),
        cmocka_unit_test(a_program_can_decline_the_segment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
