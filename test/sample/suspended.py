"""Compares logical calls (logical.py) where the JIT suspends methods: if an await outside of any try ends by an exception after a
suspension, the awaiting method does not run again. So its last run may be missing, and how it ended may be unknown. Callers may be
unknown, but not wrong. Everything else is exact."""

import checks
import logical

RETURNED = "returned"


class Comparison:
    """expected, found: {path: row}. may_be_unknown: methods whose caller is unknown even where state machines are recorded."""

    def __init__(self, expected, found, may_be_unknown):
        roots = {path[1] for path in found if path[0] == logical.UNKNOWN and len(path) > 1}
        self.expected, self.found, self.roots = expected, found, set(may_be_unknown) | roots
        self.without_caller = set(may_be_unknown)
        self.wrong, self.ends = [], {}  # {kind of end: [exact, unknown, wrong]}
        self.want, self.have = (_sums(rows, self.roots) for rows in (expected, found))
        self.callers()
        for path in sorted(self.want.keys() | self.have.keys()):
            if path not in self.want:
                self.say(path, f"not in the program; {dict(self.have[path])}")
            else:
                self.counts(path, self.want[path], self.have.get(path, _empty()))

    def say(self, path, words):
        self.wrong.append(f"{logical.words(path)}: {words}")

    def callers(self):
        """An unknown caller hides the beginning of a path. No path has more calls than in the program."""
        tails = {path[number:] for path in self.expected for number in range(len(path))}
        for path, row in self.found.items():
            unknown = path[0] == logical.UNKNOWN
            if path in self.expected:
                most = self.expected[path]["calls"]
                if row["calls"] > most:
                    self.say(path, f"{most} calls in the program, recorded {row['calls']}")
            elif not (unknown or path[0] in self.without_caller) or path[unknown:] not in tails:
                self.say(path, f"not in the program; {row['calls']} calls")

    def counts(self, path, want, have):
        self.ended(path, want, have)
        if have["calls"] != want["calls"]:
            self.say(path, f"{want['calls']} calls in the program, recorded {have['calls']}")
        fewest = want["runs"] - sum(want["unseen"].values())
        if not fewest <= have["runs"] <= want["runs"]:
            self.say(path, f"{fewest} to {want['runs']} runs in the program, recorded {have['runs']}")
        waits = {place: (count - want["unseen"].get(place, 0), count, have["waits"].get(place, 0)) for place, count in want["waits"].items()}
        waits |= {place: (0, 0, count) for place, count in have["waits"].items() if place not in waits}
        wrong = {place: row for place, row in waits.items() if not row[0] <= row[2] <= row[1]}
        if wrong:
            self.say(path, f"waits by place (at least, at most, recorded) {wrong}")

    def ended(self, path, want, have):
        """Adds to the table of ends what is exact, unknown and wrong here."""
        if want["runs"] == 0 and have["runs"] == 0:  # not async
            if have["faulted"] != want["faulted"]:
                self.say(path, f"{want['faulted']} exceptions in the program, recorded {have['faulted']}")
            return
        # Whether an activation still waits, or has failed in its await, is not known either.
        waiting = max(0, min(have["unknown"], want["pending"] - have["pending"]))
        have = have | {"pending": have["pending"] + waiting, "unknown": have["unknown"] - waiting}
        returned = have["calls"] - sum(have[name] for name in ("faulted", "cancelled", "pending", "unknown"))
        self.add(RETURNED, min(returned, want["completed"]), 0, abs(returned - want["completed"]))
        missing = {name: max(0, want[name] - have[name]) for name in ("faulted", "cancelled")}
        surplus = sum(max(0, have[name] - want[name]) for name in ("faulted", "cancelled"))
        left, unknown = sum(missing.values()), min(have["unknown"], sum(want["unseen"].values()))
        for kind, count in sorted(want["ends"].items(), key=lambda end: not may_be_unknown(end[0])):
            lost = min(left, count)
            hidden = min(lost, unknown) if may_be_unknown(kind) else 0
            left, unknown = left - lost, unknown - hidden
            self.add(kind, count - lost, hidden, lost - hidden)
        names = ("completed", "faulted", "cancelled", "pending")
        have = have | {"completed": returned}
        # What is unknown can only be what the method cannot see.
        exact = have["pending"] == want["pending"] and returned == want["completed"] and surplus == 0
        if not exact or sum(missing.values()) != have["unknown"] or have["unknown"] > sum(want["unseen"].values()):
            self.say(path, f"ends {[want[name] for name in names]} in the program, recorded {[have[name] for name in names]}"
                           f" and {have['unknown']} unknown ({', '.join(names)})")

    def add(self, kind, exact, unknown, wrong):
        row = self.ends.setdefault(kind, [0, 0, 0])
        for number, count in enumerate((exact, unknown, wrong)):
            row[number] += max(0, count)

    def unknown_callers(self):
        return sum(row["calls"] for path, row in self.found.items() if path not in self.expected and len(path) == 1 + (path[0] == logical.UNKNOWN))

    def table(self):
        rows = [("end", "exact", "unknown", "wrong")] + [(kind, *counts) for kind, counts in sorted(self.ends.items())]
        return "\n".join(f"    {kind:44} {exact:>7} {unknown:>7} {wrong:>7}" for kind, exact, unknown, wrong in rows)

    def require(self):
        if self.wrong:
            checks.require(False, f"{len(self.wrong)} differences in {len(self.want)} paths, {self.unknown_callers()} unknown callers\n  "
                                  + "\n  ".join(self.wrong[:40]) + "\n" + self.table())


def may_be_unknown(kind):
    """The await lies in no try, or in one in which the method does nothing."""
    return kind.endswith(("no try", "catch that does not match", "empty or removable"))


COUNTS = ("calls", "runs", "completed", "faulted", "cancelled", "pending", "unknown")
BY_NAME = ("waits", "unseen", "ends")


def _empty():
    return dict.fromkeys(COUNTS, 0) | {name: {} for name in BY_NAME}


def _sums(rows, roots):
    """{path from the last method whose caller may be unknown: sums}"""
    sums = {}
    for path, row in rows.items():
        here = sums.setdefault(logical.cut(path, roots), _empty())
        for name in COUNTS:
            here[name] += row.get(name, 0)
        for name in BY_NAME:
            for key, count in row.get(name, {}).items():
                here[name][key] = here[name].get(key, 0) + count
    return sums
