"""Effects of stubs: e-mails, events, credits and scheduled e-mails, checked together and then performed."""

from email import message_from_bytes, policy

import pytest

from mockserver.core.contract.errors import ServiceError

HELLO = {"from": "News <news@acme.test>", "to": "bob@example.test", "subject": "Hi", "text": "Hello"}
BATCH = "5c6cfa04-eed9-42c2-8b5c-6d470d978e9d"


def mail(**members):
    return {"mail": {**HELLO, **members}}


def scheduled(at="PT1H", **members):
    return {"schedule": {"at": at, "batch_id": BATCH, "mail": {**HELLO, **members}}}


class TestMail:
    def test_it_stands_in_the_mailbox_with_all_that_was_sent(self, performer):
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
    def test_it_is_found_by_each_of_its_recipients(self, to, performer):
        here = performer()
        here.do(mail(cc="carol@example.test", bcc="dave@example.test"))

        assert here.api.get(f"/_mock/mailbox?to={to}").json["count"] == 1

    def test_it_comes_from_the_first_verified_sender_where_none_is_given(self, performer):
        here = performer(senders=[{"id": 1, "name": "A", "email": "a@acme.test", "state": "verified"}])
        here.do({"mail": {"to": "bob@example.test", "text": "Hello"}})

        assert here.mails()[0]["from"] == "a@acme.test"

    def test_it_is_a_mime_message_with_its_files(self, performer):
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

    def test_params_fill_the_places_of_its_texts(self, performer):
        here = performer()
        html = "{{ params.who.name }}, {{params.n}} {{ other }} {{params.none}}."
        here.do(mail(html=html, params={"who": {"name": "Ada"}, "n": 3}))

        (found,) = here.mails()
        assert (found["html"], found["params"]) == ("Ada, 3 {{ other }} .", {"who": {"name": "Ada"}, "n": 3})

    def test_braces_that_are_not_closed_stay(self, performer):
        here = performer()
        here.do(mail(text="{{params.n}} {{ params.n", params={"n": True}))

        assert here.mails()[0]["text"] == "true {{ params.n"

    def test_files_that_are_too_large_for_the_mailbox_are_only_listed(self, make_api, performer):
        here = performer()
        large = "QUFB" * (2 * 1024 * 1024)
        here.do(mail(attachments=[{"name": "large.bin", "content": large}]))

        (found,) = here.mails()
        assert found["attachments"] == [{"name": "large.bin", "size": 6 * 1024 * 1024}]
        assert b"large.bin" not in here.api.get(f"/_mock/mailbox/{found['id']}.eml").data


class TestEvent:
    def test_it_happens_to_the_recipients_of_the_mails_before_it(self, performer):
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

    def test_it_tells_of_the_mail(self, performer):
        here = performer()
        here.do(mail(message_id="<1@relay.test>", tags=["invoice"]), {"event": "delivered"})

        payload = here.deliveries()[0].payloads[0]
        assert (payload["message-id"], payload["subject"], payload["tags"]) == ("<1@relay.test>", "Hi", ["invoice"])
        assert payload["sender_email"] == "news@acme.test"

    def test_it_tells_of_the_template_and_of_the_custom_header(self, performer):
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

    def test_it_may_name_its_recipient_and_replace_members_of_the_payload(self, performer):
        here = performer()
        here.do({"event": "opened", "to": ["zoe@example.test"], "subject": "Yo", "payload": {"link": "https://a.test"}})

        payload = here.deliveries()[0].payloads[0]
        assert (payload["email"], payload["subject"], payload["link"]) == ("zoe@example.test", "Yo", "https://a.test")

    def test_it_happens_to_nobody_where_nobody_is_named(self, performer):
        here = performer()
        here.do(mail(), {"event": "opened", "to": []})

        assert here.events() == []

    def test_it_happens_to_some_recipient_where_there_is_no_mail(self, performer):
        here = performer()
        here.do({"event": "opened"})

        assert here.events() == [("opened", "recipient@example.test", 0)]

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

    def test_nobody_is_blocked_before_the_bounce(self, performer):
        here = performer()
        here.do({"event": "hardBounce", "to": "bob@example.test", "after": "PT1H"}, mail(), {"event": "delivered"})

        assert here.events()[-1][0] == "delivered"

    def test_the_first_bounce_counts(self, performer):
        here = performer()
        here.do({"event": "hardBounce", "to": "bob@example.test", "after": "PT1H"})
        here.do({"event": "hardBounce", "to": "BOB@example.test"}, mail(), {"event": "delivered"})

        assert here.events()[-1][0] == "blocked"

    def test_who_has_bounced_stays_blocked_after_a_restart(self, performer):
        here = performer()
        here.do({"event": "hardBounce", "to": "bob@example.test"})
        state = here.save_and_load()
        here.do(mail(), {"event": "delivered"})

        assert state["accounts"][0]["blocked_contacts"] == [
            {"email": "bob@example.test", "blocked_at": "2026-01-15T09:00:00Z"}
        ]
        assert here.events()[-1][0] == "blocked"


