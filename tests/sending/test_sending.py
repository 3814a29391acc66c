"""What sending an e-mail does: the mailbox, credits, events, versions, templates, and dry runs."""

import pytest

LATER = "2026-01-15T10:00:00Z"


def test_sent_mail_is_in_the_mailbox_with_all_members(sending):
    here = sending()

    sent = here.send(
        to=[{"email": "bob@example.test", "name": "Bob"}, {"email": "eve@example.test"}],
        cc=[{"email": "carol@example.test"}],
        bcc=[{"email": "dave@example.test"}],
        replyTo={"email": "reply@acme.test", "name": "Reply"},
        textContent="Hello",
        headers={"X-Mailin-custom": "a:1"},
        tags=["invoice"],
        attachment=[{"name": "a.txt", "content": "SGVsbG8="}, {"url": "https://files.test/b.pdf"}],
    )

    (found,) = here.mails()
    assert sent.json == {"messageId": found["message_id"]}
    assert found["to"] == "bob@example.test, eve@example.test"
    assert (found["cc"], found["bcc"]) == (["carol@example.test"], ["dave@example.test"])
    assert (found["from"], found["reply_to"]) == ("News <news@acme.test>", "Reply <reply@acme.test>")
    assert (found["subject"], found["text"], found["html"]) == ("Hi", "Hello", "<p>Hi</p>")
    assert (found["headers"], found["tags"]) == ({"X-Mailin-custom": "a:1"}, ["invoice"])
    assert [(row["name"], row["size"]) for row in found["attachments"]] == [("a.txt", 5), ("b.pdf", None)]
    assert (found["account"], found["request"]) == ("acme", sent.headers["sib-request-id"])


def test_sending_costs_a_credit_for_each_recipient(sending):
    here = sending()

    here.send(cc=[{"email": "carol@example.test"}], bcc=[{"email": "dave@example.test"}])

    assert here.credits() == 297


def test_sending_with_too_few_credits_is_refused(sending):
    here = sending(account={"plan": [{"type": "free", "credits": 1}]})

    answer = here.send(cc=[{"email": "carol@example.test"}])

    assert (answer.status_code, answer.json["code"]) == (402, "not_enough_credits")
    assert here.reason() == "not enough email credits: 2 required, account acme has 1"
    assert (here.mails(), here.credits()) == ([], 1)


def test_sending_raises_request_and_two_seconds_later_delivered(sending):
    here = sending()

    message_id = here.send(tags=["invoice"]).json["messageId"]
    assert here.events() == [("request", "bob@example.test")]
    here.advance("PT2S")

    assert here.events() == [("request", "bob@example.test"), ("delivered", "bob@example.test")]
    _, _, payload = here.told()[-1]
    assert (payload["message-id"], payload["subject"], payload["tags"]) == (message_id, "Hi", ["invoice"])
    assert (payload["sender_email"], payload["date"]) == ("news@acme.test", "2026-01-15 10:00:02")


@pytest.mark.parametrize(
    ("members", "warning"),
    [
        (
            {"sender": {"email": "ops@pending.test"}},
            (
                "nothing is sent: ops@pending.test is not a verified sender, and pending.test is not an "
                "authenticated domain of the account; webhooks get the event error"
            ),
        ),
        (
            {"sender": {"email": "jo@else.test"}, "scheduledAt": LATER},
            (
                "nothing is sent at 2026-01-15T10:00:00Z unless the sender is valid by then: jo@else.test is not a "
                "verified sender, and else.test is not an authenticated domain of the account; webhooks get the event "
                "error"
            ),
        ),
        (
            {"headers": {"X-Sib-Sandbox": "drop"}},
            "nothing is sent: X-Sib-Sandbox: drop in headers makes this a dry run",
        ),
        (
            {"headers": {"X-Sib-Sandbox": "drop"}, "sender": {"email": "jo@else.test"}, "scheduledAt": LATER},
            "nothing is sent: X-Sib-Sandbox: drop in headers makes this a dry run",
        ),
    ],
)
def test_the_journal_says_why_nothing_is_sent(sending, members, warning):
    here = sending()

    assert here.send(**members).status_code in (201, 202)
    assert (here.warnings(), here.mails()) == ([warning], [])


