"""The timeline: requests, control calls, timers, mails and webhook calls in one list, with a toggle for each kind."""

import re
from urllib.parse import urljoin

import pytest
import web_page

from mockserver.core.traffic.mail import Sending

ADDRESS = "/_mock/ui/requests"
#: At which nothing listens: a call is refused at once.
NOWHERE = "http://127.0.0.1:9/hook"
SCENARIO = {
    "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True},
    "accounts": [{"name": "acme"}],
    "inbound_events": [{"date": "-PT2H", "sender": "old@a.test", "recipient": "b@acme.test"}],
    "webhooks": [{"id": 1, "url": NOWHERE, "events": ["delivered"], "description": "Shop"}],
}


class Timeline:
    """A workspace, and its timeline."""

    def __init__(self, api):
        self.api = api

    def make_sender(self, name):
        return self.api.post("/v3/senders", json={"name": name, "email": f"{name.lower()}@acme.test"}).json["id"]

    def deliver(self):
        """Trigger an event whose call of the webhook gets no answer; return the number of the delivery."""
        delivery = self.api.post("/_mock/trigger", json={"event": "delivered"}).json["items"][0]["id"]
        self.api.advance("PT0S")
        return delivery

    def open(self, query=""):
        answer = self.api.get(f"{ADDRESS}{query}")
        assert answer.status_code == 200, answer.text
        return web_page.read(answer.text)

    def rows(self, query=""):
        """Return the rows without durations, newest first, without headings of days."""
        rows = self.open(query).by_id("requests").all("li")
        return [re.sub(r" [\d.]+ ms", "", row.text) for row in rows if "day" not in row.attributes["class"].split()]

    def kinds(self, query=""):
        """Return the first letters of the kinds of the rows, newest first."""
        rows = self.open(query).by_id("requests").all("li")
        return "".join(
            row.attributes["id"][0] for row in rows if not {"day", "move"} & set(row.attributes["class"].split())
        )

    def toggles(self, query=""):
        """Return the address and the look of each toggle by its label."""
        links = self.open(query).by_id("kinds").all("a")
        return {
            link.text: (urljoin(ADDRESS, link.attributes["href"]), "aria-current" in link.attributes) for link in links
        }


@pytest.fixture
def timeline(make_api):
    """A frozen workspace with a webhook that nobody answers."""
    return Timeline(make_api(SCENARIO))


@pytest.fixture
def story(timeline):
    """A workspace with an event of each kind: 3 requests, 3 control calls, a timer, 2 mails and 2 webhook calls."""
    timeline.make_sender("Jo")
    timeline.deliver()
    timeline.api.post("/_mock/inbound", json={"sender": "a@b.test", "recipient": "c@d.test"})
    timeline.api.advance("PT15M")
    timeline.api.get("/v3/account")
    timeline.api.get("/v3/nowhere")
    return timeline


# ---------------------------------------------------------------------- order


def test_all_kinds_of_events_are_listed_in_the_order_of_the_clock(story):
    assert [re.sub("; the mock runs.*?(?=attempt|acme)", " ", row) for row in story.rows()] == [
        "09:15:00 404 GET /v3/nowhere unknown route: no operation has the path /v3/nowhere acme",
        "09:15:00 200 getAccount GET /v3/account acme",
        "09:15:00 Clock advanced by 15 min to 2026-01-15 09:15:00",
        "09:15:00 expire_otp of sender 1 code expired; Jo <jo@acme.test> acme",
        "09:10:00 no answer delivered Shop, http://127.0.0.1:9/hook: Connection refused attempt 2 acme",
        "09:00:00 201 POST /_mock/inbound",
        "09:00:00 received from a@b.test to c@d.test acme",
        "09:00:00 Clock advanced by less than 1 s to 2026-01-15 09:00:00",
        "09:00:00 200 POST /_mock/trigger 1 transition",
        "09:00:00 no answer delivered Shop, http://127.0.0.1:9/hook: Connection refused acme",
        "09:00:00 inbox Verify your sender to jo@acme.test acme",
        "09:00:00 201 createSender POST /v3/senders acme",
        "09:00:00 Workspace reset",
    ]


def test_each_mail_is_above_its_request_while_the_clock_is_frozen(timeline):
    for name in ("Ops", "News"):
        timeline.make_sender(name)
    assert [row.split()[2] for row in timeline.rows("?kinds=request,mail")[:4]] == [
        "Verify", "createSender", "Verify", "createSender",
    ]  # fmt: skip


def test_mails_stay_on_their_side_of_a_restored_clock(timeline):
    timeline.make_sender("Before")
    timeline.api.post("/_mock/snapshots", json={"name": "start"})
    timeline.api.advance("P1D")
    timeline.api.get("/v3/account")
    timeline.api.post("/_mock/snapshots/start/restore")
    timeline.make_sender("After")

    assert [row.split(" acme")[0] for row in timeline.rows("?kinds=mail")] == [
        "09:00:00 inbox Verify your sender to after@acme.test",
        "09:00:00 Snapshot start restored",
        "09:00:00 Clock advanced by 1 d to 2026-01-16 09:00:00",
        "09:00:00 inbox Verify your sender to before@acme.test",
    ]


