"""The contract as exchanges: the files under `fixtures/`, one per operation, and what their cases promise."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from mockserver.settings import data_folder


@dataclass(frozen=True, slots=True)
class Case:
    """One promise of an operation: given a scenario and steps, a request, and what is answered."""

    operation: str
    name: str
    request: dict[str, Any]
    answer: dict[str, Any]
    scenario: str
    steps: list[dict[str, Any]]
    #: Requests that show what the exchange has done, each with its answer.
    then: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Example:
    """A real answer, for the documentation."""

    name: str
    status: int
    body: Any


def cases() -> Iterator[Case]:
    """Every case of every operation."""
    for path in sorted(data_folder("fixtures").glob("*/*.yaml")):
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
        for case in document["cases"]:
            yield Case(
                operation=document["operation"],
                name=case["name"],
                request=case.get("request", {}),
                answer=case["answer"],
                scenario=case.get("scenario", document.get("scenario", "standard")),
                steps=case.get("steps", []),
                then=case.get("then", []),
            )


def examples() -> dict[str, list[Example]]:
    """The answers of the cases, by operation; what a case leaves open is filled in with a sample."""
    found: dict[str, list[Example]] = {}
    for case in cases():
        body = case.answer.get("json")
        if body is not None:
            found.setdefault(case.operation, []).append(Example(case.name, case.answer["status"], _sample(body)))
    return found


# ---------------------------------------------------------------------- matching by value or by kind


def _is_integer(value: object) -> bool:
    return type(value) is int


_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_DATETIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)")

#: What may stand for a value: a test of it, and a sample for the documentation.
KINDS: dict[str, tuple[Callable[[Any], bool], Any]] = {
    "$any": (lambda value: True, None),
    "$string": (lambda value: isinstance(value, str), "text"),
    "$integer": (_is_integer, 1),
    "$number": (lambda value: type(value) in (int, float), 1.5),
    "$boolean": (lambda value: isinstance(value, bool), True),
    "$uuid": (
        lambda value: isinstance(value, str) and _UUID.fullmatch(value) is not None,
        "0b9c2f4e-3c1d-4b5a-9e7f-2a6d8c1b0e55",
    ),
    "$datetime": (
        lambda value: isinstance(value, str) and _DATETIME.fullmatch(value) is not None,
        "2026-01-15T09:00:00.000Z",
    ),
}


def differences(wanted: Any, got: Any, path: str = "$") -> Iterator[str]:
    """Where a value is not what was promised; `$rest: true` in a mapping lets it hold more than is named."""
    if isinstance(wanted, str) and wanted in KINDS:
        if not KINDS[wanted][0](got):
            yield f"{path}: wanted {wanted}, got {got!r}"
    elif isinstance(wanted, dict) and isinstance(got, dict):
        names = {name for name in wanted if name != "$rest"}
        for name in sorted(names - got.keys()):
            yield f"{path}.{name}: is missing"
        for name in sorted(got.keys() - names) if not wanted.get("$rest") else ():
            yield f"{path}.{name}: was not expected, is {got[name]!r}"
        for name in sorted(names & got.keys()):
            yield from differences(wanted[name], got[name], f"{path}.{name}")
    elif isinstance(wanted, list) and isinstance(got, list) and len(wanted) == len(got):
        for index, (one, other) in enumerate(zip(wanted, got, strict=True)):
            yield from differences(one, other, f"{path}[{index}]")
    elif type(wanted) is not type(got) or wanted != got:
        yield f"{path}: wanted {wanted!r}, got {got!r}"


def _sample(wanted: Any) -> Any:
    if isinstance(wanted, str) and wanted in KINDS:
        return KINDS[wanted][1]
    if isinstance(wanted, dict):
        return {name: _sample(value) for name, value in wanted.items() if name != "$rest"}
    if isinstance(wanted, list):
        return [_sample(value) for value in wanted]
    return wanted
