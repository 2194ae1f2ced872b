"""Stack bytes of one activation, and the depth that recursion reaches; samples/Guest measures them."""
import os

from measure import figure, line, numbers

INSTRUMENTS = {"tree": ["tree"], "calls": ["calls"], "lines": ["lines"], "statements": ["statements"], "values": ["values"],
               "uses": ["values", "--uses"], "lines, uses": ["lines,values", "--uses"]}
MODES = {
    "tier 0": {"DOTNET_TC_CallCounting": "0"},
    "tier 1": {"GUEST_WARM": "1", "DOTNET_TieredPGO": "0", "DOTNET_TC_CallCountingDelayMs": "0",
               "DOTNET_TC_BackgroundWorkerTimeoutMs": "0"},
    "tiering off": {"DOTNET_TieredCompilation": "0"},
}
STACK = 1 << 20


def bytes_of(bench, mode, options=None):
    """{kind of method: bytes of one activation}"""
    command = [*bench.program("Guest", "samples"), "frames"]
    if options is not None:
        command = bench.recorded(["-i", *options], command)
    return numbers(bench.run(command, env={**os.environ, **MODES[mode]})[0])


@figure
def frames(bench):
    """Bytes per frame that each instrument adds, for each kind of method and tier of samples/Guest; and depths."""
    for mode in MODES:
        plain = bytes_of(bench, mode)
        recorded = {instrument: bytes_of(bench, mode, options) for instrument, options in INSTRUMENTS.items()}
        for kind, alone in plain.items():
            added = {instrument: found[kind] - alone for instrument, found in recorded.items()}
            most = max(more for instrument, more in added.items() if "uses" not in instrument)
            line(f"bytes a frame, {kind}, {mode}", f"{most:+.0f} B", "96 B, uses 160 B",
                 f"plain {alone:.0f}; " + ", ".join(f"{instrument} {more:+.0f}" for instrument, more in added.items()))
        deep = {instrument: found["ifs200"] for instrument, found in {"plain": plain, **recorded}.items()}
        line(f"recursion on 1 MiB, 200 statements, {mode}", f"{STACK / deep['values']:,.0f} deep", "a quarter of plain",
             ", ".join(f"{instrument} {STACK / size:,.0f} ({deep['plain'] / size:.0%})" for instrument, size in deep.items()))
