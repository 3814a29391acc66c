"""In what an answer differs from that of the test."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any


def differences(was: Any, here: Any, drift: float, path: str = "") -> Iterator[str]:
    """In what two answers differ, apart from moments that are no more than `drift` seconds from each other."""
    if isinstance(was, dict) and isinstance(here, dict):
        for name in {**was, **here}:
            yield from differences(was.get(name), here.get(name), drift, f"{path}/{name}")
    elif isinstance(was, list) and isinstance(here, list) and len(was) == len(here):
        for number, (old, new) in enumerate(zip(was, here, strict=True)):
            yield from differences(old, new, drift, f"{path}/{number}")
    elif was != here and not _are_near(was, here, drift):
        yield f"{path or 'the body'} is {json.dumps(here)} and not {json.dumps(was)}"


def seconds(moment: str) -> float:
    """A moment in seconds since 1970."""
    return datetime.fromisoformat(moment).timestamp()


def _are_near(was: Any, here: Any, drift: float) -> bool:
    try:
        return abs(seconds(was) - seconds(here)) <= drift
    except (TypeError, ValueError):
        return False
