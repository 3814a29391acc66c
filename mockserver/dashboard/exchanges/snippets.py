"""An exchange as code: with the keys, the scenario and the faults of its workspace.

That takes long where bodies are large, so the workspace's lock is held for single look-ups only.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from mockserver.core.traffic.exchange import Exchange, read_json
from mockserver.core.workspaces.workspace import Workspace
from mockserver.dashboard.snippets import python, shell
from mockserver.dashboard.snippets.sent import Sent, of_exchange
from mockserver.scenario.rules.faults import HEADER_ID
from mockserver.views.traffic import redaction

#: The members of a fault that say how often it hits: in a test it hits the one request.
_WHEN = frozenset({"times", "after", "probability", "ttl_s"})
#: The longest code that stands on the page of a request, in characters; a longer one has an address of its own.
_LONGEST = 6_000


class Snippet(NamedTuple):
    """One way to send a request again."""

    name: str
    title: str
    text: str

    @property
    def is_long(self) -> bool:
        """Whether it is too long for the page of the request."""
        return len(self.text) > _LONGEST


#: What the snippets are called, by what they have in an address.
TITLES: Mapping[str, str] = MappingProxyType({"curl": "As curl", "python": "As Python", "pytest": "As pytest"})


def snippets(workspace: Workspace, exchange: Exchange, root: str) -> list[Snippet]:
    """All snippets of an exchange, for the server at `root`."""
    sent = of_exchange(exchange)
    return [Snippet(name, title, _text(name, sent, workspace, exchange, root)) for name, title in TITLES.items()]


def text(name: str, workspace: Workspace, exchange: Exchange, root: str) -> str:
    """The text of one snippet of an exchange, by its name, for the server at `root`."""
    return _text(name, of_exchange(exchange), workspace, exchange, root)


def _text(name: str, sent: Sent, workspace: Workspace, exchange: Exchange, root: str) -> str:
    if name == "pytest":
        preparation = _preparation(workspace, exchange, sent)
        return python.whole_test(sent, exchange.operation, preparation, _outcome(exchange))
    key = _key(workspace, sent)
    if name == "curl":
        return shell.curl(sent, root, key)
    return python.call(sent, root, key, follows=not 300 <= (exchange.status or 0) < 400)


def _key(workspace: Workspace, sent: Sent) -> str | None:
    """The workspace's own key for the account that was called, or None for a caller whom the service does not know."""
    with workspace.lock:
        account = None if sent.account is None else workspace.state.account_named(sent.account)
        return None if account is None else next(iter(account.api_keys), None)


def _preparation(workspace: Workspace, exchange: Exchange, sent: Sent) -> python.Preparation:
    origin = workspace.origin
    is_named = isinstance(origin.scenario, str) and origin.scenario
    marker: dict[str, Any] = {"scenario": origin.scenario} if is_named else {}
    if origin.seed is not None:
        marker["seed"] = origin.seed
    notes = []
    if not marker.get("scenario"):
        notes.append("The workspace was made of a document: give it to the marker as scenario=...")
    if sent.is_redacted:
        notes.append("The journal keeps no secrets: what is *** here was one.")
    fault = _fault(workspace, exchange)
    if exchange.fault is not None and fault is None and exchange.fault != HEADER_ID:
        notes.append("The fault that hit this request is gone.")
    return python.Preparation(marker, fault, notes)


def _fault(workspace: Workspace, exchange: Exchange) -> Mapping[str, Any] | None:
    """The rule that hit a request, as it is written, to hit whenever it matches."""
    rule = None if exchange.fault is None else workspace.state.faults.get(exchange.fault)
    if rule is None:
        return None
    return {"fault": rule.kind, **{name: v for name, v in rule.written.items() if name not in _WHEN | {"fault"}}}


def _outcome(exchange: Exchange) -> python.Outcome:
    body = read_json(exchange.answer_body) if exchange.code is not None else None
    code = body.get("code") if isinstance(body, dict) else None
    reason = exchange.reason and redaction.plain(exchange.reason)
    return python.Outcome(exchange.status, code if isinstance(code, str) else None, reason)
