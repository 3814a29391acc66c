"""What is said of a control call above its function: route, reading, answer and document follow from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypedDict

from marshmallow import Schema

from mockserver.views.base.view import View

#: What gives a schema: many a one is made when it is first needed.
SchemaSource = Callable[[], Schema]
#: Where the declaration of a call stands in its request's environment.
DECLARED = "mockserver.declared"


class ControlCall(NamedTuple):
    """One call: what it takes, and what it answers."""

    resource: str
    method: str
    #: In OpenAPI's form, `/_mock/dns/{domain}`.
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
    #: Statuses of problems beside those that follow from the declaration.
    problems: tuple[int, ...] = ()
    #: The kinds of answers, the first one unless another is asked for; none where the answer is empty.
    media: tuple[str, ...] = ("application/json",)
    #: Whether it needs no control token.
    is_open: bool = False
    #: Whether it takes long, so that a thread carries it out.
    heavy: bool = False
    #: Whether it adds rows, and so is refused where a workspace is full.
    adds: bool = False
    #: Whether it acts on one workspace, which the caller names.
    in_workspace: bool = True


class Declared(TypedDict, total=False):
    """What a declaration may say of a call; `ControlCall` tells what it means."""

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
