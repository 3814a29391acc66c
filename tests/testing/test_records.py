"""Each record of the testing tools has the members of its view, with the same paths and types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib import import_module
from pkgutil import iter_modules
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

import pytest
from marshmallow import fields

from mockserver.testing import records
from mockserver.testing.records import (
    causes,
    clock,
    coverage,
    deliveries,
    dns,
    machines,
    mailbox,
    requests,
    workspace,
)
from mockserver.testing.records.reading import Member, is_record, member_readers, read
from mockserver.views.server import coverage as coverage_view
from mockserver.views.traffic import calls as call_views
from mockserver.views.traffic import causes as cause_views
from mockserver.views.traffic import deliveries as delivery_views
from mockserver.views.traffic import mails as mail_views
from mockserver.views.traffic import receivers as receiver_views
from mockserver.views.traffic import requests as request_views
from mockserver.views.workspaces import apps as app_views
from mockserver.views.workspaces import clock as clock_views
from mockserver.views.workspaces import dns as dns_views
from mockserver.views.workspaces import machines as machine_views
from mockserver.views.workspaces import timers as timer_views
from mockserver.views.workspaces import workspaces as workspace_views

VIEWS = {
    workspace.App: app_views.OAuthApp,
    requests.ControlCall: call_views.ControlCall,
    causes.Cause: cause_views.Cause,
    clock.Fired: clock_views.Fired,
    clock.Moment: clock_views.Clock,
    clock.Timer: timer_views.Timer,
    coverage.Total: coverage_view.Met,
    deliveries.Attempt: delivery_views.Attempt,
    deliveries.Delivery: delivery_views.Delivery,
    dns.KnownName: dns_views.KnownName,
    dns.OwnedDomain: dns_views.OwnedDomain,
    dns.Records: dns_views.Dns,
    machines.Instance: machine_views.Instance,
    machines.Transition: request_views.Change,
    mailbox.Attachment: mail_views.Attachment,
    mailbox.Mail: mail_views.Mail,
    mailbox.Recipient: mail_views.Recipient,
    deliveries.Call: receiver_views.ReceivedCall,
    requests.Exchange: request_views.Request,
    requests.Message: request_views.Sent,
    requests.Page: request_views.Requests,
    workspace.Account: workspace_views.WorkspaceAccount,
    workspace.Arrival: delivery_views.Arrived,
    workspace.InboundMail: delivery_views.InboundMail,
}
#: What a record does not tell, or its handle does in another way.
LEFT_OUT = {
    clock.Moment: {"offset_s"},
    clock.Timer: {"state", "real_at", "transitions", "caused"},
    coverage.Total: {"percent"},
    dns.KnownName: {"brevo_code", "dkim_record", "dmarc_record", "dmarc_policy", "free_mail"},
    dns.Records: {"domain", "dmarc_policy", "free_mail"},
}
#: What a record has that is of no member of its view: the handle gives it.
GIVEN = {dns.KnownName: {"records"}, machines.Instance: {"machine", "secrets"}}
PLAIN = {
    fields.DateTime: datetime,
    fields.Integer: int,
    fields.Float: float,
    fields.Boolean: bool,
    fields.String: str,
    fields.UUID: str,
    fields.Enum: str,
    fields.Dict: Mapping,
}
#: Values of more than one type; the view says which in words of JSON schema.
JSON = {"string": str, "integer": int, "array": Sequence}
each_record = pytest.mark.parametrize("record", VIEWS, ids=lambda record: record.__name__)


def known(view):
    return {field.data_key or name: field for name, field in view().fields.items()}


def field_at(view, path):
    """The field at a path through an answer."""
    field = known(view)[path[0]]
    return field if len(path) == 1 else field_at(type(field.schema), path[1:])


def hints(record):
    given = GIVEN.get(record, set())
    found = get_type_hints(record)  # without what annotates them
    return [(reader, found[reader.name]) for reader in member_readers(record) if reader.name not in given]


def alternatives(hint):
    """The types that a hint allows beside None; for a literal, the type of its values."""
    if get_origin(hint) is Literal:
        return {type(value) for value in get_args(hint)}
    if get_origin(hint) in (Union, UnionType):
        return {type_ for member in get_args(hint) if member is not NoneType for type_ in alternatives(member)}
    return {hint if is_record(hint) or hint is Any else get_origin(hint) or hint}


def fits(field, hint):
    """Whether a type is that of the values of a field."""
    if isinstance(field, fields.Nested):
        return VIEWS.get(*alternatives(hint)) is type(field.schema) or alternatives(hint) == {Mapping}
    if isinstance(field, fields.List):
        return get_origin(hint) in (tuple, Sequence) and fits(field.inner, get_args(hint)[0])
    if "type" in field.metadata:
        return alternatives(hint) == {JSON[kind] for kind in field.metadata["type"]}
    plain = next((kind for of, kind in PLAIN.items() if isinstance(field, of)), Any)
    return alternatives(hint) == {plain}


def test_every_record_of_the_toolkit_is_held_against_a_view():
    modules = [
        import_module(f"{records.__name__}.{row.name}")
        for row in iter_modules(records.__path__)
        if row.name != "reading"
    ]

    assert {kind for module in modules for kind in vars(module).values() if is_record(kind)} == VIEWS.keys()


@each_record
def test_a_record_tells_every_member_of_its_view(record):
    names = {reader.path[0] for reader, _ in hints(record)}

    assert names == known(VIEWS[record]).keys() - LEFT_OUT.get(record, set())


@each_record
def test_a_member_of_a_record_has_the_type_of_its_field(record):
    mistyped = [reader.name for reader, hint in hints(record) if not fits(field_at(VIEWS[record], reader.path), hint)]

    assert mistyped == []


@each_record
def test_a_member_of_a_record_may_be_none_where_its_field_may(record):
    for reader, hint in hints(record):
        field = field_at(VIEWS[record], reader.path)
        may_be_none = field.allow_none or not field.required
        assert hint is Any or reader.is_optional is may_be_none, reader.name


def test_a_literal_of_a_record_names_the_choices_of_its_field():
    literals = [
        (set(get_args(hint)), set(field_at(VIEWS[record], reader.path).validators[0].choices))
        for record in VIEWS
        for reader, hint in hints(record)
        if get_origin(hint) is Literal
    ]

    assert literals
    assert [pair for pair in literals if pair[0] != pair[1]] == []


# ---------------------------------------------------------------------- reading


class Inner(NamedTuple):
    at: datetime


class Outer(NamedTuple):
    inner: Inner
    many: tuple[Inner, ...]
    sender: Annotated[str, Member("from")]
    deep: Annotated[int, Member("place", "deep")]
    loud: Annotated[str, Member(read=str.upper)]
    missing: Inner | None


MOMENT = {"at": "2026-01-15T09:00:00Z"}
ANSWER = {"inner": MOMENT, "many": [MOMENT], "from": "a", "place": {"deep": 1}, "loud": "b", "more": None}
READ = Inner(datetime(2026, 1, 15, 9, tzinfo=UTC))


def test_a_record_is_read_by_the_types_of_its_members():
    assert read(Outer, ANSWER) == Outer(READ, (READ,), "a", 1, "B", None)


def test_a_member_that_is_given_is_not_looked_for():
    assert read(Inner, {}, at=READ.at) == READ


@pytest.mark.parametrize("name", ["inner", "many", "from", "place"])
def test_an_answer_without_a_member_that_has_to_be_there_is_refused(name):
    with pytest.raises(KeyError, match=name):
        read(Outer, {key: value for key, value in ANSWER.items() if key != name})
