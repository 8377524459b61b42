"""Compares two values: their classes, and all their parts."""

import collections
import dataclasses
import math
import re

import numpy as np
import pydantic
from langgraph.types import Command, Overwrite, Send


def differences(expected, actual, path="value"):
    """The paths at which two values differ, each with both values."""
    if type(expected) is not type(actual):
        return [f"{path}: {type(expected).__name__} became {type(actual).__name__} {actual!r}"]
    parts = parts_of(expected)
    if parts is None:
        same = expected == actual and repr(expected) == repr(actual)
        return [] if same or is_nan(expected, actual) else [f"{path}: {expected!r} became {actual!r}"]
    others = parts_of(actual)
    if list(parts) != list(others):
        return [f"{path}: has {list(others)} instead of {list(parts)}"]
    return [found for key in parts for found in differences(parts[key], others[key], f"{path}.{key}")]


def is_nan(expected, actual):
    return isinstance(expected, float) and math.isnan(expected) and math.isnan(actual)


def parts_of(value):
    """The parts of a value, in order, or None for a value without parts."""
    if isinstance(value, np.ndarray):
        return {"dtype": value.dtype.str, "shape": value.shape, "order": np.isfortran(value), "bytes": value.tobytes()}
    if isinstance(value, pydantic.BaseModel):
        return {**value.__dict__, **(value.__pydantic_extra__ or {})}
    if isinstance(value, Send):
        return {"node": value.node, "arg": value.arg, "timeout": value.timeout}
    if isinstance(value, re.Pattern):
        return {"pattern": value.pattern, "flags": value.flags}
    if isinstance(value, (Command, Overwrite)) or (dataclasses.is_dataclass(value) and not isinstance(value, type)):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {repr(key): part for key, part in value.items()}
    if isinstance(value, (set, frozenset)):
        return {repr(member): member for member in sorted(value, key=repr)}
    if isinstance(value, (list, tuple, collections.deque)):
        return dict(enumerate(value))
    return None
