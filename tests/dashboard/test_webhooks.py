"""The page "Webhooks": deliveries, one delivery, what can be triggered, receivers, webhooks."""

import pytest
import web_page
from tables import tables

#: The tables of the tests by name.
CASES = tables(__file__)
#: At which nothing listens: a call is refused at once.
NOWHERE = "http://127.0.0.1:9/hook"
START = "2026-01-15T09:00:00Z"


class Dashboard:
    """A workspace, and its pages about webhooks."""

    def __init__(self, api):
        self.api = api

    def open(self, path="", status=200):
        answer = self.api.get(f"/_mock/ui/webhooks{path}")
        assert answer.status_code == status, answer.text
        return web_page.read(answer.text)

    def listed(self, path=""):
        return [row.attributes["id"] for row in self.open(path).by_id("rows").all("li")]

    def trigger(self, event="delivered", **members):
        items = self.api.post("/_mock/trigger", json={"event": event, **members}).json["items"]
        self.api.advance("PT0S")
        return items


@pytest.fixture
def make(make_api):
    """A factory of workspaces with these webhooks, which lead nowhere, and with other members."""

    def made(*hooks, **members):
        rows = [{"id": number, "url": NOWHERE, "events": ["delivered"], **row} for number, row in enumerate(hooks, 1)]
        return Dashboard(make_api({"clock": {"start": START, "frozen": True}, "webhooks": rows, **members}))

    return made


@pytest.fixture
def failed(make):
    """A workspace with a call that has failed once, and is made again in ten minutes."""
    dashboard = make({})
    dashboard.trigger()
    return dashboard


# ---------------------------------------------------------------------- the list


def test_the_line_that_makes_a_webhook_names_the_workspace(make):
    dashboard = make()
    key = dashboard.api.post("/_mock/workspaces", json={"name": "other"}).json["api_key"]

    page = web_page.read(dashboard.api.get("/w/other/_mock/ui/webhooks").text)

    (line,) = page.by_id("summary").all("code")
    assert f"api-key: {key}" in line.text
    assert "http://localhost/w/other/v3/webhooks" in line.text


def test_before_the_first_delivery_the_page_leads_to_the_form(make):
    page = make({}).open()

    assert "Nothing has been sent yet" in page.by_id("summary").text


def test_a_delivery_tells_its_event_state_outcomes_and_next_attempt_and_has_its_signs_on_the_line(failed):
    (row,) = failed.open().by_id("rows").all("li")

    assert row.text.startswith("1 retrying delivered http://127.0.0.1:9/hook no answer next in 10 min")
    assert [sign.attributes["href"] for sign in row.all("use")] == ["#shape-silent", "#shape-next"]


def test_of_many_deliveries_the_last_hundred_are_listed_and_the_rest_is_counted(make):
    dashboard = make({})
    for _ in range(103):
        dashboard.api.post("/_mock/trigger", json={"event": "delivered"})

    listed = dashboard.listed()

    assert (len(listed), listed[0], listed[-1]) == (100, "delivery-103", "delivery-4")
    assert "The last 100 of 103 deliveries" in dashboard.open().by_id("summary").text


def test_deliveries_are_filtered_by_the_address(make):
    dashboard = make({"events": ["delivered", "hardBounce"]}, {})
    dashboard.trigger()
    dashboard.trigger("hardBounce")
    every = ["delivery-3", "delivery-2", "delivery-1"]

    for query, found in {
        "webhook=2": ["delivery-2"], "event=hardBounce": ["delivery-3"], "state=retrying": every, "state=dropped": [],
        "webhook=1&event=delivered": ["delivery-1"], "webhook=&state=&event=": every,
    }.items():  # fmt: skip
        assert dashboard.listed(f"?{query}") == found, query


