// Functions that older versions of glibc did not have under these names, made of what they did have. They are hidden:
// the rest of the agent links to them, nobody else sees them.
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// Plain functions since glibc 2.33. On x86-64 the kernel's struct stat is the one of libc.

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
