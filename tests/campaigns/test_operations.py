"""Campaigns are created, changed, deleted, sent and tested (contract/campaigns)."""

from __future__ import annotations

import pytest

HTML = "<p>Summer is here</p>"
LATER = "2026-01-15T10:00:00.000Z"
INVALID_SENDER = "Sender is invalid / inactive: a sender must be verified before a campaign may use it"
NOT_FOUND = (404, ("document_not_found", "Campaign ID not found"))
SENT = (400, ("campaign_sent", "Campaign has already been sent"))
PROCESSED = (400, ("campaign_processing", "Campaign is being processed"))
#: An A/B test, and a warm-up.
TEST = {
    "abTesting": True, "subjectA": "Hello", "subjectB": "Hi", "splitRule": 10, "winnerCriteria": "open",
    "winnerDelay": 24,
}  # fmt: skip
WARM_UP = {"ipWarmupEnable": True, "initialQuota": 3000, "increaseRate": 30}
#: Calls that change or read one campaign.
CALLS = (
    ("GET", "", None),
    ("PUT", "", {"name": "July"}),
    ("DELETE", "", None),
    ("POST", "/sendNow", None),
    ("PUT", "/status", {"status": "archive"}),
    ("POST", "/sendTest", {"emailTo": ["ada@acme.test"]}),
)


def without(members, name):
    return {**members, name: None}


