"""`/_mock/health`, `livez` and `readyz`: whether the server answers, and what it serves."""

from __future__ import annotations

import time
from typing import Any

from flask import Response

from mockserver.control.framework import answers, dependencies
from mockserver.control.framework.problem import Problem
from mockserver.control.framework.resource import ControlResource
from mockserver.core.state.identifiers import Replica
from mockserver.core.workspaces.storage import StorageStatus
from mockserver.core.workspaces.store import DEFAULT
from mockserver.scenario.documents.document import MappingNode
from mockserver.settings import version
from mockserver.views.server.health import Health

HEALTH = ControlResource("health", "/_mock", in_workspace=False)

#: The addresses of health checks, which are asked every few seconds.
PROBES = frozenset({"/_mock/health", "/_mock/livez", "/_mock/readyz"})


def uptime_s() -> float:
    """How long ago the server was made, in seconds."""
    return time.monotonic() - dependencies.current().started


@HEALTH.call("GET", "/readyz", answer=Health, is_open=True)
def ready() -> Response:
    """Whether the server answers, and can keep what changes; 503 if it cannot."""
    failure = dependencies.store().storage.failure
    if failure is not None:
        raise Problem(503, failure)
    return live()


@HEALTH.call("GET", "/health", answer=Health, is_open=True)
def health() -> Response:
    """Whether the server answers, and what it serves."""
    return _health(len(dependencies.store().names()))


@HEALTH.call("GET", "/livez", answer=Health, is_open=True)
def live() -> Response:
    """Whether the server answers, and what it serves, as far as it knows without a look at its store."""
    return _health(dependencies.store().known)


def _health(workspaces: int) -> Response:
    storage = dependencies.store().storage.status()
    return answers.answer(
        {
            "status": "ok",
            "version": version(),
            "scenario": _scenario(),
            "workspaces": workspaces,
            "evicted": dependencies.store().evicted,
            "store": "memory" if storage is None else storage.engine,
            "uptime_s": round(uptime_s(), 3),
            "started": dependencies.current().started,
            **_named(dependencies.store().replica),
            **({} if storage is None else {"kept": _kept(storage)}),
            **dependencies.current().effects_health(),
        }
    )


def _scenario() -> str:
    """Return the title of the default workspace, or of the server's own scenario if the workspace is not in memory."""
    store = dependencies.store()
    default, own = store.peek(DEFAULT), store.maker.scenario
    if default is not None:
        return default.origin.title
    return own if isinstance(own, str) else MappingNode.title


def _named(replica: Replica) -> dict[str, Any]:
    return {"replica": replica.name} if replica.name else {}


def _kept(status: StorageStatus) -> dict[str, Any]:
    return {
        "place": status.place,
        "bytes": status.bytes,
        "waiting": status.waiting,
        "last_error": status.last_failure,
    }
