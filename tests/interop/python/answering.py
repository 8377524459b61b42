"""Answers requests. Each request is a line of JSON on standard input, and each answer a line of JSON on standard output."""

import json
import sys
import traceback

from psycopg import Connection
from psycopg.rows import dict_row


def answer_all(tasks, subject_of):
    """Runs the task that each request names. The first argument of a task is `subject_of(connection)`.

    The request `connect` connects to the database of its `url`, and `disconnect` closes that connection.
    """
    connection = subject = None
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if request["do"] == "connect":
                connection = connect(request["url"])
                subject = subject_of(connection)
                answer = {}
            elif request["do"] == "disconnect":
                connection.close()
                answer = {}
            else:
                answer = tasks[request["do"]](subject, request)
        except Exception:
            answer = {"raised": traceback.format_exc()}
        print(json.dumps(answer), flush=True)


def connect(url):
    return Connection.connect(url, autocommit=True, prepare_threshold=0, row_factory=dict_row)