class TestCreation:
    def test_a_campaign_is_shown_as_it_was_created(self, campaigns):
        number = campaigns.create(
            replyTo="ada@acme.test", toField="{FIRSTNAME}", tag="sale", previewText="Only today", header="Top",
            footer="Bottom", utmCampaign="sale 26", inlineImageActivation=True, mirrorActive=False,
            recipients={"listIds": [1], "exclusionListIds": [2]},
        )  # fmt: skip

        found = campaigns.get(f"/{number}")

        assert {name: value for name, value in found.items() if name != "statistics"} == {
            "id": number, "name": "June", "type": "classic", "status": "draft", "subject": "Sale",
            "previewText": "Only today", "abTesting": False, "sendAtBestTime": False, "testSent": False,
            "createdAt": "2026-01-15T09:00:00.000Z", "modifiedAt": "2026-01-15T09:00:00.000Z", "header": "Top",
            "footer": "Bottom", "sender": {"email": "news@acme.test", "id": 1, "name": "News"},
            "replyTo": "ada@acme.test", "toField": "{FIRSTNAME}", "htmlContent": HTML, "tag": "sale",
            "inlineImageActivation": True, "mirrorActive": False, "recurring": False, "utmCampaignValue": "sale 26",
            "recipients": {"lists": [1], "exclusionLists": [2]},
        }  # fmt: skip

    def test_campaigns_and_templates_count_on_in_one_space_of_ids(self, campaigns_of):
        campaigns = campaigns_of(campaigns=[{"id": 4, "name": "Welcome", "kind": "email_template"}])

        assert campaigns.create() == 5

    @pytest.mark.parametrize(
        ("sender", "given"),
        [
            ({"id": 2}, "2"),
            ({"email": "ops@acme.test"}, "ops@acme.test"),
            ({"email": "other@acme.test"}, "other@acme.test"),
            ({"id": 9}, "9"),
        ],
    )
    def test_sender_that_is_not_verified_is_refused(self, campaigns, sender, given):
        assert campaigns.refused(sender=sender) == ("invalid_parameter", INVALID_SENDER)
        campaigns.call("POST", "", {"name": "a", "sender": sender, "subject": "a", "htmlContent": HTML})
        reason = f"{given} is no verified sender of account acme (it has news@acme.test)"
        assert campaigns.request["reason"] == reason

    def test_sender_keeps_the_given_name(self, campaigns):
        number = campaigns.create(sender={"id": 1, "name": "Shop"})

        assert campaigns.get(f"/{number}")["sender"] == {"email": "news@acme.test", "id": 1, "name": "Shop"}

    @pytest.mark.parametrize("sender", [{}, {"name": "News"}])
    def test_sender_needs_an_id_or_an_address(self, campaigns, sender):
        assert campaigns.refused(sender=sender) == ("missing_parameter", "email is missing in sender")

    def test_template_gives_content_and_subject(self, campaigns_of):
        template = {"id": 4, "name": "Welcome", "kind": "email_template", "html": "<b>Welcome</b>"}
        campaigns = campaigns_of(campaigns=[template])

        number = campaigns.create(templateId=4, htmlContent=None, subject=None)
        other = campaigns.create(templateId=4, htmlContent=None)

        assert campaigns.get(f"/{number}")["htmlContent"] == "<b>Welcome</b>"
        assert [campaigns.get(f"/{row}")["subject"] for row in (number, other)] == ["Welcome", "Sale"]

    @pytest.mark.parametrize(
        ("number", "why"), [(4, "template 4 of account acme is inactive"), (5, "is unknown (it has 4)")]
    )
    def test_template_must_be_active(self, campaigns_of, number, why):
        campaigns = campaigns_of(campaigns=[{"id": 4, "name": "Old", "kind": "email_template", "active": False}])

        assert campaigns.refused(templateId=number, htmlContent=None) == ("invalid_parameter", "Invalid template id")
        campaigns.call("POST", "", {"name": "a", "sender": {"id": 1}, "templateId": number})
        assert why in campaigns.request["reason"]

    def test_content_at_an_address_is_not_fetched(self, campaigns):
        number = campaigns.create(htmlUrl="https://acme.test/?a=1&b=2", htmlContent=None)

        (warning,) = campaigns.request["warnings"]
        assert warning.startswith("htmlUrl is not fetched: the content names its address")
        address = "https://acme.test/?a=1&amp;b=2"
        content = f'<p>The content is at <a href="{address}">{address}</a>.</p>'
        assert campaigns.get(f"/{number}")["htmlContent"] == content

    @pytest.mark.parametrize(("html", "is_taken"), [("x" * 10, False), ("x" * 11, True)])
    def test_content_has_more_than_ten_characters(self, campaigns, html, is_taken):
        if is_taken:
            assert campaigns.get(f"/{campaigns.create(htmlContent=html)}")["htmlContent"] == html
        else:
            assert campaigns.refused(htmlContent=html) == ("invalid_parameter", "htmlContent is not valid")

    @pytest.mark.parametrize("member", ["listIds", "exclusionListIds"])
    def test_list_that_is_not_there_is_refused(self, campaigns, member):
        assert campaigns.refused(recipients={member: [1, 7]}) == ("invalid_parameter", "List ID does not exist")

    @pytest.mark.parametrize(
        ("moment", "shown"),
        [
            ("2026-01-15T12:30:00+02:00", "2026-01-15T10:30:00.000Z"),
            ("2026-01-15T10:30:00.500Z", "2026-01-15T10:30:00.500Z"),
            ("2026-01-15 10:30:00", "2026-01-15T10:30:00.000Z"),
        ],
    )
    def test_moment_queues_the_campaign(self, campaigns, moment, shown):
        found = campaigns.get(f"/{campaigns.create(scheduledAt=moment)}")

        assert (found["status"], found["scheduledAt"]) == ("queued", shown)

    @pytest.mark.parametrize(
        ("members", "refusal"),
        [
            ({"scheduledAt": "2026-01-15T09:00:00Z"}, ("invalid_parameter", "scheduledAt is not valid")),
            (
                {"scheduledAt": "tomorrow"},
                (
                    "invalid_parameter",
                    "scheduledAt: Not a valid date-time, the format is YYYY-MM-DDTHH:mm:ss.SSSZ",
                ),
            ),
            (
                {"scheduledAt": LATER, "recipients": None},
                ("missing_parameter", "listIds is missing in recipients"),
            ),
            ({"sender": None}, ("missing_parameter", "Missing sender attribute in the request")),
            ({"name": ""}, ("missing_parameter", "Missing name attribute in the request")),
            ({"subject": " "}, ("missing_parameter", "subject is missing")),
            ({"params": "x"}, ("invalid_parameter", "params: must be an object")),
        ],
    )
    def test_wrong_member_is_refused(self, campaigns, members, refusal):
        assert campaigns.refused(**members) == refusal

    def test_campaign_is_refused_when_it_exceeds_the_limit_of_stored_bytes(self, make_api):
        body = {"name": "a", "sender": {"id": 1}, "subject": "a", "htmlContent": "x" * 20_000}
        api = make_api({"senders": [{"id": 1, "name": "a", "email": "a@a.test"}]}, stored_bytes_limit=50_000)
        first, second, third = (api.post("/v3/emailCampaigns", json=body) for _ in range(3))

        assert [first.status_code, second.status_code, third.json["code"]] == [201, 201, "out_of_range"]
        api.delete(f"/v3/emailCampaigns/{first.json['id']}")
        assert api.post("/v3/emailCampaigns", json=body).status_code == 201

    def test_larger_content_counts_among_the_stored_bytes(self, make_api):
        body = {"name": "a", "sender": {"id": 1}, "subject": "a", "htmlContent": "x" * 20}
        api = make_api({"senders": [{"id": 1, "name": "a", "email": "a@a.test"}]}, stored_bytes_limit=50_000)
        number = api.post("/v3/emailCampaigns", json=body).json["id"]

        answers = [api.put(f"/v3/emailCampaigns/{number}", json={"htmlContent": "x" * 30_000}) for _ in range(2)]

        assert [answers[0].status_code, answers[1].json["code"]] == [204, "out_of_range"]

    def test_list_that_is_named_twice_counts_once(self, campaigns):
        number = campaigns.create(recipients={"listIds": [1, 2, 1]})

        assert campaigns.get(f"/{number}")["recipients"]["lists"] == [1, 2]

    def test_segments_suffice_for_a_moment(self, campaigns):
        assert campaigns.state(campaigns.create(scheduledAt=LATER, recipients={"segmentIds": [3]})) == "queued"


