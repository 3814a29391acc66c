"""A bad scenario is told with file, line, path and what was expected, all mistakes at once."""

import pytest
from tables import tables

from mockserver.scenario.documents.library import Library
from mockserver.scenario.documents.mistakes import ScenarioError
from mockserver.scenario.load import load
from mockserver.scenario.schema import generators

#: The parametrized cases by test.
CASES = tables(__file__)

FILTERS = "{type: marketing, event: spam, notifyURL: 'http://a.test', email: EMAIL}"
EXPORT = f"exports: [{{id: 1, requested_at: PT0S, filters: {FILTERS}}}]"


@pytest.fixture
def told(tmp_path):
    """What is told of a file with this text, without the folder."""

    def mistakes(text, **others):
        for name, other in others.items():
            (tmp_path / f"{name}.yaml").write_text(other)
        path = tmp_path / "mine.yaml"
        path.write_text(text)
        with pytest.raises(ScenarioError) as error:
            load(Library(tmp_path).read("mine"), name="test")
        return str(error.value).replace(f"{tmp_path}/", "").splitlines()

    return mistakes


@pytest.mark.parametrize(
    ("text", "mistake"),
    [
        *CASES["a_mistake_is_told_with_its_place"],
        (
            EXPORT.replace("EMAIL", "jo@localhost"),
            "exports[0].filters.email: not an e-mail address: got 'jo@localhost', expected one such as ada@acme.test",
        ),
    ],
)
def test_a_mistake_is_told_with_its_place_and_what_was_expected(told, text, mistake):
    lines = told(text)

    assert len(lines) == 1
    assert mistake in lines[0]
    assert lines[0].startswith("mine.yaml:")


@pytest.mark.parametrize(("ips", "mistake"), CASES["the_ips_of_a_sender_keep"])
def test_the_ips_of_a_sender_keep_the_rules_of_the_api(told, ips, mistake):
    lines = told(
        "dedicated_ips:\n"
        "  - {id: 1, ip: 198.51.100.7, domain: a.test}\n"
        "  - {id: 2, ip: 198.51.100.8, domain: b.test}\n"
        "  - {id: 3, ip: 203.0.113.40, domain: old.test, active: false}\n"
        f"senders:\n  - {{name: A, email: a@b.test, ips: [{ips}]}}\n"
    )

    assert [line.split("; ")[0] for line in lines] == [f"mine.yaml:6: senders[0].ips: {mistake}"]


@pytest.mark.parametrize(
    ("kind", "item"),
    [
        ("senders", "{id: 1, name: A, email: EMAIL}"),
        ("webhooks", "{id: 1, url: 'http://a.test', events: [sent]}"),
        ("campaigns", "{id: 1, name: A}"),
        ("scheduled_emails", "{message_id: <1@a.test>, to: a@b.test, scheduled_at: PT1H}"),
    ],
)
def test_an_id_is_unique_in_the_whole_workspace(told, kind, item):
    one, two = item.replace("EMAIL", "a@b.test"), item.replace("EMAIL", "c@d.test")

    lines = told(f"accounts:\n  - {{name: a, {kind}: [{one}]}}\n  - {{name: b, {kind}: [{two}]}}")

    assert len(lines) == 1
    assert lines[0].startswith(f"mine.yaml:3: accounts[1].{kind}[0].")
    assert ": duplicate " in lines[0]


def test_a_plan_that_the_pool_does_not_hold_is_refused(told):
    lines = told(
        "accounts:\n"
        "  - {name: sub, role: sub_account, of: m, assigned: {credits: {email: 11}}}\n"
        "  - {name: m, role: master, pool: {credits: {email: 10}}}\n"
    )

    assert lines == [
        "mine.yaml:2: accounts[0].assigned: the pool of 'm' is too small: it holds 10 email, and 11 are assigned"
    ]


@pytest.mark.parametrize(("solution", "plan", "flaw"), CASES["a_plan_of_what_the_solution_does"])
def test_a_plan_of_what_the_solution_does_not_have_is_refused(told, solution, plan, flaw):
    pool = "pool: {features: {users: 9, inbox: 9, landingPage: 9, salesUsers: 9}}"
    change = f"{{id: 1, due: PT1H, change: {plan}, members: [7]}}"
    sub = "{name: sub, id: 7, role: sub_account, of: m, plan_state: assignment_pending"

    assigned = told(
        f"solution: {solution}\naccounts:\n  - {{name: m, role: master, {pool}}}\n  - {sub}, assigned: {plan}}}\n"
    )
    changed = told(
        f"solution: {solution}\naccounts:\n  - {{name: m, role: master, {pool}, bulk_plans: [{change}]}}\n  - {sub}}}\n"
    )

    assert assigned == [f"mine.yaml:4: accounts[1].assigned{flaw}"]
    assert changed == [f"mine.yaml:3: accounts[0].bulk_plans[0].change{flaw}"]


