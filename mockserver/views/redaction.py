"""Redaction of secrets in shown requests and answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any
from urllib.parse import parse_qsl, quote, unquote_plus

from mockserver.core.traffic.exchange import Header
from mockserver.web.schemas import json_text

#: What is shown instead of the value of a secret.
REDACTED = "***"
#: The headers whose values are secrets, in lower case.
_HEADERS = frozenset(
    {"api-key", "authorization", "cookie", "set-cookie", "proxy-authorization", "x-api-key", "partner-key"}
)
#: The names of members whose values are secrets, in lower case, with a space where spellings have `-`, `_` or nothing.
_NAMES = (
    "otp", "token", "key", "api key", "partner key", "password", "secret", "client secret", "access token",
    "refresh token", "id token", "code verifier", "code challenge", "authorization", "csrf", "ticket", "assertion",
    "client assertion", "subject token", "actor token", "signature",
)  # fmt: skip
#: The members whose values are secrets, by their names as `_spelt` writes them.
_MEMBERS = frozenset(name.replace(" ", "") for name in _NAMES)
#: The members of requests whose values are secrets: `code` is one, while in an answer `code` names an error.
_SENT = _MEMBERS | {"code"}
#: The members of a state whose values are secrets; beside a `client_id`, `code` is one, too.
_OF_STATE = _MEMBERS | {"apikeys", "revokedkeys", "spent"}
#: The shortest secret that is looked for in texts, in characters. Chosen: a one-time code has six digits.
_SHORTEST = 6
#: The headers whose values are addresses.
_ADDRESSES = frozenset({"location", "referer"})
_WORDS = "otp|token|key|password|secret|verifier|challenge|authorization|value|csrf|ticket|assertion|signature"


def _pairs_of(words: str) -> re.Pattern[str]:
    """Return a pattern for names ending in given words, followed by `:` or `=` and a value."""
    # Possessive quantifiers: without backtracking, the time grows with the length of the text and no faster.
    value = r"""("(?:[^"\\]++|\\.)*+"?|'(?:[^'\\]++|\\.)*+'?|[^\s,&}\]]++)"""
    return re.compile(rf"""(["']?(?:{words})["']?\s*+[:=]\s*+){value}""", re.IGNORECASE | re.DOTALL)


#: Names of secrets with their values in a text that is no JSON, of an answer and of a request. `value` is among the
#: names, as in a text nothing tells the `value` of a webhook's own header from others.
_IN_TEXT, _IN_SENT_TEXT = _pairs_of(_WORDS), _pairs_of(f"{_WORDS}|code")
#: The credentials of an address, between `//` and `@`; within JSON the slashes may be escaped.
_CREDENTIALS = re.compile(r"(:(?:\\?/){2})[^/?#\s\"\\]*@")
#: An API key as the service writes them.
_KEY = re.compile(r"xkeysib-[0-9a-f]{64}-[0-9A-Za-z]{16}")
#: Words with dots between them, among which a signed token can be; possessive, so that no word is compared twice.
_DOTTED = re.compile(r"(?<![\w-])[\w-]++(?:\.[\w-]*+)++")
_WORD = re.compile(r"[\w-]++")
#: The first characters of a signed token (JWT): `{"` in base64.
_SIGNED = "eyJ"
#: A secret within an address or a form: a parameter that holds one, or the ticket in the path of a single sign-on.
_IN_ADDRESS = re.compile(
    rf"""((?:^|[?&])(?:code|{"|".join(name.replace(" ", "[-_]?") for name in _NAMES)})="""
    r"""|/account/login/[^/?\#\s]+/sso/)[^&/?\#\s"'<]+""",
    re.IGNORECASE,
)


def sent(headers: Iterable[Header], body: bytes) -> Any:
    """Return a request body without secrets, or None for an empty body.

    JSON is shown as its value, any other body as its text; of a multipart body nothing is shown.
    """
    content_type = next((value.lower() for name, value in headers if name == "content-type"), "")
    if content_type.startswith("multipart/"):
        return REDACTED
    redact = query_text if content_type.startswith("application/x-www-form-urlencoded") else plain
    return _body(body, _SENT, lambda words: _IN_SENT_TEXT.sub(rf"\1{REDACTED}", redact(words)))


def answered(body: bytes) -> Any:
    """Return an answer body without secrets: a JSON value, a text, or None for an empty body."""
    return _body(body, _MEMBERS, text)


