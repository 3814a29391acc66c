"""A workspace on a server, for tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self

from mockserver.testing.client import Client, MockServerError, path_segment
from mockserver.testing.handles.apps import Apps
from mockserver.testing.handles.clock import Clock
from mockserver.testing.handles.coverage import Coverage
from mockserver.testing.handles.deliveries import Deliveries, Receiver, unused
from mockserver.testing.handles.dns import Dns
from mockserver.testing.handles.faults import Faults
from mockserver.testing.handles.link import Link, given
from mockserver.testing.handles.machines import Machines
from mockserver.testing.handles.mailbox import Mailbox
from mockserver.testing.handles.requests import Calls, Requests
from mockserver.testing.handles.state import Snapshot, State
from mockserver.testing.handles.stubs import Stubs
from mockserver.testing.names import Story, WebhookEvent
from mockserver.testing.records import Account, Arrival, Delivery, InboundMail
from mockserver.testing.scenario import NamingFile, Scenario, choice, sendable
from mockserver.views.record import read, read_all

if TYPE_CHECKING:
    from mockserver.testing.coroutines import AsyncWorkspace

__tracebackhide__ = True  # pytest shows the line of the test instead


class Leaving(Protocol):
    """A function that is called just before a workspace is reset or dropped, while its coverage can still be read."""

    def __call__(self, name: str, *, for_good: bool) -> None:
        """Take the name of the workspace, and whether it is dropped; if not, it is reset."""
        ...


class Workspace:
    """One private copy of the service, with accounts, keys, clock, faults, journal and mailbox of its own.

    Used as a context manager, the workspace is dropped at the end of its block.
    """

    def __init__(self, client: Client, about: Mapping[str, Any], leaving: Leaving) -> None:
        self.name: str = str(about["name"])
        self._leaving = leaving
        self._link = Link(client, about)
        self.apps = Apps(self._link)
        self.calls = Calls(self._link)
        self.clock = Clock(self._link)
        self.coverage = Coverage(self._link)
        self.deliveries = Deliveries(self._link)
        self.dns = Dns(self._link)
        self.faults = Faults(self._link)
        self.machines = Machines(self._link)
        self.mailbox = Mailbox(self._link)
        self.requests = Requests(self._link)
        self.state = State(self._link)
        self.stubs = Stubs(self._link)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.drop()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, scenario={self.scenario!r})"

    @property
    def asynchronous(self) -> AsyncWorkspace:
        """The same workspace with coroutines, for code that runs under asyncio or trio."""
        from mockserver.testing.coroutines import proxied  # noqa: PLC0415  # it imports this module

        found: AsyncWorkspace = proxied(self)
        return found

    @property
    def url(self) -> str:
        """The base address of the workspace's API, for clients of the service; it ends in `/v3`."""
        return f"{self._root}/v3"

    @property
    def dashboard_url(self) -> str:
        """The address of the pages that show what happens in the workspace, to open in a browser."""
        return f"{self._root}/_mock/ui/"

    @property
    def auth_url(self) -> str:
        """The base address of the workspace's OAuth endpoints, such as `authorize` and `token`."""
        return f"{self._root}/realms/partner/oauth"

    @property
    def _root(self) -> str:
        """The root address of the workspace: `http://HOST:PORT/w/NAME`, or that of the server for `default`."""
        prefix = "" if self.name == "default" else f"/w/{self.name}"
        return f"{self._link.client.url}{prefix}"

    @property
    def scenario(self) -> str:
        """The name of the scenario from which the workspace was made, or `document` if it was made from a document."""
        return str(self._link.about["scenario"])

    @property
    def accounts(self) -> list[Account]:
        """The accounts of the workspace as they were when it was created, or last reset, restored or seeded."""
        return read_all(Account, self._link.about["accounts"])

    @property
    def api_key(self) -> str:
        """The API key of the first account.

        Raises:
            LookupError: the account had no key when the server was asked last; `key` asks it again.
        """
        return self._key(self.accounts[0].name)

    def key(self, name: str) -> str:
        """The API key of the account called `name`.

        Raises:
            LookupError: there is no such account, or the account has no key.
        """
        if not self._keys.get(name):
            self._renew()
        return self._key(name)

    @property
    def _keys(self) -> dict[str, str | None]:
        """The API key of each account by the account's name; None for an account without a key."""
        return {account.name: account.api_key for account in self.accounts}

    def _key(self, name: str) -> str:
        """The API key of an account as it was last described."""
        keys = self._keys
        found = keys.get(name)
        if found is None:
            reason = "has no key" if name in keys else f"is not among {', '.join(keys)}"
            raise LookupError(f"the account {name!r} {reason}")
        return found

    def _renew(self) -> None:
        """Ask the server for the accounts again: one may have been created meanwhile."""
        self._link.about = self._link.get(f"/workspaces/{path_segment(self.name)}")

    def reset(self, scenario: Scenario | None = None) -> None:
        """Make the workspace anew from its scenario, or from another one; only snapshots and keys are kept.

        Raises:
            MockServerError: 400; the scenario is not valid, and nothing has changed.
            OSError: the file of the scenario cannot be read.
            ValueError: the file of the scenario is not YAML.
        """
        found = sendable(scenario)
        self._leaving(self.name, for_good=False)
        with NamingFile(found):
            self._link.about = self._link.post("/reset", choice(found))

    def leave(self) -> None:
        """Leave the workspace on its server, which then does not drop it with the others at the end of a session."""
        self._leaving(self.name, for_good=True)

    def drop(self) -> None:
        """Delete the workspace, whose keys are refused from now on; nothing happens if it was deleted already.

        Raises:
            MockServerError: 409; the default workspace cannot be dropped.
        """
        self._leaving(self.name, for_good=True)
        try:
            self._link.delete(f"/workspaces/{path_segment(self.name)}")
        except MockServerError as error:
            if error.status != 404:
                raise

    def snapshot(self, name: str | None = None) -> Snapshot:
        """Save the present state, clock, faults and mailbox; a snapshot of the same name is replaced.

        Used as a context manager (`with workspace.snapshot():`), the snapshot is restored at the end of the block.

        Raises:
            MockServerError: 400, the name is not valid; 409, there are too many snapshots.
        """
        found = self._link.post("/snapshots", {"name": name} if name is not None else {})
        return Snapshot(self._link, found["name"])

    def seed(self, document: Mapping[str, Any], *, account: str | None = None) -> None:
        """Add a part of a scenario: `seed({"senders": [...]})`, `seed({"generate": {"senders": 500}})`.

        Rows that belong to an account are added to the first account, or to the one named.

        Raises:
            MockServerError: 400, the document is not valid, and `errors` names every mistake; 409, a row of it exists
                already. Nothing has changed.
            LookupError: there is no such account.
        """
        self._link.about = self._link.post("/seed", {**document, **self._account_member(account)})

    def revoke_key(self, key: str | None = None, *, account: str | None = None) -> None:
        """Let the service refuse a key, or all keys of an account, with 401 until the workspace is reset.

        Raises:
            MockServerError: 400; neither a key nor an account is given, or the key is not one of the account's.
            LookupError: there is no such account.
        """
        self._link.post("/keys/revoke", {**({} if key is None else {"key": key}), **self._account_member(account)})

    # ------------------------------------------------------------------ what happens outside of the API

    def trigger(
        self,
        event: WebhookEvent,
        *,
        type: Literal["transactional", "marketing", "inbound"] = "transactional",  # noqa: A002  # the wire's own name
        channel: Literal["email", "sms"] = "email",
        to: str | None = None,
        payload: Mapping[str, Any] | None = None,
        account: str | None = None,
    ) -> list[Delivery]:
        """Let an event such as `hardBounce` happen, and return the webhook calls that it causes.

        `to` is the recipient's address, else one is made up. `payload` overrides members of what is sent. The event
        happens in the first account, or in the one named.

        Raises:
            MockServerError: 400; the type and channel have no such event, and the message lists those that they have.
            LookupError: there is no such account.
        """
        body = {"event": event, "type": type, "channel": channel, "to": to, "payload": payload}
        return self._trigger(body, account)

    def story(self, name: Story, *, to: str | None = None, account: str | None = None) -> list[Delivery]:
        """Let the events of a story such as `delivered_opened_clicked` happen, and return the webhook calls it causes.

        Each event has its own moment; advance the clock to let the calls be made that are due later.

        Raises:
            MockServerError: 400; there is no such story, and the message lists those that there are.
            LookupError: there is no such account.
        """
        return self._trigger({"story": name, "to": to}, account)

    def inbound(
        self,
        sender: str,
        recipient: str,
        subject: str | None = None,
        text: str | None = None,
        *,
        account: str | None = None,
    ) -> Arrival:
        """Let the service receive an e-mail: it is recorded, and the inbound webhooks of its domain are called.

        The e-mail goes to the account with such a webhook for the recipient's domain, or to the account named.

        Raises:
            MockServerError: 400; `sender` or `recipient` is no e-mail address.
            LookupError: there is no such account.
        """
        body = {"sender": sender, "recipient": recipient, "subject": subject, "text": text}
        return read(Arrival, self._post("/inbound", body, account))

    def inbound_mails(self) -> list[InboundMail]:
        """The e-mails that the service has received, newest first, at most 1000."""
        return read_all(InboundMail, self._link.items("/inbound", limit=1000))

    def receiver(self, name: str | None = None) -> Receiver:
        """A receiver of webhook calls, whose `url` is for a webhook; without a name, one with a name that is free.

        Raises:
            MockServerError: 409; there are too many receivers.
        """
        return Receiver(self._link, self._root, unused(self._link) if name is None else name)

    def _trigger(self, body: Mapping[str, Any], account: str | None) -> list[Delivery]:
        answer = self._post("/trigger", body, account)
        return read_all(Delivery, answer["items"])

    def _post(self, path: str, body: Mapping[str, Any], account: str | None) -> Any:
        return self._link.post(path, {**given(body), **self._account_member(account)})

    def _account_member(self, account: str | None) -> dict[str, str]:
        """The member of a body that names an account; empty for the account that the server chooses.

        Raises:
            LookupError: there is no such account.
        """
        if account is None:
            return {}
        if account not in self._keys:
            self._renew()
        if account not in self._keys:
            raise LookupError(f"the account {account!r} is not among {', '.join(self._keys)}")
        return {"account": account}
