"""Exports of the history of what was sent to webhooks: requested, ready on the clock, fetched by the announced link."""

import csv
import http.client
import io
import json
import urllib.error
import urllib.request
from urllib.parse import urlsplit

import pytest

from mockserver.resources.webhooks.history import COLUMNS

ENTERPRISE = [{"name": "acme", "api_keys": ["acme"], "enterprise": True}]
ALL = ["delivered", "request", "opened", "uniqueOpened", "click", "spam"]


@pytest.fixture
def exporting(hooked):
    """A factory of workspaces of an enterprise account, whose webhooks take all events."""

    def make(*webhooks, **members):
        rows = webhooks or ({"events": ALL}, {"type": "marketing", "events": ["click"]})
        return hooked(*rows, accounts=ENTERPRISE, **members)

    return make


def ask(workspace, **filters):
    """Request an export; returns the key of its instance in the state machine."""
    body = {"type": "transactional", "event": "allEvents", "notifyURL": f"{workspace.receiver.url}/export", **filters}
    answer = workspace.api.post("/v3/webhooks/export", json=body, key="acme")
    assert answer.status_code == 202, answer.text
    return answer.json["processId"]


def rows(workspace, **filters):
    """The lines of an export with these filters, after the minute that it takes."""
    key = ask(workspace, **filters)
    workspace.advance("PT1M")
    text = fetched(workspace, key).get_data(as_text=True)
    return list(csv.DictReader(io.StringIO(text, newline="")))


def machine(workspace, key):
    return workspace.api.get(f"/_mock/machines/export/{key}").json


def fetched(workspace, key):
    return workspace.api.get(urlsplit(machine(workspace, key)["url"]).path)


def told(workspace):
    return [call.body for call in workspace.receiver.calls if call.path == "/hook/export"]


def test_an_export_is_ready_when_the_clock_says_so_and_is_announced(exporting):
    workspace = exporting()
    key = ask(workspace)

    workspace.advance("PT59S")
    assert machine(workspace, key)["state"] == "accepted"
    assert fetched(workspace, key).status_code == 409
    workspace.advance("PT1S")

    assert machine(workspace, key)["state"] == "notified"
    assert told(workspace) == [{"processId": key, "url": machine(workspace, key)["url"]}]


def test_an_export_is_announced_again_to_an_address_that_fails(exporting):
    workspace = exporting()
    workspace.receiver.answers = [429, 429]
    key = ask(workspace)

    workspace.advance("PT1M")
    assert machine(workspace, key)["state"] == "ready"
    assert fetched(workspace, key).status_code == 200
    workspace.advance("PT70M")

    assert machine(workspace, key)["state"] == "notified"
    assert len(told(workspace)) == 3


def test_an_export_is_ready_though_it_may_not_be_announced_to_its_address(exporting):
    workspace = exporting()
    key = ask(workspace, notifyURL="http://169.254.169.254/latest")

    workspace.advance("P1D")

    assert machine(workspace, key)["state"] == "ready"
    assert fetched(workspace, key).status_code == 200
    (call,) = workspace.api.get("/_mock/deliveries").json["items"]
    assert (call["export"], call["webhook"], call["state"]) == (key, None, "dropped")
    assert {attempt["error"][:14] for attempt in call["attempts"]} == {"egress refused"}


def test_the_event_that_makes_an_export_ready_can_be_fired_by_hand(exporting):
    workspace = exporting()
    key = ask(workspace)
    assert workspace.api.post(f"/_mock/machines/export/{key}/complete").status_code == 200
    workspace.advance("PT10M")
    assert machine(workspace, key)["state"] == "notified"
    assert len(told(workspace)) == 1


def test_an_account_may_be_deleted_while_its_export_is_being_announced(make_api, receiver):
    accounts = [
        {"name": "acme", "role": "master", "api_keys": ["acme"]},
        {"name": "eu", "id": 2, "role": "sub_account", "of": "acme", "api_keys": ["eu"], "enterprise": True},
    ]
    api = make_api({"behaviour": {"export": {"after": "PT0S"}}, "accounts": accounts})
    receiver.answers = ["hold"]
    asked = {"type": "transactional", "event": "allEvents", "notifyURL": receiver.url}
    assert api.post("/v3/webhooks/export", json=asked, key="eu").status_code == 202
    receiver.await_calls(1)

    assert api.delete("/v3/corporate/subAccount/2", key="acme").status_code == 204
    receiver.lets_go.set()

    assert api.advance("PT1M")["fired"] == []


