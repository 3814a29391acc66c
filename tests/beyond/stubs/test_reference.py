"""docs/reference/stubs.md: every example does what it shows, and everything that there is has its place."""

import json
import re
from pathlib import Path

import pytest
import yaml

from mockserver.beyond.effects import ITEMS
from mockserver.beyond.stubs import answering, budget, grammar, names, program, schema
from mockserver.beyond.stubs.filters import FILTERS, METHODS, TESTS
from mockserver.beyond.stubs.names import FUNCTIONS, MEMBERS, ROOTS
from mockserver.beyond.stubs.schema import StubItem

TEXT = (Path(__file__).parents[3] / "docs" / "reference" / "stubs.md").read_text(encoding="utf-8")
#: The examples: stubs, and a conversation with them.
EXAMPLES = [
    (title, *example)
    for title, section in re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", TEXT, re.DOTALL | re.MULTILINE)
    for example in re.findall(r"```yaml\n(.*?)```\n\n```http\n(.*?)```", section, re.DOTALL)
]
#: The names of everything that expressions and stubs have.
NAMES = {
    *(name for name in StubItem().fields if name not in ("hits", "position")), *FUNCTIONS, *FILTERS, *TESTS,
    *METHODS, *ROOTS, *ITEMS, *program.GONE,
    *(member for name, members in MEMBERS.items() if name != "behaviour" for member in members),
}  # fmt: skip


def exchanges(conversation):
    """The requests of a conversation, each with the lines that say what came of it."""
    found = []
    for line in conversation.splitlines():
        if line[:1].isupper():
            found.append((line, []))
        else:
            found[-1][1].append(line)
    return found


def ask(api, line):
    method, path, *body = line.split(" ", 2)
    return api.request(method, path, json=json.loads(body[0])) if body else api.request(method, path)


def came(answer, wanted):
    """What came of a request, as it would be shown: JSON as JSON if that was wanted."""
    if not answer.data:
        return str(answer.status_code)
    status, _, body = wanted.partition(" ")
    same = answer.is_json and body and json.loads(body) == answer.json
    return wanted if same and status == str(answer.status_code) else f"{answer.status_code} {answer.text.strip()}"


def test_reference_contains_seven_examples():
    assert len(EXAMPLES) == TEXT.count("```http") == 7


@pytest.mark.parametrize(("stubs", "conversation"), [pytest.param(*row, id=title) for title, *row in EXAMPLES])
def test_example_gives_the_answers_shown_below_it(stubbed, stubs, conversation):
    api = stubbed(*yaml.safe_load(stubs)["stubs"])
    for line, (wanted, *reasons) in exchanges(conversation):
        assert came(ask(api, line), wanted) == wanted
        for reason in reasons:
            assert f"reason: {api.get('/_mock/requests').json['items'][0]['reason']}" == reason


def test_every_name_of_expressions_is_documented():
    assert [name for name in NAMES if not re.search(rf"`[^`\n]*(?<!\w){re.escape(name)}\b", TEXT)] == []


def test_documented_limits_match_the_code():
    steps, more, stored = budget.STEPS, budget.STEPS_A_BYTE, budget.STEPS_A_STORED_VALUE
    most = steps + budget.MOST_STEPS
    for told in (
        f"| {steps:,}, {more} for each byte of the body and {stored} for each value that is stored, up to {most:,} |",
        f"| {budget.LONGEST_TEXT:,} characters |",
        f"| {budget.MOST_HELD:,} values within it, of which {budget.AT_ONCE} characters of a text are one; ",
        f"text are one; {budget.DEEPEST} levels |",
        f"| {grammar.LONGEST:,} characters, {grammar.DEEPEST} levels of expressions |",
        f"| {names.LONGEST_RANGE:,} numbers |",
        f"| {program.MOST_PARTS:,} names,",
        f"| {schema.MOST_STUBS:,} |",
        f"| {schema.LARGEST:,} bytes |",
        f"| effects of a request | {answering.LARGEST_DONE // 1024**2} MB |",
    ):
        assert told in TEXT
