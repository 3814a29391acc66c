"""Web pages of other origins cannot use the control API, whatever the trick; everybody else needs no setting."""

from __future__ import annotations

import socket
from itertools import product

import pytest
from werkzeug.test import EnvironBuilder, run_wsgi_app

CROSS = {"Sec-Fetch-Site": "cross-site"}
FOREIGN = {"Origin": "http://evil.test"}
BEHIND_TLS = {"Host": "mock.internal", "Origin": "https://mock.internal"}


def is_refused(answer):
    return (answer.status_code, answer.content_type) == (403, "application/problem+json")


CLOSED = [
    ("POST", "/_mock/reset"), ("POST", "/_mock/faults"), ("POST", "/_mock/seed"), ("POST", "/_mock/keys/revoke"),
    ("POST", "/_mock/clock/advance"), ("DELETE", "/_mock/requests"), ("GET", "/_mock/state"), ("GET", "/_mock/stream"),
    ("GET", "/_mock/nothing"), ("HEAD", "/_mock/state"), ("OPTIONS", "/_mock/reset"),
]  # fmt: skip


def test_a_page_of_another_origin_is_refused(api):
    for headers in [
        CROSS, FOREIGN, {"Origin": "null"}, {"Origin": "http://localhost:3000"}, {"Origin": "https://localhost:444"},
        {"Origin": "http://localhost.evil.test"}, {"Origin": "http://evil@localhost"}, {"Origin": ""},
        {"Sec-Fetch-Site": "something else"}, {**CROSS, "Origin": "http://localhost"},
        {"Sec-Fetch-Site": "same-site", **FOREIGN}, {"Origin": "chrome-extension://abcdef"},
    ]:  # fmt: skip
        for prefix, (method, path) in product(("", "/w/default"), CLOSED):
            answer = api.client.open(f"{prefix}{path}", method=method, headers=headers, data="x")
            assert is_refused(answer), (prefix, method, path)


def test_refused_call_of_another_origin_changes_nothing_and_says_so(api):
    api.client.post("/_mock/reset", json={"scenario": "empty"}, headers=CROSS)
    answer = api.client.put("/_mock/clock", json={"frozen": True}, headers=FOREIGN, content_type="text/plain")

    assert api.workspace.origin.title == "standard"
    assert not api.workspace.state.clock.frozen
    assert answer.json["detail"] == (
        "a web page of another origin (http://evil.test) sent this request; nothing was changed"
    )


def test_a_page_of_the_mock_an_address_typed_in_and_programs_are_let_in(api):
    for headers in [
        {}, {"Sec-Fetch-Site": "same-origin"}, {"Sec-Fetch-Site": "none"}, {"Sec-Fetch-Site": "same-site"},
        {"Origin": "http://localhost"}, {"Host": "127.0.0.1:8003", "Origin": "http://127.0.0.1:8003"},
        {"Host": "[::1]:8003", "Origin": "http://[::1]:8003"}, BEHIND_TLS, {"Host": "LOCALHOST", "Origin": "http://localhost"},
        {"Host": "localhost:80", "Origin": "http://localhost"},
    ]:  # fmt: skip
        assert api.client.get("/_mock/clock", headers=headers).status_code == 200


@pytest.mark.parametrize("headers", [CROSS, FOREIGN])
def test_the_token_does_not_let_in_pages_of_other_origins(make_api, headers):
    api = make_api(control_token="sesame")

    assert is_refused(api.client.get("/_mock/clock", headers={"Authorization": "Bearer sesame", **headers}))


@pytest.mark.parametrize("headers", [{**CROSS, "Sec-Fetch-Mode": "navigate"}, FOREIGN, {"Host": "evil.example.com"}])
def test_open_calls_accept_pages_of_other_origins(api, headers):
    for method, path, status in [
        ("GET", "/_mock/docs", 200), ("GET", "/_mock/docs/start.js", 200), ("GET", "/_mock/docs/openapi.json", 200),
        ("GET", "/_mock/health", 200), ("GET", "/_mock/livez", 200), ("POST", "/_mock/receiver/shop", 200),
        ("GET", "/_mock/exports/none.csv", 404), ("GET", "/", 200), ("GET", "/shared/none", 404),
        ("GET", "/realms/partner/.well-known/openid-configuration", 200),
    ]:  # fmt: skip
        assert api.request(method, path, headers=headers).status_code == status, path


# ---------------------------------------------------------------------- names


def test_a_name_that_can_only_be_ours_needs_no_setting(api):
    for host in (
        "127.0.0.1", "127.0.0.1:8003", "10.1.2.3:80", "[::1]", "[::1]:8003", "[fe80::1]:8003", "localhost",
        "localhost:8003", "LocalHost", "localhost.", "mockserver", "mockserver:8003", "mock_server:8003",
        "mock.localhost", "printer.local:8003", "host.docker.internal:8003", "mock.test", "mock.team.svc",
        "mock.team.svc.cluster.local:8003", "MOCK.INTERNAL", socket.gethostname(), f"{socket.gethostname()}:8003",
    ):  # fmt: skip
        assert api.client.get("/_mock/clock", headers={"Host": host}).status_code == 200, host


def test_public_host_names_are_refused(api):
    for host in (
        "evil.example.com", "evil.example.com:8003", "127.0.0.1.evil.example.com", "localhost.evil.example.com",
        "test.example.com", "svc.example.com", "mock.svc.example.com", "127.0.0.1.nip.io", "evilinternal.com",
        "[evil.example.com]", "[::1].evil.example.com", "::1", "a b", "evil.example.com,localhost", "localhost@a.com",
        "", ":8003", ".",
    ):  # fmt: skip
        answer = api.client.get("/_mock/clock", environ_overrides={"HTTP_HOST": host})
        assert is_refused(answer), host
        assert "--allowed-host" in answer.json["detail"]


def test_request_without_host_is_accepted(api):
    environment = EnvironBuilder(path="/_mock/clock").get_environ()
    del environment["HTTP_HOST"]

    assert run_wsgi_app(api.app, environment)[1] == "200 OK"


def test_with_a_control_token_any_name_will_do(make_api):
    api = make_api(control_token="sesame")

    answer = api.client.get("/_mock/clock", headers={"Host": "mock.acme.com", "Authorization": "Bearer sesame"})

    assert answer.status_code == 200


def test_allowed_host_setting_admits_further_names(make_api):
    for allowed, host, status in [
        ("mock.acme.com", "mock.acme.com:8003", 200), ("Mock.Acme.com.", "mock.acme.com", 200),
        ("mock.acme.com", "acme.com", 403), (".acme.com", "mock.acme.com", 200), (".acme.com", "a.b.acme.com", 200),
        (".acme.com", "acme.com", 200), (".acme.com", "evilacme.com", 403), ("*", "anything.example.com", 200),
    ]:  # fmt: skip
        api = make_api(allowed_host=("other.acme.com", allowed))
        assert api.client.get("/_mock/clock", headers={"Host": host}).status_code == status


def test_a_name_that_is_allowed_is_no_foreign_origin(make_api):
    """A proxy may ask by another name than the browser."""
    api = make_api(allowed_host=("mock.acme.com",))

    assert api.client.get("/_mock/clock", headers={"Origin": "https://mock.acme.com"}).status_code == 200


def test_to_allow_all_names_is_not_to_allow_all_origins(make_api):
    assert is_refused(make_api(allowed_host=("*",)).client.post("/_mock/reset", headers=FOREIGN))
