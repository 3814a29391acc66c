"""A Host header that no address can have is refused where requests come in, by every kind of page."""

from __future__ import annotations

import pytest
from werkzeug.test import EnvironBuilder, run_wsgi_app

PATHS = [
    "/", "/v3/account", "/v3/nowhere", "/nowhere", "/realms/partner/.well-known/openid-configuration",
    "/realms/partner/.well-known/oauth-authorization-server", "/realms/partner/oauth/authorize?client_id=a",
    "/realms/partner/oauth/consent", "/account/login/corporate/sso/x", "/shared/x", "/_mock/health", "/_mock/requests",
    "/_mock/workspaces", "/_mock/ui", "/_mock/ui/sign-in", "/w/default/v3/account",
]  # fmt: skip
MALFORMED = [
    "xn--a.test", "XN--A.test", "xn--", "a.xn--zzzzzz99999.test", "localhost:99999", "localhost:0", f"{'a' * 300}.test",
]  # fmt: skip
#: The control API admits none of these names.
UNKNOWN = [
    "", " ", "a b", "[", "[]", "[::1", "[g::1]", "::1", ":8003", "localhost:abc", "bücher.test", "a@b", "a/b", "a,b",
    "<a>", ".", "a..b", "localhost..", "acme.test..",
]  # fmt: skip


@pytest.fixture(scope="module")
def shown(make_api):
    api = make_api("standard")

    def status(path, host):
        environment = EnvironBuilder(path=path).get_environ()
        environment["HTTP_HOST"] = host.encode().decode("latin-1")
        return int(run_wsgi_app(api.app, environment)[1].partition(" ")[0])

    return status


@pytest.mark.parametrize("path", PATHS)
def test_malformed_host_is_refused(shown, path):
    assert {host: shown(path, host) for host in MALFORMED} == dict.fromkeys(MALFORMED, 400)
    assert {shown(path, host) for host in UNKNOWN} <= {400, 403}


def test_host_of_an_address_is_part_of_it_as_it_was_sent(make_api):
    api = make_api("standard")
    for host in ("xn--bcher-kva.test", "mock_server:8003", "[::1]:8003", "localhost", "10.0.0.1:1"):
        path = "/realms/partner/.well-known/openid-configuration"
        answer = api.client.get(path, headers={"Host": host})
        assert answer.json["issuer"] == f"http://{host}/realms/partner"
