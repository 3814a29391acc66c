"""The page "Resources": one line for each kind of rows, and the rows that have no state machine."""

import json
import re
from base64 import urlsafe_b64decode
from html import unescape
from urllib.parse import quote, urljoin

import pytest
from web_page import links, plain, read

PAGE = "/_mock/ui/machines"
WORKSPACE = {
    "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True},
    "accounts": [
        {
            "name": "acme",
            "api_keys": ["key-acme"],
            "revoked_keys": ["key-old"],
            "senders": [{"id": 2, "name": "Ops", "email": "ops@acme.test", "state": "awaiting_verification"}],
            "domains": [{"name": "acme.test"}],
            "contacts": [{"email": "ada@b.test", "attributes": {"FIRSTNAME": "Ada"}}, {"email": "bob@b.test"}],
            "campaigns": [
                {"id": 7, "name": "June news", "state": "queued", "scheduled_at": "PT2H"},
                {"id": 8, "name": "Order", "kind": "email_template", "subject": "Your order", "html": "<p>Thanks"},
                {"id": 9, "name": "Old", "kind": "email_template", "active": False},
            ],
            "processes": [{"id": 3, "next_at": "PT10S", "content": "EMAIL\neve@b.test"}],
        }
    ],
    "stubs": [{"id": "deals", "method": "GET", "path": "/v3/crm/deals", "answer": {"json": {}}, "times": 1}],
}
APP = {"client_id": "crm", "name": "CRM", "redirect_uris": ["http://localhost:3000/callback"]}

pytestmark = pytest.mark.api(WORKSPACE)


def lines(page):
    """The cells of each row of a table."""
    return [[cell.text for cell in row.parts if not isinstance(cell, str)] for row in page.one("tbody").all("tr")]


def instances(page):
    """The cells of each row of a list of instances, by the names of their columns."""
    return [
        {
            re.search(r"c-(\w+)", cell.attributes["class"])[1]: cell.text
            for cell in row.parts
            if not isinstance(cell, str)
        }
        for row in page.by_id("instances").all("li")
        if row.attributes["class"] == "row"
    ]


def opened(api, path=""):
    answer = api.get(f"{PAGE}{path}")
    assert answer.status_code == 200, answer.text
    return read(answer.text)


def test_each_resource_has_a_line_with_its_number_and_states(api):
    found = {row[0]: row[1:3] for row in lines(opened(api))}

    assert found["Senders"] == ["1", "awaiting_verification 1"]
    assert found["Domains"] == ["1", "pending 1"]
    assert [found[name][0] for name in ("Contacts", "Stubs", "API keys", "OAuth apps", "Webhooks")] == list("21200")


def test_each_resource_leads_to_its_table(api):
    for link in links(api.get(PAGE).text, PAGE, "a"):
        assert api.get(link).status_code == 200, link


@pytest.mark.parametrize(
    ("path", "what"),
    [
        ("/sender", "expire_otp in 15 min"),
        ("/campaign", "fall_due in 2 h"),
        ("/process", "start in 10 s"),
        ("/domain", "authenticateDomain would answer 400: brevo_code is missing,"),
    ],
)
def test_an_instance_says_what_comes_next(api, path, what):
    (row,) = instances(opened(api, path))

    assert row["next"].startswith(what)


def test_a_campaign_shows_its_progress_and_that_a_review_ends_by_hand(make_api):
    account = {
        "name": "acme", "api_keys": ["key"], "senders": [{"name": "News", "email": "news@acme.test"}],
        "contact_lists": [{"id": 7, "name": "Readers"}], "contacts": [{"email": "ada@b.test", "list_ids": [7]}],
        "campaigns": [{"id": 9, "name": "June", "subject": "It is June", "html": "<p>", "list_ids": [7]}],
    }  # fmt: skip
    api = make_api({**WORKSPACE, "accounts": [account]}, key="key")
    assert instances(opened(api, "/campaign"))[0]["next"] == "waits for sendNow"
    assert api.post("/v3/emailCampaigns/9/sendNow").status_code == 204
    (row,) = instances(opened(api, "/campaign"))
    assert (row["key"], row["name"], row["state"], row["next"]) == ("9", "June", "in_process", "e-mails leave in 1 min")

    api.post("/_mock/machines/campaign/9/review")

    assert instances(opened(api, "/campaign"))[0]["next"] == "approve or suspend, by hand"
    members = opened(api, "/campaign/9").by_id("members").text
    for text in ("subject It is June", "sender news@acme.test", "Readers", "contacts left 1"):
        assert text in members


def test_timers_of_a_campaign_are_named_in_words(make_api):
    account = {
        "name": "acme", "api_keys": ["key"], "senders": [{"name": "News", "email": "news@acme.test"}],
        "contact_lists": [{"id": 7, "name": "Readers"}], "contacts": [{"email": "ada@b.test", "list_ids": [7]}],
        "campaigns": [{"id": 9, "name": "June", "html": "<p>", "list_ids": [7]}],
    }  # fmt: skip
    api = make_api({**WORKSPACE, "accounts": [account]}, key="key")
    assert api.post("/v3/emailCampaigns/9/sendNow").status_code == 204
    clock = read(api.get("/_mock/ui/clock").text)

    assert clock.one("header").text.count("next: e-mails leave of campaign 9") == 1
    assert "e-mails leave of campaign 9" in clock.one("main").text
    assert "e-mails leave in 1 min" in opened(api, "/campaign/9").text

    api.advance("PT2M")
    arrived = read(api.get("/_mock/ui/clock/campaign.9.arrive.20260115T090102000000Z").text)
    assert (arrived.one("h1").text, "No transition." in arrived.text) == ("e-mails arrive", True)


