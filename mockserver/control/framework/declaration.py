"""The declaration of a control call, from which its route, the loading, the answer and the document follow."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypedDict

from marshmallow import Schema

from mockserver.views.base.view import View

#: Gives a schema; a function, as large schemas are made only when they are needed.
SchemaSource = Callable[[], Schema]
#: The key of the WSGI environment that holds the declaration of the call.
DECLARED = "mockserver.declared"


class ControlCall(NamedTuple):
    """The declaration of one control call: what it takes, and what it answers."""

    resource: str
    method: str
    #: With its parameters in braces, as OpenAPI writes it: `/_mock/dns/{domain}`.
    path: str
    #: What it does, in a line.
    summary: str
    query: type[Schema] | None = None
    body: type[Schema] | None = None
    #: The schema of a body that the call reads by itself, JSON or YAML.
    document: SchemaSource | None = None
    #: What a JSON answer shows.
    answer: type[View] | None = None
    #: The schema of a JSON answer that the call writes by itself.
    written: SchemaSource | None = None
    status: int = 200
    #: Statuses of problems that do not follow from the rest of the declaration.
    problems: tuple[int, ...] = ()
    #: The media types of the answer; the first unless `Accept` asks for another, none where the answer is empty.
    media: tuple[str, ...] = ("application/json",)
    #: Whether it needs no control token.
    is_open: bool = False
    #: Whether it takes long, so that a thread carries it out.
    heavy: bool = False
    #: Whether it adds rows, and so is refused where a workspace is full.
    adds: bool = False
    #: Whether it acts on one workspace, which the caller names.
    in_workspace: bool = True
    #: Whether it changes nothing, whatever its method says.
    only_reads: bool = False

    @property
    def is_recorded(self) -> bool:
        """Whether the workspace on which it acts keeps a record of it."""
        return self.method != "GET" and not self.only_reads


class Declared(TypedDict, total=False):
    """The optional members of a `ControlCall`, as keyword arguments."""

    query: type[Schema]
    body: type[Schema]
    document: SchemaSource
    answer: type[View]
    written: SchemaSource
    status: int
    problems: tuple[int, ...]
    media: tuple[str, ...]
    is_open: bool
    heavy: bool
    adds: bool
    in_workspace: bool
    only_reads: bool
