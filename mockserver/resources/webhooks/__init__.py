"""Webhooks: subscriptions, calls, and exports of their history."""

from mockserver.core.lazy import lazy
from mockserver.resources.resource import Resource
from mockserver.resources.webhooks.routes import WEBHOOKS

_history, _section = lazy(__package__, "history", "section")

RESOURCE = Resource(
    "webhooks",
    WEBHOOKS.operations,
    lazy_lifecycles={"export": _history.EXPORT},
    listeners={("delivery", "succeed"): _history.note_notified},
    lazy_section=_section.SECTION,
    members=frozenset({"webhooks", "exports"}),
)
