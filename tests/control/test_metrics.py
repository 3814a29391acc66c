"""What the server tells Prometheus."""

import socket
from contextlib import closing

import pytest
from prometheus_client import parser
from prometheus_client.openmetrics import parser as openmetrics_parser
from webhook_receiver import WebhookReceiver

from mockserver.core.traffic.coverage import BUCKETS


@pytest.fixture
def hook():
    """A factory of a webhook whose receiver answers with some statuses, one after another."""

    def made(*statuses):
        receiver.answers = list(statuses)
        return {"url": receiver.url, "events": ["delivered"]}

    with closing(WebhookReceiver()) as receiver:
        yield made


def scrape(api):
    """All samples of an application, by name and labels."""
    return samples(parser.text_string_to_metric_families(api.get("/_mock/metrics").text))


def samples(families):
    return {
        (sample.name, *sorted(sample.labels.values())): sample.value for family in families for sample in family.samples
    }


_METRICS = {
    "mockserver_requests": ("counter", "operation", "status"), "mockserver_faults": ("counter", "fault"),
    "mockserver_deliveries": ("counter", "outcome"), "mockserver_request_duration_seconds": ("histogram", "le"),
    "mockserver_workspaces": ("gauge",), "mockserver_workspaces_loaded": ("gauge",),
    "mockserver_workspaces_evicted": ("counter",), "mockserver_journal_entries": ("gauge",),
    "mockserver_journal_evicted": ("counter",), "mockserver_mailbox_mails": ("gauge",),
    "mockserver_mails": ("counter",), "mockserver_deliveries_under_way": ("gauge",),
    "mockserver_watchers": ("gauge",), "mockserver_smtp_mails": ("counter", "outcome"),
    "mockserver_smtp_waiting": ("gauge",), "mockserver_uptime_seconds": ("gauge",),
}  # fmt: skip


def test_every_metric_has_its_name_its_kind_and_its_labels(make_api, hook):
    frozen = {"start": "2026-01-15T09:00:00Z", "frozen": True}
    api = make_api({"clock": frozen, "webhooks": [hook(200)]}, smtp_url="smtp://127.0.0.1:1")
    api.get("/v3/senders", headers={"X-Mock-Fault": "server_error"})
    api.post("/_mock/trigger", json={"event": "delivered"})
    api.advance("PT0S")

    families = list(parser.text_string_to_metric_families(api.get("/_mock/metrics").text))

    told = {
        family.name: (family.type, *sorted({label for sample in family.samples for label in sample.labels}))
        for family in families
    }
    assert {name: told.get(name) for name in _METRICS} == _METRICS
    assert [family.name for family in families if not family.documentation] == []


def test_requests_are_counted_by_operation_and_status(api):
    api.get("/v3/senders")
    api.get("/v3/senders")
    api.get("/v3/nowhere")
    with pytest.raises(ConnectionResetError):
        api.get("/v3/senders", headers={"X-Mock-Fault": "connection_reset"})

    found = scrape(api)

    assert found["mockserver_requests_total", "200", "getSenders"] == 2
    assert found["mockserver_requests_total", "404", "none"] == 1
    assert found["mockserver_requests_total", "getSenders", "none"] == 1
    assert [name for name in found if name[0] == "mockserver_faults_total"] != []


def test_faults_of_rules_and_headers_are_counted_by_kind(api):
    api.post("/_mock/faults", json={"fault": "unavailable", "times": 2})
    for _ in range(3):
        api.get("/v3/senders")
    api.get("/v3/senders", headers={"X-Mock-Fault": "server_error"})

    found = scrape(api)
    assert [found["mockserver_faults_total", kind] for kind in ("unavailable", "server_error")] == [2, 1]


def test_answering_times_are_a_histogram_whose_last_bucket_holds_all(api):
    for _ in range(5):
        api.get("/v3/senders")

    found = scrape(api)

    buckets = {
        name[1]: value for name, value in found.items() if name[0] == "mockserver_request_duration_seconds_bucket"
    }
    assert list(buckets) == [*(str(bound) for bound in BUCKETS), "+Inf"]
    assert list(buckets.values()) == sorted(buckets.values())
    assert found["mockserver_request_duration_seconds_bucket", "+Inf"] == 5
    assert found["mockserver_request_duration_seconds_count",] == 5
    assert 0 < found["mockserver_request_duration_seconds_sum",] < 5


def test_the_delay_of_a_fault_is_no_answering_time(api):
    api.get("/v3/senders", headers={"X-Mock-Fault": "latency; ms=20"})

    assert scrape(api)["mockserver_request_duration_seconds_sum",] < 0.02


def test_workspaces_are_counted_and_those_that_had_to_go(make_api):
    api = make_api("empty", workspaces_limit=2)
    for _ in range(4):
        api.post("/_mock/workspaces")

    found = scrape(api)

    assert (found["mockserver_workspaces",], found["mockserver_workspaces_evicted_total",]) == (2, 3)


