"""The pytest plugin, seen by suites that use it: workspaces, and the report of a failed test."""

import re

import pytest

from mockserver import MockServer

# ---------------------------------------------------------------------- fixtures and marker


def test_every_test_has_a_fresh_workspace_that_is_dropped_after_it(run):
    result = run("""
    seen = []

    def test_one(mockserver):
        seen.append(mockserver.name)
        mockserver.faults.add("server_error")

    def test_two(mockserver, mockserver_server):
        assert mockserver.name not in seen
        assert mockserver.faults.all() == []
        assert {workspace.name for workspace in mockserver_server.workspaces()} == {"default", mockserver.name}
        assert mockserver.scenario == "standard"
        assert call(mockserver) == 200
    """)

    result.assert_outcomes(passed=2)


def test_the_server_is_one_for_the_session_and_stops_with_it(run, pytester):
    result = run("""
    import pathlib

    @pytest.mark.parametrize("number", [1, 2])
    def test_url(mockserver_server, number):
        with pathlib.Path("urls").open("a") as file:
            print(mockserver_server.url, file=file)
    """)

    result.assert_outcomes(passed=2)
    first, second = (pytester.path / "urls").read_text().split()
    assert first == second
    with pytest.raises(Exception, match="no server at"):
        MockServer.connect(first)


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("http://127.0.0.1:9", "no server at http://127.0.0.1:9; start one with"),
        ("mock:8003", "'mock:8003' is no address of a server: it begins with http:// or https://"),
    ],
)
def test_an_address_at_which_nothing_answers_fails_a_test_with_a_sentence(run, monkeypatch, url, sentence):
    monkeypatch.setenv("MOCKSERVER_URL", url)

    result = run("def test_it(mockserver): pass")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"{sentence}*"])
    result.stdout.no_fnmatch_line("*Error: *mock*py:*")


def test_a_marker_chooses_scenario_and_seed_and_the_closest_one_wins(run):
    result = run("""
    pytestmark = pytest.mark.mockserver(scenario="onboarding", seed=3)

    def test_module(mockserver):
        assert (mockserver.scenario, mockserver.state.get()["seed"]) == ("onboarding", 3)

    @pytest.mark.mockserver(scenario="empty")
    class TestClass:
        def test_class(self, mockserver):
            assert (mockserver.scenario, mockserver.state.get()["seed"]) == ("empty", 3)

        @pytest.mark.mockserver(scenario={"senders": [{"name": "Ada", "email": "ada@acme.test"}]}, seed=4)
        def test_function(self, mockserver):
            assert (len(mockserver.machines.instances("sender")), mockserver.state.get()["seed"]) == (1, 4)
    """)

    result.assert_outcomes(passed=3)


def test_a_scenario_is_chosen_by_overriding_a_fixture(run):
    result = run("""
    @pytest.fixture(params=["onboarding", {"extends": "corporate-v2"}])
    def mockserver_scenario(request):
        return request.param

    def test_fixture(mockserver, mockserver_scenario):
        assert mockserver.scenario in (mockserver_scenario, "document")
        assert mockserver.scenario != "standard"

    @pytest.mark.mockserver(scenario="empty")
    def test_marker(mockserver):
        assert mockserver.scenario == "empty"
    """)

    result.assert_outcomes(passed=4)