class TestCredits:
    def test_they_are_used_up(self, performer):
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

    def test_those_of_the_marketing_vertical_go_down_as_well(self, performer):
        verticals = [
            {"planCategory": "Marketing", "planType": "Business", "name": "Business", "credits": "100"},
            {"planCategory": "CRM", "planType": "Business", "name": "Business"},
        ]
        here = performer(plan_verticals=verticals)
        here.do({"credits": -3})

        assert [row.get("credits") for row in here.api.get("/v3/account").json["planVerticals"]] == ["97", None]

    def test_they_never_run_out_where_they_are_unlimited(self, performer):
        here = performer(plan=[{"type": "subscription", "credits": -1}])
        here.do({"credits": -1000})

        assert here.plan() == [-1]

    def test_those_of_a_sub_account_come_out_of_what_it_was_assigned(self, performer):
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


class TestAttribute:
    def test_the_operation_deletes_what_was_added(self, performer):
        here = performer()
        here.do({"attribute": {"category": "normal", "name": "PLAN"}})

        assert here.save_and_load()["accounts"][0]["attributes"] == {"normal": ["PLAN"]}
        assert [here.api.delete("/v3/contacts/attributes/normal/PLAN").status_code for _ in range(2)] == [204, 404]

    @pytest.mark.parametrize("count", [1, 2])
    def test_it_is_there_once(self, count, performer):
        here = performer(attributes={"normal": ["PLAN"] if count == 1 else []})

        with pytest.raises(ValueError, match="duplicate attribute 'PLAN' in category normal"):
            here.do(*[{"attribute": {"category": "normal", "name": "PLAN"}}] * count)

    def test_it_needs_room(self, make_api):
        api = make_api({"seed": 1}, rows_limit=3)

        answer = api.post("/_mock/stubs", json={
            "method": "POST", "path": "/v3/a", "answer": {},
            "effects": [{"each": [1, 2, 3, 4], "attribute": {"category": "normal", "name": "A{{ item }}"}}],
        })  # fmt: skip

        assert answer.status_code == 201
        assert api.post("/v3/a").json["code"] == "out_of_range"


