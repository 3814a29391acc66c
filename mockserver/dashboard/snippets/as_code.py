"""An exchange as code: with the keys, the scenario and the faults of its workspace.

That takes long where bodies are large, so the workspace's lock is held for single look-ups only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pprint import pformat
from types import MappingProxyType
from typing import Any, NamedTuple

from mockserver.core.traffic.exchange import Exchange, read_json
from mockserver.core.workspaces.workspace import Workspace
from mockserver.dashboard.snippets import shell
from mockserver.dashboard.snippets.sent import NOBODY, Sent, json_of, of_exchange
from mockserver.scenario.rules.faults import HEADER_ID
from mockserver.views import redaction

#: The methods for which the library has functions.
_METHODS = ("GET", "OPTIONS", "HEAD", "POST", "PUT", "PATCH", "DELETE")
#: The longest body that is written as a value, in bytes; putting it into lines takes long.
_LONGEST_VALUE = 16 * 1024
#: How long the lines of a value are.
_WIDTH = 88
#: How much of a reason stands in a test.
_LONGEST_REASON = 200


class Code(str):
    """An expression, which is written as it stands."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class Outcome(NamedTuple):
    """What a test says of an answer."""

    #: None: the client got no answer.
    status: int | None
    #: The code of the error, where the answer has one.
    code: str | None
    reason: str | None


class Preparation(NamedTuple):
    """What a test needs around its request."""

    #: The arguments of the marker: the scenario, the seed.
    marker: Mapping[str, Any]
    #: The rule that hit the request, as it is written, or None.
    fault: Mapping[str, Any] | None
    #: What is to be said before the request.
    notes: Sequence[str] = ()


def call(sent: Sent, root: str, key: str | None, *, follows: bool = True) -> str:
    """A program that sends a request to the server at `root` with a key; it prints the answer."""
    lines = _call(sent, repr(f"{root}{sent.target}"), repr(key or NOBODY), json_of(sent), follows=follows)
    trusting = ["# REQUESTS_CA_BUNDLE names what `mockserver ca` prints"] if root.startswith("https:") else []
    return "\n".join(
        ["import requests", "", *trusting, *_assigned(lines), "print(answer.status_code, answer.text)", ""]
    )


def whole_test(sent: Sent, operation: str | None, preparation: Preparation, outcome: Outcome) -> str:
    """A test with the plugin's workspace, which sends a request and expects the same answer."""
    value = json_of(sent)
    if sent.is_redacted and isinstance(value, dict) and value.get("otp") == "***":
        value = {**value, "otp": Code("mockserver.mailbox.latest().otp")}
    url, path = "mockserver.url", sent.target
    if path.startswith("/v3/"):
        path = path.removeprefix("/v3")
    else:
        url += ".removesuffix('/v3')"
    key = repr(NOBODY) if sent.account is None else f"mockserver.key({sent.account!r})"
    lines = _call(sent, f"{url} + {path!r}", key, value, follows=not _is_redirect(outcome.status))
    needs_pytest = outcome.status is None or bool(preparation.marker)
    body = [*_before(preparation, outcome), *_expecting(lines, outcome)]
    marker = ", ".join(f"{name}={value!r}" for name, value in preparation.marker.items())
    return "\n".join(
        [
            *(["import pytest"] if needs_pytest else []),
            "import requests",
            "",
            "",
            *([f"@pytest.mark.mockserver({marker})"] if marker else []),
            f"def {_name(sent, operation, outcome)}(mockserver):",
            *(f"    {line}" for line in body),
            "",
        ]
    )


def _is_redirect(status: int | None) -> bool:
    return status is not None and 300 <= status < 400


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
    """A text as one line that can be read, and cannot end the comment."""
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


# ---------------------------------------------------------------------- the call


def _call(sent: Sent, url: str, key: str, value: Any, *, follows: bool) -> list[str]:
    """The lines of a call; `url` and `key` are expressions."""
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
    # The library takes bytes as they are; in a text it takes some characters for blanks.
    return repr(value) if value.isascii() else repr(value.encode("latin-1", "replace"))


