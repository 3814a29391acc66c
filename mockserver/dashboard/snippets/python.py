"""Requests as Python: a call of the library `requests`, alone or as a whole test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pprint import pformat
from typing import Any, NamedTuple

from mockserver.dashboard.snippets.sent import NOBODY, Sent, json_of

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
