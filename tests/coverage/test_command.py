"""`mockserver coverage`, against real servers."""

import json
import socket
from xml.etree import ElementTree as ET

import pytest
import requests
from cli_runner import invoke


@pytest.fixture
def run():
    return lambda *words, **environment: invoke(["coverage", *words], environment)


@pytest.fixture(scope="module")
def root(module_serve):
    """A server that was asked for its senders once, in a workspace that is gone, and for an account in another."""
    root = module_serve()
    for name, path in (("gone", "senders"), ("here", "account")):
        workspace = requests.post(f"{root}/_mock/workspaces", json={"name": name}, timeout=5).json()
        requests.get(
            f"{workspace['url']}/{path}", headers={"api-key": workspace["api_key"]}, timeout=5
        ).raise_for_status()
    requests.delete(f"{root}/_mock/workspaces/gone", timeout=5).raise_for_status()
    return root


def test_the_coverage_of_all_workspaces_is_told(run, root):
    answer = run("--url", root)

    assert answer.exit_code == 0
    assert "% of the contract met" in answer.output
    assert "getSenders" in answer.output
    assert "getSenders never called" not in answer.output


def test_the_coverage_of_one_workspace_is_told(run, root):
    answer = run("--url", root, "--workspace", "here", "--json")

    assert (answer.exit_code, list(json.loads(answer.output)["operations"])) == (0, ["getAccount"])


def test_the_address_may_come_from_the_environment(run, root):
    assert run("--format", "json", MOCKSERVER_URL=root).output == run("--url", root, "--json").output


def test_command_prints_each_report_form_of_the_server(run, root):
    for form in ("text", "json", "html", "junit"):
        answer = run("--url", f"{root}/", "--format", form)

        wanted = requests.get(f"{root}/_mock/coverage?workspace=*&format={form}", timeout=5).text
        assert (answer.exit_code, answer.output.rstrip()) == (0, wanted.rstrip())


def test_the_report_is_written_to_a_file(run, root, tmp_path):
    path = tmp_path / "coverage.xml"

    answer = run("--url", root, "--format", "junit", "--output", str(path))

    assert (answer.exit_code, answer.output) == (0, "")
    assert ET.parse(path).getroot().tag == "testsuites"


@pytest.fixture
def met(contract_size):
    """Which part of the contract is met, in percent: both operations, and their success."""
    return int(4 / contract_size.points * 1000) / 10


def test_too_little_is_found_wanting(run, root, met):
    exact = (f"{met:.1f}", 0), (f"{met + 0.1:.1f}", 1)
    for fail_under, status in (("0", 0), ("80", 1), ("100", 1), ("101", 2), ("-1", 2), ("much", 2), *exact):
        for form in ("text", "json"):
            assert run("--url", root, "--fail-under", fail_under, "--format", form).exit_code == status, fail_under


def test_missed_minimum_is_printed_to_standard_error(run, root, met):
    answer = run("--url", root, "--fail-under", "80", "--json")

    assert json.loads(answer.stdout)["percent"] == met
    assert answer.stderr == f"{met} % of the contract was met, and 80 % are wanted\n"


def test_a_server_that_is_not_there_is_found_wanting(run):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        answer = run("--url", f"http://127.0.0.1:{unused.getsockname()[1]}")

    assert (answer.exit_code, "no server at" in answer.output) == (1, True)


def test_another_server_is_found_wanting(run, root):
    """Below the service's own addresses there is no control API."""
    answer = run("--url", f"{root}/v3/senders")

    assert (answer.exit_code, "no mock server answers" in answer.output) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--workspace", "nowhere"], "unknown workspace 'nowhere'"),
        (["--workspace", "a&b=c/?"], "unknown workspace 'a&b=c/?'"),
        (["--format", "pdf"], "'pdf' is not one of"),
        (["--output", "/nowhere/at/all.txt"], "cannot write /nowhere/at/all.txt"),
        (["--update-baseline"], "needs --baseline"),
        (["--baseline", "/nowhere/at/all"], "there is no baseline /nowhere/at/all"),
        (["--of", "getAcount"], "did you mean getAccount?"),
        (["--of", "@/nowhere"], "cannot read /nowhere"),
    ],
)
def test_misuse_ends_with_2(run, root, arguments, told):
    answer = run("--url", root, *arguments)

    assert (answer.exit_code, told in answer.output) == (2, True)


def test_a_guarded_server_wants_its_token(run, serve):
    root = serve(control_token="s3cret")

    for token, status in (({}, 2), ({"MOCKSERVER_TOKEN": "wrong"}, 2), ({"MOCKSERVER_TOKEN": "s3cret"}, 0)):
        assert run("--url", root, **token).exit_code == status
    assert run("--url", root, "--token", "s3cret").exit_code == 0


def test_only_what_is_used_is_counted_if_asked(run, root):
    """Of the two operations both statuses of success are met: more than 12 % of their points, and far less of all."""
    assert run("--url", root, "--fail-under", "12").exit_code == 1
    assert run("--url", root, "--fail-under", "12", "--of", "used").exit_code == 0


def test_selection_is_read_from_a_file(run, root, tmp_path):
    names = tmp_path / "names.txt"
    names.write_text("getAccount\ndeleteDomain\n", encoding="utf-8")

    answer = run("--url", root, "--of", f"@{names}", "--json", "--fail-under", "100")

    assert (answer.exit_code, json.loads(answer.stdout)["counted"]) == (1, ["getAccount", "deleteDomain"])
    assert "(--of getAccount,deleteDomain) was met, and 100 % are wanted" in answer.stderr


def test_a_baseline_is_made_and_then_holds(run, root, tmp_path):
    path = tmp_path / "coverage.baseline"

    made = run("--url", root, "--baseline", str(path), "--update-baseline")
    again = run("--url", root, "--baseline", str(path), "--of", "getAccount")

    assert (made.exit_code, f"points added to {path}" in made.stderr) == (0, True)
    assert (again.exit_code, again.stderr) == (0, "")


def test_a_point_that_is_not_met_any_more_ends_with_1(run, root, tmp_path):
    path = tmp_path / "coverage.baseline"
    path.write_text("getAccount: called\ngetAccount: code unauthorized\n", encoding="utf-8")

    answer = run("--url", root, "--baseline", str(path))

    assert answer.exit_code == 1
    assert "not met any more: getAccount: code unauthorized\n" in answer.stderr
    assert "getAccount: called" not in answer.stderr
