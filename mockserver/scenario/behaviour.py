"""The schema of a scenario's `behaviour:`: options where the specification leaves several answers open."""

from __future__ import annotations

from datetime import timedelta
from ipaddress import ip_network
from typing import Any

from marshmallow import ValidationError, fields, post_load, validate

from mockserver.core.state.behaviour import (
    DOCUMENTED,
    PRESETS,
    AuthenticateDomain,
    Behaviour,
    RateLimit,
    SsoToken,
)
from mockserver.core.time import duration
from mockserver.resources.section import Duration, Item, about
from mockserver.resources.webhooks.catalogue import CONTESTED
from mockserver.web.schemas.fields import Dict, Flag, List, Timezone
from mockserver.web.service.beyond import CHOICES
from mockserver.web.service.rate_limit import TIERS

#: The longest durations of a behaviour. Chosen: a hundred years, and an hour for a call, which keeps a thread busy.
_LONGEST = validate.Range(max=timedelta(days=36_525), error="must be P36525D at most")
_LONGEST_CALL = validate.Range(max=timedelta(hours=1), error="must be PT1H at most")


class _AuthenticateDomainItem(Item):
    after = Duration(validate=_LONGEST)
    attempts = fields.Integer(strict=True, validate=validate.Range(min=1))


_AUTHENTICATE_DOMAIN = _AuthenticateDomainItem()