@pytest.mark.parametrize(
    "chosen", ["", ", scenario='onboarding'", ", scenario={'seed': 5}", ", scenario=pathlib.Path('story.yaml')"]
)
def test_a_strict_workspace_refuses_what_the_service_does_not_know(run, pytester, chosen):
    pytester.path.joinpath("story.yaml").write_text("seed: 5")

    result = run(f"""
    import pathlib, urllib.error

    @pytest.mark.mockserver(strict=True{chosen})
    def test_strict(mockserver):
        with pytest.raises(urllib.error.HTTPError, match="400"):
            call(mockserver, "/senders", b'{{"name": "A", "email": "a@acme.test", "colour": "red"}}')
        assert mockserver.requests.latest().answer.body["code"] == "invalid_parameter"
        mockserver.reset()
        assert mockserver.state.get()["strict"] is True

    @pytest.mark.mockserver(strict=False{chosen})
    def test_not_strict(mockserver):
        assert call(mockserver, "/senders", b'{{"name": "A", "email": "a@acme.test", "colour": "red"}}') == 201
    """)

    result.assert_outcomes(passed=2)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("'onboarding'", "takes arguments by name only, such as scenario='onboarding'"),
        ("colour='red'", "takes no colour; it takes scenario, seed, strict, behaviour, vary"),
        ("seed='x'", "takes no seed='x'"),
        ("strict=1", "takes no strict=1"),
        ("behaviour=1", "takes no behaviour=1"),
        ("scenario=7", "takes no scenario=7"),
        ("vary='7'", "takes no vary='7'; it takes a whole number, or several such as range(20)"),
        ("vary=[1, None]", "takes no vary=[[]1, None[]]; it takes a whole number, or several such as range(20)"),
    ],
)
def test_a_marker_with_wrong_arguments_stops_the_session(run, arguments, expected):
    result = run(f"@pytest.mark.mockserver({arguments})\ndef test_never(mockserver): pass")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: *test_it.py::test_never: @pytest.mark.mockserver {expected}"])


def test_a_marker_chooses_a_preset_of_behaviour(run):
    result = run("""
    @pytest.mark.mockserver(behaviour="recorded", scenario={"behaviour": {"webhook_limit": 3}})
    def test_recorded(mockserver):
        assert mockserver.state.get()["behaviour"] == {"preset": "recorded", "webhook_limit": 3}

    def test_default(mockserver):
        assert mockserver.state.get()["behaviour"] == {"preset": "documented"}
    """)

    result.assert_outcomes(passed=2)


def test_each_seed_of_a_marker_makes_a_test(run):
    result = run(
        """
    @pytest.mark.mockserver(vary=range(3))
    class TestClass:
        def test_each(self, mockserver):
            assert mockserver.state.get()["vary"]["seed"] in (0, 1, 2)
            assert len(mockserver.draws()) == 4

        @pytest.mark.mockserver(vary=7)
        def test_one(self, mockserver):
            assert mockserver.state.get()["vary"]["seed"] == 7

        @pytest.mark.parametrize("name", ["a", "b"])
        def test_others(self, name, mockserver): pass

        def test_none(self): pass
    """,
        "-v",
    )

    result.assert_outcomes(passed=3 + 1 + 6 + 1)
    result.stdout.fnmatch_lines(["*::test_each[[]vary-2[]] PASSED*", "*::test_others[[]*vary-1*[]] PASSED*"])


def test_the_report_of_a_failed_test_lists_the_draws(run):
    result = run("""
    @pytest.mark.mockserver(vary=range(1))
    def test_it(mockserver):
        assert not mockserver.draws()
    """)

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*mockserver vary=0*", "getDomainConfiguration returns CNAME records (behaviour dkim: cname; recorded)"]
    )


def test_each_draw_is_printed_once_in_the_report_of_a_failed_test(run):
    result = run("""
    @pytest.mark.mockserver(vary=range(1))
    def test_it(mockserver):
        call(mockserver)
        raise AssertionError
    """)

    draw = "getDomainConfiguration returns CNAME records (behaviour dkim: cname; recorded)"
    assert sum(draw in line for line in result.outlines) == 1
    result.stdout.fnmatch_lines(["GET /v3/account 200"])


def test_the_marker_of_the_plugin_is_registered(run):
    run("", "--markers").stdout.fnmatch_lines(
        ["@pytest.mark.mockserver(*, scenario=None, seed=None, strict=False, behaviour=None, vary=None): *"]
    )


# ---------------------------------------------------------------------- the report of a failed test


def test_the_report_of_a_failed_test_or_fixture_shows_the_journal(run):
    result = run("""
    def test_fails(mockserver):
        mockserver.faults.add("otp_expired", times=1)
        call(mockserver)
        call(mockserver, "/senders?ip=198.51.100.7")
        call(mockserver, "/senders", b'{"name": "A"}')

    @pytest.fixture
    def client(mockserver):
        call(mockserver, "/webhooks?type=marketing")
        raise OSError("no client")

    def test_never(client):
        pass
    """)

    result.assert_outcomes(failed=1, errors=1)
    result.stdout.fnmatch_lines(["*- mockserver journal -*", "GET */v3/webhooks?type=marketing *"])
    result.stdout.fnmatch_lines(
        [
            "*- mockserver journal -*",
            "GET */v3/account 200",
            "GET */v3/senders?ip=198.51.100.7 200",
            "POST */v3/senders 400",
            "    *missing field `email`*",
        ]
    )


