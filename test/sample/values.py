"""What programs built with samples/Oracle say of their own values, and its comparison with what was recorded of them."""

import collections
import functools
import pathlib
import re

import recorder

# what: "=" its text, ":" the name of its type, "#" the object's number.
Said = collections.namedtuple("Said", "file line name what text")

# A value's text; whether it is only the name of its type, of which there are several ways to write it.
Value = collections.namedtuple("Value", "text is_type")

ADDRESS = Value("(address)", False)


@functools.lru_cache(maxsize=None)
def tell(build, arguments=()):
    """(the program's outcome, [Said] in the order of the program) of an oracle build."""
    with recorder.temporary() as folder:
        out = pathlib.Path(folder) / "values.txt"
        done = recorder.execute(build.command + list(arguments), {"ORACLE_OUT": str(out)})
        if not out.exists():
            raise recorder.Failure(f"the oracle of {build.name} wrote nothing and ended with {done.status}: {done.stderr.decode()}")
        return done, parse(out.read_bytes().decode())


def parse(text):
    said = []
    for line in text.split("\n")[:-1]:
        found = re.fullmatch(r"([^ :]+):(\d+) (\S+) ([=:#]) (.*)", line, re.DOTALL)
        if not found:
            raise recorder.Failure(f"the oracle said {line!r}")
        said.append(Said(found[1], int(found[2]), found[3], found[4], found[5]))
    return said


def sequences(said):
    """{(file, line, name): [Value]}; names as normal_name makes them."""
    types, result = {}, {}
    for entry in said:
        place = entry[:3]
        if entry.what == ":":
            types[place] = entry.text
        elif entry.what == "=":
            is_type = entry.text == types.pop(place, None)
            value = Value(normal_type(entry.text) if is_type else entry.text, is_type)
            result.setdefault((entry.file, entry.line, normal_name(entry.name)), []).append(value)
    return result


def identities(said):
    """{(file, line, name): [number of the object]}, null as 0."""
    numbered = {entry[:3] for entry in said if entry.what == "#"}
    result = {}
    for entry in said:
        key = (entry.file, entry.line, normal_name(entry.name))
        if entry.what == "#":
            result.setdefault(key, []).append(int(entry.text))
        elif entry.what == "=" and entry.text == "NULL" and entry[:3] in numbered:
            result.setdefault(key, []).append(0)
    return result


def normal_name(name):
    """Without what only the source knows: `.x` of a field as `x`, `a[3]` as `[3]`, `*p` as `*`; parts of structs stay."""
    if name.startswith("*"):
        return re.sub(r"^\*[^.]*", "*", name)
    return re.sub(r"^[^.()\[]*(?:\[[^\]]*\])*(\[[^\]]*\])", r"\1", name.removeprefix("."))


def normal_type(name):
    """`N.Outer+Inner`1[[System.Int32, System.Private.CoreLib, ...]]` as `N.Outer.Inner<System.Int32>`."""
    before = None
    while before != name:
        before = name
        name = re.sub(r"\[([^\[\],]+(?:<[^\[\]]*>)?[^\[\],]*), [\w.]+, Version=[^\]]*\]", r"{\1}", name)
        name = re.sub(r"\[(\{[^\[\]]*\}(?:,\{[^\[\]]*\})*)\]", lambda found: "<" + _arguments(found[1]) + ">", name)
    return re.sub(r"`\d+", "", name).replace("+", ".")


def _arguments(text):
    return text[1:-1].replace("},{", ", ")


def same(expected, found):
    """Whether a recorded text is the value."""
    if expected == ADDRESS:
        return re.fullmatch(r"0x[0-9A-Fa-f]+", found) is not None and int(found, 16) != 0
    return (normal_type(found) if expected.is_type else found) == expected.text


def differences(expected, found):
    """What of the oracle's sequences is not in the recorded ones ({(file, line, name): [text]}), in words. What was recorded
    beyond them is no difference: the oracle does not say everything."""
    words = []
    for key, values in expected.items():
        file, line, name = key
        recorded = found.get(key)
        where = f"{file}:{line} {name}"
        if recorded is None:
            words.append(f"{where}: not recorded, should be {_shorten(values)}")
        elif len(recorded) != len(values):
            words.append(f"{where}: {len(recorded)} values instead of {len(values)}: {recorded[:5]} instead of {_shorten(values)}")
        else:
            for number, (value, text) in enumerate(zip(values, recorded)):
                if not same(value, text):
                    words.append(f"{where}: value {number} is {text[:200]!r} instead of {value.text[:200]!r}")
                    break
    return words


def _shorten(values):
    return [value.text[:60] for value in values[:5]]


def number_differences(expected, found):
    """The same for numbers of objects: they may be others, but equal where the oracle's are equal, and only there."""
    there, back, words = {0: 0}, {0: 0}, []
    for key, numbers in expected.items():
        for left, right in zip(numbers, found.get(key, ())):
            if there.setdefault(left, right) != right or back.setdefault(right, left) != left:
                words.append(f"{key[0]}:{key[1]} {key[2]}: object {left} is now {right}, was {there[left]}; "
                             f"{right} is the oracle's {back.get(right)}")
    return words
