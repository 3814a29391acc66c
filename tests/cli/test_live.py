"""The commands that work with a workspace of a running server."""

import json
import re
import threading
import time

import pytest
import requests
from cli_runner import invoke
from raw_receiver import listening

ESCAPE = "\x1b[2J"


@pytest.fixture
def ask(workspace_info):
    """Sends a request to the service in the workspace, and returns the body of the answer."""

    def send(method, path, body=None, **headers):
        headers = {"api-key": workspace_info["api_key"], **headers}
        answer = requests.request(method, f"{workspace_info['url']}{path}", json=body, headers=headers, timeout=10)
        return answer.json() if answer.content else None

    return send


def sender(ask, name="Jo"):
    return ask("POST", "/senders", {"name": name, "email": "jo@acme.test"})


# ---------------------------------------------------------------------- logs


def test_requests_are_listed_oldest_first_with_the_reasons_of_refusals(run_here, ask):
    ask("GET", "/account")
    ask("GET", "/proceses")

    first, second, reason = run_here("logs").output.splitlines()

    assert re.match(r"2026-01-15 09:00:00 \(\d\d:\d\d:\d\d\.\d{3}\)  200  GET /v3/account  getAccount  ", first)
    assert re.match(r"2026-01-15 09:00:00 \(\d\d:\d\d:\d\d\.\d{3}\)  404  GET /v3/proceses  ", second)
    assert first[:34] != second[:34]
    assert reason.strip().startswith("unknown route: no operation has the path /v3/proceses")


@pytest.mark.parametrize(
    ("options", "paths"),
    [
        (["--status", "4xx"], ["/v3/proceses", "/v3/senders"]),
        (["--status", "404"], ["/v3/proceses"]),
        (["--status", "none"], []),
        (["--operation", "createSender"], ["/v3/senders"]),
        (["--method", "post"], ["/v3/senders"]),
        (["--path", "/v3/s*"], ["/v3/senders"]),
        (["--code", "missing_parameter"], ["/v3/senders"]),
        (["--limit", "1"], ["/v3/senders"]),
        (["--limit", "0"], []),
    ],
)
def test_options_choose_the_requests(shown, ask, options, paths):
    ask("GET", "/account")
    ask("GET", "/proceses")
    ask("POST", "/senders", {"name": "Jo"})

    assert [row["path"] for row in shown("logs", *options)["items"]] == paths


def test_a_class_of_statuses_is_looked_for_in_all_of_the_journal(shown, ask):
    ask("GET", "/proceses")
    for _ in range(3):
        ask("GET", "/account")

    assert [row["path"] for row in shown("logs", "--status", "4xx", "-n", "1")["items"]] == ["/v3/proceses"]


def test_logs_show_prints_a_whole_request(run_here, shown, ask):
    sender(ask)
    identifier = shown("logs")["items"][0]["id"]

    shown_as_text = run_here("logs", "show", identifier).output

    assert '"email": "jo@acme.test"' in shown_as_text
    assert "api-key: ***" in shown_as_text
    assert shown("logs", "show", identifier)["request"]["body"]["name"] == "Jo"


def test_logs_clear_empties_the_journal(run_here, shown, ask):
    ask("GET", "/account")

    assert run_here("logs", "clear").output == "cleared\n"
    assert shown("logs") == {"items": [], "count": 0}


# ---------------------------------------------------------------------- mail


def test_mails_are_listed_with_their_codes(run_here, shown, ask):
    sender(ask)

    mail = shown("mail")["items"][0]

    assert run_here("mail").output.splitlines()[1].split() == [
        *("2026-01-15", "09:00:00", "jo@acme.test", "Verify", "your", "sender"),
        *(str(mail["otp"]), mail["id"]),
    ]


def test_a_code_is_printed_alone(run_here, shown, ask):
    sender(ask)
    code = shown("mail")["items"][0]["otp"]

    assert run_here("mail", "--to", "jo@acme.test", "--otp", "--wait", "5").stdout == f"{code}\n"
    assert shown("mail", "--otp") == {"otp": code}


@pytest.mark.parametrize("options", [[], ["--otp"], ["--to", "jo@acme.test"], ["show"]])
def test_without_a_mail_the_status_is_1(run_here, options):
    found = run_here("mail", *options)

    assert (found.exit_code, found.stdout) == (1, "")
    assert found.stderr.startswith("No e-mails")


