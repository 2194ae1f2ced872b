"""Runs programs alone and under clew, and reads the recordings."""

import collections
import contextlib
import fcntl
import functools
import hashlib
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import time

import builds

sys.path.insert(0, str(builds.ROOT / "tools"))
import folders

CLEW = os.environ.get("CLEW", str(builds.ROOT / "build" / "clew"))
BUILD = pathlib.Path(os.environ.get("CLEW_BUILD", builds.ROOT / "build")).resolve()

# Call trees are deeper than Python's JSON reader allows by default.
sys.setrecursionlimit(20_000)

Outcome = collections.namedtuple("Outcome", "status stdout stderr")


class Failure(Exception):
    """A failed check, with a message for people."""


def _limits():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def execute(command, environment=None, timeout=300, cwd=None, prepare=None):
    """Runs a program. Returns its exit status as a shell shows it (128 + n for a signal) and its two streams. prepare: called in
    the new process before exec."""
    def begin():
        _limits()
        if prepare:
            prepare()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cwd,
                               env=builds.clean_environment() | (environment or {}), preexec_fn=begin, start_new_session=True)
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        # start_new_session gave this command a process group of its own.
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        raise Failure(f"no end after {timeout} s: {' '.join(map(str, command))}\n{out[-2000:]!r}\n{err[-2000:]!r}") from None
    status = process.returncode if process.returncode >= 0 else 128 - process.returncode
    return Outcome(status, out, err)


def record(command, options, recording, environment=None, timeout=300, cwd=None, quiet=True, prepare=None):
    """Runs the program under `clew record`, and returns its outcome."""
    arguments = [CLEW, "record", *(["-q"] if quiet else []), *options, "-o", str(recording), "--", *command]
    return execute(arguments, environment, timeout, cwd, prepare)


AGENT = pathlib.Path(CLEW).resolve().parent / "libclew-agent.so"


def variables(folder, **more):
    """The variables that record a program without `clew record`, with all files in the folder."""
    return {"CORECLR_ENABLE_PROFILING": "1", "CORECLR_PROFILER": "{6C1B0B5E-7A0D-4C7B-9E57-2F6E4D1C8A31}",
            "CORECLR_PROFILER_PATH": str(AGENT), "CLEW_LOG": f"{folder}/log", "CLEW_OUTPUT": f"{folder}/%n-%p.clew",
            "TMPDIR": str(folder), "XDG_RUNTIME_DIR": ""} | more


def members(folder):
    """All processes of a session or of its program: their environments name the folder."""
    found = {}
    for entry in os.listdir("/proc"):
        try:
            if entry.isdigit() and f"{folder}/".encode() in pathlib.Path("/proc", entry, "environ").read_bytes():
                found[int(entry)] = pathlib.Path("/proc", entry, "cmdline").read_bytes().split(b"\0")
        except OSError:
            pass # it has ended, or is another user's
    return found


def wait_for_sessions(folder):
    """Until the sessions of programs that record themselves have ended, with their programs."""
    for _ in range(6000):
        if not members(folder):
            return
        time.sleep(0.01)
    raise Failure(f"still there: {members(folder)}")


def kept(name, needs, command, options):
    """The path of a recording that exists once for each state of what records it and of its programs, `needs`. Tests of readers
    share it: they must not change it."""
    key = repr((_recording_sources(), [build.stamp() for build in needs], [str(word) for word in command], options))
    folder = BUILD / "recordings"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-{hashlib.sha256(key.encode()).hexdigest()[:16]}.clew"
    with _locked(folder / f"{name}.lock"):
        if not path.exists():
            for old in folder.glob(f"{name}-*.clew*"):
                old.unlink()
            partial = path.with_suffix(".partial")
            done = record(command, options, partial)
            if done.status != 0:
                raise Failure(f"recording {name} ended with {done.status}: {done.stderr.decode()[-2000:]}")
            partial.rename(path)
    return path