def test_a_filter_that_finds_nothing_says_how_many_there_are(failed):
    page = failed.open("?state=dropped")

    assert page.by_id("summary").text == "None of the 1 deliveries matches."


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("webhook=first", "A webhook goes by its number, so this filter is left out."),
        ("state=lost", "A delivery is scheduled, delivered, retrying or dropped: any state is shown."),
    ],
)
def test_a_filter_that_makes_no_sense_is_left_out_with_a_sentence(failed, query, sentence):
    page = failed.open(f"?{query}")

    assert page.one(class_="unclear").text == sentence
    assert len(page.by_id("rows").all("li")) == 1


def test_an_event_that_no_webhook_can_have_stays_in_the_form(failed):
    page = failed.open("?event=<b>")

    (chosen,) = [each for each in page.one("select", name="event").all("option") if "selected" in each.attributes]
    assert chosen.text == "<b>"


# ---------------------------------------------------------------------- one delivery


def test_a_delivery_shows_its_attempts_with_their_requests(failed):
    page = failed.open("/1")

    attempt = page.by_id("attempt-1")
    assert "2026-01-15 09:00:00 no answer" in attempt.text
    assert f"POST {NOWHERE}" in attempt.text
    assert "Content-Type application/json" in attempt.text
    assert '"delivered"' in page.by_id("body").text


def test_a_delivery_tells_when_it_is_tried_next(failed):
    failed.api.advance("PT20S")

    page = failed.open("/1")

    assert "Next attempt 2026-01-15 09:10:00, in 9 min 40 s" in page.by_id("what").text


def test_a_delivery_that_is_over_is_tried_no_more_and_can_be_sent_again(failed):
    failed.api.post("/_mock/machines/delivery/1/cancel")

    page = failed.open("/1")

    assert "Next attempt none" in page.by_id("what").text
    assert page.all(id="advance") == []
    assert page.by_id("redeliver").attributes["data-path"].endswith("/_mock/deliveries/1/redeliver")


@pytest.mark.parametrize("kind", ["forged", "duplicated", "reordered", "late"])
def test_a_delivery_that_was_sent_puts_its_receiver_on_trial(failed, kind):
    form = failed.open("/1").by_id(kind)

    assert form.attributes["data-path"].endswith("/_mock/deliveries/1/redeliver")
    assert [row.attributes["value"] for row in form.all("input")] == [kind]


def test_a_delivery_of_a_trial_says_how_it_was_sent(failed):
    failed.api.post("/_mock/deliveries/1/redeliver", json={"as": "late"})

    assert "Sent as late" in failed.open("/2").by_id("what").text


def test_a_delivery_that_waits_for_its_first_attempt_cannot_be_sent_again(make):
    dashboard = make({"events": ["opened"]})
    dashboard.api.post("/_mock/trigger", json={"story": "delivered_opened"})

    page = dashboard.open("/1")

    assert page.all(id="redeliver") == []
    assert "The first one is due at 2026-01-15 09:05:00" in page.by_id("attempts-none").text


def test_a_delivery_of_a_webhook_that_is_gone_says_so(failed):
    failed.api.delete("/v3/webhooks/1")

    assert "1, which has been deleted" in failed.open("/1").by_id("what").text


def test_a_batch_names_its_events(make):
    dashboard = make({"events": ["delivered", "opened"], "batched": True})
    dashboard.api.post("/_mock/trigger", json={"event": "delivered"})
    dashboard.api.post("/_mock/trigger", json={"event": "opened"})

    assert "batch of 2: delivered, opened" in dashboard.open().by_id("delivery-1").text
    assert "a batch of 2: delivered, opened" in dashboard.open("/1").by_id("what").text


# ---------------------------------------------------------------------- events to trigger


def options(page, form):
    return {each.attributes["value"]: each.text for each in page.by_id(form).one("select", name="event").all("option")}


