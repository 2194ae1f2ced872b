// Asks the kernel whether memory is readable, by a system call that cannot change anything: rt_sigprocmask copies a
// signal mask from the address first, and then refuses the invalid operation. Every sandbox allows this call.
#include "agent/probe/probe_memory.h"

#include <errno.h>
#include <sys/syscall.h>

#include "agent/arch/arch.h"

bool memory_readable(uintptr_t address)
{
    enum { NO_SUCH_OPERATION = -1, MASK_SIZE = 8 };
    return arch_system_call(SYS_rt_sigprocmask, NO_SUCH_OPERATION, (long)address, 0, MASK_SIZE) != -EFAULT;
}
