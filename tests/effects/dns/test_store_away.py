"""A request that waits for DNS, and the store is away when it answers."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import httpx
import pytest
from store_trouble import StoreTrouble


@pytest.fixture
def trouble(monkeypatch):
    return StoreTrouble(monkeypatch)


@pytest.fixture
def api(trouble, tmp_path, make_api, scenario, stub):
    store = {"store": f"sqlite:{tmp_path / 'mock.db'}"}
    return make_api(scenario("good.test"), dns_resolver=stub.address, **store)


def test_a_request_that_waited_for_dns_is_refused_while_the_store_is_away_and_the_next_one_is_answered(
    api, serve_app, trouble, stub, held
):
    url = f"{serve_app(api.app)}/v3/senders/domains/good.test/authenticate"
    ask = partial(httpx.put, url, headers={"api-key": "any"}, timeout=20)
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(ask)
        stub.wait(3)
        with trouble.away("read", "write"):
            held.set()
            assert waiting.result().status_code == 503
    assert ask().status_code == 200
