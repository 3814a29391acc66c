"""Every rule that refuses says why, with the facts that a reader of a red test needs; and never a secret."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from mockserver.core.state.behaviour import AuthenticateDomain
from mockserver.resources.activities import model as activities
from mockserver.resources.attributes import model as attributes
from mockserver.resources.campaigns import sharing as campaigns
from mockserver.resources.corporate import model as corporate
from mockserver.resources.corporate import plans
from mockserver.resources.corporate.pool import Allotment
from mockserver.resources.domains import model as domains
from mockserver.resources.domains.model import DOMAIN, publish_dns
from mockserver.resources.inbound import model as inbound
from mockserver.resources.scheduled_emails import model as scheduled_emails
from mockserver.resources.senders import model as senders
from mockserver.resources.senders.model import SENDER
from mockserver.resources.sso import model as sso
from mockserver.resources.webhooks import history
from mockserver.resources.webhooks import model as webhooks

BATCH = "5c6cfa04-eed9-42c2-8b5c-6d470d978e9d"
NO_BATCH = "00000000-0000-4000-8000-000000000000"
WAITING = "<1.1@relay.test>"
OTP = 123456
CLOCK = "the workspace's clock shows 2026-01-15T09:20:00Z"


def at(day, month=1, year=2026):
    return datetime(year, month, day, tzinfo=UTC)


def period(start, end):
    given = {"startDate": start, "endDate": end}
    page = {"offset": 0, "limit": 10, "sort": "asc", "grain": timedelta()}
    return {**{name: day for name, day in given.items() if day is not None}, **page}


# ---------------------------------------------------------------------- refusals that take some steps


def give_an_older_code(caller):
    codes = []
    for _ in range(2):
        SENDER.fire(caller.workspace, caller.account, senders.get(caller, 2), "resend_otp")
        codes.append(senders.get(caller, 2).otp)
        caller.workspace.state.clock.move_to(caller.workspace.state.clock.now() + timedelta(minutes=1))
    senders.validate(caller, 2, codes[0])


def create_under_policy(caller, email):
    publish_dns(caller.workspace, "strict.test", {"dmarc_policy": "reject"})
    senders.create(caller, name="x", email=email)


def cancel_twice(caller):
    for _ in range(2):
        scheduled_emails.delete(caller, WAITING)


def behave(caller, **changes):
    caller.workspace.state.behaviour = caller.workspace.state.behaviour._replace(**changes)


def authenticate_at_first_try(caller):
    behave(caller, authenticate_domain=AuthenticateDomain(attempts=3))
    domains.authenticate(caller, "ready.test")


def authenticate_at_once(caller):
    behave(caller, authenticate_domain=AuthenticateDomain(after=timedelta(hours=1)))
    DOMAIN.fire(caller.workspace, caller.account, domains.get(caller, "new.test"), "dns_published")
    domains.authenticate(caller, "new.test")


def authenticate_with_cname(caller):
    behave(caller, dkim="cname")
    domains.authenticate(caller, "acme.test")


def plan_on_v1(caller, change):
    caller.workspace.state.solution = "v1"
    plans.change_plan(caller, 2003001, change)


def shares(*weights, ips=("198.51.100.7", "198.51.100.8")):
    items = [{"domain": "a.acme.test", "ip": ip} for ip in ips]
    for item, weight in zip(items, weights, strict=False):
        item["weight"] = weight
    return items


def hook(**given):
    return {"url": "http://127.0.0.1:9/", **given}


def second_webhook(caller):
    behave(caller, webhook_duplicates="refuse")
    webhooks.create(caller, hook(events=["sent"]))


def export(**given):
    return lambda caller: history.export(caller, given)


# ---------------------------------------------------------------------- the table

TABLE = [
    # Senders.
    ("acme", lambda caller: senders.get(caller, 7),
     "account acme has no sender 7 (it has 1, 2, 3)"),
    ("acme", lambda caller: senders.delete(caller, 9),
     "account acme has no sender 9 (account eu has it)"),
    ("us", lambda caller: senders.get(caller, 7),
     "account us has no sender 7 (it has none)"),
    ("acme", lambda caller: senders.create(caller, name="x", email="OPS@acme.test"),
     "duplicate e-mail address OPS@acme.test: sender 2 (awaiting_verification) of account acme has it"),
    ("acme", lambda caller: senders.create(caller, name="x", email="x@acme.test"),
     ("missing field `ips` in the body: account acme has dedicated IPs, so a new sender requires some of them "
     "(198.51.100.7, 198.51.100.8)")),
    ("acme", lambda caller: senders.update(caller, 1, ips=shares(100)),
     "only 1 of the 2 ips have a weight; give all of them one, or none"),
    ("acme", lambda caller: senders.update(caller, 1, ips=shares(60, 30)),
     "the weights 60, 30 add up to 90, expected 100"),
    ("acme", lambda caller: senders.update(caller, 1, ips=shares(150, -50)),
     "the weights are 150, -50, expected 1 to 100 each"),
    ("acme", lambda caller: senders.update(caller, 1, ips=shares(ips=["192.0.2.1"])),
     "account acme has no dedicated IP 192.0.2.1 (it has 198.51.100.7, 198.51.100.8)"),
    ("acme", lambda caller: senders.update(caller, 1, ips=shares(ips=["198.51.100.7"] * 2)),
     "duplicate IP in ips: 198.51.100.7, 198.51.100.7"),
    ("acme", lambda caller: senders.update(caller, 1, ips=[]),
     ("missing field `ips` in the body: account acme has dedicated IPs, so sender 1 requires some of them "
     "(198.51.100.7, 198.51.100.8)")),
    ("acme", lambda caller: senders.update(caller, 1, ips=[{"domain": "z.test", "ip": "198.51.100.7"}]),
     "wrong domain z.test for dedicated IP 198.51.100.7, expected a.acme.test"),
    ("us", lambda caller: create_under_policy(caller, "ops@news.strict.test"),
     ("the DMARC policy of news.strict.test is reject, so the domain must be authenticated; account us does "
     "not have it")),
    ("acme", lambda caller: senders.validate(caller, 1, OTP),
     "sender 1 (news@acme.test) is verified and needs no code"),
    ("acme", lambda caller: senders.validate(caller, 2, 654321),
     "wrong code: no e-mail contains it; sender 2 (ops@acme.test) has another code"),
    ("acme", give_an_older_code,
     "wrong code: it was sent to ops@acme.test at 2026-01-15T09:20:00Z; sender 2 (ops@acme.test) has a newer code"),
    ("acme", lambda caller: senders.validate(caller, 3, OTP),
     f"the code of sender 3 expired at 2026-01-15T09:15:00Z; {CLOCK}"),
    # Domains.
    ("acme", lambda caller: domains.get(caller, "Other.test"),
     "account acme has no domain other.test (it has acme.test, ready.test, new.test)"),
    ("eu", lambda caller: domains.delete(caller, "acme.test"),
     "account eu has no domain acme.test (account acme has it)"),
    ("acme", lambda caller: domains.create(caller, "ACME.test"),
     "duplicate domain acme.test: account acme has it (verified) since 2025-01-01T08:00:00Z"),
    ("acme", lambda caller: domains.authenticate(caller, "acme.test"),
     ("DNS records of domain acme.test (verified) are incorrect: dkim_record (TXT mail._domainkey.acme.test) "
     "wrong, dmarc_record (TXT _dmarc.acme.test) timeout")),
    ("acme", lambda caller: domains.authenticate(caller, "new.test"),
     ("DNS records of domain new.test (pending) are incorrect: dkim_record (TXT mail._domainkey.new.test) "
     "missing, brevo_code (TXT new.test) missing, dmarc_record (TXT _dmarc.new.test) missing")),
    ("acme", authenticate_with_cname,
     ("DNS records of domain acme.test (verified) are incorrect: dkim1Record (CNAME "
     "brevo1._domainkey.acme.test) wrong, dkim2Record (CNAME brevo2._domainkey.acme.test) wrong, "
     "dmarc_record (TXT _dmarc.acme.test) timeout")),
    ("acme", lambda caller: domains.authenticate(caller, domains.create(caller, "Gmail.com").name),
     ("domain gmail.com belongs to a provider of free mailboxes, so no account can authenticate it; "
     "`free_mail: false` below `dns` in a scenario lifts this")),
    ("acme", authenticate_at_first_try,
     "attempt 1 to authenticate domain ready.test, 3 are required (behaviour.authenticate_domain)"),
    ("acme", authenticate_at_once,
     ("DNS propagation: the records of domain new.test were published at 2026-01-15T09:20:00Z and are visible "
     f"from 2026-01-15T10:20:00Z (behaviour.authenticate_domain); {CLOCK}")),
    # Webhooks.
    ("acme", lambda caller: webhooks.get(caller, 99),
     "account acme has no webhook 99 (it has 11, 12)"),
    ("acme", lambda caller: webhooks.select(caller, "inbound", "desc"),
     "account acme has no inbound webhooks (behaviour.webhooks_none is error)"),
    ("us", lambda caller: webhooks.create(caller, hook()),
     "missing field `events` in the body: transactional webhooks require it"),
    ("acme", lambda caller: webhooks.update(caller, 12, {"events": []}),
     "empty field `events` in the body: marketing webhooks require it"),
    ("us", lambda caller: webhooks.create(caller, hook(type="inbound")),
     "missing field `domain` in the body: inbound webhooks require it"),
    ("us", lambda caller: webhooks.create(caller, hook(type="inbound", domain="acme")),
     "invalid field `domain` in the body: acme is not a domain name"),
    ("us", lambda caller: webhooks.create(caller, hook(type="inbound", domain="acme.test")),
     ("account us has no domain acme.test (account acme has it); inbound webhooks require an authenticated "
     "domain (behaviour.inbound_domain)")),
    ("acme", lambda caller: webhooks.create(caller, hook(type="inbound", domain="acme.test")),
     "domain acme.test is verified; inbound webhooks require an authenticated domain (behaviour.inbound_domain)"),
    ("acme", second_webhook,
     "duplicate webhook: webhook 11 has the same url and type (behaviour.webhook_duplicates is refuse)"),
    ("us", lambda caller: webhooks.create(caller, hook(type="marketing", channel="sms", events=["opened"])),
     ("cannot create a webhook of type marketing and channel sms with event opened; allowed: sent, delivered, "
     "softBounce, hardBounce, unsubscribe, reply, subscribe, skip")),
    ("acme", lambda caller: webhooks.update(caller, 12, {"events": ["contactUpdated"]}),
     ("cannot update a webhook of type marketing and channel email with event contactUpdated; allowed: spam, "
     "opened, click, hardBounce, softBounce, unsubscribed, listAddition, delivered, uniqueCouponSent")),
    ("acme", lambda caller: webhooks.create(caller, hook(events=["sent"])),
     "webhook limit reached: account acme has 2 of 2 (behaviour.webhook_limit)"),
    ("acme", export(),
     "account acme is not an enterprise account, which exports of webhook history require"),
    ("group", export(days=3, startDate=at(1)),
     "days is 3, startDate is 2026-01-01T00:00:00Z, endDate is not given; give either days or both dates"),
    ("group", export(startDate=at(1)),
     "startDate is 2026-01-01T00:00:00Z, endDate is not given; give both or neither"),
    ("group", export(startDate=at(2), endDate=at(1)),
     "startDate is after endDate: startDate is 2026-01-02T00:00:00Z, endDate is 2026-01-01T00:00:00Z"),
    # Corporate.
    ("group", lambda caller: corporate.require(caller, 5),
     "account group has no sub-account 5 (it has 2003001, 2003002)"),
    ("group", lambda caller: corporate.create_key(caller, 1003003),
     "account 1003003 (group-admin) is not a sub-account: its role is admin"),
    ("group", lambda caller: corporate.delete(caller, 5),
     "account group has no sub-account 5 (it has 2003001, 2003002)"),
    ("group", lambda caller: corporate.create(caller, {"groupIds": ["x"]}),
     "account group has no group x (it has 650000000000000000000009)"),
    ("group", lambda caller: plans.change_plans(caller, [], Allotment({"email": 1})),
     "empty field `subAccountIds` in the body: expected at least one sub-account"),
    ("group", lambda caller: plans.change_plan(caller, 2003001, Allotment({"email": 1001})),
     ("not enough credits.email in the pool of account group: the change for sub-account 2003001 requires 601 "
     "more, 600 are left")),
    ("group", lambda caller: plans.change_plans(caller, [2003001, 2003002], Allotment({}, {"users": 3})),
     ("not enough features.users in the pool of account group: the change for sub-account 2003001, 2003002 "
     "requires 6 more, 4 are left")),
    ("group", lambda caller: plans.change_plan(caller, 2003001, Allotment({"sms": 1.7})),
     ("not enough credits.sms in the pool of account group: the change for sub-account 2003001 requires 1.5 "
     "more, 1.3 are left")),
    ("group", lambda caller: plan_on_v1(caller, Allotment({"email": -1})),
     "credits.email is -1, which the v1 solution of the workspace does not allow"),
    ("group", lambda caller: plan_on_v1(caller, Allotment({}, {"salesUsers": 2})),
     "features.salesUsers is 2, which the v1 solution of the workspace does not allow"),
    ("group", lambda caller: sso.admin_token(caller, "clerk@group.test"),
     ("the organization of account group has no admin user clerk@group.test (it has boss@group.test, "
     "owner@group-admin.test)")),
    ("group", lambda caller: sso.sub_account_token(caller, 2003001, email="boss@group.test"),
     "sub-account 2003001 has no user boss@group.test (it has owner@eu.test)"),
    # All else.
    ("acme", lambda caller: campaigns.shared_url(caller, 5),
     "account acme has no campaign or template 5 (it has 21)"),
    ("acme", lambda caller: campaigns.shared_url(caller, 21),
     "campaign 21 is of kind sms_campaign; only email_campaign and email_template can be shared"),
    ("acme", lambda caller: attributes.delete(caller, "normal", "SMS"),
     "category normal of account acme has no attribute SMS (it has FIRSTNAME, LASTNAME)"),
    ("acme", lambda caller: attributes.delete(caller, "normal", "PLAN"),
     "category normal of account acme has no attribute PLAN (category category has it)"),
    ("acme", lambda caller: scheduled_emails.delete(caller, "1.1@relay.test"),
     "invalid identifier 1.1@relay.test: expected a UUID of version 4 or a message id <id@host>"),
    ("acme", lambda caller: scheduled_emails.delete(caller, NO_BATCH),
     f"account acme has no scheduled e-mail {NO_BATCH} (it has {WAITING})"),
    ("us", lambda caller: scheduled_emails.delete(caller, WAITING),
     f"account us has no scheduled e-mail {WAITING} (account acme has it)"),
    ("acme", lambda caller: scheduled_emails.delete(caller, BATCH.upper()),
     f"e-mail {BATCH.upper()} is already sent; it was due at 2026-01-15T09:00:00Z; {CLOCK}"),
    ("acme", cancel_twice,
     f"e-mail {WAITING} is already cancelled; it was due at 2026-01-16T09:00:00Z; {CLOCK}"),
    ("acme", lambda caller: activities.select(caller, period(None, None)),
     "account acme is not an enterprise account, which activity logs require"),
    ("group", lambda caller: activities.select(caller, period(None, at(3))),
     "startDate is not given, endDate is 2026-01-03T00:00:00Z; give both or neither"),
    ("group", lambda caller: activities.select(caller, period(at(3), at(2))),
     "startDate is after endDate: startDate is 2026-01-03T00:00:00Z, endDate is 2026-01-02T00:00:00Z"),
    ("group", lambda caller: activities.select(caller, period(at(14, year=2025), at(15, year=2025))),
     f"startDate is 2025-01-14T00:00:00Z, but the log begins at 2025-01-15T00:00:00Z; {CLOCK}"),
    ("group", lambda caller: activities.select(caller, period(at(1, 12, 2025), at(2))),
     ("startDate is 2025-12-01T00:00:00Z, endDate is 2026-01-02T00:00:00Z; endDate must be "
     "2026-01-01T00:00:00Z or earlier")),
    ("acme", lambda caller: inbound.select(caller, period(at(3), None)),
     "startDate is 2026-01-03T00:00:00Z, endDate is not given; give both or neither"),
    ("acme", lambda caller: inbound.select(caller, period(at(3), at(2))),
     "startDate is after endDate: startDate is 2026-01-03T00:00:00Z, endDate is 2026-01-02T00:00:00Z"),
    ("acme", lambda caller: inbound.select(caller, period(at(3), at(16))),
     f"the period ends in the future: startDate is 2026-01-03T00:00:00Z, endDate is 2026-01-16T00:00:00Z; {CLOCK}"),
    ("acme", lambda caller: inbound.select(caller, period(at(1, 12, 2025), at(2))),
     ("startDate is 2025-12-01T00:00:00Z, endDate is 2026-01-02T00:00:00Z; endDate must be "
     "2025-12-31T00:00:00Z or earlier")),
]  # fmt: skip


@pytest.mark.parametrize(("account", "refused", "reason"), TABLE, ids=map(str, range(len(TABLE))))
def test_rule_explains_its_refusal_without_secrets(account, refused, reason, caller, reason_of, secrets):
    assert reason_of(refused, caller(account)) == reason
    assert {"xkeysib-acme-key", "123456", "hook-token"} <= secrets()
    assert not [secret for secret in secrets() if secret in reason]
