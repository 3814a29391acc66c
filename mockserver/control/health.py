"""`/_mock/health`, `livez` and `readyz`: whether the server answers, and what it serves."""

from __future__ import annotations

import time
from importlib.metadata import version

from flask import Blueprint, Response

from mockserver.control import call

BLUEPRINT = Blueprint("health", __name__, url_prefix="/_mock")

_STARTED = time.monotonic()


@BLUEPRINT.get("/health")
@BLUEPRINT.get("/livez", endpoint="livez")
@BLUEPRINT.get("/readyz", endpoint="readyz")
def health() -> Response:
    """Whether the server answers, and what it serves."""
    return call.answer(
        {
            "status": "ok",
            "version": version("mockserver"),
            "scenario": call.store().default.scenario,
            "workspaces": len(call.store()),
            "store": "memory",
            "uptime_s": round(time.monotonic() - _STARTED, 3),
        }
    )
