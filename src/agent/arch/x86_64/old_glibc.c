// Functions that older versions of glibc do not export under these names, implemented with system calls. They are
// hidden: the agent links to them, and other libraries in the process do not see them. Errors are as in glibc: -1 and
// errno.
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// Inline wrappers of other functions before glibc 2.33. On x86-64 the kernel's struct stat is the same as that of libc.

int fstat(int fd, struct stat *status)
{
    return (int)syscall(SYS_fstat, fd, status);
}

int stat(const char *path, struct stat *status)
{
    return (int)syscall(SYS_stat, path, status);
}

int lstat(const char *path, struct stat *status)
{
    return (int)syscall(SYS_lstat, path, status);
}

// Since glibc 2.27.
int memfd_create(const char *name, unsigned flags)
{
    return (int)syscall(SYS_memfd_create, name, flags);
}

// Since glibc 2.30.
pid_t gettid(void)
{
    return (pid_t)syscall(SYS_gettid);
}
