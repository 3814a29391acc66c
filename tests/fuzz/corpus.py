"""The valid requests that a fuzzing session starts from: those of the contract, and a call of every kind."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from typing import Any
from urllib.parse import quote, urlencode

import yaml

from mockserver.app.control_api import CONTROL_API
from mockserver.evidence.fixture import cases
from mockserver.resources.registry import ALL_OPERATIONS, API_OPERATIONS, LIFECYCLES
from mockserver.settings import data_folder

JSON, YAML, FORM = "application/json", "application/yaml", "application/x-www-form-urlencoded"


@dataclass(slots=True)
class Draft:
    """What is going to be sent."""

    method: str
    path: str
    query: list[tuple[str, str]] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    #: A value to be written as `media` says; None: there is no body.
    body: Any = None
    media: str = JSON


@dataclass(frozen=True, slots=True)
class Sent:
    """A request in bytes."""

    method: str
    #: Percent-encoded, without the query.
    path: str
    query: str
    headers: dict[str, str]
    body: bytes

    def __str__(self):
        target = self.path + (f"?{self.query}" if self.query else "")
        headers = "".join(f"\n  {name}: {value!r}" for name, value in self.headers.items())
        shown = self.body if len(self.body) <= 2_000 else self.body[:2_000] + b"..."
        return f"{self.method} {target}{headers}\n  {len(self.body)} bytes: {shown!r}"


def write(draft):
    """The request in bytes, before anything happens to those."""
    headers = dict(draft.headers)
    body = b""
    if draft.body is not None:
        body = _written(draft.body, draft.media)
        headers.setdefault("Content-Type", draft.media)
    query = urlencode(draft.query, errors="surrogatepass")
    return Sent(draft.method, quote(draft.path, safe="/%:@!$&'()*+,;=~.-_"), query, headers, body)


def _written(value, media):
    if media == YAML:
        try:
            return yaml.dump(value, Dumper=_Dumper, allow_unicode=True, sort_keys=False).encode()
        except UnicodeEncodeError:
            return json.dumps(value).encode()  # libyaml writes no half of a surrogate pair; as JSON it is YAML as well
    if media == FORM and isinstance(value, dict):
        return urlencode([(name, str(inner)) for name, inner in value.items()], errors="surrogatepass").encode()
    return json.dumps(value, ensure_ascii=False).encode(errors="surrogatepass")


_Dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


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
_MAIL = {
    "sender": {"name": "News", "email": "news@acme.test"},
    "to": [{"email": "bob@example.test", "name": "Bob"}, {"email": "carol@example.test"}],
    "cc": [{"email": "dan@example.test"}], "bcc": [{"email": "eve@example.test", "name": "Eve"}],
    "replyTo": {"email": "help@acme.test", "name": "Help"}, "subject": "Hello {{ params.name }}",
    "htmlContent": "<p>Hello {{ params.name }}, {% if params.vip %}dear{% endif %} Bob.</p>", "textContent": "Hello.",
    "params": {"name": "Bob", "vip": True, "orders": [{"id": 1}]},
    "attachment": [{"content": "SGVsbG8=", "name": "hello.txt"}, {"url": "https://acme.test/terms.pdf"}],
    "headers": {"X-Mailin-Custom": "a:1|b:2", "Idempotency-Key": "abc"}, "tags": ["welcome", "test"],
}  # fmt: skip
_SHORT = {name: _MAIL[name] for name in ("sender", "to", "subject", "textContent")}
_VERSIONS = [
    {"to": [{"email": "bob@example.test"}], "params": {"name": "Bob"}, "subject": "For Bob"},
    {"to": [{"email": "carol@example.test"}], "htmlContent": "<p>For Carol</p>", "replyTo": {"email": "c@acme.test"}},
]
_MAILS = (
    _MAIL, _SHORT, {**_SHORT, "sender": {"id": 1}}, {"templateId": 12, "to": _MAIL["to"], "params": _MAIL["params"]},
    {**_SHORT, "headers": {"X-Sib-Sandbox": "drop"}},
    {**_SHORT, "scheduledAt": "2026-12-01T09:00:00.000Z", "batchId": _BATCH},
    {**_SHORT, "messageVersions": _VERSIONS},
)  # fmt: skip
_CONTACT = {
    "email": "bob@example.test", "attributes": {"FIRSTNAME": "Bob", "SMS": "+33612345678"}, "listIds": [1],
    "emailBlacklisted": False, "updateEnabled": True, "extId": "b-1",
}  # fmt: skip
_REQUESTS = (
    *(("POST", "/v3/smtp/email", mail) for mail in _MAILS), ("DELETE", f"/v3/smtp/email/{_BATCH}", None),
    ("GET", f"/v3/smtp/emailStatus/{_BATCH}", None), ("POST", "/v3/contacts", _CONTACT),
    ("GET", "/v3/contacts", None), ("GET", "/v3/contacts/bob@example.test", None), ("GET", "/v3/contacts/1", None),
    ("PUT", "/v3/contacts/bob@example.test", {"attributes": {"LASTNAME": "Builder"}, "unlinkListIds": [1]}),
    ("DELETE", "/v3/contacts/bob@example.test", None),
    ("POST", "/v3/contacts/lists", {"name": "Shop", "folderId": 1}), ("GET", "/v3/contacts/lists", None),
    ("GET", "/v3/contacts/lists/1", None), ("PUT", "/v3/contacts/lists/1", {"name": "Shops", "folderId": 1}),
    ("DELETE", "/v3/contacts/lists/1", None), ("GET", "/v3/contacts/lists/1/contacts", None),
    ("POST", "/v3/contacts/lists/1/contacts/add", {"emails": ["bob@example.test"]}),
    ("POST", "/v3/contacts/lists/1/contacts/remove", {"ids": [1, 2], "all": False}),
    ("GET", "/v3/contacts/attributes", None), ("POST", "/v3/contacts/attributes/normal/SHOP_PLAN", {"type": "text"}),
    ("POST", "/v3/contacts/attributes/category/SIZE", {"enumeration": [{"value": 1, "label": "small"}]}),
    ("DELETE", "/v3/contacts/attributes/normal/SHOP_PLAN", None), ("GET", "/v3/emailCampaigns", None),
    ("GET", "/v3/smtp/templates/12", None),
    ("POST", "/v3/events", {"event_name": "bought", "identifiers": {"email_id": "bob@example.test"}}),
)  # fmt: skip


def of_libraries():
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
STUBS = {
    "POST /_mock/stubs": (_NOTE, {"items": [_NOTE, _SEQUENCE]}),
    "PUT /_mock/stubs": ({"items": [_SEQUENCE]},),
    "PUT /_mock/stubs/{identifier}": (_SEQUENCE | {"id": "slow"},),
}


#: What stands for the parts of a path, where no case says otherwise.
PARTS = {
    "name": ("default", "w1", "w2", "before", "shop", "standard", "nothing"), "machine": tuple(LIFECYCLES),
    "key": ("1", "2", "21", "acme.test", "2003001", "814200"),
    "event": ("verify", "expire_otp", "resend_otp", "authenticate", "dns_broken", "cancel", "redeliver", "assign"),
    "domain": ("acme.test", "shop.test", "sub.acme.test", "münchen.test"),
    "identifier": ("1", "2", "fault-1", "slow", "report"),
    "client_id": ("0123456789abcdef0123456789abcdef", "fedcba9876543210fedcba9876543210", "crm"),
    "senderId": ("1", "2", "3", "999"), "webhookId": ("814200", "1", "999"), "campaignId": ("11", "12", "999"),
    "id": ("2003001", "2003002", "1"), "domainName": ("acme.test", "shop.test", "none.test"), "share": ("nothing",),
    "token": ("6a3c5e0b9d8f7a1c2e4b6d8f0a1c3e5b7d",), "attributeCategory": ("normal", "transactional"),
    "attributeName": ("FIRSTNAME", "ORDER_ID"),
}  # fmt: skip
SMALL = {
    "description": "A small workspace.",
    "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True},
    "accounts": [
        {"name": "acme", "api_keys": ["xkeysib-acme"], "senders": [{"id": 1, "name": "A", "email": "a@a.test"}]}
    ],
}
#: Bodies of calls whose schema alone does not tell a good one.
BODIES = {
    "POST /_mock/workspaces": (
        {"name": "w1", "seed": 3},
        {"name": "w2", "scenario": "onboarding"},
        {"scenario": SMALL},
    ),
    "POST /_mock/reset": ({}, {"scenario": "corporate-v2"}, {"scenario": "oauth"}, {"scenario": SMALL}),
    "POST /_mock/seed": (
        {"senders": [{"name": "B", "email": "b@acme.test"}]},
        {"generate": {"senders": 3}},
        {"accounts": [{"name": "other", "webhooks": [{"url": "http://127.0.0.1:9/h", "events": ["delivered"]}]}]},
        {"dns": {"shop.test": {"brevo_code": "ok"}}},
    ),
    "POST /_mock/snapshots": ({"name": "before"}, {}),
    "POST /_mock/keys/revoke": ({"key": "xkeysib-gone"},),
    "PUT /_mock/clock": ({"frozen": True}, {"frozen": False}, {"now": "2026-06-01T00:00:00Z"}),
    "POST /_mock/clock/advance": ({"by": "PT15M"}, {"seconds": 900}, {"to": "next"}),
    "PUT /_mock/dns/{domain}": (
        {"brevo_code": "ok", "dkim_record": "ok", "dmarc_record": "ok"},
        {"dkim_record": "wrong"},
    ),
    "POST /_mock/faults": (
        {"fault": "otp_expired", "match": {"operation": "validateSenderByOtp", "path": {"senderId": 2}}, "times": 1},
        {"fault": "error", "code": "not_enough_credits", "match": {"operation": "updateSubAccountPlan"}},
        {"fault": "latency", "ms": 1, "times": 2},
        {"fault": "latency", "distribution": {"type": "lognormal", "median_ms": 1, "sigma": 0.4}, "probability": 0.5},
        {"fault": "rate_limited", "after": 10, "reset_s": 30, "ttl_s": 60},
        {"fault": "lost_answer", "match": {"json": {"name": "B"}, "headers": {"x": "y"}, "query": {"limit": "1"}}},
    ),
    "PUT /_mock/faults": ({"items": [{"fault": "truncated_body", "match": {"path": "/v3/senders*"}, "times": 1}]},),
    "POST /_mock/requests/verify": (
        {"match": {"operation": "createSender", "json": {"name": "B"}}, "count": {"at_least": 0}},
        {"match": {"status": 400, "method": "POST", "path": "/v3/*"}, "count": 1},
    ),
    "POST /_mock/trigger": (
        {"event": "hardBounce", "to": "bob@example.test", "payload": {"tag": "x", "deep": {"list": [1, 2.5, None]}}},
        {"type": "marketing", "event": "listAddition"},
        {"type": "inbound", "event": "inboundEmailProcessed", "to": "reply@in.acme.test"},
        {"story": "bounced"},
    ),
    "POST /_mock/inbound": (
        {"sender": "bob@example.test", "recipient": "reply@in.acme.test", "subject": "Hi", "text": "Hello\n> quoted\n"},
    ),
    "PUT /_mock/receivers/{name}": ({"status": 503, "times": 2}, {"delay_ms": 1}),
    "POST /_mock/receiver/{name}": ({"event": "delivered", "id": 1}, [1, {"a": "b"}]),
    "PUT /_mock/receiver/{name}": ({"event": "delivered"},),
    "PATCH /_mock/receiver/{name}": ({"event": "delivered"},),
    "POST /_mock/oauth/apps": (
        {
            "client_id": "crm", "name": "CRM", "redirect_uris": ["http://127.0.0.1:5000/callback"],
            "scopes": ["crm:read"],
        },
    ),
    "PUT /_mock/oauth/apps/{client_id}": ({"name": "CRM 2", "scopes": ["account:read", "contacts:read"]},),
    **STUBS,
}  # fmt: skip
#: Queries of the calls of the control API that take one.
QUERIES = (
    ("limit", "3"), ("offset", "1"), ("status", "400"), ("operation", "createSender"), ("format", "text"),
    ("workspace", "*"), ("to", "jo@acme.test"), ("kind", "mail"), ("wait", "0"), ("state", "delivered"),
    ("webhook", "1"),
)  # fmt: skip
_APP = {
    "client_id": "0123456789abcdef0123456789abcdef",
    "client_secret": "s3cret-of-the-crm-sync",
    "redirect_uri": "http://127.0.0.1:5000/callback",
}
_OAUTH = "/realms/partner/oauth"


@cache
def drafts():
    """All of them; copy one before it is changed."""
    return (*_of_the_contract(), *_of_the_control_api(), *_of_scenarios(), *_of_oauth(), *_of_pages(), *of_libraries())


def _of_the_contract():
    for case in cases():
        operation = API_OPERATIONS[case.operation]
        path = operation.path
        for name, value in case.request.get("path", {}).items():
            path = path.replace(f"{{{name}}}", str(value))
        query = [(name, str(value)) for name, value in case.request.get("query", {}).items()]
        headers = {name: str(value) for name, value in case.request.get("headers", {}).items() if value is not None}
        yield Draft(operation.method, path, query, headers, deepcopy(case.request.get("json")))
        for step in case.steps:
            if "query" not in step:
                yield Draft(step["method"], str(step["path"]), [], {}, deepcopy(step.get("json")))


def _of_the_control_api():
    for resource in CONTROL_API.resources:
        for call in resource.calls:
            name = f"{call.method} {call.path}"
            for body in BODIES.get(name, (None,)):
                yield Draft(call.method, call.path, list(QUERIES[:2]) if call.query else [], {}, body)
                if body is not None:
                    yield Draft(call.method, call.path, [], {}, body, YAML)


def _of_scenarios():
    for file in sorted(data_folder("scenarios").glob("*.yaml")):
        if file.stem != "large":
            document = _jsonable(yaml.safe_load(file.read_text(encoding="utf-8")))
            for media in (JSON, YAML):
                yield Draft("PUT", "/_mock/state", [], {}, document, media)
                yield Draft("POST", "/_mock/workspaces", [], {}, {"scenario": document}, media)


def _jsonable(value):
    """The same without what JSON has not: moments as text."""
    if isinstance(value, dict):
        return {str(name): _jsonable(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_jsonable(inner) for inner in value]
    return value.isoformat().replace("+00:00", "Z") if isinstance(value, date) else value


def _of_oauth():
    ask = {**_APP, "response_type": "code", "scope": "account:read", "state": "xyz", "mock_user": "owner@acme.test"}
    ask.pop("client_secret")
    yield Draft("GET", f"{_OAUTH}/authorize", [*ask.items(), ("mock_consent", "allow")])
    yield Draft("GET", f"{_OAUTH}/authorize", list(ask.items()))
    yield Draft("POST", f"{_OAUTH}/authorize", list(ask.items()), {}, {"email": "owner@acme.test", "csrf": "x"}, FORM)
    yield Draft("POST", f"{_OAUTH}/consent", [], {}, {"grant": "1", "decision": "allow", "csrf": "x"}, FORM)
    for form in (
        {"grant_type": "authorization_code", "code": "x", **_APP},
        {"grant_type": "refresh_token", "refresh_token": "x", **_APP},
        {"grant_type": "client_credentials", **_APP, "scope": "account:read"},
    ):
        yield Draft("POST", f"{_OAUTH}/token", [], {}, form, FORM)
    for name in ("revoke", "introspect"):
        yield Draft("POST", f"{_OAUTH}/{name}", [], {}, {"token": "x", **_APP}, FORM)
    yield Draft("GET", f"{_OAUTH}/userinfo", [], {"Authorization": "Bearer x"})


def _of_pages():
    for operation in ALL_OPERATIONS.values():
        if operation.method == "GET":
            yield Draft("GET", operation.path)
    yield Draft("GET", "/")
    yield Draft("GET", "/favicon.ico")
    yield Draft(
        "OPTIONS", "/v3/senders", [], {"Origin": "http://localhost:3000", "Access-Control-Request-Method": "POST"}
    )
