"""The examples that are whole projects pass: a product with Django, and tests in JavaScript, Java, Go and PHP."""

import os
import re
import shutil
import subprocess
import sys
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


def run(*command, cwd, status=0, **environment):
    """Return what a command prints, without the tests' own settings in its environment; it must end with `status`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MOCKSERVER_", "PYTEST_"))}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    ended = subprocess.run(
        command, cwd=cwd, env={**kept, "PATH": path, "NO_COLOR": "1", **environment}, check=False,
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


@_needs_js
@pytest.mark.parametrize(("script", "told"), [("vitest", r"Tests +3 passed"), ("jest", r"Tests: +3 passed")])
def test_the_javascript_tests_pass(script, told, serve):
    assert re.search(told, run("npm", "run", "--silent", script, cwd=_JS, MOCKSERVER_URL=serve()))


@_needs_js
@pytest.mark.parametrize("script", ["vitest", "jest"])
def test_a_failed_javascript_test_leaves_its_workspace_with_label_and_outcome(script, serve, tmp_path):
    project, root = tmp_path / "js", serve()
    shutil.copytree(_JS, project, ignore=shutil.ignore_patterns("node_modules"))
    (project / "node_modules").symlink_to(_JS / "node_modules")
    tests = project / script / "senders.test.mjs"
    tests.write_text(tests.read_text().replace('toBe("confirmed")', 'toBe("something else")'))

    run("npm", "run", "--silent", script, cwd=project, status=1, MOCKSERVER_URL=root)

    assert left_on(root) == [(f"{script}/senders.test.mjs > a code confirms a sender", "failed")]


@_needs_js
@pytest.mark.parametrize("script", ["vitest", "jest"])
def test_a_failed_javascript_test_shows_the_reason_of_a_refusal(script, serve, tmp_path):
    project = tmp_path / "js"
    shutil.copytree(_JS, project, ignore=shutil.ignore_patterns("node_modules"))
    (project / "node_modules").symlink_to(_JS / "node_modules")
    tests = project / script / "senders.test.mjs"
    tests.write_text(tests.read_text().replace("items[0].otp", "items[0].otp + 1"))

    assert _WRONG_CODE in run("npm", "run", "--silent", script, cwd=project, status=1, MOCKSERVER_URL=serve())


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

    output = run("node", "--test", "node.mjs", cwd=tmp_path, status=1, MOCKSERVER_URL=serve())

    assert "refused request: PUT /v3/senders/2/validate 400: " in output


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
    Language("go", "go test -v senders_test.go", "PASS: TestAnOutageIsOverAfterOneCall", "TestACodeRunsOut",
             "go version"),
    Language("php", "phpunit --no-configuration SendersTest.php", "OK (3 tests", "SendersTest::testACodeRunsOut",
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