def test_journals_and_mailboxes_are_added_up_over_workspaces(make_api):
    api = make_api("empty", journal_limit=1)
    for key in ("any", api.post("/_mock/workspaces").json["api_key"]):
        for name in "ab":
            api.post("/v3/senders", key=key, json={"name": name, "email": f"{name}@acme.test"})

    found = scrape(api)

    assert (found["mockserver_journal_entries",], found["mockserver_journal_evicted_total",]) == (2, 2)
    assert (found["mockserver_mailbox_mails",], found["mockserver_mails_total",]) == (4, 4)


def test_attempts_of_deliveries_are_counted_by_what_they_have_made_of_them(make_api, hook):
    api = make_api({"clock": {"start": "2026-01-15T09:00:00Z", "frozen": True}, "webhooks": [hook(429, 200, 400)]})
    api.post("/_mock/trigger", json={"event": "delivered"})
    api.advance("PT0S")
    assert scrape(api)["mockserver_deliveries_total", "retrying"] == 1

    api.advance("PT10M")
    api.post("/_mock/trigger", json={"event": "delivered"})
    api.advance("PT0S")

    found = scrape(api)
    assert {name: value for name, value in found.items() if name[0].startswith("mockserver_deliveries")} == {
        ("mockserver_deliveries_total", "retrying"): 1,
        ("mockserver_deliveries_total", "delivered"): 1,
        ("mockserver_deliveries_total", "dropped"): 1,
        ("mockserver_deliveries_under_way",): 0,
    }


def test_calls_under_way_and_mails_for_a_real_server_are_counted(make_api, api):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        hook = {"url": f"http://{address}/", "events": ["delivered"]}
        posting = make_api({"webhooks": [hook]}, smtp_url=f"smtp://{address}")
        posting.post("/_mock/trigger", json={"event": "delivered"})
        posting.post("/v3/senders", json={"name": "a", "email": "a@acme.test"})

        found = scrape(posting)

    assert found["mockserver_deliveries_under_way",] == 1
    assert {name: value for name, value in found.items() if name[0].startswith("mockserver_smtp")} == {
        ("mockserver_smtp_mails_total", "sent"): 0,
        ("mockserver_smtp_mails_total", "failed"): 0,
        ("mockserver_smtp_waiting",): 1,
    }
    assert [name for name in scrape(api) if name[0].startswith("mockserver_smtp")] == []


def test_a_store_tells_what_it_has_written_and_what_waits(make_api, tmp_path):
    api = make_api("empty", store=f"sqlite:{tmp_path / 'mock.db'}")
    api.get("/v3/senders")
    found = scrape(api)
    assert found["mockserver_store_writes_total", "kept"] >= 1
    assert found["mockserver_store_writes_total", "failed"] == 0
    assert found["mockserver_store_bytes",] > 0
    assert [name for name in scrape(make_api("empty")) if name[0].startswith("mockserver_store")] == []


@pytest.mark.parametrize("path", ["/_mock/reset", "/_mock/snapshots/before/restore"])
def test_counters_survive_resets_and_deletions(make_api, path):
    api = make_api("empty", journal_limit=1)
    api.post("/_mock/snapshots", json={"name": "before"})
    for name in "abc":
        api.post("/v3/senders", json={"name": name, "email": f"{name}@acme.test"})
    before = scrape(api)

    api.delete("/_mock/requests")
    api.delete("/_mock/mailbox")
    assert api.post(path).status_code == 200

    after = scrape(api)
    counters = [name for name in before if name[0].startswith("mockserver_") and name[0].endswith("_total")]
    assert {name: after[name] for name in counters} == {name: before[name] for name in counters}
    assert (before["mockserver_mails_total",], before["mockserver_journal_evicted_total",]) == (3, 2)


def test_the_server_and_its_process_are_described(api):
    found = scrape(api)

    assert found["mockserver_build_info", api.get("/_mock/health").json["version"]] == 1
    assert found["mockserver_uptime_seconds",] > 0
    assert found["process_resident_memory_bytes",] > 0
    assert ("python_gc_collections_total", "0") in found


def test_openmetrics_is_given_to_who_asks_for_it(api):
    answer = api.get("/_mock/metrics", headers={"Accept": "application/openmetrics-text; version=1.0.0"})

    assert answer.mimetype == "application/openmetrics-text"
    found = samples(openmetrics_parser.text_string_to_metric_families(answer.text))
    assert found["mockserver_workspaces",] == 1


@pytest.mark.parametrize("accept", ["", "*/*", "text/plain; version=x", "application/openmetrics-text; version=1.x"])
def test_metrics_are_plain_text_by_default(api, accept):
    answer = api.get("/_mock/metrics", headers={"Accept": accept})

    assert (answer.status_code, answer.mimetype) == (200, "text/plain")
    assert answer.text.startswith("# HELP mockserver_requests_total ")
