"""A user's test that uses every handle, with the types that a user expects.

The checkers of tests/types/test_types.py read it, and the same text without `await` for the handles that block.
"""

# pyright: strict

from datetime import datetime, timedelta

import pytest

from mockserver import AsyncMockServer, AsyncWorkspace, MockServerError
from mockserver.testing.records import (
    Account,
    App,
    Arrival,
    Attachment,
    Attempt,
    Call,
    Cause,
    ControlCall,
    Delivery,
    Draw,
    Exchange,
    Expectation,
    Finding,
    Fired,
    InboundMail,
    Instance,
    KnownName,
    Mail,
    Page,
    Recipient,
    Records,
    Report,
    Timer,
    Total,
    Transition,
)


def seen(*values: object) -> None:
    """Use values, of which no checker then says that nothing does."""


@pytest.fixture
def mockserver_scenario() -> str:
    return "onboarding"


async def test_server() -> None:
    async with AsyncMockServer("onboarding", seed=7, keys="known", control_token="token") as server:
        root: str = server.url
        smtp: str | None = await server.smtp_in
        secure: tuple[str | None, str | None] = await server.tls_url, await server.ca
        percent: float = await server.coverage.percent
        default: AsyncWorkspace = await server.default
        others: list[AsyncWorkspace] = await server.workspaces()
        async with await server.workspace({"accounts": [{"name": "mine"}]}, seed=3, name="mine", strict=True) as mine:
            await server.reset("standard")
            await use(mine)
        elsewhere: AsyncMockServer = await AsyncMockServer.connect(root, "token", ca="ca.pem")
        elsewhere.on_leaving = left
        await elsewhere.drop_all()
        await elsewhere.stop()
        await server.stop()
        await server.start()
        answer: object = await server.client.json("GET", "/_mock/health")
        seen(smtp, secure, percent, default, others, answer)


def left(workspace: AsyncWorkspace) -> None:
    assert workspace.name


async def use(workspace: AsyncWorkspace) -> None:
    addresses: tuple[str, str, str] = workspace.url, workspace.dashboard_url, workspace.auth_url
    name: str = workspace.name
    scenario: str = workspace.scenario
    accounts: list[Account] = workspace.accounts
    first: str = workspace.api_key
    key: str = await workspace.key(accounts[0].name)
    await workspace.seed({"senders": []}, account="acme")
    await workspace.revoke_key(key, account="acme")
    called: list[Delivery] = await workspace.trigger(
        "hardBounce", type="transactional", channel="email", to="a@b.test", payload={"reason": "gone"}, account="acme"
    )
    told: list[Delivery] = await workspace.story("delivered_opened_clicked", to="a@b.test", account="acme")
    arrival: Arrival = await workspace.inbound("a@b.test", "c@d.test", "Hi", "Text", account="acme")
    received: list[InboundMail] = await workspace.inbound_mails()
    findings: list[Finding] = await workspace.findings()
    page: str = await workspace.trace()
    report: Report = await workspace.report(findings[0].requests[0], limit=3)
    expected: list[Expectation] = await workspace.expectations()
    draws: list[Draw] = [*await workspace.vary(7), *await workspace.draws()]
    await workspace.reset("standard")
    await workspace.leave()
    await workspace.drop()
    seen(
        addresses,
        name,
        scenario,
        first,
        called,
        told,
        arrival.deliveries,
        received,
        findings,
        page,
        report,
        expected,
        draws,
    )
    assert workspace.synchronous.asynchronous.name == workspace.name


async def test_apps(workspace: AsyncWorkspace) -> None:
    app: App = await workspace.apps.create(name="CRM", redirect_uris=["http://127.0.0.1:5000/cb"])
    app = await workspace.apps.get(app.client_id)
    app = await workspace.apps.update(app.client_id, client_secret=None)
    apps: list[App] = await workspace.apps.list()
    await workspace.apps.delete(app.client_id)
    secret: str | None = apps[0].client_secret
    assert secret


async def test_calls(workspace: AsyncWorkspace) -> None:
    calls: list[ControlCall] = await workspace.calls.all(limit=3)
    call: ControlCall = await workspace.calls.get(calls[0].id)
    caused: list[Cause] = list(call.caused)
    assert caused[0].kind == "request"


async def test_clock(workspace: AsyncWorkspace) -> None:
    now: datetime = await workspace.clock.now
    frozen: bool = await workspace.clock.frozen
    timers: list[Timer] = await workspace.clock.timers(limit=10)
    fired: list[Fired] = await workspace.clock.advance(minutes=20)
    fired += await workspace.clock.advance(timedelta(minutes=20))
    fired += await workspace.clock.advance("PT20M")
    fired += await workspace.clock.advance(to=timers[0])
    await workspace.clock.freeze()
    await workspace.clock.set(now + timedelta(days=1))
    await workspace.clock.thaw()
    seen(frozen, fired[0].event)


