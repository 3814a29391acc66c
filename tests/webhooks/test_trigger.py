"""Which webhooks are told of an event, and what a trigger refuses and answers."""

from datetime import datetime, timedelta

import pytest

from mockserver.resources.webhooks.catalogue import HELD_EVENTS, STORIES, raisable
from mockserver.resources.webhooks.event import Category

MINUTE = timedelta(minutes=1)
ALL = sorted(HELD_EVENTS["transactional", "email"])


def told(items):
    return [item["webhook"] for item in items]


def all_but(name):
    return [event for event in ALL if event != name]


@pytest.mark.parametrize(
    ("hooks", "trigger", "called"),
    [
        ([{"events": ["click", "delivered"]}, {"events": ["opened"]}, {}], {"event": "delivered"}, [1, 3]),
        ([{"events": ["opened"]}, {"events": all_but("opened")}], {"event": "proxyOpen"}, [1]),
        ([{"events": ["uniqueOpened"]}, {"events": all_but("uniqueOpened")}], {"event": "uniqueProxyOpen"}, [1]),
        ([{"events": ["blocked"]}, {"events": ["error"]}, {"events": ["spam"]}], {"event": "error"}, [1, 2]),
        ([{"events": ["click"]}, {"type": "marketing", "events": ["click"]}], {"event": "click"}, [1]),
        ([{"events": ["click"]}, {"type": "marketing", "events": ["click"]}],
         {"event": "click", "type": "marketing"}, [2]),
        ([{}, {"channel": "sms", "events": ["delivered"]}], {}, [1]),
        ([{}, {"channel": "sms", "events": ["delivered"]}], {"channel": "sms", "to": "+33612345678"}, [2]),
        ([{"events": ["click"]}], {"event": "delivered"}, []),
    ],
)  # fmt: skip
def test_subscribed_webhooks_of_type_and_channel_are_called(hooks, trigger, called, hooked):
    assert told(hooked(*hooks).trigger(**trigger)) == called


@pytest.mark.parametrize("event", ["sent", "request"])
def test_sent_and_request_are_the_same_event(event, hooked):
    workspace = hooked({"events": ["sent"]}, {"events": ["request"]}, {"events": ["sent", "request"]})
    made = workspace.trigger(event)

    assert told(made) == [1, 2, 3]
    assert {row["event"] for row in made} == {"request"}


def test_the_webhooks_of_the_account_behind_the_key_are_told(make_api, receiver):
    hook = {"url": receiver.url, "events": ["delivered"]}
    accounts = [{"name": name, "api_keys": [name], "webhooks": [{**hook, "id": n}]} for n, name in enumerate("ab", 1)]
    api = make_api({"accounts": accounts})

    for key in (None, "a", "b"):
        headers = {"api-key": key} if key else {}
        answer = api.client.post("/_mock/trigger", json={"event": "delivered"}, headers=headers)
        assert told(answer.json["items"]) == [2 if key == "b" else 1]


def test_a_call_goes_to_the_address_with_its_headers(hooked):
    """The user agent is as recorded in September 2026; older calls said `SendinBlue Webhook`."""
    workspace = hooked(
        {"auth": {"type": "bearer", "token": "hook-token"}, "headers": [{"key": "x-team", "value": "mail"}]}
    )

    workspace.settled(workspace.trigger()[0]["id"])

    (call,) = workspace.receiver.calls
    assert call.path == "/hook"
    assert call.headers.items() >= {("Authorization", "Bearer hook-token"), ("x-team", "mail")}
    agent = "Brevo-webhook/2.0 (+https://developers.brevo.com/docs/how-to-use-webhooks)"
    assert call.headers["User-Agent"] == agent


@pytest.mark.parametrize("given", [{"auth": {}}, {"auth": {"type": "bearer"}}, {"headers": [{"key": "x-team"}, {}]}])
def test_incomplete_credential_or_header_does_not_prevent_the_call(given, hooked):
    workspace = hooked({})
    assert workspace.api.put("/v3/webhooks/1", json=given).status_code == 204

    assert workspace.settled(workspace.trigger()[0]["id"])["state"] == "delivered"
    assert "Authorization" not in workspace.receiver.calls[0].headers