def test_the_report_of_a_failed_test_shows_the_last_requests_only(run):
    result = run("""
    def test_fails(mockserver):
        for number in range(30):
            call(mockserver, f"/senders?ip=198.51.100.{number}")
        assert False
    """)

    shown = [line for line in result.outlines if line.startswith("GET ")]
    assert [line.rpartition(".")[2] for line in shown] == [f"{number} 200" for number in range(10, 30)]


def test_a_failed_test_without_requests_has_no_journal_in_its_report(run):
    result = run("""
    def test_fails(mockserver):
        assert False

    def test_without():
        assert False

    def test_passes(mockserver):
        call(mockserver)
    """)

    result.assert_outcomes(failed=2, passed=1)
    result.stdout.no_fnmatch_line("*mockserver journal*")


def test_a_journal_that_cannot_be_read_hides_no_failure(run):
    result = run("""
    def test_fails(mockserver):
        call(mockserver)
        mockserver.drop()
        assert "the failure" == "itself"
    """)

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*assert 'the failure' == 'itself'", "the journal cannot be read: 404: *"])


# ---------------------------------------------------------------------- a server that runs elsewhere


@pytest.mark.parametrize(("token", "outcome"), [("the-right-one", {"passed": 1}), ("another", {"errors": 1})])
def test_a_running_server_may_ask_for_its_token(run, monkeypatch, token, outcome):
    with MockServer("onboarding", control_token="the-right-one") as server:
        monkeypatch.setenv("MOCKSERVER_URL", server.url)
        monkeypatch.setenv("MOCKSERVER_TOKEN", token)

        result = run("""
    def test_it(mockserver):
        assert mockserver.scenario == "onboarding"
        """)

    result.assert_outcomes(**outcome)


# ---------------------------------------------------------------------- those who do not use it


def test_a_suite_that_does_not_use_the_plugin_does_not_import_the_server(pytester, alone):
    pytester.makepyfile("""
        import sys

        def test_light():
            assert "mockserver.testing.plugin" in sys.modules
            heavy = {"flask", "marshmallow", "uvicorn", "yaml", "mockserver.app", "mockserver.testing.handles"}
            assert heavy.isdisjoint(sys.modules)
    """)

    result = pytester.runpytest_subprocess(*alone)

    result.assert_outcomes(passed=1)


def test_the_toolkit_needs_no_pytest(pytester):
    program = pytester.makepyfile("""
        import sys
        from mockserver import MockServer

        with MockServer() as server, server.workspace() as workspace:
            assert workspace.clock.now
        assert "pytest" not in sys.modules
    """)

    assert pytester.runpython(program).ret == 0


#: Tests that share the workspace of a fixture of their module; the fixture hides it behind its address.
_SHARING = """
    @pytest.fixture(scope="module")
    def shop(mockserver_server):
        with mockserver_server.workspace("onboarding", name="shop", seed=3) as found:
            yield found.url

    def ask(url):
        import requests
        return requests.get(f"{url}/senders", headers={"api-key": "any"}, timeout=5).status_code

    def test_fails(shop):
        assert ask(shop) == 404

    def test_without():
        assert False

    def test_last(shop, mockserver):
        ask(mockserver.url)
        assert ask(shop) == 404
    """


@pytest.mark.parametrize("where", ["here", "elsewhere"])
def test_report_of_a_failed_test_shows_each_workspace_that_the_test_has_used(run, running, monkeypatch, where):
    if where == "elsewhere":
        monkeypatch.setenv("MOCKSERVER_URL", running)

    result = run(_SHARING)

    result.assert_outcomes(failed=3)
    fails, without, last = re.split(r"_+ test_(?:without|last) _+", result.stdout.str())
    assert "mockserver journal of shop" in fails
    assert "GET /v3/senders 200" in fails
    assert "mockserver" not in without
    assert re.findall(r"^-+ (mockserver journal.*?) -+$", last, re.MULTILINE) == [
        "mockserver journal", "mockserver journal of shop"
    ]  # fmt: skip
