"""A record is read from an answer and sent as one, by the type hints of its members."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Annotated, Any, NamedTuple, get_args, get_type_hints

import pytest

from mockserver.core.contract.operation import Role
from mockserver.core.traffic import causes
from mockserver.core.traffic.mail import FAILED, KINDS, SENT, WAITING
from mockserver.resources.deliveries.delivery import MACHINE
from mockserver.resources.domains.domain import ANSWERS, POLICIES
from mockserver.resources.registry import LIFECYCLES
from mockserver.views import server_records, traffic_records, workspace_records
from mockserver.views.record import At, Keyword, Mark, ReadBy, Shape, made, members, plain, read, sent
from mockserver.web.service.beyond import CHOICES


class Inner(NamedTuple):
    at: datetime


class Beside(NamedTuple):
    deep: int


class Outer(NamedTuple):
    inner: Inner
    many: tuple[Inner, ...]
    sender: Annotated[str, At("from")]
    beside: Annotated[Beside, Mark.FLAT]
    loud: Annotated[str, ReadBy(str.upper)]
    raw: Annotated[Any, Shape(Sequence[Inner])]
    missing: Annotated[Inner | None, Mark.OMITTED]
    null: Inner | None
    own: Annotated[str, Mark.NOT_SENT]
    others: Annotated[dict[str, Any], Mark.REST]


MOMENT = {"at": "2026-01-15T09:00:00Z"}
ANSWER = {"inner": MOMENT, "many": [MOMENT], "from": "a", "deep": 1, "loud": "b", "raw": [MOMENT], "null": None}
INNER = Inner(datetime(2026, 1, 15, 9, tzinfo=UTC))
RECORD = Outer(INNER, (INNER,), "a", Beside(1), "B", [MOMENT], None, None, "mine", {"deep": 1, "more": 2})


def test_record_is_read_by_the_types_of_its_members():
    assert read(Outer, {**ANSWER, "more": 2}, own="mine") == RECORD


def test_record_is_sent_with_the_names_and_without_the_omitted_members_of_its_answer():
    assert sent(RECORD) == {
        "inner": INNER, "many": (INNER,), "from": "a", "deep": 1, "loud": "B", "raw": [MOMENT], "null": None
    }  # fmt: skip
    assert plain(RECORD)["many"] == [{"at": INNER.at}]


def test_record_is_made_of_the_attributes_of_a_row():
    assert made(Inner, SimpleNamespace(at=1)) == (1,)
    assert made(Inner, None, at=2) == (2,)


@pytest.mark.parametrize("name", ["inner", "many", "from", "deep"])
def test_answer_without_a_required_member_is_refused(name):
    with pytest.raises(KeyError, match=name):
        read(Outer, {key: value for key, value in ANSWER.items() if key != name}, own="mine")


def choices(record, name):
    """The choices of a member: those of its literal, its keyword or its enumeration."""
    member = next(row for row in members(record) if row.name == name)
    keyword, shape = member.of_type(Keyword), member.of_type(Shape)
    if shape is not None:
        return [choice.value for choice in shape.hint]
    return list(get_args(member.type_) or keyword.value)


@pytest.mark.parametrize(
    ("record", "name", "known"),
    [
        (traffic_records.Cause, "kind", causes.KINDS),
        (traffic_records.Mail, "machine", LIFECYCLES),
        (traffic_records.Recipient, "kind", KINDS),
        (traffic_records.Sending, "state", (WAITING, SENT, FAILED)),
        (traffic_records.Delivery, "state", MACHINE.states),
        (workspace_records.Records, "dkim_record", ANSWERS),
        (workspace_records.Dns, "dmarc_policy", POLICIES),
        (workspace_records.Account, "role", [role.value for role in Role]),
        (server_records.OperationBeyond, "answered", CHOICES.values()),
    ],
)
def test_choices_of_a_member_are_those_of_the_server(record, name, known):
    assert sorted(choices(record, name)) == sorted(known)


def test_hints_of_all_records_can_be_read():
    for module in (server_records, traffic_records, workspace_records):
        for kind in vars(module).values():
            if isinstance(kind, type) and kind.__module__ == module.__name__:
                assert get_type_hints(kind, include_extras=True)
                assert members(kind)
