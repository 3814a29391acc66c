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


def test_an_event_with_a_row_needs_nothing_else():
    done = subprocess.run([sys.executable, PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    outcome = json.loads(done.stdout)

    assert (outcome["created"], outcome["updated"], outcome["read"]) == (201, 204, ["delivered", "forwarded"])
    assert [row["event"] for row in outcome["triggered"] + outcome["story"]] == ["forwarded"] * 2
    payload = outcome["state"]["accounts"][0]["deliveries"][0]["payloads"][0]
    assert payload.items() >= {"event": "fwd", "email": "bob@example.test", "by": "bob@example.test"}.items()
    assert [line["event"] for line in csv.DictReader(outcome["exported"].splitlines())] == ["forwarded"] * 2
    schemas = outcome["document"]["components"]["schemas"]
    told = schemas["TransactionalEmailForwarded"]["properties"]
    assert [choice["const"] for choice in told["event"]["oneOf"]] == ["is_forwarded", "fwd"]
    assert told["by"]["type"] == "string"
    assert "transactionalEmailForwarded" in outcome["document"]["webhooks"]
    properties = {name: schemas[name]["properties"] for name in ("NewWebhook", "WebhookChanges", "NewExport")}
    for listed in (
        properties["NewWebhook"]["events"]["items"],
        properties["WebhookChanges"]["events"]["items"],
        properties["NewExport"]["event"],
    ):
        assert "forwarded" in listed["enum"]


@pytest.mark.parametrize("row", [RAISED[0], RECEIVED[0]], ids=lambda row: type(row).__name__)
def test_row_without_a_part_is_refused(row):
    parts = {field.name: getattr(row, field.name) for field in dataclasses.fields(row)}
    for part in parts:
        with pytest.raises(TypeError, match=part):
            type(row)(**{name: value for name, value in parts.items() if name != part})
