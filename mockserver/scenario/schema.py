"""The schema of a scenario: what a document may hold, with the sections of the resources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from marshmallow import Schema, ValidationError, fields, post_dump, validate, validates_schema

from mockserver.beyond.sections import SECTIONED
from mockserver.core.contract.operation import Role
from mockserver.core.late import late
from mockserver.core.state.account import LANGUAGES
from mockserver.resources.resource import Generator, Resource
from mockserver.resources.section import Id24, Instant, Item, is_relative
from mockserver.scenario.rules.fault_list import rules
from mockserver.web.schemas.fields import ApiKey, Dict, Email, Flag, List, OneOrMany

if TYPE_CHECKING:
    from mockserver.scenario import behaviour
else:
    (behaviour,) = late(__package__, "behaviour")

#: The most rows that a document generates, in all lists together. Chosen: a workspace of so many takes some 200 MB.
MOST_GENERATED = 200_000
#: The most scenarios that one extends itself. Chosen: as many as may stand below each other.
_MOST_EXTENDED = 50
#: How many schemas are kept, each of some 100 kB; chosen: the documents of a test run need a few different ones.
_KEPT = 16


class ClockItem(Item):
    start = Instant()
    frozen = Flag(load_default=False)

    @validates_schema(pass_original=True)
    def _check_start(self, _data: object, original: Mapping[str, Any], **_: Any) -> None:
        if is_relative(original.get("start")):
            raise ValidationError("must be a moment: relative ones are counted from here", "start")


class UserItem(Item):
    email = Email(required=True)
    admin = Flag(load_default=False)
    password = fields.String(allow_none=True, validate=validate.Length(min=1))

    @post_dump
    def _without_none(self, data: dict[str, Any], **_: Any) -> dict[str, Any]:
        return {name: value for name, value in data.items() if value is not None}


def _keys() -> List:
    return List(ApiKey())


class OwnKeys(List):
    """A list of API keys, without duplicates."""

    def __init__(self) -> None:
        super().__init__(ApiKey())

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> list[Any]:
        keys = super()._deserialize(value, attr, data, **kwargs)
        seen: set[str] = set()
        for position, key in enumerate(keys):
            if key in seen:
                raise ValidationError({position: ["this key stands there twice"]})
            seen.add(key)
        return keys


class IdentityItem(Item):
    """The members of an account that belong to no resource."""

    name = fields.String(required=True, validate=validate.Length(min=1, max=100))
    id = fields.Integer(strict=True, validate=validate.Range(min=1, max=2**62))
    role = fields.Enum(Role, by_value=True, load_default=Role.STANDALONE)
    of = fields.String(allow_none=True)
    api_keys = OwnKeys()
    revoked_keys = _keys()
    email = Email()
    first_name = fields.String()
    last_name = fields.String()
    company_name = fields.String()
    enterprise = Flag()
    language = fields.String(validate=validate.OneOf(LANGUAGES))
    organization_id = Id24()
    user_id = fields.Integer(strict=True, validate=validate.Range(min=1, max=2**62))
    created_at = Instant()
    users = List(fields.Nested(UserItem))


def _position() -> fields.Integer:
    return fields.Integer(strict=True, validate=validate.Range(min=0, max=2**62))


class ResumeItem(Item):
    """How far ids and draws of a running workspace have come: `GET /_mock/state` writes it, so that they go on."""

    ids = Dict(keys=fields.String(), values=_position())
    draws = Dict(keys=fields.String(), values=_position())
    revoked_keys = _keys()


@cache
def generators() -> dict[str, Generator]:
    """What makes an item of each list that `generate` can fill, made once."""
    sections = (resource.section for resource in SECTIONED)
    return {name: found for section in sections if section for name, found in section.generators.items()}


def owners(document: Mapping[str, Any]) -> tuple[Resource, ...]:
    """The resources whose sections a document can be loaded with, if it has no mistake.

    Those of all others would find nothing in it.
    """
    items = document.get("accounts") or ()
    if not isinstance(items, Sequence) or not all(isinstance(item, Mapping) for item in items):
        return SECTIONED
    names = set(document).union(*items)
    if "generate" in names:
        return SECTIONED
    return tuple(row for row in SECTIONED if not names.isdisjoint(row.members | row.workspace_members | row.looks_at))


def scenario_schema() -> Schema:
    """The schema of a whole document, made once."""
    return schema_of(tuple(resource.name for resource in SECTIONED))


@lru_cache(maxsize=_KEPT)
def schema_of(names: tuple[str, ...]) -> Schema:
    """The schema of a document that has no members of other resources than those of these names."""
    owning = [resource for resource in SECTIONED if resource.name in names]
    resources = {
        name: field for resource in owning if resource.section for name, field in resource.section.fields.items()
    }
    workspace = {
        name: field for resource in owning if resource.workspace for name, field in resource.workspace.fields.items()
    }
    if len(owning) == len(SECTIONED):
        resources["generate"] = _generate_field()
    account = type("AccountItem", (IdentityItem,), dict(resources))
    top: dict[str, fields.Field[Any]] = {
        "description": fields.String(),
        "extends": OneOrMany(fields.String(), validate=validate.Length(max=_MOST_EXTENDED)),
        "clock": fields.Nested(ClockItem),
        "seed": fields.Integer(strict=True, validate=validate.Range(-(2**63), 2**63 - 1)),
        "solution": fields.String(validate=validate.OneOf(("v1", "v2"))),
        "strict": Flag(),
        "behaviour": fields.Nested(behaviour.BehaviourItem),
        "accounts": List(fields.Nested(account)),
        "faults": rules(),
        "resume": fields.Nested(ResumeItem),
    }
    return Item.from_dict({**resources, **workspace, **top}, name="ScenarioItem")()


def _generate_field() -> fields.Nested:
    amount = fields.Integer(strict=True, validate=validate.Range(min=0, max=MOST_GENERATED))
    return fields.Nested(Item.from_dict(dict.fromkeys(generators(), amount), name="GenerateItem"))
