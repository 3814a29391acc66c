"""How long clients wait while another client reads a workspace of 100,000 rows again and again, for each store.

The limit is absolute: it is what a client notices, and far above what an idle machine needs.
"""

import json
import statistics
import threading
import time
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest
from benchmarks.bench import MOCK, post, started
from redis_server import RedisServer

pytestmark = pytest.mark.benchmark

#: How long the ninety-ninth of a hundred requests of others may take, in milliseconds, and for how many seconds others
#: ask. Chosen: a tenth of a second is what people notice; 19 to 43 ms are measured on a slow machine.
P99_MS, ASKED_S = 100, 4
#: The rows of the large workspace: senders and domains.
LARGE = {"accounts": [{"name": "acme", "generate": {"senders": 50_000, "domains": 50_000}}]}


@pytest.fixture(params=["sqlite", "redis"])
def store(request, tmp_path):
    """The address of a store."""
    if request.param == "sqlite":
        yield f"sqlite:{tmp_path / 'store.db'}"
        return
    with RedisServer(tmp_path) as engine:
        yield engine.url()


def make(root, **body):
    return json.loads(post(f"{root}/_mock/workspaces", body))["api_key"]


@pytest.mark.parametrize("path", ["/v3/senders", "/_mock/state"])
def test_others_do_not_wait_while_a_large_workspace_is_read(show, store, path):
    with started([*MOCK, "standard", "--rows-limit", "1000000", "--store", store]) as (root, _):
        large, small = make(root, name="large", scenario=LARGE), make(root, name="small")
        over = threading.Event()
        reader = threading.Thread(target=_read, args=(root, f"/w/large{path}", large, over.is_set))
        reader.start()
        waits = []
        try:
            _read(root, "/v3/account", small, lambda: sum(waits) > ASKED_S * 1000, waits)
        finally:
            over.set()
            reader.join()

    p99 = statistics.quantiles(waits, n=100)[98]
    show(f"{store.partition(':')[0]}, {path}: p99 of others {p99:.1f} ms, longest {max(waits):.1f} ms")
    assert p99 <= P99_MS


def _read(root, path, key, is_over, waits=None):
    """Send the same request until it is over; add how long each took, in milliseconds, to `waits`."""
    client = HTTPConnection(urlsplit(root).netloc, timeout=60)
    while not is_over():
        begun = time.perf_counter()
        client.request("GET", path, headers={"api-key": key})
        answer = client.getresponse()
        answer.read()
        assert answer.status == 200
        if waits is not None:
            waits.append((time.perf_counter() - begun) * 1000)
    client.close()
