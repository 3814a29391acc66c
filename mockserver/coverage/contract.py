"""Every point of the contract that requests can meet, read from the operations and the state machines."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from functools import cache
from typing import Any, NamedTuple

from mockserver.core.contract.operation import Mark, Operation
from mockserver.core.workspaces.lifecycle import Lifecycle
from mockserver.resources.registry import API_OPERATIONS, RESOURCES
from mockserver.web.schemas.load import optional


class PointKind(StrEnum):
    """What a point is; the values are the names of the totals in a report."""

    OPERATIONS = "operations"
    STATUSES = "statuses"
    CODES = "codes"
    FIELDS = "fields"
    TRANSITIONS = "transitions"


class Point(NamedTuple):
    """One thing that a request can meet: an operation, one of its statuses, codes or fields, or a transition."""

    kind: PointKind
    #: The id of the operation, or the name of the state machine.
    owner: str
    #: A status such as `404`, a code, the name of a member, or an event; of an operation, its id again.
    name: str


class Promise(NamedTuple):
    """A point that the contract declares."""

    point: Point
    #: How sure the declaration is.
    mark: Mark
    #: Whether the point is an error code that is a sentence, as some codes of the service are.
    is_sentence: bool = False


@cache
def promises() -> tuple[Promise, ...]:
    """Return all points that a percentage can count, in the order of their declaration; OAuth has none."""
    found = [row for operation in API_OPERATIONS.values() for row in _of_operation(operation)]
    counted = (lifecycle for room in RESOURCES if room.is_counted for lifecycle in room.lifecycles)
    return (*found, *(row for lifecycle in counted for row in _of_machine(lifecycle)))


def _of_operation(operation: Operation) -> Iterator[Promise]:
    yield Promise(Point(PointKind.OPERATIONS, operation.id, operation.id), Mark.DOCUMENTED)
    for status, mark in _statuses(operation).items():
        yield Promise(Point(PointKind.STATUSES, operation.id, str(status)), mark)
    for error in operation.errors:
        if error.is_chosen:
            continue  # what it stands for is counted, whichever code the answer has
        is_sentence = error.code.code == error.code.message
        yield Promise(Point(PointKind.CODES, operation.id, error.code.code), error.mark, is_sentence)
    for schema in filter(None, (operation.query_schema, operation.body_schema)):
        for name, field in optional(schema()):
            yield Promise(Point(PointKind.FIELDS, operation.id, name), Mark(field.metadata["x-fidelity"]))


def _statuses(operation: Operation) -> dict[int, Mark]:
    """The status of success and those of the errors; the mark of each is the surest among its errors."""
    marks: dict[int, Mark] = dict.fromkeys(operation.successes, Mark.DOCUMENTED)
    order = list(Mark)
    for error in operation.errors:
        marks[error.status] = min(marks.get(error.status, error.mark), error.mark, key=order.index)
    return marks


def _of_machine(lifecycle: Lifecycle[Any]) -> Iterator[Promise]:
    machine = lifecycle.machine
    for event in dict.fromkeys(row.event for row in machine.transitions):
        yield Promise(Point(PointKind.TRANSITIONS, machine.name, event), Mark.DOCUMENTED)
