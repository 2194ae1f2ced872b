"""Reads coverlet's counts of lines, for samples under their xUnit tests (coverage/), and compares them with clew's.

coverlet counts every sequence point and adds each to all lines that it covers. clew counts a statement on the line where it
begins. So both are equal on a line with one point that begins and ends there; for other lines a rule says how they differ."""

import collections
import fcntl
import functools
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import threading
import xml.etree.ElementTree

import builds
import recorder

FOLDER = pathlib.Path(__file__).resolve().parent / "coverage"
SUITES = ["Document", "Parser", "Ledger"]
FORMS = "Forms"  # coverage/Forms: forms of code that may count in a way of their own
_GENERATOR = "5.5.12"  # of ReportGenerator
_ADAPTER = pathlib.Path("coverlet.collector", "6.0.4", "build", "netstandard2.0")  # as in coverage/Directory.Build.props

_building = threading.Lock()

# Lines of the source, first and last included.
Point = collections.namedtuple("Point", "file first last")

Finding = collections.namedtuple("Finding", "rule file line words")


class Suite(collections.namedtuple("Suite", "project configuration")):
    """The tests of samples/<project> or coverage/<project>."""

    @property
    def sources(self):
        return FOLDER / self.project if self.project == FORMS else builds.SAMPLES / self.project

    @property
    def name(self):
        return f"{self.project}.Tests-{self.configuration}"

    @property
    def output(self):
        return builds.OUT / self.name

    @property
    def tests(self):
        return self.output / "bin" / f"{self.project}.Tests.dll"

    @property
    def module(self):
        return self.output / "bin" / f"{self.project}.dll"

    def stamp(self):
        digest = hashlib.sha256(self.name.encode())
        folders = [FOLDER / f"{self.project}.Tests", self.sources]
        files = [path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file()]
        for path in files + [FOLDER / "Directory.Build.props", builds.SAMPLES / "Directory.Build.props"]:
            if not {"bin", "obj"} & set(path.parts):
                digest.update(str(path).encode() + b"\0" + path.read_bytes() + b"\0")
        return digest.hexdigest()


