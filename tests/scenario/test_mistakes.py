"""A bad scenario is told with file, line, path and what was expected, all mistakes at once."""

import pytest

from mockserver.scenario.documents.library import Library
from mockserver.scenario.documents.mistakes import ScenarioError
from mockserver.scenario.load import load
from mockserver.scenario.schema import generators

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
        ("seeed: 1", "mine.yaml:1: seeed: unknown key; did you mean seed?"),
        ("description: A\nseed: x", "mine.yaml:2: seed: not an integer: got 'x' (a string)"),
        ("solution: v3", "mine.yaml:1: solution: unknown value: got 'v3', expected one of: v1, v2"),
        ("clock: {start: tomorrow}", "not an RFC 3339 date-time"),
        ("behaviour: {otp_lifetime: 15}", "not a duration, such as 16m, 1h30m, 2d or PT16M"),
        ("behaviour: {otp_lifetime: -PT1M}", "behaviour.otp_lifetime: must not be negative"),
        ("behaviour: {otp_lifetime: P1Y}", "years and months have no fixed length: give days"),
        (
            "behaviour: {authenticate_domain: later}",
            "behaviour.authenticate_domain: invalid value: got 'later', expected immediate, {after: DURATION} or",
        ),
        ("behaviour: {authenticate_domain: {attempts: 0}}", "behaviour.authenticate_domain.attempts"),
        ("behaviour: {bulk_plan: PT1H}", "behaviour.bulk_plan: invalid value: got 'PT1H', expected {after: DURATION}"),
        (
            "behaviour: {authorised_ips: [here]}",
            "behaviour.authorised_ips[0]: invalid value: got 'here', expected an IP address or a network",
        ),
        ("behaviour: {dns: server}", "behaviour.dns: unknown value: got 'server', expected one of: view, resolver"),
        (
            "faults: [{fault: otp_expire}]",
            "faults[0].fault: unknown fault: got 'otp_expire'; did you mean otp_expired?",
        ),
        (
            "accounts: [{name: a, role: king}]",
            "accounts[0].role: unknown value: got 'king', expected one of: standalone, master, admin, sub_account",
        ),
        (
            "accounts: [{role: master}]",
            "accounts[0].name: missing required key: the name by which scenarios and the control API know it",
        ),
        (
            "accounts: [{name: a, organization_id: 650000000000000000000001}]",
            'write "650000000000000000000001" in quotes',
        ),
        ("accounts: [{name: a}, {name: a}]", "accounts[1].name: duplicate account name 'a'"),
        ("accounts: [{name: a, id: 5}, {name: b, id: 5}]", "accounts[1].id: duplicate account id 5"),
        ("accounts: [{name: a, role: sub_account, of: b}]", "accounts[0].of: no account of role master is named 'b'"),
        ("accounts: [{name: a, of: b}]", "an account of role standalone has no master"),
        (
            "accounts: [{name: a, api_keys: [k]}, {name: b, api_keys: [k]}]",
            "accounts[1].api_keys[0]: duplicate API key: another account has it",
        ),
        ("accounts: [{name: a, api_keys: ['two words']}]", "printable ASCII characters without blanks"),
        (
            "accounts: [{name: a, pool: {}}]",
            "accounts[0].pool: only for accounts of role master: account 'a' has role standalone",
        ),
        (
            "accounts: [{name: a, assigned: {}}]",
            "accounts[0].assigned: only for accounts of role sub_account: account 'a' has role standalone",
        ),
        (
            "accounts: [{name: a, timezone: UTC}]",
            "accounts[0].timezone: only for accounts of role master or sub_account: account 'a' has role standalone",
        ),
        (
            "accounts: [{name: a, role: master, timezone: Nowhere}]",
            "accounts[0].timezone: unknown time zone: got 'Nowhere', expected one such as Europe/Berlin",
        ),
        (
            "senders: [{name: A, email: a}]",
            "senders[0].email: not an e-mail address: got 'a', expected one such as ada@acme.test",
        ),
        (
            "senders: [{name: A, email: jo@localhost}]",
            "senders[0].email: not an e-mail address: got 'jo@localhost', expected one such as ada@acme.test",
        ),
        (
            "scheduled_emails: [{to: jo@localhost, scheduled_at: PT1H}]",
            "scheduled_emails[0].to: not an e-mail address: got 'jo@localhost', expected one such as ada@acme.test",
        ),
        (
            "inbound_events: [{date: -PT1H, sender: jo@localhost, recipient: a@b.test}]",
            "inbound_events[0].sender: not an e-mail address: got 'jo@localhost', expected one such as ada@acme.test",
        ),
        (
            "inbound_events: [{date: -PT1H, sender: a@b.test, recipient: jo@localhost}]",
            "inbound_events[0].recipient: not an e-mail address: got 'jo@localhost', expected one",
        ),
        (
            "activities: [{date: -PT1H, action: a, user_email: jo@localhost}]",
            "activities[0].user_email: not an e-mail address: got 'jo@localhost', expected one such as ada@acme.test",
        ),
        (
            "domains: [{name: b.test, creator: jo@localhost}]",
            "domains[0].creator: not an e-mail address: got 'jo@localhost', expected one such as ada@acme.test",
        ),
        (
            EXPORT.replace("EMAIL", "jo@localhost"),
            "exports[0].filters.email: not an e-mail address: got 'jo@localhost', expected one such as ada@acme.test",
        ),
        (
            "sso_tokens: [{token: a, email: jo@localhost}]",
            "sso_tokens[0].email: not an e-mail address: got 'jo@localhost', expected one such as ada@acme.test",
        ),
        ("senders: [{name: A}]", "senders[0].email: missing required key: the address, each once in an account"),
        ("senders: 3", "senders: not a list: got 3 (a number)"),
        (
            "senders: [{name: A, email: a@b.test, ips: [{ip: 1.2.3.4, domain: b.test}]}]",
            "account acme has no dedicated IP 1.2.3.4",
        ),
        (
            "webhooks: [{url: nowhere, events: [sent]}]",
            "webhooks[0].url: not a URL: got 'nowhere', expected one such as https://acme.test/hook",
        ),
        (
            "webhooks: [{url: 'http://a.test', events: [listAddition]}]",
            "webhooks[0].events[0]: not an event of transactional webhooks: got 'listAddition'; known:",
        ),
        (
            "webhooks: [{url: 'http://a.test'}]",
            "webhooks[0].events: no events: a webhook of type transactional needs one or more of",
        ),
        (
            "webhooks: [{url: 'http://a.test', type: inbound}]",
            "webhooks[0].domain: no domain: a webhook of type inbound needs one, such as in.acme.test",
        ),
        (
            "scheduled_emails: [{message_id: x, to: a@b.test, scheduled_at: PT1H}]",
            "scheduled_emails[0].message_id: invalid value: got 'x', expected an id in angle brackets with an @",
        ),
        (
            "scheduled_emails: [{batch_id: x, to: a@b.test, scheduled_at: PT1H}]",
            "scheduled_emails[0].batch_id: invalid value: got 'x', expected a UUID of version 4",
        ),
        ("attributes: {normal: [A, A]}", "attributes.normal[1]: duplicate normal attribute 'A'"),
        ("attributes: {special: [A]}", "attributes.special: unknown key"),
        ("dns: {acme.test: {brevo_cod: ok}}", "dns.acme.test.brevo_cod: unknown key; did you mean brevo_code?"),
        ("generate: {senders: -1}", "generate.senders"),
        (
            "senders: []\naccounts: [{name: a, senders: []}]",
            "senders: duplicate section: accounts[0].senders has it as well; keep one of them",
        ),
        ("seed: 1\nseed: 2", "mine.yaml:2: seed: duplicate key, first on line 1"),
        ("- 1", "mine.yaml:1: a scenario must be a mapping: got a list of 1 item"),
        ("a: [", "mine.yaml:2: not YAML"),
        (
            "a: !!python/object:os.system {}",
            "a: unsupported YAML tag: got tag:yaml.org,2002:python/object:os.system, expected a plain value",
        ),
        ("extends: 3", "mine.yaml:1: extends: not a string: got 3 (a number), expected a string in quotes"),
        ("extends: nowhere", "mine.yaml:1: extends: unknown scenario 'nowhere'; known:"),
        ("extends: mine", "extends: circular extends: mine > mine"),
    ],
)
def test_a_mistake_is_told_with_its_place_and_what_was_expected(told, text, mistake):
    lines = told(text)

    assert len(lines) == 1
    assert mistake in lines[0]
    assert lines[0].startswith("mine.yaml:")


