"""`MockServerContainer`: the image as a container of Testcontainers."""

import subprocess
import sys
from inspect import signature

import pytest
import requests
from docker.errors import APIError
from docker.models.containers import ExecResult
from engine import DOCKERFILE, PORT, running_engine
from ports import free_port
from testcontainers.core.container import DockerContainer
from testcontainers.core.exceptions import ContainerStartException

from mockserver import MockServerError
from mockserver.settings.distribution import advice
from mockserver.testing import container as module
from mockserver.testing.container import IMAGE_VARIABLE, ContainerOptions, MockServerContainer

SCENARIO = "description: {}\nsenders: [{{id: 77, name: Own, email: own@acme.test, state: verified}}]\n"


@pytest.fixture(scope="module")
def mock(make_container, tmp_path_factory):
    """A container with a folder of scenarios, a seed, and a control token."""
    folder = tmp_path_factory.mktemp("scenarios")
    (folder / "own.yaml").write_text(SCENARIO.format("a folder's own"), encoding="utf-8")
    (folder / "notes.txt").write_text("no scenario", encoding="utf-8")
    with make_container(scenarios=folder, scenario="onboarding", seed=5, token="secret") as mock:
        yield mock


def test_its_server_is_ready_and_makes_workspaces_of_its_scenario_and_seed(mock):
    assert requests.get(f"{mock.url}/_mock/readyz", timeout=5).status_code == 200
    assert requests.get(f"{mock.url}/_mock/workspaces", timeout=5).status_code == 401  # without the token
    assert mock.server is mock.server
    assert mock.server.default.state.get()["seed"] == 5
    with mock.server.workspace() as workspace:
        answer = requests.get(f"{workspace.url}/senders", headers={"api-key": workspace.api_key}, timeout=5)

        assert workspace.scenario == "onboarding"
        assert workspace.url.startswith(mock.url)
        assert answer.status_code == 200


def test_container_takes_the_options_of_testcontainers():
    others = {"self", "image", "_wait_strategy", "kwargs"}

    assert set(ContainerOptions.__annotations__) == {*signature(DockerContainer.__init__).parameters} - others


def test_container_loads_the_scenarios_of_a_folder(mock):
    with mock.server.workspace("own") as workspace:
        answer = requests.get(f"{workspace.url}/senders", headers={"api-key": workspace.api_key}, timeout=5)

    assert [sender["id"] for sender in answer.json()["senders"]] == [77]


def test_a_scenario_may_be_a_file_and_after_the_block_it_does_not_answer(make_container, tmp_path):
    path = tmp_path / "mine.yml"
    path.write_text(SCENARIO.format("a file of its own"), encoding="utf-8")

    with make_container(scenario=path) as mock:
        server, found = mock.server, mock.server.default.state.get()

    assert found["description"] == "a file of its own"
    with pytest.raises(MockServerError):
        server.workspace()


@pytest.mark.parametrize(
    ("command", "environment"),
    [("serve --port PORT", {}), ("serve --port 0", {}), ("serve", {"MOCKSERVER_PORT": "PORT"}),
     ("serve --tls --port PORT", {}), ("serve", {"MOCKSERVER_TLS": "true", "MOCKSERVER_PORT": "PORT"}),
     ("serve --tls --tls-port 0 --port 0", {})],
)  # fmt: skip
def test_the_health_check_asks_the_server_however_it_was_told_its_address(make_container, command, environment):
    port = str(free_port())
    mock = make_container(command=command.replace("PORT", port))
    for name, value in environment.items():
        mock.with_env(name, value.replace("PORT", port))

    with mock:
        assert mock.exec(["mockserver", "health"]).exit_code == 0


