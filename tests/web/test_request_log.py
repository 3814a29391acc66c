"""The log of requests: what a line has, what no line has, and that a slow reader of the log delays no request."""

import json
import logging
import os
import re
import select
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
import requests

from mockserver import MockServer
from mockserver.core.traffic.exchange import Exchange
from mockserver.web.logs import LogFormat, LogHandler, LogWriter, RequestLog, Secrecy

OPEN = Secrecy(str, str)


@pytest.fixture
def logged(make_api, capfd):
    """What is logged, as lines, while an application is used."""

    def use(form, play, **settings):
        api = make_api("empty", log_format=form, **settings)
        play(api)
        api.app.log.close()
        return capfd.readouterr().err.splitlines()

    return use


@pytest.fixture
def pipe():
    """A pipe: the end that is read, and the end that is written."""
    ends = os.pipe()
    yield ends
    for end in ends:
        os.close(end)


@pytest.fixture
def logger():
    """A logger whose messages go to the log that is passed to this function."""
    found = logging.getLogger("mockserver.core.workspaces.store")

    def speaking_to(log):
        found.addHandler(LogHandler(log))
        return found

    yield speaking_to
    found.handlers.clear()


def exchange(**members):
    found = Exchange("id-1", datetime(2026, 1, 15, tzinfo=UTC), "GET", "/v3/senders", "", [], b"", {})
    for name, value in ({"status": 200} | members).items():
        setattr(found, name, value)
    return found


def read_all(end):
    """All that has been written to a pipe and not been read."""
    found = b""
    while select.select([end], [], [], 0)[0]:
        found += os.read(end, 65536)
    return found.decode()


# ---------------------------------------------------------------------- what a line says


def test_a_line_of_text_says_when_where_what_and_how_it_ended(logged):
    answers = []

    (line,) = logged("text", lambda api: answers.append(api.get("/v3/senders?limit=10&offset=0")))

    asked = r"GET /v3/senders\?limit=10&offset=0 200"
    found = re.fullmatch(rf"(\S+Z) #1 default {asked} \d+\.\d{{3}}ms (\S+) warning=.*", line)
    assert found[2] == answers[0].headers["sib-request-id"]
    assert abs((datetime.now(UTC) - datetime.fromisoformat(found[1])).total_seconds()) < 60


def test_a_line_of_json_has_a_member_for_each_fact_of_a_request(logged):
    (line,) = logged("json", lambda api: api.get("/v3/senders?limit=10"))

    found = json.loads(line)
    assert (found["workspace"], found["operation"], found["method"]) == ("default", "getSenders", "GET")
    assert (found["path"], found["query"], found["status"]) == ("/v3/senders", "limit=10", 200)
    assert (found["fault"], found["reason"]) == (None, None)
    assert found["warning"] == "getSenders ignored the unknown query parameter `limit`"
    assert set(found) == {"time", "number", "workspace", "operation", "method", "path", "query", "status", "ms", "id",
                          "fault", "reason", "warning"}  # fmt: skip


def test_a_line_tells_which_operation_beyond_the_mock_was_called_and_what_helps(logged):
    (line,) = logged("json", lambda api: api.get("/v3/companies"))

    found = json.loads(line)
    assert (found["operation"], found["status"]) == ("getCompanies", 404)
    assert found["reason"].startswith(
        "getCompanies is not implemented: the service has this operation, the mock does not;"
    )


def test_lines_are_numbered_through_all_workspaces_as_ids_come_again_in_each(logged):
    def play(api):
        for name in ("a", "b"):
            api.post("/_mock/workspaces", json={"name": name, "seed": 1})
            api.get(f"/w/{name}/v3/senders")

    lines = logged("json", play)

    assert [json.loads(line)["number"] for line in lines] == [1, 2, 3, 4]


def test_the_warning_of_an_unknown_key_names_the_account_that_the_key_opens(logged):
    (line,) = logged("text", lambda api: api.get("/v3/senders", key="xkeysib-acm"))

    assert 'warning="unknown API key; used the standalone account acme instead (--keys any)"' in line


