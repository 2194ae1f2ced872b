"""The cost of showing a part of a long recording: 10 us, which must not grow with the recording's length; a hundredth of it; and
the calls of a method, which must not cost more than the part of it that has them."""
import os
import subprocess
import time

from measure import REPETITIONS, figure, line

EVENTS = (10**7, 10**8)
FORMATS = ("story", "lines", "json")
METHOD = "Shop.Service284.Method5688(int)"  # called 100 times in 10^8 events, on 200 threads


def drop_from_cache(path):
    """Makes the next reader read the file from the disk."""
    with open(path, "rb") as file:
        os.fdatasync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def once(command):
    """Seconds and CPU seconds of a run, and the peak of its resident memory in MiB."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.monotonic() - start
    if status:
        raise SystemExit(f"bench: {' '.join(map(str, command))} ended with {status}")
    return seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


@figure
def window(bench):
    """BENCH_EVENTS: how many, such as 1000000000 (1.4 GB and some minutes)."""
    for events in [int(os.environ["BENCH_EVENTS"])] if "BENCH_EVENTS" in os.environ else EVENTS:
        path = bench.work / "window.clew"
        subprocess.run([bench.build / "make-window", str(events), path], check=True)
        middle = events * 50 // 2  # ns: 8 processors, an event every 400 ns
        for form in FORMATS:
            command = [bench.clew, "replay", path, "--format", form, "--from", f"{middle}ns", "--to", f"{middle + 10000}ns"]
            for cache in ("cold", "warm"):
                runs = []
                for _ in range(REPETITIONS):
                    if cache == "cold":
                        drop_from_cache(path)
                    runs.append(once(command))
                seconds, cpu, memory = (min(figures) for figures in zip(*runs))
                line(f"window of 10 us in {events:.0e}, {form}, {cache}", f"{1000 * seconds:.0f} ms",
                     "50 ms" if cache == "warm" else "", f"{1000 * cpu:.0f} ms CPU, {memory:.0f} MiB")
        part = ["--from", f"{middle}ns", "--to", f"{middle + events // 2}ns"]  # of the 50 ns an event
        for name, arguments, goal in (("a hundredth, report", ["report", path, *part], "1 s"),
                                      ("a hundredth, story", ["replay", path, *part], ""),
                                      ("a method, story", ["replay", path, "--method", METHOD], "")):
            seconds, cpu, memory = once([bench.clew, *arguments])
            line(f"{name} of {events:.0e}", f"{seconds:.2f} s", goal, f"{cpu:.2f} s CPU, {memory:.0f} MiB")
        path.unlink()
