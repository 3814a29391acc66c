"""The contract as exchanges: the files under `fixtures/`, one per operation, and what their cases promise.

A file names its `operation`, perhaps a `scenario` for all its `cases` (else it is `standard`), and under `shared` what
its cases refer to by YAML's anchors. A case has a `name`, perhaps a `scenario` of its own (a name, or a document that
extends one), `steps` that lead up to it, the `request` (`as` an account's name, `path`, `query`, `headers`, `json` or a
raw `body`), the `answer` (`status`, `headers`, `json`), and `then` more requests with their answers, which show the
effect. How they are played: `mockserver.evidence.replay`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from mockserver.settings import data_folder

try:
    from yaml import CSafeLoader as _Loader
except ImportError:  # pragma: no cover  # wheels without libyaml
    from yaml import SafeLoader as _Loader  # type: ignore[assignment]  # the same interface


@dataclass(frozen=True, slots=True)
class Case:
    """One promise of an operation: given a scenario and steps, a request gets an answer."""

    #: The id of the operation, such as `createSender`.
    operation: str
    #: What the case shows, in words; unique among the cases of the operation.
    name: str
    request: dict[str, Any]
    answer: dict[str, Any]
    #: The name of a scenario, or a document that extends one.
    scenario: str | dict[str, Any]
    #: Requests that lead up to the case, in their order.
    steps: list[dict[str, Any]]
    #: Requests that show the effect of the case, each with its answer.
    then: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Example:
    """An answer of a case, as the documentation shows it."""

    #: The name of the case.
    name: str
    status: int
    #: The value of the JSON body.
    body: Any


def cases() -> Iterator[Case]:
    """Every case of every operation, file by file in the order of their paths."""
    for path in sorted(data_folder("fixtures").glob("*/*.yaml")):
        document = yaml.load(path.read_text(encoding="utf-8"), _Loader)
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
    """The answers whose bodies cases give in full, by operation; a placeholder such as `$uuid` becomes a sample."""
    found: dict[str, list[Example]] = {}
    for case in cases():
        body = case.answer.get("json")
        if body is not None and _is_whole(body):
            found.setdefault(case.operation, []).append(Example(case.name, case.answer["status"], _sample(body)))
    return found


# ---------------------------------------------------------------------- matching by value or by placeholder


def _is_integer(value: object) -> bool:
    return type(value) is int


_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_DATETIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)")
_API_KEY = re.compile(r"xkeysib-[0-9a-f]{64}-[0-9A-Za-z]{16}")
_TOKEN = re.compile(r"[0-9a-f]{34}")
_URL = re.compile(r"https?://[^\s]+")


def _matches(pattern: re.Pattern[str]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and pattern.fullmatch(value) is not None


#: The placeholders for a value: each with a test of the value, and a sample for the documentation.
PLACEHOLDERS: dict[str, tuple[Callable[[Any], bool], Any]] = {
    "$any": (lambda value: True, None),
    "$string": (lambda value: isinstance(value, str), "text"),
    "$integer": (_is_integer, 1),
    "$number": (lambda value: type(value) in (int, float), 1.5),
    "$boolean": (lambda value: isinstance(value, bool), True),
    "$uuid": (_matches(_UUID), "0b9c2f4e-3c1d-4b5a-9e7f-2a6d8c1b0e55"),
    "$datetime": (_matches(_DATETIME), "2026-01-15T09:00:00.000Z"),
    # Keys, tokens and shared addresses lead to one workspace, so two workspaces of the same seed have different ones.
    "$api_key": (_matches(_API_KEY), f"xkeysib-{'0123456789abcdef' * 4}-Ab3dEf6hIj9kLm2n"),
    "$token": (_matches(_TOKEN), "6a3c5e0b9d8f7a1c2e4b6d8f0a1c3e5b7d"),
    "$url": (
        _matches(_URL),
        "http://localhost:8003/shared/4Xp9sVb2TqLmZ7cRkYh1NfWd8aGj3Ue6oPiBxKtQr5MzDyCvHnJwSgFl0E-",
    ),
}


def differences(wanted: Any, got: Any, path: str = "$") -> Iterator[str]:
    """How a value differs from what was promised: a sentence for each difference, which begins with its path.

    A placeholder stands for any value that passes its test. A mapping with `$rest: true` may have more members.
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
    """Whether a promised value names all members and leaves no value open but for placeholders with a sample."""
    if isinstance(wanted, dict):
        return "$rest" not in wanted and all(_is_whole(value) for value in wanted.values())
    return all(_is_whole(value) for value in wanted) if isinstance(wanted, list) else wanted != "$any"


def _sample(wanted: Any) -> Any:
    """A promised value with a sample in place of each placeholder."""
    if isinstance(wanted, str) and wanted in PLACEHOLDERS:
        return PLACEHOLDERS[wanted][1]
    if isinstance(wanted, dict):
        return {name: _sample(value) for name, value in wanted.items()}
    if isinstance(wanted, list):
        return [_sample(value) for value in wanted]
    return wanted
