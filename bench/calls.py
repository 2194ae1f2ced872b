"""The cost of calls: call trees, streams of calls, the compiler, start-up, memory."""
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time

from measure import REPETITIONS, figure, line, numbers

CALLS = 30_000_000          # of a loop; also about the calls of the recursion
STREAMED_CALLS = 5_000_000  # each is two events on disk
REPORTED_EVENTS = 100_000_000


def cost(bench, options=None, calls=CALLS):
    """Costs of a call in ns, measured by the program itself, and its peak memory: {"loop_ns": ..., ...}."""
    command = [*bench.program("Calls"), str(calls), str(REPETITIONS)]
    output, _ = bench.run(command if options is None else bench.recorded(options, command))
    return numbers(output)


def per_call(bench, name, options, goal, calls=CALLS):
    plain, with_clew, again = cost(bench, calls=calls), cost(bench, options, calls), cost(bench, calls=calls)
    for work in ("loop", "fib"):
        base = min(plain[f"{work}_ns"], again[f"{work}_ns"])
        line(f"{name}, {work}, a call", f"+{with_clew[f'{work}_ns'] - base:.1f} ns", goal, f"plain {base:.2f} ns")


def compile_command(bench):
    """The SDK's C# compiler on generated classes: a real program that runs for about a second."""
    sdk = subprocess.run(["dotnet", "--list-sdks"], capture_output=True, text=True, check=True).stdout
    version, folder = re.findall(r"^(\S+) \[(.*)\]$", sdk, re.MULTILINE)[-1]
    packs = pathlib.Path(folder).parent / "packs" / "Microsoft.NETCore.App.Ref"
    references = sorted(packs.glob("*/ref/net*"))[-1]
    source = bench.work / "Generated.cs"
    source.write_text("using System; using System.Linq; using System.Collections.Generic; using System.Threading.Tasks;\n"
                      + "".join(generated_class(i) for i in range(100)))
    return ["dotnet", f"{folder}/{version}/Roslyn/bincore/csc.dll", "-nologo", "-target:library", "-deterministic",
            f"-out:{bench.work}/Generated.dll", *(f"-r:{dll}" for dll in sorted(references.glob("*.dll"))), str(source)]


def generated_class(i):
    return f"""
public record struct Key{i}(int A, string B);
public class Item{i}<T> where T : IComparable<T>
{{
    readonly Dictionary<string, List<T>> map = new();
    public int Count => map.Values.Sum(list => list.Count);
    public void Add(string key, T value)
    {{
        if (!map.TryGetValue(key, out var list)) {{ map[key] = list = new List<T>(); }}
        list.Add(value);
        list.Sort((a, b) => b.CompareTo(a));
    }}
    public IEnumerable<(string, T)> Pairs() {{ foreach (var (k, l) in map) {{ foreach (var v in l) {{ yield return (k, v); }} }} }}
    public async Task<int> SumAsync(Func<T, Task<int>> each)
    {{
        int sum = {i};
        foreach (var (_, value) in Pairs()) {{ try {{ sum += await each(value); }} catch (FormatException e) when (e.Message.Length > 3) {{ sum--; }} }}
        return sum switch {{ < 0 => 0, > 1000 and < 2000 => 1, _ => sum }};
    }}
}}
"""


@figure
def tree(bench):
    for clock, goal in (("tsc", "40 ns"), ("tick", "10 ns"), ("none", "")):
        per_call(bench, f"tree, {clock}", ["-i", "tree", "--clock", clock], goal)


@figure
def tiny(bench):
    """The loop's method is tiny, so all four are of the same calls; the recursion has calls, and is recorded either way."""
    plain = cost(bench)
    ways = {way: cost(bench, ["-i", "tree", "--tiny", way]) for way in ("full", "count", "skip")}
    base = min(plain["loop_ns"], cost(bench)["loop_ns"])
    for way, goal in (("full", "40 ns"), ("count", "5 ns"), ("skip", "0 ns")):
        line(f"tree, tsc, a call of a tiny method, --tiny {way}", f"+{ways[way]['loop_ns'] - base:.1f} ns", goal,
             f"plain {base:.2f} ns")


