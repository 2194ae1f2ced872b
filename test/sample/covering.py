"""Rows that together contain every pair of values of any two dimensions: a greedy, deterministic covering array."""

import itertools


def _pairs(row, names):
    return {((a, row[a]), (b, row[b])) for a, b in itertools.combinations(names, 2)}


def _possible(dimensions, names, allowed):
    """Every pair that at least one allowed full row contains."""
    pairs = set()
    for a, b in itertools.combinations(names, 2):
        for x, y in itertools.product(dimensions[a], dimensions[b]):
            if _complete({a: x, b: y}, dimensions, names, set(), allowed) is not None:
                pairs.add(((a, x), (b, y)))
    return pairs


def _complete(row, dimensions, names, wanted, allowed, turn=0):
    """Fills the open dimensions one by one, each with the value that covers most wanted pairs, and backtracks from dead ends.
    Values that cover equally many take turns, so that rows differ in dimensions that the pairs leave free."""
    open_names = [name for name in names if name not in row]
    if not open_names:
        return row if allowed(row) else None
    name = open_names[0]

    def gain(value):
        return sum(1 for other, chosen in row.items()
                   if ((other, chosen), (name, value)) in wanted or ((name, value), (other, chosen)) in wanted)

    values = dimensions[name]
    start = (turn + names.index(name) * turn // 3) % len(values)
    for value in sorted(values[start:] + values[:start], key=lambda v: -gain(v)):
        if not allowed(row | {name: value}):
            continue
        full = _complete(row | {name: value}, dimensions, names, wanted, allowed, turn)
        if full is not None:
            return full
    return None


def pairwise(dimensions, allowed=lambda row: True):
    """dimensions: {name: [values]}. allowed(row) gets partial rows too, and must accept those that can still become allowed."""
    names = list(dimensions)
    wanted = _possible(dimensions, names, allowed)
    rows = []
    while wanted:
        best, best_rank = None, 0
        # Each candidate starts from a pair that is still missing. Few candidates keep this quick.
        for start in sorted(wanted, key=str)[:60]:
            row = _complete(dict(start), dimensions, names, wanted, allowed, len(rows))
            rank = len(_pairs(row, names) & wanted)
            if best is None or rank > best_rank:
                best, best_rank = row, rank
        wanted -= _pairs(best, names)
        rows.append({name: best[name] for name in names})
    return rows


def product_and_pairs(dimensions, name, whole, allowed=lambda row: True):
    """The product with those values of dimension `name` that are in `whole`, and every pair with its other values."""
    others = [value for value in dimensions[name] if value not in whole]
    return product(dimensions | {name: list(whole)}, allowed) + pairwise(dimensions | {name: others}, allowed)


def product(dimensions, allowed=lambda row: True):
    names = list(dimensions)
    rows = (dict(zip(names, values)) for values in itertools.product(*dimensions.values()))
    return [row for row in rows if allowed(row)]
