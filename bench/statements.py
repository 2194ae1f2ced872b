"""The cost of statements, values and line counters, in loops of a program and in the four programs of the 2007 paper."""
import os
import pathlib
import re
import subprocess
import sys
import time

from measure import REPETITIONS, REPOSITORY, figure, line, numbers

sys.path.append(str(REPOSITORY / "test" / "sample"))

ROUNDS = 4_000_000  # per repetition of a loop of bench/Statements; all repetitions together write more than 64 MiB of events
STEADY = {**os.environ, "DOTNET_TieredPGO": "0"}
SCOPE = ["--include", "[Statements]Work.*"]
COVERLET = pathlib.Path("coverlet.collector", "6.0.4", "build", "netstandard2.0") # as in test/sample/coverage
LONG_EVENTS = int(os.environ.get("BENCH_EVENTS", "100000000"))


def rounds_of(bench, work, options=None, rounds=ROUNDS, threads=1):
    """{"round_ns": time of a round in the fastest repetition, "rounds": rounds of all repetitions}"""
    command = [*bench.program("Statements"), work, str(rounds), str(REPETITIONS), str(threads)]
    output, _ = bench.run(command if options is None else bench.recorded([*options, *SCOPE], command), env=STEADY)
    return numbers(output)


def alternating(bench, work, options, rounds=ROUNDS, threads=1):
    """Alternates three plain and two recorded runs. Returns the best plain ns per round, the ns that recording adds to it, and
    the rounds of the last recorded run."""
    plain, recorded = [], []
    for _ in range(2):
        plain.append(rounds_of(bench, work, None, rounds, threads)["round_ns"])
        last = rounds_of(bench, work, options, rounds, threads)
        recorded.append(last["round_ns"])
    plain.append(rounds_of(bench, work, None, rounds, threads)["round_ns"])
    return min(plain), min(recorded) - min(plain), last["rounds"]


def waits(info):
    pauses = sum(process["pauses"] for process in info["process_list"])
    seconds = sum(process["paused_ns"] for process in info["process_list"]) / 1e9
    return f"waited {pauses} times, {seconds:.2f} s" if pauses else "never waited"


def per_event(bench, name, work, instruments, what, goals):
    plain, added, rounds = alternating(bench, work, ["-i", instruments])
    info = bench.info()
    count = sum(info[each] for each in what)
    size = (bench.work / "bench.clew").stat().st_size
    line(f"{name}, streamed", f"{added * rounds / count:+.1f} ns", goals[0],
         f"plain {plain:.2f} ns a round of {count / rounds:.1f}; {waits(info)}, {info['lost']} lost")
    line(f"{name}, on disk", f"{size / count:.3f} B", goals[1])


@figure
def statements(bench):
    per_event(bench, "a statement, tight", "Tight", "statements", ["statements"], ("10 ns", "0.3 B"))
    per_event(bench, "a statement, branchy", "Branchy", "statements", ["statements"], ("10 ns", "0.3 B"))


@figure
def values(bench):
    per_event(bench, "a scalar value, everyday", "Scalars", "values", ["values"], ("20 ns", "1 B"))
    per_event(bench, "a scalar value, branchy", "Branchy", "values", ["values"], ("20 ns", "1 B"))
    per_event(bench, "a scalar value, noise", "Noise", "values", ["values"], ("20 ns", ""))
    per_event(bench, "a statement or value, everyday", "Scalars", "statements,values", ["statements", "values"], ("", ""))


@figure
def references(bench):
    """References to objects that were recorded before."""
    name = "a reference seen before"
    rounds_of(bench, "References", ["-i", "values"], rounds=3)
    measured, _ = bench.run([bench.clew, "replay", bench.work / "bench.clew"])
    reason = re.search(r"node = \((not captured: [^)]*)\)", measured)
    if reason:
        line(name, "n/a", "40 ns", reason[1])
    else:
        per_event(bench, name, "References", "values", ["values"], ("40 ns", "1 B"))


# -- Lines ------------------------------------------------------------------------------------------------------------

