"""The commands for DNS records, state machines, seeding and receivers, and the pattern of all groups."""

import json

import pytest
import requests

# ---------------------------------------------------------------------- all groups


def test_group_lists_and_says_that_the_list_is_empty_when_no_command_is_named(run_here):
    for group, sentence, status in [
        ("app", "No apps.", 0), ("deliveries", "No webhook calls.", 0), ("faults", "No faults.", 0),
        ("logs", "No requests.", 0), ("mail", "No e-mails.", 1), ("receivers", "No receivers.", 0),
        ("snapshots", "No snapshots.", 0), ("stubs", "No stubs.", 0), ("dns --name none", "No domains.", 0),
        ("workspaces --name none", "No workspaces.", 0),
    ]:  # fmt: skip
        found = run_here(*group.split())
        assert (found.exit_code, found.stdout, found.stderr) == (status, "", f"{sentence}\n")


def test_state_is_printed_and_scenarios_are_listed_when_no_command_is_named(run_here):
    assert run_here("state").stdout == run_here("state", "get").stdout
    assert run_here("scenarios").stdout == run_here("scenarios", "list").stdout


# ---------------------------------------------------------------------- dns


def test_dns_lists_the_domains_with_their_records_and_accounts(run_here):
    assert [line.split() for line in run_here("dns").stdout.splitlines()] == [
        ["domain", "brevo_code", "dkim_record", "dmarc_record", "dmarc_policy", "accounts"],
        ["acme.test", "missing", "missing", "missing", "none", "acme", "(pending)"],
    ]


def test_dns_set_changes_the_named_records_only(shown):
    found = shown("dns", "set", "acme.test", "--dkim-record", "wrong", "--dmarc-policy", "reject")

    assert found == {
        "domain": "acme.test", "brevo_code": "missing", "dkim_record": "wrong", "dmarc_record": "missing",
        "dmarc_policy": "reject",
    }  # fmt: skip
    assert shown("dns", "show", "acme.test") == found
    assert shown("dns", "set", "mail.test", "--free-mail", "yes")["free_mail"] is True


def test_dns_publish_makes_all_records_right_and_list_says_how_many_domains_are_left_out(run_here):
    assert run_here("dns", "publish", "shop.test").stdout.splitlines()[-1].split() == ["shop.test", *["ok"] * 3, "none"]
    assert run_here("dns", "verify", "shop.test").exit_code == 0
    assert run_here("dns", "-n", "1").stdout.splitlines()[-1] == "and 1 more"


def test_dns_verify_fails_and_names_the_records_when_some_are_not_right(run_here):
    run_here("dns", "set", "acme.test", "--dkim-record", "ok")

    found = run_here("dns", "verify", "acme.test")

    assert found.exit_code == 1
    assert found.stderr == (
        "brevo_code is missing, dmarc_record is missing; `mockserver dns publish acme.test` publishes all records\n"
    )


# ---------------------------------------------------------------------- machines


def test_machines_show_lists_the_instances_of_all_machines(run_here, shown):
    rows = run_here("machines", "show").stdout.splitlines()

    assert rows[2].split() == ["sender", "1", "acme", "verified", "change_email,", "delete"]
    assert shown("machines", "show")["count"] == len(rows) - 1
    assert [row["key"] for row in shown("machines", "show", "domain")["items"]] == ["acme.test"]


def test_machines_fire_moves_an_instance(run_here, shown):
    assert run_here("machines", "fire", "sender", "2", "verify").stdout.splitlines()[-1].split()[:4] == [
        "sender", "2", "acme", "verified",
    ]  # fmt: skip
    assert shown("machines", "show", "sender", "2")["state"] == "verified"


def test_machines_show_prints_an_instance_with_its_secrets_and_history(run_here, shown):
    run_here("machines", "fire", "sender", "2", "expire_otp")

    found = run_here("machines", "show", "sender", "2").stdout

    assert "email: ops@acme.test\n" in found
    assert found.endswith("2026-01-15 09:00:00  expire_otp: awaiting_verification to awaiting_verification\n")
    assert shown("machines", "show", "sender", "2")["history"][0]["event"] == "expire_otp"


# ---------------------------------------------------------------------- seed


