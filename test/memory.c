// Replaces libc's allocation functions for the whole process. The dynamic linker binds references of the tested code, in
// shared libraries too, to the executable's functions first. Sanitizers replace these functions in the same way, so under
// them the linker wraps the references instead (--wrap).
#include "memory.h"

#include <dirent.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef MEMORY_WRAPPED
#define OURS(name) __wrap_##name
#define REAL(name) __real_##name
#else
#define OURS(name) name
#define REAL(name) __libc_##name // libc exports no __libc_mmap
#endif

void *REAL(malloc)(size_t size);
void *REAL(calloc)(size_t count, size_t size);
void *REAL(realloc)(void *old, size_t size);
void REAL(free)(void *old);
void *REAL(mmap)(void *at, size_t size, int protection, int flags, int file, off_t offset);

__attribute__((visibility("default"))) void *OURS(malloc)(size_t size);
__attribute__((visibility("default"))) void *OURS(calloc)(size_t count, size_t size);
__attribute__((visibility("default"))) void *OURS(realloc)(void *old, size_t size);
__attribute__((visibility("default"))) void OURS(free)(void *old);
__attribute__((visibility("default"))) void *OURS(mmap)(void *at, size_t size, int protection, int flags, int file,
                                                        off_t offset);

__thread bool memory_watched;
static _Atomic uint32_t asked, fail_from;
static _Atomic int64_t held; // watched blocks not freed yet
static bool fail_all;

void memory_fail(uint32_t from, bool all)
{
    atomic_store(&asked, 0);
    fail_all = all;
    atomic_store(&fail_from, from);
}

uint32_t memory_asked(void)
{
    return atomic_load(&asked);
}

int64_t memory_held(void)
{
    return atomic_load(&held);
}

bool memory_refused(void)
{
    uint32_t from = atomic_load(&fail_from);
    return from && memory_asked() >= from;
}

static bool refused(void)
{
    if (!memory_watched) {
        return false;
    }
    uint32_t number = atomic_fetch_add(&asked, 1) + 1;
    uint32_t from = atomic_load(&fail_from);
    bool is = from && (number == from || (fail_all && number > from));
    errno = is ? ENOMEM : errno;
    return is;
}

static void *note(void *fresh)
{
    atomic_fetch_add(&held, memory_watched && fresh);
    return fresh;
}

void *OURS(malloc)(size_t size)
{
    return refused() ? NULL : note(REAL(malloc)(size));
}

void *OURS(calloc)(size_t count, size_t size)
{
    return refused() ? NULL : note(REAL(calloc)(count, size));
}

void *OURS(realloc)(void *old, size_t size)
{
    if (refused()) {
        return NULL;
    }
    return old ? REAL(realloc)(old, size) : note(REAL(realloc)(old, size));
}

void OURS(free)(void *old)
{
    atomic_fetch_sub(&held, memory_watched && old);
    REAL(free)(old);
}

#ifndef MEMORY_WRAPPED
void *__libc_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
    return (void *)syscall(SYS_mmap, at, size, protection, flags, file, offset); // -1 is MAP_FAILED
}
#endif

void *OURS(mmap)(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
    return refused() ? MAP_FAILED : REAL(mmap)(at, size, protection, flags, file, offset);
}

static bool play(void (*script)(void *context), void *context, uint32_t from, bool all)
{
    atomic_store(&held, 0);
    memory_fail(from, all);
    memory_watched = true;
    script(context);
    memory_watched = false;
#ifndef MEMORY_WRAPPED // what libc allocates by itself is not wrapped, but its freeing is
    if (atomic_load(&held) != 0) {
        (void)fprintf(stderr, "allocation %u%s fails: %ld blocks are not freed\n", from, all ? " and all after" : "",
                      (long)atomic_load(&held));
        abort();
    }
#endif
    return memory_refused();
}

static int open_files(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (folder && readdir(folder)) {
        count++;
    }
    if (folder) {
        (void)closedir(folder); // a folder that was only read
    }
    return count;
}

void memory_fail_in_turn(void (*script)(void *context), void *context)
{
    int files = open_files();
    for (int all = 0; all < 2; all++) {
        for (uint32_t from = 1; play(script, context, from, all); from++) {
        }
    }
    memory_fail(0, false);
    if (open_files() != files) {
        (void)fprintf(stderr, "%d files stay open\n", open_files() - files);
        abort();
    }
}