def coverlet_command(bench):
    """The `dotnet test` command for the same code with coverlet, and its settings; None if packages are missing."""
    output = bench.programs / "Coverlet"
    library = output / "bin" / "Coverlet.dll"
    try:
        bench.run(["dotnet", "build", REPOSITORY / "bench" / "Coverlet", "-c", "Release", f"-p:ClewOut={output}", "-nologo", "-v:q",
                   "-nodeReuse:false"])
    except SystemExit as failure:
        return None, None, str(failure).splitlines()[-1]
    listed, _ = bench.run(["dotnet", "nuget", "locals", "global-packages", "--list"])
    adapter = pathlib.Path(listed.strip().split(": ", 1)[1]) / COVERLET
    plain = ["dotnet", "test", library, "--results-directory", bench.work / "coverlet", "--test-adapter-path", library.parent]
    return plain, [*plain, "--collect", "XPlat Code Coverage", "--test-adapter-path", adapter], None


def coverlet_added(bench, plain, counting, work, threads):
    """ns that coverlet adds to a round."""
    result = bench.work / "coverlet.txt"
    settings = {**STEADY, "BENCH_ARGUMENTS": f"{work} {ROUNDS // 4} {REPETITIONS} {threads}", "BENCH_RESULT": str(result)}
    times = []
    for command in (plain, counting):
        bench.run(command, env=settings)
        times.append(numbers(result.read_text())["round_ns"])
    return times[1] - times[0]


@figure
def lines(bench):
    plain_test, counting_test, missing = coverlet_command(bench)
    for work in ("Tight", "Branchy"):
        for threads in (1, 2):
            where = f"{work.lower()}, {threads} thread{'s' * (threads > 1)}"
            for name, clock, goal in (("counts alone", "none", "1 ns"), ("with time", "tick", "3 ns")):
                plain, added, rounds = alternating(bench, work, ["-i", "lines", "--clock", clock], 2 * ROUNDS, threads)
                statements = bench.info()["events"] / rounds
                line(f"lines, {name}, {where}", f"{added / statements:+.2f} ns", goal,
                     f"plain {plain:.2f} ns a round of {statements:.1f}")
            if missing:
                line(f"coverlet, {where}", "n/a", "", missing)
            else:
                added = coverlet_added(bench, plain_test, counting_test, work, threads)
                line(f"coverlet, {where}", f"{added / statements:+.2f} ns")


# -- JIT --------------------------------------------------------------------------------------------------------------

def jit(bench, command, options=None):
    measured = bench.work / "jit.txt"
    hook = bench.program("JitTime")[1]
    bench.run(command if options is None else bench.recorded(options, command),
              env={**os.environ, "DOTNET_STARTUP_HOOKS": hook, "JIT_TIME": str(measured)})
    return numbers(measured.read_text())


def least_jit(bench, command, options=None):
    return min((jit(bench, command, options) for _ in range(2 * REPETITIONS)), key=lambda measured: measured["ms"])


@figure
def jit_time(bench):
    """A program that the JIT compiles; most of the framework's code is precompiled."""
    command = [*bench.program("Document", "samples"), str(bench.work / "x.pdf"), "1"]
    plain = least_jit(bench, command)
    for instruments in ("tree", "lines", "statements", "values", "statements,values"):
        measured = least_jit(bench, command, ["-i", instruments, "--include", "[Document]*"])
        line(f"JIT time, Document, {instruments}", f"{measured['ms'] - plain['ms']:+.0f} ms", "",
             f"plain {plain['ms']:.0f} ms; IL bytes {measured['il_bytes'] / plain['il_bytes']:.2f} times of {plain['il_bytes']:,.0f},"
             f" methods {measured['methods'] / plain['methods']:.2f} times of {plain['methods']:,.0f}")


# -- The paper's Table 2 ----------------------------------------------------------------------------------------------

# Seconds plain and traced, and items, from Pócza, Biczó and Porkoláb, 2007.
PAPER = {"Counter": (0.17, 22.11, 1_700_014), "Document": (1.02, 2604.97, 5_364_020), "DiskReporter": (2.56, 14.60, 850_345),
         "HttpServer": (0.52, 4.63, 97_353)}


