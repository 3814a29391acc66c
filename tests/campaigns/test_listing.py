"""Campaigns are listed and filtered (contract/campaigns#getEmailCampaigns)."""

from __future__ import annotations

import pytest

ROWS = [
    {"id": 1, "name": "a", "html": "<p>a</p>"},
    {"id": 2, "name": "b", "state": "sent", "sent_at": "-P10D", "list_ids": [1]},
    {"id": 3, "name": "c", "kind": "email_template"},
    {"id": 4, "name": "d", "state": "queued", "scheduled_at": "P1D"},
    {"id": 5, "name": "e", "kind": "sms_campaign"},
    {"id": 6, "name": "f", "state": "in_process"},
    {"id": 7, "name": "g", "state": "in_review"},
    {"id": 8, "name": "h", "state": "sent", "sent_at": "-P1D"},
    {"id": 9, "name": "i", "state": "suspended"},
    {"id": 10, "name": "j", "state": "archive", "sent_at": "-P1D"},
]
STATISTICS = ("globalStats", "linksStats", "statsByDomain", "statsByDevice", "statsByBrowser")


@pytest.fixture
def here(campaigns_of):
    return campaigns_of(campaigns=ROWS)


def ids(found):
    return [row["id"] for row in found["campaigns"]]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", [10, 9, 8, 7, 6, 4, 2, 1]),
        ("sort=asc", [1, 2, 4, 6, 7, 8, 9, 10]),
        ("type=classic&status=draft", [1]),
        ("type=trigger", []),
        ("status=sent", [8, 2]),
        ("status=queued", [4]),
        ("status=inProcess", [6]),
        ("status=inReview", [7]),
        ("status=suspended", [9]),
        ("status=archive", [10]),
        ("startDate=2026-01-13T00:00:00.000Z&endDate=2026-01-15T09:00:00.000Z", [8]),
        ("startDate=2026-01-01T00:00:00%2B01:00&endDate=2026-01-05T10:00:00+01:00&status=sent", [2]),
    ],
)
def test_query_chooses_campaigns(here, query, expected):
    found = here.get(f"?{query}")

    assert (ids(found), found["count"]) == (expected, len(expected))


def test_page_is_a_part_and_the_count_that_of_all(here):
    page = here.get("?limit=2&offset=3")

    assert (ids(page), page["count"]) == ([7, 6], 8)
    assert here.get("?limit=0") == {"campaigns": [], "count": 8}


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("limit=101", "out_of_range"),
        ("limit=-1", "out_of_range"),
        ("offset=-1", "out_of_range"),
        ("status=in_process", "invalid_parameter"),
        ("statistics=statsByDevice", "invalid_parameter"),
        ("excludeHtmlContent=1", "invalid_parameter"),
        ("startDate=2026-01-13T00:00:00.000Z", "missing_parameter"),
        ("endDate=2026-01-13T00:00:00.000Z", "missing_parameter"),
        ("startDate=yesterday&endDate=today", "invalid_parameter"),
        ("startDate=2026-01-14T00:00:00Z&endDate=2026-01-13T00:00:00Z", "invalid_parameter"),
        ("startDate=2026-01-14T00:00:00Z&endDate=2026-01-16T00:00:00Z", "out_of_range"),
        ("startDate=2024-01-12T00:00:00Z&endDate=2026-01-13T00:00:00Z", "out_of_range"),
        ("status=draft&startDate=2026-01-12T00:00:00Z&endDate=2026-01-13T00:00:00Z", "invalid_parameter"),
    ],
)
def test_wrong_query_is_refused(here, query, code):
    status, (found, _) = here.call("GET", f"?{query}")

    assert (status, found) == (400, code)


def test_review_is_shown_as_process(here):
    assert [row["status"] for row in here.get("?status=inReview")["campaigns"]] == ["in_process"]


@pytest.mark.parametrize("path", ["?sort=asc&limit=1", "/1?"])
def test_content_is_left_out_when_the_query_asks_for_it(here, path):
    found = here.get(f"{path}&excludeHtmlContent=true")

    assert (found["campaigns"][0] if "campaigns" in found else found)["htmlContent"] == ""


def test_campaign_of_a_scenario_has_all_required_members(here):
    found = here.get("/9")

    assert (found["createdAt"], found["modifiedAt"]) == ("2026-01-15T09:00:00.000Z",) * 2
    assert found["sender"] == {"email": "news@acme.test", "id": 1}
    assert (found["replyTo"], found["subject"], found["htmlContent"]) == ("news@acme.test", "i", "")


def test_campaign_is_shown_with_its_shared_address_once_it_was_shared(here):
    assert "shareLink" not in here.get("/1")

    url = here.get("/1/sharedUrl")["sharedUrl"]

    assert here.get("/1")["shareLink"] == url


@pytest.mark.parametrize("wanted", [None, *STATISTICS])
def test_statistics_are_those_that_the_query_asks_for(campaigns, wanted):
    number = campaigns.create()
    campaigns.done("POST", f"/{number}/sendNow")
    campaigns.api.advance("5m")

    found = campaigns.get(f"/{number}{f'?statistics={wanted}' if wanted else ''}")["statistics"]

    assert found.keys() == {*STATISTICS, "campaignStats", "mirrorClick", "remaining"}
    assert found["campaignStats"][0]["delivered"] == 2
    assert found["globalStats"]["delivered"] == (2 if wanted == "globalStats" else 0)
    assert bool(found["statsByDomain"]) is (wanted == "statsByDomain")
