"""Effects of stubs: e-mails, events and credits, checked together and then performed."""

from email import message_from_bytes, policy

import pytest
from tables import tables

from mockserver.core.contract.errors import ServiceError

#: The parametrized cases by test.
CASES = tables(__file__)

HELLO = {"from": "News <news@acme.test>", "to": "bob@example.test", "subject": "Hi", "text": "Hello"}


def mail(**members):
    return {"mail": {**HELLO, **members}}


class TestMail:
    def test_mail_is_in_the_mailbox_with_all_sent_members(self, performer):
        here = performer()
        here.do(
            mail(
                to=[{"email": "bob@example.test", "name": "Bob"}, "eve@example.test"],
                cc="Carol <carol@example.test>",
                bcc="dave@example.test",
                reply_to={"email": "reply@acme.test", "name": "Reply"},
                html="<p>Hello</p>",
                headers={"X-Mailin-custom": "a:1"},
                tags=["invoice"],
                message_id="<1@relay.test>",
                attachments=[{"name": "a.txt", "content": "SGVsbG8="}, {"url": "https://files.test/b.pdf?v=1"}],
            )
        )

        (found,) = here.mails()
        assert found["to"] == "bob@example.test, eve@example.test"
        assert (found["from"], found["reply_to"]) == ("News <news@acme.test>", "Reply <reply@acme.test>")
        assert (found["cc"], found["bcc"]) == (["carol@example.test"], ["dave@example.test"])
        assert found["recipients"] == [
            {"kind": "to", "email": "bob@example.test", "name": "Bob"},
            {"kind": "to", "email": "eve@example.test", "name": ""},
            {"kind": "cc", "email": "carol@example.test", "name": "Carol"},
            {"kind": "bcc", "email": "dave@example.test", "name": ""},
        ]
        assert (found["text"], found["html"], found["tags"]) == ("Hello", "<p>Hello</p>", ["invoice"])
        assert (found["headers"], found["message_id"]) == ({"X-Mailin-custom": "a:1"}, "<1@relay.test>")
        assert found["attachments"] == [
            {"name": "a.txt", "size": 5},
            {"name": "b.pdf", "size": None, "url": "https://files.test/b.pdf?v=1"},
        ]
        assert (found["at"], found["account"]) == ("2026-01-15T09:00:00Z", here.account.name)

    @pytest.mark.parametrize("to", ["bob@example.test", "CAROL@example.test", "dave@example.test"])
    def test_mail_is_found_by_each_recipient_address(self, to, performer):
        here = performer()
        here.do(mail(cc="carol@example.test", bcc="dave@example.test"))

        assert here.api.get(f"/_mock/mailbox?to={to}").json["count"] == 1

    def test_mail_without_sender_comes_from_the_first_verified_sender(self, performer):
        here = performer(senders=[{"id": 1, "name": "A", "email": "a@acme.test", "state": "verified"}])
        here.do({"mail": {"to": "bob@example.test", "text": "Hello"}})

        assert here.mails()[0]["from"] == "a@acme.test"

    def test_mail_is_a_mime_message_with_attachments(self, performer):
        here = performer()
        here.do(mail(html="<p>Hi</p>", cc="carol@example.test", attachments=[{"name": "a.txt", "content": "SGVsbG8="}]))

        raw = here.api.get(f"/_mock/mailbox/{here.mails()[0]['id']}.eml").data
        message = message_from_bytes(raw, policy=policy.default)

        assert (message["To"], message["Cc"]) == ("bob@example.test", "carol@example.test")
        assert message.get_body(("plain",)).get_content() == "Hello\n"
        assert message.get_body(("html",)).get_content() == "<p>Hi</p>\n"
        (file,) = message.iter_attachments()
        assert (file.get_filename(), file.get_content_type(), file.get_content()) == ("a.txt", "text/plain", "Hello")

    def test_its_page_has_everything_and_no_markup_of_the_client(self, performer):
        here = performer()
        here.do(
            mail(
                text=None, html="<p>Hi</p>", cc="carol@example.test", reply_to="reply@acme.test", tags=["invoice"],
                attachments=[{"name": "a.txt", "content": "SGVsbG8="}],
            )
        )  # fmt: skip

        page = here.api.get(f"/_mock/mailbox/{here.mails()[0]['id']}.html").text

        for told in ("carol@example.test", "reply@acme.test", "invoice", "a.txt, 5 bytes", "&lt;p&gt;Hi&lt;/p&gt;"):
            assert told in page

    def test_files_that_are_too_large_for_the_mailbox_are_only_listed(self, make_api, performer):
        here = performer()
        large = "QUFB" * (2 * 1024 * 1024)
        here.do(mail(attachments=[{"name": "large.bin", "content": large}]))

        (found,) = here.mails()
        assert found["attachments"] == [{"name": "large.bin", "size": 6 * 1024 * 1024}]
        assert b"large.bin" not in here.api.get(f"/_mock/mailbox/{found['id']}.eml").data


