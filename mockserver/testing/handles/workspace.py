"""A workspace on a server, for tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self

from mockserver.testing.client import Client, MockServerError, path_of
from mockserver.testing.handles.link import Link, given
from mockserver.testing.handles.parts import Apps, Clock, Coverage, Dns, Machines, Snapshot, State
from mockserver.testing.handles.rules import Faults, Stubs
from mockserver.testing.handles.traffic import Calls, Deliveries, Mailbox, Receiver, Requests, unused_receiver
from mockserver.testing.names import Story, WebhookEvent
from mockserver.testing.records import Account, Arrival, Delivery, Draw, Expectation, Finding, InboundMail, Report
from mockserver.testing.scenario import NamingFile, Scenario, choice, sendable
from mockserver.views.record import read, read_all

if TYPE_CHECKING:
    from mockserver.testing.coroutines import AsyncWorkspace

__tracebackhide__ = True  # pytest shows the line of the test instead


class Leaving(Protocol):
    """A callback before a reset or drop of a workspace, with coverage still readable."""

    def __call__(self, name: str, *, for_good: bool) -> None:
        """Handle a workspace name; `for_good` means dropped."""
        ...


class Workspace:
    """One private copy of the service, with its accounts, keys, clock, faults, journal and mailbox.

    As a context manager, drops the workspace at the end of the block.
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
        """The same workspace for coroutines (asyncio or trio)."""
        from mockserver.testing.coroutines import proxied  # noqa: PLC0415  # it imports this module

        found: AsyncWorkspace = proxied(self)
        return found

    @property
    def url(self) -> str:
        """The base address of the API for service clients, ending in `/v3`."""
        return f"{self._root}/v3"

    @property
    def dashboard_url(self) -> str:
        """The dashboard address of the workspace, for browsers."""
        return f"{self._root}/_mock/ui/"

    @property
    def auth_url(self) -> str:
        """The base address of the workspace's OAuth endpoints, such as `authorize` and `token`."""
        return f"{self._root}/realms/partner/oauth"

    @property
    def _root(self) -> str:
        """The root address: `http://HOST:PORT/w/NAME`, or the server's root address for `default`."""
        prefix = "" if self.name == "default" else f"/w/{self.name}"
        return f"{self._link.client.public_url}{prefix}"

    @property
    def scenario(self) -> str:
        """The name of the workspace's scenario, or `document` for scenarios given as documents."""
        return str(self._link.about["scenario"])

    @property
    def accounts(self) -> list[Account]:
        """The accounts of the workspace as of creation or the last reset, restore or seed."""
        return read_all(Account, self._link.about["accounts"])

    @property
    def api_key(self) -> str:
        """The API key of the first account.

        Raises:
            LookupError: The account had no key when the server was asked last; `key` asks it again.
        """
        return self._key(self.accounts[0].name)

    def key(self, name: str) -> str:
        """Return the API key of the account called `name`.

        Raises:
            LookupError: The account does not exist, or has no key.
        """
        if not self._keys.get(name):
            self._renew()
        return self._key(name)

    @property
    def _keys(self) -> dict[str, str | None]:
        """API keys by account name; None for accounts without a key."""
        return {account.name: account.api_key for account in self.accounts}

    def _key(self, name: str) -> str:
        keys = self._keys
        found = keys.get(name)
        if found is None:
            reason = "has no key" if name in keys else f"is not among {', '.join(keys)}"
            raise LookupError(f"the account {name!r} {reason}")
        return found

    def _renew(self) -> None:
        self._link.about = self._link.get(path_of("workspaces", self.name))

    def reset(self, scenario: Scenario | None = None) -> None:
        """Recreate the workspace from its scenario or a given scenario, keeping only snapshots and keys.

        Raises:
            MockServerError: 400, the scenario is not valid, and nothing has changed.
            OSError: The file of the scenario cannot be read.
            ValueError: The file of the scenario is not YAML.
        """
        found = sendable(scenario)
        self._leaving(self.name, for_good=False)
        with NamingFile(found):
            self._link.about = self._link.post("/reset", choice(found))

    def leave(self, outcome: Literal["passed", "failed", "skipped"] | None = None) -> None:
        """Keep the workspace on its server beyond `drop_all` and the session.

        `outcome` says how its test ended, for the dashboard.
        """
        self._leaving(self.name, for_good=True)
        if outcome is not None:
            self._link.client.json("PATCH", f"/_mock{path_of('workspaces', self.name)}", body={"outcome": outcome})

    def drop(self) -> None:
        """Delete the workspace and revoke its keys; a second call has no effect.

        Raises:
            MockServerError: 409, the default workspace cannot be dropped.
        """
        self._leaving(self.name, for_good=True)
        try:
            self._link.delete(path_of("workspaces", self.name))
        except MockServerError as error:
            if error.status != 404:
                raise

    def snapshot(self, name: str | None = None) -> Snapshot:
        """Save the present state, clock, faults and mailbox; a snapshot of the same name is replaced.

        As a context manager (`with workspace.snapshot():`), restores it at the end of the block.

        Raises:
            MockServerError: 400, the name is not valid; 409, there are too many snapshots.
        """
        found = self._link.post("/snapshots", given({"name": name}))
        return Snapshot(self._link, found["name"])

    def seed(self, document: Mapping[str, Any], *, account: str | None = None) -> None:
        """Add a part of a scenario: `seed({"senders": [...]})`, `seed({"generate": {"senders": 500}})`.

        The default of `account` is the first one.

        Raises:
            MockServerError: 400, the document is not valid, and `errors` names every mistake; 409, a row of it exists
                already. Nothing has changed.
            LookupError: The account does not exist.
        """
        self._link.about = self._link.post("/seed", {**document, **self._account_member(account)})

    def vary(self, seed: int) -> list[Draw]:
        """Let a seed draw legal differences, in the place of those drawn before, and return them.

        Raises:
            MockServerError: 400, the seed is no whole number of 64 bits.
        """
        return read_all(Draw, self._link.post("/vary", {"seed": seed})["items"])

    def draws(self) -> list[Draw]:
        """Return the legal differences that the seed of `vary` has drawn."""
        return read_all(Draw, self._link.get("/vary")["items"])

    def revoke_key(self, key: str | None = None, *, account: str | None = None) -> None:
        """Revoke a key or all keys of an account until the next reset: requests get status 401.

        Raises:
            MockServerError: 400, neither a key nor an account is given, or the account has no such key.
            LookupError: The account does not exist.
        """
        self._post("/keys/revoke", {"key": key}, account)

    def findings(self) -> list[Finding]:
        """Return the mistakes of the client that the requests of the journal show, by rule."""
        return read_all(Finding, self._link.items("/findings"))

    def expectations(self) -> list[Expectation]:
        """Return a result for each expectation of the scenario (`expect:`): satisfied or not, with the values found."""
        return read_all(Expectation, self._link.items("/expectations"))

    def report(self, since: str | None = None, *, limit: int = 8) -> Report:
        """Return what went wrong: refused requests, failed webhook calls, faults, findings; `str` gives ten lines.

        `since` is the id of a request, such as `last` of an earlier report, after which the report begins.

        Raises:
            MockServerError: 404, the journal has no such request.
        """
        return read(Report, self._link.get("/report", since=since, limit=limit))

    def trace(self) -> str:
        """Return what happened in the workspace as an HTML page that loads nothing, without secrets."""
        return self._link.text("/trace", accept="text/html")

    # ------------------------------------------------------------------ events outside of the API

    def trigger(
        self,
        event: WebhookEvent,
        *,
        type: Literal["transactional", "marketing", "inbound"] = "transactional",  # noqa: A002  # the wire's own name
        channel: Literal["email", "sms"] = "email",
        to: str | None = None,
        payload: Mapping[str, Any] | None = None,
        account: str | None = None,
        campaign: int | None = None,
    ) -> list[Delivery]:
        """Trigger an event such as `hardBounce`, and return the resulting webhook calls.

        `to` is the recipient's address, by default generated. `payload` overrides members of the payload. The default
        of `account` is the first one, and that of `campaign` the last one that the recipient got.

        Raises:
            MockServerError: 400, the type and channel have no such event, and the message lists their events.
            LookupError: The account does not exist.
        """
        message = {"to": to, "payload": payload, "campaign": campaign}
        body = {"event": event, "type": type, "channel": channel, **message}
        return self._trigger(body, account)

    def story(self, name: Story, *, to: str | None = None, account: str | None = None) -> list[Delivery]:
        """Trigger the events of a story such as `delivered_opened_clicked`, and return the resulting webhook calls.

        Advance the clock for calls that are due later.

        Raises:
            MockServerError: 400, the story is unknown, and the message lists the stories.
            LookupError: The account does not exist.
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
        """Simulate an inbound e-mail: record the e-mail, and call the inbound webhooks of its domain.

        The default of `account` is the one with such a webhook for the recipient's domain.

        Raises:
            MockServerError: 400, `sender` or `recipient` is no e-mail address.
            LookupError: The account does not exist.
        """
        body = {"sender": sender, "recipient": recipient, "subject": subject, "text": text}
        return read(Arrival, self._post("/inbound", body, account))

    def inbound_mails(self) -> list[InboundMail]:
        """Return the e-mails that the service has received, newest first, at most 1000."""
        return read_all(InboundMail, self._link.items("/inbound", limit=1000))

    def receiver(self, name: str | None = None) -> Receiver:
        """Return a webhook receiver, using an unused name by default; `url` is the address for webhooks.

        Raises:
            MockServerError: 409, there are too many receivers.
        """
        return Receiver(self._link, self._root, unused_receiver(self._link) if name is None else name)

    def _trigger(self, body: Mapping[str, Any], account: str | None) -> list[Delivery]:
        return read_all(Delivery, self._post("/trigger", body, account)["items"])

    def _post(self, path: str, body: Mapping[str, Any], account: str | None) -> Any:
        return self._link.post(path, {**given(body), **self._account_member(account)})

    def _account_member(self, account: str | None) -> dict[str, str]:
        if account is None:
            return {}
        if account not in self._keys:
            self._renew()
        if account not in self._keys:
            raise LookupError(f"the account {account!r} is not among {', '.join(self._keys)}")
        return {"account": account}
