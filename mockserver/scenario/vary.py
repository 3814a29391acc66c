"""Vary: legal differences that a seed draws, so that a client meets more than the usual answers.

A draw is an entry that a scenario could have as well: an option of `behaviour:` or a rule of `faults:`.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from marshmallow import Schema, fields, validate

from mockserver.core.contract.errors import DOCUMENT_NOT_FOUND
from mockserver.core.lazy import lazy
from mockserver.core.state.behaviour import DOCUMENTED, PRESETS
from mockserver.core.state.varied import Draw, Varied
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.registry import API_OPERATIONS
from mockserver.resources.section import Item, about
from mockserver.web.schemas.fields import Flag, JsonObject, List

if TYPE_CHECKING:
    from mockserver.scenario import behaviour as behaviours
    from mockserver.scenario import faults
else:  # a server that draws nothing starts without them
    behaviours, faults = lazy(__package__, "behaviour", "faults")

#: The ids of drawn rules begin with this.
_ID = "vary-"
#: The places of rules, of each of which a run has one; an option has its own name as its place.
OUTCOME, FORM = "outcome", "form"
_WRITES = ["POST", "PUT", "DELETE", "PATCH"]
_PAGE = "<!DOCTYPE html><html><body><h1>503 Service Temporarily Unavailable</h1><hr>nginx</body></html>\n"


class _Option(NamedTuple):
    """A non-default value of `behaviour:`, with its evidence mark from the contract page."""

    member: str
    value: Any
    says: str
    mark: str

    @property
    def draw(self) -> Draw:
        told = self.value if isinstance(self.value, str) else json.dumps(self.value)
        says = f"{self.says} (behaviour {self.member}: {told}; {self.mark})"
        return Draw(f"{self.member}: {told}", says, {"behaviour": {self.member: self.value}})

    def beside(self, preset: str) -> _Option:
        """Return the option, or that of the documented value if the preset has the option's own."""
        schema = behaviours.BehaviourItem()
        documented, usual = (schema.dump(PRESETS[name])[self.member] for name in (DOCUMENTED, preset))
        if self.value != usual:
            return self
        return _Option(self.member, documented, f"{self.member} is not as observed live", "documented")


class _Rule(NamedTuple):
    """A rule of `faults:`."""

    name: str
    says: str
    rule: Mapping[str, Any]

    @property
    def draw(self) -> Draw:
        rule = {"id": f"{_ID}{self.name}", **self.rule}
        return Draw(self.name, f"{self.says} (fault {rule['fault']})", {"faults": [rule]})


#: All are open: proposed by the mock, or contradicted by another source.
_OPTIONS = (
    _Option("dkim", "cname", "getDomainConfiguration returns CNAME records", "recorded"),
    _Option("webhook_calls", "doubled", "each webhook call arrives two times", "proposed"),
    _Option("domain_id", "hex", "createDomain returns an id of 24 hexadecimal digits", "documented; contradicted"),
    _Option("authenticate_domain", {"attempts": 2}, "authenticateDomain succeeds at the second try only", "proposed"),
    _Option("sentence_codes", "observed", "errors have the codes of recorded answers", "recorded; contradicted"),
    _Option("webhooks_none", "empty", "getWebhooks without a webhook returns an empty list", "proposed"),
    _Option("trust_authenticated_domains", True, "createSender of an authenticated domain needs no code", "in code"),
    _Option("webhook_calls", "swapped", "webhook calls arrive out of order", "documented"),
    _Option("brevo_code", "domain", "each domain has a Brevo code of its own", "proposed"),
    _Option("webhook_names", {"spam": "complaint"}, "webhooks call the event spam complaint", "recorded; contradicted"),
    _Option("bulk_plan", {"after": "PT2S"}, "updateSubAccountsPlan is applied two seconds later", "proposed"),
    _Option("plan_refund", "all", "a deleted plan gives all credits back", "proposed"),
    _Option("otp_lifetime", "PT5M", "one-time codes live five minutes", "proposed"),
    _Option("sentence_codes", "sentences", "errors have the sentences of the specification as codes", "documented"),
    _Option("webhook_duplicates", "refuse", "createWebhook refuses the url and type of another webhook", "in code"),
    _Option("subdomain_dkim_host", "labelled", "DKIM records of sub-domains have the label", "documented"),
    _Option("webhook_calls", "late", "webhook calls arrive three seconds later", "proposed"),
    _Option("send_invalid_sender", "refuse", "sendTransacEmail refuses a sender that is not valid", "proposed"),
    _Option("export", {"after": "PT0S"}, "the file of exportWebhooksHistory is ready at once", "proposed"),
    _Option("campaign", {"after": "PT0S"}, "the e-mails of a campaign leave at once", "proposed"),
    _Option("contact_import", {"after": "PT0S"}, "an import of contacts is completed at once", "proposed"),
    _Option("webhook_5xx", "retry", "webhook calls that are answered with 5xx are repeated", "documented before"),
    _Option("inbound_domain", "any", "createWebhook takes any domain for inbound e-mails", "proposed"),
    _Option("webhook_timezone", "UTC", "dates in webhook calls are of UTC", "recorded; contradicted"),
    _Option("plan_below_used", "accept", "a plan update to less than is used is accepted", "proposed"),
    _Option("sso_token", {"single_use": True}, "single-sign-on tokens work once only", "proposed"),
    _Option("oauth_rotate_refresh", False, "a refresh gives no new refresh token", "documented, that it may"),
)