def test_a_list_is_json_also_where_it_is_empty(run_here):
    for arguments, status in [
        (["mail"], 1), (["mail", "--wait", "0.01"], 1), (["deliveries"], 0), (["deliveries", "--wait", "0.01"], 1),
        (["logs"], 0), (["faults"], 0),
    ]:  # fmt: skip
        found = run_here(*arguments, "--json")
        assert found.exit_code == status
        assert {name: json.loads(found.stdout)[name] for name in ("items", "count")} == {"items": [], "count": 0}


def test_a_mail_that_comes_later_is_waited_for(run_here, ask):
    later = threading.Timer(0.5, sender, [ask])
    later.start()

    found = run_here("mail", "--otp", "--wait", "20")

    later.join(10)
    assert found.exit_code == 0
    assert found.stdout.strip().isdigit()


def test_a_wait_ends_in_time(run_here):
    began = time.monotonic()

    found = run_here("mail", "--wait", "0.3")

    assert (found.exit_code, found.stderr) == (1, "No e-mails after 0.3 s.\n")
    assert 0.3 <= time.monotonic() - began < 5
    assert run_here("deliveries", "--wait", "0.1").exit_code == 1


def test_a_mail_is_shown_as_text_as_a_page_and_as_it_would_be_sent(run_here, shown, ask):
    sender(ask)
    mail = shown("mail", "show")

    assert run_here("mail", "show", mail["id"]).output.splitlines()[2] == "subject: Verify your sender"
    assert run_here("mail", "show").output.endswith(mail["text"])
    assert run_here("mail", "show", "--html").output.startswith("<!doctype html>")
    assert "Subject: Verify your sender" in run_here("mail", "show", mail["id"], "--source").output


# ---------------------------------------------------------------------- webhooks


@pytest.fixture
def webhook(workspace_info, ask):
    """Adds a webhook that is called at the mock itself, and returns the address of its receiver's settings."""
    root = workspace_info["url"].removesuffix("/v3")
    ask("POST", "/webhooks", {"url": f"{root}/_mock/receiver/it", "events": ["delivered", "opened"]})
    return f"{root}/_mock/receivers/it"


def test_an_event_is_triggered_with_a_payload_and_its_calls_are_shown(shown, webhook):
    payload = ["--payload", '{"tag": "mine"}']

    found = shown("trigger", "delivered", "--to", "bob@acme.test", "--wait", "10", *payload)

    assert [row["event"] for row in found["items"]] == ["delivered"]
    body = found["items"][0]["attempts"][0]["request"]["body"]
    assert (body["email"], body["tag"]) == ("bob@acme.test", "mine")


def test_a_story_is_triggered_by_its_name_and_a_name_of_both_is_the_event_unless_asked(shown, webhook):
    assert {"delivered", "opened"} <= {row["event"] for row in shown("trigger", "delivered_opened")["items"]}
    assert len(shown("trigger", "delivered")["items"]) == 1
    assert "delivered" in {row["event"] for row in shown("trigger", "--story", "delivered")["items"]}


def test_an_event_of_which_no_webhook_is_told_says_so(run_here):
    assert run_here("trigger", "delivered").output == "Event recorded. No webhook subscribes to it.\n"


def test_deliveries_are_listed_shown_and_made_again(run_here, shown, webhook):
    requests.put(webhook, json={"status": 404}, timeout=10)
    shown("trigger", "delivered", "--wait", "10")

    [row] = shown("deliveries", "--state", "dropped", "--wait", "10")["items"]
    assert "404" in run_here("deliveries").output
    assert '"event": "delivered"' in run_here("deliveries", "show", str(row["id"])).output
    assert run_here("deliveries", "redeliver", str(row["id"])).exit_code == 1
    requests.put(webhook, json={"status": 200}, timeout=10)
    assert shown("deliveries", "redeliver", str(row["id"]))["state"] == "delivered"


