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


def test_a_mistake_is_told_with_its_place_and_what_was_expected(told):
    for text, mistake in [
        *CASES["a_mistake_is_told_with_its_place"],
        (
            EXPORT.replace("EMAIL", "jo@localhost"),
            "exports[0].filters.email: not an e-mail address: got 'jo@localhost', expected one such as ada@acme.test",
        ),
    ]:
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


def test_an_id_is_unique_in_the_whole_workspace(told):
    for kind, item in [
        ("senders", "{id: 1, name: A, email: EMAIL}"),
        ("webhooks", "{id: 1, url: 'http://a.test', events: [sent]}"),
        ("campaigns", "{id: 1, name: A}"),
        ("scheduled_emails", "{message_id: <1@a.test>, to: a@b.test, scheduled_at: PT1H}"),
    ]:
        one, two = item.replace("EMAIL", "a@b.test"), item.replace("EMAIL", "c@d.test")
        lines = told(f"accounts:\n  - {{name: a, {kind}: [{one}]}}\n  - {{name: b, {kind}: [{two}]}}")
        assert len(lines) == 1
        assert lines[0].startswith(f"mine.yaml:3: accounts[1].{kind}[0].")
        assert ": duplicate " in lines[0]


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


BELOW = (
    "accounts:\n"
    "  - {name: m, role: master, pool: {credits: {email: 10}}}\n"
    "  - {name: a, role: sub_account, of: m}\n"
    "  - name: b\n"
    "    role: sub_account\n"
    "    of: m\n"
    "    assigned: {credits: {email: 5}}\n"
)


POOL = "accounts:\n  - {name: sub, role: sub_account, of: m, assigned: {credits: {email: 11}}}\n"
GROUP = (
    "accounts:\n  - {name: m, role: master}\n"
    "  - {name: sub, role: sub_account, of: m, group_ids: ['650000000000000000000009']}\n"
)
BULK = (
    "accounts:\n  - {name: n, id: 9}\n"
    "  - {name: sub, id: 10, role: sub_account, of: m, plan_state: assignment_pending}\n"
    "  - {name: m, role: master, bulk_plans: [{id: 1, due: P0D, change: {}, members: MEMBERS}]}\n"
)
PENDING = "mine.yaml:4: accounts[2].bulk_plans[0].members: "
BETWEEN = "extends: below\naccounts:\n  - {name: d}\n  - {name: a, langauge: en}\n"
OTHERS = {
    "a plan that the pool does not hold": (
        f"{POOL}  - {{name: m, role: master, pool: {{credits: {{email: 10}}}}}}\n", {},
        "mine.yaml:2: accounts[0].assigned: the pool of 'm' is too small: it holds 10 email, and 11 are assigned"),
    "a group that the master does not have": (
        GROUP, {}, "mine.yaml:3: accounts[1].group_ids[0]: not a group of 'm': got '650000000000000000000009'"),
    "no members": (BULK.replace("MEMBERS", "[]"), {}, f"{PENDING}no members: expected the id of a sub-account"),
    "members that are unknown": (BULK.replace("MEMBERS", "[10, 11]"), {}, f"{PENDING}not a sub-account of 'm': got 11"),
    "members of another": (BULK.replace("MEMBERS", "[9]"), {}, f"{PENDING}not a sub-account of 'm': got 9"),
    "below": ("extends: below\nseed: 1\n", {"below": "description: A\nsolution: v9\n"},
              "below.yaml:2: solution: unknown value: got 'v9', expected one of: v1, v2"),
    "between": ("extends: between\naccounts: [{name: a, company_name: A}, {name: e}]\n",
                {"between": BETWEEN, "below": BELOW},
                "between.yaml:4: accounts[1].langauge: unknown key; did you mean language?"),
    "a list that replaces that of the base": (
        "extends: below\nsenders: [{name: A}]\n", {"below": "senders:\n  - {name: A, email: a@b.test}\n"},
        "mine.yaml:2: senders[0].email: missing required key: the address, each once in an account"),
    "a circle": ("extends: below\n", {"below": "extends: mine\n"},
                 "below.yaml:1: extends: circular extends: mine > below > mine"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "others", "mistake"), OTHERS.values(), ids=OTHERS)
def test_a_mistake_that_another_account_or_file_shows_is_told_with_its_place(told, text, others, mistake):
    assert told(text, **others) == [mistake]


@pytest.mark.parametrize(("text", "mistake"), CASES["a_mistake_above_is_told"])
@pytest.mark.parametrize("way", ["extends: below\n", "extends: between\n"])
def test_a_mistake_above_is_told_with_its_own_place(told, text, mistake, way):
    lines = told(f"{way}{text}", below=BELOW, between="extends: below\naccounts: [{name: d}]\n")

    assert len(lines) == 1
    assert lines[0].startswith(mistake)


def test_what_is_made_up_and_does_not_fit_is_told_where_it_was_asked_for(told, monkeypatch):
    same = {"id": 1, "name": "A", "email": "a@b.test", "state": "verified", "ips": []}
    monkeypatch.setitem(generators(), "senders", lambda *_: same)
    lines = told("accounts:\n  - {name: a}\n  - name: b\n    generate:\n      senders: 2\n")

    assert lines[0].startswith(
        "mine.yaml:5: accounts[1].generate.senders: a generated item of account 'b' conflicts with others: "
    )
