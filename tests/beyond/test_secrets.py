"""Two hundred secrets in two hundred places: none is shown, and none leaves to a peer."""

import json
from itertools import count

import pytest
import yaml

from mockserver.beyond.recording import recorded

NAMES = """
authToken secretKey privateKey webhookSecret signingSecret smtp_key passwd pwd passphrase credentials sessionId jwt
bearer api_keys sig signature pass hmac csrf_token password apikey access_token X-Auth-Token X-Api-Key otp code
"""
FORM, TEXT = "application/x-www-form-urlencoded", "text/plain"


class Secrets:
    """Draws secrets, and remembers the place of each."""

    def __init__(self):
        self.places = {}
        self._numbers = count(1)

    def __call__(self, place):
        found = f"zq{next(self._numbers):04}xw"
        self.places[found] = place
        return found

    def shown_in(self, text):
        return {place for secret, place in self.places.items() if secret in text}


@pytest.fixture
def new():
    return Secrets()


@pytest.fixture
def peer(listen):
    body = b'{"token": "zqpeer1xw", "items": [{"apiKey": "zqpeer2xw"}]}'
    head = (
        f"HTTP/1.1 200 OK\r\nX-Auth-Token: zqpeer3xw\r\nSet-Cookie: a=zqpeer4xw\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return listen(head.encode() + body)


@pytest.fixture
def api(make_forwarding, peer):
    found = make_forwarding(peer.url(""), log_format="json", forward_writes=True)
    yield found
    found.app.log.close()


def send_requests(api, new):
    for name in NAMES.split():
        for depth in range(2):
            inner = {name: new(f"member {name} at depth {depth}")}
            for _ in range(depth):
                inner = {"rows": [{"data": inner}]}
            api.post("/v3/senders", json=inner)
        api.get("/v3/senders", query_string={name: new(f"parameter {name}")})
        api.post("/v3/senders", data=f"a=1&{name}={new(f'form {name}')}&b=2", content_type=FORM)
        for words in ("{}={}", "{}: {}", '"{}": "{}", x', "<{}>{}</a>"):
            text = words.format(name, new(f"text {words} {name}"))
            api.post("/v3/senders", data=text, content_type=TEXT)
    for name in (
        "X-Auth-Token",
        "X-Access-Token",
        "Private-Token",
        "X-Webhook-Secret",
        "apikey",
        "Cookie",
        "Authorization",
    ):
        api.get("/v3/senders", headers={name: f"Basic {new(f'header {name}')}"})
    api.get(f"/v3/inbound/attachments/{new('path of an attachment')}")
    api.post("/v3/senders", json={"note": f"curl -H 'Authorization: Bearer {new('bearer in a text')}' https://a.test"})
    api.post("/v3/senders", json={"rows": [{"name": "password", "value": new("named value")}]})
    api.post(
        "/v3/senders", json={"url": f"https://a.test/?next=https%3A%2F%2Fb.test%3Ftoken%3D{new('address in address')}"}
    )


def make_webhooks(api, new):
    for number in range(5):
        address = (
            f"http://user:{new('user info')}@127.0.0.1:9/{number}?token={new('query of a webhook')}&sig={new('sig')}"
        )
        auth = {"type": "bearer", "token": new("auth of a webhook")}
        headers = [{"key": "X-Team", "value": new("header of a webhook")}]
        row = {"url": address, "events": ["delivered"], "auth": auth, "headers": headers}
        assert api.post("/v3/webhooks", json=row).status_code == 201
    assert api.post("/_mock/trigger", json={"event": "delivered", "to": "jo@a.test"}).status_code < 300
    api.advance("P2D")
    assert "failed-delivery" in api.get("/_mock/report").text


def use_stubs(api, new):
    for number, name in enumerate(("X-Auth-Token", "Set-Cookie", "apikey", "X-Webhook-Secret")):
        answer = {"headers": {name: new(f"header of a stub {name}")}, "json": {"authToken": new("answer of a stub")}}
        stub = {"method": "GET", "path": f"/v3/companies/{number}", "answer": answer}
        assert api.post("/_mock/stubs", json=stub).status_code == 201
        assert api.get(f"/v3/companies/{number}").status_code == 200
    text = {"text": f"password: {new('text of a stub')}\nkey={new('key of a stub')}"}
    api.post("/_mock/stubs", json={"method": "GET", "path": "/v3/deals", "answer": text})
    assert api.get("/v3/crm/deals").status_code < 500
    assert api.get("/v3/deals").status_code < 500


def forward(api, new):
    for name in ("X-Api-Key", "X-Auth-Token", "Private-Token", "apikey", "Cookie"):
        api.get(
            "/v3/crm/tasks",
            headers={name: new(f"forwarded {name}")},
            query_string={"access_token": new("forwarded query")},
        )


def control(api, new):
    accounts = [{"name": "acme", "api_keys": [new("seeded key"), new("second seeded key")],
                 "users": [{"email": "a@a.test", "password": new("seeded password")}],
                 "marketing_automation": {"enabled": True, "key": new("seeded tracker key")}}]  # fmt: skip
    apps = [
        {
            "client_id": "shop",
            "client_secret": new("seeded client secret"),
            "name": "x",
            "redirect_uris": [],
            "scopes": [],
        }
    ]
    document = {"accounts": accounts, "oauth_apps": apps}
    assert api.put("/_mock/state", json=document).status_code == 200
    for text in (yaml.safe_dump(document), yaml.safe_dump(document, default_flow_style=True)):
        found = api.put("/_mock/state", data=text, content_type="application/yaml")
        assert found.status_code == 200, found.text
    assert api.post("/_mock/keys/revoke", json={"key": accounts[0]["api_keys"][0]}).status_code < 300
    rule = {
        "fault": "server_error",
        "headers": {"X-Auth-Token": new("header of a fault")},
        "body": {"jwt": new("fault")},
    }
    assert api.post("/_mock/faults", json={**rule, "times": 1}).status_code == 201
    api.get("/v3/account", key=accounts[0]["api_keys"][1])
    made = api.post("/_mock/apps", json={"client_secret": new("secret of an app"), "name": "y", "redirect_uris": []})
    assert made.status_code < 500


def outputs(api):
    yield "trace", api.get("/_mock/trace").text
    for path in ("requests?limit=1000&format=har", "requests?limit=1000", "calls?limit=1000"):
        yield path, api.get(f"/_mock/{path}").text
    yield "report", api.get("/_mock/report?limit=1000").text + api.get("/_mock/report?format=text&limit=1000").text


@pytest.mark.parametrize("act", [send_requests, make_webhooks, use_stubs, forward, control])
def test_no_secret_is_shown_anywhere(api, new, act, capfd):
    act(api, new)

    for name, text in outputs(api):
        assert len(text) > 20, name
        assert (name, new.shown_in(text)) == (name, set())
        assert "zqpeer" not in text
    api.app.log.close()
    assert new.shown_in(capfd.readouterr().err) == set()


def test_two_hundred_places_are_tried(api, new):
    for act in (send_requests, make_webhooks, use_stubs, forward, control):
        act(api, new)

    assert len(new.places) >= 200


def test_no_secret_of_a_header_or_a_query_leaves_to_a_peer(api, new, peer):
    forward(api, new)

    calls = b"".join(peer.calls).decode("latin-1")
    assert calls.count("GET /v3/crm/tasks HTTP/1.1") == 5
    assert new.shown_in(calls) == set()


def test_recorded_stubs_have_no_secrets(api, new):
    forward(api, new)

    found = recorded(api.get("/_mock/requests").json["items"])
    assert found.stubs
    assert "zqpeer" not in json.dumps(found.scenario)
    assert new.shown_in(json.dumps(found.scenario)) == set()