@cache
def _outcomes() -> tuple[_Rule, ...]:
    """Return alternative rules, one per run, for outcomes allowed by the contract."""
    page = {"headers": {"Content-Type": "text/html"}, "body": _PAGE}
    once = {"times": 1}
    return (
        _Rule(
            "lost_answer", "the answer to the first write is lost: the work is done, and the client gets 504",
            {"fault": "lost_answer", "match": {"method": _WRITES}, **once},
        ),
        _Rule(
            "rate_limited", "the first request is refused with 429, to be repeated after a second",
            {"fault": "rate_limited", "reset_s": 1, **once},
        ),
        _Rule("stale_read", "a read after a write is answered once as before the write", {"fault": "stale_read"}),
        _Rule(
            "proxy_page", "the first request gets the HTML page of a proxy, with 503",
            {"fault": "unavailable", **page, **once},
        ),
        _Rule(
            "late_row", f"the first read of a row that was just made gets 404 {DOCUMENT_NOT_FOUND.code}",
            {"fault": "late_row"},
        ),
    )  # fmt: skip


@cache
def _forms() -> tuple[_Rule, ...]:
    """Return rules of which a run has one: how answers look on the wire."""
    first, second, *others = optional_members()
    return (
        _Rule("member_order", "the members of answers come in another order", {"fault": "member_order"}),
        _Rule("unknown_members", "answers have members that no document describes", {"fault": "unknown_members"}),
        _Rule(
            "absent_members", f"answers lack optional members, such as {first}, {second} and {len(others)} more",
            {"fault": "absent_members", "names": list(optional_members())},
        ),
        _Rule("small_chunks", "answers come in small chunks", {"fault": "slow_body", "ms": 50}),
        _Rule(
            "early_webhooks", "webhook calls arrive before the answer of the call that causes them",
            {"fault": "latency", "ms": 300, "match": {"method": _WRITES}},
        ),
    )  # fmt: skip


@cache
def optional_members() -> tuple[str, ...]:
    """Return the names of members that are optional everywhere in an answer and its rows."""
    needed: dict[str, bool] = {}
    for operation in API_OPERATIONS.values():
        if operation.answer_schema is not None:
            for name, is_required in _members(operation.answer_schema()):
                needed[name] = needed.get(name, False) or is_required
    return tuple(sorted(name for name, is_needed in needed.items() if not is_needed))


def _members(schema: Schema) -> Iterator[tuple[str, bool]]:
    """Yield member names, each with required or not; all are unknown if the schema marks none as required."""
    is_marked = any(field.required for field in schema.fields.values())
    for name, field in schema.fields.items():
        yield field.data_key or name, field.required or not is_marked
        inner = field.inner if isinstance(field, fields.List) else None
        if isinstance(inner, fields.Nested):
            yield from _members(inner.schema)


