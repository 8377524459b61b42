"""The agents of agents.ts, in Python: the same nodes, the same channels, the same edges."""

import operator
from datetime import datetime, timezone
from decimal import Decimal
from typing import Annotated, Any, TypedDict
from uuid import UUID

from application import Color, Point
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.channels import DeltaChannel
from langgraph.func import entrypoint, task
from langgraph.graph import START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import Command, Send, interrupt
from values import every_value

WHEN = datetime(2024, 1, 2, 3, 4, 5, 123456, timezone.utc)

RUNS = []
"""The nodes and tasks that ran in this process, in order."""

BROKEN = set()
"""The nodes that fail."""


def step(name, result):
    RUNS.append(name)
    if name in BROKEN:
        raise RuntimeError(f"{name} is broken")
    return result


class TalkState(TypedDict, total=False):
    messages: Annotated[list, add_messages]
    baggage: dict
    count: int
    ratio: float
    whole: float
    note: str
    flag: bool
    nothing: None
    huge: int
    points: list
    price: Any
    token: Any
    mood: Any
    when: Any
    labels: Any


def look_up(state):
    n = len(state["messages"])
    call = {"name": "search", "args": {"n": float(n)}, "id": f"call-{n}"}
    usage = {"input_tokens": n, "output_tokens": 1, "total_tokens": n + 1}
    answer = AIMessage("", id=f"ai-{n}", tool_calls=[call], usage_metadata=usage, response_metadata={"model": "m"})
    tool = ToolMessage("found", id=f"tool-{n}", tool_call_id=call["id"], name="search", artifact={"raw": n})
    return step("look_up", {"messages": [answer, tool], "count": state.get("count", 0) + 1})


def carry(state):
    """Writes the values that it read, or in the first run values that only Python can create."""
    given = {"baggage": state["baggage"]} if "baggage" in state else python_state()
    return step("carry", {**given, "points": [*state.get("points", []), Point(len(state["messages"]), 1.0)]})


def python_state():
    inline = {"ratio": 0.25, "whole": 3.0, "note": "é", "flag": True, "nothing": None, "huge": 2**60 + 1}
    scalars = {"price": Decimal("1.10"), "token": UUID(int=7), "mood": Color.RED}
    return {"baggage": every_value(), **inline, **scalars, "when": WHEN, "labels": {"a"}}


def ask(state):
    answer = interrupt({"question": "more?", "point": Point(1, 2.0)})
    return step("ask", {"messages": [HumanMessage(answer, id=f"human-{len(state['messages'])}")]})


def talk(saver):
    graph = StateGraph(TalkState)
    for node in (look_up, carry, ask):
        graph.add_node(node.__name__, node)
    graph.add_edge(START, "look_up")
    graph.add_edge("look_up", "carry")
    graph.add_edge("carry", "ask")
    return graph.compile(checkpointer=saver)


class LogState(TypedDict, total=False):
    log: Annotated[list, operator.add]


def says(name):
    return lambda state: step(name, {"log": [name]})


def parallel(saver):
    """Two nodes in one super-step, either of which may be broken, and a node that waits for both."""
    graph = StateGraph(LogState)
    for name in ("left", "right", "join"):
        graph.add_node(name, says(name))
    graph.add_edge(START, "left")
    graph.add_edge(START, "right")
    graph.add_edge(["left", "right"], "join")
    return graph.compile(checkpointer=saver)


def fan_out(saver):
    """A node that sends tasks, and an interrupt before they run in the other language."""
    sends = [Send("work", {"item": n, "point": Point(n, 2.0)}) for n in range(3)]
    graph = StateGraph(LogState)
    graph.add_node("split", lambda state: step("split", Command(update={"log": ["split"]}, goto=sends)))
    graph.add_node("work", lambda task: step("work", {"log": [f"work {task['item']} {read(task['point'])}"]}))
    graph.add_edge(START, "split")
    return graph.compile(checkpointer=saver, interrupt_after=["split"])


def read(point):
    x = point.x if isinstance(point, Point) else point["x"]
    return f"at {x}"


class NestedState(LogState):
    own: Any


