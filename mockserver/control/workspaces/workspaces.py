"""`/_mock/workspaces` and `/_mock/keys`: a workspace per test, and API keys that stop working."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, get_args

from flask import request
from marshmallow import ValidationError, fields, validate, validates_schema

from mockserver.control.framework import inputs, target
from mockserver.control.framework.call import ControlResource, listed
from mockserver.control.framework.problem import Problem, of_misdirected, of_one
from mockserver.core.state.behaviour import PRESETS
from mockserver.core.state.identifiers import ANY_REPLICA, REPLICA_HEADER
from mockserver.core.state.state import Account
from mockserver.core.workspaces.storage import StorageError
from mockserver.core.workspaces.store import DEFAULT, NameTakenError, StoreFullError
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.section import Instant, Item, about, write_instant
from mockserver.scenario.dump import dump
from mockserver.scenario.vary import seed_field
from mockserver.views.record import listing
from mockserver.views.workspace_records import Outcome, Revoked, Unreadable, WorkspaceInUse, WorkspaceSummary
from mockserver.views.workspaces import show_workspace, show_workspace_in_use
from mockserver.web.routing.address import WORKSPACE, WORKSPACE_HEADER, server_url
from mockserver.web.schemas import json_text
from mockserver.web.schemas.fields import ApiKey, Flag
from mockserver.web.server import loop
from mockserver.web.server.loop import LARGE_WORKSPACE

#: The longest label, in characters. Chosen: longer than most ids of parametrized tests.
_LONGEST_LABEL = 500
OUTCOMES = get_args(Outcome)

WORKSPACES = ControlResource("workspaces", "/_mock/workspaces", in_workspace=False)


class ScenarioField(fields.Field[Any]):
    """A scenario name or a whole scenario document."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if not isinstance(value, (str, dict)):
            raise ValidationError("must be a name or a document")
        # Only known names: a path would let a caller read files of the server.
        if isinstance(value, str) and value not in target.library().names():
            raise ValidationError(target.library().unknown(value))
        return value


class ScenarioChoice(Item):
    scenario = ScenarioField()
    yaml = fields.String(**about("the text of a YAML file with a scenario, in place of `scenario`"))

    @validates_schema(pass_original=True, skip_on_field_errors=False)
    def _check_choice(self, _data: object, original: Mapping[str, Any], **_: Any) -> None:
        if "scenario" in original and "yaml" in original:
            raise ValidationError("give scenario or yaml, not both")


def chosen_scenario(body: dict[str, Any]) -> str | dict[str, Any] | None:
    """Return the scenario name or document of a body, or None if the body chooses no scenario.

    Raises:
        Problem: 400, the text cannot be read; 413, it is too large.
    """
    if "yaml" not in body:
        found: str | dict[str, Any] | None = body.get("scenario")
        return found
    loop.leave()
    return inputs.of_text(body["yaml"])


def _label() -> fields.String:
    return fields.String(
        validate=validate.Length(max=_LONGEST_LABEL),
        **about("what people see of it beside the name, such as the id of a test"),
    )


class NewWorkspace(ScenarioChoice):
    """A new workspace, by default with the scenario of the server."""

    seed = seed_field()
    vary = seed_field(**about("a seed that draws legal differences, whatever its scenario says"))
    behaviour = fields.String(
        validate=validate.OneOf(tuple(PRESETS)),
        **about("the preset of behaviour, whatever its scenario says; single switches of the scenario win"),
    )
    name = inputs.name()
    label = _label()
    copy_of = fields.String(**about("a workspace whose present state is the scenario; drawn keys are new"))
    #: Whether the workspace refuses body fields that the service does not know, even if its scenario does not say so.
    strict = Flag(load_default=False)
    start = Instant(**about("the moment at which its clock starts, whatever its scenario says"))
    #: Whether requests of the workspace count in the coverage of the server, and are logged.
    counted = Flag(load_default=True)

    @validates_schema(pass_original=True, skip_on_field_errors=False)
    def _check_copy(self, _data: object, original: Mapping[str, Any], **_: Any) -> None:
        if "copy_of" in original and ("scenario" in original or "yaml" in original):
            raise ValidationError("give copy_of or a scenario, not both", "copy_of")


