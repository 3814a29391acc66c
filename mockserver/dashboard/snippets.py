"""A request of the journal as code: a command of curl, a JavaScript module, or a test."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from pprint import pformat
from typing import Any, NamedTuple

from mockserver.core.traffic.exchange import Exchange, read_json
from mockserver.core.workspaces.workspace import Workspace
from mockserver.dashboard.curl import NOBODY, Sent, curl_of, json_of, of_exchange
from mockserver.dashboard.earlier import CODE_HELPER, HELPERS, earlier, earlier_steps, with_code
from mockserver.dashboard.programs import fetch_of
from mockserver.scenario.faults import HEADER_ID
from mockserver.views import redaction

#: Methods with a function in `requests`.
_METHODS = ("GET", "OPTIONS", "HEAD", "POST", "PUT", "PATCH", "DELETE")
#: The longest body to write as a Python value, in bytes, as formatting takes long.
_LONGEST_VALUE = 16 * 1024
#: The width of a formatted value.
_WIDTH = 88
#: The longest reason in a test, in characters.
_LONGEST_REASON = 200


class Outcome(NamedTuple):
    """The answer that a test expects."""

    #: The status, or None if the client got no answer.
    status: int | None
    #: The error code, or None.
    code: str | None
    reason: str | None


class Preparation(NamedTuple):
    """Marker, fault and notes of a test."""

    #: The arguments of the marker: scenario and seed.
    marker: Mapping[str, Any]
    #: The fault rule of the request, or None.
    fault: Mapping[str, Any] | None
    #: Comments before the request.
    notes: Sequence[str] = ()
    #: The parsed body, with expressions in place of one-time codes; None for other bodies.
    value: Any = None
    #: Lines that repeat earlier requests and control calls.
    earlier: Sequence[str] = ()


def whole_test(sent: Sent, operation: str | None, preparation: Preparation, outcome: Outcome) -> str:
    """Write a test that sends a request to the plugin's workspace and asserts the same answer."""
    value = json_of(sent) if preparation.value is None else preparation.value
    url, path = "mockserver.url", sent.target
    if path.startswith("/v3/"):
        path = path.removeprefix("/v3")
    else:
        url += ".removesuffix('/v3')"
    is_nobodys = sent.account is None or outcome.status == HTTPStatus.UNAUTHORIZED
    key = repr(NOBODY) if is_nobodys else f"mockserver.key({sent.account!r})"
    lines = _call(sent, f"{url} + {path!r}", key, value, follows=not 300 <= (outcome.status or 0) < 400)
    needs_pytest = outcome.status is None or bool(preparation.marker)
    revoked = sent.has_key and outcome.status == HTTPStatus.UNAUTHORIZED
    # A revoked key is refused whatever a server does with unknown keys.
    first = [*preparation.earlier, *([f"mockserver.revoke_key({NOBODY!r})"] if revoked else [])]
    body = [*first, *_before(preparation, outcome), *_expecting(lines, outcome)]
    marker = ", ".join(f"{name}={value!r}" for name, value in preparation.marker.items())
    return "\n".join(
        [
            *(["import pytest"] if needs_pytest else []),
            "import requests",
            "",
            "",
            *([f"@pytest.mark.mockserver({marker})"] if marker else []),
            f"def {_name(sent, operation, outcome)}(mockserver{', mockserver_server' if preparation.earlier else ''}):",
            *(HELPERS if preparation.earlier else ()),
            *(CODE_HELPER if any("code(" in line for line in body) else ()),
            *(f"    {line}" for line in body),
            "",
        ]
    )


def _before(preparation: Preparation, outcome: Outcome) -> list[str]:
    found = [f"# {note}" for note in preparation.notes]
    if outcome.reason:
        found.append(f"# {_comment(outcome.reason)}")
    if preparation.fault is not None:
        name, *rest = preparation.fault.items()
        arguments = "".join(f", {member}={value!r}" for member, value in rest)
        found.append(f"mockserver.faults.add({name[1]!r}{arguments})")
    return found


def _comment(text: str) -> str:
    found = "".join(sign if sign.isprintable() else " " for sign in text[: _LONGEST_REASON + 1])
    return found if len(found) <= _LONGEST_REASON else f"{found[:_LONGEST_REASON]}…"


def _expecting(lines: Sequence[str], outcome: Outcome) -> list[str]:
    if outcome.status is None:
        return ["with pytest.raises(requests.RequestException):", *(f"    {line}" for line in lines)]
    found = [*_assigned(lines), f"assert answer.status_code == {outcome.status}"]
    if outcome.code is not None:
        found.append(f"assert answer.json()['code'] == {outcome.code!r}")
    return found


def _assigned(lines: Sequence[str]) -> list[str]:
    return [f"answer = {lines[0]}", *lines[1:]]


def _name(sent: Sent, operation: str | None, outcome: Outcome) -> str:
    name = "".join(
        f"_{sign.lower()}" if sign.isupper() else sign for sign in operation or f"{sent.method.lower()}Somewhere"
    )
    status = outcome.status
    ending = "gets_no_answer" if status is None else "is_refused" if status >= 400 else "is_answered"
    return "test_" + "".join(sign if sign.isascii() and sign.isalnum() else "_" for sign in f"{name}_{ending}")


