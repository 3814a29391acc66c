"""How a point of the contract is met, in a few words, as far as the contract says it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache

from mockserver.core.contract.operation import DocumentedError, Operation
from mockserver.core.time.state_machine import ABSENT, StateMachine, Transition
from mockserver.coverage.contract import Point, PointKind
from mockserver.resources.registry import ALL_OPERATIONS, RESOURCES


def hint(point: Point) -> str:
    """How a request meets a point, such as `unknown senderId`; empty where the contract does not declare the point."""
    if point.kind is PointKind.TRANSITIONS:
        machine = _machines().get(point.owner)
        return "" if machine is None else _of_event(machine, point.name)
    operation = ALL_OPERATIONS.get(point.owner)
    return "" if operation is None else _HINTS[point.kind](operation, point.name)


@cache
def _machines() -> dict[str, StateMachine]:
    lifecycles = (lifecycle for resource in RESOURCES for lifecycle in resource.lifecycles)
    return {lifecycle.machine.name: lifecycle.machine for lifecycle in lifecycles}


def _of_call(operation: Operation, _: str) -> str:
    return f"{operation.method} {operation.path}"


def _of_status(operation: Operation, name: str) -> str:
    if name in map(str, operation.successes):
        return "a call that succeeds"
    found = [error for error in operation.errors if str(error.status) == name]
    codes = list(dict.fromkeys(error.code.code for error in found))
    return f"any of the codes {', '.join(codes)}" if len(codes) > 1 else _told(found)


def _of_code(operation: Operation, name: str) -> str:
    return _told(error for error in operation.errors if error.code.code == name)


def _told(errors: Iterable[DocumentedError]) -> str:
    return "; ".join(dict.fromkeys(error.when for error in errors))


def _of_field(operation: Operation, name: str) -> str:
    schema = operation.body_schema
    top = name.partition(".")[0].removesuffix("[]")
    is_in_body = schema is not None and any((field.data_key or key) == top for key, field in schema().fields.items())
    return f"a call with it in the {'body' if is_in_body else 'query'}"


_HINTS: dict[PointKind, Callable[[Operation, str], str]] = {
    PointKind.OPERATIONS: _of_call,
    PointKind.STATUSES: _of_status,
    PointKind.CODES: _of_code,
    PointKind.FIELDS: _of_field,
}


def _of_event(machine: StateMachine, event: str) -> str:
    rows = [row for row in machine.transitions if row.event == event]
    moves = "; ".join(map(_of_transition, rows))
    return f"{moves}; the clock does it" if rows and event in machine.timed else moves


def _of_transition(row: Transition) -> str:
    if row.source == ABSENT:
        return f"a new one becomes {row.target}"
    if row.target == ABSENT:
        return f"{row.source} goes"
    return f"{row.source} stays" if row.source == row.target else f"{row.source} becomes {row.target}"
