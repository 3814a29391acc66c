"""Flask's form of the operations' addresses."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from werkzeug.routing import BaseConverter, Map, Rule

from mockserver.core.contract.operation import Operation


class Segment(BaseConverter):
    """One segment of a path that is not one of its fixed siblings.

    `/v3/senders/ips` is no sender's address, whatever the method (contract/senders#getIps).
    """

    def __init__(self, url_map: Map, *siblings: str) -> None:
        super().__init__(url_map)
        if siblings:
            self.regex = f"(?!(?:{'|'.join(siblings)})(?:/|$))[^/]+"


class MatchedRule(Rule):
    """A rule that is only matched: no address is ever built from it, and preparing for that is most of its cost."""

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        return lambda *_, **__: ("", "")


class UrlRule(NamedTuple):
    """What Flask has to know of an address: its path with converters, its method, and the operation's id."""

    path: str
    method: str
    endpoint: str


def path_rule(operation: Operation, operations: list[Operation]) -> str:
    """Flask's form of a path: every parameter is one segment, other than its fixed siblings in other paths."""
    parts = operation.path.split("/")
    for index, part in enumerate(parts):
        if part.startswith("{"):
            siblings = {other.path.split("/")[index] for other in operations if _beside(other, parts, index)}
            parts[index] = f"<segment({', '.join(map(repr, sorted(siblings)))}):{part[1:-1]}>"
    return "/".join(parts)


def _beside(other: Operation, parts: list[str], index: int) -> bool:
    segments = other.path.split("/")
    return len(segments) > index and segments[:index] == parts[:index] and not segments[index].startswith("{")
