"""A workspace as a member of the document of a store, and back."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from marshmallow import ValidationError, fields

from mockserver.cli.stores.mail_document import Either, Made, MailItem
from mockserver.core.state.keys import Keyring, KeyringForm
from mockserver.core.traffic.mailbox import Mailbox
from mockserver.core.traffic.ring import weight
from mockserver.core.workspaces.origin import Snapshot, WorkspaceLimits
from mockserver.core.workspaces.store import NAME
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.section import Instant, Item
from mockserver.scenario.dump import dump
from mockserver.scenario.load import load

#: A workspace of a store is taken as it is: the server that loads it has its own limits.
UNLIMITED = WorkspaceLimits(*[1 << 40] * len(WorkspaceLimits._fields))


def _check_name(name: str) -> None:
    if not NAME.fullmatch(name):
        raise ValidationError("must be 1 to 64 letters, digits, dots, dashes and underscores")


class OriginItem(Item):
    """What a workspace was made from: a scenario, how it is called, and the seed in the place of its own."""

    scenario = Either(str, dict, words="the name of a scenario, or a document", load_default="")
    title = fields.String(load_default="")
    seed = fields.Integer(load_default=None, allow_none=True)


class KeyringItem(Made):
    """What the keys of a workspace are drawn from, and those that it has drawn."""

    made = KeyringForm
    root = fields.String(required=True)
    first = fields.String(load_default=None, allow_none=True)
    known = fields.List(fields.String(), load_default=list)
    replica = fields.String(load_default="")


class SnapshotItem(Item):
    """A snapshot, with the e-mails of its moment, oldest first."""

    name = fields.String(required=True)
    at = Instant(required=True)
    state = Either(dict, words="a scenario", required=True)
    mailbox = fields.List(fields.Nested(MailItem), load_default=list)


class WorkspaceItem(Item):
    """A workspace: its state as `GET /_mock/state` gives it, and what a scenario cannot say."""

    #: The program that has written it, with its version.
    written_by = fields.String(load_default="")
    name = fields.String(required=True, validate=_check_name)
    made_at = Instant(load_default=lambda: datetime.now(UTC))
    #: Whether it counts in the coverage of the server.
    counted = fields.Boolean(load_default=True)
    #: What it is reset to.
    origin = fields.Nested(OriginItem, load_default=lambda: OriginItem().load({}))
    #: What its keys are drawn from; None: it has those of its scenario.
    keyring = fields.Nested(KeyringItem, load_default=None, allow_none=True)
    state = Either(dict, words="a scenario", required=True)
    #: The e-mails, oldest first.
    mailbox = fields.List(fields.Nested(MailItem), load_default=list)
    snapshots = fields.List(fields.Nested(SnapshotItem), load_default=list)


_WORKSPACE = WorkspaceItem()


def written(workspace: Workspace) -> dict[str, Any]:
    """A workspace as an item, in values that YAML and JSON have."""
    origin = workspace.origin
    found: dict[str, Any] = _WORKSPACE.dump(
        {
            "name": workspace.name,
            "made_at": workspace.made_at,
            "counted": workspace.counted,
            "origin": origin,
            "keyring": origin.keyring and origin.keyring.form._replace(known=sorted(origin.keyring.form.known)),
            "state": dump(workspace),
            "mailbox": _oldest_first(workspace.state.mailbox),
            "snapshots": [
                {"name": row.name, "at": row.at, "state": row.document, "mailbox": _oldest_first(row.mailbox)}
                for row in workspace.snapshots.values()
            ],
        }
    )
    return found


def _oldest_first(mailbox: Mailbox) -> list[Any]:
    return [*mailbox][::-1]


def workspace_of(item: Mapping[str, Any]) -> Workspace:
    """The workspace of a loaded item.

    Raises:
        ScenarioError: its state is no valid scenario.
    """
    origin, form = item["origin"], item["keyring"]
    keyring = None if form is None else Keyring.of(form)
    found = load(
        item["state"],
        name=item["name"],
        keyring=None if keyring is None else lambda _: keyring,
        limits=UNLIMITED,
    )
    found.made_at, found.counted = item["made_at"], item["counted"]
    found.origin = found.origin._replace(scenario=origin["scenario"], title=origin["title"], seed=origin["seed"])
    found.state.mailbox = _mailbox(item["mailbox"])
    for row in item["snapshots"]:
        mailbox = _mailbox(row["mailbox"])
        size = weight(row["state"]) + mailbox.bytes
        found.snapshots[row["name"]] = Snapshot(row["name"], row["at"], row["state"], mailbox, size)
    return found


def _mailbox(mails: list[Any]) -> Mailbox:
    found = Mailbox(UNLIMITED.mailbox, UNLIMITED.mailbox_bytes)
    for mail in mails:
        found.add(mail)
    return found
