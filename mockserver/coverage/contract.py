"""All points of the contract, read from operations and state machines, and hints for tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from functools import cache
from typing import Any, NamedTuple

from mockserver.core.contract.operation import DocumentedError, Mark, Operation
from mockserver.core.time.state_machine import ABSENT, StateMachine, Transition
from mockserver.core.workspaces.lifecycle import Lifecycle
from mockserver.resources.registry import ALL_OPERATIONS, API_OPERATIONS, RESOURCES
from mockserver.web.schemas.load import optional


class PointKind(StrEnum):
    OPERATIONS = "operations"
    STATUSES = "statuses"
    CODES = "codes"
    FIELDS = "fields"
    TRANSITIONS = "transitions"


class Point(NamedTuple):
    """A coverable part of the contract: an operation, status, code or field, or a transition."""

    kind: PointKind
    #: The id of the operation, or the name of the state machine.
    owner: str
    #: A status such as `404`, an error code, a field, an event, or the operation id.
    name: str


class Promise(NamedTuple):
    point: Point
    #: How sure the declaration is.
    mark: Mark
    #: Whether the point is an error code that is a sentence, as some codes of the service are.
    is_sentence: bool = False


@cache
def promises() -> tuple[Promise, ...]:
    """Return all declared points in order of declaration. OAuth has no points."""
    found = [row for operation in API_OPERATIONS.values() for row in _of_operation(operation)]
    counted = (lifecycle for room in RESOURCES if room.is_counted for lifecycle in room.lifecycles)
    return (*found, *(row for lifecycle in counted for row in _of_machine(lifecycle)))


def _of_operation(operation: Operation) -> Iterator[Promise]:
    yield Promise(Point(PointKind.OPERATIONS, operation.id, operation.id), Mark.DOCUMENTED)
    for status, mark in _statuses(operation).items():
        yield Promise(Point(PointKind.STATUSES, operation.id, str(status)), mark)
    for error in operation.errors:
        if error.is_chosen:
            continue  # another point counts this error, with any code
        is_sentence = error.code.code == error.code.message
        yield Promise(Point(PointKind.CODES, operation.id, error.code.code), error.mark, is_sentence)
    for schema in filter(None, (operation.query_schema, operation.body_schema)):
        for name, field in optional(schema()):
            yield Promise(Point(PointKind.FIELDS, operation.id, name), Mark(field.metadata["x-fidelity"]))


def _statuses(operation: Operation) -> dict[int, Mark]:
    """Return the statuses of successes and errors, each with its surest mark."""
    marks: dict[int, Mark] = dict.fromkeys(operation.successes, Mark.DOCUMENTED)
    order = list(Mark)
    for error in operation.errors:
        marks[error.status] = min(marks.get(error.status, error.mark), error.mark, key=order.index)
    return marks


def _of_machine(lifecycle: Lifecycle[Any]) -> Iterator[Promise]:
    machine = lifecycle.machine
    for event in dict.fromkeys(row.event for row in machine.transitions):
        yield Promise(Point(PointKind.TRANSITIONS, machine.name, event), Mark.DOCUMENTED)


def hint(point: Point) -> str:
    """Describe how a request covers a point, such as `unknown senderId`. Undeclared points get an empty text."""
    if point.kind is PointKind.TRANSITIONS:
        machine = _machines().get(point.owner)
        return "" if machine is None else _event_hint(machine, point.name)
    operation = ALL_OPERATIONS.get(point.owner)
    return "" if operation is None else _HINTS[point.kind](operation, point.name)


@cache
def _machines() -> dict[str, StateMachine]:
    lifecycles = (lifecycle for resource in RESOURCES for lifecycle in resource.lifecycles)
    return {lifecycle.machine.name: lifecycle.machine for lifecycle in lifecycles}


def _call_hint(operation: Operation, _: str) -> str:
    return f"{operation.method} {operation.path}"


def _status_hint(operation: Operation, name: str) -> str:
    if name in map(str, operation.successes):
        return "a call that succeeds"
    found = [error for error in operation.errors if str(error.status) == name]
    codes = list(dict.fromkeys(error.code.code for error in found))
    return f"any of the codes {', '.join(codes)}" if len(codes) > 1 else _told(found)


def _code_hint(operation: Operation, name: str) -> str:
    return _told(error for error in operation.errors if error.code.code == name)


def _told(errors: Iterable[DocumentedError]) -> str:
    return "; ".join(dict.fromkeys(error.when for error in errors))


def _field_hint(operation: Operation, name: str) -> str:
    schema = operation.body_schema
    top = name.partition(".")[0].removesuffix("[]")
    is_in_body = schema is not None and any((field.data_key or key) == top for key, field in schema().fields.items())
    return f"a call with it in the {'body' if is_in_body else 'query'}"


_HINTS: dict[PointKind, Callable[[Operation, str], str]] = {
    PointKind.OPERATIONS: _call_hint,
    PointKind.STATUSES: _status_hint,
    PointKind.CODES: _code_hint,
    PointKind.FIELDS: _field_hint,
}


def _event_hint(machine: StateMachine, event: str) -> str:
    rows = [row for row in machine.transitions if row.event == event]
    moves = "; ".join(map(_move, rows))
    return f"{moves}; the clock does it" if rows and event in machine.timed else moves


def _move(row: Transition) -> str:
    if row.source == ABSENT:
        return f"a new one becomes {row.target}"
    if row.target == ABSENT:
        return f"{row.source} is deleted"
    return f"{row.source} stays" if row.source == row.target else f"{row.source} becomes {row.target}"