def _body(sent: Sent, value: Any) -> list[str]:
    if not sent.body:
        return []
    if not isinstance(value, (dict, list)) or len(sent.body) > _LONGEST_VALUE:
        return [f"    data={sent.body!r},"]
    written = pformat(value, width=_WIDTH, sort_dicts=False)
    return [f"    json={written},".replace("\n", f"\n{' ' * 9}")]


#: The members of a fault that say how often it hits: in a test it hits the one request.
_WHEN = frozenset({"times", "after", "probability", "ttl_s"})
#: The longest code that stands on the page of a request, in characters; a longer one has an address of its own.
_LONGEST = 6_000


class Snippet(NamedTuple):
    """One way to send a request again."""

    name: str
    title: str
    text: str

    @property
    def is_long(self) -> bool:
        """Whether it is too long for the page of the request."""
        return len(self.text) > _LONGEST


#: What the snippets are called, by what they have in an address.
TITLES: Mapping[str, str] = MappingProxyType({"curl": "As curl", "python": "As Python", "pytest": "As pytest"})


def snippets(workspace: Workspace, exchange: Exchange, root: str) -> list[Snippet]:
    """All snippets of an exchange, for the server at `root`."""
    sent = of_exchange(exchange)
    return [Snippet(name, title, _text(name, sent, workspace, exchange, root)) for name, title in TITLES.items()]


def text(name: str, workspace: Workspace, exchange: Exchange, root: str) -> str:
    """The text of one snippet of an exchange, by its name, for the server at `root`."""
    return _text(name, of_exchange(exchange), workspace, exchange, root)


def _text(name: str, sent: Sent, workspace: Workspace, exchange: Exchange, root: str) -> str:
    if name == "pytest":
        preparation = _preparation(workspace, exchange, sent)
        return whole_test(sent, exchange.operation, preparation, _outcome(exchange))
    key = _key(workspace, sent)
    if name == "curl":
        return shell.curl(sent, root, key)
    return call(sent, root, key, follows=not 300 <= (exchange.status or 0) < 400)


def _key(workspace: Workspace, sent: Sent) -> str | None:
    """The workspace's own key for the account that was called, or None for a caller whom the service does not know."""
    with workspace.lock:
        account = None if sent.account is None else workspace.state.account_named(sent.account)
        return None if account is None else next(iter(account.api_keys), None)


def _preparation(workspace: Workspace, exchange: Exchange, sent: Sent) -> Preparation:
    origin = workspace.origin
    is_named = isinstance(origin.scenario, str) and origin.scenario
    marker: dict[str, Any] = {"scenario": origin.scenario} if is_named else {}
    if origin.seed is not None:
        marker["seed"] = origin.seed
    notes = []
    if not marker.get("scenario"):
        notes.append("The workspace was made of a document: give it to the marker as scenario=...")
    if sent.is_redacted:
        notes.append("The journal keeps no secrets: what is *** here was one.")
    fault = _fault(workspace, exchange)
    if exchange.fault is not None and fault is None and exchange.fault != HEADER_ID:
        notes.append("The fault that hit this request is gone.")
    return Preparation(marker, fault, notes)


def _fault(workspace: Workspace, exchange: Exchange) -> Mapping[str, Any] | None:
    """The rule that hit a request, as it is written, to hit whenever it matches."""
    rule = None if exchange.fault is None else workspace.state.faults.get(exchange.fault)
    if rule is None:
        return None
    return {"fault": rule.kind, **{name: v for name, v in rule.written.items() if name not in _WHEN | {"fault"}}}


def _outcome(exchange: Exchange) -> Outcome:
    body = read_json(exchange.answer_body) if exchange.code is not None else None
    code = body.get("code") if isinstance(body, dict) else None
    reason = exchange.reason and redaction.plain(exchange.reason)
    return Outcome(exchange.status, code if isinstance(code, str) else None, reason)
