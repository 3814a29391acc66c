"""A receiver that is generated of the OpenAPI document takes every call."""

import pytest
from typescript import compile_example, needs_generators, run_node

from mockserver.evidence.openapi import document
from mockserver.resources.webhooks.catalogue import BY_NAME, HELD_EVENTS, STORIES
from mockserver.resources.webhooks.event import INBOUND_SMS, TRANSACTIONAL_EMAIL

pytestmark = [pytest.mark.slow, needs_generators]  # a compiler takes seconds

LONGEST = max(STORIES, key=lambda story: len(STORIES[story]))


@pytest.fixture(scope="module")
def compiled(shared_files):
    """A folder with the example, compiled, and the generated schemas."""

    def compile_receiver(folder):
        folder.mkdir()
        compile_example("receiver", document(), ["@hey-api/typescript", "zod"], folder)

    return shared_files.make("receiver", compile_receiver)


def hook(category):
    domain = {"domain": "in.acme.test"} if category.type == "inbound" else {}
    return {"type": category.type, "channel": category.channel, "events": sorted(HELD_EVENTS[category]), **domain}


def test_the_example_takes_every_delivery_of_the_longest_story(compiled, hooked):
    workspace = hooked(hook(TRANSACTIONAL_EMAIL))
    workspace.tell(LONGEST, to="bob@example.test")
    workspace.advance("P1D")
    bodies = workspace.receiver.bodies

    told = run_node("console.log(JSON.stringify(given.map(require('./receiver').receive)))", bodies, compiled)

    assert len(told) == len(STORIES[LONGEST])
    assert [line.split(": ")[0].split(" ")[0] for line in told] == ["bob@example.test"] * len(told)


def test_generated_schemas_take_every_payload_of_every_category_whole(compiled, hooked):
    bodies = {}
    for category in BY_NAME.keys() - {INBOUND_SMS}:
        workspace = hooked(hook(category))
        workspace.receiver.calls.clear()
        for event in BY_NAME[category]:
            workspace.trigger(event, type=category.type, channel=category.channel)
        workspace.advance("PT1H")
        channel = "" if category.type == "inbound" else category.channel.capitalize()
        bodies[f"z{category.type.capitalize()}{channel}Event"] = list(workspace.receiver.bodies)
    program = """
        const schemas = require('./generated/zod.gen');
        const parse = ([name, bodies]) => [name, bodies.map((body) => schemas[name].parse(body))];
        console.log(JSON.stringify(Object.fromEntries(Object.entries(given).map(parse))));
    """

    assert min(map(len, bodies.values())) > 1
    assert run_node(program, bodies, compiled) == bodies


def test_the_example_refuses_a_payload_without_its_address(compiled, hooked):
    workspace = hooked(hook(TRANSACTIONAL_EMAIL))
    workspace.trigger("delivered")
    workspace.advance("PT0S")
    program = """
        try { require('./receiver').receive(given); } catch (error) { console.log(JSON.stringify(error.name)); }
    """
    body = {name: value for name, value in workspace.receiver.bodies[0].items() if name != "email"}

    assert run_node(program, body, compiled) == "ZodError"
