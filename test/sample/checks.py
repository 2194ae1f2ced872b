"""Checks that must hold for a recording: exact counts, and times that add up."""

import re

import recorder

# Compiler-generated methods without a statement of the source, which the oracle cannot count. `run` compares their counts
# between instruments instead.
GENERATED = re.compile(r"""
    ^PrivateImplementationDetails\.           # helpers of the C# compiler, different between Debug and Release
  | \)\ \((async|iterator|async\ iterator)\)\.  # a state machine's members other than its body
  | \.closure(_[\d_-]+)?\.\.c?ctor\(         # classes that hold captured variables
  | @\d+                                     # closures of F#
""", re.VERBOSE)


class StillRuns(recorder.Failure):
    """The only difference: an asynchronous body that no one awaits any more ended after the program did."""


def _still_runs(method, want, got):
    return method.endswith(" (async)") and list(want[:2]) == list(got[:2]) and (want[2], got[2]) == (0, 1)


def compare(expected, found, generated=()):
    """expected, found: {method: [calls, exceptions, open]}. `generated`: patterns of further methods that the oracle does not
    count."""
    wrong, running = [], 0
    for method in sorted(expected.keys() | found.keys()):
        want, got = expected.get(method), found.get(method)
        if want is None:
            if not GENERATED.search(method) and not any(re.search(pattern, method) for pattern in generated):
                wrong.append(f"  {method}: not in the oracle, recorded {_words(got)}")
        elif got is None:
            if any(want):
                wrong.append(f"  {method}: expected {_words(want)}, not recorded")
        elif list(want) != list(got):
            wrong.append(f"  {method}: expected {_words(want)}, recorded {_words(got)}")
            running += _still_runs(method, want, got)
    if wrong:
        total = f"{len(wrong)} of {len(expected)} methods differ\n"
        raise (StillRuns if running == len(wrong) else recorder.Failure)(total + "\n".join(wrong[:40]) + ("\n  ..." if len(wrong) > 40 else ""))


def _words(counts):
    calls, exceptions, still_open = counts
    return f"{calls} calls" + f", {exceptions} exceptions" * bool(exceptions) + f", {still_open} open" * bool(still_open)


def method_rows(rows, timed):
    for row in rows:
        name = row["method"]
        times = [row[column] for column in ("own_ns", "total_ns", "min_ns", "max_ns")]
        if not timed:
            require(times == [None] * 4, f"{name}: times without a clock: {times}")
            continue
        own, total, shortest, longest = times
        require(None not in (own, total), f"{name}: no times: {times}")
        require(0 <= own <= total, f"{name}: own {own} and total {total}")
        if shortest is not None and longest is not None:
            require(shortest <= longest, f"{name}: min {shortest} above max {longest}")
            require(longest <= total + 1 or row["calls"] > 1, f"{name}: max {longest} above total {total}")


def tree(roots, rows, timed):
    """Children must be within their parent; own times must add up to the totals of the roots, and calls to those of the rows."""
    calls = {}
    cut = _walk(roots, timed, calls)
    if cut:
        return
    by_method = {}
    for row in rows:
        by_method[row["method"], row.get("module")] = by_method.get((row["method"], row.get("module")), 0) + row["calls"]
    for key, count in calls.items():
        if key in by_method:
            require(by_method[key] == count, f"{key[0]}: {count} calls in the tree, {by_method[key]} among the methods")
    if timed:
        own, total = _sums(roots)
        nodes = sum(1 for _ in _nodes(roots))
        require(abs(own - total) <= 2 * nodes, f"own times add up to {own}, the roots' totals to {total}")


def _walk(nodes, timed, calls):
    stack, cut = list(nodes), False
    while stack:
        node = stack.pop()
        children = node.get("children") or []
        cut = cut or bool(node.get("cut"))
        key = node["method"], node.get("module")
        calls[key] = calls.get(key, 0) + node["calls"]
        if timed:
            inner = sum(child["total_ns"] for child in children)
            require(inner <= node["total_ns"] + len(children) + 1,
                    f"{node['method']}: children take {inner} ns of {node['total_ns']}")
            require(bool(node.get("cut")) or abs(node["total_ns"] - inner - node["own_ns"]) <= len(children) + 1,
                    f"{node['method']}: own {node['own_ns']} is not total {node['total_ns']} less children {inner}")
        stack.extend(children)
    return cut


def _nodes(roots):
    stack = list(roots)
    while stack:
        node = stack.pop()
        yield node
        stack.extend(node.get("children") or [])


def _sums(roots):
    return sum(node["own_ns"] for node in _nodes(roots)), sum(root["total_ns"] for root in roots)


def require(truth, otherwise):
    if not truth:
        raise recorder.Failure(otherwise)