class TestEvent:
    def test_event_happens_to_recipients_of_earlier_mails(self, performer):
        here = performer()
        here.do(
            mail(), mail(to="eve@example.test"), {"event": "request"}, {"event": "delivered", "after": "PT2S"},
            mail(to="zoe@example.test"), {"event": "request"},
        )  # fmt: skip

        assert here.events() == [
            ("request", "bob@example.test", 0),
            ("request", "eve@example.test", 0),
            ("delivered", "bob@example.test", 2),
            ("delivered", "eve@example.test", 2),
            ("request", "zoe@example.test", 0),
        ]

    def test_event_payload_describes_the_mail(self, performer):
        here = performer()
        here.do(mail(message_id="<1@relay.test>", tags=["invoice"]), {"event": "delivered"})

        payload = here.deliveries()[0].payloads[0]
        assert (payload["message-id"], payload["subject"], payload["tags"]) == ("<1@relay.test>", "Hi", ["invoice"])
        assert payload["sender_email"] == "news@acme.test"

    def test_event_payload_has_template_and_custom_header(self, performer):
        here = performer()
        here.do(mail(template_id=7, headers={"x-mailin-custom": "a:1"}), {"event": "delivered"})

        payload = here.deliveries()[0].payloads[0]
        assert (payload["template_id"], payload["X-Mailin-custom"]) == (7, "a:1")

    def test_a_request_tells_of_so_many_events_at_most(self, performer):
        here = performer()
        to = [f"u{number}@example.test" for number in range(2000)]
        with pytest.raises(ValueError, match="10,000 events, expected at most 8,000"):
            here.do(mail(to=to), *[{"event": "delivered"}] * 5)

        assert here.mails() == []

    def test_event_can_name_recipients_and_replace_payload_members(self, performer):
        here = performer()
        here.do({"event": "opened", "to": ["zoe@example.test"], "subject": "Yo", "payload": {"link": "https://a.test"}})

        payload = here.deliveries()[0].payloads[0]
        assert (payload["email"], payload["subject"], payload["link"]) == ("zoe@example.test", "Yo", "https://a.test")

    @pytest.mark.parametrize(
        ("effects", "events"),
        [
            ([mail(), {"event": "opened", "to": []}], []),
            ([{"event": "opened"}], [("opened", "recipient@example.test", 0)]),
        ],
    )
    def test_event_without_mail_has_a_generated_recipient_and_none_for_an_empty_list(self, performer, effects, events):
        here = performer()
        here.do(*effects)

        assert here.events() == events

    @pytest.mark.parametrize(
        ("before", "bounce", "event"), [([], {"after": "PT1H"}, "delivered"), ([{"after": "PT1H"}], {}, "blocked")]
    )
    def test_an_address_is_blocked_after_its_first_bounce(self, performer, before, bounce, event):
        here = performer()
        for more in (*before, bounce):
            here.do({"event": "hardBounce", "to": "BOB@example.test", **more})
        here.do(mail(), {"event": "delivered"})

        assert here.events()[-1][0] == event

    def test_nothing_is_delivered_to_an_address_that_has_bounced_hard(self, performer):
        here = performer()
        here.do({"event": "hardBounce", "to": "bob@example.test"})
        here.do(mail(to=["Bob@Example.test", "eve@example.test"]), {"event": "delivered", "after": "PT2S"})

        assert [row[:2] for row in here.events()[1:]] == [
            ("blocked", "Bob@Example.test"),
            ("delivered", "eve@example.test"),
        ]

    def test_who_bounces_in_a_full_workspace_is_not_remembered(self, performer):
        here = performer()
        state = here.workspace.state
        state.rows_limit = state.kept()
        here.do({"event": "hardBounce", "to": "bob@example.test"})
        here.do(mail(), {"event": "delivered"})

        assert here.events()[-1][0] == "delivered"

    def test_who_has_bounced_stays_blocked_after_a_restart(self, performer):
        here = performer()
        here.do({"event": "hardBounce", "to": "bob@example.test"})
        state = here.save_and_load()
        here.do(mail(), {"event": "delivered"})

        assert state["accounts"][0]["blocked_contacts"] == [
            {"email": "bob@example.test", "blocked_at": "2026-01-15T09:00:00Z", "sender": "owner@acme.test"}
        ]
        assert here.events()[-1][0] == "blocked"


