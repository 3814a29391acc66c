"""The bounds of `params`, the values for the placeholders of e-mails (contract/sending#params)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from mockserver.resources.sending.request import wrong

#: The most bytes of one `params` as JSON, and of all in a request.
MOST_OF_ONE, MOST_OF_ALL = 100 * 1024, 1_000 * 1024
#: The most levels of objects and lists in it. Chosen: as many as a scenario may have.
_MOST_LEVELS = 80


def check_params(places: Iterable[Mapping[str, Any]]) -> None:
    """Check the `params` of the objects in which they may stand.

    Raises:
        ServiceError: 400 `invalid_parameter`; one is no object, or too large, or all are too large together.
    """
    total = 0
    for place in places:
        params = place.get("params")
        if not params:
            continue
        if not isinstance(params, dict):
            raise wrong("params", why="expected an object")
        size = len(json.dumps(params, ensure_ascii=False, separators=(",", ":")).encode(errors="surrogatepass"))
        if size > MOST_OF_ONE:
            raise wrong("params", why=f"{size:,} bytes as JSON, expected at most {MOST_OF_ONE:,}")
        if _levels(params) > _MOST_LEVELS:
            raise wrong("params", why=f"nested too deeply, expected at most {_MOST_LEVELS} levels")
        total += size
    if total > MOST_OF_ALL:
        raise wrong("params", why=f"{total:,} bytes as JSON in all versions, expected at most {MOST_OF_ALL:,}")


def _levels(value: Any) -> int:
    """Return how many levels of objects and lists a value has; a body has a hundred at most."""
    if not isinstance(value, dict | list):
        return 0
    inner = value.values() if isinstance(value, dict) else value
    return 1 + max(map(_levels, inner), default=0)
