"""What is said of a control call above its function: route, reading, answer and document follow from it."""

from __future__ import annotations

from typing import NamedTuple, TypedDict

from marshmallow import Schema


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
    #: The schema of a body that the call reads by itself, JSON or YAML, by its name in `control.answers`.
    document: str | None = None
    #: The schema of a JSON answer, by its name there: a name, as nobody needs the classes before the first document.
    answer: str | None = None
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
    document: str
    answer: str
    status: int
    problems: tuple[int, ...]
    media: tuple[str, ...]
    is_open: bool
    heavy: bool
    adds: bool
    in_workspace: bool
