"""Values that TypeScript reads and writes: each in its own channel and inside every kind of container."""

import base64
import datetime as dt
import decimal
import ipaddress
import math
import pathlib
import random
import uuid

import numpy as np
from application import Address, Answer, Color, Level, Line, Mood, Pair, Part, Point, Profile, Question, Removal, Result
from compare import differences
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage, message_to_dict, messages_from_dict
from langchain_core.messages.ai import add_usage
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.types import Command, Interrupt, Overwrite, Send
from values import every_value

DTYPES = [
    *("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"),
    *(">i2", ">u4", ">i8", ">f4", ">f8", ">c8", "U3", "S3", "V2"),
]

ZONES = [None, dt.timezone.utc, dt.timezone(dt.timedelta(hours=-3, minutes=-30))]

OFFERED = {}
"""The values that Python's own saver read from each thread before TypeScript changed it."""


def arrays():
    """An array of each element type, also with two axes, in Fortran order, without axes and without elements."""
    for name in DTYPES:
        flat = np.frombuffer(bytes(range(48)) * 4, dtype=np.dtype(name))[:6]
        yield flat
        yield flat.reshape(2, 3)
        yield np.asfortranarray(flat.reshape(2, 3))
    yield np.array(1.5)
    yield np.array([], dtype="u1")
    yield np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")])


def special_values():
    """Values that are easily confused with other values."""
    yield from every_value().values()
    yield from arrays()
    yield from [1e16, 1e21, 1e22, 1e23, -1e21, 1.5e300, 1.7976931348623157e308, 5e-324, 1e-7, 9007199254740994.0]
    yield from [2**53, 2**53 + 1, -(2**53) - 1, 2**63, 2**64 - 1, -(2**63), 10**18]
    yield "x" * 2000
    yield {101: decimal.Decimal("1.50"), 3.0: 3.0, -0.0: -0.0, True: Color.RED, None: Level.HIGH}
    yield {(1, 2.0): uuid.UUID(int=1), b"k": pathlib.PosixPath("/a"), 2**60: ipaddress.ip_address("::1")}
    yield {math.inf: 1e22, 0.5: [1.0], "s": {1: 2.0}}
    yield {uuid.UUID(int=1), decimal.Decimal("2"), Color.RED, Mood.GLAD, 7.0, -0.0}
    yield {decimal.Decimal("1"), "1", Color.RED, "red"}
    yield frozenset([uuid.UUID(int=1), str(uuid.UUID(int=1)), 4.0])
    yield frozenset([frozenset([1.0]), dt.date(2024, 1, 2), pathlib.PosixPath("/a"), None, True])
    yield Pair(decimal.Decimal("1"), 1.0)
    yield Profile(name="Ann", address=Address(street="High St", number=3), weight=2.0)
    yield HumanMessage("hi", id="h", score=3.0, price=decimal.Decimal("1.10"))
    yield AIMessage("a", id="a", response_metadata={"cost": decimal.Decimal("0.10"), 1: 2.0})
    block = {"type": "tool_call", "id": "c", "name": "f", "args": {"x": 1.0}}
    yield AIMessage(content_blocks=[{"type": "text", "text": "hi"}, block], id="a")
    yield AIMessage([{"type": "text", "text": "hi"}], id="a", response_metadata={"output_version": "v1"})
    yield AIMessage([block], id="a", response_metadata={"output_version": "v1"})
    yield ToolMessage("t", id="t", tool_call_id="c", artifact=decimal.Decimal("1.10"))
    yield ToolMessage("t", id="t", tool_call_id="c", artifact=2.0)
    yield from [Send("n", decimal.Decimal("1")), Send("n", 2.0), Overwrite(uuid.UUID(int=1)), Overwrite(2.0)]
    yield from [Command(update={1: 2.0}, goto="n"), Command(resume=decimal.Decimal("1")), Command(update=2.0)]
    yield Interrupt(value=2.0, id="i")
    yield Answer("", id="a", tool_calls=[{"name": "f", "args": {"x": 1.0}, "id": "c"}], source=Address(street="High St"))
    yield Answer([{"type": "text", "text": "hi"}], id="a", confidence=2.0, text_parts=[decimal.Decimal("1")], extra=3.0)
    yield from [Question("hi"), Line("hi", role="critic", id="l"), Removal(id="r", reason="old"), Removal(id="r")]
    yield from [Part(content="hi", id="p", at=2.0), Result("t", tool_call_id="c", artifact=2.0, score=3.0, id="t")]