@pytest.mark.parametrize(
    ("waited", "statuses", "state"), [("PT0S", [], "accepted"), ("PT1M", [429], "ready"), ("PT1M", [], "notified")]
)
def test_an_export_can_be_written_and_loaded_in_each_state(waited, statuses, state, exporting):
    workspace = exporting()
    workspace.settled(workspace.trigger()[0]["id"])
    workspace.receiver.answers = list(statuses)
    key = ask(workspace, days=7)
    workspace.advance(waited)
    assert machine(workspace, key)["state"] == state

    document = workspace.save_and_load()
    assert workspace.state() == document
    workspace.advance("PT10M")

    assert machine(workspace, key)["state"] == "notified"
    assert len(told(workspace)) == len(statuses) + 1
    assert fetched(workspace, key).get_data(as_text=True).count("delivered") == 2  # the event and the state


def test_export_with_bad_filters_is_refused_in_a_state(make_api):
    for filters in [
        {},
        {"type": "transactional", "event": "allEvents"},
        {"type": "transactional", "event": "exploded", "notifyURL": "http://127.0.0.1:9/"},
        {"type": "transactional", "event": "allEvents", "notifyURL": "http://127.0.0.1:9/", "startDate": "2026-01-01"},
        {"type": "transactional", "event": "allEvents", "notifyURL": "http://127.0.0.1:9/", "days": "many"},
        {"type": "transactional", "event": "allEvents", "notifyURL": "http://127.0.0.1:9/", "unheard": 1},
    ]:
        export = {"id": 1, "requested_at": "2026-01-15T09:00:00Z", "filters": filters}
        answer = make_api().put("/_mock/state", json={"exports": [export]})
        assert answer.status_code == 400


def test_line_of_an_export_has_the_event_and_its_outcome(exporting):
    workspace = exporting()
    workspace.receiver.answers = [429, 204]
    (delivery,) = workspace.trigger("click", to="bob@example.test")
    workspace.settled(delivery["id"])
    workspace.advance("PT10M")

    (line,) = rows(workspace)

    assert line == {
        "webhook_id": "1", "type": "transactional", "event": "click", "email": "bob@example.test",
        "message_id": workspace.receiver.bodies[0]["message-id"], "date": "2026-01-15T09:00:00.123Z",
        "state": "delivered", "status": "204", "attempts": "2", "url": workspace.receiver.url,
    }  # fmt: skip


def test_export_omits_unsent_events(exporting):
    workspace = exporting()
    workspace.tell("delivered_opened")
    assert [line["event"] for line in rows(workspace)] == ["delivered", "request"]


def test_each_event_of_a_batch_has_its_line(exporting):
    workspace = exporting({"events": ALL, "batched": True})
    workspace.tell("delivered")
    workspace.advance("PT5M")
    lines = [(line["event"], line["attempts"]) for line in rows(workspace, sort="asc")]
    assert lines == [("request", "1"), ("delivered", "1")]


def test_export_has_the_events_that_its_filters_match(exporting):
    """The history has an event on each of three days, one of them to somebody else, and one of a campaign."""
    workspace = exporting()
    workspace.trigger("request")
    workspace.trigger("click", type="marketing")
    workspace.advance("P1D")
    workspace.trigger("delivered", to="bob@example.test")
    workspace.advance("P1D")
    workspace.trigger("opened")

    every = ["opened", "delivered", "request"]
    for filters, events in (
        ({}, every),
        ({"sort": "desc"}, every),
        ({"sort": "asc"}, every[::-1]),
        ({"event": "delivered"}, ["delivered"]),
        ({"event": "request"}, ["request"]),
        ({"event": "loadedByProxy"}, []),
        ({"event": "hardBounce"}, []),
        ({"type": "marketing"}, ["click"]),
        ({"email": "BOB@example.test"}, ["delivered"]),
        ({"email": "nobody@example.test"}, []),
        ({"webhookId": 1}, every),
        ({"webhookId": 2}, []),
        ({"days": 1}, ["opened"]),
        ({"days": 2}, ["opened", "delivered"]),
        ({"days": 2**62}, every),
        ({"startDate": "2026-01-15", "endDate": "2026-01-16"}, ["delivered", "request"]),
        ({"startDate": "2026-01-17", "endDate": "2026-01-17"}, ["opened"]),
        ({"startDate": "0001-01-01", "endDate": "9999-12-31"}, every),
    ):
        assert [line["event"] for line in rows(workspace, **filters)] == events, filters


def test_events_of_one_moment_are_exported_in_the_order_of_sending(exporting):
    workspace = exporting()
    for event in ("opened", "proxyOpen", "uniqueProxyOpen"):
        workspace.trigger(event)
    by_proxy = ["uniqueProxyOpen", "proxyOpen"]
    for filters, events in (({"event": "loadedByProxy"}, by_proxy), ({}, [*by_proxy, "opened"])):
        assert [line["event"] for line in rows(workspace, **filters)] == events


