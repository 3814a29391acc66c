"""An author who makes many mistakes is told of all of them at once, each with its line, its value and what is right."""

from __future__ import annotations

import re

import pytest

from mockserver import MockServer, MockServerError
from mockserver.cli import main
from mockserver.scenario.documents.library import Library
from mockserver.scenario.documents.mistakes import ScenarioError
from mockserver.scenario.load import load

#: Mistakes by what they are: lines of a scenario, and for each error the line among these with what is said of it.
#: No two have a section in common, so that they can stand in one file.
MISTAKES = {
    "a misspelt section": ("domians: []", [(1, "domians: unknown key; did you mean domains?")]),
    "an unknown scenario": ("extends: emtpy", [(1, "extends: unknown scenario 'emtpy'; did you mean empty?")]),
    "a string for a number": ("seed: twelve", [(1, "seed: not an integer: got 'twelve' (a string)")]),
    "a duplicate key": ("solution: v2\nsolution: v3", [(2, "solution: duplicate key, first on line {first}")]),
    "a string for a boolean": (
        "strict: 'yes'",
        [(1, "strict: not a boolean: got 'yes' (a string), expected true or false")],
    ),
    "a bad date": (
        "clock: {start: 15 January}",
        [(1, "clock.start: not an RFC 3339 date-time, such as 2026-01-15T09:00:00Z: got '15 January'")],
    ),
    "a bad duration, and an unknown choice": (
        "behaviour:\n  otp_lifetime: a day\n  dns: server",
        [
            (2, "behaviour.otp_lifetime: not a duration, such as 16m, 1h30m, 2d or PT16M: got 'a day'"),
            (3, "behaviour.dns: unknown value: got 'server', expected one of: view, resolver"),
        ],
    ),
    "a duplicate e-mail, a missing key, a short code and an unknown IP": (
        (
            "senders:\n"
            "  - {name: Ada, email: ada@acme.test}\n"
            "  - {name: Bob, email: ada@acme.test}\n"
            "  - {name: Eve}\n"
            "  - {name: Otp, email: otp@acme.test, state: awaiting_verification, otp: 12345}\n"
            "  - {name: Ips, email: ips@acme.test, ips: [{ip: 198.51.100.9, domain: acme.test}]}"
        ),
        [
            (3, "senders[1].email: duplicate sender e-mail 'ada@acme.test' in the account"),
            (4, "senders[2].email: missing required key: the address, each once in an account"),
            (5, "senders[3].otp: out of range: got 12345, expected 100000 to 999999"),
            (6, "senders[4].ips: account acme has no dedicated IP 198.51.100.9"),
        ],
    ),
    "a mapping for a list": ("domains: {acme.test: {}}", [(1, "domains: not a list: got a mapping of 1 key")]),
    "a list for a mapping": ("relay: [1, 2]", [(1, "relay: not a mapping: got a list of 2 items")]),
    "wrong events of two webhooks": (
        (
            "webhooks:\n"
            "  - {url: 'https://a.test', events: [delivred, opend]}\n"
            "  - {url: nowhere, events: [sentt]}\n"
            "  - {url: 'https://joe:pw@a .test', events: [sent]}"
        ),
        [
            (2, "webhooks[0].events[0]: not an event of transactional webhooks: got 'delivred'; did you mean"),
            (2, "webhooks[0].events[1]: not an event of transactional webhooks: got 'opend'; did you mean opened?"),
            (3, "webhooks[1].events[0]: not an event of transactional webhooks: got 'sentt'; did you mean sent?"),
            (3, "webhooks[1].url: not a URL: got 'nowhere', expected one such as https://acme.test/hook"),
            (4, "webhooks[2].url: not a URL: got 'https://***@a .test', expected one such as"),
        ],
    ),
    "accounts with a master, a name, a role and a key that are wrong": (
        (
            "accounts:\n"
            "  - {name: acme, role: master, api_keys: [two words]}\n"
            "  - {name: shop, role: sub_account, of: acm}\n"
            "  - {name: shop}\n"
            "  - {name: store, role: sub_acount}\n"
            f"  - {{name: {'x' * 110}}}"
        ),
        [
            (2, "accounts[0].api_keys[0]: invalid value: got a string of 9 characters (redacted), expected 1 to 500"),
            (3, "accounts[1].of: no account of role master is named 'acm'; did you mean acme?"),
            (4, "accounts[2].name: duplicate account name 'shop'"),
            (5, "accounts[3].role: unknown value: got 'sub_acount', expected one of: standalone, master, admin,"),
            (6, f"accounts[4].name: wrong length: got '{'x' * 60}…' (110 characters), expected 1 to 100 characters"),
        ],
    ),
    "an app of an unknown account": (
        "oauth_apps: [{account: nobody}]",
        [(1, "oauth_apps[0].account: no account is named 'nobody'; known: ")],
    ),
    "faults of an unknown kind, code and operation": (
        (
            "faults:\n"
            "  - {fault: otp_expire}\n"
            "  - {fault: error, code: not_foundd}\n"
            "  - {fault: latency, ms: 1, match: {operation: createSendr}}"
        ),
        [
            (2, "faults[0].fault: unknown fault: got 'otp_expire'; did you mean otp_expired?"),
            (3, "faults[1].code: unknown code 'not_foundd'; did you mean not_found?"),
            (4, "faults[2].match.operation: unknown operation: got 'createSendr'; did you mean createSender?"),
        ],
    ),
    "two stubs of one id": (
        "stubs:\n  - {id: a, method: GET, path: /v3/a, answer: {}}\n  - {id: a, method: GET, path: /v3/b, answer: {}}",
        [(3, "stubs[1].id: duplicate stub id 'a'")],
    ),
    "the same attribute three times": (
        "attributes: {normal: [A, A, A]}",
        [
            (1, "attributes.normal[1]: duplicate normal attribute 'A'"),
            (1, "attributes.normal[2]: duplicate normal attribute 'A'"),
        ],
    ),
    "a number without quotes": (
        "description: 5",
        [(1, "description: not a string: got 5 (a number), expected a string in quotes")],
    ),
    "a section without content": (
        "activities:",
        [(1, "activities: null is not allowed: leave the key out, or give it a value")],
    ),
}


