"""Many workspaces at once over all replicas: each does what it would do alone."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle

import pytest

pytestmark = pytest.mark.slow

WORKSPACES, THREADS = 64, 16
SCENARIO = {"seed": 7, "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True}, "accounts": [{"name": "acme"}]}
#: What a workspace is asked, one after the other; `{n}` is its number, so that no two are asked the same.
SCRIPT = [
    ("POST", "/v3/senders", {"name": "News {n}", "email": "news{n}@acme.test"}),
    ("POST", "/v3/senders/domains", {"name": "acme{n}.test"}),
    ("GET", "/v3/senders", None),
    ("POST", "/_mock/clock/advance", {"by": "PT{n}M"}),
    ("PUT", "/v3/senders/1", {"name": "Old news {n}"}),
    ("GET", "/v3/senders/domains", None),
    ("GET", "/_mock/clock", None),
    ("GET", "/v3/account", None),
    ("DELETE", "/v3/senders/1", None),
    ("GET", "/v3/senders", None),
]


def filled(value, number):
    if isinstance(value, dict):
        return {name: filled(member, number) for name, member in value.items()}
    return value.replace("{n}", str(number))


def run(ask, made, number):
    """What a workspace answers to the script, each request by another way to name it."""
    ways = cycle([(f"/w/{made['name']}", {}), ("", {}), ("", {"X-Mock-Workspace": made["name"]})])
    answers = []
    for (method, path, body), (prefix, headers) in zip(SCRIPT, ways, strict=False):
        sent = None if body is None else filled(body, number)
        answer = ask(method, f"{prefix}{path}", key=made["api_key"], headers=headers, json=sent)
        # What the control API says of its clock tells how far it is from real time.
        answers.append((answer.status_code, answer.text if path.startswith("/v3") else None))
    return answers


@pytest.fixture(scope="module")
def alone(make_api):
    """What each workspace answers on a server of its own, without a socket."""

    def play(number):
        api = make_api(SCENARIO)
        made = api.post("/_mock/workspaces", json={"scenario": SCENARIO, "name": f"script-{number}"}).json

        def ask(method, path, *, key, headers, json):
            return api.client.open(path, method=method, headers={"api-key": key, **headers}, json=json)

        return run(ask, made, number)

    return [play(number) for number in range(WORKSPACES)]


def test_many_workspaces_answer_as_each_does_alone(spread, alone):
    def play(number):
        made = spread.make(scenario=SCENARIO, name=f"script-{number}")
        try:
            return run(spread.ask, made, number)
        finally:
            spread.ask("DELETE", f"/_mock/workspaces/{made['name']}")

    with ThreadPoolExecutor(THREADS) as pool:
        answers = list(pool.map(play, range(WORKSPACES)))

    assert answers == alone
    statuses = Counter(status for rows in answers for status, _ in rows)
    assert statuses == {200: 7 * WORKSPACES, 201: WORKSPACES, 204: 2 * WORKSPACES}
