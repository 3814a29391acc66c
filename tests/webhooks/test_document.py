"""The webhooks of the OpenAPI document describe the calls that a receiver gets."""

import re

import pytest
from jsonschema import Draft202012Validator, ValidationError

from mockserver.evidence.openapi import document
from mockserver.resources.inbound import mail
from mockserver.resources.webhooks.catalogue import BY_NAME, HELD_EVENTS, STORIES, raised
from mockserver.resources.webhooks.event import INBOUND, TRANSACTIONAL_EMAIL
from mockserver.resources.webhooks.event_table import RAISED

LONGEST = max(STORIES, key=lambda story: len(STORIES[story]))
RAISED_BY = [
    (category, row.name)
    for category in BY_NAME
    if category.type != INBOUND
    for row in RAISED
    if category in row.categories
]


def key(category, event):
    return f"{category.type}{category.channel.capitalize()}{event[0].upper()}{event[1:]}"


def schema(name):
    (content,) = document()["webhooks"][name]["post"]["requestBody"]["content"].values()
    return content["schema"]


def check(body, found):
    draft = "https://json-schema.org/draft/2020-12/schema"
    whole = {"$schema": draft, "components": document()["components"], **found}
    Draft202012Validator(whole, format_checker=Draft202012Validator.FORMAT_CHECKER).validate(body)


def component(name):
    return document()["components"]["schemas"][name[0].upper() + name[1:]]


def sent(workspace, category, event, **members):
    """The body of the call for an event."""
    (delivery,) = workspace.trigger(event, type=category.type, channel=category.channel, **members)
    workspace.settled(delivery["id"])
    return workspace.receiver.bodies[-1]


def hook(category, **members):
    return {"type": category.type, "channel": category.channel, "events": sorted(HELD_EVENTS[category]), **members}


def test_the_document_has_a_webhook_for_each_event_and_a_batch_for_each_category():
    events = {key(*row) for row in RAISED_BY}
    batches = {f"{category.type}{category.channel.capitalize()}Batch" for category, _ in RAISED_BY}

    assert document()["webhooks"].keys() == events | batches | {"inbound", "inboundBatch"}
    assert [call["post"]["operationId"] for call in document()["webhooks"].values()] == list(document()["webhooks"])


def test_every_delivery_of_the_longest_story_fits_the_webhook_of_its_event(hooked):
    workspace = hooked(hook(TRANSACTIONAL_EMAIL))

    workspace.tell(LONGEST)
    workspace.advance("P1D")

    told = {raised(TRANSACTIONAL_EMAIL, scene.event).sent_as.name: scene.event for scene in STORIES[LONGEST]}
    assert sorted(body["event"] for body in workspace.receiver.bodies) == sorted(told)
    for body in workspace.receiver.bodies:
        check(body, schema(key(TRANSACTIONAL_EMAIL, told[body["event"]])))
        check(body, component("transactionalEmailEvent"))


@pytest.mark.parametrize(("category", "event"), RAISED_BY, ids=[key(*row) for row in RAISED_BY])
def test_payload_of_an_event_has_the_required_members_and_fits_one_schema_of_its_category(category, event, hooked):
    body = sent(hooked(hook(category)), category, event, to="bob@example.test")
    name = key(category, event)

    check(body, schema(name))
    check(body, component(f"{category.type}{category.channel.capitalize()}Event"))
    assert sorted(component(name)["required"]) == sorted(body)


@pytest.mark.parametrize(
    ("event", "name"), [("spam", "complaint"), ("unsubscribed", "unsubscribe")], ids=["spam", "unsubscribed"]
)
def test_payload_with_another_name_on_which_sources_contradict_each_other_fits_too(event, name, hooked):
    workspace = hooked(hook(TRANSACTIONAL_EMAIL), behaviour={"webhook_names": {event: name}})

    body = sent(workspace, TRANSACTIONAL_EMAIL, event)

    assert body["event"] == name
    check(body, schema(key(TRANSACTIONAL_EMAIL, event)))
    check(body, component("transactionalEmailEvent"))


def test_members_that_only_some_payloads_have_are_declared(hooked):
    rare = {"tags": ["welcome"], "template_id": 22, "X-Mailin-custom": "order:7"}

    body = sent(hooked(hook(TRANSACTIONAL_EMAIL)), TRANSACTIONAL_EMAIL, "delivered", payload=rare)

    check(body, schema("transactionalEmailDelivered"))
    assert sorted(body) == sorted(component("transactionalEmailDelivered")["properties"])


@pytest.mark.parametrize(
    ("member", "value"), [("event", "opened"), ("ts", "1768467600"), ("date", "2026-01-15T09:00:00Z"), ("id", None)]
)
def test_payload_with_a_wrong_member_fits_no_webhook(member, value, hooked):
    body = {**sent(hooked(hook(TRANSACTIONAL_EMAIL)), TRANSACTIONAL_EMAIL, "delivered"), member: value}

    with pytest.raises(ValidationError):
        check(body, schema("transactionalEmailDelivered"))


def test_batched_call_fits_the_batch_of_its_category(hooked):
    workspace = hooked(hook(TRANSACTIONAL_EMAIL, batched=True))

    workspace.tell(LONGEST)
    workspace.advance("PT1H")

    bodies = workspace.receiver.bodies
    assert max(map(len, bodies)) > 1
    for body in bodies:
        check(body, schema("transactionalEmailBatch"))


def test_inbound_call_fits_the_inbound_webhook(hooked):
    workspace = hooked({"type": "inbound", "events": ["inboundEmailProcessed"], "domain": "in.acme.test"})

    workspace.trigger("inboundEmailProcessed", type="inbound")
    workspace.advance("PT0S")

    (body,) = workspace.receiver.bodies
    check(body, schema("inbound"))


def test_received_mail_with_an_attachment_and_repeated_headers_fits_the_inbound_webhook(make_api):
    raw = (
        b"From: Bob <bob@example.test>\nTo: in@in.acme.test\nReply-To: Bob <b@example.test>\nReceived: one\n"
        b"Received: two\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\nHello\n--x\n"
        b"Content-Type: text/csv\nContent-Disposition: attachment; filename=a.csv\n\n1,2\n--x--\n"
    )

    item = mail.item(make_api("empty").workspace, mail.parse(raw), "23befbae-1505-47a8-bd27-e30ef739f32c")

    assert (len(item["Attachments"]), item["Headers"]["Received"]) == (1, ["one", "two"])
    check({"items": [item]}, schema("inbound"))
    assert component("ReceivedMail")["required"] == list(item)


def test_description_of_a_webhook_names_the_subscriptions_and_the_source():
    described = {name: call["post"]["description"] for name, call in document()["webhooks"].items()}

    assert described["transactionalEmailRequest"] == (
        "Called for webhooks of the type `transactional` of the channel `email` that subscribe to one of `sent`, "
        "`request`.\n\nSource: docs/contract/events.md#transactional."
    )
    assert [name for name, text in described.items() if not re.search(r"Source: docs/contract/\w+\.md", text)] == []
