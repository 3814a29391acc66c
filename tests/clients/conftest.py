"""One table of calls and answers for all client libraries, and one real server for each module.

`cases/*.yaml` names each call by its operation and the wire's own names, so that a library adds only how it says them.
A module has `METHODS`, its library's name of each operation, and gets the rows of these operations as `case`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import requests
import yaml

from mockserver.resources.registry import OPERATIONS

_FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Case:
    """One row: who calls an operation and how, and the status with the facts of the answer or the code of the error."""

    operation: str
    title: str
    caller: str
    status: int
    path: dict[str, Any] = field(default_factory=dict)
    query: dict[str, Any] = field(default_factory=dict)
    body: dict[str, Any] = field(default_factory=dict)
    code: str | None = None
    answer: dict[str, Any] | None = None

    def __str__(self) -> str:
        return f"{self.operation}: {self.title}"


def _read(path):
    for operation, rows in yaml.safe_load(path.read_text(encoding="utf-8")).items():
        for row in rows:
            yield Case(operation, caller=row.pop("as"), **row)


CASES = [case for path in sorted(_FOLDER.glob("cases/*.yaml")) for case in _read(path)]


def pytest_generate_tests(metafunc):
    if "case" in metafunc.fixturenames:
        rows = [case for case in CASES if case.operation in metafunc.module.METHODS]
        metafunc.parametrize("case", rows, ids=str)


@pytest.fixture(scope="session")
def cases():
    return CASES


@pytest.fixture(scope="session")
def reachable_errors():
    """Operation, status and code of every declared error that an input can reach."""
    return {
        (operation.id, error.status, error.code.code)
        for operation in OPERATIONS.values()
        for error in operation.errors
        if not error.is_chosen and "by a fault only" not in error.when
    }


@pytest.fixture(scope="session")
def document():
    """The workspace of the table, a scenario; each account's key is its name."""
    return yaml.safe_load((_FOLDER / "workspace.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def root(module_serve, document):
    """The address of a server with that workspace, to which unknown keys are strangers."""
    return module_serve(document, keys="known")


@pytest.fixture
def fresh(root):
    """Undoes what the test before has done."""
    requests.post(f"{root}/_mock/reset", json={}, timeout=10).raise_for_status()


def _holds(actual, expected):
    if isinstance(expected, dict):
        return isinstance(actual, dict) and all(
            name in actual and _holds(actual[name], value) for name, value in expected.items()
        )
    if isinstance(expected, list):
        return (
            isinstance(actual, list)
            and len(actual) == len(expected)
            and all(_holds(*pair) for pair in zip(actual, expected, strict=True))
        )
    if expected == "$string":
        return isinstance(actual, str) and actual != ""
    if isinstance(actual, datetime) or isinstance(expected, datetime):
        return _moment(actual) == _moment(expected)
    return actual == expected


def _moment(value):
    return value if isinstance(value, datetime) else datetime.fromisoformat(value)


@pytest.fixture
def holds():
    """Whether a value has what another one names; it may have more members, but no more items."""
    return _holds
