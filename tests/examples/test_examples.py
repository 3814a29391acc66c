"""The examples do what they show: run where that can be done, else held against the image and the settings."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import yaml
from engine import running_engine

pytestmark = pytest.mark.slow  # each runs a program of its own

_FOLDER = Path(__file__).parent
_ROOT = _FOLDER.parents[1]
_DOCKERFILE = (_ROOT / "Dockerfile").read_text(encoding="utf-8")
#: README and pages, where examples are shown.
_DOCUMENTS = "".join(
    path.read_text(encoding="utf-8") for path in (_ROOT / "README.md", *(_ROOT / "docs").rglob("*.md"))
)

_PORT = int(re.search(r"^EXPOSE (\d+)$", _DOCKERFILE, re.MULTILINE)[1])
_HEALTH = " ".join(yaml.safe_load(re.search(r"^HEALTHCHECK .*CMD (\[.*\])$", _DOCKERFILE, re.MULTILINE)[1]))
_IMAGE = f"registry.example.com/mockserver:{version('brevo-mockserver')}"
_EXAMPLES = sorted(
    path for path in _FOLDER.rglob("*")
    if path.suffix in (".py", ".sh", ".mjs", ".ts", ".java", ".go", ".php", ".yaml", ".txt", ".cfg", ".conf")
    and path.name not in ("conftest.py", "__init__.py", *(test.name for test in _FOLDER.glob("test_*.py")))
    and "node_modules" not in path.parts
)  # fmt: skip
#: Plugins of this project's own tests, which take long to load and have no part in the examples.
_WITHOUT = " ".join(f"-p no:{name}" for name in ("schemathesis", "hypothesispytest", "anyio", "faker", "pytest_cov"))


def read(name):
    return yaml.safe_load((_FOLDER / name).read_text(encoding="utf-8"))


def run(*command, cwd=_FOLDER, **environment):
    """How a command ends, and what it prints; of the environment the tests' own settings are left out."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MOCKSERVER_", "PYTEST_"))}
    own = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "80",
        "PYTEST_ADDOPTS": f"-p no:cacheprovider {_WITHOUT}",
    }
    found = subprocess.run(
        command, cwd=cwd, env={**kept, **own, **environment}, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120,
    )  # fmt: skip
    return found.returncode, found.stdout


def needs(program):
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"needs {program}")


@pytest.mark.parametrize("path", _EXAMPLES, ids=lambda path: path.relative_to(_FOLDER).as_posix())
def test_every_example_stands_in_a_document(path):
    assert f"<!-- example: {path.relative_to(_FOLDER).as_posix()} -->" in _DOCUMENTS


# ---------------------------------------------------------------------- Python


@pytest.fixture
def project(tmp_path):
    """A folder with the tests of the pytest example and nothing else."""
    return Path(shutil.copytree(_FOLDER / "pytest", tmp_path / "project"))


def test_the_pytest_example_passes_and_tells_its_coverage(project):
    status, output = run(sys.executable, "-m", "pytest", "--mockserver-coverage", cwd=project)

    assert status == 0, output
    assert "12 passed" in output
    assert "mockserver coverage" in output


#: A check that fails.
_UNASKED = 'mockserver.requests.verify(operation="createDomain")'


def test_a_failure_shows_the_journal_as_in_the_readme_and_points_at_the_line_of_the_test(tmp_path):
    """A wrong code in the first test, and a request that was never made; the toolkit's own code is left out."""
    text = (_FOLDER / "pytest" / "test_onboarding.py").read_text(encoding="utf-8")
    broken = text.replace("otp=mail.otp", "otp=mail.otp + 1").replace("assert fault.hits == 1", _UNASKED)
    assert broken.count("mail.otp + 1") == broken.count(_UNASKED) == 1
    (tmp_path / "test_onboarding.py").write_text(broken, encoding="utf-8")

    status, output = run(sys.executable, "-m", "pytest", cwd=tmp_path)

    assert status == 1
    assert "2 failed, 2 passed" in output
    assert (_FOLDER / "pytest" / "failure.txt").read_text(encoding="utf-8") in output
    assert re.search(rf"^> +{re.escape(_UNASKED)}$", output, re.MULTILINE)
    assert "mockserver/testing" not in output


def test_the_example_of_coroutines_passes(tmp_path):
    """Outside of the project, whose own settings of pytest are not those of a user."""
    shutil.copy(_FOLDER / "asyncio" / "test_worker.py", tmp_path)

    status, output = run(
        sys.executable, "-m", "pytest", "-W", "error", "-o", "asyncio_default_fixture_loop_scope=function", cwd=tmp_path
    )

    assert status == 0, output
    assert "2 passed" in output


