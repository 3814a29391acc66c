"""No value of an account appears in a report, a log or an exception."""

from __future__ import annotations

import json
import logging
import random
import traceback

import pytest
from cli_runner import invoke
from recording_service import recording_service, response

from mockserver.testing import drift as drifting
from mockserver.testing.drift import Asker, NoAnswer

pytestmark = pytest.mark.root("empty")
#: How many values the account has at least.
MOST = 10_000
ROWS = 40


class Values:
    """Makes values that occur nowhere else, and remembers them."""

    def __init__(self):
        self.chance = random.Random(10)
        self.made = set()

    def text(self):
        found = f"v{self.chance.getrandbits(64):016x}"
        self.made.add(found)
        return found

    def number(self):
        found = self.chance.randrange(10**12, 10**13)
        self.made.add(str(found))
        return found

    def in_place_of(self, value):
        """The same shape with many rows, other values, and things that no document has."""
        if isinstance(value, dict):
            found = {name: self.in_place_of(inner) for name, inner in value.items()}
            if "attributes" in value:
                found["attributes"] = {self.text(): self.text() for _ in range(9)}
            name = self.text()
            return {**found, "added": self.text(), name: name}
        if isinstance(value, list):
            return [self.in_place_of(value[0]) for _ in range(ROWS)] if value else [self.text()]
        if isinstance(value, bool):
            return value if self.chance.random() < 0.5 else self.text()
        return self.number() if isinstance(value, int) and self.chance.random() < 0.9 else self.text()


def leaked(values, text):
    return sorted(value for value in values.made if value in text)


@pytest.fixture
def values():
    return Values()


def test_no_value_of_10_000_is_in_a_report_or_a_log(root, make_api, values, monkeypatch, caplog):
    monkeypatch.setattr(drifting, "PACE_S", 0)
    caplog.set_level(logging.DEBUG)
    api = make_api({"extends": "enterprise", "accounts": [{"name": "acme", "contacts": [{"email": "bob@acme.test"}]}]})

    def answer(path):
        known = api.get(path if "unknown" in path or "2147483647" in path else path.partition("?")[0])
        body = values.in_place_of(known.json)
        if path == "/v3/account":
            body["enterprise"] = True
        if path == "/v3/senders/ips":
            body = {values.text(): values.text() for _ in range(50)}
        content_type = f"text/{values.text()}" if "attributes" in path else "application/json"
        status = f"{known.status_code} {values.text()}"
        return response(status, json.dumps(body).encode(), content_type, f"x-{values.text()}: {values.text()}")

    outputs = []
    with recording_service(answer) as service:
        for words in ((), ("--json",)):
            ended = invoke(
                ("drift", "--key-env", "KEY", "--base-url", service.url, "--url", root, *words), {"KEY": values.text()}
            )
            assert ended.exit_code == 1
            outputs.append(ended.output)

    assert len(values.made) > MOST
    assert outputs[0].count("different") > 10
    assert leaked(values, "".join(outputs) + caplog.text) == []


@pytest.mark.parametrize(
    "form", [b"%s\r\n\r\n", b"HTTP/1.1 %s OK\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n%s"]
)
def test_exception_about_a_broken_answer_has_no_value_of_it(values, form):
    with (
        recording_service(lambda _: form % values.text().encode()) as service,
        pytest.raises(NoAnswer) as refused,
    ):
        Asker(service.url, values.text(), pace=0)("/v3/account")

    assert len(values.made) == 2
    assert leaked(values, "".join(traceback.format_exception(refused.value))) == []


def test_account_with_an_answer_of_thousands_of_levels_is_not_comparable(root, make_api, monkeypatch):
    monkeypatch.setattr(drifting, "PACE_S", 0)
    account = make_api("standard").get("/v3/account").data
    deep = b'{"attributes": ' + b"[" * 900 + b"]" * 900 + b"}"

    with recording_service(lambda path: response("200 OK", account if path == "/v3/account" else deep)) as service:
        ended = invoke(("drift", "--key-env", "KEY", "--base-url", service.url, "--url", root), {"KEY": "key"})

    assert ended.exit_code == 1, ended.output
    assert "Traceback" not in ended.output
