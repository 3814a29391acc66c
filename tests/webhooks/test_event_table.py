"""A row of the table of events is all that an event needs."""

import csv
import dataclasses
import json
import subprocess
import sys
from pathlib import Path

import pytest

from mockserver.resources.webhooks.event_table import RAISED, RECEIVED

PROGRAM = Path(__file__).with_name("one_more_event.py")


@pytest.fixture(scope="module")
def outcome():
    """What a server does with an event that has a row in the table and is mentioned nowhere else."""
    done = subprocess.run([sys.executable, PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_webhook_can_be_made_for_the_event_of_a_row(outcome):
    assert outcome["created"] == 201


def test_a_webhook_can_be_changed_to_the_event_of_a_row(outcome):
    assert (outcome["updated"], outcome["read"]) == (204, ["delivered", "forwarded"])


def test_the_event_of_a_row_can_be_triggered(outcome):
    assert [row["event"] for row in outcome["triggered"]] == ["forwarded"]


def test_a_payload_has_the_name_and_the_members_of_the_row(outcome):
    (account,) = outcome["state"]["accounts"]
    payload = account["deliveries"][0]["payloads"][0]
    assert payload.items() >= {"event": "fwd", "email": "bob@example.test", "by": "bob@example.test"}.items()


def test_the_stories_of_a_row_can_be_triggered(outcome):
    assert [row["event"] for row in outcome["story"]] == ["forwarded"]


def test_an_export_finds_the_event_of_a_row(outcome):
    assert [line["event"] for line in csv.DictReader(outcome["exported"].splitlines())] == ["forwarded"] * 2


def test_the_document_lists_the_event_of_a_row(outcome):
    schemas = outcome["document"]["components"]["schemas"]
    properties = {name: schemas[name]["properties"] for name in ("NewWebhook", "WebhookChanges", "NewExport")}
    for listed in (
        properties["NewWebhook"]["events"]["items"],
        properties["WebhookChanges"]["events"]["items"],
        properties["NewExport"]["event"],
    ):
        assert "forwarded" in listed["enum"]


@pytest.mark.parametrize(
    ("row", "part"),
    [(rows[0], field.name) for rows in (RAISED, RECEIVED) for field in dataclasses.fields(rows[0])],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_a_row_without_one_of_its_parts_is_refused(row, part):
    parts = {field.name: getattr(row, field.name) for field in dataclasses.fields(row) if field.name != part}
    with pytest.raises(TypeError, match=part):
        type(row)(**parts)