def test_credentials_and_headers_beyond_limits_are_refused(hooked):
    for given, message in [
        ({"headers": [{"key": "x" * 257}]}, "headers[0].key: Longer than 256 characters"),
        ({"headers": [{"key": "x", "value": "x" * 20_000}]}, "headers[0].value: Longer than 8,192 characters"),
        ({"headers": [{"key": "x"}] * 101}, "headers: Longer than 100 items"),
        ({"headers": [{"key": "x", "value": "x" * 8_192}] * 8}, "headers: Longer than 65,536 characters altogether"),
        ({"auth": {"type": "bearer", "token": "x" * 8_193}}, "auth.token: Longer than 8,192 characters"),
    ]:
        workspace = hooked({})
        answer = workspace.api.put("/v3/webhooks/1", json=given)

        assert (answer.status_code, answer.json["code"], answer.json["message"]) == (400, "invalid_parameter", message)


def test_ninety_headers_are_sent(hooked):
    headers = [{"key": f"x-{index:02}", "value": "v" * 640} for index in range(90)]
    workspace = hooked({})
    assert workspace.api.put("/v3/webhooks/1", json={"headers": headers}).status_code == 204

    assert workspace.settled(workspace.trigger()[0]["id"])["state"] == "delivered"
    sent = workspace.receiver.calls[0].headers
    assert {row["key"]: row["value"] for row in headers}.items() <= sent.items()


def refused(workspace, **body):
    answer = workspace.api.post("/_mock/trigger", json=body)
    assert answer.status_code == 400
    return [(error["path"], error["message"]) for error in answer.json["errors"]]


def test_unknown_event_is_refused_with_the_known_events(hooked):
    for members, of in [
        ({}, "transactional webhooks"),
        ({"type": "marketing"}, "marketing webhooks"),
        ({"channel": "sms"}, "transactional webhooks of channel sms"),
        ({"type": "inbound"}, "inbound webhooks"),
    ]:
        known = ", ".join(raisable(Category(members.get("type", "transactional"), members.get("channel", "email"))))
        assert refused(hooked({}), event="exploded", **members) == [
            ("/event", f"unknown event of {of}: got 'exploded'; known: {known}"),
        ]


def test_bad_trigger_is_refused_with_its_place(hooked):
    workspace = hooked({})
    for body, path, message in (
        ({"event": "deliverd"}, "/event", "; did you mean delivered?"),
        ({"event": "listAddition"}, "/event", ""),
        ({"event": "accepted"}, "/event", ""),
        ({"event": "opened", "channel": "sms"}, "/event", ""),
        ({"event": 7}, "/event", ""),
        ({}, "", "give either event or story"),
        ({"event": "delivered", "story": "delivered"}, "", "give either event or story"),
        ({"story": "delivered", "type": "marketing"}, "/type", "only allowed together with event"),
        ({"story": "delivered", "channel": "sms"}, "/channel", "only allowed together with event"),
        ({"story": "delivered", "payload": {"subject": "Hi"}}, "/payload", "only allowed together with event"),
        ({"story": "unheard"}, "/story", ""),
        ({"type": "letter", "event": "sent"}, "/type", ""),
        ({"event": "sent", "to": ""}, "/to", ""),
        ({"event": "sent", "payload": []}, "/payload", ""),
        ({"type": "inbound", "event": "reply", "to": "jo@localhost"}, "/to", ""),
    ):
        ((found, text),) = refused(workspace, **body)

        assert found == path, body
        assert message in text


