"""`expect:` of a scenario: what is to be found in the end, and what must not have changed."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
import requests
import yaml
from cli_runner import invoke

from mockserver import MockServer, MockServerError
from mockserver.scenario import expectations
from mockserver.scenario.paths import MAIL, REQUEST
from mockserver.views.record import Shape, is_record, members
from mockserver.views.traffic_records import Exchange, Mail

WORLD = {
    "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True},
    "accounts": [
        {
            "name": "acme",
            "senders": [{"id": 2, "name": "Jo", "email": "jo@acme.test", "state": "awaiting_verification"}],
            "webhooks": [{"id": 1, "url": "https://acme.test/hook", "events": ["delivered", "opened"]}],
        },
        {"name": "other"},
    ],
}


@pytest.fixture(scope="module")
def server():
    with MockServer() as found:
        yield found


@pytest.fixture
def make(server):
    """Makes a workspace with the expectations given."""
    return lambda *items: server.workspace({**WORLD, "expect": list(items)})


def refusal(make, *items):
    with pytest.raises(MockServerError) as refused:
        make(*items)
    return str(refused.value)


def create_sender(workspace):
    workspace.seed({"senders": [{"name": "Ada", "email": "ada@acme.test"}]})


def texts(workspace):
    return list(map(str, workspace.expectations()))


def call(workspace, method, path, **options):
    headers = {"api-key": workspace.api_key}
    return requests.request(method, f"{workspace.url}{path}", headers=headers, timeout=10, **options)


# ---------------------------------------------------------------------- what is found


def test_many_expectations_digest_the_state_once(make, monkeypatch):
    workspace = make(*[{"only": ["senders"], "hold": True}] * 20)
    digested, digests = [], expectations._digests  # noqa: SLF001  # the time is that of digests
    monkeypatch.setattr(expectations, "_digests", lambda state: digested.append(state) or digests(state))

    assert all(row.satisfied for row in workspace.expectations())
    assert len(digested) == 1


class Counted(list):
    """A list that counts how many of its items are looked at."""

    looked_at = 0

    def __iter__(self):
        for item in super().__iter__():
            self.looked_at += 1
            yield item


def test_found_value_is_written_as_far_as_it_is_shown():
    value = Counted(range(10_000))

    assert expectations._shown(value).startswith("[0, 1, 2, 3")  # noqa: SLF001  # a workspace has other lists
    assert value.looked_at < 200


@pytest.mark.parametrize(
    ("member", "text", "number"),
    [("status", "201", 1), ("status", "null", 0), ("fault", "null", 1), ("ms", "-1", 0)],
)
def test_filter_compares_texts_numbers_and_null(make, member, text, number):
    workspace = make({"path": f"journal[{member}={text}]", "count": number, "hold": not number})
    call(workspace, "POST", "/senders", json={"name": "Ada", "email": "ada@acme.test"})

    (found,) = workspace.expectations()
    assert (found.satisfied, found.found) == (True, f"found {number}")


def test_equality_is_satisfied_when_the_state_has_changed(make):
    workspace = make({"path": "state.senders[email=jo@acme.test].state", "equals": "verified"})

    assert texts(workspace) == [
        'FAILED: state.senders[email=jo@acme.test].state is "verified" (found "awaiting_verification")'
    ]
    workspace.machines.fire("sender", 2, "verify")

    assert texts(workspace) == ['ok: state.senders[email=jo@acme.test].state is "verified" (found "verified")']


def test_journal_and_mailbox_are_looked_at_by_their_members(make):
    workspace = make(
        {"path": "journal[operation=createSender][status=201]", "count": 1},
        {"path": "mailbox[to=ada@acme.test][0].subject", "equals": "Verify your sender"},
        {"path": "journal[status=400]", "absent": True, "hold": True},
    )

    call(workspace, "POST", "/senders", json={"name": "Ada", "email": "ada@acme.test"})

    assert [row.satisfied for row in workspace.expectations()] == [True, True, True]
    call(workspace, "POST", "/senders", json={})
    assert [row.satisfied for row in workspace.expectations()] == [True, True, False]


@pytest.mark.parametrize(
    ("item", "satisfied"),
    [
        ({"path": "state.senders", "count": 1}, True),
        ({"path": "state.accounts[name=acme].senders", "count": 1}, True),
        ({"path": "state.accounts[name=other].senders", "absent": True}, True),
        ({"path": "state.senders[0].id", "equals": 2}, True),
        ({"path": "state.senders.id", "equals": 2}, True),
        ({"path": "state.senders[id=2].name", "equals": "Jo"}, True),
        ({"path": "state.webhooks[id=1].events", "equals": ["delivered", "opened"]}, True),
        ({"path": "state.webhooks[id=1].events", "count": 2}, True),
        ({"path": "state.clock.frozen", "equals": True}, True),
        ({"path": "state.clock.frozen", "equals": 1}, False),
        ({"path": "state.senders[1]", "absent": True}, True),
        ({"path": "state.senders[id=9].name", "equals": "Jo"}, False),
        ({"path": "state.senders", "absent": True}, False),
        ({"only": []}, True),
    ],
    ids=str,
)
def test_path_finds_members_items_and_filtered_items(make, item, satisfied):
    [found] = make({**item, "hold": True}).expectations()

    assert found.satisfied is satisfied


def test_only_names_each_section_that_has_changed(make):
    workspace = make({"only": ["senders"], "hold": True})

    create_sender(workspace)
    assert texts(workspace) == ["ok: only senders may have changed (changed: senders)"]

    workspace.seed({"accounts": [{"name": "other", "webhooks": [{"url": "https://a.test/", "events": ["click"]}]}]})
    assert texts(workspace) == ["FAILED: only senders may have changed (changed: senders, webhooks)"]


def test_only_notices_a_new_account(make):
    workspace = make({"only": ["senders"], "hold": True})

    workspace.seed({"accounts": [{"name": "third"}]})

    assert not workspace.expectations()[0].satisfied
    assert "accounts" in workspace.expectations()[0].found


def test_reading_and_moving_the_clock_change_no_section(make):
    workspace = make({"only": [], "hold": True})

    for path in ("/senders", "/account", "/webhooks", "/nothing"):
        call(workspace, "GET", path)
    workspace.clock.advance(hours=1)

    assert texts(workspace) == ["ok: only nothing may have changed (changed: nothing)"]


# ---------------------------------------------------------------------- a workspace that goes on


def test_beginning_stays_the_same_when_a_snapshot_is_restored_or_the_state_is_written_back(make):
    workspace = make({"path": "state.senders", "count": 2}, {"only": ["webhooks"], "hold": True})
    create_sender(workspace)
    wanted = texts(workspace)

    workspace.snapshot().restore()
    assert texts(workspace) == wanted
    workspace.state.put(workspace.state.get())
    assert texts(workspace) == wanted
    assert [row.satisfied for row in workspace.expectations()] == [True, False]


def test_expectations_survive_a_restart_of_a_server_with_a_store(tmp_path):
    store = f"sqlite:{tmp_path}/store.db"
    with MockServer(store=store) as server:
        workspace = server.workspace({**WORLD, "expect": [{"only": ["webhooks"], "hold": True}]}, name="kept")
        create_sender(workspace)
        workspace.leave()

    with MockServer(store=store) as server:
        [workspace] = [row for row in server.workspaces() if row.name == "kept"]

        assert texts(workspace) == ["FAILED: only webhooks may have changed (changed: senders)"]


def test_reset_begins_anew(make):
    workspace = make({"only": [], "hold": True})
    create_sender(workspace)
    assert not workspace.expectations()[0].satisfied

    workspace.reset()

    assert workspace.expectations()[0].satisfied


# ---------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("item", "message"),
    [
        (
            {"path": "mailbox[to=a@b.test]", "absent": True},
            "expect[0]: mailbox[to=a@b.test] is satisfied before anything has happened, so it checks nothing"
        ),
        ({"only": ["senders"]}, "expect[0]: only is satisfied before anything has happened"),
        ({"path": "state.sendrs", "count": 3}, "[0].path: unknown member 'sendrs' of state; did you mean senders?"),
        ({"path": "journal[opration=x]", "count": 3}, "unknown member 'opration' of journal; did you mean operation?"),
        ({"path": "mailbox.titel", "count": 3}, "expect[0].path: unknown member 'titel' of mailbox; "),
        ({"only": ["sender"]}, "expect[0].only[0]: unknown section 'sender'; did you mean senders?"),
        ({"path": "x", "count": 1}, "expect[0].path: must begin with state, journal or mailbox"),
        ({"path": "state[", "count": 1}, "expect[0].path: cannot be read from '[' on"),
        ({"path": "state.senders", "absent": False}, "expect[0].absent: invalid value: got false, expected true"),
        ({"path": "state.senders"}, "expect[0]: give path with one of equals, count and absent; or only"),
        ({"count": 1}, "expect[0]: give path with one of equals, count and absent; or only"),
        ({"path": "state.senders", "only": []}, "expect[0]: give path with one of equals, count and absent; or only"),
    ],
    ids=str,
)  # fmt: skip
def test_expectation_is_refused_with_its_place_and_value(make, item, message):
    assert message in refusal(make, item)


def test_refusal_names_file_and_line(tmp_path):
    path = tmp_path / "world.yaml"
    path.write_text(
        textwrap.dedent("""
        senders: [{name: Jo, email: jo@acme.test}]
        expect:
          - {path: state.senders, count: 2}
          - {path: state.senders, count: 1}
    """).lstrip()
    )

    ended = invoke(("scenarios", "check", str(path)))

    assert ended.exit_code == 1
    assert f"{path.name}:4: expect[1]: state.senders is satisfied before anything has happened" in ended.output


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("journal[operation=deleteSnder]", "operation cannot be 'deleteSnder'; did you mean deleteSender?"),
        ("journal[operation=getCategoris]", "operation cannot be 'getCategoris'; did you mean getCategories?"),
        ("journal[method=GTE]", "method cannot be 'GTE'; did you mean GET?"),
        ("journal.request.boddy.email", "unknown member 'boddy' of request; did you mean body?"),
        ("journal[0].transitions[machine=sendr]", "machine cannot be 'sendr'; did you mean sender?"),
        ("journal.caused_by[knid=mail]", "unknown member 'knid' of caused_by; did you mean kind?"),
        ("mailbox.smtp[state=snt]", "state cannot be 'snt'; did you mean sent?"),
        ("mailbox.attachments.nmae", "unknown member 'nmae' of attachments; did you mean name?"),
        ("state.senders[emial=x]", "unknown member 'emial' of senders; did you mean email?"),
        ("state.senders[state=verifed]", "state cannot be 'verifed'; did you mean verified?"),
        ("state.senders.name.first", "unknown member 'first' of name; it has no members"),
        ("state.accounts[name=acme].senders[id=2].ips.wieght", "unknown member 'wieght' of ips; did you mean weight?"),
        ("state.accounts[name=acme].sendrs", "unknown member 'sendrs' of accounts; did you mean senders?"),
        ("state.deliveries[state=delivred]", "state cannot be 'delivred'; did you mean delivered?"),
        ("state.deliveries.target.ulr", "unknown member 'ulr' of target; did you mean url?"),
        ("state.clock.frozn", "unknown member 'frozn' of clock; did you mean frozen?"),
        ("state.expect", "unknown member 'expect' of state; "),
    ],
)
def test_path_that_can_never_find_anything_is_refused(make, path, message):
    assert f"expect[0].path: {message}" in refusal(make, {"path": path, "absent": True, "hold": True})


def test_equality_with_a_value_outside_of_a_closed_list_is_refused(make):
    item = {"path": "state.senders[id=2].state", "equals": "verifed"}

    assert "state cannot be 'verifed'; did you mean verified?" in refusal(make, item)


@pytest.mark.parametrize(
    "path",
    [
        "journal.request.body.anything[name=x].more", "journal[0].answer.headers.x-own", "journal[account=nobody]",
        "journal.query.limit", "journal[beyond=stubbed]", "state.contacts.attributes.COLOUR", "state.resume.ids.sender",
        "state.behaviour.export.after", "state.domains.dns.brevo_code", "mailbox.params.name", "mailbox[otp=null]",
    ],
)  # fmt: skip
def test_path_into_what_has_any_members_is_accepted(make, path):
    assert make({"path": path, "absent": True, "hold": True}).expectations()


def names_of_record(hint):
    """Return the names of a record's members, with those of records in them."""
    return {
        row.sent_as: names_of_record(found)
        for row in members(hint)
        for found in [row.of_type(Shape).hint if row.of_type(Shape) else row.type_]
        for found in [next(iter(getattr(found, "__args__", ())), found)]
        for found in [found if is_record(found) else type("NoRecord", (), {})]
    }


