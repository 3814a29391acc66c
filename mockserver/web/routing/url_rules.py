"""The addresses of operations as URL rules of Flask."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from werkzeug.routing import BaseConverter, Map, Rule

from mockserver.core.contract.operation import Operation


class Segment(BaseConverter):
    """The converter of a parameter: one segment of a path, but none that is fixed there in the path of an operation.

    `/v3/senders/ips` is no sender's address, whatever the method (contract/senders#getIps).
    """

    def __init__(self, url_map: Map, *siblings: str) -> None:
        super().__init__(url_map)
        if siblings:
            self.regex = f"(?!(?:{'|'.join(siblings)})(?:/|$))[^/]+"


class MatchedRule(Rule):
    """A rule that is only matched: no URL is ever built from it, and to prepare for that is most of a rule's cost."""

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        return lambda *_, **__: ("", "")


class UrlRule(NamedTuple):
    """What Flask has to know of an address."""

    #: With the parameters as converters.
    path: str
    method: str
    #: The operation's id.
    endpoint: str


def path_rule(operation: Operation, operations: list[Operation]) -> str:
    """The path of an operation with converters in the place of parameters; no converter takes its fixed siblings."""
    segments = operation.path.split("/")
    for index, segment in enumerate(segments):
        if segment.startswith("{"):
            siblings = {other.path.split("/")[index] for other in operations if _is_fixed(other, segments, index)}
            segments[index] = f"<segment({', '.join(map(repr, sorted(siblings)))}):{segment[1:-1]}>"
    return "/".join(segments)


def _is_fixed(other: Operation, segments: list[str], index: int) -> bool:
    """Whether another operation's path begins with the same segments, and has no parameter at this index."""
    others = other.path.split("/")
    return len(others) > index and others[:index] == segments[:index] and not others[index].startswith("{")
