"""No secret of a workspace is told by its journal, nor by what a failed verification shows."""

from __future__ import annotations

import json
import time
from itertools import product

import pytest

from mockserver.views import redaction

OTP = 918273
HOOK_TOKEN, HOOK_PASSWORD, HOOK_HEADER = "hook-t0ken-1", "pa55:w@rd-2", "header-s3cret-3"
#: What each secret looks like wherever it stands.
SECRETS = [str(OTP), HOOK_TOKEN, "pa55", HOOK_HEADER, "tracker-key-4"]
WEBHOOK = {
    "url": f"http://user:{HOOK_PASSWORD}@127.0.0.1:9/hook",
    "events": ["opened"],
    "auth": {"type": "bearer", "token": HOOK_TOKEN},
    "headers": [{"key": "X-Team", "value": HOOK_HEADER}],
}


@pytest.fixture(autouse=True)
def _more_of_the_story(story):
    story["accounts"][0]["senders"].append({"id": 2, "name": "Ops", "email": "o@a.test", "otp": OTP})
    story["accounts"][0]["marketing_automation"] = {"enabled": True, "key": "tracker-key-4"}


def secrets(workspace):
    return [*SECRETS, *(key for row in workspace.state["accounts"] for key in row["api_keys"])]


def assert_silent(workspace, *texts):
    told = json.dumps([workspace.journal, *texts], ensure_ascii=False)
    assert [secret for secret in secrets(workspace) if secret in told] == []


def raw(workspace, method, path, body, **options):
    return workspace.ask(method, path, data=body, content_type="application/json", **options)


def test_secrets_of_a_busy_workspace_are_redacted(workspace):
    workspace.post("/v3/webhooks", WEBHOOK)
    workspace.put("/v3/webhooks/1", WEBHOOK)
    workspace.get("/v3/webhooks")
    workspace.get("/v3/webhooks/2")
    workspace.get("/v3/account")
    workspace.put("/v3/senders/2/validate", {"otp": OTP + 1})
    workspace.put("/v3/senders/2/validate", {"otp": OTP})
    workspace.post("/v3/corporate/subAccount/key", {"id": 1000002, "name": "CI"})
    tokens = [
        workspace.post("/v3/corporate/ssoToken", {"email": "owner@acme.test"}).json["token"],
        workspace.post("/v3/corporate/subAccount/ssoToken", {"id": 1000002}).json["token"],
    ]

    assert_silent(workspace)
    text = json.dumps(workspace.journal)
    assert [token for token in tokens if token in text] == []
    assert len(workspace.journal) == 10


def test_no_secret_of_a_body_of_any_form_is_told(workspace):
    for body in [
        f'{{"otp": {OTP}',
        f'{{"otp": {OTP}}} trailing',
        f'{{"otp": "{OTP}", "otp": "{OTP}"}}',
        f"otp={OTP}&x=1",
        f"{{'otp': '{OTP}'}}",
        f'{{"otp" : [{OTP}]}}',
        f'{{"otp": "{OTP}"}}',
        f'{{"otp": {{"code": {OTP}}}}}',
        f'{{"token": "{HOOK_TOKEN}\\" {HOOK_TOKEN}"',
        f'{{"headers": [{{"key": "x", "value": "{HOOK_HEADER}"',
        f'{{"headers": [{{"key": "x", "value": "{HOOK_HEADER}", "more": 1}}]}}',
        f'{{"headers": [{{"key": "x", "value": ["{HOOK_HEADER}"]}}]}}',
        f'{{"url": "http://user:{HOOK_PASSWORD}@host/x',
        f'{{"url": "http:\\/\\/user:{HOOK_PASSWORD}@host\\/x',
        f'{{"url": "http:\\/\\/user:{HOOK_PASSWORD}@host\\/x"}}',
        f'["http://user:{HOOK_PASSWORD}@host/x"]',
        f'"http://user:{HOOK_PASSWORD}@host/x"',
        f'{{"clientSecret": "{HOOK_TOKEN}", "client_secret": "{HOOK_TOKEN}", "Access-Token": "{HOOK_TOKEN}"}}',
        f'{{"password": "{HOOK_TOKEN}", "n": NaN}}',
    ]:
        for path in ("/v3/senders/2/validate", "/v3/webhooks/1", "/v3/nowhere"):
            raw(workspace, "PUT", path, body)

        assert "***" in json.dumps([row["request"]["body"] for row in workspace.journal[:3]]), body
    assert_silent(workspace)


