"""Redaction of secrets in shown requests and answers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date
from typing import Any
from urllib.parse import quote, unquote_plus

from mockserver.core.text.secrets import is_secret, is_secret_pair
from mockserver.core.traffic.exchange import Header
from mockserver.scenario.documents.mistakes import ScenarioError
from mockserver.scenario.documents.reading import parse
from mockserver.web.schemas import json_text

#: What is shown instead of the value of a secret.
REDACTED = "***"
#: The shortest secret that is looked for in texts, in characters. Chosen: a one-time code has six digits.
_SHORTEST = 6
# Possessive quantifiers: without backtracking, the time grows with the length of the text and no faster.
#: A name in a text with the sign before its value, as in JSON, YAML, forms, XML and encoded addresses (`%3Ftoken%3D`).
_NAME = re.compile(r"""(?<![\w-])(?:(?<=%)(?:3[Ff]|26))?+([\w-]++)(\\*+["']?)\]?[ \t]*+([:=>]|%3[Dd])""")
#: The value after the sign: a quoted text, a list or a mapping, in YAML also lines below, or a word.
_VALUE = re.compile(
    r"""(?:\s*+(?=\\*["'\[]|-[ \t])|[ \t]*+)(\\++"[^"\\]*+|"(?:[^"\\]++|\\.)*+"?|'(?:[^'\\]++|\\.)*+'?|\[[^\]]*+\]?"""
    r"""|\{[^{}]*+\}?|(?:-[ \t]++[^\n]*+(?:\n[ \t]*+(?=-[ \t]))?)++|[|>][-+\d]*+[ \t]*+(?:\n[ \t]++[^\n]*+)++"""
    r"""|(?:[!&][^\s&=]++[ \t]++)?[^\s,&}\]<"'`]++)""",
    re.DOTALL,
)
#: The text of an element of XML.
_ELEMENT = re.compile(r"(?:<!\[CDATA\[)?+([^<]++)")
#: Headers in a text, whose values end with the line or with a quote.
_HEADER = re.compile(r"""((?:authorization|cookie)\\*+["']?[ \t]*+[:=][ \t]*+\\*+["']?)[^\r\n"'\\]++""", re.IGNORECASE)
#: A scheme and its credential, under whatever name.
_SCHEME = re.compile(r"(?i)(?<![\w-])((?:bearer|basic|dpop)[ \t]++)(?=[a-z._~+/=-]*+\d|[\w.~+/=-]{16})[\w.~+/=-]++")
#: Members that have the name of a value, and members that have a value.
_NAMING, _VALUES = frozenset({"name", "key", "id", "field", "header"}), frozenset({"value", "val"})
#: A word of a sentence after a name, as in `unknown token: no grant has it`.
_PROSE = re.compile(r"[a-z']+[.,;:!?]*")
#: The credentials of an address, between `//` and `@`; within JSON the slashes may be escaped.
_CREDENTIALS = re.compile(r"(:(?:\\?/){2})[^/?#\s\"\\]*@")
#: Keys as the service writes them.
_KEY = re.compile(r"x(?:keysib|smtpsib)-[0-9a-f]{64}-[0-9A-Za-z]{16}")
#: Words with dots between them, among which a signed token can be; possessive, so that no word is compared twice.
_DOTTED = re.compile(r"(?<![\w-])[\w-]++(?:\.[\w-]*+)++")
_WORD = re.compile(r"[\w-]++")
#: The first characters of a signed token (JWT): `{"` in base64.
_SIGNED = "eyJ"
#: Paths that end in a secret: the ticket of a single sign-on, and the token of an attachment.
_IN_PATH = re.compile(r"(?i)(/account/++login/++[^/?#\s]++/++sso/++|/inbound/++attachments/++)[^&/?#\s\"'<]++")


def body(headers: Iterable[Header], raw: bytes, name: str = "") -> Any:
    """Return a body without secrets, or None for an empty body; `name` tells what it has, as a member's name.

    JSON is shown as its value, any other body as its text; of a multipart body nothing is shown. A document in YAML
    with secrets is shown as JSON, as is a control call that can be read as YAML.
    """
    if not raw:
        return None
    content_type = next((value.lower() for name, value in headers if name.lower() == "content-type"), "")
    if content_type.startswith("multipart/"):
        return REDACTED
    try:
        return _clean(json_text.read(raw), name)
    except json_text.JsonError:
        words = raw.decode(errors="replace")
        shown = _document(words, is_yaml=True) if name or "yaml" in content_type else REDACTED
        if "yaml" in content_type or shown != REDACTED:
            return shown
        return text(query_text(words) if content_type.startswith("application/x-www-form-urlencoded") else words)


def query_text(query: str) -> str:
    """A query as it was sent, percent-encoded, without secrets."""
    return "&".join(map(_pair, query.split("&")))


def _pair(sent: str) -> str:
    if is_secret_pair(sent):
        return f"{sent.partition('=')[0]}={REDACTED}"
    words = unquote_plus(sent)
    shown = plain(words)
    return sent if shown == words else quote(shown, safe="=/:*@")


def member(name: str, value: Any, parent: str = "", deep: int = 1) -> Any:
    """Return the value of a member without secrets; `parent` is the name of its object, if that has one."""
    return REDACTED if _is_hidden(name, value, parent) else _clean(value, name, deep)


def _clean(value: Any, parent: str = "", deep: int = 1) -> Any:
    """Return a value without secrets; JSON in texts is read in as many levels as `deep`."""
    if isinstance(value, dict):
        is_named = _is_named(value)
        return {
            plain(name): REDACTED if _is_hidden(name, inner, parent, is_named=is_named) else _clean(inner, name, deep)
            for name, inner in value.items()
        }
    if isinstance(value, list):
        if len(value) == 2 and isinstance(value[0], str) and is_secret(*value):
            return [value[0], REDACTED]
        return [_clean(row, parent, deep) if isinstance(row, dict) else member(parent, row, "", deep) for row in value]
    if isinstance(value, str):
        is_document = parent == "yaml" or (deep and value[:1] in ("{", "["))
        return _document(value, is_yaml=parent == "yaml") if is_document else plain(value)
    return value


def _document(words: str, *, is_yaml: bool) -> str:
    """Return a text of JSON or YAML without secrets, as JSON if it has one or a comment; of wrong YAML, nothing."""
    try:
        found: Any = parse(words, "") if is_yaml else json_text.read(words.encode(errors="replace"))
    except (json_text.JsonError, ScenarioError):
        return REDACTED if is_yaml else plain(words)
    shown = _clean(found, deep=0)
    if shown == found and "#" not in words:
        return plain(words)
    return json_text.write(shown, lambda value: str(value) if isinstance(value, date) else REDACTED).decode().rstrip()


def _is_hidden(name: str, value: Any, parent: str, *, is_named: bool = False) -> bool:
    if is_named and name.lower() in _NAMING | _VALUES:
        return name.lower() in _VALUES and is_secret("secret", value)
    return is_secret(name, value) or (parent != "" and is_secret(f"{parent}_{name}", value))


def _is_named(value: dict[str, Any]) -> bool:
    """Return whether an object is a header of a webhook, `{"key": NAME, "value": VALUE}`, or names a secret."""
    found = next((inner for name, inner in value.items() if name.lower() in _VALUES), None)
    names = [inner for name, inner in value.items() if name.lower() in _NAMING and isinstance(inner, str)]
    return {"key", "value"} <= value.keys() or any(is_secret(name, found) for name in names)


def text(words: str) -> str:
    """Return a text without secrets, with each `name: value` read as a pair."""
    return _without_pairs(plain(words), is_prose=False)


def plain(text: str) -> str:
    """Return a text without secrets; a word after `name:` may be one of a sentence."""
    found = _CREDENTIALS.sub(rf"\1{REDACTED}@", text) if "@" in text else text
    found = _SCHEME.sub(rf"\1{REDACTED}", found)
    if "=" in found or ":" in found or "%3" in found or "</" in found:
        found = _without_pairs(_HEADER.sub(rf"\1{REDACTED}", found), is_prose=True)
    found = _IN_PATH.sub(rf"\1{REDACTED}", _KEY.sub(REDACTED, found))
    return _DOTTED.sub(_without_tokens, found) if _SIGNED in found else found


def _without_pairs(words: str, *, is_prose: bool) -> str:
    """Return a text without the values of secrets' names.

    Outside prose, `value` is such a name: in a text, nothing tells whether it is that of a header.
    """
    secret = {name for name, *_ in set(_NAME.findall(words)) if is_secret(name)}
    if not is_prose and "value" in words:
        secret.add("value")
    parts, end = [], 0
    for found in _NAME.finditer(words) if secret else ():
        name, quote_, sign = found.groups()
        is_value = not is_prose and name == "value"
        is_sign = is_prose and sign == ">" and words[found.start(1) - 1] not in "<:"
        if is_sign or found.start() < end or name not in secret:
            continue
        value = (_ELEMENT if sign == ">" else _VALUE).match(words, found.end())
        if value is None or not (is_value or is_secret(name, value[1].strip("\\\"'"))):
            continue
        is_sentence = is_prose and sign == ":" and not quote_ and _PROSE.fullmatch(value[1])
        if not is_sentence and (value[1][0] != "{" or is_value or is_secret(name, {})):
            parts += [words[end : value.start(1)], REDACTED]
            end = value.end()
    return "".join([*parts, words[end:]])


def _without_tokens(dotted: re.Match[str]) -> str:
    """Return dotted words with each signed token redacted: three words, the first with the start of a token."""
    words = dotted[0].split(".")
    found, index = [], 0
    while index < len(words):
        start = words[index].find(_SIGNED)
        is_token = 0 <= start < len(words[index]) - len(_SIGNED) and index + 2 < len(words) and words[index + 1]
        found.append(words[index][:start] + REDACTED if is_token else words[index])
        index += 3 if is_token else 1
    return ".".join(found)


def headers(rows: Iterable[Header]) -> dict[str, str]:
    """Return headers by name, without secrets."""
    return {name: REDACTED if is_secret(name, value) else _header(value) for name, value in rows}


def _header(value: str) -> str:
    address, sign, query = value.partition("?")
    return f"{plain(address)}?{query_text(query)}" if sign and "%" in query else plain(value)


def parameters(query: str) -> dict[str, Any]:
    """Return query parameters without secrets: a text each, or a list for a repeated name."""
    found: dict[str, list[str]] = {}
    for pair in filter(None, query.split("&")):
        name, value = (unquote_plus(part, errors="replace") for part in pair.partition("=")[::2])
        found.setdefault(name, []).append(REDACTED if is_secret_pair(pair) else plain(value))
    return {name: shown if len(shown) > 1 else shown[0] for name, shown in found.items()}


def secrets_of(value: Any, parent: str = "", *, hides: bool = False) -> Iterator[str]:
    """Yield the secrets of a scenario document; with `hides`, all values of it are secrets."""
    if isinstance(value, dict):
        is_named = _is_named(value)
        for name, inner in value.items():
            yield from secrets_of(inner, name, hides=hides or _is_hidden(name, inner, parent, is_named=is_named))
    elif isinstance(value, list):
        for inner in value:
            hides_item = not isinstance(inner, dict) and is_secret(parent, inner)
            yield from secrets_of(inner, parent, hides=hides or hides_item)
    elif hides and value is not None:
        yield str(value)


class KnownSecrets:
    """Secrets to replace in texts: whole words, and secrets with other characters wherever they appear."""

    def __init__(self, secrets: Iterable[str]) -> None:
        found = {secret for secret in secrets if len(secret) >= _SHORTEST}
        self._words = {secret for secret in found if _WORD.fullmatch(secret)}
        self._others = found - self._words
        first = re.escape("".join({secret[0] for secret in self._others}))
        self._first = re.compile(f"[{first}]") if first else None
        #: The lengths of the others by their first characters, the longest first.
        self._lengths: dict[str, list[int]] = {}
        for start, length in sorted({(secret[:_SHORTEST], len(secret)) for secret in self._others}, reverse=True):
            self._lengths.setdefault(start, []).append(length)

    def hide(self, value: Any) -> Any:
        """Return a value of JSON without these secrets."""
        if isinstance(value, dict):
            return {self.hide(name): self.hide(inner) for name, inner in value.items()}
        if isinstance(value, list):
            return list(map(self.hide, value))
        if isinstance(value, str):
            return _WORD.sub(lambda word: REDACTED if word[0] in self._words else word[0], self._without_others(value))
        return REDACTED if type(value) is int and str(value) in self._words else value

    def _without_others(self, text: str) -> str:
        if self._first is None:
            return text
        parts, end = [], 0
        for found in self._first.finditer(text):
            at = found.start()
            lengths = self._lengths.get(text[at : at + _SHORTEST]) if at >= end else None
            for length in lengths or ():
                if text[at : at + length] in self._others:
                    parts += [text[end:at], REDACTED]
                    end = at + length
                    break
        return "".join([*parts, text[end:]])
