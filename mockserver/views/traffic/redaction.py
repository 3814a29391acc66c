"""The parts of requests and answers as they are shown: with the values of secrets taken out."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from typing import Any
from urllib.parse import parse_qsl, quote, unquote_plus

from mockserver.core.traffic.exchange import Header
from mockserver.web.schemas import json_text

#: What stands for the value of a secret.
REDACTED = "***"
#: Names of headers and of members whose values are secrets.
_HEADERS = frozenset(
    {"api-key", "authorization", "cookie", "set-cookie", "proxy-authorization", "x-api-key", "partner-key"}
)
#: What secrets are called, in small letters, with a space where their spellings have `-`, `_` or nothing.
_NAMES = (
    "otp", "token", "key", "api key", "partner key", "password", "secret", "client secret", "access token",
    "refresh token", "id token", "code verifier", "code challenge", "authorization", "csrf", "ticket", "assertion",
    "client assertion", "subject token", "actor token", "signature",
)  # fmt: skip
#: Members, without the case and the signs between words in which their spellings differ.
_MEMBERS = frozenset(name.replace(" ", "") for name in _NAMES)
#: The same in what is sent; in an answer `code` names an error.
_SENT = _MEMBERS | {"code"}
#: Headers that hold an address.
_ADDRESSES = frozenset({"location", "referer"})
_WORDS = "otp|token|key|password|secret|verifier|challenge|authorization|value|csrf|ticket|assertion|signature"


def _pairs_of(words: str) -> re.Pattern[str]:
    """Names that end like this, with their values."""
    # Possessive, so that nothing is tried a second time in another way, however long it is.
    value = r"""("(?:[^"\\]++|\\.)*+"?|'(?:[^'\\]++|\\.)*+'?|[^\s,&}\]]++)"""
    return re.compile(rf"""(["']?(?:{words})["']?\s*+[:=]\s*+){value}""", re.IGNORECASE | re.DOTALL)


#: The same in a text that is no JSON, where nobody can tell a webhook's own header by its form.
_IN_TEXT, _IN_SENT_TEXT = _pairs_of(_WORDS), _pairs_of(f"{_WORDS}|code")
_CREDENTIALS = re.compile(r"(:(?:\\?/){2})[^/?#\s\"\\]*@")
#: Wherever they stand: keys of the service's form.
_KEY = re.compile(r"xkeysib-[0-9a-f]{64}-[0-9A-Za-z]{16}")
#: Words with dots between them, among which a signed token can be; each one whole, so that none is looked at twice.
_DOTTED = re.compile(r"(?<![\w-])[\w-]++(?:\.[\w-]*+)++")
#: How a signed token begins: `{"` in base64.
_SIGNED = "eyJ"
#: What lets somebody in, within an address or a form: a member that holds a secret, the way of a sign-in.
_WAY_IN = re.compile(
    rf"""((?:^|[?&])(?:code|{"|".join(name.replace(" ", "[-_]?") for name in _NAMES)})="""
    r"""|/account/login/[^/?\#\s]+/sso/)[^&/?\#\s"'<]+""",
    re.IGNORECASE,
)


def sent(headers: Iterable[Header], body: bytes) -> Any:
    """A request's body: of a form the members are known, of several parts nothing is shown; None if there is none."""
    kind = next((value.lower() for name, value in headers if name == "content-type"), "")
    if kind.startswith("multipart/"):
        return REDACTED
    told = query_text if kind.startswith("application/x-www-form-urlencoded") else plain
    return _body(body, _SENT, lambda words: _IN_SENT_TEXT.sub(rf"\1{REDACTED}", told(words)))


def answered(body: bytes) -> Any:
    """The body of an answer; None: there is none."""
    return _body(body, _MEMBERS, text)


def _body(raw: bytes, secrets: Collection[str], told: Callable[[str], str]) -> Any:
    """The value of a JSON body, the text of another one; None if there is none."""
    if not raw:
        return None
    try:
        return _clean(json_text.read(raw), secrets)
    except json_text.JsonError:
        return told(raw.decode(errors="replace"))


def text(words: str) -> str:
    """A text of any kind without secrets."""
    return _IN_TEXT.sub(rf"\1{REDACTED}", plain(words))


def query_text(query: str) -> str:
    """A query as it was sent, without secrets."""
    return "&".join(map(_pair, query.split("&")))


def _pair(sent: str) -> str:
    name, sign, _ = sent.partition("=")
    if sign and _spelt(unquote_plus(name)) in _SENT:
        return f"{name}={REDACTED}"
    words = unquote_plus(sent)
    return sent if plain(words) == words else quote(plain(words), safe="=/:*@")


def member(name: str, value: Any) -> Any:
    """The value of a member of this name that is neither a text of the wire nor within one."""
    return REDACTED if _spelt(name) in _MEMBERS else _clean(value)


def _clean(value: Any, secrets: Collection[str] = _MEMBERS) -> Any:
    if isinstance(value, dict):
        # A webhook's own header: what is named there is no key, what it holds may well be one.
        is_header = {"key", "value"} <= value.keys()
        hidden = frozenset({"value"}) if is_header else secrets
        told = {name: inner for name, inner in value.items() if _is_told(name, inner, hidden)}
        return {plain(name): _clean(told[name], secrets) if name in told else REDACTED for name in value}
    if isinstance(value, list):
        return [_clean(inner, secrets) for inner in value]
    return plain(value) if isinstance(value, str) else value


def _is_told(name: str, value: Any, hidden: Collection[str]) -> bool:
    return value is None or isinstance(value, bool) or _spelt(name) not in hidden


def _spelt(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")


def plain(text: str) -> str:
    """A text without the credentials of the addresses in it, and without keys and tokens of the service's form."""
    found = _CREDENTIALS.sub(rf"\1{REDACTED}@", _WAY_IN.sub(rf"\1{REDACTED}", text))
    found = _KEY.sub(REDACTED, found)
    return _DOTTED.sub(_without_tokens, found) if _SIGNED in found else found


def _without_tokens(dotted: re.Match[str]) -> str:
    """Words with dots between them, in which each signed token is hidden: three words, the first one of its form."""
    words = dotted[0].split(".")
    found, place = [], 0
    while place < len(words):
        start = words[place].find(_SIGNED)
        is_token = 0 <= start < len(words[place]) - len(_SIGNED) and place + 2 < len(words) and words[place + 1]
        found.append(words[place][:start] + REDACTED if is_token else words[place])
        place += 3 if is_token else 1
    return ".".join(found)


def headers(rows: Iterable[Header]) -> dict[str, str]:
    """Headers by their names."""
    return {name: _header(name.lower(), value) for name, value in rows}


def _header(name: str, value: str) -> str:
    if name in _HEADERS:
        return REDACTED
    address, sign, query = value.partition("?")
    return f"{plain(address)}?{query_text(query)}" if sign and name in _ADDRESSES else plain(value)


def parameters(query: str) -> dict[str, Any]:
    """The parameters of a query: a text each, a list where a name stands there twice."""
    found: dict[str, list[str]] = {}
    for name, value in parse_qsl(query, keep_blank_values=True, errors="replace"):
        found.setdefault(name, []).append(REDACTED if _spelt(name) in _SENT else plain(value))
    return {name: shown if len(shown) > 1 else shown[0] for name, shown in found.items()}