def draw(seed: int, preset: str = DOCUMENTED) -> list[Draw]:
    """Return the draws of a seed: two options, an outcome and a form, so that each 20 seeds in a row draw everything.

    What the preset has itself is drawn the other way round, as `documented` has it.

    They are dealt in turn and not at random, so that they are equal in every version of Python.
    """
    count, outcomes, forms = len(_OPTIONS), _outcomes(), _forms()
    # The order of seeds is another one for each of the lists, or equal places would always meet.
    rows = (
        _OPTIONS[seed % count].beside(preset),
        _OPTIONS[(seed + count // 2) % count].beside(preset),
        outcomes[seed % len(outcomes)],
        forms[(seed + seed // len(forms)) % len(forms)],
    )
    return [row.draw for row in rows]


def place_of(row: Draw) -> str:
    """Return the place that a draw takes: an option, the outcome or the form. Two of one place hide each other."""
    option = next(iter(row.entry.get("behaviour", ())), None)
    return option or (OUTCOME if any(row.name == rule.name for rule in _outcomes()) else FORM)


def vary(workspace: Workspace, seed: int, own: Collection[str] = ()) -> None:
    """Give a workspace what a seed draws, in the place of earlier draws; options of `own` stay as they are."""
    undo(workspace)
    preset = workspace.state.behaviour.preset
    workspace.state.varied = Varied(seed, tuple(lay(workspace, draw(seed, preset), own)))


def lay(workspace: Workspace, rows: Iterable[Draw], own: Collection[str] = ()) -> list[Draw]:
    """Add draws to a workspace. Returns the draws that were new.

    Options of `own`, and those that are not at their default, are the user's choice and stay.
    """
    state, made = workspace.state, []
    schema = behaviours.BehaviourItem()
    behaviour, usual = behaviours.dump_behaviour(state.behaviour), schema.dump(PRESETS[state.behaviour.preset])
    for row in rows:
        for member, value in row.entry.get("behaviour", {}).items():
            if member not in own and member not in behaviour and value != usual[member]:
                behaviour[member] = value
                made.append(row)
        for rule in row.entry.get("faults", ()):
            if state.faults.get(rule["id"]) is None:
                state.add_faults([faults.FaultItem().load(rule)])
                made.append(row)
    state.behaviour = schema.load(behaviour)
    return made


def undo(workspace: Workspace) -> None:
    """Remove the draws of a workspace; options that were changed since stay as they are."""
    state, varied = workspace.state, workspace.state.varied
    if varied is None:
        return
    schema = behaviours.BehaviourItem()
    behaviour = behaviours.dump_behaviour(state.behaviour)
    for row in varied.draws:
        for member, value in row.entry.get("behaviour", {}).items():
            if behaviour.get(member) == schema.dump(schema.load({member: value}))[member]:
                del behaviour[member]
        for rule in row.entry.get("faults", ()):
            if state.faults.get(rule["id"]) is not None:
                state.faults.remove(rule["id"])
    state.behaviour = schema.load(behaviour)
    state.varied = None


# ---------------------------------------------------------------------- in documents


def seed_field(**options: Any) -> fields.Integer:
    return fields.Integer(strict=True, validate=validate.Range(-(2**63), 2**63 - 1), **options)


class DrawItem(Item):
    name = fields.String(required=True, **about("its name"))
    says = fields.String(required=True, **about("the difference in words"))
    entry = JsonObject(required=True, **about("the entry of a scenario that makes it"))


class VariedItem(Item):
    """Draws that a running workspace has already, written by `GET /_mock/state`."""

    seed = seed_field(required=True, **about("the seed"))
    draws = List(fields.Nested(DrawItem), required=True, **about("what it has drawn"))
    announced = Flag(load_default=False, **about("whether the journal has a line of each draw"))


class VaryField(fields.Field[Any]):
    """A seed, or the draws that a running workspace has already."""

    _seed, _varied = seed_field(), VariedItem()

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if not isinstance(value, Mapping):
            return self._seed.deserialize(value)
        found = self._varied.load(value)
        draws = tuple(Draw(**row) for row in found["draws"])
        return Varied(found["seed"], draws, found["announced"])


def load_vary(workspace: Workspace, document: Mapping[str, Any], wanted: Any) -> None:
    """Give a new workspace the draws of a seed, or its earlier draws. `document` has the valid members as written."""
    if isinstance(wanted, Varied):
        workspace.state.varied = wanted
    else:
        vary(workspace, wanted, own=document.get("behaviour") or ())


def dump_vary(varied: Varied) -> dict[str, Any]:
    draws = [row._asdict() for row in varied.draws]
    return {"seed": varied.seed, "draws": draws, "announced": varied.announced}