@pytest.mark.parametrize(
    ("ips", "mistake"),
    [
        (
            "{ip: 198.51.100.9, domain: a.test}",
            "account acme has no dedicated IP 198.51.100.9 (it has 198.51.100.7, 198.51.100.8, 203.0.113.40)",
        ),
        ("{ip: 198.51.100.7, domain: b.test}", "wrong domain b.test for dedicated IP 198.51.100.7, expected a.test"),
        ("{ip: 203.0.113.40, domain: old.test}", "dedicated IP 203.0.113.40 of account acme is inactive"),
        ("{ip: 198.51.100.7, domain: a.test, weight: 30}", "the weights 30 add up to 30, expected 100"),
        (
            "{ip: 198.51.100.7, domain: a.test}, {ip: 198.51.100.8, domain: b.test, weight: 100}",
            "only 1 of the 2 ips have a weight",
        ),
        (
            "{ip: 198.51.100.7, domain: a.test}, {ip: 198.51.100.7, domain: a.test}",
            "duplicate IP in ips: 198.51.100.7, 198.51.100.7",
        ),
    ],
)
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


@pytest.mark.parametrize(
    ("solution", "plan", "flaw"),
    [
        (
            "v2",
            "{features: {users: 1, inbox: 1}}",
            ".features.inbox: the v2 solution does not have this feature: leave it out",
        ),
        (
            "v2",
            "{features: {landingPage: 0}}",
            ".features.landingPage: the v2 solution does not have this feature: leave it out",
        ),
        ("v1", "{features: {salesUsers: 1}}", ": features.salesUsers: only the v2 solution has it"),
    ],
)
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


