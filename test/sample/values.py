"""Reads the values that programs built with samples/Oracle report, and compares them with the recorded values."""

import bisect
import collections
import functools
import os
import pathlib
import re

import recorder

# what: "=" its text, ":" the name of its type, "#" the object's number, "~" its text as a signed number.
Said = collections.namedtuple("Said", "file line name what text")

# A value's text; whether the text is only the type's name, which has several spellings; another text that is right, too.
Value = collections.namedtuple("Value", "text is_type other", defaults=[None])

ADDRESS = Value("(address)", False)

# wrong: False if the recording says that a value was not captured, and why.
Difference = collections.namedtuple("Difference", "file line name words wrong reason", defaults=[True, None])


class NotCaptured(str):
    """The reason why a value was not captured."""


@functools.lru_cache(maxsize=None)
def run_oracle(build, arguments=()):
    """Runs an oracle build. Returns (the program's outcome, [Said] in program order)."""
    with recorder.temporary() as folder:
        out = pathlib.Path(folder) / "values.txt"
        done = recorder.execute(build.command + list(arguments), {"ORACLE_OUT": str(out)})
        if not out.exists():
            raise recorder.Failure(f"the oracle of {build.name} wrote nothing and ended with {done.status}: {done.stderr.decode()}")
        return done, parse(out.read_bytes().decode())


def parse(text):
    said = []
    for line in text.split("\n")[:-1]:
        found = re.fullmatch(r"([^ :]+):(\d+) (\S+) ([=:#~]) (.*)", line, re.DOTALL)
        if not found:
            raise recorder.Failure(f"the oracle said {line!r}")
        said.append(Said(found[1], int(found[2]), found[3], found[4], found[5]))
    return said


def sequences(said):
    """{(file, line, name): [Value]}; names as normal_name makes them."""
    types, others, result = {}, {}, {}
    for entry in said:
        place = entry[:3]
        if entry.what == ":":
            types[place] = entry.text
        elif entry.what == "~":
            others[place] = entry.text
        elif entry.what == "=":
            is_type = entry.text == types.pop(place, None)
            value = Value(normal_type(entry.text) if is_type else entry.text, is_type, others.pop(place, None))
            result.setdefault((entry.file, entry.line, normal_name(entry.name)), []).append(value)
    return result


def identities(said):
    """{(file, line, name): [object number]}; null is 0."""
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
    """Removes parts that only the source knows: `.x` of a field becomes `x`, `a[3]` `[3]`, `*p` `*`; parts of structs remain."""
    if name.startswith("*"):
        return re.sub(r"^\*[^.]*", "*", name)
    return re.sub(r"^[^.()\[]*(?:\[[^\]]*\])*(\[[^\]]*\])", r"\1", name.removeprefix("."))


def normal_type(name):
    """Turns `N.Outer`1+Inner`1[[System.Int32, System.Private.CoreLib, ...],[...]]` and `N.Outer<System.Int32>.Inner<...>` into
    `N.Outer.Inner<System.Int32, ...>`."""
    before = None
    while before != name:
        before = name
        name = re.sub(r"\[([^\[\],]+(?:<[^\[\]]*>)?[^\[\],]*), [\w.]+, Version=[^\]]*\]", r"{\1}", name)
        name = re.sub(r"\[(\{[^\[\]]*\}(?:,\{[^\[\]]*\})*)\]", lambda found: "<" + _arguments(found[1]) + ">", name)
    name = re.sub(r"`\d+", "", name).replace("+", ".")
    return re.sub(r"<([^<>]*)>(\.\w+)(?:<([^<>]*)>)?", lambda found: f"{found[2]}<{', '.join(filter(None, found.group(1, 3)))}>", name)


def _arguments(text):
    return text[1:-1].replace("},{", ", ")


def recorded(events, root):
    """(sequences, object numbers) of the events of `clew replay --format json`, for differences() and number_differences(). Files
    are relative to root. A value is on the line of the statement whose code records it, an argument on the line of its method's first
    statement, a result on the line of the last statement that ran and is more than a closing brace. A value that was not captured is
    a NotCaptured."""
    events = list(_with_methods(events))
    statements = {}
    for event, method, _ in events:
        if event["event"] == "statement":
            statements.setdefault(method, {})[event["offset"]] = os.path.relpath(event["file"], root), event["line"]
    offsets = {method: sorted(known) for method, known in statements.items()}
    texts, numbers = {}, {}
    for event, method, last in events:
        if event["event"] in _VALUES and method in statements:
            index = bisect.bisect_right(offsets[method], event["offset"]) - 1
            offset = last if event["event"] == "result" and last is not None else offsets[method][max(index, 0)]
            _keep(texts, numbers, statements[method][offset], event)
    return texts, numbers


