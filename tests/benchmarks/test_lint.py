"""The time of each rule of lint for four times as many requests, as a ratio: linear is four."""

from __future__ import annotations

import gc
import json
from datetime import timedelta
from time import process_time
from types import SimpleNamespace

import pytest

from mockserver.core.traffic.exchange import ClientConnection, Exchange
from mockserver.lint import linter
from mockserver.lint.traffic import Traffic

pytestmark = [pytest.mark.benchmark, pytest.mark.api({"clock": {"start": "2026-01-15T09:00:00Z", "frozen": True}})]

FEW, MANY = 2_000, 8_000
#: Quadratic is 16. Caches of the processor take the rest.
MOST = 9
#: Below so many seconds a rule is fast enough, whatever the ratio is.
FAST_S = 0.3
BEGIN = 1_800_000_000.0
REFUSED = (("x-sib-ratelimit-remaining", "0"), ("x-sib-ratelimit-reset", "60"))
PAGE = json.dumps({"count": 500, "contacts": [{"id": row, "email": f"c{row}@x.test"} for row in range(50)]}).encode()
POOL = [ClientConnection(0.0) for _ in range(8)]


def body(**members):
    return json.dumps(members).encode()


def create_sender(number):
    return {"method": "POST", "operation": "createSender", "body": body(name="A", email=f"a{number}@b.test")}


#: The members of each request, by its position.
KINDS = {
    "429 at once": lambda at: {"status": 429, "every": 0},
    "429 one connection": lambda at: {"status": 429, "every": 0.001, "connection": POOL[0]},
    "429 own connections": lambda at: {
        "status": 429, "every": 0.001, "connection": ClientConnection(BEGIN + at * 0.001 - 0.0001)
    },
    "429 own paths": lambda at: {"status": 429, "every": 0.0001, "path": f"/v3/senders/{at}"},
    "429 slow": lambda at: {"status": 429, "every": 0.5},
    "429 waited": lambda at: {"status": 429, "every": 60.5, "passed": at * 60.5},
    "429 clock moved": lambda at: {"status": 429, "every": 0.001, "passed": at * 100},
    "504 equal": lambda at: {**create_sender(0), "status": 504},
    "504 pairs": lambda at: {**create_sender(at // 2), "status": 504},
    "mail pairs": lambda at: {
        "method": "POST", "operation": "sendTransacEmail", "path": "/v3/smtp/email", "status": 504,
        "body": body(subject=str(at // 2)),
    },
    "writes and reads": lambda at: {**create_sender(0), "status": 504} if at % 2 else {},
    "pages": lambda at: {"operation": "getContacts", "path": "/v3/contacts", "answer": PAGE},
    "warnings": lambda at: {"warnings": [f"getSenders ignored the unknown query parameter `p{at}`"]},
    "secrets": lambda at: {
        "method": "POST", "operation": "createWebhook", "path": "/v3/webhooks", "status": 201,
        "body": body(url=f"https://a.test/?token={at}"), "answer": body(id=at),
    },
    "hanging": lambda at: {"fault_kind": "hang", "status": None, "over_at": BEGIN + at + 40},
}  # fmt: skip


def request(workspace, at, *, every=0.2, passed=0.0, method="GET", path="/v3/senders", answer=b"", **members):
    row = Exchange(
        str(at), workspace.state.clock.now() + timedelta(seconds=passed), method, path, "", (("User-Agent", "a/1"),),
        members.pop("body", b""), {}, members.pop("operation", "getSenders"), BEGIN + at * every,
        members.pop("connection", POOL[at % len(POOL)]),
    )  # fmt: skip
    row.account, row.status, row.answer_body, row.answer_headers = "acme", 200, answer, REFUSED
    for name, value in members.items():
        setattr(row, name, value)
    return row


def seconds(workspace, kind, number, rule):
    rows = [request(workspace, at, **KINDS[kind](at)) for at in range(number)]
    traffic = Traffic(SimpleNamespace(journal=rows, state=workspace.state, links=workspace.links), 10)
    gc.collect()
    begin = process_time()
    for _ in rule(traffic):
        pass
    return process_time() - begin


@pytest.mark.parametrize("kind", KINDS)
def test_rules_take_time_in_proportion_to_the_requests(api, kind, show):
    for rule in linter._RULES:  # noqa: SLF001  # the ratio is that of each rule
        many = seconds(api.workspace, kind, MANY, rule)
        ratio = many / seconds(api.workspace, kind, FEW, rule) if many > FAST_S else 0
        if ratio:
            show(f"{kind}: {rule.__name__} {many:.2f} s for {MANY:,} requests, ratio {ratio:.1f}")
        assert ratio <= MOST, rule.__name__
