"""Requests to small workspaces, as many as are wanted."""

import json
from itertools import cycle

from benchmarks.connections import request

KEY = "xkeysib-acme"


def hundreds(every, keys=(KEY,)):
    """Requests of which every so many-th writes, a hundred at a time, each with the next key."""
    first, turns = 0, cycle(keys)
    while True:
        yield [_request(first + number, next(turns), writes=number % every == every - 1) for number in range(100)]
        first += 100


def _request(number, key, *, writes):
    headers = {"api-key": key}
    if not writes:
        return request("GET", "/v3/senders?limit=10", headers)
    body = {"name": "Ops", "email": f"s{number}@acme.test"}
    return request("POST", "/v3/senders", headers, json.dumps(body).encode())
