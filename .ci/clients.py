"""Measures clients of the service against the mock, and writes the table of docs/truth/clients.md.

`python .ci/clients.py` needs node, `npm ci --prefix tests/flows/programs/js`, and an index of Python packages.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from datetime import UTC, datetime
from importlib.metadata import version
from json import loads
from pathlib import Path
from typing import Any, NamedTuple

from mockserver import MockServer
from mockserver.core.state.varied import Draw
from mockserver.core.text.messages import counted
from mockserver.scenario.vary import draw
from mockserver.testing.handles.workspace import Workspace

_ROOT = Path(__file__).parents[1]
PAGE = _ROOT / "docs" / "truth" / "clients.md"
_CALLS = _ROOT / "tests" / "clients" / "table"
_JS = _ROOT / "tests" / "flows" / "programs" / "js"
#: The former client has the name of the present one, so it is installed in a folder of its own.
_FORMER = "brevo-python==1.2.0"
_PART = re.compile(r"(<!-- measured -->\n)(.*?)(<!-- end -->)", re.DOTALL)
#: The day of the measurement, and the version of Node, which no file pins.
_MOVING = re.compile(r"Measured on [\d-]+|(?<=fetch of Node )[\d.]+")
#: How many clients run at once, and how long one may take, in seconds; chosen: most of them wait most of the time.
_AT_ONCE, _PATIENCE_S = 8, 150
#: More contacts than a page has, for the condition without a fault.
_CONTACTS = [{"email": f"contact{number}@list.test"} for number in range(120)]
#: A master account that sends.
_DOCUMENT: dict[str, Any] = {
    "extends": "corporate-v2",
    "accounts": [
        {
            "name": "acme",
            "senders": [{"name": "News", "email": "news@acme.test"}],
            "domains": [{"name": "acme.test", "state": "authenticated"}],
        }
    ],
}
#: The same with a campaign that is ready to be sent.
_WITH_CAMPAIGN = {
    **_DOCUMENT["accounts"][0],
    "contact_lists": [{"id": 1, "name": "News"}],
    "contacts": [{"email": "ada@list.test", "list_ids": [1]}],
    "campaigns": [{"id": 1, "name": "June", "subject": "It is June", "html": "<p>Hello</p>", "list_ids": [1]}],
}
_HTML = {"headers": {"Content-Type": "text/html"}, "body": "<html><body>Bad gateway</body></html>"}


class Client(NamedTuple):
    name: str
    command: Sequence[str]


class Condition(NamedTuple):
    """What happens to a call."""

    title: str
    operation: str
    fault: Mapping[str, Any] | None = None

    @property
    def entry(self) -> Mapping[str, Any]:
        """What a scenario has for it."""
        if self.fault is None:
            return {"accounts": [{**_DOCUMENT["accounts"][0], "contacts": _CONTACTS}]}
        faults = {"faults": [{**self.fault, "match": {"operation": self.operation}}]}
        return {**faults, "accounts": [_WITH_CAMPAIGN]} if self.operation == "sendEmailCampaignNow" else faults


#: What operations make.
_MADE = {"sendTransacEmail": "e-mails", "createSubAccount": "sub-accounts", "createSender": "senders",
         "createEmailCampaign": "campaigns"}  # fmt: skip
#: All calls of a client, in their order, and how many seeds draw everything.
_ALL = (
    *_MADE, "createWebhook", "createDomain", "getDomainConfiguration", "getSenders", "getWebhooks", "getAccount",
)  # fmt: skip
_SEEDS = 100
CONDITIONS = [
    *(
        Condition("504 once, after the work is done", operation, {"fault": "lost_answer", "times": 1})
        for operation in (*_MADE, "sendEmailCampaignNow")
    ),
    Condition("The connection is reset once before the work", "sendTransacEmail",
              {"fault": "connection_reset", "times": 1}),
    Condition("A proxy answers with an HTML page after the work", "sendTransacEmail",
              {"fault": "changed_answer", "times": 1, **_HTML}),
    Condition("No answer, and the connection ends after 31 s", "sendTransacEmail",
              {"fault": "hang", "times": 1, "ms": 31_000}),
    Condition("Rate limiting (429), for 30 s by `x-sib-ratelimit-reset`", "getAccount",
              {"fault": "rate_limited", "reset_s": 30}),
    Condition("Rate limiting (429) once, with `Retry-After: 2` by a proxy", "getAccount",
              {"fault": "rate_limited", "times": 1, "reset_s": 2, "headers": {"Retry-After": "2"}}),
    Condition("503 once, with an HTML page of a proxy", "getAccount", {"fault": "unavailable", "times": 1, **_HTML}),
    Condition("The answer has undocumented members", "getAccount", {"fault": "unknown_members"}),
    Condition("The answer has its members in another order", "getAccount", {"fault": "member_order"}),
    Condition("There are 120 contacts", "getContacts"),
]  # fmt: skip


#: Requests, created rows if the operation creates any, what the program gets, and findings.
_Row = tuple[int, int | None, str, str]


class Call(NamedTuple):
    """What has come of a call: how many requests it took, how many rows it has made, and what the program got."""

    requests: int
    made: int
    got: str


class Outcome(NamedTuple):
    """What a client has done: its calls by operation, and the rules of `mockserver lint` that found something."""

    calls: Mapping[str, Call]
    rules: Sequence[str]


def clients(former: str) -> list[Client]:
    """Return the clients; `former` is the folder with the former official one."""
    js = loads((_JS / "node_modules" / "@getbrevo" / "brevo" / "package.json").read_text(encoding="utf-8"))
    command = ["node", "--version"]
    node = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603  # a constant
    python, swagger = sys.executable, str(_CALLS / "call_swagger.py")
    return [
        Client(f"brevo-python {version('brevo-python')}", [python, str(_CALLS / "call_brevo5.py")]),
        Client(f"@getbrevo/brevo {js['version']}", ["node", str(_CALLS / "call_brevo6.mjs")]),
        Client(_FORMER.replace("==", " "), ["env", f"PYTHONPATH={former}", python, swagger, "brevo_python"]),
        Client(f"sib-api-v3-sdk {version('sib-api-v3-sdk')}", [python, swagger, "sib_api_v3_sdk"]),
        Client(f"requests {version('requests')}", [python, str(_CALLS / "call_requests.py")]),
        Client(f"fetch of Node {node.removeprefix('v')}", ["node", str(_CALLS / "call_fetch.mjs")]),
    ]


def measure() -> str:
    """Measure all clients, and return the text for the page."""
    draws = list({row.name: row for seed in range(_SEEDS) for row in draw(seed)}.values())
    with tempfile.TemporaryDirectory() as former, MockServer("empty") as server:
        command = [sys.executable, "-m", "pip", "install", "-q", "--target", former, _FORMER]
        subprocess.run(command, check=True, capture_output=True)  # noqa: S603  # a constant
        tried = clients(former)
        with ThreadPoolExecutor(_AT_ONCE) as pool:

            def run(operations: Sequence[str], *entries: Mapping[str, Any]) -> list[Future[list[Outcome]]]:
                return [pool.submit(_try, server, client, operations, entries) for client in tried]

            conditions = [run([row.operation], row.entry) for row in CONDITIONS]
            varied = run(_ALL, {}, *(row.entry for row in draws))
    lines = [f"Measured on {datetime.now(UTC):%Y-%m-%d}."]
    lines += _tables(tried, [[future.result()[0] for future in futures] for futures in conditions])
    lines += _matrix(draws, tried, [future.result() for future in varied])
    return "\n".join([*lines, ""])


def _try(
    server: MockServer, client: Client, operations: Sequence[str], entries: Sequence[Mapping[str, Any]]
) -> list[Outcome]:
    """Let a client call operations in one new workspace for each entry, which is added to its scenario."""
    with ExitStack() as stack:
        workspaces = [stack.enter_context(server.workspace({**_DOCUMENT, **entry})) for entry in entries]
        addresses = " ".join(workspace.url.removesuffix("/v3") for workspace in workspaces)
        environment = {**os.environ, "MOCKSERVER_URL": addresses, "JS_FOLDER": str(_JS), "NO_PROXY": "*"}
        command = [*client.command, *operations]
        ended = subprocess.run(  # noqa: S603  # see above
            command, env=environment, capture_output=True, text=True, check=True, timeout=_PATIENCE_S
        )
        got = [text.strip() for text in ended.stdout.splitlines()]
        parts = [got[first : first + len(operations)] for first in range(0, len(got), len(operations))]
        return [_outcome(workspace, operations, part) for workspace, part in zip(workspaces, parts, strict=True)]


def _outcome(workspace: Workspace, operations: Sequence[str], got: Sequence[str]) -> Outcome:
    rules = sorted({found.rule for found in workspace.findings()})
    counts = Counter(row.operation for row in workspace.requests.all())
    calls = {name: Call(counts[name], _made(workspace, name), text) for name, text in zip(operations, got, strict=True)}
    return Outcome(calls, rules)


def _made(workspace: Workspace, operation: str) -> int:
    """Return how many rows there are of those that the call makes."""
    if operation == "sendTransacEmail":
        return len(workspace.mailbox.all(subject="Your order"))
    state = workspace.state.get()
    rows = [account.get("company_name") for account in state["accounts"]]
    if operation == "createSender":
        rows = [row["email"] for account in state["accounts"] for row in account.get("senders", ())]
    if operation == "createEmailCampaign":
        rows = [row["name"] for account in state["accounts"] for row in account.get("campaigns", ())]
    return sum(row in ("Acme Asia", "shop@acme.test", "July") for row in rows)


def _tables(tried: Sequence[Client], outcomes: Sequence[Sequence[Outcome]]) -> Iterator[str]:
    """Yield a table for each condition; operations and clients with the same outcome share a table and a row."""
    tables: dict[tuple[str, tuple[_Row, ...]], list[str]] = {}
    for condition, row in zip(CONDITIONS, outcomes, strict=True):
        rows = tuple(_row(condition.operation, outcome) for outcome in row)
        tables.setdefault((condition.title, rows), []).append(condition.operation)
    for (title, rows), operations in tables.items():
        yield f"\n### {title}: {_named(operations)}\n"
        alike = {each: _alike(tried, rows, each) for each in rows}
        if len(alike) == 1:
            requests_, _, got, rules = rows[0]
            yield f"All clients: {', '.join(filter(None, (counted(requests_, 'request'), got, rules)))}."
            continue
        made = [" or ".join(_MADE[name] for name in operations)] if operations[0] in _MADE else []
        columns = ["clients", "requests", *made, "the program gets", "findings"]
        yield f"| {' | '.join(columns)} |"
        yield f"|{' --- |' * len(columns)}"
        for (requests_, count, got, rules), names in alike.items():
            yield f"| {' | '.join(map(str, (names, requests_, *([count] if made else []), got, rules)))} |"


def _row(operation: str, outcome: Outcome) -> _Row:
    call = outcome.calls[operation]
    return call.requests, call.made if operation in _MADE else None, call.got, _named(outcome.rules)


def _alike(tried: Sequence[Client], rows: Sequence[object], row: object) -> str:
    """Return the names of the clients with a row."""
    return ", ".join(client.name for client, other in zip(tried, rows, strict=True) if other == row)


def _matrix(draws: Sequence[Draw], tried: Sequence[Client], outcomes: Sequence[Sequence[Outcome]]) -> Iterator[str]:
    """Yield a list of the draws that change something for a client, and the names of the others.

    `outcomes` has those of each client: of a run without a draw, and of one with each.
    """
    yield "\n## Every draw of `vary`\n"
    yield f"Each client called {_named(_ALL)}, in this order. Differences from a run without a draw:\n"
    unseen = []
    for number, row in enumerate(draws, 1):
        cells = [_difference(client[0], client[number]) for client in outcomes]
        if any(cells):
            yield f"- {row.says.partition(' (')[0]}:"
            yield from (f"    - {_alike(tried, cells, cell)}: {cell}" for cell in dict.fromkeys(filter(None, cells)))
        else:
            unseen.append(f"`{row.name}`")
    yield f"\nThe other draws changed nothing for these calls: {', '.join(unseen)}."


def _difference(before: Outcome, after: Outcome) -> str:
    parts = []
    for name, (requests_, made, got) in after.calls.items():
        usual = before.calls[name]
        found = [counted(requests_, "request")] * (requests_ != usual.requests)
        found += [f"{made} {_MADE.get(name)}"] * (made != usual.made) + [got] * (got != usual.got)
        if found:
            parts.append(f"`{name}`: {', '.join(found)}")
    rules = [rule for rule in after.rules if rule not in before.rules]
    return "; ".join([*parts, *([_named(rules)] if rules else [])])


def _named(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def undated(text: str) -> str:
    """Return a page without the day of its measurement and the version of Node."""
    return _MOVING.sub("", text)


def written(text: str, measured: str) -> str:
    """Return the text of the page with what was measured."""
    return _PART.sub(lambda part: f"{part[1]}\n{measured}\n{part[3]}", text)


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), measure()), encoding="utf-8")
