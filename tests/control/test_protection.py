"""The headers that keep answers out of foreign frames and caches, and browsers from guessing their types."""

from __future__ import annotations

import re

import pytest

from mockserver.app.mock import refusal
from mockserver.core.contract.operation import Audience
from mockserver.dashboard.application import dashboard_of
from mockserver.resources.registry import ALL_OPERATIONS

#: What stands in an address for each parameter, so that as many pages as possible are found.
PARTS = {"name": "default", "machine": "sender", "key": "1", "domain": "a.test", "identifier": "1"}
#: Pages that the parameters above do not lead to.
MORE = [
    "/", "/_mock/docs/contract/senders.md", "/_mock/mailbox/{mail}.html", "/_mock/ui/mail/{mail}",
    "/_mock/ui/mail/{mail}/html", "/_mock/ui/requests/{request}", "/_mock/coverage?format=html", "/_mock/ui/nowhere",
]  # fmt: skip


@pytest.fixture(scope="module")
def served(make_api):
    """A server with something to show, and every address at which it may answer with a page."""
    api = make_api()
    created = api.post("/v3/senders", json={"name": "Jo", "email": "jo@acme.test"})
    mail = api.get("/_mock/mailbox").json["items"][0]["id"]
    rules = [*api.app.control.url_map.iter_rules(), *dashboard_of(api.app.control).url_map.iter_rules()]
    paths = {rule.rule for rule in rules if "GET" in rule.methods}
    paths |= {row.path for row in ALL_OPERATIONS.values() if row.audience is Audience.PAGE and row.method == "GET"}
    addresses = {re.sub(r"[<{](\w+)[>}]", lambda found: PARTS.get(found[1], "x"), path) for path in paths}
    more = {path.format(mail=mail, request=created.headers["sib-request-id"]) for path in MORE}
    return api, sorted({address for address in addresses if not address.endswith("/stream")} | more)


def test_pages_cannot_be_framed_by_another_site(served):
    api, addresses = served
    pages = 0
    for address in addresses:
        answer = api.get(address, headers={"Accept": "text/html"})
        if answer.mimetype == "text/html":
            policy = answer.headers["Content-Security-Policy"]
            assert "frame-ancestors 'none'" in policy or "frame-ancestors 'self'" in policy, address
            pages += 1
    assert pages > 40


def test_every_answer_of_the_mock_tells_its_type_and_how_long_it_may_be_kept(served):
    api, addresses = served
    for address in addresses:
        if address.startswith("/_mock"):
            headers = api.get(address).headers
            assert headers["X-Content-Type-Options"] == "nosniff", address
            assert headers["Cache-Control"] == "no-store" or "/static/" in address or "/docs/" in address, address


def test_an_answer_of_the_control_api_is_kept_nowhere_when_it_is_refused(make_api):
    for method, path in [("GET", "/_mock/nowhere"), ("PUT", "/_mock/state"), ("POST", "/_mock/reset")]:
        answer = make_api("empty", control_token="secret").request(method, path)
        assert answer.status_code == 401
        assert (answer.headers["X-Content-Type-Options"], answer.headers["Cache-Control"]) == ("nosniff", "no-store")


def test_a_request_that_no_call_reads_is_refused_with_the_same_headers():
    headers = refusal("/w/default/_mock/state", 431, "too large").headers

    assert (headers["X-Content-Type-Options"], headers["Cache-Control"]) == ("nosniff", "no-store")


def test_a_page_that_a_program_adds_keeps_its_own_headers(api):
    api.get("/_mock/health")
    api.app.add_url_rule("/page", view_func=lambda: "<p>hello")

    headers = api.get("/page").headers
    assert not {"Content-Security-Policy", "Cache-Control", "X-Content-Type-Options"} & set(headers.keys())
