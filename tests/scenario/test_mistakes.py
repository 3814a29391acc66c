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
        ("description: A\nseed: x", "mine.yaml:2: seed: Not a valid integer"),
        ("solution: v3", "mine.yaml:1: solution: Must be one of: v1, v2"),
        ("clock: {start: tomorrow}", "not an RFC 3339 date-time"),
        ("behaviour: {otp_lifetime: 15}", "not a duration, such as 16m, 1h30m, 2d or PT16M"),
        ("behaviour: {otp_lifetime: -PT1M}", "behaviour.otp_lifetime: must not be negative"),
        ("behaviour: {otp_lifetime: P1Y}", "years and months have no fixed length: give days"),
        ("behaviour: {authenticate_domain: later}", "must be immediate, {after: DURATION} or {attempts: NUMBER}"),
        ("behaviour: {authenticate_domain: {attempts: 0}}", "behaviour.authenticate_domain.attempts"),
        ("behaviour: {bulk_plan: PT1H}", "must be {after: DURATION}"),
        ("behaviour: {authorised_ips: [here]}", "must be an IP address or a network"),
        ("behaviour: {dns: server}", "behaviour.dns: Must be one of: view, resolver"),
        ("faults: [{fault: otp_expire}]", "faults[0].fault: unknown fault; did you mean otp_expired?"),
        ("accounts: [{name: a, role: king}]", "accounts[0].role: Must be one of"),
        ("accounts: [{role: master}]", "accounts[0].name: Missing data for required field"),
        (
            "accounts: [{name: a, organization_id: 650000000000000000000001}]",
            'write "650000000000000000000001" in quotes',
        ),
        ("accounts: [{name: a}, {name: a}]", "accounts[1].name: a is there already"),
        ("accounts: [{name: a, id: 5}, {name: b, id: 5}]", "accounts[1].id: 5 is there already"),
        ("accounts: [{name: a, role: sub_account, of: b}]", "names its master; there is no 'b'"),
        ("accounts: [{name: a, of: b}]", "an account of role standalone has no master"),
        ("accounts: [{name: a, api_keys: [k]}, {name: b, api_keys: [k]}]", "this key opens another account already"),
        ("accounts: [{name: a, api_keys: ['two words']}]", "printable ASCII characters without blanks"),
        ("accounts: [{name: a, pool: {}}]", "accounts[0].pool: only an account of role master has it"),
        ("accounts: [{name: a, assigned: {}}]", "accounts[0].assigned: only an account of role sub_account has it"),
        ("accounts: [{name: a, timezone: UTC}]", "only an account of role master or sub_account has it"),
        ("accounts: [{name: a, role: master, timezone: Nowhere}]", "Not the name of a time zone"),
        ("senders: [{name: A, email: a}]", "senders[0].email: Not a valid email address"),
        ("senders: [{name: A, email: jo@localhost}]", "senders[0].email: Not a valid email address"),
        ("scheduled_emails: [{to: jo@localhost, scheduled_at: PT1H}]", "].to: Not a valid email address"),
        (
            "inbound_events: [{date: -PT1H, sender: jo@localhost, recipient: a@b.test}]",
            "inbound_events[0].sender: Not a valid email address",
        ),
        (
            "inbound_events: [{date: -PT1H, sender: a@b.test, recipient: jo@localhost}]",
            "inbound_events[0].recipient: Not a valid email address",
        ),
        ("activities: [{date: -PT1H, action: a, user_email: jo@localhost}]", "].user_email: Not a valid email address"),
        ("domains: [{name: b.test, creator: jo@localhost}]", "domains[0].creator: Not a valid email address"),
        (EXPORT.replace("EMAIL", "jo@localhost"), "exports[0].filters.email: Not a valid email address"),
        ("sso_tokens: [{token: a, email: jo@localhost}]", "sso_tokens[0].email: Not a valid email address"),
        ("senders: [{name: A}]", "senders[0].email: Missing data for required field"),
        ("senders: 3", "senders: Not a valid list"),
        ("senders: [{name: A, email: a@b.test, ips: [{ip: 1.2.3.4, domain: b.test}]}]", "is no dedicated IP of"),
        ("webhooks: [{url: nowhere, events: [sent]}]", "webhooks[0].url: Not a valid URL"),
        ("webhooks: [{url: 'http://a.test', events: [listAddition]}]", "is not an event of transactional webhooks"),
        ("webhooks: [{url: 'http://a.test'}]", "a webhook of type transactional needs events"),
        ("webhooks: [{url: 'http://a.test', type: inbound}]", "a webhook of type inbound needs a domain"),
        ("scheduled_emails: [{message_id: x, to: a@b.test, scheduled_at: PT1H}]", "must stand in angle brackets"),
        ("scheduled_emails: [{batch_id: x, to: a@b.test, scheduled_at: PT1H}]", "must be a UUID of version 4"),
        ("attributes: {normal: [A, A]}", "attributes.normal[1]: A is there already"),
        ("attributes: {special: [A]}", "attributes.special: unknown key"),
        ("dns: {acme.test: {brevo_cod: ok}}", "dns.acme.test.brevo_cod: unknown key; did you mean brevo_code?"),
        ("generate: {senders: -1}", "generate.senders"),
        ("senders: []\naccounts: [{name: a, senders: []}]", "senders: stands here and in accounts[0].senders as well"),
        ("seed: 1\nseed: 2", "mine.yaml:2: seed: stands there twice"),
        ("- 1", "mine.yaml:1: a scenario is a mapping"),
        ("a: [", "mine.yaml:2: not YAML"),
        ("a: !!python/object:os.system {}", "not YAML that is safe"),
        ("extends: 3", "mine.yaml:1: extends: must be the name of a scenario"),
        ("extends: nowhere", "mine.yaml:1: extends: there is no scenario 'nowhere'"),
        ("extends: mine", "goes round in a circle"),
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
        ("{ip: 198.51.100.9, domain: a.test}", "198.51.100.9 is no dedicated IP of account acme"),
        ("{ip: 198.51.100.7, domain: b.test}", "the domain of dedicated IP 198.51.100.7 is a.test"),
        ("{ip: 203.0.113.40, domain: old.test}", "dedicated IP 203.0.113.40 of account acme is inactive"),
        ("{ip: 198.51.100.7, domain: a.test, weight: 30}", "the sum of the weights 30 is 30, not 100"),
        (
            "{ip: 198.51.100.7, domain: a.test}, {ip: 198.51.100.8, domain: b.test, weight: 100}",
            "1 of the 2 ips have a weight",
        ),
        (
            "{ip: 198.51.100.7, domain: a.test}, {ip: 198.51.100.7, domain: a.test}",
            "the ips are 198.51.100.7, 198.51.100.7, and one stands there twice",
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
    assert lines[0].endswith("is there already")


def test_a_plan_that_the_pool_does_not_hold_is_refused(told):
    lines = told(
        "accounts:\n"
        "  - {name: sub, role: sub_account, of: m, assigned: {credits: {email: 11}}}\n"
        "  - {name: m, role: master, pool: {credits: {email: 10}}}\n"
    )

    assert lines == ["mine.yaml:2: accounts[0].assigned: the pool of m holds too little email"]


@pytest.mark.parametrize(
    ("solution", "plan", "flaw"),
    [
        ("v2", "{features: {users: 1, inbox: 1}}", ".features.inbox: the v2 solution does not have it"),
        ("v2", "{features: {landingPage: 0}}", ".features.landingPage: the v2 solution does not have it"),
        ("v1", "{features: {salesUsers: 1}}", ": features.salesUsers: only the v2 solution has it"),
    ],
)
def test_a_plan_of_what_the_solution_does_not_have_is_refused(told, solution, plan, flaw):
    pool = "pool: {features: {users: 9, inbox: 9, landingPage: 9, salesUsers: 9}}"
    change = f"{{id: 1, due: PT1H, change: {plan}, members: [7]}}"
    sub = "{name: sub, id: 7, role: sub_account, of: m"

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

    assert lines == ["mine.yaml:3: accounts[1].group_ids[0]: 650000000000000000000009 is not one of the groups of m"]


@pytest.mark.parametrize(
    ("members", "mistake"),
    [("[]", "names no sub-account"), ("[10, 11]", "11 is no sub-account of m"), ("[9]", "9 is no sub-account of m")],
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

    discriminator = "it waits for a bulk plan of m, and is assignment_pending or change_pending"
    assert lines[0] == f"mine.yaml:2: accounts[0].plan_state: {discriminator}"


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

    assert lines == ["below.yaml:2: solution: Must be one of: v1, v2; here stands 'v9'"]


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
        ("accounts:\n  - {name: c}\n  - {name: c}", "mine.yaml:4: accounts[1].name: c is there already"),
        ("accounts:\n  - {name: c}\n  - {role: master}", "mine.yaml:4: accounts[1].name: Missing data"),
        (
            "accounts:\n  - {name: c}\n  - {name: b, assigned: {credits: {email: 11}}}",
            "mine.yaml:4: accounts[1].assigned: the pool of m holds too little email",
        ),
        (
            "accounts:\n  - {name: m, pool: {credits: {email: 4}}}",
            "below.yaml:7: accounts[2].assigned: the pool of m holds too little email",
        ),
        ("behaviour: {dns: server}", "mine.yaml:2: behaviour.dns: Must be one of"),
        ("accounts: 3", "mine.yaml:2: accounts: Not a valid list"),
        ("faults: [{fault: otp_expire}]", "mine.yaml:2: faults[0].fault: unknown fault; did you mean otp_expired?"),
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

    assert lines == ["mine.yaml:2: senders[0].email: Missing data for required field"]


def test_a_circle_through_other_files_is_told(told):
    lines = told("extends: below\n", below="extends: mine\n")

    assert lines == ["below.yaml:1: extends: mine > below > mine goes round in a circle"]


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

    assert lines[0].startswith("mine.yaml:5: accounts[1].generate.senders: a made-up item of account b does not fit")