@pytest.mark.parametrize("members", [{}, {"scheduledAt": LATER}, {"sender": {"email": "any@acme.test"}}])
def test_the_journal_has_no_warning_when_an_e_mail_is_sent(sending, members):
    here = sending()
    here.send(**members)

    assert here.warnings() == []


def test_an_account_whose_relay_is_not_enabled_sends_nothing(sending):
    relay = {"enabled": False, "data": {"userName": "owner@acme.test", "relay": "smtp-relay.brevo.com", "port": 587}}
    here = sending(account={"relay": relay})

    answer = here.send()

    assert (answer.status_code, answer.json) == (
        403,
        {
            "code": "permission_denied",
            "message": (
                "Unable to send email. Your SMTP account is not yet activated. "
                "Please contact us at contact@brevo.com to request activation"
            ),
        },
    )
    assert here.mails() == []


class TestVersions:
    def test_version_is_a_mail_with_shared_members(self, sending):
        here = sending()

        answer = here.send(
            to=None,
            htmlContent="<p>{{ params.NAME }}</p>",
            params={"NAME": "you"},
            messageVersions=[
                {"to": [{"email": "ada@example.test"}], "params": {"NAME": "Ada"}},
                {"to": [{"email": "eve@example.test"}], "subject": "Yo", "cc": [{"email": "carol@example.test"}]},
            ],
        )

        found = here.mails()
        assert answer.json == {"messageIds": [row["message_id"] for row in found]}
        assert [(row["to"], row["subject"], row["html"]) for row in found] == [
            ("ada@example.test", "Hi", "<p>Ada</p>"),
            ("eve@example.test", "Yo", "<p>you</p>"),
        ]
        assert (found[1]["cc"], here.credits()) == (["carol@example.test"], 297)

    def test_shared_copies_go_with_each_version(self, sending):
        here = sending()
        bcc = [{"email": "dave@example.test"}]
        versions = [{"to": [{"email": f"u{number}@example.test"}]} for number in range(2)]

        here.send(to=None, bcc=bcc, messageVersions=versions)

        assert [row["bcc"] for row in here.mails()] == [["dave@example.test"]] * 2

    def test_recipients_beside_versions_are_ignored(self, sending):
        here = sending()

        here.send(messageVersions=[{"to": [{"email": "ada@example.test"}]}])

        assert [row["to"] for row in here.mails()] == ["ada@example.test"]


class TestTemplates:
    def test_template_gives_subject_and_content_with_parameters(self, sending):
        here = sending()

        here.send(templateId=7, subject=None, params={"NAME": "Ada"}, htmlContent="<p>ignored</p>")

        (found,) = here.mails()
        assert (found["subject"], found["html"]) == ("Hi Ada", "<p>Ada</p>")
        assert (found["template_id"], found["params"]) == (7, {"NAME": "Ada"})

    def test_template_needs_no_sender_and_is_part_of_payloads(self, sending):
        here = sending()

        here.send(sender=None, templateId=7)

        assert here.mails()[0]["from"] == "news@acme.test"
        assert here.told()[0][2]["template_id"] == 7


@pytest.mark.parametrize("when", [{}, {"scheduledAt": LATER}])
def test_a_dry_run_is_answered_and_does_nothing(when, sending):
    here = sending()

    answer = here.send(headers={"X-Sib-Sandbox": "drop"}, **when)

    assert answer.json["messageId"].startswith("<")
    here.advance("PT2H")
    assert (here.mails(), here.told(), here.credits()) == ([], [], 300)


def test_sandbox_header_of_the_request_itself_is_ignored(sending):
    here = sending()

    mail = {"sender": {"id": 1}, "to": [{"email": "bob@example.test"}], "subject": "Hi", "textContent": "Hi"}
    here.api.post("/v3/smtp/email", headers={"X-Sib-Sandbox": "drop"}, json=mail)

    assert len(here.mails()) == 1