def _call(sent: Sent, url: str, key: str, value: Any, *, follows: bool) -> list[str]:
    """Write the lines of a call. `url` and `key` are expressions."""
    is_known = sent.method in _METHODS
    lines = [f"requests.{sent.method.lower()}(" if is_known else "requests.request("]
    if not is_known:
        lines.append(f"    {sent.method!r},")
    lines.append(f"    {url},")
    lines += _headers(sent, key)
    lines += _body(sent, value)
    if not follows:
        lines.append("    allow_redirects=False,")
    return [*lines, "    timeout=10,", ")"]


def _headers(sent: Sent, key: str) -> list[str]:
    rows = [f"'api-key': {key}"] if sent.has_key else []
    rows += [f"{name!r}: {_header(value)}" for name, value in sent.headers.items()]
    if len(rows) == 1:
        return [f"    headers={{{rows[0]}}},"]
    return ["    headers={", *(f"        {row}," for row in rows), "    },"] if rows else []


def _header(value: str) -> str:
    # `requests` sends bytes unchanged, but strips some characters of a text.
    return repr(value) if value.isascii() else repr(value.encode("latin-1", "replace"))


def _body(sent: Sent, value: Any) -> list[str]:
    if not sent.body:
        return []
    if not isinstance(value, (dict, list)) or len(sent.body) > _LONGEST_VALUE:
        return [f"    data={sent.body!r},"]
    written = pformat(value, width=_WIDTH, sort_dicts=False)
    return [f"    json={written},".replace("\n", f"\n{' ' * 9}")]


#: Members of a fault rule that limit its hits. In a test the rule hits the only request.
_WHEN = frozenset({"times", "after", "probability", "ttl_s"})
#: The longest code on the page of a request, in characters. Longer code has a separate address.
_LONGEST = 6_000
#: The most earlier requests and calls of a test on the page of a request.
_MOST_STEPS = 25


class Snippet(NamedTuple):
    """A request as code in one language."""

    name: str
    title: str
    text: str

    @property
    def is_long(self) -> bool:
        """Whether a request's page has a link in place of the text, which is empty if it takes long to write."""
        return not self.text or len(self.text) > _LONGEST


#: The titles of the snippets by their names in addresses.
TITLES: Mapping[str, str] = {"curl": "As curl", "pytest": "As pytest", "fetch": "As fetch"}


def snippets(workspace: Workspace, exchange: Exchange, root: str) -> list[Snippet]:
    """Return all snippets of an exchange for the server at `root`."""
    is_slow = len(earlier_steps(workspace, exchange)) > _MOST_STEPS
    return [
        Snippet(name, title, "" if is_slow and name == "pytest" else text(name, workspace, exchange, root))
        for name, title in TITLES.items()
    ]


def text(name: str, workspace: Workspace, exchange: Exchange, root: str) -> str:
    """Return one snippet of an exchange for the server at `root`."""
    sent = of_exchange(exchange)
    if name == "pytest":
        return whole_test(sent, exchange.operation, _preparation(workspace, exchange, sent), _outcome(exchange))
    key = _key(workspace, sent)
    if name == "curl":
        return curl_of(sent, root, key)
    return fetch_of(sent, root, key, follows=not 300 <= (exchange.status or 0) < 400)


def _key(workspace: Workspace, sent: Sent) -> str | None:
    """Return an API key for the called account, or None for unknown callers."""
    account = None if sent.account is None else workspace.state.account_named(sent.account)
    return None if account is None else next(iter(account.api_keys), None)


def _preparation(workspace: Workspace, exchange: Exchange, sent: Sent) -> Preparation:
    origin = workspace.origin
    is_named = isinstance(origin.scenario, str) and origin.scenario
    marker: dict[str, Any] = {"scenario": origin.scenario} if is_named else _document(origin.scenario)
    if origin.seed is not None:
        marker["seed"] = origin.seed
    notes = []
    if not marker.get("scenario"):
        notes.append("The workspace was made of a document with secrets: give it to the marker as scenario=...")
    if sent.is_redacted:
        notes.append("The journal keeps no secrets: what is *** here was one.")
    fault, rule = None, None if exchange.fault is None else workspace.state.faults.get(exchange.fault)
    if rule is not None:  # as written, but it hits the request of the test
        written = {name: value for name, value in rule.written.items() if name not in _WHEN | {"fault"}}
        fault = {"fault": rule.kind, **written}
    elif exchange.fault not in (None, HEADER_ID) and exchange.fault_kind is not None:
        fault = {"fault": exchange.fault_kind}
        notes.append("The rule of the fault is gone; this one has the defaults of its kind.")
    before = earlier(workspace, exchange)
    notes += before.notes
    if any(name == "authorization" for name, _ in exchange.headers):
        notes.append("An access token was sent, and the test sends an API key.")
    return Preparation(marker, fault, notes, with_code(exchange, json_of(sent)), before.lines)


def _document(scenario: object) -> dict[str, Any]:
    """Return a short scenario document without secrets as an argument of the marker."""
    if not isinstance(scenario, Mapping):
        return {}
    raw = json.dumps(scenario, default=str)
    is_open = len(raw) <= _LONGEST_VALUE and not any(redaction.secrets_of(scenario))
    return {"scenario": json.loads(raw)} if is_open else {}


def _outcome(exchange: Exchange) -> Outcome:
    body = read_json(exchange.answer_body) if exchange.code is not None else None
    code = body.get("code") if isinstance(body, dict) else None
    reason = exchange.reason and redaction.plain(exchange.reason)
    return Outcome(exchange.status, code if isinstance(code, str) else None, reason)
