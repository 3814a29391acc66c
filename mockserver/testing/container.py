"""The server's image as a Testcontainers container; requires the extra `testcontainers`."""

from __future__ import annotations

import os
import time
from functools import cached_property
from pathlib import Path
from typing import Any, Self, TypedDict, Unpack

from mockserver import MockServer
from mockserver.settings import files
from mockserver.settings.distribution import advice

try:
    from docker.errors import APIError
    from testcontainers.core.container import DockerContainer
    from testcontainers.core.exceptions import ContainerStartException
    from testcontainers.core.network import Network
    from testcontainers.core.transferable import TransferSpec
    from testcontainers.core.waiting_utils import WaitStrategy, WaitStrategyTarget
except ImportError as error:
    raise ImportError(
        f"mockserver.testing.container needs Testcontainers, which is not installed here{advice('testcontainers')}"
    ) from error

__tracebackhide__ = True  # pytest shows the line of the test instead

#: The name of the image after `docker build -t mockserver .`, as in the documents.
IMAGE = "mockserver"
#: The environment variable with the name of the image in a registry.
IMAGE_VARIABLE = "MOCKSERVER_IMAGE"
#: The port that the image exposes.
PORT = 8003
#: The folder in which the image looks for scenarios before the shipped ones.
FOLDER = "/scenarios"
#: How many lines of the log of an ended container are shown; the last lines have the reason.
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

    It has all methods of a container of Testcontainers: `with_env("MOCKSERVER_KEYS", "isolate")`, `with_network`.
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

        Args:
            image: The image; by default the value of the environment variable `MOCKSERVER_IMAGE`, else `mockserver`.
            scenario: The name of a scenario, or the path of a YAML file, from which workspaces are made.
            scenarios: A folder of YAML files, which are copied into the container, also on another machine.
            seed: Takes the place of the scenario's seed.
            token: The control token.
            options: Those of `DockerContainer`; `with_kwargs` adds options of `docker run`.

        Raises:
            FileNotFoundError: The file or the folder does not exist.
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
        """The root address of the server outside of containers, without trailing slash."""
        return f"http://{self.get_container_host_ip()}:{self.get_exposed_port(PORT)}"

    @cached_property
    def server(self) -> MockServer:
        """The server, whose workspaces the tests use.

        Raises:
            MockServerError: The server does not answer.
        """
        return MockServer.connect(self.url, self.token)

    def stop(self, force: bool = True, delete_volume: bool = True) -> None:
        """Remove the container and its workspaces."""
        if "server" in self.__dict__:
            self.__dict__.pop("server").stop()
        super().stop(force, delete_volume)

    def __enter__(self) -> Self:
        return super().__enter__()

    def _scenario(self, scenario: str | os.PathLike[str] | None) -> str | None:
        """Return a scenario name, or copy a scenario file and return its path."""
        if scenario is None or not os.fspath(scenario).endswith(files.SCENARIOS):
            return None if scenario is None else os.fspath(scenario)
        return self._copy(Path(scenario), Path(scenario).name)

    def _copy_folder(self, folder: Path) -> None:
        if not folder.is_dir():
            raise FileNotFoundError(f"there is no folder {folder}")
        for path in sorted(folder.rglob("*")):
            if files.is_scenario(path.name):
                self._copy(path, path.relative_to(folder).as_posix())

    def _copy(self, path: Path, name: str) -> str:
        if not path.is_file():
            raise FileNotFoundError(f"there is no file {path}")
        self.with_copy_into_container(path, f"{FOLDER}/{name}")
        return f"{FOLDER}/{name}"


class ImageHealth(WaitStrategy):
    """Waits until the health check of the image succeeds.

    The engine runs that check every few seconds; here it runs all the time, so that no time is lost.
    """

    def __init__(self) -> None:
        super().__init__()
        self.with_poll_interval(0.1)  # seconds; one check takes about as long

    def wait_until_ready(self, container: WaitStrategyTarget) -> None:
        """Return when the container is healthy.

        Raises:
            ContainerStartException: The container has ended, or its image has no health check.
            TimeoutError: The container was not healthy in time.
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
        except APIError:  # the container has just ended, as the next check tells
            return False


def _health_command(about: dict[str, Any]) -> list[str]:
    """Return the health check command from the engine's description of a container."""
    how, *command = (about["Config"].get("Healthcheck") or {}).get("Test") or ["NONE"]
    if how == "CMD-SHELL":
        return ["/bin/sh", "-c", *command]
    if how != "CMD":
        raise ContainerStartException(f"the image {about['Config'].get('Image')} has no health check")
    return command