def alone(check):
    """coverlet changes a module where it lies while the tests run, so one case at a time has the tests of a project."""
    @functools.wraps(check)
    def locked(suite, *arguments):
        builds.OUT.mkdir(parents=True, exist_ok=True)
        with open(builds.OUT / f"{suite.project}.Tests.lock", "w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            return check(suite, *arguments)
    return locked


def build(suite):
    """Builds the tests and their sample, unless that was done for the same sources."""
    stamp = suite.output / "stamp"
    if stamp.exists() and stamp.read_text() == suite.stamp():
        return
    shutil.rmtree(suite.output, ignore_errors=True)
    _dotnet("build", FOLDER / f"{suite.project}.Tests", "-c", suite.configuration, f"-p:ClewOut={suite.output}", "-v:q", "-nologo",
            "-nodeReuse:false")
    shutil.rmtree(suite.output / "obj", ignore_errors=True)
    stamp.write_text(suite.stamp())


def test_command(suite, folder):
    """The command that runs the tests once. folder: for the files that they write."""
    return ["dotnet", "test", str(suite.tests), "--results-directory", str(folder), "--test-adapter-path", str(suite.tests.parent)]


def hits(suite):
    """{(file, line): hits} of the sample's module after one run of its tests; file is relative to the sample's folder."""
    with recorder.temporary() as folder:
        _dotnet(*test_command(suite, folder)[1:], "--collect", "XPlat Code Coverage", "--test-adapter-path", _packages() / _ADAPTER,
                "--", "DataCollectionRunSettings.DataCollectors.DataCollector.Configuration.Format=json")
        files = list(pathlib.Path(folder).rglob("coverage.json"))
        if len(files) != 1:
            raise recorder.Failure(f"coverlet wrote {len(files)} files")
        return read(json.loads(files[0].read_text()), suite.module.name, suite.sources)


def read(answer, module, root):
    """The same from coverlet's JSON: {module: {document: {class: {method: {"Lines": {line: hits}}}}}}."""
    counts = collections.Counter()
    for document, classes in answer[module].items():
        file = os.path.relpath(document, root)
        for methods in classes.values():
            for method in methods.values():
                for line, times in method["Lines"].items():
                    counts[file, int(line)] += times
    return dict(counts)


def points(suite):
    """The module's sequence points as System.Reflection.Metadata reads them, hidden ones left out."""
    return read_points(_symbols(suite), suite.sources)


def read_points(text, root):
    documents, found = {}, []
    for line in text.splitlines():
        document = re.fullmatch(r"document (\d+) \S+ (?:none|\w+ [0-9A-F]+) (.*)", line)
        point = re.fullmatch(r"point [0-9a-f]+ (\d+) (\d+):\d+-(\d+):\d+", line)
        if document:
            documents[document[1]] = os.path.relpath(document[2], root)
        elif point:
            found.append(Point(documents[point[1]], int(point[2]), int(point[3])))
    return found


def _symbols(suite):
    reader = _metadata_reader()
    done = recorder.execute(["dotnet", str(reader), "--symbols", str(suite.module.with_suffix(".pdb"))])
    if done.status != 0:
        raise recorder.Failure(f"no symbols of {suite.name}: {done.stderr.decode()}")
    return done.stdout.decode()


@functools.lru_cache(maxsize=None)
def _metadata_reader():
    with _building:
        return _build_metadata_reader(builds.OUT / "Metadata")


def _build_metadata_reader(output):
    _dotnet("build", builds.ROOT / "test" / "oracle" / "metadata", "-c", "Release", "-o", output / "bin",
            f"-p:BaseIntermediateOutputPath={output}/obj/", "-v:q", "-nologo", "-nodeReuse:false")
    return output / "bin" / "Metadata.dll"


def _dotnet(*arguments):
    done = recorder.execute(["dotnet", *map(str, arguments)], timeout=900)
    if done.status != 0:
        raise recorder.Failure(f"dotnet {arguments[0]} {arguments[1]} ended with {done.status}:\n"
                               f"{done.stdout.decode()[-3000:]}{done.stderr.decode()[-1000:]}")
    return done.stdout.decode()


@functools.lru_cache(maxsize=None)
def _packages():
    """Where packages are restored to."""
    listed = subprocess.run(["dotnet", "nuget", "locals", "global-packages", "--list"], capture_output=True, text=True, check=True)
    return pathlib.Path(listed.stdout.strip().split(": ", 1)[1])


def hits_of_cobertura(path, root):
    """The same as hits() from a Cobertura file. Each line has to be in one class, and in one method of it."""
    top = xml.etree.ElementTree.parse(path).getroot()
    folder, counts, in_methods = top.find("sources/source").text or "", {}, collections.Counter()
    for part in top.iter("class"):
        file = os.path.relpath(folder + part.get("filename"), root)
        for line in part.findall("lines/line"):
            key = file, int(line.get("number"))
            if key in counts:
                raise recorder.Failure(f"{key} is in two classes")
            counts[key] = int(line.get("hits"))
        in_methods.update((file, int(line.get("number"))) for line in part.findall("methods/method/lines/line"))
    if in_methods != collections.Counter(counts.keys()):
        raise recorder.Failure("the lines of methods are not those of classes")
    totals = int(top.get("lines-covered")), int(top.get("lines-valid"))
    if totals != (sum(times > 0 for times in counts.values()), len(counts)):
        raise recorder.Failure(f"the sums are {totals}")
    return counts


def hits_of_lcov(path, root):
    """The same from a tracefile of lcov."""
    counts, file = {}, None
    for line in pathlib.Path(path).read_text().splitlines():
        what, _, rest = line.partition(":")
        if what == "SF":
            file = os.path.relpath(rest, root)
        elif what == "DA":
            number, times = rest.split(",")
            counts[file, int(number)] = int(times)
    return counts


def lines_of_generator(path, folder):
    """(covered lines, lines) as ReportGenerator reads a file."""
    tool = _generator()
    done = recorder.execute([str(tool), f"-reports:{path}", f"-targetdir:{folder}", "-reporttypes:JsonSummary"], timeout=300)
    if done.status != 0:
        raise recorder.Failure(f"ReportGenerator ended with {done.status}: {done.stdout.decode()[-1000:]}")
    summary = json.loads((pathlib.Path(folder) / "Summary.json").read_text())["summary"]
    return summary["coveredlines"], summary["coverablelines"]


def lines_of_genhtml(path, folder):
    """The same as genhtml reads a tracefile."""
    done = recorder.execute(["genhtml", str(path), "-o", str(folder)], timeout=300)
    found = re.search(r"lines\.+: [0-9.]+% \((\d+) of (\d+) lines\)", done.stdout.decode())
    if done.status != 0 or not found:
        raise recorder.Failure(f"genhtml ended with {done.status}: {done.stdout.decode()[-1000:]}{done.stderr.decode()[-1000:]}")
    return int(found[1]), int(found[2])


def _generator():
    folder = builds.OUT / f"reportgenerator-{_GENERATOR}"
    with _building:
        if not (folder / "reportgenerator").exists():
            _dotnet("tool", "install", "dotnet-reportgenerator-globaltool", "--version", _GENERATOR, "--tool-path", folder)
    return folder / "reportgenerator"


def counts_of_report(rows, root):
    """{(file, line): count} of `clew report --by lines --json`: an array of {file, line, count, own_ns}."""
    counts = collections.Counter()
    for row in rows:
        counts[os.path.relpath(row["file"], root), row["line"]] += row["count"]
    return dict(counts)


# Copy constructors of records, for `with`: they have no source.
_COPY = re.compile(r"(\w+)(?:<[^()]*>)?\.\.ctor\(\1(?:<[^()]*>)?\)")


def copies_of_report(rows, root):
    """The same for copy constructors only."""
    return counts_of_report([row for row in rows if _COPY.search(row["method"])], root)


EQUAL, SEVERAL, CONTINUED, UNREACHED, COPIED, WRONG = "equal", "several points on the line", "continues from a line above", \
    "coverlet leaves it out", "coverlet leaves a record's copy constructor out", "unexplained"


def compare(theirs, ours, all_points, copies={}):
    """[Finding], one for each line that either side counted. theirs: hits(); ours: counts_of_report(), copies: copies_of_report(); WRONG ones
    are defects."""
    begins, covers = collections.Counter(), collections.Counter()
    above = {}
    for point in all_points:
        begins[point.file, point.first] += 1
        for line in range(point.first, point.last + 1):
            covers[point.file, line] += 1
            above[point.file, line] = point.file, point.first
    findings = []
    for key in sorted(theirs.keys() | ours.keys()):
        hit, count = theirs.get(key), ours.get(key)
        words = f"coverlet {hit}, clew {count}, {begins[key]} points begin there, {covers[key]} cover it"
        if begins[key] == 0 and count is None and covers[key] == 1 and begins[above[key]] == 1:
            rule = CONTINUED if hit == ours.get(above[key], 0) else WRONG
        else:
            rule = _judge(hit, count, begins[key], covers[key])
            if rule in (WRONG, SEVERAL) and copies.get(key) and hit == count - copies[key]:
                rule = COPIED
        findings.append(Finding(rule, *key, words))
    return findings


def _judge(hit, count, begins, covers):
    if hit is None:
        # Code that coverlet considers unreachable or compiler-generated.
        return UNREACHED if begins and not count else WRONG
    if begins < covers:
        # Some points begin above: only coverlet adds their hits to this line.
        return CONTINUED if (count or 0) <= hit else WRONG
    if hit == (count or 0):
        return EQUAL
    # If several points begin here, clew's count may be that of the one that ran most.
    return SEVERAL if begins > 1 and count and hit / begins <= count <= hit else WRONG
