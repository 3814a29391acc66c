"""The one predicate for names of secrets: members of JSON, parameters, form fields, headers, and names in texts."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any
from urllib.parse import unquote_plus

#: How many characters at the end of a name are read. Chosen: more than names in use have, and few enough to cache.
_END = 80
#: The boundaries between the words of a name: `api|Key`, `API|Key`, and separators.
_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[\W_]+")
#: Words at the end of a name that tell one of several secrets, or its form: `password_2`, `X-Hub-Signature-256`.
_FORM = r"(?:_?\d++|_(?:old|new|value|hash|confirmation|confirm|repeat|again|raw|plain|text|pem|hex|b64|base64|sha))*+"
#: Names that only end like those of secrets: cursors of pages, counts of tokens, keys that name a row, and rows.
_OTHER = re.compile(
    r"\A(?:.*_)?(?:(?:page|next|prev|previous|continuation|cursor|sync|max|min|num|total|prompt|completion|input|output)"
    r"_?tokens?|(?:public|primary|foreign|sort|group|partition|cache|idempotency|routing|row|object|translation)_?keys?|sso_tokens)"
)
_SECRET = re.compile(
    r"\A(?!sso_token$)(?:.*(?:token|secret|password|passwd|pwd|passphrase|passcode|credential|jwt|otp|hmac|signature|cookie"
    r"|authorization|csrf|xsrf|assertion|verifier|code_?challenge|sess(?:ion)?_?id|(?:api|partner|secret|private|access"
    r"|auth|smtp|signing|encryption|master|webhook|client|service|session|revoked?|shared|subscription|automation)_?key)"
    r"|(?:.*_)?(?:pass|sig|sid|pin|bearer|ticket|challenge|(?:auth|authorization|verification|verify|security"
    rf"|access|login|one_?time|otp|pin|backup|recovery|reset|confirmation|invite|activation|device|sms|mfa|2fa|pass)_?code)"
    rf")s?{_FORM}|spent"
)
#: Names whose values are secrets unless they are words, small numbers or rows, as `key: orders-eu` and `code: 201`, and
#: `sso_token: {"lifetime": "P15D"}` of a scenario.
_BY_VALUE = re.compile(rf"\A(?:(?:.*_)?(?:keys?|session|auth)|codes?|share|sso_token){_FORM}")
_WORD = r"(?:[A-Z]?[a-z]{1,19}|[A-Z]{1,19})"
_WORDS = re.compile(
    rf"(?!x(?:keysib|smtpsib)-|(?i:bearer|basic|digest|token) ){_WORD}(?:[-_. :/]{_WORD}){{0,7}}|\d{{1,3}}"
)


def is_secret(name: str, value: Any = "?") -> bool:
    """Return whether a name is that of a secret, for this value; by default, for any value.

    Spelling does not matter: `apiKey`, `api_key`, `X-Api-Key` and `user[apikey]` are the same. Null, booleans, counts,
    an empty text and a list of rows with ids, as `tokens: [{"id": 1}]`, are no secrets.
    """
    is_rows = isinstance(value, list) and value and isinstance(value[0], dict) and "id" in value[0]
    is_count = isinstance(value, int) and abs(value) < 1_000 and not name.lower().endswith(("code", "pin", "otp"))
    if value is None or isinstance(value, bool | float) or value == "" or is_rows or is_count:
        return False
    is_known = _kind(name[-_END:])
    if is_known is not None or isinstance(value, dict | list):
        return bool(is_known)
    if isinstance(value, str):
        return _WORDS.fullmatch(value) is None
    return isinstance(value, int) and value > 999 and "key" not in name.lower()


@lru_cache(maxsize=4_096)
def _kind(name: str) -> bool | None:
    """Return whether values of a name are secrets, or None if that depends on the value."""
    last = name.strip(".[]").replace("[", ".").rpartition(".")[2]
    words = _BOUNDARY.sub("_", last).strip("_").lower()
    if _OTHER.fullmatch(words):
        return False
    return True if _SECRET.fullmatch(words) else None if _BY_VALUE.fullmatch(words) else False


def is_secret_pair(pair: str) -> bool:
    """Return whether a pair of a query or a form, as it was sent, has a secret; a `code` is one of OAuth there."""
    name, value = map(unquote_plus, pair.partition("=")[::2])
    return is_secret(name, value) or (name == "code" and value != "" and not value.isdigit())
