"""The dedicated IPs of a sender, and how they share its mail (contract/senders#rows and
contract/senders#createSender).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mockserver.core.contract.errors import INVALID_PARAMETER, IP_WEIGHTS, OUT_OF_RANGE
from mockserver.core.state import reasons
from mockserver.core.state.state import Account
from mockserver.core.text.addresses import ascii_form
from mockserver.resources.account.model import DedicatedIp


@dataclass(slots=True, eq=False)
class IpShare:
    """A dedicated IP of a sender with its share of the mail, in percent."""

    domain: str
    ip: str
    weight: int


def allot(account: Account, items: list[dict[str, Any]]) -> list[IpShare]:
    """The shares that the `ips` of a request or a scenario describe; without weights they are equal.

    Raises:
        ServiceError: 400; only some have weights, these do not sum to 100 or are not from 1 to 100, or an IP is not
            one of the account's, is named twice, is not active, or comes with another domain than its own.
    """
    if not items:
        return []
    weights = [item["weight"] for item in items if "weight" in item]
    _check_weights(weights, len(items))
    _refuse_unknown_ips(account, [item["ip"] for item in items])
    _refuse_unavailable_ips(account, items)
    share, rest = divmod(100, len(items))
    equal = [share + (index < rest) for index in range(len(items))]
    rows = [account.rows_of(DedicatedIp)[item["ip"]] for item in items]
    return [IpShare(row.domain, row.ip, weight) for row, weight in zip(rows, weights or equal, strict=True)]


def _check_weights(weights: list[int], items: int) -> None:
    """Check the weights: first their sum, for which the specification has an error code, and then the range of each.

    Raises:
        ServiceError: 400; only some IPs have weights, these do not sum to 100, or one is not from 1 to 100.
    """
    if weights and len(weights) != items:
        reason = f"only {len(weights)} of the {items} ips have a weight; give all of them one, or none"
        raise INVALID_PARAMETER("ips: give a weight for every IP or for none").because(reason)
    if weights and sum(weights) != 100:
        raise IP_WEIGHTS().because(f"the weights {reasons.listed(weights)} add up to {sum(weights)}, expected 100")
    if any(not 1 <= weight <= 100 for weight in weights):
        reason = f"the weights are {reasons.listed(weights)}, expected 1 to 100 each"
        raise OUT_OF_RANGE("ips: a weight must be from 1 to 100").because(reason)
    if items > 100:
        reason = f"{items} ips without weights leave less than 1 percent for some, expected at most 100 ips"
        raise OUT_OF_RANGE("ips: a weight must be from 1 to 100").because(reason)


def _refuse_unknown_ips(account: Account, ips: list[str]) -> None:
    """Check that all IPs are dedicated ones of the account, and each is named once.

    Raises:
        ServiceError: 400; they are not.
    """
    known = account.rows_of(DedicatedIp)
    for ip in ips:
        if ip not in known:
            reason = f"account {account.name} has no dedicated IP {reasons.shown(ip)} (it has {reasons.listed(known)})"
            raise INVALID_PARAMETER(f"ips: {ip} is not a dedicated IP of the account").because(reason)
    if len(set(ips)) != len(ips):
        reason = f"duplicate IP in ips: {reasons.listed(ips)}"
        raise INVALID_PARAMETER("ips: an IP stands there twice").because(reason)


def _refuse_unavailable_ips(account: Account, items: list[dict[str, Any]]) -> None:
    """Check that each IP is active and comes with its own domain (contract/senders#rows).

    Raises:
        ServiceError: 400; one is not, or does not (contract/senders#createSender).
    """
    known = account.rows_of(DedicatedIp)
    for item in items:
        row = known[item["ip"]]
        if not row.active:
            refused = INVALID_PARAMETER(f"ips: {row.ip} is not active")
            raise refused.because(f"dedicated IP {row.ip} of account {account.name} is inactive")
        if ascii_form(item["domain"]) != row.domain:
            given = reasons.shown(item["domain"])
            reason = f"wrong domain {given} for dedicated IP {row.ip}, expected {row.domain}"
            raise INVALID_PARAMETER(f"ips: {given} is not the domain of {row.ip}").because(reason)
