"""The plugin beside other plugins and libraries, as docs/guides/pytest.md has it; each is the real one."""

import shlex
import sys
from textwrap import dedent
from types import SimpleNamespace

import pytest
import requests

from mockserver import MockServer, MockServerError

#: Starts a server as `mockserver serve` does.
SERVE = shlex.join([sys.executable, "-m", "mockserver", "serve"])
#: Other plugins of this project's own tests, which take long to load.
_WITHOUT = [part for name in ("schemathesis", "faker", "anyio", "asyncio") for part in ("-p", f"no:{name}")]


@pytest.fixture
def suite(pytester):
    """Runs a suite in a process of its own."""

    def run_suite(text, *options):
        pytester.makepyfile(f"import pytest, requests\n{_CALL}\n{text}")
        return pytester.runpytest_subprocess("-W", "ignore", *_WITHOUT, *options)

    return run_suite


_CALL = """
def call(workspace):
    return requests.get(f"{workspace.url}/senders", headers={"api-key": workspace.api_key}, timeout=5).status_code
"""
_BESIDE = {
    "freezegun": (
        """
        from datetime import datetime
        from freezegun import freeze_time

        @freeze_time("2020-02-02", auto_tick_seconds=60)
        def test_it(mockserver):
            assert call(mockserver) == 200
            assert len(mockserver.requests.all()) == 1
            assert mockserver.clock.now.year > 2020
            assert datetime.now().year == 2020
        """,
        (),
    ),
    "time-machine": (
        """
        import time_machine

        @pytest.mark.parametrize("tick", [True, False])
        def test_it(mockserver_server, tick):
            with time_machine.travel("2020-02-02", tick=tick), mockserver_server.workspace() as workspace:
                assert call(workspace) == 200
                workspace.clock.advance(hours=1)
                assert workspace.clock.now.year == 2020
        """,
        (),
    ),
    "pytest-socket": (
        "def test_it(mockserver): assert call(mockserver) == 200",
        ("--disable-socket", "--allow-hosts=127.0.0.1"),
    ),
    "pytest-recording, which blocks": (
        "def test_it(mockserver): assert call(mockserver) == 200",
        ("--block-network", "--allowed-hosts=127.0.0.1"),
    ),
    "pytest-recording, which records": (
        """
        @pytest.fixture(scope="session")
        def vcr_config():
            return {"ignore_localhost": True}

        @pytest.mark.vcr
        def test_it(mockserver):
            assert call(mockserver) == 200
        """,
        ("--record-mode=none",),
    ),
    "vcrpy": (
        """
        import vcr

        def test_it(mockserver, tmp_path):
            with vcr.use_cassette(tmp_path / "cassette.yaml", ignore_localhost=True) as cassette:
                assert call(mockserver) == 200
                assert len(mockserver.requests.all()) == 1
            assert len(cassette) == 0
        """,
        (),
    ),
    "Hypothesis": (
        """
        from hypothesis import given, settings, strategies as st

        @settings(deadline=None, max_examples=5)
        @given(number=st.integers(1, 5))
        def test_it(mockserver_server, number):
            with mockserver_server.workspace() as workspace:
                assert [call(workspace) for _ in range(number)] == [200] * number
                assert len(workspace.requests.all()) == number
        """,
        (),
    ),
}


@pytest.mark.slow  # a process with pytest each
@pytest.mark.parametrize("name", _BESIDE)
def test_workspace_works_beside_another_library(suite, name):
    text, options = _BESIDE[name]

    result = suite(dedent(text), *options)

    assert result.ret == pytest.ExitCode.OK, result.stdout.str()


@pytest.mark.slow  # a process
def test_workspace_of_unittest_keeps_real_time_beside_freezegun(pytester):
    program = pytester.makepyfile("""
        import unittest
        from mockserver import WorkspaceTestCase
        from freezegun import freeze_time

        class Frozen(WorkspaceTestCase):
            @freeze_time("2020-02-02", auto_tick_seconds=60)
            def test_it(self):
                assert self.workspace.requests.all() == []
                assert self.workspace.clock.now.year > 2020

        unittest.main()
    """)

    assert pytester.runpython(program).ret == 0


_PATCHES = {
    "gevent": "from gevent import monkey; monkey.patch_all()",
    "eventlet": "import eventlet; eventlet.monkey_patch()",
}


@pytest.mark.slow  # a process with pytest each
@pytest.mark.parametrize("library", _PATCHES)
def test_server_in_a_process_with_patched_threads_is_refused_with_what_works(suite, pytester, library):
    pytester.makeconftest(_PATCHES[library])
    text = "def test_it(mockserver): assert call(mockserver) == 200"

    refused = suite(text)

    refused.assert_outcomes(errors=1)
    assert f"no server runs in this process, whose threads {library} has patched" in refused.stdout.str()
    suite(text, "--mockserver-command", SERVE).assert_outcomes(passed=1)


def test_patched_threads_are_noticed_by_the_server_alone(monkeypatch):
    """Whatever of gevent is patched but threads and queues does no harm, and without gevent nothing is asked."""
    patched = set()
    monkeypatch.setitem(sys.modules, "gevent.monkey", SimpleNamespace(is_module_patched=patched.__contains__))
    patched.add("socket")
    MockServer().stop()

    patched.add("queue")
    with pytest.raises(MockServerError, match=r"gevent has patched: .*--mockserver-command.*MOCKSERVER_URL"):
        MockServer()


@pytest.mark.parametrize("host", ["::", "::1"])
def test_handles_reach_a_server_of_this_process_by_ipv6(host):
    with MockServer(host=host) as server, server.workspace("onboarding") as workspace:
        assert workspace.url.startswith(f"http://[{host}]:")
        assert requests.get(f"{workspace.url}/senders", headers={"api-key": "any"}, timeout=5).status_code == 200
        assert len(workspace.requests.all()) == 1
