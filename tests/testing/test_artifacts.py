"""The plugin writes a folder for each failed test, which `mockserver verify` replays."""

import json
import operator
import shutil
from functools import reduce

import pytest
import requests
from cli_runner import invoke

from mockserver import MockServer
from mockserver.scenario.documents.reading import parse
from mockserver.testing.sessions.artifacts import safe_name


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


def test_a_folder_has_all_that_the_workspace_held_and_its_states_before_and_after_the_test(artifacts):
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
    assert "createSender</bdi>" in (folder / "trace.html").read_text()
    before, after = (parse((folder / f"state-{when}.yaml").read_text(), when) for when in ("before", "after"))

    assert [row["email"] for row in after["accounts"][0]["senders"]][-1] == "jo@acme.test"
    assert after["accounts"][0]["senders"][:-1] == before["accounts"][0]["senders"]
    assert after["accounts"][0]["api_keys"] == before["accounts"][0]["api_keys"]
    assert (before["seed"], read(folder / "state-before.json")["seed"]) == (3, 3)


def test_workspace_of_a_module_has_a_folder_for_each_failed_test_that_has_used_it(artifacts, replay):
    found = artifacts("""
    @pytest.fixture(scope="module")
    def shop(mockserver_server):
        with mockserver_server.workspace("onboarding", name="shop", seed=3) as found:
            yield found

    def test_fails(shop):
        call(shop, "/senders", b'{"name": "Jo", "email": "jo@acme.test"}')
        assert False

    def test_fails_as_well(shop):
        call(shop, "/senders/3/validate", b'{"otp": 100000}')

    def test_uses_another(mockserver):
        assert False
    """)

    rows = [(read(folder / "test.json"), read(folder / "journal.json")["count"]) for folder in found]
    assert [(about["test"], about["workspace"]["name"] == "shop", count) for about, count in rows] == [
        ("test_it.py::test_fails", True, 1),
        ("test_it.py::test_fails_as_well", True, 2),
        ("test_it.py::test_uses_another", False, 0),
    ]
    assert read(found[0] / "state-before.json")["seed"] == 3
    assert replay(found[1]).exit_code == 0


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


@pytest.mark.parametrize("way", ["option", "variable", "setting"])
def test_the_report_says_where_the_folder_is_that_an_option_variable_or_setting_names(run, pytester, monkeypatch, way):
    if way == "variable":
        monkeypatch.setenv("MOCKSERVER_ARTIFACTS", "artifacts")
    elif way == "setting":
        pytester.makeini("[pytest]\nmockserver_artifacts = artifacts")

    result = run(FAILING, *(["--mockserver-artifacts", "artifacts"] if way == "option" else []))

    [folder] = folders(pytester)
    result.stdout.fnmatch_lines(["*- mockserver artifacts -*", str(folder)])


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


def test_parameters_and_workers_have_folders_of_their_own(artifacts):
    suite = """
    @pytest.mark.parametrize("name", ["a/b", "a b", "A B", "x" * 300])
    def test_fails(mockserver, name):
        assert False
    """
    assert len(artifacts(suite, "-n", "2", "-p", "no:cacheprovider")) == 4


def test_a_name_of_a_folder_is_one_on_every_file_system():
    for nodeid in ["con.py::test_a[b:c*?]", "tests/test_ü.py::test[\x1b\n]", f"{'d/' * 200}test.py::test", "aux"]:
        name = safe_name(nodeid)
        assert len(name) <= 90
        assert name.isascii()
        assert name.replace("-", "").replace("_", "").isalnum()
        assert "-" in name  # so that it is no device of Windows


def test_names_that_differ_in_what_is_left_out_are_told_apart():
    assert safe_name("test.py::test[a/b]") != safe_name("test.py::test[a b]") != safe_name("test.py::test[A b]")


# ---------------------------------------------------------------------- the replay


@pytest.fixture(params=["here", "elsewhere"])
def replay(request):
    """Replays a folder by a server in this process, or by a running one, and returns what the command has printed."""
    where = () if request.param == "here" else ("--url", request.getfixturevalue("running"))
    return lambda folder, *options: invoke(["verify", str(folder), *where, *options])


