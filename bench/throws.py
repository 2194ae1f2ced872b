"""The cost of a throw, above that without clew."""
from measure import figure, line, numbers

THROWS, ROUNDS, PAIRS = 20_000, 5, 5
INSTRUMENTS = {"tree, tick": ["-i", "tree", "--clock", "tick"], "tree, tsc": ["-i", "tree", "--clock", "tsc"],
               "calls, tsc": ["-i", "calls", "--clock", "tsc"], "values": ["-i", "values"]}


@figure
def throws(bench):
    """Plain and recorded take turns, and the shortest time of each counts."""
    command = [*bench.program("Throws"), str(THROWS), str(ROUNDS)]
    best = {}
    for _ in range(PAIRS):
        for name, options in {"plain": None, **INSTRUMENTS}.items():
            found = numbers(bench.run(command if options is None else bench.recorded(options, command))[0])
            best[name] = {case: min(value, best.get(name, found)[case]) for case, value in found.items()}
    for name in INSTRUMENTS:
        for case, words in {"near_ns": "caught in the caller", "far_ns": "through ten levels", "library_ns": "from int.Parse"}.items():
            line(f"{name}, a throw {words}", f"{best[name][case] - best['plain'][case]:+,.0f} ns", "",
                 f"plain {best['plain'][case]:,.0f} ns")