class WorkspaceFilter(inputs.Part):
    #: A part of the name, in capitals or not.
    name = fields.String(load_default="")
    #: A part of the label, in capitals or not.
    label = fields.String(load_default="")
    outcome = fields.String(validate=validate.OneOf(OUTCOMES))


class WorkspaceNote(Item):
    """A workspace's label and the outcome of its test."""

    label = _label()
    outcome = fields.String(validate=validate.OneOf(OUTCOMES), **about("how the test of the workspace ended"))


def before_making(scenario: object | None) -> None:
    """Leave the event loop before making a large workspace of a scenario; None is the server's own scenario."""
    if target.store().maker.rows(scenario) > LARGE_WORKSPACE:
        loop.leave()


@WORKSPACES.call("POST", body=NewWorkspace, answer=WorkspaceSummary, status=201, problems=(404, 409, 421))
def create(body: dict[str, Any]) -> WorkspaceSummary:
    """A fresh workspace with its own keys, clock, faults, journal, mailbox and coverage."""
    if "name" in body:
        _check_place(body["name"])
    scenario = _state_of(body["copy_of"]) if "copy_of" in body else chosen_scenario(body)
    before_making(scenario)
    store = target.store()
    if changes := _changes(body):
        scenario = target.library().changed(store.maker.scenario if scenario is None else scenario, **changes)
    try:
        named: dict[str, Any] = {member: body.get(member) for member in ("name", "seed", "counted")}
        named["label"] = body.get("label", "")
        fresh = store.create(scenario, **named)
    except NameTakenError as error:
        raise Problem(409, f"duplicate workspace name {str(error)!r}") from error
    except StoreFullError as error:
        raise Problem(409, str(error)) from error
    return show_hosted(target.acting_on(fresh))


def _state_of(name: str) -> dict[str, Any]:
    """Return the present state of a workspace as a document."""
    found = target.named(name)
    loop.leave_if_large(found)
    document = dump(found)
    found.let_go()
    written: dict[str, Any] = json_text.read(b"".join(json_text.pieces(document, write_instant, 1)))
    return written


def _check_place(name: str) -> None:
    """Refuse a name that the load balancer routes to another replica."""
    replica = target.store().replica
    target.refuse_misdirected(f"the name {name}", replica.other_of_name(name))
    if not replica.name:
        return
    meant = request.headers.get(REPLICA_HEADER)
    leading = request.environ.get(WORKSPACE, request.headers.get(WORKSPACE_HEADER))
    if meant == ANY_REPLICA and leading is None:
        detail = f"the load balancer could not see the name of the workspace: send {WORKSPACE_HEADER}: {name} as well"
        raise of_misdirected(detail, WORKSPACE_HEADER, name)
    if meant not in (None, ANY_REPLICA):
        raise of_one("name", f"give either name or the header {REPLICA_HEADER}, not both")
    if leading not in (None, name):
        raise of_one("name", f"must be {leading!r}, the workspace by which the call was routed to this replica")


def _changes(body: dict[str, Any]) -> dict[str, Any]:
    strict = {"strict": True} if body["strict"] else {}
    chosen: dict[str, Any] = {member: body[member] for member in ("vary", "behaviour") if member in body}
    clock = {"clock": {"start": write_instant(body["start"])}} if "start" in body else {}
    return {**strict, **chosen, **clock}


@WORKSPACES.call(
    "GET",
    query=WorkspaceFilter,
    answer=listing(
        "Workspaces",
        WorkspaceInUse,
        unreadable=Annotated[
            Sequence[Unreadable], "those that could not be read when last asked for; no items stand for them"
        ],
    ),
)
def index(query: dict[str, Any]) -> Any:
    """All workspaces, the one used last first."""
    wanted = {member: query.get(member, "") for member in ("name", "label", "outcome")}
    part = loaded(inputs.part_of(found_by(**wanted), query))
    _before_showing(part)
    rows, count = [_shown_in_use(workspace) for workspace in part], len(found_by(**wanted))
    return listed(rows, count, unreadable=unreadable())


