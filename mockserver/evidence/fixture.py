"""Fixtures: exchanges that show the contract, one file per operation under `fixtures/`.

A file names its `operation`, the `scenario` of its `cases` (default `standard`), and YAML anchors under `shared`. A
case has a `name`, optionally a `scenario` (a name, or a document that extends one) and preparing `steps`, the `request`
(`as` an account name, `path`, `query`, `headers`, `json` or a raw `body`), the `answer` (`status`, `headers`, `json` or
a raw `body`), and `then`: more requests with answers that show the effect. `mockserver.evidence.replay` sends them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from mockserver.scenario.documents.document import refuse_unreadable
from mockserver.scenario.documents.reading import parse
from mockserver.settings import data_folder


@dataclass(frozen=True, slots=True)
class Case:
    """A promise of an operation: scenario, steps, request and answer."""

    operation: str
    #: A unique name within the operation.
    name: str
    request: dict[str, Any]
    answer: dict[str, Any]
    #: A scenario name, or a document that extends a scenario.
    scenario: str | dict[str, Any]
    #: Preparing requests.
    steps: list[dict[str, Any]]
    #: Later requests that show the effect, each with its answer.
    then: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Example:
    name: str
    status: int
    body: Any


def cases() -> Iterator[Case]:
    """Yield all cases of all operations, sorted by file."""
    for path in sorted(data_folder("fixtures").glob("*/*.yaml")):
        document = parse(path.read_text(encoding="utf-8"), str(path), called="a fixture")
        refuse_unreadable(document)
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
    """Return complete answers of cases by operation. Placeholders such as `$uuid` become samples."""
    found: dict[str, list[Example]] = {}
    for case in cases():
        body = case.answer.get("json")
        if body is not None and _is_whole(body):
            found.setdefault(case.operation, []).append(Example(case.name, case.answer["status"], _sample(body)))
    return found


_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_DATETIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)"


def _matches(pattern: str) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and re.fullmatch(pattern, value) is not None


#: Placeholders, each with a test and a sample value.
PLACEHOLDERS: dict[str, tuple[Callable[[Any], bool], Any]] = {
    "$any": (lambda value: True, None),
    "$string": (lambda value: isinstance(value, str), "text"),
    "$integer": (lambda value: type(value) is int, 1),
    "$number": (lambda value: type(value) in (int, float), 1.5),
    "$boolean": (lambda value: isinstance(value, bool), True),
    "$uuid": (_matches(_UUID), "0b9c2f4e-3c1d-4b5a-9e7f-2a6d8c1b0e55"),
    "$datetime": (_matches(_DATETIME), "2026-01-15T09:00:00.000Z"),
    # Keys, tokens and shared addresses differ between workspaces with the same seed.
    "$api_key": (
        _matches(r"xkeysib-[0-9a-f]{64}-[0-9A-Za-z]{16}"),
        f"xkeysib-{'0123456789abcdef' * 4}-Ab3dEf6hIj9kLm2n",
    ),
    "$token": (_matches(r"[0-9a-f]{34}"), "6a3c5e0b9d8f7a1c2e4b6d8f0a1c3e5b7d"),
    "$url": (
        _matches(r"https?://[^\s]+"),
        "http://localhost:8003/shared/4Xp9sVb2TqLmZ7cRkYh1NfWd8aGj3Ue6oPiBxKtQr5MzDyCvHnJwSgFl0E-",
    ),
}


def differences(wanted: Any, got: Any, path: str = "$") -> Iterator[str]:
    """Yield sentences about differences between promised and real values, each with its path.

    A placeholder matches any value that passes its test. A mapping with `$rest: true` may have further members.
    """
    if isinstance(wanted, str) and wanted in PLACEHOLDERS:
        if not PLACEHOLDERS[wanted][0](got):
            yield f"{path}: wanted {wanted}, got {got!r}"
    elif isinstance(wanted, dict) and isinstance(got, dict):
        yield from _member_differences(wanted, got, path)
    elif isinstance(wanted, list) and isinstance(got, list) and len(wanted) == len(got):
        for index, (one, other) in enumerate(zip(wanted, got, strict=True)):
            yield from differences(one, other, f"{path}[{index}]")
    elif type(wanted) is not type(got) or wanted != got:
        yield f"{path}: wanted {wanted!r}, got {got!r}"


def _member_differences(wanted: dict[str, Any], got: dict[str, Any], path: str) -> Iterator[str]:
    names = {name for name in wanted if name != "$rest"}
    for name in sorted(names - got.keys()):
        yield f"{path}.{name}: is missing"
    for name in sorted(got.keys() - names) if not wanted.get("$rest") else ():
        yield f"{path}.{name}: was not expected, is {got[name]!r}"
    for name in sorted(names & got.keys()):
        yield from differences(wanted[name], got[name], f"{path}.{name}")


def _is_whole(wanted: Any) -> bool:
    """Return whether a promise names all members, with samples for all placeholders."""
    if isinstance(wanted, dict):
        return "$rest" not in wanted and all(_is_whole(value) for value in wanted.values())
    return all(_is_whole(value) for value in wanted) if isinstance(wanted, list) else wanted != "$any"


def _sample(wanted: Any) -> Any:
    if isinstance(wanted, str) and wanted in PLACEHOLDERS:
        return PLACEHOLDERS[wanted][1]
    if isinstance(wanted, dict):
        return {name: _sample(value) for name, value in wanted.items()}
    if isinstance(wanted, list):
        return [_sample(value) for value in wanted]
    return wanted