class TestSenders:
    @pytest.mark.parametrize(
        "sender", [{"id": 1, "name": "ignored"}, {"email": "NEWS@acme.test"}, {"email": "anybody@acme.test"}]
    )
    def test_verified_sender_or_authenticated_domain_is_valid(self, sender, sending):
        here = sending()

        here.send(sender=sender)

        assert len(here.mails()) == 1

    @pytest.mark.parametrize("sender", [{"id": 2}, {"email": "ops@pending.test"}, {"email": "me@gmail.com"}])
    def test_invalid_sender_is_accepted_and_raises_an_error_event(self, sender, sending):
        here = sending()

        assert here.send(sender=sender).status_code == 201
        assert here.told() == []
        here.advance("PT1S")

        ((event, to, payload),) = here.told()
        assert (event, to) == ("error", "bob@example.test")
        assert "is not valid. Validate your sender or authenticate your domain" in payload["reason"]
        assert (here.mails(), here.credits()) == ([], 300)

    def test_invalid_sender_is_refused_where_the_scenario_says_so(self, sending):
        here = sending(behaviour={"send_invalid_sender": "refuse"})

        answer = here.send(sender={"email": "me@gmail.com"})

        assert (answer.status_code, answer.json["code"]) == (400, "invalid_parameter")
        assert "me@gmail.com is not valid" in answer.json["message"]

    @pytest.mark.parametrize("members", [{"tags": []}, {"headers": {}}, {"headers": []}, {"attachment": []}])
    def test_empty_member_is_refused_where_the_scenario_says_so(self, sending, members):
        here = sending(behaviour={"send_empty_members": "refuse"})

        answer = here.send(**members)

        assert answer.status_code == 400
        assert answer.json == {"code": "missing_parameter", "message": f"{next(iter(members))} is blank"}
        assert (here.send(**dict.fromkeys(members)).status_code, sending().send(**members).status_code) == (201, 201)

    def test_newly_verified_sender_is_valid(self, sending):
        here = sending()
        otp = here.api.post("/v3/senders", json={"name": "New", "email": "new@pending.test"}).json["id"]
        code = here.api.get(f"/_mock/machines/sender/{otp}").json["otp"]
        here.api.put(f"/v3/senders/{otp}/validate", json={"otp": code})

        here.send(sender={"email": "new@pending.test"})

        assert here.mails()[-1]["subject"] == "Hi"


def test_a_sub_account_sends_with_the_credits_that_it_was_assigned_until_they_run_out(make_api):
    senders = [{"id": 1, "name": "Shop", "email": "shop@acme.test", "state": "verified"}]
    shop = {"name": "shop", "role": "sub_account", "of": "group", "api_keys": ["shop-key"], "senders": senders}
    shop["assigned"] = {"credits": {"email": 2}}
    master = {"name": "group", "role": "master", "api_keys": ["group-key"], "pool": {"credits": {"email": 10}}}
    api = make_api({"accounts": [master, shop]}, key="shop-key")
    mail = {"sender": {"id": 1}, "to": [{"email": "bob@example.test"}], "subject": "Hi", "textContent": "Hi"}

    statuses = [api.post("/v3/smtp/email", json=mail).status_code for _ in range(3)]

    assert statuses == [201, 201, 402]
    assert api.get("/v3/account").json["plan"][0]["credits"] == 0


def test_fault_matches_sending_by_operation_id(sending):
    here = sending()
    rule = {"fault": "error", "code": "not_enough_credits", "match": {"operation": "sendTransacEmail"}, "times": 1}
    assert here.api.post("/_mock/faults", json={**rule, "force": True}).status_code == 201

    assert here.send().json["code"] == "not_enough_credits"
    assert here.send().status_code == 201
    assert len(here.mails()) == 1


def test_an_unknown_member_is_warned_of_and_refused_where_the_workspace_is_strict(sending):
    here = sending()
    assert here.send(colour="red").status_code == 201
    assert "colour" in here.api.get("/_mock/requests?limit=1").json["items"][0]["warnings"][0]

    assert sending(strict=True).send(colour="red").status_code == 400
