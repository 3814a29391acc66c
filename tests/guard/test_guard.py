"""One request never stops the others, whatever its body is: all of them, by every way in, against a server of its own.

`pytest -m guard tests/guard` sends every body by every way in three sizes, but of the large texts of JSON and YAML to
each way its share; the second command of the README sends the smaller ones by some of the ways.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from guard import evil
from guard.entry_points import EntryPoint, entry_points
from guard.peer import Bystander, Server, is_busy

SMALL, MIDDLE, LARGE = 10_000, 100_000, 1_000_000
#: Of so many large texts of a kind a way gets one, and each of them comes by some ways: one reader reads them for all
#: calls, before any sees them, and takes up to a second for each of YAML.
SHARED_OUT = {"application/json": 3, "application/yaml": 5}
#: How long another client may have to wait, in seconds: on a machine of our own, and where others work as well. What
#: stops a server does so for seconds.
QUIET_S, BUSY_S = 0.1, 0.5
#: Ten times the body may take ten times as long, and a shared machine three times that; what is shorter is noise.
MOST_GROWTH, NOISE_S = 30, 0.02
#: What a machine does by chance it does not do again and again.
TRIES = 3
#: One way of each kind.
SHORT = (
    "POST /v3/senders as json",
    "POST /_mock/faults as yaml",
    "PUT /_mock/state as json",
    "POST /_mock/receiver/default as json",
)


@pytest.fixture(scope="module")
def guard_server() -> Iterator[Server]:
    with Server() as found:
        yield found


@pytest.fixture(scope="module")
def bystander(guard_server: Server) -> Iterator[Bystander]:
    with Bystander(guard_server.root) as found:
        yield found


def way_of(name: str) -> EntryPoint:
    return next(way for way in entry_points() if str(way) == name)


def complaint(server: Server, bystander: Bystander, sizes: tuple[int, ...], send: Callable[[int], float]) -> str | None:
    """What is wrong with how a body of some sizes was served, if it is so each time that it is tried."""
    found = None
    for _ in range(TRIES):
        found = _complaint(server, bystander, sizes, send)
        if found is None:
            return None
    return found


def _complaint(
    server: Server, bystander: Bystander, sizes: tuple[int, ...], send: Callable[[int], float]
) -> str | None:
    bystander.longest()
    seconds = [send(size) for size in sizes]
    waited = bystander.longest()
    if not server.lives:
        return "the server has ended"
    if waited > (BUSY_S if is_busy() else QUIET_S):
        return f"another client waited {waited * 1000:.0f} ms"
    if len(seconds) > 1 and seconds[-1] > MOST_GROWTH * max(seconds[-2], NOISE_S):
        return f"{sizes[-2]:,} bytes took {seconds[-2] * 1000:.0f} ms, {sizes[-1]:,} bytes {seconds[-1] * 1000:.0f} ms"
    return None


def all_sizes(way: EntryPoint, position: int) -> dict[str, tuple[int, ...]]:
    """The sizes in which a way gets each body; `position` says which of the large ones are among them."""
    ways_of_each = SHARED_OUT.get(way.media, 1)
    large = [*way.evils][position % ways_of_each :: ways_of_each]
    return {name: (SMALL, MIDDLE, LARGE) if name in large else (SMALL, MIDDLE) for name in way.evils}


def complaints(
    server: Server, bystander: Bystander, way: EntryPoint, sizes: dict[str, tuple[int, ...]]
) -> dict[str, str]:
    """What is wrong, by the name of the body."""
    headers = {"Content-Type": way.media, "api-key": "xkeysib-acme"}
    bodies = {name: {size: make(size, way.names) for size in sizes[name]} for name, make in way.evils.items()}
    found = {
        name: complaint(
            server, bystander, sizes[name],
            lambda size, body=body: server.send(way.method, way.path, headers, body[size])[1],
        )
        for name, body in bodies.items()
    }  # fmt: skip
    return {name: problem for name, problem in found.items() if problem is not None}


@pytest.mark.parametrize("name", SHORT)
def test_a_small_body_never_stops_the_others(guard_server, bystander, name):
    way = way_of(name)

    assert complaints(guard_server, bystander, way, dict.fromkeys(way.evils, (SMALL, MIDDLE))) == {}


@pytest.mark.guard
@pytest.mark.parametrize(
    ("position", "way"), [pytest.param(index, way, id=str(way)) for index, way in enumerate(entry_points())]
)
def test_no_body_stops_the_others(guard_server, bystander, position, way):
    assert complaints(guard_server, bystander, way, all_sizes(way, position)) == {}


@pytest.mark.guard
@pytest.mark.parametrize("name", evil.MAILS)
def test_no_mail_stops_the_others(guard_server, bystander, name):
    make = evil.MAILS[name]

    found = complaint(guard_server, bystander, (SMALL, MIDDLE, LARGE), lambda size: guard_server.mail(make(size, ())))

    assert found is None


@pytest.mark.guard
def test_the_memory_that_bodies_take_is_given_back(guard_server):
    way = way_of("POST /v3/senders as json")

    def round_of_bodies() -> float:
        for make in way.evils.values():
            guard_server.send(
                way.method, way.path, {"Content-Type": way.media, "api-key": "any"}, make(LARGE, way.names)
            )
        guard_server.send("POST", "/_mock/reset", {}, b"")
        return guard_server.held()

    round_of_bodies()
    first, second = round_of_bodies(), round_of_bodies()

    assert second < 1.1 * first