class TestOptions:
    def test_test_of_subjects_is_shown_without_a_subject(self, campaigns):
        found = campaigns.get(f"/{campaigns.create(**TEST)}")

        assert {name: found.get(name) for name in TEST} == TEST
        assert "subject" not in found

    @pytest.mark.parametrize("name", ["subjectA", "subjectB", "splitRule", "winnerCriteria", "winnerDelay"])
    def test_test_of_subjects_needs_all_members(self, campaigns, name):
        assert campaigns.refused(**without(TEST, name)) == ("missing_parameter", f"{name} is missing")

    @pytest.mark.parametrize("more", [{"subjectB": "Hello"}, {"sendAtBestTime": True}])
    def test_test_of_subjects_is_refused_if_it_is_not_possible(self, campaigns, more):
        assert campaigns.refused(**{**TEST, **more})[0] == "invalid_parameter"

    def test_test_with_all_recipients_needs_no_winner(self, campaigns):
        assert campaigns.create(abTesting=True, subjectA="a", subjectB="b", splitRule=50)

    def test_members_of_a_test_are_ignored_without_one(self, campaigns):
        found = campaigns.get(f"/{campaigns.create(**{**TEST, 'abTesting': False})}")

        assert TEST.keys() & found.keys() == {"abTesting"}

    @pytest.mark.parametrize("name", ["initialQuota", "increaseRate"])
    def test_warm_up_needs_all_members(self, campaigns, name):
        assert campaigns.refused(**without(WARM_UP, name)) == ("missing_parameter", f"{name} is missing")

    @pytest.mark.parametrize(
        ("members", "name"),
        [
            (TEST, "abTesting"),
            (WARM_UP, "ipWarmupEnable"),
            ({"sendAtBestTime": True}, "sendAtBestTime"),
            ({"recipients": {"segmentIds": [3]}}, "segmentIds"),
        ],
    )
    def test_option_without_an_effect_is_warned_of(self, campaigns, members, name):
        campaigns.create(**members)

        assert campaigns.request["warnings"] == [f"{name} is kept without an effect (contract/campaigns#kept)"]

    def test_options_come_back_from_a_snapshot_of_the_workspace(self, campaigns):
        campaigns.create(**WARM_UP, recipients={"segmentIds": [3]})

        document = campaigns.api.get("/_mock/state?format=json").json

        assert document["accounts"][0]["campaigns"][0]["options"] == {**WARM_UP, "segmentIds": [3]}

    def test_best_time_turns_the_warm_up_off(self, campaigns):
        campaigns.create(**WARM_UP, sendAtBestTime=True)

        document = campaigns.api.get("/_mock/state?format=json").json

        assert document["accounts"][0]["campaigns"][0]["options"]["ipWarmupEnable"] is False

    def test_placeholders_of_header_and_footer_add_nothing(self, campaigns):
        number = campaigns.create(header="[DEFAULT_HEADER]", footer="[DEFAULT_FOOTER]")

        campaigns.done("POST", f"/{number}/sendNow")
        campaigns.api.advance("5m")

        assert campaigns.api.get("/_mock/mailbox?limit=1").json["items"][0]["html"] == HTML