def test_a_replay_makes_the_same_requests_and_gets_the_same_answers(artifacts, replay):
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
        refused(mockserver, f"/senders/{number}/validate", b'{"otp": 1}', "PUT")
        refused(mockserver, f"/senders/{number}/validate", b'{"otp": "no number"}', "PUT")
        refused(mockserver, f"/senders/{number}/validate", b'{"otp": %d}' % (code - 1 or code + 1), "PUT")
        mockserver.faults.add("connection_reset", times=1, match={"operation": "getAccount"})
        with pytest.raises(OSError):
            call(mockserver)
        mockserver.clock.advance(minutes=16)
        refused(mockserver, f"/senders/{number}/validate", b'{"otp": %d}' % code, "PUT")
        assert mockserver.requests.latest().answer.body["code"] == "an error of another kind"
    """)

    found = replay(folder)

    *lines, count = found.stdout.splitlines()
    assert found.exit_code == 0, found.output
    assert [line.split()[0] for line in lines] == ["same"] * len(lines)
    assert [line.split()[1:] for line in lines[-3:]] == [
        ["GET", "/v3/account", "no", "answer"],
        ["POST", "/_mock/clock/advance", "200"],
        ["PUT", "/v3/senders/6/validate", "400"],
    ]
    assert count == f"{len(lines)} of {len(lines)} answers are those of the test"


def test_a_replay_verifies_a_sender_with_the_code_of_its_own_workspace(artifacts, replay):
    [folder] = artifacts("""
    def test_fails(mockserver):
        call(mockserver, "/senders", b'{"name": "Jo", "email": "jo@acme.test"}')
        code = mockserver.mailbox.latest().otp
        call(mockserver, "/senders/6/validate", b'{"otp": %d}' % code, "PUT")
        assert mockserver.requests.latest().status == 200
    """)
    state = read(folder / "state-before.json")
    (folder / "state-before.json").write_text(json.dumps({**state, "seed": state["seed"] + 1}))

    assert replay(folder).stdout.splitlines()[1:2] == ["same     PUT /v3/senders/6/validate 204"]


#: Signs a user in by OAuth, and asks the API something with the access token.
OAUTH = """
    import base64, hashlib, json, urllib.error, urllib.parse

    class NoRedirect(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *arguments):
            return None

    def ask(url, form=None, **headers):
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), NoRedirect())
        data = None if form is None else urllib.parse.urlencode(form).encode()
        try:
            return opener.open(urllib.request.Request(url, data, headers))
        except urllib.error.HTTPError as error:
            return error

    @pytest.mark.mockserver(scenario="oauth-public")
    def test_fails(mockserver):
        mockserver.apps.create(
            name="ERP", client_id="ab" * 16, redirect_uris=["http://localhost/cb"], scopes=["account:read"]
        )
        app = mockserver.apps.list()[%(number)s]
        verifier = "v" * 43
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
        asked = {"response_type": "code", "client_id": app.client_id, "redirect_uri": app.redirect_uris[0],
                 "scope": "account:read", "mock_user": "owner@acme.test", "mock_consent": "accept",
                 "code_challenge": challenge, "code_challenge_method": "S256"}
        back = ask(f"{mockserver.auth_url}/authorize?{urllib.parse.urlencode(asked)}").headers["Location"]
        code = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(back).query))["code"]
        basic = base64.b64encode(f"{app.client_id}:{app.client_secret}".encode()).decode()
        form = {"grant_type": "authorization_code", "code": code, "code_verifier": verifier}
        answer = ask(f"{mockserver.auth_url}/token", form | %(form)s, **%(headers)s)
        token = json.load(answer)["access_token"]
        assert ask(f"{mockserver.url}/account", authorization=f"Bearer {token}").status == 200
        assert ask(f"{mockserver.url}/account", authorization="Bearer wrong").status == 200