@pytest.mark.parametrize("story", STORIES)
def test_a_story_tells_its_events_each_at_its_own_moment(story, hooked):
    workspace = hooked({"events": ALL})

    items = workspace.tell(story, to="bob@example.test")
    start = datetime.fromisoformat(items[0]["created_at"])
    workspace.advance("PT1H")

    assert [item["event"] for item in items] == [scene.event for scene in STORIES[story]]
    rows = workspace.api.get("/_mock/deliveries").json["items"][::-1]
    sent = [datetime.fromisoformat(row["attempts"][0]["at"]) - start for row in rows]
    assert sent == [scene.after for scene in STORIES[story]]
    assert {body["email"] for body in workspace.receiver.bodies} == {"bob@example.test"}


def test_an_event_of_a_story_says_when_it_happened(hooked):
    workspace = hooked({"events": ["click"]})
    workspace.tell("delivered_opened_clicked")

    workspace.advance("PT12H")

    assert workspace.receiver.bodies[0]["date"] == "2026-01-15 10:05:20"


@pytest.mark.parametrize("ends", [True, False])
def test_a_story_goes_on_after_a_restart_and_ends_when_its_webhook_is_deleted(hooked, ends):
    workspace = hooked({"events": ALL})
    workspace.tell("delivered_opened")
    workspace.advance("PT1M")

    if ends:
        workspace.api.delete("/v3/webhooks/1")
    else:
        state = workspace.save_and_load()
        assert workspace.state() == state
    workspace.advance("PT1H")

    told_of = [body["event"] for body in workspace.receiver.bodies]
    assert told_of[:2] == ["request", "delivered"]
    # What happens at one moment may arrive in any order.
    assert sorted(told_of[2:]) == ([] if ends else ["opened", "unique_opened"])


_NO_TOKEN = "the body field `auth` has no `token`: the calls carry no Authorization header"


def test_member_without_effect_on_calls_is_warned_of(hooked):
    workspace = hooked({})
    no_key = "the body field `headers[{}]` has no `key`: the calls carry no such header"
    for call in ("POST /v3/webhooks", "PUT /v3/webhooks/1"):
        for members, warnings in (
            ({"auth": {}}, [_NO_TOKEN]),
            ({"auth": {"type": "bearer"}}, [_NO_TOKEN]),
            ({"auth": {"token": "t"}, "headers": [{"key": "x-a"}]}, []),
            ({"headers": [{}]}, [no_key.format(0)]),
            ({"headers": [{"key": "x-a", "value": "1"}, {"value": "2"}]}, [no_key.format(1)]),
        ):
            method, path = call.split()
            body = {"url": "http://127.0.0.1:9/other", "events": ["click"], **members}
            answer = workspace.api.request(method, path, json=body)

            assert answer.status_code in (201, 204)
            assert workspace.api.get("/_mock/requests?limit=1").json["items"][0]["warnings"] == warnings, members
            if method == "POST":
                workspace.api.delete(f"/v3/webhooks/{answer.json['id']}")


def test_duplicate_webhook_is_created_with_a_warning(hooked):
    workspace = hooked({})
    again = {"url": workspace.receiver.url, "events": ["delivered", "click"]}

    assert workspace.api.post("/v3/webhooks", json=again).status_code == 201

    assert workspace.api.get("/_mock/requests?limit=1").json["items"][0]["warnings"] == [
        "duplicate webhook: webhook 1 has the same url and type; both receive the events to which both subscribe"
    ]
    assert told(workspace.trigger()) == [1, 2]


@pytest.mark.parametrize(
    ("members", "warnings"),
    [
        ({"type": "marketing", "events": ["click"]}, []),
        (
            {"events": ["click"], "domain": "acme.test"},
            ["ignored the body field `domain`: a webhook of type transactional has no domain"],
        ),
    ],
)
def test_a_webhook_of_another_type_or_url_is_no_duplicate(members, warnings, hooked):
    workspace = hooked({"type": "marketing", "events": ["opened"], "url": "http://127.0.0.1:9/other"})

    assert workspace.api.post("/v3/webhooks", json={"url": workspace.receiver.url, **members}).status_code == 201

    assert workspace.api.get("/_mock/requests?limit=1").json["items"][0]["warnings"] == warnings
