"""Senders: addresses that mail may come from, verified by one-time code."""

from mockserver.core.lazy import lazy
from mockserver.resources.resource import Resource
from mockserver.resources.senders.routes import SENDERS

_section, _sender, _verification = lazy(__package__, "section", "sender", "verification")

RESOURCE = Resource(
    "senders",
    SENDERS.operations,
    late_lifecycles={"sender": _sender.SENDER},
    listeners={("domain", "authenticate"): _verification.trust_senders},
    late_section=_section.SECTION,
    members=frozenset({"senders"}),
)
