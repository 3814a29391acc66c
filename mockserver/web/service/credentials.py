"""Sentences about credentials that the service does not read, or that open nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import parse_qsl

from mockserver.core.state import reasons
from mockserver.core.text.secrets import is_secret
from mockserver.web.server.wsgi import DROPPED

#: How many characters of a key are looked at. Chosen: more than keys of the service have.
_LONGEST = 500
#: What is wrong with the form of a key, by its beginning.
_FORMS = [
    (re.compile(pattern, re.IGNORECASE), sentence)
    for pattern, sentence in {
        r"eyJ[\w-]+\.[\w-]+\.": "is an access token: send it as a bearer token in the header Authorization",
        r"(?:bearer|basic|api-key)\b[:= ]": "begins with the name of a scheme or a header: send the key alone",
        r"[\"'`]|.*[\"'`]$": "is in quotes: send it without them",
        r"[^<{$]*(?:<|\$\{|\{\{|your[-_ ]?(?:api|key)|xxxx|\.\.\.)|xkeysib-?$": "looks like a placeholder: send a key",
        r"xsmtpsib-": "is an SMTP key: send an API key",
        r"\S*\s": "has a space: send it without",
    }.items()
]


def wrong_form(key: str) -> str | None:
    """Return what is wrong with the form of an API key, or None."""
    return next((sentence for pattern, sentence in _FORMS if pattern.match(key[:_LONGEST])), None)


def sent_instead(environ: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a request without an API key or token has in their place, by names without values."""
    if "HTTP_API_KEY" in environ:
        yield "an empty api-key header"
    scheme, space, _ = environ.get("HTTP_AUTHORIZATION", "").partition(" ")
    if scheme:
        yield f"an Authorization header {f'of the scheme {reasons.shown(scheme)}' if space else 'without a scheme'}"
    names = [name[5:].replace("_", "-").lower() for name in environ if name.startswith("HTTP_")]
    for name in (*names, *environ.get(DROPPED, ())):
        if is_secret(name) and name not in ("api-key", "authorization", "cookie"):
            yield f"the header {reasons.shown(name)}"
    for name, value in parse_qsl(environ["QUERY_STRING"], errors="replace"):
        if is_secret(name, value):
            yield f"the query parameter {reasons.shown(name)}"
