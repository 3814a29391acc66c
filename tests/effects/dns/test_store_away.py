"""A request that waits for DNS while the store is away for a moment is answered as if it had stayed."""

from concurrent.futures import ThreadPoolExecutor

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


def test_a_domain_is_authenticated_though_the_store_was_away_when_dns_answered(api, serve_app, trouble, stub, held):
    url = f"{serve_app(api.app)}/v3/senders/domains/good.test/authenticate"
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(httpx.put, url, headers={"api-key": "any"}, timeout=20)
        stub.wait(3)
        with trouble.away("read", "write"):
            held.set()

        assert waiting.result().status_code == 200
    assert len(stub.questions) == 3
