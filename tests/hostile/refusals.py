"""The workspace that hostile requests meet, and what a good refusal is."""

from __future__ import annotations

import re

KEY = "xkeysib-acme"
#: What stands for the parts of a path: rows that the workspace has.
PARTS = {
    "name": "default", "machine": "sender", "key": "2", "event": "resend_otp", "domain": "a.test", "identifier": "slow",
    "client_id": "crm", "senderId": "2", "webhookId": "814200", "id": "2003001", "domainName": "acme.test",
}  # fmt: skip
GOOD_SENDER = {"name": "Ops", "email": "new@acme.test"}
GOOD_WEBHOOK = {"url": "https://hook.test/", "events": ["delivered"]}
GOOD_EXPORT = {"type": "transactional", "event": "opened", "notifyURL": "https://hook.test/"}
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
TRACES = re.compile(rb"Traceback|File \"|\.py\b|Error\(|werkzeug|flask|marshmallow|<html", re.IGNORECASE)


#: A master account with something of everything, at a standstill.
SCENARIO = {
    "extends": "corporate-v2",
    "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True},
    "accounts": [
        {
            "name": "acme",
            "senders": [
                {"id": 1, "name": "News", "email": "news@acme.test"},
                {"id": 2, "name": "Ops", "email": "ops@acme.test", "state": "awaiting_verification", "otp": 123456},
            ],
            "domains": [{"name": "acme.test", "state": "authenticated"}],
            "webhooks": [{"id": 814200, "url": "https://hook.test/", "events": ["delivered"]}],
            "campaigns": [{"id": 11, "name": "January"}],
            "attributes": {"normal": ["FIRSTNAME"]},
        }
    ],
}


def sent(answer):
    """The request of an answer, to find the row of a table that failed."""
    return f"{answer.request.method} {answer.request.url[:150]}: {answer.status_code} {answer.data[:150]!r}"


def refused(answer, status, code=None):
    """Check that the service refused a request in its own format."""
    assert answer.status_code == status, sent(answer)
    assert answer.content_type == "application/json"
    assert set(answer.json) == {"code", "message"}
    assert isinstance(answer.json["message"], str)
    assert answer.json["message"]
    assert code in (None, answer.json["code"]), sent(answer)
    assert answer.data.endswith(b"}\n")
    assert UUID.fullmatch(answer.headers["sib-request-id"])
    assert not TRACES.search(answer.data)


def problem(answer, status, *paths):
    """Check that the control API refused a request, and names these places of the body."""
    assert answer.status_code == status, sent(answer)
    assert answer.content_type == "application/problem+json"
    assert answer.json["status"] == status
    assert answer.json["title"]
    assert answer.json["detail"]
    assert sorted(error["path"] for error in answer.json.get("errors", [])) == sorted(paths), sent(answer)
    assert all(error["message"] for error in answer.json.get("errors", []))
    assert not TRACES.search(answer.data)


#: Bodies that are no JSON of ours.
RAW = {
    "cut off": b'{"name": "Ops", "email": "new@acme.test"',
    "not JSON at all": b"name=Ops&email=new@acme.test",
    "single quotes": b"{'name': 'Ops'}",
    "a trailing comma": b'{"name": "Ops",}',
    "a comment": b'{"name": "Ops" /* */}',
    "two values": b'{"name": "Ops"} {"name": "Ops"}',
    "a duplicate member": b'{"name": "Ops", "email": "new@acme.test", "name": "Oops"}',
    "a nested duplicate member": b'{"name": "Ops", "email": "new@acme.test", "x": {"a": 1, "a": 1}}',
    "not UTF-8": b'{"name": "\xff\xfe", "email": "new@acme.test"}',
    "UTF-16": '{"name": "Ops"}'.encode("utf-16"),
    "overlong UTF-8": b'{"name": "\xc0\xaf"}',
    "a byte order mark": b'\xef\xbb\xbf{"name": "Ops", "email": "new@acme.test"}',
    "NaN": b'{"name": "Ops", "email": "new@acme.test", "x": NaN}',
    "Infinity": b'{"name": "Ops", "email": "new@acme.test", "x": Infinity}',
    "minus Infinity": b'{"name": "Ops", "email": "new@acme.test", "x": -Infinity}',
    "a number beyond a double": b'{"name": "Ops", "email": "new@acme.test", "x": 1e400}',
    "an integer beyond 64 bits": b'{"name": "Ops", "email": "new@acme.test", "x": 9223372036854775808}',
    "an integer below 64 bits": b'{"name": "Ops", "email": "new@acme.test", "x": -9223372036854775809}',
    "an integer of 5,000 digits": b'{"x": ' + b"9" * 5000 + b"}",
    "101 arrays": b'{"x": ' + b"[" * 101 + b"]" * 101 + b"}",
    "100,000 arrays": b"[" * 100_000,
    "100,000 objects": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "half a surrogate pair": b'{"name": "\\ud83d", "email": "new@acme.test"}',
    "half a surrogate pair in a name": b'{"\\udc00": 1}',
    "a control character in a string": b'{"name": "a\x00b"}',
    "a NUL byte": b"\x00",
    "a leading zero": b'{"x": 01}',
}
