"""The cost of compiling methods of thousands of statements under each instrument. It must grow with their length only."""
import os

from measure import figure

SHAPES = ("Ifs", "Assignments", "Calls", "Switch", "Locals", "Objects")
SIZES = (1000, 10000)
WAYS = {"plain": None, "tree": ["-i", "tree"], "calls": ["-i", "calls"], "lines": ["-i", "lines"],
        "statements": ["-i", "statements"], "values": ["-i", "values"], "uses": ["-i", "values", "--uses"],
        "all-code": ["-i", "tree", "--all-code"]}


def milliseconds(bench, command, options, settings):
    """Processor time of the thread that compiles, as the program prints it on stderr. A busy machine changes it little."""
    times = bench.work / "times"
    whole = command if options is None else bench.recorded(options, command)
    bench.run(["sh", "-c", f'exec "$@" 2>"{times}"', "sh", *whole], env=os.environ | {"HUGE_TIMES": "1"} | settings)
    return float(times.read_text().split()[0])


@figure
def huge(bench):
    sizes = [int(size) for size in os.environ.get("BENCH_HUGE", " ".join(map(str, SIZES))).split()]
    command = bench.program("Huge", "samples")
    for mode, settings in (("tiered", {}), ("untiered", {"DOTNET_TieredCompilation": "0"})):
        print(f"compile time of huge methods, us a statement, {mode}")
        print(f"{'':<20}" + "".join(f"{way:>12}" for way in WAYS))
        for shape in SHAPES:
            for size in sizes:
                taken = [milliseconds(bench, [*command, shape, str(size)], options, settings) for options in WAYS.values()]
                print(f"{shape:<12}{size:>8}" + "".join(f"{1000 * one / size:>12.1f}" for one in taken), flush=True)
