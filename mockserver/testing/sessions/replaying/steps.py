"""What was kept of the test: its requests and control calls, in their order."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode


class Step(NamedTuple):
    """A request, or a control call, of the test."""

    #: When it came in real time, by which steps are in order; of a control call, when it was over.
    moment: str
    is_control: bool
    item: Mapping[str, Any]

    def __str__(self) -> str:
        return f"{self.item['method']} {self.item['path']}{_query(self.item)}"


def steps(folder: Path) -> list[Step]:
    """The requests and control calls of the test, in their order; the call that has made the workspace is none."""
    requests = [Step(item["real_at"], False, item) for item in _items(folder / "journal.json")]
    calls = [
        Step(item["real_at"], True, item)
        for item in _items(folder / "calls.json")
        if (item["method"], item["path"]) != ("POST", "/_mock/workspaces")
    ]
    return sorted([*requests, *calls], key=lambda step: step.moment)


def read(path: Path) -> Any:
    """The value of a file of JSON."""
    return json.loads(path.read_text(encoding="utf-8"))


def target_of(item: Mapping[str, Any]) -> str:
    """The path and the query of a request, as they are sent."""
    return quote(item["path"], safe="/%:@!$&'()*+,;=~") + _query(item)


def _items(path: Path) -> Sequence[Mapping[str, Any]]:
    found = read(path)
    if found["evicted"]:
        print(f"{path.name}: the {found['evicted']:,} oldest are missing, as the workspace had removed them")
    items: Sequence[Mapping[str, Any]] = found["items"]
    return items


def _query(item: Mapping[str, Any]) -> str:
    return f"?{urlencode(item['query'], doseq=True)}" if item["query"] else ""