async def test_coverage(workspace: AsyncWorkspace) -> None:
    percent: float = await workspace.coverage.percent
    report: dict[str, object] = await workspace.coverage.report()
    totals: dict[str, Total] = dict(await workspace.coverage.totals)
    missing: list[str] = await workspace.coverage.missing
    text: str = await workspace.coverage.text() + await workspace.coverage.html() + await workspace.coverage.junit()
    await workspace.coverage.clear()
    seen(percent, report, totals["operations"].met, missing, text)


async def test_deliveries(workspace: AsyncWorkspace) -> None:
    found: list[Delivery] = await workspace.deliveries.all(webhook=1, state="delivered", event="hardBounce", wait=1)
    one: Delivery = await workspace.deliveries.get(found[0].id)
    again: Delivery = await workspace.deliveries.redeliver(one.id)
    attempt: Attempt = again.attempts[0]
    status: int | None = attempt.status
    assert status == 200


async def test_dns(workspace: AsyncWorkspace) -> None:
    records: Records = await workspace.dns.get("acme.test")
    records = await workspace.dns.set("acme.test", dmarc_policy="reject", dkim_record="wrong")
    names: list[KnownName] = await workspace.dns.all("acme")
    policy: str = await workspace.dns.policy("acme.test")
    seen(records.dkim_record, names[0].shown_as, policy)


async def test_faults(workspace: AsyncWorkspace) -> None:
    fault = await workspace.faults.add("latency", match={"operation": "createSender"}, times=1, ms=300)
    ids: list[str] = [one.id for one in await workspace.faults.all()]
    hits: int = await fault.hits
    active: bool = await fault.active
    await fault.remove()
    await workspace.faults.clear()
    seen(ids, hits, active)


async def test_machines(workspace: AsyncWorkspace) -> None:
    instances: list[Instance] = await workspace.machines.instances("sender")
    one: Instance = await workspace.machines.get("sender", instances[0].key)
    one = await workspace.machines.fire("sender", one.key, "expire_otp")
    history: list[Transition] = await workspace.machines.history("sender", one.key)
    seen(one.state, history[0].source)


async def test_mailbox(workspace: AsyncWorkspace) -> None:
    mail: Mail = await workspace.mailbox.latest(to="a@b.test", subject="code", smtp="sent", wait=3)
    mails: list[Mail] = await workspace.mailbox.all(to="a@b.test", subject="code", smtp="sent")
    code: int | None = mail.otp
    recipients: list[Recipient] = list(mail.recipients)
    attachments: list[Attachment] = list(mail.attachments)
    await workspace.mailbox.remove(mails[0].id)
    await workspace.mailbox.clear()
    seen(code, recipients, attachments)


async def test_receiver(workspace: AsyncWorkspace) -> None:
    receiver = await workspace.receiver("hooks")
    await receiver.answer(500, delay_ms=10, reset=False, times=1)
    calls: list[Call] = await receiver.calls(count=1, wait=3)
    await receiver.clear()
    seen(receiver.url, receiver.name, calls[0].body)


async def test_requests(workspace: AsyncWorkspace) -> None:
    newest: Exchange = await workspace.requests.latest(operation="createSender", status=201)
    newest = await workspace.requests.wait(3, operation="createSender")
    newest = await workspace.requests.get(newest.id)
    newest = await workspace.requests.answer(newest.id)
    exchanges: list[Exchange] = await workspace.requests.all(limit=3, operation="createSender")
    page: Page = await workspace.requests.page(limit=3, offset=3, status=201)
    ids: list[str] = await workspace.requests.verify(
        operation=["createSender", "updateSender"], at_least=1, at_most=3, json={"email": "a@b.test"}
    )
    ids += await workspace.requests.verify(operation="createSender", json_exactly={"email": "a@b.test"}, status=201)
    har: dict[str, object] = await workspace.requests.har(operation="createSender")
    await workspace.requests.clear()
    seen(newest.request.body, exchanges, page.total, ids, har)


async def test_state(workspace: AsyncWorkspace) -> None:
    document: dict[str, object] = await workspace.state.get()
    await workspace.state.put(document)
    text: str = await workspace.state.yaml()
    snapshot = await workspace.snapshot("before")
    await snapshot.restore()
    async with await workspace.snapshot() as moment:
        seen(moment.name)
    await snapshot.delete()
    seen(text, snapshot.name)


async def test_stubs(workspace: AsyncWorkspace) -> None:
    stub = await workspace.stubs.add("GET", "/v3/crm/{id}", {"json": {}}, match={"query": {"limit": "1"}}, times=1)
    stub = await stub.replace({"json": {}}, times=3)
    await workspace.stubs.add_all([{"method": "GET", "path": "/v3/crm", "answer": {"json": {}}}])
    paths: list[str] = [one.path for one in await workspace.stubs.all()]
    hits: int = await stub.hits
    active: bool = await stub.active
    await stub.remove()
    await workspace.stubs.clear()
    seen(paths, hits, active, stub.method)


async def test_refusal(workspace: AsyncWorkspace) -> None:
    with pytest.raises(MockServerError) as refusal:
        await workspace.mailbox.remove("none")
    status: int | None = refusal.value.status
    assert status == 404
