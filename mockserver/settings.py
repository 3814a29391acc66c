"""Settings of a server, from MOCKSERVER_* and flags; and where the shipped data lie."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

_PACKAGE = Path(__file__).parent

#: The words that some settings are one of.
CHOICES: Mapping[str, tuple[str, ...]] = {
    "keys": ("any", "known", "isolate"),
    "log_format": ("text", "json", "off"),
    "egress": ("loopback", "private", "any"),
}
#: The least and the most that some whole numbers may be; all others go from 1 on.
RANGES: Mapping[str, tuple[int, int]] = {
    "port": (0, 65_535),
    "seed": (-(2**63), 2**63 - 1),
    "depth_limit": (10, 200),
}
#: How much is told of a value that is refused.
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Settings:
    """How one server runs.

    Raises:
        TypeError, ValueError: a setting is of another kind, or out of its range; the message names both.
    """

    host: str = "127.0.0.1"
    port: int = 8003
    port_file: str | None = None
    scenario: str = "standard"
    scenarios: str | None = None
    keys: str = "any"
    seed: int | None = None
    #: What the control API asks for; an empty one is refused.
    control_token: str | None = None
    #: A file that holds it.
    control_token_file: str | None = None
    #: Names under which browsers may reach the control API, beside those that can only be ours; `.acme.com` stands for
    #: all below it, `*` for all names.
    allowed_host: tuple[str, ...] = ()
    log_format: str = "off"
    #: `smtp://[user:password@]host:port`, or `smtps://`: e-mails go there as well.
    smtp_url: str | None = None
    #: `host:port`: mails are taken there; port 0 is a free one, which `health` tells.
    smtp_in: str | None = None
    #: `host:port`: asked where `behaviour.dns` is `resolver`.
    dns_resolver: str | None = None
    #: How far calls may go: `loopback`, `private` or `any`.
    egress: str = "private"
    workspaces_limit: int = 1_000
    rows_limit: int = 250_000
    #: In bytes.
    documents_bytes_limit: int = 256 * 1024 * 1024
    journal_limit: int = 1_000
    journal_bytes_limit: int = 4 * 1024 * 1024
    feed_limit: int = 1_000
    feed_bytes_limit: int = 4 * 1024 * 1024
    mailbox_limit: int = 1_000
    mailbox_bytes_limit: int = 16 * 1024 * 1024
    snapshots_limit: int = 100
    snapshots_bytes_limit: int = 64 * 1024 * 1024
    deliveries_limit: int = 20_000
    deliveries_bytes_limit: int = 64 * 1024 * 1024
    receivers_limit: int = 10_000
    receivers_bytes_limit: int = 64 * 1024 * 1024
    #: The largest request body that is read, in bytes; ledger 1.1, proposed.
    body_limit: int = 10 * 1024 * 1024
    #: Of all requests together that are not answered yet, in bytes.
    bodies_limit: int = 128 * 1024 * 1024
    #: Of all answers together that their clients have not read yet, in bytes.
    answers_limit: int = 256 * 1024 * 1024
    #: The largest body of YAML, in bytes, which the control API reads.
    yaml_limit: int = 9 * 1024 * 1024
    #: How many objects and arrays may stand in each other in the body of a control call.
    depth_limit: int = 100
    #: Of a request's line and its headers together, in bytes.
    head_limit: int = 64 * 1024
    headers_limit: int = 2_000
    #: How long a head, and then a body, may take to come in, in seconds.
    head_timeout: float = 30.0
    body_timeout: float = 60.0
    connections_limit: int = 1_000

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None or field.default is not None:
                _check(field.name, value, str(field.type).removesuffix(" | None"))


class _Rule(NamedTuple):
    """What a setting takes: of which types, in words, and which values of these types."""

    types: tuple[type, ...]
    words: str
    takes: Callable[[Any], bool] = lambda _: True


def _one_of(*words: str) -> _Rule:
    return _Rule((str,), f"{', '.join(words[:-1])} or {words[-1]}", lambda value: value in words)


def _whole(least: int, most: float = math.inf, words: str | None = None) -> _Rule:
    end = "on" if most == math.inf else f"to {most}"
    return _Rule((int,), words or f"a whole number from {least} {end}", lambda value: least <= value <= most)


_PATH = _Rule((str, os.PathLike), "a path")
#: By name; a setting that is not named here follows its annotation.
_RULES: Mapping[str, _Rule] = {
    **{name: _one_of(*words) for name, words in CHOICES.items()},
    **{name: _whole(*both) for name, both in RANGES.items()},
    "seed": _whole(*RANGES["seed"], words="a whole number of 64 bits"),
    "scenario": _Rule((str, Mapping), "a name, a path or a document"),
    "scenarios": _PATH,
    "port_file": _PATH,
    "control_token_file": _PATH,
}
_BY_ANNOTATION: Mapping[str, _Rule] = {
    "str": _Rule((str,), "a text"),
    "int": _whole(1),
    "float": _Rule((int, float), "a number of seconds above 0", lambda value: 0 < value < math.inf),
    "tuple[str, ...]": _Rule(
        (tuple, list), "a tuple of texts", lambda value: all(isinstance(row, str) for row in value)
    ),
}


def _check(name: str, value: Any, annotation: str) -> None:
    """Refuse what a server would fall over later on."""
    rule = _RULES.get(name) or _BY_ANNOTATION[annotation]
    # A bool is an int to Python, and no number to anybody.
    is_of_type = isinstance(value, rule.types) and not isinstance(value, bool)
    if is_of_type and rule.takes(value):
        return
    shown = repr(value)
    shown = shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 1]}…"
    message = f"{name} must be {rule.words}, not {shown}"
    raise ValueError(message) if is_of_type else TypeError(message)


def without_version(url: str) -> str:
    """The root address of a server, of which perhaps the address of its API is given, which ends in `/v3`."""
    return url.rstrip("/").removesuffix("/v3").rstrip("/")


def data_folder(name: str) -> Path:
    """The folder `scenarios`, `fixtures` or `docs`: beside the package in a checkout, inside it in a wheel."""
    inside = _PACKAGE / "_data" / name
    return inside if inside.is_dir() else _PACKAGE.parent / name
