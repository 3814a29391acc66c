"""The plugin writes a folder for each failed test, with a script that replays it."""

import json
import operator
import shutil
import subprocess
import sys
from functools import reduce

import pytest
import requests

from mockserver import MockServer
from mockserver.scenario.documents.reading import parse
from mockserver.testing.sessions.folder import safe_name
from mockserver.testing.sessions.replaying import program


@pytest.fixture
def artifacts(run, pytester):
    """Runs a suite with artifacts, and returns the folders that are there then."""

    def run_suite(suite, *options):
        run(suite, "--mockserver-artifacts", "artifacts", *options)
        return folders(pytester)

    return run_suite


def folders(pytester):
    return sorted((pytester.path / "artifacts").glob("*"))


def read(path):
    return json.loads(path.read_text())


FAILING = """
    def test_fails(mockserver):
        mockserver.clock.advance(minutes=1)
        call(mockserver, "/senders", b'{"name": "Jo", "email": "jo@acme.test"}')
        call(mockserver, "/senders/3/validate", b'{"otp": 100000}')
"""


# ---------------------------------------------------------------------- what is in a folder


def test_a_folder_has_all_that_the_workspace_held(artifacts):
    [folder] = artifacts("""
    @pytest.mark.mockserver(scenario="onboarding", seed=3)
    def test_fails(mockserver):
        call(mockserver, "/senders", b'{"name": "Jo", "email": "jo@acme.test"}')
        mockserver.faults.add("server_error")
        assert False
    """)

    assert [row["operation"] for row in read(folder / "journal.json")["items"]] == ["createSender"]
    assert [row["path"] for row in read(folder / "calls.json")["items"]] == ["/_mock/workspaces", "/_mock/faults"]
    assert [row["to"] for row in read(folder / "mails" / "index.json")["items"]] == ["jo@acme.test"]
    assert "To: jo@acme.test" in (folder / "mails" / "0001.eml").read_text()
    assert [row["fault"] for row in read(folder / "faults.json")["items"]] == ["server_error"]
    assert [read(folder / f"{name}.json")["items"] for name in ("deliveries", "timers", "stubs")] == [[], [], []]
    assert read(folder / "coverage.json")["operations"]["createSender"]["calls"] == 1
    assert read(folder / "test.json")["test"] == "test_it.py::test_fails"
    assert "assert False" in (folder / "report.txt").read_text()
    assert "POST /v3/senders 201" in (folder / "report.txt").read_text()


def test_the_states_are_scenarios_of_before_and_after_the_test(artifacts):
    [folder] = artifacts("""
    @pytest.mark.mockserver(scenario="onboarding", seed=3)
    def test_fails(mockserver):
        call(mockserver, "/senders", b'{"name": "Jo", "email": "jo@acme.test"}')
        assert False
    """)

    before, after = (parse((folder / f"state-{when}.yaml").read_text(), when) for when in ("before", "after"))

    assert [row["email"] for row in after["accounts"][0]["senders"]][-1] == "jo@acme.test"
    assert after["accounts"][0]["senders"][:-1] == before["accounts"][0]["senders"]
    assert after["accounts"][0]["api_keys"] == before["accounts"][0]["api_keys"]
    assert (before["seed"], read(folder / "state-before.json")["seed"]) == (3, 3)


def test_a_test_that_passes_or_is_expected_to_fail_has_no_folder(artifacts):
    found = artifacts("""
    def test_passes(mockserver):
        call(mockserver)

    @pytest.mark.xfail
    def test_expected(mockserver):
        assert False

    def test_without():
        assert False
    """)

    assert found == []


@pytest.mark.parametrize("last", ["", "\n    def test_last():\n        pass\n"], ids=["the last test", "another test"])
@pytest.mark.parametrize(
    ("phase", "body"),
    [("setup", "raise OSError\n        yield"), ("teardown", "yield\n        raise OSError")],
    ids=["setup", "teardown"],
)
def test_a_fixture_that_fails_has_a_folder_as_well(artifacts, phase, body, last):
    [folder] = artifacts(f"""
    @pytest.fixture
    def client(mockserver):
        call(mockserver)
        {body}

    def test_it(client):
        pass
    {last}""")

    assert read(folder / "test.json")["phase"] == phase
    assert [row["operation"] for row in read(folder / "journal.json")["items"]] == ["getAccount"]