class AuthenticateDomainField(fields.Field[AuthenticateDomain]):
    """`immediate`, `{after: PT1H}` or `{attempts: 3}`."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> AuthenticateDomain:
        if value == "immediate":
            return AuthenticateDomain()
        if not isinstance(value, dict) or len(value) != 1:
            raise ValidationError("must be immediate, {after: DURATION} or {attempts: NUMBER}")
        return AuthenticateDomain(**_AUTHENTICATE_DOMAIN.load(value))

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:
        found = _AUTHENTICATE_DOMAIN.dump(value)
        return {name: item for name, item in found.items() if item is not None} or "immediate"


class After(fields.Field[timedelta]):
    """`{after: PT0S}`."""

    _length = Duration(validate=_LONGEST)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> timedelta:
        if not isinstance(value, dict) or set(value) != {"after"}:
            raise ValidationError("must be {after: DURATION}")
        try:
            length: Any = self._length.deserialize(value["after"])
        except ValidationError as error:
            raise ValidationError({"after": error.messages}) from error
        return length  # type: ignore[no-any-return]  # deserialize may give None, but not for a value

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:
        return {"after": duration.write(value)}


class RateLimitItem(Item):
    tier = fields.String(validate=validate.OneOf(TIERS), **about("the tier whose limits the headers show"))
    enforce = Flag(**about("whether running over them is answered with 429"))

    @post_load
    def _as_value(self, data: dict[str, Any], **_: Any) -> RateLimit:
        return RateLimit(**data)


class SsoTokenBehaviourItem(Item):
    lifetime = Duration(validate=_LONGEST, **about("how long a token lives"))
    single_use = Flag(**about("whether it works once only"))

    @post_load
    def _as_value(self, data: dict[str, Any], **_: Any) -> SsoToken:
        return SsoToken(**data)


def _check_network(value: str) -> None:
    try:
        ip_network(value, strict=False)
    except ValueError as error:
        raise ValidationError("must be an IP address or a network") from error


def _choice(*values: str, meaning: str) -> fields.String:
    return fields.String(validate=validate.OneOf(values), **about(meaning))


class BehaviourItem(Item):
    """A scenario's `behaviour:` section: a preset, and switches, which win."""

    preset = _choice(
        *PRESETS,
        meaning="the values of all other switches: documented, by the specification and the documents; recorded, as "
        "observed live, where it was; if left out, as the server's setting says",
    )
    otp_lifetime = Duration(validate=_LONGEST, **about("how long a one-time code lives"))
    authenticate_domain = AuthenticateDomainField(
        **about(
            "when a domain with good records can be authenticated: immediate, {after: DURATION}, {attempts: NUMBER}"
        )
    )
    trust_authenticated_domains = Flag(**about("a sender of an authenticated domain needs no code"))
    dkim = _choice("txt", "cname", meaning="the record to publish: txt, or cname for two CNAME records")
    dns = _choice("view", "resolver", meaning="view: DNS is what the scenario says; resolver: a real server is asked")
    brevo_code = _choice(
        "account", "domain", meaning="account: one code proves all domains of an account; domain: each has its own"
    )
    subdomain_dkim_host = _choice(
        "recorded", "labelled",
        meaning="recorded: `mail._domainkey` for sub-domains, too; labelled: `mail._domainkey.sub`",
    )  # fmt: skip
    domain_id = _choice(
        "integer", "hex", meaning="the id of a created domain: integer, or hex for the 24 digits of the list"
    )
    sentence_codes = _choice(
        "specification",
        "observed",
        "sentences",
        meaning="the code of an error: specification, its sentence where the specification ties a condition to one; "
        "observed, as in recorded answers; sentences, each sentence of the specification where its condition occurs",
    )
    bulk_plan = After(**about("how long after its request a plan update for many sub-accounts is applied"))
    export = After(**about("how long after its request the file of an export is ready"))
    campaign = After(**about("how long a campaign is in process before its e-mails leave"))
    contact_import = After(**about("how long after its request an import of contacts is completed"))
    webhook_5xx = _choice("drop", "retry", meaning="drop or retry a call that is answered with 5xx")
    webhook_timeout = Duration(validate=_LONGEST_CALL, **about("how long a receiver of a call may take"))
    webhook_timezone = Timezone(**about("of the dates in payloads"))
    webhook_calls = _choice(
        "once", "doubled", "swapped", "late",
        meaning="how a call that is not batched arrives: once; doubled, as two deliveries; swapped, every other one "
        "three seconds later; late, each three seconds later",
    )  # fmt: skip
    webhook_limit = fields.Integer(
        strict=True, validate=validate.Range(min=0),
        **about("how many marketing and transactional webhooks an account may have"),
    )  # fmt: skip
    webhook_duplicates = _choice(
        "allow", "refuse",
        meaning="a second webhook with the url and type of another: allow, with a warning in the journal, or refuse",
    )  # fmt: skip
    inbound_domain = _choice(
        "authenticated", "any", meaning="the domain of an inbound webhook: authenticated, one of the account's; any"
    )
    webhooks_none = _choice(
        "error", "empty",
        meaning="the answer to a list of webhooks where there is none of the type: error (400), or empty (200)",
    )  # fmt: skip
    webhook_names = Dict(
        keys=fields.String(validate=validate.OneOf(CONTESTED)), values=fields.String(validate=validate.Length(min=1)),
        **about("another name of an event in payloads: {spam: complaint}"),
    )  # fmt: skip
    authorised_ips = List(
        fields.String(validate=_check_network),
        **about("addresses and networks; if there are any, callers from elsewhere get 401"),
    )
    rate_limit = fields.Nested(
        RateLimitItem,
        **about("the tier whose limits the headers show, and whether running over them is answered with 429"),
    )
    oauth_login = _choice(
        "pick", "form", meaning="pick: a user is chosen from a list; form: an e-mail and a password are asked for"
    )
    oauth_rotate_refresh = Flag(**about("whether a refresh gives a new refresh token and ends the old one"))
    sso_token = fields.Nested(
        SsoTokenBehaviourItem, **about("how long a single-sign-on token lives, and whether it works once only")
    )
    oauth_public_apps = Flag(
        **about(
            "whether there are public apps, which anybody's users can let in; the vendor offers them since 2026-10-17, "
            "the specification does not yet"
        )
    )
    plan_refund = _choice(
        "unused", "all", meaning="what of a deleted or smaller plan the master has back: unused credits, or all of them"
    )
    plan_below_used = _choice(
        "refuse", "accept",
        meaning="a plan update to less than is used: refuse, or accept, and nothing is left",
    )  # fmt: skip
    beyond = fields.String(
        validate=validate.OneOf(tuple(CHOICES)),
        allow_none=True,
        **about(
            "a call of an operation that the mock does not have, where no stub answers: refuse it with "
            "404, shape an answer of the documented status and the smallest valid body, or forward it; null: as the "
            "setting says"
        ),
    )

    send_invalid_sender = _choice(
        "accept", "refuse",
        meaning="an e-mail whose sender is not valid: accept, with the event error later, or refuse",
    )  # fmt: skip
    send_empty_members = _choice(
        "accept", "refuse",
        meaning="an e-mail with empty `tags`, `headers` or `attachment`: accept, as without them, or "
        "refuse",
    )  # fmt: skip

    @post_load
    def _as_value(self, data: dict[str, Any], **_: Any) -> Behaviour:
        networks = {"authorised_ips": tuple(data["authorised_ips"])} if "authorised_ips" in data else {}
        return PRESETS[data.get("preset", DOCUMENTED)]._replace(**{**data, **networks})


_SCHEMA = BehaviourItem()


def dump_behaviour(behaviour: Behaviour) -> dict[str, Any]:
    """Return the preset of a behaviour, and the switches that differ from the preset."""
    usual = _SCHEMA.dump(PRESETS[behaviour.preset])
    differing = {name: value for name, value in _SCHEMA.dump(behaviour).items() if value != usual[name]}
    return {"preset": behaviour.preset, **differing}
