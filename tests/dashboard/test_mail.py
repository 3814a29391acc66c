"""The page "Mail": the list, one e-mail in all its forms, and what has come in."""

from urllib.parse import urljoin

import pytest
import web_page
from tables import tables

from mockserver.core.traffic.mail import Sending

#: The tables of the tests by name.
CASES = tables(__file__)
#: A workspace that sends what clients give it.
SENDING = {
    "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True},
    "senders": [{"id": 1, "name": "News", "email": "news@acme.test", "state": "verified"}],
    "domains": [{"name": "acme.test", "state": "authenticated"}],
}


class Dashboard:
    """A workspace, and its pages about mail."""

    def __init__(self, api):
        self.api = api

    def open(self, path="", status=200):
        answer = self.api.get(f"/_mock/ui/mail{path}")
        assert answer.status_code == status, answer.text
        return web_page.read(answer.text)

    def make_sender(self, name):
        made = self.api.post("/v3/senders", json={"name": name, "email": f"{name.lower()}@acme.test"})
        assert made.status_code == 201, made.text

    @property
    def newest(self):
        return self.api.get("/_mock/mailbox").json["items"][0]


@pytest.fixture
def make(make_api):
    def made(**settings):
        return Dashboard(make_api({"clock": {"start": "2026-01-15T09:00:00Z", "frozen": True}}, **settings))

    return made


@pytest.fixture
def dashboard(make):
    """A workspace that has sent a code to Ops, and then one to News."""
    found = make()
    for name in ("Ops", "News"):
        found.make_sender(name)
    return found


# ---------------------------------------------------------------------- the list


def test_a_line_has_recipient_subject_code_and_moment(dashboard):
    first, second = dashboard.open().by_id("rows").all("li")

    mail = dashboard.newest
    assert first.text == f"{mail['subject']} to news@acme.test code {mail['otp']} 2026-01-15 09:00:00"
    assert "to ops@acme.test" in second.text


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("to=OPS", ["ops@acme.test"]),
        ("to=acme.test", ["news@acme.test", "ops@acme.test"]),
        ("subject=verify&to=news", ["news@acme.test"]),
        ("subject=invoice", []),
    ],
)
def test_mails_are_searched_by_parts_of_address_and_subject(dashboard, query, found):
    rows = dashboard.open(f"?{query}").by_id("rows").all("li")

    assert [row.all("span")[0].text for row in rows] == [f"to {address}" for address in found]


def test_a_search_that_finds_nothing_says_how_many_there_are(dashboard):
    assert dashboard.open("?to=nobody").by_id("summary").text == "None of the 2 e-mails matches."


def test_of_many_mails_the_last_hundred_are_listed_and_the_rest_is_counted(make):
    found = make(mailbox_limit=102)
    for number in range(105):
        found.make_sender(f"S{number}")

    page = found.open()

    assert len(page.by_id("rows").all("li")) == 100
    told = "The last 100 of 102 e-mails, newest first; 3 older ones were removed to make room."
    assert page.by_id("summary").text == told


def test_a_button_throws_all_mails_away_after_a_question(dashboard):
    form = dashboard.open().by_id("delete-all").attributes

    assert (form["data-method"], form["data-path"].endswith("/_mock/mailbox")) == ("DELETE", True)
    assert form["data-confirm"]


# ---------------------------------------------------------------------- one mail


def test_a_mail_shows_its_code_and_what_it_is_about(dashboard):
    mail = dashboard.newest

    page = dashboard.open(f"/{mail['id']}")

    assert page.one("h1").text == mail["subject"]
    assert page.one(class_="code-of-mail").one("code").text == str(mail["otp"])
    assert "To news@acme.test" in page.by_id("what").text
    links = {each.text: each.attributes["href"] for each in page.by_id("about").all("a")}
    assert links.pop(f"sender {mail['key']}").endswith(f"/_mock/ui/machines/sender/{mail['key']}")
    (caused_by,) = links.values()
    assert caused_by.endswith(f"/_mock/ui/requests/{mail['request']}")


