"""A server with a public address, behind an nginx that ends TLS and has a prefix."""

from contextlib import ExitStack

import pytest
import requests
from prefix_proxy import PrefixProxy
from redis_server import RedisServer

from mockserver import MockServer

#: An account that may export, an app of a third party, and somebody who signs in.
SCENARIO = {
    "accounts": [
        {
            "name": "group", "id": 1003001, "role": "master", "enterprise": True, "api_keys": ["key-group"],
            "email": "boss@group.test", "company_name": "Group", "users": [{"email": "boss@group.test", "admin": True}],
            "senders": [{"id": 1, "name": "Group", "email": "news@group.test"}],
            "campaigns": [{"id": 11, "kind": "email_template", "name": "Order", "html": "<p>Hi</p>"}],
        },
        {"name": "shop", "id": 1003002, "role": "sub_account", "of": "group", "api_keys": ["key-shop"]},
    ],
    "oauth_apps": [
        {
            "client_id": "crm", "client_secret": "s3cret", "redirect_uris": ["https://app.test/callback"],
            "scopes": ["account:read"],
        }
    ],
}  # fmt: skip


class Client(requests.Session):
    """A client that trusts the proxy and has its own way to the server, without proxies of the environment."""

    def __init__(self, ca):
        super().__init__()
        self.verify, self.trust_env = ca, False

    def request(self, method, url, **options):
        return super().request(method, url, **{"timeout": 20, **options})


class Public:
    """A server, the proxy before it, and a client; `url` is the public root address."""

    def __init__(self, server, proxy):
        self.server, self.proxy, self.url = server, proxy, proxy.url
        self.http = Client(proxy.ca)

    def follow(self, url, **options):
        """Get an address that the server has written, through the proxy."""
        assert url.startswith(f"{self.url}/"), url
        answer = self.http.get(url, **options)
        assert answer.status_code < 400, f"{url}: {answer.status_code} {answer.text[:300]}"
        return answer


@pytest.fixture
def scenario():
    """The scenario of the public servers."""
    return SCENARIO


@pytest.fixture(scope="session")
def serve(tmp_path_factory):
    """A factory of public servers: the store, whether the proxy `strips` or `keeps` the prefix, and settings."""
    with ExitStack() as opened:

        def make(store="memory", prefix="keeps", *, host=True, **settings):
            folder = tmp_path_factory.mktemp("proxy")
            proxy = PrefixProxy(folder)
            if store == "redis":
                store = opened.enter_context(RedisServer(folder)).url()
            store = f"sqlite:{folder}/mock.db" if store == "sqlite" else store
            server = opened.enter_context(MockServer(SCENARIO, public_url=f"{proxy.url}/", store=store, **settings))
            proxy.start(server.client.url, prefix, host=host)
            opened.callback(proxy.stop)
            found = Public(server, proxy)
            opened.enter_context(found.http)
            return found

        yield make


@pytest.fixture(scope="session", params=[("memory", "strips"), ("sqlite", "keeps"), ("redis", "strips")], ids="-".join)
def public(request, serve):
    """A public server of each store."""
    return serve(*request.param)


@pytest.fixture(params=["default", "named"])
def workspace(request, public):
    """The default workspace, or one with a name."""
    if request.param == "default":
        public.server.reset()
        yield public.server.default
    else:
        with public.server.workspace() as found:
            yield found
