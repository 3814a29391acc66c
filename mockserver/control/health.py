"""`/_mock/health`, `livez` and `readyz`: whether the server answers, and what it serves."""

from __future__ import annotations

import time
from importlib.metadata import version

from flask import Response

from mockserver.control import call
from mockserver.control.noun import Noun

HEALTH = Noun("health", "/_mock")

_STARTED = time.monotonic()
_VERSION = version("mockserver")


@HEALTH.call("GET", "/health", is_open=True)
@HEALTH.call("GET", "/livez", is_open=True)
@HEALTH.call("GET", "/readyz", is_open=True)
def health() -> Response:
    """Whether the server answers, and what it serves."""
    return call.answer(
        {
            "status": "ok",
            "version": _VERSION,
            "scenario": call.store().default.scenario,
            "workspaces": len(call.store()),
            "evicted": call.store().evicted,
            "store": "memory",
            "uptime_s": round(time.monotonic() - _STARTED, 3),
        }
    )