def errors_of(path):
    with pytest.raises(ScenarioError) as error:
        load(Library().read(str(path)), name="test")
    return str(error.value).replace(f"{path.parent}/", "").splitlines()


def expected(names):
    """The text of a scenario with these mistakes, and the beginnings of the lines that are said of them."""
    texts, lines = [], []
    first = 1
    for name in names:
        text, errors = MISTAKES[name]
        texts.append(text)
        lines += [f"mine.yaml:{first + line - 1}: {message.format(first=first)}" for line, message in errors]
        first += text.count("\n") + 1
    return "\n".join(texts) + "\n", lines


def assert_begin(found, beginnings):
    assert len(found) == len(beginnings), "\n".join(found)
    missing = [begin for begin in beginnings if not any(line.startswith(begin) for line in found)]
    assert missing == [], "\n".join(found)


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake_alone_has_its_line_and_sentence(tmp_path, name):
    text, lines = expected([name])
    (tmp_path / "mine.yaml").write_text(text)

    assert_begin(errors_of(tmp_path / "mine.yaml"), lines)


def test_all_mistakes_together_are_all_reported(tmp_path):
    text, lines = expected(MISTAKES)
    (tmp_path / "mine.yaml").write_text(text)

    assert_begin(errors_of(tmp_path / "mine.yaml"), lines)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "accounts:\n\t- {name: a}\n",
            "mine.yaml:2: not YAML: found character that cannot start any token; indent with",
        ),
        ("extends: mine\n", "mine.yaml:1: extends: circular extends: mine > mine"),
    ],
)
def test_mistake_that_hides_the_rest_has_its_line_and_sentence(tmp_path, text, line):
    (tmp_path / "mine.yaml").write_text(text)

    with pytest.raises(ScenarioError) as error:
        load(Library(tmp_path).read("mine"), name="test")

    assert str(error.value).replace(f"{tmp_path}/", "").startswith(line)


# ---------------------------------------------------------------------- wherever a scenario is given


def messages(lines):
    return sorted(re.sub(r"^\S*?:?\d+: ", "", line) for line in lines)


def test_check_start_and_control_api_report_the_same_errors(tmp_path, capsys, monkeypatch, api):
    text, _ = expected(MISTAKES)
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    wanted = messages(errors_of(path))

    monkeypatch.setattr("sys.argv", ["mockserver", "scenarios", "check", str(path)])
    with pytest.raises(SystemExit) as end:
        main()
    assert (end.value.code, messages(capsys.readouterr().out.splitlines())) == (1, wanted)

    for call in ("/_mock/workspaces", "/_mock/reset"):
        answer = api.post(call, json={"yaml": text})
        shown = [f"{place(row['path'])}: {row['message']}" for row in answer.json["errors"]]
        assert (answer.status_code, messages(shown)) == (400, wanted)

    with pytest.raises(MockServerError) as error, MockServer(scenario=str(path)):
        pass
    assert messages(str(error.value).removeprefix("400: ").splitlines()) == wanted