@figure
def calls(bench):
    per_call(bench, "calls (streamed), tsc", ["-i", "calls", "--clock", "tsc"], "45 ns", STREAMED_CALLS)


@figure
def hooks(bench):
    per_call(bench, "tree by hooks (--all-code), tsc", ["-i", "tree", "--all-code", "--clock", "tsc"], "60 ns")


@figure
def compiler(bench):
    command = compile_command(bench)
    own = ["--include", "[Microsoft.CodeAnalysis*]*", "--include", "[csc]*"]
    plain = bench.best_seconds(command)
    for name, options, goal in (("its own assemblies woven", own, "4.0 times"), ("--all-code", ["--all-code"], "5.0 times")):
        seconds = bench.best_seconds(bench.recorded(["-i", "tree", "--clock", "tick", *options], command))
        info = bench.info()
        line(f"C# compiler, tree, tick, {name}", f"{seconds / plain:.2f} times", goal,
             f"plain {plain:.2f} s, {info['events'] / 1e6:.1f} M events")
    again = bench.best_seconds(command, 1)
    line("C# compiler, plain again (noise)", f"{again / plain:.2f} times")


@figure
def start_up(bench):
    command = bench.program("Hello")
    plain, with_clew, alone = [], [], []
    for _ in range(10): # alternating, so that all see the same machine
        plain.append(bench.run(command)[1])
        with_clew.append(bench.run(bench.recorded([], command))[1])
        alone.append(bench.run(command, env=os.environ | bench.variables())[1])
    base = statistics.median(plain)
    more = statistics.median(two - one for one, two in zip(with_clew, alone))
    line("start-up of hello-world, clew record", f"+{(statistics.median(with_clew) - base) * 1000:.0f} ms", "60 ms",
         f"plain {base * 1000:.0f} ms")
    line("the same by variables alone, in pairs", f"{more * 1000:+.1f} ms more", "15 ms more")


@figure
def stream(bench):
    command = [*bench.program("Calls"), str(STREAMED_CALLS), str(REPETITIONS)]
    _, plain = bench.run(command)
    _, seconds = bench.run(bench.recorded(["-i", "calls"], command))
    info = bench.info()
    size = (bench.work / "bench.clew").stat().st_size
    line("bytes on disk, an event of a stream", f"{size / info['events']:.2f} B", "",
         f"{info['events'] / 1e6:.1f} M events, {info['lost']} lost")
    line("drained while the program runs", f"{info['events'] / 1e6 / max(seconds - plain, 1e-3):.0f} M events/s", "",
         "events / (seconds with clew - plain)")


@figure
def report(bench):
    bench.run([bench.build / "make-recording", "big", bench.work / "bench.clew", str(REPORTED_EVENTS)])
    start = time.monotonic()
    process = subprocess.Popen([bench.clew, "report", "--by", "tree", "--json", bench.work / "bench.clew"],
                               stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"bench: clew report ended with wait status {status}")
    line(f"report --by tree of {REPORTED_EVENTS / 1e6:.0f} M events", f"{time.monotonic() - start:.1f} s")
    line("its largest resident size", f"{usage.ru_maxrss / 1024:.0f} MiB", "512 MiB")


@figure
def memory(bench):
    plain = cost(bench, calls=0)["peak_kib"]
    for name, options in (("tree", ["-i", "tree"]), ("calls", ["-i", "calls"])):
        calls = 0 if name == "tree" else STREAMED_CALLS
        base = plain if calls == 0 else cost(bench, calls=calls)["peak_kib"]
        line(f"memory added to the program, {name}",
             f"+{(cost(bench, options, calls)['peak_kib'] - base) / 1024:.0f} MiB", "96 MiB", "peak resident size")


