"""Runs every verb and format over the recordings here, and wrong command lines, and looks at each byte that comes out."""

import gzip
import json
import os
import re
import subprocess

FORBIDDEN = re.compile("[\0-\x08\x0B-\x1F\x7F-\x9F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]")
ESCAPED = re.compile(r"\\u001B")
HOSTILE = os.fsdecode(b"\x1b[31m\x1b]0;title\x07 \r \x7f \xc2\x9b \xd8\x9c \xe2\x80\x8f \xe2\x80\xa8 \xe2\x80\xae "
                      b"\xe2\x81\xa6 \x9b \xed\xa0\x80 \xc0\xaf \nforged line")
MADE = "\x1B[31m\x1B]0;title\x07 \0 \r \x7F \x9B 1m" # how the texts of make-recording begin
KINDS = ("tree", "calls", "sites", "boxes", "lines", "lines-tree", "allocations", "throws", "cold", "unclosed", "empty")
REPORTS = ("overview", "tree", "hot", "methods", "modules", "threads", "log", "summary", "lines", "allocations",
           "exceptions")
looked, escaped, wrong, lost = 0, 0, [], 0


def look(what, data):
    global looked, escaped
    looked += 1
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        wrong.append(f"{what}: {error}")
        return
    escaped += bool(ESCAPED.search(text))
    found = FORBIDDEN.search(text)
    if found or "\nforged line" in text:
        at = found.start() if found else text.index("\nforged line")
        wrong.append(f"{what}: {ascii(text[max(at - 40, 0):at + 40])}")


def clew(*words, **more):
    done = subprocess.run(["clew", *words], capture_output=True, env=os.environ | more, stdin=subprocess.DEVNULL, timeout=60)
    look(f"{words} stdout", done.stdout)
    look(f"{words} stderr", done.stderr)
    return done


def check_recordings():
    for kind in KINDS:
        file = f"{kind}.clew"
        for by in REPORTS:
            clew("report", file, "--by", by, *(["--threads"] if by in ("overview", "tree") else []))
            json_of(clew("report", file, "--by", by, "--json").stdout)
        for form in ("story", "lines", "log"):
            clew("replay", file, "--format", form)
        for line in clew("replay", file, "--json").stdout.splitlines():
            json_of(line)
        for name in ("x", "p", "o"):
            clew("replay", file, "--var", name)
            clew("replay", file, "--var", name + hostile_in(file))
        clew("replay", file, "--depth", "2", "--min-time", "1ns")
        check_exports(file)
        clew("info", file)
        json_of(clew("info", file, "--json").stdout)


# Of formats in binary, the texts in them: they are shown by tools that write to a terminal.
def check_exports(file):
    for form in ("speedscope", "folded", "callgrind", "trace", "firefox", "csv", "jsonl"):
        done = subprocess.run(["clew", "export", file, "-o", "-", "--format", form], capture_output=True)
        look(f"{form} of {file}", done.stdout.replace(b"\r\n", b"\n") if form == "csv" else done.stdout)
    for by in ("modules", "threads", "tree", "events", "lines", "allocations"):
        done = subprocess.run(["clew", "export", file, "-o", "-", "--format", "csv", "--by", by], capture_output=True)
        look(f"{by} of {file}", done.stdout.replace(b"\r\n", b"\n"))
    for form in ("pprof", "perfetto"):
        data = subprocess.run(["clew", "export", file, "-o", "-", "--format", form], capture_output=True).stdout
        data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
        found = [mark for mark in (b"\x1b[31m", b"\x1b]0;", "\u202e".encode(), b"\nforged line") if mark in data]
        if found:
            wrong.append(f"{form} of {file}: {found}")


# What make-recording puts behind every text, as it came out of JSON: the same with the bytes that are no UTF-8 replaced.
def hostile_in(file):
    command = json.loads(subprocess.run(["clew", "info", file, "--json"], capture_output=True).stdout)["command"]
    return command.removeprefix("dotnet shop.dll --fast").replace("\0", "")


# Texts in JSON are what they were, once they are parsed.
def json_of(text):
    global lost
    if text:
        parsed = json.loads(text)
        session = parsed.get("session", parsed)
        lost += MADE not in session.get("command", MADE)


def check_words():
    with open(HOSTILE + "text", "w") as file:
        file.write("no recording")
    names = (HOSTILE, f"folder/{HOSTILE}", HOSTILE + "text")
    for name in names:
        for verb in ("report", "replay", "info"):
            clew(verb, name)
    for words in (["report"], ["replay"], ["info"], ["report", "--by"], ["report", "--sort"], ["report", "--top"],
                  ["report", "--min-time"], ["report", "--format"], ["replay", "--format"], ["replay", "--thread"],
                  ["replay", "--from"], ["report", "plain.clew", "-o"], ["report", "-o"], ["doctor"], ["help"], [],
                  ["report", "plain.clew"], ["record", "--clock"], ["record", "-i"], ["record", "--include"],
                  ["record", "--exclude"], ["record", "--depth"], ["record", "--keep-last"], ["record", "--redact"],
                  ["record", "--string-max"], ["record", "--symbols"], ["record", "--"], ["run", "--"], ["run"]):
        clew(*words, HOSTILE)
        clew(*words, "--" + HOSTILE)
        clew(*words, "-" + HOSTILE)
        clew(*words, HOSTILE, "--", "true")
    for name in names:
        clew("record", "-o", name, "--", "true")
        clew("record", "-o", f"{name}.clew", "--", "true", name)
        clew("run", "--", name)
    os.symlink("/bin/true", HOSTILE)
    clew("run", "--", f"./{HOSTILE}")
    for variable in ("DOTNET_EnableDiagnostics", "CORECLR_PROFILER", "CORECLR_PROFILER_PATH"):
        more = {"CORECLR_ENABLE_PROFILING": "1", "CORECLR_PROFILER": "{1}"} | {variable: "0" + HOSTILE}
        clew("record", "--", "true", **more)


check_recordings()
check_words()
for line in wrong[:20]:
    print(line)
print(f"{'hundreds' if looked > 600 else looked} of outputs, "
      f"{'hundreds' if escaped > 200 else escaped} with escapes, {len(wrong)} wrong, {lost} changed in JSON")
