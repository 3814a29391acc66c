"""What becomes of a server whose file is full, gone, damaged or somebody else's: it tells, and goes on when it can."""

import resource
import signal
from random import Random

import pytest
from examples import rounds
from load_balancer import until
from random_user import STORY


@pytest.fixture
def failure(ask):
    """Waits until a server says that it cannot keep anything; gives the sentence."""

    def found(server):
        def detail():
            status, answer = ask(server, "GET", "/_mock/readyz")
            return answer["detail"] if status == 503 else None

        return until(detail, "the server says that it cannot keep anything")

    return found


@pytest.fixture
def is_well(ask):
    """Waits until a server is ready again."""
    return lambda server: until(lambda: ask(server, "GET", "/_mock/readyz")[0] == 200, "the server is ready")


@pytest.fixture
def limit():
    """Sets how large the files of a server may be, in bytes; None: as large as they like."""

    def limited(server, size):
        _, hard = resource.prlimit(server.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (hard if size is None else size, hard))

    return limited


def emails(ask, server, workspace="default"):
    return {row["email"] for row in ask(server, "GET", "/v3/senders", workspace=workspace)[1]["senders"]}


def test_in_the_background_a_full_disk_is_told_and_all_is_kept_as_soon_as_there_is_room(
    servers, store, ask, create, failure, is_well, limit
):
    server = servers.started()
    limit(server, 4096)
    assert create(server, 1) == 201
    assert "store.db" in failure(server)
    assert create(server, 2) == 201
    assert ask(server, "GET", "/_mock/livez")[0] == 200
    limit(server, None)
    is_well(server)
    server.kill()
    assert {"s1@acme.test", "s2@acme.test"} <= emails(ask, servers.start())
    servers.told()


def test_with_always_a_full_disk_refuses_what_cannot_be_kept_until_there_is_room(
    servers, store, ask, create, failure, is_well, limit
):
    server = servers.started()
    limit(server, 4096)
    assert create(server, 1) == 503
    status, answer = ask(server, "POST", "/v3/senders", {"name": "Ops", "email": "s1@acme.test"})
    assert (status, set(answer)) == (503, {"code", "message"})
    assert "store.db" in failure(server)
    limit(server, None)
    is_well(server)
    assert create(server, 3) == 201
    server.kill()
    assert "s3@acme.test" in emails(ask, servers.start())
    servers.told()


@pytest.mark.parametrize("is_full", [True, False])
def test_a_server_that_is_stopped_ends_with_1_when_its_disk_is_full_and_else_with_0(
    servers, create, failure, limit, is_full
):
    server = servers.started()
    if is_full:
        limit(server, 4096)
    assert create(server, 1) == 201
    if is_full:
        failure(server)
    server.signal(signal.SIGTERM)

    assert server.ended() == int(is_full)


def test_a_file_that_is_removed_under_a_server_is_told_and_kept_again_when_it_is_back(
    servers, store, ask, create, failure, is_well
):
    server = servers.started()
    store.rename(store.with_suffix(".aside"))
    assert create(server, 1) == 201
    assert "removed or replaced" in failure(server)
    store.with_suffix(".aside").rename(store)
    is_well(server)
    assert create(server, 2) == 201
    server.signal(signal.SIGTERM)
    server.ended()
    assert {"s1@acme.test", "s2@acme.test"} <= emails(ask, servers.start())


def test_a_second_server_on_one_file_is_refused_and_the_first_one_goes_on(servers, ask):
    first = servers.start()
    assert ask(first, "GET", "/_mock/readyz")[0] == 200
    assert "store.db" in servers.refused()
    assert ask(first, "GET", "/_mock/readyz")[0] == 200


def test_a_file_that_is_no_store_is_refused_in_a_sentence_and_left_as_it_is(servers, store):
    store.write_text("scenario: standard\n" * 100)
    before = store.read_bytes()
    assert servers.refused().count("\n") <= 2
    assert store.read_bytes() == before


NAMES = [f"w{number}" for number in range(8)]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(rounds(20)))
def test_a_damaged_file_ends_in_a_sentence_or_costs_the_workspaces_that_it_was_in(servers, store, ask, seed):
    first = servers.start()
    for name in NAMES:
        assert ask(first, "POST", "/_mock/workspaces", {"name": name, "scenario": STORY})[0] == 201
    shown = {name: ask(first, "GET", "/_mock/state", workspace=name)[1] for name in NAMES}
    first.signal(signal.SIGTERM)
    first.ended()
    _damage(store, Random(seed))

    server = servers.start()
    try:
        server.root  # noqa: B018  # waits until it is there
    except AssertionError:
        assert server.ended() == 2
        assert "store.db" in servers.told()
        return
    found = {name: ask(server, "GET", "/_mock/state", workspace=name) for name in NAMES}
    others = {name: answer for name, answer in found.items() if answer != (200, shown[name])}
    for name, (status, problem) in others.items():
        assert status == 503, f"workspace {name} is another one"
        assert name in problem["detail"]
    servers.told()


def _damage(file, random):
    """Write random bytes at a random place of a file."""
    data = bytearray(file.read_bytes())
    at = random.randrange(len(data))
    garbage = random.randbytes(random.choice((1, 16, 600)))
    data[at : at + len(garbage)] = garbage
    file.write_bytes(data[: max(len(data), 1)])