def names_of_form(form):
    form = form.get("items", form)
    return {name: names_of_form(inner) for name, inner in form.get("properties", {}).items()}


@pytest.mark.parametrize(("record", "form"), [(Exchange, REQUEST), (Mail, MAIL)])
def test_names_of_requests_and_mails_are_those_of_the_control_api(record, form):
    assert names_of_form(form) == names_of_record(record)


def test_scenario_of_the_page_is_satisfied_by_what_it_asks_for(server):
    page = Path(__file__).parents[2] / "docs" / "howto" / "expectations.md"
    document = yaml.safe_load(page.read_text(encoding="utf-8").split("```yaml\n")[1].split("```")[0])
    workspace = server.workspace(document)
    workspace.machines.fire("sender", 2, "resend_otp")
    code = workspace.mailbox.latest(to="jo@acme.test").otp

    before = [row.satisfied for row in workspace.expectations()]
    call(workspace, "PUT", "/senders/2/validate", json={"otp": code})

    assert before == [False, False, True, True]
    assert [row.satisfied for row in workspace.expectations()] == [True, True, True, True]


# ---------------------------------------------------------------------- the command


def test_command_ends_with_1_until_all_are_satisfied(make, server):
    workspace = make({"path": "state.senders", "count": 2})
    settings = {"MOCKSERVER_URL": server.url, "MOCKSERVER_WORKSPACE": workspace.name}

    before = invoke(("expect",), settings)
    create_sender(workspace)
    after = invoke(("expect",), settings)

    assert (before.exit_code, before.stdout) == (1, "FAILED: state.senders has 2 items (found 1)\n")
    assert (after.exit_code, after.stdout) == (0, "ok: state.senders has 2 items (found 2)\n")


def test_command_ends_with_2_without_expectations(make, server):
    workspace = make()

    ended = invoke(("expect",), {"MOCKSERVER_URL": server.url, "MOCKSERVER_WORKSPACE": workspace.name})

    assert ended.exit_code == 2
    assert f"workspace {workspace.name}: its scenario has no expect: section" in ended.stderr