def test_the_form_offers_the_events_that_the_call_takes(make):
    dashboard = make({})
    for choice in dashboard.open("/trigger").one("select", name="of").all("option"):
        page = dashboard.open(f"/trigger?of={choice.attributes['value']}")
        fixed = {
            each.attributes["name"]: each.attributes["value"]
            for each in page.by_id("trigger-event").all("input", type="hidden")
        }
        for event in options(page, "trigger-event"):
            answer = dashboard.api.post("/_mock/trigger", json={**fixed, "event": event})
            assert answer.status_code == 200, answer.text


INBOUND = {"type": "inbound", "domain": "in.acme.test"}


@pytest.mark.parametrize(
    ("hook", "of", "told"),
    [
        ({}, "transactional-email", {"opened": "1 webhook", "proxyOpen": "1 webhook", "click": "no webhook listens"}),
        ({}, "marketing-email", {"opened": "no webhook listens"}),
        ({**INBOUND, "events": ["inboundEmailProcessed"]}, "inbound-email", {"reply": "1 webhook"}),
        ({**INBOUND, "events": ["reply"]}, "inbound-email", {"inboundEmailProcessed": "no webhook listens"}),
    ],
)
def test_the_form_tells_how_many_webhooks_listen(make, hook, of, told):
    found = options(make({"events": ["opened"], **hook}).open(f"/trigger?of={of}"), "trigger-event")

    assert {event: found[event] for event in told} == {event: f"{event}, {words}" for event, words in told.items()}


def test_a_story_tells_its_events_with_their_moments(make):
    text = make({"events": ["opened"]}).open("/trigger").by_id("scenes").text

    assert "opened, after 5 min: told to 1 webhook" in text
    assert "request, at once: no webhook listens to it" in text


def test_an_account_is_chosen_in_the_address(make_api):
    accounts = [
        {"name": "one", "id": 1, "webhooks": [{"id": 1, "url": NOWHERE, "events": ["delivered"]}]},
        {"name": "two", "id": 2},
    ]
    dashboard = Dashboard(make_api({"accounts": accounts}))

    first, second = dashboard.open("/trigger"), dashboard.open("/trigger?account=two")

    assert options(first, "trigger-event")["delivered"] == "delivered, 1 webhook"
    assert options(second, "trigger-event")["delivered"] == "delivered, no webhook listens"
    assert first.by_id("trigger-event").all("input", name="account") == []
    assert second.by_id("trigger-event").one("input", name="account").attributes["value"] == "two"


@pytest.mark.parametrize("query", ["of=letters", "account=nobody"])
def test_a_choice_that_makes_no_sense_is_told(make, query):
    assert len(make({}).open(f"/trigger?{query}").all(class_="unclear")) == 1


# ---------------------------------------------------------------------- receivers


@pytest.mark.parametrize(("manner", "calls", "told"), CASES["a_receiver"])
def test_a_receiver_tells_how_it_answers_from_now_on(make, manner, calls, told):
    dashboard = make()
    dashboard.api.put("/_mock/receivers/mine", json=manner)
    for _ in range(calls):
        dashboard.api.post("/_mock/receiver/mine", json={})

    assert f"It {told}." in dashboard.open("/receivers/mine").by_id("manner").text
    assert told in dashboard.open("/receivers").by_id("receivers").text


def test_a_receiver_shows_what_it_got_newest_first(make):
    dashboard = make()
    for number in range(60):
        dashboard.api.post(
            f"/_mock/receiver/mine?n={number}", json={"number": number}, headers={"X-Number": str(number)}
        )

    page = dashboard.open("/receivers/mine")

    calls = [each for each in page.by_id("calls").all("li") if "id" in each.attributes]
    assert len(calls) == 50
    assert "The last 50 of 60 calls" in page.by_id("got-count").text
    assert calls[0].attributes["id"] == "call-60"
    assert "?n=59" in calls[0].text
    assert "x-number 59" in calls[0].text


# ---------------------------------------------------------------------- webhooks


def test_a_webhook_tells_what_it_got(make):
    dashboard = make({"description": "for the shop"}, {"events": ["opened"]})
    dashboard.trigger()

    first, second = dashboard.open("/list").by_id("webhooks").all("li")

    assert f"1 {NOWHERE} transactional for the shop" in first.text
    assert "events delivered 1 retrying" in first.text
    assert "No deliveries yet" in second.text