def test_the_report_says_where_the_folder_is(run, pytester):
    result = run(FAILING, "--mockserver-artifacts", "artifacts")

    [folder] = folders(pytester)
    result.stdout.fnmatch_lines(["*- mockserver artifacts -*", str(folder)])


@pytest.mark.parametrize("way", ["variable", "setting"])
def test_a_variable_and_a_setting_name_the_folder_too(run, pytester, monkeypatch, way):
    if way == "variable":
        monkeypatch.setenv("MOCKSERVER_ARTIFACTS", "artifacts")
    else:
        pytester.makeini("[pytest]\nmockserver_artifacts = artifacts")

    run(FAILING)

    assert len(folders(pytester)) == 1


def test_a_folder_that_cannot_be_written_is_told_and_hides_no_failure(run, pytester):
    (pytester.path / "artifacts").write_text("a file")

    result = run(FAILING, "--mockserver-artifacts", "artifacts")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*HTTPError*", "they cannot be written to *artifacts: *"])


# ---------------------------------------------------------------------- the names of folders


def test_the_folder_of_an_earlier_session_gives_way(artifacts):
    [before] = artifacts(FAILING)
    (before / "mine.txt").write_text("")
    [after] = artifacts(FAILING)

    assert before == after
    assert not (after / "mine.txt").exists()


def test_parameters_and_workers_have_folders_of_their_own(run, pytester):
    run(
        """
    @pytest.mark.parametrize("name", ["a/b", "a b", "A B", "x" * 300])
    def test_fails(mockserver, name):
        assert False
    """,
        "--mockserver-artifacts",
        "artifacts",
        "-n",
        "2",
        "-p",
        "no:cacheprovider",
    )

    assert len(folders(pytester)) == 4


@pytest.mark.parametrize(
    "nodeid", ["con.py::test_a[b:c*?]", "tests/test_ü.py::test[\x1b\n]", f"{'d/' * 200}test.py::test", "aux"]
)
def test_a_name_of_a_folder_is_one_on_every_file_system(nodeid):
    name = safe_name(nodeid)

    assert len(name) <= 90
    assert name.isascii()
    assert name.replace("-", "").replace("_", "").isalnum()
    assert "-" in name  # so that it is no device of Windows


def test_names_that_differ_in_what_is_left_out_are_told_apart():
    assert safe_name("test.py::test[a/b]") != safe_name("test.py::test[a b]") != safe_name("test.py::test[A b]")


# ---------------------------------------------------------------------- the script


def replay(folder, url, *options):
    command = [sys.executable, "-I", folder / "replay.py", url, *options]
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)


def test_the_script_sends_the_same_requests_to_another_server_and_gets_the_same_answers(artifacts, running):
    [folder] = artifacts("""
    import urllib.error

    def refused(*arguments):
        with pytest.raises(urllib.error.HTTPError):
            call(*arguments)

    def test_fails(mockserver):
        call(mockserver, "/senders", b'{"name": "Jo", "email": "jo@acme.test"}')
        number = mockserver.requests.latest().answer.body["id"]
        code = mockserver.mailbox.latest().otp
        receiver = mockserver.receiver()
        call(mockserver, "/webhooks", b'{"url": "%s", "events": ["delivered"]}' % receiver.url.encode())
        mockserver.faults.add("connection_reset", times=1, match={"operation": "getAccount"})
        with pytest.raises(OSError):
            call(mockserver)
        mockserver.clock.advance(minutes=16)
        refused(mockserver, f"/senders/{number}/validate", b'{"otp": %d}' % code, "PUT")
        assert mockserver.requests.latest().answer.body["code"] == "an error of another kind"
    """)

    found = replay(folder, running)

    *lines, count, workspace = found.stdout.splitlines()
    assert found.returncode == 0, found.stdout
    assert [line.split()[0] for line in lines] == ["same"] * len(lines)
    assert [line.split()[1:] for line in lines[-3:]] == [
        ["GET", "/v3/account", "no", "answer"],
        ["POST", "/_mock/clock/advance", "200"],
        ["PUT", "/v3/senders/6/validate", "400"],
    ]
    assert count == f"{len(lines)} of {len(lines)} answers are those of the test"
    assert running in workspace


