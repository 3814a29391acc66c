"""The programs on trial: which mistake each of them makes, if any, and in which workspace it makes it.

A program prints nothing, and speaks with `MOCKSERVER_URL`. `SEED` shuffles its data, its order and its pauses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
#: A master account that sends, with more contacts, lists and sub-accounts than a page has.
DOCUMENT = {
    "extends": "corporate-v2",
    "accounts": [
        {
            "name": "acme",
            "senders": [{"id": 1, "name": "News", "email": "news@acme.test"}],
            "domains": [{"name": name, "state": "authenticated"} for name in ("acme.test", "in.acme.test")],
            "webhooks": [{"id": 1, "url": "http://127.0.0.1:9/old", "events": ["spam"]}],
            "contact_lists": [{"name": f"List {number}"} for number in range(12)],
            "contacts": [{"email": f"contact{number}@list.test"} for number in range(120)],
        },
        *(
            {"name": f"customer{number}", "of": "acme", "role": "sub_account", "company_name": f"Customer {number}"}
            for number in range(30)
        ),
    ],
}


@dataclass(frozen=True, eq=False)
class Program:
    """A program; without a rule it makes no mistake."""

    file: str
    #: The rule that names its mistake, the operation of the requests that the finding names, and their number.
    rule: str | None = None
    operation: str | None = None
    requests: int = 1
    #: What the service does to it: faults as `POST /_mock/faults` takes them.
    faults: Sequence[dict[str, Any]] = field(default=())
    #: Whether it receives webhook calls, and ends after the one about last@example.test.
    is_receiver: bool = False
    #: Its argument: which of its ways it shows.
    way: str = ""

    @property
    def path(self) -> Path:
        return FOLDER / ("good" if self.rule is None else "faulty") / self.file

    def __str__(self) -> str:
        return f"{self.path.parent.name}/{self.file}{f' {self.way}' if self.way else ''}"


def _fault(operation: str, fault: str, **members: Any) -> tuple[dict[str, Any]]:
    return ({"fault": fault, "match": {"operation": operation}, **members},)


def _lost(operation: str) -> tuple[dict[str, Any]]:
    return _fault(operation, "lost_answer", times=1)


FAULTY = [
    Program("send_again.py", "repeated-write", "sendTransacEmail", 2, _lost("sendTransacEmail")),
    Program("sub_accounts_adapter.py", "repeated-write", "createSubAccount", 2, _lost("createSubAccount")),
    Program("webhook_reset.mjs", "repeated-write", "createWebhook", 2,
            _fault("createWebhook", "connection_reset", times=1)),
    Program("fixed_pause.py", "ignored-rate-limit", "getAccount", 3,
            _fault("getAccount", "rate_limited", times=2, reset_s=30)),
    Program("import_threads.py", "ignored-rate-limit", "createContact", 2,
            _fault("createContact", "rate_limited", after=3, times=4, reset_s=20)),
    Program("poll_on.mjs", "ignored-rate-limit", "getDomainConfiguration", 4,
            _fault("getDomainConfiguration", "rate_limited", times=3, reset_s=60)),
    Program("contacts_page.py", "first-page-only", "getContacts"),
    Program("find_customer.py", "first-page-only", "listSubAccounts"),
    Program("lists_default.mjs", "first-page-only", "getLists"),
    Program("token_in_query.py", "secret-in-url", "createWebhook"),
    Program("user_info.py", "secret-in-url", "createWebhook"),
    Program("move_webhook.mjs", "secret-in-url", "updateWebhook"),
    Program("takes_all.py", "unverified-webhook", is_receiver=True),
    Program("logs_only.py", "unverified-webhook", is_receiver=True),
    Program("checks_if_there.mjs", "unverified-webhook", is_receiver=True),
    Program("misspelt_member.py", "unused-input", "createSender"),
    Program("unknown_parameter.py", "unused-input", "getWebhooks"),
    Program("key_in_header.mjs", "unused-input", "sendTransacEmail"),
    Program("waits_for_ever.py", "no-timeout", "getSenders", 1, _fault("getSenders", "hang", times=1)),
    Program("waits_in_thread.py", "no-timeout", "createDomain", 1, _fault("createDomain", "hang", times=1)),
    Program("waits_by_http.mjs", "no-timeout", "sendTransacEmail", 1, _fault("sendTransacEmail", "hang", times=1)),
    Program("former_host.py", "outdated-api"),
    Program("partner_key.py", "outdated-api", "getAccount"),
    Program("reseller_children.mjs", "outdated-api"),
]  # fmt: skip
GOOD = [
    Program("looks_first.py", faults=_lost("createSubAccount")),
    Program("keyed_send.py", faults=_lost("sendTransacEmail")),
    Program("waits_as_told.py", faults=_fault("getSenders", "rate_limited", times=1, reset_s=1)),
    Program("all_pages.py"),
    Program("checks_token.py", is_receiver=True),
    Program("same_twice.py"),
    Program("repeats_put.py", faults=_lost("updateSender") + _lost("deleteWebhook")),
    Program("gives_up.py", faults=_fault("createDomain", "unavailable", times=1)),
    Program("limited_wait.mjs", faults=_fault("createSender", "hang", times=1)),
    Program("newest_contacts.mjs"),
    Program("waits_and_posts.mjs", faults=_fault("createContact", "rate_limited", times=1, reset_s=1)),
    Program("checks_key.mjs", is_receiver=True),
    Program("look_ups.py", faults=_lost("createSubAccount"), way="customer"),
    Program("look_ups.py", faults=_lost("createContact"), way="contact"),
    Program("look_ups.py", faults=_lost("createList"), way="contact list"),
    Program("look_ups.py", faults=_fault("createList", "hang", times=1), way="after a timeout"),
    Program("look_ups.py", faults=_lost("createContact"), way="in threads"),
    Program("look_ups.py", faults=_lost("updateList"), way="after an update"),
    Program("look_ups.py", faults=_lost("createContact"), way="after a refused repeat"),
    Program("look_ups.py", way="to use it"),
    Program("look_ups.py", way="to use it from a later page"),
    Program("concurrent.mjs", faults=_lost("createContact"), way="a look-up after a lost write"),
    Program("concurrent.mjs", way="a lazy search"),
]
#: Programs that share connections, and wait for the second of a 429: they need real time, and other languages.
_REFUSED = [
    _fault("getAccount", "rate_limited", after=after, times=times, reset_s=1)
    + _fault("getContactInfo", "rate_limited", after=after, times=times, reset_s=1)
    for after, times in ((0, 1), (2, 3))
]
SHARING = [
    Program(file, faults=_REFUSED[number % 2], way=way)
    for number, (file, way) in enumerate(
        [
            *(("gates.py", way) for way in (
                "requests, a small pool", "requests, a pool that grows", "requests, a pool of one",
                "requests, no session", "requests, a session for each thread", "urllib3", "httpx", "equal requests",
                "a semaphore", "a semaphore of one", "a pause between requests", "it gives up",
                "it does not repeat what was refused",
            )),
            *(("tasks.py", way) for way in (
                "all at once", "a pool of three", "a pool of one", "a semaphore", "workers",
                "workers with a pool of two", "a client for each request",
            )),
            *(("concurrent.mjs", way) for way in ("all at once", "workers", "equal requests", "groups of four")),
            *(("concurrent.go", way) for way in (
                "goroutines", "equal requests", "a small pool", "a pool of one", "a semaphore of four",
            )),
        ]
    )
]  # fmt: skip
#: How many seconds of a hanging request are too long for the rule `no-timeout`, and for which the tests let it hang.
HANG_S, HANG_MS = 30, 31_000
