"""The good requests that a run starts from: the contract's own exchanges, and a call of every kind beside them."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from datetime import date
from functools import cache
from typing import Any

import yaml
from fuzz.drafts import FORM, JSON, YAML, Draft
from fuzz.library_requests import STUBS, of_libraries

from mockserver.app.control_api import CONTROL_API
from mockserver.evidence.fixture import cases
from mockserver.resources.registry import ALL_OPERATIONS, API_OPERATIONS, LIFECYCLES
from mockserver.settings import data_folder

#: What stands for the parts of a path, where no case says otherwise.
PARTS: dict[str, tuple[str, ...]] = {
    "name": ("default", "w1", "w2", "before", "shop", "standard", "nothing"),
    "machine": tuple(LIFECYCLES),
    "key": ("1", "2", "21", "acme.test", "2003001", "814200"),
    "event": ("verify", "expire_otp", "resend_otp", "authenticate", "dns_broken", "cancel", "redeliver", "assign"),
    "domain": ("acme.test", "shop.test", "sub.acme.test", "münchen.test"),
    "identifier": ("1", "2", "fault-1", "slow", "report"),
    "client_id": ("0123456789abcdef0123456789abcdef", "fedcba9876543210fedcba9876543210", "crm"),
    "senderId": ("1", "2", "3", "999"),
    "webhookId": ("814200", "1", "999"),
    "campaignId": ("11", "12", "999"),
    "id": ("2003001", "2003002", "1"),
    "domainName": ("acme.test", "shop.test", "none.test"),
    "share": ("nothing",),
    "token": ("6a3c5e0b9d8f7a1c2e4b6d8f0a1c3e5b7d",),
    "attributeCategory": ("normal", "transactional"),
    "attributeName": ("FIRSTNAME", "ORDER_ID"),
}
SMALL = {
    "description": "A small workspace.",
    "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True},
    "accounts": [
        {"name": "acme", "api_keys": ["xkeysib-acme"], "senders": [{"id": 1, "name": "A", "email": "a@a.test"}]}
    ],
}
#: Bodies of calls whose schema alone does not tell a good one.
BODIES: dict[str, tuple[Any, ...]] = {
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
            "client_id": "crm",
            "name": "CRM",
            "redirect_uris": ["http://127.0.0.1:5000/callback"],
            "scopes": ["crm:read"],
        },
    ),
    "PUT /_mock/oauth/apps/{client_id}": ({"name": "CRM 2", "scopes": ["account:read", "contacts:read"]},),
    **STUBS,
}
#: Queries of the calls of the control API that take one.
QUERIES: tuple[tuple[str, str], ...] = (
    ("limit", "3"),
    ("offset", "1"),
    ("status", "400"),
    ("operation", "createSender"),
    ("format", "text"),
    ("workspace", "*"),
    ("to", "jo@acme.test"),
    ("kind", "mail"),
    ("wait", "0"),
    ("state", "delivered"),
    ("webhook", "1"),
)
_APP = {
    "client_id": "0123456789abcdef0123456789abcdef",
    "client_secret": "s3cret-of-the-crm-sync",
    "redirect_uri": "http://127.0.0.1:5000/callback",
}
_OAUTH = "/realms/partner/oauth"


@cache
def drafts() -> tuple[Draft, ...]:
    """All of them; copy one before it is changed."""
    return (*_of_the_contract(), *_of_the_control_api(), *_of_scenarios(), *_of_oauth(), *_of_pages(), *of_libraries())


def _of_the_contract() -> Iterator[Draft]:
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


def _of_the_control_api() -> Iterator[Draft]:
    for resource in CONTROL_API.resources:
        for call in resource.calls:
            name = f"{call.method} {call.path}"
            for body in BODIES.get(name, (None,)):
                yield Draft(call.method, call.path, list(QUERIES[:2]) if call.query else [], {}, body)
                if body is not None:
                    yield Draft(call.method, call.path, [], {}, body, YAML)


def _of_scenarios() -> Iterator[Draft]:
    for file in sorted(data_folder("scenarios").glob("*.yaml")):
        if file.stem != "large":
            document = _jsonable(yaml.safe_load(file.read_text(encoding="utf-8")))
            for media in (JSON, YAML):
                yield Draft("PUT", "/_mock/state", [], {}, document, media)
                yield Draft("POST", "/_mock/workspaces", [], {}, {"scenario": document}, media)


def _jsonable(value: Any) -> Any:
    """The same without what JSON has not: moments as text."""
    if isinstance(value, dict):
        return {str(name): _jsonable(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_jsonable(inner) for inner in value]
    return value.isoformat().replace("+00:00", "Z") if isinstance(value, date) else value


def _of_oauth() -> Iterator[Draft]:
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


def _of_pages() -> Iterator[Draft]:
    for operation in ALL_OPERATIONS.values():
        if operation.method == "GET":
            yield Draft("GET", operation.path)
    yield Draft("GET", "/")
    yield Draft("GET", "/favicon.ico")
    yield Draft(
        "OPTIONS", "/v3/senders", [], {"Origin": "http://localhost:3000", "Access-Control-Request-Method": "POST"}
    )
