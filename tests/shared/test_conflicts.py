"""Many writes at once to one workspace, over all servers: none is lost, none is done twice, and credits add up."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest
from examples import rounds

pytestmark = pytest.mark.slow

THREADS, WRITES = 16, rounds(1000)
CREDITS = 1000
SUB_ACCOUNTS = (1000002, 1000003, 1000004)
SCENARIO = {
    "accounts": [
        {"name": "acme", "id": 1000001, "role": "master", "pool": {"credits": {"email": CREDITS}}},
        *({"name": f"sub-{number}", "id": number, "role": "sub_account", "of": "acme"} for number in SUB_ACCOUNTS),
    ]
}


@pytest.fixture
def made(cluster):
    found = cluster.make(scenario=SCENARIO)
    yield found
    cluster.ask("DELETE", f"/_mock/workspaces/{found['name']}")


def at_once(write):
    """What a function gives for each number; it is called by many threads at once."""
    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(write, range(WRITES)))


def test_each_sender_is_created_once_and_has_an_id_of_its_own(cluster, made):
    def create(number):
        answer = cluster.create(made, number, cluster.servers[number % len(cluster.servers)])
        assert answer.status_code == 201, answer.text
        return answer.json()["id"]

    ids = at_once(create)

    rows = cluster.ask("GET", f"/w/{made['name']}/_mock/state").json()["accounts"][0]["senders"]
    assert sorted(row["email"] for row in rows) == sorted(f"s{number}@acme.test" for number in range(WRITES))
    assert sorted(ids) == sorted(row["id"] for row in rows) == list(range(1, WRITES + 1))


def test_an_address_that_many_want_is_given_once(cluster, made):
    def create(number):
        return cluster.create(made, number // 10, cluster.servers[number % len(cluster.servers)]).status_code

    statuses = at_once(create)

    assert (statuses.count(201), statuses.count(400)) == (WRITES // 10, WRITES - WRITES // 10)


def test_credits_that_many_take_add_up(cluster, made):
    random = Random(7)
    wanted = [(random.choice(SUB_ACCOUNTS), random.randrange(700)) for _ in range(WRITES)]

    def assign(number):
        id_, amount = wanted[number]
        return give(id_, amount, cluster.servers[number % len(cluster.servers)])

    def give(id_, amount, server=None):
        path = f"/v3/corporate/subAccount/{id_}/plan"
        body = {"credits": {"email": amount}}
        return cluster.ask("PUT", path, server=server, key=made["api_key"], json=body).status_code

    assert set(at_once(assign)) <= {204, 400}

    accounts = cluster.ask("GET", f"/w/{made['name']}/_mock/state").json()["accounts"]
    given = {row["id"]: row.get("assigned", {}).get("credits", {}).get("email", 0) for row in accounts[1:]}
    left = CREDITS - sum(given.values())
    last = SUB_ACCOUNTS[-1]
    assert left >= 0
    assert give(last, given[last] + left + 1) == 400
    assert give(last, given[last] + left) == 204