def test_the_line_of_a_refusal_has_its_reason_and_that_of_a_fault_its_id(logged):
    def play(api):
        api.get("/v3/webhooks/7")
        api.post("/_mock/faults", json={"fault": "unavailable", "id": "mine"})
        api.get("/v3/senders")

    refused, _, faulty = logged("text", play)

    assert " 404 " in refused
    assert re.search(r' reason="[^"]+"$', refused)
    assert " 503 " in faulty
    assert " fault=" in faulty


def test_a_request_without_an_answer_has_no_status(logged):
    def play(api):
        with pytest.raises(ConnectionResetError):
            api.get("/v3/senders", headers={"X-Mock-Fault": "connection_reset"})

    (line,) = logged("text", play)

    assert " GET /v3/senders - " in line


def test_a_line_names_the_workspace(logged):
    def play(api):
        key = api.post("/_mock/workspaces", json={"name": "mine"}).json["api_key"]
        api.get("/v3/senders", key=key)

    line = logged("text", play)[-1]

    assert " mine GET /v3/senders 200 " in line


def test_the_line_of_a_control_call_names_its_workspace_and_its_client(logged):
    def play(api):
        api.post("/_mock/workspaces", json={"name": "mine"})
        api.post("/w/mine/_mock/reset")
        api.post("/_mock/reset", headers={"X-Mock-Workspace": "mine"})
        api.post("/_mock/reset", json={"scenario": "nowhere"})
        api.delete("/_mock/coverage?workspace=mine")

    lines = logged("text", play)

    assert [re.sub(r"#\d+ |\S+ms ", "", line.partition(" ")[2]) for line in lines] == [
        "mine POST /_mock/workspaces 201 from=127.0.0.1",
        "mine POST /_mock/reset 200 from=127.0.0.1",
        "mine POST /_mock/reset 200 from=127.0.0.1",
        "- POST /_mock/reset 400 from=127.0.0.1",
        "mine DELETE /_mock/coverage?workspace=mine 204 from=127.0.0.1",
    ]


def test_a_control_call_that_is_refused_has_a_line(logged):
    def play(api):
        api.post("/_mock/reset", headers={"Origin": "http://evil.test"})
        api.get("/_mock/mailbx")

    lines = logged("text", play)

    assert ["403" in lines[0], "404" in lines[1]] == [True, True]


def test_a_control_call_is_an_object_in_a_log_of_json(logged):
    found = json.loads(logged("json", lambda api: api.get("/_mock/clock"))[0])

    assert found.keys() == {"time", "number", "workspace", "method", "path", "query", "status", "ms", "client"}
    assert (found["workspace"], found["path"], found["client"]) == ("default", "/_mock/clock", "127.0.0.1")


def test_a_control_call_that_waits_has_one_line(capfd):
    with MockServer("empty", log_format="text") as mock, ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(requests.get, f"{mock.url}/_mock/mailbox?to=jo@acme.test&wait=20")
        sender = {"name": "Jo", "email": "jo@acme.test"}
        requests.post(f"{mock.url}/v3/senders", json=sender, headers={"api-key": "any"})
        assert waiting.result().json()["count"] == 1

    assert capfd.readouterr().err.count("/_mock/mailbox") == 1


@pytest.mark.parametrize("path", ["/_mock/health", "/_mock/livez", "/_mock/readyz"])
def test_a_health_check_has_no_line(logged, path):
    assert logged("text", lambda api: api.get(path)) == []


def test_application_without_log_format_logs_nothing(make_api, capfd):
    make_api("empty").get("/v3/senders")

    assert capfd.readouterr().err == ""


# ---------------------------------------------------------------------- what it never says


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize(
    "address",
    [
        "/v3/senders?token=sesame", "/v3/senders?a=1&API-Key=sesame&b=2", "/v3/senders?%74oken=sesame",
        "/v3/senders?url=https%3A%2F%2Fme%3Asesame%40acme.test%2F", "/v3/senders?url=https://me:sesame@acme.test/",
    ],
)  # fmt: skip
def test_secrets_of_an_address_are_taken_out(logged, form, address):
    (line,) = logged(form, lambda api: api.get(address))

    assert "sesame" not in line
    assert "***" in line