"""


@pytest.mark.parametrize(
    ("number", "form", "headers"),
    [
        (2, "{}", "{'authorization': f'Basic {basic}'}"),
        (0, "{'client_id': app.client_id, 'client_secret': app.client_secret}", "{}"),
        (1, "{'client_id': app.client_id}", "{}"),
    ],
    ids=["credentials in a header", "credentials in the form", "public"],
)
def test_a_replay_signs_in_by_oauth_with_the_secrets_of_its_own_workspace(artifacts, replay, number, form, headers):
    [folder] = artifacts(OAUTH % {"number": number, "form": form, "headers": headers})

    found = replay(folder)

    assert [[line.split()[0], line.split()[-1]] for line in found.stdout.splitlines()[:-1]] == [
        ["same", "201"], ["same", "302"], ["same", "200"], ["same", "200"], ["same", "401"],
    ], found.output  # fmt: skip


def test_replay_draws_the_redacted_keys_of_a_state_again(artifacts, replay):
    [folder] = artifacts("""
    def test_fails(mockserver):
        document = {"accounts": [{"name": "shop", "api_keys": ["k3y-of-the-shop"]}]}
        mockserver.state.put(document)
        assert False
    """)
    assert "k3y-of-the-shop" not in (folder / "calls.json").read_text()

    assert replay(folder).exit_code == 0


def test_a_replay_tells_how_an_answer_differs(artifacts, replay):
    [folder] = artifacts("""
    def test_fails(mockserver):
        call(mockserver)
        assert False
    """)
    state = read(folder / "state-before.json")
    state["accounts"][0]["company_name"] = "Another"
    (folder / "state-before.json").write_text(json.dumps(state))

    found = replay(folder)

    assert found.exit_code == 1
    assert found.stdout.splitlines() == [
        "differs  GET /v3/account 200",
        '         /companyName is "Another" and not "Acme"',
        "0 of 1 answers are those of the test",
    ]


def test_a_body_that_was_sent_without_a_type_is_sent_so_again(artifacts, replay):
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

    assert replay(folder).stdout.splitlines()[0] == "same     POST /v3/senders 400"


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


@pytest.fixture
def changed(kept, tmp_path):
    """A factory of folders like `kept`, in which the value at one place of one file is another one."""

    def change(file, place, value):
        folder = shutil.copytree(kept, tmp_path / "changed")
        content = read(folder / file)
        *way, last = (int(member) if member.isdigit() else member for member in place.split("/"))
        reduce(operator.getitem, way, content)[last] = value
        (folder / file).write_text(json.dumps(content))
        return folder

    return change


def names_of_workspaces(url):
    with MockServer.connect(url) as server:
        return {workspace.name for workspace in server.workspaces()}


def test_a_replay_drops_its_workspace_unless_it_is_kept(kept, running):
    before = names_of_workspaces(running)

    dropped = invoke(["verify", str(kept), "--url", running])
    after = names_of_workspaces(running)
    [line] = invoke(["verify", str(kept), "--url", running, "--keep"]).stdout.splitlines()[2:]
    [name] = names_of_workspaces(running) - before

    assert (dropped.exit_code, after) == (0, before)
    assert line == f"workspace {name}: {running}/w/{name}/_mock/ui/"


@pytest.mark.parametrize("option", [["--keep"], ["--until", "1"]])
def test_a_workspace_of_this_process_cannot_be_kept(kept, option):
    found = invoke(["verify", str(kept), *option])

    assert (found.exit_code, found.stdout) == (2, "")
    assert f"{option[0]} needs FOLDER and --url" in found.stderr


def test_a_replay_until_a_request_stops_after_it_and_keeps_the_workspace(artifacts, running):
    [folder] = artifacts("""
    def test_fails(mockserver):
        mockserver.clock.advance(minutes=1)
        call(mockserver, "/senders", b'{"name": "Jo", "email": "jo@acme.test"}')
        mockserver.clock.advance(minutes=2)
        call(mockserver)
        mockserver.clock.advance(minutes=3)
        call(mockserver, "/webhooks")
        assert False
    """)
    before = names_of_workspaces(running)

    *lines, count, address = invoke(["verify", str(folder), "--url", running, "--until", "2"]).stdout.splitlines()
    [name] = names_of_workspaces(running) - before

    assert [line.split()[1:3] for line in lines] == [
        ["POST", "/_mock/clock/advance"], ["POST", "/v3/senders"],
        ["POST", "/_mock/clock/advance"], ["GET", "/v3/account"],
    ]  # fmt: skip
    assert count == "4 of 4 answers are those of the test"
    assert address == f"workspace {name}: {running}/w/{name}/_mock/ui/"


def test_a_replay_until_a_request_that_the_test_has_not_made_is_refused_and_leaves_no_workspace(kept, running):
    before = names_of_workspaces(running)

    found = invoke(["verify", str(kept), "--url", running, "--until", "2"])

    assert (found.exit_code, found.stdout) == (2, "")
    assert "--until 2: the folder has only 1 request" in found.stderr
    assert names_of_workspaces(running) == before


def test_a_replay_names_the_requests_that_differ_in_json(changed):
    found = invoke(["verify", str(changed("journal.json", "items/0/status", 404)), "--json"])

    assert json.loads(found.stdout) == {"answers": 1, "differences": {"1: GET /v3/account 404": ["200 and not 404"]}}


def test_several_folders_are_replayed_one_after_another(kept, changed):
    other = changed("journal.json", "items/0/status", 404)

    same = invoke(["verify", str(kept), str(kept)])
    text, told = (invoke(["verify", str(kept), str(other), *option]) for option in ([], ["--json"]))

    assert (same.exit_code, text.exit_code, told.exit_code) == (0, 1, 1)
    assert text.stdout.splitlines() == [
        f"{kept}:", "same     GET /v3/account 200", "1 of 1 answers are those of the test",
        f"{other}:", "differs  GET /v3/account 404", "         200 and not 404", "0 of 1 answers are those of the test",
    ]  # fmt: skip
    differences = {f"{other}: 1: GET /v3/account 404": ["200 and not 404"]}
    assert json.loads(told.stdout) == {"answers": 2, "differences": differences}


def test_a_folder_that_cannot_be_read_is_named_and_the_others_are_replayed(kept, tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()

    found = invoke(["verify", str(empty), str(kept)])

    assert (found.exit_code, found.stdout.splitlines()[-1]) == (2, "1 of 1 answers are those of the test")
    assert f"{empty}, or the file of MOCKSERVER_CA, cannot be read" in found.stderr


def test_each_folder_is_kept_in_a_workspace_of_its_own_and_until_takes_one_folder(kept, running):
    before = names_of_workspaces(running)
    kept_both = invoke(["verify", str(kept), str(kept), "--url", running, "--keep"])
    refused = invoke(["verify", str(kept), str(kept), "--url", running, "--until", "1"])

    assert (kept_both.exit_code, len(names_of_workspaces(running) - before)) == (0, 2)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "--until needs FOLDER and --url: it stops in one test" in refused.stderr


@pytest.mark.parametrize(
    ("place", "value", "told"),
    [("evicted", 1500, "the 1,500 oldest requests and calls are missing: they were not kept\n"),
     ("items/0/path", "/v3/\x1b[2J", "differs  GET /v3/\\x1b[2J 200\n")],
)  # fmt: skip
def test_a_replay_tells_how_much_is_missing_and_escapes_control_characters(changed, place, value, told):
    assert told in invoke(["verify", str(changed("journal.json", place, value))]).output


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
def test_a_damaged_folder_is_refused_and_leaves_no_workspace(changed, running, file, place, value):
    before = names_of_workspaces(running)

    found = invoke(["verify", str(changed(file, place, value)), "--url", running, "--keep"])

    assert (found.exit_code, found.stdout) == (2, "")
    assert found.stderr.startswith("Error: ")
    assert names_of_workspaces(running) == before


def test_a_replay_without_a_server_ends_with_2(kept):
    for url, expected in [
        ("http://127.0.0.1:9", "Error: no server at http://127.0.0.1:9; "),
        ("file:///etc", "Error: file:///etc is not the address of a server: "),
    ]:
        found = invoke(["verify", str(kept), "--url", url])
        assert (found.exit_code, found.stdout) == (2, "")
        assert found.stderr.startswith(expected)