@pytest.mark.parametrize(
    ("happens", "why"),
    [
        (lambda api, key: api.advance("PT1H15M"), "expired 1 h ago"),
        (lambda api, key: api.post(f"/_mock/machines/sender/{key}/resend_otp"), "replaced by a newer code"),
        (lambda api, key: api.post(f"/_mock/machines/sender/{key}/verify"), "sender verified"),
        (lambda api, key: api.post(f"/_mock/machines/sender/{key}/delete"), "sender deleted"),
    ],
)
def test_a_code_that_is_no_longer_accepted_is_struck_through_with_the_reason(make, happens, why):
    dashboard = make()
    dashboard.make_sender("Ops")
    mail = dashboard.newest
    assert not dashboard.open(f"/{mail['id']}").all("s")

    happens(dashboard.api, mail["key"])

    for place in (dashboard.open().by_id(f"mail-{mail['id']}"), dashboard.open(f"/{mail['id']}").by_id("code")):
        assert place.one("s").text == str(mail["otp"])
        assert why in place.text
        assert "Copy" not in place.text


def test_html_mail_is_shown_in_a_sandboxed_frame(dashboard):
    mail = dashboard.newest
    frame = dashboard.open(f"/{mail['id']}").one("iframe")
    assert frame.attributes["sandbox"] is None
    assert frame.attributes["src"].endswith(f"/_mock/ui/mail/{mail['id']}/html")

    answer = dashboard.api.get(f"/_mock/ui/mail/{mail['id']}/html")

    assert answer.text == mail["html"]
    assert answer.headers["Content-Security-Policy"] == (
        "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"
    )
    assert answer.headers["X-DNS-Prefetch-Control"] == "off"


def test_a_mail_is_read_in_its_forms_and_another_form_is_told(dashboard):
    mail = dashboard.newest

    assert dashboard.open(f"/{mail['id']}?form=text").one("pre", aria_label="Text").text == " ".join(
        mail["text"].split()
    )
    page = dashboard.open(f"/{mail['id']}?form=source")

    assert f"Message-ID: {mail['message_id']}" in page.one("pre", aria_label="Source").text
    (download,) = [each for each in page.all("a") if "download" in each.attributes]
    assert download.attributes["href"].endswith(f"/_mock/mailbox/{mail['id']}.eml")
    assert "Attachments None." in dashboard.open(f"/{mail['id']}?form=details").by_id("main").text

    page = dashboard.open(f"/{mail['id']}?form=pdf")
    assert page.one(class_="unclear").text == "A mail has no such form: this is its HTML."
    assert page.all("iframe")


@pytest.fixture
def send(make_api):
    """Sends an e-mail with these members; gives the pages, and the path of the e-mail's."""

    def sent(**members):
        found = Dashboard(make_api(SENDING))
        body = {
            "sender": {"email": "news@acme.test", "name": "News"},
            "to": [{"email": "bob@example.test", "name": "Bob"}],
            "subject": "Hi",
            "htmlContent": "<p>Hi</p>",
            **members,
        }
        answer = found.api.post("/v3/smtp/email", json=body)
        assert answer.status_code == 201, answer.text
        return found, f"/{found.newest['id']}"

    return sent


def test_a_mail_of_a_client_shows_all_that_it_has_given(send):
    dashboard, path = send(
        cc=[{"email": "carol@example.test"}],
        bcc=[{"email": "dave@example.test", "name": "Dave"}],
        replyTo={"email": "reply@acme.test"},
        headers={"X-Campaign": "june"},
        tags=["welcome", "first"],
        params={"NAME": "Bob"},
        attachment=[{"name": "a.txt", "content": "SGVsbG8="}],
    )

    what, details = dashboard.open(path).by_id("what").text, dashboard.open(f"{path}?form=details").by_id("main").text

    assert "To Bob <bob@example.test> Cc carol@example.test Bcc Dave <dave@example.test>" in what
    assert "Reply to reply@acme.test" in what
    for shown in ("X-Campaign june", "Tags welcome, first", "a.txt, 5 bytes", 'NAME "Bob"'):
        assert shown in details


