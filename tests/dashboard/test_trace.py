"""`trace.html`: what happened in a workspace as one file, without secrets, within its limits."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import unquote, urljoin

import pytest
from hostile_values import Page, values
from hostile_workspace import fill

HOOK = {"url": "http://127.0.0.1:9/hook", "events": ["delivered", "hardBounce"], "type": "transactional"}
MAIL = {
    "sender": {"email": "news@acme.test"}, "to": [{"email": "c@x.test"}], "subject": "Hi", "textContent": "Hello",
}  # fmt: skip


def trace(api):
    answer = api.get("/_mock/trace")
    assert (answer.status_code, answer.content_type) == (200, "text/html; charset=utf-8")
    return answer.text


def row(html, id_or_text):
    """The HTML of the one event with this id, or with this text in its line."""
    found = [item for item in re.findall(r"<li id=.*?</details></li>", html, re.DOTALL) if id_or_text in item]
    assert len(found) == 1, (id_or_text, len(found))
    return found[0]


# ---------------------------------------------------------------------- content


def test_trace_has_events_of_all_kinds_in_their_order(api):
    api.post("/v3/senders", json={"name": "Jo", "email": "jo@acme.test"})
    api.post("/_mock/trigger", json={"event": "hardBounce", "to": "x@acme.test"})
    api.post("/_mock/clock/advance", json={"by": "PT20M"})
    html = trace(api)

    lines = re.findall(r"<strong><bdi>(.*?)</bdi></strong>", html)
    assert lines[:2] == ["createSender", "Verify your sender"]
    assert "expire_otp of sender 6" in lines
    assert "hardBounce" in lines
    assert lines[-1].startswith("Clock advanced by 20 min to ")


def test_trace_tells_reason_rule_message_and_causes_of_a_request(api):
    api.post("/v3/senders", json={"name": "Jo", "email": "jo@acme.test"})
    api.put("/v3/senders/6/validate", json={"otp": 1})
    html = trace(api)

    refused, mail = row(html, "validateSenderByOtp"), row(html, "Verify your sender</bdi></strong>")
    assert "is answered when" in refused
    assert '"otp": "***"' in refused
    assert '<span class="why"><bdi>' in refused
    [created] = re.findall(r'It was caused by <a href="#([^"]+)"><bdi>createSender 201', mail)
    assert "createSender" in row(html, f'<li id="{created}"')


def test_trace_begins_with_what_went_wrong_and_leads_there(api):
    assert "What went wrong" not in trace(api)

    api.put("/v3/senders/2/validate", json={"otp": 1})
    html = trace(api)

    [(place, text)] = re.findall(r'<a class="to c-text" href="#([^"]+)"><bdi>(.*?)</bdi>', html)
    assert text.startswith("PUT /v3/senders/2/validate: ")
    assert "validateSenderByOtp" in row(html, f'<li id="{place}"')
    assert "<p>1 request (1 refused)</p>" in html


def test_trace_of_a_failed_test_tells_what_went_wrong_and_that_of_a_passed_one_folds_it(api):
    api.post("/_mock/workspaces", json={"name": "mine", "label": "test_it"})
    api.get("/w/mine/v3/nowhere")

    for outcome, is_open in (("failed", True), ("passed", False)):
        api.request("PATCH", "/_mock/workspaces/mine", json={"outcome": outcome})
        [attributes] = re.findall(r'<details id="troubles"([^>]*)>', api.get("/w/mine/_mock/trace").text)
        assert ("open" in attributes) is is_open


def test_trace_numbers_requests_as_verify_counts_them(api):
    for _ in range(3):
        api.get("/v3/account")

    assert re.findall(r'title="Number of the request">(\d+)<', trace(api)) == ["1", "2", "3"]


def test_trace_shows_what_changed_in_the_state_and_nothing_else(api):
    assert "Nothing since the workspace was made or last reset" in trace(api)

    api.post("/v3/senders", json={"name": "Jo", "email": "jo@acme.test"})
    [difference] = re.findall(r'<table class="difference".*?</table>', trace(api), re.DOTALL)

    assert re.findall(r'<th scope="row"><bdi>(.*?)</bdi>', difference) == ["account acme / senders / 6 (Jo)"]
    assert "jo@acme.test" in difference


@pytest.mark.parametrize("way", ["address", "header"])
def test_trace_is_of_the_workspace_that_the_call_names(api, way):
    made = api.post("/_mock/workspaces", json={"name": "mine", "label": "tests/test_it.py::test_it"}).json
    key = made["accounts"][0]["api_key"]
    api.post("/v3/senders", json={"name": "Jo", "email": "jo@acme.test"}, headers={"api-key": key})
    if way == "address":
        answer = api.get("/w/mine/_mock/trace")
    else:
        answer = api.get("/_mock/trace", headers={"X-Mock-Workspace": "mine"})

    assert answer.headers["Content-Disposition"] == 'attachment; filename="trace-mine.html"'
    assert "<strong><bdi>tests/test_it.py::test_it</bdi></strong>" in answer.text
    assert 'It was caused by <a href="#r-' in answer.text


@pytest.mark.parametrize("page", ["requests", "workspaces/mine"])
def test_page_offers_the_trace_of_its_workspace_for_download(api, page):
    made = api.post("/_mock/workspaces", json={"name": "mine"}).json
    api.get("/v3/account", headers={"api-key": made["accounts"][0]["api_key"]})
    address = f"/w/mine/_mock/ui/{page}"
    [link] = re.findall(r'<a href="([^"]*)" download="trace-mine.html">', api.get(address).text)

    assert urljoin(address, link) == "/w/mine/_mock/trace"


# ---------------------------------------------------------------------- secrets


def test_trace_has_no_key_token_password_or_code(api):
    api.post("/_mock/reset", json={"scenario": "oauth"})
    own = "accounts: [{name: acme, api_keys: [planted-own-key]}]"
    for body in (
        {"data": own, "content_type": "application/yaml"},
        {"json": {"accounts": [{"name": "acme", "api_keys": ["planted-2"]}]}},
    ):
        assert api.put("/_mock/state", **body).status_code == 200
    api.post("/_mock/workspaces", json={"yaml": own})
    assert api.put("/_mock/state", json={"extends": "oauth"}).status_code == 200, "the keys above are no longer known"
    secrets = [
        "planted-own-key",
        "planted-2",
        "s3cret-of-the-crm-sync",
        "planted-hook-token",
        "planted-header",
        "planted-wrong-key",
        "planted-in-mail",
    ]
    api.post("/v3/webhooks", json={
        **HOOK, "auth": {"type": "bearer", "token": "planted-hook-token"},
        "headers": [{"key": "x-team", "value": "planted-header"}],
    })  # fmt: skip
    api.post("/_mock/trigger", json={"event": "hardBounce", "to": "x@acme.test"})
    api.post("/v3/senders", json={"name": "Jo", "email": "jo@acme.test"})
    code = api.get("/_mock/mailbox").json["items"][0]["otp"]
    api.put("/v3/senders/6/validate", json={"otp": code})
    api.get("/v3/account", headers={"api-key": "planted-wrong-key"})
    api.post("/v3/smtp/email", json={**MAIL, "textContent": "token=planted-in-mail", "subject": f"code {code}"})
    api.post("/v3/smtp/email", json={**MAIL, "textContent": f"{' ' * 3_997}{code} is at the limit"})
    api.post("/_mock/keys/revoke", json={"account": "acme"})
    state = api.get("/_mock/state").json
    names = ("api_keys", "revoked_keys")
    keys = [key for account in state["accounts"] for name in names for key in account.get(name, [])]
    assert len(keys) >= 2
    html = trace(api)

    assert [secret for secret in [*secrets, *keys, str(code)] if secret in html] == []
    assert "***… and 16 more characters" in html


def test_secrets_that_are_ordinary_words_hide_no_other_text(api):
    api.post("/v3/webhooks", json={**HOOK, "headers": [{"key": "x-team", "value": "mail"}]})
    api.post("/v3/senders", json={"name": "mail", "email": "mail@acme.test"})

    html = trace(api)

    assert "mail@acme.test" in html
    assert ('"value": "***"' in html, '"value": "mail"' in html) == (True, False)


# ---------------------------------------------------------------------- limits and hostile data


def test_markup_in_user_data_is_escaped_in_a_trace(make_api):
    api = make_api()
    fill(api, values(400))

    page = Page(trace(api))

    assert [what for what, *_ in page.bad] == ["meta", "style", "script"]  # its own


def test_trace_of_200_large_requests_stays_below_its_limit(make_api):
    api = make_api(journal_bytes_limit=100_000_000)
    for _ in range(200):
        api.post("/v3/senders", json={"name": "<" * 9_000, "email": "jo@acme.test"}, headers={"x-long": "&" * 3_000})
    html = trace(api)

    assert 800_000 < len(html.encode()) < 1_500_000
    assert "more characters" in row(html, 'title="Number of the request">200<')
    assert "Its details are left out" in row(html, 'title="Number of the request">1<')


def test_trace_keeps_the_newest_events_and_counts_the_others(api):
    for _ in range(510):
        api.get("/v3/account")
    html = trace(api)

    assert html.count('title="Number of the request"') == 500
    assert "10 older events are left out" in html
    assert 'title="Number of the request">510<' in html


def test_links_of_a_trace_lead_to_places_within_it(api):
    api.post("/v3/senders", json={"name": "Jo", "email": "jo@acme.test"})
    api.get("/v3/senders")
    api.delete("/_mock/mailbox")
    api.post("/v3/smtp/email", json={**MAIL, "scheduledAt": "2026-01-15T12:00:00.000Z"})
    api.post("/_mock/clock/advance", json={"by": "P2D"})
    html = trace(api)

    places = {unescape(place) for place in re.findall(r' id="([^"]+)"', html)}
    body = html[html.index("<body") :]
    links = {unquote(link) for link in re.findall(r'(?:href|src|action)="([^"]*)"', body)}
    assert links
    assert {link.removeprefix("#") for link in links} <= places
    assert "a mail that is no longer kept" in html


def test_trace_of_a_workspace_whose_scenario_is_gone_says_so(make_api, tmp_path):
    (tmp_path / "mine.yaml").write_text("extends: standard\n")
    api = make_api(scenarios=str(tmp_path))
    assert api.post("/_mock/reset", json={"scenario": "mine"}).status_code == 200
    (tmp_path / "mine.yaml").unlink()

    assert "Not compared: " in trace(api)
