"""Runs named cases, two at a time, prints what failed and why, and ends with `N passed, N failed`."""

import argparse
import concurrent.futures
import fnmatch
import functools
import os
import random
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


def _execute(unbuilt, case):
    began = time.monotonic()
    try:
        for build in case.needs:
            if build in unbuilt:
                raise recorder.Failure(unbuilt[build])
        words = case.run() or ""
        result = "passed"
    except Skip as reason:
        result, words = "skipped", str(reason)
    except recorder.Failure as problem:
        result, words = "failed", str(problem)
    except Exception:
        result, words = "failed", traceback.format_exc()
    return case, result, words, time.monotonic() - began


def arguments(description, **switches):
    """switches: further options of the script, with their help texts."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--full", action="store_true", help="the whole product of the dimensions, and the slow cases")
    parser.add_argument("--only", metavar="PATTERN", help="cases whose name holds this (or matches it, with * and ?)")
    parser.add_argument("--list", action="store_true", help="print the names and stop")
    parser.add_argument("--jobs", type=int, default=2, help="cases at once (default 2)")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32), help="of what is drawn (default: another each time)")
    parser.add_argument("-v", action="store_true", help="print passed cases too")
    for name, words in switches.items():
        parser.add_argument(f"--{name}", action="store_true", help=words)
    return parser.parse_args()


def chosen(cases, options):
    if not options.only:
        return cases
    return [case for case in cases if options.only in case.name or fnmatch.fnmatch(case.name, options.only)]


def main(cases, options):
    cases = chosen([case for case in cases if options.full or not case.slow], options)
    if options.list:
        print("\n".join(case.name for case in cases))
        return 0
    if not os.access(recorder.CLEW, os.X_OK):
        print(f"{recorder.CLEW} is not there: build first (make)", file=sys.stderr)
        return 1
    unbuilt = builds.make([build for case in cases for build in case.needs])
    totals = {"passed": 0, "failed": 0, "skipped": 0}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for case, result, words, seconds in pool.map(functools.partial(_execute, unbuilt), cases):
            totals[result] += 1
            if result != "passed" or options.v:
                print(f"{result.upper():7} {case.name} ({seconds:.1f} s)" + (f": {words}" if words else ""), flush=True)
    skipped = f", {totals['skipped']} skipped" if totals["skipped"] else ""
    print(f"{totals['passed']} passed, {totals['failed']} failed{skipped}")
    return 1 if totals["failed"] or not totals["passed"] else 0