def test_a_probe_sends_every_kind_of_call_and_fails_if_a_forged_one_is_accepted(run_here, shown, webhook, ask):
    requests.put(webhook, json={"status": 200}, timeout=10)
    ask("PUT", "/webhooks/1", {"headers": [{"key": "X-Shop", "value": "s3cret"}]})
    shown("trigger", "delivered", "--wait", "10")
    shown("trigger", "opened", "--wait", "10")

    accepted = shown("deliveries", "probe")["items"]
    requests.put(webhook, json={"status": 403, "times": 2}, timeout=10)
    refused = run_here("deliveries", "probe")

    kinds = ["forged", "duplicated", "reordered", "late"]
    assert [row["sent_as"] for row in accepted] == kinds
    assert [row["answers"] for row in accepted] == [[200, 200], [200, 200], [200], [200]]
    assert run_here("deliveries", "probe").exit_code == 1
    assert refused.exit_code == 0
    assert [line.split()[3:] for line in refused.output.splitlines()[1:2]] == [["403,", "403"]]


def test_a_probe_says_what_it_cannot_check(run_here, shown, webhook):
    assert run_here("deliveries", "probe").exit_code == 1
    assert "No webhook call has been made yet" in run_here("deliveries", "probe").stderr
    shown("trigger", "delivered", "--wait", "10")

    found = run_here("deliveries", "probe")

    assert found.exit_code == 0
    assert "nothing to check: webhook 1 has neither `auth` nor `headers`" in found.output
    assert "webhook 1 has one delivery only" in found.output


# ---------------------------------------------------------------------- the clock


@pytest.mark.parametrize(
    ("length", "now"),
    [("15m", "15T09:15:00"), ("1h30m", "15T10:30:00"), ("1h 30m", "15T10:30:00"), ("90s", "15T09:01:30"),
     ("1.5h", "15T10:30:00"), ("PT20M", "15T09:20:00"), ("next", "15T09:15:00"),
     ("2d", "17T09:00:00"), ("1w", "22T09:00:00"),
     ("sender.2.expire_otp.20260115T091500000000Z", "15T09:15:00")],
)  # fmt: skip
def test_advance_moves_the_workspace_clock(shown, length, now):
    assert shown("advance", length)["now"] == f"2026-01-{now}Z"


@pytest.mark.parametrize(
    "length", ["banana", "15", "15x", "", "1x", "m", "1m1h", "1.2.3s", pytest.param(f"{'9' * 400}d", id="long")]
)
def test_an_advance_by_nothing_known_is_refused_before_anybody_is_asked(run_here, length):
    found = run_here("advance", length, "--url", "http://127.0.0.1:9")

    assert found.exit_code == 2
    assert found.stderr.startswith("Error: ")
    assert "; or give next, or the id of a timer from `mockserver clock`" in found.stderr


def test_an_advance_tells_what_has_fired(run_here):
    assert run_here("advance", "1h").output.splitlines() == [
        "fired at             machine  key  event",
        "2026-01-15 09:15:00  sender   2    expire_otp",
        "2026-01-15 10:00:00 UTC, frozen",
    ]


def test_the_clock_shows_what_is_due(run_here, shown):
    assert run_here("clock").output.splitlines()[-1].split() == [
        *("2026-01-15", "09:15:00", "sender", "2", "expire_otp"),
        "sender.2.expire_otp.20260115T091500000000Z",
    ]
    assert [row["event"] for row in shown("clock")["timers"]] == ["expire_otp"]


@pytest.mark.parametrize("dashes", ["", "--"])
def test_the_clock_is_thawed_frozen_and_set_by_words_and_by_options(shown, dashes):
    assert shown("clock", f"{dashes}thaw")["frozen"] is False
    assert shown("clock", f"{dashes}freeze")["frozen"] is True
    assert shown("clock", f"{dashes}set", "2026-03-01T00:00:00Z")["now"] == "2026-03-01T00:00:00Z"


# ---------------------------------------------------------------------- faults


def test_a_fault_is_added_with_its_parameters_listed_and_deleted(run_here, shown, ask):
    options = ["--operation", "createSender", "--operation", "getAccount", "--times", "2"]
    made = shown("faults", "new", "error", "code=not_enough_credits", "status=402", *options, "--force")

    assert (made["code"], made["status"], made["times"]) == ("not_enough_credits", 402, 2)
    assert made["match"] == {"operation": ["createSender", "getAccount"]}
    ask("GET", "/account")
    assert [row["hits"] for row in shown("faults")["items"]] == [1]
    assert "code=not_enough_credits" in run_here("faults", "list").output
    assert run_here("faults", "delete", made["id"]).output == f"deleted: {made['id']}\n"
    run_here("faults", "new", "latency", "ms=3")
    assert shown("faults", "delete", "--all") == {"deleted": 1}
    assert shown("faults")["items"] == []


