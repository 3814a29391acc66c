"""The views of the faults of a workspace, and of the fault kinds that there are."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from marshmallow import fields, validate

from mockserver.core.contract.errors import ALL_CODES
from mockserver.core.state import faults
from mockserver.core.state.faults import FAULT_KINDS, Fault
from mockserver.resources.registry import ALL_OPERATIONS
from mockserver.scenario.faults import FaultItem, operations_of
from mockserver.views.base import members
from mockserver.views.base.view import View, listing


class Named(NamedTuple):
    """A row of `FaultKind`: a fault kind and its name."""

    name: str
    kind: faults.FaultKind


def _status(row: Named) -> int | None:
    return row.kind.code and (row.kind.status or row.kind.code.status)


def _code(row: Named) -> str | None:
    return row.kind.code and row.kind.code.code


def _message(row: Named) -> str | None:
    return row.kind.code and (row.kind.message or row.kind.code.message)


def _operations(row: Named) -> list[str] | None:
    return None if row.kind.code is None else operations_of(row.kind)


class FaultKind(View):
    fault = members.text(validate=validate.OneOf(FAULT_KINDS), attribute="name")
    does = members.text(attribute="kind.summary")
    parameters = members.texts(attribute="kind.parameters")
    status = members.maybe(fields.Integer, about="of a named fault; so are those below", of=_status)
    code = members.maybe(fields.String, validate=validate.OneOf(ALL_CODES), of=_code)
    message = members.maybe(fields.String, of=_message)
    operations = members.maybe(fields.List, fields.String(validate=validate.OneOf(ALL_OPERATIONS)), of=_operations)


Catalogue = listing(FaultKind, "Catalogue")


class Rule(View, FaultItem):
    """A fault as it was written, its members in their order, with its id, its hits and whether it is active.

    `ruled` makes its rows.
    """

    as_given = True

    id = members.text()
    hits = members.number()
    active = members.flag("whether it can still hit")
    expires_at = fields.DateTime()  # type: ignore[assignment]  # what is answered is never relative


Rules = listing(Rule, "Rules")


def ruled(fault: Fault, now: datetime) -> Mapping[str, Any]:
    """A fault as a row of `Rule`; `now` is the present moment of the workspace's clock."""
    ends = {} if fault.expires_at is None else {"expires_at": fault.expires_at}
    return {"id": fault.id, **fault.written, "hits": fault.hits, "active": fault.is_active(now), **ends}