def _body(raw: bytes, secrets: Collection[str], redact: Callable[[str], str]) -> Any:
    """Return the JSON value of a body without secret members, the redacted text of another body, or None."""
    if not raw:
        return None
    try:
        return _clean(json_text.read(raw), secrets)
    except json_text.JsonError:
        return redact(raw.decode(errors="replace"))


def text(words: str) -> str:
    """Return a text without secrets, including secrets after a telling name: `password=...`."""
    return _IN_TEXT.sub(rf"\1{REDACTED}", plain(words))


def query_text(query: str) -> str:
    """A query as it was sent, percent-encoded, without secrets."""
    return "&".join(map(_pair, query.split("&")))


def _pair(sent: str) -> str:
    name, sign, _ = sent.partition("=")
    if sign and _spelt(unquote_plus(name)) in _SENT:
        return f"{name}={REDACTED}"
    words = unquote_plus(sent)
    return sent if plain(words) == words else quote(plain(words), safe="=/:*@")


def member(name: str, value: Any) -> Any:
    """Return the value of a named member without secrets."""
    return REDACTED if _spelt(name) in _MEMBERS else _clean(value)


def _clean(value: Any, secrets: Collection[str] = _MEMBERS) -> Any:
    if isinstance(value, dict):
        hidden = _hidden(value, secrets)
        return {
            plain(name): REDACTED if _is_secret(name, inner, hidden) else _clean(inner, secrets)
            for name, inner in value.items()
        }
    if isinstance(value, list):
        return [_clean(inner, secrets) for inner in value]
    return plain(value) if isinstance(value, str) else value


def _hidden(value: dict[str, Any], secrets: Collection[str]) -> Collection[str]:
    """Return the names of the members of an object whose values are secrets."""
    # A webhook's own header, `{"key": NAME, "value": VALUE}`: its `key` is a name, its `value` may be a secret.
    if {"key", "value"} <= value.keys():
        return frozenset({"value"})
    return {*secrets, "code"} if secrets is _OF_STATE and "client_id" in value else secrets


def _is_secret(name: str, value: Any, secrets: Collection[str]) -> bool:
    """Return whether a member's name marks a secret; null, true and false are never secrets."""
    return value is not None and not isinstance(value, bool) and _spelt(name) in secrets


def _spelt(name: str) -> str:
    """Return a name in lower case without hyphens and underscores: `apikey` for `Api-Key`."""
    return name.lower().replace("-", "").replace("_", "")


def plain(text: str) -> str:
    """Return a text without URL credentials, API keys and signed tokens."""
    found = _IN_ADDRESS.sub(_redacted, text)
    if "@" in found:
        found = _CREDENTIALS.sub(lambda match: f"{_redacted(match)}@", found)
    found = _KEY.sub(REDACTED, found)
    return _DOTTED.sub(_without_tokens, found) if _SIGNED in found else found


def _redacted(match: re.Match[str]) -> str:
    return f"{match[1]}{REDACTED}"


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
    return {name: _header(name.lower(), value) for name, value in rows}


def _header(name: str, value: str) -> str:
    if name in _HEADERS:
        return REDACTED
    address, sign, query = value.partition("?")
    return f"{plain(address)}?{query_text(query)}" if sign and name in _ADDRESSES else plain(value)


def parameters(query: str) -> dict[str, Any]:
    """Return query parameters without secrets: a text each, or a list for a repeated name."""
    found: dict[str, list[str]] = {}
    for name, value in parse_qsl(query, keep_blank_values=True, errors="replace"):
        found.setdefault(name, []).append(REDACTED if _spelt(name) in _SENT else plain(value))
    return {name: shown if len(shown) > 1 else shown[0] for name, shown in found.items()}


# ---------------------------------------------------------------------- states, and secrets that are known


def state(value: Any, name: str = "") -> Any:
    """Return the state of a workspace, a scenario document, or a member of it by its name, without secrets."""
    is_secret = not isinstance(value, dict) and _is_secret(name, value, {*_OF_STATE, "value"})
    return REDACTED if is_secret else _clean(value, _OF_STATE)


def secrets_of(document: Any, *, is_secret: bool = False) -> Iterator[str]:
    """Yield the secrets of a scenario document; with `is_secret`, all values of it are secrets."""
    if isinstance(document, dict):
        hidden = _hidden(document, _OF_STATE)
        for name, inner in document.items():
            yield from secrets_of(inner, is_secret=is_secret or _is_secret(name, inner, hidden))
    elif isinstance(document, list):
        for inner in document:
            yield from secrets_of(inner, is_secret=is_secret)
    elif is_secret and document is not None:
        yield str(document)


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
