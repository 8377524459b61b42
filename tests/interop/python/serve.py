"""Runs agents on Python's saver for the tests between the two languages. See answering.py for the protocol."""

import os
from datetime import datetime

from agents import AGENTS, BROKEN, RUNS, python_state
from answering import answer_all
from compare import differences
from exchanged_values import EXCHANGE_TASKS
from langchain_core.messages import BaseMessage, HumanMessage
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.checkpoint.serde.encrypted import EncryptedSerializer
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.types import Command
from psycopg import DataError


def setup(saver, request):
    saver.setup()
    return {}


def run(saver, request):
    """Starts a run with `input`, `say` or `resume`, or continues the pending run."""
    RUNS.clear()
    BROKEN.clear()
    BROKEN.update(request.get("broken", []))
    given = request.get("input")
    if "say" in request:
        given = {"messages": [HumanMessage(request["say"], id=request["say"])]}
    if "resume" in request:
        given = Command(resume=request["resume"])
    # One node after another, so that the others have finished and stored their writes when a broken one fails.
    config = config_of(request) | ({"max_concurrency": 1} if BROKEN else {})
    failed = None
    try:
        AGENTS[request["agent"]](saver).invoke(given, config)
    except RuntimeError as error:
        failed = str(error)
    return {"ran": list(RUNS), "failed": failed}


def state(saver, request):
    """The state as JSON, to compare it with the state that TypeScript reads."""
    snapshot = AGENTS[request["agent"]](saver).get_state(config_of(request))
    # A workflow that has returned nothing yet has no values.
    values = snapshot.values or {}
    return {
        "values": plain({key: values.get(key) for key in request["keys"]}),
        "next": list(snapshot.next),
        "questions": [question(interrupt) for task in snapshot.tasks for interrupt in task.interrupts],
    }


def questions(saver, request):
    """All questions of both languages since the newest checkpoint."""
    writes = saver.get_tuple(config_of(request)).pending_writes
    asked = [value for _, channel, value in writes if channel == "__interrupt__"]
    # LangGraph.js before 1.7 writes a single question, and not a list of the questions of a task.
    return {"questions": [question(one) for value in asked for one in (value if isinstance(value, list) else [value])]}


def question(interrupt):
    return {"id": interrupt.id, "value": plain(interrupt.value)}


def history(saver, request):
    """The values of one channel, newest checkpoint first."""
    snapshots = AGENTS[request["agent"]](saver).get_state_history(config_of(request))
    return {"history": [plain(snapshot.values.get(request["key"])) for snapshot in snapshots]}


def fork(saver, request):
    """Forks the newest state in which a node was to run next, and runs the new branch."""
    agent = AGENTS[request["agent"]](saver)
    base = next(s for s in agent.get_state_history(config_of(request)) if request["before"] in s.next)
    agent.invoke(None, agent.update_state(base.config, request["update"], as_node=request["as"]))
    return {}


def compare(saver, request):
    """The differences between the state that Python wrote and the state that Python's own saver would read back."""
    snapshot = AGENTS["talk"](saver).get_state(config_of(request))
    found = []
    for key, value in python_state().items():
        found += differences(reread(value), snapshot.values.get(key), key)
    return {"differences": found}


def reread(value):
    """The value after Python's own serializer has written and read it, which changes some classes."""
    serializer = JsonPlusSerializer()
    return serializer.loads_typed(serializer.dumps_typed(value))


def store(saver, request):
    """Stores every value under its name, without an agent."""
    checkpoint = {
        "v": 4,
        "id": request["checkpoint"],
        "ts": "2024-01-01T00:00:00+00:00",
        "channel_values": {"every": python_state()["baggage"]},
        "channel_versions": {"every": "1"},
        "versions_seen": {},
    }
    config = {"configurable": {"thread_id": request["thread"], "checkpoint_ns": ""}}
    saver.put(config, checkpoint, {"source": "input", "step": 1, "parents": {}}, {"every": "1"})
    return {"names": list(checkpoint["channel_values"]["every"])}


def follow(saver, request):
    """Stores a child of the newest checkpoint with its values in new versions, or returns the SQLSTATE of the refusal."""
    config = {"configurable": {"thread_id": request["thread"], "checkpoint_ns": ""}}
    found = saver.get_tuple(config)
    values = found.checkpoint["channel_values"]
    versions = {channel: saver.get_next_version(None, None) for channel in values}
    checkpoint = {**found.checkpoint, "id": request["checkpoint"], "channel_versions": versions}
    refused = None
    try:
        saver.put(found.config, checkpoint, {"source": "loop", "step": 2, "parents": {}}, versions)
    except DataError as error:
        refused = error.sqlstate
    return {"values": {channel: repr(value) for channel, value in values.items()}, "refused": refused}


def returned(saver, request):
    """The change of every value after TypeScript has read and written it. Unchanged values have none."""
    config = {"configurable": {"thread_id": request["thread"], "checkpoint_ns": ""}}
    values = saver.get_tuple(config).checkpoint["channel_values"]["every"]
    return {name: became(value, values.get(name)) for name, value in python_state()["baggage"].items()}


def became(value, returned):
    if differences(reread([value])[0], returned):
        return {"class": class_of(returned), "own": False}
    return {"class": class_of(returned), "own": True} if differences(value, returned) else {}


def class_of(value):
    if isinstance(value, datetime):
        return f"datetime.datetime with a {class_of(value.tzinfo)}"
    module = type(value).__module__
    return type(value).__name__ if module == "builtins" else f"{module}.{type(value).__name__}"


def migrate(saver, request):
    """Runs the migrations of an older version of Python's saver."""
    for version, migration in enumerate(saver.MIGRATIONS[: request["version"] + 1]):
        saver.conn.execute(migration)
        saver.conn.execute("INSERT INTO checkpoint_migrations (v) VALUES (%s)", (version,))
    return {}


def plain(value):
    """Converts a value to JSON: messages to their fields, and values that JSON lacks to their `repr`."""
    if isinstance(value, BaseMessage):
        return value.model_dump(mode="json")
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, list):
        return [plain(part) for part in value]
    return value if isinstance(value, (str, int, float, bool, type(None))) else repr(value)


def config_of(request):
    return {"configurable": {"thread_id": request["thread"]}}


TASKS = {
    task.__name__: task
    for task in (setup, run, state, questions, history, fork, compare, store, follow, returned, migrate)
}
TASKS |= EXCHANGE_TASKS


def serde():
    return EncryptedSerializer.from_pycryptodome_aes() if "LANGGRAPH_AES_KEY" in os.environ else JsonPlusSerializer()


answer_all(TASKS, lambda connection: PostgresSaver(connection, serde=serde()))
