"""Every kind of request: an operation's first case among the fixtures, or a refusal; and what makes it cost more.

The order matters, as the kinds are measured one after another: senders are validated before they are deleted.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from benchmarks.connections import request
from benchmarks.scenario_of_kinds import BODY_LIMIT, NUMBER, message_id

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


def _operation(
    operation: str,
    reason: str = "",
    *,
    path: Callable[[int], dict[str, Any]] = lambda index: {},
    body: Callable[[int], dict[str, Any]] = lambda index: {},
    by: dict[str, str] = _MASTER,
    below: str = "",
) -> Kind:
    """The request of the operation's first case, with these members of the path and of the body for each index."""
    declared, case = OPERATIONS[operation], _FIRST[operation]

    def make(index: int) -> bytes:
        address = below + declared.path
        for name, value in {**case.request.get("path", {}), **path(index)}.items():
            address = address.replace(f"{{{name}}}", quote(str(value), safe=""))
        if "query" in case.request:
            address += f"?{urlencode(case.request['query'])}"
        if "json" not in case.request:
            return request(declared.method, address, by)
        return _with_json(declared.method, address, by, {**case.request["json"], **body(index)})

    return Kind(operation, declared.status, make, reason)


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
    _operation("getDomainConfiguration", path=lambda index: {"domainName": "reader1.test"}, by=_READER),
    _operation("getIps", by=_DEDICATED),
    _operation("getIpsFromSender", path=lambda index: {"senderId": 11}, by=_DEDICATED),
    _operation("getWebhooks", "ten webhooks have three times the members of ten senders", by=_READER),
    _operation("getWebhook", path=lambda index: {"webhookId": 900}, by=_READER),
    _operation("getInboundEmailEvents", by=_READER),
    _operation("getSharedTemplateUrl", path=lambda index: {"campaignId": 11}, by=_READER),
    _operation("getMasterAccount", "shows the pool and all that is given out of it"),
    _operation("getSubAccount", "shows a plan, with what is used of it"),
    _operation("listSubAccounts", "shows the groups of each account"),
    _operation(
        "createSender",
        "draws a code, writes a mail with it and sets a timer for its end",
        body=lambda index: {"email": f"support{index}@acme.test"},
    ),
    _operation("updateSender", "loads a body"),
    _operation(
        "validateSenderByOtp",
        "loads a body, and moves a state machine",
        path=lambda index: {"senderId": 100 + index},
    ),
    _operation(
        "deleteSender",
        "moves a state machine",
        path=lambda index: {"senderId": 100 + index},
    ),
    _operation(
        "createDomain",
        "draws a DKIM key of 170 letters, and shows the records to set",
        body=lambda index: {"name": f"another{index}.test"},
    ),
    _operation(
        "authenticateDomain",
        "looks three DNS records up, and goes through the senders of the domain",
        path=lambda index: {"domainName": f"new{index}.test"},
    ),
    _operation(
        "deleteDomain",
        "moves a state machine, and looks for what hangs on the domain",
        path=lambda index: {"domainName": f"new{index}.test"},
    ),
    _operation(
        "createWebhook",
        "loads a body with a URL and events, and counts the webhooks that there are",
        body=lambda index: {"url": f"https://hooks.acme.test/{index}"},
    ),
    _operation(
        "updateWebhook",
        "loads a body with a URL and events, and counts rows that it may go through",
        path=lambda index: {"webhookId": 814200 + index},
    ),
    _operation("deleteWebhook", "counts rows that it may go through", path=lambda index: {"webhookId": 814200 + index}),
    _operation("exportWebhooksHistory", "loads a body, counts rows that it may go through, and begins an export"),
    _operation(
        "deleteScheduledEmailById",
        "moves a state machine, and takes a timer away",
        path=lambda index: {"identifier": message_id(index)},
    ),
    _operation(
        "deleteAttribute", path=lambda index: {"attributeCategory": "normal", "attributeName": f"ATTRIBUTE{index}"}
    ),
    _operation(
        "createSubAccount",
        "loads a body of five members, makes an account and draws its ids and its key",
        body=lambda index: {"email": f"owner{index}@asia.acme.test"},
    ),
    _operation(
        "createSubAccountKey",
        "loads a body, and draws a key of 80 letters",
        body=lambda index: {"name": f"Shop {index}"},
    ),
    _operation(
        "updateSubAccountPlan",
        "loads a body of two levels, and takes each member of the plan out of the pool",
        body=lambda index: _PLAN,
    ),
    _operation(
        "updateSubAccountsPlan",
        "checks the plan against the pool, moves a state machine twice, and takes each member out of the pool",
        body=lambda index: _PLAN,
    ),
    _operation(
        "deleteSubAccount",
        "takes an account with its rows, timers and keys out of a group of fifty",
        path=lambda index: {"id": 3000000 + index},
        by=_GROUP,
        below="/w/group",
    ),
    _operation("createAdminSsoToken", "loads a body, and draws a token"),
    _operation("createSubAccountSsoToken", "loads a body, and draws a token"),
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
