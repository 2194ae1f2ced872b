"""Bad environments for a program: system calls refused, little memory, closed descriptors, another user, other mounts."""

import ctypes
import errno
import os
import pathlib
import resource
import struct
import subprocess
import tempfile

_LIBC = ctypes.CDLL(None, use_errno=True)
MEMFD_CREATE = 319  # x86-64

# -- In the child, before exec ---------------------------------------------------------------------------------------------


def _filtered(steps):
    """A function for the child that installs a seccomp filter. steps: BPF instructions over struct seccomp_data, as (code, jump if
    true, jump if false, operand)."""
    PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, MODE_FILTER = 38, 22, 2
    code = ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *step) for step in steps))
    program = ctypes.create_string_buffer(struct.pack("<H6xQ", len(steps), ctypes.addressof(code)))

    def apply():
        if _LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or _LIBC.prctl(PR_SET_SECCOMP, MODE_FILTER, program, 0, 0):
            raise OSError(ctypes.get_errno(), "seccomp")
    apply.keep = code
    return apply


def refused(call, error=errno.EPERM):
    """A function for the child: makes a system call fail in the child and in all processes that it starts."""
    LOAD, EQUAL, RETURN, ALLOW, ERRNO = 0x20, 0x15, 0x06, 0x7FFF0000, 0x00050000
    return _filtered([(LOAD, 0, 0, 0), (EQUAL, 0, 1, call), (RETURN, 0, 0, ERRNO | error), (RETURN, 0, 0, ALLOW)])


def without_network():
    """A function for the child: kills every process from then on that opens an IPv4, IPv6 or packet socket."""
    LOAD, EQUAL, RETURN, ALLOW, KILL = 0x20, 0x15, 0x06, 0x7FFF0000, 0x80000000
    SOCKET, FIRST_ARGUMENT, INET, INET6, PACKET = 41, 16, 2, 10, 17
    return _filtered([(LOAD, 0, 0, 0), (EQUAL, 0, 4, SOCKET), (LOAD, 0, 0, FIRST_ARGUMENT), (EQUAL, 3, 0, INET), (EQUAL, 2, 0, INET6),
                      (EQUAL, 1, 0, PACKET), (RETURN, 0, 0, ALLOW), (RETURN, 0, 0, KILL)])


def address_space(size):
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size))


def another_user(number=65534):
    def apply():
        os.setgroups([])
        os.setgid(number)
        os.setuid(number)
    return apply


def within(group):
    return lambda: pathlib.Path(group, "cgroup.procs").write_text(str(os.getpid()))


# -- Own mounts ------------------------------------------------------------------------------------------------------------

def with_mounts(script, command):
    """Runs the command in a new mount namespace after the shell script."""
    return ["unshare", "-m", "--propagation", "private", "sh", "-ec", script + '\nexec "$@"', "sh", *map(str, command)]


# Creates a /dev with the usual devices and without shm.
WITHOUT_SHM = """
mount -t tmpfs tmpfs /mnt
for each in null zero full random urandom tty; do : > /mnt/$each; mount --bind /dev/$each /mnt/$each; done
mount --move /mnt /dev
! test -e /dev/shm
"""


def read_only(*folders):
    return "\n".join(f"mount --bind '{each}' '{each}'; mount -o remount,bind,ro '{each}'" for each in folders) + "\n"


def may_mount():
    return subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode == 0


# -- Memory ----------------------------------------------------------------------------------------------------------------

class MemoryGroup:
    """A control group (version 1 or 2) with a memory limit in bytes. `folder` is None if none can be created."""

    def __init__(self, limit):
        self.folder = None
        for parent, name in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")):
            try:
                folder = tempfile.mkdtemp(prefix="clew-test-", dir=parent)
            except OSError:
                continue
            try:
                pathlib.Path(folder, name).write_text(str(limit))
                self.folder = folder
                break
            except OSError:
                os.rmdir(folder)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.folder:
            os.rmdir(self.folder)