def test_the_program_of_coroutines_moves_its_clock():
    status, output = run(sys.executable, "asyncio/without_fixture.py")

    assert status == 0, output
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/w/[\w-]+/v3\n2026-01-15 09:16:00\+00:00\n", output)


def test_the_unittest_example_passes_with_a_server_of_its_own_and_one_elsewhere(serve):
    root = serve()
    for environment in ({}, {"MOCKSERVER_URL": root}):
        status, output = run(sys.executable, "unittest_example.py", **environment)
        assert (status, "Ran 1 test" in output) == (0, True), output

    assert "validateSenderByOtp" in run("mockserver", "coverage", MOCKSERVER_URL=root)[1]


def test_the_testcontainers_example_passes_with_a_process_for_the_container():
    with running_engine(_IMAGE) as engine:
        status, output = run(
            sys.executable, "-m", "pytest", "testcontainers_example.py", DOCKER_HOST=engine.address,
            TESTCONTAINERS_RYUK_DISABLED="true", TESTCONTAINERS_CONNECTION_MODE="docker_host",
        )  # fmt: skip

    assert status == 0, output
    assert "1 passed" in output
    assert not engine.containers
    text = (_FOLDER / "testcontainers_example.py").read_text(encoding="utf-8")
    assert f'MockServerContainer("{_IMAGE}", ' in text


# ---------------------------------------------------------------------- other languages


@needs("curl")
def test_the_shell_example_prints_what_it_expects(serve):
    status, output = run("bash", "curl.sh", MOCKSERVER_URL=serve())

    assert status == 0, output
    assert output.splitlines() == ['{"id":3,"spfError":true,"dkimError":true}', "verified", "asked once"]


@needs("curl")
def test_the_shell_example_shows_the_reason_of_a_refusal_when_it_fails(serve, tmp_path):
    example = tmp_path / "curl.sh"
    text = (_FOLDER / "curl.sh").read_text()
    example.write_text(text.replace('\\"otp\\":$otp', '\\"otp\\":1$otp').replace('"count":1', '"count":2'))

    status, output = run("bash", str(example), MOCKSERVER_URL=serve())

    assert status == 1
    assert "refused request: PUT /v3/senders/3/validate 400: " in output


@needs("curl")
def test_the_forwarding_example_makes_stubs_of_what_came_back(tmp_path):
    status, output = run("bash", str(_FOLDER / "forwarding.sh"), cwd=tmp_path)

    assert status == 0, output
    assert '{"items":[{"name":"Acme","owner":"ada@acme.com"}]}\n404\n' in output
    assert "1 stub of 1 exchange in recorded.yaml\nreplaced: 1 e-mail address, 1 host\n" in output
    (stub,) = yaml.safe_load((tmp_path / "recorded.yaml").read_text(encoding="utf-8"))["stubs"]
    answer = {"status": 200, "json": {"items": [{"name": "Acme", "owner": "user1@host1.test"}]}}
    assert stub == {"method": "GET", "path": "/v3/companies", "answer": answer}


@needs("node")
def test_the_node_example_passes(serve):
    status, output = run("node", "--test", "node.mjs", MOCKSERVER_URL=serve())

    assert status == 0, output
    assert re.search(r"pass 1$", output, re.MULTILINE)


# ---------------------------------------------------------------------- continuous integration


def mock_of(name):
    """The mock's service in an example: image, ports as they are written, health command, environment."""
    example = read(name)
    if name == "github-actions.yaml":
        service = example["jobs"]["tests"]["services"]["mockserver"]
        options = shlex.split(service["options"])
        return service["image"], service["ports"], options[options.index("--health-cmd") + 1], service["env"]
    if name == "gitlab-ci.yaml":
        (service,) = example["tests"]["services"]
        return service["name"], [], None, {**example["tests"]["variables"], **service["variables"]}
    service = example["services"]["mockserver"]
    how, *command = service["healthcheck"]["test"]
    assert how == "CMD"
    return service["image"], service["ports"], " ".join(command), service["environment"]


_CLIENTS = ["github-actions.yaml", "gitlab-ci.yaml", "compose.yaml"]
_SERVICES = [*_CLIENTS, "mailpit.yaml"]


@pytest.mark.parametrize("name", [*_SERVICES, "compose-sqlite.yaml", "compose-webhooks.yaml"])
def test_a_service_is_this_version_of_the_image_with_its_port_and_health(name):
    image, ports, health, _ = mock_of(name)

    assert image == _IMAGE
    assert set(ports) <= {f"{_PORT}:{_PORT}"}
    assert health in (None, _HEALTH)


