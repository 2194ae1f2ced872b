"""Chooses calls of a whole call tree, path by path, and compares that with what clew chose."""
import fnmatch
import json
import re
import sys


def means(pattern, method):
    """Names without parameters, whole or only a method, and globs."""
    name = re.sub(r"<[^<>]*>", "", re.sub(r"\(.*", "", method))
    return fnmatch.fnmatchcase(name, pattern) or name.split(".")[-1] == pattern


def add(rows, path, **figures):
    row = rows.setdefault(path, {})
    for key, value in figures.items():
        row[key] = row.get(key, 0) + (value or 0)


class Chooser:
    def __init__(self, options):
        self.options = {"--method": [], "--under": [], "--hide": []}
        for option, pattern in zip(options[::2], options[1::2]):
            self.options[option].append(pattern)
        self.rows = {}

    def mark(self, option, method):
        return any(means(pattern, method) for pattern in self.options[option])

    def walk(self, node, path, inside, taken):
        method = node["method"]
        hidden = self.mark("--hide", method)
        inside = inside or (not hidden and self.mark("--under", method))
        taken = inside and (taken or not self.options["--method"] or (not hidden and self.mark("--method", method)))
        path = path + (method,) if inside and not hidden else path
        if taken and path:
            hides = {key: 0 if hidden else node[key] for key in ("calls", "exceptions", "open")}
            add(self.rows, path, own_ns=node["own_ns"], **hides)
        for child in node["children"]:
            self.walk(child, path, inside, taken)


def flatten(nodes, path, rows):
    """Of each path that is no context, and all paths with their totals."""
    for node in nodes:
        here = path + (node["method"],)
        if not node.get("context"):
            add(rows, here, **{key: node[key] for key in ("calls", "exceptions", "open", "own_ns")})
        elif node["calls"] or node["own_ns"]:
            print("a context has figures:", here)
        if node["total_ns"] != node["own_ns"] + sum(child["total_ns"] for child in node["children"]):
            print("the total is not its parts:", here)
        flatten(node["children"], here, rows)


with open(sys.argv[1], encoding="utf-8") as whole, open(sys.argv[2], encoding="utf-8") as chosen:
    chooser, found = Chooser(sys.argv[3:]), {}
    for root in json.load(whole)["tree"]:
        chooser.walk(root, (), not chooser.options["--under"], False)
    flatten(json.load(chosen)["tree"], (), found)
    print(" ".join(sys.argv[3:]) + ":", len(found), "paths", "equal" if found == chooser.rows else "differ")
    if found != chooser.rows:
        print("expected", chooser.rows, "found", found)