@pytest.mark.parametrize("brackets", ["<>", ""])
def test_a_message_is_found_by_its_id(brackets, exporting):
    workspace = exporting()
    wanted, _ = workspace.tell("delivered"), workspace.tell("delivered")
    workspace.advance("PT2S")
    number = workspace.receiver.bodies[0]["message-id"]
    asked = number if brackets else number.strip("<>")

    lines = rows(workspace, messageId=asked)

    assert [line["message_id"] for line in lines] == [number] * len(wanted)


def test_odd_and_missing_addresses_are_read_back_from_the_file(exporting):
    workspace = exporting()
    shown = ['"a,b"@example.test', "two\nlines", "carriage\rreturn", "=1+1", "ünï@example.test"]
    others = [([], ""), (["bob@example.test"], "bob@example.test"), (None, ""), (7, "7"), ({}, "{}")]
    for given in (*shown, *(given for given, _ in others)):
        workspace.trigger("delivered", payload={"email": given, "message-id": given})

    lines = rows(workspace, sort="asc")
    assert [line["email"] for line in lines] == [*shown, *(text for _, text in others)]


def test_credentials_of_an_address_are_not_in_the_file(exporting):
    workspace = exporting({"events": ALL, "url": "http://user:secret@127.0.0.1:9/hook"})
    workspace.settled(workspace.trigger()[0]["id"])
    assert [line["url"] for line in rows(workspace)] == ["http://127.0.0.1:9/hook"]


def call(root, method, path, body=None, **headers):
    request = urllib.request.Request(
        f"{root}{path}",
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Content-Type": "application/json", **{key.replace("_", "-"): text for key, text in headers.items()}},
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        text = answer.read()
        return json.loads(text) if "json" in answer.headers.get("Content-Type", "") else (answer.headers, text)


WORKSPACE = {"clock": {"start": "2026-01-15T09:00:00Z", "frozen": True}, "accounts": ENTERPRISE}


@pytest.mark.parametrize("way", ["the default workspace", "a workspace by its key", "a workspace by its address"])
def test_the_announced_link_opens_the_file_without_a_key(way, serve, receiver):
    root = serve("empty", control_token="hush")
    control = {"Authorization": "Bearer hush"}
    if way == "the default workspace":
        call(root, "POST", "/_mock/reset", {"scenario": WORKSPACE}, **control)
        base, key, name = root, "acme", "default"
    else:
        made = call(root, "POST", "/_mock/workspaces", {"scenario": WORKSPACE, "name": "shop"}, **control)
        base, key, name = root, made["api_key"], "shop"
        base = f"{root}/w/shop" if way == "a workspace by its address" else root
    asked = {"type": "transactional", "event": "allEvents", "notifyURL": receiver.url}
    call(base, "POST", "/v3/webhooks/export", asked, api_key=key)

    call(root, "POST", "/_mock/clock/advance", {"by": "PT1M"}, X_Mock_Workspace=name, **control)

    (told,) = receiver.bodies
    headers, text = call(told["url"], "GET", "")
    assert text.decode() == ",".join(COLUMNS) + "\r\n"
    assert headers["Content-Type"] == "text/csv; charset=utf-8"
    assert headers["Content-Disposition"] == 'attachment; filename="webhooks-1.csv"'


def test_a_link_that_was_not_announced_is_not_found(serve):
    connection = http.client.HTTPConnection(urlsplit(serve("enterprise")).netloc, timeout=10)
    for path in ("/_mock/exports/1.csv", "/_mock/exports/.csv", "/_mock/exports/1-guessed.csv"):
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 404
    connection.close()


def test_export_delay_is_limited_by_the_clock(make_api):
    for length in ("P36526D", "P9999999D"):
        scenario = {"behaviour": {"export": {"after": length}}}
        answer = make_api().post("/_mock/reset", json={"scenario": scenario})
        assert answer.status_code == 400
        message = f"invalid value: got '{length}', expected P36525D at most"
        assert answer.json["errors"] == [{"path": "/behaviour/export/after", "message": message}]


def test_a_call_of_a_state_has_a_name_for_each_of_its_events(make_api):
    call = {"id": 1, "target": {"url": "http://127.0.0.1:9/"}, "created_at": "2026-01-15T09:00:00Z"}
    call |= {"payloads": [{}, {}], "events": ["delivered"]}
    answer = make_api().put("/_mock/state", json={"deliveries": [call]})
    assert answer.status_code == 400
    assert [error["path"] for error in answer.json["errors"]] == ["/deliveries/0/events"]
