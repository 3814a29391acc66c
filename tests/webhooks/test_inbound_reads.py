"""Reads of received mails: their history, and their attachments."""

from email.message import EmailMessage

import pytest
from same_workspace import lost

from mockserver.resources.inbound.model import take

DOMAIN = "in.acme.test"
HOOK = {"type": "inbound", "domain": DOMAIN}
FILE = bytes(range(256))
#: A mail of a scenario, and an id for it.
MAIL = {"date": "-PT1H", "sender": "a@b.test", "recipient": "c@d.test"}
UUID = "3f1e9c52-8f0a-4c1d-9b7e-0a1b2c3d4eff"


def arrive(api, *recipients, files=(FILE,), **headers):
    """A mail with files comes by SMTP; returns the ids of its events, newest first."""
    message = EmailMessage()
    for name, value in {"Subject": "Hi", "Message-ID": "<1@example.test>", **headers}.items():
        message[name] = value
    message.set_content("Hello\n")
    for number, content in enumerate(files):
        message.add_attachment(content, maintype="image", subtype="png", filename=f"{number}.png")
    take(api.app.store, message.as_bytes(), "bob@example.test", recipients or [f"a@{DOMAIN}"])
    return [event["uuid"] for event in api.get("/v3/inbound/events").json["events"]]


def history(api, uuid):
    return api.get(f"/v3/inbound/events/{uuid}")


def attachment(api, token, **options):
    return api.get(f"/v3/inbound/attachments/{token}", **options)


def reason(api):
    return api.get("/_mock/requests?limit=1").json["items"][0]["reason"]


def tokens(api):
    (account,) = api.get("/_mock/state").json["accounts"]
    return [file["token"] for event in account["inbound_events"] for file in event.get("attachments", ())]


def steps(answer):
    return [(row["type"], row["date"]) for row in answer.json["logs"]]


def test_history_of_a_mail_has_the_outcome_of_each_webhook_call(hooked):
    workspace = hooked(HOOK)
    workspace.receiver.answers = [429]
    (uuid,) = arrive(workspace.api)
    workspace.settled(1)
    failed = history(workspace.api, uuid)
    assert "deliveredAt" not in failed.json
    at = failed.json["receivedAt"]
    assert steps(failed) == [("received", at), ("processed", at), ("webhookFailed", at)]

    workspace.advance("PT10M")
    workspace.settled(1)

    taken = history(workspace.api, uuid)
    assert taken.json["deliveredAt"] == "2026-01-15T09:10:00.123Z"
    assert steps(taken) == [*steps(failed), ("webhookDelivered", taken.json["deliveredAt"])]
    assert (taken.json["subject"], taken.json["messageId"]) == ("Hi", "<1@example.test>")
    assert taken.json["attachments"] == [{"name": "0.png", "contentType": "image/png", "contentLength": len(FILE)}]


def test_history_has_only_the_calls_that_carry_the_mail(hooked):
    workspace = hooked({**HOOK, "batched": True}, {})
    arrive(workspace.api)
    workspace.advance("PT10M")
    workspace.settled(1)
    later, earlier = arrive(workspace.api)

    assert [len(steps(history(workspace.api, uuid))) for uuid in (later, earlier)] == [2, 3]


def test_each_recipient_has_a_history_and_tokens_of_its_own(hooked):
    api = hooked(HOOK).api
    events = arrive(api, f"a@{DOMAIN}", f"b@{DOMAIN}")

    assert sorted(history(api, uuid).json["recipient"] for uuid in events) == [f"a@{DOMAIN}", f"b@{DOMAIN}"]
    assert len(set(tokens(api))) == 2
    assert [attachment(api, token).data for token in tokens(api)] == [FILE, FILE]


def test_token_of_another_workspace_leads_nowhere(hooked):
    api = hooked(HOOK).api
    (uuid,) = arrive(api)
    (token,) = tokens(api)
    other = api.client.post("/_mock/workspaces", json={"scenario": "empty"}).json

    assert attachment(api, token).status_code == 200
    for path in (f"attachments/{token}", f"events/{uuid}"):
        assert api.get(f"/v3/inbound/{path}", key=other["api_key"]).status_code == 404
        assert api.get(f"/w/{other['name']}/v3/inbound/{path}", key=other["api_key"]).status_code == 404


def test_attachments_are_part_of_the_state_and_of_a_store(hooked):
    workspace = hooked(HOOK)
    (uuid,) = arrive(workspace.api, files=[FILE, b""])
    workspace.settled(1)
    before = history(workspace.api, uuid).json
    assert lost(workspace.api.workspace) is None

    workspace.save_and_load()

    assert history(workspace.api, uuid).json == before
    assert [attachment(workspace.api, token).data for token in tokens(workspace.api)] == [FILE, b""]
    assert lost(workspace.api.workspace) is None


def test_restored_snapshot_has_the_attachments_of_its_moment(hooked):
    api = hooked(HOOK).api
    arrive(api)
    (kept,) = tokens(api)
    api.post("/_mock/snapshots", json={"name": "one"})
    arrive(api)
    (later,) = {*tokens(api)} - {kept}

    api.post("/_mock/snapshots/one/restore")

    assert [attachment(api, token).status_code for token in (kept, later)] == [200, 404]


