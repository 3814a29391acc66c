"""Every kind of request: an operation's first case among the fixtures, or a refusal; and what makes it cost more.

The order matters, as the kinds are measured one after another: senders are validated before they are deleted.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any
from urllib.parse import quote, urlencode

from benchmarks.connections import request
from benchmarks.scenario_of_kinds import BODY_LIMIT, MESSAGE_ID, NUMBER

from mockserver.evidence.fixture import cases
from mockserver.resources.oauth import discovery
from mockserver.resources.registry import OPERATIONS

#: What a request may cost without a reason, in reads. The aim is 2; `createSender` costs 1.9, a seventh more or less.
FREE = 2.3

_MASTER, _READER, _DEDICATED, _GROUP, _LIMITED, _FAULTY = (
    {"api-key": f"xkeysib-{name}"} for name in ("acme", "reader", "dedicated", "group", "limited", "faulty")
)


@dataclass(frozen=True)
class Kind:
    """Requests that are alike."""

    name: str
    status: int
    #: The bytes of the request of this index.
    make: Callable[[int], bytes]
    #: What its body or rule costs, if that is more than `FREE`.
    reason: str = ""

    def requests(self) -> list[bytes]:
        """As many requests as the scenario has something for."""
        return [self.make(index) for index in range(NUMBER)]


#: The first case of each operation, which is a success.
_FIRST = {case.operation: case for case in reversed(list(cases()))}


_NOTHING: Mapping[str, Any] = MappingProxyType({})


def _operation(
    operation: str,
    reason: str = "",
    *,
    path: Mapping[str, Any] = _NOTHING,
    body: Mapping[str, Any] = _NOTHING,
    by: dict[str, str] = _MASTER,
    below: str = "",
) -> Kind:
    """The request of the operation's first case, with members of path and body. `{}` in a text stands for the index."""
    declared, case = OPERATIONS[operation], _FIRST[operation]

    def make(index: int) -> bytes:
        address = below + declared.path
        for name, value in {**case.request.get("path", {}), **_indexed(path, index)}.items():
            address = address.replace(f"{{{name}}}", quote(str(value), safe=""))
        if "query" in case.request:
            address += f"?{urlencode(case.request['query'])}"
        if "json" not in case.request:
            return request(declared.method, address, by)
        return _with_json(declared.method, address, by, {**case.request["json"], **_indexed(body, index)})

    return Kind(operation, declared.status, make, reason)


def _indexed(members: Mapping[str, Any], index: int) -> dict[str, Any]:
    return {name: value.format(index) if isinstance(value, str) else value for name, value in members.items()}


def _with_json(method: str, path: str, headers: dict[str, str], value: Any) -> bytes:
    return request(method, path, {**headers, "content-type": "application/json"}, json.dumps(value).encode())


def _refusal(name: str, status: int, text: bytes, reason: str = "") -> Kind:
    return Kind(name, status, lambda index: text, reason)