def test_a_key_is_told_nowhere(workspace):
    for body in ('{"name": "%s"', '{"name": "%s"}', '["%s"]', "%s", '{"%s": 1}'):
        raw(workspace, "POST", "/v3/senders", body % workspace.key)

        assert_silent(workspace)


def test_no_secret_of_the_query_the_path_or_a_header_is_told(workspace):
    query = f"api-key={workspace.key}&token={HOOK_TOKEN}&otp={OTP}&otp={OTP}&x={workspace.key}&url=http://u:pa55@host"
    headers = {"Authorization": f"Bearer {HOOK_TOKEN}", "partner-key": HOOK_TOKEN, "Cookie": f"a={HOOK_TOKEN}"}
    workspace.get(f"/v3/senders?{query}", headers=headers)
    workspace.get(f"/v3/{workspace.key}")
    workspace.get("/v3/senders", headers={"Referer": f"http://u:pa55@host/{workspace.key}"})
    workspace.api.app.store.keys = "known"
    workspace.get("/v3/senders", key="xkeysib-somebody-elses-key")

    assert_silent(workspace)
    assert "xkeysib-somebody" not in json.dumps(workspace.journal)


def test_public_values_are_not_redacted(workspace):
    workspace.post("/v3/webhooks", {**WEBHOOK, "auth": {"type": "bearer"}})
    entry = workspace.journal[0]["request"]["body"]

    assert entry["url"] == "http://***@127.0.0.1:9/hook"
    assert (entry["auth"], entry["headers"]) == ({"type": "bearer"}, [{"key": "X-Team", "value": "***"}])
    workspace.put("/v3/senders/2/validate", {"otp": None})
    assert workspace.journal[0]["request"]["body"] == {"otp": None}
    assert workspace.journal[0]["answer"]["body"]["code"] != "***"


# ---------------------------------------------------------------------- near misses


def near(workspace, match):
    return workspace.post("/_mock/requests/verify", {"match": match}).json["near_misses"][0]["differences"]


DIFFERENCES = [
    ({"json": {"auth": {"token": "wanted"}}}, "/json/auth/token", "***"),
    ({"json": {"auth": "wanted"}}, "/json/auth", {"type": "bearer", "token": "***"}),
    ({"json": {"auth": {"type": "wanted"}}}, "/json/auth/type", "bearer"),
    ({"json": {"headers": [{"value": "wanted"}]}}, "/json/headers/0/value", "***"),
    ({"json": {"headers": [{"key": "wanted"}]}}, "/json/headers/0/key", "X-Team"),
    ({"json": {"headers": []}}, "/json/headers", [{"key": "X-Team", "value": "***"}]),
    ({"json": {"url": "wanted"}}, "/json/url", "http://***@127.0.0.1:9/hook"),
    ({"json": {"nothing": "wanted"}}, "/json/nothing", None),
    ({"json": {"a/b~c": "wanted"}}, "/json/a~1b~0c", "slash"),
    ({"headers": {"api-key": "wanted"}}, "/headers/api-key", "***"),
    ({"headers": {"Authorization": "wanted"}}, "/headers/authorization", "***"),
    ({"headers": {"X-Colour": "wanted"}}, "/headers/x-colour", "red"),
    ({"query": {"token": "wanted"}}, "/query/token", "***"),
    ({"query": {"size": "wanted"}}, "/query/size", "7"),
    ({"query": {"many": "wanted"}}, "/query/many", ["1", "2"]),
    ({"status": 204}, "/status", 201),
]