def test_all_mistakes_are_told_at_once(told):
    lines = told("seed: x\nstrict: 7\nsenders:\n  - {name: A, emial: a}\n  - 3\n")

    assert sorted(line.split(": ")[0] + " " + line.split(": ")[1] for line in lines) == [
        "mine.yaml:1 seed",
        "mine.yaml:2 strict",
        "mine.yaml:4 senders[0].email",
        "mine.yaml:4 senders[0].emial",
        "mine.yaml:5 senders[1]",
    ]


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


@pytest.mark.parametrize(
    ("text", "mistake"),
    [
        (
            "accounts:\n  - {name: c}\n  - name: b\n    assigned:\n      credits: {emial: 5}",
            "mine.yaml:6: accounts[1].assigned.credits.emial: unknown key; did you mean email?",
        ),
        ("accounts:\n  - {name: c}\n  - {name: c}", "mine.yaml:4: accounts[1].name: duplicate account name 'c'"),
        ("accounts:\n  - {name: c}\n  - {role: master}", "mine.yaml:4: accounts[1].name: missing required key"),
        (
            "accounts:\n  - {name: c}\n  - {name: b, assigned: {credits: {email: 11}}}",
            "mine.yaml:4: accounts[1].assigned: the pool of 'm' is too small: it holds 10 email, and 11 are assigned",
        ),
        (
            "accounts:\n  - {name: m, pool: {credits: {email: 4}}}",
            "below.yaml:7: accounts[2].assigned: the pool of 'm' is too small: it holds 4 email, and 5 are assigned",
        ),
        ("behaviour: {dns: server}", "mine.yaml:2: behaviour.dns: unknown value: got 'server'"),
        ("accounts: 3", "mine.yaml:2: accounts: not a list: got 3"),
        (
            "faults: [{fault: otp_expire}]",
            "mine.yaml:2: faults[0].fault: unknown fault: got 'otp_expire'; did you mean otp_expired?",
        ),
    ],
)
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


def test_a_list_above_hides_the_one_below(told):
    below = "senders:\n  - {name: A, email: a@b.test}\n"

    lines = told("extends: below\nsenders: [{name: A}]\n", below=below)

    assert lines == ["mine.yaml:2: senders[0].email: missing required key: the address, each once in an account"]


def test_a_circle_through_other_files_is_told(told):
    lines = told("extends: below\n", below="extends: mine\n")

    assert lines == ["below.yaml:1: extends: circular extends: mine > below > mine"]


def test_an_immense_document_of_aliases_is_refused(told):
    levels = ["a0: &a0 [1,1,1,1,1,1,1,1,1,1]"] + [f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]

    assert "aliases and merges repeat more than 50,000 parts" in told("\n".join(levels))[0]


def test_a_file_that_is_not_utf8_is_refused(tmp_path):
    (tmp_path / "mine.yaml").write_bytes(b"description: \xff")

    with pytest.raises(ScenarioError, match="not UTF-8"):
        Library(tmp_path).read("mine")


def test_what_is_made_up_and_does_not_fit_is_told_where_it_was_asked_for(told, monkeypatch):
    same = {"id": 1, "name": "A", "email": "a@b.test", "state": "verified", "ips": []}
    monkeypatch.setitem(generators(), "senders", lambda *_: same)
    lines = told("accounts:\n  - {name: a}\n  - name: b\n    generate:\n      senders: 2\n")

    assert lines[0].startswith(
        "mine.yaml:5: accounts[1].generate.senders: a generated item of account 'b' conflicts with others: "
    )