def place(pointer):
    return re.sub(r"/(\d+)", r"[\1]", pointer).replace("/", ".").lstrip(".")


# ---------------------------------------------------------------------- what may be a consequence of another mistake


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (
            "accounts:\n  - {name: m, role: mastr}\n  - {name: s, role: sub_account, of: m}\n",
            ["mine.yaml:2: accounts[0].role: unknown value: got 'mastr'"],
        ),
        (
            (
                "accounts:\n  - {name: m, role: master, pool: 3}\n"
                "  - {name: s, role: sub_account, of: m, assigned: {credits: {email: 5}}}\n"
            ),
            ["mine.yaml:2: accounts[0].pool: not a mapping: got 3"],
        ),
        (
            "extends: of_nobody_at_all\naccounts: [{name: s, role: sub_account, of: m}]\n",
            ["mine.yaml:1: extends: unknown scenario 'of_nobody_at_all'"],
        ),
        (
            "behaviour: {oauth_public_apps: 1}\noauth_apps: [{public: true}]\n",
            ["mine.yaml:1: behaviour.oauth_public_apps: not a boolean: got 1"],
        ),
        (
            (
                "dedicated_ips: [{id: 1, ip: 198.51.100.7}]\n"
                "senders: [{name: A, email: a@b.test, ips: [{ip: 198.51.100.7, domain: b.test}]}]\n"
            ),
            ["mine.yaml:1: dedicated_ips[0].domain: missing required key: the domain that it belongs to"],
        ),
        (
            "webhooks: [{url: 'http://a.test', type: inbond, events: [inboundEmailProcessed]}]\n",
            ["mine.yaml:1: webhooks[0].type: unknown value: got 'inbond'"],
        ),
        (
            "solution: v9\naccounts:\n  - {name: m, role: master, pool: {features: {salesUsers: 1}}}\n",
            ["mine.yaml:1: solution: unknown value: got 'v9'"],
        ),
        (
            (
                "pool: 3\naccounts:\n  - {name: m, role: master}\n"
                "  - {name: s, role: sub_account, of: m, assigned: {credits: {email: 5}}}\n"
            ),
            ["mine.yaml:1: pool: not a mapping: got 3"],
        ),
        (
            "accounts:\n  - {name: s, role: sub_account}\n",
            ["mine.yaml:2: accounts[0].of: no master: expected the name of an account of role master"],
        ),
        (
            "resume: {links: [{kind: timer, id: a, caused_by: 3}]}\nplan_info: {}\n",
            ["mine.yaml:1: resume.links[0].caused_by: not a list: got 3", "mine.yaml:2: plan_info"],
        ),
        (
            "accounts:\n  - {name: n}\n  - {name: n, role: master}\n  - {name: s, role: sub_account, of: n}\n",
            ["mine.yaml:3: accounts[1].name: duplicate account name 'n'"],
        ),
    ],
)
def test_consequence_of_a_mistake_is_not_reported(tmp_path, text, lines):
    (tmp_path / "mine.yaml").write_text(text)

    assert_begin(errors_of(tmp_path / "mine.yaml"), lines)


def test_references_are_checked_against_the_scenario_that_was_probably_meant(tmp_path):
    (tmp_path / "mine.yaml").write_text("extends: corporate-v3\naccounts: [{name: s, role: sub_account, of: nobody}]\n")

    assert_begin(
        errors_of(tmp_path / "mine.yaml"),
        [
            "mine.yaml:1: extends: unknown scenario 'corporate-v3'; did you mean corporate-v",
            "mine.yaml:2: accounts[0].of: no account of role master is named 'nobody'",
        ],
    )


def test_errors_beyond_a_hundred_are_counted():
    items = [{"name": "A", "email": "a@b.test"}] * 150

    with pytest.raises(ScenarioError) as error:
        load({"senders": items}, name="test")

    lines = str(error.value).splitlines()
    assert len(lines) == 101
    assert lines[-1] == "too many errors: 49 more"
