"""Reads the counts of a program built with Count, which runs once for each set of arguments."""

import functools
import json
import pathlib
import threading

import recorder

_lock = threading.Lock()


@functools.lru_cache(maxsize=None)
def _read(build, arguments):
    with recorder.temporary() as folder:
        out = pathlib.Path(folder) / "oracle.json"
        done = recorder.execute(build.command + list(arguments), {"ORACLE_OUT": str(out)})
        if not out.exists():
            raise recorder.Failure(f"the oracle of {build.name} wrote nothing and ended with {done.status}: {done.stderr.decode()}")
        return done, json.loads(out.read_text())


def read(build, arguments):
    """(the oracle's outcome, {method: [calls, exceptions, open]}); a copy, which the caller may change."""
    with _lock:
        done, counts = _read(build, tuple(arguments))
    return done, {method: list(numbers) for method, numbers in counts.items()}