def test_oldest_content_is_evicted_and_its_event_stays(make_api):
    api = make_api("empty", mailbox_limit=1)
    arrive(api)
    (token,) = tokens(api)
    _, oldest = arrive(api)

    assert history(api, oldest).json.keys() == {"receivedAt", "recipient", "sender", "logs"}
    assert attachment(api, token).json["code"] == "document_not_found"
    assert reason(api) == (
        f"download token ending in {token[-4:]}: account acme has no attachment with this token; "
        "e-mails are kept up to --mailbox-limit and --mailbox-bytes-limit"
    )


def test_large_attachment_is_told_and_not_kept(make_api):
    api = make_api("empty", mailbox_bytes_limit=40_000)
    (uuid,) = arrive(api, files=[b"x" * 20_000])

    assert history(api, uuid).json["attachments"][0]["contentLength"] == 20_000
    assert attachment(api, tokens(api)[0]).status_code == 404
    assert "it was too large to keep" in reason(api)


def test_foreign_mail_is_named_in_the_reason(make_api):
    uuid = "3f1e9c52-8f0a-4c1d-9b7e-0a1b2c3d4e01"
    mail = {"date": "-PT1H", "uuid": uuid, "sender": "a@b.test", "recipient": "c@d.test"}
    api = make_api({"accounts": [{"name": "a", "api_keys": ["a"]}, {"name": "b", "inbound_events": [mail]}]})

    assert api.get(f"/v3/inbound/events/{uuid}", key="a").status_code == 404
    assert reason(api) == f"account a has no received e-mail {uuid}; account b has it"


@pytest.mark.parametrize(
    ("head", "media"),
    [
        ("text/html; charset=utf-8", "text/html; charset=utf-8"), ("text/html; charset=\"x\r\n y\"", "text/html"),
        ("text/\x01html", "application/octet-stream"), ("te\xe9t/html", "application/octet-stream"),
        ("image/svg+xml", "image/svg+xml"), ("nonsense", "text/plain"),
    ],
)  # fmt: skip
def test_no_attachment_runs_on_the_origin_of_the_mock(make_api, head, media):
    api = make_api("empty")
    raw = (
        'Content-Type: multipart/mixed; boundary="b"\n\n--b\nContent-Type: ' + head
        + '\nContent-Disposition: attachment; filename="a\x02\\"b.html"\n\n<script>\n--b--\n'
    )  # fmt: skip
    take(api.app.store, raw.encode("latin-1"), "a@b.test", [f"a@{DOMAIN}"])

    answer = attachment(api, tokens(api)[-1])

    assert (answer.data, answer.headers["Content-Type"]) == (b"<script>", media)
    assert answer.headers["Content-Disposition"] == "attachment; filename=\"a__b.html\"; filename*=UTF-8''a%02%22b.html"
    assert answer.headers["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["access-control-allow-origin"] == "*"


def test_header_with_a_very_long_name_stays_short(make_api):
    name = "\N{GRINNING FACE}" * 9_000
    file = {"name": name, "content": "YQ==", "token": "long"}
    api = make_api({"accounts": [{"name": "a", "inbound_events": [{**MAIL, "attachments": [file]}]}]})

    answer = attachment(api, "long")

    assert (answer.status_code, answer.data) == (200, b"a")
    assert len(answer.headers["Content-Disposition"]) < 4_000


@pytest.mark.parametrize(
    ("mails", "path"),
    [
        ([{"uuid": UUID}, {"uuid": UUID.upper()}], "/inbound_events/1/uuid"),
        ([{"attachments": [{"token": "t"}, {"token": "t"}]}], "/inbound_events/0/attachments/1/token"),
        ([{"attachments": [{"token": "t"}]}] * 2, "/inbound_events/1/attachments/0/token"),
    ],
)
def test_ids_and_tokens_that_lead_to_several_mails_are_refused(make_api, mails, path):
    api = make_api("empty")
    answer = api.post("/_mock/seed", json={"inbound_events": [MAIL | mail for mail in mails]})

    assert [error["path"] for error in answer.json["errors"]] == [path]


@pytest.mark.parametrize("wrong", [{"content": "%"}, {"content_type": "text/html\n"}, {"size": -1}, {"token": 7}])
def test_attachment_of_a_scenario_that_no_mail_can_have_is_refused(make_api, wrong):
    mail = {"date": "-PT1H", "sender": "a@b.test", "recipient": "c@d.test", "attachments": [wrong]}
    answer = make_api().post("/_mock/seed", json={"inbound_events": [mail]})

    assert answer.status_code == 400
    assert answer.json["errors"][0]["path"] == f"/inbound_events/0/attachments/0/{next(iter(wrong))}"


def test_state_with_a_mail_of_very_long_headers_can_be_restored(hooked):
    workspace = hooked(HOOK)
    long = "x" * 100_000
    part = f"Content-Type: image/png; name={long}\nContent-ID: <{long}>\n\n"
    raw = f"Subject: {long}\nContent-Type: multipart/mixed; boundary=b\n\n--b\n{part}\n--b--\n"
    take(workspace.api.app.store, raw.encode(), "a@b.test", [f"a@{DOMAIN}"])
    (uuid,) = [event["uuid"] for event in workspace.api.get("/v3/inbound/events").json["events"]]
    before = history(workspace.api, uuid).json

    workspace.save_and_load()

    assert history(workspace.api, uuid).json == before
    assert len(before["attachments"][0]["contentId"]) == len(before["subject"]) == 100_000