class TestChanges:
    def test_change_keeps_what_it_does_not_name(self, campaigns):
        number = campaigns.create(tag="sale")
        campaigns.api.advance("1h")

        campaigns.done("PUT", f"/{number}", {"subject": "Last days", "params": {"a": 1}})

        found = campaigns.get(f"/{number}")
        assert (found["subject"], found["tag"], found["recipients"]["lists"]) == ("Last days", "sale", [1])
        assert (found["createdAt"][11:16], found["modifiedAt"][11:16]) == ("09:00", "10:00")

    def test_recipients_are_replaced(self, campaigns):
        number = campaigns.create(recipients={"listIds": [1], "exclusionListIds": [2]})

        campaigns.done("PUT", f"/{number}", {"recipients": {"listIds": [2]}})

        assert campaigns.get(f"/{number}")["recipients"] == {"lists": [2], "exclusionLists": []}

    def test_another_moment_moves_the_sending(self, campaigns):
        number = campaigns.create(scheduledAt=LATER)

        campaigns.done("PUT", f"/{number}", {"scheduledAt": "2026-01-15T12:00:00Z"})

        campaigns.api.advance("2h")
        assert (campaigns.state(number), campaigns.mails()) == ("queued", [])
        campaigns.api.advance("2h")
        assert (campaigns.state(number), len(campaigns.mails())) == ("sent", 2)

    @pytest.mark.parametrize(
        ("change", "code"),
        [
            ({}, "missing_parameter"),
            ({"sender": {"id": 2}}, "invalid_parameter"),
            ({"recipients": {"listIds": [9]}}, "invalid_parameter"),
            ({"recipients": {}}, "missing_parameter"),
            ({"abTesting": True}, "missing_parameter"),
            ({"scheduledAt": "2026-01-15T08:00:00Z"}, "invalid_parameter"),
            ({"htmlContent": HTML, "htmlUrl": "https://acme.test/"}, "invalid_parameter"),
            ({"subject": ""}, "missing_parameter"),
            ({"winnerDelay": 169}, "out_of_range"),
        ],
    )
    def test_refused_change_leaves_the_campaign_as_it_is(self, campaigns, change, code):
        number = campaigns.create(scheduledAt=LATER)
        before = campaigns.get(f"/{number}")

        status, (found, _) = campaigns.call("PUT", f"/{number}", change and {"name": "July", **change})

        assert (status, found, campaigns.get(f"/{number}")) == (400, code, before)

    def test_queued_campaign_is_renamed_when_its_list_is_deleted(self, campaigns):
        number = campaigns.create(scheduledAt=LATER)
        campaigns.api.delete("/v3/contacts/lists/1")

        campaigns.done("PUT", f"/{number}", {"name": "July"})

        assert campaigns.get(f"/{number}")["name"] == "July"


class TestDeletion:
    @pytest.mark.parametrize("state", ["draft", "sent", "suspended", "archive"])
    def test_campaign_is_deleted(self, campaigns_of, state):
        campaigns = campaigns_of(campaigns=[{"id": 4, "name": "a", "state": state}])

        campaigns.done("DELETE", "/4")

        assert campaigns.call("GET", "/4") == NOT_FOUND

    def test_scheduled_campaign_is_not_deleted(self, campaigns):
        number = campaigns.create(scheduledAt=LATER)

        assert campaigns.call("DELETE", f"/{number}")[0] == 403
        assert campaigns.state(number) == "queued"


