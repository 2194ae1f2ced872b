"""Reads the runtime's own events from a .nettrace file, format 4, as the runtime's EventPipe writes it."""

import collections
import struct

RUNTIME = "Microsoft-Windows-DotNETRuntime"
# What to set for a program that shall write its events about compilations and modules, all of them.
ENVIRONMENT = {"DOTNET_EnableEventPipe": "1", "DOTNET_EventPipeConfig": f"{RUNTIME}:0x18:5", "DOTNET_EventPipeRundown": "0",
               "DOTNET_EventPipeCircularMB": "256", "DOTNET_EventPipeEnableStackwalk": "0"}

Event = collections.namedtuple("Event", "id thread ticks payload")

# Fields of compressed event headers.
METADATA, SEQUENCE, THREAD, STACK, ACTIVITY, RELATED, DATA_SIZE = 1, 2, 4, 8, 16, 32, 128


class Reader:
    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def take(self, count):
        self.at += count
        return self.data[self.at - count:self.at]

    def number(self, form):
        return struct.unpack(f"<{form}", self.take(struct.calcsize(form)))[0]

    def varint(self):
        value, shift = 0, 0
        while True:
            byte = self.number("B")
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def text(self):
        end = self.at
        while self.data[end:end + 2] != b"\0\0":
            end += 2
        return self.take(end + 2 - self.at)[:-2].decode("utf-16-le")


def _objects(data):
    """(type, content) of each object; content is the whole file from there on for a Trace, and a block's bytes for others."""
    reader = Reader(data)
    assert reader.take(8) == b"Nettrace" and reader.take(reader.number("I")) == b"!FastSerialization.1"
    while reader.number("B") == 5:  # the beginning of an object, whose type is an object itself
        assert reader.take(2) == b"\x05\x01"
        reader.take(8)
        kind = reader.take(reader.number("I")).decode()
        assert reader.take(1) == b"\x06"
        if kind == "Trace":
            yield kind, reader.take(48)
        else:
            size = reader.number("I")
            reader.take(-reader.at % 4)
            yield kind, reader.take(size)
        assert reader.take(1) == b"\x06"


def _blobs(block):
    """(metadata number, thread, ticks, payload) of each event of a block."""
    reader = Reader(block)
    header = reader.number("H")
    assert reader.number("H") & 1, "events without compressed headers"
    reader.at = header
    metadata = thread = ticks = size = 0
    while reader.at < len(block):
        flags = reader.number("B")
        metadata = reader.varint() if flags & METADATA else metadata
        if flags & SEQUENCE:
            reader.varint(), reader.varint(), reader.varint()
        thread = reader.varint() if flags & THREAD else thread
        if flags & STACK:
            reader.varint()
        ticks = ticks + reader.varint() & (1 << 64) - 1  # of several threads, so it may go back
        reader.take(16 * bool(flags & ACTIVITY) + 16 * bool(flags & RELATED))
        size = reader.varint() if flags & DATA_SIZE else size
        yield metadata & 0x7FFFFFFF, thread, ticks, reader.take(size)


def read(path):
    """(ticks per second, the runtime's events in the order of their time)."""
    events, kinds, frequency = [], {}, 0
    for kind, content in _objects(path.read_bytes()):
        if kind == "Trace":
            frequency = Reader(content, 24).number("q")
        elif kind == "MetadataBlock":
            for _, _, _, payload in _blobs(content):
                reader = Reader(payload)
                number, provider = reader.number("I"), reader.text()
                kinds[number] = provider, reader.number("I")
        elif kind == "EventBlock":
            for number, thread, ticks, payload in _blobs(content):
                if kinds[number][0] == RUNTIME:
                    events.append(Event(kinds[number][1], thread, ticks, payload))
    return frequency, sorted(events, key=lambda event: event.ticks)


MODULE_LOADED, METHOD_LOADED, COMPILING = 152, 143, 145
DYNAMIC, JITTED = 1, 8  # flags of methods


def compilations(path):
    """({(module, token): [ns of each compilation, without what is nested in it]}, of dynamic methods as (None, None))."""
    frequency, events = read(path)
    modules, found, running = {}, collections.defaultdict(list), collections.defaultdict(list)
    for event in events:
        if event.id == MODULE_LOADED:
            modules[Reader(event.payload).number("Q")] = Reader(event.payload, 24).text().rsplit("/", 1)[-1].removesuffix(".dll")
    for event in events:
        reader = Reader(event.payload)
        if event.id == COMPILING:
            running[event.thread].append([reader.number("Q"), event.ticks, 0])
        elif event.id == METHOD_LOADED:
            method, module = reader.number("Q"), reader.number("Q")
            _, _, token, flags = struct.unpack("<QIII", reader.take(20))
            stack = running[event.thread]
            if not flags & JITTED or not any(entry[0] == method for entry in stack):
                continue
            while stack[-1][0] != method:
                stack.pop()  # a compilation that failed
            _, began, inside = stack.pop()
            if stack:
                stack[-1][2] += event.ticks - began
            named = not flags & DYNAMIC and token & 0xFFFFFF
            key = (modules.get(module, module), token) if named else (None, None)
            found[key].append((event.ticks - began - inside) * 10**9 // frequency)
    return found
