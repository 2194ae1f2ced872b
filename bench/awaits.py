"""The cost of async calls in call trees, above that of ordinary calls."""
from measure import REPETITIONS, figure, line, numbers

CALLS = 10_000_000
GOALS = {"tick": "5 ns", "tsc": "10 ns", "monotonic": ""}  # of a call that completes at once


def cost(bench, clock=None):
    """{"call_ns": ..., "at_once_ns": ..., "waits_ns": ...}, measured by the program itself."""
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
    again = cost(bench)
    line("an async call that waits once, plain again", f"{again['waits_ns']:.2f} ns")