def test_load_older_goes_on_through_all_kinds_without_a_gap(timeline):
    for name in ("Ops", "News", "Shop"):
        timeline.make_sender(name)
        timeline.deliver()
    for number in range(210):
        timeline.api.get(f"/v3/senders/{number}")
    page, rows = timeline.open(), []
    for _ in range(2):
        rows += [row.attributes["id"] for row in page.by_id("requests").all("li")]
        way = page.by_id("requests-more").all("a")
        page = timeline.open(way[0].attributes["href"].partition("requests")[2]) if way else page

    ids = [name for name in rows if not name.startswith("day-")]
    assert "".join(name[0] for name in ids) == "r" * 210 + "ccdmr" * 3 + "c"
    assert len(set(ids)) == len(ids)


def test_an_address_of_older_events_that_are_gone_says_so(story):
    assert story.kinds("?before=r-gone") == ""
    assert "The older events are no longer kept." in story.open("?before=r-gone").text


# ---------------------------------------------------------------------- toggles and conditions


def test_each_kind_has_a_toggle_with_its_number_that_hides_it(story):
    rest = ["request", "control", "timer", "mail", "delivery"]
    labels = ["Requests 3", "Control calls 5", "Timers 1", "Mails 2", "Webhook calls 2"]
    assert story.toggles() == {
        label: (f"{ADDRESS}?kinds={','.join(kind for kind in rest if kind != mine)}", True)
        for label, mine in zip(labels, rest, strict=True)
    }


def test_a_toggle_shows_a_hidden_kind_again_and_keeps_the_conditions(story):
    toggles = story.toggles("?kinds=mail,request,timer,delivery&account=acme")
    assert toggles["Control calls 5"] == (f"{ADDRESS}?account=acme", False)
    assert toggles["Mails 2"] == (f"{ADDRESS}?kinds=request,timer,delivery&account=acme", True)


@pytest.mark.parametrize(
    ("query", "kinds"),
    [
        ("kinds=request", "rrr"), ("kinds=timer,mail", "tmm"), ("kinds=delivery", "dd"), ("kinds=control", "cc"),
        ("status=none", ""), ("status=none&kinds=delivery", "dd"), ("status=2xx", "rr"),
        ("status=2xx&kinds=request,control", "rccr"),
        ("status=2xx&kinds=control", "cc"),
        ("account=acme", "rrtdmdmr"), ("operation=createSender", "r"), ("faulted=true", ""),
        ("text=SHOP", "dd"), ("text=jo@acme", "tmr"), ("text=expire_otp", "t"), ("text=b.test", "cm"),
    ],
)  # fmt: skip
def test_conditions_hold_for_all_kinds_that_have_the_field(story, query, kinds):
    """Moves of the clock are lines of their own: they are not counted here."""
    assert story.kinds(f"?{query}") == kinds


def test_moves_of_the_clock_stay_when_control_calls_are_hidden(story):
    assert [row[9:14] for row in story.rows("?kinds=timer")] == ["Clock", "expir"]


def test_an_unknown_kind_is_told(story):
    page = story.open("?kinds=mail,post")
    assert "post is no kind of event: the kinds are request, control, timer, mail, delivery." in page.text


# ---------------------------------------------------------------------- rows


def test_each_row_leads_to_the_page_of_its_event(story):
    for link in story.open().by_id("requests").all("a"):
        assert story.api.get(urljoin(ADDRESS, link.attributes["href"])).status_code in (200, 302)


def test_two_calls_of_a_webhook_at_one_moment_are_two_rows(timeline):
    delivery = timeline.deliver()
    timeline.api.post(f"/_mock/deliveries/{delivery}/redeliver")
    timeline.api.advance("PT0S")

    ids = [row.attributes["id"] for row in timeline.open("?kinds=delivery").by_id("requests").all("li")]

    assert [name for name in ids if name.startswith("d-")] == [f"d-{delivery}-2", f"d-{delivery}-1"]


def test_a_call_of_a_webhook_keeps_its_answer_when_two_snapshots_are_restored(timeline):
    """The later attempt comes back with the second snapshot, but not the timer that began it."""
    timeline.deliver()
    timeline.api.advance("PT5M")
    timeline.api.post("/_mock/snapshots", json={"name": "first"})
    timeline.api.advance("PT10M")
    timeline.api.post("/_mock/snapshots", json={"name": "second"})
    for name in ("first", "second"):
        timeline.api.post(f"/_mock/snapshots/{name}/restore")

    (row,) = [row for row in timeline.rows("?kinds=delivery") if "delivered" in row]

    assert row.startswith("09:00:00 no answer delivered")


def test_a_call_of_a_webhook_whose_delivery_is_gone_leads_to_its_timer(make_api):
    timeline = Timeline(make_api(SCENARIO, deliveries_limit=1))
    for _ in range(2):
        timeline.deliver()
        timeline.api.advance("P2D")

    *_, first = timeline.open("?kinds=delivery").by_id("requests").all("li")

    assert "delivery 1 no longer kept" in first.text


def test_a_mail_says_why_a_real_server_refused_it(timeline):
    timeline.make_sender("Jo")
    mailbox = timeline.api.workspace.state.mailbox
    mailbox.note_sending(mailbox.newest, Sending("failed", 3, "550 no such mailbox"))
    assert timeline.rows("?kinds=mail")[0] == (
        "09:00:00 failed Verify your sender to jo@acme.test: 550 no such mailbox acme"
    )
