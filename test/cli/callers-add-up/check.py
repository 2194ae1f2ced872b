"""Makes the callers of methods of a whole call tree, path by path, and compares that with what clew says."""
import fnmatch
import json
import re
import sys

FIGURES = ("calls", "exceptions", "open", "cpu_user_ns", "cpu_kernel_ns")


def means(pattern, method):
    """Names without parameters, whole or only a method, and globs."""
    name = re.sub(r"<[^<>]*>", "", re.sub(r"\(.*", "", method))
    return fnmatch.fnmatchcase(name, pattern) or name.split(".")[-1] == pattern


def add(rows, path, node, total, own, nested):
    row = rows.setdefault(path, dict.fromkeys(("total_ns", "own_ns", *FIGURES), 0))
    row["total_ns"] += total
    row["own_ns"] += own
    for key in FIGURES:
        row[key] += 0 if nested and key.startswith("cpu_") else node[key]


def walk(node, above, patterns, rows):
    method = node["method"]
    if any(means(pattern, method.removesuffix(" (async)")) for pattern in patterns):
        nested, own = method in above, node["own_ns"]
        for level in range(len(above) + 1):
            path = (method, *reversed(above))[:level + 1]
            add(rows, path, node, (own if level else 0) if nested else node["total_ns"], own, nested)
    for child in node["children"]:
        walk(child, (*above, method), patterns, rows)


def flatten(nodes, path, rows):
    for node in nodes:
        here = (*path, node["method"])
        rows[here] = {key: node[key] for key in ("total_ns", "own_ns", *FIGURES)}
        flatten(node["children"], here, rows)


with open(sys.argv[1], encoding="utf-8") as whole, open(sys.argv[2], encoding="utf-8") as callers:
    wanted, found = {}, {}
    for root in json.load(whole)["tree"]:
        walk(root, (), [pattern for option, pattern in zip(sys.argv[3::2], sys.argv[4::2]) if option == "--of"], wanted)
    flatten(json.load(callers)["tree"], (), found)
    print(" ".join(sys.argv[3:]) + ":", len(found), "back traces", "equal" if found == wanted else "differ")
    for path in sorted(wanted.keys() | found.keys()):
        if wanted.get(path) != found.get(path):
            print("  ", path, "expected", wanted.get(path), "found", found.get(path))
