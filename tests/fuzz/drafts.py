"""A request before it is written: its body is still a value, so that a mutation knows what it changes."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

import yaml

JSON, YAML, FORM = "application/json", "application/yaml", "application/x-www-form-urlencoded"


@dataclass(slots=True)
class Draft:
    """What is going to be sent."""

    method: str
    path: str
    query: list[tuple[str, str]] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    #: A value to be written as `media` says; None: there is no body.
    body: Any = None
    media: str = JSON


@dataclass(frozen=True, slots=True)
class Sent:
    """A request in bytes."""

    method: str
    #: Percent-encoded, without the query.
    path: str
    query: str
    headers: dict[str, str]
    body: bytes

    def __str__(self) -> str:
        target = self.path + (f"?{self.query}" if self.query else "")
        headers = "".join(f"\n  {name}: {value!r}" for name, value in self.headers.items())
        shown = self.body if len(self.body) <= 2_000 else self.body[:2_000] + b"..."
        return f"{self.method} {target}{headers}\n  {len(self.body)} bytes: {shown!r}"


def write(draft: Draft) -> Sent:
    """The request in bytes, before anything happens to those."""
    headers = dict(draft.headers)
    body = b""
    if draft.body is not None:
        body = _written(draft.body, draft.media)
        headers.setdefault("Content-Type", draft.media)
    return Sent(draft.method, quote(draft.path, safe="/%:@!$&'()*+,;=~.-_"), _query(draft.query), headers, body)


def _query(pairs: list[tuple[str, str]]) -> str:
    return urlencode(pairs, errors="surrogatepass")


def _written(value: Any, media: str) -> bytes:
    if media == YAML:
        try:
            return yaml.dump(value, Dumper=_Dumper, allow_unicode=True, sort_keys=False).encode()
        except UnicodeEncodeError:
            return json.dumps(value).encode()  # libyaml writes no half of a surrogate pair; as JSON it is YAML as well
    if media == FORM and isinstance(value, dict):
        return urlencode([(name, str(inner)) for name, inner in value.items()], errors="surrogatepass").encode()
    return json.dumps(value, ensure_ascii=False).encode(errors="surrogatepass")


_Dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