def random_value(chance, depth=3):
    make = chance.choice([leaf, leaf, key, a_list, a_dict, a_mixed_dict, a_set, a_tuple, a_point] if depth else [leaf, key])
    return make(chance, depth - 1)


def a_list(chance, depth):
    return [random_value(chance, depth) for _ in range(chance.randrange(4))]


def a_tuple(chance, depth):
    return tuple(a_list(chance, depth))


def a_dict(chance, depth):
    return {text(chance): random_value(chance, depth) for _ in range(chance.randrange(4))}


def a_mixed_dict(chance, depth):
    return {key(chance): random_value(chance, depth) for _ in range(chance.randrange(4))}


def a_set(chance, depth):
    return chance.choice([set, frozenset])(chance.choice([key, leaf])(chance) for _ in range(chance.randrange(4)))


def a_point(chance, depth):
    return Point(random_value(chance, max(depth, 0)), number(chance))


def key(chance, depth=0):
    """A value that Python's saver can write as a key of a dict."""
    return chance.choice([number, number, text, lambda c: c.choice([True, False, None]), some_bytes, pair])(chance)


def pair(chance):
    return (number(chance), chance.choice([text, some_bytes, number])(chance))


def leaf(chance, depth=0):
    """A value that a set can hold, but that Python's saver can't write as a key of a dict."""
    bits = chance.getrandbits(128)
    when = dt.datetime(chance.randrange(1, 9999), 5, 6, 7, 8, 9, chance.randrange(10**6), chance.choice(ZONES))
    return chance.choice([
        *(uuid.UUID(int=bits), decimal.Decimal(bits).scaleb(-chance.randrange(40)), pathlib.PosixPath(f"/{bits}")),
        *(ipaddress.IPv4Address(bits >> 96), ipaddress.IPv6Address(bits), Color.RED, Mood.GLAD, Level.HIGH),
        *(when, when.date(), when.time(), dt.timedelta(seconds=bits % 10**9, microseconds=bits % 10**6)),
    ])


def number(chance):
    whole = chance.getrandbits(chance.randrange(1, 64)) * chance.choice([1, -1])
    return chance.choice([whole, whole % 100, float(whole), float(whole) * 10.0 ** chance.randrange(-300, 280), -0.0, 2.0])


def text(chance):
    # JavaScript moves numeric keys before all others.
    return "k" + "".join(chance.choice(["a", "1", "0", "é", "🏔", "\0", " "]) for _ in range(chance.randrange(6)))


def some_bytes(chance):
    return bytes(chance.getrandbits(8) for _ in range(chance.randrange(4)))


def channels(request):
    """Every value in its own channel, and inside each kind of container."""
    chance = random.Random(request["seed"])
    made = [*special_values(), *(random_value(chance) for _ in range(request["random"]))]
    for index, value in enumerate(made):
        yield f"own {index}", value
        yield f"list {index}", [value, value]
        yield f"dict {index}", {"k": value, "l": [value]}
        yield f"mixed dict {index}", {1: value, 2.0: "two"}
        yield f"tuple {index}", (value, (value,))
        yield f"point {index}", Point(value, {"deep": (value,)})
        if is_hashable(value):
            yield f"set {index}", {value, "another"}
    # Python's saver can only write these at the top level of a channel.
    for index, value in enumerate([2**64, 2**70 + 1, -(2**200), 10**22, 10**23, 10**400 + 1]):
        yield f"own long {index}", value


def is_hashable(value):
    try:
        return hash(value) is not None
    except TypeError:
        return False


def offer(saver, request):
    """Stores values with Python's own saver, and keeps the values that it reads back."""
    made = {name: value for name, value in channels(request) if can_be_stored(saver, name, value)}
    versions = dict.fromkeys(made, "1")
    checkpoint = {
        "v": 4,
        "id": request["checkpoint"],
        "ts": "2024-01-01T00:00:00+00:00",
        "channel_values": made,
        "channel_versions": versions,
        "versions_seen": {},
    }
    saver.put(config_of(request), checkpoint, {"source": "input", "step": 1, "parents": {}}, versions)
    OFFERED[request["thread"]] = values_of(saver, request)
    return {"channels": len(OFFERED[request["thread"]])}


