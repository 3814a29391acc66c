"""`readyz` tells how the last use of a store has ended, read or write, until a use succeeds."""

import os

import httpx
import pytest
from load_balancer import until

from mockserver import MockServer

KEY = {"api-key": "any"}


@pytest.fixture
def file(tmp_path):
    return tmp_path / "mock.db"


@pytest.fixture(params=["background", "always"])
def server(request, file):
    """A server on a file, with a workspace `other` that is not in memory."""
    settings = {"store": f"sqlite:{file}", "store_sync": request.param}
    with MockServer(**settings) as first:
        assert httpx.post(f"{first.url}/_mock/workspaces", json={"name": "other"}).status_code == 201
    with MockServer(**settings) as found:
        yield found


def readiness(server):
    answer = httpx.get(f"{server.url}/_mock/readyz")
    return answer.status_code, answer.json().get("detail")


def status_of_other(server):
    return httpx.get(f"{server.url}/w/other/v3/account", headers=KEY).status_code


class Moved:
    """A file that is moved away."""

    sentence = "was removed or replaced while it was used"

    def __init__(self, file):
        self._file, self._aside = file, file.with_suffix(".aside")
        file.rename(self._aside)

    def undo(self):
        self._aside.rename(self._file)


class Truncated:
    """A file of which only the beginning is left."""

    sentence = "was changed by another program while it was used"

    def __init__(self, file):
        self._file, self._before, self._content = file, file.stat(), file.read_bytes()
        os.truncate(file, 4096)

    def undo(self):
        self._file.write_bytes(self._content)
        os.utime(self._file, ns=(self._before.st_atime_ns, self._before.st_mtime_ns))


@pytest.mark.parametrize("harm", [Moved, Truncated])
def test_server_is_not_ready_from_a_read_that_failed_until_the_file_can_be_used(server, file, harm, caplog):
    assert readiness(server)[0] == 200
    done = harm(file)
    assert status_of_other(server) == 503
    for _ in range(3):
        status, detail = readiness(server)
        assert (status, harm.sentence in detail) == (503, True)
    assert httpx.get(f"{server.url}/_mock/livez").status_code == 200

    done.undo()
    until(lambda: readiness(server)[0] == 200, "the server is ready")  # the background writer tries every second
    assert status_of_other(server) == 200
    assert [row.message.partition(":")[0] for row in caplog.records] == [
        "the store cannot be used", "the store can be used again"
    ]  # fmt: skip
