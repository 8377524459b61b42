"""Classes of an application."""

import collections
import dataclasses
import enum

import pydantic
from langchain_core.messages import AIMessage, AIMessageChunk, ChatMessage, HumanMessage, RemoveMessage, ToolMessage


@dataclasses.dataclass
class Point:
    x: int
    y: float


class Color(enum.Enum):
    RED = "red"


class Mood(str, enum.Enum):
    GLAD = "glad"


class Level(enum.IntEnum):
    HIGH = 3


class Address(pydantic.BaseModel):
    street: str
    number: int | None = None


class Profile(pydantic.BaseModel):
    name: str
    address: Address
    weight: float = 1.0


class Answer(AIMessage):
    confidence: float = 1.0
    source: Address | None = None
    text_parts: list = []


class Question(HumanMessage):
    pass


class Part(AIMessageChunk):
    at: float = 0.0


class Line(ChatMessage):
    pass


class Result(ToolMessage):
    score: float = 0.0


class Removal(RemoveMessage):
    reason: str | None = None


Pair = collections.namedtuple("Pair", ["left", "right"])