def test_seed_adds_the_rows_of_a_file_and_made_up_ones(run_here, root, workspace_info, tmp_path):
    (tmp_path / "more.yaml").write_text("senders: [{name: Bo, email: bo@acme.test}]")

    found = run_here("seed", str(tmp_path / "more.yaml"), "--generate", "senders=5", "--account", "acme")

    assert (found.exit_code, found.stdout.startswith(f"seeded: {workspace_info['name']} holds ")) == (0, True)
    state = requests.get(f"{root}/w/{workspace_info['name']}/_mock/state", timeout=10).json()
    assert "bo@acme.test" in json.dumps(state)
    assert len(state["accounts"][0]["senders"]) == 2 + 1 + 5


# ---------------------------------------------------------------------- receivers


def test_receiver_shows_its_calls_and_answers_as_it_was_told(run_here, shown, root, workspace_info):
    answered = run_here("receivers", "answer", "shop", "429", "--times", "1", "--delay", "1ms").stdout.splitlines()
    url = answered[-1].split()[-1]

    statuses = [requests.post(url, json={"a": 1}, timeout=10).status_code for _ in range(2)]

    assert "429, after 1 ms, 1 times" in answered[-1]
    assert url == f"{root}/w/{workspace_info['name']}/_mock/receiver/shop"
    assert statuses == [429, 200]
    assert shown("receivers")["items"][0]["count"] == 2
    assert '{"a": 1}' in run_here("receivers", "show", "shop", "--count", "2", "--wait", "5").stdout


def test_receiver_resets_connections_when_it_is_told_to_and_is_deleted(run_here, shown):
    assert "reset" in run_here("receivers", "answer", "shop", "--reset").stdout
    assert run_here("receivers", "delete", "shop").stdout == "deleted: shop\n"
    assert shown("receivers")["count"] == 0


def test_receiver_fails_when_too_few_calls_come_in_time(run_here):
    found = run_here("receivers", "show", "shop", "--wait", "50ms")

    assert (found.exit_code, found.stdout, found.stderr) == (1, "", "0 of 1 webhook calls after 0.05 s.\n")


def test_command_prints_json_when_it_is_asked_to(shown):
    for words, member, value in [
        ("dns", "count", 1), ("receivers show shop", "items", []), ("receivers answer shop 429", "count", 0),
        ("receivers delete shop", "deleted", ["shop"]), ("machines fire sender 2 verify", "state", "verified"),
        ("seed --generate domains=2", "scenario", "onboarding"),
    ]:  # fmt: skip
        assert shown(*words.split())[member] == value


# ---------------------------------------------------------------------- the clock, and durations


@pytest.mark.parametrize(("moment", "now"), [("1h", "10:00"), ("2026-01-15T09:30:00Z", "09:30")])
def test_clock_is_set_to_a_moment_or_by_a_duration(run_here, moment, now):
    assert run_here("clock", "set", moment).stdout == f"2026-01-15 {now}:00 UTC, frozen\n"


@pytest.mark.parametrize("length", ["-1h", "-PT1H"])
def test_advance_is_refused_with_what_to_use_instead_when_it_is_negative(run_here, length):
    found = run_here("advance", length)

    assert found.exit_code == 2
    assert found.stderr.startswith(
        f"Error: cannot advance by {length}: the clock moves forward only. `mockserver reset` begins anew, and "
        "`mockserver restore NAME` returns to a snapshot."
    )


def test_fault_lasts_for_a_duration(shown):
    assert shown("faults", "new", "latency", "ms=1", "--ttl", "16m")["ttl_s"] == 960


@pytest.mark.parametrize("option", [["mail", "--wait"], ["faults", "new", "latency", "--ttl"], ["wait", "--timeout"]])
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("soon", "'soon' is not a valid number. Give seconds, or a duration such as 16m, 1h30m, 2d or PT16M."),
        ("1x", "'1x': not a duration, such as 16m, 1h30m, 2d or PT16M"),
        ("-1s", "'-1s': -1.0 is not in the range x>=0."),
    ],
)
def test_option_in_seconds_is_refused_with_an_example_when_it_is_not_a_duration(run_here, option, text, why):
    found = run_here(*option, text)

    assert found.exit_code == 2
    assert why in found.stderr


@pytest.mark.parametrize("words", [["faults", "catalogue"], ["faults", "catalogue", "--operation", "createSender"]])
def test_catalogue_fits_a_terminal_of_80_columns(run_here, words, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")

    assert max(map(len, run_here(*words).stdout.splitlines())) <= 80
