"""Logical call trees: what samples/Logical/Outside counts in the program, and what a report says, by logical path (a tuple of names)."""

import json
import re

import checks

UNKNOWN = "(caller unknown)"
# What a node of a report calls the number of activations that have ended, but it is not known how and when.
UNKNOWN_ENDS = "unknown_ends"


def counted_by_program(file):
    """{path: row} as the program wrote it."""
    paths, rows = [], {}
    for row in json.loads(file.read_text()):
        path = paths[row["above"]] + (row["method"],) if row["above"] >= 0 else ()
        paths.append(path)
        if path:
            ended = row["completed"] + row["faulted"] + row["cancelled"] + row["ended"]
            row |= {"pending": row["calls"] - ended if row["runs"] else 0, "ended": ended}
            rows[path] = row
    return rows


def own_body(name):
    """A method of runtime async is its own body, so nothing tells it apart from others."""
    return name and name.removesuffix(" (async)")


def own_bodies(rows):
    """{path: row} with such names."""
    return {tuple(map(own_body, path)): row for path, row in rows.items()}


def last_names(method, count):
    """The last `count` names of a method's, without types and parameters."""
    name, _, end = re.fullmatch(r"([^(]*)(\(.*?\))?((?: \([a-z ]+\))?)", method).groups()
    return ".".join(re.sub(r"<[^<>]*>", "", name).split(".")[-count:]) + end


def recorded(roots, name_of):
    """{path: row} of a logical tree. name_of(method): as the program calls it; None: the program does not count it."""
    rows, stack = {}, [(node, ()) for node in roots]
    while stack:
        node, above = stack.pop()
        checks.require("cut" not in node, "the tree is cut")
        path = above
        if node["method"] == UNKNOWN:
            path = (UNKNOWN,)
        elif name := name_of(node["method"]):
            path = above + (name,)
            rows[path] = add(rows.get(path), node)
        stack.extend((child, path) for child in node["children"])
    return rows


def add(row, node):
    """Adds a node of the report to the row of its path."""
    if row is None:
        row = {"calls": 0, "runs": 0, "faulted": 0, "cancelled": 0, "pending": 0, "unknown": 0, "waits": {}}
    for mine, theirs in (("calls", "calls"), ("runs", "runs"), ("faulted", "exceptions"), ("cancelled", "cancelled"), ("unknown", UNKNOWN_ENDS)):
        row[mine] += node.get(theirs, 0)
    row["pending"] += node.get("pending", 0) - node.get(UNKNOWN_ENDS, 0) + (node["open"] if "runs" in node else 0)
    for place in node.get("awaits", []):
        where = f"{place['file']}:{place['line']}"
        row["waits"][where] = row["waits"].get(where, 0) + place["count"]
    for latency in ("latency_ns", "latency_min_ns", "latency_max_ns"):
        row[latency] = node.get(latency)
    return row


def cut(path, may_be_unknown):
    """Where a path belongs if the callers of these methods are unknown."""
    for number in reversed(range(len(path))):
        if path[number] in may_be_unknown:
            return (UNKNOWN,) + path[number:]
    return path


def sums(rows, names, may_be_unknown):
    """{path without callers that may be unknown: the sums of these columns}"""
    counts = {}
    for path, row in rows.items():
        here = counts.setdefault(cut(path, may_be_unknown), [0] * len(names))
        for number, name in enumerate(names):
            here[number] += row[name]
    return counts


def words(path):
    return " > ".join(path if len(path) < 8 else path[:3] + (f"({len(path) - 6} more)",) + path[-3:])


def check_sum(root, more=False):
    """The latency of a root is the time of all code below it and of all waiting. `more`: which may be longer, where activations
    overlap, and beside streams, where kick-offs have nodes of their own whose time goes on after an activation has ended."""
    left = root["latency_ns"] - root["total_ns"] - root["awaiting_ns"]
    right = left <= size(root) and (more or left >= -size(root))
    checks.require(right, f"{root['method']}: {left} ns of {root['latency_ns']} are neither running nor waiting")


def nodes_of(root):
    nodes = [root]
    while nodes:
        node = nodes.pop()
        yield node
        nodes.extend(node["children"])


def size(root):
    """The number of nodes, each of which may be rounded."""
    return sum(1 for _ in nodes_of(root))
