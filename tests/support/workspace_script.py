"""What many workspaces are asked at once, each the same but for its number, and what each answers alone."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import cycle

WORKSPACES, THREADS = 64, 16
SCENARIO = {"seed": 7, "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True}, "accounts": [{"name": "acme"}]}
#: What a workspace is asked, one after the other; `{n}` is its number, so that no two are asked the same.
_SCRIPT = [
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
#: How many answers of all workspaces have which status.
STATUSES = {200: 7 * WORKSPACES, 201: WORKSPACES, 204: 2 * WORKSPACES}


def _filled(value, number):
    if isinstance(value, dict):
        return {name: _filled(member, number) for name, member in value.items()}
    return value.replace("{n}", str(number))


def _run(ask, made, number):
    """What a workspace answers to the script, each request by another way to name it."""
    ways = cycle([(f"/w/{made['name']}", {}), ("", {}), ("", {"X-Mock-Workspace": made["name"]})])
    answers = []
    for (method, path, body), (prefix, headers) in zip(_SCRIPT, ways, strict=False):
        sent = None if body is None else _filled(body, number)
        answer = ask(method, f"{prefix}{path}", key=made["api_key"], headers=headers, json=sent)
        # What the control API says of its clock tells how far it is from real time.
        answers.append((answer.status_code, answer.text if path.startswith("/v3") else None))
    return answers


def answers_alone(make_api):
    """What each workspace answers on a server of its own, without a socket."""

    def play(number):
        api = make_api(SCENARIO)
        made = api.post("/_mock/workspaces", json={"scenario": SCENARIO, "name": f"script-{number}"}).json

        def ask(method, path, *, key, headers, json):
            return api.client.open(path, method=method, headers={"api-key": key, **headers}, json=json)

        return _run(ask, made, number)

    return [play(number) for number in range(WORKSPACES)]


def answers_together(servers):
    """What each answers where all are asked at once; `servers` make workspaces and are asked."""

    def play(number):
        made = servers.make(scenario=SCENARIO, name=f"script-{number}")
        try:
            return _run(servers.ask, made, number)
        finally:
            servers.ask("DELETE", f"/_mock/workspaces/{made['name']}")

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(play, range(WORKSPACES)))
