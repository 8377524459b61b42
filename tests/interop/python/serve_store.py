"""Works on Python's store for the tests of items that both languages share. See answering.py for the protocol."""

from answering import answer_all
from langgraph.store.postgres import PostgresStore


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


TASKS = {task.__name__: task for task in (setup, put, get, delete, search, list_namespaces, sweep)}


answer_all(TASKS, lambda connection: connection)