@pytest.mark.engine
@pytest.mark.parametrize("make_container", ["real"], indirect=True)
@pytest.mark.parametrize("command", ["serve --host mock --port 9004", "serve --host mock --tls", "serve --host ::"])
def test_the_health_check_asks_the_address_of_the_container_in_a_read_only_file_system(make_container, command):
    hardened = {"hostname": "mock", "read_only": True, "cap_drop": ["ALL"], "user": "4321:4321"}

    with make_container(command=command).with_kwargs(**hardened) as mock:
        assert mock.exec(["mockserver", "health"]).exit_code == 0


def test_a_server_that_ends_says_why(make_container):
    with (
        pytest.raises(ContainerStartException, match=r"ended with status 1: unknown scenario 'missing'"),
        make_container(scenario="missing"),
    ):
        pass


# ---------------------------------------------------------------------- before an engine is asked


@pytest.fixture
def somewhere(monkeypatch):
    """An engine that nobody asks for anything but its version."""
    with running_engine() as engine:
        monkeypatch.setenv("DOCKER_HOST", engine.address)
        yield


def test_the_image_is_the_given_one_or_that_of_the_variable_or_a_local_one(somewhere, monkeypatch):
    assert MockServerContainer().image == "mockserver"
    monkeypatch.setenv(IMAGE_VARIABLE, "registry.example.com/mockserver:1.0.0")
    assert MockServerContainer().image == "registry.example.com/mockserver:1.0.0"
    assert MockServerContainer("other:1").image == "other:1"


@pytest.mark.parametrize("option", ["scenario", "scenarios"])
def test_files_that_are_not_there_are_told_before_a_start(somewhere, tmp_path, option):
    path = tmp_path / "missing.yaml"

    with pytest.raises(FileNotFoundError, match=r"there is no (file|folder) .*missing\.yaml"):
        MockServerContainer(**{option: path})


def test_its_port_and_folder_are_those_of_the_image():
    assert module.PORT == PORT
    assert f"MOCKSERVER_SCENARIOS={module.FOLDER}\n" in DOCKERFILE


# ---------------------------------------------------------------------- the wait


class Target:
    """A running container as the wait sees it; its health check fails as often as asked."""

    status = "running"

    def __init__(self, test, failures=0):
        self.attrs = {"Config": {"Image": "some", "Healthcheck": test and {"Test": test}}}
        self.left = failures
        self.commands = []

    def get_wrapped_container(self):
        return self

    def reload(self):
        pass

    def exec_run(self, command):
        self.commands.append(command)
        self.left -= 1
        return ExecResult(int(self.left >= 0), b"")


@pytest.mark.parametrize(
    ("test", "command"),
    [(["CMD", "mockserver", "health"], ["mockserver", "health"]),
     (["CMD-SHELL", "mockserver health"], ["/bin/sh", "-c", "mockserver health"])],
)  # fmt: skip
def test_the_wait_asks_the_images_own_health_check_until_it_succeeds(test, command):
    target = Target(test, failures=2)

    module.ImageHealth().with_poll_interval(0).wait_until_ready(target)

    assert target.commands == [command] * 3


def test_an_image_without_a_health_check_is_refused_and_an_unhealthy_container_given_up():
    for test in (None, ["NONE"], []):
        with pytest.raises(ContainerStartException, match="the image some has no health check"):
            module.ImageHealth().wait_until_ready(Target(test))
    wait = module.ImageHealth().with_poll_interval(0).with_startup_timeout(0)

    with pytest.raises(TimeoutError, match="not healthy within 0 s"):
        wait.wait_until_ready(Target(["CMD", "x"], failures=1_000_000))


def test_a_container_that_ends_while_it_is_asked_is_looked_at_again(monkeypatch):
    target = Target(["CMD", "x"])

    def ends(_):
        del target.exec_run
        raise APIError("container is not running")

    target.exec_run = ends

    module.ImageHealth().with_poll_interval(0).wait_until_ready(target)

    assert target.commands == [["x"]]


def test_without_testcontainers_the_module_says_what_to_install():
    program = "import sys; sys.modules['testcontainers.core.container'] = None; import mockserver.testing.container"

    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)

    assert run.stderr.splitlines()[-1].endswith(advice("testcontainers"))
