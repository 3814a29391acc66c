"""The server's image as a container of Testcontainers, for tests in Python; it asks for the extra `testcontainers`."""

from __future__ import annotations

import os
import time
from functools import cached_property
from pathlib import Path
from typing import Any, Self, TypedDict, Unpack

from mockserver import MockServer
from mockserver.settings.distribution import requirement

try:
    from docker.errors import APIError
    from testcontainers.core.container import DockerContainer
    from testcontainers.core.exceptions import ContainerStartException
    from testcontainers.core.network import Network
    from testcontainers.core.transferable import TransferSpec
    from testcontainers.core.waiting_utils import WaitStrategy, WaitStrategyTarget
except ImportError as error:
    raise ImportError(
        "mockserver.testing.container needs Testcontainers, which is not installed here: "
        f"pip install '{requirement('testcontainers')}'"
    ) from error

__tracebackhide__ = True  # pytest shows the line of the test instead

#: The name that the image gets by `docker build -t mockserver .`, as the documents build it.
IMAGE = "mockserver"
#: The environment variable with the name of the image in a registry.
IMAGE_VARIABLE = "MOCKSERVER_IMAGE"
#: The port that the image exposes.
PORT = 8003
#: Where the image looks for scenarios before it takes the shipped ones.
FOLDER = "/scenarios"
#: How a file of a scenario ends.
_ENDINGS = (".yaml", ".yml")
#: How many lines of its log are told of a container that has ended; the reason stands in the last of them.
_LINES = 10


class ContainerOptions(TypedDict, total=False):
    """The options of any container of Testcontainers."""

    docker_client_kw: dict[str, Any] | None
    command: str | None
    env: dict[str, str] | None
    name: str | None
    ports: list[int] | None
    volumes: list[tuple[str, str, str]] | None
    network: Network | None
    network_aliases: list[str] | None
    transferables: list[TransferSpec] | None


class MockServerContainer(DockerContainer):
    """A server in a container, ready when the `with` block begins and removed at its end.

    Whatever a container of Testcontainers has is here, too: `with_env("MOCKSERVER_KEYS", "isolate")`, `with_network`,
    `get_logs`.
    """

    def __init__(
        self,
        image: str | None = None,
        *,
        scenario: str | os.PathLike[str] | None = None,
        scenarios: str | os.PathLike[str] | None = None,
        seed: int | None = None,
        token: str | None = None,
        **options: Unpack[ContainerOptions],
    ) -> None:
        """Prepare a container; `start`, or a `with` block, starts it.

        `image` is by default what the environment variable `MOCKSERVER_IMAGE` names, else `mockserver`, which is what
        the documents call the image where it is built.
        `scenario` is the name of a scenario, or the path of a YAML file, from which workspaces are made. `scenarios` is
        a folder of YAML files, which are copied into the container, so that an engine on another machine has them.
        `seed` takes the place of the scenario's seed. `token` is what the control API asks for. All other options are
        those of `DockerContainer`; `with_kwargs` adds those of `docker run`.

        Raises:
            FileNotFoundError: there is no such file or folder.
        """
        super().__init__(image or os.environ.get(IMAGE_VARIABLE) or IMAGE, **options)
        #: The control token; None if the server asks for none.
        self.token = token
        self.with_exposed_ports(PORT)
        self.waiting_for(ImageHealth())
        given = {"SCENARIO": self._scenario(scenario), "SEED": seed, "CONTROL_TOKEN": token}
        for name, value in given.items():
            if value is not None:
                self.with_env(f"MOCKSERVER_{name}", str(value))
        if scenarios is not None:
            self._copy_folder(Path(scenarios))

    @property
    def url(self) -> str:
        """The root address of the server for programs outside of containers, without a slash at its end."""
        return f"http://{self.get_container_host_ip()}:{self.get_exposed_port(PORT)}"

    @cached_property
    def server(self) -> MockServer:
        """The server, whose workspaces the tests use.

        Raises:
            MockServerError: the server does not answer.
        """
        return MockServer.connect(self.url, self.token)

    def stop(self, force: bool = True, delete_volume: bool = True) -> None:
        """Remove the container, with all that its workspaces hold."""
        if "server" in self.__dict__:
            self.__dict__.pop("server").stop()
        super().stop(force, delete_volume)

    def __enter__(self) -> Self:
        return super().__enter__()

    def _scenario(self, scenario: str | os.PathLike[str] | None) -> str | None:
        """A scenario as the server in the container finds it: a name, or the path of the copied file."""
        if scenario is None or not os.fspath(scenario).endswith(_ENDINGS):
            return None if scenario is None else os.fspath(scenario)
        return self._copy(Path(scenario), Path(scenario).name)

    def _copy_folder(self, folder: Path) -> None:
        if not folder.is_dir():
            raise FileNotFoundError(f"there is no folder {folder}")
        for path in sorted(folder.rglob("*")):
            if path.suffix in _ENDINGS:
                self._copy(path, path.relative_to(folder).as_posix())

    def _copy(self, path: Path, name: str) -> str:
        if not path.is_file():
            raise FileNotFoundError(f"there is no file {path}")
        self.with_copy_into_container(path, f"{FOLDER}/{name}")
        return f"{FOLDER}/{name}"


class ImageHealth(WaitStrategy):
    """Waits until the health check of the image succeeds.

    The engine runs that check every few seconds; here it is run at once and again, so that a container is ready in the
    moment in which the server is.
    """

    def __init__(self) -> None:
        super().__init__()
        self.with_poll_interval(0.1)  # seconds; one check takes about as long

    def wait_until_ready(self, container: WaitStrategyTarget) -> None:
        """Return when the container is healthy.

        Raises:
            ContainerStartException: the container has ended, or its image has no health check.
            TimeoutError: it was not healthy in time.
        """
        wrapped = container.get_wrapped_container()
        deadline = time.monotonic() + self._startup_timeout
        while not self._is_healthy(wrapped):
            if time.monotonic() > deadline:
                raise TimeoutError(f"the container was not healthy within {self._startup_timeout:g} s")
            time.sleep(self._poll_interval)

    def _is_healthy(self, wrapped: Any) -> bool:
        wrapped.reload()
        if wrapped.status in ("exited", "dead"):
            log = wrapped.logs(tail=_LINES).decode(errors="replace").strip()
            raise ContainerStartException(
                f"the container has ended with status {wrapped.attrs['State']['ExitCode']}: {log}"
            )
        command = _health_command(wrapped.attrs)
        try:
            return bool(wrapped.exec_run(command).exit_code == 0)
        except APIError:  # it has just ended, which the next look at it tells
            return False


def _health_command(about: dict[str, Any]) -> list[str]:
    """The command of an image's health check, out of what the engine says about a container."""
    how, *command = (about["Config"].get("Healthcheck") or {}).get("Test") or ["NONE"]
    if how == "CMD-SHELL":
        return ["/bin/sh", "-c", *command]
    if how != "CMD":
        raise ContainerStartException(f"the image {about['Config'].get('Image')} has no health check")
    return command