def nested(saver):
    """A graph with a subgraph that interrupts."""
    inner = StateGraph(NestedState)
    inner.add_node("prepare", lambda state: step("prepare", {"log": ["prepare"], "own": Point(1, 2.0)}))
    inner.add_node("ask", lambda state: step("ask", {"log": [f"ask: {interrupt('ask?')} {read(state['own'])}"]}))
    inner.add_edge(START, "prepare")
    inner.add_edge("prepare", "ask")
    graph = StateGraph(LogState)
    graph.add_node("inner", inner.compile())
    graph.add_node("after", says("after"))
    graph.add_edge(START, "inner")
    graph.add_edge("inner", "after")
    return graph.compile(checkpointer=saver)


def panel(saver):
    """A graph with a subgraph in which two nodes interrupt in one super-step."""
    inner = StateGraph(LogState)
    for name in ("left", "right"):
        inner.add_node(name, lambda state, name=name: step(name, {"log": [f"{name}: {interrupt(f'{name}?')}"]}))
        inner.add_edge(START, name)
    graph = StateGraph(LogState)
    graph.add_node("inner", inner.compile())
    graph.add_node("after", says("after"))
    graph.add_edge(START, "inner")
    graph.add_edge("inner", "after")
    return graph.compile(checkpointer=saver)


def form(saver):
    """A node with two interrupts in sequence."""
    graph = StateGraph(LogState)
    graph.add_node("fill", lambda state: step("fill", {"log": [f"{interrupt('1?')}, {interrupt('2?')}"]}))
    graph.add_edge(START, "fill")
    return graph.compile(checkpointer=saver)


def workflow(saver):
    """A workflow of the functional API with a task that finishes, and then an interrupt."""

    @task
    def search(topic):
        return step("search", f"about {topic}")

    @entrypoint(checkpointer=saver)
    def workflow(topic):
        found = search(topic).result()
        answer = interrupt({"found": found})
        return step("workflow", {"found": found, "answer": answer})

    return workflow


def interview(saver):
    """A workflow whose task interrupts."""

    @task
    def ask(question):
        return step("ask", interrupt(question))

    @entrypoint(checkpointer=saver)
    def interview(question):
        return step("interview", {"answer": ask(question).result()})

    return interview


def deferred(saver):
    """A graph with deferred nodes behind a plain edge and behind an edge from two nodes, and an interrupt midway."""
    graph = StateGraph(LogState)
    for name in ("first", "second"):
        graph.add_node(name, says(name))
    for name in ("joined", "last"):
        graph.add_node(name, says(name), defer=True)
    graph.add_edge(START, "first")
    graph.add_edge("first", "second")
    graph.add_edge("first", "last")
    graph.add_edge(["first", "second"], "joined")
    return graph.compile(checkpointer=saver, interrupt_before=["second"])


def append(current, writes):
    return [*current, *(item for write in writes for item in write)]


class DeltaState(TypedDict, total=False):
    delta: Annotated[list, DeltaChannel(append, snapshot_frequency=3)]
    plain: Annotated[list, operator.add]


def both(marker):
    return {"delta": [marker], "plain": [marker]}


def deltas(saver):
    """Writes every marker to a delta channel and to a plain channel, which must have the same value."""
    graph = StateGraph(DeltaState)
    graph.add_node("reply", lambda state: step("reply", both(f"reply {len(state['plain'])}")))
    graph.add_node("close", lambda state: step("close", both("close")))
    graph.add_edge(START, "reply")
    graph.add_edge("reply", "close")
    return graph.compile(checkpointer=saver)


def side_by_side(saver):
    """Three nodes in one super-step that write to a delta channel and to a plain channel."""
    graph = StateGraph(DeltaState)
    for name in ("left", "middle", "right"):
        graph.add_node(name, lambda state, name=name: step(name, both(name)))
        graph.add_edge(START, name)
    return graph.compile(checkpointer=saver)


AGENTS = {
    agent.__name__: agent
    for agent in (talk, parallel, fan_out, nested, panel, form, workflow, interview, deferred, deltas, side_by_side)
}
