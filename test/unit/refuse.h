// Memory that runs out where a test wants it to. The program is linked with its references to malloc and the like, those
// of the libraries under test included, led here.
#ifndef CLEW_TEST_UNIT_REFUSE_H
#define CLEW_TEST_UNIT_REFUSE_H

#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset);

// Which allocation from now on fails, once; 0: none. And how many there were.
static unsigned refuse_at, refuse_asked;

static bool refuse(void)
{
    return ++refuse_asked == refuse_at;
}

static void refuse_from_now(unsigned at)
{
    refuse_at = at;
    refuse_asked = 0;
}

void *__wrap_malloc(size_t size)
{
    return refuse() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return refuse() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return refuse() ? NULL : __real_realloc(old, size);
}

void *__wrap_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
    return refuse() ? MAP_FAILED : __real_mmap(at, size, protection, flags, file, offset);
}

#endif
