from email import message_from_bytes, policy

import pytest

from mockserver.control.traffic import mailbox
from mockserver.core.waiting import Watchers

pytestmark = pytest.mark.api({"clock": {"start": "2026-01-15T09:00:00Z", "frozen": True}, "seed": 1})


@pytest.fixture(autouse=True)
def _two_senders(api):
    for name in ("Ops", "News"):
        api.post("/v3/senders", json={"name": name, "email": f"{name.lower()}@acme.test"})


def test_the_newest_mail_comes_first_and_each_is_read_by_its_id(api):
    listed = api.get("/_mock/mailbox").json

    assert (listed["count"], [mail["to"] for mail in listed["items"]]) == (2, ["news@acme.test", "ops@acme.test"])
    assert [api.get(f"/_mock/mailbox/{mail['id']}").json for mail in listed["items"]] == listed["items"]


def test_a_mail_has_all_that_a_test_needs(api):
    mail = api.get("/_mock/mailbox?to=OPS@acme.test").json["items"][0]

    assert set(mail) == {
        "id", "at", "to", "from", "subject", "text", "html", "otp", "cc", "bcc", "recipients", "reply_to", "headers",
        "tags", "message_id", "attachments", "template_id", "params", "account", "machine", "key", "request", "caused",
        "caused_by",
    }  # fmt: skip
    assert mail["at"] == "2026-01-15T09:00:00Z"
    assert str(mail["otp"]) in mail["text"]
    assert str(mail["otp"]) in mail["html"]


def test_mails_are_found_by_subject_and_limited(api):
    found = api.get("/_mock/mailbox?subject=verify&limit=1&offset=1").json
    assert (found["count"], [mail["to"] for mail in found["items"]]) == (2, ["ops@acme.test"])
    assert api.get("/_mock/mailbox?subject=invoice").json["count"] == 0


def test_a_mail_is_a_proper_mime_message_and_the_same_whenever_it_is_read(api):
    mail = api.get("/_mock/mailbox?to=ops@acme.test").json["items"][0]

    (content,) = {api.get(f"/_mock/mailbox/{mail['id']}.eml").data for _ in range(3)}
    message = message_from_bytes(content, policy=policy.default)

    assert (message["To"], message["Subject"]) == ("ops@acme.test", mail["subject"])
    assert message["Date"].datetime.isoformat() == "2026-01-15T09:00:00+00:00"
    assert message.get_body(("plain",)).get_content() == mail["text"]
    assert message.get_body(("html",)).get_content().strip() == mail["html"]


def test_a_mail_tells_what_it_is_about_and_which_request_has_caused_it(api):
    mail = api.get("/_mock/mailbox?to=ops@acme.test").json["items"][0]

    caused = api.get(f"/_mock/requests/{mail['request']}").json
    about = api.get(f"/_mock/machines/{mail['machine']}/{mail['key']}").json
    assert (caused["operation"], caused["transitions"][0]["key"]) == ("createSender", mail["key"])
    assert (about["account"], about["otp"]) == (mail["account"], mail["otp"])


def test_a_mail_that_no_request_has_caused_names_none(api):
    api.post("/_mock/machines/sender/1/resend_otp")

    assert api.get("/_mock/mailbox").json["items"][0]["request"] is None


def test_mail_is_shown_as_a_page_without_rights_that_leads_to_the_dashboard(api):
    mail = api.get("/_mock/mailbox").json["items"][0]

    page = api.get(f"/_mock/mailbox/{mail['id']}.html")

    assert page.mimetype == "text/html"
    link = f'href="../ui/mail/{mail["id"]}"'
    for shown in (mail["subject"], "no-reply@brevo.test", mail["to"], "2026-01-15T09:00:00Z", str(mail["otp"]), link):
        assert shown in page.text
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    assert "script-src" not in page.headers["Content-Security-Policy"]


@pytest.mark.parametrize("name", ["none", "none.eml", "none.html", "{id}.pdf"])
def test_unknown_mail_or_form_is_a_problem(api, name):
    mail = api.get("/_mock/mailbox").json["items"][0]

    assert api.get(f"/_mock/mailbox/{name.format(**mail)}").status_code == 404