def ask_server(bench, command, site):
    """Seconds until the server has answered all requests and ended."""
    import web
    port = bench.work / "port"
    port.unlink(missing_ok=True)
    start = time.monotonic()
    process = subprocess.Popen([*command, "serve", str(site), str(web.count(site)), str(port), str(web.CONNECTIONS)],
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        web.converse(web.wait_for_port(port, process), site)
        process.wait(timeout=60)
    finally:
        process.terminate()
    return time.monotonic() - start


def paper_program(bench, name):
    """A function that runs the sample once with a given command, and returns seconds."""
    command, folder = bench.program(name, "samples"), bench.work / name
    if name in ("DiskReporter", "HttpServer"):
        bench.run([*command, "make", folder])
    if name == "HttpServer":
        return lambda wrap: ask_server(bench, wrap(command), folder)
    arguments = {"Counter": [], "Document": [str(bench.work / "x.pdf"), "10"],
                 "DiskReporter": ["report", str(folder), str(bench.work / "x.xml")]}[name]
    return lambda wrap: bench.run(wrap([*command, *arguments]))[1]


@figure
def paper(bench):
    """Statements, values and uses, as in the paper; the whole run, start-up included."""
    options = ["-i", "statements,values", "--uses"]
    for name, (paper_plain, paper_traced, items) in PAPER.items():
        run = paper_program(bench, name)
        plain, traced = [], []
        for _ in range(REPETITIONS):
            plain.append(run(lambda command: command))
            traced.append(run(lambda command: bench.recorded(options, command)))
        events = bench.info()["events"]
        extra = (min(traced) - min(plain)) / events * 1e9
        size = (bench.work / "bench.clew").stat().st_size
        line(f"{name}: plain {min(plain):.2f} s, traced {min(traced):.2f} s", f"{min(traced) / min(plain):.2f} times", "",
             f"{events:,} items, {extra:.0f} ns and {size / events:.2f} B each; paper: {paper_plain} s, {paper_traced} s,"
             f" {paper_traced / paper_plain:.1f} times, {items:,} items, {(paper_traced - paper_plain) / items * 1e9:,.0f} ns each")


# -- Memory -----------------------------------------------------------------------------------------------------------

def resident(pid):
    """Private and shared memory of a process, in MiB."""
    status = pathlib.Path("/proc", str(pid), "status").read_text()
    return [int(re.search(rf"^{name}:\s+(\d+)", status, re.MULTILINE)[1]) / 1024 for name in ("RssAnon", "RssShmem")]


def children(pid):
    """{name: pid} of all descendants of a process."""
    found = {}
    for task in pathlib.Path("/proc", str(pid), "task").glob("*"):
        for child in (task / "children").read_text().split():
            found[pathlib.Path("/proc", child, "comm").read_text().strip()] = int(child)
            found |= children(child)
    return found


def watch(process):
    """Samples of the program's and the collector's memory until they end: [{name: [MiB, MiB]}]."""
    samples = []
    while process.poll() is None:
        try:
            found = children(process.pid)
            samples.append({name: resident(found[name]) for name in ("dotnet", "clew-collector")})
        except (OSError, KeyError, TypeError): # one of them has not begun, or has ended
            pass
        time.sleep(0.05)
    return samples


@figure
def long_stream(bench):
    """Memory over BENCH_EVENTS statements (default 10^8)."""
    rounds = LONG_EVENTS // 20 # Tight has ten statements per round and runs twice
    command = bench.recorded(["-i", "statements", *SCOPE], [*bench.program("Statements"), "Tight", str(rounds), "1", "1"])
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    samples = watch(process)
    info = bench.info()
    early, late = samples[len(samples) // 4], samples[len(samples) * 9 // 10]
    for name in early:
        line(f"memory of {name}, {info['events'] / 1e6:.0f} M events", f"{late[name][0] - early[name][0]:+.1f} MiB", "flat",
             f"{late[name][0]:.1f} MiB towards the end; shared (chunks, at most 64) {early[name][1]:.1f} MiB after a quarter,"
             f" {late[name][1]:.1f} then")