def test_a_code_that_an_operation_never_gives_is_refused_with_those_that_it_gives(run_here):
    found = run_here("faults", "new", "error", "code=not_enough_credits", "--operation", "getAccount")

    assert found.exit_code == 2
    assert "getAccount never answers `not_enough_credits`" in found.stderr


def test_the_catalogue_tells_what_an_operation_can_give(run_here, shown):
    assert {"otp_expired", "latency"} <= {row["fault"] for row in shown("faults", "catalogue")["items"]}
    assert [row["fault"] for row in shown("faults", "catalogue", "latency")["items"]] == ["latency"]
    found = shown("faults", "catalogue", "--operation", "getAccount")
    assert "otp_expired" not in {row["fault"] for row in found["items"]}
    assert "OTP code has expired" in run_here("faults", "catalogue", "--operation", "validateSenderByOtp").output


# ---------------------------------------------------------------------- workspaces


def test_a_workspace_is_made_shown_listed_and_deleted(run_here, shown, tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text("senders: [{name: Ada, email: ada@acme.test}]")

    made = shown("workspaces", "new", str(file), "--name", "mine", "--seed", "3")

    assert (made["name"], made["scenario"]) == ("mine", "document")
    assert made["api_key"] in run_here("workspaces", "show", "mine").output
    assert "mine" in {row["name"] for row in shown("workspaces")["items"]}
    assert run_here("workspaces", "delete", "mine").output == "deleted: mine\n"
    assert "mine" not in run_here("workspaces").output


def test_reset_clears_the_journal_and_can_load_another_scenario(run_here, shown, ask):
    sender(ask)

    assert run_here("reset").exit_code == 0
    assert shown("logs")["count"] == 0
    assert shown("reset", "--scenario", "empty")["scenario"] == "empty"


def test_a_moment_is_kept_and_returned_to(run_here, shown, ask):
    name = run_here("snapshots", "new").stdout.strip()
    sender(ask)

    assert [row["name"] for row in shown("snapshots")["items"]] == [name]
    assert run_here("restore", name).exit_code == 0
    assert "jo@acme.test" not in run_here("state", "get").output
    assert shown("snapshots", "delete", name) == {"deleted": [name]}


# ---------------------------------------------------------------------- the state


def test_a_state_is_kept_compared_and_put_back(run_here, shown, ask, tmp_path):
    file = str(tmp_path / "state.yaml")
    run_here("state", "get", "--output", file)
    assert run_here("state", "diff", file).exit_code == 0
    sender(ask)

    changed = run_here("state", "diff", file)
    assert changed.exit_code == 1
    assert "+    email: jo@acme.test" in changed.output
    assert shown("state", "diff", file)["equal"] is False
    assert run_here("state", "put", file).exit_code == 0
    assert run_here("state", "diff", file).output == ""


def test_a_trace_is_written_into_a_file(run_here, shown, ask, tmp_path):
    file = tmp_path / "trace.html"
    sender(ask)

    assert run_here("trace", str(file)).output == f"written: {file}\n"
    assert "createSender</bdi>" in file.read_text()
    assert shown("trace", str(file)) == {"written": str(file)}


def test_a_state_with_a_running_clock_is_equal_to_itself_and_given_as_json(run_here, shown, tmp_path):
    file = str(tmp_path / "state.yaml")
    run_here("clock", "--thaw")
    run_here("state", "get", "--output", file)

    assert run_here("state", "diff", file).output == ""
    assert shown("state", "get")["accounts"][0]["name"] == "acme"


def test_a_comparison_leaves_no_workspace_behind(run_here, shown, tmp_path):
    file = tmp_path / "broken.yaml"
    file.write_text("senders: 7")
    before = shown("workspaces")["count"]

    assert run_here("state", "diff", str(file)).exit_code == 2
    assert shown("workspaces")["count"] == before


# ---------------------------------------------------------------------- misuse, and servers that are none


def test_misuse_is_told_in_a_sentence_with_status_2(run_here):
    for words, expected in [
        (["logs", "--status", "4x"], "is no status"),
        (["logs", "--kind", "mail"], "--kind needs --follow"),
        (["logs", "show", "no-such-id"], "no-such-id"),
        (["trigger"], "Give an event"),
        (["trigger", "delivered", "--story", "delivered"], "Give an event"),
        (["trigger", "deliverd"], "did you mean delivered?"),
        (["trigger", "delivered", "--payload", "["], "it is no JSON"),
        (["trigger", "delivered", "--payload", "[" * 100_000], "it is no JSON"),
        (["trigger", "delivered", "--payload", "7"], "it is no JSON object"),
        (["faults", "new", "latency", "ms"], "is not NAME=VALUE"),
        (["faults", "new", "latencies"], "latency"),
        (["faults", "new", "latency", "--match", "7"], "it is no JSON object"),
        (["faults", "delete", "no-such"], "no-such"),
        (["clock", "--freeze", "--thaw"], "one of --freeze and --thaw"),
        (["clock", "--set", "2020-01-01T00:00:00Z"], "now"),
        (["workspaces", "new", "./no-such.yaml"], "cannot be read"),
        (["workspaces", "new", "no-such"], "no-such"),
        (["workspaces", "delete", "default"], "default"),
        (["state", "put", "no-such.yaml"], "cannot be read"),
        (["restore", "no-such"], "no-such"),
        (["deliveries", "redeliver", "7"], "7"),
        (["mail", "--wait", "-1"], "not in the range"),
        ("dns set acme.test", "Give at least one record, such as --dkim-record wrong, or --dmarc-policy."),
        ("dns set acme.test --dkim-record bad", "'bad' is not one of 'ok', 'missing', 'wrong', 'timeout'."),
        ("dns show nope", "not a host name: got 'nope'"),
        ("machines show sendr", "unknown machine 'sendr'; did you mean sender?"),
        (
            "machines fire sender 1 verify",
            "event verify is not allowed in state verified; allowed: change_email, delete",
        ),
        ("machines fire sender", "Missing argument 'KEY'."),
        ("seed", "Give a file, or --generate such as --generate senders=500."),
        ("seed --generate senders", "'senders' is not NAME=NUMBER, such as senders=500."),
        ("seed --generate senders=1 --account nobody", "no account 'nobody' with an API key; there are acme."),
        ("seed no-such.yaml", "no-such.yaml cannot be read: No such file or directory"),
        ("receivers answer shop", "Give a status such as 429, or --delay, --reset or --times."),
        ("receivers answer shop 999", "999 is not in the range 200<=x<=599."),
        ("workspaces new jo", "for a workspace called jo: `mockserver workspaces new --name jo`."),
        ("faults new latency --ms 30", "No such option '--ms'. Write parameters without dashes: ms=VALUE."),
        ("faults new latency --timse 3", "No such option '--timse'. Did you mean '--times'?"),
        ("faults delete", "Give ids (see `mockserver faults`), or --all."),
        ("clock freez", "Did you mean 'freeze'?"),
    ]:
        found = run_here(*(words.split() if isinstance(words, str) else words))
        assert (found.exit_code, found.stdout) == (2, "")
        assert found.stderr.startswith("Error: ")
        assert expected in found.stderr
        assert "Traceback" not in found.stderr


def test_invalid_workspace_name_is_not_advised(run_here):
    found = run_here("workspaces", "new", "bad name!")

    assert "unknown scenario 'bad name!'" in found.stderr
    assert "--name" not in found.stderr


def test_advice_names_commands_and_no_calls(run_here, tmp_path):
    (tmp_path / "clock.yaml").write_text("clock: {frozen: true}\n")
    for words, advice in {
        f"seed {tmp_path}/clock.yaml": "`mockserver clock set`",
        "deliveries show 9": "; `mockserver deliveries` lists all",
        "machines fire sender 9 verify": "; `mockserver machines show sender` lists all",
        "machines show sender 9": "; `mockserver machines show sender` lists all",
        "logs show 9": "; `mockserver logs` lists the journal",
        "mail show 9": "; `mockserver mail` lists all",
        "app update 9 --name x": "; `mockserver app` lists all apps",
        "stubs show 9": "; `mockserver stubs` lists all",
        "faults delete 9": "; `mockserver faults` lists all",
        "workspaces show nowhere": "; `mockserver workspaces` lists all",
    }.items():
        found = run_here(*words.split())
        assert (found.exit_code, advice in found.stderr, "/_mock/" in found.stderr) == (2, True, False), found.stderr


def test_no_request_is_listed_and_none_is_denied_when_none_is_asked_for(run_here, ask):
    ask("GET", "/account")

    assert run_here("logs", "-n", "0").output == ""


def test_what_is_not_in_the_catalogue_is_status_1(run_here):
    assert run_here("faults", "catalogue", "no_such").exit_code == 1
    found = run_here("faults", "catalogue", "--operation", "createSendr")
    assert (found.exit_code, "'createSender'" in found.stderr) == (1, True)


_COMMANDS = [
    words.split()
    for words in (
        "env", "coverage", "coverage --json", "coverage --format html", "verify", "app list", "app create --name x",
        "app update x --name y", "app delete x", "stubs list", "stubs record",
        "logs", "logs -f", "logs show a", "mail", "mail --otp --wait 1", "trigger delivered", "deliveries",
        "deliveries redeliver 1", "clock", "clock --freeze", "clock freeze", "clock set 1h",
        "advance 1m", "faults", "faults add latency",
        "faults catalogue", "workspaces", "workspaces new", "reset", "snapshots new", "restore a", "snapshots",
        "state", "state get --json", f"state diff {__file__}", "dns",
        "dns show a.test", "dns set a.test --dkim-record ok",
        "dns publish a.test", "dns verify a.test", "machines show", "machines show sender 1",
        "machines fire sender 1 verify",
        "receivers", "receivers show a", "receivers answer a 429", "seed --generate senders=3",
    )
]  # fmt: skip


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"items": [7], "status": 5}', b"\xff\x00", b"[" * 100_000])
@pytest.mark.parametrize("status", [200, 400])
def test_an_answer_of_another_program_is_told_in_a_sentence(body, status):
    head = f"HTTP/1.1 {status} So\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close"
    with listening() as start:
        url = start(f"{head}\r\n\r\n".encode() + body).url("")
        for words in [*_COMMANDS, ["health"], ["wait", "--timeout", "0.1"]]:
            found = invoke(words, {"MOCKSERVER_URL": url})
            assert (found.exit_code, found.stdout, found.stderr.count("\n")) == (1, "", 1), words
            assert any(part in found.stderr for part in ("no mock server answers", "another program")), words


