"""`/_mock/health`, `livez` and `readyz`: whether the server answers, and what it serves."""

from __future__ import annotations

import time
from typing import Any

from mockserver.control.framework import target
from mockserver.control.framework.call import ControlResource
from mockserver.control.framework.problem import Problem
from mockserver.core.workspaces.store import DEFAULT
from mockserver.scenario.documents.document import MappingNode
from mockserver.settings import version
from mockserver.views.server_records import Health, KeptHealth

HEALTH = ControlResource("health", "/_mock", in_workspace=False)

#: The addresses of health checks, which are asked every few seconds.
PROBES = frozenset({"/_mock/health", "/_mock/livez", "/_mock/readyz"})


def uptime_s() -> float:
    return time.monotonic() - target.current().started


@HEALTH.call("GET", "/readyz", answer=Health, is_open=True)
def ready() -> Any:
    """Check readiness: the server answers and can save changes, else 503."""
    store = target.store()
    if store.storage.failure is not None:
        store.storage.leave()
        store.storage.retry()
    if (failure := store.storage.failure) is not None:
        raise Problem(503, failure)
    return live()


@HEALTH.call("GET", "/health", answer=Health, is_open=True)
def health() -> Any:
    """Check health and describe the server."""
    return _health(len(target.store().names()))


@HEALTH.call("GET", "/livez", answer=Health, is_open=True)
def live() -> Any:
    """Check liveness and describe the server, without reading its store."""
    return _health(target.store().known)


def _health(workspaces: int) -> dict[str, Any]:
    store = target.store()
    storage = store.storage.status()
    found = {
        "status": "ok",
        "version": version(),
        "scenario": _scenario(),
        "workspaces": workspaces,
        "evicted": store.evicted,
        "store": "memory" if storage is None else storage.engine,
        "uptime_s": round(uptime_s(), 3),
        "started": target.current().started,
    }
    if store.replica.name:
        found["replica"] = store.replica.name
    if storage is not None:
        found["kept"] = KeptHealth(storage.place, storage.bytes, storage.waiting, storage.last_failure)
    return {**found, **target.current().effects_health()}


def _scenario() -> str:
    store = target.store()
    default, own = store.peek(DEFAULT), store.maker.scenario
    if default is not None:
        return default.origin.title
    return own if isinstance(own, str) else MappingNode.title