_VALUES = {"argument", "definition", "result", "allocation"}


def _with_methods(events):
    """Each statement and value with its method's number, and the offset of the activation's last statement longer than one character."""
    threads = {}
    for event in events:
        if event["event"] in ("enter", "running"):
            threads.setdefault((event["process"], event["thread"]), {})[event["depth"]] = [event["id"], None]
        elif "offset" in event:
            activation = threads[event["process"], event["thread"]][event["depth"]]
            if event["event"] == "statement" and (event["line"] != event["end_line"] or event["end_column"] - event["column"] > 1):
                activation[1] = event["offset"]
            yield event, *activation


def _keep(texts, numbers, place, event):
    _keep_value(texts, numbers, place, _name_of(event), event)
    if "indices" in event:
        _keep_value(texts, numbers, place, "[%s]" % ",".join(map(str, event["indices"])), event)
    if "path" in event:
        _keep_value(texts, numbers, place, normal_name(_path_of(event)), _assigned(event))


def _path_of(event):
    """The path with the index that the event has of the last item in it, if that is not the place itself."""
    before, _, after = event["path"].rpartition("[]")
    return f"{before}[{event['indices'][0]}]{after}" if after and "indices" in event else event["path"]


def _assigned(event):
    """The part of the value that a path leads to: that of its longest end whose names are fields of it."""
    names = event["path"].split(".")
    for first in range(1, len(names) + 1):
        part = event
        for name in names[first:]:
            part = next((field for field in part.get("fields", ()) if field["name"] == name), None)
            if part is None:
                break
        if part is not None:
            return part


def _keep_value(texts, numbers, place, name, known):
    """A value under its name, and the parts of a struct under theirs."""
    value = known.get("value")
    text = NotCaptured(known["not_captured"]) if "not_captured" in known else "NULL" if value is None else value
    texts.setdefault((*place, name), []).append(text)
    if "object" in known or ("value" in known and value is None):
        numbers.setdefault((*place, name), []).append(known.get("object") or 0)
    for field in known.get("fields", ()):
        _keep_value(texts, numbers, place, f"{name}.{field['name']}", field)


def _name_of(event):
    if event["event"] == "allocation":
        return "new"
    index = event.get("index", event.get("key", {}).get("value"))
    by_place = {"item": "[%s]" % ("?" if index is None else index), "indirect": "*", "result": "return"}
    name = by_place.get(event["place"], event.get("name", ""))
    return f"({name})" if event["event"] == "argument" else name


def align(expected, found):
    """Moves arguments in `found` to the lines of the oracle, which reports them on the line of the opening brace. A constructor's
    first statement is above that line, and that of a Release build below."""
    lines = {}
    for file, line, name in expected:
        if name.startswith("("):
            lines.setdefault((file, name.split(".")[0]), []).append(line)
    moved = {}
    for (file, line, name), texts in found.items():
        near = [known for known in lines.get((file, name.split(".")[0]), ()) if abs(known - line) <= _ALIGNED_MAX]
        line = min(near, key=lambda known: abs(known - line), default=line)
        moved.setdefault((file, line, name), []).extend(texts)
    return moved


_ALIGNED_MAX = 5


def same(expected, found):
    """Whether a recorded text is right for the value."""
    if expected == ADDRESS:
        return re.fullmatch(r"0x[0-9A-Fa-f]+|[0-9]+", found) is not None and int(found, 0) != 0
    start = found.removesuffix("...").removesuffix("\N{REPLACEMENT CHARACTER}")  # half of a surrogate pair that was cut
    if found.endswith("...") and len(start) >= _TEXT_MAX - 1 and expected.text.startswith(start):
        return True
    return (normal_type(found) if expected.is_type else found) in (expected.text, expected.other)


_TEXT_MAX = 256  # recorded UTF-16 units of a string


def differences(said, found, optimised=False):
    """[Difference]: values that the oracle reports and that were not recorded (found: {(file, line, name): [text]}). Further recorded
    values are no differences, since the oracle does not report all. optimised: the compiler may have removed a local, a reference or
    an unread box, and may have merged code that returns."""
    expected = sequences(said)
    found = align(expected, found)
    places = _places(said)
    found_out = []
    for key, values in _by_reference(expected, found, places, optimised).items():
        texts = found.get(key)
        if texts is not None:
            words = _compare(values, texts, key[2], optimised)
            reason = next((text for text in texts if isinstance(text, NotCaptured)), None)
        else:
            missing_is_right = "," in key[2] or (optimised and (places[key] == "local" or key[2] in ("*", "new")))
            words = None if missing_is_right else f"not recorded, should be {_shorten(values)}"
            reason = _of_whole(key, found) or _of_shape(key, found)
        if words:
            found_out.append(Difference(*key, words, reason is None, reason))
    return found_out


