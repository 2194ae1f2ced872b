"""The cost of async calls in call trees, above that of ordinary calls; what resumptions cost, beside dotnet-trace."""
from measure import REPETITIONS, figure, line, numbers

CALLS = 10_000_000
GOALS = {"tick": "5 ns", "tsc": "10 ns", "monotonic": ""}  # of a call that completes at once


def cost(bench, clock=None):
    """{"call_ns": ..., "at_once_ns": ..., "waits_ns": ..., "collection_ns": ...}, measured by the program itself."""
    command = [*bench.program("Awaits"), str(CALLS), str(REPETITIONS)]
    options = ["-i", "tree", "--clock", clock]
    output, _ = bench.run(command if clock is None else bench.recorded(options, command))
    return numbers(output)


@figure
def awaits(bench):
    plain = cost(bench)
    for clock, goal in GOALS.items():
        recorded = cost(bench, clock)
        added = {name: recorded[name] - plain[name] for name in plain}
        line(f"tree, {clock}, an ordinary call", f"{added['call_ns']:+.1f} ns", "", f"plain {plain['call_ns']:.2f} ns")
        line(f"tree, {clock}, an async call, completes at once", f"{added['at_once_ns'] - added['call_ns']:+.1f} ns", goal,
             f"above an ordinary call; plain {plain['at_once_ns']:.2f} ns")
        line(f"tree, {clock}, an async call, waits once", f"{added['waits_ns'] - added['call_ns']:+.1f} ns", "300 ns",
             f"above an ordinary call; plain {plain['waits_ns']:.2f} ns")
        line(f"tree, {clock}, a collection, 10,000 wait", f"{added['collection_ns'] / 1e3:+.1f} us", "0",
             f"plain {plain['collection_ns'] / 1e3:.1f} us")
    again = cost(bench)
    line("an async call that waits once, plain again", f"{again['waits_ns']:.2f} ns")


# -- Awaits ------------------------------------------------------------------------------------------------------------

SHORT_REPETITIONS = 60
CASES = ("call", "nothing", "done", "deep", "waits", "deep_waits", "fails", "deep_fails")  # as in bench/AwaitChains
COMPILED = {"runtime async": "runtime", "state machines": "machines"}
INSTRUMENTS = {"tree, tick": ["-i", "tree", "--clock", "tick"],
               "tree, tick, exact ends": ["-i", "tree", "--clock", "tick", "--exact-ends"],
               "tree, tsc": ["-i", "tree", "--clock", "tsc"],
               "calls, tick": ["-i", "calls", "--clock", "tick"], "calls, tsc": ["-i", "calls", "--clock", "tsc"],
               "lines": ["-i", "lines"], "statements": ["-i", "statements"], "values": ["-i", "values"]}


@figure
def await_chains(bench):
    """A line for each tool: nanoseconds of each case, and the bytes that it allocates in the program."""
    print(f"{'':<40}" + "".join(f"{case:>20}" for case in CASES))
    for compiled, way in COMPILED.items():
        command = [*bench.program_of_11("AwaitChains", ClewAsync=way), str(SHORT_REPETITIONS)]
        tools = {"plain": command}
        tools |= {name: bench.recorded(options, command) for name, options in INSTRUMENTS.items()}
        tools["dotnet-trace"] = traced(bench, bench.work / "bench.nettrace", command)
        for name, tool in tools.items():
            found = numbers(bench.run(tool)[0])
            cells = (f"{found[f'{case}_ns']:.1f} ({found[f'{case}_bytes']:.1f} B)" for case in CASES)
            print(f"{f'{compiled}, {name}':<40}" + "".join(f"{cell:>20}" for cell in cells), flush=True)


# -- Resumptions --------------------------------------------------------------------------------------------------------

RATES = (10_000, 100_000, 1_000_000)  # a second, at most
SECONDS = 5
TRACER = ("dotnet-trace", "10.0.750501")
# Tasks, what they transfer, when they stop, and async methods; all levels.
TRACED = "System.Threading.Tasks.TplEventSource:0x143:5"


def tracer(bench):
    """The command of dotnet-trace, installed among the bench's programs."""
    tools = bench.programs / "tools"
    if not (tools / TRACER[0]).exists():
        bench.run(["dotnet", "tool", "install", TRACER[0], "--version", TRACER[1], "--tool-path", tools])
    return tools / TRACER[0]


def traced(bench, file, command):
    return [tracer(bench), "collect", "--providers", TRACED, "-o", file, "--show-child-io", "--", *command]


def rate(bench, command):
    """Resumptions, and how many a second, of the program's second, longer part."""
    found = numbers(bench.run(command)[0])
    return found["resumptions"], found["per_second"]


def recorded_rate(bench, options, command):
    count, speed = rate(bench, bench.recorded(options, command))
    size = (bench.work / "bench.clew").stat().st_size
    return speed, f"{size / count:.2f} B each, {bench.info()['lost']} lost"


def traced_rate(bench, command):
    file = bench.work / "bench.nettrace"
    count, speed = rate(bench, traced(bench, file, command))
    events = numbers(bench.run([*bench.program("TraceEvents"), file])[0])
    return speed, f"{file.stat().st_size / count:.0f} B each, {events['events'] / count:.1f} events each, {events['dropped']:.0f} dropped"


@figure
def resumptions(bench):
    for most in RATES:
        command = [*bench.program("Resumptions"), str(most), str(SECONDS)]
        plain = max(rate(bench, command)[1] for _ in range(2))
        tools = {"clew, tree": lambda: recorded_rate(bench, ["-i", "tree"], command),
                 "clew, calls": lambda: recorded_rate(bench, ["-i", "calls"], command),
                 "dotnet-trace": lambda: traced_rate(bench, command)}
        for name, measure in tools.items():
            speed, what = measure()
            line(f"{plain:,.0f} resumptions a second, {name}", f"{100 * (speed / plain - 1):+.1f} %", "", what)
