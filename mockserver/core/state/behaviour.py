"""Scenario choices where the specification is open, and the presets of all choices together."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, NamedTuple

#: The presets: the specification, then what is most surely known; and what was observed live, where it was.
DOCUMENTED, RECORDED = "documented", "recorded"


class AuthenticateDomain(NamedTuple):
    """When correct DNS records authenticate a domain: immediately, after a time, or at attempt n."""

    after: timedelta | None = None
    attempts: int | None = None


class RateLimit(NamedTuple):
    """The tier of rate limits (contract/rate-limits), and whether requests over its limit are answered with 429."""

    tier: str = "general"
    enforce: bool = False


class SsoToken(NamedTuple):
    """Lifetime and single use of single-sign-on tokens (contract/sso)."""

    lifetime: timedelta = timedelta(days=15)
    single_use: bool = False


class Behaviour(NamedTuple):
    """The `behaviour:` of a scenario."""

    #: Proposed: no document tells it (contract/senders#one-time-codes).
    otp_lifetime: timedelta = timedelta(minutes=15)
    authenticate_domain: AuthenticateDomain = AuthenticateDomain()
    trust_authenticated_domains: bool = False
    #: `txt`, or `cname` for two CNAME records (contract/domains#records).
    dkim: str = "txt"
    #: `view`: DNS is what the scenario says; `resolver`: a real server is asked.
    dns: str = "view"
    #: `account`: one value for all domains of an account (contract/domains#records), or `domain`: one for each.
    brevo_code: str = "account"
    #: The host name of the DKIM record of a sub-domain: `recorded` without the sub-domain's label, `labelled` with it
    #: (contract/domains#records).
    subdomain_dkim_host: str = "recorded"
    #: Of a created domain: `integer`, or `hex` for that of the list (contract/domains#createDomain).
    domain_id: str = "integer"
    #: `specification`: as the specification ties them to conditions; `observed`: as recorded answers have them;
    #: `sentences`: every sentence of the specification where its condition occurs (contract/errors#codes).
    sentence_codes: str = "specification"
    bulk_plan: timedelta = timedelta()
    export: timedelta = timedelta(minutes=1)
    #: How long a campaign is in process before its e-mails leave (proposed, contract/campaigns#machine).
    campaign: timedelta = timedelta(minutes=1)
    #: How long an import of contacts takes (proposed, contract/contacts#importContacts).
    contact_import: timedelta = timedelta(seconds=10)
    #: `drop`, or `retry` as the older documents have it (contract/deliveries).
    webhook_5xx: str = "drop"
    webhook_timeout: timedelta = timedelta(seconds=10)
    #: Of the `date` of payloads; the documents speak of CET (contract/events#transactional).
    webhook_timezone: str = "Europe/Paris"
    #: `once`, or `doubled`, `swapped`, `late`: how a call arrives (contract/deliveries).
    webhook_calls: str = "once"
    #: Marketing and transactional webhooks together (contract/webhooks#configuration).
    webhook_limit: int = 40
    #: A second webhook with the url and type of another: `allow`, or `refuse` (contract/webhooks#createWebhook).
    webhook_duplicates: str = "allow"
    #: The domain of an inbound webhook: `authenticated`, one of the account's; `any` (contract/webhooks#createWebhook).
    inbound_domain: str = "authenticated"
    #: The answer to a list of webhooks if there are none of the type: `error` (400), or `empty` (200)
    #: (contract/webhooks#getWebhooks).
    webhooks_none: str = "error"
    #: Other names for events in payloads: `{spam: complaint}` (contract/events#names).
    webhook_names: Mapping[str, str] = {}  # never written to; a mapping proxy could not be copied
    #: Addresses or networks; when there are any, callers from elsewhere get 401 (contract/errors#statuses).
    authorised_ips: tuple[str, ...] = ()
    rate_limit: RateLimit = RateLimit()
    oauth_login: str = "pick"
    oauth_rotate_refresh: bool = True
    sso_token: SsoToken = SsoToken()
    #: The vendor offers public apps since 2026-10-17, the specification does not yet (contract/oauth#rules).
    oauth_public_apps: bool = False
    #: `unused`, or `all`: whether credits that a sub-account has used come back to its master as well (proposed).
    plan_refund: str = "unused"
    #: `refuse`, or `accept`: what happens to a plan update to less than is used (proposed).
    plan_below_used: str = "refuse"
    #: `accept`, and tell webhooks of an error, or `refuse`: what becomes of an e-mail whose sender is not valid
    #: (contract/sending#senders).
    send_invalid_sender: str = "accept"
    #: Empty `tags`, `headers` or `attachment` of an e-mail: `accept`, as if absent; `refuse` (contract/sending#empty).
    send_empty_members: str = "accept"
    #: What becomes of a call of an operation that the mock does not have and no stub answers for: `refuse`, `shape` or
    #: `forward` (contract/beyond); None: what the setting says.
    beyond: str | None = None
    #: The preset whose values the switches have that a scenario leaves out.
    preset: str = DOCUMENTED


class Observation(NamedTuple):
    """A value of a switch that was observed live at the service, and the evidence with its mark."""

    value: Any
    source: str


#: By switch; what is documented or proposed only has none. "in code" of a live answer: programs that handle it.
OBSERVED = {
    "dkim": Observation("cname", "recorded, 3; a provider's tests with a live key, 2026-04"),
    "brevo_code": Observation("account", "in code, 1 (2026-10)"),
    "subdomain_dkim_host": Observation("recorded", "recorded, 2"),
    "domain_id": Observation("hex", "recorded, 1; a provider's tests with a live key, 2026-04"),
    "sentence_codes": Observation("observed", "recorded, 3 (2026-06 to 2026-08)"),
    "inbound_domain": Observation("authenticated", "recorded, 1; in code, 4"),
    "webhooks_none": Observation("error", "in code, 13"),
    "webhook_names": Observation({}, "recorded (2026-09-03)"),
    "send_invalid_sender": Observation("accept", "recorded; in code, 7"),
    "send_empty_members": Observation("refuse", "in code, 2"),
}
PRESETS = {
    DOCUMENTED: Behaviour(),
    RECORDED: Behaviour(**{name: row.value for name, row in OBSERVED.items()}, preset=RECORDED),
}