LAYOUT = "its fields are not recorded"


def _of_shape(key, found):
    """Why a part is missing although its struct was recorded."""
    file, line, name = key
    whole = name.rpartition(".")[0]
    if (file, line, whole) not in found:
        return LAYOUT if "." in whole and _of_shape((file, line, whole), found) == LAYOUT else None
    return None if any(other[:2] == key[:2] and other[2].startswith(whole + ".") for other in found) else LAYOUT


def _of_whole(key, found):
    """Why the struct of this part was not captured."""
    file, line, name = key
    while "." in name:
        name = name.rpartition(".")[0]
        for text in found.get((file, line, name), ()):
            if isinstance(text, NotCaptured):
                return text
    return None


def _compare(values, texts, name, optimised):
    """An error message for a recorded sequence; None: it is right."""
    if len(texts) > len(values) and (name == "*" or optimised):
        # The recording also has values of ref arguments after a call, and copies that the compiler makes at a method's start.
        rest = iter(texts)
        if all(any(same(value, text) for text in rest) for value in values):
            return None
    elif optimised and name == "return":
        rest = iter(values)
        return None if all(any(same(value, text) for value in rest) for text in texts) else f"{texts[:5]} not in {_shorten(values)}"
    elif not any(value.text == "NULL" for value in values) and len(texts) > len(values):
        # If a pattern does not match, the compiler sets its variable to null, which the program cannot see.
        texts = [text for text in texts if text != "NULL"]
    if len(texts) != len(values):
        return f"{len(texts)} values instead of {len(values)}: {texts[:5]} instead of {_shorten(values)}"
    for number, (value, text) in enumerate(zip(values, texts)):
        if not same(value, text):
            return f"value {number} is {text[:200]!r} instead of {value.text[:200]!r}"
    return None


def _places(said):
    """{key: local, field, item, indirect or other}, from the oracle's names."""
    kinds = {".": "field", "*": "indirect", "(": "other"}
    return {(entry.file, entry.line, normal_name(entry.name)):
            kinds.get(entry.name[0], "item" if "[" in entry.name else "other" if entry.name in ("return", "new") else "local")
            for entry in said}


def _by_reference(expected, found, places, optimised):
    """`expected`, with names by which code reaches a place. An item or field that is changed in place (`a[i] += 1`) is written
    through a reference. An item of several dimensions is set by a call, which is no definition, so it may be missing. A part of a
    struct is written under its own name, an item after a tuple's seventh with the rest of the items."""
    renamed = {}
    for key, values in expected.items():
        if key not in found and not _of_whole(key, found) and places.get(key) in ("item", "field", *["local"] * (not optimised)):
            file, line, name = key
            whole = _whole_of(key, expected)
            through = file, line, "*" + name[len(whole):]
            rest = file, line, "Rest." + name
            part = _written_alone(key, found) if places[key] == "field" else None
            if through in found or (file, line, "*") in found:
                key = through
            elif part or (places[key] == "field" and rest in found):
                key = part or rest
        renamed.setdefault(key, []).extend(values)
        places.setdefault(key, "other")
    return renamed


def _whole_of(key, expected):
    """The name of the defined value that the key names, or that contains it."""
    file, line, name = key
    steps = name.split(".")
    return next(whole for whole in (".".join(steps[:count + 1]) for count in range(len(steps))) if (file, line, whole) in expected)


def _written_alone(key, found):
    """The key under which `a.b.c` was written as `b.c` or `c`; None: there is none."""
    file, line, name = key
    while "." in name:
        name = name.partition(".")[2]
        if (file, line, name) in found or _of_whole((file, line, name), found):
            return file, line, name
    return None


def _shorten(values):
    return [value.text[:60] for value in values[:5]]


def number_differences(expected, found):
    """The same for object numbers: they may differ from the oracle's, but must be equal exactly if the oracle's are."""
    there, back, words = {0: 0}, {0: 0}, []
    for key, numbers in expected.items():
        others = found.get(key, ())
        if len(others) != len(numbers):  # a failed `is` is a definition too
            numbers, others = [number for number in numbers if number], [number for number in others if number]
        for left, right in zip(numbers, others):
            if there.setdefault(left, right) != right or back.setdefault(right, left) != left:
                words.append(f"{key[0]}:{key[1]} {key[2]}: object {left} is now {right}, was {there[left]}; "
                             f"{right} is the oracle's {back.get(right)}")
    return words
