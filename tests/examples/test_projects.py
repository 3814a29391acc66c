"""The examples that are whole projects pass: a product with Django, and tests in JavaScript, Java, Go and PHP."""

import contextlib
import json
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

import pytest

from mockserver import MockServer

pytestmark = pytest.mark.slow  # each runs the tests of a project

_FOLDER = Path(__file__).parent
_JS = _FOLDER / "js"
_needs_js = pytest.mark.skipif(
    shutil.which("npm") is None or not (_JS / "node_modules").is_dir(), reason=f"needs npm ci --prefix {_JS.name}"
)


def environment_of_users(**own):
    """Return an environment with the installed commands, and without the tests' own settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MOCKSERVER_", "PYTEST_"))}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**kept, "PATH": path, "NO_COLOR": "1", **own}


def run(*command, cwd, status=0, **environment):
    """Return what a command prints; it must end with `status`."""
    ended = subprocess.run(
        command, cwd=cwd, env=environment_of_users(**environment), check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=100,
    )  # fmt: skip
    assert ended.returncode == status, ended.stdout
    return ended.stdout


def left_on(root):
    """Return label and outcome of the workspaces that tests have left on a server."""
    with MockServer.connect(root) as server:
        rows = server.client.json("GET", "/_mock/workspaces")["items"]
    return [(row["label"], row["outcome"]) for row in rows if row["name"] != "default"]


#: The line of the report on a workspace, in whose test a wrong code was sent.
_WRONG_CODE = "refused request: PUT /v3/senders/2/validate 400: wrong code: "
_DJANGO = ("django-admin", "test", "--settings", "shop.settings", "--pythonpath", ".")


def test_the_django_project_passes_its_tests_in_two_processes():
    assert "Ran 3 tests" in run(*_DJANGO, "--parallel", "2", cwd=_FOLDER / "django")


def test_the_django_project_takes_a_server_that_runs_elsewhere(serve):
    root = serve()

    output = run(*_DJANGO, cwd=_FOLDER / "django", MOCKSERVER_URL=root)
    met = run("mockserver", "coverage", cwd=_FOLDER, MOCKSERVER_URL=root)

    assert "Ran 3 tests" in output
    assert re.search(r"^ +createSender +1 ", met, re.MULTILINE)


@pytest.mark.parametrize("options", [(), ("--parallel", "2")])
def test_a_failed_test_of_django_shows_the_reason_of_a_refusal(options, tmp_path):
    project = shutil.copytree(_FOLDER / "django", tmp_path / "django")
    tests = project / "shop" / "tests.py"
    tests.write_text(tests.read_text().replace("mail.otp", "mail.otp + 1"))

    output = run(*_DJANGO, *options, cwd=project, status=1)

    assert "refused request: PUT /v3/senders/3/validate 400: wrong code: " in output


@pytest.mark.parametrize("has_scope", [True, False])
def test_the_flask_project_passes_its_tests_with_the_settings_of_the_guide(tmp_path, has_scope):
    project = shutil.copytree(_FOLDER / "flask", tmp_path / "flask")
    guide = (_FOLDER.parents[1] / "docs" / "guides" / "flask.md").read_text()
    (settings,) = re.findall(r"^```ini\n(.*?)^```$", guide, re.DOTALL | re.MULTILINE)
    (project / "pytest.ini").write_text(settings if has_scope else "[pytest]")

    output = run(sys.executable, "-m", "pytest", "-p", "no:schemathesis", cwd=project, status=0 if has_scope else 1)

    (told,) = re.findall("`(ScopeMismatch: .*?)`", guide)
    assert ("3 passed" in output, told in output) == (has_scope, not has_scope), output


# ---------------------------------------------------------------------- Node


class NodeProject:
    """A new project, made in an empty folder by what the guide for Node says about a test runner."""

    def __init__(self, runner, folder):
        self.name, self.folder = runner.lower(), folder
        guide = (_FOLDER.parents[1] / "docs" / "guides" / "node.md").read_text()
        section = guide.partition(f"### With {runner}\n")[2].partition("\n#")[0]
        (install, self.configuration, test) = re.findall(r"^```\w+\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)
        self.command = test.split()
        assert re.fullmatch(rf"npm install --save-dev {self.name}@[\d.]+\nmockserver init\n", install)
        folder.mkdir()
        (folder / "package.json").write_text(json.dumps({"devDependencies": {self.name: "*"}}))
        (folder / "node_modules").symlink_to(_JS / "node_modules")
        self.hints = run("mockserver", "init", cwd=folder)
        self.own_file = re.search("^Add to `(.+)`:$", section, re.MULTILINE)[1]
        (folder / self.own_file).write_text(self.configuration)

    def test(self, status=0, **environment):
        """Return what the runner prints; it must end with `status`."""
        return run(*self.command, cwd=self.folder, status=status, **environment)

    @contextlib.contextmanager
    def started(self):
        """Start a run of the tests; yield its process, and a pipe that the server holds open as long as it runs."""
        pipe, programs = self.folder / "pipe", self.folder / "bin"
        os.mkfifo(pipe)
        programs.mkdir()
        command, real = programs / "mockserver", Path(sys.executable).with_name("mockserver")
        command.write_text(f'#!/bin/sh\nexec 9>{pipe}\necho $$ >&9\nexec {real} "$@"\n')
        command.chmod(0o755)
        runner = subprocess.Popen(
            [f"node_modules/.bin/{self.name}", *self.command[2:]], cwd=self.folder, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env=environment_of_users(PATH=f"{programs}:{os.environ['PATH']}"),
        )  # fmt: skip
        with pipe.open() as opened:
            server = int(opened.readline())
            try:
                yield runner, opened
            finally:
                runner.kill()
                runner.wait()
                with contextlib.suppress(ProcessLookupError):
                    os.kill(server, signal.SIGKILL)

    def edit_first_test(self, old, new):
        path = self.folder / "tests" / "mockserver.test.js"
        text = path.read_text()
        assert text.count(old) == 1
        path.write_text(text.replace(old, new))


@pytest.fixture(params=[pytest.param(runner, marks=_needs_js, id=runner) for runner in ("Vitest", "Jest")])
def node_project(request, tmp_path):
    return NodeProject(request.param, tmp_path / "project")


@pytest.fixture
def node_alone(tmp_path):
    """A folder of programs, with Node and nothing else."""
    (tmp_path / "bin").mkdir()
    for name in ("node", "npx", "sh"):
        (tmp_path / "bin" / name).symlink_to(shutil.which(name))
    return tmp_path / "bin"


def has_ended(pipe):
    """Wait until nobody holds a pipe open any more, at most 20 seconds."""
    return select.select([pipe], [], [], 20)[0] == [pipe]


def test_new_node_project_reaches_a_green_test_with_at_most_15_own_lines(node_project):
    output = node_project.test()

    assert re.search(r"Tests:? +1 passed", output)
    assert len(node_project.configuration.splitlines()) <= 15


def test_init_prints_the_configuration_that_the_guide_shows(node_project):
    shown = f"Add to {node_project.own_file}:\n{node_project.configuration}"

    assert textwrap.indent(shown, "  ").lstrip() in node_project.hints


def test_node_examples_pass(node_project):
    for name in ("product.mjs", "senders.test.mjs"):
        text = (_JS / name).read_text()
        if node_project.name == "jest":
            text = re.sub(r"^import .* from \"vitest\";\n", "", text, flags=re.MULTILINE)
        (node_project.folder / name).write_text(text)

    assert re.search(r"Tests:? +4 passed", node_project.test(NODE_OPTIONS="--experimental-vm-modules"))


def test_failed_node_test_shows_the_reason_of_a_refusal(node_project):
    node_project.edit_first_test("items[0].otp", "items[0].otp + 1")

    assert _WRONG_CODE in node_project.test(status=1)


def test_failed_node_test_leaves_its_workspace_with_label_and_outcome_on_a_server_elsewhere(
    node_project, serve, node_alone
):
    root = serve()
    node_project.edit_first_test("items[0].otp", "items[0].otp + 1")

    node_project.test(status=1, PATH=str(node_alone), MOCKSERVER_URL=root)

    assert left_on(root) == [("tests/mockserver.test.js > a sender proves its address", "failed")]


def test_server_stops_with_the_run_of_node_tests(node_project):
    with node_project.started() as (runner, pipe):
        assert runner.wait() == 0
        assert has_ended(pipe)


def test_server_stops_when_the_run_of_node_tests_is_killed(node_project):
    with socket.create_server(("127.0.0.1", 0)) as never_answering:
        url = f"http://127.0.0.1:{never_answering.getsockname()[1]}"
        node_project.edit_first_test("async () => {", f'async () => {{ await fetch("{url}");')
        with node_project.started() as (runner, pipe):
            connection, _ = never_answering.accept()  # the test is running
            with connection:
                runner.kill()
                assert has_ended(pipe)


def test_node_tests_name_a_missing_command(node_project, node_alone):
    output = node_project.test(status=1, PATH=str(node_alone))

    assert "spawn mockserver ENOENT; install mockserver, or set MOCKSERVER_URL" in output


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_a_failed_test_of_node_leaves_its_workspace_with_label_and_outcome(serve, tmp_path):
    root, example = serve(), tmp_path / "node.mjs"
    example.write_text((_FOLDER / "node.mjs").read_text().replace("status, 400", "status, 200"))

    run("node", "--test", "node.mjs", cwd=tmp_path, status=1, MOCKSERVER_URL=root)

    assert left_on(root) == [("a code runs out", "failed")]


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_a_failed_test_of_node_shows_the_reason_of_a_refusal(serve, tmp_path):
    example = tmp_path / "node.mjs"
    example.write_text((_FOLDER / "node.mjs").read_text().replace("status, 400", "status, 200"))

    root = serve()
    output = run("node", "--test", "node.mjs", cwd=tmp_path, status=1, MOCKSERVER_URL=root)

    assert "refused request: PUT /v3/senders/2/validate 400: " in output
    assert re.search(rf"Timeline: {root}/w/[^/]+/_mock/ui/", output)


def test_a_failed_unittest_leaves_its_workspace_with_label_and_outcome(serve, tmp_path):
    root, example = serve(), tmp_path / "unittest_example.py"
    text = (_FOLDER / "unittest_example.py").read_text()
    example.write_text(text.replace('assertEqual("verified"', 'assertEqual("something else"'))

    run(sys.executable, "unittest_example.py", cwd=tmp_path, status=1, MOCKSERVER_URL=root)

    assert left_on(root) == [("__main__.Onboarding.test_a_new_code_replaces_the_old_one", "failed")]


# ---------------------------------------------------------------------- Java, Go, PHP

#: The jars of JUnit 5, as Debian's package has them, and what they need.
_JARS = ":".join(
    f"/usr/share/java/{name}.jar"
    for name in (
        "junit-jupiter-api", "junit-jupiter-engine", "junit-platform-commons", "junit-platform-console",
        "junit-platform-engine", "junit-platform-launcher", "junit-platform-reporting", "opentest4j",
        "opentest4j-reporting-events", "opentest4j-reporting-schema", "apiguardian-api", "picocli",
    )
)  # fmt: skip
_JUNIT = f"java -cp {_JARS}:. org.junit.platform.console.ConsoleLauncher --disable-banner --select-class SendersTest"
#: How long a program may take, in seconds; chosen. Go compiles its library first.
_PATIENCE_S = 240


@dataclass(frozen=True)
class Language:
    """An example: its folder, the command that runs it, and what that prints and how it names a test."""

    folder: str
    command: str
    told: str
    label: str
    needs: str


LANGUAGES = [
    Language("java", f"javac -cp {_JARS} *.java && {_JUNIT}", "3 tests successful", "aCodeRunsOut()",
             "javac -version && test -e /usr/share/java/junit-platform-console.jar"),
    Language("go", "go test -v senders_test.go", "PASS: TestACodeConfirmsASender", "TestACodeRunsOut",
             "go version"),
    Language("php", "phpunit --no-configuration SendersTest.php", "OK (2 tests", "SendersTest::testACodeRunsOut",
             "phpunit --version && php --ri curl"),
]  # fmt: skip


@pytest.fixture(params=LANGUAGES, ids=lambda language: language.folder)
def language(request, tmp_path):
    """A language whose example is copied to `tmp_path`."""
    if subprocess.run(["sh", "-c", request.param.needs], capture_output=True, check=False).returncode:
        pytest.skip(f"needs {request.param.needs}")
    shutil.copytree(_FOLDER / request.param.folder, tmp_path, dirs_exist_ok=True)
    return request.param


@pytest.fixture
def run_copy(language, tmp_path, shared_files):
    """Run the copied example against a server; return status and output."""

    def run_copy(root):
        own = {"MOCKSERVER_URL": root, "GOCACHE": str(shared_files.folder / "go"), "NO_PROXY": "*", "no_proxy": "*"}
        ended = subprocess.run(
            ["sh", "-c", language.command], cwd=tmp_path, env={**os.environ, **own}, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=_PATIENCE_S,
        )  # fmt: skip
        return ended.returncode, ended.stdout

    return run_copy


@pytest.mark.languages
def test_the_tests_in_another_language_pass_and_leave_no_workspace(language, run_copy, serve):
    root = serve()

    status, output = run_copy(root)

    assert (status, language.told in output) == (0, True), output
    assert left_on(root) == []


@pytest.mark.languages
def test_a_failed_test_in_another_language_shows_the_reason_of_a_refusal_and_leaves_its_workspace(
    language, run_copy, serve, tmp_path
):
    root = serve()
    for path in tmp_path.iterdir():
        path.write_text(path.read_text().replace("OTP code has expired", "something else"))

    status, output = run_copy(root)

    assert status == 1, output
    assert "refused request: PUT /v3/senders/2/validate 400: " in output
    assert left_on(root) == [(language.label, "failed")]