def test_single_mail_or_whole_mailbox_is_deleted(api):
    mail, other = api.get("/_mock/mailbox").json["items"]

    assert api.delete(f"/_mock/mailbox/{mail['id']}").status_code == 204
    assert api.get("/_mock/mailbox").json == {"items": [other], "count": 1, "evicted": 0}
    assert api.delete("/_mock/mailbox").status_code == 204
    assert api.get("/_mock/mailbox").json == {"items": [], "count": 0, "evicted": 0}


@pytest.mark.parametrize("identifier", ["none", "{id}.eml"])
def test_deletion_of_an_unknown_mail_is_404(api, identifier):
    mail = api.get("/_mock/mailbox").json["items"][0]

    assert api.delete(f"/_mock/mailbox/{identifier.format(**mail)}").status_code == 404
    assert api.get("/_mock/mailbox").json["count"] == 2


def test_a_full_mailbox_says_how_many_have_gone(make_api):
    api = make_api("empty", mailbox_limit=1)
    for name in "abc":
        api.post("/v3/senders", json={"name": name, "email": f"{name}@acme.test"})

    listed = api.get("/_mock/mailbox").json

    assert (listed["count"], listed["evicted"]) == (1, 2)


@pytest.mark.parametrize("query", ["limit=0", "limit=x", "wait=31", "wait=-1", "wait=nan", "colour=red"])
def test_a_bad_query_is_a_problem(api, query):
    assert api.get(f"/_mock/mailbox?{query}").status_code == 400


def test_waiting_ends_when_the_time_is_up(api):
    assert api.get("/_mock/mailbox?to=nobody@acme.test&wait=0.01").json["count"] == 0


def test_waiting_for_a_mail_in_a_thread_looks_again_only_after_new_mails(api, monkeypatch):
    looks, seen = [], []
    matches = mailbox._matches  # noqa: SLF001  # what is called for each mail at each look
    monkeypatch.setattr(mailbox, "_matches", lambda *args: looks.append(args[1].to) or matches(*args))

    class Listening(Watchers):
        def add(self, wake, kinds):
            super().add(wake, kinds)
            seen.append(wake)
            looks.clear()
            for _ in range(3):
                api.get("/v3/senders")
            assert not wake.__self__.is_set()
            api.post("/v3/senders", json={"name": "Late", "email": "late@acme.test"})

    api.workspace.watchers = Listening()

    assert api.get("/_mock/mailbox?to=late@acme.test&wait=10").json["count"] == 1
    assert looks == ["late@acme.test", "news@acme.test", "ops@acme.test"]
    assert (len(seen), len(api.workspace.watchers)) == (1, 0)


def test_sender_name_cannot_inject_mail_headers(api):
    api.post("/v3/senders", json={"name": "Eve\r\nBcc: all@acme.test\r\n\r\n", "email": "eve@acme.test"})
    mail = api.get("/_mock/mailbox?to=eve@acme.test").json["items"][0]

    message = message_from_bytes(api.get(f"/_mock/mailbox/{mail['id']}.eml").data, policy=policy.default)

    assert (message["Bcc"], message["To"], message.get_content_type()) == (None, mail["to"], "multipart/alternative")


@pytest.mark.parametrize("address", ["jörg@acme.test", "ops@bücher.test", '"\x01!"@acme.test'])
def test_any_address_that_the_api_takes_gives_a_mime_message(api, address):
    assert api.post("/v3/senders", json={"name": "Any", "email": address}).status_code == 201
    mail = api.get("/_mock/mailbox").json["items"][0]

    message = message_from_bytes(api.get(f"/_mock/mailbox/{mail['id']}.eml").data)

    assert (mail["to"], message["Subject"], "To" in message) == (address, "Verify your sender", True)


def test_mail_has_no_smtp_state_without_a_real_server(api):
    for state in ("waiting", "sent", "failed"):
        assert api.get(f"/_mock/mailbox?smtp={state}").json["count"] == 0
    assert api.get("/_mock/mailbox?smtp=lost").status_code == 400
