"""Whatever there is of templates, campaigns, imports and processes: each answer is one that the document describes.

The official clients for Python read each of them, too.
"""

from __future__ import annotations

from collections import Counter

import jsonschema_rs
import official_models
import pytest
import random_mix
from random_mix import FACTS, OPERATIONS

#: Of the formats, these two are of numbers.
FORMATS = {"int64": lambda _: True, "float": lambda _: True}
#: Statuses that the document lacks: brevo-python 5.1.0 has the first two, and the last one is proposed.
LATER = {("deleteEmailCampaign", 403), ("deleteSmtpTemplate", 405), ("updateCampaignStatus", 402)}


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
    api, statuses = make_api("empty"), Counter()

    def played(seed):
        for name, body, answer in random_mix.play(api, seed):
            statuses[name, answer.status_code] += 1
            assert fault(name, answer) is None, body
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
    assert statuses["sendEmailCampaignNow", 402]
