"""Runs graphs on any of Python's savers for the tests of whole threads. See answering.py for the protocol."""

import operator
import warnings
from typing import Annotated, Any, TypedDict

from agents import AGENTS, LogState, says
from answering import answer_all
from langgraph.channels import AnyValue, EphemeralValue, UntrackedValue
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.checkpoint.postgres.shallow import ShallowPostgresSaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt

warnings.simplefilter("ignore")


class ChannelsState(TypedDict, total=False):
    log: Annotated[list, operator.add]
    passing: Annotated[Any, EphemeralValue(Any)]
    untracked: Annotated[Any, UntrackedValue(Any)]
    agreed: Annotated[Any, AnyValue(Any)]


def channels(saver):
    """A graph with channels that lose their values, or whose values are never stored."""
    graph = StateGraph(ChannelsState)
    graph.add_node("write", lambda state: {"log": ["write"], "passing": ["p"], "untracked": ["u"], "agreed": ["a"]})
    graph.add_node("wait", lambda state: {"log": ["wait"]})
    graph.add_node("end", lambda state: {"log": ["end"]})
    graph.add_edge(START, "write")
    graph.add_edge("write", "wait")
    graph.add_edge("wait", "end")
    return graph.compile(checkpointer=saver)


def asking(saver):
    """A node with an interrupt and a parallel node, whose writes are pending writes of the newest checkpoint."""
    graph = StateGraph(LogState)
    graph.add_node("begin", says("begin"))
    graph.add_node("ask", lambda state: {"log": [interrupt("more?")]})
    graph.add_node("beside", says("beside"))
    graph.add_edge(START, "begin")
    graph.add_edge("begin", "ask")
    graph.add_edge("begin", "beside")
    return graph.compile(checkpointer=saver)


def uneven(saver):
    """A deferred node at the end of two paths of different length."""
    graph = StateGraph(LogState)
    for name in ("short", "long", "longer"):
        graph.add_node(name, says(name))
    graph.add_node("late", says("late"), defer=True)
    graph.add_edge(START, "short")
    graph.add_edge(START, "long")
    graph.add_edge("long", "longer")
    graph.add_edge("short", "late")
    graph.add_edge("longer", "late")
    return graph.compile(checkpointer=saver)


class Opaque:
    """A class that MessagePack can't hold."""


class OpaqueState(LogState):
    opaque: Any


def pickled(saver):
    graph = StateGraph(OpaqueState)
    graph.add_node("write", lambda state: {"log": ["write"], "opaque": Opaque()})
    graph.add_edge(START, "write")
    return graph.compile(checkpointer=saver)


GRAPHS = {**AGENTS, "channels": channels, "asking": asking, "pickled": pickled, "uneven": uneven}


def graph_of(connection, request):
    return GRAPHS[request["graph"]](saver_of(connection, request))


def saver_of(connection, request):
    saver = ShallowPostgresSaver if request.get("shallow") else PostgresSaver
    return saver(connection, serde=JsonPlusSerializer(pickle_fallback=request.get("pickle", False)))


def config_of(request):
    return {"configurable": {"thread_id": request["thread"], **request.get("at", {})}}


def setup(connection, request):
    saver_of(connection, request).setup()
    return {}


def run(connection, request):
    """Starts a run with `input` or `resume`, or continues the pending run."""
    given = Command(resume=request["resume"]) if "resume" in request else request.get("input")
    graph_of(connection, request).invoke(given, config_of(request), durability=request.get("durability", "sync"))
    return {}


def update(connection, request):
    graph_of(connection, request).update_state(config_of(request), request["values"], as_node=request["as"])
    return {}


def state(connection, request):
    snapshot = graph_of(connection, request).get_state(config_of(request))
    return {"values": plain(snapshot.values), "next": sorted(snapshot.next)}


def history(connection, request):
    """The facts of every checkpoint of the thread, newest first."""
    snapshots = graph_of(connection, request).get_state_history(config_of(request))
    return {
        "history": [
            {
                "id": snapshot.config["configurable"]["checkpoint_id"],
                "parent": ((snapshot.parent_config or {}).get("configurable") or {}).get("checkpoint_id"),
                "values": plain(snapshot.values),
                "next": sorted(snapshot.next),
                "step": snapshot.metadata["step"],
            }
            for snapshot in snapshots
        ]
    }


def put(connection, request):
    """Stores a checkpoint without a graph."""
    saver = saver_of(connection, request)
    saver.put(config_of(request), request["checkpoint"], request["metadata"], request["versions"])
    return {}


def prune(connection, request):
    saver_of(connection, request).prune([request["thread"]], strategy="keep_latest")
    return {}


def plain(value):
    """Converts a value to JSON: messages to class and content, and values that JSON lacks to their `repr`."""
    if hasattr(value, "content"):
        return {"class": type(value).__name__, "content": value.content, "id": value.id}
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    return value if isinstance(value, (str, int, float, bool, type(None))) else repr(value)


TASKS = {task.__name__: task for task in (setup, run, update, state, history, put, prune)}


answer_all(TASKS, lambda connection: connection)