@functools.cache
def _recording_sources():
    digest = hashlib.sha256(CLEW.encode())
    for path in sorted(path for folder in folders.with_used("agent", "collector") for path in (builds.ROOT / "src" / folder).rglob("*.[chS]")):
        digest.update(str(path).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


@contextlib.contextmanager
def _locked(path):
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


# Reports that follow a call tree.
OF_CALLS = {"overview", "tree", "hot", "methods", "modules", "threads"}


def report(recording, by, *options, view="physical"):
    """The output of `clew report --json`, as Python values. Oracles count the runs of async bodies where they were on stacks."""
    chosen = ["--physical"] if view == "physical" and by in OF_CALLS else []
    done = execute([CLEW, "report", str(recording), "--by", by, "--json", *chosen, *options], timeout=1500)  # sanitizers read slowly
    if done.status != 0:
        raise Failure(f"clew report --by {by} ended with {done.status}: {done.stderr.decode()}")
    try:
        return json.loads(done.stdout)
    except ValueError as problem:
        raise Failure(f"clew report --by {by} --json is not JSON: {problem}: {done.stdout[:300]!r}") from None


def without_trees(recording):
    """A copy of which each reader has to make the trees from the streams, and how many trees the recording has."""
    stripped = pathlib.Path(recording).with_suffix(".stripped")
    tool = pathlib.Path(os.environ.get("CLEW_BUILD") or pathlib.Path(CLEW).parent) / "without-trees"
    return stripped, int(subprocess.run([tool, recording, stripped], check=True, capture_output=True).stdout)


def replay(recording, *options):
    """The events of `clew replay --format json`, as Python values."""
    done = execute([CLEW, "replay", str(recording), "--format", "json", *options])
    if done.status != 0:
        raise Failure(f"clew replay ended with {done.status}: {done.stderr.decode()}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def info(recording):
    done = execute([CLEW, "info", str(recording), "--json"])
    if done.status != 0:
        raise Failure(f"clew info ended with {done.status}: {done.stderr.decode()}")
    return json.loads(done.stdout)


def rows_of(answer):
    """The rows of a report, which is an array of them or an object that contains one."""
    if isinstance(answer, list):
        return answer
    for key in ("rows", "methods", "tree", "roots"):
        if key in answer:
            return answer[key]
    raise Failure(f"a report without rows: {json.dumps(answer)[:300]}")


def same_behaviour(alone, recorded, what="recorded"):
    """Requires equal exit status and streams."""
    for name in Outcome._fields:
        a, b = getattr(alone, name), getattr(recorded, name)
        if a != b:
            said = f"\n  {what} said: {_shorten(recorded.stderr)}" if name == "status" else ""
            raise Failure(f"{name} differs\n  alone: {_shorten(a)}\n  {what}: {_shorten(b)}{said}\n{first_difference(a, b)}")


def _shorten(value):
    return repr(value) if len(repr(value)) < 600 else repr(value[:250]) + " ... " + repr(value[-250:])


def first_difference(a, b):
    if not isinstance(a, bytes):
        return ""
    for number, (left, right) in enumerate(zip(a.splitlines() + [b"(end)"], b.splitlines() + [b"(end)"]), 1):
        if left != right:
            return f"  first in line {number}:\n    - {left.decode(errors='replace')}\n    + {right.decode(errors='replace')}"
    return ""


def module_of(row):
    name = pathlib.PurePath(row.get("module") or "").name
    return name.removesuffix(".dll").removesuffix(".exe")


def counted(rows, modules):
    """{method: [calls, exceptions, open]} of the given modules; a method of a module that was loaded twice is added up."""
    counts = {}
    for row in rows:
        if module_of(row) in modules:
            sums = counts.setdefault(row["method"], [0, 0, 0])
            for index, column in enumerate(("calls", "exceptions", "open")):
                sums[index] += row[column]
    return counts


def temporary():
    return tempfile.TemporaryDirectory(prefix="clew-test-")
