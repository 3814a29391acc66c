"""Whatever there is of templates, campaigns, imports and processes: each answer is one that the document describes.

The official clients for Python read each of them, too.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import jsonschema_rs
import official_models
import pytest
from random_mix import RandomMix

#: The document's facts, as schemas.
FACTS = json.loads((Path(__file__).parents[1] / "truth" / "templates.json").read_text(encoding="utf-8"))
OPERATIONS = FACTS["operations"]
READS = [name for name, row in OPERATIONS.items() if row["method"] == "GET"]
#: Of the formats, these two are of numbers.
FORMATS = {"int64": lambda _: True, "float": lambda _: True}
#: Statuses that the document lacks: the first is in brevo-python 5.1.0, the others are proposed.
LATER = {("deleteEmailCampaign", 403), ("updateCampaignStatus", 402), ("deleteSmtpTemplate", 405)}
#: How many random calls a mix has, before everything is read.
CALLS = 12


@pytest.fixture(scope="session")
def fault():
    """What is wrong with an answer of an operation, by the facts or for a client, or None."""
    validators = {
        (name, int(status)): jsonschema_rs.Draft202012Validator(
            {"$defs": FACTS["$defs"], **schema}, formats=FORMATS, validate_formats=True
        )
        for name, row in OPERATIONS.items()
        for status, schema in row["answers"].items()
        if schema is not None
    }

    def found(name, answer):
        if (name, answer.status_code) in LATER:
            return None
        if str(answer.status_code) not in OPERATIONS[name]["answers"]:
            return f"{name} has no status {answer.status_code}: {answer.text}"
        validator = validators.get((name, answer.status_code))
        if validator is None:
            return answer.text or None
        wrong = next(validator.iter_errors(answer.json), None)
        if wrong is None and answer.status_code < 400:
            wrong = unread(name, answer.text)
        return wrong and f"{name}, {answer.status_code}: {wrong}"

    def unread(name, text):
        try:
            official_models.read(name, text)
        except ValueError as found:
            return found
        return None

    return found


@pytest.fixture
def play(make_api, fault):
    """Plays the mix of a seed, judges each answer, and returns how often each operation gave each status."""
    api = make_api("empty")
    statuses = Counter()

    def call(name, number, query, body):
        row = OPERATIONS[name]
        path = "/".join(str(number) if part.startswith("{") else part for part in row["path"].split("/"))
        options = {} if body is None else {"json": body}
        answer = api.request(row["method"], path, query_string=query, **options)
        statuses[name, answer.status_code] += 1
        assert fault(name, answer) is None, body

    def played(seed):
        mix = RandomMix(OPERATIONS, seed)
        answer = api.post("/_mock/reset", json={"scenario": mix.scenario()})
        assert answer.status_code == 200, answer.text
        for _ in range(CALLS):
            name = mix.chosen()
            if name == "advance":
                api.advance(mix.time())
            elif name == "trigger":
                assert api.post("/_mock/trigger", json=mix.event()).status_code == 200
            else:
                call(name, mix.number(name), *mix.call(name))
        for name in READS:
            call(name, mix.number(name), *mix.call(name))
        for number in range(1, 10):
            for name in ("getSmtpTemplate", "getEmailCampaign", "getProcess"):
                call(name, number, {}, None)
        return statuses

    return played


def test_every_answer_is_one_of_the_document(play):
    for seed in range(40):
        play(seed)


@pytest.mark.slow
def test_every_answer_of_many_mixes_is_one_of_the_document(play):
    for seed in range(1_000, 1_500):
        statuses = play(seed)

    successes = {name: min(map(int, row["answers"])) for name, row in OPERATIONS.items()}
    assert {name for name, status in successes.items() if not statuses[name, status]} == set()
    assert {row for row in statuses if row[1] in (400, 402)} >= {
        (name, 400) for name in OPERATIONS if name not in READS
    }
