"""The commands for scripts: to wait for a server, and to tell a shell where it is."""

import subprocess
import threading

import pytest
import requests

from mockserver import create_app
from mockserver.app.runtime import Runtime
from mockserver.web.server.server import bind

# ---------------------------------------------------------------------- wait


def test_waiting_ends_when_the_server_is_ready(run, serve):
    root = serve("empty")

    answer = run("wait", "--url", root)

    assert (answer.exit_code, answer.output) == (0, f"ready: {root}\n")


def test_waiting_bears_with_a_server_that_comes_late(run):
    """It listens from the first moment on, and answers half a second later."""
    listener = bind("127.0.0.1", 0)
    late = Runtime(create_app(), listener)
    timer = threading.Timer(0.5, late.start)
    timer.start()
    try:
        assert run("wait", "--url", late.url, "--timeout", "10").exit_code == 0
    finally:
        timer.join()
        late.stop()


def test_waiting_ends_with_1_when_the_time_is_up(run):
    answer = run("wait", "--url", "http://127.0.0.1:1", "--timeout", "0.2")

    assert answer.exit_code == 1
    assert "not ready within 0.2 s: no server at http://127.0.0.1:1; start one" in answer.output


@pytest.mark.parametrize(("token", "code"), [("sesame", 0), ("other", 2), (None, 0)])
def test_waiting_tries_the_token_out(run, serve, token, code):
    root = serve("empty", control_token="sesame")

    assert run("wait", "--url", root, *(["--token", token] if token else [])).exit_code == code


# ---------------------------------------------------------------------- env


#: What a shell would take for something else.
KEY = """a'b$(exit)"c"#;d"""


def in_shell(lines):
    """The variables that a shell has after it has read the lines."""
    shown = subprocess.run(["sh", "-c", f"{lines}\nenv"], check=True, capture_output=True, text=True, env={}).stdout
    return dict(line.split("=", 1) for line in shown.splitlines())


def test_the_environment_leads_to_the_default_workspace(run, serve):
    root = serve({"accounts": [{"name": "acme", "api_keys": ["xkeysib-acme"]}]})

    answer = run("env", "--url", f"{root}/")

    assert all(line.startswith("export ") for line in answer.stdout.splitlines())
    assert in_shell(answer.stdout).items() >= {
        "MOCKSERVER_URL": root,
        "BREVO_API_URL": f"{root}/v3",
        "BREVO_BASE_URL": f"{root}/v3",
        "BREVO_API_KEY": "xkeysib-acme",
    }.items()  # fmt: skip


def test_the_environment_leads_to_another_workspace(run, serve):
    root = serve("standard")
    made = requests.post(f"{root}/_mock/workspaces", json={"name": "mine"}).json()

    variables = in_shell(run("env", "--workspace", "mine", MOCKSERVER_URL=root).stdout)

    assert (variables["MOCKSERVER_URL"], variables["BREVO_API_KEY"]) == (root, made["api_key"])
    assert variables["BREVO_BASE_URL"] == variables["BREVO_API_URL"] == made["url"]
    found = requests.get(f"{variables['BREVO_BASE_URL']}/account", headers={"api-key": variables["BREVO_API_KEY"]})
    assert found.status_code == 200


def test_whatever_a_key_holds_the_shell_takes_it_as_it_is(run, serve):
    root = serve({"accounts": [{"name": "acme", "api_keys": [KEY]}]})

    assert in_shell(run("env", "--url", root).stdout)["BREVO_API_KEY"] == KEY


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(["--workspace", "nowhere"], 2), (["--workspace", "../health"], 2), (["--token", "other"], 2), ([], 2),
     (["--url", "http://127.0.0.1:1", "--token", "sesame"], 1)],
)  # fmt: skip
def test_without_an_answer_stdout_stays_empty(run, serve, arguments, code):
    answer = run("env", *arguments, MOCKSERVER_URL=serve("empty", control_token="sesame"))

    assert (answer.exit_code, answer.stdout, answer.stderr != "") == (code, "", True)
    assert run("env", MOCKSERVER_URL=serve("empty", control_token="sesame"), MOCKSERVER_TOKEN="sesame").exit_code == 0
