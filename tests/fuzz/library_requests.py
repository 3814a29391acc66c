"""Good requests for what lies beyond the 34 operations: those that the shipped stubs answer, and stubs themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fuzz.drafts import Draft

#: A workspace that answers them; it has no webhooks, so that nothing leaves it.
SCENARIO = {
    "extends": ["empty", "contacts"],
    "clock": {"start": "2026-11-30T09:00:00Z"},
    "accounts": [
        {
            "name": "acme",
            "plan": [{"type": "free", "credits": 10_000}],
            "senders": [{"id": 1, "name": "News", "email": "news@acme.test"}],
            "domains": [{"name": "acme.test", "state": "authenticated"}],
            "campaigns": [
                {"id": 12, "kind": "email_template", "name": "Order", "subject": "Your order", "html": "<p>"}
            ],
        }
    ],
}
_BATCH = "5c6cfa04-eed9-42c2-8b5c-6d470d978e9d"
_MAIL: dict[str, Any] = {
    "sender": {"name": "News", "email": "news@acme.test"},
    "to": [{"email": "bob@example.test", "name": "Bob"}, {"email": "carol@example.test"}],
    "cc": [{"email": "dan@example.test"}],
    "bcc": [{"email": "eve@example.test", "name": "Eve"}],
    "replyTo": {"email": "help@acme.test", "name": "Help"},
    "subject": "Hello {{ params.name }}",
    "htmlContent": "<p>Hello {{ params.name }}, {% if params.vip %}dear{% endif %} Bob.</p>",
    "textContent": "Hello.",
    "params": {"name": "Bob", "vip": True, "orders": [{"id": 1}]},
    "attachment": [{"content": "SGVsbG8=", "name": "hello.txt"}, {"url": "https://acme.test/terms.pdf"}],
    "headers": {"X-Mailin-Custom": "a:1|b:2", "Idempotency-Key": "abc"},
    "tags": ["welcome", "test"],
}
_SHORT = {name: _MAIL[name] for name in ("sender", "to", "subject", "textContent")}
_VERSIONS = [
    {"to": [{"email": "bob@example.test"}], "params": {"name": "Bob"}, "subject": "For Bob"},
    {"to": [{"email": "carol@example.test"}], "htmlContent": "<p>For Carol</p>", "replyTo": {"email": "c@acme.test"}},
]
_MAILS: tuple[dict[str, Any], ...] = (
    _MAIL,
    _SHORT,
    {**_SHORT, "sender": {"id": 1}},
    {"templateId": 12, "to": _MAIL["to"], "params": _MAIL["params"]},
    {**_SHORT, "headers": {"X-Sib-Sandbox": "drop"}},
    {**_SHORT, "scheduledAt": "2026-12-01T09:00:00.000Z", "batchId": _BATCH},
    {**_SHORT, "messageVersions": _VERSIONS},
)
_CONTACT = {
    "email": "bob@example.test",
    "attributes": {"FIRSTNAME": "Bob", "SMS": "+33612345678"},
    "listIds": [1],
    "emailBlacklisted": False,
    "updateEnabled": True,
    "extId": "b-1",
}
_REQUESTS: tuple[tuple[str, str, Any], ...] = (
    *(("POST", "/v3/smtp/email", mail) for mail in _MAILS),
    ("DELETE", f"/v3/smtp/email/{_BATCH}", None),
    ("GET", f"/v3/smtp/emailStatus/{_BATCH}", None),
    ("POST", "/v3/contacts", _CONTACT),
    ("GET", "/v3/contacts", None),
    ("GET", "/v3/contacts/bob@example.test", None),
    ("GET", "/v3/contacts/1", None),
    ("PUT", "/v3/contacts/bob@example.test", {"attributes": {"LASTNAME": "Builder"}, "unlinkListIds": [1]}),
    ("DELETE", "/v3/contacts/bob@example.test", None),
    ("POST", "/v3/contacts/lists", {"name": "Shop", "folderId": 1}),
    ("GET", "/v3/contacts/lists", None),
    ("GET", "/v3/contacts/lists/1", None),
    ("PUT", "/v3/contacts/lists/1", {"name": "Shops", "folderId": 1}),
    ("DELETE", "/v3/contacts/lists/1", None),
    ("GET", "/v3/contacts/lists/1/contacts", None),
    ("POST", "/v3/contacts/lists/1/contacts/add", {"emails": ["bob@example.test"]}),
    ("POST", "/v3/contacts/lists/1/contacts/remove", {"ids": [1, 2], "all": False}),
    ("GET", "/v3/contacts/attributes", None),
    ("POST", "/v3/contacts/attributes/normal/SHOP_PLAN", {"type": "text"}),
    ("POST", "/v3/contacts/attributes/category/SIZE", {"enumeration": [{"value": 1, "label": "small"}]}),
    ("DELETE", "/v3/contacts/attributes/normal/SHOP_PLAN", None),
    ("GET", "/v3/emailCampaigns", None),
    ("GET", "/v3/smtp/templates/12", None),
    ("POST", "/v3/events", {"event_name": "bought", "identifiers": {"email_id": "bob@example.test"}}),
)


def of_libraries() -> Iterator[Draft]:
    """What products ask of the shipped stubs, and of a few operations that none answers."""
    for method, path, body in _REQUESTS:
        query = [("limit", "2"), ("offset", "1"), ("sort", "asc")] if method == "GET" else []
        yield Draft(method, path, query, {}, body)


_NOTE = {
    "method": "POST",
    "path": "/v3/contacts/{email}/notes",
    "match": {"json": {"kind": "call"}},
    "answer": {"status": 201, "json": {"id": "{{ next_id('note') }}", "text": "{{ request.json.text }}"}},
    "store": {"table": "notes", "key": "{{ request.path.email }}"},
    "effects": [
        {"mail": {"to": "{{ request.path.email }}", "subject": "Hi", "text": "Noted"}},
        {"event": "delivered", "after": "PT2S"},
        {"credits": -1},
    ],
    "times": 3,
}
_SEQUENCE = {
    "id": "report",
    "method": "GET",
    "path": "/v3/smtp/statistics/reports",
    "answers": [
        {"json": {"reports": [], "at": "{{ now }}", "by": "{{ account.email }}", "to": "{{ faker.email() }}"}},
        {"status": 429, "headers": {"Retry-After": "1"}, "text": "{{ uuid() }} {{ stored('notes', 'bob') }}"},
    ],
}
#: Bodies of the control API's calls about stubs.
STUBS: dict[str, tuple[Any, ...]] = {
    "POST /_mock/stubs": (_NOTE, {"items": [_NOTE, _SEQUENCE]}),
    "PUT /_mock/stubs": ({"items": [_SEQUENCE]},),
    "PUT /_mock/stubs/{identifier}": (_SEQUENCE | {"id": "slow"},),
}
