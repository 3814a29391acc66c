"""`/_mock/metrics`: the numbers of the server, for Prometheus.

prometheus_client is imported when the first metrics are asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from flask import Response, request

from mockserver.control.framework import target
from mockserver.control.framework.call import ControlResource
from mockserver.control.server.health import uptime_s
from mockserver.core.traffic.coverage import BUCKETS, Meter
from mockserver.core.workspaces.store import Store
from mockserver.settings import version

if TYPE_CHECKING:
    from prometheus_client.metrics_core import Metric

METRICS = ControlResource("metrics", "/_mock/metrics", in_workspace=False)


@METRICS.call("GET", media=("text/plain", "application/openmetrics-text"))
def metrics() -> Response:
    """Return counters and current sizes of the server, for Prometheus."""
    from prometheus_client import CollectorRegistry, GCCollector, ProcessCollector  # noqa: PLC0415  # not needed to start
    from prometheus_client.exposition import choose_encoder  # noqa: PLC0415  # not needed to start

    try:
        encode, media = choose_encoder(request.headers.get("Accept", ""))
    except (TypeError, ValueError):  # Accept asks for a version that is no number
        encode, media = choose_encoder("")
    registry = CollectorRegistry()
    registry.register(_Collector(target.store(), target.current().effects_health()))
    ProcessCollector(registry=registry)
    GCCollector(registry=registry)
    return Response(encode(registry), content_type=media)


class _Collector:
    def __init__(self, store: Store, effects: Mapping[str, Mapping[str, Any]]) -> None:
        self._store, self._effects = store, effects

    def collect(self) -> Iterator[Metric]:
        from prometheus_client.metrics_core import GaugeMetricFamily, InfoMetricFamily  # noqa: PLC0415  # not needed to start

        yield from _of_requests(self._store.meter)
        for name, (about, value) in self._gauges().items():
            yield GaugeMetricFamily(f"mockserver_{name}", about, value=value)
        for name, about, label, counts in self._counters():
            yield _counter(name, about, [label] if label else [], counts)
        yield InfoMetricFamily("mockserver_build", "The version of the server.", value={"version": version()})

    def _gauges(self) -> dict[str, tuple[str, float]]:
        loaded = self._store.loaded()
        found: dict[str, tuple[str, float]] = {
            "workspaces": ("Workspaces that there are.", len(self._store)),
            "workspaces_loaded": ("Workspaces that are in memory; what follows is of these.", len(loaded)),
            "journal_entries": (
                "Requests that the journals of all workspaces hold.", sum(len(w.journal) for w in loaded)
            ),
            "mailbox_mails": (
                "E-mails that the mailboxes of all workspaces hold.", sum(len(w.state.mailbox) for w in loaded)
            ),
            "deliveries_under_way": (
                "Calls of the service that are under way, or wait for their turn.", sum(len(w.jobs) for w in loaded)
            ),
            "watchers": (
                "Requests that wait for something to happen in a workspace, and streams.",
                sum(len(w.watchers) for w in loaded),
            ),
            "uptime_seconds": ("How long the server has been there.", uptime_s()),
        }  # fmt: skip
        storage = self._store.storage.status()
        if storage is not None:
            found["store_bytes"] = ("Size of the store on its disk.", storage.bytes)
            found["store_waiting"] = ("Workspaces and other things that wait to be written.", storage.waiting)
        if "smtp" in self._effects:
            found["smtp_waiting"] = ("E-mails that wait for that server.", self._effects["smtp"]["waiting"])
        return found

    def _counters(self) -> Iterator[tuple[str, str, str, Mapping[str, float]]]:
        """Yield the numbers since the start: name, description, label, and counts by the value of the label."""
        meter, storage = self._store.meter, self._store.storage.status()
        yield "workspaces_evicted", "Workspaces that had to go for newer ones.", "", {"": self._store.evicted}
        yield "journal_evicted", "Requests that have fallen out of a journal.", "", {"": meter.evicted}
        yield "mails", "E-mails that the service has sent.", "", {"": meter.mails}
        yield "faults", "Requests and TLS handshakes that a fault took over.", "fault", meter.faults()
        attempts = "Attempts of deliveries, by the state that they have left them in."
        yield "deliveries", attempts, "outcome", meter.attempts()
        if storage is not None:
            written = {"kept": storage.written, "failed": storage.failed}
            yield "store_writes", "Rounds in which what had changed was written.", "outcome", written
        if "smtp" in self._effects:
            mails = {outcome: self._effects["smtp"][outcome] for outcome in ("sent", "failed")}
            yield "smtp_mails", "E-mails for the server of --smtp-url.", "outcome", mails


def _of_requests(meter: Meter) -> Iterator[Metric]:
    from prometheus_client.metrics_core import HistogramMetricFamily  # noqa: PLC0415  # not needed to start

    yield _counter("requests", "Requests to the mocked API.", ["operation", "status"], meter.requests())
    bounds = [*map(str, BUCKETS), "+Inf"]
    yield HistogramMetricFamily(
        "mockserver_request_duration_seconds",
        "How long the mock took to answer, without the delays of faults.",
        buckets=list(zip(bounds, meter.times(), strict=True)),
        sum_value=meter.seconds,
    )


def _counter(name: str, about: str, labels: list[str], counts: Mapping[Any, float]) -> Metric:
    from prometheus_client.metrics_core import CounterMetricFamily  # noqa: PLC0415  # not needed to start

    found = CounterMetricFamily(f"mockserver_{name}", about, labels=labels)
    for values, count in counts.items():
        found.add_metric([values][: len(labels)] if isinstance(values, str) else values, count)
    return found