def can_be_stored(saver, name, value):
    """Whether Python's saver can store the value. JSONB and MessagePack lack some values, such as an array of dates."""
    if name.startswith("own") and isinstance(value, (str, int, float)):
        return value == value and value not in (math.inf, -math.inf) and "\0" not in str(value)
    try:
        return saver.serde.dumps_typed(value) is not None
    except TypeError:
        return False


def kept(saver, request):
    """The differences of the newest checkpoint and of Python's checkpoint from the values that Python read first.

    They are those of the thread `offered`, if this one is a copy.
    """
    offered = OFFERED[request.get("offered", request["thread"])]
    newest = values_of(saver, request)
    first = values_of(saver, {**request, "checkpoint_id": request["checkpoint"]})
    found = [difference for name in offered for difference in differences(offered[name], first[name], f"first {name}")]
    for name, value in offered.items():
        if request["written"] and name.startswith("own") and is_written_anew(value):
            continue
        found += differences(value, newest.get(name), name)
    return {"differences": found}


def is_written_anew(value):
    """Whether TypeScript reads the value as a primitive or as plain bytes, which can't keep an origin."""
    classes = (float, bytearray, decimal.Decimal, uuid.UUID, pathlib.Path, Color, Mood, Level)
    return isinstance(value, classes) or type(value).__module__ in ("ipaddress", "zoneinfo")


def seen(saver, request):
    """The values of TypeScript that Python reads. Python then stores them again."""
    every = values_of(saver, request)["every"]
    versions = {"every": "00000000000000000000000000000009.0.5"}
    checkpoint = {
        "v": 4,
        "id": request["checkpoint"],
        "ts": "2024-01-01T00:00:00+00:00",
        "channel_values": {"every": every},
        "channel_versions": versions,
        "versions_seen": {},
    }
    saver.put(config_of(request), checkpoint, {"source": "loop", "step": 3, "parents": {}}, versions)
    return {name: {"class": class_of(value), "repr": repr(value)} for name, value in every.items()}


def class_of(value):
    module = type(value).__module__
    return type(value).__name__ if module == "builtins" else f"{module}.{type(value).__name__}"


def read(saver, request):
    """The `repr` of the values that Python reads from bytes of TypeScript, or the errors that it raises."""
    # `LANGGRAPH_STRICT_MSGPACK` configures the default serializer like this.
    serde = JsonPlusSerializer(allowed_msgpack_modules=None) if request["strict"] else JsonPlusSerializer()
    return {"values": [reading(serde, base64.b64decode(blob)) for blob in request["blobs"]]}


def reading(serde, blob):
    try:
        return ascii(serde.loads_typed(("msgpack", blob)))
    except Exception as error:
        return f"raised {error!r}"


def values_of(saver, request):
    return saver.get_tuple(config_of(request)).checkpoint["channel_values"]


def config_of(request):
    chosen = {"checkpoint_id": request["checkpoint_id"]} if "checkpoint_id" in request else {}
    return {"configurable": {"thread_id": request["thread"], "checkpoint_ns": "", **chosen}}


def checked(saver, request):
    """Whether Python's own classes accept the messages of TypeScript, as an agent passes them on."""
    serde = JsonPlusSerializer()
    return {"problems": [problem for blob in request["blobs"] for problem in problems_of(serde, base64.b64decode(blob))]}


def problems_of(serde, blob):
    """What LangChain raises about a message."""
    try:
        message = serde.loads_typed(("msgpack", blob))
        type(message).model_validate(message.model_dump())
        messages_from_dict([message_to_dict(message)])
        if isinstance(message, AIMessage) and message.usage_metadata is not None:
            add_usage(message.usage_metadata, message.usage_metadata)
        return []
    except Exception as error:
        return [repr(error)]


EXCHANGE_TASKS = {task.__name__: task for task in (offer, kept, read, checked, seen)}
