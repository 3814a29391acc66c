"""A workspace of one's own on a server."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from types import TracebackType
from typing import Annotated, Any, Literal, NamedTuple, Protocol, Self

from mockserver.testing.client import Client, MockServerError
from mockserver.testing.handles.apps import Apps
from mockserver.testing.handles.clock import Clock
from mockserver.testing.handles.coverage import Coverage
from mockserver.testing.handles.deliveries import Deliveries, Delivery
from mockserver.testing.handles.dns import Dns
from mockserver.testing.handles.faults import Faults
from mockserver.testing.handles.link import Link, part
from mockserver.testing.handles.machines import Machines
from mockserver.testing.handles.mailbox import Mailbox
from mockserver.testing.handles.reading import Member, read, read_all
from mockserver.testing.handles.receiver import Receiver, unused
from mockserver.testing.handles.requests import Requests
from mockserver.testing.handles.state import Snapshot, State
from mockserver.testing.names import Story, WebhookEvent
from mockserver.testing.scenario import Scenario, sendable

__tracebackhide__ = True  # pytest shows the line of the test instead


class Account(NamedTuple):
    """One account of a workspace."""

    name: str
    #: `standalone`, `master`, `admin` or `sub_account`.
    role: str
    #: None: it has none.
    api_key: str | None


class Arrival(NamedTuple):
    """A mail that the service has received."""

    #: Its id in `GET /v3/inbound/events`.
    uuid: str
    at: Annotated[datetime, Member("date")]
    #: The calls to inbound webhooks that it makes.
    deliveries: tuple[Delivery, ...]


class Leaving(Protocol):
    """Told just before all is lost that a workspace has counted: when it is reset, or dropped for good."""

    def __call__(self, name: str, *, for_good: bool) -> None: ...


class Workspace:
    """One private copy of the service, with keys, clock, faults, journal and mailbox of its own.

    As a context manager it is dropped at the end.
    """

    def __init__(self, client: Client, about: Mapping[str, Any], leaving: Leaving) -> None:
        self.name = str(about["name"])
        self._leaving = leaving
        self._link = Link(client, about)
        self.apps = Apps(self._link)
        self.clock = Clock(self._link)
        self.coverage = Coverage(self._link)
        self.deliveries = Deliveries(self._link)
        self.dns = Dns(self._link)
        self.faults = Faults(self._link)
        self.machines = Machines(self._link)
        self.mailbox = Mailbox(self._link)
        self.requests = Requests(self._link)
        self.state = State(self._link)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.drop()

    def __repr__(self) -> str:
        return f"Workspace({self.name!r}, scenario={self.scenario!r})"

    @property
    def url(self) -> str:
        """The base address for clients of the API; it ends in `/v3`."""
        return f"{self._root}/v3"

    @property
    def auth_url(self) -> str:
        """Where OAuth lives: `authorize`, `token` and the others stand below it."""
        return f"{self._root}/realms/partner/oauth"

    @property
    def _root(self) -> str:
        """The address of all that is the workspace's."""
        place = "" if self.name == "default" else f"/w/{self.name}"
        return f"{self._link.client.url}{place}"

    @property
    def scenario(self) -> str:
        """The name of the scenario from which it was made; `document` if it was one."""
        return str(self._link.about["scenario"])

    @property
    def accounts(self) -> list[Account]:
        """Its accounts as they were when it was made, or last reset, restored or seeded."""
        return read_all(Account, self._link.about["accounts"])

    @property
    def api_key(self) -> str:
        """The API key of the first account.

        Raises:
            LookupError: it has no key.
        """
        return self.key(self.accounts[0].name)

    def key(self, name: str) -> str:
        """The API key of the account of this name.

        Raises:
            LookupError: there is no such account, or it has no key.
        """
        if not self._keys().get(name):
            self._renew()
        keys = self._keys()
        found = keys.get(name)
        if found is None:
            why = "has no key" if name in keys else f"is not among {', '.join(keys)}"
            raise LookupError(f"the account {name!r} {why}")
        return found

    def _renew(self) -> None:
        """Ask for the accounts anew: one may have come meanwhile."""
        self._link.renew(self._link.get(f"/workspaces/{part(self.name)}"))

    def _keys(self) -> dict[str, str | None]:
        return {account.name: account.api_key for account in self.accounts}

    def reset(self, scenario: Scenario | None = None) -> None:
        """Begin anew, as its scenario or another one says; snapshots and keys stay, all else goes.

        Raises:
            MockServerError: 400; it is no good scenario, and nothing has changed.
        """
        body = {"scenario": sendable(scenario)} if scenario is not None else {}
        self._leaving(self.name, for_good=False)
        self._link.renew(self._link.post("/reset", body))

    def drop(self) -> None:
        """Let it go; its keys are refused from now on. It may be gone already.

        Raises:
            MockServerError: 409; it is the default workspace, which stays.
        """
        self._leaving(self.name, for_good=True)
        try:
            self._link.delete(f"/workspaces/{part(self.name)}")
        except MockServerError as error:
            if error.status != 404:
                raise

    def snapshot(self, name: str | None = None) -> Snapshot:
        """Keep this moment: state, clock, faults, mailbox; one of the same name gives way.

        Raises:
            MockServerError: 400, the name is no good one; 409, there are too many.
        """
        found = self._link.post("/snapshots", {"name": name} if name is not None else {})
        return Snapshot(self._link, found["name"])

    def seed(self, document: Mapping[str, Any], *, account: str | None = None) -> None:
        """Add to the workspace: `seed({"senders": [...]})`, `seed({"generate": {"senders": 500}})`.

        What belongs to an account goes to the first one, or to the one named.

        Raises:
            MockServerError: 400, with every mistake; 409, something of it is there already. Nothing has changed.
            LookupError: there is no such account.
        """
        self._link.renew(self._link.post("/seed", {**document, **self._meant(account)}))

    def revoke_key(self, key: str | None = None, *, account: str | None = None) -> None:
        """Let the service refuse a key with 401 from now on, until the workspace is reset; or all those of an account.

        Raises:
            MockServerError: 400; neither is given, or the key is none of the account's.
            LookupError: there is no such account.
        """
        self._link.post("/keys/revoke", {**({} if key is None else {"key": key}), **self._meant(account)})

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
        """Let an event happen, such as `hardBounce`, to an address; gives the calls to webhooks that it makes.

        `payload` overrides members of what is sent. It happens to the first account, or to the one named.

        Raises:
            MockServerError: 400; there is no such event of that type and channel, and these there are.
            LookupError: there is no such account.
        """
        body = {"event": event, "type": type, "channel": channel, "to": to, "payload": payload}
        return self._happen(body, account)

    def story(self, name: Story, *, to: str | None = None, account: str | None = None) -> list[Delivery]:
        """Let all happen that happens to an e-mail, such as `delivered_opened_clicked`, each at its own moment.

        Gives the calls to webhooks that it makes; advance the clock to let those go out that are due later.

        Raises:
            MockServerError: 400; there is no such story, and these there are.
            LookupError: there is no such account.
        """
        return self._happen({"story": name, "to": to}, account)

    def inbound(
        self,
        sender: str,
        recipient: str,
        subject: str | None = None,
        text: str | None = None,
        *,
        account: str | None = None,
    ) -> Arrival:
        """Let a mail arrive: it is recorded, and told to the inbound webhooks of the recipient's domain.

        It arrives at the account that listens for that domain, or at the one named.

        Raises:
            MockServerError: 400; that is no e-mail address.
            LookupError: there is no such account.
        """
        body = {"sender": sender, "recipient": recipient, "subject": subject, "text": text}
        return read(Arrival, self._post("/inbound", body, account))

    def receiver(self, name: str | None = None) -> Receiver:
        """A receiver of webhook calls, whose `url` is a webhook's; without a name it is one that nobody else has.

        Raises:
            MockServerError: 409; there are too many.
        """
        return Receiver(self._link, self._root, unused(self._link) if name is None else name)

    def _happen(self, body: Mapping[str, Any], account: str | None) -> list[Delivery]:
        return read_all(Delivery, self._post("/trigger", body, account)["items"])

    def _post(self, path: str, body: Mapping[str, Any], account: str | None) -> Any:
        given = {member: value for member, value in body.items() if value is not None}
        return self._link.post(path, {**given, **self._meant(account)})

    def _meant(self, account: str | None) -> dict[str, str]:
        """The member that names an account.

        Raises:
            LookupError: there is no such account.
        """
        if account is None:
            return {}
        if account not in self._keys():
            self._renew()
        if account not in self._keys():
            raise LookupError(f"the account {account!r} is not among {', '.join(self._keys())}")
        return {"account": account}
