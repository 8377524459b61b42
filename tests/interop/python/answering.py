"""Answers requests: each is a line of JSON on the input, and its answer a line on the output."""

import json
import sys
import traceback

from psycopg import Connection
from psycopg.rows import dict_row


def answer_all(tasks, subject_of):
    """Does the task that each request names, with what `subject_of` makes of a connection to the database."""
    with Connection.connect(sys.argv[1], autocommit=True, prepare_threshold=0, row_factory=dict_row) as connection:
        subject = subject_of(connection)
        for line in sys.stdin:
            request = json.loads(line)
            try:
                answer = tasks[request["do"]](subject, request)
            except Exception:
                answer = {"raised": traceback.format_exc()}
            print(json.dumps(answer), flush=True)
