"""Senders: e-mail addresses, verified by one-time codes."""

from mockserver.core.lazy import lazy
from mockserver.resources.resource import Resource
from mockserver.resources.senders.routes import SENDERS

_model, _section = lazy(__package__, "model", "section")

RESOURCE = Resource(
    "senders",
    SENDERS.operations,
    lazy_lifecycles={"sender": _model.SENDER},
    listeners={("domain", "authenticate"): _model.trust_senders},
    lazy_section=_section.SECTION,
    members=frozenset({"senders"}),
)
