from urllib.request import urlopen


class HttpWaitStrategy:
    def __init__(self, port, path="/"):
        self._port = port
        self._path = path

    def wait_until_ready(self, container):
        """The program listens when its address is known, so one question is enough."""
        address = f"{container.get_container_host_ip()}:{container.get_exposed_port(self._port)}"
        with urlopen(f"http://{address}{self._path}", timeout=10) as answer:
            assert answer.status == 200