def test_an_answer_that_is_another_one_is_told(artifacts, running):
    [folder] = artifacts("""
    def test_fails(mockserver):
        call(mockserver)
        assert False
    """)
    state = read(folder / "state-before.json")
    state["accounts"][0]["company_name"] = "Another"
    (folder / "state-before.json").write_text(json.dumps(state))

    found = replay(folder, running, "--drop")

    assert found.returncode == 1
    assert found.stdout.splitlines() == [
        "differs  GET /v3/account 200",
        '         /companyName is "Another" and not "Acme"',
        "0 of 1 answers are those of the test",
    ]


def test_a_body_that_was_sent_without_a_type_is_sent_so_again(artifacts, running):
    [folder] = artifacts("""
    from contextlib import closing
    from http.client import HTTPConnection
    from urllib.parse import urlsplit

    def test_fails(mockserver):
        address = urlsplit(mockserver.url)
        with closing(HTTPConnection(address.netloc)) as connection:
            connection.request("POST", address.path + "/senders", b"{", {"api-key": mockserver.api_key})
            with connection.getresponse() as answer:
                assert answer.status == 201
    """)

    found = replay(folder, running)

    assert found.stdout.splitlines()[0] == "same     POST /v3/senders 400"


@pytest.fixture(scope="module")
def kept(tmp_path_factory, running):
    """The folder of a test that has made one request."""
    with MockServer.connect(running) as server, server.workspace() as workspace:
        requests.get(f"{workspace.url}/account", headers={"api-key": workspace.api_key}, timeout=60)
        here = {"headers": {"X-Mock-Workspace": workspace.name}}
        files = {
            "test.json": {"workspace": server.client.json("GET", f"/_mock/workspaces/{workspace.name}")},
            "journal.json": {**server.client.json("GET", "/_mock/requests", **here), "evicted": 0},
            "calls.json": {"items": [], "evicted": 0},
            "state-before.json": server.client.json("GET", "/_mock/state", **here),
        }
    folder = tmp_path_factory.mktemp("kept")
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content))
    return folder


def test_what_is_whole_is_replayed(kept, running):
    assert program.main(kept, [running, "--drop"]) == 0


@pytest.mark.parametrize(
    ("file", "place", "value"),
    [
        ("test.json", "workspace", None),
        ("journal.json", "items", 5),
        ("journal.json", "items/0/request/headers", True),
        ("journal.json", "items/0/at", "2026-99-01"),
        ("journal.json", "items/0/path", None),
        ("calls.json", "evicted", "x"),
        ("state-before.json", "seed", "none"),
    ],
)
def test_damaged_files_are_told_in_a_line(kept, running, tmp_path, capsys, file, place, value):
    folder = shutil.copytree(kept, tmp_path / "damaged")
    content = read(folder / file)
    *way, last = (int(member) if member.isdigit() else member for member in place.split("/"))
    reduce(operator.getitem, way, content)[last] = value
    (folder / file).write_text(json.dumps(content))

    with pytest.raises(SystemExit) as end:
        program.main(folder, [running, "--drop"])

    assert end.value.code == 2
    assert capsys.readouterr().err.startswith("Error: ")


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://127.0.0.1:9", "Error: no mock server answers at http://127.0.0.1:9: "),
        ("file:///etc", "usage: "),
        ("http://[", "usage: "),
    ],
)
def test_a_script_without_a_server_says_so(artifacts, url, expected):
    [folder] = artifacts(FAILING)

    found = replay(folder, url)

    assert found.returncode == 2
    assert found.stderr.startswith(expected)
