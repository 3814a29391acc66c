"""How long requests wait while a campaign is sent to 50,000 contacts, and how much memory it takes.

The limit of other workspaces is absolute: it is what a client notices, and far above what an idle machine needs. That
of the same workspace is a part of how long the whole campaign takes.
"""

import json
import statistics
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest
from benchmarks.bench import MOCK, post, resident_mb, started
from webhook_receiver import WebhookReceiver

pytestmark = pytest.mark.benchmark

CONTACTS = 50_000
#: How long the ninety-fifth of a hundred requests of other workspaces may take, in milliseconds: what people notice.
P95_MS = 100
#: How many turns the requests of the same workspace have at least while the clock is moved. Chosen: 180 are measured.
TURNS = 40
#: What the campaign may add to the memory, in MiB: its recipients and rings; the contacts take several times as much.
MEMORY_MB = 60


def workspace(url):
    """A workspace with many contacts, a draft to all of them, and a batched webhook if there is an address."""
    hooks = [{"url": url, "type": "marketing", "events": ["delivered"], "batched": True}] if url else []
    return {
        "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True},
        "accounts": [
            {
                "name": "acme",
                "senders": [{"id": 2, "name": "Ops", "email": "ops@acme.test", "state": "verified"}],
                "plan": [{"type": "payAsYouGo", "creditsType": "sendLimit", "credits": CONTACTS}],
                "contact_lists": [{"id": 5, "name": "All"}],
                "contacts": [
                    {"email": f"c{number}@d{number % 50}.test", "list_ids": [5], "attributes": {"FIRSTNAME": "Ada"}}
                    for number in range(CONTACTS)
                ],
                "webhooks": hooks,
                "campaigns": [
                    {"id": 11, "name": "June", "html": "<p>{{ contact.FIRSTNAME }}</p>" * 20, "list_ids": [5]}
                ],
            }
        ],
    }


@pytest.fixture(params=[False, True], ids=["alone", "with a webhook"])
def url(request):
    """The address of a receiver, or an empty text."""
    if not request.param:
        yield ""
        return
    with closing(WebhookReceiver()) as receiver:
        yield receiver.url


def test_others_do_not_wait_while_a_campaign_is_sent(show, url):
    with started([*MOCK, "empty", "--rows-limit", "1000000", "--stored-bytes-limit", "1000000000"]) as (root, process):
        keys = [
            json.loads(post(f"{root}/_mock/workspaces", {"name": name, "scenario": scenario}))["api_key"]
            for name, scenario in {"large": workspace(url), "small": "empty"}.items()
        ]
        post(f"{root}/w/large/_mock/machines/campaign/11/send", {})
        before, began = resident_mb(process), time.perf_counter()
        with ThreadPoolExecutor(3) as threads:
            move = threads.submit(post, f"{root}/w/large/_mock/clock/advance", {"by": "1h"})
            same = threads.submit(_waits, root, "/w/large/v3/account", keys[0], move.done)
            others = _waits(root, "/w/small/v3/account", keys[1], move.done)
        fired = json.loads(move.result())["fired"]
        took, after = time.perf_counter() - began, resident_mb(process)

    p95, p95_same = (statistics.quantiles(waits, n=20)[18] for waits in (others, same.result()))
    show(f"{took:.1f} s, {after - before:+.0f} MB; p95 of others {p95:.1f} ms, of the same workspace {p95_same:.1f} ms")
    show(f"longest: {max(others):.1f} ms, {max(same.result()):.1f} ms")
    assert [row["event"] for row in fired if row["machine"] == "campaign"] == ["finish"]
    assert p95 <= P95_MS
    assert p95_same <= took * 1000 / TURNS
    assert after - before <= MEMORY_MB


def _waits(root, path, key, is_over):
    """Send the same request until something is over; return how long each took, in milliseconds."""
    client, found = HTTPConnection(urlsplit(root).netloc, timeout=60), []
    while not is_over():
        began = time.perf_counter()
        client.request("GET", path, headers={"api-key": key})
        client.getresponse().read()
        found.append((time.perf_counter() - began) * 1000)
    client.close()
    return found
