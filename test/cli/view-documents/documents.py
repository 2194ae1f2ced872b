"""Compares the page's documents with what the verbs print, on recordings with known content."""
import json
import subprocess
import sys
import urllib.parse

from client import Page


def printed(*words):
    return subprocess.run(["clew", *words], capture_output=True, check=True, text=True).stdout


def sums(tree):
    """Calls, own and total time by method, from the columns of a tree; a total counts outermost activations."""
    nodes, found = tree["nodes"], {}
    for i, parent in enumerate(nodes["parent"]):
        method = nodes["method"][i]
        row = found.setdefault(tree["methods"][method]["name"], [0, 0, 0])
        row[0] += nodes["calls"][i]
        row[1] += nodes["own_ns"][i]
        above = parent
        while above >= 0 and nodes["method"][above] != method:
            above = nodes["parent"][above]
        row[2] += nodes["total_ns"][i] if above < 0 else 0
    return found


def check_tree(page, path):
    rows = json.loads(printed("report", path, "--by", "methods", "--json"))["methods"]
    reported = {row["method"]: [row["calls"], row["own_ns"], row["total_ns"]] for row in rows if row["calls"] is not None}
    return sums(page.document("tree")) == reported, sums(page.document("tree?apart=1")) == reported


def check_story(page, path):
    """Pages through each thread in both directions; together they are what replay prints."""
    lines = [json.loads(line) for line in printed("replay", path, "--format", "json").splitlines()][1:]
    right = True
    for thread in sorted({(line["process"], line["thread"]) for line in lines}):
        wanted = [(l["event"], l["depth"] if "depth" in l else None) for l in lines
                  if (l["process"], l["thread"]) == thread and l["event"] != "open"]
        there, at, more = [], f"{thread[0]}:{thread[1]}:0", True
        while more:
            got = page.document(f"story?at={at}&count=3")
            there += got["rows"]
            more = got["more"]
            head, ordinal = got["last"].rsplit(":", 1)
            at = f"{head}:{int(ordinal) + 1}"
        back, more = [], True
        while more:
            got = page.document(f"story?at={at}&count=3&direction=-1")
            back = got["rows"] + back
            at, more = got["first"] or at, got["more"] and got["rows"]
        right = right and [(r["event"], r.get("depth")) for r in there] == wanted and back == there
    return right


def values_in_pages(page, asked):
    """One answer with all values, and the same ones asked for one by one."""
    whole, there, after, more = page.document(f"values?{asked}"), [], "", True
    while more:
        got = page.document(f"values?{asked}&count=1{after}")
        there += got["values"]
        more = got["more"]
        after = f"&after={there[-1]['at']}" if there else ""
    return not whole["more"] and there == whole["values"]


for kind in sys.argv[1:]:
    path = f"{kind}.clew"
    page = Page(path)
    session = page.document("session")
    print(kind, "has", " ".join(name for name, has in session["page"]["has"].items() if has))
    print(kind, "tree", *check_tree(page, path))
    if session["page"]["has"]["calls"]:
        print(kind, "story", check_story(page, path))
        whole = session["info"]["elapsed_ns"]
        halves = [page.document(f"tree?from={a}&to={b}") for a, b in ((0, whole // 2), (whole // 2, whole + 1))]
        tree = page.document("tree")
        if kind == "throws":  # of one thread it has a tree and no stream: nothing of a part
            print(kind, "found", [row["event"] for row in page.document("story?thread=1:1&find=CART%20is")["rows"]])
            page.end()
            continue
        print(kind, "halves", sum(h["calls"] for h in halves) == tree["calls"], sum(h["total_ns"] for h in halves) == tree["total_ns"])
        strip = page.document("strip")
        print(kind, "strip", sum(c["calls"] for c in strip["columns"]), tree["calls"])
        line = page.document("timeline?width=10&depth=4")
        print(kind, "timeline", line["exact"], [(lane["thread"], sum(lane["spans"]["calls"]), lane["busy"][:3]) for lane in line["lanes"]])
    if session["page"]["has"]["lines"]:
        print(kind, "files", page.document("files")["files"])
        source = page.document("source?document=0")
        print(kind, "source", len(source["text"] or []), [(l["line"], l["count"]) for l in source["lines"]])
    if session["page"]["has"]["values"]:
        names = sorted({row["name"] for row in page.document("variables")["variables"]})
        print(kind, "variables", [(name.encode("unicode_escape").decode()[:20], len(page.document("values?name=" + urllib.parse.quote(name))["values"])) for name in names])
        print(kind, "in pages", all(values_in_pages(page, "name=" + urllib.parse.quote(name)) for name in names),
              all(values_in_pages(page, f"object={number}") for number in range(1, 8)))
    page.end()
