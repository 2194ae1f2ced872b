#!/usr/bin/env python3
"""Makes a page that contains a recording's documents, from the output of `clew report --json` and `clew info --json` alone:
for tests of the page that need no server. Usage: documents.py PAGE RECORDING OUTPUT, CLEW in the environment."""
import base64
import json
import os
import pathlib
import subprocess
import sys
import zlib

sys.setrecursionlimit(20_000)
ELEMENT = '<script type="application/octet-stream" id="clew-data">'
FRAMEWORK = ("System.", "Microsoft.Win32", "mscorlib", "netstandard")


def ask(*arguments):
    return json.loads(subprocess.run([os.environ.get("CLEW", "build/clew"), *arguments, "--json"], check=True,
                                     capture_output=True).stdout)


def category(row):
    module = row.get("module") or ""
    if row["method"].startswith("(JIT"):
        return "jit"
    if module.startswith(FRAMEWORK):
        return "framework"
    return "package" if module.startswith("Microsoft.") else "mine" if module else "other"


def tree(report, threads):
    """The columns of a call tree. threads: (root, process, thread) of all roots."""
    methods, numbers = [], {}
    columns = {name: [] for name in ("parent", "method", "calls", "open", "exceptions", "own_ns", "total_ns", "min_ns", "max_ns")}
    roots = []
    stack = [(root, -1, process, thread) for root, process, thread in reversed(threads)]
    while stack:
        node, parent, process, thread = stack.pop()
        key = (node["method"], node["module"], node["kind"])
        if key not in numbers:
            numbers[key] = len(methods)
            methods.append({"name": node["method"], "module": node["module"], "kind": node["kind"], "category": category(node),
                            "process": process, "id": len(methods), "document": None, "line": None})
        at = len(columns["parent"])
        columns["parent"].append(parent)
        columns["method"].append(numbers[key])
        for name in ("calls", "open", "exceptions", "own_ns", "total_ns", "min_ns", "max_ns"):
            columns[name].append(node[name])
        if parent < 0:
            roots.append({"node": at, "process": process, "thread": thread})
        stack.extend((child, at, process, thread) for child in reversed(node["children"]))
    tops = [at for at, parent in enumerate(columns["parent"]) if parent < 0]
    timed = report["clock"] != "none"
    return {"exact": True, "from_ns": 0, "to_ns": report["elapsed_ns"],
            "total_ns": sum(columns["total_ns"][at] for at in tops) if timed else None,
            "calls": sum(columns["calls"]), "cut": {"nodes": 0, "calls": 0, "own_ns": 0}, "methods": methods, "roots": roots,
            "nodes": columns}


def documents(recording):
    info = ask("info", recording)
    merged, apart = ask("report", recording, "--by", "tree"), ask("report", recording, "--by", "tree", "--threads")
    found = {"session": {
        "page": {"api": 1, "file": os.path.basename(recording), "generation": 1, "growing": False,
                 "has": {"times": info["clock"] != "none", "tree": True},
                 "record": {"timeline": "clew record -i calls -- " + (info["command"] or "")}},
        "info": info, "findings": [], "command": "clew report " + os.path.basename(recording),
        "categories": ["mine", "package", "framework", "runtime", "gc", "jit", "waiting", "other"]}}
    found["tree"] = tree(merged, [(root, root.get("process"), None) for root in merged["tree"]])
    found["tree?apart=1"] = tree(apart, [(root, one["process"], one["thread"]) for one in apart["threads"] for root in one["tree"]])
    for by in ("methods", "hot", "modules", "threads"):
        found[f"report?by={by}"] = ask("report", recording, "--by", by)
    return found


def main():
    page, recording, output = sys.argv[1:]
    data = json.dumps({"documents": documents(recording), "cut": []}).encode()
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = base64.b64encode(packer.compress(data) + packer.flush()).decode()
    text = pathlib.Path(page).read_text()
    if text.count(ELEMENT) != 1:
        sys.exit(f"{page}: the element for data is there {text.count(ELEMENT)} times")
    pathlib.Path(output).write_text(text.replace(ELEMENT, ELEMENT + packed))


main()
