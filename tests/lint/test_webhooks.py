"""The rules `secret-in-url` and `unverified-webhook`."""

from __future__ import annotations

import pytest
from lint.calls import Call

from mockserver.resources.deliveries.delivery import Attempt, Delivery

PLAIN = "https://hooks.acme.test/in"


def webhook(url, **more):
    return Call("POST", "/v3/webhooks", {"url": url, "events": ["sent"], **more})


SECRET = {
    f"{PLAIN}?token=s3cret": "query parameter token",
    f"{PLAIN}?a=1&Api-Key=abc": "query parameter Api-Key",
    f"{PLAIN}?key=abc123": "query parameter key",
    f"{PLAIN}?hookToken=abc": "query parameter hookToken",
    "https://user:pass@hooks.acme.test/in": "user info",
    **{f"{PLAIN}?{name}=a8f7": f"query parameter {name}" for name in
       ("sig", "signature", "auth", "pass", "pwd", "jwt", "hmac", "code", "X-Api-Key", "clientSecret")},
}  # fmt: skip


@pytest.mark.parametrize(("url", "place"), SECRET.items())
def test_secret_in_a_url_is_found_and_not_shown(check, url, place):
    check(
        "secret-in-url", [webhook(url)],
        f"createWebhook put a secret into the URL of a webhook ({place}); 0 calls have carried it so far", [0],
    )  # fmt: skip


@pytest.mark.parametrize(
    "call",
    [
        webhook(PLAIN), webhook(f"{PLAIN}?key=orders&tenant=7&auth=none"), webhook(f"{PLAIN}?token="),
        webhook(PLAIN, auth={"type": "bearer", "token": "s3cret"}), webhook(f"{PLAIN}?token=x", events=["nothing"]),
        webhook("https://hooks.acme.test/user@host/in"),
        webhook(f"{PLAIN}?page_token=a8f7&csrf_token=a8f7&_xsrf=a8f7&max_tokens=5&key=orders-eu&code=201"),
    ],
    ids=["no query", "a key that names something", "no value", "a bearer token", "a refused webhook", "an @ in a path",
         "names that only resemble those of secrets"],
)  # fmt: skip
def test_url_without_a_secret_is_no_finding(check, call):
    check("secret-in-url", [call])


@pytest.fixture
def deliver(api):
    """Makes a delivery that was sent as something, and whose receiver has answered with a status."""

    def make(status, sent_as):
        api.post("/v3/webhooks", json={"url": PLAIN, "events": ["sent"]})
        number = api.post("/_mock/trigger", json={"event": "sent"}).json["items"][0]["id"]
        found = api.workspace.state.first_account.table(Delivery)[number]
        found.sent_as, found.attempts = sent_as, [Attempt(found.created_at, status, None)]
        return number

    return make


def test_receiver_that_takes_a_forged_call_is_found(api, client, deliver):
    number = deliver(204, "forged")

    row = api.get("/_mock/findings").json["items"][0]

    assert (row["rule"], row["deliveries"]) == ("unverified-webhook", [number])
    assert row["message"] == "the receiver of webhook 1 answered a forged call with 2xx: anybody can send it events"


@pytest.mark.parametrize(("status", "sent_as"), [(401, "forged"), (500, "forged"), (None, "forged"), (200, "late"),
                                                  (200, None)])  # fmt: skip
def test_receiver_is_no_finding_that_answers(client, deliver, status, sent_as):
    deliver(status, sent_as)

    assert client.findings() == []