_ADDRESSES = ("http://[x", "http://127.0.0.1:abc", "http://127.0.0.1:99999", "http://127.0.0.1:0", "http://a b",
              "http://", "http://a/\u00e9", "ftp://x")  # fmt: skip


@pytest.mark.parametrize("words", [["env"], ["coverage"], ["verify"], ["wait"], ["app", "list"]], ids=" ".join)
def test_an_address_that_is_none_and_a_token_that_no_header_can_hold_are_misuse(words):
    for url in _ADDRESSES:
        found = invoke([*words, "--url", url], {})
        assert (found.exit_code, found.stdout) == (2, "")
        assert found.stderr.startswith(f"Error: {url} is not the address of a server")
    for token in ("\u2603", "a\nb"):
        found = invoke([*words, "--token", token, "--url", "http://127.0.0.1:9"], {})
        assert (found.exit_code, found.stdout) == (2, "")
        assert "Invalid value for '--token': it has characters that cannot stand in a header.\n" in found.stderr


def test_without_a_server_the_status_is_1():
    for words in _COMMANDS:
        found = invoke(words, {"MOCKSERVER_URL": "http://127.0.0.1:9"})
        assert (found.exit_code, found.stdout) == (1, ""), words
        assert found.stderr == "no server at http://127.0.0.1:9; start one with `mockserver serve`\n", words


def test_nothing_that_a_server_sends_controls_the_terminal(run_here, ask, shown):
    sender(ask, name=f"Jo{ESCAPE}")
    ask("POST", "/senders", {"name": "A", "email": "a@acme.test", ESCAPE: 1})
    run_here("faults", "new", "error", f"message={ESCAPE}", "code=server_error", "status=500", "--force")
    run_here("snapshots", "new", "a")
    identifier = shown("logs")["items"][0]["id"]

    for words in ("logs", f"logs show {identifier}", "mail", "mail show", "faults", "clock", "workspaces"):
        assert "\x1b" not in run_here(*words.split()).output
