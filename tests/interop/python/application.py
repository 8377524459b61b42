"""Classes of an application."""

import collections
import dataclasses
import enum

import pydantic


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


Pair = collections.namedtuple("Pair", ["left", "right"])