class TestSchedule:
    def test_the_mail_is_sent_when_it_falls_due(self, performer):
        here = performer()
        here.do(scheduled(to=["bob@example.test", "eve@example.test"]))
        assert (here.mails(), here.plan()) == ([], [300])

        here.api.advance("PT1H")

        (found,) = here.mails()
        assert (found["to"], found["at"]) == ("bob@example.test, eve@example.test", "2026-01-15T10:00:00Z")
        assert here.plan() == [298]
        assert here.events() == [
            ("request", "bob@example.test", 3600),
            ("request", "eve@example.test", 3600),
            ("delivered", "bob@example.test", 3602),
            ("delivered", "eve@example.test", 3602),
        ]

    def test_a_batch_is_cancelled_by_the_operation(self, performer):
        here = performer()
        here.do(scheduled(), scheduled(to="eve@example.test"))

        assert here.api.delete(f"/v3/smtp/email/{BATCH}").status_code == 204
        here.api.advance("PT2H")
        assert (here.mails(), here.events(), here.plan()) == ([], [], [300])

    def test_a_restart_before_its_moment_changes_nothing(self, performer):
        here = performer()
        here.do(
            scheduled(
                cc={"email": "carol@example.test", "name": 'C "<>" ä'}, html="<p>1</p>", headers={"X-A": "ü"},
                tags=["t"], reply_to="r@acme.test",
                attachments=[{"name": "a.txt", "content": "SGVsbG8="}], message_id="<1@a.test>",
            )
        )  # fmt: skip
        before = here.caller.account
        state = here.save_and_load()
        here.api.advance("PT1H")

        assert here.caller.account is not before
        assert here.api.get("/_mock/machines/scheduled_email").json["items"][0]["state"] == "sent"
        assert state["accounts"][0]["scheduled_emails"][0]["mail"]["attachments"] == [
            {"name": "a.txt", "content": "SGVsbG8="}
        ]
        (found,) = here.mails()
        assert (found["cc"], found["html"], found["headers"]) == (["carol@example.test"], "<p>1</p>", {"X-A": "ü"})
        assert found["attachments"] == [{"name": "a.txt", "size": 5}]
        assert found["message_id"] == "<1@a.test>"

    def test_one_that_is_rejected_is_not_sent_and_webhooks_are_told_of_an_error(self, performer):
        here = performer()
        rejected = scheduled()
        rejected["schedule"]["rejected"] = "the sender is not valid"
        here.do(rejected)
        here.api.advance("PT1H")

        assert (here.mails(), here.plan()) == ([], [300])
        assert here.events() == [("error", "bob@example.test", 3600)]
        assert here.deliveries()[0].payloads[0]["reason"] == "the sender is not valid"

    def test_one_for_which_credits_are_missing_is_an_error_as_well(self, performer):
        here = performer(plan=[{"type": "free", "credits": 1}])
        here.do(scheduled(), scheduled(to=["eve@example.test"]))
        here.api.advance("PT1H")

        assert ([row["to"] for row in here.mails()], here.plan()) == (["bob@example.test"], [0])
        assert [row[0] for row in here.events()] == ["request", "delivered", "error"]

    def test_one_whose_moment_is_over_is_sent_at_once(self, performer):
        here = performer()
        here.do(scheduled("2020-01-01T00:00:00Z"))

        assert here.mails()[0]["at"] == "2026-01-15T09:00:00Z"

    def test_a_message_id_is_scheduled_once(self, performer):
        here = performer()
        here.do(scheduled(message_id="<1@a.test>"))

        with pytest.raises(ValueError, match=r"duplicate message id <1@a\.test>"):
            here.do(scheduled(message_id="<1@a.test>"))

    def test_those_that_wait_take_no_more_than_the_mailbox_may(self, performer):
        here = performer()
        large = "QUFB" * (1024 * 1024)
        for number in range(4):
            here.do(scheduled(message_id=f"<{number}@a.test>", attachments=[{"name": "a", "content": large}]))
        one_more = scheduled(
            message_id="<9@a.test>", attachments=[{"name": "a", "content": "QUFB" * (2 * 1024 * 1024)}]
        )
        with pytest.raises(ServiceError, match="400 out_of_range"):
            here.do(one_more)

        here.api.delete("/v3/smtp/email/%3C0%40a.test%3E")
        here.api.delete("/v3/smtp/email/%3C1%40a.test%3E")
        here.do(one_more)

        assert here.api.get("/_mock/machines/scheduled_email").json["count"] == 5


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ({}, "an effect has one of the members"),
        ({"mail": {"to": "a@b.test"}, "credits": -1}, "an effect has one of the members"),
        ({"mail": "no"}, "mail: "),
        ({"mail": {"to": "nobody"}}, "mail.to.0: Not a valid email address"),
        ({"mail": {"to": []}}, "mail.to: an e-mail needs a recipient"),
        ({"mail": {"to": ["a@b.test"] * 2001}}, "mail.to"),
        ({"mail": {"to": "a@b.test", "html": 7}}, "mail.html: "),
        ({"mail": {"to": "a@b.test", "attachments": [{"content": "%"}]}}, "mail.attachments.0.content: "),
        ({"mail": {"to": "a@b.test", "attachments": [{"name": "a"}]}}, "give the content or the url"),
        ({"mail": {"to": "a@b.test", "headers": {"a b": "c"}}}, "not the name of a header"),
        ({"event": "deliverd"}, "event: .*did you mean delivered"),
        ({"event": "delivered", "type": "inbound"}, "type: "),
        ({"event": "delivered", "after": "soon"}, "after: "),
        ({"attribute": {"category": "other", "name": "A"}}, "attribute.category: "),
        ({"attribute": {"category": "normal", "name": ""}}, "attribute.name: "),
        ({"credits": 1}, "credits: must be a negative number"),
        ({"credits": True}, "credits: "),
        ({"credits": {"fax": -1}}, "unknown credits 'fax'; known: email, sms"),
        ({"schedule": {"at": "PT1H"}}, "schedule.mail: "),
        ({"schedule": {"at": "soon", "mail": HELLO}}, "schedule.at: not an RFC 3339 date-time"),
        ({"schedule": {"at": 7, "mail": HELLO}}, "schedule.at: not an RFC 3339 date-time"),
        ({"mail": {"to": [7]}}, "mail.to.0: must be an e-mail address"),
        ({"schedule": {"at": "-PT1H", "mail": HELLO}}, "schedule.at: must not be negative"),
        ({"schedule": {"at": "PT1H", "mail": {**HELLO, "message_id": "1"}}}, "schedule.mail.message_id: "),
        ({"schedule": {"at": "PT1H", "mail": HELLO, "batch_id": "1"}}, "schedule.batch_id: "),
    ],
)
def test_what_is_no_effect_is_refused_with_a_sentence(written, problem, performer):
    with pytest.raises(ValueError, match=problem):
        performer().do(written)
