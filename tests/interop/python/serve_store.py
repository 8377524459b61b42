"""Works on Python's store for the tests of items that both languages share. See answering.py for the protocol."""

import warnings

from answering import answer_all
from langchain_core.documents import Document
from langchain_core.load import dumpd, load
from langchain_core.messages import AIMessage, ChatMessage, HumanMessage, RemoveMessage, SystemMessage, ToolMessage
from langchain_core.prompt_values import ChatPromptValue, StringPromptValue
from langchain_core.prompts import PromptTemplate
from langgraph.store.postgres import PostgresStore

warnings.simplefilter("ignore")


def store_of(connection, request):
    return PostgresStore(connection, ttl=request.get("ttl_config"))


def setup(connection, request):
    store_of(connection, request).setup()
    return {}


def put(connection, request):
    """Stores `value` at each of `places`, one call for each. `integers` are the digits of further integers."""
    value = {**request["value"], **{key: int(digits) for key, digits in request.get("integers", {}).items()}}
    given = {"ttl": request["ttl"]} if "ttl" in request else {}
    for namespace, key in request["places"]:
        store_of(connection, request).put(tuple(namespace), key, value, **given)
    return {}


def dumps():
    """What Python's `dumpd` makes of objects of LangChain, and what has the shape of that, by name."""
    call = {"name": "f", "args": {"lc": 1, "x": 1.0}, "id": "c"}
    secret = {"lc": 1, "type": "secret", "id": ["OPENAI_API_KEY"]}
    objects = {
        "human": HumanMessage("hi", id="h", additional_kwargs={"__proto__": 1, "secret": secret}),
        "ai": AIMessage("", id="a", tool_calls=[call], response_metadata={"x": None, "cost": 1.5, "id": 2**60 + 1}),
        "blocks": AIMessage([{"type": "text", "text": "hi"}], usage_metadata={"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}),
        "system": SystemMessage("be kind"),
        "tool": ToolMessage("t", tool_call_id="c", artifact={"message": dumpd(HumanMessage("inner"))}),
        "chat": ChatMessage("no", role="critic", id="l"),
        "remove": RemoveMessage(id="1"),
        "document": Document("text", metadata={"page": 1, "__proto__": {"a": 1}}, id="d"),
        "bare document": Document("text"),
        "text prompt": StringPromptValue(text="hi"),
        "chat prompt": ChatPromptValue(messages=[HumanMessage("q"), AIMessage("a")]),
        "template": PromptTemplate.from_template("hi {name}"),
        "unknown": object(),
    }
    known = {name: {**dumpd(each), "repr": name} if name == "unknown" else dumpd(each) for name, each in objects.items()}
    nested = {"lc": 1, "type": "constructor", "id": ["app", "State"], "kwargs": {"m": known["human"], "__proto__": 1}}
    return {**known, "secret": secret, "nested": nested, "number": {"lc": 1}, "kind": {"lc": 2, "type": "other"}, "__proto__": {"__proto__": [secret]}}


def put_dumps(connection, request):
    """Stores each of the dumps as an item, and all of them inside one and in its lists."""
    store = store_of(connection, request)
    for name, value in dumps().items():
        store.put(("dumps",), name, value)
    store.put(("dumps",), "all", {**dumps(), "list": [*dumps().values(), [*dumps().values()]]})
    return {"names": [*dumps(), "all"]}


def check_dumps(connection, request):
    """The names of items that are not what was stored, or that LangChain loads as something else."""
    store = store_of(connection, request)
    stored = {name: store.get(("dumps",), name).value for name in [*dumps(), "all"]}
    expected = {**dumps(), "all": {**dumps(), "list": [*dumps().values(), [*dumps().values()]]}}
    changed = [f"{name}: {stored[name]}" for name, value in expected.items() if stored[name] != value]
    return {"changed": changed}


def loaded(connection, request):
    """What LangChain makes of a part of an item."""
    value = store_of(connection, request).get(tuple(request["namespace"]), request["key"]).value
    return {"loaded": repr(load(value[request["part"]]))}


def get(connection, request):
    refresh = request.get("refresh_ttl")
    return {"item": shown(store_of(connection, request).get(tuple(request["namespace"]), request["key"], refresh_ttl=refresh))}


def delete(connection, request):
    store_of(connection, request).delete(tuple(request["namespace"]), request["key"])
    return {}


def search(connection, request):
    found = store_of(connection, request).search(
        tuple(request["prefix"]), filter=request.get("filter"), limit=1000, refresh_ttl=request.get("refresh_ttl")
    )
    return {"items": [shown(item) for item in found]}


def list_namespaces(connection, request):
    conditions = {name: tuple(request[name]) for name in ("prefix", "suffix") if name in request}
    found = store_of(connection, request).list_namespaces(**conditions, max_depth=request.get("max_depth"), limit=1000)
    return {"namespaces": [list(namespace) for namespace in found]}


def sweep(connection, request):
    return {"deleted": store_of(connection, request).sweep_ttl()}


def shown(item):
    if item is None:
        return None
    return {
        "namespace": list(item.namespace),
        "key": item.key,
        "value": item.value,
        "created": item.created_at.timestamp(),
        "updated": item.updated_at.timestamp(),
    }


TASKS = {task.__name__: task for task in (setup, put, put_dumps, check_dumps, loaded, get, delete, search, list_namespaces, sweep)}


answer_all(TASKS, lambda connection: connection)