def test_the_store_is_on_the_volume_in_a_folder_of_the_image():
    service = read("compose-sqlite.yaml")["services"]["mockserver"]
    (volume,) = service["volumes"]
    place = volume.partition(":")[2]

    assert service["environment"]["MOCKSERVER_STORE"].startswith(f"sqlite:{place}/")
    assert re.search(rf"install -d -o (\d+) -g \1 -m 700 {place}$", _DOCKERFILE, re.MULTILINE)


def test_the_job_with_the_action_and_the_pre_commit_hook_are_those_of_this_version():
    action = yaml.safe_load((_ROOT / ".github/actions/mockserver/action.yml").read_text(encoding="utf-8"))
    (step,) = [step for step in read("github-action.yaml")["jobs"]["tests"]["steps"] if "with" in step]

    assert step["uses"].endswith(f"/mockserver/.github/actions/mockserver@v{version('brevo-mockserver')}")
    assert step["with"].keys() <= action["inputs"].keys()

    (known,) = yaml.safe_load((_ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    (repository,) = read("pre-commit-config.yaml")["repos"]

    assert repository["rev"] == f"v{version('brevo-mockserver')}"
    assert [hook["id"] for hook in repository["hooks"]] == [known["id"]]


@pytest.mark.parametrize("name", _SERVICES)
def test_a_service_starts_with_the_environment_that_it_is_given(name, monkeypatch, tmp_path):
    """The server itself judges its variables; GitLab hands those of the job to the service, too."""
    *_, environment = mock_of(name)
    port_file = tmp_path / "port"
    command = [sys.executable, "-c", _START, str(port_file)]

    status, output = run(*command, **environment)

    assert status == 0, output
    assert port_file.exists()


#: `serve` on a free port, ended as soon as it would begin to serve.
_START = """
import sys
from mockserver.cli import main
from mockserver.web.server.server import Server
Server.run = lambda *_, **__: None
main(["serve", "--port", "0", "--port-file", sys.argv[1]])
"""


def test_e_mails_are_sent_to_a_service_of_the_same_file(make_api):
    """To the port on which Mailpit takes mails; that for browsers is published."""
    services = read("mailpit.yaml")["services"]
    url = services["mockserver"]["environment"]["MOCKSERVER_SMTP_URL"]

    assert make_api(smtp_url=url).get("/_mock/health").json["smtp"]["server"] == "mailpit:1025"
    assert services.keys() == {"mockserver", "mailpit"}
    assert services["mailpit"]["ports"] == ["8025:8025"]


def test_clients_get_the_variables_that_env_prints_and_are_sent_to_the_port_of_the_image(serve):
    for name in _CLIENTS:
        addresses = set(re.findall(r"http://\w+:(\d+)(\S*)", (_FOLDER / name).read_text(encoding="utf-8")))
        assert set() < addresses <= {(str(_PORT), ""), (str(_PORT), "/v3")}
    _, printed = run("mockserver", "env", MOCKSERVER_URL=serve())
    known = set(re.findall(r"^export (\w+)=", printed, re.MULTILINE))
    github, gitlab, compose = map(read, _CLIENTS)

    assert {*github["jobs"]["tests"]["env"], *gitlab["tests"]["variables"]} <= known
    assert {*compose["services"]["product"]["environment"]} <= known


def test_the_commands_of_the_gitlab_job_pass(serve, project):
    root = serve()
    install, *script = read("gitlab-ci.yaml")["tests"]["script"]

    ended = [run(*shlex.split(line), cwd=project, MOCKSERVER_URL=root) for line in script]

    assert install.startswith("pip install ")
    assert [(status, output) for status, output in ended if status != 0] == []
    report = read("gitlab-ci.yaml")["tests"]["artifacts"]["reports"]["junit"]
    assert ET.parse(project / report).getroot().tag in ("testsuite", "testsuites")


def test_the_coverage_step_of_the_github_job_fails_where_too_little_was_met(serve):
    steps = [step.get("run", "") for step in read("github-actions.yaml")["jobs"]["tests"]["steps"]]
    (command,) = [step.partition("}} ")[2] for step in steps if " mockserver " in step]

    status, output = run(*shlex.split(command), MOCKSERVER_URL=serve())

    assert status == 1
    assert output.splitlines()[-1] == "0.0 % of the contract (--of used) was met, and 20 % are wanted"
