"""The schema of scenario documents, with the sections of the resources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

from marshmallow import Schema, ValidationError, fields, post_dump, validate, validates_schema

from mockserver.core.contract.operation import Role
from mockserver.core.lazy import lazy
from mockserver.core.state.state import LANGUAGES
from mockserver.core.time import duration
from mockserver.core.traffic.causes import KINDS
from mockserver.resources.registry import RESOURCES
from mockserver.resources.resource import Resource
from mockserver.resources.section import Generator, Id24, Instant, Item, about
from mockserver.web.schemas.errors import Longest
from mockserver.web.schemas.fields import ApiKey, Dict, Email, Flag, List, OneOrMany

if TYPE_CHECKING:
    from mockserver.scenario import behaviour, expect, faults, vary
else:
    behaviour, expect, faults, vary = lazy(__package__, "behaviour", "expect", "faults", "vary")
_stubs, _stored = lazy("mockserver.beyond.stubs", "schema", "stored")

#: Stubs as a resource without operations, loaded after all other resources.
_STUBS = Resource(
    name="stubs", operations=(), lazy_section=_stored.SECTION, lazy_workspace=_stubs.SECTION,
    members=frozenset({"stored"}), workspace_members=frozenset({"stubs"}),
)  # fmt: skip
#: All resources with a section of a scenario, in the order in which the sections are loaded.
SECTIONED: tuple[Resource, ...] = (*RESOURCES, _STUBS)

#: The most rows that a document generates, in all lists together. Chosen: a workspace of so many takes some 200 MB.
MOST_GENERATED = 200_000
#: The most scenarios in `extends`. Chosen: as many as the longest chain.
_MOST_EXTENDED = 50
#: How many schemas are kept, each of some 100 kB; chosen: the documents of a test run need a few different ones.
_KEPT = 16
#: The most faults in a workspace. Chosen: more than tests have; each request is matched against all.
MOST_FAULTS = 1_000
#: The longest id. Chosen: timer ids contain keys such as domain names.
_LONGEST_ID = Longest(10_000)


class BehaviourField(fields.Nested):
    """A preset, or a mapping of switches."""


class ClockItem(Item):
    #: A relative moment is counted from here.
    constraints: ClassVar[dict[str, Any]] = {"properties": {"start": {"pattern": "^[^P]*$"}}}

    start = Instant(**about("where the clock begins; real time if left out"))
    frozen = Flag(load_default=False, **about("whether only calls move the clock"))

    @validates_schema(pass_original=True)
    def _check_start(self, _data: object, original: Mapping[str, Any], **_: Any) -> None:
        if duration.is_duration(original.get("start")):
            raise ValidationError("must be an RFC 3339 date-time: relative moments are counted from it", "start")


class UserItem(Item):
    email = Email(required=True, **about("who signs in"))
    admin = Flag(load_default=False, **about("whether the user is an admin of the organization"))
    password = fields.String(
        allow_none=True, validate=validate.Length(min=1),
        **about("for the form of behaviour.oauth_login: form"),
    )  # fmt: skip

    @post_dump
    def _without_none(self, data: dict[str, Any], **_: Any) -> dict[str, Any]:
        return {name: value for name, value in data.items() if value is not None}


class OwnKeys(List):
    """A list of API keys without duplicates."""

    def __init__(self, **options: Any) -> None:
        super().__init__(ApiKey(), **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> list[Any]:
        keys = super()._deserialize(value, attr, data, **kwargs)
        seen: set[str] = set()
        for position, key in enumerate(keys):
            if key in seen:
                raise ValidationError({position: ["duplicate API key in this list"]})
            seen.add(key)
        return keys


class IdentityItem(Item):
    """The members of an account that no resource owns."""

    name = fields.String(
        required=True,
        validate=validate.Length(min=1, max=100),
        **about("its name in scenarios and the control API; accounts merge by it in `extends`"),
    )
    id = fields.Integer(
        strict=True, validate=validate.Range(min=1, max=2**62), **about("seven digits that count up if left out")
    )
    role = fields.Enum(Role, by_value=True, load_default=Role.STANDALONE, **about("what kind of account it is"))
    of = fields.String(allow_none=True, **about("the name of its master, of a sub_account or admin"))
    api_keys = OwnKeys(**about("its API keys, below `/w/NAME` outside of `default`; one is drawn if left out"))
    revoked_keys = List(ApiKey(), **about("keys that are 401"))
    email = Email(**about("the owner; made of the name if left out"))
    first_name = fields.String(**about("the owner's first name"))
    last_name = fields.String(**about("the owner's last name"))
    company_name = fields.String(**about("the owner's company"))
    enterprise = Flag(**about("whether it has enterprise features, such as exports of webhook history"))
    under_validation = Flag(**about("whether it is not approved yet: sending is 403 account_under_validation"))
    language = fields.String(validate=validate.OneOf(LANGUAGES), **about("the owner's language"))
    organization_id = Id24(**about("24 hexadecimal digits in quotes; drawn if left out"))
    user_id = fields.Integer(
        strict=True, validate=validate.Range(min=1, max=2**62), **about("the owner's number; counts up if left out")
    )
    created_at = Instant(**about("when it was made; the clock's start if left out"))
    users = List(fields.Nested(UserItem), **about("who can sign in; the owner, as an admin, if left out"))


def _position() -> fields.Integer:
    return fields.Integer(strict=True, validate=validate.Range(min=0, max=2**62))


class CauseItem(Item):
    kind = fields.String(required=True, validate=validate.OneOf(KINDS), **about("what kind of thing it is"))
    id = fields.String(required=True, validate=_LONGEST_ID, **about("its id"))


class LinkItem(CauseItem):
    """An effect with its causes."""

    caused_by = List(fields.Nested(CauseItem), required=True, **about("what has caused it"))


class ResumeItem(Item):
    """The positions of ids and draws in a running workspace, written by `GET /_mock/state`."""

    ids = Dict(keys=fields.String(), values=_position(), **about("the last number given out, by kind"))
    draws = Dict(keys=fields.String(), values=_position(), **about("how many values were drawn, by purpose"))
    revoked_keys = List(ApiKey(), **about("keys of the workspace that were revoked"))
    links = List(fields.Nested(LinkItem), **about("what was caused by what"))
    sections = Dict(
        keys=fields.String(), values=fields.String(), **about("digests of the sections at the start, for expect")
    )


@cache
def generators() -> dict[str, Generator]:
    """Return the item generators by list name."""
    sections = (resource.section for resource in SECTIONED)
    return {name: found for section in sections if section for name, found in section.generators.items()}


def owners(document: Mapping[str, Any]) -> tuple[Resource, ...]:
    """Return the resources whose sections a valid document needs; others would find nothing in the document."""
    items = document.get("accounts") or ()
    if not isinstance(items, Sequence) or not all(isinstance(item, Mapping) for item in items):
        return SECTIONED
    names = set(document).union(*items)
    if "generate" in names:
        return SECTIONED
    return tuple(row for row in SECTIONED if not names.isdisjoint(row.members | row.workspace_members | row.looks_at))


def scenario_schema() -> Schema:
    return schema_of(tuple(resource.name for resource in SECTIONED))


@lru_cache(maxsize=_KEPT)
def schema_of(names: tuple[str, ...]) -> Schema:
    """Return the schema of documents without members of other resources."""
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
        "description": fields.String(**about("the purpose of the scenario, for lists")),
        "extends": OneOrMany(
            fields.String(),
            validate=validate.Length(max=_MOST_EXTENDED),
            **about(
                "scenarios below this one: mappings merge by key, accounts by name, its stubs come before theirs, "
                "other lists replace theirs"
            ),
        ),
        "clock": fields.Nested(ClockItem, **about("the virtual time of the workspace")),
        "seed": vary.seed_field(**about("identifiers, codes and generated data follow from it", default=0)),
        "solution": fields.String(
            validate=validate.OneOf(("v1", "v2")),
            **about("a master's corporate solution, which decides how plans count"),
        ),
        "strict": Flag(**about("whether unknown members of bodies are refused")),
        "behaviour": BehaviourField(behaviour.BehaviourItem, **about("a preset, or single switches")),
        "accounts": List(fields.Nested(account), **about("its accounts; one standalone account if left out")),
        "faults": faults_field(**about("fault rules; the first that matches applies")),
        "vary": vary.VaryField(
            **about("a seed that draws legal differences of behaviour and faults; an object: earlier draws")
        ),
        "expect": expect.expect_field(**about("expectations for the end of a test; GET /_mock/expectations compares")),
        "resume": fields.Nested(ResumeItem, **about("the progress of a workspace, of a written state")),
    }
    return Item.from_dict({**resources, **workspace, **top}, name="ScenarioItem")()


def faults_field(**options: Any) -> List:
    return List(fields.Nested(faults.FaultItem), validate=validate.Length(max=MOST_FAULTS), **options)


def _generate_field() -> fields.Nested:
    amounts: dict[str, fields.Field[Any]] = {
        name: fields.Integer(strict=True, validate=validate.Range(min=0, max=MOST_GENERATED), **about("how many"))
        for name in generators()
    }
    schema = Item.from_dict(amounts, name="GenerateItem")
    return fields.Nested(schema, **about("further rows, made up from the seed"))