def found_by(name: str = "", label: str = "", outcome: str = "", text: str = "") -> list[str]:
    """Return the names of the readable workspaces that match all conditions; the one used last comes first.

    Args:
        name: A part of the name, in any case.
        label: A part of the label, in any case.
        outcome: The whole outcome.
        text: A part of the name or of the label, in any case.
    """
    store, name, label, text = target.store(), name.lower(), label.lower(), text.lower()
    left_out = store.unreadable()
    found = [found for found in reversed(store.names()) if name in found.lower() and found not in left_out]
    if not (label or outcome or text):
        return found
    if len(store.loaded()) < len(store):
        loop.leave()  # labels are read from the store
    labels = store.labels()

    def admits(name: str) -> bool:
        own, ended = labels.get(name, ("", ""))
        return label in (own := own.lower()) and outcome in ("", ended) and (text in own or text in name.lower())

    return list(filter(admits, found))


def loaded(names: Iterable[str]) -> list[Workspace]:
    return [found for found in map(_looked_at, names) if found is not None]


def _looked_at(name: str) -> Workspace | None:
    try:
        return target.store().seen(name)
    except StorageError:
        return None  # from now on it is among those that are unreadable


def unreadable() -> list[Unreadable]:
    """Return the workspaces that failed to load at the latest access."""
    return [Unreadable(name, why) for name, why in target.store().unreadable().items()]


@WORKSPACES.call("GET", "/<name>", answer=WorkspaceInUse)
def show(name: str) -> WorkspaceInUse:
    """One workspace."""
    found = target.named(name)
    _before_showing([found])
    return _shown_in_use(found)


@WORKSPACES.call("PATCH", "/<name>", body=WorkspaceNote, answer=WorkspaceInUse)
def note(body: dict[str, Any], name: str) -> WorkspaceInUse:
    """Change the label of a workspace, or note how its test ended; what is left out stays."""
    found = target.named(name)
    found.label, found.outcome = body.get("label", found.label), body.get("outcome", found.outcome)
    _before_showing([found])
    return _shown_in_use(found)


@WORKSPACES.call("DELETE", "/<name>", status=204, problems=(409,))
def drop(name: str) -> None:
    """Delete a workspace. Its keys are refused afterwards."""
    if name == DEFAULT:
        raise Problem(409, "the default workspace cannot be deleted; reset it instead")
    if not target.store().discard(name):
        target.store().drop(target.entered(target.named(name), whole=True))


def _before_showing(workspaces: Iterable[Workspace]) -> None:
    loop.leave_if_long(0 for workspace in workspaces for _ in range(len(workspace.state.accounts)))


def show_hosted(workspace: Workspace) -> WorkspaceSummary:
    """Return the record of a workspace with an address on the called host."""
    return show_workspace(workspace, server_url(request.environ))


def _shown_in_use(workspace: Workspace) -> WorkspaceInUse:
    return show_workspace_in_use(workspace, server_url(request.environ))


# ---------------------------------------------------------------------- keys

KEYS = ControlResource("keys", "/_mock/keys")


class Revocation(Item):
    """A key to revoke, or an account to revoke all keys of."""

    key = ApiKey()
    account = fields.String()

    @validates_schema
    def _check_members(self, data: dict[str, Any], **_: Any) -> None:
        if not data:
            raise ValidationError("give a key, or an account for all of its keys", "key")


@KEYS.call("POST", "/revoke", body=Revocation, answer=Revoked, adds=True)
def revoke(workspace: Workspace, body: dict[str, Any]) -> Revoked:
    """Revoke a key, or all keys of an account, until the next reset: requests get 401."""
    for key in _keys(body, target.named_account(workspace, body)):
        workspace.revoke_key(key)
    return Revoked(revoked=True, workspace=workspace.name)


def _keys(body: dict[str, Any], account: Account | None) -> list[str]:
    """Return the keys to revoke: the body's key, or all keys of the account."""
    if "key" not in body:
        return account.api_keys if account is not None else []
    if account is not None and body["key"] not in account.api_keys:
        raise of_one("key", f"the key does not belong to account {account.name}")
    return [body["key"]]