@pytest.mark.parametrize("form", ["text", "json"])
def test_keys_codes_and_bodies_are_in_no_line(logged, form):
    def play(api):
        api.post("/v3/senders", key="sesame", json={"name": "sesame", "email": "a@acme.test"})
        otp = api.get("/_mock/mailbox").json["items"][0]["otp"]
        codes.append(str(otp))
        api.put("/v3/senders/1/validate", key="sesame", json={"otp": 111111})
        api.put("/v3/senders/1/validate", key="sesame", json={"otp": otp})

    codes = ["sesame", "111111"]
    text = "\n".join(logged(form, play))

    assert text.count("/v3/senders/1/validate") == 2
    assert [code for code in codes if code in text] == []


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize("path", ["/v3/a%0A2026-01-01 default GET /v3/forged 200", "/v3/a%1B[31m", "/v3/a%E2%80%A8b"])
def test_a_client_cannot_write_lines_of_its_own(logged, form, path):
    (line,) = logged(form, lambda api: api.get(path))

    assert line.isprintable()


def test_a_long_address_is_cut_short(logged):
    (line,) = logged("json", lambda api: api.get(f"/v3/{'a' * 5_000}?{'b' * 5_000}"))

    assert (len(json.loads(line)["path"]), len(json.loads(line)["query"])) == (1_000, 1_000)


# ---------------------------------------------------------------------- what the program says


def test_a_warning_of_the_program_has_a_line(pipe, logger):
    log = RequestLog(LogFormat.JSON, OPEN, target=pipe[1])

    logger(log).warning("workspace %s was evicted", "w-1")
    logger(log).info("not this")
    log.close()

    (line,) = read_all(pipe[0]).splitlines()
    found = json.loads(line)
    assert (found["level"], found["logger"]) == ("WARNING", "mockserver.core.workspaces.store")
    assert found["message"] == "workspace w-1 was evicted"


@pytest.mark.parametrize("form", [LogFormat.TEXT, LogFormat.OFF])
def test_a_traceback_follows_its_message(pipe, logger, form):
    log = RequestLog(form, OPEN, target=pipe[1])

    try:
        int("x")
    except ValueError:
        logger(log).exception("Exception on /v3/senders [GET]")
    log.close()

    first, *_, last = read_all(pipe[0]).splitlines()
    assert first.endswith(" ERROR mockserver.core.workspaces.store Exception on /v3/senders [GET]")
    assert last == "ValueError: invalid literal for int() with base 10: 'x'"


def test_secrets_are_taken_out_of_messages_of_the_program(pipe, logger):
    log = RequestLog(LogFormat.TEXT, Secrecy(lambda text: text.replace("sesame", "***"), str), target=pipe[1])

    logger(log).warning("the key is sesame")
    log.close()

    assert read_all(pipe[0]).endswith("the key is ***\n")


# ---------------------------------------------------------------------- nobody waits


def test_while_nobody_reads_the_log_requests_are_noted_at_once_and_the_oldest_lines_are_dropped(pipe):
    log = RequestLog(LogFormat.JSON, OPEN, target=pipe[1], limit=1_000)

    begun = time.monotonic()
    for number in range(20_000):
        log("default", exchange(id=str(number)))
    assert time.monotonic() - begun < 5

    log.close()  # it has nobody to wait for
    assert time.monotonic() - begun < 6
    lines = _drained(pipe[0], last="19999")
    lost = sum(int(line["message"].split()[0]) for line in lines if "message" in line)
    assert lost > 10_000
    assert lost + len([line for line in lines if "id" in line]) == 20_000


def _drained(end, last):
    """The lines out of a pipe whose writer goes on as soon as somebody reads, until a request comes up."""
    text = ""
    while f'"id":"{last}"' not in text:
        assert select.select([end], [], [], 10)[0], "there is nothing more to read"
        text += os.read(end, 65536).decode()
    return [json.loads(line) for line in text.splitlines()]


