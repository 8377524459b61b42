"""Values of every type that the state of an agent may hold, by their names in docs/interop.md."""

import collections
import datetime as dt
import decimal
import ipaddress
import pathlib
import re
import uuid
import zoneinfo

import numpy as np
from application import Address, Answer, Color, Level, Mood, Pair, Point, Profile
from langchain_core.documents import Document
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
)
from langgraph.types import Command, Interrupt, Overwrite, Send, TimeoutPolicy

UTC = dt.timezone.utc
INDIA = dt.timezone(dt.timedelta(hours=5, minutes=30))


def every_value():
    """A new copy of every value."""
    return {
        "`None`": None,
        "`bool`": True,
        "`int`": 42,
        "`int` beyond 2**53": 2**60 + 1,
        "`float`": 1.5,
        "`float`, whole": 3.0,
        "`float`, negative zero": -0.0,
        "`float`, infinite": float("-inf"),
        "`float`, not a number": float("nan"),
        "`str`": "Zürich 🏔",
        "`str` with a NUL": "a\0b",
        "`bytes`": b"\x00\xff",
        "`bytearray`": bytearray(b"ab"),
        "`list`": [1, "a", [None]],
        "`tuple`": (1, "a"),
        "`dict`": {"a": {"b": 1.0}},
        "`dict` with keys that are no strings": {1: "one", "two": 2},
        "`set`": {"a"},
        "`frozenset`": frozenset([1, 2]),
        "`collections.deque`": collections.deque([1, 2]),
        "`collections.OrderedDict`": collections.OrderedDict(b=1, a=2),
        "`datetime.datetime`, with microseconds and an offset": dt.datetime(2024, 1, 2, 3, 4, 5, 123456, INDIA),
        "`datetime.datetime` in UTC": dt.datetime(2024, 1, 2, 3, 4, 5, 123000, UTC),
        "`datetime.datetime` without a zone": dt.datetime(2024, 1, 2, 3, 4, 5),
        "`datetime.datetime` with a `ZoneInfo`": dt.datetime(2024, 7, 2, 3, 4, 5, tzinfo=zoneinfo.ZoneInfo("Europe/Paris")),
        "`datetime.date`": dt.date(2024, 2, 29),
        "`datetime.time`": dt.time(1, 2, 3, 4),
        "`datetime.timedelta`": dt.timedelta(days=1, seconds=2, microseconds=3),
        "`datetime.timezone`": INDIA,
        "`zoneinfo.ZoneInfo`": zoneinfo.ZoneInfo("Europe/Paris"),
        "`uuid.UUID`": uuid.UUID("12345678-1234-5678-1234-567812345678"),
        "`decimal.Decimal`": decimal.Decimal("1.10"),
        "`re.Pattern`": re.compile("ab+c", re.I),
        "`re.Pattern` that JavaScript lacks": re.compile(r"\Aab(?i:c)"),
        "`pathlib.PurePath`": pathlib.PosixPath("/tmp/a"),
        "`ipaddress.IPv4Address`": ipaddress.ip_address("10.0.0.1"),
        "`ipaddress.IPv6Network`": ipaddress.ip_network("2001:db8::/32"),
        "`enum.Enum`": Color.RED,
        "`enum.IntEnum`": Level.HIGH,
        "`str` and `enum.Enum`": Mood.GLAD,
        "dataclass": Point(1, 2.0),
        "named tuple": Pair("a", {"b"}),
        "pydantic model": Profile(name="Ann", address=Address(street="High St")),
        "`numpy.ndarray`": np.array([1.5, -2.0], dtype=np.float32),
        "`numpy.ndarray` of integers": np.array([2**40, -1], dtype=np.int64),
        "`numpy.ndarray` with two axes": np.array([[1, 2], [3, 4]], dtype=np.int32),
        "`numpy.ndarray`, columns first": np.asfortranarray(np.array([[1, 2], [3, 4]], dtype=np.uint8)),
        "`numpy.ndarray` of booleans": np.array([True, False]),
        "`numpy.ndarray` of complex numbers": np.array([1j]),
        "`HumanMessage`": HumanMessage("hi", id="h", name="ann"),
        "`SystemMessage`": SystemMessage("be kind", id="s"),
        "`AIMessage`": AIMessage(
            [{"type": "text", "text": "let me see"}],
            id="a",
            tool_calls=[{"name": "search", "args": {"q": "x", "n": 1.0}, "id": "c1"}],
            invalid_tool_calls=[{"name": "sum", "args": "{", "id": "c2", "error": "bad JSON"}],
            usage_metadata={"input_tokens": 1, "output_tokens": 2, "total_tokens": 3, "input_token_details": {"cache_read": 1}},
            response_metadata={"model": "m", "logprobs": None, "score": 1.0},
            additional_kwargs={"refusal": None},
        ),
        "class that extends `AIMessage`": Answer("yes", id="y", confidence=2.0),
        "`AIMessageChunk`": AIMessageChunk(
            content="c", id="k", tool_call_chunks=[{"name": "f", "args": "{}", "id": "c", "index": 0}]
        ),
        "`ToolMessage`": ToolMessage("found", id="t", tool_call_id="c1", name="search", artifact={"raw": {"x"}}, status="error"),
        "`FunctionMessage`": FunctionMessage("r", name="f", id="f"),
        "`ChatMessage`": ChatMessage("r", role="critic", id="r"),
        "`RemoveMessage`": RemoveMessage(id="1"),
        "`Document`": Document("text", metadata={"page": 1}, id="d"),
        "`Send`": Send("node", {"point": Point(1, 2.0)}),
        "`Send` with a timeout": Send("node", 1, timeout=TimeoutPolicy(run_timeout=1.5)),
        "`Command`": Command(update={"a": 1}, goto="next"),
        "`Overwrite`": Overwrite([1]),
        "`Interrupt`": Interrupt(value={"q": 1}, id="i1"),
    }
