"""Runs named cases in worker processes, prints what failed and why, and ends with `N passed, N failed`."""

import argparse
import concurrent.futures
import fnmatch
import functools
import multiprocessing
import os
import pathlib
import random
import resource
import sys
import time
import traceback

import builds
import recorder


class Case:
    """needs: builds to build first. run(): raises recorder.Failure, may return text for -v. slow: run only with --full."""

    def __init__(self, name, needs, run, slow=False):
        self.name, self.needs, self.run, self.slow = name, needs, run, slow


class Skip(Exception):
    """The case cannot run on this machine; the message says what is missing."""


def main(description, cases, **settings):
    """Runs a script. cases(options): its cases. settings: further options, as argparse
    describes them."""
    return run(cases, _arguments(description, **settings))


def _arguments(description, **settings):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--full", action="store_true", help="the whole product of the dimensions, and the slow cases")
    parser.add_argument("--only", metavar="PATTERN", help="cases whose name holds this (or matches it, with * and ?)")
    parser.add_argument("--list", action="store_true", help="print the names and stop")
    parser.add_argument("--build", action="store_true", help="build the programs and stop")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="cases at once (default: one for each processor)")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32), help="of what is drawn (default: another each time)")
    parser.add_argument("-v", action="store_true", help="print passed cases too")
    for name, about in settings.items():
        parser.add_argument(f"--{name}", **about)
    return parser.parse_args()


def chosen(cases, options):
    return [case for case in cases if (options.full or not case.slow) and (
        not options.only or options.only in case.name or fnmatch.fnmatch(case.name, options.only))]


def run(cases, options):
    cases = chosen(cases(options), options)
    if options.list:
        print("\n".join(case.name for case in cases))
        return 0
    if not os.access(recorder.CLEW, os.X_OK):
        print(f"{recorder.CLEW} is not there: build first (make)", file=sys.stderr)
        return 1
    unbuilt = builds.make([build for case in cases for build in case.needs])
    if options.build:
        print("\n".join(unbuilt.values()) or "every program is built")
        return 1 if unbuilt else 0
    totals = {"passed": 0, "failed": 0, "skipped": 0}
    for case, result, words, seconds in _results(longest_first(cases), unbuilt, options.jobs):
        totals[result] += 1
        if result != "passed" or options.v:
            print(f"{result.upper():7} {case.name} ({seconds:.1f} s)" + (f": {words}" if words else ""), flush=True)
    skipped = f", {totals['skipped']} skipped" if totals["skipped"] else ""
    print(f"{totals['passed']} passed, {totals['failed']} failed{skipped}")
    return 1 if totals["failed"] or not totals["passed"] else 0


def _results(cases, unbuilt, jobs):
    """Runs the cases in forked processes, each of which keeps what its earlier cases cached, and yields results as they come."""
    forking = multiprocessing.get_context("fork")
    with concurrent.futures.ProcessPoolExecutor(jobs, forking, _take, (cases, unbuilt)) as pool:
        running = {pool.submit(_execute, number): case for number, case in enumerate(cases)}
        for future in concurrent.futures.as_completed(running):
            case = running[future]
            result, words, wall, cpu = future.result()
            _note_time(case, wall, cpu)
            yield case, result, words, wall


_work = None  # of a worker process: all cases, and the programs that do not build


def _take(cases, unbuilt):
    global _work
    _work = cases, unbuilt


def _execute(number):
    cases, unbuilt = _work
    case, began, used = cases[number], time.monotonic(), _processor_time()
    try:
        for build in case.needs:
            if build in unbuilt:
                raise recorder.Failure(unbuilt[build])
        result, words = "passed", case.run() or ""
    except Skip as reason:
        result, words = "skipped", str(reason)
    except recorder.Failure as problem:
        result, words = "failed", str(problem)
    except Exception:
        result, words = "failed", traceback.format_exc()
    return result, words, time.monotonic() - began, _processor_time() - used


def _processor_time():
    """Of this process and of those that it started and that have ended, in seconds."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


# Times of cases: where tools/test wants them it names a file in CLEW_TIMES. See there.

SCRIPT = pathlib.Path(sys.argv[0]).name


def timed_name(case):
    return f"sample/{case.name}" if SCRIPT == "all" else f"sample/{SCRIPT}/{case.name}"


def _note_time(case, wall, cpu):
    if "CLEW_TIMES" in os.environ:
        with open(os.environ["CLEW_TIMES"], "a") as file:
            file.write(f"{timed_name(case)},{wall:.3f},{cpu:.3f}\n")


def longest_first(cases):
    """By the times of earlier runs; cases without any come first."""
    known = _known_times()
    return sorted(cases, key=lambda case: -known.get(timed_name(case), float("inf")))


def _known_times():
    path = recorder.BUILD / "Testing" / "times.csv"
    if not path.exists():
        return {}
    rows = [line.rsplit(",", 2) for line in path.read_text().splitlines()[1:]]
    return {name: float(wall) for name, wall, cpu in rows}