def test_a_group_that_the_master_does_not_have_is_refused(told):
    lines = told(
        "accounts:\n"
        "  - {name: m, role: master}\n"
        "  - {name: sub, role: sub_account, of: m, group_ids: ['650000000000000000000009']}\n"
    )

    assert lines == ["mine.yaml:3: accounts[1].group_ids[0]: not a group of 'm': got '650000000000000000000009'"]


@pytest.mark.parametrize(
    ("members", "mistake"),
    [
        ("[]", "no members: expected the id of a sub-account"),
        ("[10, 11]", "not a sub-account of 'm': got 11"),
        ("[9]", "not a sub-account of 'm': got 9"),
    ],
)
def test_a_pending_change_of_plans_is_for_sub_accounts_of_its_master(told, members, mistake):
    lines = told(
        "accounts:\n"
        "  - {name: n, id: 9}\n"
        "  - {name: sub, id: 10, role: sub_account, of: m, plan_state: assignment_pending}\n"
        "  - name: m\n"
        "    role: master\n"
        f"    bulk_plans: [{{id: 1, due: P0D, change: {{}}, members: {members}}}]\n"
    )

    assert lines == [f"mine.yaml:6: accounts[2].bulk_plans[0].members: {mistake}"]


@pytest.mark.parametrize("state", ["", ", plan_state: active"])
def test_a_sub_account_that_waits_for_a_change_of_its_plan_says_so(told, state):
    lines = told(
        "accounts:\n"
        f"  - {{name: sub, id: 10, role: sub_account, of: m{state}}}\n"
        "  - {name: m, role: master, bulk_plans: [{id: 1, due: P0D, change: {}, members: [10]}]}\n"
    )

    assert "accounts[0].plan_state: got " in lines[0]
    assert lines[0].endswith(
        "expected assignment_pending or change_pending: the sub-account waits for a bulk plan of 'm'"
    )


def test_a_mistake_below_is_told_with_the_file_that_it_stands_in(told):
    lines = told("extends: below\nseed: 1\n", below="description: A\nsolution: v9\n")

    assert lines == ["below.yaml:2: solution: unknown value: got 'v9', expected one of: v1, v2"]


BELOW = (
    "accounts:\n"
    "  - {name: m, role: master, pool: {credits: {email: 10}}}\n"
    "  - {name: a, role: sub_account, of: m}\n"
    "  - name: b\n"
    "    role: sub_account\n"
    "    of: m\n"
    "    assigned: {credits: {email: 5}}\n"
)


@pytest.mark.parametrize(("text", "mistake"), CASES["a_mistake_above_is_told"])
@pytest.mark.parametrize("way", ["extends: below\n", "extends: between\n"])
def test_a_mistake_above_is_told_with_its_own_place(told, text, mistake, way):
    lines = told(f"{way}{text}", below=BELOW, between="extends: below\naccounts: [{name: d}]\n")

    assert len(lines) == 1
    assert lines[0].startswith(mistake)


def test_a_mistake_between_is_told_with_the_place_there(told):
    between = "extends: below\naccounts:\n  - {name: d}\n  - {name: a, langauge: en}\n"
    above = "extends: between\naccounts: [{name: a, company_name: A}, {name: e}]\n"

    lines = told(above, between=between, below=BELOW)

    assert lines == ["between.yaml:4: accounts[1].langauge: unknown key; did you mean language?"]


def test_list_in_an_extending_scenario_replaces_the_base_list(told):
    below = "senders:\n  - {name: A, email: a@b.test}\n"

    lines = told("extends: below\nsenders: [{name: A}]\n", below=below)

    assert lines == ["mine.yaml:2: senders[0].email: missing required key: the address, each once in an account"]


def test_a_circle_through_other_files_is_told(told):
    lines = told("extends: below\n", below="extends: mine\n")

    assert lines == ["below.yaml:1: extends: circular extends: mine > below > mine"]


def test_what_is_made_up_and_does_not_fit_is_told_where_it_was_asked_for(told, monkeypatch):
    same = {"id": 1, "name": "A", "email": "a@b.test", "state": "verified", "ips": []}
    monkeypatch.setitem(generators(), "senders", lambda *_: same)
    lines = told("accounts:\n  - {name: a}\n  - name: b\n    generate:\n      senders: 2\n")

    assert lines[0].startswith(
        "mine.yaml:5: accounts[1].generate.senders: a generated item of account 'b' conflicts with others: "
    )