class TestCredits:
    def test_credits_of_the_plan_are_spent(self, performer):
        here = performer(
            plan=[{"type": "sms", "credits": 5}, {"type": "free", "credits": 2}, {"type": "payAsYouGo", "credits": 9}]
        )
        here.do({"credits": -3}, {"credits": {"sms": -1}})

        assert here.plan() == [4, 0, 8]

    def test_all_of_a_request_are_checked_together(self, performer):
        here = performer(plan=[{"type": "free", "credits": 3}])
        with pytest.raises(ServiceError) as refused:
            here.do({"credits": -2}, mail(), {"credits": -2})

        assert (refused.value.status, refused.value.code.code) == (402, "not_enough_credits")
        assert (here.plan(), here.mails()) == ([3], [])

    def test_credits_of_the_marketing_vertical_are_spent_as_well(self, performer):
        verticals = [
            {"planCategory": "Marketing", "planType": "Business", "name": "Business", "credits": "100"},
            {"planCategory": "CRM", "planType": "Business", "name": "Business"},
        ]
        here = performer(plan_verticals=verticals)
        here.do({"credits": -3})

        assert [row.get("credits") for row in here.api.get("/v3/account").json["planVerticals"]] == ["97", None]

    def test_unlimited_credits_never_run_out(self, performer):
        here = performer(plan=[{"type": "subscription", "credits": -1}])
        here.do({"credits": -1000})

        assert here.plan() == [-1]

    def test_credits_of_a_sub_account_come_from_its_assigned_credits(self, performer):
        here = performer(
            "shop",
            webhooks=[],
            accounts=[
                {"name": "group", "role": "master", "pool": {"credits": {"email": 10}}},
                {"name": "shop", "role": "sub_account", "of": "group", "assigned": {"credits": {"email": 2}}},
            ],
        )
        here.do({"credits": -2})

        with pytest.raises(ServiceError, match="402 not_enough_credits"):
            here.do({"credits": -1})


@pytest.mark.parametrize(
    ("written", "problem"), [*CASES["what_is_no_effect_is_refused"], ({"mail": {"to": ["a@b.test"] * 2001}}, "mail.to")]
)
def test_what_is_no_effect_is_refused_with_a_sentence(written, problem, performer):
    with pytest.raises(ValueError, match=problem):
        performer().do(written)
