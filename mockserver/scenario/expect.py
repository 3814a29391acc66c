"""The schema of a scenario's `expect:` section, with its path syntax."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

from marshmallow import ValidationError, fields, validate, validates_schema

from mockserver.resources.section import Item, about
from mockserver.web.schemas.fields import Flag, Json, List

#: The longest path, in characters. Chosen: longer than any that a reader understands.
_LONGEST = 500
#: The most expectations. Chosen: more than a scenario has in practice; each is looked up with each call.
MOST_EXPECTED = 1_000
_ROOT = re.compile(r"state|journal|mailbox")
_STEP = re.compile(r"\.([A-Za-z_][\w-]*)|\[([0-9]{1,9})\]|\[([A-Za-z_][\w-]*)=([^\]]*)\]")


class Step(NamedTuple):
    """A part of a path: a member, an index, or a filter of items by a member."""

    name: str | None
    position: int | None
    member: str | None
    value: str


@lru_cache(maxsize=1000)
def parsed(path: str) -> tuple[str, Sequence[Step]]:
    """Return the root and the steps of a path.

    Raises:
        ValidationError: the path cannot be read.
    """
    root = _ROOT.match(path)
    if root is None or len(path) > _LONGEST:
        raise ValidationError(
            f"must begin with state, journal or mailbox and have at most {_LONGEST} characters, such as "
            "state.senders[email=jo@acme.test].state"
        )
    at, steps = root.end(), []
    while at < len(path):
        found = _STEP.match(path, at)
        if found is None:
            raise ValidationError(f"cannot be read from {path[at : at + 40]!r} on; expected .name, [name=value] or [0]")
        name, index, member, value = found.groups()
        steps.append(Step(name, None if index is None else int(index), member, value or ""))
        at = found.end()
    return root[0], tuple(steps)


def _check_path(path: str) -> None:
    parsed(path)


class ExpectItem(Item):
    """An assertion: a path with its expected values, or the sections allowed to change."""

    constraints: ClassVar[dict[str, Any]] = {
        "oneOf": [{"required": ["path", name]} for name in ("equals", "count", "absent")] + [{"required": ["only"]}],
        "dependentSchemas": {"only": {"properties": {"path": False}}},
    }

    path = fields.String(
        validate=_check_path,
        **about(
            "a path into state (of the first account unless named), journal or mailbox: "
            "state.senders[email=jo@acme.test].state, journal[operation=createSender][status=201], "
            "mailbox[to=jo@acme.test]"
        ),
    )
    equals = Json(allow_none=True, **about("the value of all that is found, at least one"))
    count = fields.Integer(strict=True, validate=validate.Range(min=0), **about("how many items are found"))
    absent = Flag(validate=validate.Equal(True, error="must be true"), **about("true: nothing is found, or null"))
    only = List(  # type: ignore[assignment]  # marshmallow takes the fields off the class
        fields.String(),
        **about("the only sections that may change, such as senders"),
    )
    hold = Flag(**about("true: accepted although satisfied from the beginning"))

    @validates_schema
    def _check_kind(self, data: dict[str, Any], **_: Any) -> None:
        kinds = [name for name in ("equals", "count", "absent", "only") if name in data]
        if len(kinds) != 1 or ("path" in data) is (kinds == ["only"]):
            raise ValidationError("give path with one of equals, count and absent; or only")


def expect_field(**options: Any) -> List:
    return List(fields.Nested(ExpectItem), validate=validate.Length(max=MOST_EXPECTED), **options)