def test_a_difference_shows_what_the_journal_shows(workspace):
    headers = {"Authorization": f"Bearer {HOOK_TOKEN}", "X-Colour": "red"}
    query = f"token={HOOK_TOKEN}&size=7&many=1&many=2"
    answer = workspace.post(f"/v3/webhooks?{query}", {**WEBHOOK, "a/b~c": "slash"}, headers=headers)
    assert answer.status_code == 201, answer.json

    for match, path, got in DIFFERENCES:
        (found,) = near(workspace, match)

        assert (found["path"], found["got"]) == (path, got)
        assert_silent(workspace, found)


def test_no_difference_tells_a_code(workspace):
    for body in (
        f'{{"otp": {OTP}}}',
        f'{{"otp": [{OTP}]}}',
        f'{{"otp": {{"a": {OTP}}}}}',
        f'{{"otp": {OTP}, "n": NaN}}',
    ):
        for wanted in ({"otp": 1}, {"otp": [1]}, {"otp": {"a": 1}}, 5, [1]):
            raw(workspace, "PUT", "/v3/senders/2/validate", body)
            shown = workspace.post("/_mock/requests/verify", {"match": {"json": wanted}})

            assert shown.status_code == 200
            assert str(OTP) not in shown.text


def test_wanted_values_are_shown_as_written(workspace):
    workspace.put("/v3/senders/2/validate", {"otp": OTP})

    assert near(workspace, {"json": {"otp": 111111}}) == [{"path": "/json/otp", "wanted": 111111, "got": "***"}]


def test_a_secret_in_the_address_of_a_webhook_is_not_told(workspace):
    names = ("token", "Token", "api_key", "api-key", "apikey", "key", "access_token", "secret", "signature")
    for number, (sign, name) in enumerate(product(("?", "?a=1&", "#x?"), names), 1):
        address = f"https://hook.test/x{sign}{name}={HOOK_TOKEN}&size={number}"
        assert workspace.post("/v3/webhooks", {**WEBHOOK, "url": address}).status_code == 201
        workspace.get(f"/v3/webhooks/{number}")
        raw(workspace, "POST", "/v3/webhooks", f'{{"url": "{address}"')

    assert_silent(workspace)
    assert "size=27" in json.dumps(workspace.journal)


def test_a_secret_of_a_form_is_not_told(workspace):
    for name in ("client_assertion", "assertion", "subject_token", "refresh_token", "client_secret"):
        form = f"grant_type=x&{name}={HOOK_TOKEN}"
        workspace.ask(
            "POST", "/realms/partner/oauth/token", data=form, content_type="application/x-www-form-urlencoded"
        )
        workspace.ask("POST", "/realms/partner/oauth/token", data=form, content_type="text/plain")

    assert_silent(workspace)
    assert len(workspace.journal) == 10


TOKENS = {
    "alone": ("eyJa.b.c", "***"),
    "without a signature": ("eyJa.b.", "***"),
    "in a sentence": ("see eyJa-_1.eyJb.c, too", "see ***, too"),
    "behind other words": ("x.y.eyJa.b.c.d", "x.y.***.d"),
    "within a word": ("xeyJa.b.c", "x***"),
    "twice": ("eyJa.b.c.eyJa.b.c", "***.***"),
    "too short": ("eyJ.b.c eyJa.b eyJa..c", "eyJ.b.c eyJa.b eyJa..c"),
}


def test_a_signed_token_is_hidden_wherever_it_stands():
    for text, shown in TOKENS.values():
        assert redaction.text(text) == shown


def test_the_journal_of_a_hostile_body_is_read_in_linear_time(workspace):
    times = []
    for size in (4_000, 32_000):
        raw(workspace, "POST", "/v3/senders", json.dumps({"name": "eyJ" * size}))
        start = time.process_time()
        workspace.get("/_mock/requests?limit=1")
        times.append(time.process_time() - start)

    assert times[1] < 30 * max(times[0], 0.002)