def test_a_mail_without_a_text_says_so(send):
    dashboard, path = send()

    assert "This mail has only HTML." in dashboard.open(f"{path}?form=text").by_id("main").text


@pytest.mark.parametrize(("html", "shown"), CASES["links_of_a_mail"])
def test_links_of_a_mail_lead_nowhere_and_it_has_no_frames(send, html, shown):
    dashboard, path = send(htmlContent=html)

    assert dashboard.api.get(f"/_mock/ui/mail{path}/html").text == shown


def test_a_long_source_is_cut(send):
    dashboard, path = send(htmlContent="<p>" + "long " * 40_000)

    page = dashboard.open(f"{path}?form=source")

    assert len(page.one("pre", aria_label="Source").text) <= 100_000
    assert "more characters are in the download" in page.by_id("main").text


# ---------------------------------------------------------------------- what has come in


def test_mails_that_have_come_in_are_listed_newest_first(make):
    found = make()
    for number in range(101):
        sent = {"sender": f"{number}@example.test", "recipient": "help@in.acme.test"}
        assert found.api.post("/_mock/inbound", json=sent).status_code == 201
        found.api.advance("PT1S")

    page = found.open("/received")

    rows = page.by_id("rows").all("li")
    assert len(rows) == 100
    assert rows[0].text.startswith("from 100@example.test to help@in.acme.test")
    assert "The last 100 of 101" in page.by_id("summary").text


def test_a_received_mail_is_listed_by_its_subject(make):
    found = make()
    hook = {"url": "http://127.0.0.1:9/hook", "type": "inbound", "domain": "in.acme.test"}
    found.api.post("/_mock/seed", json={"webhooks": [hook]})
    found.api.post(
        "/_mock/inbound", json={"sender": "bob@b.test", "recipient": "help@in.acme.test", "subject": "My bill"}
    )

    (row,) = found.open("/received").by_id("rows").all("li")

    assert row.one("a").text == "My bill"


def test_the_id_of_a_mail_that_has_come_in_leads_to_what_is_known_of_it(make):
    found = make()
    sent = {"sender": "bob@example.test", "recipient": "help@in.acme.test"}
    uuid = found.api.post("/_mock/inbound", json=sent).json["uuid"]

    answer = found.api.get(f"/_mock/ui/mail/{uuid}")

    assert urljoin(f"/_mock/ui/mail/{uuid}", answer.location) == f"/_mock/ui/mail/received/{uuid}"
    assert "From bob@example.test To help@in.acme.test" in found.open(f"/received/{uuid}").by_id("what").text
    assert "keeps no HTML" in found.open(f"/{uuid}/html", 404).by_id("problem").text


def test_a_mail_that_has_come_in_leads_to_the_calls_that_it_has_caused(make):
    found = make()
    hook = {"id": 5, "url": "http://127.0.0.1:9/hook", "type": "inbound", "domain": "in.acme.test"}
    found.api.post("/_mock/seed", json={"webhooks": [hook]})
    sent = {"sender": "bob@example.test", "recipient": "help@in.acme.test"}
    uuid = found.api.post("/_mock/inbound", json=sent).json["uuid"]

    links = [each.text for each in found.open(f"/received/{uuid}").by_id("what").all("a")]

    assert "delivery 1, inboundEmailProcessed" in links


@pytest.mark.parametrize(
    ("sending", "told"),
    [
        (Sending("waiting"), "Sending SMTP: waiting after 0 tries"),
        (Sending("failed", 1, "550 <no> such user"), "Sending SMTP: failed after 1 try: 550 <no> such user"),
    ],
)
def test_a_mail_tells_how_far_it_has_come_by_smtp(dashboard, sending, told):
    mailbox = dashboard.api.workspace.state.mailbox
    mail = next(iter(mailbox))
    mailbox.note_sending(mail, sending)

    assert f"SMTP: {sending.state}" in dashboard.open().by_id(f"mail-{mail.id}").text
    assert told in dashboard.open(f"/{mail.id}").by_id("what").text
