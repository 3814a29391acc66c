"""Applications of `create_app` that share a store, each under a WSGI server: whichever is asked, it is the same."""

from __future__ import annotations

import json
import smtplib
from contextlib import ExitStack

import httpx
import pytest
from two_servers import STORE, wsgi_server

from mockserver import MockServer, Settings, create_app

KEY = {"api-key": "any"}
SENDER = {"name": "Jo", "email": "jo@acme.test"}
MAIL = b"From: a@a.test\r\nTo: b@in.test\r\nSubject: S\r\n\r\nText\r\n"


class Served:
    """An application under a WSGI server."""

    def __init__(self, stack):
        server, self.root = stack.enter_context(wsgi_server())
        server.app = self.app = create_app(Settings(store=STORE, peer_address=self.root))
        stack.callback(self.app.close)


class Own:
    """A server of the mock."""

    def __init__(self, stack):
        server = stack.enter_context(MockServer(store=STORE, smtp_in="127.0.0.1:0"))
        self.root = server.url


@pytest.fixture(scope="module")
def servers(shared):
    with ExitStack() as stack:
        yield {"wsgi": Served(stack), "other wsgi": Served(stack), "own": Own(stack)}


def ask(server, method, path, body=None, **headers):
    sent = {name.replace("_", "-"): text for name, text in headers.items()}
    return httpx.request(method, f"{server.root}{path}", json=body, headers=sent, timeout=20)


@pytest.fixture(params=[("wsgi", "other wsgi"), ("wsgi", "own"), ("own", "wsgi")], ids=" asks ".join)
def asked_and_holder(request, servers):
    """A server that is asked, and another one."""
    asked, holder = request.param
    return servers[asked], servers[holder]


@pytest.fixture
def asked(asked_and_holder):
    """The server that is asked."""
    return asked_and_holder[0]


@pytest.fixture
def holder(asked_and_holder):
    """The server that holds the workspace."""
    return asked_and_holder[1]


@pytest.fixture
def made(holder):
    """A workspace."""
    answer = ask(holder, "POST", "/_mock/workspaces", {})
    assert answer.status_code == 201, answer.text
    return answer.json()


def test_what_is_done_at_one_is_done_at_the_other(asked, holder, made):
    assert ask(asked, "POST", "/v3/senders", SENDER, api_key=made["api_key"]).status_code == 201

    answers = [ask(server, "GET", "/v3/senders", api_key=made["api_key"]) for server in (asked, holder)]

    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].content == answers[1].content
    assert "jo@acme.test" in answers[0].text


OF_SERVER = {"date", "server", "connection", "sib-request-id", "x-sib-ratelimit-remaining"}


def test_an_answer_has_the_headers_of_the_holders_application(asked, holder, made):
    answers = [ask(server, "GET", "/v3/account", api_key=made["api_key"]) for server in (asked, holder)]

    kept = [{name: text for name, text in answer.headers.items() if name not in OF_SERVER} for answer in answers]
    assert kept[0] == kept[1]
    assert len(answers[0].headers.get_list("date")) == 1


def test_an_address_arrives_with_all_that_is_quoted_in_it(asked, holder, made):
    path = f"/w/{made['name']}/v3/smtp/blockedContacts/a%2Fb%20%C3%A9@acme.test?q=%2F+1"

    answers = [ask(server, "DELETE", path, api_key=made["api_key"]) for server in (asked, holder)]

    items = ask(holder, "GET", "/_mock/requests", X_Mock_Workspace=made["name"]).json()["items"]
    told = [{name: item[name] for name in ("path", "query", "operation", "status")} for item in items]
    assert answers[0].content == answers[1].content
    assert told[0] == told[1]


def test_a_client_is_told_of_as_it_has_reached_the_server_that_was_asked(asked, made):
    answer = ask(asked, "GET", f"/_mock/workspaces/{made['name']}")

    assert answer.json()["url"].startswith(asked.root)


def test_a_body_in_chunks_arrives(asked, made):
    body = json.dumps(SENDER).encode()
    headers = {"api-key": made["api_key"], "Content-Type": "application/json"}

    answer = httpx.post(f"{asked.root}/v3/senders", content=iter([body[:7], body[7:]]), headers=headers, timeout=20)

    assert answer.status_code == 201


def test_a_stream_comes_event_by_event(asked, holder, made):
    with httpx.stream("GET", f"{asked.root}/w/{made['name']}/_mock/stream", timeout=20) as stream:
        lines = stream.iter_lines()
        assert next(lines).startswith("id: ")
        assert ask(holder, "GET", "/v3/account", api_key=made["api_key"]).status_code == 200

        assert any("/v3/account" in line for line in lines)


@pytest.mark.parametrize("fault", ["connection_reset", "empty_response"])
def test_a_client_that_is_to_get_no_answer_gets_none(asked, made, fault):
    with pytest.raises(httpx.TransportError):
        ask(asked, "GET", "/v3/account", api_key=made["api_key"], X_Mock_Fault=fault, Connection="close")


def test_a_mail_reaches_a_workspace_that_an_application_holds(servers):
    holder = servers["wsgi"]
    hook = {"url": "http://127.0.0.1:9/", "type": "inbound", "events": ["inboundEmailProcessed"], "domain": "in.test"}
    scenario = {"accounts": [{"name": "m", "role": "master", "webhooks": [hook]}]}
    name = ask(holder, "POST", "/_mock/workspaces", {"scenario": scenario}).json()["name"]
    address = ask(servers["own"], "GET", "/_mock/health").json()["smtp_in"]["address"]

    with smtplib.SMTP(address, timeout=20) as client:
        client.sendmail("a@a.test", ["b@in.test"], MAIL)

    assert ask(holder, "GET", "/_mock/inbound", X_Mock_Workspace=name).json()["count"] == 1


def test_an_application_that_does_not_know_its_address_asks_for_it(shared):
    with pytest.raises(ValueError, match=r"cannot be told where this application is.*Settings\(peer_address="):
        create_app(Settings(store=STORE))
