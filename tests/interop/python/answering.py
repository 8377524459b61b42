"""Answers requests: each is a line of JSON on the input, and its answer a line on the output."""

import json
import sys
import traceback

from psycopg import Connection
from psycopg.rows import dict_row


def answer_all(tasks, subject_of):
    """Does the task that each request names, with what `subject_of` makes of a connection to the database.

    The request to `connect` goes on with the database of its `url`, and closes the connection to the one before.
    """
    connection = connect(sys.argv[1])
    subject = subject_of(connection)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if request["do"] == "connect":
                connection.close()
                connection = connect(request["url"])
                subject = subject_of(connection)
                answer = {}
            else:
                answer = tasks[request["do"]](subject, request)
        except Exception:
            answer = {"raised": traceback.format_exc()}
        print(json.dumps(answer), flush=True)
    connection.close()


def connect(url):
    return Connection.connect(url, autocommit=True, prepare_threshold=0, row_factory=dict_row)
