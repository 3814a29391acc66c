"""As much of Testcontainers as the example uses; the program runs in a process instead of a container."""

import os
import subprocess
import sys
from urllib.parse import urlsplit


class DockerContainer:
    def __init__(self, image):
        self.image = image
        self._environment = {}

    def with_exposed_ports(self, *ports):
        self._ports = ports
        return self

    def with_env(self, key, value):
        self._environment[key] = value
        return self

    def waiting_for(self, strategy):
        self._strategy = strategy
        return self

    def get_container_host_ip(self):
        return "127.0.0.1"

    def get_exposed_port(self, port):
        assert port in self._ports, f"{port} is not exposed"
        return self._port

    def __enter__(self):
        self._process = subprocess.Popen(
            [sys.executable, "-m", "mockserver", "serve", "--port", "0"],
            env={**os.environ, **self._environment}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        self._port = urlsplit(self._process.stdout.readline().strip()).port
        self._strategy.wait_until_ready(self)
        return self

    def __exit__(self, *_):
        self._process.terminate()
        self._process.communicate()
