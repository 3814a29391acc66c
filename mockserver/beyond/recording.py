"""Stubs recorded from forwarded exchanges of the control API."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from marshmallow import ValidationError

from mockserver.beyond.catalogue import catalogue
from mockserver.beyond.forward import is_bad_gateway
from mockserver.beyond.replacements import Replacements
from mockserver.beyond.stubs.schema import StubItem
from mockserver.web.schemas.errors import messages_in
from mockserver.web.service.beyond import Answered

#: What the control API shows instead of a secret.
_REDACTED = "***"
#: The most recorded answers per call, as many as a stub may have.
MOST_ANSWERS = 100
#: The replacement of invalid UTF-8.
_NO_TEXT = "\N{REPLACEMENT CHARACTER}"
#: What begins an expression, a statement or a comment within a text.
_SIGNS = re.compile(r"\{[{%#]")
#: The same, any brace that could start an expression with the next character, and carriage returns, which Jinja drops.
_QUOTED = re.compile(r"\{+[%#]?|\r")
#: Headers of an answer that the mock writes itself, as their names begin, in lower case.
_OF_THE_MOCK = (
    "x-mock-", "x-sib-ratelimit-", "access-control-", "content-length", "content-security-policy", "sib-request-id",
    "date",
)  # fmt: skip
_JSON = "application/json"


class LeftOut(NamedTuple):
    exchange: str
    reason: str


@dataclass
class Recording:
    """Recorded stubs, the number of exchanges, skipped exchanges, and the number of replaced values by kind."""

    stubs: list[dict[str, Any]]
    exchanges: int = 0
    left_out: list[LeftOut] = field(default_factory=list)
    replaced: Mapping[str, int] = field(default_factory=dict)

    @property
    def scenario(self) -> dict[str, Any]:
        return {"description": "Stubs made of what another server has answered.", "stubs": self.stubs}


class _Call(NamedTuple):
    method: str
    path: str
    #: The parameters of the query, each with a text or several.
    query: tuple[tuple[str, str | tuple[str, ...]], ...]

    @property
    def stub(self) -> dict[str, Any]:
        query = {name: value if isinstance(value, str) else list(value) for name, value in self.query}
        return {"method": self.method, "path": self.path, **({"match": {"query": query}} if query else {})}


def recorded(entries: Iterable[Mapping[str, Any]]) -> Recording:
    """Return stubs that repeat the peer's answers to forwarded exchanges of a journal, oldest first.

    Several answers to the same method, path and query become a sequence; request bodies are ignored. A replaced
    value in a path becomes a parameter, and a query parameter with a replaced value is ignored.
    """
    replacements, found = Replacements(), Recording([])
    answers: dict[_Call, list[dict[str, Any]]] = {}
    for entry in entries:
        if entry.get("beyond") != Answered.FORWARDED:
            continue
        try:
            call, params = _call(entry, replacements)
            answer = _answer(entry, replacements, params)
            answers.setdefault(call, []).append(answer)
            found.exchanges += 1
        except _UnusableError as error:
            found.left_out.append(LeftOut(f"{entry['method']} {entry['path']}", str(error)))
    for call, rows in sorted(answers.items(), key=lambda row: -len(row[0].query)):
        _add(found, call, rows)
    found.replaced = replacements.counts
    return found


def _add(found: Recording, call: _Call, answers: Sequence[dict[str, Any]]) -> None:
    first, *others = answers[:MOST_ANSWERS]
    is_same = all(other == first for other in others)
    stub = {**call.stub, **({"answer": first} if is_same else {"answers": [first, *others]})}
    try:
        StubItem().load(stub)
    except ValidationError as error:
        found.exchanges -= len(answers)
        _, message = next(messages_in(error.messages))
        found.left_out.append(LeftOut(f"{call.method} {call.path}", message))
    else:
        found.stubs.append(stub)
        if len(answers) > MOST_ANSWERS:
            reason = f"a stub has {MOST_ANSWERS} answers at most; these are the first of {len(answers):,}"
            found.left_out.append(LeftOut(f"{call.method} {call.path}", reason))


class _UnusableError(Exception):
    """The reason for skipping an exchange."""


#: The names of a path's parameters by the replacements of their values.
_Params = Mapping[str, str]


def _call(entry: Mapping[str, Any], replacements: Replacements) -> tuple[_Call, _Params]:
    method = "GET" if entry["method"] == "HEAD" else entry["method"]
    segments = entry["path"].split("/")
    operation = catalogue().get(entry["operation"] or "")
    names = segments if operation is None else operation.path.split("/")
    if len(names) != len(segments):
        raise _UnusableError("a part of its path has an encoded slash")
    params = {}
    for at, (segment, name) in enumerate(zip(segments, names, strict=True)):
        replaced = replacements.text(segment)
        if replaced != segment:
            params[replaced] = _name(name, at)
        if replaced != segment or _REDACTED in segment:
            segments[at] = f"{{{_name(name, at)}}}"
    return _Call(method, "/".join(segments), tuple(sorted(_query(entry["query"], replacements)))), params


def _name(segment: str, at: int) -> str:
    name = segment[1:-1]
    return name if segment.startswith("{") and name.isidentifier() else f"part{at}"


def _query(shown: Mapping[str, Any], replacements: Replacements) -> Iterator[tuple[str, str | tuple[str, ...]]]:
    for name, value in shown.items():
        texts = tuple(value) if isinstance(value, list) else (value,)
        if _REDACTED not in texts and tuple(map(replacements.text, texts)) == texts:
            yield name, texts if len(texts) > 1 else texts[0]


def _answer(entry: Mapping[str, Any], replacements: Replacements, params: _Params) -> dict[str, Any]:
    _check_usable(entry)
    answer = entry["answer"]
    try:
        body = _quoted(replacements.value(answer["body"]), params)
    except RecursionError:
        raise _UnusableError("its answer is nested too deeply") from None
    headers = dict(_headers(answer["headers"], replacements, params))
    kind = headers.pop("Content-Type", None)
    if kind is not None and body is not None and kind != _JSON:
        headers["Content-Type"] = kind
    is_text = isinstance(body, str) and not (kind or "").startswith(_JSON)
    return {
        "status": entry["status"],
        **({"headers": headers} if headers else {}),
        **({} if body is None else {"text" if is_text else "json": body}),
    }


def _check_usable(entry: Mapping[str, Any]) -> None:
    if entry["fault"] is not None or entry["answer"] is None:
        raise _UnusableError("a fault has changed its answer")
    body = entry["answer"]["body"]
    if is_bad_gateway(entry["status"], body):
        raise _UnusableError("the peer gave no answer that could be handed on")
    if any("are not kept" in warning for warning in entry["warnings"]):
        raise _UnusableError("the journal does not hold its body, which is too large")
    if isinstance(body, str) and _NO_TEXT in body:
        raise _UnusableError("its body is no text")


def _headers(shown: Mapping[str, str], replacements: Replacements, params: _Params) -> Iterator[tuple[str, str]]:
    for name, value in shown.items():
        if not name.lower().startswith(_OF_THE_MOCK) and _REDACTED not in value:
            yield name, _quoted(replacements.text(value), params)


def _quoted(found: Any, params: _Params) -> Any:
    """Return a value whose templates are quoted and whose path parameters are expressions."""
    if isinstance(found, str):
        return _said_again(found, params)
    if isinstance(found, dict):
        return {name: _quoted(value, params) for name, value in found.items()}
    return [_quoted(value, params) for value in found] if isinstance(found, list) else found


def _said_again(text: str, params: _Params) -> str:
    said = [value for value in params if value in text]
    if not said and _SIGNS.search(text) is None:
        return text
    quoted = _QUOTED.sub(lambda sign: f"{{{{ {sign[0]!r} }}}}", text)
    for value in said:
        quoted = _replace_words(quoted, value, f"{{{{ request.path.{params[value]} }}}}")
    # Jinja takes the end of the last line off a text with expressions.
    return f"{quoted}{{{{ '' }}}}" if quoted.endswith("\n") else quoted


def _replace_words(text: str, word: str, other: str) -> str:
    before, *rest = text.split(word)
    found = [before]
    for after in rest:
        is_whole = not found[-1][-1:].isalnum() and not after[:1].isalnum()
        found += [other if is_whole else word, after]
    return "".join(found)