def test_a_contact_has_a_page_with_its_attributes(api):
    first, second = lines(opened(api, "/contacts"))

    page = opened(api, f"/contacts/{first[0]}")

    assert (first[1], second[1], page.one("h1").text) == ("ada@b.test", "bob@b.test", "ada@b.test")
    assert 'FIRSTNAME "Ada"' in page.by_id("members").text
    assert [row[1] for row in lines(opened(api, "/contacts?search=BOB"))] == ["bob@b.test"]


def test_a_template_has_a_page_with_its_content(api):
    assert lines(opened(api, "/templates")) == [
        ["8", "Order", "Your order", "acme", "active"],
        ["9", "Old", "Old", "acme", "inactive"],
    ]

    page = opened(api, "/templates/8")

    assert page.one("h1").text == "Order"
    assert "<p>Thanks" in page.by_id("members").text
    assert api.get(f"{PAGE}/templates/7").status_code == 404


def test_a_stub_has_a_page_that_its_requests_lead_to(api):
    assert lines(opened(api, "/stubs")) == [["deals", "GET", "/v3/crm/deals", "0 of 1", "active"]]

    answered = api.get("/v3/crm/deals").headers["sib-request-id"]

    assert lines(opened(api, "/stubs"))[0][3:] == ["1 of 1", "used up"]
    text = api.get(f"/_mock/ui/requests/{answered}").text
    assert f"{PAGE}/stubs/deals" in links(text, f"/_mock/ui/requests/{answered}", "a")
    page = opened(api, "/stubs/deals")
    assert "/v3/crm/deals" in page.by_id("members").text
    assert page.by_id("delete").attributes["data-path"].endswith("/_mock/stubs/deals")


def test_an_oauth_app_has_a_page_with_its_secret(api):
    made = api.post("/_mock/oauth/apps", json=APP).json

    page = opened(api, f"/apps/{quote(made['client_id'], safe='')}")

    assert page.one("h1").text == "CRM"
    assert made["client_secret"] in page.by_id("members").text


def test_a_grant_shows_its_access_tokens(api):
    app = api.post("/_mock/oauth/apps", json=APP).json
    form = {"grant_type": "client_credentials", "client_id": app["client_id"], "client_secret": app["client_secret"]}
    answer = api.client.post("/realms/partner/oauth/token", data=form).json
    (grant,) = api.get("/_mock/machines/oauth_grant").json["items"]

    claims = answer["access_token"].split(".")[1]
    identifier = json.loads(urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))["jti"]
    assert (
        f'access tokens 1 item 0 4 fields id "{identifier}"'
        in opened(api, f"/oauth_grant/{grant['key']}").by_id("members").text
    )


def test_an_export_shows_its_file(make_api):
    api = make_api({**WORKSPACE, "accounts": [{"name": "acme", "api_keys": ["key"], "enterprise": True}]})
    asked = {"type": "transactional", "event": "allEvents", "notifyURL": "http://127.0.0.1:9/export"}
    made = api.post("/v3/webhooks/export", key="key", json=asked)
    path = f"/export/{made.json['processId']}"
    assert "Its file" not in opened(api, path).by_id("members").text

    api.advance("PT1M")

    members = opened(api, path).by_id("members")
    (link,) = [
        urljoin(f"{PAGE}{path}", each.attributes["href"]) for each in members.all("a") if "download" in each.attributes
    ]
    assert members.one("pre").text == " ".join(api.get(link).text.split())


def test_revoked_keys_are_listed_as_revoked(api):
    assert lines(opened(api, "/keys")) == [["key-acme", "acme", "active"], ["key-old", "acme", "revoked"]]


def test_the_call_that_an_empty_table_shows_fills_it(make_api):
    for name in ("contacts", "templates", "apps", "stubs"):
        api = make_api("empty")
        curl = unescape(re.search(r'data-copy="(curl [^"]*)"', api.get(f"{PAGE}/{name}").text)[1])
        path, body = re.fullmatch(r"curl http://localhost(\S+) -H '[^']*' -d '(.*)'", curl).groups()

        assert api.post(path, json=json.loads(body)).status_code < 300, curl
        assert len(lines(opened(api, f"/{name}"))) == 1, name


# ---------------------------------------------------------------------- the first visit


@pytest.mark.parametrize("page", ["machines", "requests"])
def test_an_unused_workspace_offers_three_steps_that_work(make_api, page):
    api = make_api("empty")
    steps = read(api.get(f"/_mock/ui/{page}").text).one("ol")
    commands = [pre.text for pre in steps.all("pre")]
    path, body = re.search(r"http://localhost(\S+) .*-d '(.*?)'", commands[0]).groups()
    assert api.post(path, json=json.loads(body)).status_code == 201
    assert len(api.get(re.search(r"http://localhost(\S+)", commands[1])[1]).json["items"]) == 1
    path, body = re.search(r"http://localhost(\S+) .*-d '(.*?)'", commands[2]).groups()
    assert api.post(path, json=json.loads(body)).status_code == 200

    assert "expired" in plain(api.get("/_mock/ui/mail").text)
    assert "First steps" not in plain(api.get(f"/_mock/ui/{page}").text)
