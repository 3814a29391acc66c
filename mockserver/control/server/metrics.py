"""`/_mock/metrics`: what the server has done and holds, for Prometheus."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from flask import Response, request

from mockserver.control.framework import target
from mockserver.control.framework.call import ControlResource
from mockserver.control.server.health import uptime_s
from mockserver.core.traffic.coverage import BUCKETS, Meter
from mockserver.core.workspaces.storage import StorageStatus
from mockserver.core.workspaces.store import Store
from mockserver.settings import version

if TYPE_CHECKING:
    from prometheus_client.metrics_core import Metric
    from prometheus_client.registry import CollectorRegistry

# Functions import prometheus_client: a server whose metrics nobody asks for does without it.

METRICS = ControlResource("metrics", "/_mock/metrics", in_workspace=False)

#: A function that returns a present number or a number since the start.
_Count = Callable[[Store], int]

_GAUGES: dict[str, tuple[str, _Count]] = {
    "mockserver_workspaces": ("Workspaces that there are.", len),
    "mockserver_workspaces_loaded": (
        "Workspaces that are in memory; what follows is of these.",
        lambda store: len(store.loaded()),
    ),
    "mockserver_journal_entries": (
        "Requests that the journals of all workspaces hold.",
        lambda store: sum(len(workspace.journal) for workspace in store.loaded()),
    ),
    "mockserver_mailbox_mails": (
        "E-mails that the mailboxes of all workspaces hold.",
        lambda store: sum(len(workspace.state.mailbox) for workspace in store.loaded()),
    ),
    "mockserver_deliveries_under_way": (
        "Calls of the service that are under way, or wait for their turn.",
        lambda store: sum(len(workspace.jobs) for workspace in store.loaded()),
    ),
    "mockserver_watchers": (
        "Requests that wait for something to happen in a workspace, and streams.",
        lambda store: sum(len(workspace.watchers) for workspace in store.loaded()),
    ),
}
_COUNTERS: dict[str, tuple[str, _Count]] = {
    "mockserver_workspaces_evicted": ("Workspaces that had to go for newer ones.", lambda store: store.evicted),
    "mockserver_journal_evicted": ("Requests that have fallen out of a journal.", lambda store: store.meter.evicted),
    "mockserver_mails": ("E-mails that the service has sent.", lambda store: store.meter.mails),
}


@METRICS.call("GET", media=("text/plain", "application/openmetrics-text"))
def metrics() -> Response:
    """What the server has done since it started, and holds now, for Prometheus."""
    encode, media = _encoder(request.headers.get("Accept", ""))
    return Response(encode(_registry(target.store(), target.current().effects_health())), content_type=media)


def _encoder(accept: str) -> tuple[Callable[[CollectorRegistry], bytes], str]:
    """Return the function that writes metrics, and its media type: OpenMetrics if `Accept` asks for it, or text."""
    from prometheus_client.exposition import choose_encoder  # noqa: PLC0415  # not needed to start

    try:
        return choose_encoder(accept)
    except (TypeError, ValueError):  # Accept asks for a version that is no number
        return choose_encoder("")


def _registry(store: Store, effects: Mapping[str, Mapping[str, Any]]) -> CollectorRegistry:
    from prometheus_client import CollectorRegistry, GCCollector, ProcessCollector  # noqa: PLC0415  # not needed to start

    registry = CollectorRegistry()
    registry.register(_Collector(store, effects))
    ProcessCollector(registry=registry)
    GCCollector(registry=registry)
    return registry


class _Collector:
    """The metrics of a server, as prometheus_client collects them."""

    def __init__(self, store: Store, effects: Mapping[str, Mapping[str, Any]]) -> None:
        self._store, self._effects = store, effects

    def collect(self) -> Iterator[Metric]:
        yield from _requests_and_attempts(self._store.meter)
        yield from _held(self._store)
        storage = self._store.storage.status()
        if storage is not None:
            yield from _kept(storage)
        if "smtp" in self._effects:
            yield from _smtp(self._effects["smtp"])


def _requests_and_attempts(meter: Meter) -> Iterator[Metric]:
    """Yield the metrics of requests, faults and attempts of deliveries since the start."""
    from prometheus_client.metrics_core import (  # noqa: PLC0415  # not needed to start
        CounterMetricFamily,
        HistogramMetricFamily,
    )

    requests = CounterMetricFamily("mockserver_requests", "Requests to the mocked API.", labels=["operation", "status"])
    for labels, count in meter.requests().items():
        requests.add_metric(labels, count)
    faults = CounterMetricFamily(
        "mockserver_faults", "Requests and TLS handshakes that a fault took over.", labels=["fault"]
    )
    for kind, count in meter.faults().items():
        faults.add_metric([kind], count)
    deliveries = CounterMetricFamily(
        "mockserver_deliveries", "Attempts of deliveries, by the state that they have left them in.", labels=["outcome"]
    )
    for state, count in meter.attempts().items():
        deliveries.add_metric([state], count)
    bounds = [*map(str, BUCKETS), "+Inf"]
    yield requests
    yield faults
    yield deliveries
    yield HistogramMetricFamily(
        "mockserver_request_duration_seconds",
        "How long the mock took to answer, without the delays of faults.",
        buckets=list(zip(bounds, meter.times(), strict=True)),
        sum_value=meter.seconds,
    )


def _kept(status: StorageStatus) -> Iterator[Metric]:
    """Yield the metrics of the store on disk."""
    from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily  # noqa: PLC0415  # not needed to start

    writes = CounterMetricFamily(
        "mockserver_store_writes", "Rounds in which what had changed was written.", labels=["outcome"]
    )
    writes.add_metric(["kept"], status.written)
    writes.add_metric(["failed"], status.failed)
    yield writes
    yield GaugeMetricFamily("mockserver_store_bytes", "Size of the store on its disk.", value=status.bytes)
    yield GaugeMetricFamily(
        "mockserver_store_waiting", "Workspaces and other things that wait to be written.", value=status.waiting
    )


def _smtp(smtp: Mapping[str, Any]) -> Iterator[Metric]:
    """Yield the metrics of e-mails for a real SMTP server."""
    from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily  # noqa: PLC0415  # not needed to start

    mails = CounterMetricFamily("mockserver_smtp_mails", "E-mails for the server of --smtp-url.", labels=["outcome"])
    for outcome in ("sent", "failed"):
        mails.add_metric([outcome], smtp[outcome])
    yield mails
    yield GaugeMetricFamily("mockserver_smtp_waiting", "E-mails that wait for that server.", value=smtp["waiting"])


def _held(store: Store) -> Iterator[Metric]:
    """Yield the gauges and counters of the store, the uptime in seconds, and the version of the server."""
    from prometheus_client.metrics_core import (  # noqa: PLC0415  # not needed to start
        CounterMetricFamily,
        GaugeMetricFamily,
        InfoMetricFamily,
    )

    for name, (about, count) in _GAUGES.items():
        yield GaugeMetricFamily(name, about, value=count(store))
    for name, (about, count) in _COUNTERS.items():
        yield CounterMetricFamily(name, about, value=count(store))
    yield GaugeMetricFamily("mockserver_uptime_seconds", "How long the server has been there.", value=uptime_s())
    yield InfoMetricFamily("mockserver_build", "The version of the server.", value={"version": version()})