def test_a_delivery_is_listed_with_the_description_and_address_of_its_webhook(make):
    dashboard = make({"description": "for the shop"})
    dashboard.trigger()

    (row,) = dashboard.open().by_id("rows").all("li")

    assert f"for the shop, {NOWHERE}" in row.text


def test_a_delivery_is_listed_without_the_secrets_of_its_address(make):
    dashboard = make({"url": f"{NOWHERE}?token=abcdef123456"})
    dashboard.trigger()

    (row,) = dashboard.open().by_id("rows").all("li")

    assert f"{NOWHERE}?token=***" in row.text


def test_of_many_webhooks_the_first_hundred_are_listed(make):
    page = make(*({} for _ in range(101))).open("/list")

    assert len(page.by_id("webhooks").all("li")) == 100
    assert page.by_id("count").text == "The first 100 of 101."


# ---------------------------------------------------------------------- all of them


def test_element_ids_of_webhook_pages_are_unique(failed):
    for path in ("", "/1", "/list", "/trigger", "/receivers", "/receivers/mine"):
        ids = [each.attributes["id"] for each in failed.open(path).below() if "id" in each.attributes]

        assert len(ids) == len(set(ids)), path


def test_a_delivery_leads_to_the_timer_of_its_next_attempt_and_tells_no_other_of_its_own(failed):
    (timer,) = failed.api.get("/_mock/clock/timers").json["items"]

    links = {each.attributes["href"]: each.text for each in failed.open("/1").by_id("what").all("a")}

    assert links[f"../../../_mock/ui/clock#timer-{timer['id']}"] == "2026-01-15 09:10:00"
    assert not [text for text in links.values() if text.startswith("timer")]


def test_the_call_that_announces_an_export_names_it(make_api):
    account = {"name": "acme", "api_keys": ["acme"], "enterprise": True}
    dashboard = Dashboard(make_api({"clock": {"start": START, "frozen": True}, "accounts": [account]}, key="acme"))
    asked = {"type": "transactional", "event": "allEvents", "notifyURL": NOWHERE}
    made = dashboard.api.post("/v3/webhooks/export", json=asked)
    assert made.status_code == 202, made.text
    dashboard.api.advance("PT5M")

    assert "export" in dashboard.open().by_id("delivery-1").text
    assert f"Export {made.json['processId']}, whose file is ready" in dashboard.open("/1").by_id("what").text


def test_account_name_is_typed_in_workspaces_with_many_accounts(make_api):
    accounts = [{"name": f"a{number}", "id": number} for number in range(1, 103)]
    dashboard = Dashboard(make_api({"accounts": accounts}))

    page = dashboard.open("/trigger?account=a102")

    (field,) = [each for each in page.all("input", name="account") if each.attributes.get("type") != "hidden"]
    assert (field.attributes["value"], field.attributes["placeholder"]) == ("a102", "a1")


def test_events_that_somebody_listens_to_come_first(make):
    found = list(options(make({"events": ["opened"]}).open("/trigger"), "trigger-event"))

    assert found[:3] == ["opened", "proxyOpen", "blocked"]


@pytest.mark.parametrize(("attempts", "failures", "told"), CASES["a_dropped_delivery"])
def test_a_dropped_delivery_says_why_it_is_tried_no_more(make, attempts, failures, told):
    row = {
        "id": 1, "webhook": 1, "target": {"url": NOWHERE}, "payloads": [{}], "events": ["delivered"],
        "created_at": START, "state": "dropped", "failures": failures,
        "attempts": [{"at": f"2026-01-14T{hour:02}:00:00Z", "status": status} for hour, status in attempts],
    }  # fmt: skip
    page = make({}, deliveries=[row]).open("/1")

    assert f"Next attempt {told} Clock" in page.by_id("what").text
