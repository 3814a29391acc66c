"""Every rule that refuses says why, with the facts that a reader of a red test needs; and never a secret."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from mockserver.core.state.behaviour import AuthenticateDomain
from mockserver.resources.activities import model as activities
from mockserver.resources.attributes import model as attributes
from mockserver.resources.campaigns import model as campaigns
from mockserver.resources.corporate import assignment
from mockserver.resources.corporate import model as corporate
from mockserver.resources.corporate.plan import Allotment
from mockserver.resources.domains import model as domains
from mockserver.resources.domains.domain import DOMAIN
from mockserver.resources.domains.following import publish_dns
from mockserver.resources.inbound import model as inbound
from mockserver.resources.scheduled_emails import model as scheduled_emails
from mockserver.resources.senders import model as senders
from mockserver.resources.senders.sender import SENDER
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
    assignment.change_plan(caller, 2003001, change)


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

TABLE = {
    # Senders.
    "unknown sender": (
        "acme", lambda caller: senders.get(caller, 7),
        "sender 7 does not exist in account acme; there are 1, 2, 3",
    ),
    "sender of another account": (
        "acme", lambda caller: senders.delete(caller, 9),
        "sender 9 does not exist in account acme; account eu has it",
    ),
    "no sender at all": (
        "us", lambda caller: senders.get(caller, 7),
        "sender 7 does not exist in account us; there are none",
    ),
    "address taken": (
        "acme", lambda caller: senders.create(caller, name="x", email="OPS@acme.test"),
        "sender 2 of account acme, awaiting_verification, has the address OPS@acme.test",
    ),
    "ips missing": (
        "acme", lambda caller: senders.create(caller, name="x", email="x@acme.test"),
        "account acme has dedicated IPs, so a new sender needs some of them: 198.51.100.7, 198.51.100.8",
    ),
    "some weights": (
        "acme", lambda caller: senders.update(caller, 1, ips=shares(100)),
        "1 of the 2 ips have a weight",
    ),
    "sum of weights": (
        "acme", lambda caller: senders.update(caller, 1, ips=shares(60, 30)),
        "the sum of the weights 60, 30 is 90, not 100",
    ),
    "range of weights": (
        "acme", lambda caller: senders.update(caller, 1, ips=shares(150, -50)),
        "the weights are 150, -50; each is from 1 to 100",
    ),
    "unknown ip": (
        "acme", lambda caller: senders.update(caller, 1, ips=shares(ips=["192.0.2.1"])),
        "192.0.2.1 is no dedicated IP of account acme; there are 198.51.100.7, 198.51.100.8",
    ),
    "ip twice": (
        "acme", lambda caller: senders.update(caller, 1, ips=shares(ips=["198.51.100.7"] * 2)),
        "the ips are 198.51.100.7, 198.51.100.7, and one stands there twice",
    ),
    "ips taken away": (
        "acme", lambda caller: senders.update(caller, 1, ips=[]),
        "account acme has dedicated IPs, so sender 1 needs some of them: 198.51.100.7, 198.51.100.8",
    ),
    "ip of another domain": (
        "acme", lambda caller: senders.update(caller, 1, ips=[{"domain": "z.test", "ip": "198.51.100.7"}]),
        "the domain of dedicated IP 198.51.100.7 is a.acme.test",
    ),
    "strict policy of a domain that is not there": (
        "us", lambda caller: create_under_policy(caller, "ops@news.strict.test"),
        "the DMARC policy of news.strict.test is reject, and the domain is not there in account us",
    ),
    "code of a verified sender": (
        "acme", lambda caller: senders.validate(caller, 1, OTP),
        "sender 1 (news@acme.test) is verified and awaits no code",
    ),
    "wrong code": (
        "acme", lambda caller: senders.validate(caller, 2, 654321),
        "the code given stands in no mail and is not the last one of sender 2 (ops@acme.test)",
    ),
    "older code": (
        "acme", give_an_older_code,
        ("the code given was sent to ops@acme.test at 2026-01-15T09:20:00Z and is not the last one of sender 2 "
        "(ops@acme.test)"),
    ),
    "expired code": (
        "acme", lambda caller: senders.validate(caller, 3, OTP),
        f"the code of sender 3 expired at 2026-01-15T09:15:00Z; {CLOCK}",
    ),
    # Domains.
    "unknown domain": (
        "acme", lambda caller: domains.get(caller, "Other.test"),
        "domain other.test does not exist in account acme; there are acme.test, ready.test, new.test",
    ),
    "domain of another account": (
        "eu", lambda caller: domains.delete(caller, "acme.test"),
        "domain acme.test does not exist in account eu; account acme has it",
    ),
    "domain twice": (
        "acme", lambda caller: domains.create(caller, "ACME.test"),
        "account acme has the domain acme.test, verified, since 2025-01-01T08:00:00Z",
    ),
    "records not right": (
        "acme", lambda caller: domains.authenticate(caller, "acme.test"),
        ("domain acme.test is verified, and in DNS its dkim_record (TXT mail._domainkey.acme.test) is wrong, "
        "dmarc_record (TXT _dmarc.acme.test) is timeout"),
    ),
    "ownership not right": (
        "acme", lambda caller: domains.authenticate(caller, "new.test"),
        ("domain new.test is pending, and in DNS its dkim_record (TXT mail._domainkey.new.test) is missing, "
        "brevo_code (TXT new.test) is missing, dmarc_record (TXT _dmarc.new.test) is missing"),
    ),
    "records not right, with CNAME": (
        "acme", authenticate_with_cname,
        ("domain acme.test is verified, and in DNS its dkim1Record (CNAME brevo1._domainkey.acme.test) is wrong, "
        "dkim2Record (CNAME brevo2._domainkey.acme.test) is wrong, dmarc_record (TXT _dmarc.acme.test) is timeout"),
    ),
    "free mailboxes": (
        "acme", lambda caller: domains.authenticate(caller, domains.create(caller, "Gmail.com").name),
        ("domain gmail.com is one of a provider of free mailboxes, and only who has a domain can set it up; "
        "the `dns` of a scenario can say that the account has it"),
    ),
    "too few tries": (
        "acme", authenticate_at_first_try,
        "this is try 1 for domain ready.test, and 3 are needed (behaviour.authenticate_domain)",
    ),
    "too early": (
        "acme", authenticate_at_once,
        ("the records of domain new.test, published at 2026-01-15T09:20:00Z, are seen at 2026-01-15T10:20:00Z "
        f"(behaviour.authenticate_domain); {CLOCK}"),
    ),
    # Webhooks.
    "unknown webhook": (
        "acme", lambda caller: webhooks.get(caller, 99),
        "webhook 99 does not exist in account acme; there are 11, 12",
    ),
    "no webhook of a type": (
        "acme", lambda caller: webhooks.select(caller, "inbound", "desc"),
        "account acme has no inbound webhooks, and behaviour.webhooks_none is error",
    ),
    "no events": (
        "us", lambda caller: webhooks.create(caller, hook()),
        "the body's member events is missing; transactional webhooks need it",
    ),
    "empty events": (
        "acme", lambda caller: webhooks.update(caller, 12, {"events": []}),
        "the body's member events is empty; marketing webhooks need it",
    ),
    "no domain": (
        "us", lambda caller: webhooks.create(caller, hook(type="inbound")),
        "the body's member domain is missing; inbound webhooks need it",
    ),
    "domain that is none": (
        "us", lambda caller: webhooks.create(caller, hook(type="inbound", domain="acme")),
        "the body's member domain, acme, is no name of a domain",
    ),
    "unknown domain of an inbound webhook": (
        "us", lambda caller: webhooks.create(caller, hook(type="inbound", domain="acme.test")),
        ("domain acme.test does not exist in account us; account acme has it; "
        "behaviour.inbound_domain is authenticated"),
    ),
    "domain of an inbound webhook that is not authenticated": (
        "acme", lambda caller: webhooks.create(caller, hook(type="inbound", domain="acme.test")),
        "acme.test is verified; behaviour.inbound_domain is authenticated",
    ),
    "second webhook": (
        "acme", second_webhook,
        "webhook 11 has the same url and type, and behaviour.webhook_duplicates is refuse",
    ),
    "event of another type": (
        "us", lambda caller: webhooks.create(caller, hook(type="marketing", channel="sms", events=["opened"])),
        ("a webhook of type marketing and channel sms cannot take opened when it is made; it can take sent, delivered, "
        "softBounce, hardBounce, unsubscribe, reply, subscribe, skip"),
    ),
    "event of a new webhook only": (
        "acme", lambda caller: webhooks.update(caller, 12, {"events": ["contactUpdated"]}),
        ("a webhook of type marketing and channel email cannot take contactUpdated when it is changed; it can take "
        "spam, opened, click, hardBounce, softBounce, unsubscribed, listAddition, delivered, uniqueCouponSent"),
    ),
    "too many webhooks": (
        "acme", lambda caller: webhooks.create(caller, hook(events=["sent"])),
        "account acme has 2 already, and behaviour.webhook_limit is 2",
    ),
    "export without enterprise": (
        "acme", export(),
        "account acme is no enterprise account, and only those export webhook history",
    ),
    "export of days and dates": (
        "group", export(days=3, startDate=at(1)),
        "days is 3, startDate is 2026-01-01T00:00:00Z and endDate is not given",
    ),
    "export of half a period": (
        "group", export(startDate=at(1)),
        "startDate is 2026-01-01T00:00:00Z and endDate is not given",
    ),
    "export backwards": (
        "group", export(startDate=at(2), endDate=at(1)),
        "startDate is 2026-01-02T00:00:00Z and endDate is 2026-01-01T00:00:00Z",
    ),
    # Corporate.
    "unknown sub-account": (
        "group", lambda caller: corporate.require(caller, 5),
        "sub-account 5 does not exist in account group; there are 2003001, 2003002",
    ),
    "account that is no sub-account": (
        "group", lambda caller: corporate.create_key(caller, 1003003),
        "1003003 is account group-admin, of role admin, and no sub-account",
    ),
    "unknown sub-account to delete": (
        "group", lambda caller: corporate.delete(caller, 5),
        "sub-account 5 does not exist in account group; there are 2003001, 2003002",
    ),
    "unknown group": (
        "group", lambda caller: corporate.create(caller, {"groupIds": ["x"]}),
        "account group has no group x; there is only 650000000000000000000009",
    ),
    "bulk of none": (
        "group", lambda caller: assignment.change_plans(caller, [], Allotment({"email": 1})),
        "the body's member subAccountIds is empty, and the change is for one sub-account at least",
    ),
    "too few credits": (
        "group", lambda caller: assignment.change_plan(caller, 2003001, Allotment({"email": 1001})),
        "the change for sub-account 2003001 takes 601 more email from the pool of account group, which has 600 left",
    ),
    "too few credits for all": (
        "group", lambda caller: assignment.change_plans(caller, [2003001, 2003002], Allotment({}, {"users": 3})),
        (
            "the change for sub-account 2003001, 2003002 takes 6 more users from the pool of account group, "
            "which has 4 left"
        ),
    ),
    "fractions of credits": (
        "group", lambda caller: assignment.change_plan(caller, 2003001, Allotment({"sms": 1.7})),
        "the change for sub-account 2003001 takes 1.5 more sms from the pool of account group, which has 1.3 left",
    ),
    "unlimited on v1": (
        "group", lambda caller: plan_on_v1(caller, Allotment({"email": -1})),
        "credits.email is -1, and the workspace's solution is v1",
    ),
    "credit of v2 on v1": (
        "group", lambda caller: plan_on_v1(caller, Allotment({}, {"salesUsers": 2})),
        "features.salesUsers is 2, and the workspace's solution is v1",
    ),
    "no admin": (
        "group", lambda caller: sso.admin_token(caller, "clerk@group.test"),
        "clerk@group.test is no admin user around account group; there are boss@group.test, owner@group-admin.test",
    ),
    "no user": (
        "group", lambda caller: sso.sub_account_token(caller, 2003001, email="boss@group.test"),
        "boss@group.test is no user of sub-account 2003001; there is only owner@eu.test",
    ),
    # All else.
    "unknown campaign": (
        "acme", lambda caller: campaigns.shared_url(caller, 5),
        "campaign or template 5 does not exist in account acme; there is only 21",
    ),
    "campaign that cannot be shared": (
        "acme", lambda caller: campaigns.shared_url(caller, 21),
        "campaign 21 is of kind sms_campaign; email_campaign and email_template can be shared",
    ),
    "unknown attribute": (
        "acme", lambda caller: attributes.delete(caller, "normal", "SMS"),
        "category normal of account acme has no attribute SMS; there are FIRSTNAME, LASTNAME",
    ),
    "attribute of another category": (
        "acme", lambda caller: attributes.delete(caller, "normal", "PLAN"),
        "category normal of account acme has no attribute PLAN; category has it",
    ),
    "neither batch nor message": (
        "acme", lambda caller: scheduled_emails.delete(caller, "1.1@relay.test"),
        "1.1@relay.test is neither a UUID of version 4 nor of the form <id@host>",
    ),
    "unknown batch": (
        "acme", lambda caller: scheduled_emails.delete(caller, NO_BATCH),
        f"account acme has no e-mail under {NO_BATCH}; of those scheduled, there is only {WAITING}",
    ),
    "e-mail of another account": (
        "us", lambda caller: scheduled_emails.delete(caller, WAITING),
        f"account us has no e-mail under {WAITING}; account acme has it",
    ),
    "batch sent already": (
        "acme", lambda caller: scheduled_emails.delete(caller, BATCH.upper()),
        f"what was scheduled under {BATCH.upper()} is sent already; it was due at 2026-01-15T09:00:00Z; {CLOCK}",
    ),
    "e-mail cancelled already": (
        "acme", cancel_twice,
        f"what was scheduled under {WAITING} is cancelled already; it was due at 2026-01-16T09:00:00Z; {CLOCK}",
    ),
    "activities without enterprise": (
        "acme", lambda caller: activities.select(caller, period(None, None)),
        "account acme is no enterprise account, and only those have activity logs",
    ),
    "activities of half a period": (
        "group", lambda caller: activities.select(caller, period(None, at(3))),
        "startDate is not given and endDate is 2026-01-03T00:00:00Z",
    ),
    "activities backwards": (
        "group", lambda caller: activities.select(caller, period(at(3), at(2))),
        "startDate is 2026-01-03T00:00:00Z and endDate is 2026-01-02T00:00:00Z",
    ),
    "activities too old": (
        "group", lambda caller: activities.select(caller, period(at(14, year=2025), at(15, year=2025))),
        f"startDate is 2025-01-14T00:00:00Z, and data reaches back to 2025-01-15T00:00:00Z; {CLOCK}",
    ),
    "activities of too long": (
        "group", lambda caller: activities.select(caller, period(at(1, 12, 2025), at(2))),
        ("startDate is 2025-12-01T00:00:00Z and endDate is 2026-01-02T00:00:00Z, which could be 2026-01-01T00:00:00Z "
        "at most"),
    ),
    "inbound of half a period": (
        "acme", lambda caller: inbound.select(caller, period(at(3), None)),
        "startDate is 2026-01-03T00:00:00Z and endDate is not given",
    ),
    "inbound backwards": (
        "acme", lambda caller: inbound.select(caller, period(at(3), at(2))),
        "startDate is 2026-01-03T00:00:00Z and endDate is 2026-01-02T00:00:00Z",
    ),
    "inbound of the future": (
        "acme", lambda caller: inbound.select(caller, period(at(3), at(16))),
        f"startDate is 2026-01-03T00:00:00Z and endDate is 2026-01-16T00:00:00Z; {CLOCK}",
    ),
    "inbound of too long": (
        "acme", lambda caller: inbound.select(caller, period(at(1, 12, 2025), at(2))),
        ("startDate is 2025-12-01T00:00:00Z and endDate is 2026-01-02T00:00:00Z, which could be 2025-12-31T00:00:00Z "
        "at most"),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("account", "refused", "reason"), TABLE.values(), ids=TABLE.keys())
def test_a_rule_says_why_it_refuses(account, refused, reason, caller, reason_of):
    assert reason_of(refused, caller(account)) == reason


@pytest.mark.parametrize(("account", "refused"), [row[:2] for row in TABLE.values()], ids=TABLE.keys())
def test_no_reason_tells_a_secret(account, refused, caller, reason_of, secrets):
    told = reason_of(refused, caller(account))

    assert {"xkeysib-acme-key", "123456", "hook-token"} <= secrets()
    assert not [secret for secret in secrets() if secret in told]
