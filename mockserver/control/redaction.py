"""Exchanges as they are shown: with the values of secrets taken out."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import parse_qsl

from mockserver.core.events import Changed
from mockserver.core.exchange import Exchange, Header, read_json

#: What stands for the value of a secret.
REDACTED = "***"
#: Names of headers and of members whose values are secrets.
_HEADERS = frozenset({"api-key", "authorization", "cookie", "set-cookie", "proxy-authorization", "x-api-key"})
_MEMBERS = frozenset(
    {
        "otp", "token", "key", "api_key", "apikey", "password", "secret", "client_secret", "access_token",
        "refresh_token", "id_token", "code_verifier", "authorization",
    }
)  # fmt: skip
_IN_TEXT = re.compile(
    rf"""(["']?\b(?:{"|".join(sorted(_MEMBERS))})["']?\s*[:=]\s*)("[^"]*"?|'[^']*'?|[^\s,&}}\]]+)""", re.IGNORECASE
)
_CREDENTIALS = re.compile(r"(?<=://)[^/?#@\s]*@")


def described(exchange: Exchange) -> dict[str, Any]:
    """An exchange as the journal shows it."""
    return {
        "id": exchange.id,
        "at": exchange.at,
        "operation": exchange.operation,
        "method": exchange.method,
        "path": exchange.path,
        "query": _query(exchange.query),
        "account": exchange.account,
        "request": {"headers": _headers(exchange.headers), "body": body(exchange.body)},
        "status": exchange.status,
        "answer": _answer(exchange),
        "fault": exchange.fault,
        "transitions": [transition(change) for change in exchange.transitions],
        "warnings": list(exchange.warnings),
        "reason": exchange.reason,
        "ms": round(exchange.ms, 3),
    }


def _answer(exchange: Exchange) -> dict[str, Any] | None:
    if exchange.status is None:
        return None
    return {"headers": _headers(exchange.answer_headers), "body": body(exchange.answer_body)}


def transition(change: Changed) -> dict[str, Any]:
    """What has happened to an instance of a state machine."""
    return {
        "at": change.at,
        "machine": change.machine,
        "key": change.key,
        "event": change.event,
        "from": change.source,
        "to": change.target,
    }


def body(raw: bytes) -> Any:
    """The value of a JSON body, the text of another one; None if there is none."""
    if not raw:
        return None
    value = read_json(raw)
    return _clean(value) if value is not None else _IN_TEXT.sub(rf"\1{REDACTED}", _plain(raw.decode(errors="replace")))


def _clean(value: Any) -> Any:
    if isinstance(value, dict):
        if value.keys() == {"key", "value"}:
            # A webhook's own header: what is named there is no key, what it holds may well be one.
            return {"key": value["key"], "value": REDACTED}
        return {name: _member(name, inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_clean(inner) for inner in value]
    return _plain(value) if isinstance(value, str) else value


def _member(name: str, value: Any) -> Any:
    secret = name.lower() in _MEMBERS and isinstance(value, (str, int, float)) and not isinstance(value, bool)
    return REDACTED if secret else _clean(value)


def _plain(text: str) -> str:
    """A text without the credentials of the addresses in it."""
    return _CREDENTIALS.sub(f"{REDACTED}@", text)


def _headers(headers: Iterable[Header]) -> dict[str, str]:
    return {name: REDACTED if name.lower() in _HEADERS else _plain(value) for name, value in headers}


def _query(query: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in parse_qsl(query, keep_blank_values=True, errors="replace"):
        shown = REDACTED if name.lower() in _MEMBERS else _plain(value)
        found[name] = shown if name not in found else [*_listed(found[name]), shown]
    return found


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