#: Of credits so few that the pool lasts.
_PLAN = {"credits": {"email": 5}, "features": {}}
#: With ten senders.
READ = _operation("getSenders", by=_READER)
LIMITED = _refusal("429: over the rate limit", 429, request("GET", "/w/limited/v3/senders", _LIMITED))
KINDS = [
    READ,
    _operation("getAccount", by=_READER),
    _operation("getAccountActivity", "ten activities have a moment each", by=_READER),
    _operation("getDomains", "ten domains have twice the members of ten senders", by=_READER),
    _operation("getDomainConfiguration", path={"domainName": "reader1.test"}, by=_READER),
    _operation("getIps", by=_DEDICATED),
    _operation("getIpsFromSender", path={"senderId": 11}, by=_DEDICATED),
    _operation("getWebhooks", "ten webhooks have three times the members of ten senders", by=_READER),
    _operation("getWebhook", path={"webhookId": 900}, by=_READER),
    _operation("getInboundEmailEvents", by=_READER),
    _operation("getSharedTemplateUrl", path={"campaignId": 11}, by=_READER),
    _operation("getMasterAccount", "shows the pool and its assignments"),
    _operation("getSubAccount", "shows a plan and its use"),
    _operation("listSubAccounts", "shows the groups of each account"),
    _operation("createSender", "draws a code, writes a mail and sets a timer", body={"email": "support{}@acme.test"}),
    _operation("updateSender", "loads a body"),
    _operation("validateSenderByOtp", "loads a body and moves a state machine", path={"senderId": "1{:02}"}),
    _operation("deleteSender", "moves a state machine", path={"senderId": "1{:02}"}),
    _operation("createDomain", "draws a DKIM key of 170 letters and shows records", body={"name": "another{}.test"}),
    _operation("authenticateDomain", "looks up DNS and visits all senders", path={"domainName": "new{}.test"}),
    _operation("deleteDomain", "moves a state machine and finds dependent rows", path={"domainName": "new{}.test"}),
    _operation("createWebhook", "loads a URL and counts webhooks", body={"url": "https://hooks.acme.test/{}"}),
    _operation("updateWebhook", "loads a URL and counts rows to visit", path={"webhookId": "8142{:02}"}),
    _operation("deleteWebhook", "counts rows to visit", path={"webhookId": "8142{:02}"}),
    _operation("exportWebhooksHistory", "loads a body, counts rows to visit and begins an export"),
    _operation("deleteScheduledEmailById", "moves a state machine, removes a timer", path={"identifier": MESSAGE_ID}),
    _operation("deleteAttribute", path={"attributeCategory": "normal", "attributeName": "ATTRIBUTE{}"}),
    _operation("createSubAccount", "makes an account with ids and a key", body={"email": "owner{}@asia.acme.test"}),
    _operation("createSubAccountKey", "loads a body and draws a key of 80 letters", body={"name": "Shop {}"}),
    _operation("updateSubAccountPlan", "loads two levels and takes each member out of the pool", body=_PLAN),
    _operation("updateSubAccountsPlan", "checks the pool and moves a state machine twice", body=_PLAN),
    _operation("deleteSubAccount", "removes rows and timers", path={"id": "30000{:02}"}, by=_GROUP, below="/w/group"),
    _operation("createAdminSsoToken", "loads a body and draws a token"),
    _operation("createSubAccountSsoToken", "loads a body and draws a token"),
    _refusal("400: the body is no JSON", 400, request("POST", "/v3/senders", _MASTER, b'{"name":')),
    _refusal(
        "400: a member is wrong",
        400,
        _with_json("POST", "/v3/senders", _MASTER, {"name": 1}),
        "loads the body again, to put into words what is wrong",
    ),
    _refusal("401: no key", 401, request("GET", "/v3/senders", {})),
    _refusal("403: not for this account", 403, request("GET", "/v3/corporate/masterAccount", _READER)),
    _refusal("404: an unknown id", 404, request("GET", "/v3/webhooks/1", _READER)),
    _refusal(
        "404: nowhere", 404, request("GET", "/v3/nowhere", _READER), "looks for operations that have nearly the address"
    ),
    _refusal(
        "405: of an OAuth address",
        405,
        request("DELETE", discovery.TOKEN, {}),
        "is matched by Flask, as the page of an address that takes other methods, and looks for these",
    ),
    _refusal(
        "413: the body is too long",
        413,
        request("POST", "/v3/senders", _MASTER, b" " * (BODY_LIMIT + 1)),
        "has a body so large that it takes a task of the event loop",
    ),
    LIMITED,
    _refusal(
        "a fault of the header",
        500,
        request("GET", "/v3/senders", {**_READER, "x-mock-fault": "server_error"}),
        "takes a copy of the fault that the text of the header stands for",
    ),
    _refusal("a fault of a rule", 500, request("GET", "/w/faulty/v3/senders", _FAULTY), "matches and draws"),
]
