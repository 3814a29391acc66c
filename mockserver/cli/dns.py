"""`dns`: the answers of a workspace's DNS about domains."""

from __future__ import annotations

from typing import Any, get_args

import click

from mockserver.cli.options import TARGET, Name, limit
from mockserver.cli.output import fail, listing, more, paint, printable
from mockserver.cli.program import Decorator, Group, Misused, argument, option
from mockserver.cli.remote import Target
from mockserver.testing.client import path_of
from mockserver.testing.handles.link import given
from mockserver.testing.records import Policy, Records, RecordState

#: The records that a domain needs.
_RECORDS = Records._fields
_DOMAIN = argument("domain", type=Name("domain"), help="The name of a domain, added or not.")


def _record(flag: str, about: str) -> Decorator:
    return option(flag, type=click.Choice(get_args(RecordState)), help=f"The answer for {about}.")


dns = Group("dns", default="list", help="Show and change the DNS records of domains.")


@dns.command("list")
@option("--name", metavar="TEXT", help="Domains with this text in their name only.")
@limit("domains", 100)
@TARGET
def list_(name: str | None, limit: int, target: Target) -> None:
    """List domains with record states and owning accounts."""
    target.show(target.get("/dns", name=name, limit=limit), _print_all)


@dns.command("show")
@_DOMAIN
@TARGET
def show(domain: str, target: Target) -> None:
    """Show the record states of a domain."""
    target.show(target.get(path_of("dns", domain)), _print)


@dns.command("set")
@_DOMAIN
@_record("--brevo-code", "the record that proves ownership")
@_record("--dkim-record", "the DKIM record")
@_record("--dmarc-record", "the DMARC record")
@option("--dmarc-policy", type=click.Choice(get_args(Policy)), help="The policy of the DMARC record.")
@option("--free-mail", type=bool, metavar="yes|no", help="Whether it is a provider of free mailboxes.")
@TARGET
def set_(domain: str, target: Target, **records: Any) -> None:
    """Change what DNS answers for a domain; records that are not named stay."""
    change = given(records)
    if not change:
        raise Misused("Give at least one record, such as --dkim-record wrong, or --dmarc-policy.")
    target.show(target.put(path_of("dns", domain), change), _print)


@dns.command("publish")
@_DOMAIN
@TARGET
def publish(domain: str, target: Target) -> None:
    """Publish all records required to authenticate a domain."""
    target.show(target.put(path_of("dns", domain), dict.fromkeys(_RECORDS, "ok")), _print)


@dns.command("verify")
@_DOMAIN
@TARGET
def verify(domain: str, target: Target) -> None:
    """Check the records of a domain; exit status 1 on missing or wrong records."""
    found = target.get(path_of("dns", domain))
    target.show(found, _print)
    wrong = [f"{name} is {found[name]}" for name in _RECORDS if found[name] != "ok"]
    if wrong:
        fail(printable(f"{', '.join(wrong)}; `mockserver dns publish {domain}` publishes all records"))


def _print(found: Any) -> None:
    listing("domains", ("domain", *_RECORDS, "dmarc_policy"), [_row(found)])


def _print_all(found: Any) -> None:
    headers = ("domain", *_RECORDS, "dmarc_policy", "accounts")
    listing("domains", headers, [[*_row(row), _owners(row)] for row in found["items"]])
    more(found)


def _row(row: Any) -> list[object]:
    records = [paint(row[name], "good" if row[name] == "ok" else "bad") for name in _RECORDS]
    return [row.get("shown_as", row["domain"]), *records, row["dmarc_policy"]]


def _owners(row: Any) -> str:
    return ", ".join(f"{owner['account']} ({owner['state']})" for owner in row.get("accounts", ()))