class TestSending:
    @pytest.mark.parametrize("before", ["draft", "queued", "suspended"])
    def test_campaign_is_sent_once(self, campaigns, before):
        number = campaigns.create(**({} if before == "draft" else {"scheduledAt": LATER}))
        if before == "suspended":
            campaigns.to(number, before)

        campaigns.done("POST", f"/{number}/sendNow")

        assert campaigns.state(number) == "in_process"
        campaigns.api.advance("2h")
        assert sorted(campaigns.mails()) == ["ada@acme.test", "bob@acme.test"]
        assert campaigns.get(f"/{number}")["scheduledAt"] == "2026-01-15T09:00:00.000Z"

    @pytest.mark.parametrize(
        ("member", "value", "message"),
        [
            ("html", None, "htmlContent is missing"),
            ("list_ids", [], "listIds is missing in recipients"),
            ("sender", {"email": "ops@acme.test"}, INVALID_SENDER),
        ],
    )
    def test_incomplete_campaign_is_not_sent(self, campaigns_of, member, value, message):
        campaign = {"id": 4, "name": "a", "html": HTML, "list_ids": [1], member: value}
        campaigns = campaigns_of(campaigns=[campaign])

        status, (_, found) = campaigns.call("POST", "/4/sendNow")

        assert (status, found, campaigns.state(4)) == (400, message, "draft")

    def test_campaign_whose_lists_are_deleted_is_not_sent(self, campaigns):
        number = campaigns.create()
        campaigns.api.delete("/v3/contacts/lists/1")

        assert campaigns.call("POST", f"/{number}/sendNow")[1][1] == "listIds is missing in recipients"

    def test_too_few_credits_are_refused_before_anything_is_sent(self, campaigns_of):
        campaigns = campaigns_of(plan=[{"type": "subscription", "credits": 1}])
        number = campaigns.create()

        assert campaigns.call("POST", f"/{number}/sendNow") == (402, ("not_enough_credits", "Not enough credits"))
        assert campaigns.state(number) == "draft"


class TestTests:
    def test_test_goes_to_a_contact_with_params(self, campaigns):
        number = campaigns.create(subject="Hi {{ params.who }}", params={"who": "Ada"})

        campaigns.done("POST", f"/{number}/sendTest", {"emailTo": ["ada@acme.test"]})

        (mail,) = campaigns.api.get("/_mock/mailbox").json["items"]
        assert (mail["to"], mail["subject"]) == ("ada@acme.test", "Hi Ada")
        assert campaigns.get(f"/{number}")["testSent"] is True

    def test_refused_test_leaves_no_mark(self, campaigns):
        number = campaigns.create()

        assert campaigns.call("POST", f"/{number}/sendTest", {"emailTo": ["eve@acme.test"]})[0] == 400
        assert campaigns.get(f"/{number}")["testSent"] is False


@pytest.mark.parametrize(("method", "path", "body"), CALLS)
@pytest.mark.parametrize("number", [4, 5, 99])
def test_other_ids_are_unknown_to_campaigns(campaigns_of, method, path, body, number):
    campaigns = campaigns_of(
        campaigns=[{"id": 4, "name": "a", "kind": "email_template"}, {"id": 5, "name": "b", "kind": "sms_campaign"}]
    )

    assert campaigns.call(method, f"/{number}{path}", body) == NOT_FOUND


@pytest.mark.parametrize(("method", "path", "body"), CALLS[1:4])
@pytest.mark.parametrize("state", ["in_process", "in_review"])
def test_campaign_in_process_is_not_touched(campaigns_of, method, path, body, state):
    campaigns = campaigns_of(campaigns=[{"id": 4, "name": "a", "html": HTML, "list_ids": [1], "state": state}])

    assert campaigns.call(method, f"/4{path}", body) == PROCESSED


@pytest.mark.parametrize(("method", "path", "body"), [CALLS[1], CALLS[3]])
@pytest.mark.parametrize("state", ["sent", "archive"])
def test_sent_campaign_is_not_changed_or_sent(campaigns_of, method, path, body, state):
    campaign = {"id": 4, "name": "a", "html": HTML, "list_ids": [1], "state": state, "sent_at": "-PT1H"}

    assert campaigns_of(campaigns=[campaign]).call(method, f"/4{path}", body) == SENT
