"""The status of campaigns is changed by request (contract/campaigns#updateCampaignStatus)."""

from __future__ import annotations

import pytest

HTML = "<p>Summer is here</p>"
LATER = "2026-01-15T10:00:00.000Z"
#: The status after a request that is possible, by the state before.
MOVES = {
    ("draft", "archive"): "archive",
    ("draft", "queued"): "queued",
    ("draft", "sent"): "in_process",
    ("queued", "draft"): "draft",
    ("queued", "suspended"): "suspended",
    ("queued", "sent"): "in_process",
    ("in_process", "suspended"): "suspended",
    ("in_review", "suspended"): "suspended",
    ("suspended", "draft"): "draft",
    ("suspended", "queued"): "queued",
    ("suspended", "sent"): "in_process",
    ("suspended", "archive"): "archive",
    ("sent", "archive"): "archive",
    ("archive", "darchive"): "draft",
}
STATES = ("draft", "queued", "in_process", "in_review", "suspended", "sent", "archive")
STATUSES = ("suspended", "archive", "darchive", "sent", "queued", "draft")
#: The codes of refusals; those of other states are invalid_parameter.
CODES = {"in_process": "campaign_processing", "in_review": "campaign_processing", "sent": "campaign_sent"}


@pytest.fixture
def of_state(campaigns_of):
    def of_state(state, **members):
        campaign = {"id": 4, "name": "June", "html": HTML, "list_ids": [1], "state": state, "scheduled_at": "PT1H"}
        return campaigns_of(campaigns=[{**campaign, **members}])

    return of_state


@pytest.mark.parametrize(("state", "status"), MOVES)
def test_status_is_changed_when_the_state_allows_it(of_state, state, status):
    campaigns = of_state(state)

    assert campaigns.to(4, status) == (204, None)
    assert campaigns.state(4) == MOVES[state, status]


@pytest.mark.parametrize(
    ("state", "status"), [(state, status) for state in STATES for status in STATUSES if (state, status) not in MOVES]
)
def test_status_is_refused_when_the_state_does_not_allow_it(of_state, state, status):
    campaigns = of_state(state)
    before = campaigns.get("/4")

    code, (found, _) = campaigns.to(4, status)

    assert (code, found) == (400, CODES.get(state, "invalid_parameter"))
    assert f"campaign 4 is {state} and cannot be" in campaigns.request["reason"]
    assert campaigns.get("/4") == before


@pytest.mark.parametrize(("state", "status"), [("draft", "sent"), ("suspended", "queued")])
def test_campaign_of_an_account_under_validation_is_not_sent(campaigns_of, state, status):
    campaign = {"id": 4, "name": "June", "html": HTML, "list_ids": [1], "state": state}
    campaigns = campaigns_of(campaigns=[campaign], accounts=[{"name": "acme", "under_validation": True}])

    assert campaigns.to(4, status) == (403, ("account_under_validation", "Your account is under validation"))
    assert campaigns.state(4) == state


def test_refusal_names_what_is_allowed(of_state):
    campaigns = of_state("queued")

    campaigns.to(4, "archive")

    assert campaigns.request["reason"] == (
        "campaign 4 is queued and cannot be set to archive; allowed: suspended, sent, draft, replicate"
    )


def test_sent_campaign_leaves_the_archive_as_sent(of_state):
    campaigns = of_state("archive", sent_at="-PT1H")

    campaigns.to(4, "darchive")

    assert campaigns.state(4) == "sent"


def test_sent_campaign_of_a_scenario_without_moments_leaves_the_archive_as_sent(of_state):
    campaigns = of_state("sent", sent_at="PT0S")
    without = of_state("sent")
    for each in (campaigns, without):
        assert each.to(4, "archive") == each.to(4, "darchive") == (204, None)

    assert without.get("/4") == campaigns.get("/4")
    assert without.state(4) == "sent"


def test_queued_campaign_is_sent_at_its_moment(of_state):
    campaigns = of_state("draft")

    campaigns.to(4, "queued")
    campaigns.api.advance("2h")

    assert (campaigns.state(4), len(campaigns.mails())) == ("sent", 2)


def test_suspended_campaign_of_the_past_goes_on_when_it_is_queued(of_state):
    campaigns = of_state("suspended", scheduled_at="-PT1H")

    campaigns.to(4, "queued")

    assert campaigns.state(4) == "in_process"


@pytest.mark.parametrize(
    ("moment", "refusal"),
    [
        ({"scheduled_at": "-PT1H"}, ("invalid_parameter", "scheduledAt is not valid")),
        ({"list_ids": []}, ("missing_parameter", "listIds is missing in recipients")),
        ({"html": None}, ("missing_parameter", "htmlContent is missing")),
    ],
)
def test_draft_that_cannot_be_sent_is_not_queued(of_state, moment, refusal):
    campaigns = of_state("draft", **moment)

    assert campaigns.to(4, "queued") == (400, refusal)


@pytest.mark.parametrize("state", STATES)
def test_copy_is_a_draft_with_the_same_content(of_state, state):
    campaigns = of_state(state, subject="Sale", tag="sale", options={"previewText": "Only today"}, tested=True)

    assert campaigns.to(4, "replicate") == (204, None)

    found, before = campaigns.get("/5"), campaigns.get("/4")
    same = ("name", "subject", "htmlContent", "tag", "previewText", "recipients")
    assert {name: found[name] for name in same} == {name: before[name] for name in same}
    assert (found["status"], found["testSent"], "scheduledAt" in found) == ("draft", False, False)


def test_change_of_a_copy_leaves_the_original_as_it_is(of_state):
    campaigns = of_state("draft", options={"previewText": "a"}, params={"a": 1})
    campaigns.to(4, "replicate")
    before = campaigns.get("/4")

    campaigns.done("PUT", "/5", {"previewText": "b", "recipients": {"listIds": [2]}})

    assert campaigns.get("/4") == before


def test_template_is_copied(campaigns_of):
    template = {"id": 4, "name": "Welcome", "kind": "email_template", "html": HTML, "share": "an-old-link"}
    campaigns = campaigns_of(campaigns=[template])

    assert campaigns.to(4, "replicateTemplate") == (204, None)

    rows = campaigns.api.get("/_mock/state?format=json").json["accounts"][0]["campaigns"]
    assert [(row["id"], row["html"], row.get("share")) for row in rows] == [(4, HTML, "an-old-link"), (5, HTML, None)]


@pytest.mark.parametrize(("number", "status"), [(4, "replicate"), (5, "replicateTemplate")])
def test_copies_are_refused_when_the_workspace_is_full(make_api, number, status):
    rows = [{"id": 4, "name": "a"}, {"id": 5, "name": "b", "kind": "email_template"}]
    api = make_api({"campaigns": rows}, rows_limit=20)

    answers = [api.put(f"/v3/emailCampaigns/{number}/status", json={"status": status}) for _ in range(20)]

    assert (answers[0].status_code, answers[-1].json["code"]) == (204, "out_of_range")