def test_an_entry_noted_just_before_the_end_is_written(pipe):
    log = RequestLog(LogFormat.TEXT, OPEN, target=pipe[1])
    for number in range(100):
        log("default", exchange(id=str(number)))

    log.close()

    assert [line.split()[-1] for line in read_all(pipe[0]).splitlines()] == [str(number) for number in range(100)]


def test_lines_of_several_threads_stay_whole(pipe):
    log = RequestLog(LogFormat.JSON, OPEN, target=pipe[1])
    threads = [threading.Thread(target=lambda: [log("w", exchange()) for _ in range(50)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    log.close()

    assert {json.loads(line)["id"] for line in read_all(pipe[0]).splitlines()} == {"id-1"}


def test_the_thread_of_a_log_whose_reader_has_left_ends(begun):
    end, target = os.pipe()
    os.close(end)
    writer = LogWriter(str, str, target=target)

    writer.put("a\n")
    writer.close()
    writer.put("b\n")

    assert begun("log") == []
    os.close(target)


def test_a_log_to_a_target_that_does_not_block_is_written_whole(pipe):
    os.set_blocking(pipe[1], False)
    log = RequestLog(LogFormat.JSON, OPEN, target=pipe[1])
    for number in range(2_000):
        log("default", exchange(id=str(number)))

    assert len(_drained(pipe[0], last="1999")) == 2_000
    log.close()


def test_a_log_without_a_line_has_no_thread(make_api, begun):
    api = make_api("empty", log_format="text")

    assert begun("log") == []
    api.app.log.close()


def test_a_server_within_a_program_writes_the_waiting_lines_when_the_server_stops(capfd, begun):
    with MockServer("empty", log_format="text") as mock:
        requests.get(f"{mock.url}/v3/senders", headers={"api-key": "any"})

    assert " default GET /v3/senders 200 " in capfd.readouterr().err
    assert begun("log") == []


# ---------------------------------------------------------------------- the program itself


@pytest.fixture
def program():
    """The program, with a pipe for stderr; its root address beside it."""
    started = []

    def start(*arguments, **environment):
        process = subprocess.Popen(
            [sys.executable, "-m", "mockserver", "serve", "--port", "0", "--scenario", "empty", *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ | environment, text=True,
        )  # fmt: skip
        started.append(process)
        return process, process.stdout.readline().strip()

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_the_program_logs_text_and_writes_the_waiting_lines_before_the_end(program):
    process, root = program()
    requests.get(f"{root}/v3/senders", headers={"api-key": "any"})
    process.terminate()

    _, errors = process.communicate(timeout=2)

    assert (process.returncode, len(errors.splitlines())) == (0, 1)
    assert " default GET /v3/senders 200 " in errors


@pytest.mark.parametrize(("form", "lines"), [("off", 1), ("json", 6)])
def test_the_programs_own_warnings_are_written_in_any_case(program, form, lines):
    process, root = program("--workspaces-limit", "2", MOCKSERVER_LOG_FORMAT=form)
    for _ in range(2):
        requests.post(f"{root}/_mock/workspaces")
    for _ in range(3):
        requests.get(f"{root}/v3/senders", headers={"api-key": "any"})
    process.terminate()

    _, errors = process.communicate(timeout=2)

    assert len(errors.splitlines()) == lines
    assert errors.count("was evicted") == 1


def test_a_stderr_that_nobody_reads_delays_neither_requests_nor_the_end(program):
    process, root = program()
    with requests.Session() as session:
        session.headers["api-key"] = "any"
        for number in range(200):
            assert session.get(f"{root}/v3/senders?n={number}&filler={'x' * 900}", timeout=5).status_code == 200

    process.terminate()

    assert process.wait(timeout=2) == 0


def test_requests_to_a_workspace_that_is_not_counted_have_no_line(logged):
    def play(api):
        api.post("/_mock/workspaces", json={"name": "quiet", "counted": False})
        api.get("/w/quiet/v3/senders")
        api.post("/w/quiet/_mock/reset")
        api.get("/v3/account")

    (line,) = logged("text", play)

    assert " default GET /v3/account " in line
