"""The payload of every event of every type and channel, compared with the files beside this module."""

import pathlib

import pytest
import yaml

from mockserver.evidence.fixture import differences
from mockserver.resources.webhooks.catalogue import HELD_EVENTS, raisable
from mockserver.resources.webhooks.event import INBOUND, INBOUND_SMS

FOLDER = pathlib.Path(__file__).parent / "payloads"
DOCUMENTS = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.yaml"))]
#: The first verified sender of the account is the sender of e-mails where a trigger names none.
SENDERS = [
    {"id": 1, "name": "Ops", "email": "ops@acme.test", "state": "awaiting_verification"},
    {"id": 2, "name": "News", "email": "news@acme.test"},
]
WANTED = {(row["type"], row["channel"]): (row.get("to"), row["events"]) for row in DOCUMENTS}


@pytest.mark.parametrize("category", WANTED, ids=" ".join)
def test_payloads_of_all_events_are_as_documented(category, hooked):
    kind, channel = category
    to, payloads = WANTED[category]
    domain = {"domain": "in.acme.test"} if kind == INBOUND else {}
    hook = {"id": 814200, "type": kind, "channel": channel, "events": sorted(HELD_EVENTS[category]), **domain}

    for event, payload in payloads.items():
        workspace = hooked(hook, seed=7, senders=SENDERS)
        workspace.receiver.calls.clear()
        (delivery,) = workspace.trigger(event, type=kind, channel=channel, **({"to": to} if to else {}))

        assert workspace.settled(delivery["id"])["state"] == "delivered"
        assert list(differences([payload], workspace.receiver.bodies)) == [], event


def test_every_event_that_a_webhook_can_hold_has_its_payload():
    assert WANTED.keys() == HELD_EVENTS.keys() - {INBOUND_SMS}
    for category, (_, payloads) in WANTED.items():
        assert payloads.keys() == set(raisable(category)) >= HELD_EVENTS[category], category


def sent(workspace, *event, **members):
    """The body of the call for an event."""
    (delivery,) = workspace.trigger(*event, **members)
    workspace.settled(delivery["id"])
    return workspace.receiver.bodies[-1]


def test_tags_come_as_a_list_and_as_a_json_text(hooked):
    body = sent(hooked({}), "delivered", payload={"tags": ["welcome", "häppy"]})

    assert (body["tags"], body["tag"]) == (["welcome", "häppy"], '["welcome","h\\u00e4ppy"]')


def test_a_campaign_has_one_tag_as_plain_text(hooked):
    workspace = hooked({"type": "marketing", "events": ["click"]})

    assert sent(workspace, "click", type="marketing", payload={"tag": "news"})["tag"] == "news"


def test_trigger_replaces_and_adds_payload_members(hooked):
    given = {"subject": "Your order", "template_id": 22, "X-Mailin-custom": "order:7", "contact_id": 8}

    assert sent(hooked({}), "delivered", payload=given).items() >= {**given, "event": "delivered"}.items()


@pytest.mark.parametrize(
    ("kind", "event", "names", "told"),
    [
        ("transactional", "spam", {"spam": "complaint"}, "complaint"),
        ("transactional", "spam", {"complaint": "spam"}, "spam"),
        ("marketing", "spam", {"spam": "complaint"}, "spam"),
        ("marketing", "hardBounce", {"hard_bounced": "hard_bounce"}, "hard_bounce"),
        ("marketing", "softBounce", {"soft_bounced": "soft_bounce"}, "soft_bounce"),
        ("marketing", "unsubscribed", {"unsubscribed": "unsubscribe"}, "unsubscribe"),
        ("transactional", "hardBounce", {"hard_bounced": "other"}, "hard_bounce"),
    ],
)
def test_a_workspace_may_choose_a_name_on_which_sources_contradict_each_other(kind, event, names, told, hooked):
    workspace = hooked({"type": kind, "events": [event]}, behaviour={"webhook_names": names})

    assert sent(workspace, event, type=kind)["event"] == told
    assert workspace.state()["behaviour"] == {"preset": "documented", "webhook_names": names}


def test_uncontested_name_of_an_event_cannot_be_changed(make_api):
    workspace = {"behaviour": {"webhook_names": {"delivered": "arrived"}}}
    assert make_api().post("/_mock/reset", json={"scenario": workspace}).status_code == 400


@pytest.mark.parametrize(
    ("zone", "date"), [("UTC", "2026-01-15 09:00:00"), ("America/New_York", "2026-01-15 04:00:00")]
)
def test_dates_are_those_of_a_zone_and_seconds_of_none(zone, date, hooked):
    body = sent(hooked({}, behaviour={"webhook_timezone": zone}))

    assert (body["date"], body["ts_event"]) == (date, 1768467600)


def test_events_of_an_e_mail_share_message_id_and_mirror(hooked):
    workspace = hooked({"events": ["request", "delivered", "opened"]})

    workspace.tell("delivered_opened")
    workspace.advance("PT10M")

    assert len(workspace.receiver.bodies) == 3
    assert len({(body["message-id"], body["mirror_link"]) for body in workspace.receiver.bodies}) == 1
